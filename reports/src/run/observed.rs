//! The checks of a reference that nobody lists, as a run observed them.

use super::answered::{Answered, has_failed};
use super::finding::FindingReport;
use super::same_check::put_together;
use super::standing::FindingStanding;
use super::suggestion::{Holds, Lacking, suggestion};
use crate::numbers::{counted, grouped};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::Operation;
use takeover_harness::compare::{DifferenceKind, Direction, Relation};
use takeover_harness::error::FieldError;
use takeover_harness::evidence::PairEvidence;
use takeover_harness::form::Form;
use takeover_harness::judge::ObservedCheck;
use takeover_harness::pair::Pair;
use takeover_harness::path::{is_inside, members, pattern};
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::schema::Kind;

/// What the candidate does where an observed check rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refuses {
    /// It refuses the same.
    Same,
    /// It refuses less, and perhaps more elsewhere.
    Less,
    /// It refuses more.
    More,
    /// Too little was seen.
    Unknown,
}

impl Refuses {
    /// As people read it: `the candidate rejects the same`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "the same",
            Self::Less => "less",
            Self::More => "more",
            Self::Unknown => "not known yet",
        }
    }
}

/// A check by what its errors look like, with what the cases showed of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObservedReport {
    /// Path pattern of its errors; empty for the object itself.
    pub field: String,
    /// API name of the type of its errors; `Denied` if it rejects the object with a reason in plain text.
    pub error_type: String,
    /// What its errors explain, without the values.
    pub message: String,
    /// Cases that the reference rejected by it.
    pub refused: u64,
    /// Of these, those in which the candidate did not report the same.
    pub alone: u64,
    /// Of all, those that do not tell: decisions were compared, several checks rejected, and the candidate rejected for some reason.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unclear: u64,
    /// Cases in which the candidate alone reported an error of this type on this field.
    pub extra: u64,
    /// Cases that set the field and in which neither side had anything against it.
    pub accepted: u64,
    /// What the candidate does.
    pub candidate_refuses: Refuses,
    /// Why that is not known; empty where it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// Number of the finding that shows what speaks against the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<usize>,
    /// What the schema of a CRD could say in its place; empty where the check is covered or nothing could be derived.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggestion: String,
}

impl ObservedReport {
    /// Whether an open finding has its error, on the side that counts against the candidate.
    pub(super) fn is_what_differs_in(&self, finding: &FindingReport) -> bool {
        let direction = match self.candidate_refuses {
            Refuses::Less => Direction::Missing,
            Refuses::More => Direction::Extra,
            Refuses::Same | Refuses::Unknown => return false,
        };
        finding.parts().is_some_and(|of| {
            let kind = match &of.kind {
                DifferenceKind::Error { error_type, .. } => error_type.api_name() == self.error_type,
                DifferenceKind::Decision { shape } => self.is_of_reason() && self.message == *shape,
                DifferenceKind::Value => false,
            };
            of.direction == direction && of.path == self.field && kind
        })
    }

    /// Whether it rejects with a reason in plain text.
    pub(super) fn is_of_reason(&self) -> bool {
        self.error_type == ObservedCheck::DENIED
    }

    /// How often: `refused in 28 cases, in 3 by the reference alone; 3,643 accepted`.
    #[must_use]
    pub fn figures(&self) -> String {
        let alone = match self.alone {
            0 => String::new(),
            some => format!(", in {} by the reference alone", grouped(some)),
        };
        let extra = match self.extra {
            0 => String::new(),
            some => format!("; in {} by the candidate alone", grouped(some)),
        };
        let unclear = match self.unclear {
            0 => String::new(),
            some => format!(", in {} beside other checks", grouped(some)),
        };
        format!(
            "rejected in {}{alone}{unclear}{extra}; {} accepted",
            counted(self.refused, "case"),
            grouped(self.accepted)
        )
    }
}

