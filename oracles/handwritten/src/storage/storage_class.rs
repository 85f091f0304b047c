//! StorageClass.

use crate::kind::{Checks, Request, Served};
use crate::labels::{Labels, validate_label_key};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, label_key, subdomain_name};
use crate::report::{IMMUTABLE, not_supported, too_long};
use crate::types::core::v1::{TopologySelectorLabelRequirement, TopologySelectorTerm};
use crate::types::storage::v1::StorageClass;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// StorageClasses, of the same shape in every version.
#[derive(Clone, Copy, Debug)]
pub struct StorageClasses;

const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// Most parameters.
const PARAMETERS: usize = 512;
/// Total bytes of keys and values that parameters may have.
const PARAMETER_BYTES: usize = 256 * 1024;

impl Served for StorageClasses {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|class| {
        class.set_default("reclaimPolicy", Node::Text("Delete"));
        class.set_default("volumeBindingMode", Node::Text("Immediate"));
    });
    const FILLED: &'static [&'static str] = &["reclaimPolicy", "volumeBindingMode"];
}

impl Checks for StorageClasses {
    type Object<'a> = StorageClass<'a>;

    const SCOPE: Scope = Scope::Cluster;

    fn create(new: &StorageClass, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_provisioner(new.provisioner, &Path::ROOT.child("provisioner"), errors);
        validate_parameters(new.parameters, &Path::ROOT.child("parameters"), errors);
        if let Some(policy) = new.reclaim_policy.filter(|policy| !policy.is_empty())
            && !matches!(policy, "Delete" | "Retain")
        {
            errors.push(not_supported(&Path::ROOT.child("reclaimPolicy"), policy, &["Delete", "Retain"]));
        }
        let at = Path::ROOT.child("volumeBindingMode");
        match new.volume_binding_mode {
            None => errors.push(FieldError::required(&at, "")),
            Some("Immediate" | "WaitForFirstConsumer") => {}
            Some(mode) => errors.push(not_supported(&at, mode, &["Immediate", "WaitForFirstConsumer"])),
        }
        let terms = new.allowed_topologies.unwrap_or_default();
        validate_topologies(terms, &Path::ROOT.child("allowedTopologies"), errors);
    }

    /// Everything that a new class must be, a changed one must be too.
    fn update(new: &StorageClass, old: &StorageClass, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        let mut immutable = |member: &str, same: bool, value: BadValue| {
            if !same {
                let error = FieldError::invalid(&Path::ROOT.child(member), value, IMMUTABLE);
                errors.push(error.with_origin("immutable").covered());
            }
        };
        let same = new.parameters.unwrap_or_default() == old.parameters.unwrap_or_default();
        immutable("parameters", same, json!(new.parameters).into());
        immutable("provisioner", new.provisioner == old.provisioner, new.provisioner.into());
        immutable("reclaimPolicy", new.reclaim_policy == old.reclaim_policy, new.reclaim_policy.into());
        let same = new.volume_binding_mode == old.volume_binding_mode;
        immutable("volumeBindingMode", same, new.volume_binding_mode.into());
    }
}

/// A label key in upper or lower case; Kubernetes judges and shows it in lower case.
fn validate_provisioner(provisioner: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if provisioner.is_empty() {
        errors.push(FieldError::required(path, "").covered());
        return;
    }
    // Go maps one character to one.
    let lower: String = provisioner.chars().filter_map(|letter| letter.to_lowercase().next()).collect();
    for problem in label_key(&lower) {
        errors.push(FieldError::invalid(path, lower.clone(), problem).with_origin("format=qualified-name"));
    }
}

fn validate_parameters(parameters: Option<Labels>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(parameters) = parameters else { return };
    if parameters.len() > PARAMETERS {
        errors.push(too_long(path, PARAMETERS));
        return;
    }
    if parameters.contains_key("") {
        errors.push(FieldError::invalid(path, "", "field can not be empty."));
    }
    let bytes = parameters.iter().map(|(key, value)| key.len().saturating_add(value.len()));
    if bytes.fold(0, usize::saturating_add) > PARAMETER_BYTES {
        errors.push(too_long(path, PARAMETER_BYTES));
    }
}

/// What a term asks of the labels of a node.
type Term<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn validate_topologies(terms: &[TopologySelectorTerm], path: &Path<'_>, errors: &mut ErrorList) {
    // Kubernetes starts with as many empty terms as there are terms, so that an empty one is a duplicate of each.
    let mut seen = vec![Term::new(); terms.len()];
    for (index, term) in terms.iter().enumerate() {
        let at = path.index(index);
        let at = at.child("matchLabelExpressions");
        let found = validate_term(term, &at, errors);
        for _ in seen.iter().filter(|earlier| **earlier == found) {
            errors.push(FieldError::duplicate(&at, ""));
        }
        seen.push(found);
    }
}

fn validate_term<'a>(term: &'a TopologySelectorTerm, path: &Path<'_>, errors: &mut ErrorList) -> Term<'a> {
    let mut found = Term::new();
    for (index, expression) in term.match_label_expressions.into_iter().flatten().enumerate() {
        let at = path.index(index);
        let values = validate_expression(expression, &at, errors);
        if found.insert(expression.key, values).is_some() {
            errors.push(FieldError::duplicate(&at.child("key"), expression.key));
        }
    }
    found
}

fn validate_expression<'a>(
    expression: &'a TopologySelectorLabelRequirement,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let at = path.child("values");
    if expression.values.is_empty() {
        errors.push(FieldError::required(&at, ""));
    }
    for (index, value) in expression.values.iter().enumerate() {
        if !found.insert(*value) {
            errors.push(FieldError::duplicate(&at.index(index), *value));
        }
    }
    validate_label_key(expression.key, &path.child("key"), errors);
    found
}
