//! One request for a custom resource through our decoding, defaulting and validation.

use super::super::judging::between;
use super::known::{Known, Version};
use super::values::{OBJECTS, essences, in_full, object, recorded_essences, recorded_in_full, texts};
use super::{Place, Sides};
use serde_json::Value;
use takeover_corpora::fixture::{CustomRequest, Recorded, SourcedError};
use takeover_custom_resources::rules::OfRules;
use takeover_custom_resources::validate::{Request, Source, validate_by_source};
use takeover_custom_resources::{coerce, request};
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, CEL_COST, DECODE, DEFAULTED, ERRORS, PRUNED, TEXTS, VALIDATED, WARNINGS};

/// How the error begins that stands in the place of rules that were not evaluated.
const BLOCKED: &str = "some validation rules were not checked";

/// Judges `recorded` by the version of the CRD that it was sent to.
pub(super) fn judge(
    recorded: &CustomRequest,
    known: &Known,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) {
    let id = SubjectId::new(&recorded.api_version, &recorded.kind).with_subresource(&recorded.subresource);
    if !asked(&id) {
        return;
    }
    let version = match known.version(&recorded.crd, &recorded.version) {
        Ok(version) => version,
        Err(reason) => return agreement.skip(reason),
    };
    let request = match (recorded.operation, &recorded.old_object, recorded.subresource.as_str()) {
        (Operation::Create, None, "") => Request::Create,
        (Operation::Update, Some(old), "") => Request::Update(old),
        (Operation::Update, Some(old), "status") => Request::UpdateStatus(old),
        _ => {
            return agreement.skip("request for a custom resource that is neither create nor update nor of the status");
        }
    };
    let operation = recorded.operation.to_string();
    let sides = Sides { at, kind: id.to_string(), id: &recorded.id, operation, agreement };
    Judged { recorded, version: &version, id: &id, request, sides }.judge();
}

struct Judged<'j> {
    recorded: &'j CustomRequest,
    version: &'j Version,
    id: &'j SubjectId,
    request: Request<'j>,
    sides: Sides<'j>,
}

impl Judged<'_> {
    fn judge(mut self) {
        let expect = &self.recorded.expect;
        let kind = &self.version.kind;
        let mut sent = self.recorded.object.clone();
        let coerced = coerce::coerce(&kind.structural, &mut sent);
        let refused = coerced.as_ref().err().map(ToString::to_string);
        let decision = Recorded::decision(expect.decode_error.clone());
        self.count(DECODE, decision, Recorded::decision(refused), Comparator::Decision);
        let Ok(pruned) = coerced else { return };
        if expect.decode_error.is_some() {
            return;
        }
        self.count(PRUNED, texts(&expect.pruned), texts(&pruned), Comparator::Verbatim);
        let defaulted = expect.defaulted.as_ref().unwrap_or(&self.recorded.object);
        self.count(DEFAULTED, object(defaulted.clone()), object(sent.clone()), OBJECTS);
        let validated = expect.validated.as_ref().unwrap_or(defaulted);
        let prepared = request::prepare(kind, sent, self.request);
        self.count(VALIDATED, object(validated.clone()), object(prepared.clone()), OBJECTS);

        let errors = validate_by_source(kind, &prepared, self.request);
        // Where a rule of the whole object failed in a second run, that is what was recorded as the source of this error, too.
        let sourced = |found: &SourcedError| match found.error.detail.starts_with(BLOCKED) {
            true => SourcedError { source: Source::Blocked.name().to_owned(), rule: None, ..found.clone() },
            false => found.clone(),
        };
        let recorded: Vec<SourcedError> = expect.errors.iter().map(sourced).collect();
        let of_rules = match errors.iter().any(|(source, _)| *source == Source::Blocked) {
            true => None,
            false => self.rules(&prepared),
        };
        let of_rules = of_rules.unwrap_or_default();
        let ours = (essences(&errors, &of_rules.errors), in_full(&errors, &of_rules.errors));
        self.count(ERRORS, recorded_essences(&recorded), ours.0, Comparator::Verbatim);
        self.count(TEXTS, recorded_in_full(&recorded), ours.1, Comparator::Verbatim);
        let mut warnings = request::warnings(&prepared, self.request);
        warnings.extend(of_rules.ratcheted.iter().map(|found| found.error.to_string()));
        self.count(WARNINGS, texts(&expect.warnings), texts(&warnings), Comparator::Verbatim);
        if let (Some(recorded), false) = (expect.cel_cost, expect.cel_cost_unstable) {
            // An object without rules costs nothing.
            let ours = if self.version.rules.is_none() { Some(0) } else { of_rules.cost };
            let shown = ours.map_or_else(|| "none".to_owned(), |cost| cost.to_string());
            let differs = || vec![("cost differs".to_owned(), format!("recorded {recorded}, ours {shown}"))];
            self.sides.count(CEL_COST, if ours == Some(recorded) { Vec::new() } else { differs() });
        }
    }

    /// What the rules make of an object; none if there are none.
    fn rules(&self, object: &Value) -> Option<OfRules> {
        let old = match self.request {
            Request::Create => None,
            Request::Update(old) | Request::UpdateStatus(old) => Some(old),
        };
        Some(self.version.rules.as_ref()?.judge(object, old))
    }

    fn count(&mut self, side: &str, recorded: Recorded, ours: Recorded, comparator: Comparator) {
        let lines = between(self.id, self.recorded.operation, recorded, ours, comparator);
        self.sides.count(side, lines);
    }
}
