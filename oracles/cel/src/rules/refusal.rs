//! Why API servers reject a schema because of its rules.

use serde_json::Value as Json;

/// A refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The path of what is refused.
    pub field: String,
    /// The type of the error.
    pub kind: RefusalKind,
    /// The value, null where the error shows none.
    pub bad_value: Json,
    /// What is wrong, in the words of API servers.
    pub detail: String,
    /// The estimated cost, where it is above the limit of an expression or of all.
    pub cost: Option<u64>,
}

/// The type of an error, as API servers call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// `FieldValueRequired`
    Required,
    /// `FieldValueInvalid`
    Invalid,
    /// `FieldValueForbidden`
    Forbidden,
    /// `FieldValueNotSupported`
    NotSupported,
    /// `InternalError`
    Internal,
}

/// How an estimate exceeds a limit, in the words of API servers.
pub(super) fn exceeds(what: &str, cost: u64, limit: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "API servers divide as float64")]
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    let advice = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
    format!("{what} exceeds budget by factor of {factor} ({advice})")
}

#[cfg(test)]
mod tests {
    use super::exceeds;

    #[test]
    fn factors_are_written_by_size() {
        let factor = |cost| exceeds("cost", cost, 10).split(' ').skip(6).take(3).collect::<Vec<_>>().join(" ");
        assert_eq!(factor(11), "1.100000x (try simplifying");
        assert_eq!(factor(33), "3.3x (try simplifying");
        assert_eq!(factor(1_001), "more than 100x");
    }
}
