//! `v1` ServiceAccount.

use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::types::core::v1::ServiceAccount;
use takeover_harness::error::ErrorList;
use takeover_harness::path::Path;

/// How accounts are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges ServiceAccounts as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct ServiceAccounts;

impl Served for ServiceAccounts {
    type Kind = Self;

    /// Of references to secrets, only the names are kept.
    const PREPARE: Option<Prepare> = Some(|account, _, _| {
        account.edit_each("secrets", |secret| {
            for member in ["kind", "namespace", "uid", "apiVersion", "resourceVersion", "fieldPath"] {
                secret.clear(member);
            }
        });
    });
}

impl Checks for ServiceAccounts {
    type Object<'a> = ServiceAccount<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &ServiceAccount, _: &Request<'_>, errors: &mut ErrorList) {
        validate(new, errors);
    }

    fn update(new: &ServiceAccount, old: &ServiceAccount, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate(new, errors);
    }
}

fn validate(account: &ServiceAccount, errors: &mut ErrorList) {
    meta::validate_create(&account.metadata, ServiceAccounts::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
}
