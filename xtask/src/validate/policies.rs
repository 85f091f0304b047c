//! Objects in, what a server with ValidatingAdmissionPolicies would answer out. Where it serves a CRD as well, it judges by that first.

use super::inputs::{self, Item};
use super::judge::{decoded, subresource};
use super::served::{ServedObjects, unknown_fields};
use super::{Targets, ValidationRequest};
use crate::exit_code::Exit;
use serde_json::Value;
use std::path::Path;
use takeover_admission_policies::{Denial, Ran};
use takeover_corpora::load::LoadedCase;
use takeover_engine::catalogue::{PolicyDescription, ReadPolicies, has_go_types};
use takeover_harness::case::{Operation, Payload};
use takeover_harness::error::FieldError;
use takeover_harness::judge::isolated;
use takeover_harness::object::{Arena, to_value};
use takeover_harness::subject::SubjectId;
use takeover_reports::admission::{AdmissionReport, Refusal, RequestedObject};
use takeover_reports::validate::{Problem, ProblemKind};

/// Asks policies about every object of the inputs. `types` has custom kinds, which are defaulted and validated before.
///
/// # Errors
/// When the policies cannot be read. What is wrong with one object is in the report.
pub fn ask(
    request: &ValidationRequest,
    of: &PolicyDescription,
    types: Option<&Path>,
) -> anyhow::Result<AdmissionReport> {
    let policies = ReadPolicies::read(of, types)?;
    let mut targets = Targets::new(request)?;
    let custom = types.filter(|types| !has_go_types(types));
    let mut served = custom.map(|place| ServedObjects::read(place, &[])).transpose()?;
    let mut report = AdmissionReport::new();
    for item in inputs::read(request) {
        match item {
            Item::Case(case) => match answered(&policies, &mut targets, served.as_mut(), &case, request) {
                Ok(object) => {
                    if policies.assumes_namespace(&object.namespace) {
                        report.assumed_namespaces.insert(object.namespace.clone());
                    }
                    report.objects.push(object);
                }
                Err((kind, message)) => {
                    report.problems.push(Problem::at(kind, &case.case.provenance, message));
                }
            },
            Item::Problem(problem) => report.problems.push(problem),
            Item::Skipped(_) => {}
        }
    }
    report.finish();
    Ok(report)
}

/// The exit code of a report.
#[must_use]
pub fn exit(report: &AdmissionReport) -> Exit {
    if report.objects.is_empty() && report.problems.iter().all(|problem| problem.kind == ProblemKind::NothingFound) {
        Exit::NothingCompared
    } else if !report.problems.is_empty() {
        Exit::Usage
    } else if report.totals.denied > 0 {
        Exit::Findings
    } else {
        Exit::Ready
    }
}

fn answered(
    policies: &ReadPolicies,
    targets: &mut Targets,
    served: Option<&mut ServedObjects>,
    case: &LoadedCase,
    request: &ValidationRequest,
) -> Result<RequestedObject, (ProblemKind, String)> {
    let failed = |message: String| (ProblemKind::Failed, message);
    let read = |payload: &Payload| payload.to_value().map_err(|error| failed(format!("not JSON: {error}")));
    let subject = SubjectId::new(&case.api_version, &case.kind).with_subresource(subresource(case, request));
    let mut object = read(&case.case.object)?;
    let old = case.case.old.as_ref().filter(|_| case.case.operation == Operation::Update);
    let mut old = old.map(read).transpose()?;
    let of_crd = served.map(|served| served.oracle(&subject)).transpose()?.flatten();
    let (mut refusal, mut warnings) = (None, Vec::new());
    // A server defaults objects before it asks policies, and writes built-in ones from its types.
    if let Some(oracle) = of_crd {
        let verdict =
            isolated(|| oracle.judge(object, old)).map_err(|panic| failed(format!("the CRD panicked: {panic}")))?;
        let verdict = verdict.map_err(|refused| failed(format!("is no `{subject}`: {refused}")))?;
        refusal = invalid(&subject, &verdict.object, &verdict.errors);
        warnings = [unknown_fields(&verdict.pruned), verdict.warnings].concat();
        (object, old) = (verdict.object, verdict.old);
    } else if let Ok((target, _)) = targets.of(case, request) {
        for object in std::iter::once(&mut object).chain(&mut old) {
            target.without_type_meta(object);
            let arena = Arena::new();
            let node = decoded(target, object, &arena);
            let node = node.map_err(|refused| failed(format!("is no `{subject}`: {refused}")))?;
            let typed = to_value(target.schema(), target.root, &node);
            *object = typed;
        }
    }
    let text = |name: &str| {
        object.pointer(&format!("/metadata/{name}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let oracle = policies.asking(&subject);
    let (name, mut namespace) = (text("name"), text("namespace"));
    if namespace.is_empty() && oracle.is_namespaced() {
        "default".clone_into(&mut namespace);
    }
    let mut evaluated = 0;
    let operation = case.case.operation;
    let response = isolated(|| {
        let mut ran = |ran: Ran| evaluated += ran.evaluation.decisions.len();
        oracle.respond(operation, object.clone(), old.clone(), &mut ran)
    });
    let response = response.map_err(|panic| failed(format!("the policies panicked: {panic}")))?;
    let of_policies = response.status.as_ref().map(|status| Refusal {
        code: status.code,
        reason: status.reason.clone(),
        message: status.message.clone(),
    });
    // A server asks no policy about an object that its schema refuses; what they would say is worth knowing.
    let is_told = usize::from(refusal.is_none());
    warnings.extend(response.sent_warnings());
    Ok(RequestedObject {
        source: case.case.provenance.clone(),
        subject: subject.to_string(),
        name,
        namespace,
        operation,
        allowed: refusal.is_none() && response.allows(),
        untold: response.denials.iter().skip(is_told).map(Denial::text).collect(),
        warnings,
        audit_annotations: response.audit_annotations,
        evaluated,
        refusal: refusal.or(of_policies),
    })
}

/// The answer of a server to an object with these errors.
fn invalid(subject: &SubjectId, object: &Value, errors: &[FieldError]) -> Option<Refusal> {
    let mut texts: Vec<String> = Vec::new();
    for text in errors.iter().map(ToString::to_string) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let listed = match texts.as_slice() {
        [] => return None,
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let group = subject.api_version.split_once('/').map_or(String::new(), |(group, _)| format!(".{group}"));
    let message = format!("{}{group} \"{name}\" is invalid: {listed}", subject.kind);
    Some(Refusal { code: 422, reason: "Invalid".to_owned(), message })
}
