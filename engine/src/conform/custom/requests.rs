//! One request for a custom resource through our decoding, defaulting and validation.

use super::super::judging::between;
use super::known::Known;
use super::values::{OBJECTS, essences, in_full, object, recorded_essences, recorded_in_full, texts, warning};
use super::{Place, Sides};
use takeover_corpora::fixture::{CustomRequest, Recorded, SourcedError};
use takeover_custom_resources::validate::{Request, Source, validate_by_source};
use takeover_custom_resources::{CustomKind, coerce, request};
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, CEL, DECODE, DEFAULTED, ERRORS, PRUNED, TEXTS, VALIDATED, WARNINGS};

/// How warnings of finalizers begin; the others are CEL rules that were not held against an unchanged value.
const FINALIZERS: &str = "metadata.finalizers: ";

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
    let kind = match known.kind(&recorded.crd, &recorded.version) {
        Ok(kind) => kind,
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
    Judged { recorded, kind: &kind, id: &id, request, sides }.judge();
}

struct Judged<'j> {
    recorded: &'j CustomRequest,
    kind: &'j CustomKind,
    id: &'j SubjectId,
    request: Request<'j>,
    sides: Sides<'j>,
}

impl Judged<'_> {
    fn judge(mut self) {
        let expect = &self.recorded.expect;
        let mut sent = self.recorded.object.clone();
        let coerced = coerce::coerce(&self.kind.structural, &mut sent);
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
        let prepared = request::prepare(self.kind, sent, self.request);
        self.count(VALIDATED, object(validated.clone()), object(prepared.clone()), OBJECTS);

        let errors = validate_by_source(self.kind, &prepared, self.request);
        // Where a rule of the whole object failed in a second run, that is what was recorded as the source of this error, too.
        let sourced = |found: &SourcedError| match found.error.detail.starts_with(BLOCKED) {
            true => SourcedError { source: Source::Blocked.name().to_owned(), rule: None, ..found.clone() },
            false => found.clone(),
        };
        let recorded: Vec<SourcedError> = expect.errors.iter().map(sourced).collect();
        let (of_rules, others): (Vec<&SourcedError>, Vec<&SourcedError>) =
            recorded.iter().partition(|found| found.source == Source::Cel.name());
        self.count(ERRORS, recorded_essences(&others), essences(&errors), Comparator::Verbatim);
        self.count(TEXTS, recorded_in_full(&others), in_full(&errors), Comparator::Verbatim);
        let (of_finalizers, ratcheted): (Vec<&String>, Vec<&String>) =
            expect.warnings.iter().partition(|text| text.starts_with(FINALIZERS));
        let ours = request::warnings(&prepared, self.request);
        self.count(WARNINGS, texts(of_finalizers), texts(&ours), Comparator::Verbatim);
        if self.kind.cel_rules() > 0 {
            // Rules are not evaluated: what was recorded of them is missing from our answer.
            let mut missing: Vec<_> = of_rules.iter().map(|found| found.error.clone()).collect();
            missing.extend(ratcheted.into_iter().map(|text| warning(text)));
            self.count(CEL, Recorded::errors(missing), Recorded::errors(Vec::new()), Comparator::Verbatim);
        }
    }

    fn count(&mut self, side: &str, recorded: Recorded, ours: Recorded, comparator: Comparator) {
        let lines = between(self.id, self.recorded.operation, recorded, ours, comparator);
        self.sides.count(side, lines);
    }
}
