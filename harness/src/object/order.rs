//! JSON with its members in another order.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;
use std::cell::RefCell;
use std::fmt;

/// The order in which the members of an object are written, at every depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// That of the object.
    #[default]
    Same,
    /// The reverse, which changes which of two members comes first.
    Reversed,
    /// A random one, which also changes what stands between others. It follows from the text of the object.
    Shuffled,
}

impl Order {
    /// Every order but the same.
    pub const OTHERS: [Self; 2] = [Self::Reversed, Self::Shuffled];
}

/// A value that is written with its members in an order.
///
/// ```
/// use serde_json::json;
/// use takeover_harness::object::{InOrder, Order};
/// let value = json!({"a": {"b": 1, "c": 2}, "d": 3});
/// assert_eq!(InOrder(&value, Order::Reversed).to_string(), r#"{"d":3,"a":{"c":2,"b":1}}"#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InOrder<'v>(pub &'v Value, pub Order);

impl<'v> From<&'v Value> for InOrder<'v> {
    fn from(value: &'v Value) -> Self {
        Self(value, Order::Same)
    }
}

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(value, order) = *self;
        let random = match order {
            Order::Same => return value.serialize(serializer),
            Order::Reversed => Random(0),
            Order::Shuffled => Random::of(&value.to_string()),
        };
        Ordered { value, order, random: &RefCell::new(random) }.serialize(serializer)
    }
}

impl fmt::Display for InOrder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

struct Ordered<'v> {
    value: &'v Value,
    order: Order,
    random: &'v RefCell<Random>,
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inner = |value| Ordered { value, ..*self };
        match self.value {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                match self.order {
                    Order::Same => {}
                    Order::Reversed => members.reverse(),
                    Order::Shuffled => self.random.borrow_mut().shuffle(&mut members),
                }
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, &inner(value))?;
                }
                map.end()
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(inner)),
            plain => plain.serialize(serializer),
        }
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
    use super::{InOrder, Order};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    #[test]
    fn members_are_reordered_at_every_level_and_nothing_else() {
        let value = json!({"a": [{"b": 1, "c": {}}, []], "d": {"e": "x\"y", "f": null}});
        let [reversed, shuffled] = Order::OTHERS.map(|order| InOrder(&value, order).to_string());
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
            let shuffled = InOrder(&value, Order::Shuffled).to_string();
            assert_eq!(InOrder(&value, Order::Shuffled).to_string(), shuffled);
            let order: String = shuffled.chars().filter(|of| matches!(of, 'a'..='d')).collect();
            assert!(order.chars().zip("abcd".chars()).all(|(now, before)| now != before), "{shuffled}");
            orders.insert(order);
        }
        // Of four members, six orders are one cycle.
        assert_eq!(orders.len(), 6, "{orders:?}");
    }
}
