//! Which items of two lists are the same: those of sets by their values, those of maps by their keys.

use crate::oracle::is_zero;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// Most items with the same keys among which the one that has all that was sent is looked for, and most items of sets that are compared
/// with each other beyond their texts.
const MOST: usize = 16;

/// The position in `made` of each item of `sent`. Without `keys`, items are the same if their values are. With keys, items with all values
/// the same come first, then those with the same keys, then those with the keys that were sent: an unset key may have taken a default.
/// Among several, the first that keeps everything sent is taken.
#[must_use]
pub fn matched(sent: &[Value], made: &[Value], keys: &[String]) -> Vec<Option<usize>> {
    let mut found = Found::new(sent, made);
    found.by_text(&Value::to_string);
    if !keys.is_empty() {
        found.by_text(&|item| key_text(item, keys));
        found.by(&|sent, made| {
            keys.iter().all(|key| sent.get(key).is_none_or(is_zero) || sent.get(key) == made.get(key))
        });
    }
    found.places
}

/// The keys of an item as text. Go writes an absent key as zero.
#[must_use]
pub fn key_text(item: &Value, keys: &[String]) -> String {
    let set = |value: &&Value| !is_zero(value);
    keys.iter().map(|key| item.get(key).filter(set).cloned().unwrap_or_default()).collect::<Value>().to_string()
}

/// An item of one list, of another or of both, by its positions there and in the list that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Same {
    pub(super) one: Option<usize>,
    pub(super) other: Option<usize>,
    pub(super) sent: Option<usize>,
}

/// The items of two sets (without `keys`) or maps that are the same: those with all values the same, then those that come from the same
/// item of `sent`, those with the same keys, and those of sets that are alike.
pub(super) fn paired(
    ours: &[Value],
    theirs: &[Value],
    sent: &[Value],
    keys: &[String],
    is_alike: &dyn Fn(&Value, &Value) -> bool,
) -> Vec<Same> {
    let (ours_of, theirs_of) = (matched(sent, ours, keys), matched(sent, theirs, keys));
    let mut found = Found::new(ours, theirs);
    found.by_text(&Value::to_string);
    for (one, other) in ours_of.iter().zip(&theirs_of).filter_map(|(one, other)| one.zip(*other)) {
        if found.places.get(one) == Some(&None) && found.is_left(other) {
            found.take(one, other);
        }
    }
    if keys.is_empty() {
        let left = found.places.iter().filter(|place| place.is_none()).count();
        if left <= MOST {
            found.by(is_alike);
        }
    } else {
        found.by_text(&|item| key_text(item, keys));
    }
    let sent_of = |places: &[Option<usize>], items: usize| -> Vec<Option<usize>> {
        let mut sent = vec![None; items];
        for (at, place) in places.iter().enumerate() {
            if let Some(of) = place.and_then(|place| sent.get_mut(place)) {
                *of = Some(at);
            }
        }
        sent
    };
    let (sent_of_ours, sent_of_theirs) = (sent_of(&ours_of, ours.len()), sent_of(&theirs_of, theirs.len()));
    let of_theirs = |other: usize| sent_of_theirs.get(other).copied().flatten();
    let first = found.places.iter().zip(&sent_of_ours).enumerate().map(|(one, (other, sent))| Same {
        one: Some(one),
        other: *other,
        sent: sent.or_else(|| of_theirs((*other)?)),
    });
    let alone = (0..theirs.len()).filter(|other| found.is_left(*other));
    first.chain(alone.map(|other| Same { one: None, other: Some(other), sent: of_theirs(other) })).collect()
}

/// Items of one list, and where they were found in the other.
struct Found<'v> {
    sent: &'v [Value],
    made: &'v [Value],
    places: Vec<Option<usize>>,
    /// Which items of the other list are not taken.
    left: Vec<bool>,
}

impl<'v> Found<'v> {
    fn new(sent: &'v [Value], made: &'v [Value]) -> Self {
        Self { sent, made, places: vec![None; sent.len()], left: vec![true; made.len()] }
    }

    fn is_left(&self, at: usize) -> bool {
        self.left.get(at) == Some(&true)
    }

    fn take(&mut self, sent: usize, made: usize) {
        if let (Some(place), Some(left)) = (self.places.get_mut(sent), self.left.get_mut(made)) {
            (*place, *left) = (Some(made), false);
        }
    }

    fn missing(&self) -> Vec<(usize, &'v Value)> {
        let all = self.sent.iter().zip(&self.places).enumerate();
        all.filter(|(_, (_, place))| place.is_none()).map(|(at, (item, _))| (at, item)).collect()
    }

