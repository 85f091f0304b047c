//! Replaces what is secret by where it stands and what it looks like.

use super::cipher::Key;
use super::decoded;
use super::embedded::{self, Parts};
use super::originals::Originals;
use super::public;
use super::text_roles::{self, TextRole};
use super::tokens;
use crate::load::{Input, Limits, load};
use regex::Regex;
use serde_json::Value;
use std::io::Cursor;
use std::sync::LazyLock;

#[expect(clippy::unwrap_used, reason = "the patterns are fixed, and a test compiles them")]
static OBJECT: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    ["apiVersion", "kind", "stringData"]
        .map(|field| Regex::new(&format!(r#"(?:\A|[\s{{,"'\\-]){field}["'\\]*\s*:"#)).unwrap())
});

/// What is replaced beyond what always is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RedactionSettings {
    /// Names of objects, namespaces, nodes, hosts and users.
    pub names: bool,
}

/// Replaces what is secret in objects, and remembers what it was.
pub struct Redactor {
    key: Key,
    settings: RedactionSettings,
    originals: Originals,
    replaced: u64,
}

impl Redactor {
    /// A redactor that has seen nothing.
    #[must_use]
    pub fn new(key: Key, settings: RedactionSettings) -> Self {
        Self { key, settings, originals: Originals::default(), replaced: 0 }
    }

    /// Redacts an object. `apiVersion` and `kind` stay, and so does everything whose place says nothing of secrets.
    pub fn object(&mut self, object: &mut Value) {
        text_roles::walk(object, &mut |role, text| {
            if role == TextRole::Fixed {
                self.originals.kind(text);
            }
            if let Some(replacement) = self.replacement(role, text)
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

    fn replacement(&mut self, role: TextRole, text: &str) -> Option<String> {
        match role {
            TextRole::Data(parts) => Some(embedded::text(&self.key, text, parts, &mut self.originals)),
            TextRole::Base64(parts) => Some(embedded::base64(&self.key, text, parts, &mut self.originals)),
            TextRole::Name if self.settings.names => Some(self.name(text)),
            TextRole::Name | TextRole::Plain | TextRole::Chosen | TextRole::Environment | TextRole::Annotation => {
                self.open(text)
            }
            TextRole::Key => self.tokens(text),
            TextRole::Field | TextRole::Fixed => None,
        }
    }

    /// A text of which nothing is known: one that holds an object is redacted as one. One that looks so, but is not JSON, is
    /// replaced as a whole.
    fn open(&mut self, text: &str) -> Option<String> {
        if text.trim_start().starts_with(['{', '['])
            && let Ok(mut value) = serde_json::from_str::<Value>(text)
        {
            // What has a key twice holds more than what was read of it.
            let whole = embedded::texts(text) == count(&value);
            let before = value.clone();
            self.object(&mut value);
            return match whole {
                true => (value != before).then(|| embedded::respelled(text, &value)),
                false => Some(embedded::text(&self.key, text, Parts::Secret, &mut self.originals)),
            };
        }
        if looks_like_object(text) {
            // What is secret in it may stand elsewhere for itself.
            let input = Input::stream("text.yaml", Cursor::new(text.as_bytes().to_vec()));
            for mut document in load(vec![input], Limits::default()).flatten() {
                self.object(&mut document.value);
            }
            return Some(embedded::text(&self.key, text, Parts::Open, &mut self.originals));
        }
        let replaced = self.tokens(text);
        let encoded = self.encoded(replaced.as_deref().unwrap_or(text));
        encoded.or(replaced)
    }

    /// Replaces runs of base64 or hexadecimal digits that stand for a text with something to replace.
    fn encoded(&mut self, text: &str) -> Option<String> {
        let mut out = None;
        for run in decoded::runs(text) {
            let encoded = text.get(run.clone()).unwrap_or_default();
            let readings = decoded::readings(encoded);
            if readings.iter().filter_map(|reading| decoded::as_text(reading)).any(|plain| self.open(plain).is_some()) {
                self.originals.text(encoded);
                out.get_or_insert_with(|| text.to_owned()).replace_range(run, &self.key.text(encoded));
            }
        }
        out
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
            self.originals.value(secret);
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

/// Whether a text looks like an object of Kubernetes in YAML, or in JSON that is broken.
fn looks_like_object(text: &str) -> bool {
    let [version, kind, data] = &*OBJECT;
    data.is_match(text) || (kind.is_match(text) && (version.is_match(text) || text.trim_start().starts_with('{')))
}

/// The texts in a value, keys among them.
fn count(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(|child| 1 + count(child)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
