//! Every fault planted in the constraints, CEL rules and defaults of CRDs, in a whole comparison: the kind as it is stands as the
//! reference, the faulty one is compared with it.

use super::planted::{Planted, compare, survivors};
use super::{OfDefaults, Tally};
use std::path::PathBuf;
use takeover_corpora::load::{Input, Limits, load};
use takeover_custom_resources::CustomKind;
use takeover_custom_resources::faults::{Fault, Faults, Judged};
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_harness::control::{Control, Controls};
use takeover_harness::object::FieldValidation;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;

/// The share of the cases that are updates of the status, where it is a subresource with rules.
const OF_STATUS: u64 = 4;

/// What files of CRDs declare.
#[derive(Default)]
pub struct OfFiles {
    /// Each kind, in the version that is stored.
    pub kinds: Vec<CustomKind>,
    /// CRDs that a server rejects, and why.
    pub rejected: Vec<String>,
}

/// The kinds of CRD manifests.
///
/// # Errors
/// Returns an error for a file that cannot be read, and where there is no CRD that a server accepts.
pub fn kinds_of(files: &[PathBuf]) -> anyhow::Result<OfFiles> {
    let mut all = OfFiles::default();
    for document in load(files.iter().map(Input::named).collect(), Limits::default()) {
        let document = document?;
        if document.kind != "CustomResourceDefinition" {
            continue;
        }
        match accepted_kinds_of_crd(&document.value) {
            Ok(of_crd) => {
                let stored = of_crd.iter().position(|kind| kind.storage).unwrap_or_default();
                all.kinds.extend(of_crd.into_iter().nth(stored));
            }
            Err(refusal) => all.rejected.push(format!("{}: {refusal:#}", document.provenance)),
        }
    }
    match all.rejected.first() {
        Some(first) if all.kinds.is_empty() => anyhow::bail!("{first}"),
        None if all.kinds.is_empty() => anyhow::bail!("no CustomResourceDefinition in {} files", files.len()),
        _ => Ok(all),
    }
}

/// A kind as a server judges it.
struct Server(Judged);

impl Oracle for Server {
    fn precision(&self) -> Precision {
        Precision::ERRORS
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
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
    defaults: Option<OfDefaults>,
}

impl<'k> OfKind<'k> {
    /// The kind, as the report names it.
    pub fn name(&self) -> String {
        self.kind.subject().to_string()
    }

    /// The faults of a kind.
    ///
    /// # Errors
    /// When a pair cannot have the name of its defaults.
    pub fn of(kind: &'k CustomKind) -> anyhow::Result<Self> {
        Ok(Self { kind, faults: Faults::of(kind), defaults: OfDefaults::of_crd(kind)? })
    }

    fn pair(&self, subresource: &str, candidate: Judged) -> Pair {
        let subject = match subresource {
            "" => self.kind.subject(),
            name => self.kind.subject().with_subresource(name),
        };
        let reference = Box::new(Server(self.faults.sound().clone()));
        let form = self.kind.form(FieldValidation::Strict);
        Pair { rules: self.kind.hints().to_vec(), ..Pair::new(subject, form, reference, Box::new(Server(candidate))) }
    }

    /// Compares over `cases` generated cases: the kind with itself, and each faulty one on the first case that shows its fault. Where the
    /// status is a subresource, a part of the cases updates it. As many cases are for defaults, if there are any.
    pub fn run(&self, cases: u64, seed: u64) -> Tally {
        let mut tally = Tally { telling: self.faults.telling().count() as u64, ..Tally::default() };
        let mut exposure = self.faults.exposure();
        let path = |fault: &Fault| self.kind.hints().get(fault.rule.index()).map_or("", |rule| rule.path.as_str());
        let has_status = self.kind.status_subresource
            && self.faults.telling().any(|fault| path(fault) == "status" || path(fault).starts_with("status."));
        let of_status = if has_status { cases / OF_STATUS } else { 0 };
        for (subresource, cases) in [("", cases - of_status), ("status", of_status)] {
            let sound = self.pair(subresource, self.faults.sound().clone());
            let faulty = self.pair(subresource, self.faults.sound().clone());
            compare(self, (&sound, faulty), (cases, seed), &mut exposure, &mut tally);
        }
        survivors(self, &exposure, &mut tally);
        if let Some(defaults) = &self.defaults {
            tally.merge(defaults.run(cases, seed));
        }
        tally
    }
}

impl Planted for OfKind<'_> {
    fn controls(&self) -> &dyn Controls {
        &self.faults
    }

    fn faulty(&self, index: usize) -> Option<(Box<dyn Oracle>, bool)> {
        let fault = self.faults.faults().get(index)?;
        Some((Box::new(Server(self.faults.faulty(fault))), fault.is_of_text()))
    }

    fn named(&self, fault: &Control) -> String {
        let rule = self.kind.hints().get(fault.rule.index()).map(|rule| rule.reference().to_string());
        format!("{} {}: {}", self.kind.subject(), rule.unwrap_or_default(), fault.name)
    }
}
