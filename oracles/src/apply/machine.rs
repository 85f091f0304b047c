//! The engine that is checked against the laws: sound, or with a fault.

use super::builtin_type::BuiltinType;
use super::fault::Fault;
use super::objects::Applier;
use super::parts::split;
use serde_json::Value;
use std::sync::Arc;
use takeover_apply::configuration::{Configuration, Configurations, Misfit};
use takeover_apply::extract::configuration;
use takeover_apply::fields::FieldSet;
use takeover_apply::managed::{FieldManager, ObjectType, Refusal, Request, without_new_times};
use takeover_apply::schema::{Schema, TypeId};
use takeover_apply::typed::{Duplicates, validate};

/// What applies, updates and extracts objects of a kind.
pub(super) struct Machine<'k> {
    kind: &'k BuiltinType,
    configurations: &'k Configurations,
    planted: Option<Planted<'k>>,
    /// What a sound engine made, in order.
    steps: Vec<Step>,
    /// What it made of objects: a server holds it as it is.
    made: Vec<Arc<Value>>,
}

/// A fault, beside what the sound engine made.
struct Planted<'k> {
    fault: Fault,
    /// How objects merge, where the fault says otherwise.
    merging: Option<&'k Schema>,
    sound: std::slice::Iter<'k, Step>,
    /// Whether it has made something else than the sound engine, so that nothing of that one is of use from then on.
    is_apart: bool,
}

/// What the sound engine made in one step.
#[derive(Clone)]
pub(super) enum Step {
    Taken(Result<Arc<Value>, Misfit>),
    Fits(bool),
    Split(Option<[Arc<Value>; 2]>),
    Applied(Applied),
    Updated(Option<Arc<Value>>),
    Extracted(Result<Arc<Value>, String>),
}

/// What came of an apply.
#[derive(Clone)]
pub(super) struct Applied {
    made: Result<Arc<Value>, Refusal>,
    /// The object with new times, where nothing else would have changed.
    renewed: Option<Arc<Value>>,
}

impl<'k> Machine<'k> {
    /// A sound engine.
    pub(super) fn new(kind: &'k BuiltinType, configurations: &'k Configurations) -> Self {
        Self { kind, configurations, planted: None, steps: Vec::new(), made: Vec::new() }
    }

