//! How large a case is: the measure that every accepted step of minimisation must lower.

use serde_json::Value;

/// Size of a pair of objects, compared member by member from the top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Weight {
    /// Fields, entries, items and values.
    nodes: u64,
    /// Bytes of keys and texts.
    bytes: u64,
    /// Distance of the values from the plainest ones: 0, false, and texts of `a`.
    intricacy: u128,
}

impl Weight {
    /// Adds a value and everything in it.
    pub(super) fn add(&mut self, value: &Value) {
        self.nodes += 1;
        match value {
            Value::Null => {}
            Value::Bool(on) => self.intricacy += u128::from(*on),
            Value::Number(number) => self.intricacy += distance(number),
            Value::String(text) => {
                self.bytes += text.len() as u64;
                self.intricacy += text.chars().filter(|&c| c != 'a').count() as u128;
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(members) => {
                for (key, member) in members {
                    self.bytes += key.len() as u64;
                    self.add(member);
                }
            }
        }
    }
}

/// Twice the distance from zero, one more below zero, so that 1 is plainer than -1.
fn distance(number: &serde_json::Number) -> u128 {
    if let Some(value) = number.as_i64() {
        return u128::from(value.unsigned_abs()) * 2 + u128::from(value < 0);
    }
    if let Some(value) = number.as_u64() {
        return u128::from(value) * 2;
    }
    // A fraction is less plain than any integer.
    u128::from(u64::MAX) * 4
}
