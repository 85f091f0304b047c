//! Which samples of a rule show something in its place: what has to stand beside them, and which other rules stop before
//! the rule is asked.

use crate::compile::build::Build;
use crate::compile::rule::{Body, RuleFn};
use crate::compile::shape::{self, Shape};
use crate::eval::{At, Check, Sink};
use crate::tags::sample::example;
use serde_json::{Map, Value};
use std::sync::Arc;
use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{Arena, Node, from_value};
use takeover_harness::oracle::Answer;
use takeover_harness::path::Path;
use takeover_harness::rule::{Boundary, Sample, Unreachable};
use takeover_harness::schema::{Schema, TypeId};

/// What the catalogue says of a rule's samples.
pub(super) struct Samples {
    /// Those that the rule sees.
    pub(super) boundaries: Vec<Boundary>,
    /// The classes that it never sees, with the reason.
    pub(super) unreachable: Vec<Unreachable>,
    /// Options that switch the rule: its own, and those that switch what stops it.
    pub(super) options: Vec<(String, bool)>,
}

impl Samples {
    /// The samples of `check` at `path`, where `guards` come first.
    pub(super) fn of(
        schema: &Schema,
        guards: &[Guard],
        path: &str,
        mut options: Vec<(String, bool)>,
        needs: &Needs,
        check: &dyn Check,
    ) -> Self {
        let mut unreachable = check.unreachable();
        let boundaries = check.boundaries();
        let update_only = check.update_only();
        let stops = guards.iter().filter_map(|guard| {
            let hits = guard.hits(schema, path, update_only, &boundaries)?;
            Some((guard, hits))
        });
        let stops: Vec<(&Guard, Vec<bool>)> = stops.collect();
        // What always stops the rule while an option has one state leaves the other state to it.
        for (guard, hits) in &stops {
            if let Some([(name, state)]) = guard.beyond(&options).as_deref()
                && hits.iter().all(|hit| *hit)
            {
                options.push((name.clone(), !state));
            }
        }
        let mut reached = Vec::new();
        for (index, mut boundary) in boundaries.into_iter().enumerate() {
            let mut stopped = None;
            for (guard, _) in stops.iter().filter(|(_, hits)| hits.get(index).is_some_and(|hit| *hit)) {
                match guard.beyond(&[options.as_slice(), &boundary.options].concat()).as_deref() {
                    Some([]) => stopped = Some(*guard),
                    // One of the states has to be another than the guard's.
                    Some([(name, state), ..]) => boundary.options.push((name.clone(), !state)),
                    None => {}
                }
            }
            match stopped {
                Some(guard) => unreachable.push(Unreachable::new(boundary.class, guard.reason(path))),
                None => needs.fit(boundary, &mut reached, &mut unreachable),
            }
        }
        Self { boundaries: reached, unreachable, options }
    }
}

/// What decides, besides the value, whether a rule judges it: for the samples of the rule.
#[derive(Clone, Debug, Default)]
pub(super) enum Needs {
    /// Nothing.
    #[default]
    Nothing,
    /// The value is one of many, so that it cannot be left out.
    OneOfMany,
    /// The value is a struct with these members.
    Members(Map<String, Value>),
    /// The value is the member `name` of a struct that has one of these sets of members too; under the second ones other
    /// rules than this one judge.
    Beside { name: Arc<str>, members: Vec<Map<String, Value>>, elsewhere: Vec<Map<String, Value>> },
}

impl Needs {
    /// Adds what becomes of a sample in the place.
    fn fit(&self, boundary: Boundary, reached: &mut Vec<Boundary>, unreachable: &mut Vec<Unreachable>) {
        match (self, &boundary.sample) {
            (Self::OneOfMany | Self::Members(_), Sample::Absent) => {
                unreachable.push(Unreachable::new(boundary.class, "what is not in the list or map is not judged"));
            }
            (Self::Members(needed), Sample::Value(Value::Object(members))) => {
                let mut members = members.clone();
                members.extend(needed.clone());
                reached.push(Boundary { sample: Sample::Value(Value::Object(members)), ..boundary });
            }
            (Self::Beside { name, members, elsewhere }, Sample::Absent | Sample::Value(_)) => {
                let judged = members.iter().map(|members| (members, true));
                let classes = judged.chain(elsewhere.iter().map(|members| (members, false)));
                reached.extend(classes.map(|(members, judged)| beside(&boundary, name, members, judged)));
            }
            _ => reached.push(boundary),
        }
    }

    /// What a member of the struct needs, when the struct itself needs this.
    pub(super) fn member(&self, name: &Arc<str>) -> Self {
        match self {
            Self::Members(members) => {
                Self::Beside { name: Arc::clone(name), members: vec![members.clone()], elsewhere: Vec::new() }
            }
            _ => Self::Nothing,
        }
    }
}

/// A sample of the member `name` beside others, under which the rule judges it or not.
fn beside(boundary: &Boundary, name: &str, members: &Map<String, Value>, judged: bool) -> Boundary {
    let shown: Vec<String> = members.iter().map(|(name, value)| format!("`{name}` {value}")).collect();
    let shown = if shown.is_empty() { "nothing".to_owned() } else { shown.join(", ") };
    let mut members = members.clone();
    if let Sample::Value(value) = &boundary.sample {
        members.insert(name.to_owned(), value.clone());
    }
    Boundary {
        class: format!("{} beside {shown}", boundary.class),
        breaks: boundary.breaks && judged,
        sample: Sample::Beside(members),
        options: boundary.options.clone(),
    }
}

