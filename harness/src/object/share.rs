//! Values that were decoded apart share the memory of what is the same in both.

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

    #[test]
    fn what_is_the_same_is_shared_and_everything_keeps_its_value() {
        let arena = Arena::new();
        let text = |text: &str| Node::Text(arena.alloc_str(text));
        let list = |texts: &[&str]| Node::List(arena.alloc_slice_fill_iter(texts.iter().map(|each| text(each))));
        let object = |names: &[&str], labels: &str, pointer: bool| {
            let labels = Node::Map(arena.alloc_slice_copy(&[("app", text(labels)), ("list", list(&["x", "y"]))]));
            let inner =
                Node::Struct { fields: arena.alloc_slice_copy(&[(1, list(names)), (2, Node::Int(1))]), pointer };
            Node::Struct {
                fields: arena.alloc_slice_copy(&[(0, labels), (3, inner), (5, list(&["z"]))]),
                pointer: false,
            }
        };
        let known = object(&["a", "b"], "web", true);
        let shared_at = |node: &Node<'_>, slots: &[u16]| node.member(slots).is_shared(&known.member(slots));

        let same = share(object(&["a", "b"], "web", true), known, &arena);
        assert!(same.is_shared(&known));

        for (names, labels, pointer) in
            [(&["a", "c"][..], "web", true), (&["a"], "api", true), (&["a", "b"], "web", false)]
        {
            let node = object(names, labels, pointer);
            let shared = share(node, known, &arena);
            assert!(identical(&shared, &node) && !identical(&shared, &known));
            assert_eq!(shared_at(&shared, &[0]), labels == "web");
            assert_eq!(shared_at(&shared, &[3, 1]), names == ["a", "b"]);
            assert!(!shared_at(&shared, &[3]) && shared_at(&shared, &[5]));
            let [at, known_at] = [shared, known].map(|of| of.field(0).entry("list").unwrap());
            assert!(at.is_shared(&known_at));
        }
    }
}
