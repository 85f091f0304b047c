//! Comments of a Go file, grouped as Go's own parser groups them, and the tag lines in them.
//!
//! Found by a scan of their own rather than in the syntax tree: what belongs together depends on lines and on whether a
//! token stands before a comment, and it must survive syntax errors.

use super::model::TagLine;
use super::source::{Source, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// The comment groups of one file.
#[derive(Debug, Default)]
pub(super) struct Comments {
    groups: Vec<Group>,
    /// Last group that ends on a line.
    by_end: HashMap<usize, usize>,
    /// Where a block comment or a raw string starts that has no end.
    pub(super) unterminated: Option<usize>,
}

#[derive(Debug)]
struct Group {
    comments: Vec<Span>,
    first_line: usize,
    last_line: usize,
    /// Stands behind a token on its first line: only comments of the same line join it.
    trailing: bool,
}

impl Comments {
    pub(super) fn scan(source: &Source) -> Self {
        let mut comments = Self::default();
        let mut open = false;
        let mut token_line = 0;
        let mut tokens = Tokens::new(&source.text);
        for (token, span) in tokens.by_ref() {
            let first = source.line(span.start);
            let last = source.line(span.end.saturating_sub(1).max(span.start));
            if token == Token::Other {
                open = false;
                token_line = last;
                continue;
            }
            let joined = match comments.groups.last_mut() {
                Some(group) if open && first <= group.last_line + usize::from(!group.trailing) => {
                    group.comments.push(span);
                    group.last_line = last;
                    true
                }
                _ => false,
            };
            if !joined {
                comments.groups.push(Group {
                    comments: vec![span],
                    first_line: first,
                    last_line: last,
                    trailing: !open && token_line == first,
                });
            }
            open = true;
        }
        comments.unterminated = tokens.unterminated;
        comments.by_end = comments.groups.iter().enumerate().map(|(at, group)| (group.last_line, at)).collect();
        comments
    }

    fn ending_on(&self, line: usize) -> Option<&Group> {
        self.groups.get(*self.by_end.get(&line)?)
    }

    /// Tag lines of the group that ends on the line directly above `line`.
    pub(super) fn closest(&self, source: &Source, line: usize) -> Vec<TagLine> {
        self.ending_on(line.saturating_sub(1)).map(|group| group.tags(source)).unwrap_or_default()
    }

    /// Tag lines of the group that is separated by one blank line from the closest group, or from `line` without one.
    pub(super) fn second_closest(&self, source: &Source, line: usize) -> Vec<TagLine> {
        let below = self.ending_on(line.saturating_sub(1)).map_or(line, |group| group.first_line);
        self.ending_on(below.saturating_sub(2)).map(|group| group.tags(source)).unwrap_or_default()
    }

    /// Tag lines of every comment.
    pub(super) fn all(&self, source: &Source) -> Vec<TagLine> {
        self.groups.iter().flat_map(|group| group.tags(source)).collect()
    }

    /// Text of the line comments that start before `offset`, with the leading slashes: where build constraints stand.
    pub(super) fn before<'s>(&self, source: &'s Source, offset: usize) -> Vec<&'s str> {
        self.groups
            .iter()
            .flat_map(|group| group.comments.iter())
            .take_while(|span| span.start < offset)
            .map(|span| source.slice(*span))
            .filter(|text| text.starts_with("//"))
            .collect()
    }
}

impl Group {
    fn tags(&self, source: &Source) -> Vec<TagLine> {
        let mut tags = Vec::new();
        for span in &self.comments {
            let text = source.slice(*span);
            let (mut offset, body) = match text.strip_prefix("/*") {
                Some(body) => (span.start + 2, body.strip_suffix("*/").unwrap_or(body)),
                None => (span.start + 2, text.get(2..).unwrap_or_default()),
            };
            for line in body.split('\n') {
                let indented = line.trim_start_matches([' ', '\t']);
                if let Some(tag) = indented.strip_prefix('+') {
                    tags.push(TagLine {
                        text: Arc::from(tag.trim_end_matches([' ', '\t', '\r'])),
                        position: source.position(offset + line.len() - indented.len()),
                    });
                }
                offset += line.len() + 1;
            }
        }
        tags
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Comment,
    Other,
}

/// Splits Go text into comments and everything else; literals are kept together so that `//` in them is no comment.
struct Tokens<'s> {
    bytes: &'s [u8],
    at: usize,
    unterminated: Option<usize>,
}