    /// Takes the items with the same text.
    fn by_text(&mut self, text: &dyn Fn(&Value) -> String) {
        let missing = self.missing();
        if missing.is_empty() {
            return;
        }
        let mut known: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, item) in self.made.iter().enumerate().filter(|(at, _)| self.is_left(*at)) {
            known.entry(text(item)).or_default().push_back(at);
        }
        for (at, item) in missing {
            let Some(same) = known.get_mut(&text(item)) else { continue };
            let first = same.iter().take(MOST).position(|at| self.made.get(*at).is_some_and(|made| has(made, item)));
            if let Some(made) = same.remove(first.unwrap_or_default()) {
                self.take(at, made);
            }
        }
    }

    /// Takes the items that fit, first those that have all of the other.
    fn by(&mut self, fits: &dyn Fn(&Value, &Value) -> bool) {
        for (at, item) in self.missing() {
            let free = || {
                let left = self.made.iter().enumerate().filter(|(at, _)| self.is_left(*at));
                left.filter(|(_, made)| fits(item, made)).take(MOST)
            };
            let found = free().find(|(_, made)| has(made, item)).or_else(|| free().next()).map(|(made, _)| made);
            if let Some(made) = found {
                self.take(at, made);
            }
        }
    }
}

/// Whether a value has all that was sent; lists need only the same length.
fn has(made: &Value, sent: &Value) -> bool {
    match (made, sent) {
        (_, sent) if is_zero(sent) => true,
        (Value::Object(made), Value::Object(sent)) => {
            sent.iter().all(|(name, sent)| made.get(name).map_or_else(|| is_zero(sent), |made| has(made, sent)))
        }
        (Value::Array(made), Value::Array(sent)) => made.len() == sent.len(),
        (made, sent) => made == sent,
    }
}

#[cfg(test)]
mod tests {
    use super::{Same, matched, paired};
    use serde_json::{Value, json};

    #[test]
    fn items_are_the_same_by_value_by_key_and_by_the_keys_that_were_sent() {
        let keys = ["port".to_owned(), "protocol".to_owned()];
        let tcp = |port: u16| json!({"port": port, "protocol": "TCP"});
        let of = |sent: Value, made: Value, keys: &[String]| {
            matched(sent.as_array().unwrap(), made.as_array().unwrap(), keys)
        };
        assert_eq!(of(json!(["b", "a", "b"]), json!(["b", "a", "c"]), &[]), [Some(0), Some(1), None]);
        assert_eq!(of(json!([tcp(1), tcp(2)]), json!([tcp(2), tcp(3)]), &keys), [None, Some(0)]);
        // What says all keys goes before what may have any.
        let udp = json!({"port": 1, "protocol": "UDP"});
        let sent = json!([{"port": 1}, tcp(1), {"port": 2, "protocol": ""}, null]);
        assert_eq!(of(sent, json!([tcp(1), udp, tcp(2), {}]), &keys), [Some(1), Some(0), Some(2), Some(3)]);
        let named = json!({"port": 1, "protocol": "TCP", "name": "a"});
        assert_eq!(of(json!([named, tcp(1)]), json!([tcp(1), named]), &keys), [Some(1), Some(0)]);
    }

    #[test]
    fn items_of_both_sides_are_the_same_whichever_side_comes_first() {
        let keys = ["port".to_owned(), "protocol".to_owned()];
        let [tcp, udp, bare] =
            [json!({"port": 1, "protocol": "TCP"}), json!({"port": 1, "protocol": "UDP"}), json!({"port": 1})];
        let is_zero = |one: &Value, other: &Value| [one, other].iter().all(|of| of.is_null() || **of == "");
        for (ours, theirs, sent, keys, expected) in [
            // They come from the same item that was sent.
            (vec![&tcp], vec![&udp], vec![&bare], &keys[..], vec![(Some(0), Some(0), Some(0))]),
            // Nothing says so where nothing was sent.
            (vec![&tcp], vec![&bare], vec![], &keys[..], vec![(Some(0), None, None), (None, Some(0), None)]),
            // Items with the same keys are told apart by the rest.
            (
                vec![&tcp, &udp, &tcp],
                vec![&udp, &tcp],
                vec![&udp, &tcp],
                &keys[..],
                vec![(Some(0), Some(1), Some(1)), (Some(1), Some(0), Some(0)), (Some(2), None, None)],
            ),
            (
                vec![&json!(null), &json!("a")],
                vec![&json!("a"), &json!("")],
                vec![],
                &[][..],
                vec![(Some(0), Some(1), None), (Some(1), Some(0), None)],
            ),
        ] {
            let [ours, theirs, sent] = [ours, theirs, sent].map(|of| of.into_iter().cloned().collect::<Vec<Value>>());
            let same = |(one, other, sent)| Same { one, other, sent };
            let found = paired(&ours, &theirs, &sent, keys, &is_zero);
            assert_eq!(found, expected.iter().copied().map(same).collect::<Vec<_>>(), "{ours:?} {theirs:?}");
            let exchanged = paired(&theirs, &ours, &sent, keys, &is_zero);
            let back = |Same { one, other, sent }: Same| (other, one, sent);
            let mut exchanged: Vec<_> = exchanged.into_iter().map(back).collect();
            exchanged.sort_by_key(|(one, ..)| (one.is_none(), *one));
            assert_eq!(exchanged, expected, "exchanged: {ours:?} {theirs:?}");
        }
    }
}
