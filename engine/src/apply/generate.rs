//! The apply configurations of kinds.

use crate::catalogue::Types;
use std::path::{Path, PathBuf};
use takeover_apply::configuration::{Configurations, Quoted, Root};
use takeover_apply::schema::{self as merging, of_crd};
use takeover_harness::schema::{Kind, Schema, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::idl::Idl;
use takeover_oracles::merges::Merges;
use takeover_oracles::registry::RegistryError;

/// Why there are no apply configurations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The types cannot be read.
    #[error("failed to read `{place}`: {reason}")]
    Types {
        /// The file or folder.
        place: String,
        /// Why not.
        reason: String,
    },
    /// The Go types do not load.
    #[error("failed to read the Go types of `{place}`: {error}")]
    Go {
        /// The folder.
        place: String,
        /// Why not.
        error: RegistryError,
    },
    /// The place has no Go types, which alone have zero values.
    #[error("`{0}` has no Go types")]
    NoGo(String),
    /// No kind has the name.
    #[error("no kind is named `{name}`; the types declare {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The kinds that there are.
        known: String,
    },
}

/// The apply configurations of the kinds of one version.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Group and version.
    pub api_version: String,
    /// The configurations: of the kinds, and of every struct in them.
    pub configurations: Configurations,
}

impl Generated {
    /// A name for a module or file: `apps_v1`, `shop_example_com_v1`, `v1`.
    #[must_use]
    pub fn module(&self) -> String {
        self.api_version.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
    }
}

/// The types of a place, with the kinds that are wanted.
struct Place {
    types: Types,
    kinds: Vec<SubjectId>,
    /// How objects of each kind merge.
    merging: Vec<Option<(merging::Schema, merging::TypeId)>>,
    /// The scalar fields that Go writes as texts.
    quoted: Quoted,
}

/// The apply configurations of the kinds at `places` (folders of Go packages, CRD manifests, or OpenAPI documents), by version. `named`
/// are names of kinds (`Deployment`, `apps/v1 Deployment`); all kinds if it is empty.
///
/// # Errors
/// Returns an error when types cannot be read, and when no kind has one of the names.
pub fn generate(places: &[PathBuf], named: &[String]) -> Result<Vec<Generated>, ApplyError> {
    let places = places.iter().map(|place| Place::read(place)).collect::<Result<Vec<_>, _>>()?;
    let all = || places.iter().flat_map(|place| &place.kinds);
    for name in named {
        if !all().any(|kind| is_named(kind, name)) {
            let known: Vec<String> = all().map(|kind| format!("`{kind}`")).collect();
            return Err(ApplyError::Unknown { name: name.clone(), known: known.join(", ") });
        }
    }
    let mut versions: Vec<&str> = Vec::new();
    for kind in all().filter(|kind| named.is_empty() || named.iter().any(|name| is_named(kind, name))) {
        if !versions.contains(&kind.api_version.as_str()) {
            versions.push(&kind.api_version);
        }
    }
    versions.sort_unstable();
    let of_version = |version: &&str| {
        let roots: Vec<Root<'_>> = places.iter().flat_map(|place| place.roots(version, named)).collect();
        Generated { api_version: (*version).to_owned(), configurations: Configurations::read(&roots) }
    };
    Ok(versions.iter().map(of_version).collect())
}

fn is_named(kind: &SubjectId, name: &str) -> bool {
    kind.kind == name || kind.to_string() == name
}

/// The scalar fields, and pointers to scalars, with the option `string` in their tag: Go ignores it elsewhere.
fn quoted(idl: &Idl) -> Quoted {
    let is_scalar = |types: &Schema, ty: TypeId| {
        let below = match types.get(ty).kind {
            Kind::Pointer(inner) => inner,
            _ => ty,
        };
        matches!(types.native(below).1, Kind::Bool | Kind::Int { .. } | Kind::Float { .. } | Kind::Text)
    };
    let mut found = Quoted::new();
    for (id, ty) in idl.schema.iter() {
        let Kind::Struct(fields) = &ty.kind else { continue };
        let with_option = fields.fields.iter().enumerate().filter(|(at, field)| {
            idl.field(id, *at).is_some_and(|info| info.quoted) && is_scalar(&idl.schema, field.ty)
        });
        found.extend(with_option.map(|(at, _)| (id, at)));
    }
    found
}

impl Place {
    fn read(place: &Path) -> Result<Self, ApplyError> {
        let unread = |reason| ApplyError::Types { place: place.display().to_string(), reason };
        let types = Types::read(place).map_err(unread)?;
        let mut kinds = match &types {
            Types::Go(registry) => {
                let kinds = registry.applicable(registry.kinds());
                kinds.map(|kind| SubjectId::new(&kind.api_version, &kind.kind)).collect()
            }
            Types::Custom(_) => types.subjects(),
        };
        kinds.sort();
        let merging = match &types {
            Types::Go(registry) => {
                let merges = Merges::of(registry.idl());
                let root = |kind: &SubjectId| registry.root(&kind.api_version, &kind.kind);
                kinds.iter().map(|kind| Some(merges.graph(registry.schema(), root(kind)?))).collect()
            }
            Types::Custom(_) => kinds
                .iter()
                .map(|kind| match types.custom(kind).map(|kind| &kind.written) {
                    Some(written) if !written.is_null() => {
                        of_crd(written).map(Some).map_err(|error| unread(format!("{kind}: {error}")))
                    }
                    _ => Ok(None),
                })
                .collect::<Result<_, _>>()?,
        };
        let quoted = match &types {
            Types::Go(registry) => quoted(registry.idl()),
            Types::Custom(_) => Quoted::new(),
        };
        Ok(Self { types, kinds, merging, quoted })
    }

    fn roots<'p>(&'p self, version: &'p str, named: &'p [String]) -> impl Iterator<Item = Root<'p>> {
        let wanted = move |kind: &SubjectId| {
            kind.api_version == version && (named.is_empty() || named.iter().any(|name| is_named(kind, name)))
        };
        let kinds = self.kinds.iter().zip(&self.merging).filter(move |(kind, _)| wanted(kind));
        kinds.filter_map(|(kind, merging)| {
            let (types, ty) = match &self.types {
                Types::Go(registry) => (&**registry.schema(), registry.root(&kind.api_version, &kind.kind)?),
                Types::Custom(_) => self.types.custom(kind).map(|kind| (&*kind.schema, kind.root))?,
            };
            let merging = merging.as_ref().map(|(schema, root)| (schema, *root));
            Some(Root {
                api_version: kind.api_version.clone(),
                kind: kind.kind.clone(),
                types,
                ty,
                merging,
                quoted: Some(&self.quoted),
            })
        })
    }
}
