//! What apply has to know of the kind of an object.

use crate::schema::{Schema, TypeId};
use serde_json::{Value, json};

/// A version of a kind.
pub trait ObjectType {
    /// The version, as `apiVersion` has it.
    fn api_version(&self) -> &str;

    /// The kind.
    fn kind(&self) -> &str;

    /// How its objects merge.
    fn schema(&self) -> (&Schema, TypeId);

    /// An object as the server holds it, written back: without what its type does not have, with the members that are always written.
    ///
    /// # Errors
    /// Returns an error when the object does not decode.
    fn held(&self, object: Value) -> Result<Value, String>;

    /// An object with the defaults of its type.
    ///
    /// # Errors
    /// Returns an error when the object does not decode.
    fn defaulted(&self, object: Value) -> Result<Value, String>;

    /// What is held before there is an object.
    fn empty(&self) -> Value {
        let bare = json!({"apiVersion": self.api_version(), "kind": self.kind()});
        self.held(bare.clone()).unwrap_or(bare)
    }
}

/// A custom resource: its objects are held as they are.
pub struct CustomType<'s, D> {
    /// The version, as `apiVersion` has it.
    pub api_version: &'s str,
    /// The kind.
    pub kind: &'s str,
    /// Its types, and the type of the whole object.
    pub schema: (&'s Schema, TypeId),
    /// What sets the defaults of its schema.
    pub set_defaults: D,
}

impl<D: Fn(&mut Value)> ObjectType for CustomType<'_, D> {
    fn api_version(&self) -> &str {
        self.api_version
    }

    fn kind(&self) -> &str {
        self.kind
    }

    fn schema(&self) -> (&Schema, TypeId) {
        self.schema
    }

    fn held(&self, object: Value) -> Result<Value, String> {
        Ok(object)
    }

    fn defaulted(&self, mut object: Value) -> Result<Value, String> {
        (self.set_defaults)(&mut object);
        Ok(object)
    }
}
