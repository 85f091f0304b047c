//! From declarations to types, across packages.

use super::comments::Comments;
use super::constants::Constants;
use super::diagnostic::{IdlDiagnostic, IdlFault};
use super::known;
use super::loader::Packages;
use super::model::{FieldInfo, TypeInfo};
use super::source::{Source, Span};
use super::struct_tag::{self, JsonTag, Lookup};
use super::syntax::{FieldDecl, File, TypeDecl, TypeExpr, TypeKind};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use takeover_harness::schema::{Field, Kind, Presence, Schema, Slot, Struct, TypeId};

/// Type expressions inside type expressions, through aliases, and constants inside constants.
const MAX_DEPTH: u32 = 200;
/// Instances of generic types in one graph.
const MAX_INSTANCES: usize = 10_000;
/// Length of the name of an instance: instantiation in a circle makes ever longer ones.
const MAX_INSTANCE_NAME: usize = 1_000;
/// Length of the name of an unnamed struct.
const MAX_STRUCT_NAME: usize = 200;

/// One file of a package.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) source: Source,
    pub(super) comments: Comments,
    pub(super) syntax: File,
}

/// One package; values of the maps are the index of the file and the index in its list.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) path: Arc<str>,
    pub(super) name: String,
    /// Whether there is more of it elsewhere.
    pub(super) partial: bool,
    pub(super) units: Vec<Unit>,
    pub(super) types: HashMap<String, (usize, usize)>,
    pub(super) constants: HashMap<String, (usize, usize)>,
}

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

/// A default marker that names a constant.
pub(super) struct DefaultRef {
    pub(super) owner: TypeId,
    pub(super) slot: usize,
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
        let id = self.add(&name, Kind::Unresolved, info);
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

    /// The type an alias stands for.
    fn alias(&mut self, scope: &Scope, decl: &TypeDecl) -> TypeId {
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

    /// The type of a name, or why there is none.
    pub(super) fn name(
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
    pub(super) fn import(&mut self, scope: &Scope, qualifier: &str) -> Option<String> {
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

    fn structure(&mut self, id: TypeId, scope: &Scope, declarations: &[FieldDecl]) -> Kind {
        let mut fields = Vec::new();
        let mut infos = Vec::new();
        for decl in declarations {
            let ty = self.resolve(scope, &decl.ty);
            for (name, at) in &decl.names {
                if fields.len() >= usize::from(Slot::MAX) {
                    self.fault(
                        scope,
                        IdlFault::TooComplex,
                        *at,
                        format!("a struct with more than {} fields", Slot::MAX),
                    );
                    break;
                }
                let slot = fields.len();
                let mut field = self.field(scope, decl, name, ty);
                if decl.embedded && field.presence == Presence::Inlined {
                    let pointer = matches!(decl.ty.kind, TypeKind::Pointer(_));
                    self.embedded.push(Embedded { owner: id, slot, exported: exported(name), pointer });
                } else if field.presence == Presence::Inlined {
                    self.embedded.push(Embedded { owner: id, slot, exported: true, pointer: false });
                }
                let Some(Unit { source, comments, .. }) = scope.unit() else { continue };
                let info = FieldInfo {
                    tags: comments.closest(source, source.line(at.start)),
                    exported: exported(name),
                    embedded: decl.embedded,
                    type_expression: Arc::from(source.collapsed(decl.ty.span)),
                    position: source.position(at.start),
                };
                field.default = self.default(id, slot, scope, &info);
                fields.push(field);
                infos.push(info);
            }
        }
        if let Some(info) = self.info(id) {
            info.fields = infos;
        }
        Kind::Struct(Struct::new(fields))
    }

    /// A field without its default. `Inlined` is provisional: whether the type is a struct is known at the end.
    fn field(&mut self, scope: &Scope, decl: &FieldDecl, name: &str, ty: TypeId) -> Field {
        let tag = self.json_tag(scope, decl);
        let presence = if tag.ignored || (!decl.embedded && !exported(name)) {
            Presence::Hidden
        } else if tag.inline || (decl.embedded && tag.name.is_empty()) {
            Presence::Inlined
        } else {
            Presence::Named
        };
        let json_name = match presence {
            Presence::Named if tag.name.is_empty() => name,
            Presence::Named => tag.name.as_str(),
            _ => "",
        };
        Field {
            go_name: Box::from(name),
            json_name: Box::from(json_name),
            ty,
            presence,
            omit_empty: tag.omit,
            default: None,
        }
    }

    fn json_tag(&mut self, scope: &Scope, decl: &FieldDecl) -> JsonTag {
        let (Some(at), Some(unit)) = (decl.tag, scope.unit()) else { return JsonTag::default() };
        let found = super::literal::unquote(unit.source.slice(at)).map(|text| struct_tag::lookup(&text, "json"));
        match found {
            Some(Lookup::Value(value)) => {
                let tag = JsonTag::parse(&value);
                if tag.quoted {
                    let message = "the `string` option of a struct tag is ignored: the value is read unquoted";
                    self.fault(scope, IdlFault::StructTag, at, message.to_owned());
                }
                tag
            }
            Some(Lookup::Absent) => JsonTag::default(),
            Some(Lookup::Malformed) | None => {
                let message =
                    "struct tag is not in the form `key:\"value\" key:\"value\"`, so Go does not see its `json` key";
                self.fault(scope, IdlFault::StructTag, at, message.to_owned());
                JsonTag::default()
            }
        }
    }
}

/// Whether a Go name is exported.
pub(super) fn exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// The package name that an import path suggests: the last part, without a version behind it.
fn guessed_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let name = last.rsplit_once(".v").map_or(last, |(name, _)| name);
    name.strip_prefix("go-").or_else(|| name.strip_suffix("-go")).unwrap_or(name)
}
