//! From types with tag lines to types with rules: walks the type graph from the root and compiles the tags of every type and
//! field on the way.

use crate::compile::build::{Build, Deferred, Scope, Validations};
use crate::compile::context::{Context, MemberRef};
use crate::compile::problem::Problem;
use crate::compile::rule::{Body, RuleFn, SourceLine};
use crate::compile::shape::{self, Shape};
use crate::idl::{Position, TypeInfo};
use crate::tags::{TagScope, list_kind};
use std::collections::HashMap;
use std::sync::Arc;
use takeover_harness::schema::{Kind, Presence, Slot, TypeId};

/// How deep types may nest inside one another; deeper graphs end in a diagnostic.
const MAX_DEPTH: usize = 100;

/// How often deferred work may defer more work.
const MAX_ROUNDS: usize = 10;

/// A type with its rules.
#[derive(Default)]
pub(crate) struct TypeNode {
    /// Rules on the type itself, hoisted ones of its fields first.
    pub(crate) rules: Validations,
    /// Runs the key type's rules on each key, for named maps.
    pub(crate) keys: Option<RuleFn>,
    /// Runs the element type's rules on each element, for named lists and maps.
    pub(crate) values: Option<RuleFn>,
    /// Fields, for structs.
    pub(crate) fields: Vec<FieldNode>,
    /// Type of the keys, for named and unnamed maps.
    pub(crate) key: Option<TypeId>,
    /// Type of the elements, behind a pointer if they are pointers.
    pub(crate) element: Option<TypeId>,
    /// Whether the type is named (only such types have rules of their own).
    pub(crate) named: bool,
}

/// A field with its rules.
pub(crate) struct FieldNode {
    /// Position in the struct.
    pub(crate) slot: Slot,
    /// Type of the field.
    pub(crate) ty: TypeId,
    /// The type whose rules also run: behind a pointer; none for types of absent packages and for opaque fields.
    pub(crate) node: Option<TypeId>,
    /// Rules on the field.
    pub(crate) rules: Validations,
    /// Runs the key type's rules on each key.
    pub(crate) keys: Option<RuleFn>,
    /// Runs the element type's rules on each element.
    pub(crate) values: Option<RuleFn>,
}

/// All types reached so far.
#[derive(Default)]
pub(crate) struct Types {
    nodes: HashMap<TypeId, TypeNode>,
    started: HashMap<TypeId, ()>,
}

impl Types {
    /// The node of a type.
    pub(crate) fn get(&self, ty: TypeId) -> Option<&TypeNode> {
        self.nodes.get(&ty)
    }

