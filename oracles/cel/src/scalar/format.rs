//! Named formats of strings.

use super::{text::quoted, time};
use base64::Engine as _;

/// A named format.
#[derive(Debug)]
pub struct NamedFormat {
    /// Its name as `format.named` takes it.
    pub key: &'static str,
    /// Its own name.
    pub name: &'static str,
    /// What its pattern counts as when cost is computed.
    pub pattern_size: u64,
    validate: fn(&str) -> Vec<String>,
}

impl NamedFormat {
    /// What is wrong with a text; nothing if it has the format.
    #[must_use]
    pub fn validate(&self, text: &str) -> Vec<String> {
        (self.validate)(text)
    }

    /// The format of a name.
    #[must_use]
    pub fn named(key: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.key == key)
    }
}

macro_rules! formats {
    ($($key:literal $name:literal $size:literal $validate:expr;)*) => {
        static FORMATS: &[NamedFormat] =
            &[$(NamedFormat { key: $key, name: $name, pattern_size: $size, validate: $validate }),*];
    };
}

formats! {
    "dns1123Label" "DNS1123Label" 30 dns1123_label;
    "dns1123Subdomain" "DNS1123Subdomain" 60 dns1123_subdomain;
    "dns1035Label" "DNS1035Label" 30 dns1035_label;
    "qualifiedName" "QualifiedName" 60 qualified_name;
    "dns1123LabelPrefix" "DNS1123LabelPrefix" 30 |text| dns1123_label(&masked(text));
    "dns1123SubdomainPrefix" "DNS1123SubdomainPrefix" 60 |text| dns1123_subdomain(&masked(text));
    "dns1035LabelPrefix" "DNS1035LabelPrefix" 30 |text| dns1035_label(&masked(text));
    "labelValue" "LabelValue" 40 label_value;
    "uri" "URI" 1103 uri;
    "uuid" "uuid" 70 |text| unless(is_uuid(text), "does not match the UUID format");
    "byte" "byte" 84 |text| unless(is_base64(text), "invalid base64");
    "date" "date" 71 |text| unless(time::date(text).is_ok(), "invalid date");
    "datetime" "datetime" 71 |text| unless(is_date_time(text), "invalid datetime");
}

fn unless(valid: bool, message: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![message.to_owned()] }
}

/// A name that something will be appended to may end with a dash.
fn masked(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(before) if !before.is_empty() => format!("{before}a"),
        _ => text.to_owned(),
    }
}

fn lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|byte| lower(*byte))
        && bytes.last().is_some_and(|byte| lower(*byte))
        && bytes.iter().all(|byte| lower(*byte) || *byte == b'-')
}

fn too_long(text: &str, most: usize, unit: &str) -> Option<String> {
    (text.len() > most).then(|| format!("must be no more than {most} {unit}"))
}

fn dns1123_label(text: &str) -> Vec<String> {
    let mut errors: Vec<String> = too_long(text, 63, "characters").into_iter().collect();
    if !is_label(text) {
        errors.push(if is_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
             end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
                .to_owned()
        });
    }
    errors
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn dns1123_subdomain(text: &str) -> Vec<String> {
    let mut errors: Vec<String> = too_long(text, 253, "characters").into_iter().collect();
    if !is_subdomain(text) {
        errors.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    errors
}

fn dns1035_label(text: &str) -> Vec<String> {
    let mut errors: Vec<String> = too_long(text, 63, "characters").into_iter().collect();
    if !(is_label(text) && text.starts_with(|c: char| c.is_ascii_lowercase())) {
        errors.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
             validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    errors
}

fn is_label_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn label_value(text: &str) -> Vec<String> {
    let mut errors: Vec<String> = too_long(text, 63, "bytes").into_iter().collect();
    if !text.is_empty() && !is_label_text(text) {
        errors.push(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
             for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
                .to_owned(),
        );
    }
    errors
}

fn qualified_name(text: &str) -> Vec<String> {
    const FORM: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                        alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
                        validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let mut errors = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else {
                errors.extend(dns1123_subdomain(prefix).into_iter().map(|error| format!("prefix part {error}")));
            }
            *name
        }
        _ => {
            return vec![format!(
                "a qualified name {FORM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if let Some(error) = too_long(name, 63, "bytes") {
        errors.push(format!("name part {error}"));
    }
    if !is_label_text(name) {
        errors.push(format!("name part {FORM}"));
    }
    errors
}

fn uri(text: &str) -> Vec<String> {
    match super::url::Url::parse(text) {
        Ok(_) => Vec::new(),
        Err(error) => {
            vec![if error.starts_with("parse ") { error } else { format!("parse {}: {error}", quoted(text)) }]
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (at, digits) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        match rest.split_at_checked(digits) {
            Some((part, after)) if part.bytes().all(|byte| byte.is_ascii_hexdigit()) => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

fn is_base64(text: &str) -> bool {
    !text.is_empty() && base64::engine::general_purpose::STANDARD.decode(text).is_ok()
}

/// As the format of schemas: a date, then a time whose parts are in range.
fn is_date_time(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let Some((date, clock)) = lower.split_once('t').filter(|(_, clock)| !clock.contains('t')) else { return false };
    let two = |from: usize, limit: u32| {
        clock.get(from..from + 2).and_then(|part| part.parse::<u32>().ok()).is_some_and(|value| value < limit)
    };
    let marks = clock.get(2..3) == Some(":") && clock.get(5..6) == Some(":");
    if time::date(date).is_err() || !marks || !two(0, 24) || !two(3, 60) || !two(6, 60) {
        return false;
    }
    let mut rest = clock.get(8..).unwrap_or_default();
    // Any character may stand before the fraction.
    let mut chars = rest.chars();
    let digits = chars.next().map_or(0, |_| chars.as_str().bytes().take_while(u8::is_ascii_digit).count());
    let zone = |rest: &str| {
        rest == "z"
            || matches!(rest.as_bytes(), [b'+' | b'-', a, b, b':', c, d] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()))
    };
    if zone(rest) {
        return true;
    }
    rest = chars.as_str().get(digits..).unwrap_or_default();
    digits > 0 && zone(rest)
}
