//! One exception.

use super::about::About;
use super::share::Share;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An exception as people name it: by its place in the file, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExceptionId(pub usize);

/// Findings that are excused until a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Exception {
    /// What is excused.
    pub about: About,
    /// The classes of values in which it was found when it was excused.
    pub classes: BTreeSet<String>,
    /// In which share of the compared cases it was found then.
    pub share: Share,
    /// Why the two sides may differ.
    pub reason: String,
    /// Who sees to it.
    pub owner: String,
    /// Where it is discussed.
    pub issue: String,
    /// The last day on which it excuses anything.
    pub expires: Date,
    /// Line of the file that it was read from.
    pub line: usize,
}

impl Exception {
    /// Whether it excuses nothing any more on this day.
    #[must_use]
    pub fn is_expired(&self, today: Date) -> bool {
        today > self.expires
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Exception;
    use crate::exception::{About, FindingEntry};
    use jiff::civil::date;
    use std::collections::BTreeSet;

    /// An exception about so many findings of a signature, which are attributed to no rule.
    pub(in crate::exception) fn exception(signatures: usize) -> Exception {
        let signature = "* Web update kept missing ratchets FieldValueInvalid spec.replicas minimum";
        Exception {
            about: About::Finding(FindingEntry {
                signature: signature.parse().unwrap(),
                rules: BTreeSet::new(),
                signatures,
            }),
            classes: BTreeSet::from(["negative".to_owned()]),
            share: 0.001.try_into().unwrap(),
            reason: "r".into(),
            owner: "o".into(),
            issue: "i".into(),
            expires: date(2027, 1, 31),
            line: 1,
        }
    }

    #[test]
    fn an_exception_holds_through_its_last_day() {
        let excused = exception(1);
        assert!(!excused.is_expired(date(2027, 1, 31)));
        assert!(excused.is_expired(date(2027, 2, 1)));
    }
}
