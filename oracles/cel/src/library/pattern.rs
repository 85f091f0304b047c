//! Patterns in Go's RE2 syntax.

use regex::{Regex, RegexBuilder};
use std::iter::Peekable;
use std::str::Chars;

/// A pattern, compiled so that it matches what Go's `regexp` matches.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Box<str>,
    regex: Regex,
}

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("pattern `{text}`: {reason}")]
pub struct PatternError {
    text: String,
    reason: String,
}

impl PatternError {
    /// The error in Go's words, as far as they can be told.
    #[must_use]
    pub fn go_text(&self) -> String {
        let text = &self.text;
        let open = self.reason.contains("unclosed group") || self.reason.contains("missing )");
        match () {
            () if open => format!("error parsing regexp: missing closing ): `{text}`"),
            () if self.reason.contains("unopened group") => format!("error parsing regexp: unexpected ): `{text}`"),
            () if self.reason.contains("unclosed character class") => {
                format!(
                    "error parsing regexp: missing closing ]: `{}`",
                    text.get(text.find('[').unwrap_or(0)..).unwrap_or(text)
                )
            }
            () => format!("error parsing regexp: {}: `{text}`", self.reason),
        }
    }
}

/// Memory of one compiled pattern.
const MAX_BYTES: usize = 4 << 20;

impl Pattern {
    /// Compiles a pattern in Go's syntax.
    ///
    /// # Errors
    /// Returns an error when it does not compile.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let regex = RegexBuilder::new(&translated(text)).size_limit(MAX_BYTES).build().map_err(|error| {
            let reason = match error {
                regex::Error::CompiledTooBig(_) => "takes too much memory".to_owned(),
                other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
            };
            PatternError { text: text.to_owned(), reason }
        })?;
        Ok(Self { text: text.into(), regex })
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The pattern in the syntax of the `regex` crate.
    #[must_use]
    pub fn as_regex(&self) -> &str {
        self.regex.as_str()
    }

    /// The first match in `text`.
    #[must_use]
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.regex.find(text).map(|found| found.as_str())
    }

    /// At most so many matches in `text`.
    #[must_use]
    pub fn find_all<'t>(&self, text: &'t str, limit: usize) -> Vec<&'t str> {
        self.regex.find_iter(text).take(limit).map(|found| found.as_str()).collect()
    }

    /// Whether it matches `text` somewhere.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// The pattern in the syntax of the `regex` crate. In Go `\d`, `\s`, `\w` and `\b` are ASCII, `\Q…\E` quotes, a brace that is no
/// repetition stands for itself, and so does a bracket inside of brackets.
fn translated(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => escape(&mut rest, &mut out),
            '[' => class(&mut rest, &mut out),
            '{' if !is_repetition(rest.clone()) => out.push_str("\\{"),
            '{' => {
                out.push('{');
                out.extend(rest.by_ref().take_while(|c| *c != '}'));
                out.push('}');
            }
            '}' => out.push_str("\\}"),
            c => out.push(c),
        }
    }
    out
}

