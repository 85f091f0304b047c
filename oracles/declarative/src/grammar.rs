//! The grammar of one tag line: `k8s:alpha(since: "1.36")=+k8s:minimum=0`.
//!
//! Reads what gengo's `codetags` reads, character for character, quirks included.

use std::sync::Arc;

/// Longest chain of tags (`a=+b=+c`) that is accepted. Real chains have up to five; the bound keeps every later pass over
/// a chain within a small stack.
pub const MAX_CHAIN: usize = 64;

/// One parsed tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Name as written: `k8s:minimum`.
    pub name: Arc<str>,
    /// Arguments in the order written.
    pub args: Vec<Arg>,
    /// Payload.
    pub value: Payload,
    /// Name, arguments and payload as written, without the tags chained below.
    pub text: Arc<str>,
    /// Where the tag's name starts, in bytes after the `+` of the line.
    pub offset: usize,
}

/// An argument of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Name; none for the positional argument.
    pub name: Option<Arc<str>>,
    /// Value.
    pub value: Literal,
}

/// A value written in a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A bare word or a quoted text.
    Text(Arc<str>),
    /// An integer, as written.
    Int(Arc<str>),
    /// `true` or `false`.
    Bool(bool),
}

/// What follows the `=` of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    None,
    /// A value.
    Literal(Literal),
    /// Another tag.
    Tag(Box<Tag>),
}

/// A line that does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GrammarError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes after the `+` of the line.
    pub offset: usize,
}

impl Literal {
    /// How the type of the value is called in messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::Int(_) => "int",
            Self::Bool(_) => "bool",
        }
    }

    /// The value as text, quotes removed.
    #[must_use]
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Int(text) => text,
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
        }
    }
}

impl Tag {
    /// The positional argument.
    #[must_use]
    pub fn positional(&self) -> Option<&Literal> {
        self.args.iter().find(|arg| arg.name.is_none()).map(|arg| &arg.value)
    }

    /// The argument with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Literal> {
        self.args.iter().find(|arg| arg.name.as_deref() == Some(name)).map(|arg| &arg.value)
    }

    /// The tag in the payload.
    #[must_use]
    pub fn inner(&self) -> Option<&Tag> {
        match &self.value {
            Payload::Tag(tag) => Some(tag),
            _ => None,
        }
    }

    /// This tag and the tags chained below it, outermost first.
    pub fn chain(&self) -> impl Iterator<Item = &Tag> {
        std::iter::successors(Some(self), |tag| tag.inner())
    }
}

