//! Object metadata on create and update, as Kubernetes 1.36 checks it for every kind.

use super::labels::{validate_annotations, validate_labels};
use super::names::{Problems, cut, dns_label, label_key, path_segment, path_segment_part};
use super::report::{Covered, IMMUTABLE, internal, non_negative, text, too_long};
use super::time;
use crate::types::Time;
use crate::types::meta::v1::{ManagedFieldsEntry, ObjectMeta, OwnerReference};
use serde_json::Value;
use std::cell::LazyCell;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Longest name of a field manager.
const MANAGER_LIMIT: usize = 128;
/// Longest subresource of a managed-fields entry.
const SUBRESOURCE_LIMIT: usize = 256;
/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Whether objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `metadata.namespace` is required.
    Namespaced,
    /// `metadata.namespace` is forbidden.
    Cluster,
}

/// How a kind's name is checked on create.
#[derive(Clone, Copy, Debug)]
pub enum NameRule {
    /// Name and generateName.
    Plain {
        /// Check of `metadata.name`.
        name: fn(&str) -> Problems,
        /// Check of `metadata.generateName`, to which more will be added.
        start: fn(&str) -> Problems,
    },
    /// The name alone, because a declarative rule of this origin checks it too. An object that still lacks its generated
    /// name is the server's fault.
    Migrated {
        /// Check of `metadata.name`.
        name: fn(&str) -> Problems,
        /// Origin of the errors, which are marked as covered.
        origin: &'static str,
    },
}

/// Checks the metadata of a new object of a kind of the built-in groups.
pub fn validate_create(meta: &ObjectMeta, scope: Scope, name: NameRule, path: &Path<'_>, errors: &mut ErrorList) {
    validate_any_create(meta, scope, name, path, errors);
    validate_finalizer_names(meta, path, errors);
}

/// Checks the metadata of a new object of a kind whose group leaves finalizers to the common checks.
pub fn validate_generic_create(
    meta: &ObjectMeta,
    scope: Scope,
    name: NameRule,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_any_create(meta, scope, name, path, errors);
}

/// Checks the metadata of a changed object of a kind of the built-in groups.
pub fn validate_update(new: &ObjectMeta, old: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    validate_any_update(new, old, path, errors);
    validate_finalizer_names(new, path, errors);
}

/// The metadata checks that a server adds on create when the kind's own checks found nothing.
pub fn validate_common_create(meta: &ObjectMeta, scope: Scope, path: &Path<'_>, errors: &mut ErrorList) {
    validate_any_create(meta, scope, NameRule::Plain { name: path_segment, start: path_segment_part }, path, errors);
}

/// The metadata checks that a server runs on update before the kind's own checks: those of a new object, and those of a
/// changed one.
pub fn validate_common_update(
    new: &ObjectMeta,
    old: &ObjectMeta,
    scope: Scope,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_common_create(new, scope, path, errors);
    validate_any_update(new, old, path, errors);
}

/// Checks the metadata of a new object as the few kinds of the built-in groups do that do not look at the names of finalizers.
pub fn validate_any_create(meta: &ObjectMeta, scope: Scope, rule: NameRule, path: &Path<'_>, errors: &mut ErrorList) {
    validate_name(meta, rule, path, errors);
    validate_namespace(text(meta.namespace), scope, &path.child("namespace"), errors);
    non_negative(meta.generation.unwrap_or(0), &path.child("generation"), Covered::No, errors);
    validate_labels(meta.labels.as_ref(), &path.child("labels"), errors);
    validate_annotations(meta.annotations.as_ref(), &path.child("annotations"), errors);
    validate_owner_references(owners(meta), &path.child("ownerReferences"), errors);
    validate_finalizers(meta.finalizers.unwrap_or_default(), &path.child("finalizers"), errors);
    validate_managed_fields(meta.managed_fields.unwrap_or_default(), &path.child("managedFields"), errors);
}

/// Whether a `resourceVersion` says what an update is based on: zero and nothing are the same.
#[must_use]
pub fn has_version(version: &str) -> bool {
    version.bytes().any(|digit| digit != b'0')
}

