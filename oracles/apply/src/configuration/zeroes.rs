//! The fields whose zero value is sent although nobody set them, by a client that applies objects of Go types.
//!
//! Go leaves out a field with `omitempty` only if it is an empty scalar, list, map or pointer, and one with `omitzero` always. Every
//! other one is sent, so that the client owns it.

use std::collections::BTreeSet;
use std::fmt;
use takeover_harness::schema::{Field, Kind, Presence, Schema, TypeId, WellKnown};

/// A field that is sent when nobody set it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Zero {
    /// Full name of its struct.
    pub owner: String,
    /// Its JSON name.
    pub field: String,
    /// Its Go type.
    pub go_type: String,
    /// What its type is below names.
    pub of: ZeroOf,
    /// What is sent, as JSON.
    pub sent: &'static str,
    /// Whether it has `omitempty`, which does nothing for its type.
    pub omit_empty: bool,
}

/// Kinds of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ZeroOf {
    /// An integer.
    Integer,
    /// A boolean.
    Boolean,
    /// A float.
    Float,
    /// A string.
    Text,
    /// A struct, or a type that writes itself as a value, such as a quantity.
    Struct,
    /// A time or raw JSON, which write their zero value as null.
    Time,
    /// A list or map.
    Collection,
    /// A pointer or interface.
    Pointer,
}

impl ZeroOf {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Integer,
        Self::Boolean,
        Self::Float,
        Self::Text,
        Self::Struct,
        Self::Time,
        Self::Collection,
        Self::Pointer,
    ];
}

impl fmt::Display for ZeroOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Float => "float",
            Self::Text => "string",
            Self::Struct => "struct",
            Self::Time => "time or raw JSON",
            Self::Collection => "list or map",
            Self::Pointer => "pointer",
        })
    }
}

/// What else stands in the tag of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagOptions {
    /// `omitzero`.
    pub omit_zero: bool,
    /// `string`.
    pub quoted: bool,
}

/// The fields of these types, and of the structs in them, that are sent unset: sorted by struct and name. `options` has the options of
/// the field at a place of a struct.
#[must_use]
pub fn zeroes(types: &Schema, roots: &[TypeId], options: &dyn Fn(TypeId, usize) -> TagOptions) -> Vec<Zero> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<TypeId> = roots.to_vec();
    while let Some(ty) = open.pop() {
        let (id, kind) = types.native(ty);
        match kind {
            Kind::Pointer(inner) | Kind::List(inner) | Kind::Map { value: inner, .. } => open.push(*inner),
            Kind::Struct(fields) if seen.insert(id) => {
                for (at, field) in fields.fields.iter().enumerate() {
                    if field.presence == Presence::Hidden {
                        continue;
                    }
                    open.push(field.ty);
                    let is_named = field.presence == Presence::Named;
                    let TagOptions { omit_zero, quoted } = options(id, at);
                    if let Some((of, sent)) = zero(types, field).filter(|_| is_named && !omit_zero) {
                        let sent = if quoted { in_text(of, sent) } else { sent };
                        let owner = types.get(id).name.to_string();
                        let go_type = types.get(field.ty).name.to_string();
                        let (field, omit_empty) = (field.json_name.to_string(), field.omit_empty);
                        found.push(Zero { owner, field, go_type, of, sent, omit_empty });
                    }
                }
            }
            _ => {}
        }
    }
    found.sort();
    found
}