/// Whether `n}`, `n,}` or `n,m}` follows.
fn is_repetition(rest: Peekable<Chars<'_>>) -> bool {
    let inside: String = rest.take_while(|c| *c != '}').take(12).collect();
    let (low, high) = inside.split_once(',').unwrap_or((&inside, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    !low.is_empty() && digits(low) && digits(high)
}

/// What follows a backslash outside of brackets.
fn escape(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    match rest.next() {
        Some('Q') => quoted(rest, out),
        Some('b') => out.push_str("(?-u:\\b)"),
        Some('B') => out.push_str("(?-u:\\B)"),
        Some(c) => match ascii_class(c) {
            Some((negated, members)) => {
                out.push_str(if negated { "[^" } else { "[" });
                out.push_str(members);
                out.push(']');
            }
            None => plain_escape(c, rest, out),
        },
        None => out.push('\\'),
    }
}

/// What stands between `\Q` and `\E`.
fn quoted(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    let mut literal = String::new();
    while let Some(c) = rest.next() {
        if c == '\\' && rest.peek() == Some(&'E') {
            rest.next();
            break;
        }
        literal.push(c);
    }
    out.push_str(&regex::escape(&literal));
}

fn plain_escape(c: char, rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    if !c.is_ascii_alphanumeric() {
        out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
        return;
    }
    // Octal: up to three digits that start with 0, or more than one digit.
    if c == '0' {
        let mut code = 0;
        for _ in 0..2 {
            let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) else { break };
            code = code * 8 + digit;
            rest.next();
        }
        out.push_str(&format!("\\x{{{code:x}}}"));
        return;
    }
    out.push('\\');
    out.push(c);
    // What is in braces belongs to the escape: `\x{10FFFF}`, `\p{Greek}`.
    if matches!(c, 'x' | 'p' | 'P') && rest.peek() == Some(&'{') {
        out.extend(rest.by_ref().take_while(|c| *c != '}'));
        out.push('}');
    }
}

fn ascii_class(c: char) -> Option<(bool, &'static str)> {
    let members = match c.to_ascii_lowercase() {
        'd' => "0-9",
        's' => "\\t\\n\\f\\r ",
        'w' => "0-9A-Za-z_",
        _ => return None,
    };
    Some((c.is_ascii_uppercase(), members))
}

/// What stands in brackets, whose first is read.
fn class(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('[');
    if rest.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    // A dash after `\d` and its like stands for itself.
    let mut after_set = false;
    while let Some(c) = rest.next() {
        let set = match (c, rest.peek()) {
            ('[', Some(':')) => true,
            ('\\', Some(next)) => ascii_class(*next).is_some(),
            _ => false,
        };
        match c {
            ']' if !first => {
                out.push(']');
                return;
            }
            '[' if rest.peek() == Some(&':') => {
                out.push('[');
                out.extend(rest.by_ref().take_while(|c| *c != ']'));
                out.push(']');
            }
            '[' | ']' | '&' | '~' => {
                out.push('\\');
                out.push(c);
            }
            // At the ends it stands for itself; twice it would be a difference of sets.
            '-' if first || after_set || matches!(rest.peek(), Some(']' | '-')) => out.push_str("\\-"),
            '\\' => match rest.next() {
                Some(c) => match ascii_class(c) {
                    Some((false, members)) => out.push_str(members),
                    Some((true, members)) => out.push_str(&format!("[^{members}]")),
                    None => plain_escape(c, rest, out),
                },
                None => out.push('\\'),
            },
            c => out.push(c),
        }
        first = false;
        after_set = set;
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_match_what_go_matches() {
        for (pattern, text, matches) in [
            ("^a$", "a", true),
            ("^a$", "a\n", false),
            ("b", "abc", true),
            (r"^\d+$", "12", true),
            (r"^\d+$", "\u{663}", false),
            (r"^\w$", "\u{e9}", false),
            (r"^\W$", "\u{e9}", true),
            (r"^\s$", "\u{a0}", false),
            (r"^\s$", "\u{b}", false),
            (r"^[\d.-]+$", "1.2-3", true),
            (r"^[^\s]+$", "\u{a0}", true),
            (r"^[\S]+$", "ab", true),
            (r"\bb", "\u{e9}b", true),
            ("^{a}$", "{a}", true),
            ("^a{,2}$", "a{,2}", true),
            ("^a{2}$", "aa", true),
            ("^[[]$", "[", true),
            ("^[]a]+$", "]a", true),
            ("^[a&&b]+$", "&", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"^\_\<\/\-$", "_</-", true),
            ("^[[:alpha:]]+$", "ab", true),
            ("(?i)^k$", "\u{212a}", true),
            (r"^\p{Greek}$", "\u{3b1}", true),
            (r"^[a-z--]$", "-", true),
            (r"^[\w-.]+$", "a-.", true),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().is_match(text), matches, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn patterns_that_go_does_not_know_are_refused() {
        for pattern in ["(?=a)", r"(a)\1", "(", "["] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
