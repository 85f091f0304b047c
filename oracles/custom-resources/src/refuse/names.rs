//! Names as servers take them.

use regex::Regex;
use std::sync::LazyLock;

const DNS_1035_FORM: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
                             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
                             validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

static DNS_1035: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-z]([-a-z0-9]*[a-z0-9])?$").ok());

/// What keeps a text from being a DNS-1035 label, joined; `None` if it is one.
pub(super) fn not_a_label(text: &str) -> Option<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push("must be no more than 63 characters");
    }
    if !DNS_1035.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
        problems.push(DNS_1035_FORM);
    }
    (!problems.is_empty()).then(|| problems.join(","))
}
