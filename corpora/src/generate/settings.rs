//! The one struct of knobs of the generator.

use takeover_harness::case::Operation;
use takeover_harness::check::Check;
use takeover_harness::rule::Rule;
use takeover_harness::subject::SubjectId;

/// What the generator makes, and how much of it. Part of what determines the cases, beside the seed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GeneratorSettings {
    /// The subject; its version and kind are written into every object.
    pub subject: SubjectId,
    /// Seed of the run, noted in the provenance of every case.
    pub seed: u64,
    /// Cases of one chunk. Default 1,024.
    pub chunk_size: u64,
    /// Of 100 random cases, how many have no deviation. Default 40.
    pub clean_percent: u8,
    /// Of 100 random cases, how many are updates. Default 50.
    pub update_percent: u8,
    /// Whether every case is an update, as on subresources. Default no.
    pub updates_only: bool,
    /// Whether all cases are creates: for what stored objects make no difference to.
    pub creates_only: bool,
    /// Of 100 random cases, how many start from an object grown from the types although there are recorded ones. Default 4.
    pub grown_percent: u8,
    /// Most deviations in one case. Default 3.
    pub most_deviations: usize,
    /// Rules that say what else is worth trying on a field; see [`Pair::baseline`](takeover_harness::pair::Pair::baseline). Without any,
    /// the rules under test stand for them.
    pub baseline: Vec<Rule>,
    /// Checks of the reference, whose limits and values are tried.
    pub checks: Vec<Check>,
    /// Names of the kind's validation options, each of which every case switches on or off. Options that rules name are
    /// added by themselves.
    pub options: Vec<String>,
    /// Whether any field may have an unlisted check, as with a program or webhook. Fields without a rule are then set and tried more
    /// often, except in metadata and status. Default no.
    pub may_check_any: bool,
    /// Whether cases try what single rules do not tell: that a bad value becomes another bad one, and values beside those of other fields
    /// of their struct. Default no.
    pub looks_further: bool,
    /// Whether null is tried on every field, as where both sides set defaults, and on the items of lists and values of maps that are
    /// scalars. Those that are lists, maps or structs are not null then.
    pub tries_null: bool,
    /// Path patterns at and below which deviations of the types are rare, such as what the reference delegates.
    pub quiet: Vec<String>,
    /// Values that suit text fields, by JSON name of the field: `("restartPolicy", ["Always", "Never"])`. They join what is
    /// found in the recorded objects.
    pub texts: Vec<(String, Vec<String>)>,
    /// Keys that suit maps, by JSON name of the map: annotations that mean something to the kind, for one. They join what is
    /// found in the recorded objects.
    pub keys: Vec<(String, Vec<String>)>,
}

impl GeneratorSettings {
    /// The defaults for a subject.
    #[must_use]
    pub fn new(subject: SubjectId, seed: u64) -> Self {
        Self {
            subject,
            seed,
            chunk_size: 1_024,
            clean_percent: 40,
            update_percent: 50,
            updates_only: false,
            creates_only: false,
            grown_percent: 4,
            most_deviations: 3,
            baseline: Vec::new(),
            checks: Vec::new(),
            options: Vec::new(),
            may_check_any: false,
            looks_further: false,
            tries_null: false,
            quiet: Vec::new(),
            texts: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// The operations that cases have.
    pub(super) fn operations(&self) -> &'static [Operation] {
        match (self.updates_only, self.creates_only) {
            (true, _) => &[Operation::Update],
            (false, true) => &[Operation::Create],
            (false, false) => &Operation::ALL,
        }
    }
}
