//! Which items of two lists are the same: those of sets by their values, those of maps by their keys.

use crate::oracle::is_zero;
use serde_json::Value;
use std::collections::HashMap;

/// The position in `made` of each item of `sent`. Without `keys`, items are the same if their values are. With keys, items with all values
/// the same come first, then those with the same keys, then those with the keys that were sent: an unset key may have taken a default. Of
/// several, the first goes first that has what was sent.
#[must_use]
pub fn matched(sent: &[Value], made: &[Value], keys: &[String]) -> Vec<Option<usize>> {
    let mut found = Found { places: vec![None; sent.len()], left: vec![true; made.len()] };
    found.by_text(sent, made, &Value::to_string);
    if !keys.is_empty() {
        found.by_text(sent, made, &|item| key_text(item, keys));
        found.by_set_keys(sent, made, keys);
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

/// The items of two sets (without `keys`) or maps that are the same: those with all values the same, then those that come from the same item
/// of `sent`, those with the same keys, and those of sets that are alike.
pub(super) fn paired(
    ours: &[Value],
    theirs: &[Value],
    sent: &[Value],
    keys: &[String],
    is_alike: &dyn Fn(&Value, &Value) -> bool,
) -> Vec<Same> {
    let (ours_of, theirs_of) = (matched(sent, ours, keys), matched(sent, theirs, keys));
    let equal = matched(ours, theirs, &[]).into_iter().enumerate();
    let mut pairs: Vec<(usize, usize)> = equal.filter_map(|(one, other)| Some((one, other?))).collect();
    for (one, other) in ours_of.iter().zip(&theirs_of).filter_map(|(one, other)| one.zip(*other)) {
        if !pairs.iter().any(|(of, with)| *of == one || *with == other) {
            pairs.push((one, other));
        }
    }
    let left = |pairs: &[(usize, usize)]| -> (Vec<usize>, Vec<usize>) {
        let of_ours = (0..ours.len()).filter(|at| !pairs.iter().any(|(one, _)| one == at)).collect();
        (of_ours, (0..theirs.len()).filter(|at| !pairs.iter().any(|(_, other)| other == at)).collect())
    };
    let (of_ours, of_theirs) = left(&pairs);
    let items = |items: &[Value], places: &[usize]| -> Vec<Value> {
        places.iter().filter_map(|at| items.get(*at).cloned()).collect()
    };
    let again = matched(&items(ours, &of_ours), &items(theirs, &of_theirs), keys);
    pairs.extend(of_ours.iter().zip(again).filter_map(|(one, other)| Some((*one, *of_theirs.get(other?)?))));
    let (of_ours, mut of_theirs) = left(&pairs);
    for one in of_ours.into_iter().filter(|_| keys.is_empty()) {
        let fits = |other: &usize| match (ours.get(one), theirs.get(*other)) {
            (Some(one), Some(other)) => is_alike(one, other),
            _ => false,
        };
        if let Some(found) = of_theirs.iter().position(fits) {
            pairs.push((one, of_theirs.remove(found)));
        }
    }
    let (of_ours, of_theirs) = left(&pairs);
    let sent_of = |known: &[Option<usize>], at: usize| known.iter().position(|of| *of == Some(at));
    let both = pairs.iter().map(|(one, other)| Same {
        one: Some(*one),
        other: Some(*other),
        sent: sent_of(&ours_of, *one).or_else(|| sent_of(&theirs_of, *other)),
    });
    let alone = of_ours.iter().map(|at| Same { one: Some(*at), other: None, sent: sent_of(&ours_of, *at) });
    let alone =
        alone.chain(of_theirs.iter().map(|at| Same { one: None, other: Some(*at), sent: sent_of(&theirs_of, *at) }));
    let mut found: Vec<Same> = both.chain(alone).collect();
    found.sort_by_key(|same| (same.one.is_none(), same.one.or(same.other)));
    found
}

struct Found {
    places: Vec<Option<usize>>,
    /// Which items of the other list are not taken.
    left: Vec<bool>,
}

impl Found {
    /// Takes the items with the same text.
    fn by_text(&mut self, sent: &[Value], made: &[Value], text: &dyn Fn(&Value) -> String) {
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, item) in made.iter().enumerate().filter(|(at, _)| self.left.get(*at) == Some(&true)) {
            known.entry(text(item)).or_default().push(at);
        }
        for (sent, place) in sent.iter().zip(&mut self.places).filter(|(_, place)| place.is_none()) {
            let Some(same) = known.get_mut(&text(sent)).filter(|same| !same.is_empty()) else { continue };
            let first = same.iter().position(|at| made.get(*at).is_some_and(|made| has(made, sent)));
            let at = same.remove(first.unwrap_or_default());
            *place = Some(at);
            if let Some(left) = self.left.get_mut(at) {
                *left = false;
            }
        }
    }

    fn by_set_keys(&mut self, sent: &[Value], made: &[Value], keys: &[String]) {
        let fits = |sent: &Value, made: &Value| {
            keys.iter().all(|key| sent.get(key).is_none_or(is_zero) || sent.get(key) == made.get(key))
        };
        for (sent, place) in sent.iter().zip(&mut self.places).filter(|(_, place)| place.is_none()) {
            let free =
                || made.iter().enumerate().filter(|(at, made)| self.left.get(*at) == Some(&true) && fits(sent, made));
            let found = free().find(|(_, made)| has(made, sent)).or_else(|| free().next()).map(|(at, _)| at);
            if let Some(left) = found.and_then(|at| self.left.get_mut(at)) {
                *left = false;
            }
            *place = found;
        }
    }
}

/// Whether a value has all that was sent, and lists as long.
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
    use super::matched;
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
}
