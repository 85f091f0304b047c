//! From rules per type to a program per path, and the catalogue of its rules.

use super::discover::{FieldNode, Types};
use super::samples::{Guard, Needs, Samples};
use crate::compile::build::Build;
use crate::compile::context::MemberRef;
use crate::compile::problem::Problem;
use crate::compile::rule::{Body, RuleFn, SourceLine, selected};
use crate::compile::shape::{self, Shape};
use crate::eval::Check;
use crate::eval::program::{Block, BlockId, Call, Cohort, FieldName, FieldPlan, ModeOp, Op, Program};
use crate::tags::lists::NoNilElements;
use crate::tags::{self, Requiredness};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::rule::{ErrorShape, Rule, RuleId, Source};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// Beyond so many blocks, paths to the same type share one (and its rules count on the first path). Only type graphs made
/// to explode come near.
const MAX_BLOCKS: usize = 20_000;

/// How many types a path may go through; the walk over an object is as deep.
const MAX_PATH: usize = 150;

/// The program and the catalogue of its rules.
pub(crate) struct Lowered {
    /// The program; without blocks if no rule is reached.
    pub(crate) program: Program,
    /// Its rules.
    pub(crate) rules: Vec<Rule>,
}

/// Lays out the rules reached from `root`.
///
/// # Errors
/// When a path goes through too many types.
pub(crate) fn lower(build: &Build<'_>, types: &Types, root: TypeId) -> Result<Lowered, Problem> {
    let active = active(types);
    let mut lowering = Lowering {
        build,
        types,
        active,
        blocks: Vec::new(),
        rules: Vec::new(),
        known: HashMap::new(),
        open: Vec::new(),
        guards: Vec::new(),
        first: HashMap::new(),
        too_deep: false,
    };
    if lowering.active.contains(&root) {
        lowering.block(root, "");
    }
    if lowering.too_deep {
        return Err(Problem::new(format!("a path with rules goes through more than {MAX_PATH} types")));
    }
    Ok(Lowered { program: Program { blocks: lowering.blocks }, rules: lowering.rules })
}

/// The types that have rules, themselves or further down.
fn active(types: &Types) -> HashSet<TypeId> {
    let mut active: HashSet<TypeId> = HashSet::new();
    let mut users: HashMap<TypeId, Vec<TypeId>> = HashMap::new();
    for (ty, node) in types.iter() {
        if node.rules.emits() {
            active.insert(ty);
        } else if node.rules.opaque {
            continue;
        }
        let mut uses = |used: Option<TypeId>| {
            if let Some(used) = used {
                users.entry(used).or_default().push(ty);
            }
        };
        uses(node.key.filter(|_| node.keys.is_some()));
        uses(node.element.filter(|_| node.values.is_some()));
        for field in &node.fields {
            if field.rules.emits() {
                active.insert(ty);
            }
            let inner = field.node.and_then(|node| types.get(node));
            uses(field.node);
            uses(inner.and_then(|inner| inner.key).filter(|_| field.keys.is_some()));
            uses(inner.and_then(|inner| inner.element).filter(|_| field.values.is_some()));
        }
    }
    let mut work: Vec<TypeId> = active.iter().copied().collect();
    while let Some(ty) = work.pop() {
        for user in users.get(&ty).into_iter().flatten() {
            if active.insert(*user) {
                work.push(*user);
            }
        }
    }
    active
}

/// What surrounds a rule on its way down.
#[derive(Clone)]
struct Around<'p> {
    /// Path pattern of the value.
    path: &'p str,
    /// Type of the value.
    ty: TypeId,
    /// Mark of the outermost marked wrapper.
    level: Option<Stability>,
    /// Whether the rule is called by a wrapper.
    wrapped: bool,
    /// Options on the way.
    options: Vec<(String, bool)>,
    /// What must stand beside or in the value for the rule to judge it.
    needs: Needs,
}

struct Lowering<'b, 'i> {
    build: &'b Build<'i>,
    types: &'b Types,
    active: HashSet<TypeId>,
    blocks: Vec<Block>,
    rules: Vec<Rule>,
    /// Catalogue entries by tag line, tag, path and level.
    known: HashMap<(usize, &'static str, String), RuleId>,
    /// Types being laid out, with their blocks: where recursion goes back to.
    open: Vec<(TypeId, BlockId)>,
    /// Rules that can stop those being laid out.
    guards: Vec<Guard>,
    /// The first block of each type.
    first: HashMap<TypeId, BlockId>,
    too_deep: bool,
}

impl Lowering<'_, '_> {
    fn schema(&self) -> &Schema {
        self.build.schema()
    }

