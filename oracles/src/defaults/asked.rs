//! A program, webhook or server that sets defaults, in the place of code; also a schema, which tells null from absence.

use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_harness::case::{Operation, Options, Payload};
use takeover_harness::form::{Attempt, Defaulter, Text};
use takeover_harness::object::{Arena, FieldValidation, Node, from_bytes_with, to_value_as_set};
use takeover_harness::oracle::{Answer, AsSent, Objects, Oracle, OracleFailure, Question};
use takeover_harness::schema::{Kind, ListType, Schema, TypeId};

/// Why an object is skipped that gets no defaults.
const REFUSED: &str = "whoever sets the defaults refuses the object";

/// Asks an oracle that answers with objects for the defaults.
pub struct Asked {
    /// Who answers.
    oracle: Box<dyn Oracle>,
    /// The path patterns at which null is a value of its own.
    nulls: Arc<BTreeSet<String>>,
}

impl Asked {
    /// Asks this oracle; `nulls` are the path patterns at which null is a value of its own.
    #[must_use]
    pub fn new(oracle: Box<dyn Oracle>, nulls: &Arc<BTreeSet<String>>) -> Self {
        Self { oracle, nulls: Arc::clone(nulls) }
    }
}

impl Defaulter for Asked {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let attempt = self.attempt((schema, root), object, Text::default(), arena);
        attempt.map_or(object, |attempt| attempt.object)
    }

    fn attempt<'a>(
        &self,
        (schema, root): (&'a Schema, TypeId),
        object: Node<'a>,
        text: Text<'_>,
        arena: &'a Arena,
    ) -> Result<Attempt<'a>, OracleFailure> {
        let sent = text.object.cloned().unwrap_or_else(|| to_value_as_set(schema, root, &object));
        let sent = Payload::from(sent);
        let sent = AsSent { new: &sent, old: None, nulls: Some(&self.nulls), order: text.order };
        let objects = Objects { schema, root, new: object, old: None, sent: Some(sent) };
        let question = Question { operation: Operation::Create, objects, options: &Options::new(), subresource: "" };
        let (view, mut answer) = (self.oracle.view(&objects)?, Answer::new());
        self.oracle.answer(&question, &view, &mut answer)?;
        if answer.rejects() {
            return Err(OracleFailure::declined(REFUSED, format!("it rejects the object: {}", answer.reason())));
        }
        let answered = answer.object.ok_or_else(|| OracleFailure::new("the answer has no object"))?;
        let text = arena.alloc_str(&answered.to_string());
        let decoded = from_bytes_with(schema, root, text.as_bytes(), FieldValidation::Strict, arena);
        let unfit =
            |error| OracleFailure::new(format!("the object that it answers with does not fit its type: {error}"));
        Ok(Attempt { object: decoded.map_err(unfit)?.node, answered: Some(answered) })
    }

    fn reads_text(&self) -> bool {
        true
    }

    fn given_up(&self) -> Option<String> {
        self.oracle.given_up()
    }
}

/// Sorts the items of all lists that are sets: their order means nothing.
pub(super) fn sort_sets(schema: &Schema, ty: TypeId, value: &mut Value) {
    sort_within((schema, ty, &[]), value);
}

fn sort_within((schema, ty, list_types): (&Schema, TypeId, &[ListType]), value: &mut Value) {
    let inside = list_types.get(1..).unwrap_or_default();
    match (schema.pointed(ty).1, value) {
        (Kind::Struct(fields), Value::Object(members)) => {
            let owner = schema.as_struct(ty).map(|(owner, _)| owner);
            for (name, value) in members {
                let Some(member) = fields.member(name) else { continue };
                let list_types = owner.map(|owner| schema.list_types(owner, name)).unwrap_or_default();
                sort_within((schema, member.ty, list_types), value);
            }
        }
        (Kind::List(element), Value::Array(items)) => {
            items.iter_mut().for_each(|item| sort_within((schema, *element, inside), item));
            if list_types.first() == Some(&ListType::Set) {
                items.sort_by_cached_key(Value::to_string);
            }
        }
        (Kind::Map { value: inner, .. }, Value::Object(entries)) => {
            entries.values_mut().for_each(|entry| sort_within((schema, *inner, inside), entry));
        }
        _ => {}
    }
}
