//! One request on trial: its objects are applied, extracted and updated in every way that a law speaks of.

use super::breach::{Breach, Held};
use super::builtin_type::BuiltinType;
use super::conflicts::{beyond, contested};
use super::known::{Repetition, Unowned, defaulted_anew, of_conflict, of_conflicts, of_extraction};
use super::machine::{Machine, Step};
use super::objects::{Applier, Sent, identity, unmanaged, without_empty};
use super::parts::{Unfit, each_unfit, over, sorted};
use crate::defaults::{Row, rows};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_apply::configuration::Configuration;
use takeover_apply::extract::as_typed;
use takeover_apply::fields::{FieldSet, Path as Field};
use takeover_apply::managed::{ManagedFields, ObjectType as _, Owner, Refusal, are_alike_but_for_managers};
use takeover_apply::typed::{Duplicates, Problem, validate};
use takeover_harness::case::Operation;
use takeover_harness::compare::Cause;
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, Question};
use takeover_harness::path::Path;
use takeover_harness::rule::Law;

const ONE: Applier<'_> = Applier { manager: "one", now: "2026-01-01T00:00:01Z", force: false };
const TWO: Applier<'_> = Applier { manager: "two", now: "2026-01-01T00:00:02Z", force: false };
const THREE: &str = "2026-01-01T00:00:03Z";
const FORCED: Applier<'_> = Applier { force: true, ..TWO };

/// The trial of one request, by a sound engine or by one with a fault. Where a faulty engine has made the same as the sound one so far,
/// nothing is compared again.
pub(super) struct Trial<'t> {
    kind: &'t BuiltinType,
    /// The validator, if there is one.
    validator: Option<&'t dyn Oracle>,
    question: &'t Question<'t>,
    machine: Machine<'t>,
    held: Held,
    /// What the sound engine breaks; none if it is the one on trial.
    known: Option<&'t BTreeSet<(Law, String)>>,
    /// Whether the engine broke more than is known, which ends the trial.
    is_exposed: bool,
}

impl<'t> Trial<'t> {
    pub(super) fn new(
        (kind, validator): (&'t BuiltinType, Option<&'t dyn Oracle>),
        question: &'t Question<'t>,
        machine: Machine<'t>,
        known: Option<&'t BTreeSet<(Law, String)>>,
    ) -> Self {
        let held = Held { tried: BTreeSet::new(), breaches: Vec::new() };
        Self { kind, validator, question, machine, held, known, is_exposed: false }
    }

    /// Tries everything, and returns what it showed, with the steps of a sound engine.
    pub(super) fn request(mut self, of: &Configuration, sent: &Sent) -> (Held, Vec<Step>) {
        self.objects(of, sent);
        (self.held, self.machine.into_steps())
    }

    fn objects(&mut self, of: &Configuration, sent: &Sent) {
        // What Go does not read never gets as far as merging.
        let held = if self.machine.is_sound() {
            match self.kind.held(sent.new.clone()) {
                Ok(held) => Some(held),
                Err(_) => return,
            }
        } else {
            None
        };
        let new = match self.machine.taken(of, &sent.new) {
            Ok(taken) => taken,
            Err(misfit) => {
                self.tried(Law::RoundTrip);
                return self.breach(Law::RoundTrip, misfit.field, format!("does not fit: {}", misfit.fault), None);
            }
        };
        self.tried(Law::RoundTrip);
        if !self.machine.is_as_sound()
            && *new != sent.new
            && let Ok(back) = self.kind.held((*new).clone())
        {
            let held = held.map_or_else(|| self.kind.held(sent.new.clone()), Ok);
            if let Ok(held) = held {
                self.compare(Law::RoundTrip, &held, &back, "sent as an apply configuration", &|_| None);
            }
        }
        if self.refuses(&new) {
            return;
        }
        match &sent.old {
            None => self.create(&new),
            Some(old) => {
                if let Ok(old) = self.machine.taken(of, old)
                    && self.machine.fits(&old)
                {
                    self.change(&old, &new);
                }
            }
        }
    }

