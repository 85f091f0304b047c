//! What the Go front end hands to the tag compiler: a linked [`Schema`] and, beside every type, field and constant, the
//! tag lines that belong to it.

use std::sync::Arc;
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// Lists in lists, or maps, that are looked into.
const MOST_NESTED: usize = 16;

/// A place in a source file, 1-based.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file as named when it was loaded.
    pub file: Arc<str>,
    /// Line.
    pub line: u32,
    /// Column in bytes.
    pub column: u32,
}

/// One comment line that starts with `+`, without the `+`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagLine {
    /// The text after the `+`, trailing blanks removed: `k8s:minimum=0`.
    pub text: Arc<str>,
    /// Where the `+` stands.
    pub position: Position,
}

/// Everything that was loaded.
#[derive(Clone, Debug, Default)]
pub struct Idl {
    /// The linked type graph.
    pub schema: Schema,
    /// What the source says about each type; index is the [`TypeId`]. Unnamed types (`[]string`) have an empty entry.
    pub types: Vec<TypeInfo>,
    /// The packages that were loaded, in load order. Types of other packages are opaque ([`TypeInfo::processed`] is false).
    pub packages: Vec<Package>,
}

impl Idl {
    /// What the source says about the field at a place of a struct.
    #[must_use]
    pub fn field(&self, ty: TypeId, at: usize) -> Option<&FieldInfo> {
        self.types.get(ty.0 as usize)?.fields.get(at)
    }

    /// Notes in a graph of these types what the items of lists and the values of maps get where they are null.
    pub fn note_item_defaults(&self, schema: &mut Schema) {
        for (owner, ty) in self.schema.iter() {
            let Kind::Struct(fields) = &ty.kind else { continue };
            for field in fields.fields.iter().filter(|field| field.presence == Presence::Named) {
                let defaults = self.item_defaults_in(field.ty);
                if defaults.iter().any(Option::is_some) {
                    schema.set_item_defaults(owner, &field.json_name, defaults);
                }
            }
        }
    }

    /// The default of what is in a list or map, then of what is in each of those.
    fn item_defaults_in(&self, ty: TypeId) -> Vec<Option<serde_json::Value>> {
        let (mut ty, mut found) = (ty, Vec::new());
        while let Kind::List(item) | Kind::Map { value: item, .. } = self.schema.pointed(ty).1 {
            // A type may contain itself: `type Tree []Tree`.
            if found.len() > MOST_NESTED {
                break;
            }
            found.push(self.types.get(item.0 as usize).and_then(|info| info.item_default.clone()));
            ty = *item;
        }
        found
    }

    /// How many `+kubebuilder:validation` markers stand above types and fields of the packages that `of_interest` chooses. They are not
    /// read: controller-gen makes CRDs from them.
    #[must_use]
    pub fn kubebuilder_validations(&self, of_interest: impl Fn(&str) -> bool) -> usize {
        let own = self.types.iter().filter(|info| of_interest(&info.package));
        let tags = own.flat_map(|info| info.tags.iter().chain(info.fields.iter().flat_map(|field| &field.tags)));
        tags.filter(|tag| tag.text.starts_with("kubebuilder:validation:")).count()
    }
}

/// One loaded package.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// Import path: `k8s.io/api/core/v1`.
    pub path: Arc<str>,
    /// Name in the package clause: `v1`.
    pub name: Arc<str>,
    /// Every tag line of the comments of `doc.go` (all groups), in source order.
    pub doc: Vec<TagLine>,
}

/// What the source says about one type.
#[derive(Clone, Debug, Default)]
pub struct TypeInfo {
    /// Go name without package; empty for unnamed types.
    pub go_name: Arc<str>,
    /// Import path of the defining package; empty for unnamed types and builtins.
    pub package: Arc<str>,
    /// Whether the defining package was loaded. False for types that are opaque because their package is absent.
    pub processed: bool,
    /// Whether the name is exported.
    pub exported: bool,
    /// Tag lines of the comment group directly above the type.
    pub tags: Vec<TagLine>,
    /// Tag lines of the group before that one, separated by a blank line ("second closest"); only
    /// `supportsSubresource`, `isSubresource` and type-level `validation-gen` look at these.
    pub second_closest: Vec<TagLine>,
    /// Fields, parallel to the fields of the struct in the schema (so unexported fields are in both, marked).
    pub fields: Vec<FieldInfo>,
    /// Constants of exactly this type, over all loaded packages, in load order.
    pub constants: Vec<Constant>,
    /// Where the type's name stands; none for unnamed and builtin types.
    pub position: Option<Position>,
    /// The type on the right side of the definition as written, when that is a defined type itself
    /// (`type B A`): needed because a definition over a named type inherits none of its tags.
    pub defined_over: Option<TypeId>,
    /// `type B = A`: a true alias, resolved to `A` everywhere; kept for diagnostics.
    pub alias: bool,
    /// The default that a marker above the type declares.
    pub default: Option<serde_json::Value>,
    /// The default that list items and map values of the type take; set for types of items and values alone.
    pub item_default: Option<serde_json::Value>,
}

/// What the source says about one struct field.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// Tag lines of the comment group directly above the field.
    pub tags: Vec<TagLine>,
    /// Whether the Go name is exported; unexported fields are neither decoded nor validated.
    pub exported: bool,
    /// Whether the field is embedded.
    pub embedded: bool,
    /// The `json` part of the struct tag, as written; empty without one.
    pub json_tag: Arc<str>,
    /// Whether its struct tag has `omitzero`, so that its zero value is not printed whatever its type.
    pub omit_zero: bool,
    /// Whether its struct tag has `string`, so that Go writes a scalar as a text that holds its JSON.
    pub quoted: bool,
    /// The Go type expression as written, for messages and for the path of inlined fields of a root: `metav1.ObjectMeta`.
    pub type_expression: Arc<str>,
    /// Where the field stands.
    pub position: Position,
}

/// A constant of a defined type.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Go name.
    pub name: Arc<str>,
    /// Its value.
    pub value: ConstantValue,
    /// Tag lines of the comment group directly above it.
    pub tags: Vec<TagLine>,
    /// Where it stands.
    pub position: Position,
}

/// The value of a constant, where it is a literal or a conversion of one.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantValue {
    /// A string.
    Text(Arc<str>),
    /// An integer.
    Int(i64),
    /// A bool.
    Bool(bool),
    /// An expression that is not evaluated.
    Other(Arc<str>),
}
