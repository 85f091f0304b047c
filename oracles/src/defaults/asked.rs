//! A program, webhook or server that sets defaults, in the place of code.

use std::collections::BTreeSet;
use takeover_harness::case::{Operation, Options, Payload};
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, FieldValidation, Node, Order, from_bytes_with, to_value_as_set};
use takeover_harness::oracle::{Answer, AsSent, Objects, Oracle, OracleFailure, Question};
use takeover_harness::schema::{Schema, TypeId};

/// Why an object is skipped that gets no defaults.
const REFUSED: &str = "whoever sets the defaults refuses the object";

/// Asks an oracle that answers with objects for the defaults. It is sent what an object sets, and no zero value of an unset field.
pub struct Asked(
    /// Who answers.
    pub Box<dyn Oracle>,
);

impl Defaulter for Asked {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        self.attempt((schema, root), object, Order::Same, arena).unwrap_or(object)
    }

    fn attempt<'a>(
        &self,
        (schema, root): (&'a Schema, TypeId),
        object: Node<'a>,
        order: Order,
        arena: &'a Arena,
    ) -> Result<Node<'a>, OracleFailure> {
        let (sent, nulls) = (Payload::from(to_value_as_set(schema, root, &object)), BTreeSet::new());
        let sent = AsSent { new: &sent, old: None, nulls: Some(&nulls), order };
        let objects = Objects { schema, root, new: object, old: None, sent: Some(sent) };
        let question = Question { operation: Operation::Create, objects, options: &Options::new(), subresource: "" };
        let (view, mut answer) = (self.0.view(&objects)?, Answer::new());
        self.0.answer(&question, &view, &mut answer)?;
        if answer.rejects() {
            return Err(OracleFailure::declined(REFUSED, format!("it rejects the object: {}", answer.reason())));
        }
        let made = answer.object.ok_or_else(|| OracleFailure::new("the answer has no object"))?;
        let text = arena.alloc_str(&made.to_string());
        let decoded = from_bytes_with(schema, root, text.as_bytes(), FieldValidation::Warn, arena);
        let unfit =
            |error| OracleFailure::new(format!("the object that it answers with does not fit its type: {error}"));
        Ok(decoded.map_err(unfit)?.node)
    }

    fn reads_text(&self) -> bool {
        true
    }

    fn given_up(&self) -> Option<String> {
        self.0.given_up()
    }
}
