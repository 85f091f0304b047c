//! The webhook configuration that is registered: the shipped manifest, changed so that it is about one check alone.

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use takeover_corpora::load::{Input, Limits, load};
use takeover_reports::cluster::Variant;

/// The manifest that operators apply.
const SHIPPED: &str = include_str!("../../../deploy/base/webhook.yaml");

/// Label of everything that a check creates. Its value begins with the name of the check.
pub(super) const LABEL: &str = "takeover.dev/check-cluster";

/// How long an API server waits for an answer, in seconds: a slow one is not to be missed.
const SECONDS: u64 = 10;

/// The shipped webhook configuration.
pub(super) struct Manifest(Value);

/// A resource of a rule in the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    /// Group; empty for the core group.
    pub(super) group: String,
    /// Version.
    pub(super) version: String,
    /// Plural, with its subresource after `/`.
    pub(super) name: String,
}

impl Resource {
    /// `v1`, `apps/v1`.
    pub(super) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// `apps/v1 deployments/scale`.
    pub(super) fn shown(&self) -> String {
        format!("{} {}", self.api_version(), self.name)
    }
}

impl Manifest {
    /// Reads the shipped one.
    ///
    /// # Errors
    /// Returns an error when it is not YAML: a fault of this program.
    pub(super) fn shipped() -> anyhow::Result<Self> {
        let mut documents =
            load(vec![Input::stream("deploy/base/webhook.yaml", SHIPPED.as_bytes())], Limits::default());
        let first = documents.next().context("the webhook configuration is empty")??;
        Ok(Self(first.value))
    }

    /// The resources that its rules name.
    pub(super) fn resources(&self) -> Vec<Resource> {
        let texts = |rule: &Value, name: &str| {
            let all = rule.get(name).and_then(Value::as_array);
            all.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let rules = self.0.pointer("/webhooks/0/rules").and_then(Value::as_array);
        let mut resources = Vec::new();
        for rule in rules.into_iter().flatten() {
            for group in texts(rule, "apiGroups") {
                for version in texts(rule, "apiVersions") {
                    for name in texts(rule, "resources") {
                        resources.push(Resource { group: group.clone(), version: version.clone(), name });
                    }
                }
            }
        }
        resources
    }

    /// The configuration of one variant for the check of this name: it is called at `url`, whose certificate is of `authority`, and only
    /// for what the check sends.
    pub(super) fn registered(&self, variant: Variant, run: &str, url: &str, authority: &str) -> Value {
        let mut manifest = self.0.clone();
        let mut set = |pointer: &str, name: &str, value: Value| {
            if let Some(members) = manifest.pointer_mut(pointer).and_then(Value::as_object_mut) {
                members.insert(name.to_owned(), value);
            }
        };
        let name = manifest_name(variant, run);
        set("", "metadata", json!({"name": name, "labels": {LABEL: run}}));
        let path = match variant {
            Variant::Mutating => "mutate",
            Variant::Validating => "validate",
        };
        let bundle = STANDARD.encode(authority);
        set("/webhooks/0", "clientConfig", json!({"url": format!("{url}/{path}"), "caBundle": bundle}));
        set("/webhooks/0", "timeoutSeconds", SECONDS.into());
        set("/webhooks/0", "namespaceSelector", json!({"matchLabels": {"kubernetes.io/metadata.name": run}}));
        if variant == Variant::Validating {
            set("", "kind", "ValidatingWebhookConfiguration".into());
        }
        // Objects without a namespace match every selector of namespaces.
        let ours = json!({"name": "of-this-check", "expression": format!(
            "has(request.namespace) && request.namespace != '' || has(object.metadata.labels) && '{LABEL}' in object.metadata.labels \
             && object.metadata.labels['{LABEL}'].startsWith('{run}')"
        )});
        if let Some(conditions) = manifest.pointer_mut("/webhooks/0/matchConditions").and_then(Value::as_array_mut) {
            conditions.push(ours);
        }
        if variant == Variant::Validating
            && let Some(webhook) = manifest.pointer_mut("/webhooks/0").and_then(Value::as_object_mut)
        {
            webhook.remove("reinvocationPolicy");
        }
        manifest
    }
}

/// Name of a configuration. API servers call mutating ones in the order of their names.
fn manifest_name(variant: Variant, run: &str) -> String {
    match variant {
        Variant::Mutating => format!("zz-{run}"),
        Variant::Validating => run.to_owned(),
    }
}

/// Plural of the configurations of a variant.
pub(super) fn plural(variant: Variant) -> &'static str {
    match variant {
        Variant::Mutating => "mutatingwebhookconfigurations",
        Variant::Validating => "validatingwebhookconfigurations",
    }
}

#[cfg(test)]
mod tests {
    use super::{LABEL, Manifest};
    use serde_json::{Value, json};
    use takeover_reports::cluster::Variant;

    #[test]
    fn the_shipped_manifest_is_changed_only_where_it_says_whom_and_what_it_is_about() {
        let shipped = Manifest::shipped().unwrap();
        let changed = ["clientConfig", "timeoutSeconds", "namespaceSelector", "matchConditions"];
        for (variant, kind, removed) in [
            (Variant::Mutating, "MutatingWebhookConfiguration", None),
            (Variant::Validating, "ValidatingWebhookConfiguration", Some("reinvocationPolicy")),
        ] {
            let registered = shipped.registered(variant, "run", "https://10.0.0.1:7", "PEM");
            assert_eq!(registered["kind"], kind);
            let (mut before, mut after): (Value, Value) =
                (shipped.0["webhooks"][0].clone(), registered["webhooks"][0].clone());
            assert_eq!(after["clientConfig"]["caBundle"], "UEVN");
            assert!(after["clientConfig"].get("service").is_none(), "{after}");
            assert_eq!(after["namespaceSelector"], json!({"matchLabels": {"kubernetes.io/metadata.name": "run"}}));
            let conditions = after["matchConditions"].as_array().unwrap();
            assert_eq!(conditions.first(), before["matchConditions"].get(0));
            assert!(conditions[1]["expression"].as_str().unwrap().contains(LABEL), "{after}");
            for name in changed.into_iter().chain(removed) {
                before.as_object_mut().unwrap().remove(name);
                after.as_object_mut().unwrap().remove(name);
            }
            assert_eq!(before, after);
        }
    }

    #[test]
    fn its_resources_are_those_of_its_rules() {
        let all: Vec<String> = Manifest::shipped().unwrap().resources().iter().map(|of| of.shown()).collect();
        for one in ["v1 replicationcontrollers/scale", "apps/v1 deployments/scale", "batch/v1beta1 cronjobs"] {
            assert!(all.iter().any(|known| known == one), "{one} is not in {all:?}");
        }
    }
}
