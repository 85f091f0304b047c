//! Object metadata as Go types have it: which members there are, and of which types.

/// A Go type inside of object metadata.
pub(super) enum GoType {
    /// `string`
    Text,
    /// `int64`
    Int,
    /// `bool`
    Flag,
    /// `metav1.Time`
    Time,
    /// `map[string]string`
    Texts,
    /// Any JSON.
    Raw,
    /// A list.
    List {
        /// Its elements.
        of: &'static GoType,
        /// Its name in messages of the decoder.
        name: &'static str,
    },
    /// A struct.
    Struct(&'static GoStruct),
}

/// A Go struct.
pub(super) struct GoStruct {
    /// Its name in messages of the decoder.
    pub(super) name: &'static str,
    /// Its members by their JSON names.
    pub(super) members: &'static [(&'static str, GoType, Written)],
}

/// When a member is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// Unless it is the zero value of its type.
    UnlessZero,
    /// When it was given: the type is a pointer.
    WhenGiven,
    /// Always.
    Always,
}

use GoType::{Flag, Int, List, Raw, Struct, Text, Texts, Time};
use Written::{Always, UnlessZero, WhenGiven};

/// `metav1.ObjectMeta`
pub(super) static OBJECT_META: GoStruct = GoStruct {
    name: "ObjectMeta",
    members: &[
        ("name", Text, UnlessZero),
        ("generateName", Text, UnlessZero),
        ("namespace", Text, UnlessZero),
        ("selfLink", Text, UnlessZero),
        ("uid", Text, UnlessZero),
        ("resourceVersion", Text, UnlessZero),
        ("generation", Int, UnlessZero),
        ("creationTimestamp", Time, UnlessZero),
        ("deletionTimestamp", Time, WhenGiven),
        ("deletionGracePeriodSeconds", Int, WhenGiven),
        ("labels", Texts, UnlessZero),
        ("annotations", Texts, UnlessZero),
        ("ownerReferences", List { of: &Struct(&OWNER_REFERENCE), name: "[]v1.OwnerReference" }, UnlessZero),
        ("finalizers", List { of: &Text, name: "[]string" }, UnlessZero),
        ("managedFields", List { of: &Struct(&MANAGED_FIELDS_ENTRY), name: "[]v1.ManagedFieldsEntry" }, UnlessZero),
    ],
};

static OWNER_REFERENCE: GoStruct = GoStruct {
    name: "OwnerReference",
    members: &[
        ("apiVersion", Text, Always),
        ("kind", Text, Always),
        ("name", Text, Always),
        ("uid", Text, Always),
        ("controller", Flag, WhenGiven),
        ("blockOwnerDeletion", Flag, WhenGiven),
    ],
};

static MANAGED_FIELDS_ENTRY: GoStruct = GoStruct {
    name: "ManagedFieldsEntry",
    members: &[
        ("manager", Text, UnlessZero),
        ("operation", Text, UnlessZero),
        ("apiVersion", Text, UnlessZero),
        ("time", Time, WhenGiven),
        ("fieldsType", Text, UnlessZero),
        ("fieldsV1", Raw, WhenGiven),
        ("subresource", Text, UnlessZero),
    ],
};

impl GoType {
    /// The name of the type in messages of the decoder.
    pub(super) fn name(&self) -> String {
        match self {
            Text => "string".to_owned(),
            Int => "int64".to_owned(),
            Flag => "bool".to_owned(),
            Time => "v1.Time".to_owned(),
            Texts => "map[string]string".to_owned(),
            Raw => "v1.FieldsV1".to_owned(),
            List { name, .. } => (*name).to_owned(),
            Struct(of) => format!("v1.{}", of.name),
        }
    }
}
