//! Where a candidate is written.

use crate::rule::{RuleId, Source};
use std::collections::BTreeMap;

/// Where the rules and the fields of a candidate stand, in one set of files: in the manifest of a CRD, say, or in the Go types that it was
/// generated from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The rules.
    pub rules: BTreeMap<RuleId, Source>,
    /// The fields, by their path patterns; the object itself is the empty path.
    pub fields: BTreeMap<String, Source>,
}

impl Written {
    /// Where a field stands, or else the nearest one around it that stands somewhere.
    ///
    /// ```
    /// use takeover_harness::pair::Written;
    /// use takeover_harness::rule::Source;
    /// let at = |line| Source { file: "crd.yaml".into(), line };
    /// let fields = [("", 5), ("spec", 7), ("spec.list[*]", 9)].map(|(path, line)| (path.to_owned(), at(line))).into();
    /// let written = Written { fields, ..Written::default() };
    /// assert_eq!(written.nearest("spec.list[*].name"), Some(&at(9)));
    /// assert_eq!(written.nearest("spec.lists"), Some(&at(7)));
    /// assert_eq!(written.nearest("status"), Some(&at(5)));
    /// ```
    #[must_use]
    pub fn nearest(&self, path: &str) -> Option<&Source> {
        let mut path = path;
        loop {
            if let Some(source) = self.fields.get(path) {
                return Some(source);
            }
            if path.is_empty() {
                return None;
            }
            path = path.get(..path.rfind(['.', '[']).unwrap_or_default()).unwrap_or_default();
        }
    }
}
