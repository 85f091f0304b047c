//! One object through both sides.

use super::ValidationRequest;
use serde_json::Value;
use std::collections::HashSet;
use takeover_corpora::load::LoadedCase;
use takeover_engine::target::Target;
use takeover_harness::authority::{AuthorityPolicy, decide};
use takeover_harness::case::{Operation, Options};
use takeover_harness::compare::{Matcher, compare};
use takeover_harness::error::{FieldError, Stability};
use takeover_harness::judge::{NoAnswer, ask, consult};
use takeover_harness::object::{Arena, Node, Undecodable};
use takeover_harness::oracle::{Answer, Objects, Question};
use takeover_harness::path::pattern;
use takeover_harness::side::Side;
use takeover_reports::validate::{Complaint, Enforcement, RuleNote, Undecoded, ValidatedObject, Validity};

/// The subresource that a case goes through: its own, else that of the flags.
pub(super) fn subresource<'c>(case: &'c LoadedCase, request: &'c ValidationRequest) -> &'c str {
    let chosen = if case.subresource.is_empty() { &request.subresource } else { &case.subresource };
    chosen.trim_matches('/')
}

/// Judges a case.
///
/// # Errors
/// When a side fails; the explanation as text.
pub(super) fn judge(
    case: &LoadedCase,
    target: &Target,
    request: &ValidationRequest,
) -> Result<ValidatedObject, String> {
    let mut object = case.case.object.to_value().map_err(|error| format!("not JSON: {error}"))?;
    let old = case.case.old.as_ref().filter(|_| case.case.operation == Operation::Update);
    let mut old = old.map(|old| old.to_value()).transpose().map_err(|error| format!("not JSON: {error}"))?;
    let mut report = described(case, &target.name, &object);
    for object in std::iter::once(&mut object).chain(&mut old) {
        target.without_type_meta(object);
    }
    let arena = Arena::new();
    let undecodable = |old_object: bool, refused: Undecodable| Undecoded {
        old_object,
        field: refused.field,
        reason: refused.reason.to_string(),
        detail: refused.detail,
    };
    let new = match decoded(target, &object, &arena) {
        Ok(new) => new,
        Err(refused) => return Ok(refuse(report, undecodable(false, refused))),
    };
    let old = match old.as_ref().map(|old| decoded(target, old, &arena)).transpose() {
        Ok(old) => old,
        Err(refused) => return Ok(refuse(report, undecodable(true, refused))),
    };
    let options = options(case, target, request);
    let subresource = subresource(case, request);
    let objects = Objects { schema: target.schema(), root: target.root, new, old, sent: None };
    let question = Question {
        operation: case.case.operation,
        objects: target.prepare(case.case.operation, subresource, objects, &arena),
        options: &options,
        subresource,
    };
    let mut reference = Vec::new();
    if let Some(oracle) = target.reference() {
        let view = match oracle.view(&question.objects, &arena) {
            Ok(view) => view,
            Err(failure) => {
                let undecoded = Undecoded {
                    old_object: false,
                    field: String::new(),
                    reason: "not in a form that the handwritten side can read".to_owned(),
                    detail: failure.to_string(),
                };
                return Ok(refuse(report, undecoded));
            }
        };
        let mut answer = Answer::new();
        ask(oracle.as_ref(), &question, &view, &mut answer)
            .map_err(|failure| format!("the handwritten side failed: {failure}"))?;
        report.errors_left_out += answer.errors.cut();
        reference = answer.errors.into_vec();
        for error in &mut reference {
            error.from_imperative = true;
        }
    }
    let candidate = match consult(target.candidate.as_ref(), &question) {
        Ok(answer) => {
            report.errors_left_out += answer.errors.cut();
            answer.errors.into_vec()
        }
        // A server loses all other declarative errors, and answers with this one.
        Err(NoAnswer::Panicked(panic)) => vec![panic.as_error()],
        Err(failure) => return Err(format!("the declarative side failed: {failure}")),
    };
    report.errors = complaints(target, request.policy, reference, candidate);
    if report.errors.iter().any(|complaint| complaint.decisive) {
        report.result = Validity::Invalid;
    }
    Ok(report)
}

/// The object of a case, before anybody has judged it.
pub(super) fn described(case: &LoadedCase, subject: &str, object: &Value) -> ValidatedObject {
    let text = |name: &str| {
        object.pointer(&format!("/metadata/{name}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    ValidatedObject {
        source: case.case.provenance.clone(),
        subject: subject.to_owned(),
        kind: case.kind.clone(),
        name: text("name"),
        namespace: text("namespace"),
        operation: case.case.operation,
        result: Validity::Valid,
        undecodable: None,
        errors: Vec::new(),
        errors_left_out: 0,
        differences: Vec::new(),
        warnings: Vec::new(),
    }
}

pub(super) fn refuse(mut object: ValidatedObject, undecodable: Undecoded) -> ValidatedObject {
    object.result = Validity::Undecodable;
    object.undecodable = Some(undecodable);
    object
}

pub(super) fn decoded<'a>(target: &'a Target, object: &'a Value, arena: &'a Arena) -> Result<Node<'a>, Undecodable> {
    Ok(target.defaulted(target.decode_value(object, arena)?, arena))
}

