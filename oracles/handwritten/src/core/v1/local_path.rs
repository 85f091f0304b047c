//! Paths that must stay below some folder.

use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks that a path does not lead out of its folder.
pub(super) fn validate_no_backsteps(file: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if file.split('/').any(|part| part == "..") {
        errors.push(FieldError::invalid(path, file, "must not contain '..'"));
    }
}

/// Checks a path that must stay below some folder: relative, and without `..`.
pub(super) fn validate_local_path(file: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if file.starts_with('/') {
        errors.push(FieldError::invalid(path, file, "must be a relative path"));
    }
    validate_no_backsteps(file, path, errors);
}

/// Checks the path of a file in a volume. Names that start with two dots are for the kubelet.
pub(super) fn validate_file_path(file: &str, path: &Path<'_>, errors: &mut ErrorList) {
    validate_local_path(file, path, errors);
    if file.starts_with("..") && !file.starts_with("../") {
        errors.push(FieldError::invalid(path, file, "must not start with '..'"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_files_stay_in_their_volume() {
        let (absolute, backsteps, reserved) =
            ("must be a relative path", "must not contain '..'", "must not start with '..'");
        for (file, expected) in [
            ("", &[][..]),
            ("a/b", &[]),
            ("a..", &[]),
            ("a/..b", &[]),
            ("/a", &[absolute]),
            ("a/..", &[backsteps]),
            ("../a", &[backsteps]),
            ("/..", &[absolute, backsteps]),
            ("..", &[backsteps, reserved]),
            ("..a", &[reserved]),
        ] {
            let mut errors = ErrorList::new();
            validate_file_path(file, &Path::ROOT.child("path"), &mut errors);
            let found: Vec<&str> = errors.iter().map(|error| error.detail.as_ref()).collect();
            assert_eq!(found, expected, "{file}");
        }
    }
}
