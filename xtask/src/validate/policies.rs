//! Objects in, what a server with ValidatingAdmissionPolicies would answer out.

use super::inputs::{self, Item};
use super::judge::{decoded, subresource};
use super::{Targets, ValidationRequest};
use crate::exit_code::Exit;
use serde_json::Value;
use std::path::Path;
use takeover_admission_policies::{Denial, Ran};
use takeover_corpora::load::LoadedCase;
use takeover_engine::catalogue::{PolicyDescription, ReadPolicies};
use takeover_harness::case::{Operation, Payload};
use takeover_harness::judge::isolated;
use takeover_harness::object::{Arena, to_value};
use takeover_harness::subject::SubjectId;
use takeover_reports::admission::{AdmissionReport, Refusal, RequestedObject};
use takeover_reports::validate::{Problem, ProblemKind};

/// Asks policies about every object of the inputs. `types` has custom kinds.
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
    let mut report = AdmissionReport::new();
    for item in inputs::read(request) {
        match item {
            Item::Case(case) => match answered(&policies, &mut targets, &case, request) {
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
    case: &LoadedCase,
    request: &ValidationRequest,
) -> Result<RequestedObject, (ProblemKind, String)> {
    let failed = |message: String| (ProblemKind::Failed, message);
    let read = |payload: &Payload| payload.to_value().map_err(|error| failed(format!("not JSON: {error}")));
    let subject = SubjectId::new(&case.api_version, &case.kind).with_subresource(subresource(case, request));
    let mut object = read(&case.case.object)?;
    let old = case.case.old.as_ref().filter(|_| case.case.operation == Operation::Update);
    let mut old = old.map(read).transpose()?;
    // A server defaults built-in kinds and writes them from its types. Of custom ones this is the object as it is given.
    if let Ok((target, _)) = targets.of(case, request) {
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
    let untold = response.denials.iter().skip(1).map(Denial::text).collect();
    Ok(RequestedObject {
        source: case.case.provenance.clone(),
        subject: subject.to_string(),
        name,
        namespace,
        operation,
        allowed: response.allows(),
        untold,
        warnings: response.sent_warnings(),
        audit_annotations: response.audit_annotations,
        evaluated,
        refusal: response.status.map(|status| Refusal {
            code: status.code,
            reason: status.reason,
            message: status.message,
        }),
    })
}
