//! Turns loaded files into inputs of a run: gives each case to every pair of its subject, and counts everything else with the reason.

use crate::say::Say;
use std::collections::{BTreeSet, VecDeque};
use takeover_corpora::load::{Cases, LoadError, LoadErrorKind, LoadedCase, Remembering};
use takeover_corpora::recorded::builtin;
use takeover_corpora::select::Selection;
use takeover_harness::case::Provenance;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Input, Unusable};
use takeover_reports::run::NOT_SELECTED;

/// Most errors that are printed one by one; all are counted.
const MOST_PRINTED: u64 = 50;

/// Most kinds outside the run that are counted under their own names; memory does not grow with what others write.
const MOST_KINDS: usize = 50;

/// What a run was given and asked for, as far as it says what is worth counting.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offered {
    /// No inputs were given, so that finding none is no fault.
    pub(crate) nothing: bool,
    /// The objects recorded in this project are among the inputs.
    pub(crate) builtin: bool,
    /// Only some kinds are asked for.
    pub(crate) some_kinds: bool,
}

impl Offered {
    /// Whether a case is of the objects recorded in this project, which nobody misses.
    fn is_builtin(self, loaded: &LoadedCase) -> bool {
        let Provenance::File { path, .. } = &loaded.case.provenance else { return false };
        self.builtin && builtin().binary_search_by_key(&path.as_str(), |(name, _)| name).is_ok()
    }
}

/// The recorded cases of a run, as they stream in.
pub(crate) struct RunInputs<'s> {
    cases: Cases<Remembering>,
    pairs: &'s [Pair],
    /// The last case, for the other pairs of its subject.
    pending: VecDeque<Input<'static>>,
    other_kinds: BTreeSet<String>,
    offered: Offered,
    unreadable: u64,
    selection: Selection,
    say: Say<'s>,
}

impl<'s> RunInputs<'s> {
    /// Returns the cases of `cases` that belong to `subjects` and that `selection` chooses. Calls `say` with a message for
    /// everything that cannot be read.
    pub(crate) fn new(
        cases: Cases<Remembering>,
        pairs: &'s [Pair],
        offered: Offered,
        selection: Selection,
        say: Say<'s>,
    ) -> Self {
        Self {
            cases,
            pairs,
            pending: VecDeque::new(),
            other_kinds: BTreeSet::new(),
            offered,
            unreadable: 0,
            selection,
            say,
        }
    }

    /// Documents and files that could not be read.
    pub(crate) fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// The input that a case is for each pair of its subject; none for an object of this project that no pair judges.
    fn sort_in(&mut self, loaded: LoadedCase) -> Option<Input<'static>> {
        let pairs = self.pairs;
        let mut of_subject = pairs.iter().enumerate().filter(|(_, pair)| is_of(pair, &loaded));
        let Some(first) = of_subject.next() else {
            return (!self.offered.is_builtin(&loaded)).then(|| self.of_no_subject(loaded));
        };
        let left_out = self.selection.admit(&loaded).err().map(|left_out| left_out.reason());
        self.pending.extend(of_subject.map(|(at, pair)| input(at, pair, loaded.clone(), left_out)));
        Some(input(first.0, first.1, loaded, left_out))
    }

    fn of_no_subject(&mut self, loaded: LoadedCase) -> Input<'static> {
        let name = named(&loaded);
        let known = self.other_kinds.contains(&name) || self.other_kinds.len() < MOST_KINDS;
        if known {
            self.other_kinds.insert(name.clone());
        }
        let counted_as = if known { &name } else { "other kinds" };
        Input::Unusable(Unusable {
            subject: None,
            undecodable: false,
            reason: format!(
                "{}: {counted_as}",
                if self.offered.some_kinds { NOT_SELECTED } else { "no subject of this run" }
            ),
            message: format!("{name} is not among the subjects of this run"),
            provenance: loaded.case.provenance,
        })
    }

    fn unusable(&mut self, error: &LoadError) -> Input<'static> {
        let provenance =
            Provenance::File { path: error.path().to_owned(), document: 0, line: error.line().unwrap_or(0) };
        if let LoadErrorKind::NoCase(skip) = error.kind() {
            return Input::Unusable(Unusable {
                subject: None,
                undecodable: false,
                reason: skip.to_string(),
                message: error.to_string(),
                provenance,
            });
        }
        self.unreadable += 1;
        if self.unreadable <= MOST_PRINTED {
            (self.say)(&format!("warning: {error}"));
        } else if self.unreadable == MOST_PRINTED + 1 {
            (self.say)("warning: more inputs cannot be read; they are counted");
        }
        Input::Unusable(Unusable {
            subject: None,
            undecodable: false,
            reason: match error.kind() {
                LoadErrorKind::Unreadable => "unreadable".to_owned(),
                reason => format!("unreadable: {reason}"),
            },
            message: error.to_string(),
            provenance,
        })
    }
}

impl Iterator for RunInputs<'_> {
    type Item = Input<'static>;

    fn next(&mut self) -> Option<Input<'static>> {
        loop {
            if let Some(waiting) = self.pending.pop_front() {
                return Some(waiting);
            }
            return Some(match self.cases.next()? {
                Ok(loaded) => match self.sort_in(loaded) {
                    Some(input) => input,
                    None => continue,
                },
                Err(error) if self.offered.nothing && error.kind() == LoadErrorKind::NothingFound => continue,
                Err(error) => self.unusable(&error),
            });
        }
    }
}

fn named(loaded: &LoadedCase) -> String {
    let slash = if loaded.subresource.is_empty() { "" } else { "/" };
    format!("{} {}{slash}{}", loaded.api_version, loaded.kind, loaded.subresource)
}

/// A case for the pair with this index; `left_out` is the reason why it is not to be judged.
fn input(subject: usize, pair: &Pair, loaded: LoadedCase, left_out: Option<&str>) -> Input<'static> {
    let (mut case, content) = (loaded.case, loaded.content);
    if let Some(reason) = left_out {
        return Input::Unusable(Unusable {
            subject: Some((subject, case.operation)),
            undecodable: false,
            reason: reason.to_owned(),
            message: reason.to_owned(),
            provenance: case.provenance,
        });
    }
    pair.define_options(&mut case.options);
    match content {
        Some(content) => Input::Numbered { subject, case, content },
        None => Input::Case { subject, case, shows: Vec::new() },
    }
}

/// Whether a case is of the pair's subject.
pub(super) fn is_of(pair: &Pair, loaded: &LoadedCase) -> bool {
    let subject = &pair.id.subject;
    subject.api_version == loaded.api_version
        && subject.kind == loaded.kind
        && subject.subresource == loaded.subresource
}
