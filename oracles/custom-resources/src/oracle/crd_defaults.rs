//! The defaults of a version of a CRD as an oracle that answers with the object that a server stores.

use crate::coerce::coerce;
use crate::kind::CustomKind;
use crate::structural::Structural;
use std::sync::Arc;
use takeover_harness::object::to_value_with_empty;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};

/// Sets defaults as a server does (KEP-575): null stays in nullable fields, and is dropped elsewhere before defaults are set.
pub struct CrdDefaults(Arc<Structural>);

impl CrdDefaults {
    /// The defaults of a kind.
    #[must_use]
    pub fn of(kind: &CustomKind) -> Self {
        Self(Arc::clone(&kind.structural))
    }
}

impl Oracle for CrdDefaults {
    fn precision(&self) -> Precision {
        Precision::OBJECTS
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let objects = &question.objects;
        let given = objects.given();
        let mut object = given.unwrap_or_else(|| to_value_with_empty(objects.schema, objects.root, &objects.new));
        coerce(&self.0, &mut object).map_err(|error| OracleFailure::new(error.to_string()))?;
        answer.object = Some(object);
        Ok(())
    }
}
