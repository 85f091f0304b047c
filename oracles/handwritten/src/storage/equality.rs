//! When two specs of attachments are equal to Kubernetes.

use k8s_openapi::api::storage::v1::VolumeAttachmentSpec;
use serde_json::Value;
use takeover_harness::object::Quantity;

/// Maps in the inline volume of an attachment; whatever else is an object is a struct.
const MAPS: [&str; 3] = ["capacity", "options", "volumeAttributes"];

/// Whether two specs are equal: no list and an empty one are, and so are maps, and quantities are by number.
pub(super) fn same_spec(new: &VolumeAttachmentSpec, old: &VolumeAttachmentSpec) -> bool {
    new == old || matches!((form(new), form(old)), (Some(new), Some(old)) if new == old)
}

/// The spec without what is empty, numbers for quantities.
fn form(spec: &VolumeAttachmentSpec) -> Option<Value> {
    let mut form = serde_json::to_value(spec).ok()?;
    strip(&mut form);
    Some(form)
}

fn strip(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(members) => {
            members.retain(|name, member| match member {
                Value::Array(items) => !items.is_empty(),
                Value::Object(entries) => !entries.is_empty() || !MAPS.contains(&name.as_str()),
                _ => true,
            });
            for (name, member) in members {
                if name == "capacity" {
                    for quantity in member.as_object_mut().into_iter().flat_map(|quantities| quantities.values_mut()) {
                        number(quantity);
                    }
                } else {
                    strip(member);
                }
            }
        }
        _ => {}
    }
}

fn number(quantity: &mut Value) {
    if let Some(Ok(parsed)) = quantity.as_str().map(|text| Quantity::parse(text, false)) {
        *quantity = parsed.nanos().to_string().into();
    }
}

#[cfg(test)]
mod tests {
    use super::same_spec;
    use serde_json::{Value, json};

    #[test]
    fn empty_lists_and_maps_are_none_and_structs_are_not() {
        let spec = |volume: &Value| {
            serde_json::from_value(json!({"attacher": "a", "source": {"inlineVolumeSpec": volume}, "nodeName": "n"}))
                .unwrap_or_default()
        };
        for (new, old, expected) in [
            (json!({}), json!({"accessModes": []}), true),
            (json!({"capacity": {}}), json!({}), true),
            (json!({"capacity": {"storage": "1Gi"}}), json!({"capacity": {"storage": "1024Mi"}}), true),
            (json!({"capacity": {"storage": "1Gi"}}), json!({"capacity": {"storage": "2Gi"}}), false),
            (
                json!({"csi": {"driver": "d", "volumeHandle": "h"}}),
                json!({"csi": {"driver": "d", "volumeHandle": "h", "volumeAttributes": {}}}),
                true,
            ),
            (json!({"claimRef": {}}), json!({}), false),
            (json!({"accessModes": ["ReadWriteOnce"]}), json!({}), false),
        ] {
            assert_eq!(same_spec(&spec(&new), &spec(&old)), expected, "{new} {old}");
        }
    }
}
