//! The checker: gives each node its type.

use super::checked::{MOST_SHOWN, Reference};
use super::environment::Environment;
use crate::syntax::{Ast, Entry, Kind, Literal, NodeId};
use crate::types::{Kind as TypeKind, Mapping, Type, identifier, most_general, well_known};
use std::sync::Arc;

/// Most visits of nodes. Macros that copy their operands can nest so that they are visited exponentially often.
const MOST_VISITS: usize = 1_000_000;
/// Types made of more types than this are refused; no expression of use has them.
const MOST_TYPES: usize = 10_000;

pub(super) struct Checker<'a> {
    pub(super) ast: &'a Ast,
    environment: &'a Environment,
    pub(super) types: Vec<Option<Type>>,
    pub(super) references: Vec<Option<Reference>>,
    pub(super) mapping: Mapping,
    variables: u32,
    /// Variables of the comprehensions around, innermost last.
    scopes: Vec<(&'a str, Type)>,
    pub(super) issues: Vec<(u32, String)>,
    pub(super) found: usize,
    visits: usize,
    pub(super) too_large: bool,
}

impl<'a> Checker<'a> {
    pub(super) fn new(ast: &'a Ast, environment: &'a Environment) -> Self {
        Self {
            ast,
            environment,
            types: vec![None; ast.len()],
            references: vec![None; ast.len()],
            mapping: Mapping::default(),
            variables: 0,
            scopes: Vec::new(),
            issues: Vec::new(),
            found: 0,
            visits: 0,
            too_large: false,
        }
    }

    /// Checks a node.
    pub(super) fn node(&mut self, id: NodeId) {
        self.visits += 1;
        self.too_large |= self.visits > MOST_VISITS;
        let Some(kind) = self.ast.kind(id).filter(|_| !self.too_large) else { return };
        match kind {
            Kind::Literal(literal) => self.set(id, of_literal(literal)),
            Kind::Ident(name) => self.ident(id, name),
            Kind::Select { operand, field, test } => self.select(id, *operand, field, *test),
            Kind::Call { function, target, args } => self.call(id, function, *target, args),
            Kind::List { elements, optional } => self.list(id, elements, optional),
            Kind::Map(entries) => self.map(id, entries),
            Kind::Struct { name, fields } => self.structure(id, name, fields),
            Kind::Comprehension { .. } => self.comprehension(id, kind),
        }
    }

    fn ident(&mut self, id: NodeId, name: &str) {
        match self.lookup(name) {
            Some(ty) => self.set_identifier(id, name, ty),
            None => {
                self.undeclared(id, name);
                self.set(id, Type::Error);
            }
        }
    }

    fn set_identifier(&mut self, id: NodeId, name: &str, ty: Type) {
        self.set(id, ty);
        let name = name.strip_prefix('.').unwrap_or(name);
        self.refer(id, Reference::Identifier(Arc::from(name)));
    }

    /// Looks up a name, which may be qualified.
    fn lookup(&self, name: &str) -> Option<Type> {
        let name = name.strip_prefix('.').unwrap_or(name);
        let local = self.scopes.iter().rev().find(|(local, _)| *local == name).map(|(_, ty)| ty);
        local.or_else(|| self.environment.variable(name)).cloned().or_else(|| identifier(name))
    }

    /// The name that a chain of selections spells.
    pub(super) fn qualified_name(&self, id: NodeId) -> Option<String> {
        let (mut fields, mut at) = (Vec::new(), id);
        loop {
            match self.ast.kind(at)? {
                Kind::Ident(name) => {
                    let mut qualified = name.to_string();
                    for field in fields.into_iter().rev() {
                        qualified.push('.');
                        qualified.push_str(field);
                    }
                    return Some(qualified);
                }
                Kind::Select { operand, field, test: false } => {
                    fields.push(&**field);
                    at = *operand;
                }
                _ => return None,
            }
        }
    }

    fn select(&mut self, id: NodeId, operand: NodeId, field: &str, test: bool) {
        if !test
            && let Some(name) = self.qualified_name(id)
            && let Some(ty) = self.lookup(&name)
        {
            return self.set_identifier(id, &name, ty);
        }
        let mut ty = self.field(id, operand, field, false);
        if test {
            ty = Type::Bool;
        }
        let ty = self.mapping.substitute(&ty, false);
        self.set(id, ty);
    }

