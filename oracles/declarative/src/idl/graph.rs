//! From declarations to types, across packages.

mod constants;
mod fields;
mod names;

use super::constants::Constants;
use super::diagnostic::{IdlDiagnostic, IdlFault};
use super::known;
use super::model::TypeInfo;
use super::packages::{Package, Packages, Unit};
use super::source::Span;
use super::syntax::{TypeDecl, TypeExpr, TypeKind};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use takeover_harness::schema::{Kind, Schema, TypeId};

/// Type expressions inside type expressions, through aliases, and constants inside constants.
const MAX_DEPTH: u32 = 200;
/// Length of the name of an unnamed struct.
const MAX_STRUCT_NAME: usize = 200;

/// Where names are looked up: a file of a package, and the arguments of a generic type.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) index: usize,
    pub(super) package: Rc<Package>,
    pub(super) file: usize,
    pub(super) arguments: Rc<HashMap<String, TypeId>>,
}

impl Scope {
    pub(super) fn unit(&self) -> Option<&Unit> {
        self.package.units.get(self.file)
    }
}

/// An unnamed type by its structure.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Unnamed {
    Pointer(TypeId),
    List(TypeId),
    Array(String, TypeId),
    Map(TypeId, TypeId),
}

/// A declaration whose type is named but not yet filled in.
struct Work {
    id: TypeId,
    scope: Scope,
    declaration: usize,
}

/// A field whose presence depends on what its type turns out to be.
#[derive(Clone, Copy)]
pub(super) struct Embedded {
    pub(super) owner: TypeId,
    pub(super) slot: usize,
    /// Whether a field that is no struct has a place in JSON.
    pub(super) exported: bool,
    /// `*T` of an unexported `T` is not decoded.
    pub(super) pointer: bool,
}

/// What has a default marker.
#[derive(Clone, Copy)]
pub(super) enum Marked {
    /// A field of a struct, by its slot.
    Field(TypeId, usize),
    /// A type: the default of the fields of this type that have no marker.
    Type(TypeId),
}

/// A default marker that names a constant.
pub(super) struct DefaultRef {
    pub(super) of: Marked,
    pub(super) scope: Scope,
    pub(super) name: String,
    pub(super) at: Span,
}

/// The graph while it is built.
pub(super) struct Graph<'l> {
    pub(super) packages: Packages<'l>,
    pub(super) schema: Schema,
    pub(super) infos: Vec<TypeInfo>,
    pub(super) diagnostics: Vec<IdlDiagnostic>,
    pub(super) constants: Constants,
    /// Definitions whose right side is a name: the type and the one it is defined over.
    pub(super) over: Vec<(TypeId, TypeId)>,
    pub(super) embedded: Vec<Embedded>,
    pub(super) default_refs: Vec<DefaultRef>,
    /// Defaults of the markers on types.
    pub(super) type_defaults: HashMap<TypeId, serde_json::Value>,
    declared: HashMap<(usize, String), TypeId>,
    instances: HashMap<String, TypeId>,
    aliases: HashMap<(usize, String), TypeId>,
    open_aliases: HashSet<(usize, String)>,
    opaque: HashMap<String, TypeId>,
    builtins: HashMap<String, TypeId>,
    unnamed: HashMap<Unnamed, TypeId>,
    queue: VecDeque<Work>,
    depth: u32,
}

impl<'l> Graph<'l> {
    pub(super) fn new(packages: Packages<'l>) -> Self {
        Self {
            packages,
            schema: Schema::new(),
            infos: Vec::new(),
            diagnostics: Vec::new(),
            constants: Constants::default(),
            over: Vec::new(),
            embedded: Vec::new(),
            default_refs: Vec::new(),
            type_defaults: HashMap::new(),
            declared: HashMap::new(),
            instances: HashMap::new(),
            aliases: HashMap::new(),
            open_aliases: HashSet::new(),
            opaque: HashMap::new(),
            builtins: HashMap::new(),
            unnamed: HashMap::new(),
            queue: VecDeque::new(),
            depth: 0,
        }
    }

