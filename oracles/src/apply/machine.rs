//! The engine that is checked against the laws: sound, or with a fault.

use super::builtin_type::BuiltinType;
use super::fault::Fault;
use serde_json::Value;
use takeover_apply::configuration::{Configuration, Configurations, Misfit};
use takeover_apply::extract::configuration;
use takeover_apply::fields::FieldSet;
use takeover_apply::managed::{FieldManager, ObjectType, Refusal, Request, without_new_times};
use takeover_apply::schema::{Schema, TypeId};

/// What applies, updates and extracts objects of a kind.
pub(super) struct Machine<'k> {
    kind: &'k BuiltinType,
    configurations: &'k Configurations,
    fault: Option<Fault>,
    /// How objects merge, where a fault says otherwise.
    merging: Option<&'k Schema>,
}

/// Who applies, and when.
#[derive(Clone, Copy)]
pub(super) struct Applier<'a> {
    pub(super) manager: &'a str,
    pub(super) now: &'a str,
    pub(super) force: bool,
}

impl<'k> Machine<'k> {
    /// Without `planted`, the engine is sound; with it, it has the fault, and the graph of types that the fault may have.
    pub(super) fn new(
        kind: &'k BuiltinType,
        configurations: &'k Configurations,
        planted: Option<&'k (Fault, Option<Schema>)>,
    ) -> Self {
        let (fault, merging) = planted.map(|(fault, merging)| (*fault, merging.as_ref())).unzip();
        Self { kind, configurations, fault, merging: merging.flatten() }
    }

    /// The configuration that sets what an object has.
    pub(super) fn taken(&self, of: &Configuration, object: &Value) -> Result<Value, Misfit> {
        let taken = self.configurations.take(of, object)?;
        Ok(match self.fault {
            Some(fault) => fault.after_take(taken),
            None => taken,
        })
    }

    /// The object after an apply.
    pub(super) fn apply(&self, live: Option<&Value>, applied: &Value, by: Applier<'_>) -> Result<Value, Refusal> {
        let engine = FieldManager::new(self);
        let request = request(by.manager, by.now);
        let made = match self.fault {
            None => engine.apply(live, applied, request, by.force)?,
            Some(fault) => {
                let before = live.map(|live| fault.before_apply(live, by.manager));
                let made = engine.apply(before.as_ref(), &fault.sent(applied, live), request, by.force)?;
                fault.after_apply(self.kind, live, made, by.manager)
            }
        };
        Ok(match live {
            Some(live) if self.fault != Some(Fault::AlwaysTouched) => without_new_times(live, made),
            _ => made,
        })
    }

    /// The object after an update to `object`, which has its defaults.
    pub(super) fn update(&self, live: Option<&Value>, object: &Value, by: Applier<'_>) -> Result<Value, Refusal> {
        // Updates are what applies are compared with: they have no fault.
        FieldManager::new(self.kind).update(live, object, request(by.manager, by.now))
    }

    /// What a manager applied to an object.
    pub(super) fn extracted(&self, object: &Value, manager: &str) -> Result<Value, String> {
        let extract = |object: &Value, manager: &str| {
            configuration(self.kind.schema(), self.kind.scope(), object, manager, "").map_err(|error| error.to_string())
        };
        match self.fault {
            Some(fault) => fault.extracted(self.kind, object, manager, &extract),
            None => extract(object, manager),
        }
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
        (self.merging.unwrap_or(schema), root)
    }

    fn held(&self, object: Value) -> Result<Value, String> {
        self.kind.held(object)
    }

    fn defaulted(&self, object: Value) -> Result<Value, String> {
        match self.fault {
            Some(Fault::NotDefaulted) => self.kind.held(object),
            _ => self.kind.defaulted(object),
        }
    }
}