    /// Every type.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (TypeId, &TypeNode)> {
        self.nodes.iter().map(|(ty, node)| (*ty, node))
    }

    /// Reaches `ty` and everything below it. Answers the type that has a node: the one behind a pointer, or none when the
    /// type's package is absent.
    pub(crate) fn discover(
        &mut self,
        build: &mut Build<'_>,
        ty: TypeId,
        path: &str,
        depth: usize,
    ) -> Result<Option<TypeId>, Problem> {
        if build.info(ty).is_some_and(is_absent) {
            return Ok(None);
        }
        if let Some(reason) = unsupported(build, ty) {
            return Err(Problem::new(format!("`{path}` (`{}`): {reason}", shape::name(build.schema(), ty))));
        }
        if let Kind::Pointer(inner) = build.schema().kind(ty) {
            return self.discover(build, *inner, path, depth);
        }
        if self.started.insert(ty, ()).is_some() {
            return Ok(Some(ty));
        }
        if depth > MAX_DEPTH {
            return Err(Problem::new(format!("`{path}`: types nest more than {MAX_DEPTH} deep")));
        }
        let kind = build.schema().kind(ty);
        let info = build.info(ty);
        let named =
            matches!(kind, Kind::Struct(_) | Kind::Named(_)) && info.is_some_and(|info| !info.go_name.is_empty());
        let path = if named { shape::name(build.schema(), ty) } else { path };
        let mut node = TypeNode { named, ..TypeNode::default() };
        match shape::shape(build.schema(), ty) {
            Shape::Struct if matches!(kind, Kind::Struct(_)) => self.discover_struct(build, ty, path, &mut node, depth),
            Shape::List(Some(element)) => {
                node.element = self.discover(build, element, &format!("{path}[vals]"), depth + 1)?;
            }
            Shape::Map { key, value } => {
                node.key = self.discover(build, key, &format!("{path}[keys]"), depth + 1)?;
                node.element = self.discover(build, value, &format!("{path}[vals]"), depth + 1)?;
            }
            _ => {}
        }
        if named && let Some(info) = info {
            discover_type_rules(build, ty, info, path, &mut node);
        }
        self.nodes.insert(ty, node);
        Ok(Some(ty))
    }

    fn discover_struct(&mut self, build: &mut Build<'_>, ty: TypeId, path: &str, node: &mut TypeNode, depth: usize) {
        let Some((_, fields)) = shape::as_struct(build.schema(), ty) else { return };
        for slot in 0..fields.fields.len() {
            let Ok(slot) = Slot::try_from(slot) else {
                build.complain(path, Problem::new("a struct has more fields than 65,535"));
                break;
            };
            let member = MemberRef { owner: ty, slot };
            let Some((field, info)) = build.field(member) else { continue };
            if !info.exported {
                continue;
            }
            let name = if field.presence == Presence::Named { &field.json_name } else { &field.go_name };
            let child_path: Arc<str> = Arc::from(format!("{path}.{name}"));
            let position = info.position.clone();
            match self.discover_field(build, member, &child_path, path, depth) {
                Ok(Some(field)) => node.fields.push(field),
                Ok(None) => {}
                Err(problem) => build.complain(&child_path, problem.at(&position)),
            }
        }
        // Deferred work of a field may ask about every other field, so it waits until all of them are through.
        let mut hoisted = Validations::default();
        for field in &mut node.fields {
            let deferred = std::mem::take(&mut field.rules.deferred);
            let subject = build
                .field(MemberRef { owner: ty, slot: field.slot })
                .map(|(schema, info)| (format!("{path}.{}", schema.go_name), info.position.clone()));
            let (subject, position) = subject.unwrap_or_else(|| (path.to_owned(), nowhere()));
            settle(build, deferred, &subject, &position, |scope, validations| match scope {
                Scope::Here => field.rules.add(validations),
                Scope::Parent => hoisted.add(validations),
            });
        }
        node.rules.add(hoisted);
    }

    fn discover_field(
        &mut self,
        build: &mut Build<'_>,
        member: MemberRef,
        path: &Arc<str>,
        parent_path: &str,
        depth: usize,
    ) -> Result<Option<FieldNode>, Problem> {
        let Some((field, info)) = build.field(member) else { return Ok(None) };
        let (ty, schema) = (field.ty, build.schema());
        let mut node = self.discover(build, ty, path, depth + 1)?;
        let context = Context {
            place: TagScope::Field,
            ty,
            path: Arc::clone(path),
            member: Some(member),
            parent_path: Some(Arc::from(parent_path)),
            parent: Some(member.owner),
            selector: None,
            level: None,
            line: Arc::new(no_line(&info.position)),
        };
        let rules = build.compile_all(&info.tags, &context, path);
        if !rules.is_empty() && holds_lists(build, shape::non_pointer(schema, ty)) {
            return Err(Problem::new("validation of maps of slices is not supported"));
        }
        let pointee = shape::non_pointer(schema, ty);
        let named = build.info(pointee).is_some_and(|info| !info.go_name.is_empty())
            && matches!(schema.kind(pointee), Kind::Struct(_) | Kind::Named(_) | Kind::WellKnown(_));
        if named && rules.opaque {
            node = None;
        } else if node.is_none() && build.settings.strict && !rules.opaque {
            return Err(absent(schema.get(ty).name.as_ref(), "+k8s:opaqueType"));
        }
        let (mut keys, mut values) = (None, None);
        match schema.kind(ty) {
            Kind::List(element) => {
                values = iterate_values(build, path, ty, *element, rules.opaque_val)?;
            }
            Kind::Map { key, value } => {
                keys = iterate_keys(build, *key, rules.opaque_key)?;
                values = iterate_values(build, path, ty, *value, rules.opaque_val)?;
            }
            _ => {}
        }
        Ok(Some(FieldNode { slot: member.slot, ty, node, rules, keys, values }))
    }
}

/// Compiles the tags on a named type.
fn discover_type_rules<'i>(build: &mut Build<'i>, ty: TypeId, info: &'i TypeInfo, path: &str, node: &mut TypeNode) {
    let position = info.position.clone().unwrap_or_else(nowhere);
    let context = Context {
        place: TagScope::Type,
        ty,
        path: Arc::from(path),
        member: None,
        parent_path: None,
        parent: None,
        selector: None,
        level: None,
        line: Arc::new(no_line(&position)),
    };
    let rules = build.compile_all(&info.tags, &context, path);
    if !rules.is_empty() && holds_lists(build, ty) {
        build.complain(path, Problem::new("validation of maps of slices is not supported").at(&position));
        return;
    }
    node.rules.add(rules);
    if matches!(build.schema().kind(ty), Kind::Named(_)) {
        let iterations = match shape::shape(build.schema(), ty) {
            Shape::List(Some(element)) => {
                iterate_values(build, path, ty, element, node.rules.opaque_val).map(|values| (None, values))
            }
            Shape::Map { key, value } => iterate_keys(build, key, node.rules.opaque_key)
                .and_then(|keys| Ok((keys, iterate_values(build, path, ty, value, node.rules.opaque_val)?))),
            _ => Ok((None, None)),
        };
        match iterations {
            Ok((keys, values)) => (node.keys, node.values) = (keys, values),
            Err(problem) => build.complain(path, problem.at(&position)),
        }
    }
    let deferred = std::mem::take(&mut node.rules.deferred);
    let rules = &mut node.rules;
    settle(build, deferred, path, &position, |_, validations| rules.add(validations));
}

