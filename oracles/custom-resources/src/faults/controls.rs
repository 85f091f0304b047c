//! All faults of a kind, judged next to their rules.

use super::edit::Edit;
use super::fault::{Change, Fault, Part, faults};
use super::judged::{Judged, misreported};
use super::sites::{Site, Tree, find, sites};
use crate::kind::CustomKind;
use crate::rules::{NodeLanguage, Old, Outcome, Program, failure};
use crate::structural::{CelRule, Structural};
use crate::validate::{Link, Request, Source, has_sound_lists, node_errors};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use takeover_cel::cost::limits;
use takeover_harness::control::{Control, Controls, Exposed, Exposure};
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::oracle::{Answer, Question, View};
use takeover_harness::side::Side;

/// Schemas below a node with rules.
const MOST_SCHEMAS: usize = 100_000;

/// Every fault of the rules of a kind, ready to be judged.
///
/// A fault is not judged with the whole schema but with the constraints of its own schema, on the values that an object has there, and
/// only until it is exposed.
pub struct Faults {
    sound: Judged,
    faults: Vec<Fault>,
    catalogue: Vec<Control>,
    groups: Vec<Group>,
    tree: Tree,
    nodes: Vec<Node>,
}

/// The faults of one rule.
struct Group {
    /// Number of the schema.
    node: usize,
    /// Those that a case can expose, by their place in the list.
    faults: Vec<usize>,
    /// The sound rule of CEL, if it is one.
    rule: Option<(CelRule, Arc<dyn Program>)>,
}

/// A schema with faults: its own constraints alone, and with each fault.
struct Node {
    own: Structural,
    ty: &'static str,
    edited: HashMap<usize, Structural>,
}

impl Faults {
    /// The faults of a kind. Compiles each faulty CEL rule.
    #[must_use]
    pub fn of(kind: &CustomKind) -> Self {
        let sound = Judged::of(kind);
        let all = faults(kind);
        let catalogue = all.iter().map(planned).collect();
        let mut faults =
            Self { sound, faults: all, catalogue, groups: Vec::new(), tree: Tree::default(), nodes: Vec::new() };
        faults.group();
        faults
    }

    fn group(&mut self) {
        let structural = Arc::clone(&self.sound.kind.structural);
        let mut language: (usize, Option<NodeLanguage>) = (usize::MAX, None);
        for (index, fault) in self.faults.iter().enumerate() {
            let Some(stated) = find(&structural, &fault.at) else { continue };
            let leaf = self.tree.grow(&fault.at);
            let number = *leaf.number.get_or_insert(self.nodes.len());
            if number == self.nodes.len() {
                let ty = stated.ty.map_or("", crate::structural::SchemaType::name);
                self.nodes.push(Node { own: alone(stated), ty, edited: HashMap::new() });
            }
            if fault.equivalent.is_some() {
                continue;
            }
            if let (Change::Schema(edit), Some(node)) = (&fault.change, self.nodes.get_mut(number)) {
                let mut own = node.own.clone();
                edit.apply(&mut own);
                node.edited.insert(index, own);
            }
            let same = |group: &&mut Group| {
                group.faults.last().and_then(|last| self.faults.get(*last)).is_some_and(|last| last.rule == fault.rule)
            };
            if let Some(group) = self.groups.last_mut().filter(same) {
                group.faults.push(index);
                continue;
            }
            let rule = match &fault.change {
                Change::Rule { index, .. } | Change::Report { index, .. } => {
                    stated.rules.get(*index).and_then(|rule| {
                        let whole = fault.at.is_empty() || stated.embedded;
                        if language.0 != number {
                            language = (number, NodeLanguage::of(stated, whole, MOST_SCHEMAS));
                        }
                        let program = language.1.as_ref()?.compile(rule).ok()?;
                        Some((rule.clone(), program))
                    })
                }
                Change::Schema(_) => None,
            };
            self.groups.push(Group { node: number, faults: vec![index], rule });
        }
    }