    /// The block of a type at a path.
    fn block(&mut self, ty: TypeId, path: &str) -> BlockId {
        if let Some((_, id)) = self.open.iter().find(|(open, _)| *open == ty) {
            return *id;
        }
        if self.blocks.len() >= MAX_BLOCKS
            && let Some(id) = self.first.get(&ty)
        {
            return *id;
        }
        let id = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        self.blocks.push(Block::default());
        self.first.entry(ty).or_insert(id);
        if self.open.len() >= MAX_PATH {
            self.too_deep = true;
            return id;
        }
        self.open.push((ty, id));
        let block = self.lay_out(ty, path);
        self.open.pop();
        if let Some(place) = self.blocks.get_mut(id.0 as usize) {
            *place = block;
        }
        id
    }

    fn lay_out(&mut self, ty: TypeId, path: &str) -> Block {
        let types = self.types;
        let Some(node) = types.get(ty) else { return Block::default() };
        let outside = self.guards.len();
        let rules = self.cohorts(&node.rules.rules, path, ty);
        let mut iterations = Vec::new();
        for (iteration, target) in [(&node.keys, node.key), (&node.values, node.element)] {
            self.iteration(iteration.as_ref(), target, (path, ty), &mut iterations);
        }
        let mut fields = Vec::new();
        if !node.rules.opaque {
            for field in &node.fields {
                fields.extend(self.field(ty, field, path));
            }
        }
        self.guards.truncate(outside);
        Block { rules, iterations: iterations.into(), fields: fields.into() }
    }

    fn iteration(
        &mut self,
        rule: Option<&RuleFn>,
        target: Option<TypeId>,
        (path, ty): (&str, TypeId),
        calls: &mut Vec<Call>,
    ) {
        if let (Some(rule), Some(target)) = (rule, target)
            && self.active.contains(&target)
        {
            let around = Around { path, ty, level: None, wrapped: false, options: Vec::new(), needs: Needs::Nothing };
            calls.push(self.call(rule, &around));
        }
    }

    fn field(&mut self, owner: TypeId, field: &FieldNode, path: &str) -> Option<FieldPlan> {
        let types = self.types;
        let (schema, info) = self.build.field(MemberRef { owner, slot: field.slot })?;
        let (name, path) = match schema.presence {
            Presence::Named => {
                (FieldName::Named(schema.json_name.clone()), join(path, &format!(".{}", schema.json_name)))
            }
            _ if path.is_empty() => {
                (FieldName::Inlined(Box::from(info.type_expression.as_ref())), info.type_expression.to_string())
            }
            _ => (FieldName::Inlined(Box::from(info.type_expression.as_ref())), path.to_owned()),
        };
        let active = field.node.is_some_and(|node| self.active.contains(&node));
        let mut rules = Vec::new();
        if (!field.rules.rules.is_empty() || active)
            && let Shape::List(Some(element)) = shape::shape(self.schema(), field.ty)
            && matches!(self.schema().kind(element), Kind::Pointer(_))
        {
            let check: Arc<dyn Check> = Arc::new(NoNilElements);
            rules.push(RuleFn::new(Body::Check(check)).short_circuit());
        }
        rules.extend(field.rules.rules.iter().cloned());
        let outside = self.guards.len();
        let cohorts = self.cohorts(&rules, &path, field.ty);
        let node = field.node.and_then(|ty| types.get(ty).map(|node| (ty, node)));
        let block = node.filter(|(_, node)| node.named && active).map(|(ty, _)| self.block(ty, &path));
        let mut iterations = Vec::new();
        if let Some((_, node)) = node {
            self.iteration(field.keys.as_ref(), node.key, (&path, field.ty), &mut iterations);
            self.iteration(field.values.as_ref(), node.element, (&path, field.ty), &mut iterations);
        }
        self.guards.truncate(outside);
        let ratchets = !rules.is_empty() || block.is_some() || !iterations.is_empty();
        (ratchets || field.rules.remark).then(|| FieldPlan {
            slot: field.slot,
            pointer: matches!(shape::shape(self.schema(), field.ty), Shape::Pointer(_)),
            name,
            ratchets,
            rules: cohorts,
            block,
            iterations: iterations.into(),
        })
    }

