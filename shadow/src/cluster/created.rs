//! What a check creates, and its removal.

use super::manifest::LABEL;
use super::object::text;
use serde_json::Value;
use takeover_external::server::{ServerAnswer, ServerCaller, Verb};
use takeover_harness::oracle::OracleFailure;

/// What was created and is not deleted yet. All of it is deleted at the latest when this is dropped.
pub(super) struct Created<'c> {
    caller: &'c ServerCaller,
    /// Of configurations of webhooks, paths and uids; an empty uid where the answer to its creation was lost.
    webhooks: Vec<(String, String)>,
    /// The same of everything else.
    objects: Vec<(String, String)>,
}

impl<'c> Created<'c> {
    pub(super) fn new(caller: &'c ServerCaller) -> Self {
        Self { caller, webhooks: Vec::new(), objects: Vec::new() }
    }

    /// Creates an object among those at the path `objects`, and remembers it. Returns what the server answered.
    ///
    /// # Errors
    /// Returns an error when there is no answer; it is deleted later in case it is there.
    pub(super) fn create(&mut self, objects: &str, object: &Value) -> Result<ServerAnswer, OracleFailure> {
        let answer = self.caller.send(Verb::Create, objects, object);
        let kept = match &answer {
            Ok(answer) if answer.is_done() => answer.json(),
            Ok(_) => return answer,
            Err(_) => object.clone(),
        };
        let path = ServerCaller::path_of(objects.split('?').next().unwrap_or_default(), text(&kept, "name"));
        let uid = if answer.is_ok() { text(&kept, "uid").to_owned() } else { String::new() };
        let list = if objects.contains("webhookconfigurations") { &mut self.webhooks } else { &mut self.objects };
        list.push((path, uid));
        answer
    }

    /// Deletes what was created last.
    pub(super) fn remove_last(&mut self) {
        if let Some((path, uid)) = self.objects.pop()
            && self.remove(&path, &uid).is_err()
        {
            // Once more at the end.
            self.objects.push((path, uid));
        }
    }

    /// Deletes the configurations of webhooks. Those that could not be deleted are tried again at the end.
    pub(super) fn remove_webhooks(&mut self) {
        let all = std::mem::take(&mut self.webhooks);
        self.webhooks = all.into_iter().filter(|(path, uid)| self.remove(path, uid).is_err()).collect();
    }

    /// Deletes everything: first the configurations of webhooks, then the objects, the last first. Returns what is left, with the reason.
    pub(super) fn remove_all(&mut self) -> Vec<String> {
        let webhooks = std::mem::take(&mut self.webhooks);
        let objects = std::mem::take(&mut self.objects);
        let all = webhooks.into_iter().chain(objects.into_iter().rev());
        all.filter_map(|(path, uid)| {
            let why = self.remove(&path, &uid).err()?;
            Some(format!("{path}: {why}"))
        })
        .collect()
    }

    fn remove(&self, path: &str, uid: &str) -> Result<(), OracleFailure> {
        if !uid.is_empty() {
            return self.caller.delete(path, uid);
        }
        // Whether it was created is not known, and another one of that name is not ours.
        let found = self.caller.get(path)?;
        let object = found.json();
        let ours = object.pointer("/metadata/labels").is_some_and(|labels| labels.get(LABEL).is_some());
        if found.is_done() && ours { self.caller.delete(path, text(&object, "uid")) } else { Ok(()) }
    }
}

impl Drop for Created<'_> {
    fn drop(&mut self) {
        // Nobody is left to be told; whoever wants to know what is left calls `remove_all`.
        let _ = self.remove_all();
    }
}
