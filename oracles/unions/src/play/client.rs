//! A client and its requests.

use super::cell::{Client, Verb};
use super::outcome::Exchange;
use super::party::{HOLDER, Party};
use super::request::Request;
use super::server::Server;
use serde_json::{Map, Value, json};
use takeover_apply::managed::ObjectType as _;

/// The field manager of the client.
pub(super) const CLIENT: &str = "client";

/// A label, as an example of a field outside the union.
pub(super) const NOTE: &str = "note";

/// The change that a client makes to the union.
pub(super) struct Wish {
    /// The members that are to be set, if it wants to change them.
    pub(super) members: Option<Map<String, Value>>,
    /// The name of the discriminator and its value, if the client sets it.
    pub(super) chosen: Option<(String, String)>,
    /// Whether it changes another field.
    pub(super) note: bool,
    /// The struct that it applied before, if any.
    pub(super) own: Option<Value>,
}

/// A client of one version.
pub(super) struct Sender<'p> {
    pub(super) party: &'p Party,
    pub(super) client: Client,
    pub(super) exchanges: Vec<Exchange>,
}

impl Sender<'_> {
    /// Sends what `verb` needs for the wish.
    ///
    /// # Errors
    /// Returns the server's error if it rejects a request.
    pub(super) fn send(&mut self, server: &mut Server<'_>, verb: Verb, wish: &Wish) -> Result<(), String> {
        let request = match verb {
            Verb::Create => Request::Create(self.fresh(wish)),
            Verb::Replace => Request::Put(self.fresh(wish)),
            Verb::Update => {
                let mut object = self.get(server)?;
                self.change(&mut object, wish);
                Request::Put(object)
            }
            Verb::MergePatch => Request::MergePatch(self.patch(server, wish)?),
            Verb::Apply | Verb::ForceApply => {
                Request::Apply { object: self.configuration(server, wish)?, force: verb == Verb::ForceApply }
            }
        };
        let answer = server.answer(&request, CLIENT);
        let (method, body) = request.parts();
        let shown = answer.as_ref().map_or_else(|refusal| Value::from(refusal.as_str()), bare);
        self.exchanges.push(Exchange { request: method.to_owned(), body: bare(body), answer: shown });
        answer.map(drop)
    }

    /// The object as the client reads it.
    fn get(&mut self, server: &Server<'_>) -> Result<Value, String> {
        let object = server.party.held(server.live.clone().unwrap_or_default())?;
        self.exchanges.push(Exchange { request: "GET".to_owned(), body: Value::Null, answer: bare(&object) });
        match self.client {
            Client::Typed => self.party.held(object),
            Client::Untyped => Ok(object),
        }
    }

    /// A new object, independent of the stored one.
    fn fresh(&self, wish: &Wish) -> Value {
        let mut spec = wish.members.clone().unwrap_or_default();
        spec.extend(wish.chosen.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))));
        self.party.object(Value::Object(spec))
    }

    /// The object that was read, with the client's change: it removes every other member that it knows.
    fn change(&self, object: &mut Value, wish: &Wish) {
        if let Some(members) = &wish.members
            && let Some(spec) = object.get_mut(HOLDER).and_then(Value::as_object_mut)
        {
            self.party.union.members.iter().for_each(|member| drop(spec.remove(&member.name)));
            spec.extend(members.clone());
            spec.extend(wish.chosen.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))));
        }
        if wish.note {
            note(object);
        }
    }

    fn patch(&mut self, server: &Server<'_>, wish: &Wish) -> Result<Value, String> {
        let Some(members) = &wish.members else {
            if wish.note {
                let mut patch = json!({});
                note(&mut patch);
                return Ok(patch);
            }
            let spec = self.get(server)?.get(HOLDER).cloned().unwrap_or_default();
            return Ok(json!({HOLDER: spec}));
        };
        if self.client == Client::Typed {
            let read = self.get(server)?;
            let mut changed = read.clone();
            self.change(&mut changed, wish);
            return Ok(difference(&read, &changed));
        }
        let known = self.party.union.members.iter().map(|member| (member.name.clone(), Value::Null));
        let mut spec: Map<String, Value> = known.collect();
        spec.extend(members.clone());
        spec.extend(wish.chosen.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))));
        Ok(json!({HOLDER: spec}))
    }

    /// What the client applies: what it wants, what it applied before if it leaves the union alone, or what it read if it sends it back.
    fn configuration(&mut self, server: &Server<'_>, wish: &Wish) -> Result<Value, String> {
        if wish.members.is_some() {
            return Ok(self.fresh(wish));
        }
        if wish.note {
            let mut object = self.party.object(wish.own.clone().unwrap_or_else(|| json!({})));
            note(&mut object);
            return Ok(object);
        }
        let spec = self.get(server)?.get(HOLDER).cloned().unwrap_or_default();
        Ok(self.party.object(spec))
    }
}

fn note(object: &mut Value) {
    json_patch::merge(object, &json!({"metadata": {"labels": {NOTE: "changed"}}}));
}

/// The merge patch from one object to another.
fn difference(from: &Value, to: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (from, to) else { return to.clone() };
    let gone = old.keys().filter(|name| !new.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let changed = new.iter().filter(|(name, value)| old.get(*name) != Some(value));
    let changed = changed.map(|(name, value)| {
        (name.clone(), old.get(name).map_or_else(|| value.clone(), |before| difference(before, value)))
    });
    Value::Object(gone.chain(changed).collect())
}

/// An object without the record of who owns its fields, which does not matter to a union.
pub(super) fn bare(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}
