//! A program, webhook or server that sets defaults, in the place of code; also a schema, which tells null from absence.

use super::aligned::align;
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_harness::case::{Operation, Options, Payload};
use takeover_harness::form::{Attempt, Defaulter, Text};
use takeover_harness::object::{Arena, FieldValidation, Node, from_bytes_with, to_value_as_set};
use takeover_harness::oracle::{Answer, AsSent, Objects, Oracle, OracleFailure, Question};
use takeover_harness::schema::{Schema, TypeId};

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
        let payload = Payload::from(sent.clone());
        let as_sent = AsSent { new: &payload, old: None, nulls: Some(&self.nulls), order: text.order };
        let objects = Objects { schema, root, new: object, old: None, sent: Some(as_sent) };
        let question = Question { operation: Operation::Create, objects, options: &Options::new(), subresource: "" };
        let (view, mut answer) = (self.oracle.view(&objects, arena)?, Answer::new());
        self.oracle.answer(&question, &view, &mut answer)?;
        if answer.rejects() {
            return Err(OracleFailure::declined(REFUSED, format!("it rejects the object: {}", answer.reason())));
        }
        let mut answered = answer.object.ok_or_else(|| OracleFailure::new("the answer has no object"))?;
        align(schema, root, &sent, &mut answered);
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
