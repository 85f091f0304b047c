//! The laws that apply keeps, and what breaks them.

use super::builtin_type::BuiltinType;
use super::fault::Fault;
use super::machine::{Applier, Machine};
use super::parts::{each_unfit, over, sorted, split};
use crate::defaults::rows;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use takeover_apply::configuration::{Configuration, Configurations, Root};
use takeover_apply::managed::{ObjectType as _, Refusal};
use takeover_apply::schema::Schema;
use takeover_apply::typed::{Duplicates, validate};
use takeover_harness::case::Operation;
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, from_value, to_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, Question};
use takeover_harness::path::Path;
use takeover_harness::rule::{Law, RuleId};

/// The origin of errors for values that are lost on the way through a configuration.
pub const LOST: &str = "lost in an apply configuration";
/// The origin of errors for values that are extracted in another way than they were applied.
pub const EXTRACTED: &str = "not extracted as it was applied";
/// The origin of errors for values that change when the same is applied again.
pub const AGAIN: &str = "changes when the same is applied again";
/// The origin of errors for values that differ after an update and an apply.
pub const OBJECT: &str = "differs after an update and an apply";
/// The origin of errors for values that are judged differently after an update and an apply.
pub const VERDICT: &str = "judged differently after an update and an apply";

/// The origin of errors about a law.
pub(super) fn origin(law: Law) -> &'static str {
    match law {
        Law::RoundTrip => LOST,
        Law::Extracted => EXTRACTED,
        Law::Again => AGAIN,
        Law::SameVerdict => VERDICT,
        _ => OBJECT,
    }
}

/// The number of a law among the rules of a pair.
pub(super) fn number(law: Law) -> RuleId {
    let at = Law::OF_APPLY.iter().position(|of| *of == law);
    RuleId(at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX))
}

/// A value that breaks a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Breach {
    pub(super) law: Law,
    pub(super) field: String,
    pub(super) detail: String,
}

/// The result of checking one request against the laws.
pub(super) struct Held {
    /// The laws that were checked.
    pub(super) tried: BTreeSet<Law>,
    pub(super) breaches: Vec<Breach>,
}

/// The laws of one kind.
pub(super) struct Laws {
    kind: BuiltinType,
    configurations: Configurations,
    /// What judges objects; none where nothing does.
    validator: Option<Box<dyn Oracle>>,
}

/// Metadata that requests do not set, and what every server keeps.
const OF_SERVER: [&str; 6] =
    ["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];

const ONE: Applier<'_> = Applier { manager: "one", now: "2026-01-01T00:00:01Z", force: false };
const TWO: Applier<'_> = Applier { manager: "two", now: "2026-01-01T00:00:02Z", force: false };

impl Laws {
    pub(super) fn new(kind: BuiltinType, validator: Option<Box<dyn Oracle>>) -> Self {
        let (types, ty) = kind.types();
        let (api_version, name) = (kind.api_version().to_owned(), kind.kind().to_owned());
        let root = Root { api_version, kind: name, types, ty, merging: Some(kind.schema()) };
        Self { configurations: Configurations::read(&[root]), kind, validator }
    }

    /// The kind that they are of.
    pub(super) fn kind(&self) -> &BuiltinType {
        &self.kind
    }

    /// Those that can be tried.
    pub(super) fn tried(&self) -> impl Iterator<Item = Law> {
        let judges = self.validator.is_some();
        Law::OF_APPLY.into_iter().filter(move |law| judges || *law != Law::SameVerdict)
    }

    /// Holds the objects of a request against the laws, applied by a sound engine or by one with a fault.
    pub(super) fn hold(&self, question: &Question<'_>, planted: Option<&(Fault, Option<Schema>)>) -> Held {
        let mut trial = Trial {
            laws: self,
            question,
            machine: Machine::new(&self.kind, &self.configurations, planted),
            held: Held { tried: BTreeSet::new(), breaches: Vec::new() },
        };
        if let Some(of) = self.configurations.of_kind(self.kind.api_version(), self.kind.kind()) {
            trial.request(of);
        }
        trial.held
    }
}

struct Trial<'t> {
    laws: &'t Laws,
    question: &'t Question<'t>,
    machine: Machine<'t>,
    held: Held,
}

