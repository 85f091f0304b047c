//! Why the two sides differ about an object: the case is varied, and both are asked again.

use super::ValidationRequest;
use super::judge::subresource;
use std::collections::HashMap;
use takeover_corpora::load::LoadedCase;
use takeover_harness::case::Options;
use takeover_harness::compare::{Comparator, Direction, Signature, What};
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::pair::Pair;
use takeover_harness::side::Side;
use takeover_harness::subject::SubjectId;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::{RELEASE, Registry};
use takeover_reports::because;
use takeover_reports::validate::{Complaint, ValidatedObject};

/// Finds causes. Pairs are made when the first object differs, and kept.
#[derive(Default)]
pub(super) struct Causes {
    pairs: HashMap<SubjectId, Option<Pair>>,
}

impl Causes {
    /// Says of every error that only one side reports why that is so. An object that cannot be judged again stays as it is.
    pub(super) fn explain(
        &mut self,
        case: &LoadedCase,
        request: &ValidationRequest,
        registry: &Registry,
        options: Options,
        object: &mut ValidatedObject,
    ) {
        let id = SubjectId::new(&case.api_version, &case.kind).with_subresource(subresource(case, request));
        let Some(pair) = self.pair(id, request, registry) else { return };
        let mut case = case.case.clone();
        case.options = options;
        let (judge, mut record) = (Judge::new(pair), CaseRecord::new());
        let _ = judge.case(&case, &mut Arena::new(), &mut record);
        for difference in &record.differences {
            let (What::Error(error), Some(side)) = (&difference.what, reporter(difference.direction)) else { continue };
            let why = because(&Signature::of(&pair.id, case.operation, difference));
            let said = |complaint: &&mut Complaint| complaint.side == side && complaint.error == *error;
            for complaint in object.errors.iter_mut().filter(said) {
                complaint.because.clone_from(&why);
            }
        }
    }

    /// The pair of a subject, compared as the policy of the request has it; none when nothing is compared with.
    fn pair(&mut self, id: SubjectId, request: &ValidationRequest, registry: &Registry) -> Option<&Pair> {
        let pair = self.pairs.entry(id).or_insert_with_key(|id| {
            let pair = registry.pair_of(id, RELEASE, RequestChecks::AsSent).ok()?;
            let comparator = match pair.comparator {
                Comparator::Kubernetes(matcher) => {
                    let policy = request.policy;
                    Comparator::Kubernetes(matcher.at(policy.semantics()).candidates(policy.candidates()))
                }
                other => other,
            };
            Some(Pair { comparator, ..pair })
        });
        pair.as_ref()
    }
}

fn reporter(direction: Direction) -> Option<Side> {
    match direction {
        Direction::Missing => Some(Side::Reference),
        Direction::Extra => Some(Side::Candidate),
        Direction::Differs => None,
    }
}