    /// Applies an object as a whole, again, and in two parts.
    fn create(&mut self, new: &Value) {
        let (schema, root) = self.kind.schema();
        let Some(live) = self.applied(None, new, ONE) else { return };
        self.extracts(&live, ONE, new);
        self.again(&live, new, Applier { now: TWO.now, ..ONE });
        let Some([first, second]) = self.machine.split(new) else { return };
        let Some(live) = self.applied(None, &first, ONE) else { return };
        let Some(by_apply) = self.applied(Some(&live), &second, TWO) else { return };
        self.extracts(&by_apply, ONE, &first);
        self.extracts(&by_apply, TWO, &second);
        let Some(by_update) = self.updated(Some(&live), || over(schema, root, &live, &second), TWO) else { return };
        self.extracts(&by_update, TWO, &identity(&first));
        self.same((&live, &first, &second), &by_update, &by_apply, true);
    }

    /// Applies the same again.
    fn again(&mut self, live: &Arc<Value>, applied: &Value, by: Applier<'_>) {
        let Some(again) = self.applied(Some(live), applied, by) else { return };
        self.tried(Law::Again);
        if !self.machine.is_as_sound() {
            let known = Repetition::of(self.kind, applied, live, &again);
            self.compare(Law::Again, live, &again, "applied again", &|row| known.cause(row));
        }
    }

    /// Replaces what the same manager applied, and applies over what others created and applied.
    fn change(&mut self, old: &Value, new: &Value) {
        let (schema, root) = self.kind.schema();
        let Some(applied) = self.applied(None, old, ONE) else { return };
        let later = Applier { now: TWO.now, ..ONE };
        let Some(by_apply) = self.applied(Some(&applied), new, later) else { return };
        self.extracts(&by_apply, ONE, new);
        self.again(&by_apply, new, Applier { now: THREE, ..ONE });
        if let Some(by_update) = self.updated(Some(&applied), || new.clone(), later) {
            self.same((&applied, old, new), &by_update, &by_apply, false);
        }
        let Some(created) = self.updated(None, || old.clone(), ONE) else { return };
        if let Some(by_apply) = self.applied(Some(&created), new, FORCED) {
            self.extracts(&by_apply, TWO, new);
            if let Some(by_update) = self.updated(Some(&created), || over(schema, root, &created, new), TWO) {
                self.same((&created, old, new), &by_update, &by_apply, false);
            }
        }
        let updater = Owner::updater(ONE.manager, self.kind.api_version(), "");
        self.conflicts(&created, &beyond(&created, &self.kind.empty()), new, &updater);
        let applier = Owner::applier(ONE.manager, "");
        let contested = self.conflicts(&applied, old, new, &applier);
        if !contested.is_empty() {
            self.takes_over(&applied, new, &applier, &contested);
        }
    }

    /// Applies without force what changes fields of `owner`, who set what `owned` has, and returns these fields: each is a conflict,
    /// and nothing else is.
    fn conflicts(&mut self, live: &Arc<Value>, owned: &Value, new: &Value, owner: &Owner) -> Vec<Field> {
        if self.is_exposed {
            return Vec::new();
        }
        let (schema, root) = self.kind.schema();
        let expected = contested(schema, root, owned, live, new);
        self.tried(Law::Conflicts);
        let made = self.machine.apply(Some(live), new, TWO);
        if self.machine.is_as_sound() {
            return expected;
        }
        let found: Vec<(Owner, Field)> = match made {
            Ok(_) => Vec::new(),
            Err(Refusal::Conflicts(conflicts)) => {
                conflicts.0.into_iter().map(|conflict| (conflict.owner, conflict.path)).collect()
            }
            Err(refusal @ Refusal::Other(_)) => {
                for field in self.refused_over(&refusal, new) {
                    self.breach(Law::Conflicts, field, format!("refused, and not over a conflict: {refusal}"), None);
                }
                return expected;
            }
        };
        let shown = owner.shown();
        for path in expected.iter().filter(|path| !found.iter().any(|(by, of)| by == owner && of == *path)) {
            self.breach(Law::Conflicts, field(path), format!("changes without a conflict, and {shown} owns it"), None);
        }
        for (by, path) in found.iter().filter(|(by, of)| by != owner || !expected.contains(of)) {
            let detail = format!("is a conflict with {}, and {shown} owns what changes", by.shown());
            self.breach(Law::Conflicts, field(path), detail, of_conflict((schema, root), live, &by.name, path));
        }
        expected
    }

