//! Conversion between versions.

use super::Before;
use super::names::not_a_label;
use super::props::Props;
use crate::validate::subdomain_problems;
use serde_json::Value;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::path::Path;

/// Versions of conversion reviews that servers understand.
const REVIEWS: [&str; 2] = ["v1", "v1beta1"];
/// The port of a service that says none.
const PORT: i64 = 443;
/// What a URL should look like.
const URL_FORM: &str = "; desired format: https://host[/path]";

/// What is refused of `spec.conversion`; `preserves` tells whether unknown fields are kept everywhere.
pub(super) fn check(
    conversion: Props<'_>,
    preserves: bool,
    before: Before,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let (strategy, at) = (conversion.text("strategy"), path.child("strategy"));
    if preserves && strategy != "None" {
        let detail = "must be None if spec.preserveUnknownFields is true";
        errors.push(FieldError::invalid(&at, strategy.to_owned(), detail));
    }
    match strategy {
        "None" | "Webhook" => {}
        "" => errors.push(FieldError::required(&at, "")),
        other => {
            let detail = "supported values: \"None\", \"Webhook\"";
            errors.push(FieldError::new(ErrorType::NotSupported, &at, other.to_owned(), detail));
        }
    }
    let webhook = conversion.below("webhook");
    let client = webhook.and_then(|webhook| webhook.below("clientConfig"));
    let reviews = webhook.map(|webhook| webhook.texts("conversionReviewVersions")).unwrap_or_default();
    let (client_path, reviews_path) = (path.child("webhookClientConfig"), path.child("conversionReviewVersions"));
    if strategy == "Webhook" {
        match client {
            None => errors.push(FieldError::required(&client_path, "required when strategy is set to Webhook")),
            Some(client) => self::client(client, before, &client_path, errors),
        }
        review_versions(&reviews, &reviews_path, errors);
        return;
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if client.is_some() {
        errors.push(FieldError::forbidden(&client_path, detail));
    }
    if !reviews.is_empty() {
        errors.push(FieldError::forbidden(&reviews_path, detail));
    }
}

fn client(client: Props<'_>, before: Before, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match (client.optional_text("url"), client.below("service")) {
        (Some(address), None) => url(address, &path.child("url"), errors),
        (None, Some(called)) => service(called, before, &path.child("service"), errors),
        _ => errors.push(FieldError::required(path, "exactly one of url or service is required")),
    }
}

fn url(address: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    if !scheme.eq_ignore_ascii_case("https") {
        let detail = format!("'https' is the only allowed URL scheme{URL_FORM}");
        errors.push(FieldError::invalid(path, scheme.to_owned(), detail));
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = if scheme.is_empty() { "" } else { rest.split('/').next().unwrap_or_default() };
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if host.is_empty() {
        errors.push(FieldError::invalid(path, "", format!("host must be specified{URL_FORM}")));
    }
    if let Some(user) = user {
        errors.push(FieldError::invalid(path, user.to_owned(), "user information is not permitted in the URL"));
    }
    if !fragment.is_empty() {
        errors.push(FieldError::invalid(path, fragment.to_owned(), "fragments are not permitted in the URL"));
    }
    if !query.is_empty() {
        errors.push(FieldError::invalid(path, query.to_owned(), "query parameters are not permitted in the URL"));
    }
}

fn service(service: Props<'_>, before: Before, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    // Servers mix up the two names.
    for (name, field) in [("namespace", "name"), ("name", "namespace")] {
        if service.text(name).is_empty() {
            errors.push(FieldError::required(&path.child(field), ""));
        }
    }
    let missing = if before == Before::Defaults { PORT } else { 0 };
    let port = service.get("port").map_or(missing, |port| port.as_i64().unwrap_or_default());
    if !(1..=65535).contains(&port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(&path.child("port"), Value::from(port), detail));
    }
    let Some(text) = service.optional_text("path").filter(|text| !matches!(*text, "" | "/")) else { return };
    let path = path.child("path");
    let mut refuse = |detail: String| errors.push(FieldError::invalid(&path, text.to_owned(), detail));
    if text == "//" {
        return refuse("segment[0] may not be empty".to_owned());
    }
    if !text.starts_with('/') {
        refuse("must start with a '/'".to_owned());
    }
    // The first character goes, whatever it is.
    let mut rest = text.chars();
    rest.next();
    let rest = rest.as_str();
    for (index, step) in rest.strip_suffix('/').unwrap_or(rest).split('/').enumerate() {
        if step.is_empty() {
            refuse(format!("segment[{index}] may not be empty"));
            continue;
        }
        subdomain_problems(step).into_iter().for_each(|problem| refuse(format!("segment[{index}]: {problem}")));
    }
}

fn review_versions(versions: &[&str], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if versions.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    for (index, version) in versions.iter().enumerate() {
        let path = path.index(index);
        if versions.iter().take(index).any(|before| before == version) {
            errors.push(FieldError::invalid(&path, (*version).to_owned(), "duplicate version"));
        } else if let Some(problem) = not_a_label(version) {
            errors.push(FieldError::invalid(&path, (*version).to_owned(), problem));
        }
    }
    if !versions.iter().any(|version| REVIEWS.contains(version)) {
        let detail = format!("must include at least one of {}", REVIEWS.join(", "));
        errors.push(FieldError::invalid(path, Value::from(versions.to_vec()), detail));
    }
}
