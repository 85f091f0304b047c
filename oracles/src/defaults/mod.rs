//! Defaults as oracles: what the code of a server sets in an object against what the markers of its types set.
//!
//! An answer has one error for each value that defaulting sets, at its path, with the value as origin. So a default is compared,
//! attributed to its marker, minimised and excused as any error is. Values that code sets without a marker
//! are not marked as covered, so they count as checks without a rule. Defaulting that breaks a law is an error of the candidate alone,
//! attributed to the law.
//!
//! `tried` is what defaulting makes of an object; `made` answers with that object instead. `canonical` is what the markers set in a custom
//! resource. `rows` lists what was set, `markers` and `laws` are the rules, `skeleton` and `bare` take away what a default may depend on,
//! `deciding` are the values that one may depend on, `untyped` is the JSON whose order one may depend on, `together` tries defaults beside
//! each other, `orders` tells what has an order, `later` is what happens to an object before it is defaulted again, `faults` are planted in
//! markers, `planted` in all that a server sets. `known` caches the results for the last objects. `asked` is a program, webhook or server
//! that stands for code.

mod aligned;
mod asked;
mod bare;
mod canonical;
mod deciding;
mod faults;
mod known;
mod later;
mod laws;
mod made;
mod markers;
mod orders;
mod planted;
mod rows;
mod skeleton;
mod together;
mod tried;
mod unfit;
mod untyped;
mod zero;

pub use asked::Asked;
pub use laws::{CHANGED, DEPENDENT, INVALID, LATER, REMOVED, UNORDERED, UNSTEADY};
pub use made::Made;
pub use planted::Planted;
pub use unfit::unfit;

