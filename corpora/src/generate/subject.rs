//! The generator of a subject.

use super::generator::Generator;
use super::settings::GeneratorSettings;
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::case::Operation;
use takeover_harness::subject::Subject;

impl GeneratorSettings {
    /// The defaults for a subject, with its options and subresource, and quiet where the reference delegates.
    #[must_use]
    pub fn of(subject: &Subject, seed: u64) -> Self {
        let mut settings = Self::new(subject.id.clone(), seed);
        settings.options.clone_from(&subject.options);
        settings.updates_only = !subject.operations().contains(&Operation::Create);
        settings.quiet = subject.delegated.iter().map(|part| part.path.clone()).collect();
        settings
    }
}

impl Generator {
    /// A generator for the types and rules of `subject`, starting from the `recorded` valid objects;
    /// [`accepted_objects`](crate::recorded::accepted_objects) chooses such.
    #[must_use]
    pub fn of(subject: &Subject, recorded: Vec<Value>, seed: u64) -> Self {
        let schema = Arc::clone(&subject.schema);
        Self::new(schema, subject.root, &subject.rules, recorded, GeneratorSettings::of(subject, seed))
    }
}
