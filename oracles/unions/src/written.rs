//! Unions as extensions of OpenAPI documents.

use crate::union::Union;
use serde_json::{Map, Value, json};

/// The extension `x-kubernetes-unions` at the property of the discriminator, as KEP-1027 defines it: every value of the discriminator, and
/// the member that it selects or null. `None` without discriminator.
#[must_use]
pub fn written(union: &Union) -> Option<Value> {
    let discriminator = union.discriminator.as_ref()?;
    let mut members = Map::new();
    for value in &discriminator.values {
        let member = union.members.iter().find(|member| member.value == *value);
        let member = member.map(|member| json!({"name": member.name, "optional": member.optional}));
        members.insert(value.clone(), member.unwrap_or(Value::Null));
    }
    Some(json!({"fieldMembers": members}))
}

/// One entry of the extension of the same name that Kubernetes publishes at structs today: the discriminator, if there is one, and by
/// JSON name of each member the value that selects it.
#[must_use]
pub fn fields_extension(union: &Union) -> Value {
    let fields = union.members.iter().map(|member| (member.name.clone(), Value::from(member.value.as_str())));
    let fields: Map<String, Value> = fields.collect();
    match &union.discriminator {
        Some(discriminator) => json!({"discriminator": discriminator.name, "fields-to-discriminateBy": fields}),
        None => json!({"fields-to-discriminateBy": fields}),
    }
}
