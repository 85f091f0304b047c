//! The files that are built into the program, unpacked when they are first asked for.

use flate2::read::GzDecoder;
use std::io::Read as _;

/// Path and text of each file, by their lengths in the packed text. Nothing when that is damaged, which a test rules out.
pub(crate) fn unpacked(packed: &[u8], files: &[(&'static str, usize)]) -> Vec<(&'static str, &'static str)> {
    let mut text = String::new();
    if GzDecoder::new(packed).read_to_string(&mut text).is_err() {
        return Vec::new();
    }
    // As long as the program.
    let mut rest: &'static str = text.leak();
    let file = |(path, length): &(&'static str, usize)| {
        let (text, behind) = rest.split_at_checked(*length)?;
        rest = behind;
        Some((*path, text))
    };
    files.iter().map_while(file).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    #[test]
    fn what_is_built_in_is_what_the_files_say() {
        for files in [crate::recorded::builtin(), crate::fixture::builtin()] {
            assert!(files.len() > 10, "{}", files.len());
            for (path, text) in files {
                let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
                assert_eq!(*text, fs::read_to_string(place).unwrap(), "{path}");
            }
        }
    }
}