    /// Splits rules into cohorts, the default one first, short circuits first in each. Leaves the guards of the default one
    /// to what comes after.
    fn cohorts(&mut self, rules: &[RuleFn], path: &str, ty: TypeId) -> Box<[Cohort]> {
        let mut names: Vec<&str> = Vec::new();
        for rule in rules {
            if !rule.cohort.is_empty() && !names.contains(&rule.cohort.as_ref()) {
                names.push(&rule.cohort);
            }
        }
        if rules.iter().any(|rule| rule.cohort.is_empty()) {
            names.insert(0, "");
        }
        let around = Around { path, ty, level: None, wrapped: false, options: Vec::new(), needs: Needs::Nothing };
        names
            .into_iter()
            .map(|name| {
                let own = rules.iter().filter(|rule| rule.cohort.as_ref() == name);
                let (first, rest): (Vec<&RuleFn>, Vec<&RuleFn>) = own.partition(|rule| rule.short_circuit);
                let default = name.is_empty();
                let outside = self.guards.len();
                let calls = first.iter().map(|rule| self.call(rule, &around)).collect();
                for rule in first {
                    self.guards.extend(Guard::of(self.build, rule, path, ty));
                }
                let cohort = Cohort {
                    default,
                    first: calls,
                    rest: rest.into_iter().map(|rule| self.call(rule, &around)).collect(),
                };
                if !default {
                    self.guards.truncate(outside);
                }
                cohort
            })
            .collect()
    }

    fn call(&mut self, rule: &RuleFn, around: &Around<'_>) -> Call {
        // The generator passes a check without parameters to a wrapper by name, and its mark has no place to go.
        let lost = around.wrapped && matches!(&rule.body, Body::Check(check) if !check.has_parameters());
        let level = if lost { None } else { rule.level };
        let inside = |path, ty, needs| Around {
            path,
            ty,
            level: around.level.or(level),
            wrapped: true,
            options: around.options.clone(),
            needs,
        };
        let path = around.path;
        let op = match &rule.body {
            Body::Check(check) => Op::Check {
                check: Arc::clone(check),
                rule: self.catalogue(rule, check.as_ref(), path, around.level.or(level), around),
                update_only: check.update_only(),
                judges_nil: check.judges_nil(),
            },
            Body::Type(ty) => Op::Block(self.block(*ty, path)),
            Body::EachItem { correlation, element, inner } => Op::EachItem {
                correlation: correlation.clone(),
                pointers: matches!(self.schema().kind(*element), Kind::Pointer(_)),
                inner: Box::new(self.call(inner, &inside(&join(path, "[*]"), *element, Needs::OneOfMany))),
            },
            Body::EachEntry(inner) => {
                let (_, value) = shape::parts(self.schema(), around.ty);
                Op::EachEntry(Box::new(self.call(inner, &inside(&join(path, "[*]"), value, Needs::OneOfMany))))
            }
            Body::EachKey(inner) => {
                let (key, _) = shape::parts(self.schema(), around.ty);
                Op::EachKey(Box::new(self.call(inner, &inside(path, key, Needs::OneOfMany))))
            }
            Body::Subfield { slot, ty, name, inner } => Op::Subfield {
                slot: *slot,
                pointer: matches!(shape::shape(self.schema(), *ty), Shape::Pointer(_)),
                name: Arc::clone(name),
                inner: Box::new(
                    self.call(inner, &inside(&join(path, &format!(".{name}")), *ty, around.needs.member(name))),
                ),
            },
            Body::Item { terms, selector, pointers, inner } => {
                let (_, element) = shape::parts(self.schema(), around.ty);
                let needs = Needs::Members(selected(terms));
                Op::Item {
                    selector: Arc::clone(selector),
                    pointers: *pointers,
                    inner: Box::new(self.call(inner, &inside(&join(path, "[*]"), element, needs))),
                }
            }
            Body::IfOption { option, enabled, inner } => {
                let mut inside = inside(path, around.ty, around.needs.clone());
                inside.options.push((option.to_string(), *enabled));
                Op::IfOption {
                    option: Arc::clone(option),
                    enabled: *enabled,
                    inner: Box::new(self.call(inner, &inside)),
                }
            }
            Body::Mode(mode) => {
                let path = join(path, &format!(".{}", mode.name));
                // Mode rules are called with their marks, parameters or not.
                let choose = |value: Value| Map::from_iter([(mode.chooser.to_string(), value)]);
                let chosen = |name: &Arc<str>| match name.as_ref() {
                    "true" | "false" if mode.boolean => choose(Value::from(&**name == "true")),
                    "" => Map::new(),
                    name => choose(Value::from(name)),
                };
                let all: Vec<_> = mode.modes.keys().map(chosen).collect();
                // No value is the empty text or `false`, which may be a mode.
                let none = if mode.boolean { "false" } else { "" };
                let none = (!mode.modes.contains_key(none)).then(Map::new);
                let other: Vec<_> = mode.unknown.clone().map(choose).into_iter().chain(none).collect();
                let around_mode = |members: Vec<Map<String, Value>>, elsewhere| Around {
                    wrapped: false,
                    ..inside(&path, mode.ty, Needs::Beside { name: Arc::clone(&mode.name), members, elsewhere })
                };
                let mut modes = BTreeMap::new();
                for (name, rules) in &mode.modes {
                    let own = chosen(name);
                    let elsewhere = all.iter().chain(&other).filter(|members| **members != own).cloned().collect();
                    let around = around_mode(vec![own], elsewhere);
                    let (outside, last) = (self.guards.len(), rules.iter().rposition(|rule| rule.short_circuit));
                    let mut calls = Vec::with_capacity(rules.len());
                    for (index, rule) in rules.iter().enumerate() {
                        calls.push(self.call(rule, &around));
                        if Some(index) == last {
                            for stop in rules.iter().take(index + 1).filter(|rule| rule.short_circuit) {
                                self.guards.extend(Guard::of(self.build, stop, &path, mode.ty));
                            }
                        }
                    }
                    self.guards.truncate(outside);
                    modes.insert(Arc::clone(name), calls.into());
                }
                let around = around_mode(other, all.clone());
                Op::Mode(Box::new(ModeOp {
                    slot: mode.slot,
                    pointer: matches!(shape::shape(self.schema(), mode.ty), Shape::Pointer(_)),
                    name: Arc::clone(&mode.name),
                    discriminator: mode.discriminator,
                    boolean: mode.boolean,
                    modes,
                    otherwise: self.call(&mode.otherwise, &around),
                    marks_stops: mode.marks_stops,
                }))
            }
        };
        Call { op, level, silent: rule.non_error, short_circuit: rule.short_circuit }
    }

