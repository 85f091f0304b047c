//! What an API server knows of a request when it asks policies.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use takeover_cel::value::User;

/// A request as admission sees it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub operation: String,
    /// The group of kind and resource.
    pub group: String,
    /// Their version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The resource, in the plural.
    pub resource: String,
    /// The subresource, empty for the object itself.
    pub subresource: String,
    /// The name of the object, empty where the server makes one.
    pub name: String,
    /// Its namespace; of a namespace its own name.
    pub namespace: String,
    /// The new object.
    pub object: Option<Value>,
    /// The stored one.
    pub old_object: Option<Value>,
    /// Who asks.
    #[serde(deserialize_with = "user")]
    pub user_info: Requester,
    /// The options of the request, with their kind.
    pub options: Option<Value>,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
}

/// Who asks.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Requester {
    /// The name.
    pub username: String,
    /// The UID.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// What else the authenticator says.
    pub extra: Map<String, Value>,
}

fn user<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Requester, D::Error> {
    Option::<Requester>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A resource with its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// The group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The resource, in the plural.
    pub resource: String,
    /// The kind.
    pub kind: String,
}

impl Request {
    /// The resource of the request.
    #[must_use]
    pub fn resource(&self) -> Resource {
        Resource {
            group: self.group.clone(),
            version: self.version.clone(),
            resource: self.resource.clone(),
            kind: self.kind.clone(),
        }
    }

    /// Whether it is a namespace.
    pub(crate) fn is_namespace(&self) -> bool {
        self.kind == "Namespace" && self.version == "v1" && self.group.is_empty()
    }

    /// Who asks, as authorizers know them.
    pub(crate) fn user(&self) -> User {
        let Requester { username, uid, groups, .. } = &self.user_info;
        User { name: username.clone(), uid: uid.clone(), groups: groups.clone() }
    }

    /// The name in messages of denials.
    pub(crate) fn shown_name(&self) -> &str {
        let of_object = |name: &str| {
            let text = self.object.as_ref()?.pointer(name)?.as_str()?;
            (!text.is_empty()).then_some(text)
        };
        if self.name.is_empty() {
            of_object("/metadata/name").or_else(|| of_object("/metadata/generateName")).unwrap_or("Unknown")
        } else {
            &self.name
        }
    }

    /// The group and resource as messages write them.
    pub(crate) fn qualified_resource(&self) -> String {
        if self.group.is_empty() { self.resource.clone() } else { format!("{}.{}", self.resource, self.group) }
    }

    /// `request` as expressions see it; `kind` and `resource` are those under which it matched. What is empty is missing.
    pub(crate) fn as_value(&self, kind: &Resource, resource: &Resource) -> Value {
        let kind_of = |of: &Resource| json!({"group": of.group, "version": of.version, "kind": of.kind});
        let resource_of = |of: &Resource| json!({"group": of.group, "version": of.version, "resource": of.resource});
        let own = self.resource();
        let Requester { username, uid, groups, extra } = &self.user_info;
        let mut user = Map::new();
        let mut request = Map::new();
        for (into, name, text) in [
            (true, "username", username),
            (true, "uid", uid),
            (false, "subResource", &self.subresource),
            (false, "requestSubResource", &self.subresource),
            (false, "name", &self.name),
            (false, "namespace", &self.namespace),
        ] {
            if !text.is_empty() {
                let members = if into { &mut user } else { &mut request };
                members.insert(name.to_owned(), Value::from(text.as_str()));
            }
        }
        if !groups.is_empty() {
            user.insert("groups".to_owned(), json!(groups));
        }
        if !extra.is_empty() {
            user.insert("extra".to_owned(), Value::Object(extra.clone()));
        }
        for (name, value) in [
            ("uid", Value::from("")),
            ("kind", kind_of(kind)),
            ("resource", resource_of(resource)),
            ("requestKind", kind_of(&own)),
            ("requestResource", resource_of(&own)),
            ("operation", Value::from(self.operation.as_str())),
            ("userInfo", Value::Object(user)),
            ("object", Value::Null),
            ("oldObject", Value::Null),
            ("dryRun", Value::from(self.dry_run)),
            ("options", self.options.clone().unwrap_or_default()),
        ] {
            request.insert(name.to_owned(), value);
        }
        Value::Object(request)
    }
}
