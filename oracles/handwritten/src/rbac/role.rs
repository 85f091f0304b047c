//! Role.

use super::rules::{NAME, validate_rules};
use crate::kind::{Checks, Request, Served};
use crate::meta::{self, Scope};
use crate::types::rbac::v1::Role;
use takeover_harness::error::ErrorList;
use takeover_harness::path::Path;

/// Roles, of the same shape in every version.
#[derive(Clone, Copy, Debug)]
pub struct Roles;

impl Served for Roles {
    type Kind = Self;
}

impl Checks for Roles {
    type Object<'a> = Role<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &Role, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_rules(new.rules, Self::SCOPE, errors);
    }

    /// Everything that a new role must be, a changed one must be too.
    fn update(new: &Role, old: &Role, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
    }
}