impl Trial<'_> {
    fn request(&mut self, of: &Configuration) {
        let Objects { schema, root, new, old, .. } = self.question.objects;
        let sent = |node| sent(self.laws.kind(), to_value(schema, root, node));
        let (mut new, old) = (sent(&new), old.as_ref().map(sent));
        if let Some(old) = &old {
            rename(&mut new, old);
        }
        // What Go does not read never gets as far as merging.
        let Ok(held) = self.laws.kind.held(new.clone()) else { return };
        let new = match self.machine.taken(of, &new) {
            Ok(taken) => taken,
            Err(misfit) => {
                self.tried(Law::RoundTrip);
                return self.breach(Law::RoundTrip, misfit.field, format!("does not fit: {}", misfit.fault));
            }
        };
        self.tried(Law::RoundTrip);
        if let Ok(back) = self.laws.kind.held(new.clone()) {
            self.compare(Law::RoundTrip, &held, &back, "sent as an apply configuration");
        }
        if self.refuses(&new) {
            return;
        }
        match old {
            None => self.create(&new),
            Some(old) => {
                let (merging, root) = self.laws.kind.schema();
                let fits = |old: &Value| validate(merging, root, old, Duplicates::Refused).is_ok();
                let old = self.machine.taken(of, &old).ok().filter(fits);
                if let Some(old) = old {
                    self.change(&old, &new);
                }
            }
        }
    }

    /// Applies an object as a whole, again, and in two parts.
    fn create(&mut self, new: &Value) {
        let (schema, root) = self.laws.kind.schema();
        let Some(live) = self.applied(None, new, ONE) else { return };
        self.extracts(&live, ONE, new);
        if let Some(again) = self.applied(Some(&live), new, Applier { now: TWO.now, ..ONE }) {
            self.tried(Law::Again);
            self.compare(Law::Again, &live, &again, "applied again");
        }
        let Some([first, second]) = split(schema, root, new) else { return };
        let Some(live) = self.applied(None, &first, ONE) else { return };
        let Some(by_apply) = self.applied(Some(&live), &second, TWO) else { return };
        self.extracts(&by_apply, ONE, &first);
        self.extracts(&by_apply, TWO, &second);
        let Some(by_update) = self.updated(Some(&live), over(schema, root, &live, &second), TWO) else { return };
        let nothing = identity(&first);
        self.extracts(&by_update, TWO, &nothing);
        self.same(&live, &by_update, &by_apply, true);
    }

    /// Replaces what the same manager applied, and applies over what others created.
    fn change(&mut self, old: &Value, new: &Value) {
        let (schema, root) = self.laws.kind.schema();
        let Some(live) = self.applied(None, old, ONE) else { return };
        let later = Applier { now: TWO.now, ..ONE };
        let Some(by_apply) = self.applied(Some(&live), new, later) else { return };
        self.extracts(&by_apply, ONE, new);
        if let Some(by_update) = self.updated(Some(&live), new.clone(), later) {
            self.same(&live, &by_update, &by_apply, false);
        }
        let Some(live) = self.updated(None, old.clone(), ONE) else { return };
        let forced = Applier { force: true, ..TWO };
        let Some(by_apply) = self.applied(Some(&live), new, forced) else { return };
        self.extracts(&by_apply, TWO, new);
        if let Some(by_update) = self.updated(Some(&live), over(schema, root, &live, new), TWO) {
            self.same(&live, &by_update, &by_apply, false);
        }
    }

    /// Whether an apply of the object is refused because items of a list have no keys of their own. Where validation accepts it, that
    /// is another verdict.
    fn refuses(&mut self, new: &Value) -> bool {
        let (schema, root) = self.laws.kind.schema();
        let Err(invalid) = validate(schema, root, new, Duplicates::Refused) else { return false };
        let accepted = self.laws.kind.defaulted(new.clone()).ok().and_then(|object| self.verdict(None, &object));
        let Some(rejected) = accepted else { return true };
        self.tried(Law::SameVerdict);
        if rejected.is_empty() {
            let mut fields = Vec::new();
            each_unfit(schema, root, new, &Path::ROOT, &mut |field| fields.push(field));
            if fields.is_empty() {
                fields.push(String::new());
            }
            for field in fields {
                let detail = format!("an apply is refused, and validation accepts the object: {invalid}");
                self.breach(Law::SameVerdict, field, detail);
            }
        }
        true
    }

    /// Applies; a refusal is a breach, because what is applied fits and nobody else owns it.
    fn applied(&mut self, live: Option<&Value>, applied: &Value, by: Applier<'_>) -> Option<Value> {
        match self.machine.apply(live, applied, by) {
            Ok(made) => Some(made),
            Err(refusal) => {
                self.tried(Law::SameObject);
                let detail = format!("an apply is refused, and an update is not: {refusal}");
                for field in self.refused_over(&refusal, applied) {
                    self.breach(Law::SameObject, field, detail.clone());
                }
                None
            }
        }
    }

    /// The fields over which an apply was refused; the object where there are none.
    fn refused_over(&self, refusal: &Refusal, applied: &Value) -> Vec<String> {
        let (schema, root) = self.machine.schema();
        let paths: Vec<String> = match refusal {
            Refusal::Conflicts(conflicts) => conflicts.0.iter().map(|conflict| conflict.path.to_string()).collect(),
            Refusal::Other(_) => match validate(schema, root, applied, Duplicates::Refused) {
                Err(invalid) => invalid.0.into_iter().map(|problem| problem.path).collect(),
                Ok(()) => vec![String::new()],
            },
        };
        paths.into_iter().map(|path| path.trim_start_matches('.').to_owned()).collect()
    }

    fn updated(&self, live: Option<&Value>, object: Value, by: Applier<'_>) -> Option<Value> {
        let object = self.laws.kind.defaulted(object).ok()?;
        self.machine.update(live, &object, by).ok()
    }

    /// Extracts what a manager applied.
    fn extracts(&mut self, live: &Value, by: Applier<'_>, applied: &Value) {
        self.tried(Law::Extracted);
        match self.machine.extracted(live, by.manager) {
            Err(error) => self.breach(Law::Extracted, String::new(), format!("cannot be extracted: {error}")),
            Ok(extracted) => {
                let held = |object: &Value| self.laws.kind.held(object.clone()).map(without_empty);
                if let (Ok(applied), Ok(extracted)) = (held(applied), held(&extracted)) {
                    self.compare(Law::Extracted, &applied, &extracted, "extracted");
                }
            }
        }
    }

    /// Compares what an update and an apply made of the same object, and the verdicts on both. The order of items that have keys counts
    /// if they are `ordered`.
    fn same(&mut self, live: &Value, by_update: &Value, by_apply: &Value, ordered: bool) {
        self.tried(Law::SameObject);
        let (schema, root) = self.laws.kind.schema();
        let bare = |object: &Value| match unmanaged(object.clone()) {
            bare if ordered => bare,
            bare => sorted(schema, root, &bare),
        };
        let known = self.held.breaches.len();
        self.compare(Law::SameObject, &bare(by_update), &bare(by_apply), "applied, and not updated");
        if self.laws.validator.is_some() {
            self.tried(Law::SameVerdict);
        }
        if self.held.breaches.len() == known {
            return;
        }
        let verdicts = (self.verdict(Some(live), by_update), self.verdict(Some(live), by_apply));
        let (Some(of_update), Some(of_apply)) = verdicts else { return };
        for (one, other, said) in
            [(&of_update, &of_apply, "only after an update"), (&of_apply, &of_update, "only after an apply")]
        {
            let alone = |error: &&FieldError| {
                !other.iter().any(|of| of.field == error.field && of.error_type == error.error_type)
            };
            for error in one.iter().filter(alone) {
                self.breach(Law::SameVerdict, error.field.clone(), format!("validation rejects it {said}: {error}"));
            }
        }
    }

    /// What validation says of an object; none where nothing judges it.
    fn verdict(&self, live: Option<&Value>, object: &Value) -> Option<Vec<FieldError>> {
        let validator = self.laws.validator.as_deref()?;
        let Objects { schema, root, .. } = self.question.objects;
        let (arena, new, old) = (Arena::new(), unmanaged(object.clone()), live.cloned().map(unmanaged));
        let new = from_value(schema, root, &new, &arena).ok()?;
        let old = match &old {
            Some(old) => Some(from_value(schema, root, old, &arena).ok()?),
            None => None,
        };
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let objects = Objects { schema, root, new, old, sent: None };
        let view = validator.view(&objects).ok()?;
        let question = Question { operation, objects, options: self.question.options, subresource: "" };
        let mut answer = Answer::new();
        validator.answer(&question, &view, &mut answer).ok()?;
        Some(answer.errors.iter().cloned().collect())
    }

    fn tried(&mut self, law: Law) {
        self.held.tried.insert(law);
    }

    /// Reports every value that differs; `how` says what was done to the object.
    fn compare(&mut self, law: Law, before: &Value, after: &Value, how: &str) {
        let Objects { schema, root, .. } = self.question.objects;
        for row in rows(before, after, schema, root) {
            let value = &row.value;
            let detail = match (row.is_set(), row.is_removed()) {
                (true, _) => format!("becomes {value} when the object is {how}"),
                (_, true) => format!("was {value}, and is lost when the object is {how}"),
                _ => format!("becomes {value} when the object is {how}, and had another value"),
            };
            self.breach(law, row.field, detail);
        }
    }

    fn breach(&mut self, law: Law, field: String, detail: String) {
        let same = |of: &Breach| of.law == law && of.field == field;
        if !self.held.breaches.iter().any(same) {
            self.held.breaches.push(Breach { law, field, detail });
        }
    }
}