    /// Loads a package if it is there, and queues all of its types.
    pub(super) fn package(&mut self, path: &str) -> Option<usize> {
        let (index, fresh) = self.packages.get(path, &mut self.diagnostics)?;
        if fresh {
            let package = Rc::clone(self.packages.loaded.get(index)?);
            for unit in &package.units {
                for decl in unit.syntax.types.iter().filter(|decl| decl.parameters.is_empty()) {
                    self.declare(index, &decl.name);
                }
            }
        }
        Some(index)
    }

    pub(super) fn scope(&self, index: usize, file: usize) -> Option<Scope> {
        let package = Rc::clone(self.packages.loaded.get(index)?);
        Some(Scope { index, package, file, arguments: Rc::default() })
    }

    pub(super) fn fault(&mut self, scope: &Scope, fault: IdlFault, at: Span, message: String) {
        if let Some(unit) = scope.unit() {
            self.diagnostics.push(IdlDiagnostic::at(fault, &unit.source, at, message));
        }
    }

    /// Adds a type with an entry in both tables.
    fn add(&mut self, name: &str, kind: Kind, info: TypeInfo) -> TypeId {
        self.infos.push(info);
        self.schema.add(name, kind)
    }

    fn info(&mut self, id: TypeId) -> Option<&mut TypeInfo> {
        self.infos.get_mut(id.0 as usize)
    }

    /// The entry of a declaration (also of an alias), queued to be filled in.
    fn declare(&mut self, index: usize, name: &str) -> Option<TypeId> {
        if let Some(id) = self.declared.get(&(index, name.to_owned())) {
            return Some(*id);
        }
        let package = Rc::clone(self.packages.loaded.get(index)?);
        let (file, declaration) = *package.types.get(name)?;
        let scope = self.scope(index, file)?;
        let decl = package.units.get(file)?.syntax.types.get(declaration)?;
        let id = self.queue_up(scope, decl, declaration, name);
        self.declared.insert((index, name.to_owned()), id);
        Some(id)
    }

    fn queue_up(&mut self, scope: Scope, decl: &TypeDecl, declaration: usize, go_name: &str) -> TypeId {
        let mut info = TypeInfo {
            go_name: Arc::from(go_name),
            package: Arc::clone(&scope.package.path),
            processed: true,
            exported: exported(&decl.name),
            alias: decl.alias,
            ..TypeInfo::default()
        };
        if let Some(Unit { source, comments, .. }) = scope.unit() {
            let line = source.line(decl.at.start);
            info.tags = comments.closest(source, line);
            info.second_closest = comments.second_closest(source, line);
            info.position = Some(source.position(decl.at.start));
        }
        let name = format!("{}.{go_name}", scope.package.path);
        let tags = info.tags.clone();
        let id = self.add(&name, Kind::Unresolved, info);
        if let Some(default) = self.default(Marked::Type(id), &scope, &tags) {
            self.type_defaults.insert(id, default);
        }
        self.queue.push_back(Work { id, scope, declaration });
        id
    }

    /// Fills in everything that is queued, and what that queues.
    pub(super) fn drain(&mut self) {
        while let Some(Work { id, scope, declaration }) = self.queue.pop_front() {
            let package = Rc::clone(&scope.package);
            let Some(decl) = package.units.get(scope.file).and_then(|unit| unit.syntax.types.get(declaration)) else {
                continue;
            };
            let kind = known::well_known(&package.path, &decl.name).or_else(|| self.definition(id, &scope, decl));
            if let Some(kind) = kind {
                self.schema.define(id, kind);
            }
        }
    }

    /// The shape of a declared type; none if it is settled later.
    fn definition(&mut self, id: TypeId, scope: &Scope, decl: &TypeDecl) -> Option<Kind> {
        if decl.alias {
            return Some(Kind::Named(self.alias(scope, decl)));
        }
        match &decl.ty.kind {
            TypeKind::Struct(fields) => Some(self.structure(id, scope, fields)),
            TypeKind::Opaque | TypeKind::TooDeep => Some(Kind::Any),
            TypeKind::Name { .. } => {
                let target = self.resolve(scope, &decl.ty);
                self.over.push((id, target));
                None
            }
            _ => Some(Kind::Named(self.resolve(scope, &decl.ty))),
        }
    }

    pub(super) fn any(&mut self) -> TypeId {
        self.builtin("any").unwrap_or(TypeId(u32::MAX))
    }

