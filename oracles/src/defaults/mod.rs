//! Defaults as oracles: what the code of a server sets in an object against what the markers of its types set.
//!
//! An answer has one error for each value that defaulting sets, at its path, with the value as origin. So a default is compared,
//! attributed to its marker, minimised and excused as any error is. Values that code sets without a marker
//! are not marked as covered, so they count as checks without a rule. `rows` lists what was set, `markers` are the rules, `faults` are
//! planted in them.

mod faults;
mod markers;
mod rows;

pub use rows::{CHANGED, REMOVED, UNSTEADY};

use self::faults::Faults;
use self::markers::{Marker, markers};
use self::rows::{Row, rows};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use takeover_harness::compare::{Comparator, Matcher};
use takeover_harness::error::{FieldError, Stability};
use takeover_harness::form::{Defaulter, Form};
use takeover_harness::object::{Arena, FieldValidation, Node, to_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::RuleId;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::PairId;

/// The name of the pairs that compare defaults: `v1 Service#defaults`.
pub const NAME: &str = "defaults";

/// The level of markers: without one, they would not be compared.
const LEVEL: Stability = Stability::Beta;

/// The pair of what code sets in objects of a type, and what the markers of the type set; `None` when the type and what is in it
/// have no markers.
#[must_use]
pub fn pair(
    id: PairId,
    schema: &Arc<Schema>,
    root: TypeId,
    code: Box<dyn Defaulter>,
    declared: Box<dyn Defaulter>,
) -> Option<Pair> {
    let markers = markers(schema, root);
    if markers.is_empty() {
        return None;
    }
    let rules = markers.iter().map(|marker| marker.rule.clone()).collect();
    let marked: BTreeSet<String> =
        markers.iter().flat_map(|marker| &marker.rule.reports).map(|report| report.field.clone()).collect();
    let faults = Faults::of(&markers);
    let form = Form {
        schema: Arc::clone(schema),
        root,
        field_validation: FieldValidation::Warn,
        defaulter: None,
        strategy: None,
    };
    let reference = Box::new(ByCode { defaulter: code, marked });
    let candidate = Box::new(ByMarkers::new(declared, markers));
    Some(Pair {
        comparator: Comparator::Kubernetes(Matcher::default()),
        rules,
        controls: Some(Box::new(faults)),
        ..Pair::new(id, form, reference, candidate)
    })
}

/// What code sets.
struct ByCode {
    defaulter: Box<dyn Defaulter>,
    /// The path patterns of the values that markers set.
    marked: BTreeSet<String>,
}

/// What markers set.
struct ByMarkers {
    defaulter: Box<dyn Defaulter>,
    markers: Vec<Marker>,
    /// The markers by the path patterns of the values that they set.
    by_path: BTreeMap<String, RuleId>,
}

impl ByMarkers {
    fn new(defaulter: Box<dyn Defaulter>, markers: Vec<Marker>) -> Self {
        let reports = markers
            .iter()
            .flat_map(|marker| marker.rule.reports.iter().map(|report| (report.field.clone(), marker.rule.id)));
        Self { by_path: reports.collect(), defaulter, markers }
    }
}

/// What a defaulter sets in the new object of a request, and the object with it.
fn set_by(defaulter: &dyn Defaulter, objects: &Objects<'_>) -> (Vec<Row>, serde_json::Value) {
    let arena = Arena::new();
    let print = |node: &Node<'_>| to_value(objects.schema, objects.root, node);
    let once = defaulter.apply(objects.schema, objects.root, objects.new, &arena);
    let twice = defaulter.apply(objects.schema, objects.root, once, &arena);
    let (before, after) = (print(&objects.new), print(&once));
    let mut found = rows(&before, &after, objects);
    let again = rows(&after, &print(&twice), objects);
    found.extend(again.into_iter().map(Row::unsteady));
    (found, after)
}

impl Oracle for ByCode {
    fn precision(&self) -> Precision {
        Precision { reached: false, ..Precision::KUBERNETES }
    }

    fn answer(&self, question: &Question<'_>, _: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let (found, _) = set_by(self.defaulter.as_ref(), &question.objects);
        for row in found {
            // What markers do not set counts as one difference for all values, which may depend on other fields.
            let is_covered = self.marked.contains(&pattern(&row.field)) || row.breaks_law();
            let error = row.error(is_covered);
            answer.push(if is_covered { error.covered() } else { error });
        }
        Ok(())
    }
}

impl Oracle for ByMarkers {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let (found, after) = set_by(self.defaulter.as_ref(), &question.objects);
        for marker in &self.markers {
            if marker.is_reached(&after) {
                answer.reach(marker.rule.id);
            }
        }
        for row in found {
            let rule = self.by_path.get(&pattern(&row.field)).copied();
            answer.push(FieldError { rule, stability: Some(LEVEL), ..row.error(true) });
        }
        Ok(())
    }
}