/// Every option that a rule names is off, unless the document or a flag says otherwise.
pub(super) fn options(case: &LoadedCase, target: &Target, request: &ValidationRequest) -> Options {
    let mut options = target.options_off();
    for (name, on) in case.case.options.iter() {
        options.set(name, on);
    }
    for (name, on) in &request.options {
        options.set(name, *on);
    }
    options
}

/// Most errors of an object whose causes are looked for.
const MOST_EXPLAINED: usize = 1000;

/// Whether it is worth asking why one side reports something alone.
pub(super) fn is_explained(object: &ValidatedObject) -> bool {
    object.errors_left_out == 0 && object.errors.len() <= MOST_EXPLAINED
}

/// Whether one side reports an error that takes part in the comparison and that the other does not report.
pub(super) fn differ(target: &Target, policy: AuthorityPolicy, object: &ValidatedObject) -> bool {
    let said = |side| -> Vec<FieldError> {
        object
            .errors
            .iter()
            .filter(|complaint| complaint.side == side)
            .map(|complaint| complaint.error.clone())
            .collect()
    };
    let matcher = matcher(target, policy);
    target.reference().is_some() && !compare(&said(Side::Reference), &said(Side::Candidate), &matcher).agrees()
}

fn matcher(target: &Target, policy: AuthorityPolicy) -> Matcher {
    target.matcher.clone().at(policy.semantics()).candidates(policy.candidates())
}

fn complaints(
    target: &Target,
    policy: AuthorityPolicy,
    reference: Vec<FieldError>,
    candidate: Vec<FieldError>,
) -> Vec<Complaint> {
    let matcher = matcher(target, policy);
    let decision = decide(policy, &reference, &candidate, &matcher);
    let [stay, enforced] = [&decision.reference, &decision.candidate].map(|list| list.iter().collect::<HashSet<_>>());
    let mut complaints: Vec<Complaint> = Vec::new();
    let mut said = HashSet::new();
    for (at, error) in reference.into_iter().enumerate() {
        let message = error.to_string();
        let standing = match (stay.contains(&at), said.contains(&message)) {
            (true, _) => Enforcement::Enforced,
            (false, true) => Enforcement::Repeated,
            (false, false) => Enforcement::GivesWay,
        };
        if standing == Enforcement::Enforced {
            said.insert(message);
        }
        let rules = twins(target, &error);
        complaints.push(complaint(Side::Reference, error, rules, standing, false));
    }
    for (at, error) in candidate.into_iter().enumerate() {
        let standing = candidate_standing(enforced.contains(&at), policy, &error);
        let alone = target.reference().is_none() || target.delegates(&error.field);
        let rule = error.rule.and_then(|rule| target.rules.get(rule.index()));
        let rules = rule.into_iter().map(RuleNote::from).collect();
        complaints.push(complaint(Side::Candidate, error, rules, standing, alone));
    }
    complaints
}

fn complaint(side: Side, error: FieldError, rules: Vec<RuleNote>, standing: Enforcement, alone: bool) -> Complaint {
    let enforced = standing == Enforcement::Enforced;
    let (message, decisive) = (error.to_string(), enforced || alone);
    Complaint { side, message, error, rules, enforced, standing, decisive, because: None }
}

fn candidate_standing(enforced: bool, policy: AuthorityPolicy, error: &FieldError) -> Enforcement {
    if enforced {
        return Enforcement::Enforced;
    }
    match (policy, error.stability) {
        (policy, _) if !policy.runs_candidate() => Enforcement::DeclarativeGateOff,
        (AuthorityPolicy::Takeover(_), _) => Enforcement::TakeoverGateOff,
        (_, Some(Stability::Beta)) => Enforcement::BetaGateOff,
        _ => Enforcement::AlphaRule,
    }
}

/// The rules that say they report the same as a handwritten error.
fn twins(target: &Target, error: &FieldError) -> Vec<RuleNote> {
    let path = pattern(&error.field);
    let reports_it = |rule: &&takeover_harness::rule::Rule| {
        rule.reports.iter().any(|report| {
            report.error_type == error.error_type && report.field == path && report.origin == error.origin
        })
    };
    target.rules.iter().filter(reports_it).map(RuleNote::from).collect()
}
