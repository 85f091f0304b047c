//! What roles consist of.

use crate::meta::{NameRule, Scope};
use crate::names::{path_segment, path_segment_part};
use crate::types::rbac::v1::PolicyRule;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// How roles and bindings are named: anything that fits into a URL path.
pub(super) const NAME: NameRule = NameRule::Plain { name: path_segment, start: path_segment_part };

/// Checks the rules of a role. Only roles of the whole cluster may speak of URLs.
pub(super) fn validate_rules(rules: &[PolicyRule], scope: Scope, errors: &mut ErrorList) {
    let path = Path::ROOT.child("rules");
    for (index, rule) in rules.iter().enumerate() {
        validate_rule(rule, scope, &path.index(index), errors);
    }
}

fn validate_rule(rule: &PolicyRule, scope: Scope, path: &Path<'_>, errors: &mut ErrorList) {
    if rule.verbs.is_empty() {
        let detail = "verbs must contain at least one value";
        errors.push(FieldError::required(&path.child("verbs"), detail).covered());
    }
    let (groups, resources) = (is_set(rule.api_groups), is_set(rule.resources));
    let urls = rule.non_resource_urls.unwrap_or_default();
    if urls.is_empty() {
        if !groups {
            let detail = "resource rules must supply at least one api group";
            errors.push(FieldError::required(&path.child("apiGroups"), detail));
        }
        if !resources {
            let detail = "resource rules must supply at least one resource";
            errors.push(FieldError::required(&path.child("resources"), detail));
        }
        return;
    }
    let at = path.child("nonResourceURLs");
    let mut refuse = |detail: &'static str| errors.push(FieldError::invalid(&at, BadValue::json(urls.into()), detail));
    if scope == Scope::Namespaced {
        refuse("namespaced rules cannot apply to non-resource URLs");
    }
    if groups || resources || is_set(rule.resource_names) {
        refuse("rules cannot apply to both regular resources and non-resource URLs");
    }
}

fn is_set(list: Option<&[&str]>) -> bool {
    list.is_some_and(|list| !list.is_empty())
}