/// A rule that ends what comes after it in its place, when it fails.
pub(super) struct Guard {
    /// Path pattern of the value it judges.
    path: String,
    /// Type of that value.
    ty: TypeId,
    check: Arc<dyn Check>,
    /// Name of its tag.
    tag: &'static str,
    /// Options on the way to it.
    options: Vec<(String, bool)>,
    /// Whether it fails on an ordinary value that is set, whatever else that holds.
    refuses: bool,
    /// Whether it fails on an update of such a value, whatever changes in it.
    freezes: bool,
}

impl Guard {
    /// The guards that a rule which ends its cohort puts up.
    pub(super) fn of(build: &Build<'_>, rule: &RuleFn, path: &str, ty: TypeId) -> Option<Self> {
        let schema = build.schema();
        let mut options = Vec::new();
        let (mut rule, mut path, mut ty) = (rule, path.to_owned(), ty);
        let check = loop {
            rule = match &rule.body {
                Body::Check(check) => break check,
                Body::EachItem { inner, .. } | Body::EachEntry(inner) | Body::Item { inner, .. } => {
                    path.push_str("[*]");
                    (_, ty) = shape::parts(schema, ty);
                    inner
                }
                Body::Subfield { ty: member, name, inner, .. } => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                    ty = *member;
                    inner
                }
                Body::IfOption { option, enabled, inner } => {
                    options.push((option.to_string(), *enabled));
                    inner
                }
                // Types, keys and modes stop nothing but themselves.
                Body::Type(_) | Body::EachKey(_) | Body::Mode(_) => return None,
            };
        };
        let tag = rule.source.as_ref().map_or("nil elements", |source| source.tag);
        let mut guard = Self { path, ty, check: Arc::clone(check), tag, options, refuses: false, freezes: false };
        let set = example(build, ty);
        guard.refuses = guard.fails(schema, Some(&set), None);
        guard.freezes = guard.fails(schema, Some(&set), Some(Some(&set)));
        Some(guard)
    }

    /// Whether it fails on a value; absent values are none. Without `old` on create, else on update.
    fn fails(&self, schema: &Schema, value: Option<&Value>, old: Option<Option<&Value>>) -> bool {
        if old.is_none() && self.check.update_only() {
            return false;
        }
        let arena = Arena::new();
        let Some(value) = self.read(schema, value, &arena) else { return false };
        let Some(before) = self.read(schema, old.flatten(), &arena) else { return false };
        if value.is_none() && !self.check.judges_nil() {
            return false;
        }
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let mut answer = Answer::new();
        let mut sink = Sink::new(&mut answer);
        sink.set_silent(true);
        let (path, options) = (&Path::ROOT, &Options::new());
        self.check.check(&At { schema, operation, options, path, value, old: before }, &mut sink);
        sink.failures() > 0
    }

    /// A value as the engine sees it; none when it is not of the type.
    fn read<'a>(&self, schema: &'a Schema, json: Option<&'a Value>, arena: &'a Arena) -> Option<Option<Node<'a>>> {
        let node = match json {
            Some(json) => from_value(schema, self.ty, json, arena).ok()?,
            None => Node::Unset,
        };
        let nil = node.is_unset() && matches!(shape::shape(schema, self.ty), Shape::Pointer(_));
        Some(if nil { None } else { Some(node) })
    }

    /// At which samples of a rule at `path` the guard fails; none if it never does.
    fn hits(&self, schema: &Schema, path: &str, update_only: bool, boundaries: &[Boundary]) -> Option<Vec<bool>> {
        if path != self.path {
            let below = match path.strip_prefix(&self.path) {
                Some(rest) => self.path.is_empty() || rest.starts_with(['.', '[']),
                None => false,
            };
            let fails = if update_only { self.freezes } else { self.refuses };
            return (below && fails).then(|| vec![true; boundaries.len()]);
        }
        let json = |boundary: &'_ Boundary| match &boundary.sample {
            Sample::Value(value) => Some(value.clone()),
            Sample::Absent | Sample::Beside(_) => None,
        };
        let values: Vec<Option<Value>> = boundaries.iter().map(json).collect();
        let hit = |value: &Option<Value>| {
            let value = value.as_ref();
            if !update_only {
                return self.fails(schema, value, None);
            }
            let mut others = values.iter().map(Option::as_ref).filter(|other| *other != value).peekable();
            match others.peek() {
                Some(_) => others.all(|other| self.fails(schema, value, Some(other))),
                None => self.fails(schema, value, Some(value)),
            }
        };
        let hits: Vec<bool> = values.iter().map(hit).collect();
        hits.contains(&true).then_some(hits)
    }

    /// Options that the guard depends on and a rule under `options` does not; none where it never runs beside the rule.
    fn beyond(&self, options: &[(String, bool)]) -> Option<Vec<(String, bool)>> {
        let opposed = self.options.iter().any(|(name, state)| options.contains(&(name.clone(), !state)));
        (!opposed).then(|| self.options.iter().filter(|option| !options.contains(option)).cloned().collect())
    }

    /// What it does to a rule at `path`, in words.
    fn reason(&self, path: &str) -> String {
        match self.path.as_str() {
            own if own == path => format!("stopped by `{}`", self.tag),
            "" => format!("stopped by `{}` of the object", self.tag),
            other => format!("stopped by `{}` at `{other}`", self.tag),
        }
    }
}
