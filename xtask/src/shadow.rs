//! What the command line adds to a server: its files, its logs, its terminal.

use crate::output::{print, program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::cases_of;
use takeover_harness::case::Case;
use takeover_harness::pair::Pair;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_shadow::comparison::ServedComparison;
use takeover_shadow::folder::PositionsByPath;
use takeover_shadow::selftest::{Check, self_test};
use takeover_shadow::settings::ShadowSettings;
use takeover_shadow::settings_file::SettingsFile;
use takeover_shadow::tail::{Start, Tail};

/// The settings of a server of these subjects, and their file; without a file, the defaults.
///
/// # Errors
/// When the file cannot be read or makes no sense; the message names it.
pub fn settings(file: Option<&Path>, pairs: &[PairId]) -> anyhow::Result<(Option<SettingsFile>, ShadowSettings)> {
    let Some(file) = file else { return Ok((None, ShadowSettings::default())) };
    let (file, settings) = SettingsFile::read(file, pairs)?;
    Ok((Some(file), settings))
}

/// The logs to follow: each from its position, if one is known.
///
/// # Errors
/// When one is named twice, or is no file.
pub fn tails(paths: &[PathBuf], from_start: bool, mut positions: PositionsByPath) -> anyhow::Result<Vec<Tail>> {
    let start = if from_start { Start::Beginning } else { Start::End };
    let mut tails: Vec<Tail> = Vec::new();
    for path in paths {
        // Positions are kept by names that mean the same wherever the next server is started.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        anyhow::ensure!(tails.iter().all(|tail| tail.path != path), "`{}` is named twice by --tail", path.display());
        anyhow::ensure!(!path.is_dir(), "`{}` is a folder: --tail takes the log file itself", path.display());
        let start = positions.remove(&path).map_or_else(|| start.clone(), Start::At);
        tails.push(Tail { path, start });
    }
    Ok(tails)
}

/// Log lines go to standard error, as JSON.
pub fn log_lines() {
    tracing_subscriber::fmt().json().flatten_event(true).with_writer(std::io::stderr).init();
}

/// Writes a file that only its owner can read. An earlier one of that name stays as it is.
///
/// # Errors
/// When it exists or cannot be written.
pub fn write_private(place: &Path, content: &str) -> anyhow::Result<()> {
    use anyhow::Context as _;
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let open = std::fs::File::options().write(true).create_new(true).mode(0o600).open(place);
    open.and_then(|mut file| file.write_all(content.as_bytes()))
        .with_context(|| format!("failed to write `{}`", place.display()))
}

/// Seed of the objects that a server is tried on where none is recorded.
const SEED: u64 = 5;

/// Most of them a pair.
const MOST_MADE: usize = 40;

/// Most chunks of generated cases that are searched for them.
const MOST_CHUNKS: u64 = 4;

/// Objects to try a server on: the recorded ones of the kind, or else generated ones.
fn cases_to_send(pair: &Pair) -> Vec<Case<'static>> {
    let recorded = cases_of(pair);
    if !recorded.is_empty() {
        return recorded;
    }
    let generator = Generator::of(pair, Vec::new(), SEED);
    // What has no metadata has no uid, and counts as sent twice.
    let has_metadata =
        |case: &Case| case.object.to_value().is_ok_and(|object| object.get("metadata").is_some_and(Value::is_object));
    let made = (0..MOST_CHUNKS).flat_map(|chunk| generator.chunk(chunk, SEED)).map(|made| made.case);
    made.filter(has_metadata).take(MOST_MADE).collect()
}

/// Tries a server on the recorded objects, or on generated ones of kinds without any, and prints what was looked at. Whether all of it was
/// fine.
///
/// # Errors
/// When no server can be started.
pub fn try_out(what: &ServedComparison, settings: &ShadowSettings) -> anyhow::Result<bool> {
    // A plan that cannot be made is better known before a server asks for it.
    let first = what.plan()?;
    let of = |pair: &Pair| {
        cases_to_send(pair)
            .into_iter()
            .map(|case| (pair.id.subject.clone(), case))
            .collect::<Vec<(SubjectId, Case<'static>)>>()
    };
    let cases = first.pairs.iter().flat_map(of).collect::<Vec<_>>();
    let mut plans = vec![first, what.plan()?, what.plan()?];
    let mut next = || plans.pop();
    let checks = self_test(&mut next, &cases, settings)?;
    let mut text = String::new();
    for Check { what, fault } in &checks {
        match fault {
            None => text.push_str(&format!("ok      {what}\n")),
            Some(fault) => text.push_str(&format!("FAILED  {what}: {fault}\n")),
        }
    }
    let fine = checks.iter().all(|check| check.fault.is_none());
    text.push_str(&if fine {
        format!("{} reviews sent; the server works. Next: {} shadow --help\n", cases.len(), program())
    } else {
        "the server does not work: do not deploy it\n".to_owned()
    });
    print(&text)?;
    Ok(fine)
}
