//! From loaded files to inputs of a run: each case to the subject it belongs to, everything else counted with its reason.

use crate::say::Say;
use std::collections::BTreeSet;
use takeover_corpora::load::{Cases, LoadError, LoadErrorKind, LoadedCase, Remembering};
use takeover_corpora::select::Selection;
use takeover_harness::case::Provenance;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Input, Unusable};

/// Most errors that are printed one by one; all are counted.
const MOST_PRINTED: u64 = 50;

/// Most kinds outside the run that are counted under their own names; memory does not grow with what others write.
const MOST_KINDS: usize = 50;

/// The recorded cases of a run, as they stream in.
pub(crate) struct RunInputs<'s> {
    cases: Cases<Remembering>,
    pairs: &'s [Pair],
    /// No inputs were given, so that finding none is no fault.
    nothing_asked: bool,
    other_kinds: BTreeSet<String>,
    unreadable: u64,
    selection: Selection,
    say: Say<'s>,
}

impl<'s> RunInputs<'s> {
    /// The cases of `cases` that belong to `subjects`, of which `selection` chooses. `say` is told what cannot be read.
    pub(crate) fn new(
        cases: Cases<Remembering>,
        pairs: &'s [Pair],
        nothing_asked: bool,
        selection: Selection,
        say: Say<'s>,
    ) -> Self {
        Self { cases, pairs, nothing_asked, other_kinds: BTreeSet::new(), unreadable: 0, selection, say }
    }

    /// Documents and files that could not be read.
    pub(crate) fn unreadable(&self) -> u64 {
        self.unreadable
    }

    fn sort_in(&mut self, loaded: LoadedCase) -> Input {
        match pair_of(self.pairs, &loaded) {
            Some(subject) => {
                if let Err(left_out) = self.selection.admit(&loaded) {
                    return Input::Unusable(Unusable {
                        subject: Some((subject, loaded.case.operation)),
                        undecodable: false,
                        reason: left_out.reason().to_owned(),
                        message: left_out.reason().to_owned(),
                        provenance: loaded.case.provenance,
                    });
                }
                let (mut case, content) = (loaded.case, loaded.content);
                if let Some(subject) = self.pairs.get(subject) {
                    subject.define_options(&mut case.options);
                }
                match content {
                    Some(content) => Input::Numbered { subject, case, content },
                    None => Input::Case { subject, case, shows: Vec::new() },
                }
            }
            None => {
                let name = named(&loaded);
                let known = self.other_kinds.contains(&name) || self.other_kinds.len() < MOST_KINDS;
                if known {
                    self.other_kinds.insert(name.clone());
                }
                let counted_as = if known { &name } else { "other kinds" };
                Input::Unusable(Unusable {
                    subject: None,
                    undecodable: false,
                    reason: format!("no subject of this run: {counted_as}"),
                    message: format!("{name} is not among the subjects of this run"),
                    provenance: loaded.case.provenance,
                })
            }
        }
    }

    fn unusable(&mut self, error: &LoadError) -> Input {
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
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        loop {
            return Some(match self.cases.next()? {
                Ok(loaded) => self.sort_in(loaded),
                Err(error) if self.nothing_asked && error.kind() == LoadErrorKind::NothingFound => continue,
                Err(error) => self.unusable(&error),
            });
        }
    }
}

fn named(loaded: &LoadedCase) -> String {
    let slash = if loaded.subresource.is_empty() { "" } else { "/" };
    format!("{} {}{slash}{}", loaded.api_version, loaded.kind, loaded.subresource)
}

/// Index of the pair that a case belongs to.
pub(super) fn pair_of(pairs: &[Pair], loaded: &LoadedCase) -> Option<usize> {
    pairs.iter().position(|pair| {
        let subject = &pair.id.subject;
        subject.api_version == loaded.api_version
            && subject.kind == loaded.kind
            && subject.subresource == loaded.subresource
    })
}
