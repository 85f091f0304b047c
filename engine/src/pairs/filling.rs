//! Fills an accepted object: fields that nobody was seen to need are set one after the other, as long as both sides accept it.
//!
//! A check of two optional fields shows only on objects that set both.

use super::repair::{Repair, sample};
use crate::stop::{Stop, Stopped};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::compare::Reason;
use takeover_harness::error::FieldError;
use takeover_harness::judge::{consult, isolated};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects};
use takeover_harness::pair::{Pair, Unprepared};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};
use takeover_harness::side::Side;

/// Most fields that are tried.
const MOST_FIELDS: usize = 80;

/// Most values that are tried of a field.
const MOST_VALUES: usize = 3;

/// Most errors that are mended for a value.
const MOST_MENDS: usize = 4;

/// How deep fields are that are tried: `spec.template.size` is three deep.
const DEEPEST: usize = 3;

/// The object with more fields that both sides accept, after asking about at most `most` objects. `heard` gets every error on the way.
///
/// # Errors
/// Returns an error when somebody asks this process to stop.
pub(super) fn filled(
    pair: &Pair,
    mut object: Value,
    mut most: u64,
    heard: &mut dyn FnMut(&[FieldError]),
    say: &dyn Fn(),
) -> Result<Value, Stopped> {
    for (path, ty) in places(&pair.form.schema, pair.form.root) {
        if members(&mut object, &path).is_none_or(|(around, name)| around.contains_key(name)) {
            continue;
        }
        let mut repair = Repair::of(pair);
        'values: for attempt in 0..MOST_VALUES {
            let mut tried = object.clone();
            let Some((around, name)) = members(&mut tried, &path) else { break };
            around.insert(name.to_owned(), sample(&pair.form.schema, ty, attempt, 0));
            for _ in 0..MOST_MENDS {
                Stop::check()?;
                let Some(left) = most.checked_sub(1) else { return Ok(object) };
                most = left;
                say();
                let mut errors = Vec::new();
                for side in Side::ALL {
                    let Some(of_side) = asked(pair, side, &tried) else { break 'values };
                    errors.extend(of_side);
                }
                if errors.is_empty() {
                    object = tried;
                    break 'values;
                }
                heard(&errors);
                if !errors.iter().any(|error| repair.mend(&mut tried, error)) {
                    break;
                }
            }
        }
    }
    Ok(object)
}

/// What a side, or a server before it, has against the creation of an object, empty when it accepts it; none without an answer.
pub(super) fn asked(pair: &Pair, side: Side, object: &Value) -> Option<Vec<FieldError>> {
    let (case, arena) = (creation(pair, object), Arena::new());
    let prepared = match isolated(|| pair.prepare(&case, &arena)).ok()? {
        Ok(prepared) => prepared,
        Err(Unprepared::Refused { errors, .. }) if !errors.is_empty() => return Some(errors),
        Err(_) => return None,
    };
    let answer = consult(pair.oracle(side), &prepared.question).ok()?;
    let errors = told(&answer, &prepared.question.objects);
    // A rejection without a word cannot be mended.
    if answer.rejects() && errors.is_empty() { None } else { Some(if answer.rejects() { errors } else { Vec::new() }) }
}

/// Whether a server validates objects before it asks either side, and accepts this one.
pub(super) fn is_valid(pair: &Pair, object: &Value) -> bool {
    let prepares = || pair.prepare(&creation(pair, object), &Arena::new()).is_ok();
    pair.validation.is_some() && isolated(prepares).unwrap_or_default()
}

/// The case of a creation.
fn creation(pair: &Pair, object: &Value) -> Case<'static> {
    let mut case = Case {
        operation: Operation::Create,
        object: object.clone().into(),
        old: None,
        options: Options::new(),
        provenance: Provenance::Generated { seed: 0, chunk: 0, index: 0, planted: String::new() },
    };
    pair.define_options(&mut case.options);
    case
}

