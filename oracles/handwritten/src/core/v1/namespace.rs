//! `v1` Namespace, its `/status` and its `/finalize`.

use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_label, dns_label_start, label_key};
use crate::report::text;
use crate::types::core::v1::Namespace;
use std::collections::BTreeMap;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// How namespaces are named.
const NAME: NameRule = NameRule::Plain { name: dns_label, start: dns_label_start };
/// The label by which a namespace is selected by name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";
/// The finalizer of a namespace that has not been emptied.
const FINALIZER: &str = "kubernetes";

/// Judges Namespaces as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct Namespaces;

impl Served for Namespaces {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|namespace| {
        namespace.edit("metadata", label_by_name);
        namespace.edit("status", |status| status.set_default_text("phase", "Active"));
    });
    const PREPARE: Option<Prepare> = Some(|new, old, subresource| match (old, subresource) {
        (None, _) => {
            new.clear("status");
            new.edit("status", |status| status.set("phase", Node::Text("Active")));
            new.edit("spec", add_finalizer);
        }
        (Some(old), "") => ["spec", "status"].into_iter().for_each(|member| new.copy(member, old)),
        (Some(old), "status") => new.copy("spec", old),
        (Some(old), _) => new.copy("status", old),
    });
}

fn label_by_name(meta: &mut Edit<'_>) {
    let name = meta.text("name");
    if !name.is_empty() && meta.get("labels").entry(NAME_LABEL).is_none_or(|label| label.text() != name) {
        let mut labels: BTreeMap<_, _> = meta.get("labels").entries().iter().copied().collect();
        labels.insert(NAME_LABEL, Node::Text(name));
        meta.set("labels", Node::Map(meta.arena().alloc_slice_fill_iter(labels)));
    }
}

/// Nobody makes a namespace that goes before it is emptied.
fn add_finalizer(spec: &mut Edit<'_>) {
    let finalizers = spec.get("finalizers").items();
    if finalizers.iter().all(|finalizer| finalizer.text() != FINALIZER) {
        let all = [finalizers, &[Node::Text(FINALIZER)]].concat();
        spec.set("finalizers", Node::List(spec.arena().alloc_slice_fill_iter(all)));
    }
}

impl Checks for Namespaces {
    type Object<'a> = Namespace<'a>;

    const SCOPE: Scope = Scope::Cluster;
    const SUBRESOURCES: &'static [&'static str] = &["status", "finalize"];

    fn create(new: &Namespace, _: &Request<'_>, errors: &mut ErrorList) {
        validate(new, errors);
    }

    fn update(new: &Namespace, old: &Namespace, request: &Request<'_>, errors: &mut ErrorList) {
        if request.subresource.is_empty() {
            validate(new, errors);
        }
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        match request.subresource {
            "status" => validate_phase(new, errors),
            "finalize" => {
                let spec = Path::ROOT.child("spec");
                let path = spec.child("finalizers");
                for (index, finalizer) in finalizers(new).enumerate() {
                    validate_finalizer(finalizer, &path.index(index), errors);
                }
            }
            _ => {}
        }
    }
}

fn finalizers<'a>(namespace: &Namespace<'a>) -> impl Iterator<Item = &'a str> {
    namespace.spec.into_iter().flat_map(|spec| spec.finalizers.into_iter().flatten()).copied()
}

fn validate(namespace: &Namespace, errors: &mut ErrorList) {
    meta::validate_create(&namespace.metadata, Namespaces::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    let spec = Path::ROOT.child("spec");
    for finalizer in finalizers(namespace) {
        validate_finalizer(finalizer, &spec.child("finalizers"), errors);
    }
}

fn validate_finalizer(finalizer: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in label_key(finalizer) {
        errors.push(FieldError::invalid(path, finalizer, problem));
    }
    meta::validate_finalizer_domain(finalizer, path, errors);
}

/// A namespace terminates when, and only when, it is being deleted.
fn validate_phase(namespace: &Namespace, errors: &mut ErrorList) {
    let (expected, detail) = match namespace.metadata.deletion_timestamp {
        None => ("Active", "may only be 'Active' if `deletionTimestamp` is empty"),
        Some(_) => ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty"),
    };
    let phase = text(namespace.status.and_then(|status| status.phase));
    if phase != expected {
        let status = Path::ROOT.child("status");
        // The path is made from Go's name.
        errors.push(FieldError::invalid(&status.child("Phase"), phase, detail));
    }
}
