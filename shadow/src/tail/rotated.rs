//! The files into which a log was rotated, as Kubernetes' components name them: `audit.log` becomes `audit-<time>.log`, and that
//! `audit-<time>.log.gz` if it is packed.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::io;
use std::path::{Path, PathBuf};

/// The form of the time in their names, in UTC.
const TIME: &str = "%Y-%m-%dT%H-%M-%S%.f";

/// A file into which a log was rotated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rotated {
    /// When, in milliseconds since 1970.
    pub(super) at: i64,
    pub(super) path: PathBuf,
    pub(super) packed: bool,
}

/// The files into which the log `path` was rotated, the oldest first. Of one that is just being packed, the one that is whole.
pub(super) fn rotated(path: &Path) -> io::Result<Vec<Rotated>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let packed_name = entry.file_name();
        let Some(other) = packed_name.to_str() else { continue };
        let (plain, packed) = other.strip_suffix(".gz").map_or((other, false), |plain| (plain, true));
        if let Some(at) = time_of(&name, plain)
            && !entry.path().is_dir()
        {
            found.push(Rotated { at, path: entry.path(), packed });
        }
    }
    found.sort_by_key(|file| (file.at, file.packed));
    // Until the packed file is whole, the other one is there.
    found.dedup_by(|later, earlier| later.at == earlier.at);
    Ok(found)
}

/// The time in the name of a file into which the log `name` was rotated.
fn time_of(name: &str, rotated: &str) -> Option<i64> {
    let (stem, ending) =
        name.rsplit_once('.').map_or((name, ""), |(stem, _)| (stem, name.get(stem.len()..).unwrap_or("")));
    let time = rotated.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(ending)?;
    let time = DateTime::strptime(TIME, time).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::{rotated, time_of};

    #[test]
    fn names_are_those_of_kubernetes_and_no_others() {
        for (name, other, time) in [
            ("audit.log", "audit-2026-11-21T02-42-48.929.log", Some(1_795_228_968_929)),
            ("audit", "audit-2026-11-21T02-42-48.929", Some(1_795_228_968_929)),
            ("audit.log", "audit-2026-11-21T02-42-48.929.txt", None),
            ("audit.log", "audit-new.log", None),
            ("audit.log", "other-2026-11-21T02-42-48.929.log", None),
            ("audit.log", "audit.log", None),
        ] {
            assert_eq!(time_of(name, other), time, "{name} {other}");
        }
    }

    #[test]
    fn the_oldest_comes_first_and_a_half_packed_file_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "audit.log",
            "audit-2026-11-21T02-42-50.000.log",
            "audit-2026-11-21T02-42-49.000.log.gz",
            "audit-2026-11-21T02-42-49.500.log",
            "audit-2026-11-21T02-42-49.500.log.gz",
            "notes.txt",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("audit-2026-11-21T02-42-48.000.log")).unwrap();
        let found = rotated(&folder.path().join("audit.log")).unwrap();
        let names: Vec<_> =
            found.iter().map(|one| (one.path.file_name().unwrap().to_str().unwrap(), one.packed)).collect();
        assert_eq!(
            names,
            [
                ("audit-2026-11-21T02-42-49.000.log.gz", true),
                ("audit-2026-11-21T02-42-49.500.log", false),
                ("audit-2026-11-21T02-42-50.000.log", false),
            ]
        );
    }
}