    /// Applies the same with force: the contested fields change hands, and `owner` keeps the others.
    fn takes_over(&mut self, live: &Arc<Value>, new: &Value, owner: &Owner, contested: &[Field]) {
        let Some(taken) = self.applied(Some(live), new, FORCED) else { return };
        if self.machine.is_as_sound() {
            return;
        }
        let (before, after) = (owned_by(live, owner), owned_by(&taken, owner));
        let kept = before.difference(&contested.iter().collect());
        let of_taker = owned_by(&taken, &Owner::applier(FORCED.manager, ""));
        let shown = owner.shown();
        for path in after.difference(&kept).paths() {
            let detail = format!("still belongs to {shown} when it is taken with force");
            self.breach(Law::Conflicts, field(&path), detail, None);
        }
        for path in kept.difference(&after).paths() {
            let detail = format!("no longer belongs to {shown}, and was not contested");
            self.breach(Law::Conflicts, field(&path), detail, None);
        }
        for path in contested.iter().filter(|path| !of_taker.has(&path.0)) {
            self.breach(Law::Conflicts, field(path), "does not belong to who took it with force".to_owned(), None);
        }
        self.extracts(&taken, FORCED, new);
    }

    /// Whether an apply of the object is refused because items of a list have no keys of their own. Where validation accepts it, that
    /// is another verdict.
    fn refuses(&mut self, new: &Value) -> bool {
        if self.machine.fits(new) {
            return false;
        }
        if self.machine.is_as_sound() {
            return true;
        }
        let (schema, root) = self.kind.schema();
        let Err(invalid) = validate(schema, root, new, Duplicates::Refused) else { return false };
        let accepted = self.kind.defaulted(new.clone()).ok().and_then(|object| self.verdict(None, &object));
        let Some(rejected) = accepted else { return true };
        self.tried(Law::SameVerdict);
        if rejected.is_empty() {
            let mut fields = Vec::new();
            each_unfit(schema, root, new, &Path::ROOT, &mut |field, unfit| fields.push((field, Some(unfit))));
            if fields.is_empty() {
                let problem = |of: &Problem| {
                    let is_of_type = of.message.starts_with("expected ");
                    (of.path.trim_start_matches('.').to_owned(), is_of_type.then_some(Unfit::OtherType))
                };
                fields.extend(invalid.0.iter().map(problem));
            }
            for (field, unfit) in fields {
                let detail = format!("an apply is refused, and validation accepts the object: {invalid}");
                let cause = unfit.map(|unfit| match unfit {
                    Unfit::NoKey => Cause::MissingKey,
                    Unfit::SameKey => Cause::DuplicateKey,
                    Unfit::OtherType => Cause::OtherJsonType,
                });
                self.breach(Law::SameVerdict, field, detail, cause);
            }
        }
        true
    }

