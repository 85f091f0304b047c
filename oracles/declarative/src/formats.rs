//! The formats of `+k8s:format=<name>`: syntax checks of strings by byte loops, with Kubernetes' messages.
//!
//! Source of names, order of checks and texts: the declarative validation specification §7. Lengths are bytes.

use std::borrow::Cow;
use takeover_harness::error::ErrorType;

/// Takes one error: its type, its detail, and the part of the value it complains about.
pub type Report<'r> = dyn FnMut(ErrorType, Cow<'static, str>, &str) + 'r;

/// A named format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// `k8s-short-name`: a lowercase RFC 1123 label.
    ShortName,
    /// `k8s-long-name`: a lowercase RFC 1123 subdomain.
    LongName,
    /// `k8s-long-name-caseless`: a subdomain in any case.
    LongNameCaseless,
    /// `k8s-label-key`: a label key with optional prefix.
    LabelKey,
    /// `k8s-prefixed-label-key`: a label key with prefix.
    PrefixedLabelKey,
    /// `k8s-label-value`: a label value.
    LabelValue,
    /// `k8s-path-segment-name`: a name usable as a segment of a URL path.
    PathSegmentName,
    /// `k8s-uuid`: a lowercase UUID.
    Uuid,
    /// `k8s-resource-pool-name`: subdomains joined by slashes.
    ResourcePoolName,
    /// `k8s-extended-resource-name`: a domain-prefixed resource name.
    ExtendedResourceName,
    /// `k8s-resource-fully-qualified-name`: a domain and a C identifier.
    ResourceFullyQualifiedName,
}

const LABEL_PATTERN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN_PATTERN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const KEY_PATTERN: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const VALUE_PATTERN: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const C_IDENTIFIER_PATTERN: &str = "[A-Za-z_][A-Za-z0-9_]*";

impl Format {
    /// Every format, in the order of the specification.
    pub const ALL: [Format; 11] = [
        Self::ShortName,
        Self::LongName,
        Self::LongNameCaseless,
        Self::LabelKey,
        Self::PrefixedLabelKey,
        Self::LabelValue,
        Self::PathSegmentName,
        Self::Uuid,
        Self::ResourcePoolName,
        Self::ExtendedResourceName,
        Self::ResourceFullyQualifiedName,
    ];