/// The observed checks of a pair, by field.
pub(super) fn observed(
    of: &PairEvidence,
    pair: &Pair,
    findings: &[FindingReport],
    policy: &ReadinessPolicy,
) -> Vec<ObservedReport> {
    let mut sums: BTreeMap<&ObservedCheck, Refusals<'_>> = BTreeMap::new();
    let mut accepted: BTreeMap<&str, u64> = BTreeMap::new();
    let mut compared = 0;
    for operation in Operation::ALL {
        let evidence = of.operation(operation);
        compared += evidence.counts.compared;
        for (check, counts) in &evidence.observed.checks {
            let sum = sums.entry(check).or_default();
            sum.refused += counts.refused;
            sum.alone += counts.alone;
            sum.unclear += counts.unclear;
            sum.messages.extend(counts.messages.iter().cloned());
            for (answer, cases) in &counts.answered {
                sum.answered.add(answer, *cases);
            }
            for (signature, of) in &counts.signatures {
                *sum.signatures.entry(signature.to_string()).or_default() += of.cases;
            }
        }
        for (field, counts) in evidence.observed.fields.iter().filter(|(_, counts)| counts.set > 0) {
            *accepted.entry(field.as_str()).or_default() += counts.accepted;
        }
    }
    put_together(&mut sums, Refusals::add);
    let fields: BTreeSet<&str> = accepted.keys().copied().collect();
    let accepted_values = |field: &str| of.accepted_values(field);
    let holds = |field: &str| holds(&pair.form, field);
    let report = |(check, of): (&&ObservedCheck, &Refusals<'_>)| {
        let Refusals { refused, alone, unclear, signatures, messages, answered } = of;
        let about = |direction: Direction| Against::of(findings, (check, signatures), direction);
        let beside = |other: &&&ObservedCheck| {
            other.field == check.field && other.error_type == check.error_type && *other != check
        };
        let others: Vec<&Answered<'_>> =
            sums.iter().filter(|(other, _)| beside(other)).map(|(_, of)| &of.answered).collect();
        let missing = about(Direction::Missing).of_check(signatures);
        let extra = about(Direction::Extra).in_stead_of(answered, &others).and(findings, check, answered).all();
        let open_alone = if missing.is_open { *alone } else { 0 };
        let accepted = accepted.get(check.field.as_str()).copied().unwrap_or_default();
        let lacks = |what: &str, some: u64, all: u64| {
            (some < all).then(|| format!("{} of {} {what}", grouped(some), grouped(all)))
        };
        let both = refused.saturating_sub(*alone).saturating_sub(*unclear);
        let short = lacks("rejections on both sides", both, policy.min_rejects)
            .or_else(|| lacks("accepted cases that set the field", accepted, policy.min_accepts.min(compared)));
        let (candidate_refuses, because) = if open_alone > 0 {
            (Refuses::Less, String::new())
        } else if extra.is_open {
            (Refuses::More, String::new())
        } else if let Some(short) = short {
            (Refuses::Unknown, short)
        } else {
            (Refuses::Same, String::new())
        };
        let (finding, lacking) = match candidate_refuses {
            Refuses::Less => (missing.number, missing.lacking),
            Refuses::More => (extra.number, extra.lacking),
            Refuses::Same | Refuses::Unknown => (None, None),
        };
        let shows = findings.iter().find(|of| Some(of.number) == lacking);
        // Of a value that the candidate rejects as well, a line of the schema tells nothing.
        let case = shows.filter(|_| candidate_refuses == Refuses::Less).and_then(|of| of.case.as_ref());
        let rejected = case.and_then(|case| {
            let is_of_check = |error: &&FieldError| {
                Some(error.error_type) == check.error_type
                    && pattern(&error.field) == check.field
                    && messages.contains(&*error.detail)
            };
            let value = serde_json::to_value(&case.reference.iter().find(is_of_check)?.bad_value).ok()?;
            (!value.is_null()).then_some(value)
        });
        let lacking = Lacking {
            check,
            messages,
            fields: &fields,
            holds: &holds,
            accepted: &accepted_values,
            only_changes: about(Direction::Missing).are_changes(),
            where_unset: shows.is_none_or(|of| of.classes.is_empty() || of.classes.contains_key("unset")),
            where_empty: shows.is_some_and(|of| of.classes.contains_key("empty")),
            rejected: rejected.as_ref(),
            rules: &pair.rules,
        };
        let suggestion = shows.filter(|_| pair.is_crd).and_then(|_| suggestion(&lacking)).unwrap_or_default();
        ObservedReport {
            field: check.field.clone(),
            error_type: check.type_name().to_owned(),
            message: check.message.clone(),
            refused: *refused,
            alone: *alone,
            unclear: *unclear,
            extra: extra.cases,
            accepted,
            candidate_refuses,
            because,
            finding,
            suggestion,
        }
    };
    sums.iter().map(report).collect()
}

