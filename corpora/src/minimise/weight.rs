//! How large a case is: the measure that every accepted step of minimisation must lower. And a print of it, by which it is known again.

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

/// A print of a pair of objects: different ones have different prints, but for one in 2⁶⁴.
#[derive(Clone, Copy, Debug)]
pub(super) struct Print(u64);

impl Default for Print {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Print {
    /// The print of what was added.
    pub(super) fn number(self) -> u64 {
        self.0
    }

    /// Adds a value and everything in it.
    pub(super) fn add(&mut self, value: &Value) {
        match value {
            Value::Null => self.word(0),
            Value::Bool(on) => self.word(1 + u64::from(*on)),
            Value::Number(number) => self.text(3, &number.to_string()),
            Value::String(text) => self.text(4, text),
            Value::Array(items) => {
                self.word(5 ^ (items.len() as u64) << 3);
                items.iter().for_each(|item| self.add(item));
            }
            Value::Object(members) => {
                self.word(6 ^ (members.len() as u64) << 3);
                for (key, member) in members {
                    self.text(7, key);
                    self.add(member);
                }
            }
        }
    }

    /// Adds a text; `sort` tells keys, strings and numbers apart.
    fn text(&mut self, sort: u64, text: &str) {
        self.word(sort ^ (text.len() as u64) << 3);
        for part in text.as_bytes().chunks(8) {
            self.word(part.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    fn word(&mut self, word: u64) {
        // Multiplication carries bits up only; the rotation brings them down again.
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

#[cfg(test)]
mod tests {
    use super::Print;
    use serde_json::{Value, json};
    use std::collections::HashSet;

    #[test]
    fn objects_that_differ_have_different_prints() {
        let print = |value: &Value| {
            let mut print = Print::default();
            print.add(value);
            print.number()
        };
        let mut values = vec![json!(null), json!(false), json!(true), json!(""), json!([]), json!({}), json!(1.5)];
        values.extend([
            json!({"a": null}),
            json!({"a": {}}),
            json!({"a": "", "b": ""}),
            json!(["", ""]),
            json!([["", ""]]),
        ]);
        values.extend([json!([[""], ""]), json!([[], []]), json!([[[]]]), json!({"ab": "c"}), json!({"a": "bc"})]);
        values.extend((0..400).map(|count| json!("a".repeat(count))).skip(1));
        values.extend((-400..400).map(|number| json!(number)));
        values.extend((0..400).map(|number| json!({"list": [{"name": number.to_string()}]})));
        let prints: HashSet<u64> = values.iter().map(print).collect();
        assert_eq!(prints.len(), values.len());
        assert_eq!(print(&json!({"a": [1, "x"]})), print(&json!({"a": [1, "x"]})));
    }
}
