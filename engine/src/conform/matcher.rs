//! Fixtures of the comparison alone: two error lists in, the mismatches of each release's algorithm out.

use super::judging::{disagreements, without_types};
use super::mismatch;
use super::oracles::Mismatches;
use crate::say::Say;
use std::sync::Arc;
use takeover_corpora::fixture::{Column, Recorded, RecordedComparison};
use takeover_harness::case::{Operation, Options};
use takeover_harness::compare::{Comparator, Mismatch};
use takeover_harness::error::FieldError;
use takeover_harness::object::Node;
use takeover_harness::oracle::{Objects, Oracle, Question};
use takeover_harness::pair::Pair;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, FixtureExample};

/// The name under which these fixtures are counted.
const KIND: &str = "comparison alone";

/// Judges one fixture against every column that it records.
pub(super) fn judge(fixture: &RecordedComparison, place: &str, bytes: usize, agreement: &mut Agreement, say: Say<'_>) {
    let columns = fixture.columns().map_err(|error| error.to_string());
    let columns = columns.and_then(|columns| {
        let recorded = |column: Column| {
            let recorded = column.recorded.iter().map(|text| mismatch::recorded_in_full(text)).collect::<Option<_>>();
            recorded.map(|recorded| (column, recorded)).ok_or("a mismatch of unknown form")
        };
        columns.into_iter().map(recorded).collect::<Result<Vec<(Column, Vec<FieldError>)>, _>>().map_err(str::to_owned)
    });
    let columns = match columns {
        Ok(columns) => columns,
        Err(error) => {
            say(&format!("warning: {place}: not a comparison fixture: {error}"));
            return agreement.skip("not a comparison fixture");
        }
    };
    let schema = Arc::new(Schema::new());
    let objects = Objects { schema: &schema, root: TypeId(0), new: Node::Unset, old: None, sent: None };
    let options = Options::new();
    let question = Question { operation: Operation::Create, objects, options: &options, subresource: "" };
    let pair = |reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>, comparator: Comparator| Pair {
        comparator,
        ..Pair::new(SubjectId::new("", KIND), without_types(&schema), reference, candidate)
    };
    let said = |errors: &[FieldError]| Box::new(Recorded::errors(errors.to_vec()));
    for (column, recorded) in columns {
        let side = format!("matcher {}", column.name);
        let comparator = Comparator::Kubernetes(column.matcher.clone());
        let sides = pair(said(&fixture.handwritten), said(&fixture.declarative), comparator);
        let ours = Mismatches { pair: sides, words: move |mismatch: &Mismatch<'_>| column.text(mismatch) };
        let pair = pair(said(&recorded), Box::new(ours), Comparator::Verbatim);
        let example = |detail| FixtureExample { place: place.to_owned(), id: fixture.id.clone(), bytes, detail };
        agreement.count(KIND, &side, "compare", disagreements(&pair, &question), example);
    }
}