/// What stands at a path pattern.
fn holds(form: &Form, path: &str) -> Holds {
    let ty = members(path).try_fold(form.root, |ty, member| form.schema.below(ty, member));
    match ty.map(|ty| form.schema.pointed(ty).1) {
        Some(Kind::Int { .. } | Kind::Float { .. }) => Holds::Number,
        Some(Kind::Text | Kind::Bytes) => Holds::Text,
        Some(Kind::List(_)) => Holds::List,
        Some(Kind::Map { .. } | Kind::Struct(_)) => Holds::Members,
        _ => Holds::Other,
    }
}

/// How often a check rejected.
#[derive(Default)]
struct Refusals<'e> {
    refused: u64,
    alone: u64,
    unclear: u64,
    /// Of those alone, the cases by the signature of the finding.
    signatures: BTreeMap<String, u64>,
    /// What its errors explain.
    messages: BTreeSet<String>,
    /// What the candidate explains in its stead.
    answered: Answered<'e>,
}

impl Refusals<'_> {
    fn add(&mut self, other: Self) {
        self.refused += other.refused;
        self.alone += other.alone;
        self.unclear += other.unclear;
        self.messages.extend(other.messages);
        self.answered.add_all(other.answered);
        for (signature, cases) in other.signatures {
            *self.signatures.entry(signature).or_default() += cases;
        }
    }
}

/// What speaks against a candidate.
#[derive(Default)]
struct Standing {
    /// Cases of all of them.
    cases: u64,
    /// Whether one is not decided about.
    is_open: bool,
    /// The number of the one with most cases.
    number: Option<usize>,
    /// The same, of those in which one side accepts what the other refuses.
    lacking: Option<usize>,
}

/// What the candidate says in a finding, as far as it speaks against a check; `None` if it does not. A value that is rejected as malformed
/// may well fail evaluation, too. A stored one keeps failing, although it may stay as it is.
fn told(finding: &FindingReport) -> Option<BTreeSet<String>> {
    let mut said = finding.candidate_says();
    let failed = said.iter().filter(|shape| has_failed(shape)).count();
    match finding.relation {
        _ if failed < said.len() => said.retain(|shape| !has_failed(shape)),
        Some(Relation::Kept) if failed > 0 => return None,
        _ => {}
    }
    Some(said)
}

/// The findings about one type of error on one field, in one direction; those with most cases first.
struct Against<'f>(Vec<&'f FindingReport>);

impl<'f> Against<'f> {
    fn of(
        findings: &'f [FindingReport],
        (check, signatures): (&ObservedCheck, &BTreeMap<String, u64>),
        direction: Direction,
    ) -> Self {
        let is_its = |finding: &FindingReport| signatures.contains_key(&finding.signature);
        let is_about = |finding: &&FindingReport| {
            let parts = finding.parts().filter(|of| of.direction == direction);
            parts.is_some_and(|of| check.is_of(&of.path, &of.kind) || is_its(finding))
        };
        let mut about: Vec<&FindingReport> = findings.iter().filter(is_about).collect();
        about.sort_by_key(|finding| std::cmp::Reverse(finding.count));
        Self(about)
    }

