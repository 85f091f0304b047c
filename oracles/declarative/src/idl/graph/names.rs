//! What names stand for: aliases, imports, instances of generic types.

use super::super::diagnostic::IdlFault;
use super::super::known;
use super::super::source::Span;
use super::super::syntax::{TypeDecl, TypeExpr};
use super::{Graph, Scope, exported};
use std::rc::Rc;
use takeover_harness::schema::TypeId;

/// Instances of generic types in one graph.
const MAX_INSTANCES: usize = 10_000;
/// Length of the name of an instance: instantiation in a circle makes ever longer ones.
const MAX_INSTANCE_NAME: usize = 1_000;

impl Graph<'_> {
    /// The type an alias stands for.
    pub(super) fn alias(&mut self, scope: &Scope, decl: &TypeDecl) -> TypeId {
        let key = (scope.index, decl.name.clone());
        if let Some(id) = self.aliases.get(&key) {
            return *id;
        }
        if !self.open_aliases.insert(key.clone()) {
            self.fault(scope, IdlFault::Recursive, decl.at, format!("alias `{}` stands for itself", decl.name));
            return self.any();
        }
        let id = self.resolve(scope, &decl.ty);
        self.open_aliases.remove(&key);
        self.aliases.insert(key, id);
        id
    }

    /// The type of a name, or why there is none.
    pub(in super::super) fn name(
        &mut self,
        scope: &Scope,
        package: Option<&str>,
        name: &str,
        arguments: &[TypeExpr],
        at: Span,
    ) -> Result<TypeId, String> {
        let Some(qualifier) = package else {
            if let Some(id) = scope.arguments.get(name) {
                return Ok(*id);
            }
            if let Some(id) = self.declared_name(scope, scope.index, name, arguments, at) {
                return Ok(id);
            }
            return self
                .dot_imported(scope, name, arguments, at)
                .or_else(|| self.builtin(name))
                .ok_or_else(|| format!("type `{name}` is not declared in package `{}`", scope.package.path));
        };
        let path = self
            .import(scope, qualifier)
            .ok_or_else(|| format!("`{qualifier}` is not the name of an imported package"))?;
        match self.package(&path) {
            None => Ok(self.opaque(&path, name)),
            Some(index) => match self.declared_name(scope, index, name, arguments, at) {
                Some(id) => Ok(id),
                None if self.packages.loaded.get(index).is_some_and(|package| package.partial) => {
                    Ok(self.opaque(&path, name))
                }
                None => Err(format!("type `{name}` is not declared in package `{path}`")),
            },
        }
    }

    fn dot_imported(&mut self, scope: &Scope, name: &str, arguments: &[TypeExpr], at: Span) -> Option<TypeId> {
        let package = Rc::clone(&scope.package);
        let imports = &package.units.get(scope.file)?.syntax.imports;
        let mut absent = None;
        for import in imports.iter().filter(|import| import.alias.as_deref() == Some(".")) {
            match self.package(&import.path) {
                Some(index) => {
                    if let Some(id) = self.declared_name(scope, index, name, arguments, at) {
                        return Some(id);
                    }
                }
                None => absent = absent.or(Some(&import.path)),
            }
        }
        // The name may come from a package that is not there.
        absent.filter(|_| exported(name) && known::builtin(name).is_none()).map(|path| self.opaque(path, name))
    }

    /// A type that a loaded package declares: through aliases, and instantiated if it is generic.
    fn declared_name(
        &mut self,
        scope: &Scope,
        index: usize,
        name: &str,
        arguments: &[TypeExpr],
        at: Span,
    ) -> Option<TypeId> {
        let package = Rc::clone(self.packages.loaded.get(index)?);
        let (file, declaration) = *package.types.get(name)?;
        let decl = package.units.get(file)?.syntax.types.get(declaration)?;
        if decl.parameters.is_empty() {
            return if decl.alias {
                let scope = self.scope(index, file)?;
                Some(self.alias(&scope, decl))
            } else {
                self.declare(index, name)
            };
        }
        if decl.parameters.len() != arguments.len() {
            let message = format!(
                "generic type `{name}` takes {} type arguments, not {}",
                decl.parameters.len(),
                arguments.len()
            );
            self.fault(scope, IdlFault::Undeclared, at, message);
            return Some(self.any());
        }
        let ids: Vec<TypeId> = arguments.iter().map(|argument| self.resolve(scope, argument)).collect();
        let names: Vec<&str> = ids.iter().map(|id| self.schema.get(*id).name.as_ref()).collect();
        let go_name = format!("{name}[{}]", names.join(","));
        let qualified = format!("{}.{go_name}", package.path);
        if let Some(id) = self.instances.get(&qualified) {
            return Some(*id);
        }
        if qualified.len() > MAX_INSTANCE_NAME || self.instances.len() >= MAX_INSTANCES {
            let message = format!("generic type `{name}` is instantiated without end");
            self.fault(scope, IdlFault::TooComplex, at, message);
            return Some(self.any());
        }
        let inner = Scope {
            arguments: Rc::new(decl.parameters.iter().cloned().zip(ids).collect()),
            ..self.scope(index, file)?
        };
        if decl.alias {
            // Generic aliases are followed like a call; the depth of `resolve` bounds them.
            return Some(self.resolve(&inner, &decl.ty));
        }
        let id = self.queue_up(inner, decl, declaration, &go_name);
        self.instances.insert(qualified, id);
        Some(id)
    }

    /// Import path behind a qualifier of a file.
    pub(in super::super) fn import(&mut self, scope: &Scope, qualifier: &str) -> Option<String> {
        let package = Rc::clone(&scope.package);
        let imports = &package.units.get(scope.file)?.syntax.imports;
        if let Some(import) = imports.iter().find(|import| import.alias.as_deref() == Some(qualifier)) {
            return Some(import.path.clone());
        }
        let plain = || imports.iter().filter(|import| import.alias.is_none());
        if let Some(import) = plain().find(|import| guessed_name(&import.path) == qualifier) {
            return Some(import.path.clone());
        }
        // The name in the package clause need not be the last part of the path.
        let mut absent = Vec::new();
        for import in plain() {
            match self.package(&import.path) {
                Some(index) if self.packages.loaded.get(index).is_some_and(|p| p.name == qualifier) => {
                    return Some(import.path.clone());
                }
                Some(_) => {}
                None => absent.push(&import.path),
            }
        }
        let likely = absent.iter().find(|path| path.contains(qualifier)).or(absent.first());
        likely.map(|path| (*path).clone())
    }
}

/// The package name that an import path suggests: the last part, without a version behind it.
fn guessed_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let name = last.rsplit_once(".v").map_or(last, |(name, _)| name);
    name.strip_prefix("go-").or_else(|| name.strip_suffix("-go")).unwrap_or(name)
}
