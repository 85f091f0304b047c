//! Words of a CEL expression, and the same expression with one of them changed.

use std::ops::Range;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Name,
    Number,
    Text,
    Sign,
}

/// A word, with its place in the text in bytes.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) sort: Sort,
    pub(super) text: &'t str,
    pub(super) at: Range<usize>,
}

/// The words of an expression that parses.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let (sort, length) = word(rest, first);
        let length = length.max(first.len_utf8());
        tokens.push(Token { sort, text: rest.get(..length).unwrap_or(rest), at: at..at + length });
        at += length;
    }
    tokens
}

fn word(rest: &str, first: char) -> (Sort, usize) {
    if let Some(length) = quoted(rest) {
        return (Sort::Text, length);
    }
    let while_some = |keep: fn(char) -> bool| rest.find(|c: char| !keep(c)).unwrap_or(rest.len());
    if first == '`' {
        return (Sort::Name, rest.get(1..).and_then(|rest| rest.find('`')).map_or(rest.len(), |end| end + 2));
    }
    if first.is_alphabetic() || first == '_' {
        return (Sort::Name, while_some(|c| c.is_alphanumeric() || c == '_'));
    }
    if first.is_ascii_digit() {
        let whole = while_some(|c| c.is_ascii_alphanumeric());
        let fraction = rest.get(whole..).and_then(|rest| rest.strip_prefix('.'));
        let digits = fraction.map_or(0, |rest| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        return (Sort::Number, if digits > 0 { whole + 1 + digits } else { whole });
    }
    let signs = ["&&", "||", "<=", ">=", "==", "!=", ".?", "[?"];
    (Sort::Sign, if signs.iter().any(|sign| rest.starts_with(sign)) { 2 } else { 1 })
}

/// The length of the quoted text at the start; `None` without quotes.
fn quoted(rest: &str) -> Option<usize> {
    let prefix = rest.chars().take_while(|c| "rRbB".contains(*c)).count().min(2);
    let body = rest.get(prefix..)?;
    let raw = rest.get(..prefix)?.contains(['r', 'R']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| body.starts_with(quote))?;
    let mut at = quote.len();
    loop {
        let next = body.get(at..)?;
        if next.starts_with(quote) {
            return Some(prefix + at + quote.len());
        }
        let first = next.chars().next()?;
        at += first.len_utf8();
        if first == '\\' && !raw {
            at += next.chars().nth(1)?.len_utf8();
        }
    }
}

/// How deep each word stands in brackets; a bracket stands outside of itself.
pub(super) fn depths(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut depths = Vec::with_capacity(tokens.len());
    for token in tokens {
        let sign = token.sort == Sort::Sign;
        if sign && matches!(token.text, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
        }
        depths.push(depth);
        if sign && matches!(token.text, "(" | "[" | "{" | "[?") {
            depth += 1;
        }
    }
    depths
}

/// The bracket that closes the one at `open`.
pub(super) fn closing(depths: &[usize], open: usize) -> Option<usize> {
    let depth = depths.get(open)?;
    (open + 1..depths.len()).find(|at| depths.get(*at) == Some(depth))
}

#[cfg(test)]
mod tests {
    use super::{Sort, tokens};

    #[test]
    fn words_are_told_apart() {
        let shown = |text| tokens(text).iter().map(|token| token.text.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            shown("self.a<=10 && !has(self.?b) // no\n|| x in ['it\\'s', r\"\\d\", \"\"\"a\"b\"\"\"]"),
            [
                "self",
                ".",
                "a",
                "<=",
                "10",
                "&&",
                "!",
                "has",
                "(",
                "self",
                ".?",
                "b",
                ")",
                "||",
                "x",
                "in",
                "[",
                "'it\\'s'",
                ",",
                "r\"\\d\"",
                ",",
                "\"\"\"a\"b\"\"\"",
                "]"
            ]
        );
        assert_eq!(shown("1.5+0x1Fu-a1.size()"), ["1.5", "+", "0x1Fu", "-", "a1", ".", "size", "(", ")"]);
        assert_eq!(shown("'never closed é"), ["'", "never", "closed", "é"]);
        assert!(tokens("1.5 'a'").iter().map(|token| token.sort).eq([Sort::Number, Sort::Text]));
    }
}