    /// Those that the candidate reports where it reports in the stead of this check. What it says elsewhere is a rule of its own. While it
    /// is not known what it says in the stead of the check, it may be all that it does not say in the stead of `others` with the same type
    /// and field. A finding that does not tell stands for all checks alike.
    fn in_stead_of(mut self, answered: &Answered<'_>, others: &[&Answered<'_>]) -> Self {
        let is_own = |shape: &str| answered.cases(shape) > 0 && !answered.is_by_chance(shape, others);
        let is_of_other = |shape: &str| others.iter().any(|of| of.cases(shape) > 0);
        self.0.retain(|finding| {
            let Some(said) = told(finding) else { return false };
            let is_its = |shape: &String| is_own(shape) || !(answered.is_known() || is_of_other(shape));
            said.is_empty() || said.iter().any(is_its)
        });
        self
    }

    /// Adds the findings around the check's field, or there with another type, that have the candidate's usual answer to the check.
    fn and(mut self, findings: &'f [FindingReport], check: &ObservedCheck, answered: &Answered<'_>) -> Self {
        // Of the object itself, and of what is only known in part, nobody can tell what is usual.
        if check.field.is_empty() || !answered.is_known() {
            return self;
        }
        let is_related = |path: &str| is_inside(&check.field, path);
        self.0.extend(findings.iter().filter(|finding| {
            let parts = finding.parts().filter(|of| of.direction == Direction::Extra && is_related(&of.path));
            let is_other = parts.is_some_and(|of| !check.is_of(&of.path, &of.kind));
            // An empty message fits any place.
            let is_usual = |shape: &String| !shape.is_empty() && answered.is_usual(shape);
            is_other && told(finding).is_some_and(|said| said.iter().any(is_usual))
        }));
        self.0.sort_by_key(|finding| std::cmp::Reverse(finding.count));
        self
    }

    /// Whether all of them concern changed values.
    fn are_changes(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|finding| finding.relation == Some(Relation::Changed))
    }

    /// All of them together.
    fn all(self) -> Standing {
        Self::standing(self.0.into_iter().map(|finding| (finding, finding.count)))
    }

    /// Those that the errors of one check count under. Evidence that does not tell stands for all checks alike.
    fn of_check(self, signatures: &BTreeMap<String, u64>) -> Standing {
        if signatures.is_empty() {
            return self.all();
        }
        let mut of_check: Vec<(&FindingReport, u64)> =
            self.0.into_iter().filter_map(|finding| Some((finding, *signatures.get(&finding.signature)?))).collect();
        of_check.sort_by_key(|(_, cases)| std::cmp::Reverse(*cases));
        Self::standing(of_check.into_iter())
    }

    fn standing(findings: impl Iterator<Item = (&'f FindingReport, u64)>) -> Standing {
        let mut standing = Standing::default();
        for (finding, cases) in findings {
            standing.cases += cases;
            let is_open =
                matches!(finding.standing(), FindingStanding::Blocking | FindingStanding::BroughtAlong { .. });
            if is_open && !standing.is_open {
                (standing.is_open, standing.number) = (true, Some(finding.number));
            }
            if is_open && standing.lacking.is_none() && !finding.is_refused_otherwise() {
                standing.lacking = Some(finding.number);
            }
        }
        standing
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::{Against, Answered};
    use crate::run::finding::FindingReport;
    use serde_json::json;
    use std::collections::BTreeMap;
    use takeover_harness::compare::{Cause, Direction};
    use takeover_harness::error::ErrorType;
    use takeover_harness::judge::ObservedCheck;

    #[test]
    fn two_checks_of_one_type_and_field_stand_by_the_signatures_of_their_own_errors() {
        let finding = |number: usize, signature: &str, count: u64, is: &str| -> FindingReport {
            let standing = json!({"is": is, "reason": "by design"});
            let finding = json!({
                "number": number, "signature": signature, "count": count, "rules": [], "first": "there",
                "standing": standing,
            });
            serde_json::from_value(finding).unwrap()
        };
        let open = "v1 Web create new missing reports-less FieldValueInvalid spec.a -";
        let tolerated = "v1 Web update kept missing ratchets FieldValueInvalid spec.a -";
        let findings = [finding(1, open, 3, "blocking"), finding(2, tolerated, 9, "tolerated")];
        let check = ObservedCheck {
            field: "spec.a".to_owned(),
            error_type: Some(ErrorType::Invalid),
            message: "must be at least N".to_owned(),
        };
        let standing = |signatures: &[(&str, u64)]| {
            let signatures: BTreeMap<String, u64> =
                signatures.iter().map(|(signature, cases)| ((*signature).to_owned(), *cases)).collect();
            let standing = Against::of(&findings, (&check, &signatures), Direction::Missing).of_check(&signatures);
            (standing.cases, standing.is_open, standing.number)
        };
        assert_eq!(standing(&[(tolerated, 9)]), (9, false, None));
        assert_eq!(standing(&[(open, 2), (tolerated, 1)]), (3, true, Some(1)));
        assert_eq!(standing(&[]), (12, true, Some(1)), "evidence that does not tell");
    }

    #[test]
    fn the_usual_answer_to_a_check_counts_wherever_it_is_reported() {
        let finding = |path: &str, detail: &str| -> FindingReport {
            let said =
                json!({"type": "FieldValueInvalid", "field": path, "origin": "", "detail": detail, "badValue": null});
            serde_json::from_value(json!({
                "number": 1, "signature": format!("v1 Web create new extra reports-more FieldValueInvalid {path} -"),
                "count": 2, "rules": [], "first": "there",
                "case": {"minimal": {}, "reference": [], "candidate": [said], "panics": []},
            }))
            .unwrap()
        };
        let check = ObservedCheck {
            field: "spec.limit".to_owned(),
            error_type: Some(ErrorType::Forbidden),
            message: "is below the request".to_owned(),
        };
        let mut answered = Answered::default();
        [("limit", 20), ("no quantity", 3), ("", 12)]
            .into_iter()
            .for_each(|(answer, cases)| answered.add(answer, cases));
        for (path, detail, cases) in [
            ("spec", "limit", 2),
            ("spec.limit", "limit", 2),
            ("spec", "no quantity", 0),
            ("spec.request", "limit", 0),
            ("spec", "ttl", 0),
            ("spec", "", 0),
        ] {
            let findings = [finding(path, detail)];
            let against = Against::of(&findings, (&check, &BTreeMap::new()), Direction::Extra);
            let standing = against.in_stead_of(&answered, &[]).and(&findings, &check, &answered).all();
            assert_eq!(standing.cases, cases, "{path}: {detail}");
        }
    }

    #[test]
    fn a_value_that_both_sides_refuse_shows_no_lack() {
        let lacking = |causes: &[(Cause, u64)]| {
            let findings: Vec<FindingReport> = (1..)
                .zip(causes)
                .map(|(number, (cause, count))| {
                    let signature = format!("v1 Web create new missing {cause} FieldValueInvalid spec.a -");
                    let finding = json!({
                        "number": number, "signature": signature, "count": count, "cause": cause, "rules": [],
                        "first": "there",
                    });
                    serde_json::from_value(finding).unwrap()
                })
                .collect();
            let check = ObservedCheck {
                field: "spec.a".to_owned(),
                error_type: Some(ErrorType::Invalid),
                message: "must be at least N".to_owned(),
            };
            let standing = Against::of(&findings, (&check, &BTreeMap::new()), Direction::Missing).all();
            (standing.number, standing.lacking)
        };
        assert_eq!(lacking(&[(Cause::OtherType, 9), (Cause::OtherPlace, 5)]), (Some(1), None));
        assert_eq!(lacking(&[(Cause::OtherType, 9), (Cause::ReportsLess, 5)]), (Some(1), Some(2)));
    }
}