/// What is sent for the zero value of a field; `None` if nothing is.
fn zero(types: &Schema, field: &Field) -> Option<(ZeroOf, &'static str)> {
    let unless_omitted = |of, sent| (!field.omit_empty).then_some((of, sent));
    match types.native(field.ty).1 {
        Kind::Int { .. } => unless_omitted(ZeroOf::Integer, "0"),
        Kind::Bool => unless_omitted(ZeroOf::Boolean, "false"),
        Kind::Float { .. } => unless_omitted(ZeroOf::Float, "0"),
        Kind::Text => unless_omitted(ZeroOf::Text, "\"\""),
        Kind::List(_) | Kind::Map { .. } | Kind::Bytes => unless_omitted(ZeroOf::Collection, "null"),
        Kind::Pointer(_) | Kind::Any => unless_omitted(ZeroOf::Pointer, "null"),
        Kind::Struct(_) => Some((ZeroOf::Struct, "{}")),
        Kind::WellKnown(WellKnown::Time | WellKnown::MicroTime | WellKnown::Raw) => Some((ZeroOf::Time, "null")),
        Kind::WellKnown(WellKnown::Quantity) => Some((ZeroOf::Struct, "\"0\"")),
        Kind::WellKnown(WellKnown::IntOrString) => Some((ZeroOf::Struct, "0")),
        Kind::WellKnown(WellKnown::Duration) => Some((ZeroOf::Struct, "\"0s\"")),
        Kind::Named(_) | Kind::Unresolved => None,
        _ => None,
    }
}

/// The zero value of a scalar with the option `string`, which changes nothing else.
fn in_text(of: ZeroOf, sent: &'static str) -> &'static str {
    match of {
        ZeroOf::Integer | ZeroOf::Float => "\"0\"",
        ZeroOf::Boolean => "\"false\"",
        ZeroOf::Text => r#""\"\"""#,
        _ => sent,
    }
}

#[cfg(test)]
mod tests {
    use super::{TagOptions, ZeroOf, zeroes};
    use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId, WellKnown};

    #[test]
    fn only_what_go_leaves_out_is_not_sent() {
        let mut types = Schema::new();
        let int = types.add("int32", Kind::Int { bits: 32, signed: true });
        let flag = types.add("bool", Kind::Bool);
        let text = types.add("string", Kind::Text);
        let phase = types.add("v1.Phase", Kind::Named(text));
        let pointer = types.add("*int32", Kind::Pointer(int));
        let texts = types.add("[]string", Kind::List(text));
        let quantity = types.add("resource.Quantity", Kind::WellKnown(WellKnown::Quantity));
        let field = |name: &str, ty: TypeId, omit_empty: bool| Field {
            go_name: name.into(),
            json_name: name.into(),
            ty,
            presence: Presence::Named,
            omit_empty,
            default: None,
        };
        let inner = types.add("v1.Inner", Kind::Struct(Struct::new(vec![field("on", flag, false)])));
        let fields = vec![
            field("port", int, false),
            field("hostPort", int, true),
            field("phase", phase, false),
            field("pointer", pointer, true),
            field("list", texts, false),
            field("inner", inner, true),
            field("zero", inner, true),
            field("size", quantity, true),
            field("inText", int, false),
            field("text", text, false),
        ];
        let root = types.add("v1.Root", Kind::Struct(Struct::new(fields)));
        types.link();
        let found = zeroes(&types, &[root], &|id, at| TagOptions {
            omit_zero: id == root && at == 6,
            quoted: id == root && at >= 7,
        });
        let shown: Vec<(&str, &str, ZeroOf, &str)> =
            found.iter().map(|zero| (&*zero.owner, &*zero.field, zero.of, zero.sent)).collect();
        assert_eq!(
            shown,
            [
                ("v1.Inner", "on", ZeroOf::Boolean, "false"),
                ("v1.Root", "inText", ZeroOf::Integer, "\"0\""),
                ("v1.Root", "inner", ZeroOf::Struct, "{}"),
                ("v1.Root", "list", ZeroOf::Collection, "null"),
                ("v1.Root", "phase", ZeroOf::Text, "\"\""),
                ("v1.Root", "port", ZeroOf::Integer, "0"),
                ("v1.Root", "size", ZeroOf::Struct, "\"0\""),
                ("v1.Root", "text", ZeroOf::Text, r#""\"\"""#),
            ]
        );
    }
}
