//! A case of the subject that the first byte chooses.
//!
//! `TAKEOVER_SUBJECT` names the subjects to choose from; all without it. `TAKEOVER_ACCEPT` names a file to which disagreements that
//! are not known are appended, instead of being finds.

#![no_main]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex, PoisonError};
use takeover_fuzz::{Equivalence, Known};

static EQUIVALENCE: LazyLock<Equivalence> = LazyLock::new(|| {
    let subject = std::env::var("TAKEOVER_SUBJECT").ok();
    let known = Known::parse(include_str!("../known-signatures.txt"));
    let equivalence = match Equivalence::new(subject.as_deref(), known) {
        Ok(equivalence) => equivalence,
        Err(error) => panic!("TAKEOVER_SUBJECT: {error}"),
    };
    let Some(path) = std::env::var_os("TAKEOVER_ACCEPT") else { return equivalence };
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("TAKEOVER_ACCEPT can be written");
    let accepted = Mutex::new((Known::default(), move |signature: &str| writeln!(file, "{signature}")));
    equivalence.accepting(move |signature| {
        let mut guard = accepted.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, write) = &mut *guard;
        if known.insert(signature.to_owned()) {
            write(signature).expect("TAKEOVER_ACCEPT can be written");
        }
    })
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| EQUIVALENCE.check(data));