/// An object as somebody sends it: of the kind, without what a server keeps.
fn sent(kind: &BuiltinType, mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), kind.api_version().into());
        members.insert("kind".to_owned(), kind.kind().into());
        if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
            OF_SERVER.iter().for_each(|name| drop(metadata.remove(*name)));
        }
    }
    without_written_by_servers(&mut object);
    object
}

/// Removes the metadata, in templates too, that no configuration has.
fn without_written_by_servers(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
                ["managedFields", "selfLink"].iter().for_each(|name| drop(metadata.remove(*name)));
            }
            members.values_mut().for_each(without_written_by_servers);
        }
        Value::Array(items) => items.iter_mut().for_each(without_written_by_servers),
        _ => {}
    }
}

/// Gives an object the name of another: requests cannot change it.
fn rename(object: &mut Value, of: &Value) {
    let Some(members) = object.as_object_mut() else { return };
    let metadata = members.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else { return };
    for name in ["name", "namespace"] {
        match of.get("metadata").and_then(|metadata| metadata.get(name)) {
            Some(value) => drop(metadata.insert(name.to_owned(), value.clone())),
            None => drop(metadata.remove(name)),
        }
    }
}

/// Only the members that identify the object.
fn identity(object: &Value) -> Value {
    let mut bare = Map::new();
    for name in ["apiVersion", "kind"] {
        bare.extend(object.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    let mut bare = Value::Object(bare);
    rename(&mut bare, object);
    bare
}

fn unmanaged(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}

/// An object without nulls and empty lists, which are written where a type has no `omitempty`.
fn without_empty(value: Value) -> Value {
    let is_there = |value: &Value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty());
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, without_empty(value)));
            Value::Object(members.filter(|(_, value)| is_there(value)).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_empty).collect()),
        plain => plain,
    }
}
