//! The facts from which readiness is concluded.

use super::stand::Disagreement;
use crate::case::Operation;
use crate::compare::{ComparedBy, Matter};
use crate::control::Control;
use crate::evidence::{AnswerCounts, RuleEvidence};
use crate::rule::Rule;

/// Everything that is known about one rule.
#[derive(Clone, Debug)]
pub struct RuleView<'v> {
    /// The rule.
    pub rule: &'v Rule,
    /// What was counted, by operation; operations that the subject does not serve are left out.
    pub evidence: Vec<(Operation, &'v RuleEvidence)>,
    /// The controls of the rule, and whether a case exposed them.
    pub controls: Vec<(&'v Control, bool)>,
    /// The findings that are attributed to the rule, and how they stand.
    pub disagreements: Vec<Disagreement<'v>>,
    /// Operations on which there were too many findings to keep them all: none is taken to be decided about there.
    pub overflowing: Vec<Operation>,
    /// What was counted of the answers of the pair.
    pub answers: AnswerCounts,
    /// How the answers of the pair were compared; none when that is not known.
    pub compared_by: Option<ComparedBy>,
    /// What the sides are compared in.
    pub matter: Matter,
}