    /// An engine with a fault, and the graph of types that the fault may have. `sound` is what the sound engine made of the same request.
    pub(super) fn with_fault(
        kind: &'k BuiltinType,
        configurations: &'k Configurations,
        (fault, merging): (Fault, Option<&'k Schema>),
        sound: &'k [Step],
    ) -> Self {
        let planted = Planted { fault, merging, sound: sound.iter(), is_apart: false };
        Self { planted: Some(planted), ..Self::new(kind, configurations) }
    }

    /// Whether it has no fault.
    pub(super) fn is_sound(&self) -> bool {
        self.planted.is_none()
    }

    /// Whether it has a fault, and has made the same as the sound engine so far.
    pub(super) fn is_as_sound(&self) -> bool {
        self.planted.as_ref().is_some_and(|planted| !planted.is_apart)
    }

    /// The steps of a sound engine.
    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// The next step of the sound engine, as long as this one has made the same.
    fn next<T>(&mut self, of: impl FnOnce(&Step) -> Option<T>) -> Option<T> {
        let planted = self.planted.as_mut().filter(|planted| !planted.is_apart)?;
        let step = planted.sound.next().and_then(of);
        planted.is_apart = step.is_none();
        step
    }

    fn part(&mut self) {
        if let Some(planted) = &mut self.planted {
            planted.is_apart = true;
        }
    }

    fn note(&mut self, step: impl FnOnce() -> Step) {
        if self.planted.is_none() {
            self.steps.push(step());
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.planted.as_ref().map(|planted| planted.fault)
    }

    /// The configuration that sets what an object has.
    pub(super) fn taken(&mut self, of: &Configuration, object: &Value) -> Result<Arc<Value>, Misfit> {
        let known = self.next(|step| if let Step::Taken(taken) = step { Some(taken.clone()) } else { None });
        let is_known = known.is_some();
        let sound = known.unwrap_or_else(|| self.configurations.take(of, object).map(Arc::new));
        self.note(|| Step::Taken(sound.clone()));
        match (sound, self.fault()) {
            (Ok(taken), Some(fault)) => match fault.after_take(&taken) {
                Some(other) => {
                    if is_known {
                        self.part();
                    }
                    Ok(Arc::new(other))
                }
                None => Ok(taken),
            },
            (sound, _) => sound,
        }
    }

    /// Whether every item of a list has a key of its own, so that the object can be applied.
    pub(super) fn fits(&mut self, object: &Value) -> bool {
        if let Some(fits) = self.next(|step| if let Step::Fits(fits) = step { Some(*fits) } else { None }) {
            return fits;
        }
        let (schema, root) = self.kind.schema();
        let fits = validate(schema, root, object, Duplicates::Refused).is_ok();
        self.note(|| Step::Fits(fits));
        fits
    }

    /// An object in two parts.
    pub(super) fn split(&mut self, whole: &Value) -> Option<[Arc<Value>; 2]> {
        if let Some(parts) = self.next(|step| if let Step::Split(parts) = step { Some(parts.clone()) } else { None }) {
            return parts;
        }
        let (schema, root) = self.kind.schema();
        let parts = split(schema, root, whole).map(|parts| parts.map(Arc::new));
        self.note(|| Step::Split(parts.clone()));
        parts
    }

    /// The object after an apply.
    pub(super) fn apply(
        &mut self,
        live: Option<&Arc<Value>>,
        applied: &Value,
        by: Applier<'_>,
    ) -> Result<Arc<Value>, Refusal> {
        let known = self.next(|step| if let Step::Applied(applied) = step { Some(applied.clone()) } else { None });
        let live = live.map(|live| &**live);
        let Some(fault) = self.fault() else {
            let Applied { made, renewed } = self.soundly(live, applied, by);
            self.made.extend(made.as_ref().ok().cloned());
            self.note(|| Step::Applied(Applied { made: made.clone(), renewed }));
            return made;
        };
        let Some(Applied { made, renewed }) = known else { return self.faultily(fault, live, applied, by, None) };
        self.made.extend(made.as_ref().ok().cloned());
        let faulty = match (fault, renewed) {
            (Fault::AlwaysTouched, Some(renewed)) => Ok(renewed),
            (Fault::AlwaysTouched, None) => return made,
            _ if fault.comes_after() => self.faultily(fault, live, applied, by, Some(made.clone())),
            _ if fault.concerns(live, applied, by) => self.faultily(fault, live, applied, by, None),
            _ => return made,
        };
        if faulty != made {
            self.part();
        }
        faulty
    }

    fn soundly(&self, live: Option<&Value>, applied: &Value, by: Applier<'_>) -> Applied {
        let made = FieldManager::new(self).apply(live, applied, request(by.manager, by.now), by.force);
        match (made, live) {
            (Ok(made), Some(live)) => {
                let kept = without_new_times(live, made.clone());
                let renewed = (kept != made).then(|| Arc::new(made));
                Applied { made: Ok(Arc::new(kept)), renewed }
            }
            (made, _) => Applied { made: made.map(Arc::new), renewed: None },
        }
    }

    /// An apply with the fault. `sound` is what the sound engine made of the same, if that is known.
    fn faultily(
        &self,
        fault: Fault,
        live: Option<&Value>,
        applied: &Value,
        by: Applier<'_>,
        sound: Option<Result<Arc<Value>, Refusal>>,
    ) -> Result<Arc<Value>, Refusal> {
        let engine = |force: bool| {
            let before = live.and_then(|live| fault.before_apply(live, by.manager));
            let sent = fault.sent(applied, live, by.force);
            let (before, sent) = (before.as_ref().or(live), sent.as_ref().unwrap_or(applied));
            FieldManager::new(self).apply(before, sent, request(by.manager, by.now), force).map(Arc::new)
        };
        let made = match sound.unwrap_or_else(|| engine(by.force)) {
            Err(Refusal::Conflicts(conflicts)) => match fault.refused(self.kind, conflicts, live, applied, by) {
                Some(conflicts) => return Err(Refusal::Conflicts(conflicts)),
                None => engine(true)?,
            },
            made => made?,
        };
        let made = match fault.after_apply(self.kind, live, &made, by) {
            Some(other) => Arc::new(other),
            None if fault.comes_after() => return Ok(made),
            None => made,
        };
        Ok(match live {
            Some(live) if fault != Fault::AlwaysTouched => {
                Arc::new(without_new_times(live, Arc::unwrap_or_clone(made)))
            }
            _ => made,
        })
    }

    /// The object after an update to `object` with its defaults; none if that is refused.
    pub(super) fn update(
        &mut self,
        live: Option<&Arc<Value>>,
        object: impl FnOnce() -> Value,
        by: Applier<'_>,
    ) -> Option<Arc<Value>> {
        if let Some(made) = self.next(|step| if let Step::Updated(made) = step { Some(made.clone()) } else { None }) {
            self.made.extend(made.clone());
            return made;
        }
        // Updates are what applies are compared with: they have no fault.
        let engine = Sound(self);
        let made = self.kind.defaulted(object()).ok().and_then(|object| {
            FieldManager::new(&engine).update(live.map(|live| &**live), &object, request(by.manager, by.now)).ok()
        });
        let made = made.map(Arc::new);
        self.made.extend(made.clone());
        self.note(|| Step::Updated(made.clone()));
        made
    }

    /// What a manager applied to an object, and whether the sound engine is known to extract the same.
    pub(super) fn extracted(&mut self, object: &Arc<Value>, manager: &str) -> (Result<Arc<Value>, String>, bool) {
        let known = self.next(|step| if let Step::Extracted(made) = step { Some(made.clone()) } else { None });
        let engine = |of: &Value, by: &str| {
            configuration(self.kind.schema(), self.kind.scope(), of, by, "").map_err(|error| error.to_string())
        };
        let extract = |of: &Value, by: &str| match &known {
            Some(Ok(known)) if by == manager && std::ptr::eq(of, &raw const **object) => Ok((**known).clone()),
            _ => engine(of, by),
        };
        match self.fault().and_then(|fault| fault.extracted(self.kind, object, manager, &extract)) {
            Some(faulty) => {
                let faulty = faulty.map(Arc::new);
                let is_same = known.as_ref() == Some(&faulty);
                (faulty, is_same)
            }
            None => {
                let is_same = known.is_some();
                let made = known.unwrap_or_else(|| engine(object, manager).map(Arc::new));
                self.note(|| Step::Extracted(made.clone()));
                (made, is_same)
            }
        }
    }

    /// An object as a server holds it; what the engine made is held already.
    fn held_by_server(&self, object: Value) -> Result<Value, String> {
        if self.made.iter().any(|made| **made == object) { Ok(object) } else { self.kind.held(object) }
    }
}

fn request<'r>(manager: &'r str, now: &'r str) -> Request<'r> {
    static NOTHING: std::sync::LazyLock<FieldSet> = std::sync::LazyLock::new(FieldSet::new);
    Request { manager, subresource: "", now, reset: &NOTHING }
}

impl ObjectType for Machine<'_> {
    fn api_version(&self) -> &str {
        self.kind.api_version()
    }

    fn kind(&self) -> &str {
        self.kind.kind()
    }

    fn schema(&self) -> (&Schema, TypeId) {
        let (schema, root) = self.kind.schema();
        (self.planted.as_ref().and_then(|planted| planted.merging).unwrap_or(schema), root)
    }

    fn held(&self, object: Value) -> Result<Value, String> {
        self.held_by_server(object)
    }

    fn defaulted(&self, object: Value) -> Result<Value, String> {
        match self.fault() {
            Some(Fault::NotDefaulted) => self.kind.held(object),
            _ => self.kind.defaulted(object),
        }
    }

    fn empty(&self) -> Value {
        self.kind.empty()
    }
}

/// The kind of an engine without its fault.
struct Sound<'m, 'k>(&'m Machine<'k>);

impl ObjectType for Sound<'_, '_> {
    fn api_version(&self) -> &str {
        self.0.api_version()
    }

