//! Semantic equality of decoded values (`equality.Semantic.DeepEqual`, and `==` where Go compares directly), and identity.

use super::Node;

/// Whether two values of the same type are one and the same in every respect, so that whatever is made of one is made of the other.
/// It is quick on values that share memory, as an object and a changed copy of it do, and may miss that two values with JSON of no known
/// type are the same.
#[must_use]
pub fn identical(a: &Node<'_>, b: &Node<'_>) -> bool {
    match (a, b) {
        (Node::Unset, Node::Unset) => true,
        (Node::Bool(a), Node::Bool(b)) => a == b,
        (Node::Int(a), Node::Int(b)) => a == b,
        (Node::Uint(a), Node::Uint(b)) => a == b,
        (Node::Float(a), Node::Float(b)) => a.to_bits() == b.to_bits(),
        (Node::Text(a), Node::Text(b)) => a == b,
        (Node::Bytes(a), Node::Bytes(b)) => a == b,
        (Node::Time(a), Node::Time(b)) => a == b,
        (Node::Quantity(a), Node::Quantity(b)) => std::ptr::eq(*a, *b) || a == b,
        (Node::Raw(a), Node::Raw(b)) => std::ptr::eq(*a, *b),
        (Node::List(a), Node::List(b)) => all_identical(a, b, identical),
        (Node::Map(a), Node::Map(b)) => all_identical(a, b, |(ka, a), (kb, b)| ka == kb && identical(a, b)),
        (Node::Struct { fields: a, pointer: pa }, Node::Struct { fields: b, pointer: pb }) => {
            pa == pb && all_identical(a, b, |(sa, a), (sb, b)| sa == sb && identical(a, b))
        }
        _ => false,
    }
}

fn all_identical<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    std::ptr::eq(a, b) || (a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)))
}

/// Whether two values of the same type are equal as Kubernetes sees it: nil and empty lists and maps are equal, a nil
/// pointer and a pointer to zero are not, quantities compare by number, times by instant.
#[must_use]
pub fn equal(a: &Node<'_>, b: &Node<'_>) -> bool {
    // Values in the same memory are equal, because JSON has no NaN.
    if a.is_shared(b) {
        return true;
    }
    match (a, b) {
        (Node::Unset, other) | (other, Node::Unset) => is_empty(other),
        (Node::Bool(a), Node::Bool(b)) => a == b,
        (Node::Int(a), Node::Int(b)) => a == b,
        (Node::Uint(a), Node::Uint(b)) => a == b,
        #[expect(clippy::float_cmp, reason = "Go compares floats by ==")]
        (Node::Float(a), Node::Float(b)) => a == b,
        (Node::Text(a), Node::Text(b)) => a == b,
        (Node::Bytes(a), Node::Bytes(b)) => a == b,
        (Node::Time(a), Node::Time(b)) => a == b,
        (Node::Quantity(a), Node::Quantity(b)) => a.is_same_number(b),
        (Node::Raw(a), Node::Raw(b)) => a == b,
        (Node::List(a), Node::List(b)) => a.len() == b.len() && a.iter().zip(*b).all(|(a, b)| equal(a, b)),
        (Node::Map(a), Node::Map(b)) => {
            a.len() == b.len() && a.iter().zip(*b).all(|((ka, a), (kb, b))| ka == kb && equal(a, b))
        }
        (Node::Struct { fields: a, .. }, Node::Struct { fields: b, .. }) => equal_fields(a, b),
        _ => false,
    }
}

/// Whether a value equals the zero value, an unset one given.
fn is_empty(node: &Node<'_>) -> bool {
    match node {
        Node::Unset => true,
        Node::List(items) => items.is_empty(),
        Node::Bytes(bytes) => bytes.is_empty(),
        Node::Map(entries) => entries.is_empty(),
        Node::Struct { fields, pointer: false } => fields.iter().all(|(_, node)| is_empty(node)),
        Node::Quantity(quantity) => !quantity.behind_pointer() && quantity.nanos() == 0,
        _ => false,
    }
}

/// Both sides are sorted by slot; a slot that only one side stores must hold an empty value.
fn equal_fields(mut a: &[(u16, Node<'_>)], mut b: &[(u16, Node<'_>)]) -> bool {
    loop {
        match (a.split_first(), b.split_first()) {
            (None, None) => return true,
            (Some(((slot_a, node_a), rest_a)), Some(((slot_b, node_b), rest_b))) if slot_a == slot_b => {
                if !equal(node_a, node_b) {
                    return false;
                }
                a = rest_a;
                b = rest_b;
            }
            (Some(((slot_a, node), rest)), Some(((slot_b, _), _))) if slot_a < slot_b => {
                if !is_empty(node) {
                    return false;
                }
                a = rest;
            }
            (Some(((_, node), rest)), None) => {
                if !is_empty(node) {
                    return false;
                }
                a = rest;
            }
            (_, Some(((_, node), rest))) => {
                if !is_empty(node) {
                    return false;
                }
                b = rest;
            }
        }
    }
}
