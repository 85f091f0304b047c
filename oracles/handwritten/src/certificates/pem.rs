//! PEM (RFC 1421) as leniently as Go reads it: anything may stand around blocks, and a broken block is passed over.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;

const BEGIN: &[u8] = b"-----BEGIN ";
/// An end line, with the line break before it.
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// Go takes any bits after the last byte.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// A decoded block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// What it is said to hold.
    pub(super) label: String,
    /// Whether it has header lines.
    pub(super) headers: bool,
    /// What it holds.
    pub(super) bytes: Vec<u8>,
}

/// The first whole block of `data`, and what follows it.
pub(super) fn first_block(data: &[u8]) -> Option<(Block, &[u8])> {
    let mut rest = data;
    loop {
        let end = memmem::find(rest, END)?;
        let (before, after) = rest.split_at(end);
        // The last begin line counts, because earlier ones have no end line of their own.
        let block = memmem::rfind(before, BEGIN)
            .filter(|at| *at == 0 || before.get(at - 1) == Some(&b'\n'))
            .and_then(|at| rest.get(at + BEGIN.len()..))
            .and_then(|block| read_block(block, block.len() - after.len()));
        if let Some(found) = block {
            return Some(found);
        }
        rest = after.get(END.len()..)?;
    }
}

/// Reads a block behind the start of its begin line, given where its end line may begin.
fn read_block(block: &[u8], end: usize) -> Option<(Block, &[u8])> {
    let (line, mut body) = split_line(block);
    let label = line.strip_suffix(DASHES)?;
    let mut headers = false;
    while !body.is_empty() {
        let (line, next) = split_line(body);
        if !line.contains(&b':') {
            break;
        }
        headers = true;
        body = next;
    }
    // The line break before the end line may be the one that ended the begin line or the headers.
    let start = block.len() - body.len();
    let text = match end.checked_sub(start) {
        Some(len) => body.get(..len)?,
        None if !headers && end + 1 == start => &[],
        None => return None,
    };
    let trailer = block.get(end + END.len()..)?.strip_prefix(label)?.strip_prefix(DASHES)?;
    let (blank, rest) = split_line(trailer);
    if !blank.is_empty() {
        return None;
    }
    let text: Vec<u8> = text.iter().copied().filter(|byte| !b" \t\r\n".contains(byte)).collect();
    let bytes = BASE64.decode(text).ok()?;
    Some((Block { label: String::from_utf8_lossy(label).into_owned(), headers, bytes }, rest))
}

/// The first line without the blanks at its end, and what follows its line break.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match text.iter().position(|byte| *byte == b'\n') {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()),
        None => (text, &[][..]),
    };
    let blanks = line.iter().rev().take_while(|byte| b" \t\r".contains(byte)).count();
    (line.get(..line.len() - blanks).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_whole_block_is_found_among_anything() {
        for (text, found) in [
            ("-----BEGIN A-----\nAAEC\n-----END A-----\n", Some(("A", false, &[0, 1, 2][..], ""))),
            ("-----BEGIN A-----\nAA\nEC\n-----END A-----", Some(("A", false, &[0, 1, 2], ""))),
            ("-----BEGIN A-----\r\n A A E C \r\n-----END A-----  \r\nmore", Some(("A", false, &[0, 1, 2], "more"))),
            ("-----BEGIN A-----\n-----END A-----\n", Some(("A", false, &[], ""))),
            ("-----BEGIN A-----\nx: y\n\nAAEC\n-----END A-----\n", Some(("A", true, &[0, 1, 2], ""))),
            (
                "words\n-----BEGIN B-----\n-----BEGIN A-----\nAAEC\n-----END A-----\n",
                Some(("A", false, &[0, 1, 2], "")),
            ),
            (
                "-----BEGIN B-----\nAAE\n-----END B-----\n-----BEGIN A-----\nAAEC\n-----END A-----\n",
                Some(("A", false, &[0, 1, 2], "")),
            ),
            ("-----BEGIN A-----\nAAEC\n-----END B-----\n", None),
            ("-----BEGIN A-----\nAAEC\n-----END A-----x\n", None),
            (" -----BEGIN A-----\nAAEC\n-----END A-----\n", None),
            ("-----BEGIN A----\nAAEC\n-----END A----\n", None),
            ("-----BEGIN A-----\nAAEC\n", None),
            ("AAEC", None),
            ("", None),
        ] {
            let block = first_block(text.as_bytes());
            let expected = found.map(|(label, headers, bytes, rest): (&str, _, &[u8], &str)| {
                (Block { label: label.to_owned(), headers, bytes: bytes.to_owned() }, rest.as_bytes())
            });
            assert_eq!(block, expected, "{text:?}");
        }
    }
}
