//! The rules by the place where they stand.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use takeover_harness::rule::{Rule, Sample, Specificity};
use takeover_harness::schema::{Kind, Schema, TypeId};

/// The tag of rules whose samples name what an expression reads, at any depth, and nothing else.
pub(super) const CEL: &str = "cel";

/// One step of a path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Member(Box<str>),
    /// `[*]`: any item or entry.
    Each,
}

/// A path pattern resolved against the type graph.
#[derive(Clone, Debug)]
pub(super) struct RulePlace {
    /// Where values are planted: the path of the rule, or that of the struct around it.
    pub(super) segments: Vec<Segment>,
    /// Path pattern of the rule, as JSON has it.
    pub(super) field: Box<str>,
    /// Type of the value there.
    pub(super) ty: TypeId,
    /// Members of a struct, or of the structs in a list, that samples of the rule speak of; a planted sample decides about
    /// all of them.
    pub(super) members: Vec<Box<str>>,
    /// How many steps it is to a place around where a rule judges updates.
    pub(super) guard: Option<usize>,
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

/// The path pattern of these steps.
pub(super) fn join(segments: &[Segment]) -> Box<str> {
    let mut path = String::new();
    for segment in segments {
        match segment {
            Segment::Each => path.push_str("[*]"),
            Segment::Member(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
            }
        }
    }
    path.into()
}

/// Whether the samples of a rule are such of the struct around its place.
pub(super) fn beside(rule: &Rule) -> bool {
    rule.boundaries.iter().any(|boundary| matches!(boundary.sample, Sample::Beside(_)))
}

/// Adds the members that a sample speaks of.
fn spoken(sample: &Sample, members: &mut Vec<Box<str>>) {
    let mut add = |sample: &Map<String, Value>| members.extend(sample.keys().map(|key| Box::from(key.as_str())));
    match sample {
        Sample::Value(Value::Object(sample)) | Sample::Beside(sample) => add(sample),
        Sample::Value(Value::Array(items)) => items.iter().filter_map(Value::as_object).for_each(add),
        _ => {}
    }
}

impl RulePlace {
    /// Finds where `rule` stands; none when the types have no such place.
    pub(super) fn of(schema: &Schema, root: TypeId, rule: &Rule) -> Option<Self> {
        let (mut ty, mut around) = (root, root);
        let mut segments = Vec::new();
        for segment in split(&rule.path) {
            let (id, kind) = schema.pointed(ty);
            around = ty;
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
        let field = join(&segments);
        if beside(rule) {
            // Samples that speak of the struct around are planted there.
            segments.pop();
            ty = around;
        }
        let mut members = Vec::new();
        for boundary in &rule.boundaries {
            spoken(&boundary.sample, &mut members);
        }
        members.sort_unstable();
        members.dedup();
        Some(Self { segments, field, ty, members, guard: None })
    }
}

/// Whether JSON leaves such a value out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(on) => !on,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
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
    valid: Vec<Valid>,
    /// Leaving the value out keeps a rule that knows of absence, and giving it breaks one.
    forbidden: bool,
}

/// A value that keeps a rule.
#[derive(Clone, Debug)]
struct Valid {
    specificity: Specificity,
    rule: u32,
    value: Value,
}

/// A place in the tree; [`At::NOWHERE`] where no rule is.
#[derive(Clone, Copy, Debug)]
pub(super) struct At(Option<usize>);

impl At {
    pub(super) const NOWHERE: At = At(None);
}

impl RuleTree {
    pub(super) fn new<'r>(rules: impl Iterator<Item = (&'r Rule, &'r RulePlace)>) -> Self {
        let mut tree = Self { nodes: vec![Node::default()] };
        // What rejects nothing, as `optional`, says nothing of how to grow a value.
        let rejects = |rule: &Rule| !rule.reports.is_empty() || rule.boundaries.iter().any(|boundary| boundary.breaks);
        for (rule, place) in rules.filter(|(rule, _)| rejects(rule)) {
            tree.add(rule, place);
        }
        for node in &mut tree.nodes {
            node.valid.sort_by_key(|valid| valid.specificity);
        }
        tree
    }

    pub(super) fn root(&self) -> At {
        At(Some(0))
    }

    fn add(&mut self, rule: &Rule, place: &RulePlace) {
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
        if rule.update_only {
            return;
        }
        let absent = |breaks: bool| rule.boundaries.iter().any(|b| b.breaks == breaks && b.sample == Sample::Absent);
        let given = |breaks: bool| {
            rule.boundaries.iter().filter(move |b| b.breaks == breaks).filter_map(|boundary| match &boundary.sample {
                Sample::Value(value) if !value.is_null() => Some(value.clone()),
                Sample::Beside(members) => Some(Value::Object(members.clone())),
                _ => None,
            })
        };
        // What has a default is better left out, so that the default is seen.
        node.required |= absent(true) && !rule.after_default;
        node.forbidden |= absent(false) && given(true).next().is_some() && given(false).all(|value| is_empty(&value));
        node.valid.extend(given(false).map(|value| Valid { specificity: rule.specificity, rule: rule.id.0, value }));
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
        let first = all.first().map(|valid| valid.specificity);
        all.iter().take_while(move |other| Some(other.specificity) == first).map(|valid| &valid.value)
    }

    /// A key that keeps a rule on the keys of the map at the place.
    pub(super) fn key(&self, at: At) -> Option<&str> {
        self.node(at)?.valid.iter().find_map(|valid| valid.value.as_str())
    }

    /// Values that keep the rules at the place, by rule.
    pub(super) fn valid_by_rule(&self, at: At) -> impl Iterator<Item = Vec<&Value>> {
        let all = self.node(at).map_or(&[][..], |node| &node.valid);
        all.chunk_by(|a, b| a.rule == b.rule).map(|valid| valid.iter().map(|valid| &valid.value).collect())
    }
}
