//! The generator of a pair.

use super::generator::Generator;
use super::rules::CEL;
use super::settings::GeneratorSettings;
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::case::Operation;
use takeover_harness::compare::Matter;
use takeover_harness::pair::Pair;
use takeover_harness::rule::Rule;

impl GeneratorSettings {
    /// The defaults for a pair, with its options and subresource, and quiet where the reference delegates.
    #[must_use]
    pub fn of(pair: &Pair, seed: u64) -> Self {
        let mut settings = Self::new(pair.id.subject.clone(), seed);
        settings.creates_only = !pair.operations().contains(&Operation::Update);
        settings.options.clone_from(&pair.options);
        settings.updates_only = !pair.operations().contains(&Operation::Create);
        settings.baseline.clone_from(&pair.baseline);
        settings.checks = pair.checks.iter().chain(&pair.probed.checks).cloned().collect();
        // A program or webhook lists no checks: they had to be found by probing.
        settings.may_check_any = !pair.probed.checks.is_empty() && !pair.reference.precision().reached;
        let goes_further = |rule: &Rule| rule.tag == CEL || rule.selects;
        settings.looks_further = settings.may_check_any || pair.rules.iter().chain(&pair.baseline).any(goes_further);
        settings.tries_null = pair.matter == Matter::Objects;
        settings.quiet = pair.delegated.iter().map(|part| part.path.clone()).collect();
        settings
    }
}

impl Generator {
    /// A generator for the types and rules of `pair`, starting from the `recorded` valid objects;
    /// [`accepted_objects`](crate::recorded::accepted_objects) chooses such.
    #[must_use]
    pub fn of(pair: &Pair, mut recorded: Vec<Value>, seed: u64) -> Self {
        let mut settings = GeneratorSettings::of(pair, seed);
        if recorded.is_empty() && settings.may_check_any {
            // Grown objects combine fields in ways that the probed ones do not.
            settings.grown_percent = 16;
        }
        recorded.extend(pair.probed.objects.iter().cloned());
        let schema = Arc::clone(&pair.form.schema);
        Self::new(schema, pair.form.root, &pair.rules, recorded, settings)
    }

    /// As [`Generator::of`], of the types alone: for a few objects of a pair about which nothing is to be found out. What rules say takes
    /// time to plan.
    #[must_use]
    pub fn plain(pair: &Pair, recorded: Vec<Value>, seed: u64) -> Self {
        let settings =
            GeneratorSettings { baseline: Vec::new(), checks: Vec::new(), ..GeneratorSettings::of(pair, seed) };
        Self::new(Arc::clone(&pair.form.schema), pair.form.root, &[], recorded, settings)
    }
}
