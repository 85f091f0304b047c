//! The variables and declared types that an expression may use besides what is always there.

use crate::types::{DeclaredType, Shape, Type};
use std::collections::HashMap;
use std::sync::Arc;

/// Variables by name, and objects by the names of their types.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: HashMap<Arc<str>, Type>,
    objects: HashMap<Arc<str>, Arc<DeclaredType>>,
}

impl Environment {
    /// Makes an environment without variables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable of a declared type, and the types of all objects in it.
    #[must_use]
    pub fn with_declared(mut self, name: &str, declared: &Arc<DeclaredType>) -> Self {
        self.add_objects(declared);
        self.with_variable(name, declared.ty().clone())
    }

    /// Adds a variable. Types of objects in it have to be added by [`Self::with_declared`], or have no fields.
    #[must_use]
    pub fn with_variable(mut self, name: &str, ty: Type) -> Self {
        self.variables.insert(Arc::from(name), ty);
        self
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Type> {
        self.variables.get(name)
    }

    pub(super) fn object(&self, name: &str) -> Option<&Arc<DeclaredType>> {
        self.objects.get(name)
    }

    fn add_objects(&mut self, declared: &Arc<DeclaredType>) {
        match &declared.shape {
            Shape::Object(fields) => {
                if let Type::Object(name) = declared.ty() {
                    self.objects.insert(Arc::clone(name), Arc::clone(declared));
                }
                fields.values().for_each(|field| self.add_objects(&field.declared));
            }
            Shape::List(element) | Shape::Map(element) => self.add_objects(element),
            Shape::Scalar => {}
        }
    }
}