    /// The format that the tag's payload names.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Format> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The payload of the tag.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ShortName => "k8s-short-name",
            Self::LongName => "k8s-long-name",
            Self::LongNameCaseless => "k8s-long-name-caseless",
            Self::LabelKey => "k8s-label-key",
            Self::PrefixedLabelKey => "k8s-prefixed-label-key",
            Self::LabelValue => "k8s-label-value",
            Self::PathSegmentName => "k8s-path-segment-name",
            Self::Uuid => "k8s-uuid",
            Self::ResourcePoolName => "k8s-resource-pool-name",
            Self::ExtendedResourceName => "k8s-extended-resource-name",
            Self::ResourceFullyQualifiedName => "k8s-resource-fully-qualified-name",
        }
    }

    /// The origin of its errors: `format=<name>`.
    #[must_use]
    pub fn origin(self) -> &'static str {
        match self {
            Self::ShortName => "format=k8s-short-name",
            Self::LongName => "format=k8s-long-name",
            Self::LongNameCaseless => "format=k8s-long-name-caseless",
            Self::LabelKey => "format=k8s-label-key",
            Self::PrefixedLabelKey => "format=k8s-prefixed-label-key",
            Self::LabelValue => "format=k8s-label-value",
            Self::PathSegmentName => "format=k8s-path-segment-name",
            Self::Uuid => "format=k8s-uuid",
            Self::ResourcePoolName => "format=k8s-resource-pool-name",
            Self::ExtendedResourceName => "format=k8s-extended-resource-name",
            Self::ResourceFullyQualifiedName => "format=k8s-resource-fully-qualified-name",
        }
    }

    /// Checks `value` and reports every failing check. Allocates only to report.
    pub fn check(self, value: &str, report: &mut Report<'_>) {
        match self {
            Self::ShortName => details(value, value, report, short_name),
            Self::LongName => details(value, value, report, long_name),
            Self::LongNameCaseless => details(value, value, report, long_name_caseless),
            Self::LabelKey => details(value, value, report, label_key),
            Self::PrefixedLabelKey => details(value, value, report, prefixed_label_key),
            Self::LabelValue => details(value, value, report, label_value),
            Self::PathSegmentName => details(value, value, report, path_segment_name),
            Self::Uuid => details(value, value, report, uuid),
            Self::ResourcePoolName => resource_pool_name(value, report),
            Self::ExtendedResourceName => details(value, value, report, extended_resource_name),
            Self::ResourceFullyQualifiedName => resource_fully_qualified_name(value, report),
        }
    }

    /// A value that the format accepts, and values that it refuses, for directed generation.
    #[must_use]
    pub fn samples(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::ShortName => (&["a", "web-1", "0"], &["", "A", "-a", "a-", "a.b", "a_b", "a\n", "\u{e9}"]),
            Self::LongName => {
                (&["a", "a.b-c.d", "0.1"], &["", "A", ".a", "a.", "a..b", "a_b", "a-.b", "a\n", "\u{e9}"])
            }
            Self::LongNameCaseless => (&["A.b", "example.com", "\u{17f}"], &["", ".A", "a..B", "a_b", "a\n"]),
            Self::LabelKey => (&["a", "example.com/Key_1"], &["", "/a", "a/", "a/b/c", "-a", "A.com/a", "a b"]),
            Self::PrefixedLabelKey => (&["example.com/key"], &["key", "/key", "example.com/", "a/b/c"]),
            Self::LabelValue => (&["", "a", "A_1.b-2"], &["-a", "a-", "a b", "a/b", "a\n"]),
            Self::PathSegmentName => (&["", "a", "...", "A b"], &[".", "..", "a/b", "a%b"]),
            Self::Uuid => (
                &["123e4567-e89b-12d3-a456-426614174000"],
                &[
                    "",
                    "123E4567-e89b-12d3-a456-426614174000",
                    "123e4567e89b12d3a456426614174000",
                    "123e4567-e89b-12d3-a456-42661417400",
                ],
            ),
            Self::ResourcePoolName => (&["a", "a.b/c"], &["", "/a", "a/", "A", "a//b"]),
            Self::ExtendedResourceName => {
                (&["example.com/gpu"], &["gpu", "kubernetes.io/gpu", "requests.example.com/gpu", "example.com/-"])
            }
            Self::ResourceFullyQualifiedName => {
                (&["example.com/model", "a/b/c"], &["model", "/model", "example.com/", "example.com/1x", "A/x"])
            }
        }
    }
}

/// Runs a check whose errors are all Invalid and complain about `bad`.
fn details(value: &str, bad: &str, report: &mut Report<'_>, check: impl Fn(&str, &mut dyn FnMut(Cow<'static, str>))) {
    check(value, &mut |detail| report(ErrorType::Invalid, detail, bad));
}

type Sink<'s> = &'s mut dyn FnMut(Cow<'static, str>);

fn short_name(value: &str, sink: Sink<'_>) {
    if value.len() > 63 {
        sink(too_long(63));
    }
    if !is_label(value.as_bytes()) {
        if is_subdomain(value) {
            sink(Cow::Borrowed("must not contain dots"));
        } else {
            sink(with_pattern(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
                LABEL_PATTERN,
                &["my-name", "123-abc"],
            ));
        }
    }
}

fn long_name(value: &str, sink: Sink<'_>) {
    if value.len() > 253 {
        sink(too_long(253));
    }
    if !is_subdomain(value) {
        sink(with_pattern(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            SUBDOMAIN_PATTERN,
            &["example.com"],
        ));
    }
}

fn long_name_caseless(value: &str, sink: Sink<'_>) {
    if value.len() > 253 {
        sink(too_long(253));
    }
    if !is_subdomain_caseless(value) {
        sink(with_pattern(
            "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            SUBDOMAIN_PATTERN,
            &["Example.com"],
        ));
    }
}

const KEY_TEXT: &str =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

fn key_detail(lead: &str) -> Cow<'static, str> {
    with_pattern(&format!("{lead}{KEY_TEXT}"), KEY_PATTERN, &["MyName", "my.name", "123-abc"])
}