    fn kind(&self) -> &str {
        self.0.kind()
    }

    fn schema(&self) -> (&Schema, TypeId) {
        self.0.kind.schema()
    }

    fn held(&self, object: Value) -> Result<Value, String> {
        self.0.held_by_server(object)
    }

    fn defaulted(&self, object: Value) -> Result<Value, String> {
        self.0.kind.defaulted(object)
    }

    fn empty(&self) -> Value {
        self.0.kind.empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Applier, Machine};
    use crate::registry::Registry;
    use serde_json::json;
    use std::slice::from_ref;
    use takeover_apply::configuration::{Configurations, Root};
    use takeover_apply::managed::ObjectType as _;
    use takeover_harness::subject::SubjectId;

    /// The engine holds what it made without decoding it.
    #[test]
    fn what_was_made_is_held_as_it_is() {
        let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop", "labels": {}},
            "spec": {"selector": {"a": "1"}, "ports": [{"port": 80, "targetPort": "web"}]}});
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shop", "namespace": "default"},
            "spec": {"containers": [{"name": "one", "resources": {"limits": {"cpu": "1000m"}}, "command": []}],
                "volumes": [{"name": "tmp", "emptyDir": {}}]}});
        for object in [service, pod] {
            let id = SubjectId::new("v1", object["kind"].as_str().unwrap());
            let kind = Registry::of_builtin().unwrap().applied(&id).unwrap();
            let (types, ty) = kind.types();
            let (api_version, name) = (kind.api_version().to_owned(), kind.kind().to_owned());
            let root = Root { api_version, kind: name, types, ty, merging: Some(kind.schema()), quoted: None };
            let configurations = Configurations::read(from_ref(&root));
            let mut machine = Machine::new(&kind, &configurations);
            let by = Applier { manager: "one", now: "2026-01-01T00:00:01Z", force: false };
            let applied = machine.apply(None, &object, by).unwrap();
            let updated = machine.update(Some(&applied), || object.clone(), by).unwrap();
            for made in [applied, updated] {
                assert_eq!(kind.held((*made).clone()).unwrap(), *made);
            }
        }
    }
}
