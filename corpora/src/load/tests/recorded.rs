//! The recorded objects of this project.

use crate::load::{Input, Limits, LoadedCase, load};
use crate::recorded;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use takeover_harness::case::Operation;

/// Fewest cases of a kind.
const FEWEST: usize = 15;

fn folders() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, text) in recorded::builtin() {
        folders.entry(path.rsplit_once('/').unwrap().0).or_default().push(text);
    }
    folders
}

#[test]
fn every_recorded_kind_holds_enough_objects_and_update_pairs() {
    let cases: Vec<LoadedCase> = load(recorded::inputs(), Limits::default()).cases().map(Result::unwrap).collect();
    let mut kinds: BTreeMap<&str, Vec<&LoadedCase>> = BTreeMap::new();
    for case in &cases {
        kinds.entry(&case.kind).or_default().push(case);
    }
    for (kind, cases) in kinds {
        let creates = cases.iter().filter(|case| case.case.operation == Operation::Create).count();
        let pairs = cases.iter().filter(|case| case.name.is_some()).count();
        assert!(creates + pairs >= FEWEST, "{kind}: {creates} objects and {pairs} update pairs");
        assert!(pairs > 0, "{kind} has no update pairs");
        assert!(cases.iter().all(|case| case.name.is_none() || case.case.operation == Operation::Update), "{kind}");
    }
}

#[test]
fn every_recorded_file_says_on_its_first_line_what_it_shows() {
    for (folder, texts) in folders() {
        let firsts: BTreeSet<_> = texts.iter().filter_map(|text| text.lines().next()).collect();
        assert!(firsts.iter().all(|line| line.starts_with("# ") && line.ends_with('.')), "{folder}");
        assert_eq!(firsts.len(), texts.len(), "two files of {folder} say the same");
    }
}

#[test]
fn the_built_in_files_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded");
    let on_disk: Vec<_> = load(vec![Input::named(folder)], Limits::default()).map(|item| item.unwrap().value).collect();
    let built_in: Vec<_> = load(recorded::inputs(), Limits::default()).map(|item| item.unwrap().value).collect();
    assert_eq!(on_disk, built_in);
}