fn label_key(value: &str, sink: Sink<'_>) {
    let mut parts = value.split('/');
    let (first, second, third) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let name = match (second, third) {
        (_, Some(_)) => {
            let detail = key_detail("a valid label key ");
            sink(Cow::Owned(format!(
                "{detail} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )));
            return;
        }
        (Some(name), None) => {
            if first.is_empty() {
                sink(Cow::Borrowed("prefix part must be non-empty"));
            } else {
                long_name(first, &mut |detail| sink(Cow::Owned(format!("prefix part {detail}"))));
            }
            name
        }
        (None, None) => first,
    };
    if name.is_empty() {
        sink(Cow::Borrowed("name part must be non-empty"));
    } else if name.len() > 63 {
        sink(Cow::Owned(format!("name part {}", too_long(63))));
    }
    if !is_key(name.as_bytes()) {
        sink(key_detail("name part "));
    }
}

fn prefixed_label_key(value: &str, sink: Sink<'_>) {
    let mut failed = false;
    label_key(value, &mut |detail| {
        failed = true;
        sink(detail);
    });
    if !failed && !value.contains('/') {
        sink(Cow::Borrowed("must include a prefix (e.g. 'example.com/key')"));
    }
}

fn label_value(value: &str, sink: Sink<'_>) {
    if value.len() > 63 {
        sink(too_long(63));
    }
    if !value.is_empty() && !is_key(value.as_bytes()) {
        sink(with_pattern(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            VALUE_PATTERN,
            &["MyValue", "my_value", "12345"],
        ));
    }
}

fn path_segment_name(value: &str, sink: Sink<'_>) {
    match value {
        "." => sink(Cow::Borrowed("may not be '.'")),
        ".." => sink(Cow::Borrowed("may not be '..'")),
        _ => {
            if value.contains('/') {
                sink(Cow::Borrowed("may not contain '/'"));
            }
            if value.contains('%') {
                sink(Cow::Borrowed("may not contain '%'"));
            }
        }
    }
}

fn uuid(value: &str, sink: Sink<'_>) {
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
    };
    if value.len() != 36 || !value.bytes().enumerate().all(fits) {
        sink(Cow::Borrowed("must be a lowercase UUID in 8-4-4-4-12 format"));
    }
}

fn resource_pool_name(value: &str, report: &mut Report<'_>) {
    if value.len() > 253 {
        report(ErrorType::TooLong, Cow::Borrowed("may not be more than 253 bytes"), value);
    }
    for (index, part) in value.split('/').enumerate() {
        if part.is_empty() {
            report(ErrorType::Invalid, Cow::Owned(format!("segment {index}: must not be empty")), value);
        } else {
            long_name(part, &mut |detail| {
                report(ErrorType::Invalid, Cow::Owned(format!("segment {index}: {detail}")), part);
            });
        }
    }
}

fn extended_resource_name(value: &str, sink: Sink<'_>) {
    if !value.contains('/') {
        sink(Cow::Borrowed("a name must be a domain-prefixed path, such as 'example.com/my-prop'"));
    } else if value.contains("kubernetes.io/") {
        sink(Cow::Borrowed("must not have \"kubernetes.io/\" domain"));
    }
    if value.starts_with("requests.") {
        sink(Cow::Borrowed("must not have \"requests.\" prefix"));
    }
    // The name must also fit as the key of a quota on its requests. A valid one is judged without building that key.
    if value.len() + "requests.".len() > 63 || !is_plain_prefixed_key(value) {
        label_key(&format!("requests.{value}"), sink);
    }
}

/// Whether `value` is short and so plain that a subdomain put before its prefix leaves it a label key.
fn is_plain_prefixed_key(value: &str) -> bool {
    match value.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && !name.contains('/') && is_key(name.as_bytes()),
        None => is_key(value.as_bytes()),
    }
}

fn resource_fully_qualified_name(value: &str, report: &mut Report<'_>) {
    let mut parts = value.split('/');
    match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        (name, None, _) => c_identifier(name, report),
        (prefix, Some(name), None) => {
            if prefix.is_empty() {
                report(ErrorType::Invalid, Cow::Borrowed("prefix must not be empty"), "");
            } else {
                if prefix.len() > 63 {
                    report(ErrorType::TooLong, Cow::Borrowed("may not be more than 63 bytes"), prefix);
                }
                long_name(prefix, &mut |detail| {
                    report(ErrorType::Invalid, Cow::Owned(format!("prefix: {detail}")), prefix);
                });
            }
            if name.is_empty() {
                report(ErrorType::Invalid, Cow::Borrowed("name must not be empty"), "");
            } else {
                c_identifier(name, report);
            }
        }
        (_, Some(_), Some(_)) => {}
    }
    if !value.contains('/') {
        report(
            ErrorType::Invalid,
            Cow::Borrowed("a fully qualified name must be a domain and a name separated by a slash"),
            value,
        );
    }
}

