//! The file that a corpus is written to. It gets its name only when it is complete.

use crate::run_folder::{is_device, target};
use anyhow::Context as _;
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use takeover_corpora::redact::RedactionSettings;
use takeover_corpora::store::{Compression, Writer};
use tempfile::NamedTempFile;

/// A corpus on its way to a file.
pub(super) struct Output {
    place: PathBuf,
    writer: Writer<BufWriter<NamedTempFile>>,
}

impl Output {
    /// Begins a corpus beside `place`; of a device or a pipe, in the folder for temporary files.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be written.
    pub(super) fn new(place: &Path, redacted: Option<RedactionSettings>) -> anyhow::Result<Self> {
        let place = &*if is_device(place) { place.to_owned() } else { target(place) };
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = || format!("failed to write `{}`", place.display());
        let file = if is_device(place) { NamedTempFile::new() } else { NamedTempFile::new_in(folder) };
        let file = file.with_context(named)?;
        let compression = Compression::of(&place.to_string_lossy());
        let writer = Writer::new(BufWriter::new(file), compression, redacted).with_context(named)?;
        Ok(Self { place: place.to_owned(), writer })
    }

    /// Adds a case.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub(super) fn case(&mut self, line: &Value) -> anyhow::Result<()> {
        self.writer.case(line).with_context(|| format!("failed to write `{}`", self.place.display()))
    }

    /// Ends the corpus, gives the file its name, and returns the name. What came before is shown to `look` under the name of a plain
    /// file, for a pipe cannot be read again.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub(super) fn finish<T>(self, look: impl FnOnce(&Path) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let named = || format!("failed to write `{}`", self.place.display());
        let mut file = self.writer.finish().with_context(named)?;
        file.flush().with_context(named)?;
        let file = file.into_inner().map_err(std::io::IntoInnerError::into_error).with_context(named)?;
        if is_device(&self.place) {
            let copied = file.reopen().and_then(|mut file| std::io::copy(&mut file, &mut File::create(&self.place)?));
            copied.with_context(named)?;
            look(file.path())
        } else {
            file.persist(&self.place).with_context(named)?;
            look(&self.place)
        }
    }
}
