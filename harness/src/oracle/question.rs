//! What an oracle is asked.

use super::OracleFailure;
use crate::case::{Case, Operation, Options, Payload};
use crate::object::{Arena, FromNode, InOrder, Node, Order, TypedNode};
use crate::path::{Path, Step};
use crate::schema::{Kind, Schema, TypeId};
use serde_json::Value;
use std::collections::BTreeSet;

/// The decoded, defaulted objects of a case.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    /// Types of the objects.
    pub schema: &'a Schema,
    /// Type of both objects.
    pub root: TypeId,
    /// The object of the request.
    pub new: Node<'a>,
    /// The stored object, on updates.
    pub old: Option<Node<'a>>,
    /// The same objects before anything was done to them; `None` when only the decoded ones are known.
    pub sent: Option<AsSent<'a>>,
}

/// The objects of a case as they came in, for an oracle that decodes and defaults them itself.
#[derive(Clone, Copy, Debug)]
pub struct AsSent<'a> {
    /// The object of the request.
    pub new: &'a Payload<'a>,
    /// The stored object, on updates.
    pub old: Option<&'a Payload<'a>>,
    /// The path patterns at which null is a value of its own, where both sides set defaults in the objects as they were sent; `None`
    /// where they judge the decoded objects.
    pub nulls: Option<&'a BTreeSet<String>>,
    /// The order in which a program, webhook or server is sent the members of the object.
    pub order: Order,
}

impl<'a> AsSent<'a> {
    /// The objects of a case whose decoded form is judged.
    #[must_use]
    pub fn of(case: &'a Case<'a>) -> Self {
        let old = case.old.as_ref().filter(|_| case.operation == Operation::Update);
        Self { new: &case.object, old, nulls: None, order: Order::Same }
    }
}

impl<'a> Objects<'a> {
    /// Reads one of the objects as a `T`.
    ///
    /// # Errors
    /// Returns an error when the object has another form.
    pub fn read<T: FromNode<'a>>(&self, object: Node<'a>, arena: &'a Arena) -> Result<T, OracleFailure> {
        let read = TypedNode::new(self.schema, arena, self.root, object).read();
        read.map_err(|error| OracleFailure::new(format!("no typed form: {error}")))
    }

    /// Reads one of the objects beside another one, as which `known` was read, and takes over what both share.
    ///
    /// # Errors
    /// Returns an error when the object has another form.
    pub fn read_beside<T: FromNode<'a>>(
        &self,
        object: Node<'a>,
        (other, known): (Node<'a>, &T),
        arena: &'a Arena,
    ) -> Result<T, OracleFailure> {
        let read = TypedNode::new(self.schema, arena, self.root, object).read_beside(other, known);
        read.map_err(|error| OracleFailure::new(format!("no typed form: {error}")))
    }

    /// Returns an object of the question with the order in which to write its members.
    #[must_use]
    pub fn ordered<'v>(&self, object: &'v Value) -> InOrder<'v> {
        InOrder(object, self.sent.map(|sent| sent.order).unwrap_or_default())
    }

    /// The value at `path` in the object of the request; unset when there is none. Typed forms may know less of it than the
    /// object does: some have the same empty list for one that is given and for one that is not.
    #[must_use]
    pub fn at(&self, path: &Path<'_>) -> Node<'a> {
        self.typed_at(path).map_or(Node::Unset, |(_, node)| node)
    }

    /// A printed path with brackets around the keys of maps, where it has some that are written like members: a server says `spec.tags.foo`
    /// of a custom resource, and most others say `spec.tags[foo]`. `None` where nothing changes.
    #[must_use]
    pub fn with_keys(&self, field: &str) -> Option<String> {
        let (mut nodes, mut ty) = ([Some(self.new), self.old], self.root);
        let (mut out, mut rest, mut is_changed) = (String::new(), field, false);
        while !rest.is_empty() {
            let (_, kind) = self.schema.pointed(ty);
            let end = match (rest.strip_prefix('.'), kind) {
                (Some(key), Kind::Map { .. }) => {
                    let end = 1 + known_key(&nodes, key);
                    let key = rest.get(1..end)?;
                    out.extend(["[", key, "]"]);
                    is_changed = true;
                    nodes = nodes.map(|node| node?.entry(key));
                    end
                }
                (within, _) => {
                    let inner = within.unwrap_or(rest);
                    let start = rest.len() - inner.len();
                    let end = match inner.strip_prefix('[') {
                        Some(item) => start + 1 + item.find(']')? + 1,
                        None => start + inner.find(['.', '[']).unwrap_or(inner.len()),
                    };
                    let step = rest.get(start..end)?;
                    out.push_str(rest.get(..end)?);
                    nodes = nodes.map(|node| self.step(ty, node?, step));
                    end
                }
            };
            let (step, after) = rest.split_at(end);
            let member = (!out.ends_with(']')).then(|| step.trim_start_matches('.'));
            rest = after;
            let Some(below) = self.schema.below(ty, member) else { break };
            ty = below;
        }
        out.push_str(rest);
        is_changed.then_some(out)
    }

    /// What stands one step below a node of this type: a member, or `[…]` around an index or key.
    fn step(&self, ty: TypeId, node: Node<'a>, step: &str) -> Option<Node<'a>> {
        let Some(inside) = step.strip_prefix('[').and_then(|step| step.strip_suffix(']')) else {
            return Some(node.member(&self.schema.as_struct(ty)?.1.member(step)?.slots));
        };
        match node.items() {
            [] => node.entry(inside),
            items => items.get(inside.parse::<usize>().ok()?).copied(),
        }
    }

    fn typed_at(&self, path: &Path<'_>) -> Option<(TypeId, Node<'a>)> {
        let Some((parent, step)) = path.split_last() else { return Some((self.root, self.new)) };
        let (ty, node) = self.typed_at(parent)?;
        match (step, self.schema.native(ty).1) {
            (Step::Field(name), _) => {
                let member = self.schema.as_struct(ty)?.1.member(name)?;
                Some((member.ty, node.member(&member.slots)))
            }
            (Step::Index(index), Kind::List(element)) => Some((*element, *node.items().get(index)?)),
            (Step::Key(key), Kind::Map { value, .. }) => Some((*value, node.entry(key)?)),
            _ => None,
        }
    }
}

/// How long the key is that this rest of a path begins with: the longest that one of the maps has, or else up to the next step.
fn known_key(maps: &[Option<Node<'_>>], rest: &str) -> usize {
    if !rest.is_empty() && maps.iter().flatten().any(|map| map.entry(rest).is_some()) {
        return rest.len();
    }
    let is_first =
        |key: &&str| rest.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let keys = maps.iter().flatten().flat_map(|map| map.entries()).map(|(key, _)| *key);
    let longest = keys.filter(is_first).map(str::len).max();
    longest.filter(|length| *length > 0).unwrap_or_else(|| rest.find(['.', '[']).unwrap_or(rest.len()))
}

/// What both oracles of a pair are asked about a case: the same decoded, defaulted objects.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Create or update.
    pub operation: Operation,
    /// The decoded objects.
    pub objects: Objects<'a>,
    /// State of the kind's validation options.
    pub options: &'a Options,
    /// Subresource without leading slash; empty for the main resource.
    pub subresource: &'a str,
}