    /// Checks the operand and returns the type of its field.
    pub(super) fn field(&mut self, id: NodeId, operand: NodeId, field: &str, optional: bool) -> Type {
        self.node(operand);
        let operand = self.mapping.substitute(&self.ty(operand), false);
        let inside = operand.inside_optional();
        let is_optional = optional || inside.is_some();
        let target = inside.cloned().unwrap_or(operand);
        let result = match &target {
            Type::Map(entry) => entry.1.clone(),
            Type::Object(name) => self.field_of(id, name, field).unwrap_or(Type::Error),
            _ if target.kind() == TypeKind::Param => {
                self.mapping.assignable(&Type::Dyn, &target);
                Type::Dyn
            }
            _ => {
                if !target.is_dyn_or_error() {
                    self.report(id, format!("type '{target}' does not support field selection"));
                }
                Type::Dyn
            }
        };
        if is_optional { Type::optional(result) } else { result }
    }

    fn field_of(&mut self, id: NodeId, object: &str, field: &str) -> Option<Type> {
        let declared = self.environment.object(object);
        if declared.is_none() && well_known(object).is_none() {
            self.report(id, format!("unexpected failed resolution of '{object}'"));
            return None;
        }
        let found = declared.and_then(|declared| declared.field_or_keyword(field));
        if found.is_none() {
            self.report(id, format!("undefined field '{field}'"));
        }
        found.map(|field| field.declared.ty().clone())
    }

    fn list(&mut self, id: NodeId, elements: &[NodeId], optional: &[usize]) {
        let mut joined = None;
        for (index, element) in elements.iter().enumerate() {
            self.node(*element);
            let ty = self.ty(*element);
            let ty = if optional.contains(&index) { self.unwrap_optional(*element, ty) } else { ty };
            joined = Some(self.join(joined, ty));
        }
        let element = joined.unwrap_or_else(|| self.fresh());
        self.set(id, Type::list(element));
    }

    fn map(&mut self, id: NodeId, entries: &[Entry]) {
        let mut joined: Option<(Type, Type)> = None;
        for entry in entries {
            self.node(entry.key);
            let key_type = self.ty(entry.key);
            let (keys, values) = joined.map_or((None, None), |(keys, values)| (Some(keys), Some(values)));
            let keys = self.join(keys, key_type);
            self.node(entry.value);
            let ty = self.ty(entry.value);
            let ty = if entry.optional { self.unwrap_optional(entry.value, ty) } else { ty };
            joined = Some((keys, self.join(values, ty)));
        }
        let (key, value) = joined.unwrap_or_else(|| (self.fresh(), self.fresh()));
        self.set(id, Type::map(key, value));
    }

    fn unwrap_optional(&mut self, id: NodeId, ty: Type) -> Type {
        match ty.inside_optional() {
            Some(inside) => inside.clone(),
            None => {
                if !ty.is_dyn() {
                    self.mismatch(id, &Type::optional(ty.clone()), &ty);
                }
                ty
            }
        }
    }

    /// The most general common type; `dyn` where there is no other, which a later check rejects in most places.
    fn join(&mut self, former: Option<Type>, ty: Type) -> Type {
        match former {
            None => ty,
            Some(former) if self.mapping.assignable(&former, &ty) => most_general(&former, &ty),
            Some(_) => Type::Dyn,
        }
    }

    fn structure(&mut self, id: NodeId, name: &Arc<str>, fields: &[(Arc<str>, NodeId, bool)]) {
        let Some(ty) = self.lookup(name) else {
            self.undeclared(id, name);
            return self.set(id, Type::Error);
        };
        let mut result = Type::Error;
        match &ty {
            Type::Type(Some(of)) if well_known(name).is_some() => result = (**of).clone(),
            Type::Type(Some(of)) => self.report(id, format!("'{}' is not a message type", of.runtime_name())),
            Type::Error => {}
            other => self.report(id, format!("'{}' is not a type", other.runtime_name())),
        }
        self.set(id, result);
        self.refer(id, Reference::Identifier(Arc::clone(name)));
        for (field, value, optional) in fields {
            self.node(*value);
            let ty = self.ty(*value);
            let ty = if *optional { self.unwrap_optional(*value, ty) } else { ty };
            match (field_of_message(name, field), well_known(name).is_some()) {
                (Some(expected), _) if !self.mapping.assignable(&expected, &ty) => {
                    let message =
                        format!("expected type of field '{field}' is '{expected}' but provided type is '{ty}'");
                    self.report(*value, message);
                }
                (Some(_), _) => {}
                (None, true) => self.report(*value, format!("undefined field '{field}'")),
                (None, false) => self.report(*value, format!("unexpected failed resolution of '{name}'")),
            }
        }
    }

