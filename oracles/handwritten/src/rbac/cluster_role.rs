//! ClusterRole.

use super::rules::{NAME, validate_rules};
use crate::kind::{Checks, Request, Served};
use crate::meta::{self, Scope};
use crate::selector::{SelectorValues, can_select, validate_label_selector};
use crate::types::meta::v1::LabelSelector;
use crate::types::rbac::v1::{AggregationRule, ClusterRole};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// ClusterRoles, of the same shape in every version.
#[derive(Clone, Copy, Debug)]
pub struct ClusterRoles;

impl Served for ClusterRoles {
    type Kind = Self;
}

impl Checks for ClusterRoles {
    type Object<'a> = ClusterRole<'a>;

    const SCOPE: Scope = Scope::Cluster;

    fn create(new: &ClusterRole, _: &Request<'_>, errors: &mut ErrorList) {
        validate(new, SelectorValues::Checked, errors);
    }

    /// Everything that a new role must be, a changed one must be too.
    fn update(new: &ClusterRole, old: &ClusterRole, _: &Request<'_>, errors: &mut ErrorList) {
        let stored_bad = selectors(old.aggregation_rule).iter().any(|selector| !can_select(selector));
        let values = if stored_bad { SelectorValues::Tolerated } else { SelectorValues::Checked };
        validate(new, values, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
    }
}

fn selectors<'a>(rule: Option<&AggregationRule<'a>>) -> &'a [LabelSelector<'a>] {
    rule.and_then(|rule| rule.cluster_role_selectors).unwrap_or_default()
}

fn validate(role: &ClusterRole, values: SelectorValues, errors: &mut ErrorList) {
    meta::validate_create(&role.metadata, Scope::Cluster, NAME, &Path::ROOT.child("metadata"), errors);
    validate_rules(role.rules, Scope::Cluster, errors);
    let Some(rule) = role.aggregation_rule else { return };
    let path = Path::ROOT.child("aggregationRule");
    let path = path.child("clusterRoleSelectors");
    let selectors = selectors(Some(rule));
    if selectors.is_empty() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(FieldError::required(&path, detail));
    }
    for (index, selector) in selectors.iter().enumerate() {
        let at = path.index(index);
        validate_label_selector(Some(selector), values, &at, errors);
        // What selects nothing at all is refused once more, as a whole and also where bad values are tolerated.
        if !can_select(selector) {
            errors.push(FieldError::invalid(&at, BadValue::Null, "invalid label selector."));
        }
    }
}
