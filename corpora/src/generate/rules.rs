//! The rules by the place where they stand.

use super::layout::shape;
use serde_json::Value;
use std::collections::BTreeMap;
use takeover_harness::rule::{Rule, Sample};
use takeover_harness::schema::{Kind, Schema, TypeId};

/// One step of a path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Member(Box<str>),
    /// `[*]`: any item or entry.
    Each,
}

/// A path pattern resolved against the type graph.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) segments: Vec<Segment>,
    /// Type of the value there.
    pub(super) ty: TypeId,
    /// Members of a struct that samples of the rule speak of; a planted sample decides about all of them.
    pub(super) members: Vec<Box<str>>,
}

/// Splits `spec.ports[*].name` into its steps.
fn split(path: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (name, each) =
            part.split_once("[*]").map_or((part, 0), |(name, rest)| (name, 1 + rest.matches("[*]").count()));
        if !name.is_empty() {
            segments.push(Segment::Member(name.into()));
        }
        segments.extend(std::iter::repeat_n(Segment::Each, each));
    }
    segments
}

impl Place {
    /// Finds where `rule` stands; none when the types have no such place.
    pub(super) fn of(schema: &Schema, root: TypeId, rule: &Rule) -> Option<Self> {
        let mut ty = root;
        let mut segments = Vec::new();
        for segment in split(&rule.path) {
            let (id, kind) = shape(schema, ty);
            ty = match (&segment, kind) {
                (Segment::Member(name), Kind::Struct(fields)) => match fields.member(name) {
                    Some(member) => member.ty,
                    // Paths of errors in inlined structs may name the Go type (`metav1.ObjectMeta`), which JSON does not.
                    None if fields.fields.iter().any(|field| field.json_name.is_empty()) => {
                        ty = id;
                        continue;
                    }
                    None => return None,
                },
                (Segment::Each, Kind::List(item)) => *item,
                (Segment::Each, Kind::Map { value, .. }) => *value,
                _ => return None,
            };
            segments.push(segment);
        }
        let mut members = Vec::new();
        for boundary in &rule.boundaries {
            if let Sample::Value(Value::Object(sample)) = &boundary.sample {
                members.extend(sample.keys().map(|key| Box::from(key.as_str())));
            }
        }
        members.sort_unstable();
        members.dedup();
        Some(Self { segments, ty, members })
    }
}

/// The rules as a tree over places, for growing objects that obey them.
#[derive(Clone, Debug)]
pub(super) struct RuleTree {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    members: BTreeMap<Box<str>, usize>,
    each: Option<usize>,
    /// Leaving the value out breaks a rule.
    required: bool,
    /// Values that keep a rule, those of the most specific rules first.
    valid: Vec<(u8, Value)>,
    /// Leaving the value out keeps a rule that knows of absence, and giving it breaks one.
    forbidden: bool,
}

/// A place in the tree; [`At::NOWHERE`] where no rule is.
#[derive(Clone, Copy, Debug)]
pub(super) struct At(Option<usize>);

impl At {
    pub(super) const NOWHERE: At = At(None);
}

impl RuleTree {
    pub(super) fn new(rules: &[Rule], places: &[Option<Place>]) -> Self {
        let mut tree = Self { nodes: vec![Node::default()] };
        for (rule, place) in rules.iter().zip(places) {
            if let Some(place) = place {
                tree.add(rule, place);
            }
        }
        for node in &mut tree.nodes {
            node.valid.sort_by_key(|(rank, _)| *rank);
        }
        tree
    }

    pub(super) fn root(&self) -> At {
        At(Some(0))
    }

    fn add(&mut self, rule: &Rule, place: &Place) {
        let mut at = 0;
        for segment in &place.segments {
            let fresh = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else { return };
            at = match segment {
                Segment::Member(name) => *node.members.entry(name.clone()).or_insert(fresh),
                Segment::Each => *node.each.get_or_insert(fresh),
            };
            if at == fresh {
                self.nodes.push(Node::default());
            }
        }
        let Some(node) = self.nodes.get_mut(at) else { return };
        // An enumeration says all about a value, a format much, a bound little.
        let rank = match rule.tag.as_str() {
            "enum" => 0,
            "format" => 1,
            _ => 2,
        };
        if rule.update_only {
            return;
        }
        let absent = |breaks: bool| rule.boundaries.iter().any(|b| b.breaks == breaks && b.sample == Sample::Absent);
        let given = |breaks: bool| {
            rule.boundaries.iter().filter(move |b| b.breaks == breaks).filter_map(|boundary| match &boundary.sample {
                Sample::Value(value) if !value.is_null() => Some(value),
                _ => None,
            })
        };
        node.required |= absent(true);
        node.forbidden |= absent(false) && given(true).next().is_some() && given(false).next().is_none();
        node.valid.extend(given(false).map(|value| (rank, value.clone())));
    }

    fn node(&self, at: At) -> Option<&Node> {
        self.nodes.get(at.0?)
    }

    /// The place that these steps lead to from the root.
    pub(super) fn find(&self, segments: &[Segment]) -> At {
        segments.iter().fold(self.root(), |at, segment| match segment {
            Segment::Member(name) => self.member(at, name),
            Segment::Each => self.each(at),
        })
    }

    pub(super) fn member(&self, at: At, name: &str) -> At {
        At(self.node(at).and_then(|node| node.members.get(name).copied()))
    }

    pub(super) fn each(&self, at: At) -> At {
        At(self.node(at).and_then(|node| node.each))
    }

    /// Whether a rule stands at or below the place.
    pub(super) fn any(&self, at: At) -> bool {
        at.0.is_some()
    }

    pub(super) fn required(&self, at: At) -> bool {
        self.node(at).is_some_and(|node| node.required)
    }

    pub(super) fn forbidden(&self, at: At) -> bool {
        self.node(at).is_some_and(|node| node.forbidden)
    }

    /// Values that keep the most specific rule at the place.
    pub(super) fn valid(&self, at: At) -> impl Iterator<Item = &Value> {
        let all = self.node(at).map_or(&[][..], |node| &node.valid);
        let rank = all.first().map_or(0, |(rank, _)| *rank);
        all.iter().take_while(move |(other, _)| *other == rank).map(|(_, value)| value)
    }
}
