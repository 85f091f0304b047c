//! What is sent: recorded objects, and ones that are made from the rules, sound and broken.

use super::discovery::Endpoint;
use anyhow::Context as _;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use takeover_corpora::generate::Generator;
use takeover_corpora::load::{Input, Limits, LoadErrorKind, load};
use takeover_corpora::recorded::{accepted, accepted_objects, cases_of};
use takeover_harness::case::{Case, Operation};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;

/// Seed of what is made.
const SEED: u64 = 5;

/// Cases of a chunk of the generator.
const CHUNK: usize = 1024;

/// Cases by resource, which are sent in turns.
#[derive(Clone)]
pub(super) struct Offer {
    cases: Vec<VecDeque<Case<'static>>>,
    next: usize,
}

impl Offer {
    /// The built-in objects of every pair and objects made from its rules, about as many as make `requests` requests together.
    pub(super) fn built_in(endpoints: &[Endpoint], pairs: &[&Pair], requests: u64) -> Self {
        let share = usize::try_from(requests).unwrap_or(usize::MAX) / endpoints.len().max(1) + 1;
        let cases = pairs.iter().map(|pair| of_pair(pair, share)).collect();
        Self { cases, next: 0 }
    }

    /// The objects of files: their creation, and the updates in them. Also what of them is of no resource here, with its number.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read.
    pub(super) fn of_files(endpoints: &[Endpoint], files: &[PathBuf]) -> anyhow::Result<(Self, BTreeMap<String, u64>)> {
        let mut cases = vec![VecDeque::new(); endpoints.len()];
        let mut strange = BTreeMap::new();
        for loaded in load(files.iter().map(Input::named).collect(), Limits::default()).cases() {
            let loaded = match loaded {
                Ok(loaded) => loaded,
                Err(error) if matches!(error.kind(), LoadErrorKind::NoCase(_)) => continue,
                Err(error) => return Err(error).context("failed to read an object to send"),
            };
            let id = SubjectId::new(loaded.api_version, loaded.kind).with_subresource(loaded.subresource);
            match endpoints.iter().position(|endpoint| endpoint.subject == id).and_then(|at| cases.get_mut(at)) {
                Some(of) => of.push_back(loaded.case),
                None => *strange.entry(format!("{id} is not served, or has no rules")).or_default() += 1,
            }
        }
        Ok((Self { cases, next: 0 }, strange))
    }

    /// The next case, and the number of its resource; none when all are sent.
    pub(super) fn next(&mut self) -> Option<(usize, Case<'static>)> {
        let all = self.cases.len();
        for turn in 0..all {
            let at = (self.next + turn) % all;
            if let Some(case) = self.cases.get_mut(at).and_then(VecDeque::pop_front) {
                self.next = at + 1;
                return Some((at, case));
            }
        }
        None
    }
}

/// Recorded cases of a pair and made ones in turns, at most `most` of either.
fn of_pair(pair: &Pair, most: usize) -> VecDeque<Case<'static>> {
    let recorded = cases_of(pair);
    let generator = Generator::of(pair, accepted_objects(pair, &recorded), SEED);
    // Of all rules, the first ones come first in a chunk.
    let step = (CHUNK / most.max(1)).max(1);
    let mut made = generator.chunk(0, SEED).step_by(step).take(most).map(|made| made.case);
    let mut recorded = recorded.into_iter().take(most);
    let mut cases = VecDeque::new();
    loop {
        let pair = [recorded.next(), made.next()];
        if pair.iter().all(Option::is_none) {
            return cases;
        }
        cases.extend(pair.into_iter().flatten());
    }
}

/// A sound object, to see whether reviews arrive: one whose creation the reference accepts.
pub(super) fn sound(endpoints: &[Endpoint], pairs: &[&Pair]) -> Option<(usize, Case<'static>)> {
    let mains = endpoints.iter().zip(pairs).enumerate().filter(|(_, (endpoint, _))| endpoint.part.is_empty());
    let mut sound = mains.flat_map(|(at, (_, pair))| {
        let creates = cases_of(pair).into_iter().filter(|case| case.operation == Operation::Create);
        let is_accepted = |case: &Case| case.object.to_value().is_ok_and(|object| accepted(pair, &object));
        creates.filter(is_accepted).map(move |case| (at, case)).collect::<Vec<_>>()
    });
    sound.next()
}
