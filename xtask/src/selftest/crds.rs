//! Every fault planted in the constraints and CEL rules of CRDs, in a whole comparison: the kind as it is stands as the reference, the
//! faulty one is compared with it.

use super::Tally;
use anyhow::Context as _;
use std::path::PathBuf;
use takeover_corpora::generate::Generator;
use takeover_corpora::load::{Input, Limits, load};
use takeover_custom_resources::CustomKind;
use takeover_custom_resources::faults::{Fault, Faults, Judged};
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_harness::compare::Comparator;
use takeover_harness::control::Controls as _;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;

/// The share of the cases that are updates of the status, where it is a subresource with rules.
const OF_STATUS: u64 = 4;

/// The kinds of CRD manifests, in the version that is stored.
///
/// # Errors
/// Returns an error for a file that cannot be read, a CRD that a server refuses, and files without a CRD.
pub fn kinds_of(files: &[PathBuf]) -> anyhow::Result<Vec<CustomKind>> {
    let mut kinds = Vec::new();
    for document in load(files.iter().map(Input::named).collect(), Limits::default()) {
        let document = document?;
        if document.kind != "CustomResourceDefinition" {
            continue;
        }
        let of_crd = accepted_kinds_of_crd(&document.value).with_context(|| document.provenance.to_string())?;
        let stored = of_crd.iter().position(|kind| kind.storage).unwrap_or_default();
        kinds.extend(of_crd.into_iter().nth(stored));
    }
    if kinds.is_empty() {
        anyhow::bail!("no CustomResourceDefinition in {} files", files.len());
    }
    Ok(kinds)
}

/// A kind as a server judges it.
struct Server(Judged);

impl Oracle for Server {
    fn precision(&self) -> Precision {
        Precision::ERRORS
    }

    fn answer(&self, question: &Question<'_>, _: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let errors =
            self.0.answer(question).ok_or_else(|| OracleFailure::new("metadata of another type".to_owned()))?;
        errors.into_iter().for_each(|error| answer.push(error));
        Ok(())
    }
}

/// A kind, with what is planted in it.
pub struct OfKind<'k> {
    kind: &'k CustomKind,
    faults: Faults,
}

impl<'k> OfKind<'k> {
    /// The faults of a kind.
    pub fn of(kind: &'k CustomKind) -> Self {
        Self { kind, faults: Faults::of(kind) }
    }

    fn pair(&self, subresource: &str, candidate: Judged) -> Pair {
        let subject = match subresource {
            "" => self.kind.subject(),
            name => self.kind.subject().with_subresource(name),
        };
        let reference = Box::new(Server(self.faults.sound().clone()));
        let form = self.kind.form(FieldValidation::Strict);
        Pair { rules: self.kind.hints.clone(), ..Pair::new(subject, form, reference, Box::new(Server(candidate))) }
    }

    /// Compares over `cases` generated cases: the kind with itself, and each faulty one on the first case that shows its fault. Where the
    /// status is a subresource, a part of the cases updates it.
    pub fn run(&self, cases: u64, seed: u64) -> Tally {
        let mut tally = Tally { telling: self.faults.telling().count() as u64, ..Tally::default() };
        let mut exposure = self.faults.exposure();
        let path = |fault: &Fault| self.kind.hints.get(fault.rule.index()).map_or("", |rule| rule.path.as_str());
        let has_status = self.kind.status_subresource
            && self.faults.telling().any(|fault| path(fault) == "status" || path(fault).starts_with("status."));
        let of_status = if has_status { cases / OF_STATUS } else { 0 };
        for (subresource, cases) in [("", cases - of_status), ("status", of_status)] {
            let sound = self.pair(subresource, self.faults.sound().clone());
            let judge = Judge::new(&sound).without_causes();
            let mut faulty = self.pair(subresource, self.faults.sound().clone());
            let generator = Generator::of(&sound, Vec::new(), seed);
            let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
            let chunks = (0_u64..).flat_map(|number| generator.chunk(number, seed.wrapping_add(number)));
            for generated in chunks.take(usize::try_from(cases).unwrap_or(usize::MAX)) {
                let verdict = judge.case_then(&generated.case, &mut arena, &mut record, |prepared, _, _| {
                    let view = &prepared.views.candidate;
                    self.faults.judge(&prepared.question, view, &Answer::new(), &mut exposure);
                });
                if matches!(verdict, Judgement::Compared(_)) {
                    tally.same += 1;
                    tally.disagreed += u64::from(!record.differences.is_empty() || !record.panics.is_empty());
                }
                for index in exposure.fresh() {
                    let Some(fault) = self.faults.faults().get(index) else { continue };
                    faulty.candidate = Box::new(Server(self.faults.faulty(fault)));
                    faulty.comparator =
                        if fault.is_of_text() { Comparator::Verbatim } else { sound.comparator.clone() };
                    let _ = Judge::new(&faulty).without_causes().case(&generated.case, &mut arena, &mut record);
                    if record.differences.iter().any(|difference| difference.rules.contains(&fault.rule)) {
                        tally.attributed += 1;
                    } else if record.differences.is_empty() {
                        tally.unseen.push(format!("{}, on {}", self.named(fault), generated.case.provenance));
                    } else {
                        tally.elsewhere += 1;
                    }
                }
                if exposure.is_closed() {
                    break;
                }
            }
        }
        for fault in self.faults.survivors(&exposure) {
            *tally.unshown.entry(self.named(fault)).or_default() += 1;
        }
        tally
    }

    /// Where a fault is planted, and what it is.
    fn named(&self, fault: &Fault) -> String {
        let rule = self.kind.hints.get(fault.rule.index()).map(|rule| rule.reference().to_string());
        format!("{} {}: {}", self.kind.subject(), rule.unwrap_or_default(), fault.name)
    }
}
