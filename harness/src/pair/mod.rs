//! Pairs: two oracles, what they are asked, and how their answers are compared.

mod delegated;
mod prepared;
mod written;

pub use delegated::Delegated;
pub use prepared::{Prepared, Unprepared};
pub use written::Written;

use crate::case::{Case, Operation, Options, Payload};
use crate::check::Check;
use crate::compare::{Comparator, Matter, Semantics};
use crate::control::Controls;
use crate::error::FieldError;
use crate::form::{Form, Sent};
use crate::object::{Arena, Node, Undecodable};
use crate::oracle::{Answer, Oracle, Question};
use crate::rule::Rule;
use crate::side::{BySide, Side};
use crate::subject::PairId;
use crate::wiring::Unshown;
use serde_json::Value;
use std::collections::BTreeSet;

/// What oracles that bring no rules told when they were asked beforehand: what is worth trying on their fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probed {
    /// Checks, as their errors tell of them. Nobody counts them as listed.
    pub checks: Vec<Check>,
    /// Objects that the reference accepts, or at least a server that validates them before.
    pub objects: Vec<Value>,
}

/// Two oracles, what they are asked, and how their answers are compared.
pub struct Pair {
    /// Name.
    pub id: PairId,
    /// In what form the oracles see objects.
    pub form: Form,
    /// What decides today.
    pub reference: Box<dyn Oracle>,
    /// What is to take over.
    pub candidate: Box<dyn Oracle>,
    /// What an API server validates objects with before it asks either side. What it rejects is not compared.
    pub validation: Option<Box<dyn Oracle>>,
    /// How their answers are compared.
    pub comparator: Comparator,
    /// The candidate's rules; index is [`crate::rule::RuleId`].
    pub rules: Vec<Rule>,
    /// Whether the candidate is the schema of a CRD, so that what it lacks can be suggested as a line of it.
    pub is_crd: bool,
    /// Where a CRD is written: first in what it was generated from, if that is known. Empty for other candidates.
    pub written: Vec<Written>,
    /// Rules that say what else is worth trying on a field: those of the types as they are shipped and of the same field in other
    /// versions. They are asked nothing and judge nothing.
    pub baseline: Vec<Rule>,
    /// The checks of the reference, where its code lists them.
    pub checks: Vec<Check>,
    /// What the oracles told before the run, for the generator.
    pub probed: Probed,
    /// Faults of the candidate's rules that show whether a run would notice them; none when the candidate registers none.
    pub controls: Option<Box<dyn Controls>>,
    /// Parts of the object that the reference does not judge.
    pub delegated: Vec<Delegated>,
    /// Names of the kind's validation options.
    pub options: Vec<String>,
    /// Why no server shows what the rules say, if that is so.
    pub unshown: Option<Unshown>,
    /// What the sides are compared in.
    pub matter: Matter,
    /// The path patterns at which null is a value of its own, in a pair of defaults: the nullable fields of a custom resource. Go types
    /// have none.
    pub nulls: BTreeSet<String>,
}

impl Pair {
    /// A pair without rules that compares everything that both oracles can say; see [`Comparator::between`].
    #[must_use]
    pub fn new(id: impl Into<PairId>, form: Form, reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>) -> Self {
        let comparator = Comparator::between(reference.precision(), candidate.precision());
        Self {
            id: id.into(),
            form,
            reference,
            candidate,
            validation: None,
            comparator,
            rules: Vec::new(),
            is_crd: false,
            written: Vec::new(),
            baseline: Vec::new(),
            checks: Vec::new(),
            probed: Probed::default(),
            controls: None,
            delegated: Vec::new(),
            options: Vec::new(),
            unshown: None,
            matter: Matter::Errors,
            nulls: BTreeSet::new(),
        }
    }

    /// Returns the pair, compared as this release of Kubernetes compares. A pair that is not compared as Kubernetes does stays
    /// as it is.
    #[must_use]
    pub fn as_of(self, semantics: Semantics) -> Self {
        Self { comparator: self.comparator.as_of(semantics), ..self }
    }