/// The errors of an answer about these objects, or what it says in plain text, as errors.
pub(super) fn told(answer: &Answer, objects: &Objects<'_>) -> Vec<FieldError> {
    let reasons = Reason::of(answer, objects).into_iter().map(|reason| reason.as_error());
    answer.errors.iter().cloned().chain(reasons).collect()
}

/// The members of the object around a place, and the name of the place there; none where there is no such object.
fn members<'o, 'p>(object: &'o mut Value, path: &'p [String]) -> Option<(&'o mut Map<String, Value>, &'p str)> {
    let (name, around) = path.split_last()?;
    let around = around.iter().try_fold(object, |value, name| value.as_object_mut()?.get_mut(name))?;
    Some((around.as_object_mut()?, name))
}

/// The places of fields, those that are less deep first: not those of the metadata and of the status.
fn places(schema: &Schema, root: TypeId) -> Vec<(Vec<String>, TypeId)> {
    let (mut places, mut queue) = (Vec::new(), VecDeque::from([(Vec::<String>::new(), root)]));
    while let Some((path, ty)) = queue.pop_front() {
        let Kind::Struct(fields) = schema.pointed(ty).1 else { continue };
        for field in &fields.fields {
            let is_usual = matches!(&*field.json_name, "apiVersion" | "kind" | "metadata" | "status");
            let mut below = path.clone();
            match field.presence {
                Presence::Hidden => continue,
                Presence::Named if path.is_empty() && is_usual => continue,
                Presence::Named => below.push(field.json_name.to_string()),
                Presence::Inlined => {}
            }
            if field.presence == Presence::Named {
                if places.len() >= MOST_FIELDS {
                    return places;
                }
                places.push((below.clone(), field.ty));
            }
            if below.len() < DEEPEST {
                queue.push_back((below, field.ty));
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::{asked, filled};
    use serde_json::json;
    use takeover_harness::catalogue::Catalogue as _;
    use takeover_harness::oracle::{Answer, Decision, Oracle, OracleFailure, Question, View};
    use takeover_harness::pair::Pair;
    use takeover_harness::side::Side;
    use takeover_harness::subject::SubjectId;
    use takeover_oracles::registry::Registry;

    /// Denies in words an object whose `spec.minReadySeconds` is not 7.
    struct Sevens;

    impl Oracle for Sevens {
        fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
            let objects = &question.objects;
            let object = takeover_harness::object::to_value(objects.schema, objects.root, &objects.new);
            let seconds = object.pointer("/spec/minReadySeconds").and_then(serde_json::Value::as_i64).unwrap_or(7);
            answer.decision = Some(match seconds {
                7 => Decision::Accept,
                _ => Decision::Reject("spec.minReadySeconds must be at least 7 and at most 7".into()),
            });
            Ok(())
        }
    }

    #[test]
    fn an_accepted_object_gets_the_fields_that_stay_accepted() {
        let subject = SubjectId::new("v1", "ReplicationController");
        let pair = Registry::of_builtin().unwrap().pair(&subject.clone().into()).unwrap();
        let pair = Pair { reference: Box::new(Sevens), candidate: Box::new(Sevens), ..pair };
        let draft = json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "probe"}});
        let mut heard = 0;
        let none = filled(&pair, draft.clone(), 0, &mut |_| panic!("nobody is asked"), &|| ()).unwrap();
        assert_eq!(none, draft);
        let object = filled(&pair, draft, 1_000, &mut |errors| heard += errors.len(), &|| ()).unwrap();
        assert_eq!(object.pointer("/spec/minReadySeconds"), Some(&json!(7)), "{object}");
        assert!(object.pointer("/spec/template/spec").is_some() && object.get("status").is_none(), "{object}");
        assert!(heard > 0);
        assert_eq!(asked(&pair, Side::Reference, &object), Some(Vec::new()));
    }
}
