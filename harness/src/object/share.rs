//! Lets two decoded values share the memory of their equal parts.

use super::{Arena, Node, identical, replaced};

/// The same value as `node`, in the memory of `known` as far as both have the same structs, lists and maps at the same places. Both are
/// values of one type.
pub(crate) fn share<'a>(node: Node<'a>, known: Node<'a>, arena: &'a Arena) -> Node<'a> {
    if identical(&node, &known) {
        return known;
    }
    match (node, known) {
        (Node::Struct { fields, pointer }, Node::Struct { .. }) => {
            let shared =
                replaced(fields, arena, |(slot, node)| Some((*slot, changed(*node, known.field(*slot), arena)?)));
            Node::Struct { fields: shared.unwrap_or(fields), pointer }
        }
        (Node::Map(entries), Node::Map(_)) => {
            let shared =
                replaced(entries, arena, |(key, node)| Some((*key, changed(*node, known.entry(key)?, arena)?)));
            Node::Map(shared.unwrap_or(entries))
        }
        (Node::List(items), Node::List(known)) => {
            let mut known = known.iter();
            let shared = replaced(items, arena, |node| changed(*node, *known.next()?, arena));
            Node::List(shared.unwrap_or(items))
        }
        _ => node,
    }
}

/// What becomes of a struct, a list or a map that shares memory with `known`; none if it stays.
fn changed<'a>(node: Node<'a>, known: Node<'a>, arena: &'a Arena) -> Option<Node<'a>> {
    let shared =
        matches!(node, Node::Struct { .. } | Node::List(_) | Node::Map(_)).then(|| share(node, known, arena))?;
    (!shared.is_shared(&node)).then_some(shared)
}

#[cfg(test)]
mod tests {
    use super::share;
    use crate::object::{Arena, Node, identical};

    fn list<'a>(arena: &'a Arena, items: &[&'a str]) -> Node<'a> {
        Node::List(arena.alloc_slice_fill_iter(items.iter().map(|item| Node::Text(item))))
    }

    fn lists<'a>(arena: &'a Arena, items: &[&'a str]) -> Node<'a> {
        Node::List(arena.alloc_slice_fill_iter(items.iter().map(|item| list(arena, &[item]))))
    }

    fn map<'a>(arena: &'a Arena, entries: &[(&'a str, Node<'a>)]) -> Node<'a> {
        Node::Map(arena.alloc_slice_copy(entries))
    }

    fn of<'a>(arena: &'a Arena, fields: &[(u16, Node<'a>)], pointer: bool) -> Node<'a> {
        Node::Struct { fields: arena.alloc_slice_copy(fields), pointer }
    }

    fn object(arena: &Arena) -> Node<'_> {
        let entries = map(arena, &[("list", list(arena, &["x"])), ("text", Node::Text("y"))]);
        let inner = of(arena, &[(1, list(arena, &["z"])), (2, Node::Int(1))], true);
        of(arena, &[(0, entries), (1, inner), (2, lists(arena, &["a", "b"])), (3, list(arena, &[]))], false)
    }

    #[test]
    fn what_is_the_same_is_shared_and_everything_keeps_its_value() {
        let arena = &Arena::new();
        let known = object(arena);
        let shares = |node: Node<'_>, slots: &[u16]| node.member(slots).is_shared(&known.member(slots));
        let shared = |node| {
            let shared = share(node, known, arena);
            assert!(identical(&shared, &node), "{shared:?} {node:?}");
            shared
        };

        let same = object(arena);
        assert!(shared(same).is_shared(&known));
        assert!(!shared(of(arena, same.fields(), true)).is_shared(&known), "behind a pointer");

        let entries = map(arena, &[("else", Node::Text("1")), ("list", list(arena, &["x"]))]);
        let other = shared(of(arena, &[(0, entries), (2, lists(arena, &["a", "b"])), (3, list(arena, &["x"]))], false));
        assert!(!shares(other, &[0]) && shares(other, &[2]) && !shares(other, &[3]));
        let [entry, known_entry] = [other, known].map(|object| object.field(0).entry("list").unwrap());
        assert!(entry.is_shared(&known_entry));

        for (number, pointer) in [(2, true), (1, false)] {
            let inner = of(arena, &[(1, list(arena, &["z"])), (2, Node::Int(number))], pointer);
            let changed = shared(of(arena, &[(1, inner)], false));
            assert!(!shares(changed, &[1]) && shares(changed, &[1, 1]));
        }

        let longer = shared(of(arena, &[(2, lists(arena, &["a", "c", "b"]))], false));
        let shares_item = |at: usize| longer.field(2).items()[at].is_shared(&known.field(2).items()[at]);
        assert!(!shares(longer, &[2]) && shares_item(0) && !shares_item(1));
    }
}