    /// Every fault, in the order of the rules.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The faults that a case can expose: all that are not known to be equivalent.
    pub fn telling(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|fault| fault.equivalent.is_none())
    }

    /// Those of [`Faults::telling`] that no case has exposed.
    pub fn survivors<'f>(&'f self, exposure: &'f Exposure) -> impl Iterator<Item = &'f Fault> {
        let all = self.faults.iter().enumerate();
        all.filter(|(at, fault)| fault.equivalent.is_none() && !exposure.contains(*at)).map(|(_, fault)| fault)
    }

    /// The kind without a fault.
    #[must_use]
    pub fn sound(&self) -> &Judged {
        &self.sound
    }

    /// The kind with one of its faults.
    #[must_use]
    pub fn faulty(&self, fault: &Fault) -> Judged {
        self.sound.with(fault)
    }

    /// Adds to `exposure` the faults that a request exposes: those with which other errors would be reported, by type and field, and by
    /// text where the fault is one of the message. The object was coerced and prepared.
    pub fn expose(&self, object: &Value, request: Request<'_>, exposure: &mut Exposure) {
        if exposure.is_closed() {
            return;
        }
        let old = match request {
            Request::Create => None,
            Request::Update(old) | Request::UpdateStatus(old) => Some(old),
        };
        let errors = self.sound.judge(object, request);
        let case = Case {
            old,
            blocked: errors.iter().any(|(source, _)| *source == Source::Blocked),
            whole: errors.into_iter().map(|(_, error)| error).collect(),
            status: matches!(request, Request::UpdateStatus(_)),
            lists: old.is_none_or(|old| has_sound_lists(&self.sound.kind.structural, old)),
        };
        let sites = sites(&self.tree, &self.sound.kind.structural, object, old);
        exposure.watch(|group, exposed| {
            let Some(group) = self.groups.get(group) else { return false };
            if let Some(sites) = sites.get(&group.node) {
                match &group.rule {
                    Some((rule, program)) => self.rule(group, (rule, &**program), sites, &case, exposed),
                    None => self.keywords(group, sites, &case, exposed),
                }
            }
            group.faults.iter().any(|fault| !exposed.contains(*fault))
        });
    }

    fn keywords(&self, group: &Group, sites: &[Site<'_>], case: &Case<'_>, exposed: &mut Exposed) {
        let Some(node) = self.nodes.get(group.node) else { return };
        for site in sites {
            let judged = !case.status || site.keywords == "status" || site.keywords.starts_with("status.");
            let whole = if case.status { "status" } else { "" };
            let errors = |own: &Structural| -> Vec<FieldError> {
                let places = [site.keywords.as_str(), whole, site.field.as_str()];
                let mut errors = node_errors(own, site.value, places);
                errors.retain(|error| match error.error_type {
                    ErrorType::Duplicate => case.lists,
                    _ => judged && !site.unchanged,
                });
                errors
                    .iter_mut()
                    .filter(|error| error.field.is_empty())
                    .for_each(|error| "<nil>".clone_into(&mut error.field));
                errors
            };
            let mut sound = None;
            for fault in group.faults.iter().filter(|fault| !exposed.contains(**fault)).copied().collect::<Vec<_>>() {
                let Some(edited) = node.edited.get(&fault) else { continue };
                let sound = sound.get_or_insert_with(|| errors(&node.own));
                if differ(sound, &errors(edited), &case.whole) && self.judges_lists(fault, case) {
                    exposed.insert(fault);
                }
            }
        }
    }

    /// Whether types of lists are judged with a fault as well as without it, if it is one of them: the stored lists may not be what the
    /// faulty type says.
    fn judges_lists(&self, fault: usize, case: &Case<'_>) -> bool {
        let (Some(old), Some(fault)) = (case.old, self.faults.get(fault)) else { return true };
        let is_of_key = matches!(&fault.change, Change::Schema(Edit::WithoutKey(_)));
        !is_of_key || has_sound_lists(&self.faulty(fault).kind.structural, old)
    }

    fn rule(
        &self,
        group: &Group,
        (rule, program): (&CelRule, &dyn Program),
        sites: &[Site<'_>],
        case: &Case<'_>,
        exposed: &mut Exposed,
    ) {
        if case.blocked {
            return;
        }
        let ty = self.nodes.get(group.node).map_or("", |node| node.ty);
        for site in sites.iter().filter(|site| !site.value.is_null()) {
            let sound = ran(rule, program, site, ty);
            for fault in group.faults.iter().filter(|fault| !exposed.contains(**fault)).copied().collect::<Vec<_>>() {
                let (faulty, by_text) = match self.faults.get(fault).map(|fault| &fault.change) {
                    Some(Change::Rule { stated, program, .. }) => (ran(stated, &**program, site, ty), false),
                    Some(Change::Report { part, .. }) => {
                        (sound.clone().map(|error| misreported(error, *part)), *part == Part::Message)
                    }
                    _ => continue,
                };
                let (sound, faulty) = (sound.as_slice(), faulty.as_slice());
                if differ(sound, faulty, &case.whole) || by_text && sound != faulty {
                    exposed.insert(fault);
                }
            }
        }
    }
}

/// What is known of a case.
struct Case<'c> {
    old: Option<&'c Value>,
    whole: Vec<FieldError>,
    /// Whether other errors keep a server from evaluating CEL rules.
    blocked: bool,
    /// Whether only the status is judged by keywords.
    status: bool,
    /// Whether types of lists are judged.
    lists: bool,
}

