//! Stops reading an input that contains no document for too long: a few compressed bytes may expand to gigabytes of zeros.

use super::open::Plain;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes were read since something came of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Barren(Arc<AtomicUsize>);

impl Barren {
    /// Something came of what was read.
    pub(super) fn end(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The bytes of `plain`, which end in an error once nothing came of more than `limit` of them.
    pub(super) fn watched(&self, plain: Plain, limit: usize) -> Plain {
        Box::new(Watched { plain, barren: self.clone(), limit })
    }
}

struct Watched {
    plain: Plain,
    barren: Barren,
    limit: usize,
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Watched {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.barren.0.load(Ordering::Relaxed) > self.limit {
            let said = format!("no document in more than {} bytes; the rest of the file is left out", self.limit);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, said));
        }
        self.plain.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        // One thread reads an input; the counter is shared with whoever takes its documents.
        self.barren.0.store(self.barren.0.load(Ordering::Relaxed).saturating_add(length), Ordering::Relaxed);
        self.plain.consume(length);
    }
}
