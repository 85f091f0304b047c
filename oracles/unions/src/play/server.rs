//! A server that stores one object.

use super::party::{HOLDER, Party};
use super::request::Request;
use crate::{Union, validate};
use serde_json::Value;
use takeover_apply::fields::FieldSet;
use takeover_apply::managed::{FieldManager, ObjectType as _, Request as Managed};
use takeover_harness::path::Path;

/// What a server does to a union before it validates it: [`normalise`](crate::normalise), or a faulty version in tests.
pub type Normalise = fn(&Union, Option<&Value>, &mut Value);

/// The time of every request.
const NOW: &str = "2026-01-01T00:00:00Z";

/// A server of one version.
pub(super) struct Server<'p> {
    pub(super) party: &'p Party,
    pub(super) normalise: Normalise,
    /// The object that it has stored.
    pub(super) live: Option<Value>,
}

impl Server<'_> {
    /// Stores an object as a manager applies it, without validation.
    ///
    /// # Errors
    /// Returns the text of an error when the object does not fit the types.
    pub(super) fn store(&mut self, object: &Value, manager: &str) -> Result<(), String> {
        let (set, fields) = (FieldManager::new(self.party), FieldSet::new());
        let live = set.apply(None, object, managed(manager, &fields), true).map_err(|refusal| refusal.to_string())?;
        self.live = Some(live);
        Ok(())
    }

    /// Decodes, patches or merges the request, normalises and validates the result, and stores it.
    ///
    /// # Errors
    /// Returns the error of a rejected request.
    pub(super) fn answer(&mut self, request: &Request, manager: &str) -> Result<Value, String> {
        let (set, fields) = (FieldManager::new(self.party), FieldSet::new());
        let (live, managed) = (self.live.as_ref(), managed(manager, &fields));
        let made = match request {
            Request::Create(object) | Request::Put(object) => {
                let object = self.party.held(object.clone())?;
                set.update(live, &object, managed)
            }
            Request::MergePatch(patch) => {
                let mut object = live.cloned().unwrap_or_default();
                json_patch::merge(&mut object, patch);
                let object = self.party.held(object)?;
                set.update(live, &object, managed)
            }
            Request::Apply { object, force } => set.apply(live, object, managed, *force),
        };
        let mut made = made.map_err(|refusal| refusal.to_string())?;
        let old = live.map(|live| live.get(HOLDER).cloned().unwrap_or_default());
        let mut new = made.get(HOLDER).cloned().unwrap_or_default();
        (self.normalise)(&self.party.union, old.as_ref(), &mut new);
        let errors = validate(&self.party.union, &Path::ROOT.child(HOLDER), old.as_ref(), &new);
        if !errors.is_empty() {
            return Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
        }
        if let Some(members) = made.as_object_mut() {
            members.insert(HOLDER.to_owned(), new);
        }
        self.live = Some(made.clone());
        Ok(made)
    }
}

fn managed<'r>(manager: &'r str, reset: &'r FieldSet) -> Managed<'r> {
    Managed { manager, subresource: "", now: NOW, reset }
}
