//! The tree of an expression: nodes in one list, so that nothing recurses when it is dropped.

use super::source::Source;
use std::sync::Arc;

/// Names a node of one [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The node's place in the list of nodes.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression after its macros were expanded.
#[derive(Clone, Debug)]
pub struct Ast {
    nodes: Vec<Node>,
    root: NodeId,
    source: Arc<Source>,
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it is reported, in code points from the start of the text: the operator of a binary call, the bracket of a call, the dot
    /// of a selection, the start of anything else. What a macro made has the place of the macro's call.
    pub offset: u32,
}

/// A constant written in the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.0`
    Double(f64),
    /// `'a'`
    String(Arc<str>),
    /// `b'a'`
    Bytes(Arc<[u8]>),
}

/// An entry of a map literal.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key.
    pub key: NodeId,
    /// The value.
    pub value: NodeId,
    /// Written `?key: value`.
    pub optional: bool,
}

/// What a node is. Operators are calls of functions named as in CEL: `_+_`, `_?_:_`, `_[_]`, `_?._`, `_[?_]`, `@in`, `!_`, `-_`.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A constant.
    Literal(Literal),
    /// A name, possibly with a leading dot.
    Ident(Arc<str>),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        /// What the field is taken from.
        operand: NodeId,
        /// The field.
        field: Arc<str>,
        /// Whether only its presence is tested.
        test: bool,
    },
    /// `function(args)` or `target.function(args)`. `&&` and `||` are balanced trees of two arguments.
    Call {
        /// The name of the function.
        function: Arc<str>,
        /// The receiver.
        target: Option<NodeId>,
        /// The arguments.
        args: Vec<NodeId>,
    },
    /// `[a, ?b]`
    List {
        /// The elements.
        elements: Vec<NodeId>,
        /// Places of those that are optional.
        optional: Vec<usize>,
    },
    /// `{a: b}`
    Map(Vec<Entry>),
    /// `Name{field: value}`
    Struct {
        /// The name of the type.
        name: Arc<str>,
        /// Field, value, optional.
        fields: Vec<(Arc<str>, NodeId, bool)>,
    },
    /// What a macro made.
    Comprehension {
        /// What is iterated over.
        range: NodeId,
        /// The name of the element, or of the index or key where there are two.
        var: Arc<str>,
        /// The name of the element or value where there are two.
        var2: Option<Arc<str>>,
        /// The name of the accumulator.
        accu: Arc<str>,
        /// Its first value.
        init: NodeId,
        /// Whether to continue.
        condition: NodeId,
        /// Its next value.
        step: NodeId,
        /// The result.
        result: NodeId,
    },
}

impl Ast {
    pub(super) fn new(nodes: Vec<Node>, root: NodeId, source: Arc<Source>) -> Self {
        Self { nodes, root, source }
    }

    /// The outermost node.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// A node. A name from another tree gives the outermost one or nothing.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The kind of a node.
    #[must_use]
    pub fn kind(&self, id: NodeId) -> Option<&Kind> {
        self.node(id).map(|node| &node.kind)
    }

    /// All nodes, by the places that their ids name; parts come before what they are part of.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of nodes; ids are below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: a tree has a root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The members that it reads below the variable `root`, as the names that lead to each, as far as they are written one behind another.
    /// No name at all stands for the variable itself.
    #[must_use]
    pub fn reads(&self, root: &str) -> Vec<Vec<&str>> {
        let mut paths: Vec<Option<Vec<&str>>> = Vec::with_capacity(self.nodes.len());
        let mut is_whole = vec![true; self.nodes.len()];
        for node in &self.nodes {
            let below = match &node.kind {
                Kind::Ident(name) if &**name == root => {
                    paths.push(Some(Vec::new()));
                    continue;
                }
                Kind::Select { operand, field, .. } => Some((operand, &**field)),
                Kind::Call { function, target: None, args } if &**function == "_?._" => match args.as_slice() {
                    [operand, field] => match self.kind(*field) {
                        Some(Kind::Literal(Literal::String(field))) => Some((operand, &**field)),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            };
            let path = below.and_then(|(operand, field)| {
                let mut path = paths.get(operand.index())?.clone()?;
                if let Some(is_whole) = is_whole.get_mut(operand.index()) {
                    *is_whole = false;
                }
                path.push(field);
                Some(path)
            });
            paths.push(path);
        }
        let mut all: Vec<Vec<&str>> =
            paths.into_iter().zip(is_whole).filter_map(|(path, is)| path.filter(|_| is)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The text it was parsed from.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }
}

/// Collects nodes; children come before their parents.
#[derive(Debug, Default)]
pub(super) struct Nodes(pub(super) Vec<Node>);

impl Nodes {
    pub(super) fn add(&mut self, offset: u32, kind: Kind) -> NodeId {
        let id = NodeId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(Node { kind, offset });
        id
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::parse;

    #[test]
    fn members_are_read_as_far_as_they_are_written_one_behind_another() {
        let of = |text: &str| parse(text).unwrap().reads("self").iter().map(|path| path.join(".")).collect::<Vec<_>>();
        assert_eq!(of("self.a.b < 3 && has(self.c.d)"), ["a.b", "c.d"]);
        assert_eq!(of("self.list.all(x, x.size() > self.a.?b.orValue(1))"), ["a.b", "list"]);
        assert_eq!(of("size(self) > 1 || self['a'] == oldSelf.b"), [""]);
        assert_eq!(of("oldSelf.a == 1"), Vec::<String>::new());
    }
}