fn c_identifier(value: &str, report: &mut Report<'_>) {
    if value.len() > 32 {
        report(ErrorType::TooLong, Cow::Borrowed("may not be more than 32 bytes"), value);
    }
    let fits =
        |(at, byte): (usize, u8)| byte == b'_' || byte.is_ascii_alphabetic() || (at > 0 && byte.is_ascii_digit());
    if value.is_empty() || !value.bytes().enumerate().all(fits) {
        let detail = with_pattern(
            "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
            C_IDENTIFIER_PATTERN,
            &["my_name", "MY_NAME", "MyName"],
        );
        report(ErrorType::Invalid, detail, value);
    }
}

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
fn is_label(value: &[u8]) -> bool {
    let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    match value {
        [] => false,
        [first, .., last] => *first != b'-' && *last != b'-' && value.iter().all(inner),
        [only] => *only != b'-' && inner(only),
    }
}

fn is_subdomain(value: &str) -> bool {
    value.as_bytes().split(|byte| *byte == b'.').all(is_label)
}

/// As [`is_subdomain`] under Unicode simple case folding: beside ASCII, U+017F folds to `s` and U+212A to `k`.
fn is_subdomain_caseless(value: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_alphanumeric() || matches!(c, '\u{17f}' | '\u{212a}');
    value.split('.').all(|label| {
        label.starts_with(alphanumeric)
            && label.ends_with(alphanumeric)
            && label.chars().all(|c| c == '-' || alphanumeric(c))
    })
}

/// `([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]`
fn is_key(value: &[u8]) -> bool {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    match value {
        [] => false,
        [only] => only.is_ascii_alphanumeric(),
        [first, .., last] => first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() && value.iter().all(inner),
    }
}

fn too_long(limit: u32) -> Cow<'static, str> {
    match limit {
        63 => Cow::Borrowed("must be no more than 63 bytes"),
        253 => Cow::Borrowed("must be no more than 253 bytes"),
        limit => Cow::Owned(format!("must be no more than {limit} bytes")),
    }
}