impl<'s> Tokens<'s> {
    fn new(text: &'s str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, unterminated: None }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Offset of the first byte from `from` on that `stop` accepts, or of the end.
    fn seek(&self, from: usize, stop: impl Fn(u8) -> bool) -> usize {
        self.bytes
            .get(from..)
            .and_then(|rest| rest.iter().position(|b| stop(*b)))
            .map_or(self.bytes.len(), |n| from + n)
    }

    /// End of a literal that a backslash escapes in and a line end terminates.
    fn quoted(&self, quote: u8) -> usize {
        let mut at = self.at + 1;
        loop {
            match self.byte(at) {
                None | Some(b'\n') => return at.min(self.bytes.len()),
                Some(b'\\') => at += 2,
                Some(byte) if byte == quote => return at + 1,
                Some(_) => at += 1,
            }
        }
    }

    fn block_comment(&mut self) -> usize {
        let mut at = self.at + 2;
        loop {
            at = self.seek(at, |byte| byte == b'*');
            match self.byte(at + 1) {
                None => return self.endless(),
                Some(b'/') => return at + 2,
                Some(_) => at += 1,
            }
        }
    }

    fn raw_string(&mut self) -> usize {
        let end = self.seek(self.at + 1, |byte| byte == b'`');
        if end == self.bytes.len() { self.endless() } else { end + 1 }
    }

    /// Notes that the current token has no end; it takes the rest of the text.
    fn endless(&mut self) -> usize {
        self.unterminated = Some(self.at);
        self.bytes.len()
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Token, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.seek(self.at, |byte| !byte.is_ascii_whitespace());
        let first = self.byte(start)?;
        self.at = start;
        let (token, end) = match (first, self.byte(start + 1)) {
            (b'/', Some(b'/')) => {
                let end = self.seek(start, |byte| byte == b'\n');
                let carriage = usize::from(self.byte(end.saturating_sub(1)) == Some(b'\r'));
                (Token::Comment, end - carriage)
            }
            (b'/', Some(b'*')) => (Token::Comment, self.block_comment()),
            (b'"' | b'\'', _) => (Token::Other, self.quoted(first)),
            (b'`', _) => (Token::Other, self.raw_string()),
            (byte, _) if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => {
                let end = self.seek(start, |b| !(b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80));
                (Token::Other, end)
            }
            _ => (Token::Other, start + 1),
        };
        self.at = end;
        Some((token, Span { start, end }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(tags: Vec<TagLine>) -> Vec<String> {
        tags.iter().map(|tag| tag.text.as_ref().to_owned()).collect()
    }

    #[test]
    fn a_comment_belongs_to_the_line_below_its_group() {
        // Source up to the declaration, which stands on the last line; closest; second closest.
        let rows: &[(&str, &[&str], &[&str])] = &[
            ("// +a\nX", &["a"], &[]),
            ("//+a\nX", &["a"], &[]),
            ("//\t +a=1 \t\r\nX", &["a=1"], &[]),
            ("// + a\nX", &[" a"], &[]),
            ("// // +a\nX", &[], &[]),
            ("// text +a\nX", &[], &[]),
            ("// +a\n// text\n// +b\nX", &["a", "b"], &[]),
            ("// +a\n\nX", &[], &["a"]),
            ("// +a\n\n\nX", &[], &[]),
            ("// +a\n\n// +b\nX", &["b"], &["a"]),
            ("// +a\n\n// +b\n\nX", &[], &["b"]),
            ("// +a\n\n\n// +b\nX", &["b"], &[]),
            ("/* +a */\nX", &["a"], &[]),
            ("/*\n +a\n\t+b  \n*/\nX", &["a", "b"], &[]),
            ("/*\n * +a\n */\nX", &[], &[]),
            ("/* +a */ // +b\nX", &["a", "b"], &[]),
            ("/* +a */ X", &[], &[]),
            ("X // +a", &[], &[]),
            // A trailing comment ends on the line above the next declaration.
            ("A int // +a\nX", &["a"], &[]),
            ("A int // +a\n// +b\nX", &["b"], &[]),
            ("A int // +a\n\n// +b\nX", &["b"], &["a"]),
            ("A struct { // +a\n// +b\nX", &["b"], &[]),
            ("A `\n// +a` // +b\nX", &["b"], &[]),
            ("A \"// +a\"\nX", &[], &[]),
            ("A \"\\\"// +a\"\nX", &[], &[]),
            ("A '\"' // +a\nX", &["a"], &[]),
            ("A /* +a */ int\nX", &["a"], &[]),
            ("A /* +a */ int // +b\nX", &["b"], &[]),
        ];
        for (text, closest, second) in rows {
            let source = Source::new("a.go", text);
            let comments = Comments::scan(&source);
            let line = text.matches('\n').count() + 1;
            assert_eq!(texts(comments.closest(&source, line)), *closest, "closest of {text:?}");
            assert_eq!(texts(comments.second_closest(&source, line)), *second, "second closest of {text:?}");
        }
    }

    #[test]
    fn a_tag_line_stands_where_its_plus_stands() {
        let source = Source::new("a.go", "\n  // +a\n/*\n\t+b */\nX");
        let places: Vec<_> = Comments::scan(&source)
            .all(&source)
            .into_iter()
            .map(|tag| (tag.text.as_ref().to_owned(), tag.position.line, tag.position.column))
            .collect();
        assert_eq!(places, [("a".to_owned(), 2, 6), ("b".to_owned(), 4, 2)]);
    }
}
