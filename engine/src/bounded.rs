//! Reads named files up to a bound: whoever names `/dev/zero`, or puts a pipe where a file was, costs neither the memory nor the time.

use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Most bytes of settings, exceptions and baselines.
pub const SETTINGS: u64 = 16 << 20;

/// Most bytes of evidence and reports.
pub const EVIDENCE: u64 = 512 << 20;

/// Reads a text of at most `most` bytes.
///
/// # Errors
/// Returns an error when it cannot be read, is longer, or is no UTF-8.
pub fn text(place: &Path, most: u64) -> io::Result<String> {
    let bytes = whole(File::open(place)?, most)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// Reads a plain file of at most `most` bytes. Never waits for a writer, as whoever opens a pipe does.
///
/// # Errors
/// Returns an error when it cannot be read, is longer, or is no plain file.
pub fn plain_file(place: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(place)?;
    let found = file.metadata()?;
    // Reading a folder is an error anyway.
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a plain file"));
    }
    whole(file, most)
}

fn whole(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it is longer than {} MiB", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{SETTINGS, plain_file, text};
    use std::path::Path;
    use std::process::Command;

    #[test]
    fn what_has_no_end_is_not_read_to_the_end() {
        let zero = Path::new("/dev/zero");
        assert_eq!(text(zero, SETTINGS).unwrap_err().to_string(), "it is longer than 16 MiB");
        assert_eq!(plain_file(zero, SETTINGS).unwrap_err().to_string(), "it is not a plain file");
    }

    #[test]
    fn nobody_waits_for_the_writer_of_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(plain_file(&pipe, SETTINGS).unwrap_err().to_string(), "it is not a plain file");
        let file = folder.path().join("file");
        std::fs::write(&file, "abc").unwrap();
        assert_eq!(plain_file(&file, 3).unwrap(), b"abc");
        assert!(plain_file(&file, 2).is_err());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(plain_file(&link, 3).unwrap(), b"abc");
    }
}
