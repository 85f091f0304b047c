//! Texts within texts: base64, JSON, and objects as JSON. What is not replaced keeps its spelling, so that lengths stay.

use super::cipher::Key;
use super::originals::Originals;
use super::spelled::Spelled;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

/// Reads what Go reads.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Whether the parts of a text are secrets of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    /// As in a Secret.
    Secret,
    /// As in configuration, whose words are everybody's.
    Open,
}

/// Replaces a text; one that is JSON stays JSON.
pub(super) fn text(key: &Key, text: &str, parts: Parts, originals: &mut Originals) -> String {
    originals.value(text);
    if is_json(text) { json(key, text, parts, originals) } else { key.text(text) }
}

/// Replaces what a text in base64 stands for; one that is not base64 is replaced as it is.
pub(super) fn base64(key: &Key, encoded: &str, parts: Parts, originals: &mut Originals) -> String {
    originals.text(encoded);
    let Ok(mut decoded) = BASE64.decode(encoded) else { return key.text(encoded) };
    match std::str::from_utf8(&decoded) {
        Ok(plain) if !plain.contains(is_binary) => BASE64.encode(text(key, plain, parts, originals)),
        _ => {
            key.bytes(&mut decoded);
            BASE64.encode(decoded)
        }
    }
}

/// Whether a character is one that no text has.
fn is_binary(c: char) -> bool {
    c.is_control() && !c.is_whitespace()
}

/// Whether a text is a JSON object or list.
fn is_json(text: &str) -> bool {
    matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'['))
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Replaces every text in a JSON text, keys too, and the digits of numbers but the first.
fn json(key: &Key, json: &str, parts: Parts, originals: &mut Originals) -> String {
    rewritten(json, |token, raw, out| match token {
        Token::Text => {
            let mut spelled = Spelled::json(raw);
            if parts == Parts::Secret {
                originals.value(&spelled.plain());
            }
            key.characters(&mut spelled.characters);
            spelled.write(out);
        }
        Token::Number => {
            let mantissa = raw.find(['e', 'E']).unwrap_or(raw.len());
            let first = raw.find(|c: char| c.is_ascii_digit()).map_or(raw.len(), |at| at + 1).min(mantissa);
            let (before, rest) = raw.split_at(first);
            let (digits, after) = rest.split_at(mantissa - first);
            out.extend([before, key.text(digits).as_str(), after]);
        }
    })
}

/// How many texts a JSON text holds, keys among them.
pub(super) fn texts(json: &str) -> usize {
    let mut texts = 0;
    rewritten(json, |token, _, _| texts += usize::from(matches!(token, Token::Text)));
    texts
}

/// `json`, which holds `original`, with the texts of `redacted` in their places. Both have the same keys, and texts of as many
/// characters.
pub(super) fn respelled(json: &str, redacted: &Value) -> String {
    // Texts in the order in which the text has them, which a map does not keep: so they are looked up on the way.
    let mut walk = Walk { open: Vec::new(), next: Some(redacted) };
    let mut rest = json;
    let mut out = String::with_capacity(json.len());
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => {
                let raw = raw_text(rest);
                let mut spelled = Spelled::json(raw);
                let replaced = if walk.expects_key() {
                    walk.key(&spelled.plain());
                    None
                } else {
                    walk.value().and_then(Value::as_str)
                };
                if let Some(replaced) = replaced {
                    spelled.characters = replaced.chars().collect();
                }
                out.push('"');
                spelled.write(&mut out);
                out.push('"');
                raw.len() + 2
            }
            other => {
                walk.structure(other);
                out.push(other);
                other.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// Where in a value a JSON text has come to.
struct Walk<'v> {
    open: Vec<Open<'v>>,
    /// What comes next, if it is known.
    next: Option<&'v Value>,
}

struct Open<'v> {
    value: Option<&'v Value>,
    index: usize,
    map: bool,
    /// In a map, whether a key comes next.
    key: bool,
}

impl<'v> Walk<'v> {
    fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.map && open.key)
    }

    fn key(&mut self, key: &str) {
        if let Some(open) = self.open.last_mut() {
            open.key = false;
            self.next = open.value.and_then(|value| value.get(key));
        }
    }

    fn value(&mut self) -> Option<&'v Value> {
        self.next.take()
    }

    fn structure(&mut self, c: char) {
        match c {
            '{' | '[' => {
                let value = self.value();
                let map = c == '{';
                self.next = if map { None } else { value.and_then(|value| value.get(0)) };
                self.open.push(Open { value, index: 0, map, key: map });
            }
            '}' | ']' => {
                self.open.pop();
                self.next = None;
            }
            ',' => {
                if let Some(open) = self.open.last_mut() {
                    open.index += 1;
                    open.key = open.map;
                    self.next = if open.map { None } else { open.value.and_then(|value| value.get(open.index)) };
                }
            }
            _ => {}
        }
    }
}

enum Token {
    Text,
    Number,
}

/// A JSON text with its texts (without quotes) and numbers as `write` has them.
fn rewritten(json: &str, mut write: impl FnMut(Token, &str, &mut String)) -> String {
    let mut rest = json;
    let mut out = String::with_capacity(json.len());
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => {
                let raw = raw_text(rest);
                out.push('"');
                write(Token::Text, raw, &mut out);
                out.push('"');
                raw.len() + 2
            }
            '-' | '0'..='9' => {
                let end =
                    rest.find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9')).unwrap_or(rest.len());
                write(Token::Number, rest.get(..end).unwrap_or_default(), &mut out);
                end
            }
            other => {
                out.push(other);
                other.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// What stands between the quote that `text` begins with and the next one that is not escaped.
fn raw_text(text: &str) -> &str {
    let mut escaped = false;
    let inner = text.get(1..).unwrap_or_default();
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return inner.get(..at).unwrap_or_default(),
            _ => {}
        }
    }
    inner
}