    fn builtin(&mut self, name: &str) -> Option<TypeId> {
        if let Some(id) = self.builtins.get(name) {
            return Some(*id);
        }
        let info = TypeInfo { go_name: Arc::from(name), processed: true, exported: true, ..TypeInfo::default() };
        let id = self.add(name, known::builtin(name)?, info);
        self.builtins.insert(name.to_owned(), id);
        Some(id)
    }

    /// A type of a package that is not there.
    fn opaque(&mut self, path: &str, name: &str) -> TypeId {
        let qualified = format!("{path}.{name}");
        if let Some(id) = self.opaque.get(&qualified) {
            return *id;
        }
        let kind = if qualified == "time.Duration" {
            // Nanoseconds in JSON; the one type of the standard library, which is never at hand, that APIs use as it is.
            self.builtin("int64").map(Kind::Named)
        } else {
            known::well_known(path, name)
        };
        let info = TypeInfo {
            go_name: Arc::from(name),
            package: Arc::from(path),
            exported: exported(name),
            ..TypeInfo::default()
        };
        let id = self.add(&qualified, kind.unwrap_or(Kind::Any), info);
        self.opaque.insert(qualified, id);
        id
    }

    fn unnamed(&mut self, key: Unnamed) -> TypeId {
        if let Some(id) = self.unnamed.get(&key) {
            return *id;
        }
        let name = |id: TypeId| self.schema.get(id).name.as_ref();
        let (name, kind) = match &key {
            Unnamed::Pointer(inner) => (format!("*{}", name(*inner)), Kind::Pointer(*inner)),
            Unnamed::List(inner) => {
                let bytes = ["byte", "uint8"].contains(&name(*inner));
                (format!("[]{}", name(*inner)), if bytes { Kind::Bytes } else { Kind::List(*inner) })
            }
            Unnamed::Array(length, inner) => (format!("[{length}]{}", name(*inner)), Kind::Any),
            Unnamed::Map(key, value) => {
                (format!("map[{}]{}", name(*key), name(*value)), Kind::Map { key: *key, value: *value })
            }
        };
        let id = self.add(&name, kind, TypeInfo { processed: true, ..TypeInfo::default() });
        self.unnamed.insert(key, id);
        id
    }

    /// The type of an expression. Unknown names are diagnostics and give an opaque type.
    pub(super) fn resolve(&mut self, scope: &Scope, expr: &TypeExpr) -> TypeId {
        if self.depth >= MAX_DEPTH {
            let message = format!("types nested deeper than {MAX_DEPTH} are not followed");
            self.fault(scope, IdlFault::TooComplex, expr.span, message);
            return self.any();
        }
        self.depth += 1;
        let id = match &expr.kind {
            TypeKind::Name { package, name, arguments } => {
                self.name(scope, package.as_deref(), name, arguments, expr.span).unwrap_or_else(|message| {
                    self.fault(scope, IdlFault::Undeclared, expr.span, message);
                    self.any()
                })
            }
            TypeKind::Pointer(inner) => {
                let inner = self.resolve(scope, inner);
                self.unnamed(Unnamed::Pointer(inner))
            }
            TypeKind::Slice(inner) => {
                let inner = self.resolve(scope, inner);
                self.unnamed(Unnamed::List(inner))
            }
            TypeKind::Array { length, element } => {
                let element = self.resolve(scope, element);
                let length = scope.unit().map(|unit| unit.source.collapsed(*length)).unwrap_or_default();
                self.unnamed(Unnamed::Array(length, element))
            }
            TypeKind::Map { key, value } => {
                let key = self.resolve(scope, key);
                let value = self.resolve(scope, value);
                self.unnamed(Unnamed::Map(key, value))
            }
            TypeKind::Struct(fields) => {
                let mut name = scope.unit().map(|unit| unit.source.collapsed(expr.span)).unwrap_or_default();
                if name.len() > MAX_STRUCT_NAME {
                    name = "struct { … }".to_owned();
                }
                let info = TypeInfo { processed: true, ..TypeInfo::default() };
                let id = self.add(&name, Kind::Unresolved, info);
                let kind = self.structure(id, scope, fields);
                self.schema.define(id, kind);
                id
            }
            TypeKind::Opaque | TypeKind::TooDeep => self.any(),
        };
        self.depth -= 1;
        id
    }
}

/// Whether a Go name is exported.
pub(super) fn exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
