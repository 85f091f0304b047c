//! Patterns of fields.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A pattern of fields: `spec.devices.**`. `*` stands for one part between dots, `**` for any number of them, none included; all other
/// parts are as signatures have them, with `[*]` for indexes and keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldPattern(String);

/// A text that is no pattern of fields.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a field pattern, such as `spec.devices.**`: its parts are names, `*` or `**`")]
pub struct NotAPattern(String);

/// The object itself.
const ROOT: &str = "<nil>";

const ONE: &str = "*";
const ANY: &str = "**";

impl FieldPattern {
    /// The pattern that stands for everything at and below the fields that all these have in common; for the field itself if there is
    /// one alone.
    #[must_use]
    pub fn around(paths: &[&str]) -> Self {
        let mut all = paths.iter().map(|path| parts(path));
        let Some(first) = all.next() else { return Self(ANY.to_owned()) };
        let mut common = first.len();
        let mut alone = true;
        for other in all {
            alone &= other == first;
            common = common.min(first.iter().zip(&other).take_while(|(one, other)| one == other).count());
        }
        let mut shared = first;
        shared.truncate(common);
        if !alone {
            shared.push(ANY);
        }
        Self(if shared.is_empty() { ROOT.to_owned() } else { shared.join(".") })
    }

    /// Whether it stands for the field of a signature.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        meets(&parts(&self.0), &parts(path))
    }

    /// Whether there is a field that both stand for.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        meets(&parts(&self.0), &parts(&other.0))
    }
}

fn parts(path: &str) -> Vec<&str> {
    if path.is_empty() || path == ROOT { Vec::new() } else { path.split('.').collect() }
}

/// Whether some field fits both.
fn meets(one: &[&str], other: &[&str]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([ANY, rest @ ..], _) if meets(rest, other) => true,
        (_, [ANY, rest @ ..]) if meets(one, rest) => true,
        ([ANY, ..], [_, others @ ..]) => meets(one, others),
        ([_, rest @ ..], [ANY, ..]) => meets(rest, other),
        ([a, rest @ ..], [b, others @ ..]) => (a == b || *a == ONE || *b == ONE) && meets(rest, others),
        _ => false,
    }
}

impl FromStr for FieldPattern {
    type Err = NotAPattern;

    fn from_str(text: &str) -> Result<Self, NotAPattern> {
        // A star within a part would read as if it stood for the rest of the part.
        let fits = |part: &&str| {
            *part == ONE || *part == ANY || !part.is_empty() && !part.replace("[*]", "").contains(['*', ' ', '[', ']'])
        };
        if text == ROOT || text.split('.').all(|part| fits(&part)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAPattern(text.to_owned()))
        }
    }
}

impl TryFrom<String> for FieldPattern {
    type Error = NotAPattern;

    fn try_from(text: String) -> Result<Self, NotAPattern> {
        text.parse()
    }
}

impl From<FieldPattern> for String {
    fn from(pattern: FieldPattern) -> Self {
        pattern.0
    }
}

impl fmt::Display for FieldPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::FieldPattern;

    fn pattern(text: &str) -> FieldPattern {
        text.parse().unwrap()
    }

    #[test]
    fn a_star_is_one_part_and_two_are_any_number() {
        for (text, path, covers) in [
            ("spec.replicas", "spec.replicas", true),
            ("spec.replicas", "spec.replicasets", false),
            ("spec.*", "spec.replicas", true),
            ("spec.*", "spec", false),
            ("spec.*", "spec.a.b", false),
            ("spec.**", "spec", true),
            ("spec.**", "spec.a[*].b", true),
            ("spec.**", "status.a", false),
            ("spec.*.name", "spec.devices[*].name", true),
            ("spec.devices.**", "spec.devices[*].name", false),
            ("**.name", "spec.devices[*].name", true),
            ("**.name", "name", true),
            ("**.name", "spec.name.first", false),
            ("spec.**.a.**.b", "spec.a.x.a.y.b", true),
            ("**", "", true),
            ("<nil>", "", true),
            ("<nil>", "spec", false),
        ] {
            assert_eq!(pattern(text).covers(path), covers, "{text} {path}");
        }
    }

    #[test]
    fn patterns_overlap_where_a_field_fits_both() {
        for (one, other, overlap) in [
            ("spec.**", "**.name", true),
            ("spec.*.a", "spec.b.*", true),
            ("spec.*", "spec.*.*", false),
            ("spec.**", "status.**", false),
            ("a.**.b", "a.**.c", false),
            ("a.**", "a", true),
            ("**", "<nil>", true),
        ] {
            assert_eq!(pattern(one).overlaps(&pattern(other)), overlap, "{one} {other}");
            assert_eq!(pattern(other).overlaps(&pattern(one)), overlap, "{other} {one}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in ["", "spec.", ".spec", "spec.rep*", "spec.***", "spec a", "spec[0]"] {
            assert!(text.parse::<FieldPattern>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_pattern_around_fields_is_what_they_share() {
        for (paths, around) in [
            (&["spec.a"][..], "spec.a"),
            (&["spec.a", "spec.a"], "spec.a"),
            (&["spec.a", "spec.b.c"], "spec.**"),
            (&["spec", "spec.b.c"], "spec.**"),
            (&["spec.a", "status"], "**"),
            (&[""], "<nil>"),
            (&["", "spec"], "**"),
        ] {
            assert_eq!(FieldPattern::around(paths).to_string(), around);
        }
    }
}