/// Does deferred work, round after round.
fn settle(
    build: &mut Build<'_>,
    mut deferred: Vec<Deferred>,
    subject: &str,
    position: &Position,
    mut take: impl FnMut(Scope, Validations),
) {
    for _ in 0..MAX_ROUNDS {
        if deferred.is_empty() {
            return;
        }
        let mut next = Vec::new();
        for work in deferred {
            let scope = work.scope;
            match work.run(build) {
                Ok(mut validations) => {
                    next.append(&mut validations.deferred);
                    take(scope, validations);
                }
                Err(problem) => build.complain(subject, problem.at(position)),
            }
        }
        deferred = next;
    }
    if !deferred.is_empty() {
        let message = format!("tags defer their work more than {MAX_ROUNDS} times");
        build.complain(subject, Problem::new(message).at(position));
    }
}

/// A rule that runs the rules of the element type on each element, when that type can have rules.
fn iterate_values(
    build: &mut Build<'_>,
    path: &str,
    ty: TypeId,
    element: TypeId,
    opaque: bool,
) -> Result<Option<RuleFn>, Problem> {
    let Some(target) = callable(build, element, opaque, "+k8s:eachVal=+k8s:opaqueType")? else { return Ok(None) };
    let inner = RuleFn::new(Body::Type(target));
    Ok(Some(RuleFn::new(match shape::shape(build.schema(), ty) {
        Shape::List(_) => {
            let correlation = list_kind::correlation(build, path, ty);
            Body::EachItem { correlation, element, inner: Box::new(inner) }
        }
        _ => Body::EachEntry(Box::new(inner)),
    })))
}

/// The same for keys.
fn iterate_keys(build: &mut Build<'_>, key: TypeId, opaque: bool) -> Result<Option<RuleFn>, Problem> {
    let target = callable(build, key, opaque, "+k8s:eachKey=+k8s:opaqueType")?;
    Ok(target.map(|target| RuleFn::new(Body::EachKey(Box::new(RuleFn::new(Body::Type(target)))))))
}

/// The named type behind `ty` whose rules can be run.
fn callable(build: &Build<'_>, ty: TypeId, opaque: bool, remedy: &str) -> Result<Option<TypeId>, Problem> {
    let target = shape::non_pointer(build.schema(), ty);
    if opaque {
        return Ok(None);
    }
    let Some(info) = build.info(target) else { return Ok(None) };
    if is_absent(info) {
        return if build.settings.strict { Err(absent(&info.go_name, remedy)) } else { Ok(None) };
    }
    let named = !info.go_name.is_empty() && matches!(build.schema().kind(target), Kind::Struct(_) | Kind::Named(_));
    Ok(named.then_some(target))
}

/// Whether the package of a type was not loaded.
fn is_absent(info: &TypeInfo) -> bool {
    !info.package.is_empty() && !info.processed
}

fn absent(name: &str, remedy: &str) -> Problem {
    Problem::new(format!(
        "type `{name}` is in a package that is not loaded; load it, or add `{remedy}` to skip its rules"
    ))
}

fn holds_lists(build: &Build<'_>, ty: TypeId) -> bool {
    let schema = build.schema();
    matches!(shape::shape(schema, ty), Shape::Map { value, .. } if matches!(schema.kind(value), Kind::List(_) | Kind::Bytes))
}

/// Why the generator refuses a type, if it does.
fn unsupported(build: &Build<'_>, ty: TypeId) -> Option<&'static str> {
    let schema = build.schema();
    match schema.kind(ty) {
        Kind::Named(inner) if matches!(schema.kind(*inner), Kind::Pointer(_)) => {
            Some("type definitions over pointers are not supported")
        }
        Kind::Pointer(inner) => match shape::shape(schema, *inner) {
            Shape::Pointer(_) => Some("pointers to pointers are not supported"),
            Shape::List(_) => Some("pointers to lists are not supported"),
            Shape::Map { .. } => Some("pointers to maps are not supported"),
            _ => None,
        },
        Kind::List(element) => match shape::shape(schema, *element) {
            Shape::List(Some(_)) => Some("lists of lists are not supported"),
            Shape::Map { .. } => Some("lists of maps are not supported"),
            _ => None,
        },
        Kind::Map { key, value } => {
            if shape::shape(schema, *key) != Shape::Builtin(shape::Builtin::Text) {
                return Some("maps with keys other than strings are not supported");
            }
            match shape::shape(schema, *value) {
                Shape::Pointer(_) => Some("maps of pointers are not supported"),
                Shape::Map { .. } => Some("maps of maps are not supported"),
                _ => None,
            }
        }
        _ => None,
    }
}

fn nowhere() -> Position {
    Position { file: Arc::from(""), line: 0, column: 0 }
}

fn no_line(position: &Position) -> SourceLine {
    SourceLine { position: position.clone(), chain: String::new(), since: None, least_settled: None }
}
