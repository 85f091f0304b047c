//! The checks of the fuzz targets, over their seeds and mutations of them.

#![expect(clippy::expect_used, reason = "checks stop at the first surprise")]

use proptest::prelude::*;
use proptest::sample::Index;
use std::fs;
use std::path::PathBuf;

#[expect(unreachable_pub, reason = "there, it is a library")]
#[path = "../../harness/fuzz/src/lib.rs"]
mod checks;

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "harness", "fuzz", "seeds", target].iter().collect();
    let files = fs::read_dir(folder).expect("the seeds are there");
    let mut seeds: Vec<Vec<u8>> =
        files.map(|file| fs::read(file.expect("a file").path()).expect("it can be read")).collect();
    seeds.sort();
    seeds
}

fn dictionary() -> Vec<Vec<u8>> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "harness", "fuzz", "go.dict"].iter().collect();
    let text = fs::read_to_string(path).expect("the dictionary is there");
    let words = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    words.map(|word| word.replace("\\x0a", "\n").replace("\\\"", "\"").into_bytes()).collect()
}

/// A seed with words of the dictionary and other bytes put over parts of it.
fn mutated(target: &str) -> impl Strategy<Value = Vec<u8>> + use<> {
    let other = prop::collection::vec(any::<u8>(), 0..6);
    let text = prop_oneof![3 => prop::sample::select(dictionary()), 1 => other];
    let edits = prop::collection::vec((any::<Index>(), 0..24_usize, text), 1..6);
    (prop::sample::select(seeds(target)), edits).prop_map(|(mut bytes, edits)| {
        for (at, len, text) in edits {
            let at = at.index(bytes.len() + 1);
            bytes.splice(at..bytes.len().min(at + len), text);
        }
        bytes
    })
}

#[test]
fn the_seeds_hold() {
    seeds("go_front_end").iter().for_each(|seed| checks::go_front_end(seed));
    seeds("tag_parser").iter().for_each(|seed| checks::tag_parser(seed));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn mutated_files_hold(bytes in mutated("go_front_end")) {
        checks::go_front_end(&bytes);
    }

    #[test]
    fn mutated_tag_lines_hold(bytes in mutated("tag_parser")) {
        checks::tag_parser(&bytes);
    }
}