    /// Applies; a refusal is a breach, because what is applied fits and nobody else owns it.
    fn applied(&mut self, live: Option<&Arc<Value>>, applied: &Value, by: Applier<'_>) -> Option<Arc<Value>> {
        if self.is_exposed {
            return None;
        }
        match self.machine.apply(live, applied, by) {
            Ok(made) => Some(made),
            Err(refusal) => {
                self.tried(Law::SameObject);
                if self.machine.is_as_sound() {
                    return None;
                }
                let detail = format!("an apply is refused, and an update is not: {refusal}");
                let cause = match &refusal {
                    Refusal::Conflicts(conflicts) => of_conflicts(conflicts),
                    Refusal::Other(_) => None,
                };
                for field in self.refused_over(&refusal, applied) {
                    self.breach(Law::SameObject, field, detail.clone(), cause);
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

    fn updated(
        &mut self,
        live: Option<&Arc<Value>>,
        object: impl FnOnce() -> Value,
        by: Applier<'_>,
    ) -> Option<Arc<Value>> {
        if self.is_exposed { None } else { self.machine.update(live, object, by) }
    }

    /// Extracts what a manager applied.
    fn extracts(&mut self, live: &Arc<Value>, by: Applier<'_>, applied: &Value) {
        if self.is_exposed {
            return;
        }
        self.tried(Law::Extracted);
        let (extracted, is_as_sound) = self.machine.extracted(live, by.manager);
        match extracted {
            _ if is_as_sound => {}
            Err(error) => self.breach(Law::Extracted, String::new(), format!("cannot be extracted: {error}"), None),
            Ok(extracted) if *extracted == *applied => {}
            Ok(extracted) => {
                let (schema, root) = self.kind.schema();
                let held = |object: Value| self.kind.held(object).map(without_empty);
                let typed = as_typed(schema, root, applied.clone());
                if let (Ok(sent), Ok(found)) = (held(typed), held((*extracted).clone()))
                    && sent != found
                {
                    let known = of_extraction(self.kind, live, applied, &sent, &extracted);
                    self.compare(Law::Extracted, &sent, &found, "extracted", &|row| known.cause(row));
                }
            }
        }
    }

    /// Compares what an update and an apply made of the same object, and the verdicts on both. `applied` is the configuration that the
    /// object was made of, `sent` the one of the apply. The order of items that have keys counts if they are `ordered`.
    fn same(
        &mut self,
        (live, applied, sent): (&Value, &Value, &Value),
        by_update: &Value,
        by_apply: &Value,
        ordered: bool,
    ) {
        self.tried(Law::SameObject);
        if self.validator.is_some() {
            self.tried(Law::SameVerdict);
        }
        if self.machine.is_as_sound() || are_alike_but_for_managers(by_update, by_apply) {
            return;
        }
        let (schema, root) = self.kind.schema();
        let bare = |object: &Value| match unmanaged(object.clone()) {
            bare if ordered => bare,
            bare => sorted(schema, root, &bare),
        };
        let (updated, applied_bare) = (bare(by_update), bare(by_apply));
        if updated == applied_bare {
            return;
        }
        let anew = defaulted_anew(self.kind, by_apply, applied);
        let Objects { schema: types, root: ty, .. } = self.question.objects;
        let fields = |rows: Vec<Row>| -> BTreeSet<String> { rows.into_iter().map(|row| row.field).collect() };
        let lasting = anew.as_ref().map(|anew| fields(rows(&updated, &bare(anew), types, ty)));
        let [one, other] = [&updated, &applied_bare].map(|object| without_empty(object.clone()));
        let not_empty = fields(rows(&one, &other, types, ty));
        let unowned = Unowned::of(self.kind, sent, &updated, &applied_bare);
        let cause = |row: &Row| match &lasting {
            _ if unowned.as_ref().is_some_and(|unowned| unowned.has(&row.field)) => Some(Cause::UnownedStruct),
            _ if !not_empty.contains(&row.field) => Some(Cause::EmptiedList),
            Some(lasting) if !lasting.contains(&row.field) => Some(Cause::StaleDefault),
            _ => None,
        };
        self.compare(Law::SameObject, &updated, &applied_bare, "applied, and not updated", &cause);
        let verdicts = (self.verdict(Some(live), by_update), self.verdict(Some(live), by_apply));
        let (Some(of_update), Some(of_apply)) = verdicts else { return };
        let of_anew = anew.and_then(|anew| self.verdict(Some(live), &anew));
        let of_owned = unowned.and_then(|unowned| self.verdict(Some(live), &unowned.rest));
        for (one, other, said) in
            [(&of_update, &of_apply, "only after an update"), (&of_apply, &of_update, "only after an apply")]
        {
            for error in one.iter().filter(|error| !has(other, error)) {
                // With defaults that are set anew, validation says the same of both.
                let is_stale = of_anew.as_ref().is_some_and(|anew| has(anew, error) == has(&of_update, error));
                // Without the structs that nobody owns, too.
                let is_unowned = of_owned.as_ref().is_some_and(|owned| has(owned, error) == has(&of_apply, error));
                let cause = match (is_stale, is_unowned) {
                    (true, _) => Some(Cause::StaleDefault),
                    (false, true) => Some(Cause::UnownedStruct),
                    (false, false) => None,
                };
                let detail = format!("validation rejects it {said}: {error}");
                self.breach(Law::SameVerdict, error.field.clone(), detail, cause);
            }
        }
    }

    /// The verdict of validation, if anything validates the object.
    fn verdict(&self, live: Option<&Value>, object: &Value) -> Option<Vec<FieldError>> {
        let validator = self.validator?;
        let Objects { schema, root, .. } = self.question.objects;
        let (arena, new, old) = (Arena::new(), unmanaged(object.clone()), live.cloned().map(unmanaged));
        let new = from_value(schema, root, &new, &arena).ok()?;
        let old = match &old {
            Some(old) => Some(from_value(schema, root, old, &arena).ok()?),
            None => None,
        };
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let objects = Objects { schema, root, new, old, sent: None };
        let view = validator.view(&objects, &arena).ok()?;
        let question = Question { operation, objects, options: self.question.options, subresource: "" };
        let mut answer = Answer::new();
        validator.answer(&question, &view, &mut answer).ok()?;
        Some(answer.errors.iter().cloned().collect())
    }

    fn tried(&mut self, law: Law) {
        self.held.tried.insert(law);
    }

    /// Reports every value that differs; `how` says what was done to the object, and `cause` how that came to be.
    fn compare(&mut self, law: Law, before: &Value, after: &Value, how: &str, cause: &dyn Fn(&Row) -> Option<Cause>) {
        let Objects { schema, root, .. } = self.question.objects;
        for row in rows(before, after, schema, root) {
            let value = &row.value;
            let detail = match (row.is_set(), row.is_removed()) {
                (true, _) => format!("becomes {value} when the object is {how}"),
                (_, true) => format!("was {value}, and is lost when the object is {how}"),
                _ => format!("becomes {value} when the object is {how}, and had another value"),
            };
            let cause = cause(&row);
            self.breach(law, row.field, detail, cause);
        }
    }

    fn breach(&mut self, law: Law, field: String, detail: String, cause: Option<Cause>) {
        if let Some(known) = self.known {
            self.is_exposed |= !known.contains(&(law, field.clone()));
        }
        let same = |of: &Breach| of.law == law && of.field == field;
        if !self.held.breaches.iter().any(same) {
            self.held.breaches.push(Breach { law, field, detail, cause });
        }
    }
}

/// Whether errors have one of the same type at the same field.
fn has(errors: &[FieldError], error: &FieldError) -> bool {
    errors.iter().any(|of| of.field == error.field && of.error_type == error.error_type)
}

/// A field of a set, as findings have it.
fn field(path: &Field) -> String {
    path.to_string().trim_start_matches('.').to_owned()
}

/// The fields of a manager in an object.
fn owned_by(object: &Value, owner: &Owner) -> FieldSet {
    let mut managed = ManagedFields::of(object).unwrap_or_default();
    managed.fields.remove(owner).map(|owned| owned.set).unwrap_or_default()
}