    /// The catalogue entry of a check: one for all rules of one tag on one path.
    fn catalogue(
        &mut self,
        rule: &RuleFn,
        check: &dyn Check,
        path: &str,
        level: Option<Stability>,
        around: &Around<'_>,
    ) -> Option<RuleId> {
        let source = rule.source.as_ref()?;
        let reports: Vec<ErrorShape> = if rule.non_error {
            Vec::new()
        } else {
            let report = |emission: crate::eval::Emission| ErrorShape {
                error_type: emission.error_type,
                field: join(path, &emission.suffix),
                origin: emission.origin.into_owned(),
            };
            check.reports().into_iter().map(report).collect()
        };
        let key = (Arc::as_ptr(&source.line) as usize, source.tag, path.to_owned());
        if let Some(id) = self.known.get(&key) {
            if let Some(entry) = self.rules.get_mut(id.index()) {
                for report in reports {
                    if !entry.reports.contains(&report) {
                        entry.reports.push(report);
                    }
                }
            }
            return Some(*id);
        }
        let id = RuleId(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        let Samples { boundaries, unreachable, options } =
            Samples::of(self.schema(), &self.guards, path, around.options.clone(), &around.needs, check);
        let SourceLine { position, chain, since, least_settled } = source.line.as_ref();
        let def = tags::named(source.tag);
        let optional = def.is_some_and(|def| def.requiredness == Some(Requiredness::Optional));
        self.rules.push(Rule {
            id,
            path: path.to_owned(),
            chain: format!("{chain}{}", check.beside_line()),
            tag: source.tag.to_owned(),
            least_settled: least_settled.clone(),
            stability: level,
            since: since.clone().filter(|_| level.is_some()),
            source: (position.line > 0)
                .then(|| Source { file: position.file.as_ref().to_owned(), line: position.line }),
            // `optional` reports only where a default makes it `required`.
            after_default: optional && !reports.is_empty(),
            reports,
            update_only: check.update_only(),
            reads_old: false,
            reads: Vec::new(),
            selects: false,
            options,
            specificity: def.map(|def| def.specificity).unwrap_or_default(),
            boundaries,
            unreachable,
            law: None,
        });
        self.known.insert(key, id);
        Some(id)
    }
}

/// A path pattern and what it goes on with.
fn join(path: &str, suffix: &str) -> String {
    match suffix.strip_prefix('.') {
        Some(name) if path.is_empty() => name.to_owned(),
        _ => format!("{path}{suffix}"),
    }
}
