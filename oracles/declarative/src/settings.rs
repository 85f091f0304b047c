//! How types are compiled.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::FieldError;
use takeover_harness::object::Node;
use takeover_harness::path::Path;
use takeover_harness::schema::Schema;

/// How strict to be, and plug-ins.
#[derive(Clone, Debug, Default)]
pub struct CompileSettings {
    /// Refuse what the generator of Kubernetes 1.37 refuses although KEP-5073 describes it (`owner:` in lifecycle wrappers),
    /// types of absent packages that are not marked opaque, and custom validations without a plug-in.
    pub strict: bool,
    /// Functions behind `+k8s:customValidation`.
    pub custom: CustomValidations,
}

/// Functions behind `+k8s:customValidation`, by the name that the tag implies: `ValidateCustom_<Type>` or
/// `ValidateCustom_<Type>_<GoField>`.
#[derive(Clone, Default)]
pub struct CustomValidations(HashMap<String, CustomValidation>);

/// Judges one value and answers its errors; marks are set by the engine.
pub type CustomValidation = Arc<dyn Fn(&CustomValue<'_>) -> Vec<FieldError> + Send + Sync>;

/// A value that a custom validation judges.
#[derive(Clone, Copy, Debug)]
pub struct CustomValue<'a> {
    /// Types.
    pub schema: &'a Schema,
    /// Create or update.
    pub operation: Operation,
    /// State of options.
    pub options: &'a Options,
    /// Where.
    pub path: &'a Path<'a>,
    /// The value; none is a nil pointer.
    pub value: Option<Node<'a>>,
    /// The correlated old value, if there is one.
    pub old: Option<Node<'a>>,
}

impl CustomValidations {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        function: impl Fn(&CustomValue<'_>) -> Vec<FieldError> + Send + Sync + 'static,
    ) {
        self.0.insert(name.into(), Arc::new(function));
    }

    /// The function with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<CustomValidation> {
        self.0.get(name).cloned()
    }
}

impl fmt::Debug for CustomValidations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
