//! Which cases a side is asked about once more, to see whether it answers the same.

use crate::case::{Case, Payload};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// When a side is asked about a case once more. A case on which the sides differ is asked about again in any event, to find the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AsksAgain {
    /// Never.
    Never,
    /// When it reports several errors, for their order is part of what users see.
    Several,
    /// In a sample of the cases, because every question is a long way.
    Sample,
}

/// One case in so many is in the sample.
const ONE_IN: u64 = 64;

impl AsksAgain {
    /// The same for comparisons in which it is only asked whether the sides differ.
    pub(super) fn without_sample(self) -> Self {
        match self {
            Self::Sample => Self::Never,
            other => other,
        }
    }
}

/// Whether a case is in the sample: a matter of what it asks alone, so that any number of threads takes the same.
pub(super) fn is_sampled(case: &Case) -> bool {
    let mut hasher = DefaultHasher::new();
    case.operation.hash(&mut hasher);
    let objects = std::iter::once(&case.object).chain(&case.old);
    objects.map(Payload::to_value).for_each(|object| object.ok().hash(&mut hasher));
    hasher.finish().is_multiple_of(ONE_IN)
}

#[cfg(test)]
mod tests {
    use super::{ONE_IN, is_sampled};
    use crate::case::{Case, Operation, Options, Payload, Provenance};
    use serde_json::json;

    fn case(object: Payload, index: u64) -> Case {
        let provenance = Provenance::Generated { seed: 1, chunk: 0, index, planted: String::new() };
        Case { operation: Operation::Create, object, old: None, options: Options::new(), provenance }
    }

    #[test]
    fn one_case_in_sixty_four_is_in_the_sample() {
        let sampled = (0..6400u64).filter(|size| is_sampled(&case(json!({"size": size}).into(), 0))).count() as u64;
        assert!(sampled.abs_diff(6400 / ONE_IN) < 40, "{sampled}");
    }

    #[test]
    fn the_sample_is_by_what_a_case_asks() {
        for size in 0..200 {
            let value = json!({"size": size, "name": "a"});
            let text = Payload::Json(format!(r#"{{ "name": "a", "size": {size} }}"#).into_bytes().into());
            assert_eq!(is_sampled(&case(value.into(), 0)), is_sampled(&case(text, 7)), "{size}");
        }
    }
}
