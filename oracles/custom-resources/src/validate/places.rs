//! Which rule of a kind each constraint of its schema is.

use std::collections::HashMap;
use takeover_harness::reach::RuleId;
use takeover_harness::rule::Rule;

/// The rules of a kind by their places: patterns of paths, with `[*]` for elements and keys.
#[derive(Clone, Debug, Default)]
pub struct RulePlaces {
    places: HashMap<String, Vec<(String, RuleId)>>,
}

impl RulePlaces {
    /// Those of a list.
    #[must_use]
    pub fn of(rules: &[Rule]) -> Self {
        let mut places: HashMap<String, Vec<(String, RuleId)>> = HashMap::new();
        for rule in rules {
            places.entry(rule.path.clone()).or_default().push((rule.tag.clone(), rule.id));
        }
        Self { places }
    }

    /// The rule of a keyword at a place, such as `minimum` at `spec.sizes[*]`.
    #[must_use]
    pub fn of_keyword(&self, place: &str, keyword: &str) -> Option<RuleId> {
        self.places.get(place)?.iter().find(|(known, _)| known == keyword).map(|(_, id)| *id)
    }

    /// The CEL rule number `index`, from 0, of those at a place.
    #[must_use]
    pub fn of_cel(&self, place: &str, index: usize) -> Option<RuleId> {
        self.places.get(place)?.iter().filter(|(known, _)| is_cel(known)).nth(index).map(|(_, id)| *id)
    }
}

/// Whether rules of this tag are CEL rules.
pub(crate) fn is_cel(tag: &str) -> bool {
    tag == "cel"
}
