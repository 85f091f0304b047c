//! The largest objects that a server accepts: what costs a webhook most.

use serde_json::{Value, json};
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::form::Form;
use takeover_harness::subject::SubjectId;

/// Bytes of the largest object that a server stores.
pub const LARGEST: usize = 1_500_000;

/// Creates and unchanged updates of ReplicationControllers of about so many bytes: as many values as fit, which is too many to be judged;
/// errors at every item; and as many values as are judged, without an error.
pub fn cases(bytes: usize) -> Vec<(SubjectId, Case<'static>)> {
    // Each item has up to four values, and an update has two objects.
    let most = Form::MOST_VALUES / 9;
    let items = |number: usize, item: &dyn Fn(usize, &str) -> Value| -> Vec<Value> {
        let padding = "x".repeat((bytes / number.max(1)).saturating_sub(60));
        (0..number).map(|at| item(at, &padding)).collect()
    };
    let number = most.min(bytes / 80);
    let empty = vec![json!({}); bytes / 3];
    let wrong = items(number, &|_, padding| json!({"name": padding, "image": " i ", "imagePullPolicy": "no"}));
    let variables = items(number, &|at, padding| json!({"name": format!("E{at:05}"), "value": padding}));
    let sound = vec![json!({"name": "a", "image": "i", "env": variables})];
    let mut cases = Vec::new();
    for containers in [empty, wrong, sound] {
        let object = json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a", "namespace": "b"}, "spec": {
            "replicas": 1, "selector": {"a": "b"}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}},
        }});
        for (operation, old) in [(Operation::Create, None), (Operation::Update, Some(object.clone().into()))] {
            let provenance = Provenance::File { path: "largest".to_owned(), document: 0, line: 0 };
            let case = Case { operation, object: object.clone().into(), old, options: Options::new(), provenance };
            cases.push((SubjectId::new("v1", "ReplicationController"), case));
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, cases};
    use takeover_harness::form::Form;

    #[test]
    fn objects_are_as_large_as_a_server_accepts_and_some_have_as_many_values_as_are_judged() {
        let cases = cases(LARGEST);
        for (_, case) in &cases {
            let length = case.object.to_value().unwrap().to_string().len();
            assert!((LARGEST * 8 / 10..LARGEST * 11 / 10).contains(&length), "{length}");
        }
        let judged = cases.iter().filter(|(_, case)| case.values_above(Form::MOST_VALUES).is_none()).count();
        assert_eq!((cases.len(), judged), (6, 4));
    }
}
