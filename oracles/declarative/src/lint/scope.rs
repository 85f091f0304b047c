//! Which types are under lint, and which of them validation comes to.

use crate::grammar;
use crate::idl::{Idl, Package, TagLine, TypeInfo};
use crate::tags;
use std::collections::{BTreeSet, HashSet};
use takeover_harness::schema::{Field, Kind, TypeId};

/// Types under lint.
pub(super) struct Scope<'i> {
    idl: &'i Idl,
    /// Import paths of the packages under lint.
    asked: HashSet<&'i str>,
    /// Packages that say they are not to be linted.
    quiet: HashSet<&'i str>,
    /// Types that validation comes to, in whatever package.
    pub(super) reached: BTreeSet<TypeId>,
    /// Types under lint.
    pub(super) linted: BTreeSet<TypeId>,
}

/// Marker that takes a package or type out of lint.
const NOLINT: &str = "k8s:validation-gen-nolint";

/// Packages that `packages` stand for, by `+k8s:validation-gen-input`, and that are not among them.
pub(super) fn inputs(idl: &Idl, packages: &[String]) -> Vec<String> {
    let asked = idl.packages.iter().filter(|package| packages.iter().any(|path| **path == *package.path));
    let named: BTreeSet<&str> = asked.flat_map(|package| values(&package.doc, "k8s:validation-gen-input=")).collect();
    named.into_iter().filter(|input| !packages.iter().any(|path| path == input)).map(str::to_owned).collect()
}

/// The values of a marker.
fn values<'i>(doc: &'i [TagLine], marker: &'static str) -> impl Iterator<Item = &'i str> {
    doc.iter().filter_map(move |line| line.text.strip_prefix(marker)).map(str::trim)
}

impl<'i> Scope<'i> {
    /// What of `packages` is under lint.
    pub(super) fn new(idl: &'i Idl, packages: &[String]) -> Self {
        let is_quiet = |package: &&Package| package.doc.iter().any(|line| grammar::name_of(&line.text) == NOLINT);
        let is_asked = |package: &&Package| packages.iter().any(|path| **path == *package.path);
        let path = |package: &'i Package| package.path.as_ref();
        let mut scope = Self {
            idl,
            asked: idl.packages.iter().filter(is_asked).map(path).collect(),
            quiet: idl.packages.iter().filter(is_quiet).map(path).collect(),
            reached: BTreeSet::new(),
            linted: BTreeSet::new(),
        };
        let roots: Vec<TypeId> =
            idl.packages.iter().filter(is_asked).flat_map(|package| scope.roots(package)).collect();
        scope.reached = scope.walk(roots);
        let types = || idl.schema.iter().filter_map(|(ty, _)| Some((ty, idl.types.get(ty.0 as usize)?)));
        let silenced = types().filter(|(_, info)| scope.is_silenced(info));
        let below_silenced = scope.walk(silenced.flat_map(|(ty, _)| below(idl, ty)).collect());
        scope.linted = types()
            .filter(|(_, info)| scope.asked.contains(info.package.as_ref()) && !info.alias && !scope.is_silenced(info))
            .map(|(ty, info)| (ty, info.exported && !below_silenced.contains(&ty)))
            .filter(|(ty, by_itself)| *by_itself || scope.reached.contains(ty))
            .map(|(ty, _)| ty)
            .collect();
        scope
    }

    /// Types under lint whose tags are compiled: those that validation comes to, and those of packages with tags.
    pub(super) fn compiled(&self) -> impl Iterator<Item = TypeId> {
        let tagged: HashSet<&str> = self
            .linted
            .iter()
            .filter_map(|ty| self.idl.types.get(ty.0 as usize))
            .filter(|info| has_tags(info))
            .map(|info| info.package.as_ref())
            .collect();
        self.linted.iter().copied().filter(move |ty| {
            let info = self.idl.types.get(ty.0 as usize);
            self.reached.contains(ty) || info.is_some_and(|info| tagged.contains(info.package.as_ref()))
        })
    }

