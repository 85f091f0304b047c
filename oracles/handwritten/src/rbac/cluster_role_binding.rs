//! ClusterRoleBinding.

use super::bindings::{
    BindingV1alpha1, default_binding, default_binding_v1alpha1, validate_role, validate_same_role, validate_subjects,
};
use super::rules::NAME;
use crate::kind::{Checks, Request, Served};
use crate::meta::{self, Scope};
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use takeover_harness::error::ErrorList;
use takeover_harness::object::Edit;
use takeover_harness::oracle::{Objects, OracleFailure, TypedPair};
use takeover_harness::path::Path;

/// ClusterRoleBindings in the shape of `v1` and `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct ClusterRoleBindings;

/// ClusterRoleBindings in the shape of `v1alpha1`.
#[derive(Clone, Copy, Debug)]
pub struct ClusterRoleBindingsV1alpha1;

impl Served for ClusterRoleBindings {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_binding);
}

impl Served for ClusterRoleBindingsV1alpha1 {
    type Kind = ClusterRoleBindings;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_binding_v1alpha1);

    fn objects(objects: &Objects<'_>) -> Result<TypedPair<ClusterRoleBinding>, OracleFailure> {
        Ok(TypedPair::of(objects)?.map(from_v1alpha1))
    }
}

fn from_v1alpha1(binding: BindingV1alpha1) -> ClusterRoleBinding {
    let (metadata, role_ref, subjects) = binding.into_parts();
    ClusterRoleBinding { metadata, role_ref, subjects }
}

impl Checks for ClusterRoleBindings {
    type Object = ClusterRoleBinding;

    const SCOPE: Scope = Scope::Cluster;

    fn metadata(object: &ClusterRoleBinding) -> &ObjectMeta {
        &object.metadata
    }

    fn create(new: &ClusterRoleBinding, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_role(&new.role_ref, &["ClusterRole"], errors);
        validate_subjects(new.subjects.as_deref().unwrap_or_default(), Self::SCOPE, errors);
    }

    /// Everything that a new binding must be, a changed one must be too.
    fn update(new: &ClusterRoleBinding, old: &ClusterRoleBinding, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_same_role(&new.role_ref, &old.role_ref, errors);
    }
}
