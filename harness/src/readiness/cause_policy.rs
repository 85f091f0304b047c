//! What a disagreement means for its rule, by its cause.

use crate::compare::{Cause, Direction, Signature};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a disagreement does to its rule and its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treat {
    /// It blocks the rule, and fails the run.
    #[default]
    Block,
    /// It fails the run, and does not block the rule.
    Report,
    /// It does neither; reports still list it.
    Tolerate,
}

/// What becomes of the disagreements with one cause, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stated")]
pub struct Treatment {
    /// What becomes of them.
    pub treat: Treat,
    /// Why; may be empty where they block.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A treatment as a file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    treat: Treat,
    #[serde(default)]
    reason: String,
}

impl TryFrom<Stated> for Treatment {
    type Error = &'static str;

    fn try_from(Stated { treat, reason }: Stated) -> Result<Self, &'static str> {
        if treat != Treat::Block && reason.trim().is_empty() {
            return Err("a cause that does not block needs a `reason`");
        }
        Ok(Self { treat, reason })
    }
}

/// Why ratcheting is tolerated unless a project says otherwise.
const RATCHETS: &str = "declarative validation ratchets by design, so that stored objects can still be updated";

/// Why defaults that depend on other fields are tolerated unless a project says otherwise.
const DEPENDS: &str = "a default that depends on another field stays in code";

/// Why null where the other object has nothing is tolerated unless a project says otherwise.
const NULL: &str = "readers of typed objects take null for an absent value";

/// Why defaults inside atomic lists and maps are tolerated unless a project says otherwise.
const ATOMIC: &str = "who applies an atomic list or map owns all of it, with its defaults";

/// Why empty structs that are not extracted are tolerated unless a project says otherwise.
const FILLED: &str = "extraction gives the fields that somebody owns, and an empty struct has none";

/// Why structs without owners that are not extracted are tolerated unless a project says otherwise.
const UNOWNED: &str = "owners are kept by item, and an empty list has none";

/// Why fields of `before-first-apply` are tolerated unless a project says otherwise.
const FIRST: &str = "only a configuration that sets no field leaves no manager";

/// The causes that are tolerated unless a project says otherwise, and why.
const TOLERATED: [(Cause, &str); 7] = [
    (Cause::Ratchets, RATCHETS),
    (Cause::DependsOnField, DEPENDS),
    (Cause::NullOrAbsent, NULL),
    (Cause::AtomicDefault, ATOMIC),
    (Cause::FilledStruct, FILLED),
    (Cause::UnownedStruct, UNOWNED),
    (Cause::BeforeFirstApply, FIRST),
];

/// The treatment of each cause. A cause that is left out blocks, except that ratcheting, defaults that depend on other fields, null
/// against absent values, and what every server-side apply does are tolerated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Cause, Treatment>")]
pub struct CausePolicy(BTreeMap<Cause, Treatment>);

impl From<BTreeMap<Cause, Treatment>> for CausePolicy {
    fn from(mut stated: BTreeMap<Cause, Treatment>) -> Self {
        for (cause, reason) in TOLERATED {
            let tolerated = || Treatment { treat: Treat::Tolerate, reason: reason.to_owned() };
            stated.entry(cause).or_insert_with(tolerated);
        }
        Self(stated)
    }
}

impl Default for CausePolicy {
    fn default() -> Self {
        BTreeMap::new().into()
    }
}

impl CausePolicy {
    /// Returns what the findings of a signature do, and why.
    ///
    /// Ratcheting is a matter of policy where the candidate ratchets. Where the reference does, updates would be refused that pass
    /// today: that blocks, whatever the policy says.
    #[must_use]
    pub fn of(&self, signature: &Signature) -> (Treat, &str) {
        let refuses_more = signature.cause == Some(Cause::Ratchets) && signature.direction == Direction::Extra;
        let treatment = signature.cause.filter(|_| !refuses_more).and_then(|cause| self.0.get(&cause));
        treatment.map_or((Treat::Block, ""), |Treatment { treat, reason }| (*treat, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::{CausePolicy, Treat};
    use serde_json::json;

    fn treated(policy: &CausePolicy, words: &str) -> Treat {
        let signature = format!("v1 Web update kept {words} FieldValueInvalid spec.replicas minimum");
        policy.of(&signature.parse().unwrap()).0
    }

    #[test]
    fn a_candidate_that_ratchets_is_tolerated_and_everything_else_blocks() {
        let policy = CausePolicy::default();
        for (words, treat) in [
            ("missing ratchets", Treat::Tolerate),
            ("extra ratchets", Treat::Block),
            ("missing create-only", Treat::Block),
            ("extra create-only", Treat::Block),
            ("missing reports-less", Treat::Block),
            ("extra stopped", Treat::Block),
            ("missing -", Treat::Block),
            ("missing null-or-absent", Treat::Tolerate),
            ("extra empty-or-absent", Treat::Block),
            ("differs order", Treat::Block),
            ("extra atomic-default", Treat::Tolerate),
            ("extra filled-struct", Treat::Tolerate),
            ("extra unowned-struct", Treat::Tolerate),
            ("extra before-first-apply", Treat::Tolerate),
            ("extra stale-default", Treat::Block),
            ("extra changed-by-default", Treat::Block),
            ("extra duplicate-key", Treat::Block),
            ("extra missing-key", Treat::Block),
            ("extra other-json-type", Treat::Block),
            ("extra emptied-list", Treat::Block),
        ] {
            assert_eq!(treated(&policy, words), treat, "{words}");
        }
    }

    #[test]
    fn what_a_file_says_of_one_cause_leaves_the_others_as_they_are() {
        let stated = json!({"stopped": {"treat": "report", "reason": "one error is enough"}});
        let policy: CausePolicy = serde_json::from_value(stated).unwrap();
        assert_eq!(treated(&policy, "extra stopped"), Treat::Report);
        assert_eq!(treated(&policy, "missing ratchets"), Treat::Tolerate);
        let again: CausePolicy = serde_json::from_value(serde_json::to_value(&policy).unwrap()).unwrap();
        assert_eq!(again, policy);
        let strict: CausePolicy = serde_json::from_value(json!({"ratchets": {"treat": "block"}})).unwrap();
        assert_eq!(treated(&strict, "missing ratchets"), Treat::Block);
    }

    #[test]
    fn what_does_not_block_says_why() {
        for (stated, said) in [
            (json!({"stopped": {"treat": "tolerate"}}), "needs a `reason`"),
            (json!({"stopped": {"treat": "report", "reason": " "}}), "needs a `reason`"),
            (json!({"stopped": {"treat": "ignore", "reason": "r"}}), "unknown variant `ignore`"),
            (json!({"ratchet": {"treat": "block"}}), "unknown variant `ratchet`"),
            (json!({"stopped": {"treat": "block", "because": "r"}}), "unknown field `because`"),
        ] {
            let error = serde_json::from_value::<CausePolicy>(stated).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
