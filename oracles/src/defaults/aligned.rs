//! The items of lists of type `set` and `map` in the order in which they were sent: their order says nothing.

use serde_json::Value;
use takeover_harness::compare::{key_text, matched};
use takeover_harness::schema::{Kind, ListType, Schema, TypeId};

/// Puts the items of `made` in the order of `sent`, with new items behind them, sorted. Items whose keys were not sent are found by the
/// keys that were, so that a key may have a default.
pub(super) fn align(schema: &Schema, ty: TypeId, sent: &Value, made: &mut Value) {
    Walk { schema }.value((ty, &[]), sent, made);
}

struct Walk<'s> {
    schema: &'s Schema,
}

impl<'s> Walk<'s> {
    fn value(&self, (ty, list_types): (TypeId, &[ListType]), sent: &Value, made: &mut Value) {
        let inside = list_types.get(1..).unwrap_or_default();
        match (self.schema.pointed(ty).1, made) {
            (Kind::Struct(fields), Value::Object(members)) => {
                let owner = self.schema.as_struct(ty).map(|(owner, _)| owner);
                for (name, value) in members {
                    let Some(member) = fields.member(name) else { continue };
                    let list_types = owner.map(|owner| self.schema.list_types(owner, name)).unwrap_or_default();
                    self.value((member.ty, list_types), sent.get(name).unwrap_or(&Value::Null), value);
                }
            }
            (Kind::List(element), Value::Array(items)) => {
                let sent = sent.as_array().map(Vec::as_slice).unwrap_or_default();
                match list_types.first().unwrap_or(&ListType::Atomic) {
                    ListType::Atomic => {}
                    ListType::Set => in_order(sent, items, &[]),
                    ListType::Map(keys) => in_order(sent, items, keys),
                }
                for (at, item) in items.iter_mut().enumerate() {
                    self.value((*element, inside), sent.get(at).unwrap_or(&Value::Null), item);
                }
            }
            (Kind::Map { value: inner, .. }, Value::Object(entries)) => {
                for (key, entry) in entries {
                    self.value((*inner, inside), sent.get(key).unwrap_or(&Value::Null), entry);
                }
            }
            _ => {}
        }
    }
}

/// Orders items that their `keys` tell apart, or their values where there are no keys.
fn in_order(sent: &[Value], items: &mut Vec<Value>, keys: &[String]) {
    let found = matched(sent, items, keys);
    let mut left: Vec<Option<Value>> = std::mem::take(items).into_iter().map(Some).collect();
    let mut placed: Vec<Option<Value>> = found.iter().map(|at| at.and_then(|at| left.get_mut(at)?.take())).collect();
    let mut rest: Vec<Value> = left.into_iter().flatten().collect();
    rest.sort_by_cached_key(|item| if keys.is_empty() { item.to_string() } else { key_text(item, keys) });
    let mut rest = rest.into_iter();
    // What is in the place of an item that was sent has its keys or its value changed.
    for place in placed.iter_mut().filter(|place| place.is_none()) {
        *place = rest.next();
    }
    items.extend(placed.into_iter().flatten().chain(rest));
}

#[cfg(test)]
mod tests {
    use super::align;
    use crate::merges::Merges;
    use serde_json::{Value, json};
    use takeover_declarative::idl::{Loader, Memory};

    const SOURCE: &str = r#"package v1

type Shop struct {
	// +listType=set
	Names []string `json:"names,omitempty"`
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []Port `json:"ports,omitempty"`
	Plain []string `json:"plain,omitempty"`
	Shelves map[string]Shelf `json:"shelves,omitempty"`
}

type Shelf struct {
	// +listType=map
	// +listMapKey=port
	Ports []Port `json:"ports,omitempty"`
}

type Port struct {
	Port int32 `json:"port"`
	Protocol string `json:"protocol,omitempty"`
	Name string `json:"name,omitempty"`
	// +listType=set
	Names []string `json:"names,omitempty"`
}
"#;

    #[test]
    fn the_items_of_sets_and_maps_are_in_the_order_in_which_they_were_sent() {
        let mut idl =
            Loader::new().with(Memory::new().file("example.com/v1", "types.go", SOURCE)).load(["example.com/v1"]).idl;
        Merges::of(&idl).note_lists(&mut idl.schema);
        let root = idl.schema.lookup("example.com/v1.Shop").unwrap();
        let tcp = |port: u16| json!({"port": port, "protocol": "TCP"});
        let aligned = |sent: &Value, mut made: Value| {
            align(&idl.schema, root, sent, &mut made);
            made
        };
        for (what, sent, made, expected) in [
            (
                "values that were sent stay first, new ones are sorted",
                json!({"names": ["b", "a"]}),
                json!({"names": ["d", "a", "c", "b"]}),
                json!({"names": ["b", "a", "c", "d"]}),
            ),
            (
                "a list that was not sent is sorted",
                json!({}),
                json!({"names": ["b", "a"]}),
                json!({"names": ["a", "b"]}),
            ),
            (
                "another list keeps its order",
                json!({"plain": ["b", "a"]}),
                json!({"plain": ["a", "b"]}),
                json!({"plain": ["a", "b"]}),
            ),
            (
                "a key that has a default",
                json!({"ports": [{"port": 80}, {"port": 80, "protocol": "TCP"}, {"port": 1, "protocol": ""}]}),
                json!({"ports": [tcp(1), tcp(80), {"port": 80, "protocol": "UDP"}]}),
                json!({"ports": [{"port": 80, "protocol": "UDP"}, tcp(80), tcp(1)]}),
            ),
            (
                "a changed key is in the place of what was sent",
                json!({"ports": [tcp(1), tcp(2)]}),
                json!({"ports": [tcp(2), tcp(3)]}),
                json!({"ports": [tcp(3), tcp(2)]}),
            ),
            (
                "an item that is gone",
                json!({"ports": [tcp(1), tcp(2)]}),
                json!({"ports": [tcp(2)]}),
                json!({"ports": [tcp(2)]}),
            ),
            (
                "items with the same keys",
                json!({"ports": [{"port": 1, "protocol": "TCP", "name": "a"}, tcp(1)]}),
                json!({"ports": [tcp(1), {"port": 1, "protocol": "TCP", "name": "a"}]}),
                json!({"ports": [{"port": 1, "protocol": "TCP", "name": "a"}, tcp(1)]}),
            ),
            (
                "an item without a key",
                json!({"ports": [tcp(2), tcp(1)]}),
                json!({"ports": [tcp(1), {"port": 2}]}),
                json!({"ports": [{"port": 2}, tcp(1)]}),
            ),
            (
                "lists inside items and map values",
                json!({"shelves": {"a": {"ports": [{"port": 2, "names": ["b", "a"]}, {"port": 1}]}}}),
                json!({"shelves": {"a": {"ports": [{"port": 1}, {"port": 2, "names": ["a", "b"]}]}}}),
                json!({"shelves": {"a": {"ports": [{"port": 2, "names": ["b", "a"]}, {"port": 1}]}}}),
            ),
        ] {
            assert_eq!(aligned(&sent, made), expected, "{what}");
            assert_eq!(aligned(&sent, expected.clone()), expected, "{what}, again");
        }
    }
}
