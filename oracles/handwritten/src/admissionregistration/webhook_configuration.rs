//! ValidatingWebhookConfiguration and MutatingWebhookConfiguration, which differ in one member of their webhooks.

use super::match_conditions;
use super::webhook::{Tolerated, Webhook, validate_webhook};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::prepare::count;
use crate::types::meta::v1::ObjectMeta;
use crate::types::{Described, view};
use std::collections::BTreeSet;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node, equal};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// How configurations are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

view! {
    /// A configuration of either kind.
    pub struct WebhookConfiguration<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "webhooks" => webhooks: &'a [Webhook<'a>],
    }
}

impl<'a> Described<'a> for WebhookConfiguration<'a> {
    fn metadata(&self) -> &ObjectMeta<'a> {
        &self.metadata
    }
}

/// Judges ValidatingWebhookConfigurations as a Kubernetes 1.36 server does; the checks are those of both kinds.
#[derive(Clone, Copy, Debug)]
pub struct ValidatingWebhookConfigurations;

/// Judges MutatingWebhookConfigurations as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct MutatingWebhookConfigurations;

impl Served for ValidatingWebhookConfigurations {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> =
        Some(|configuration| configuration.edit_each("webhooks", default_webhook));
    const PREPARE: Option<Prepare> = Some(count_changes);
}

impl Served for MutatingWebhookConfigurations {
    type Kind = ValidatingWebhookConfigurations;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|configuration| {
        configuration.edit_each("webhooks", |hook| {
            default_webhook(hook);
            hook.set_default("reinvocationPolicy", Node::Text("Never"));
        });
    });
    const PREPARE: Option<Prepare> = Some(count_changes);
}

fn default_webhook(hook: &mut Edit<'_>) {
    hook.set_default("failurePolicy", Node::Text("Fail"));
    hook.set_default("matchPolicy", Node::Text("Equivalent"));
    for selector in ["namespaceSelector", "objectSelector"] {
        hook.set_default(selector, Edit::empty_struct(true));
    }
    hook.set_default("timeoutSeconds", Node::Int(10));
    hook.edit("clientConfig", |config| {
        config.edit_if_set("service", |service| service.set_default("port", Node::Int(443)));
    });
    hook.edit_each("rules", |rule| rule.set_default("scope", Node::Text("*")));
}

fn count_changes<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, _: &str) {
    let changed = old.is_some_and(|old| !equal(&new.get("webhooks"), &old.get("webhooks")));
    count(new, old, changed);
}

impl Checks for ValidatingWebhookConfigurations {
    type Object<'a> = WebhookConfiguration<'a>;

    const SCOPE: Scope = Scope::Cluster;
    const UNCONDITIONAL_UPDATE: bool = false;

    fn create(new: &WebhookConfiguration, _: &Request<'_>, errors: &mut ErrorList) {
        validate(new, &Tolerated::NOTHING, errors);
    }

    fn update(new: &WebhookConfiguration, old: &WebhookConfiguration, _: &Request<'_>, errors: &mut ErrorList) {
        validate(new, &Tolerated::of(new.webhooks, old.webhooks), errors);
    }

    fn delegated() -> Vec<Delegated> {
        vec![match_conditions::delegated("webhooks[*].matchConditions")]
    }
}

fn validate(configuration: &WebhookConfiguration, tolerated: &Tolerated, errors: &mut ErrorList) {
    let path = Path::ROOT.child("metadata");
    meta::validate_generic_create(&configuration.metadata, Scope::Cluster, NAME, &path, errors);
    let path = Path::ROOT.child("webhooks");
    let mut names = BTreeSet::new();
    for (index, hook) in configuration.webhooks.iter().enumerate() {
        let at = path.index(index);
        validate_webhook(hook, tolerated, &at, errors);
        if !tolerated.names_twice && !hook.name.is_empty() && !names.insert(hook.name) {
            errors.push(FieldError::duplicate(&at.child("name"), hook.name));
        }
    }
}