use self::bare::Skeletons;
use self::canonical::{AsCustomResource, AsWritten, of_items, of_types};
use self::deciding::deciding;
use self::faults::Faults;
use self::known::{Known, Last};
use self::laws::Laws;
use self::markers::{Marker, folded, markers};
use self::rows::origin;
pub(crate) use self::rows::{Row, rows};
pub(crate) use self::skeleton::everything;
use self::tried::{Once, Orders, Sent};
use self::untyped::untyped;
pub(crate) use self::zero::is_zero_scalar;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use takeover_declarative::DeclaredDefaults;
use takeover_declarative::idl::Idl;
use takeover_harness::compare::{Comparator, Matcher, Matter};
use takeover_harness::error::{FieldError, Stability};
use takeover_harness::form::{Defaulter, Form};
use takeover_harness::object::{Arena, FieldValidation, from_value, to_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::{Rule, RuleId};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::PairId;

/// The name of the pairs that compare defaults: `v1 Service#defaults`.
pub const NAME: &str = "defaults";

/// The level of markers: without one, they would not be compared.
const LEVEL: Stability = Stability::Beta;

/// Why a case is not compared whose object gets other defaults each time.
const UNSTEADY_ANSWER: &str = "what sets the defaults gives different answers to the same object";

/// The two ways of defaulting objects of a type, and what judges the objects.
#[derive(Default)]
pub struct Sources {
    /// What code sets; none where a server has no code.
    pub code: Option<Box<dyn Defaulter>>,
    /// What the markers of the types set; none where there are none, or a server does not heed them.
    pub markers: Option<Box<dyn Defaulter>>,
    /// The defaults of the items of lists and the values of maps, by their type.
    pub items: Vec<Option<Value>>,
    /// The defaults that types declare for fields without a marker, by type; empty where code is generated, which ignores them.
    pub types: Vec<Option<Value>>,
    /// What decides whether a default is valid; none where nothing does.
    pub validator: Option<Box<dyn Oracle>>,
    /// What the markers set before some of them were added: objects that were stored then take the others when they are read.
    pub earlier: Vec<Box<dyn Defaulter>>,
    /// Where code and markers see objects as they were sent: the path patterns at which null is a value of its own. None where they see
    /// decoded objects, in which null is unset.
    pub nulls: Option<Arc<BTreeSet<String>>>,
    /// Whether each call of the code costs so much that it is not asked beforehand on which fields its defaults depend.
    pub is_dear: bool,
    /// Values that texts may have, by path pattern: the generator tries those on which defaults depend.
    pub values: BTreeMap<String, Vec<String>>,
}

/// The pair of what code sets in objects of a type, and what the markers of the type set; `None` when neither sets anything.
#[must_use]
pub fn pair(id: PairId, schema: &Arc<Schema>, root: TypeId, sources: Sources) -> Option<Pair> {
    made(id, schema, root, sources, Matter::Defaults)
}

/// The pair of what the markers of a type set in a custom resource, whose schema has them as defaults, and in a built-in one: in the
/// objects that Go writes, both are the same (KEP-1929). `None` when there are no markers.
#[must_use]
pub fn semantics(id: PairId, schema: &Arc<Schema>, root: TypeId, sources: Sources) -> Option<Pair> {
    made(id, schema, root, sources, Matter::Semantics)
}

impl Sources {
    /// What the markers of Go types set in a custom resource, in place of code, and in a built-in one; `None` when there are no markers.
    #[must_use]
    pub fn of_custom_resource(idl: &Idl, root: TypeId) -> Option<Self> {
        let markers = Box::new(AsWritten(DeclaredDefaults::of(idl, root)?));
        let code = Some(Box::new(AsCustomResource::of(idl)) as Box<dyn Defaulter>);
        Some(Self { code, markers: Some(markers), items: of_items(idl), types: of_types(idl), ..Self::default() })
    }

    /// Whether code or markers set anything in objects of a type, so that there is a pair of them.
    #[must_use]
    pub fn set_any(&self, schema: &Schema, root: TypeId) -> bool {
        !self.found_markers(schema, root).is_empty()
            || self
                .code
                .as_deref()
                .is_some_and(|code| !set_in(code, &everything(schema, root), schema, root).is_empty())
    }

    fn found_markers(&self, schema: &Schema, root: TypeId) -> Vec<Marker> {
        if self.markers.is_some() { markers(schema, root, (&self.items, &self.types)) } else { Vec::new() }
    }
}

/// What is worth trying on the fields of a type that have defaults: absence, null, zero and the default itself.
#[must_use]
pub fn hints(schema: &Schema, root: TypeId) -> Vec<Rule> {
    let mut rules: Vec<Rule> = markers(schema, root, (&[], &[])).into_iter().map(|marker| marker.rule).collect();
    for rule in &mut rules {
        // Whether the kind's validation accepts any of them is not known.
        rule.boundaries.retain(|class| class.class != markers::ANOTHER);
        rule.boundaries.iter_mut().for_each(|class| class.breaks = true);
        rule.reports.clear();
    }
    rules
}

fn made(id: PairId, schema: &Arc<Schema>, root: TypeId, sources: Sources, matter: Matter) -> Option<Pair> {
    let mut markers = sources.found_markers(schema, root);
    if sources.markers.as_deref().is_some_and(Defaulter::reads_text) {
        let is_null_kept = |path: &str| sources.nulls.as_ref().is_some_and(|nulls| nulls.contains(path));
        markers.iter_mut().for_each(|marker| marker.keeps_as_a_schema_does(is_null_kept(&marker.rule.path)));
    }
    let code: Option<Arc<dyn Defaulter>> = sources.code.map(Arc::from);
    let whole = everything(schema, root);
    // Programs and servers are to set what the markers set, and may set anything else.
    let by_code = match code.as_deref() {
        Some(code) if code.reads_text() => None,
        Some(code) => Some(set_in(code, &whole, schema, root)),
        None => Some(BTreeSet::new()),
    };
    if markers.is_empty() && by_code.as_ref().is_some_and(BTreeSet::is_empty) {
        return None;
    }
    for marker in &mut markers {
        let is_by_code = |by_code: &BTreeSet<String>| marker.rule.reports.iter().any(|of| by_code.contains(&of.field));
        // Nothing is compared where the marker is the only source of a default.
        marker.is_alone = matter == Matter::Defaults && !by_code.as_ref().is_none_or(is_by_code);
        if marker.is_alone {
            marker.rule.boundaries.clear();
        }
    }
    let compared: Vec<Marker> = markers.iter().filter(|marker| !marker.is_alone).cloned().collect();
    let faults = Faults::of(&compared);
    let marked: BTreeSet<String> =
        markers.iter().flat_map(|marker| &marker.rule.reports).map(|report| report.field.clone()).collect();
    let rule = |marker: &Marker| {
        let reports = if marker.is_alone { Vec::new() } else { marker.rule.reports.clone() };
        Rule { reports, ..marker.rule.clone() }
    };
    let laws = Laws { first: markers.len(), validator: sources.validator, has_code: code.is_some() };
    let rules: Vec<Rule> = markers.iter().map(rule).chain(laws.rules()).collect();
    // Where the code is no type's own, but that of a custom resource, defaults do not depend on other fields.
    let deciding = match (code.as_deref(), matter) {
        (Some(code), Matter::Defaults) if !sources.is_dear => deciding(code, (schema, root), &whole, &sources.values),
        _ => Vec::new(),
    };
    let beside: Vec<Rule> = deciding.into_iter().chain(untyped(schema, root)).collect();
    // What is known beside the rules would stand for them otherwise.
    let baseline = if beside.is_empty() { Vec::new() } else { rules.iter().cloned().chain(beside).collect() };
    let form = Form {
        schema: Arc::clone(schema),
        root,
        field_validation: FieldValidation::Warn,
        defaulter: None,
        strategy: None,
    };
    let declared: Option<Arc<dyn Defaulter>> = sources.markers.map(Arc::from);
    let skeletons = Skeletons::of(code.clone(), declared.clone());
    let seen = Arc::new(Seen { skeletons, last: Last::default(), nulls: sources.nulls });
    let reference =
        Box::new(ByCode { defaulter: code.clone(), marked, markers: markers.clone(), seen: Arc::clone(&seen) });
    let candidate =
        Box::new(ByMarkers { earlier: sources.earlier, ..ByMarkers::new(declared, code, markers, laws, seen) });
    Some(Pair {
        comparator: Comparator::Kubernetes(Matcher::default()),
        rules,
        baseline,
        controls: Some(Box::new(faults)),
        matter,
        ..Pair::new(id, form, reference, candidate)
    })
}

/// The path patterns of what code sets in an object.
fn set_in(code: &dyn Defaulter, object: &Value, schema: &Schema, root: TypeId) -> BTreeSet<String> {
    let arena = Arena::new();
    let Ok(node) = from_value(schema, root, object, &arena) else { return BTreeSet::new() };
    let after = to_value(schema, root, &code.apply(schema, root, node, &arena));
    rows(&to_value(schema, root, &node), &after, schema, root).iter().map(|row| pattern(&row.field)).collect()
}

/// The results so far.
struct Seen {
    skeletons: Skeletons,
    last: Last,
    /// Where null is a value of its own, if objects are seen as they were sent.
    nulls: Option<Arc<BTreeSet<String>>>,
}

impl Seen {
    fn known(&self, objects: &Objects<'_>) -> Arc<Known> {
        self.last.known(objects, self.nulls.as_deref())
    }

    fn sent<'a>(&'a self, objects: &Objects<'a>, known: &'a Known) -> Sent<'a> {
        Sent::of(objects, known.sent(), self.nulls.as_deref())
    }
}