    fn comprehension(&mut self, id: NodeId, kind: &'a Kind) {
        let Kind::Comprehension { range, var, var2, accu, init, condition, step, result } = kind else { return };
        self.node(*range);
        self.node(*init);
        let range_type = self.mapping.substitute(&self.ty(*range), false);
        let accu_type = self.ty(*init);
        let outer = self.scopes.len();
        self.scopes.push((accu, accu_type.clone()));
        let (first, second) = match &range_type {
            Type::List(element) if var2.is_some() => (Type::Int, (**element).clone()),
            Type::List(element) => ((**element).clone(), Type::Error),
            Type::Map(entry) => entry.as_ref().clone(),
            ty if ty.is_dyn_or_error() && !matches!(ty, Type::Any) || ty.kind() == TypeKind::Param => {
                self.mapping.assignable(&Type::Dyn, ty);
                (Type::Dyn, Type::Dyn)
            }
            ty => {
                self.report(
                    *range,
                    format!(
                        "expression of type '{ty}' cannot be range of a comprehension (must be list, map, or dynamic)"
                    ),
                );
                (Type::Error, Type::Error)
            }
        };
        self.scopes.push((var, first));
        if let Some(var2) = var2.as_deref().filter(|var2| *var2 != &**var) {
            self.scopes.push((var2, second));
        }
        self.node(*condition);
        self.expect(*condition, &Type::Bool);
        self.node(*step);
        self.expect(*step, &accu_type);
        self.scopes.truncate(outer + 1);
        self.node(*result);
        self.scopes.truncate(outer);
        let ty = self.mapping.substitute(&self.ty(*result), false);
        self.set(id, ty);
    }

    fn expect(&mut self, id: NodeId, expected: &Type) {
        let ty = self.ty(id);
        if !self.mapping.assignable(expected, &ty) {
            self.mismatch(id, expected, &ty);
        }
    }

    pub(super) fn fresh(&mut self) -> Type {
        self.variables += 1;
        Type::Variable(self.variables - 1)
    }

    /// The type of a node that was checked.
    pub(super) fn ty(&self, id: NodeId) -> Type {
        self.types.get(id.index()).cloned().flatten().unwrap_or(Type::Error)
    }

    pub(super) fn set(&mut self, id: NodeId, ty: Type) {
        self.too_large |= ty.is_larger_than(MOST_TYPES);
        if let Some(slot) = self.types.get_mut(id.index()) {
            *slot = Some(ty);
        }
    }

    pub(super) fn refer(&mut self, id: NodeId, reference: Reference) {
        if let Some(slot) = self.references.get_mut(id.index()) {
            *slot = Some(reference);
        }
    }

    pub(super) fn report(&mut self, id: NodeId, message: String) {
        self.report_at(self.ast.node(id).map_or(0, |node| node.offset), message);
    }

    pub(super) fn report_at(&mut self, offset: u32, message: String) {
        self.found += 1;
        if self.found <= MOST_SHOWN {
            self.issues.push((offset, message));
        }
    }

    pub(super) fn undeclared(&mut self, id: NodeId, name: &str) {
        self.report(id, format!("undeclared reference to '{name}' (in container '')"));
    }

    pub(super) fn mismatch(&mut self, id: NodeId, expected: &Type, found: &Type) {
        self.report(id, format!("expected type '{expected}' but found '{found}'"));
    }
}

fn of_literal(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

/// The type of a field of a well-known message.
fn field_of_message(message: &str, field: &str) -> Option<Type> {
    match (well_known(message)?, field) {
        (Type::Wrapper(wrapped), "value") => Some((*wrapped).clone()),
        (Type::Duration | Type::Timestamp, "seconds" | "nanos") => Some(Type::Int),
        (Type::Any, "type_url") => Some(Type::String),
        (Type::Any, "value") => Some(Type::Bytes),
        (Type::Map(_), "fields") => Some(Type::map(Type::String, Type::Dyn)),
        (Type::List(_), "values") => Some(Type::list(Type::Dyn)),
        (Type::Dyn, "null_value") => Some(Type::Int),
        (Type::Dyn, "number_value") => Some(Type::Double),
        (Type::Dyn, "string_value") => Some(Type::String),
        (Type::Dyn, "bool_value") => Some(Type::Bool),
        (Type::Dyn, "struct_value") => Some(Type::map(Type::String, Type::Dyn)),
        (Type::Dyn, "list_value") => Some(Type::list(Type::Dyn)),
        _ => None,
    }
}