/// `text (e.g. 'a',  or 'b', regex used for validation is 'pattern')`; the double blank is Kubernetes' own.
fn with_pattern(text: &str, pattern: &str, examples: &[&str]) -> Cow<'static, str> {
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    Cow::Owned(format!("{text} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::Format;
    use takeover_harness::error::ErrorType;

    fn errors(format: Format, value: &str) -> Vec<(ErrorType, String, String)> {
        let mut found = Vec::new();
        format
            .check(value, &mut |error_type, detail, bad| found.push((error_type, detail.into_owned(), bad.to_owned())));
        found
    }

    fn texts(format: Format, value: &str) -> Vec<String> {
        errors(format, value).into_iter().map(|(_, detail, _)| detail).collect()
    }

    #[test]
    fn names_and_origins_round_trip() {
        for format in Format::ALL {
            assert_eq!(Format::by_name(format.name()), Some(format));
            assert_eq!(format.origin(), format!("format={}", format.name()));
        }
        assert_eq!(Format::by_name("k8s-ip"), None);
    }

    #[test]
    fn samples_are_on_the_side_they_claim() {
        for format in Format::ALL {
            let (good, bad) = format.samples();
            for value in good {
                assert_eq!(texts(format, value), Vec::<String>::new(), "{} {value:?}", format.name());
            }
            for value in bad {
                assert_ne!(texts(format, value), Vec::<String>::new(), "{} {value:?}", format.name());
            }
        }
    }

    #[test]
    fn messages_are_those_of_kubernetes() {
        let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        let subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        let key = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
        for (format, value, expected) in [
            (Format::ShortName, "A_", vec![label.to_owned()]),
            (Format::ShortName, "a.b", vec!["must not contain dots".to_owned()]),
            (Format::ShortName, &"a".repeat(64), vec!["must be no more than 63 bytes".to_owned()]),
            (Format::LongName, "A", vec![subdomain.to_owned()]),
            (
                Format::LongName,
                &"A".repeat(254),
                vec!["must be no more than 253 bytes".to_owned(), subdomain.to_owned()],
            ),
            (Format::LabelKey, "", vec!["name part must be non-empty".to_owned(), format!("name part {key}")]),
            (Format::LabelKey, "/a", vec!["prefix part must be non-empty".to_owned()]),
            (Format::LabelKey, "A/a", vec![format!("prefix part {subdomain}")]),
            (
                Format::LabelKey,
                "a/b/c",
                vec![format!(
                    "a valid label key {key} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
                )],
            ),
            (Format::PrefixedLabelKey, "a", vec!["must include a prefix (e.g. 'example.com/key')".to_owned()]),
            (Format::PathSegmentName, "..", vec!["may not be '..'".to_owned()]),
            (Format::PathSegmentName, "a/%", vec!["may not contain '/'".to_owned(), "may not contain '%'".to_owned()]),
            (Format::Uuid, "x", vec!["must be a lowercase UUID in 8-4-4-4-12 format".to_owned()]),
            (
                Format::ExtendedResourceName,
                "a.kubernetes.io/b",
                vec!["must not have \"kubernetes.io/\" domain".to_owned()],
            ),
            (
                Format::ExtendedResourceName,
                "requests.example.com/b",
                vec!["must not have \"requests.\" prefix".to_owned()],
            ),
        ] {
            assert_eq!(texts(format, value), expected, "{} {value:?}", format.name());
        }
    }

    #[test]
    fn errors_name_the_part_they_complain_about() {
        for (format, value, expected) in [
            (Format::ResourcePoolName, "a//b", vec![(ErrorType::Invalid, "segment 1: must not be empty", "a//b")]),
            (Format::ResourceFullyQualifiedName, "/x", vec![(ErrorType::Invalid, "prefix must not be empty", "")]),
            (Format::ResourceFullyQualifiedName, "a/", vec![(ErrorType::Invalid, "name must not be empty", "")]),
            (
                Format::ResourceFullyQualifiedName,
                "abc",
                vec![(
                    ErrorType::Invalid,
                    "a fully qualified name must be a domain and a name separated by a slash",
                    "abc",
                )],
            ),
        ] {
            let found = errors(format, value);
            let found: Vec<(ErrorType, &str, &str)> =
                found.iter().map(|(kind, detail, bad)| (*kind, detail.as_str(), bad.as_str())).collect();
            assert_eq!(found, expected, "{} {value:?}", format.name());
        }
        assert_eq!(
            errors(Format::ResourcePoolName, &"a".repeat(254)).first().map(|error| error.0),
            Some(ErrorType::TooLong)
        );
    }
}
