//! The unions of Go packages and CRD manifests.

use crate::catalogue::has_go_types;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use takeover_corpora::load::{Input, Limits, load};
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::text::nearest;
use takeover_oracles::registry::{Registry, RegistryError};
use takeover_unions::Union;
use takeover_unions::play::{PlayError, Played};
use takeover_unions::read::{unions_of_go, unions_of_schema};

/// Why nothing was played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkewError {
    /// The path is not there.
    #[error("failed to read `{path}`: {error}")]
    Unreadable {
        /// The path.
        path: String,
        /// Why not.
        error: std::io::Error,
    },
    /// The Go types do not load.
    #[error(transparent)]
    Go(#[from] RegistryError),
    /// `--type` names a type without a union.
    #[error("no union is of `{asked}`: {hint}", hint = hint(.asked, .known))]
    UnknownType {
        /// The name.
        asked: String,
        /// The types that have unions.
        known: BTreeSet<String>,
    },
    /// `--without` names a member that no union has.
    #[error("no union has a member `{asked}`: {hint}", hint = hint(.asked, .known))]
    UnknownMember {
        /// The name.
        asked: String,
        /// The members of the unions.
        known: BTreeSet<String>,
    },
    /// A manifest cannot be read.
    #[error("failed to read manifests: {0}")]
    Manifest(String),
}

/// Most names that an error lists.
const MOST_LISTED: usize = 10;

/// The name that was probably meant, and the known ones.
fn hint(asked: &str, known: &BTreeSet<String>) -> String {
    let meant = nearest(asked, known.iter().map(String::as_str)).map(|name| format!("did you mean `{name}`? "));
    let listed: Vec<String> = known.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    let all = match known.len().saturating_sub(MOST_LISTED) {
        _ if known.is_empty() => "there are no unions".to_owned(),
        0 => format!("there are {}", listed.join(", ")),
        more => format!("there are {} and {more} more", listed.join(", ")),
    };
    meant.unwrap_or_default() + &all
}

/// A union, and where its types are.
pub(super) struct Declared {
    pub(super) union: Union,
    pub(super) faults: Vec<String>,
    body: Body,
}

enum Body {
    Go(Arc<Schema>, TypeId),
    Schema(Value),
}

/// The unions of a place.
pub(super) struct Types {
    pub(super) unions: Vec<Declared>,
    pub(super) left_out: Vec<String>,
}

impl Types {
    /// Reads a folder with Go packages, or a file or folder of CRD manifests.
    pub(super) fn read(place: &Path) -> Result<Self, SkewError> {
        let unreadable = |error| SkewError::Unreadable { path: place.display().to_string(), error };
        std::fs::metadata(place).map_err(unreadable)?;
        if has_go_types(place) { Self::of_go(place) } else { Self::of_manifests(place) }
    }

    fn of_go(place: &Path) -> Result<Self, SkewError> {
        let (idl, packages) = Registry::load_module(place)?;
        let found = unions_of_go(&idl, |path| packages.iter().any(|of| of == path));
        let schema = Arc::new(idl.schema);
        let declared = found.unions.into_iter().map(|of| Declared {
            union: of.union,
            faults: of.faults,
            body: Body::Go(Arc::clone(&schema), of.ty),
        });
        let of_items = found
            .of_items
            .iter()
            .map(|list| format!("{list}: items of a list are its members, and items are data, which no version drops"));
        let left_out = of_items.chain(found.unreadable).collect();
        Ok(Self { unions: declared.collect(), left_out })
    }

    fn of_manifests(place: &Path) -> Result<Self, SkewError> {
        let (mut unions, mut left_out, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        for document in load(vec![Input::named(place)], Limits::default()) {
            let document = document.map_err(|error| SkewError::Manifest(error.to_string()))?;
            if document.kind != "CustomResourceDefinition" {
                continue;
            }
            let known = unions.len();
            for (owner, schema) in versions(&document.value) {
                for of in unions_of_schema(&owner, schema) {
                    let undeclared: Vec<String> = of.undeclared().iter().map(|name| format!("`{name}`")).collect();
                    if !undeclared.is_empty() {
                        let (owner, names) = (&of.union.owner, undeclared.join(", "));
                        left_out.push(format!(
                            "{owner}: the schema keeps {names} without declaring them, as every version does"
                        ));
                        continue;
                    }
                    unions.push(Declared { union: of.union, faults: Vec::new(), body: Body::Schema(of.schema) });
                }
            }
            if unions.len() == known
                && let Err(error) = accepted_kinds_of_crd(&document.value)
            {
                unread.push(format!("{}: {error}", document.provenance));
            }
        }
        if unions.is_empty() && left_out.is_empty() && !unread.is_empty() {
            return Err(SkewError::Manifest(unread.join("; ")));
        }
        left_out.extend(unread);
        Ok(Self { unions, left_out })
    }

    /// The same union in these types: of the same struct, or of one with the same name elsewhere. Of several without a name, the one that
    /// shares most members.
    pub(super) fn counterpart(&self, of: &Declared) -> Option<&Declared> {
        let same_name = || self.unions.iter().filter(|other| other.union.name == of.union.name);
        let own = |other: &&Declared| {
            let members = other.union.members.iter();
            Reverse(members.filter(|member| of.union.member(&member.name).is_some()).count())
        };
        let exact = same_name().filter(|other| other.union.owner == of.union.owner).min_by_key(own);
        exact.or_else(|| same_name().filter(|other| other.place() == of.place()).min_by_key(own))
    }
}

impl Declared {
    /// The union without the member `added` in its older version.
    pub(super) fn played(&self, added: &str) -> Result<Played, PlayError> {
        match &self.body {
            Body::Go(schema, ty) => Played::of_go(schema, *ty, &self.union, added),
            Body::Schema(node) => Played::of_schema(node, &self.union, added),
        }
    }

    /// The name without the package; of a schema the kind and path without the version.
    fn place(&self) -> &str {
        let owner = self.union.owner.as_str();
        match self.body {
            Body::Go(..) => owner.rsplit(['.', '/']).next().unwrap_or(owner),
            Body::Schema(_) => owner.split_once(' ').map_or(owner, |(_, place)| place),
        }
    }

    /// Whether a person means it by this name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let owner = self.union.owner.as_str();
        owner == name || self.place() == name || owner.strip_suffix(name).is_some_and(|rest| rest.ends_with(['.', '/']))
    }
}

/// The schemas of the versions of a CRD, each with version and kind.
fn versions(crd: &Value) -> Vec<(String, &Value)> {
    let text = |pointer: &str| crd.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, kind) = (text("/spec/group"), text("/spec/names/kind"));
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    let of = |version: &'_ Value| version.get("name").and_then(Value::as_str).map(str::to_owned);
    versions
        .filter_map(|version| {
            let schema = version.pointer("/schema/openAPIV3Schema")?;
            Some((format!("{group}/{} {kind}", of(version)?), schema))
        })
        .collect()
}
