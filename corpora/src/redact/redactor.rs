//! Replaces what is secret by where it stands and what it looks like.

use super::cipher::Key;
use super::embedded::{self, Parts};
use super::originals::Originals;
use super::places::{self, Place};
use super::public;
use super::tokens;
use serde_json::Value;

/// What is replaced beyond what always is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Settings {
    /// Names of objects, namespaces, nodes, hosts and users.
    pub names: bool,
}

/// Replaces what is secret in objects, and remembers what it was.
pub struct Redactor {
    key: Key,
    settings: Settings,
    originals: Originals,
    replaced: u64,
}

impl Redactor {
    /// A redactor that has seen nothing.
    #[must_use]
    pub fn new(key: Key, settings: Settings) -> Self {
        Self { key, settings, originals: Originals::default(), replaced: 0 }
    }

    /// Redacts an object. `apiVersion` and `kind` stay, and so does everything whose place says nothing of secrets.
    pub fn object(&mut self, object: &mut Value) {
        places::walk(object, &mut |place, text| {
            if let Some(replacement) = self.replacement(place, text)
                && replacement != *text
            {
                *text = replacement;
                self.replaced += 1;
            }
        });
    }

    /// How many texts were replaced so far, each as often as it stood somewhere.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// What was replaced.
    #[must_use]
    pub fn into_originals(self) -> Originals {
        self.originals
    }

    fn replacement(&mut self, place: Place, text: &str) -> Option<String> {
        match place {
            Place::Data(parts) => Some(embedded::text(&self.key, text, parts, &mut self.originals)),
            Place::Base64(parts) => Some(embedded::base64(&self.key, text, parts, &mut self.originals)),
            Place::Annotation => self.annotation(text),
            Place::Name if self.settings.names => Some(self.name(text)),
            Place::Name | Place::Plain | Place::Environment => self.tokens(text),
            Place::Key | Place::Fixed => None,
        }
    }

    /// An annotation that holds an object is redacted as one. One that looks so, but is not, is replaced as a whole.
    fn annotation(&mut self, text: &str) -> Option<String> {
        if !text.trim_start().starts_with('{') {
            return self.tokens(text);
        }
        match serde_json::from_str::<Value>(text) {
            Ok(mut object) if object.get("kind").is_some_and(Value::is_string) => {
                self.object(&mut object);
                Some(embedded::respelled(text, &object))
            }
            Ok(_) => self.tokens(text),
            Err(_) if text.contains("\"kind\"") => {
                Some(embedded::text(&self.key, text, Parts::Open, &mut self.originals))
            }
            Err(_) => self.tokens(text),
        }
    }

    fn tokens(&mut self, text: &str) -> Option<String> {
        let spans = tokens::spans(text);
        if spans.is_empty() {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for span in spans {
            let secret = text.get(span.clone()).unwrap_or_default();
            self.originals.text(secret);
            out.push_str(text.get(done..span.start).unwrap_or_default());
            out.push_str(&self.key.text(secret));
            done = span.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Some(out)
    }

    /// A name, part by part where it is made of several, so that each part is replaced as it is elsewhere.
    fn name(&mut self, name: &str) -> String {
        if public::is_public_name(name) {
            return name.to_owned();
        }
        let parts: Vec<String> = name
            .split(':')
            .map(|part| {
                if public::is_public(part) {
                    return part.to_owned();
                }
                self.originals.name(part);
                self.key.text(part)
            })
            .collect();
        parts.join(":")
    }
}
