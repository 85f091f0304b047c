//! Types of the API machinery that objects of every kind have.

use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId, WellKnown};

const PACKAGE: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// The types of apiVersion and kind, and of metadata.
#[derive(Clone, Copy)]
pub(super) struct Meta {
    pub(super) text: TypeId,
    pub(super) any: TypeId,
    pub(super) type_meta: TypeId,
    pub(super) object_meta: TypeId,
}

impl Meta {
    /// Adds the types.
    pub(super) fn add_to(schema: &mut Schema) -> Self {
        let text = schema.add("string", Kind::Text);
        let any = schema.add("any", Kind::Any);
        let flag = schema.add("bool", Kind::Bool);
        let optional_flag = schema.add("*bool", Kind::Pointer(flag));
        let integer = schema.add("int64", Kind::Int { bits: 64, signed: true });
        let optional_integer = schema.add("*int64", Kind::Pointer(integer));
        let uid = schema.add("k8s.io/apimachinery/pkg/types.UID", Kind::Named(text));
        let time = schema.add(format!("{PACKAGE}.Time"), Kind::WellKnown(WellKnown::Time));
        let optional_time = schema.add(format!("*{PACKAGE}.Time"), Kind::Pointer(time));
        let raw = schema.add(format!("{PACKAGE}.FieldsV1"), Kind::WellKnown(WellKnown::Raw));
        let optional_raw = schema.add(format!("*{PACKAGE}.FieldsV1"), Kind::Pointer(raw));
        let operation = schema.add(format!("{PACKAGE}.ManagedFieldsOperationType"), Kind::Named(text));
        let texts = schema.add("[]string", Kind::List(text));
        let labels = schema.add("map[string]string", Kind::Map { key: text, value: text });
        let type_meta = [("Kind", "kind", text, true), ("APIVersion", "apiVersion", text, true)];
        let type_meta = structure(schema, "TypeMeta", &type_meta);
        let owner = structure(
            schema,
            "OwnerReference",
            &[
                ("APIVersion", "apiVersion", text, false),
                ("Kind", "kind", text, false),
                ("Name", "name", text, false),
                ("UID", "uid", uid, false),
                ("Controller", "controller", optional_flag, true),
                ("BlockOwnerDeletion", "blockOwnerDeletion", optional_flag, true),
            ],
        );
        let owners = schema.add(format!("[]{PACKAGE}.OwnerReference"), Kind::List(owner));
        let managed = structure(
            schema,
            "ManagedFieldsEntry",
            &[
                ("Manager", "manager", text, true),
                ("Operation", "operation", operation, true),
                ("APIVersion", "apiVersion", text, true),
                ("Time", "time", optional_time, true),
                ("FieldsType", "fieldsType", text, true),
                ("FieldsV1", "fieldsV1", optional_raw, true),
                ("Subresource", "subresource", text, true),
            ],
        );
        let managed = schema.add(format!("[]{PACKAGE}.ManagedFieldsEntry"), Kind::List(managed));
        let object_meta = structure(
            schema,
            "ObjectMeta",
            &[
                ("Name", "name", text, true),
                ("GenerateName", "generateName", text, true),
                ("Namespace", "namespace", text, true),
                ("SelfLink", "selfLink", text, true),
                ("UID", "uid", uid, true),
                ("ResourceVersion", "resourceVersion", text, true),
                ("Generation", "generation", integer, true),
                ("CreationTimestamp", "creationTimestamp", time, true),
                ("DeletionTimestamp", "deletionTimestamp", optional_time, true),
                ("DeletionGracePeriodSeconds", "deletionGracePeriodSeconds", optional_integer, true),
                ("Labels", "labels", labels, true),
                ("Annotations", "annotations", labels, true),
                ("OwnerReferences", "ownerReferences", owners, true),
                ("Finalizers", "finalizers", texts, true),
                ("ManagedFields", "managedFields", managed, true),
            ],
        );
        Self { text, any, type_meta, object_meta }
    }

    /// The members of an object that are not its kind's own: apiVersion and kind, and metadata.
    pub(super) fn fields(self) -> [Field; 2] {
        let type_meta = Field { presence: Presence::Inlined, ..field("TypeMeta", "", self.type_meta, false) };
        [type_meta, field("ObjectMeta", "metadata", self.object_meta, true)]
    }
}

fn structure(schema: &mut Schema, name: &str, fields: &[(&str, &str, TypeId, bool)]) -> TypeId {
    let fields = fields.iter().map(|(go_name, json_name, ty, omit_empty)| field(go_name, json_name, *ty, *omit_empty));
    schema.add(format!("{PACKAGE}.{name}"), Kind::Struct(Struct::new(fields.collect())))
}

/// A field under its own name.
pub(super) fn field(go_name: &str, json_name: &str, ty: TypeId, omit_empty: bool) -> Field {
    Field {
        go_name: go_name.into(),
        json_name: json_name.into(),
        ty,
        presence: Presence::Named,
        omit_empty,
        default: None,
    }
}