/// Checks the metadata of a changed object, as [`validate_any_create`] that of a new one.
pub fn validate_any_update(new: &ObjectMeta, old: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    if old.deletion_timestamp.is_some() {
        validate_no_new_finalizers(new, old, &path.child("finalizers"), errors);
    }
    if text(new.resource_version).is_empty() {
        errors.push(FieldError::invalid(&path.child("resourceVersion"), "", "must be specified for an update"));
    }
    let (generation, before) = (new.generation.unwrap_or(0), old.generation.unwrap_or(0));
    if generation < before {
        errors.push(FieldError::invalid(&path.child("generation"), generation, "must not be decremented"));
    }
    immutable_text(new.name, old.name, &path.child("name"), errors);
    immutable_text(new.namespace, old.namespace, &path.child("namespace"), errors);
    immutable_text(new.uid, old.uid, &path.child("uid"), errors);
    immutable_time(new.creation_timestamp, old.creation_timestamp, &path.child("creationTimestamp"), errors);
    immutable_time(new.deletion_timestamp, old.deletion_timestamp, &path.child("deletionTimestamp"), errors);
    if new.deletion_grace_period_seconds != old.deletion_grace_period_seconds {
        let value = new.deletion_grace_period_seconds.map_or(BadValue::Null, BadValue::from);
        errors.push(FieldError::invalid(&path.child("deletionGracePeriodSeconds"), value, IMMUTABLE));
    }
    validate_labels(new.labels.as_ref(), &path.child("labels"), errors);
    validate_annotations(new.annotations.as_ref(), &path.child("annotations"), errors);
    validate_owner_references(owners(new), &path.child("ownerReferences"), errors);
    validate_managed_fields(new.managed_fields.unwrap_or_default(), &path.child("managedFields"), errors);
}

fn validate_name(meta: &ObjectMeta, rule: NameRule, path: &Path<'_>, errors: &mut ErrorList) {
    let (name, start) = (text(meta.name), text(meta.generate_name));
    let at = path.child("name");
    match rule {
        NameRule::Plain { start: check, .. } if !start.is_empty() => {
            for problem in check(start) {
                errors.push(FieldError::invalid(&path.child("generateName"), start, problem));
            }
        }
        NameRule::Migrated { .. } if !start.is_empty() && name.is_empty() => {
            let start = BadValue::from(start);
            let detail = format!("generateName was specified ({start}), but no name was generated");
            errors.push(internal(&at, detail));
        }
        _ => {}
    }
    if name.is_empty() {
        errors.push(FieldError::required(&at, "name or generateName is required"));
        return;
    }
    match rule {
        NameRule::Plain { name: check, .. } => {
            for problem in check(name) {
                errors.push(FieldError::invalid(&at, name, problem));
            }
        }
        NameRule::Migrated { name: check, origin } => {
            for problem in check(name) {
                errors.push(FieldError::invalid(&at, name, problem).with_origin(origin).covered());
            }
        }
    }
}

fn validate_namespace(namespace: &str, scope: Scope, path: &Path<'_>, errors: &mut ErrorList) {
    match scope {
        Scope::Namespaced if namespace.is_empty() => errors.push(FieldError::required(path, "")),
        Scope::Namespaced => {
            for problem in dns_label(namespace) {
                errors.push(FieldError::invalid(path, namespace, problem));
            }
        }
        Scope::Cluster if namespace.is_empty() => {}
        Scope::Cluster => errors.push(FieldError::forbidden(path, "not allowed on this type")),
    }
}

fn owners<'a>(meta: &ObjectMeta<'a>) -> &'a [OwnerReference<'a>] {
    meta.owner_references.unwrap_or_default()
}

