//! Constants of packages: their values and types.

use super::super::constants::{Evaluated, Value, binary, unary};
use super::super::model::{Constant, ConstantValue};
use super::super::syntax::{ConstExpr, TypeExpr, TypeKind};
use super::{Graph, Scope};
use std::rc::Rc;
use std::sync::Arc;
use takeover_harness::schema::TypeId;

/// Constants inside constants, and operators inside operators.
const MAX_DEPTH: u32 = 200;

impl Graph<'_> {
    /// Evaluates the constants of a package and enters them at their types.
    pub(in super::super) fn constants_of(&mut self, index: usize) {
        let Some(package) = self.packages.loaded.get(index).map(Rc::clone) else { return };
        for (file, unit) in package.units.iter().enumerate() {
            for (at, decl) in unit.syntax.constants.iter().enumerate() {
                // Blank constants and those that lost to an earlier declaration have no entry.
                if package.constants.get(&decl.name) != Some(&(file, at)) {
                    continue;
                }
                let Some(evaluated) = self.constant(index, &decl.name) else { continue };
                let value = match evaluated.value {
                    Value::Text(text) => Some(ConstantValue::Text(text)),
                    Value::Int(number) => i64::try_from(number).ok().map(ConstantValue::Int),
                    Value::Bool(value) => Some(ConstantValue::Bool(value)),
                    Value::Float(_) | Value::Unknown => None,
                };
                let constant = Constant {
                    name: Arc::from(decl.name.as_str()),
                    value: value.unwrap_or_else(|| ConstantValue::Other(Arc::from(decl.name.as_str()))),
                    tags: unit.comments.closest(&unit.source, unit.source.line(decl.at.start)),
                    position: unit.source.position(decl.at.start),
                };
                let info = evaluated.ty.and_then(|ty| self.infos.get_mut(ty.0 as usize));
                // Predeclared types belong to no package and own no constants.
                if let Some(info) = info.filter(|info| !info.package.is_empty()) {
                    info.constants.push(constant);
                }
            }
        }
    }

    /// A constant of a package by name; none if it has no such constant.
    pub(in super::super) fn constant(&mut self, index: usize, name: &str) -> Option<Evaluated> {
        let key = (index, name.to_owned());
        if let Some(known) = self.constants.values.get(&key) {
            // A constant that is defined by itself is left unknown.
            return Some(known.clone().unwrap_or(Evaluated::UNKNOWN));
        }
        let package = Rc::clone(self.packages.loaded.get(index)?);
        let (file, at) = *package.constants.get(name)?;
        let decl = package.units.get(file)?.syntax.constants.get(at)?;
        let scope = self.scope(index, file)?;
        self.constants.values.insert(key.clone(), None);
        let mut evaluated = match &decl.value {
            Some(value) => self.evaluate(&scope, value, decl.iota),
            None => Evaluated::UNKNOWN,
        };
        if let Some(ty) = &decl.ty {
            evaluated.ty = Some(self.resolve(&scope, ty));
        }
        self.constants.values.insert(key, Some(evaluated.clone()));
        Some(evaluated)
    }

    fn evaluate(&mut self, scope: &Scope, expr: &ConstExpr, iota: i64) -> Evaluated {
        if self.constants.depth >= MAX_DEPTH {
            return Evaluated::UNKNOWN;
        }
        self.constants.depth += 1;
        let evaluated = match expr {
            ConstExpr::Text(text) => Evaluated::untyped(Value::Text(Arc::from(text.as_str()))),
            ConstExpr::Int(number) => Evaluated::untyped(Value::Int(*number)),
            ConstExpr::Float(number) => Evaluated::untyped(Value::Float(*number)),
            ConstExpr::Bool(value) => Evaluated::untyped(Value::Bool(*value)),
            ConstExpr::Iota => Evaluated::untyped(Value::Int(i128::from(iota))),
            ConstExpr::Name { package, name } => {
                self.named_constant(scope, package.as_deref(), name).unwrap_or(Evaluated::UNKNOWN)
            }
            ConstExpr::Unary { operator, operand } => {
                let Evaluated { ty, value } = self.evaluate(scope, operand, iota);
                Evaluated { ty, value: unary(operator, value) }
            }
            ConstExpr::Binary { operator, left, right } => {
                let left = self.evaluate(scope, left, iota);
                let right = self.evaluate(scope, right, iota);
                let shift = matches!(operator.as_str(), "<<" | ">>");
                let ty = if shift { left.ty } else { left.ty.or(right.ty) };
                match binary(operator, left.value, right.value) {
                    // A comparison is a bool whatever it compares.
                    value @ Value::Bool(_) if !matches!(operator.as_str(), "&&" | "||") => Evaluated::untyped(value),
                    value => Evaluated { ty, value },
                }
            }
            ConstExpr::Conversion { ty, operand } => {
                let operand = self.evaluate(scope, operand, iota);
                match self.converted(scope, ty) {
                    Some(ty) => Evaluated { ty: Some(ty), value: operand.value },
                    // The call of a function: `len("x")`.
                    None => Evaluated::UNKNOWN,
                }
            }
            ConstExpr::Other => Evaluated::UNKNOWN,
        };
        self.constants.depth -= 1;
        evaluated
    }

    fn named_constant(&mut self, scope: &Scope, package: Option<&str>, name: &str) -> Option<Evaluated> {
        if let Some(qualifier) = package {
            let path = self.import(scope, qualifier)?;
            let index = self.package(&path)?;
            return self.constant(index, name);
        }
        if let Some(found) = self.constant(scope.index, name) {
            return Some(found);
        }
        let source = Rc::clone(&scope.package);
        let imports = &source.units.get(scope.file)?.syntax.imports;
        imports.iter().filter(|import| import.alias.as_deref() == Some(".")).find_map(|import| {
            let index = self.package(&import.path)?;
            self.constant(index, name)
        })
    }

    /// The type a conversion names; none if the name is no type.
    fn converted(&mut self, scope: &Scope, ty: &TypeExpr) -> Option<TypeId> {
        match &ty.kind {
            TypeKind::Name { package, name, arguments } => {
                self.name(scope, package.as_deref(), name, arguments, ty.span).ok()
            }
            _ => Some(self.resolve(scope, ty)),
        }
    }
}
