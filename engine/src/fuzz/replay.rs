//! Tries every seed and every find of the fuzz targets again.

use super::checks::{Broken, Equivalence, Known, Target};
use super::finds::{bytes_of, case_of, is};
use super::folder::{Folder, files_in, read};
use super::known;
use super::mutate::Mutator;
use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng as _;
use std::path::Path;
use takeover_oracles::registry::Registry;

/// Mutations of the seeds of each target.
const MUTATIONS: usize = 150;

fn folder() -> Folder {
    Folder::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
}

fn equivalence() -> Equivalence {
    Equivalence::new(None, known::of(&folder()).unwrap()).unwrap()
}

/// Checks laws and panics only: the cases that a seed makes, and so the disagreements that they show, change with the generator.
fn laws() -> Equivalence {
    equivalence().accepting(|_| ())
}

#[test]
fn seeds_and_finds_hold() {
    let (folder, equivalence, laws) = (folder(), equivalence(), laws());
    for target in Target::ALL {
        for seed in folder.read_seeds(target).unwrap() {
            if let Err(broken) = target.attempt(&seed, &laws) {
                panic!("{}: {broken}, on the seed {}", target.name(), seed.escape_ascii());
            }
        }
        for find in files_in(&folder.finds(target)).unwrap() {
            if let Err(broken) = replayed(target, &find, &equivalence) {
                panic!("{}: {broken}", find.display());
            }
        }
    }
}

fn replayed(target: Target, find: &Path, equivalence: &Equivalence) -> Result<(), Broken> {
    if is(find, "yaml") {
        let (subject, case) = case_of(&read(find).unwrap(), &find.to_string_lossy()).unwrap();
        return equivalence.examine(&subject, &case);
    }
    target.attempt(&bytes_of(find).unwrap(), equivalence)
}

#[test]
fn the_seeds_of_the_equivalence_hold_for_every_subject() {
    let equivalence = laws();
    let count = u8::try_from(equivalence.subjects().count()).unwrap();
    for seed in folder().read_seeds(Target::Equivalence).unwrap() {
        for subject in 0..count {
            let mut seed = seed.clone();
            seed[0] = subject;
            if let Err(broken) = Target::Equivalence.attempt(&seed, &equivalence) {
                panic!("{}: {broken}", equivalence.case(&seed).0);
            }
        }
    }
}

#[test]
fn mutations_of_the_seeds_hold() {
    let (folder, equivalence) = (folder(), laws());
    for target in Target::ALL {
        let (seeds, words) = (folder.read_seeds(target).unwrap(), folder.read_dictionary(target).unwrap());
        let mut mutator = Mutator::new(&seeds, &words, target.max_len(), ChaCha8Rng::seed_from_u64(1));
        for _ in 0..MUTATIONS {
            let input = mutator.input();
            if let Err(broken) = target.attempt(&input, &equivalence) {
                panic!("{}: {broken}, on {}", target.name(), input.escape_ascii());
            }
        }
    }
}

#[test]
fn known_signatures_are_of_subjects_sorted_and_each_there_once() {
    let text = std::fs::read_to_string(folder().known_signatures()).unwrap();
    assert_eq!(text, known::text(&Known::parse(&text)));
    let registry = Registry::of_builtin().unwrap();
    let subjects: Vec<String> = registry.subjects().map(|id| id.to_string()).collect();
    for signature in Known::parse(&text).iter() {
        let known = subjects
            .iter()
            .any(|subject| signature.strip_prefix(subject.as_str()).is_some_and(|rest| rest.starts_with(' ')));
        assert!(known, "{signature}");
    }
}
