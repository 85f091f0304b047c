//! What was recorded against what our oracles answer: the judge of the core, its differences as lines.

use std::sync::Arc;
use takeover_corpora::fixture::Recorded;
use takeover_harness::case::{Operation, Options};
use takeover_harness::compare::{Comparator, Difference, Direction, Signature, What};
use takeover_harness::error::FieldError;
use takeover_harness::form::{Form, Sent};
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Outcome};
use takeover_harness::object::{FieldValidation, Node};
use takeover_harness::oracle::{Objects, Question};
use takeover_harness::pair::{Pair, Prepared};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::side::BySide;
use takeover_harness::subject::SubjectId;

/// A disagreement: what fixtures are grouped by, and both answers for people.
pub(super) type Line = (String, String);

/// Asks both oracles of `pair`, which take no view of the objects; the reference answers what was recorded.
pub(super) fn judged(pair: &Pair, question: &Question<'_>, record: &mut CaseRecord) -> Judgement {
    let prepared = Prepared { question: *question, views: BySide::default(), sent: Sent::default() };
    Judge::new(pair).prepared(&prepared, record)
}

/// The disagreements of the oracles of `pair`. No answer, or one that cannot be compared, is a disagreement, too.
pub(super) fn disagreements(pair: &Pair, question: &Question<'_>) -> Vec<Line> {
    let mut record = CaseRecord::new();
    match judged(pair, question, &mut record) {
        Judgement::Compared(Outcome::AgreedAccept | Outcome::AgreedReject) => Vec::new(),
        Judgement::Compared(Outcome::Missing | Outcome::Extra | Outcome::Differs) => {
            lines(pair, question, &record.differences)
        }
        Judgement::Compared(Outcome::Incomparable | Outcome::Panicked) => {
            let panics: Vec<String> = record.panics.iter().map(|panicked| panicked.panic.to_string()).collect();
            vec![("cannot be compared".to_owned(), panics.join("\n"))]
        }
        unable => unable.reason().into_iter().collect(),
    }
}

/// The disagreements of two answers that are both there already, about objects whose types are not needed.
pub(super) fn between(
    id: &SubjectId,
    operation: Operation,
    recorded: Recorded,
    ours: Recorded,
    comparator: Comparator,
) -> Vec<Line> {
    let schema = Arc::new(Schema::new());
    let pair = Pair { comparator, ..Pair::new(id.clone(), without_types(&schema), Box::new(recorded), Box::new(ours)) };
    let objects = Objects { schema: &schema, root: TypeId(0), new: Node::Unset, old: None, sent: None };
    let question = Question { operation, objects, options: &Options::new(), subresource: &id.subresource };
    disagreements(&pair, &question)
}

/// The form of questions whose objects have no types.
pub(super) fn without_types(schema: &Arc<Schema>) -> Form {
    Form {
        schema: Arc::clone(schema),
        root: TypeId(0),
        field_validation: FieldValidation::Strict,
        defaulter: None,
        strategy: None,
    }
}

fn lines(pair: &Pair, question: &Question<'_>, differences: &[Difference]) -> Vec<Line> {
    let detail = differences.iter().map(described).collect::<Vec<_>>().join("\n");
    let line = |difference: &Difference| {
        let signature = Signature::of(&pair.id, question.operation, difference);
        // The same error in other words is one disagreement, not two.
        let reworded = differences.iter().any(|other| {
            other.direction == difference.direction.reversed()
                && other.what.field() == difference.what.field()
                && other.what.kind() == difference.what.kind()
        });
        let direction = if reworded { Direction::Differs } else { signature.direction };
        (Signature { direction, ..signature }.difference(), detail.clone())
    };
    differences.iter().map(line).collect()
}

/// A difference with everything that is compared.
fn described(difference: &Difference) -> String {
    let beside = match &difference.what {
        What::Error(error) => beside(error),
        What::Value { .. } | What::Decision { .. } => String::new(),
    };
    format!("{} {}{beside}", difference.direction, difference.what)
}

/// What an error says beside its message.
fn beside(error: &FieldError) -> String {
    let mut said = Vec::new();
    if !error.origin.is_empty() {
        said.push(format!("origin `{}`", error.origin));
    }
    said.extend(error.stability.map(|level| level.to_string()));
    said.extend(error.short_circuit.then(|| "short circuit".to_owned()));
    said.extend(error.covered_by_declarative.then(|| "covered".to_owned()));
    if said.is_empty() { String::new() } else { format!(" [{}]", said.join(", ")) }
}
