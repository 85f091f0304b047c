//! What is wrong with names, in the words of API servers.

use takeover_cel::scalar::format::NamedFormat;

fn problems(format: &str, text: &str) -> Vec<String> {
    NamedFormat::named(format).map(|format| format.validate(text)).unwrap_or_default()
}

/// A key of labels, or the name of a match condition.
pub(crate) fn qualified_name(text: &str) -> Vec<String> {
    problems("qualifiedName", text)
}

/// The value of a label.
pub(crate) fn label_value(text: &str) -> Vec<String> {
    problems("labelValue", text)
}

/// A DNS subdomain.
pub(crate) fn subdomain(text: &str) -> Vec<String> {
    problems("dns1123Subdomain", text)
}

/// A DNS label that starts with a letter.
pub(crate) fn dns1035_label(text: &str) -> Vec<String> {
    problems("dns1035Label", text)
}

/// A segment of a URL's path.
pub(crate) fn path_segment(text: &str) -> Vec<String> {
    if matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ["/", "%"].into_iter().filter(|sign| text.contains(sign)).map(|sign| format!("may not contain '{sign}'")).collect()
}
