//! RoleBinding.

use super::bindings::{
    BindingV1alpha1, default_binding, default_binding_v1alpha1, validate_role, validate_same_role, validate_subjects,
};
use super::rules::NAME;
use crate::kind::{Checks, Request, Served};
use crate::meta::{self, Scope};
use crate::typed_pair::TypedPair;
use crate::types::rbac::v1::RoleBinding;
use takeover_harness::error::ErrorList;
use takeover_harness::object::{Arena, Edit};
use takeover_harness::oracle::{Objects, OracleFailure};
use takeover_harness::path::Path;

/// RoleBindings in the shape of `v1` and `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct RoleBindings;

/// RoleBindings in the shape of `v1alpha1`.
#[derive(Clone, Copy, Debug)]
pub struct RoleBindingsV1alpha1;

impl Served for RoleBindings {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_binding);
}

impl Served for RoleBindingsV1alpha1 {
    type Kind = RoleBindings;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_binding_v1alpha1);

    fn objects<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<TypedPair<RoleBinding<'a>>, OracleFailure> {
        Ok(TypedPair::of(objects, arena)?.map(|binding| from_v1alpha1(binding, arena)))
    }
}

fn from_v1alpha1<'a>(binding: BindingV1alpha1<'a>, arena: &'a Arena) -> RoleBinding<'a> {
    let (metadata, role_ref, subjects) = binding.into_parts(arena);
    RoleBinding { metadata, subjects: Some(subjects), role_ref }
}

impl Checks for RoleBindings {
    type Object<'a> = RoleBinding<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &RoleBinding, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_role(&new.role_ref, &["Role", "ClusterRole"], errors);
        validate_subjects(new.subjects.unwrap_or_default(), Self::SCOPE, errors);
    }

    /// Everything that a new binding must be, a changed one must be too.
    fn update(new: &RoleBinding, old: &RoleBinding, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_same_role(&new.role_ref, &old.role_ref, errors);
    }
}
