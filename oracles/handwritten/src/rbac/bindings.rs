//! What bindings of both scopes consist of: the role and its subjects.

use crate::meta::Scope;
use crate::names::{path_segment, subdomain_name};
use crate::report::{not_supported, text};
use crate::types::meta::v1::ObjectMeta;
use crate::types::rbac::v1::{RoleRef, Subject};
use crate::types::view;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Arena, Edit, Node};
use takeover_harness::path::Path;

const GROUP: &str = "rbac.authorization.k8s.io";
const SERVICE_ACCOUNT: &str = "ServiceAccount";
const USER: &str = "User";
const ALL_USERS: &str = "Group";

view! {
    /// A binding in the shape of `v1alpha1`, whose subjects say a version rather than a group.
    pub(super) struct BindingV1alpha1<'a> {
        "metadata" => metadata: ObjectMeta<'a>,
        "subjects" => subjects: &'a [SubjectV1alpha1<'a>],
        "roleRef" => role_ref: RoleRef<'a>,
    }
}

view! {
    /// Its version decides nothing: a server knows the groups of the three kinds, and of no other kind judges the group.
    struct SubjectV1alpha1<'a> {
        "kind" => kind: &'a str,
        "name" => name: &'a str,
        "namespace" => namespace: Option<&'a str>,
    }
}

impl<'a> BindingV1alpha1<'a> {
    /// What a binding has in the shape of `v1`.
    pub(super) fn into_parts(self, arena: &'a Arena) -> (ObjectMeta<'a>, RoleRef<'a>, &'a [Subject<'a>]) {
        let subjects = self.subjects.iter().map(|subject| subject.to_subject());
        (self.metadata, self.role_ref, arena.alloc_slice_fill_iter(subjects))
    }
}

impl<'a> SubjectV1alpha1<'a> {
    fn to_subject(self) -> Subject<'a> {
        let Self { kind, name, namespace } = self;
        let api_group = matches!(kind, USER | ALL_USERS).then_some(GROUP);
        // In old bindings a star means whoever has logged in.
        if kind == USER && name == "*" {
            return Subject { api_group, kind: ALL_USERS, name: "system:authenticated", namespace };
        }
        Subject { api_group, kind, name, namespace }
    }
}

/// Defaults of a binding in `v1` and `v1beta1`.
pub(super) fn default_binding(binding: &mut Edit<'_>) {
    default_role(binding);
    binding.edit_each("subjects", |subject| {
        if matches!(subject.text("kind"), USER | ALL_USERS) {
            subject.set_default("apiGroup", Node::Text(GROUP));
        }
    });
}

/// Defaults of a binding in `v1alpha1`.
pub(super) fn default_binding_v1alpha1(binding: &mut Edit<'_>) {
    default_role(binding);
    binding.edit_each("subjects", |subject| match subject.text("kind") {
        SERVICE_ACCOUNT => subject.set_default("apiVersion", Node::Text("v1")),
        USER | ALL_USERS => subject.set_default("apiVersion", Node::Text("rbac.authorization.k8s.io/v1alpha1")),
        _ => {}
    });
}

fn default_role(binding: &mut Edit<'_>) {
    binding.edit("roleRef", |role| role.set_default("apiGroup", Node::Text(GROUP)));
}

/// Checks the role that a binding grants; `kinds` are those that it may grant.
pub(super) fn validate_role(role: &RoleRef, kinds: &[&str], errors: &mut ErrorList) {
    let path = Path::ROOT.child("roleRef");
    let group = role.api_group;
    if group != GROUP {
        errors.push(not_supported(&path.child("apiGroup"), group, &[GROUP]));
    }
    if !kinds.contains(&role.kind) {
        errors.push(not_supported(&path.child("kind"), role.kind, kinds));
    }
    let at = path.child("name");
    if role.name.is_empty() {
        errors.push(FieldError::required(&at, "").covered());
    }
    for problem in path_segment(role.name) {
        errors.push(FieldError::invalid(&at, role.name, problem));
    }
}

/// Checks that an update leaves the role alone.
pub(super) fn validate_same_role(new: &RoleRef, old: &RoleRef, errors: &mut ErrorList) {
    if new != old {
        // Kubernetes shows its internal struct, which has Go's names.
        let shown = BadValue::Struct(vec![
            ("APIGroup", new.api_group.into()),
            ("Kind", new.kind.into()),
            ("Name", new.name.into()),
        ]);
        errors.push(FieldError::invalid(&Path::ROOT.child("roleRef"), shown, "cannot change roleRef"));
    }
}

/// Checks who a binding grants its role to. Service accounts of a binding within a namespace may leave theirs out.
pub(super) fn validate_subjects(subjects: &[Subject], scope: Scope, errors: &mut ErrorList) {
    let path = Path::ROOT.child("subjects");
    for (index, subject) in subjects.iter().enumerate() {
        validate_subject(subject, scope, &path.index(index), errors);
    }
}

fn validate_subject(subject: &Subject, scope: Scope, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("name");
    if subject.name.is_empty() {
        errors.push(FieldError::required(&at, "").covered());
    }
    let group = text(subject.api_group);
    match subject.kind {
        SERVICE_ACCOUNT => {
            if !subject.name.is_empty() {
                for problem in subdomain_name(subject.name) {
                    errors.push(FieldError::invalid(&at, subject.name, problem));
                }
            }
            if !group.is_empty() {
                errors.push(not_supported(&path.child("apiGroup"), group, &[""]));
            }
            if scope == Scope::Cluster && text(subject.namespace).is_empty() {
                errors.push(FieldError::required(&path.child("namespace"), ""));
            }
        }
        USER | ALL_USERS => {
            if group != GROUP {
                errors.push(not_supported(&path.child("apiGroup"), group, &[GROUP]));
            }
        }
        kind => errors.push(not_supported(&path.child("kind"), kind, &[SERVICE_ACCOUNT, USER, ALL_USERS])),
    }
}
