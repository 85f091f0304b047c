//! How the answers of a pair were compared, in words.

use super::subject::SubjectReport;
use crate::numbers::{counted, grouped};
use crate::text::shown;
use takeover_harness::compare::{ComparedBy, Participation, Unset};
use takeover_harness::error::FieldError;
use takeover_harness::release::Release;
use takeover_harness::side::Side;

/// Whether an error of a side takes part in the comparison. `None` stands for the usual comparison.
pub(super) fn includes(compared_by: Option<ComparedBy>, side: Side, error: &FieldError) -> bool {
    match (compared_by, side) {
        (Some(ComparedBy::Kubernetes { participation, .. }), _) => participation.includes(side, error),
        (Some(ComparedBy::Fields { .. } | ComparedBy::Verbatim), _) => true,
        (Some(ComparedBy::Decision | ComparedBy::Objects { .. }), _) => false,
        (None, Side::Reference) => error.covered_by_declarative,
        (None, Side::Candidate) => true,
    }
}

/// Whether errors that differ in their origin alone are different.
pub(super) fn heeds_origin(compared_by: Option<ComparedBy>) -> bool {
    !matches!(compared_by, Some(ComparedBy::Fields { origin: false }))
}

/// Says how answers were compared: `by decision`, `as in Kubernetes 1.37`.
pub(super) fn said(compared_by: ComparedBy) -> String {
    let more = match compared_by {
        ComparedBy::Kubernetes { participation: Participation::All, .. } => ", all errors taking part",
        ComparedBy::Objects { unset: Unset::Told } => ", null, empty and absent values being told apart",
        ComparedBy::Objects { unset: Unset::Distinct } => ", null and absence being different",
        ComparedBy::Objects { unset: Unset::Empty } => ", empty and absent values being the same",
        _ => "",
    };
    let how = compared_by.to_string();
    mixed(&how).unwrap_or(format!("as in Kubernetes {how}")) + more
}

/// How answers were compared by the `semantics` of a report, unless all were compared as a release of Kubernetes does:
/// `by decision`, or `as in Kubernetes 1.37, by decision`.
pub(super) fn mixed(semantics: &str) -> Option<String> {
    let is_release = |way: &&str| way.parse::<Release>().is_ok();
    let ways: Vec<&str> = semantics.split(", ").collect();
    if ways.iter().all(is_release) {
        return None;
    }
    let of_kubernetes = if ways.iter().any(is_release) { "as in Kubernetes " } else { "" };
    Some(format!("{of_kubernetes}{semantics}"))
}

/// Says how the oracles of a pair answered and were compared, as far as that is unusual: a line each. What oracles said is
/// written by `quoted`.
pub(super) fn remarks(subject: &SubjectReport, quoted: fn(&str) -> String) -> Vec<String> {
    let compared = subject.compared_by.map(|how| format!("compared {}", said(how)));
    let unshown = subject.unshown.as_ref().map(|because| match subject.apart {
        true => format!("apart from the figures of the run: {}", shown(because)),
        false => format!("no server shows this: {}", shown(because)),
    });
    let mut remarks: Vec<String> = unshown.into_iter().chain(compared).collect();
    if subject.reached_by_presence {
        remarks.push(
            "rules count as reached where their field is set: the candidate does not say which rules it reaches"
                .to_owned(),
        );
    }
    if let Some(answers) = &subject.answers {
        let failed = |side: Side| {
            let first = subject.totals.first_said(&format!("the {side} could not judge"), quoted);
            Some(answers.failed(side)? + &first.map_or_else(String::new, |first| format!("; {first}")))
        };
        remarks.extend(Side::ALL.into_iter().filter_map(failed));
        remarks.extend(Side::ALL.into_iter().filter_map(|side| answers.uncompared(side, subject.compared_by)));
    }
    if subject.totals.asked_again > 0 {
        remarks.push(format!(
            "both sides were asked again about {} and every case in which they differ, to check that their answers stay the same",
            counted(subject.totals.asked_again, "case")
        ));
    }
    remarks
}

/// What became of the cases, in a line, with numbers as `number` writes them.
pub(super) fn totals(subject: &SubjectReport) -> String {
    let of = &subject.totals;
    let (accept, reject) = match subject.compared_by {
        _ if subject.apply => ("keep every law", "agree on the same errors"),
        _ if subject.defaults => ("set nothing alike", "set the same defaults"),
        Some(ComparedBy::Decision) => ("agree to accept", "agree to reject"),
        Some(ComparedBy::Objects { .. }) => ("agree to change nothing", "agree on the same changes or to reject"),
        Some(ComparedBy::Kubernetes { .. } | ComparedBy::Fields { .. } | ComparedBy::Verbatim) | None => {
            ("agree: no error", "agree: the same errors")
        }
    };
    let incomparable = match of.incomparable {
        0 => String::new(),
        some => format!("{} cannot be compared, ", grouped(some)),
    };
    format!(
        "{} cases: {} compared ({} {accept}, {} {reject}, {} disagree, {incomparable}{} panicked), {} undecodable, {} skipped",
        grouped(of.cases),
        grouped(of.compared),
        grouped(of.agreed_accept),
        grouped(of.agreed_reject),
        grouped(of.disagreed),
        grouped(of.panicked),
        grouped(of.undecodable.values().sum()),
        grouped(of.skipped.values().sum()),
    )
}
