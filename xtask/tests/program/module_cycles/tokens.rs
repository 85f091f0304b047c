//! The words of a Rust source file, without comments, texts and lifetimes.

/// A word of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier or keyword.
    Word(String),
    /// `::`.
    Path,
    /// Any other character that means something.
    Mark(char),
}

impl Token {
    /// Whether this is the word.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(found) if found == word)
    }

    /// Whether this is the character.
    pub(crate) fn is_mark(&self, mark: char) -> bool {
        *self == Self::Mark(mark)
    }
}

/// The words of `source`, in order.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let text: Vec<char> = source.chars().collect();
    let at = |index: usize| text.get(index).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut index = 0;
    while index < text.len() {
        match (at(index), at(index + 1)) {
            ('/', '/') => index = (index..text.len()).find(|end| at(*end) == '\n').unwrap_or(text.len()),
            ('/', '*') => index = after_comment(&text, index),
            ('"', _) => index = after_text(&text, index),
            ('r', '"' | '#') if raw_hashes(&text, index + 1).is_some() => index = after_raw(&text, index + 1),
            ('b', '"') => index = after_text(&text, index + 1),
            ('b', '\'') => index = after_char(&text, index + 1),
            ('b', 'r') if raw_hashes(&text, index + 2).is_some() => index = after_raw(&text, index + 2),
            // A lifetime is a quote before a word that no quote ends.
            ('\'', c) if is_word(c) && at(index + 2) != '\'' => {
                index = (index + 1..text.len()).find(|end| !is_word(at(*end))).unwrap_or(text.len());
            }
            ('\'', _) => index = after_char(&text, index),
            (':', ':') => {
                tokens.push(Token::Path);
                index += 2;
            }
            (c, _) if is_word(c) => {
                let end = (index..text.len()).find(|end| !is_word(at(*end))).unwrap_or(text.len());
                tokens.push(Token::Word(text[index..end].iter().collect()));
                index = end;
            }
            (c, _) => {
                if !c.is_whitespace() {
                    tokens.push(Token::Mark(c));
                }
                index += 1;
            }
        }
    }
    tokens
}

fn after_comment(text: &[char], begin: usize) -> usize {
    let (mut depth, mut index) = (0, begin);
    while index + 1 < text.len() {
        match (text[index], text[index + 1]) {
            ('/', '*') => (depth, index) = (depth + 1, index + 2),
            ('*', '/') if depth == 1 => return index + 2,
            ('*', '/') => (depth, index) = (depth - 1, index + 2),
            _ => index += 1,
        }
    }
    text.len()
}

/// The place behind a text that begins here with its quote.
fn after_text(text: &[char], begin: usize) -> usize {
    let mut index = begin + 1;
    while index < text.len() && text[index] != '"' {
        index += if text[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// The place behind a character that begins here with its quote.
fn after_char(text: &[char], begin: usize) -> usize {
    let mut index = begin + 1;
    while index < text.len() && text[index] != '\'' {
        index += if text[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// How many hashes a raw text has before its quote; none when there is no quote.
fn raw_hashes(text: &[char], begin: usize) -> Option<usize> {
    let hashes = text[begin.min(text.len())..].iter().take_while(|c| **c == '#').count();
    (text.get(begin + hashes) == Some(&'"')).then_some(hashes)
}

fn after_raw(text: &[char], begin: usize) -> usize {
    let hashes = raw_hashes(text, begin).unwrap_or_default();
    let ends =
        |at: usize| text[at] == '"' && text[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    (begin + hashes + 1..text.len()).find(|at| ends(*at)).map_or(text.len(), |at| at + 1 + hashes)
}

#[test]
fn comments_texts_and_lifetimes_are_no_words() {
    let source = r####"/* a /* b */ c */ fn f<'a>(x: &'a str) -> char { // d
        let t = ("crate::x \" y", r#"z " w"#, b'\'', '\\', '"', br"v"); crate::g::h(t) }"####;
    let found: Vec<String> = tokens(source)
        .into_iter()
        .filter_map(|token| if let Token::Word(word) = token { Some(word) } else { None })
        .collect();
    assert_eq!(found, ["fn", "f", "x", "str", "char", "let", "t", "crate", "g", "h", "t"]);
}