/// The name at the start of a tag line, whatever follows it; empty when there is none.
#[must_use]
pub fn name_of(text: &str) -> &str {
    let end = text
        .char_indices()
        .find(|(at, c)| !(if *at == 0 { is_word_start(*c) } else { is_name_part(*c) }))
        .map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// Parses the text after the `+` of a tag line.
///
/// # Errors
/// When the line does not follow the grammar, with the place; when it chains more than [`MAX_CHAIN`] tags.
pub fn parse(text: &str) -> Result<Tag, GrammarError> {
    let mut scan = Scan { text, at: 0 };
    let mut outer: Vec<Tag> = Vec::new();
    let mut last = loop {
        if outer.len() >= MAX_CHAIN {
            return Err(scan.error(format!("more than {MAX_CHAIN} tags in one chain")));
        }
        let (mut tag, chained) = scan.tag()?;
        tag.text = Arc::from(text.get(tag.offset..scan.at - usize::from(chained) * 2).unwrap_or_default());
        if !chained {
            break tag;
        }
        outer.push(tag);
    };
    scan.finish()?;
    while let Some(mut tag) = outer.pop() {
        tag.value = Payload::Tag(Box::new(last));
        last = tag;
    }
    Ok(last)
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_word_part(c: char) -> bool {
    c == '_' || c == '.' || c == '-' || c.is_alphabetic() || c.is_numeric()
}

fn is_name_part(c: char) -> bool {
    c == ':' || is_word_part(c)
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn error(&self, message: impl Into<String>) -> GrammarError {
        GrammarError { message: message.into(), offset: self.at }
    }

    fn unexpected(&self, wanted: &str) -> GrammarError {
        match self.peek() {
            Some(c) => self.error(format!("unexpected character `{c}`, expected {wanted}")),
            None => self.error(format!("unexpected end of the tag, expected {wanted}")),
        }
    }

    /// One tag up to its payload; whether another tag follows.
    fn tag(&mut self) -> Result<(Tag, bool), GrammarError> {
        let offset = self.at;
        if !self.peek().is_some_and(is_word_start) {
            return Err(self.unexpected("a tag name"));
        }
        let name = Arc::from(self.take_while(is_name_part));
        let parentheses = self.eat('(');
        let args = if parentheses { self.args()? } else { Vec::new() };
        let mut value = Payload::None;
        let mut chained = false;
        if self.eat('=') {
            chained = self.eat('+');
            // With parentheses gengo takes a missing value for none; without, it complains.
            let nothing = parentheses && self.rest().is_empty();
            if !chained && !nothing {
                value = Payload::Literal(self.literal()?);
            }
        }
        Ok((Tag { name, args, value, text: Arc::from(""), offset }, chained))
    }

    /// Arguments after the opening parenthesis, through the closing one.
    fn args(&mut self) -> Result<Vec<Arg>, GrammarError> {
        let mut args: Vec<Arg> = Vec::new();
        if self.eat(')') {
            return Ok(args);
        }
        loop {
            let start = self.at;
            let value = self.literal()?;
            let quoted = matches!(self.text.as_bytes().get(start), Some(b'"' | b'`'));
            let arg = if !quoted && self.peek() == Some(':') {
                let name = match value {
                    Literal::Text(name) => name,
                    Literal::Bool(_) => Arc::from(value.as_text()),
                    Literal::Int(_) => return Err(self.unexpected("`,` or `)`")),
                };
                self.at += 1;
                self.blanks();
                Arg { name: Some(name), value: self.literal()? }
            } else {
                Arg { name: None, value }
            };
            args.push(arg);
            if args.len() > 1 && args.iter().any(|arg| arg.name.is_none()) {
                let error = "a tag takes one positional argument or named arguments only";
                return Err(GrammarError { message: error.to_owned(), offset: start });
            }
            if self.eat(')') {
                return Ok(args);
            }
            if !self.eat(',') {
                return Err(self.unexpected("`,` or `)`"));
            }
            self.blanks();
        }
    }

    fn literal(&mut self) -> Result<Literal, GrammarError> {
        match self.peek() {
            Some(quote @ ('"' | '`')) => self.quoted(quote).map(Literal::Text),
            Some(c) if c == '+' || c == '-' || c.is_ascii_digit() => self.int().map(Literal::Int),
            Some(c) if is_word_start(c) => Ok(match self.take_while(is_word_part) {
                "true" => Literal::Bool(true),
                "false" => Literal::Bool(false),
                word => Literal::Text(Arc::from(word)),
            }),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Arc<str>, GrammarError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '\\' => match self.peek() {
                    Some(escaped) if escaped == quote || escaped == '\\' => {
                        text.push(escaped);
                        self.at += 1;
                    }
                    _ => return Err(self.error("only the quote and the backslash can be escaped")),
                },
                c if c == quote => return Ok(Arc::from(text)),
                c => text.push(c),
            }
        }
        Err(GrammarError { message: "unterminated string".to_owned(), offset: start })
    }

    fn int(&mut self) -> Result<Arc<str>, GrammarError> {
        let start = self.at;
        if !self.eat('+') {
            self.eat('-');
        }
        let digits = self.take_while(|c| c.is_ascii_hexdigit() || matches!(c, 'x' | 'o' | 'X' | 'O'));
        let text = self.text.get(start..self.at).unwrap_or_default();
        if digits.is_empty() || !is_go_int(text.starts_with('-'), digits) {
            return Err(GrammarError { message: format!("`{text}` is not a 64-bit integer"), offset: start });
        }
        Ok(Arc::from(text))
    }

    /// Nothing but blanks and a comment may follow.
    fn finish(&mut self) -> Result<(), GrammarError> {
        self.blanks();
        if self.rest().is_empty() || self.peek() == Some('#') { Ok(()) } else { Err(self.unexpected("the end")) }
    }
}

/// Whether Go's `strconv.ParseInt(text, 0, 64)` takes the digits.
fn is_go_int(negative: bool, digits: &str) -> bool {
    let lower = digits.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (lower.get(2..), 16),
        [b'0', b'o', ..] => (lower.get(2..), 8),
        [b'0', b'b', ..] => (lower.get(2..), 2),
        [b'0', _, ..] => (lower.get(1..), 8),
        _ => (Some(lower.as_str()), 10),
    };
    let limit = if negative { i64::MIN.unsigned_abs() } else { i64::MAX.unsigned_abs() };
    digits.and_then(|digits| u64::from_str_radix(digits, radix).ok()).is_some_and(|value| value <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(tag: &Tag) -> String {
        let args: Vec<String> =
            tag.args.iter().map(|arg| format!("{}={:?}", arg.name.as_deref().unwrap_or("_"), arg.value)).collect();
        let value = match &tag.value {
            Payload::None => String::new(),
            Payload::Literal(literal) => format!(" {literal:?}"),
            Payload::Tag(tag) => format!(" > {}", shape(tag)),
        };
        format!("{}[{}]{value}", tag.name, args.join(" "))
    }

    #[test]
    fn lines_parse_as_gengo_parses_them() {
        for (line, expected) in [
            ("k8s:required", "k8s:required[]"),
            ("k8s:required()", "k8s:required[]"),
            ("k8s:required # why", "k8s:required[]"),
            ("k8s:minimum=0", "k8s:minimum[] Int(\"0\")"),
            ("k8s:minimum=-0x10", "k8s:minimum[] Int(\"-0x10\")"),
            ("k8s:minimum=010", "k8s:minimum[] Int(\"010\")"),
            ("k8s:format=k8s-long-name", "k8s:format[] Text(\"k8s-long-name\")"),
            ("k8s:neq=true", "k8s:neq[] Bool(true)"),
            ("k8s:neq=\"a \\\" \\\\ b\"#x", "k8s:neq[] Text(\"a \\\" \\\\ b\")"),
            ("k8s:neq=`a\"b`", "k8s:neq[] Text(\"a\\\"b\")"),
            ("k8s:subfield(name)=+k8s:optional", "k8s:subfield[_=Text(\"name\")] > k8s:optional[]"),
            (
                "k8s:item(a: \"x\",b:  2, c:true)=+k8s:immutable",
                "k8s:item[a=Text(\"x\") b=Int(\"2\") c=Bool(true)] > k8s:immutable[]",
            ),
            ("k8s:ifMode(A)=", "k8s:ifMode[_=Text(\"A\")]"),
            ("naïve.tag-x_1", "naïve.tag-x_1[]"),
        ] {
            assert_eq!(parse(line).map(|tag| shape(&tag)).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn malformed_lines_are_errors_with_the_offset() {
        for (line, offset) in [
            ("", 0),
            ("9k", 0),
            ("k8s:minimum=", 12),
            ("k8s:minimum =1", 12),
            ("k8s:minimum= 1", 12),
            ("k8s:minimum=1 2", 14),
            ("k8s:minimum=08", 12),
            ("k8s:minimum=9223372036854775808", 12),
            ("k8s:alpha(since: 1.37)=+k8s:required", 18),
            ("k8s:x( a)", 6),
            ("k8s:x(a )", 7),
            ("k8s:x(a,b)", 8),
            ("k8s:x(a: 1, b)", 12),
            ("k8s:x(a :1)", 7),
            ("k8s:x(\"a\": 1)", 9),
            ("k8s:x(a", 7),
            ("k8s:x=\"a", 6),
            ("k8s:x=\"\\n\"", 8),
            ("k8s:x(a)y", 8),
            ("k8s:x=+", 7),
        ] {
            assert_eq!(parse(line).map_err(|error| error.offset), Err(offset), "{line}");
        }
    }

    #[test]
    fn long_chains_end_in_a_diagnostic() {
        let line = vec!["k8s:eachVal"; 1000].join("=+");
        assert!(parse(&line).is_err_and(|error| error.message.contains("64 tags")));
    }

    #[test]
    fn the_name_of_a_line_is_its_longest_name_prefix() {
        for (line, name) in
            [("k8s:minimum=0", "k8s:minimum"), ("default=1", "default"), ("=x", ""), ("é1(", "é1"), ("1a", "")]
        {
            assert_eq!(name_of(line), name, "{line}");
        }
    }
}
