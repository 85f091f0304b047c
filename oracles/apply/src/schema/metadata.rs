//! The type of `metadata`, which objects of every kind have (`ObjectMeta` of `k8s.io/apimachinery/pkg/apis/meta/v1`).

use super::graph::{ListKind, MapType, Scalar, Schema, TypeId};
use serde_json::json;

impl Schema {
    /// Adds the type of `metadata` and returns its id.
    pub fn add_metadata(&mut self) -> TypeId {
        let text = self.scalar(Scalar::Text);
        let number = self.scalar(Scalar::Numeric);
        let boolean = self.scalar(Scalar::Boolean);
        let time = self.scalar(Scalar::Untyped);
        let texts = self.map(MapType::of_values(text));
        let names = self.list(text, ListKind::Set);

        let fields = self.map(MapType::of_values(Self::DEDUCED));
        let of_text = |names: &[&'static str]| names.iter().map(|name| (*name, text)).collect::<Vec<_>>();
        let entry_texts = of_text(&["apiVersion", "fieldsType", "manager", "operation", "subresource"]);
        let entry = self.map(MapType::of_fields(entry_texts.into_iter().chain([("fieldsV1", fields), ("time", time)])));
        let entries = self.list(entry, ListKind::Atomic);

        let owner_texts = of_text(&["apiVersion", "kind", "name", "uid"]);
        let flags = [("blockOwnerDeletion", boolean), ("controller", boolean)];
        let mut owner = MapType { atomic: true, ..MapType::of_fields(owner_texts.into_iter().chain(flags)) };
        for (name, field) in &mut owner.fields {
            field.default = (!flags.iter().any(|(flag, _)| flag == name)).then(|| json!(""));
        }
        let owner = self.map(owner);
        let owners = self.list(owner, ListKind::Map(vec!["uid".to_owned()]));

        let own = of_text(&["generateName", "name", "namespace", "resourceVersion", "selfLink", "uid"]);
        self.map(MapType::of_fields(own.into_iter().chain([
            ("annotations", texts),
            ("creationTimestamp", time),
            ("deletionGracePeriodSeconds", number),
            ("deletionTimestamp", time),
            ("finalizers", names),
            ("generation", number),
            ("labels", texts),
            ("managedFields", entries),
            ("ownerReferences", owners),
        ])))
    }
}
