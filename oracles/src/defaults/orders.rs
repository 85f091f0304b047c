//! JSON with its members in another order.

use serde_json::Value;
use std::fmt::Write as _;
use takeover_harness::object::{Json, Node};

/// Whether the order of members can change a value: only untyped JSON keeps the order of its source.
pub(super) fn is_ordered(node: &Node<'_>) -> bool {
    match node {
        Node::Struct { fields, .. } => fields.iter().any(|(_, field)| is_ordered(field)),
        Node::List(items) => items.iter().any(is_ordered),
        Node::Map(entries) => entries.iter().any(|(_, value)| is_ordered(value)),
        Node::Raw(json) => has_order(json),
        _ => false,
    }
}

fn has_order(json: &Json<'_>) -> bool {
    match json {
        Json::Array(items) => items.iter().any(has_order),
        Json::Object(members) => members.len() > 1 || members.iter().any(|(_, value)| has_order(value)),
        _ => false,
    }
}

/// The texts of a value in other orders of its members at every depth: the reverse one, which changes which of two comes first, and a
/// random one, which also changes what stands between others. The random one follows from `text`, the text of the value.
pub(super) fn others(value: &Value, text: &str) -> [String; 2] {
    let mut random = Random::of(text);
    let mut texts = [String::new(), String::new()];
    let [of_reversed, of_shuffled] = &mut texts;
    write(value, of_reversed, &mut |members| members.reverse());
    write(value, of_shuffled, &mut |members| random.shuffle(members));
    texts
}

type Member<'v> = (&'v String, &'v Value);

fn write(value: &Value, text: &mut String, order: &mut dyn FnMut(&mut [Member<'_>])) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<Member<'_>> = members.iter().collect();
            order(&mut members);
            for (number, (name, value)) in members.iter().enumerate() {
                let _ = write!(text, "{}{}:", if number == 0 { '{' } else { ',' }, Value::from(name.as_str()));
                write(value, text, order);
            }
            text.push_str(if members.is_empty() { "{}" } else { "}" });
        }
        Value::Array(items) => {
            for (number, value) in items.iter().enumerate() {
                text.push(if number == 0 { '[' } else { ',' });
                write(value, text, order);
            }
            text.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        plain => _ = write!(text, "{plain}"),
    }
}

/// Numbers that follow from a text.
struct Random(u64);

impl Random {
    /// The seed is the text's FNV-1a hash.
    fn of(text: &str) -> Self {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(text.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
    }

    /// The next number below `end` (SplitMix64).
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^= number >> 31;
        usize::try_from(number % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or_default()
    }

    /// Gives every member another place.
    fn shuffle<T>(&mut self, members: &mut [T]) {
        for last in (1..members.len()).rev() {
            // Trading with an earlier one each time makes a single cycle (Sattolo).
            members.swap(last, self.below(last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::others;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    #[test]
    fn members_are_reordered_at_every_level_and_nothing_else() {
        let value = json!({"a": [{"b": 1, "c": {}}, []], "d": {"e": "x\"y", "f": null}});
        let [reversed, shuffled] = others(&value, &value.to_string());
        assert_eq!(reversed, r#"{"d":{"f":null,"e":"x\"y"},"a":[{"c":{},"b":1},[]]}"#);
        for text in [reversed, shuffled] {
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }

    #[test]
    fn no_member_stays_in_its_place_and_different_values_have_different_orders() {
        let mut orders = BTreeSet::new();
        for number in 0..50 {
            let value = json!({"outer": {"a": number, "b": number, "c": number, "d": number}});
            let [_, shuffled] = others(&value, &value.to_string());
            assert_eq!(others(&value, &value.to_string())[1], shuffled);
            let order: String = shuffled.chars().filter(|of| matches!(of, 'a'..='d')).collect();
            assert!(order.chars().zip("abcd".chars()).all(|(now, before)| now != before), "{shuffled}");
            orders.insert(order);
        }
        // Of four members, six orders are one cycle.
        assert_eq!(orders.len(), 6, "{orders:?}");
    }
}
