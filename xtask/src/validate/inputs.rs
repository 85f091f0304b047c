//! Objects from files, each with the old object it replaces.

use super::ValidationRequest;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use takeover_corpora::load::{Document, Input, Limits, LoadError, LoadErrorKind, LoadedCase, load};
use takeover_corpora::requests::Skip;
use takeover_harness::case::{Operation, Payload, Provenance, fill_version};
use takeover_reports::validate::{Problem, ProblemKind};

/// Something to validate, or what is wrong with it.
pub(super) enum Item {
    Case(Box<LoadedCase>),
    Problem(Problem),
    /// A recorded request that no case comes of.
    Skipped(Skip),
}

/// Everything that the inputs hold, in their order, as it is asked for. Old objects take all at once.
pub(super) fn read(request: &ValidationRequest) -> Box<dyn Iterator<Item = Item>> {
    let inputs = request.inputs.iter().map(Input::named).collect();
    // The update that changes nothing is not asked for.
    let cases = load(inputs, Limits::default()).cases().creates_only();
    let items = cases.map(|case| match case {
        Ok(case) => Item::Case(Box::new(case)),
        Err(error) => match error.kind() {
            LoadErrorKind::NoCase(skip) => Item::Skipped(skip),
            _ => Item::Problem(unreadable(&error)),
        },
    });
    let Some(old) = &request.old else { return Box::new(items) };
    let (old, problems) = stored(old);
    let mut items = pair(items.collect(), old);
    items.extend(problems.into_iter().map(Item::Problem));
    Box::new(items.into_iter())
}

fn unreadable(error: &LoadError) -> Problem {
    let kind = match error.kind() {
        LoadErrorKind::NothingFound => ProblemKind::NothingFound,
        _ => ProblemKind::Unreadable,
    };
    Problem { kind, file: Some(error.path().to_owned()), line: error.line(), message: error.detail().to_owned() }
}

/// The documents of the file of old objects.
fn stored(file: &Path) -> (Vec<Document>, Vec<Problem>) {
    let (mut documents, mut problems) = (Vec::new(), Vec::new());
    for document in load(vec![Input::named(file)], Limits::default()) {
        match document {
            Ok(document) => documents.push(document),
            Err(error) => problems.push(Problem { kind: ProblemKind::Unreadable, ..unreadable(&error) }),
        }
    }
    (documents, problems)
}

/// What makes an object the same one: version, kind, namespace and name.
type Identity = (String, String, String, String);

fn identity(api_version: &str, kind: &str, object: &Value) -> Identity {
    let text = |name: &str| {
        object.pointer(&format!("/metadata/{name}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    (api_version.to_owned(), kind.to_owned(), text("namespace"), text("name"))
}

/// Makes updates of creates. One object and one old object belong together whatever their names, so that changes of names can
/// be tried; otherwise identities decide.
fn pair(items: Vec<Item>, old: Vec<Document>) -> Vec<Item> {
    let plain = items.iter().filter(|item| is_create(item)).count();
    let mut problems = Vec::new();
    let alone = plain == 1 && old.len() == 1;
    let mut by_identity: HashMap<Identity, Document> = HashMap::new();
    for document in old {
        let identity = identity(&document.api_version, &document.kind, &document.value);
        let again = format!("there are two old {}", shown(&identity));
        let provenance = document.provenance.clone();
        if by_identity.insert(identity, document).is_some() {
            problems.push(Item::Problem(Problem::at(ProblemKind::Usage, &provenance, again)));
        }
    }
    let mut only = if alone { by_identity.drain().map(|(_, document)| document).next() } else { None };
    let mut paired: Vec<Item> = items
        .into_iter()
        .map(|item| match item {
            Item::Case(case) if case.case.operation == Operation::Create => {
                let Payload::Value(object) = &case.case.object else { return Item::Case(case) };
                let identity = identity(&case.api_version, &case.kind, object);
                match only.take().or_else(|| by_identity.remove(&identity)) {
                    Some(old) => Item::Case(update(case, old.value)),
                    None => {
                        let message = format!("no old {} in --old", shown(&identity));
                        Item::Problem(Problem::at(ProblemKind::Usage, &case.case.provenance, message))
                    }
                }
            }
            item => item,
        })
        .collect();
    let mut unused: Vec<(Provenance, Identity)> =
        by_identity.into_iter().map(|(identity, document)| (document.provenance, identity)).collect();
    unused.sort_by_key(|(provenance, _)| provenance.to_string());
    problems.extend(unused.into_iter().map(|(provenance, identity)| {
        let message = format!("no object replaces the old {}", shown(&identity));
        Item::Problem(Problem::at(ProblemKind::Usage, &provenance, message))
    }));
    paired.extend(problems);
    paired
}

fn is_create(item: &Item) -> bool {
    matches!(item, Item::Case(case) if case.case.operation == Operation::Create)
}

fn shown((api_version, kind, namespace, name): &Identity) -> String {
    if namespace.is_empty() {
        format!("`{api_version} {kind} {name}`")
    } else {
        format!("`{api_version} {kind} {namespace}/{name}`")
    }
}

/// An update as a server sees it: every stored object has a `resourceVersion`, and a request without one gets that.
fn update(mut case: Box<LoadedCase>, mut old: Value) -> Box<LoadedCase> {
    let version = fill_version(&mut old, "1".into());
    let object = match case.case.object {
        Payload::Value(object) => {
            let mut object = Arc::unwrap_or_clone(object);
            fill_version(&mut object, version);
            Payload::from(object)
        }
        other @ (Payload::Json(_) | Payload::Stored(_) | Payload::Tree(_)) => other,
    };
    case.case.object = object;
    case.case.operation = Operation::Update;
    case.case.old = Some(old.into());
    case
}