/// What code sets.
struct ByCode {
    defaulter: Option<Arc<dyn Defaulter>>,
    /// The path patterns of the values that markers set.
    marked: BTreeSet<String>,
    markers: Vec<Marker>,
    seen: Arc<Seen>,
}

/// What markers set.
struct ByMarkers {
    defaulter: Option<Arc<dyn Defaulter>>,
    code: Option<Arc<dyn Defaulter>>,
    markers: Vec<Marker>,
    /// The markers by the path patterns of the values that they set, those of enclosing structs first.
    by_path: BTreeMap<String, Vec<Setter>>,
    laws: Laws,
    seen: Arc<Seen>,
    earlier: Vec<Box<dyn Defaulter>>,
}

/// A marker that sets a value.
struct Setter {
    rule: RuleId,
    /// Whether no code sets the field.
    is_alone: bool,
    /// The origin of errors for the value.
    origin: String,
}

/// The structs that markers set as a whole.
fn new_structs(markers: &[Marker], before: &Value, found: &Once) -> Vec<Row> {
    let all = markers.iter().flat_map(|marker| marker.new_structs(before, &found.after));
    // An empty one is listed already.
    all.filter(|row| !found.rows.contains(row)).collect()
}

impl ByMarkers {
    /// The marker behind a value. What a struct that was not there has inside is of its marker, if that has the value.
    fn setter(&self, row: &Row, new_structs: &[Row], (schema, root): (&Schema, TypeId)) -> Option<&Setter> {
        let setters = self.by_path.get(&pattern(&row.field));
        let setters = setters.or_else(|| self.by_path.get(&folded(schema, root, &row.field)?))?;
        let origin = origin(&row.value);
        let mut fitting = setters.iter().filter(|of| of.origin == origin);
        let is_in_new = new_structs.iter().any(|of| row.is_within(&of.field));
        let found = if is_in_new { fitting.next() } else { fitting.next_back() };
        found.or(setters.last())
    }

