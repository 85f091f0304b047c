//! Cases from documents.

use super::stream;
use crate::load::{Limits, LoadError, LoadErrorKind, LoadedCase, load};
use serde_json::json;
use takeover_harness::case::Operation;

fn cases(name: &str, text: &str) -> Vec<Result<LoadedCase, LoadError>> {
    load(vec![stream(name, text)], Limits::default()).cases().collect()
}

#[test]
fn a_plain_object_is_created_and_updated_unchanged() {
    let items = cases("t.yaml", "apiVersion: v1\nkind: T\nmetadata: {name: a}\n");
    let [Ok(create), Ok(update)] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!((create.case.operation, &create.case.old), (Operation::Create, &None));
    let stored = json!({"apiVersion": "v1", "kind": "T", "metadata": {"name": "a", "resourceVersion": "1"}});
    assert_eq!(update.case.operation, Operation::Update);
    assert_eq!(update.case.object.to_value().unwrap(), stored);
    assert_eq!(update.case.old.as_ref().unwrap().to_value().unwrap(), stored);
    assert_eq!(create.case.provenance, update.case.provenance);
}

#[test]
fn a_written_case_has_all_its_parts() {
    let items = cases(
        "t.yaml",
        "apiVersion: takeover.dev/v1alpha1\nkind: Case\nname: grow\noperation: update\nsubresource: scale\n\
         options: {A: true, B: false}\noldObject: {apiVersion: v1, kind: T, size: 1}\nobject: {apiVersion: v1, kind: T, size: 2}\n",
    );
    let [Ok(one)] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!(one.name.as_deref(), Some("grow"));
    assert_eq!((one.api_version.as_str(), one.kind.as_str(), one.subresource.as_str()), ("v1", "T", "scale"));
    assert_eq!(one.case.options.iter().collect::<Vec<_>>(), [("A", true), ("B", false)]);
    assert_eq!(one.case.old.as_ref().unwrap().to_value().unwrap()["size"], 1);
    assert_eq!(one.case.object.to_value().unwrap()["size"], 2);
}

#[test]
fn a_line_of_recorded_verdicts_is_a_case() {
    let items = cases(
        "t.jsonl",
        "{\"id\":\"r-1\",\"apiVersion\":\"v1\",\"kind\":\"T\",\"subresource\":\"\",\"operation\":\"update\",\"options\":[\"A\"],\
         \"object\":{\"n\":2},\"oldObject\":{\"n\":1},\"expect\":{}}\n\
         {\"id\":\"r-2\",\"apiVersion\":\"v1\",\"kind\":\"T\",\"operation\":\"create\",\"object\":{\"n\":3}}\n",
    );
    let [Ok(update), Ok(create)] = items.as_slice() else { panic!("{items:?}") };
    assert_eq!((update.name.as_deref(), update.kind.as_str()), (Some("r-1"), "T"));
    assert_eq!(update.case.options.get("A"), Some(true));
    assert_eq!((create.name.as_deref(), create.case.operation), (Some("r-2"), Operation::Create));
}

#[test]
fn a_case_with_a_part_too_few_or_too_many_says_which() {
    let object = "object: {apiVersion: v1, kind: T}";
    for (body, detail) in [
        (object.to_owned(), "the case has no `operation`: `create` or `update`"),
        (format!("operation: patch\n{object}"), "`operation` is `patch`, not `create` or `update`"),
        ("operation: create".to_owned(), "the case has no `object`"),
        ("operation: create\nobject: 7".to_owned(), "`object` is not an object"),
        ("operation: create\nobject: {kind: T}".to_owned(), "`object` has no text `apiVersion`"),
        (format!("operation: update\n{object}"), "an update has no `oldObject`"),
        (format!("operation: create\n{object}\noldObject: {{}}"), "a create has an `oldObject`"),
        (
            format!("operation: create\n{object}\noptions: A"),
            "`options` is neither a list of names nor a map of names to booleans",
        ),
        (format!("operation: create\n{object}\noptions: {{A: 1}}"), "option `A` is not a boolean"),
        (format!("operation: create\n{object}\nname: 1"), "`name` is not a text"),
        (
            format!("operation: create\n{object}\noldobject: {{}}"),
            "a case has no field `oldobject`; its fields are apiVersion, kind, name, operation, subresource, options, oldObject, object, provenance, verdict",
        ),
    ] {
        let text = format!("---\napiVersion: takeover.dev/v1alpha1\nkind: Case\n{body}\n");
        let error = cases("t.yaml", &text).remove(0).unwrap_err();
        assert_eq!((error.kind(), error.detail(), error.line()), (LoadErrorKind::BadCase, detail, Some(2)), "{body}");
    }
}

#[test]
fn errors_of_documents_pass_through() {
    let items = cases("t.yaml", "a: [\n---\napiVersion: v1\nkind: T\n");
    assert_eq!(items.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, true]);
}

#[test]
fn cases_of_another_version_are_refused_by_name_and_not_taken_for_plain_objects() {
    let loaded = cases(
        "a.yaml",
        "apiVersion: takeover.dev/v2\nkind: Case\noperation: create\nobject: {apiVersion: v1, kind: T}\n",
    );
    let [Err(error)] = loaded.as_slice() else { panic!("{loaded:?}") };
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            LoadErrorKind::OtherFormat,
            "`a.yaml:1`: `takeover.dev/v2 Case` is not read; this program reads `takeover.dev/v1alpha1`"
        )
    );
}
