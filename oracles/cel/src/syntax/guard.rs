//! Bounds on what is given to the parser.

/// Longest text, in code points.
pub const MAX_LENGTH: usize = 100_000;
/// Deepest nesting of calls, operators, selections and brackets.
pub const MAX_DEPTH: usize = 250;
/// More links than this in one chain are deeper than [`MAX_DEPTH`] whatever they are.
const MAX_LINKS: usize = 4_000;

/// How deep a text may nest at most, found without parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// No deeper than this.
    Links(usize),
    /// Too deep to parse.
    TooDeep,
}

/// Counts brackets and links of chains in each bracket. An upper bound: what is between commas and logical operators is one chain.
pub(super) fn bound(text: &str) -> Bound {
    // Links of the open brackets' chains, the current one last.
    let mut open: Vec<usize> = vec![0];
    let (mut outer, mut deepest) = (0usize, 0usize);
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut ternaries = 0usize;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        let nested = open.len() > 1;
        let Some(links) = open.last_mut() else { return Bound::TooDeep };
        match byte {
            b'"' | b'\'' => at = after_string(bytes, at - 1),
            b'/' if bytes.get(at) == Some(&b'/') => {
                while bytes.get(at).is_some_and(|byte| *byte != b'\n') {
                    at += 1;
                }
            }
            b'(' | b'[' | b'{' => {
                *links += 1;
                outer += *links;
                open.push(0);
                if open.len() > MAX_DEPTH + 1 {
                    return Bound::TooDeep;
                }
            }
            b')' | b']' | b'}' if nested => {
                open.pop();
                outer -= open.last().copied().unwrap_or_default();
            }
            b',' | b'&' | b'|' => *links = 0,
            b'?' => {
                ternaries += 1;
                *links += 1;
            }
            b'.' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' => *links += 1,
            _ => {}
        }
        let links = open.last().copied().unwrap_or_default();
        deepest = deepest.max(outer + links);
        if links > MAX_LINKS || outer > MAX_LINKS * 4 || ternaries > MAX_LINKS {
            return Bound::TooDeep;
        }
    }
    Bound::Links(deepest + ternaries)
}

/// The place behind a literal whose quote is at `start`, or the end.
fn after_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes.get(start).copied().unwrap_or_default();
    let before =
        |back: usize| start.checked_sub(back).and_then(|at| bytes.get(at)).is_some_and(|b| matches!(b, b'r' | b'R'));
    let raw = before(1) || before(2);
    let triple = bytes.get(start + 1) == Some(&quote) && bytes.get(start + 2) == Some(&quote);
    let mut at = start + if triple { 3 } else { 1 };
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\\' && !raw {
            at += 2;
        } else if *byte == quote
            && (!triple || (bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote)))
        {
            return at + if triple { 3 } else { 1 };
        } else if *byte == b'\n' && !triple {
            return at;
        } else {
            at += 1;
        }
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_and_brackets_are_counted() {
        assert_eq!(bound("self.a && self.b"), Bound::Links(1));
        assert_eq!(bound("f('((((', b.c)"), Bound::Links(2));
        assert_eq!(bound(&"(".repeat(300)), Bound::TooDeep);
        assert_eq!(bound(&"1+".repeat(5_000)), Bound::TooDeep);
    }
}
