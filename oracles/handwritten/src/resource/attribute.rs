//! Attributes of devices: one value, or several of one type.

use crate::report::too_long;
use crate::types::resource::v1::DeviceAttribute;
use serde_json::json;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// The lists of values, which are behind the gate `DRAListTypeAttributes`, off by default.
pub(super) const LISTS: [&str; 4] = ["ints", "bools", "strings", "versions"];
/// Longest text, in bytes.
const TEXT_LIMIT: usize = 64;

/// How many values an attribute is counted as: those of its lists, or one where it has none.
pub(super) fn value_count(attribute: &DeviceAttribute) -> usize {
    fn many<T>(values: Option<&[T]>) -> usize {
        values.map_or(0, <[T]>::len)
    }
    let listed = many(attribute.ints) + many(attribute.bools) + many(attribute.strings) + many(attribute.versions);
    listed.max(1)
}

/// Whether an attribute has a list, be it empty.
pub(super) fn has_list(attribute: &DeviceAttribute) -> bool {
    attribute.ints.is_some() || attribute.bools.is_some() || attribute.strings.is_some() || attribute.versions.is_some()
}

/// Checks an attribute.
pub(super) fn validate_attribute(attribute: &DeviceAttribute, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(text) = attribute.string {
        validate_text(text, &path.child("string"), errors);
    }
    if let Some(version) = attribute.version {
        validate_version(version, &path.child("version"), errors);
    }
    let at = path.child("strings");
    for (index, text) in attribute.strings.into_iter().flatten().enumerate() {
        validate_text(text, &at.index(index), errors);
    }
    let at = path.child("versions");
    for (index, version) in attribute.versions.into_iter().flatten().enumerate() {
        validate_version(version, &at.index(index), errors);
    }
    not_empty(attribute.bools, &path.child("bools"), errors);
    not_empty(attribute.ints, &path.child("ints"), errors);
    not_empty(attribute.strings, &path.child("strings"), errors);
    not_empty(attribute.versions, &path.child("versions"), errors);
    let set = [
        attribute.int.is_some(),
        attribute.bool.is_some(),
        attribute.string.is_some(),
        attribute.version.is_some(),
        attribute.ints.is_some(),
        attribute.bools.is_some(),
        attribute.strings.is_some(),
        attribute.versions.is_some(),
    ];
    let found = match set.into_iter().filter(|set| *set).count() {
        1 => return,
        0 => BadValue::EMPTY,
        _ => internal_form(attribute),
    };
    let error = FieldError::invalid(path, found, "exactly one value must be specified");
    errors.push(error.with_origin("union").covered());
}

/// A list that is given holds something: an empty one counts as a value all the same.
fn not_empty<T>(values: Option<&[T]>, path: &Path<'_>, errors: &mut ErrorList) {
    if values.is_some_and(<[T]>::is_empty) {
        errors.push(FieldError::invalid(path, json!([]), "must not be empty if specified"));
    }
}

/// The attribute as errors show it: Kubernetes' own struct, whose members have no JSON names.
fn internal_form(attribute: &DeviceAttribute) -> BadValue {
    BadValue::from(json!({
        "IntValue": attribute.int,
        "BoolValue": attribute.bool,
        "StringValue": attribute.string,
        "VersionValue": attribute.version,
        "IntValues": attribute.ints,
        "BoolValues": attribute.bools,
        "StringValues": attribute.strings,
        "VersionValues": attribute.versions,
    }))
}

fn validate_text(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if text.len() > TEXT_LIMIT {
        errors.push(too_long(path, TEXT_LIMIT));
    }
}

fn validate_version(version: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !is_semantic_version(version) {
        errors.push(FieldError::invalid(path, version, "must be a string compatible with semver.org spec 2.0.0"));
    }
    validate_text(version, path, errors);
}

/// `1.2.3`, then `-` and identifiers of a pre-release, then `+` and identifiers of a build, each separated by dots.
fn is_semantic_version(text: &str) -> bool {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, release) = text.split_once('-').map_or((text, None), |(core, release)| (core, Some(release)));
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && release.is_none_or(|release| release.split('.').all(|part| is_identifier(part) && !has_padding(part)))
        && build.is_none_or(|build| build.split('.').all(is_identifier))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && !has_padding(text)
}

/// Whether digits begin with a zero that says nothing.
fn has_padding(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::read_json;

    #[test]
    fn versions_are_semantic() {
        for (text, expected) in [
            ("1.2.3", true),
            ("0.0.0", true),
            ("1.2.3-alpha.1", true),
            ("1.2.3-0a.-x", true),
            ("1.2.3+001.build-2", true),
            ("1.2.3-rc.1+5", true),
            ("1.2.3+a-b", true),
            ("", false),
            ("1.2", false),
            ("1.2.3.4", false),
            ("01.2.3", false),
            ("1.2.3-", false),
            ("1.2.3-01", false),
            ("1.2.3-a..b", false),
            ("1.2.3+", false),
            ("1.2.3+a+b", false),
            ("v1.2.3", false),
            ("1.2.3\n", false),
            ("1.2.3-é", false),
        ] {
            assert_eq!(is_semantic_version(text), expected, "{text}");
        }
    }

    #[test]
    fn an_attribute_has_values_of_one_type() {
        for (json, expected) in [
            (json!({"int": 1}), ""),
            (json!({"ints": [1, 2]}), ""),
            (json!({}), "x =union \"\""),
            (json!({"int": 1, "bools": [true]}), "x =union {"),
            (json!({"ints": []}), "x.ints = []"),
            (json!({"string": "a".repeat(65)}), "x.string ="),
            (json!({"strings": ["a", "a".repeat(65)]}), "x.strings[1] ="),
            (json!({"version": "1"}), "x.version = \"1\""),
            (json!({"versions": ["1.0.0", "1.0"]}), "x.versions[1] = \"1.0\""),
        ] {
            let attribute = read_json::<DeviceAttribute>(&json);
            let mut errors = ErrorList::new();
            validate_attribute(&attribute, &Path::ROOT.child("x"), &mut errors);
            let found: Vec<_> =
                errors.iter().map(|error| format!("{} ={} {}", error.field, error.origin, error.bad_value)).collect();
            assert!(
                found.join("; ").starts_with(expected) && found.is_empty() == expected.is_empty(),
                "{json}: {found:?}"
            );
        }
    }
}
