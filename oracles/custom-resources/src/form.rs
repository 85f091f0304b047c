//! How objects of a kind are decoded and defaulted, in the terms of the harness.

use crate::coerce::set_defaults;
use crate::kind::CustomKind;
use crate::structural::Structural;
use std::sync::Arc;
use takeover_harness::form::{Defaulter, Form};
use takeover_harness::object::{Arena, FieldValidation, Node, from_bytes_with, to_value};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;

impl CustomKind {
    /// The name of the kind as a subject.
    #[must_use]
    pub fn subject(&self) -> SubjectId {
        SubjectId::new(self.api_version(), self.kind.as_str())
    }

    /// The form of its objects: decoded by its types, with the defaults of its schema. What a request does besides, such as leaving
    /// out the status, is not part of it.
    #[must_use]
    pub fn form(&self, field_validation: FieldValidation) -> Form {
        let defaulter = self.structural.has_defaults().then(|| {
            let defaulter: Box<dyn Defaulter> = Box::new(Defaults { structural: Arc::clone(&self.structural) });
            defaulter
        });
        Form { schema: Arc::clone(&self.schema), root: self.root, field_validation, defaulter, strategy: None }
    }
}

/// Sets the defaults of a schema.
struct Defaults {
    structural: Arc<Structural>,
}

impl Defaulter for Defaults {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let before = to_value(schema, root, &object);
        let mut after = before.clone();
        set_defaults(&self.structural, &mut after);
        if after == before {
            return object;
        }
        let text = arena.alloc_str(&after.to_string());
        // Defaults that are not of their type leave the object as it was; servers do not take such schemas.
        from_bytes_with(schema, root, text.as_bytes(), FieldValidation::Warn, arena)
            .map_or(object, |decoded| decoded.node)
    }
}