    fn new(
        defaulter: Option<Arc<dyn Defaulter>>,
        code: Option<Arc<dyn Defaulter>>,
        markers: Vec<Marker>,
        laws: Laws,
        seen: Arc<Seen>,
    ) -> Self {
        let mut by_path: BTreeMap<String, Vec<Setter>> = BTreeMap::new();
        for marker in &markers {
            for report in &marker.rule.reports {
                let (rule, is_alone, origin) = (marker.rule.id, marker.is_alone, report.origin.to_string());
                by_path.entry(report.field.clone()).or_default().push(Setter { rule, is_alone, origin });
            }
        }
        Self { by_path, defaulter, code, markers, laws, seen, earlier: Vec::new() }
    }
}

impl Oracle for ByCode {
    fn precision(&self) -> Precision {
        Precision { reached: false, ..Precision::KUBERNETES }
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let (Some(code), objects) = (self.defaulter.as_deref(), &question.objects) else { return Ok(()) };
        let known = self.seen.known(objects);
        let sent = self.seen.sent(objects, &known);
        let found = known.by_code(code, &sent)?;
        if code.reads_text() {
            let arena = Arena::new();
            if known.code_tried(code, found, &sent, &Orders::new(&arena)).is_unsteady {
                return Err(OracleFailure::new(UNSTEADY_ANSWER));
            }
        }
        let bare = known.bare(&self.seen.skeletons, &sent);
        let is_marked = |field: &str| {
            let again = || folded(objects.schema, objects.root, field);
            self.marked.contains(&pattern(field)) || again().is_some_and(|path| self.marked.contains(&path))
        };
        for row in found.rows.iter().filter(|row| row.is_set()) {
            if is_marked(&row.field) {
                answer.push(row.error(false).covered());
            } else {
                answer.push(row.error(!bare.is_some_and(|bare| bare.confirms(row))));
            }
        }
        for row in new_structs(&self.markers, sent.before, found) {
            answer.push(row.error(false).covered());
        }
        let left_out = bare.into_iter().flat_map(|bare| known.left_out(bare, found, &sent));
        let left_out = left_out.filter(|row| !is_marked(&row.field));
        for row in left_out.filter(|row| !found.rows.iter().any(|of| of.field == row.field)) {
            answer.push(row.error(true));
        }
        Ok(())
    }

    fn given_up(&self) -> Option<String> {
        self.defaulter.as_deref()?.given_up()
    }
}

impl Oracle for ByMarkers {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let objects = &question.objects;
        self.laws.reach(answer);
        let arena = Arena::new();
        let known = self.seen.known(objects);
        let (sent, orders) = (self.seen.sent(objects, &known), Orders::new(&arena));
        let of_code = |code| {
            let found = known.by_code(code, &sent).ok()?;
            Some((found, known.code_tried(code, found, &sent, &orders)))
        };
        let by_code = match self.code.as_deref().map(of_code) {
            // The other side says that it fails.
            Some(None) => return Ok(()),
            by_code => by_code.flatten(),
        };
        if let Some(markers) = self.defaulter.as_deref() {
            let found = known.by_markers(markers, &sent)?;
            let tried = known.markers_tried((markers, &self.earlier), found, &sent, &orders);
            for marker in self.markers.iter().filter(|marker| marker.is_reached(&found.after)) {
                answer.reach(marker.rule.id);
            }
            let structs_of_code = by_code.map(|(found, _)| new_structs(&self.markers, sent.before, found));
            let rows_of_code =
                by_code.iter().flat_map(|(found, _)| &found.rows).chain(structs_of_code.iter().flatten());
            let set_by_code: HashSet<&str> =
                rows_of_code.filter(|row| row.is_set()).map(|row| row.field.as_str()).collect();
            let structs = new_structs(&self.markers, sent.before, found);
            for row in found.rows.iter().filter(|row| row.is_set()).chain(&structs) {
                let setter = self.setter(row, &structs, (objects.schema, objects.root));
                if !setter.is_some_and(|of| of.is_alone) || set_by_code.contains(row.field.as_str()) {
                    let rule = setter.map(|of| of.rule);
                    answer.push(FieldError { rule, stability: Some(LEVEL), ..row.error(false) });
                }
            }
            self.laws.of_defaulting("markers", found, tried, answer);
        }
        if let Some((found, tried)) = by_code {
            self.laws.of_defaulting("code", found, tried, answer);
        }
        if let Some(bare) = known.bare(&self.seen.skeletons, &sent) {
            if let Some((found, _)) = by_code {
                self.laws.of_dependence(found, bare, known.left_out(bare, found, &sent), answer);
            }
            self.laws.of_validity(bare, &self.seen.skeletons, (question, &known.before), answer);
        }
        Ok(())
    }
}