    /// The types of a package that validation starts with.
    fn roots(&self, package: &Package) -> Vec<TypeId> {
        let naming = self.idl.packages.iter().filter(|other| {
            self.asked.contains(other.path.as_ref())
                && values(&other.doc, "k8s:validation-gen-input=").any(|input| *input == *package.path)
        });
        let mut filters: Vec<&str> = values(&package.doc, "k8s:validation-gen=").collect();
        filters.extend(naming.flat_map(|other| values(&other.doc, "k8s:validation-gen=")));
        let filter = Filter(filters);
        let declared: Vec<(TypeId, &TypeInfo)> = self
            .idl
            .schema
            .iter()
            .filter_map(|(ty, _)| Some((ty, self.idl.types.get(ty.0 as usize)?)))
            .filter(|(_, info)| info.package == package.path && info.exported && !info.alias)
            .collect();
        // Nobody validates a package without tags that does not ask for it, whatever its types are made of.
        if filter.0.is_empty() && !self.has_tags_below(declared.iter().map(|(ty, _)| *ty).collect()) {
            return Vec::new();
        }
        let has = |ty, name: &str| members(self.idl, ty).iter().any(|field| *field.go_name == *name);
        let is_kind = |ty| has(ty, "TypeMeta") && !has(ty, "ListMeta");
        // A package of types that others use: each of them may be what they start with.
        let library = filter.0.is_empty() && !declared.iter().any(|(ty, _)| is_kind(*ty));
        let selected = declared.into_iter().filter(|(ty, info)| match filter.switch(info) {
            Some(switch) => switch,
            None => {
                !has(*ty, "ListMeta")
                    && (library || (is_kind(*ty) && !filter.is_off()) || filter.selects(self.idl, *ty, info))
            }
        });
        selected.map(|(ty, _)| ty).collect()
    }

    /// Types at and below `open`, without those that are silenced and what is reached through them alone.
    fn walk(&self, mut open: Vec<TypeId>) -> BTreeSet<TypeId> {
        let mut seen = BTreeSet::new();
        while let Some(ty) = open.pop() {
            let named = self.idl.types.get(ty.0 as usize).filter(|info| !info.go_name.is_empty());
            let closed = named.is_some_and(|info| !info.processed || self.is_silenced(info));
            if !closed && seen.insert(ty) {
                open.extend(below(self.idl, ty));
            }
        }
        seen
    }

    /// Whether a type at or below `open` has a registered tag.
    fn has_tags_below(&self, open: Vec<TypeId>) -> bool {
        self.walk(open).iter().filter_map(|ty| self.idl.types.get(ty.0 as usize)).any(has_tags)
    }

    fn is_silenced(&self, info: &TypeInfo) -> bool {
        self.quiet.contains(info.package.as_ref())
            || info.tags.iter().any(|line| grammar::name_of(&line.text) == NOLINT)
    }
}

/// Whether the type, a field or a constant of it has a registered tag.
fn has_tags(info: &TypeInfo) -> bool {
    let fields = info.fields.iter().flat_map(|field| &field.tags);
    let constants = info.constants.iter().flat_map(|constant| &constant.tags);
    let mut lines = info.tags.iter().chain(fields).chain(constants);
    lines.any(|line| tags::lookup(grammar::name_of(&line.text)).is_some())
}

fn members(idl: &Idl, ty: TypeId) -> &[Field] {
    match idl.schema.kind(ty) {
        Kind::Struct(fields) => &fields.fields,
        _ => &[],
    }
}

/// The types that a type refers to directly.
fn below(idl: &Idl, ty: TypeId) -> Vec<TypeId> {
    match idl.schema.kind(ty) {
        Kind::Pointer(inner) | Kind::List(inner) | Kind::Named(inner) => vec![*inner],
        Kind::Map { key, value } => vec![*key, *value],
        Kind::Struct(fields) => {
            let infos = idl.types.get(ty.0 as usize).map(|info| info.fields.as_slice()).unwrap_or_default();
            let exported = fields.fields.iter().zip(infos).filter(|(_, info)| info.exported);
            exported.map(|(field, _)| field.ty).collect()
        }
        _ => Vec::new(),
    }
}

/// What the `+k8s:validation-gen=…` markers for a package say.
struct Filter<'i>(Vec<&'i str>);

impl Filter<'_> {
    /// Whether the package is not validated at all.
    fn is_off(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|value| *value == "false")
    }

    /// What a type says itself.
    fn switch(&self, info: &TypeInfo) -> Option<bool> {
        let mut own =
            values(&info.tags, "k8s:validation-gen=").chain(values(&info.second_closest, "k8s:validation-gen="));
        match own.next() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        }
    }

    fn selects(&self, idl: &Idl, ty: TypeId, info: &TypeInfo) -> bool {
        self.0.iter().any(|value| match value.split_once('=') {
            Some(("TypesWithField", name)) => members(idl, ty).iter().any(|field| *field.go_name == *name),
            Some(("TypesWithSuffix", suffix)) => info.go_name.ends_with(suffix),
            _ => *value == "*",
        })
    }
}