/// Errors name the member but not the index of the reference, as in Kubernetes 1.36.
fn validate_owner_references(references: &[OwnerReference], path: &Path<'_>, errors: &mut ErrorList) {
    let mut controller: Option<&OwnerReference> = None;
    // Each error shows all of them.
    let shown = LazyCell::new(|| owner_form(references));
    for reference in references {
        validate_owner_reference(reference, path, errors);
        if reference.controller != Some(true) {
            continue;
        }
        match controller {
            None => controller = Some(reference),
            Some(first) => {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {}/{} and {}/{}",
                    first.kind, first.name, reference.kind, reference.name
                );
                errors.push(FieldError::invalid(path, shown.clone(), detail));
            }
        }
    }
}

/// References as Go prints them: members in Go's order.
fn owner_form(references: &[OwnerReference]) -> BadValue {
    let member = |reference: &OwnerReference| {
        let mut form = serde_json::Map::new();
        let texts = [
            ("apiVersion", reference.api_version),
            ("kind", reference.kind),
            ("name", reference.name),
            ("uid", reference.uid),
        ];
        form.extend(texts.map(|(name, text)| (name.to_owned(), Value::String(text.to_owned()))));
        let flags = [("controller", reference.controller), ("blockOwnerDeletion", reference.block_owner_deletion)];
        form.extend(flags.iter().filter_map(|(name, flag)| flag.map(|flag| ((*name).to_owned(), Value::Bool(flag)))));
        Value::Object(form)
    };
    BadValue::json(references.iter().map(member).collect())
}

fn validate_owner_reference(reference: &OwnerReference, path: &Path<'_>, errors: &mut ErrorList) {
    let version = parse_group_version(reference.api_version);
    if version.is_none_or(|(_, version)| version.is_empty()) {
        let error = FieldError::invalid(&path.child("apiVersion"), reference.api_version, "version must not be empty");
        errors.push(error);
    }
    for (value, member) in [(reference.kind, "kind"), (reference.name, "name"), (reference.uid, "uid")] {
        if value.is_empty() {
            errors.push(FieldError::invalid(&path.child(member), value, "must not be empty"));
        }
    }
    if version == Some(("", "v1")) && reference.kind == "Event" {
        let error = FieldError::invalid(path, json(reference), "/v1, Kind=Event is disallowed from being an owner");
        errors.push(error);
    }
}

/// Group and version of `group/version` or `version`; none when there are more parts. `""` and `/` have neither.
#[must_use]
pub fn parse_group_version(api_version: &str) -> Option<(&str, &str)> {
    match cut(api_version, b'/') {
        None => Some(("", api_version)),
        Some(("", "")) => Some(("", "")),
        Some((_, version)) if cut(version, b'/').is_some() => None,
        Some(pair) => Some(pair),
    }
}

/// The syntax of finalizers, reported at the list; on create only.
fn validate_finalizers(finalizers: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    for finalizer in finalizers {
        for problem in label_key(finalizer) {
            errors.push(FieldError::invalid(path, *finalizer, problem));
        }
    }
    let has = |name: &str| finalizers.contains(&name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid(path, json(finalizers), detail));
    }
}

/// Finalizers of the built-in kinds: a standard one or one with a domain; reported at the element.
fn validate_finalizer_names(meta: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, finalizer) in meta.finalizers.into_iter().flatten().enumerate() {
        validate_finalizer_domain(finalizer, &path.child("finalizers").index(index), errors);
    }
}

/// Checks that a finalizer is a standard one or has a domain.
pub fn validate_finalizer_domain(finalizer: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        errors.push(FieldError::invalid(path, finalizer, detail));
    }
}

fn validate_no_new_finalizers(new: &ObjectMeta, old: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    let known = old.finalizers.unwrap_or_default();
    let added = || new.finalizers.into_iter().flatten().filter(|finalizer| !known.contains(finalizer));
    if added().next().is_none() {
        return;
    }
    let mut names: Vec<&str> = added().copied().collect();
    names.sort_unstable();
    names.dedup();
    let quoted: Vec<String> = names.into_iter().map(|name| BadValue::from(name).to_string()).collect();
    let detail = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        quoted.join(", ")
    );
    errors.push(FieldError::forbidden(path, detail));
}

