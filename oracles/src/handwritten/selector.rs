//! Selectors and what they match.

use std::collections::BTreeMap;

/// Labels as the API types hold them.
pub type Labels = BTreeMap<String, String>;

/// Whether every pair of `selector` is among `labels`. An empty selector matches everything.
#[must_use]
pub fn matches(selector: Option<&Labels>, labels: Option<&Labels>) -> bool {
    selector.into_iter().flatten().all(|(key, value)| labels.and_then(|labels| labels.get(key)) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_selector_matches_when_every_pair_is_a_label() {
        for (selector, found, expected) in [
            (None, None, true),
            (Some(labels(&[])), None, true),
            (Some(labels(&[("a", "1")])), Some(labels(&[("a", "1"), ("b", "2")])), true),
            (Some(labels(&[("a", "1")])), Some(labels(&[("a", "2")])), false),
            (Some(labels(&[("a", "")])), Some(labels(&[("b", "")])), false),
            (Some(labels(&[("a", "")])), None, false),
            (Some(labels(&[("a", "")])), Some(labels(&[("a", "")])), true),
        ] {
            assert_eq!(matches(selector.as_ref(), found.as_ref()), expected, "{selector:?} {found:?}");
        }
    }
}
