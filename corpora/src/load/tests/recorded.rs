//! The recorded objects of this project.

use crate::load::{Input, Limits, LoadedCase, load};
use crate::recorded;
use std::collections::BTreeSet;
use std::path::Path;
use takeover_harness::case::Operation;

const KIND: &str = "recorded/core/v1/replicationcontroller";

#[test]
fn recorded_replication_controllers_load_and_hold_both_operations() {
    let cases: Vec<LoadedCase> = load(recorded::inputs(), Limits::default()).cases().map(Result::unwrap).collect();
    let controllers: Vec<_> = cases.iter().filter(|case| case.kind == "ReplicationController").collect();
    let creates = controllers.iter().filter(|case| case.case.operation == Operation::Create).count();
    let written = controllers.iter().filter(|case| case.name.is_some()).count();
    assert!(creates >= 40, "{creates} creates");
    assert!(written >= 20, "{written} update pairs");
    assert!(controllers.iter().filter(|case| case.name.is_some()).all(|case| case.case.operation == Operation::Update));
}

#[test]
fn every_recorded_file_says_on_its_first_line_what_it_shows() {
    let mut firsts: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (path, text) in recorded::builtin() {
        let (folder, _) = path.rsplit_once('/').unwrap();
        let first = text.lines().next().unwrap();
        assert!(first.starts_with("# ") && first.ends_with('.'), "{path}");
        assert!(firsts.insert((folder, first)), "{path} says the same as another file");
    }
    let controllers = firsts.iter().filter(|(folder, _)| *folder == KIND).count();
    assert!(controllers >= 40, "{controllers} files");
}

#[test]
fn the_built_in_files_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded");
    let on_disk: Vec<_> = load(vec![Input::named(folder)], Limits::default()).map(|item| item.unwrap().value).collect();
    let built_in: Vec<_> = load(recorded::inputs(), Limits::default()).map(|item| item.unwrap().value).collect();
    assert_eq!(on_disk, built_in);
}