fn validate_managed_fields(entries: &[ManagedFieldsEntry], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, entry) in entries.iter().enumerate() {
        let at = path.index(index);
        let operation = text(entry.operation);
        if !matches!(operation, "Apply" | "Update") {
            errors.push(FieldError::invalid(&at.child("operation"), operation, "must be `Apply` or `Update`"));
        }
        let fields_type = text(entry.fields_type);
        if !matches!(fields_type, "" | "FieldsV1") {
            errors.push(FieldError::invalid(&at.child("fieldsType"), fields_type, "must be `FieldsV1`"));
        }
        validate_field_manager(text(entry.manager), &at.child("manager"), errors);
        if text(entry.subresource).len() > SUBRESOURCE_LIMIT {
            errors.push(too_long(&at.child("subresource"), SUBRESOURCE_LIMIT));
        }
    }
}

fn validate_field_manager(manager: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if manager.len() > MANAGER_LIMIT {
        errors.push(too_long(path, MANAGER_LIMIT));
    }
    for (at, c) in manager.char_indices() {
        if !is_print(c) {
            let detail = format!("invalid character U+{:04X} (at position {at})", u32::from(c));
            errors.push(FieldError::invalid(path, manager, detail));
        }
    }
}

/// Whether Go's `unicode.IsPrint` takes the character: the plain space is its only space. Unassigned code points count as
/// printable here, which Go decides by the Unicode version it was built with.
fn is_print(c: char) -> bool {
    let format = matches!(
        u32::from(c),
        0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff
            | 0xfff0..=0xfffb | 0xfffe..=0xffff | 0xe000..=0xf8ff | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff
            | 0xf_0000..=0x10_ffff
    );
    c == ' ' || !(format || c.is_control() || c.is_whitespace())
}

fn immutable_text(new: Option<&str>, old: Option<&str>, path: &Path<'_>, errors: &mut ErrorList) {
    let (new, old) = (text(new), text(old));
    // Comparing two empty texts calls `memcmp` on dangling pointers, which takes tens of nanoseconds.
    if !(new.is_empty() && old.is_empty()) && new != old {
        errors.push(FieldError::invalid(path, new, IMMUTABLE));
    }
}

fn immutable_time(new: Option<Time>, old: Option<Time>, path: &Path<'_>, errors: &mut ErrorList) {
    if new != old {
        errors.push(FieldError::invalid(
            path,
            new.map_or(BadValue::Null, |time| BadValue::from(time::json(time))),
            IMMUTABLE,
        ));
    }
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> BadValue {
    BadValue::from(serde_json::to_value(value).unwrap_or(Value::Null))
}

/// Checks the metadata of a claim's template: claims get labels and annotations from it; everything else is not for it to say.
pub fn validate_template_metadata(meta: &ObjectMeta, path: &Path<'_>, errors: &mut ErrorList) {
    validate_annotations(meta.annotations.as_ref(), &path.child("annotations"), errors);
    validate_labels(meta.labels.as_ref(), &path.child("labels"), errors);
    let others = [
        ("name", has_text(meta.name)),
        ("generateName", has_text(meta.generate_name)),
        ("namespace", has_text(meta.namespace)),
        ("selfLink", has_text(meta.self_link)),
        // The paths are made from Go's names.
        ("uID", has_text(meta.uid)),
        ("resourceVersion", has_text(meta.resource_version)),
        ("generation", meta.generation.unwrap_or(0) != 0),
        ("creationTimestamp", meta.creation_timestamp.is_some()),
        ("deletionTimestamp", meta.deletion_timestamp.is_some()),
        ("deletionGracePeriodSeconds", meta.deletion_grace_period_seconds.is_some()),
        ("ownerReferences", meta.owner_references.is_some()),
        ("finalizers", meta.finalizers.is_some()),
        ("managedFields", meta.managed_fields.is_some()),
    ];
    for (member, _) in others.iter().filter(|(_, set)| *set) {
        errors.push(FieldError::forbidden(&path.child(member), "cannot be set"));
    }
}

fn has_text(value: Option<&str>) -> bool {
    value.is_some_and(|value| !value.is_empty())
}