/// The constraints of a schema without what stands below it.
fn alone(node: &Structural) -> Structural {
    Structural {
        rules: Vec::new(),
        items: None,
        properties: std::collections::BTreeMap::new(),
        additional: None,
        ..node.clone()
    }
}

/// The error of a rule at a value; `None` when it holds, is not evaluated, or only warns.
fn ran(rule: &CelRule, program: &dyn Program, site: &Site<'_>, ty: &str) -> Option<FieldError> {
    let old = site.link.map(Link::old).filter(|old| !old.is_null());
    let optional = rule.optional_old_self == Some(true);
    if program.uses_old() && old.is_none() && !optional {
        return None;
    }
    let seen = match (optional, old) {
        (true, old) => Old::Optional(old),
        (false, Some(old)) => Old::Value(old),
        (false, None) => Old::Unbound,
    };
    let outcome = program.run(site.value, seen, limits::PER_CALL).outcome;
    let unchanged = !site.fixed && !program.uses_old() && site.nearest.is_some_and(Link::is_unchanged);
    if outcome == Outcome::Holds || outcome == Outcome::Fails && unchanged {
        return None;
    }
    Some(failure(rule, program.field_path(), &outcome, &site.field, ty))
}

/// Whether a comparison tells two answers about a part of an object apart, `whole` being the sound answer about all of it.
///
/// What others report stands in both whole answers: a comparison, which pairs one error with many, sees no difference in an error that
/// one of them repeats.
fn differ(sound: &[FieldError], faulty: &[FieldError], whole: &[FieldError]) -> bool {
    let alike = |one: &FieldError, other: &FieldError| one.error_type == other.error_type && one.field == other.field;
    let count = |error: &FieldError, errors: &[FieldError]| errors.iter().filter(|other| alike(error, other)).count();
    let alone = |error: &FieldError, other: &[FieldError]| {
        count(error, other) == 0 && count(error, whole) <= count(error, sound)
    };
    sound.iter().any(|error| alone(error, faulty)) || faulty.iter().any(|error| alone(error, sound))
}

fn planned(fault: &Fault) -> Control {
    Control {
        rule: fault.rule,
        side: Side::Candidate,
        name: fault.name.clone(),
        equivalent: fault.equivalent.map(str::to_owned),
    }
}

impl Controls for Faults {
    fn catalogue(&self) -> &[Control] {
        &self.catalogue
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(self.faults.len(), self.groups.len())
    }

    /// The objects of the question are coerced and prepared first, as a server does.
    fn judge(&self, question: &Question<'_>, _: &View<'_>, _: &Answer, exposure: &mut Exposure) {
        if exposure.is_closed() {
            return;
        }
        self.sound.asked(question, |object, request| self.expose(object, request, exposure));
    }
}

/// The faults of a kind, made when a run asks for them first.
pub struct LazyFaults {
    kind: CustomKind,
    made: OnceLock<Faults>,
}

impl LazyFaults {
    /// The faults of this kind.
    #[must_use]
    pub fn new(kind: CustomKind) -> Self {
        Self { kind, made: OnceLock::new() }
    }

    fn get(&self) -> &Faults {
        self.made.get_or_init(|| Faults::of(&self.kind))
    }
}

impl Controls for LazyFaults {
    fn catalogue(&self) -> &[Control] {
        self.get().catalogue()
    }

    fn exposure(&self) -> Exposure {
        self.get().exposure()
    }

    fn judge(&self, question: &Question<'_>, view: &View<'_>, found: &Answer, exposure: &mut Exposure) {
        self.get().judge(question, view, found, exposure);
    }
}