    /// The oracle of a side.
    #[must_use]
    pub fn oracle(&self, side: Side) -> &dyn Oracle {
        match side {
            Side::Reference => self.reference.as_ref(),
            Side::Candidate => self.candidate.as_ref(),
        }
    }

    /// Decodes, defaults and prepares the objects of `case` and lets both oracles take their view of them.
    ///
    /// # Errors
    /// Returns an error when the case cannot be compared; both sides are then spared.
    pub fn prepare<'a>(&'a self, case: &'a Case<'a>, arena: &'a Arena) -> Result<Prepared<'a>, Unprepared> {
        self.prepare_beside(case, &Sent::default(), arena)
    }

    /// Does the same as [`Pair::prepare`], and reuses what `case` shares with `known`, the objects of another case of this pair.
    ///
    /// # Errors
    /// Returns the errors of [`Pair::prepare`].
    pub fn prepare_beside<'a>(
        &'a self,
        case: &'a Case<'a>,
        known: &Sent<'a>,
        arena: &'a Arena,
    ) -> Result<Prepared<'a>, Unprepared> {
        let subject = &self.id.subject;
        let (mut objects, sent) = self.form.objects(subject, case, known, arena)?;
        if let (Matter::Objects, Some(as_sent)) = (self.matter, &mut objects.sent) {
            as_sent.nulls = Some(&self.nulls);
        }
        let (operation, options) = (case.operation, &case.options);
        let question = Question { operation, objects, options, subresource: &subject.subresource };
        if let Some(validation) = &self.validation {
            validated(validation.as_ref(), &question, arena)?;
        }
        let view = |side| self.oracle(side).view(&objects, arena).map_err(|failure| Unprepared::View { side, failure });
        let views = BySide { reference: view(Side::Reference)?, candidate: view(Side::Candidate)? };
        Ok(Prepared { question, views, sent })
    }

    /// Decodes one object by type and applies defaults.
    ///
    /// # Errors
    /// Returns an error when the object does not decode.
    pub fn decode<'a>(&'a self, payload: &'a Payload<'a>, arena: &'a Arena) -> Result<Node<'a>, Undecodable> {
        self.form.decode(&self.id.subject, payload, arena)
    }

    /// Returns the operations that the pair serves: subresources are only ever updated, and defaults are the same on both.
    #[must_use]
    pub fn operations(&self) -> &'static [Operation] {
        match (self.matter, self.id.subject.subresource.is_empty()) {
            (Matter::Defaults | Matter::Semantics | Matter::Objects, _) => &[Operation::Create],
            (Matter::Errors | Matter::Apply, true) => &Operation::ALL,
            (Matter::Errors | Matter::Apply, false) => &[Operation::Update],
        }
    }

    /// Turns off the options that `options` does not mention, as on a server with default gates.
    pub fn define_options(&self, options: &mut Options) {
        let named = self.rules.iter().flat_map(Rule::option_names);
        for name in named.chain(self.options.iter().map(String::as_str)) {
            if options.get(name).is_none() {
                options.set(name, false);
            }
        }
    }

    /// Returns the pair with its sides exchanged, so that missing becomes extra and the reverse. Rules and controls are dropped,
    /// because they belong to the former candidate.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            reference: self.candidate,
            candidate: self.reference,
            rules: Vec::new(),
            is_crd: false,
            written: Vec::new(),
            controls: None,
            ..self
        }
    }
}

/// Has an object validated before either side is asked.
fn validated<'a>(validation: &dyn Oracle, question: &Question<'a>, arena: &'a Arena) -> Result<(), Unprepared> {
    let refused = |reason, errors: &[FieldError]| Unprepared::Refused { errors: errors.to_vec(), reason };
    let view = validation.view(&question.objects, arena).map_err(|failure| refused(failure.to_string(), &[]))?;
    let mut answer = Answer::new();
    validation.answer(question, &view, &mut answer).map_err(Unprepared::Unvalidated)?;
    if answer.rejects() { Err(refused(answer.reason(), answer.errors.as_slice())) } else { Ok(()) }
}
