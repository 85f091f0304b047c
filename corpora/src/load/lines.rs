//! Reads lines without ever holding more than a limit.

use std::io::{self, BufRead};

/// What [`append_line`] met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line was appended.
    Read,
    /// The input is at its end; nothing was appended.
    End,
    /// The buffer would have grown beyond the limit; the line is incomplete.
    TooLong,
}

/// Appends the next line with its line feed to `buffer`, which may grow to `limit` bytes.
pub(super) fn append_line(reader: &mut dyn BufRead, buffer: &mut Vec<u8>, limit: usize) -> io::Result<Line> {
    let before = buffer.len();
    loop {
        let available = match reader.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(if buffer.len() == before { Line::End } else { Line::Read });
        }
        let (length, complete) = match available.iter().position(|byte| *byte == b'\n') {
            Some(feed) => (feed + 1, true),
            None => (available.len(), false),
        };
        if buffer.len() + length > limit {
            return Ok(Line::TooLong);
        }
        buffer.extend(available.iter().take(length));
        reader.consume(length);
        if complete {
            return Ok(Line::Read);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_line_feed_and_the_last_may_lack_it() {
        let mut input: &[u8] = b"one\n\ntwo";
        let mut buffer = Vec::new();
        let mut met = Vec::new();
        loop {
            let line = append_line(&mut input, &mut buffer, 100).unwrap();
            met.push((line, buffer.len()));
            if line == Line::End {
                break;
            }
        }
        assert_eq!(met, [(Line::Read, 4), (Line::Read, 5), (Line::Read, 8), (Line::End, 8)]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_not_taken_in() {
        let endless = io::repeat(b'x');
        let mut reader = io::BufReader::with_capacity(16, endless);
        let mut buffer = Vec::new();
        assert_eq!(append_line(&mut reader, &mut buffer, 100).unwrap(), Line::TooLong);
        assert!(buffer.len() <= 100);
    }
}
