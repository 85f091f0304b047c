//! Defaulting as an oracle that answers with the object.

use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, to_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};

/// Makes the object with its defaults.
pub struct Made(
    /// What sets the defaults, if there are any.
    pub Option<Box<dyn Defaulter>>,
);

impl Oracle for Made {
    fn precision(&self) -> Precision {
        Precision::OBJECTS
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let Objects { schema, root, new, .. } = question.objects;
        let arena = Arena::new();
        let made = match &self.0 {
            Some(defaulter) => defaulter.apply(schema, root, new, &arena),
            None => new,
        };
        answer.object = Some(to_value(schema, root, &made));
        Ok(())
    }
}
