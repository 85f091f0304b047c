//! Syntax of names, label keys and label values, with the messages that Kubernetes 1.36 gives.
//!
//! Every check answers with its problems in order; no problem means valid and costs no allocation.

use std::borrow::Cow;

/// What is wrong with a text, one message each.
pub type Problems = Vec<Cow<'static, str>>;

/// Longest DNS label.
pub const LABEL_LIMIT: usize = 63;
/// Longest DNS subdomain.
pub const SUBDOMAIN_LIMIT: usize = 253;

const SUBDOMAIN_LENGTH: &str = "must be no more than 253 characters";
const SUBDOMAIN_SHAPE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and \
     end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const UNDERSCORE_SUBDOMAIN_SHAPE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start \
     and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const LABEL_SHAPE: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with \
     an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const OLD_LABEL_SHAPE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and \
     end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
     '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY_NAME_SHAPE: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
     character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const KEY_SHAPE: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. \
     'example.com/MyName')";
const VALUE_SHAPE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and \
     end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// A DNS subdomain (RFC 1123, lower case): what most objects are named.
#[must_use]
pub fn dns_subdomain(value: &str) -> Problems {
    let mut problems = Problems::new();
    if value.len() > SUBDOMAIN_LIMIT {
        problems.push("must be no more than 253 bytes".into());
    }
    if !is_subdomain(value.as_bytes(), is_lower) {
        problems.push(SUBDOMAIN_SHAPE.into());
    }
    problems
}

/// A DNS subdomain, in the words of the checks that most fields and names of objects have: their limit is in characters,
/// though it counts bytes too.
#[must_use]
pub fn subdomain_name(value: &str) -> Problems {
    let mut problems = dns_subdomain(value);
    if let (Some(first), true) = (problems.first_mut(), value.len() > SUBDOMAIN_LIMIT) {
        *first = SUBDOMAIN_LENGTH.into();
    }
    problems
}

/// A DNS subdomain in upper or lower case.
#[must_use]
pub fn subdomain_caseless(value: &str) -> Problems {
    subdomain_name(&lowered(value))
}

/// The start of a generated DNS subdomain. Kubernetes checks it with its trailing dash, and the letter before that, replaced
/// by one letter, because more will follow.
#[must_use]
pub fn dns_subdomain_start(value: &str) -> Problems {
    let kept = match value.as_bytes() {
        [kept @ .., _, b'-'] => kept,
        _ => return subdomain_name(value),
    };
    let mut problems = Problems::new();
    if kept.len() + 1 > SUBDOMAIN_LIMIT {
        problems.push(SUBDOMAIN_LENGTH.into());
    }
    let mut labels = kept.rsplit(|byte| *byte == b'.');
    let open = labels.next().unwrap_or_default();
    let opens_well =
        open.first().is_none_or(|first| is_lower(*first)) && open.iter().all(|byte| is_lower(*byte) || *byte == b'-');
    if !(opens_well && labels.all(|label| is_dns_label(label, is_lower))) {
        problems.push(SUBDOMAIN_SHAPE.into());
    }
    problems
}

/// A DNS subdomain whose labels may also hold `_`: search domains of resolvers.
#[must_use]
pub fn dns_subdomain_with_underscore(value: &str) -> Problems {
    let mut problems = Problems::new();
    if value.len() > SUBDOMAIN_LIMIT {
        problems.push(SUBDOMAIN_LENGTH.into());
    }
    let label = |label: &[u8]| {
        let label = label.strip_prefix(b"_").unwrap_or(label);
        is_edged(label, is_lower, |byte| is_lower(byte) || byte == b'-' || byte == b'_')
    };
    if !value.as_bytes().split(|byte| *byte == b'.').all(label) {
        problems.push(UNDERSCORE_SUBDOMAIN_SHAPE.into());
    }
    problems
}

/// A DNS label (RFC 1123, lower case): namespaces, host names.
#[must_use]
pub fn dns_label(value: &str) -> Problems {
    let mut problems = Problems::new();
    if value.len() > LABEL_LIMIT {
        problems.push("must be no more than 63 characters".into());
    }
    if !is_dns_label(value.as_bytes(), is_lower) {
        let only_dots = is_subdomain(value.as_bytes(), is_lower);
        problems.push(if only_dots { "must not contain dots".into() } else { LABEL_SHAPE.into() });
    }
    problems
}

/// The start of a generated DNS label, changed for the check as [`dns_subdomain_start`] says.
#[must_use]
pub fn dns_label_start(value: &str) -> Problems {
    dns_label(&masked(value))
}

/// A DNS label of the older sort (RFC 1035), which starts with a letter: services before Kubernetes 1.36, versions of reviews.
#[must_use]
pub fn old_dns_label(value: &str) -> Problems {
    let mut problems = Problems::new();
    if value.len() > LABEL_LIMIT {
        problems.push("must be no more than 63 characters".into());
    }
    let starts_well = value.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    if !(starts_well && is_dns_label(value.as_bytes(), is_lower)) {
        problems.push(OLD_LABEL_SHAPE.into());
    }
    problems
}

/// The start of a generated DNS label of the older sort.
#[must_use]
pub fn old_dns_label_start(value: &str) -> Problems {
    old_dns_label(&masked(value))
}

/// The start of a name with its trailing dash, and the letter before that, replaced by one letter. No letter outside ASCII
/// gets away like this.
fn masked(value: &str) -> Cow<'_, str> {
    let kept = match value.as_bytes() {
        [kept @ .., last, b'-'] if last.is_ascii() => value.get(..kept.len()),
        _ => None,
    };
    kept.map_or(value.into(), |kept| format!("{kept}a").into())
}

/// A name that can stand as one segment of a URL path: the least that any object's name must be.
#[must_use]
pub fn path_segment(value: &str) -> Problems {
    match value {
        "." => vec!["may not be '.'".into()],
        ".." => vec!["may not be '..'".into()],
        _ => path_segment_part(value),
    }
}

/// The start of a name that can stand as one segment of a URL path.
#[must_use]
pub fn path_segment_part(value: &str) -> Problems {
    let mut problems = Problems::new();
    if cut(value, b'/').is_some() {
        problems.push("may not contain '/'".into());
    }
    if cut(value, b'%').is_some() {
        problems.push("may not contain '%'".into());
    }
    problems
}

/// A label key, also called qualified name: an optional DNS subdomain and `/`, then a name of at most 63 bytes.
#[must_use]
pub fn label_key(value: &str) -> Problems {
    qualified(value, is_lower)
}

/// An annotation key: a label key, upper case allowed in its prefix.
#[must_use]
pub fn annotation_key(value: &str) -> Problems {
    if value.is_ascii() {
        return qualified(value, |byte| byte.is_ascii_alphanumeric());
    }
    qualified(&lowered(value), is_lower)
}

/// The value of a label.
#[must_use]
pub fn label_value(value: &str) -> Problems {
    let mut problems = Problems::new();
    if value.len() > LABEL_LIMIT {
        problems.push("must be no more than 63 bytes".into());
    }
    if !value.is_empty() && !is_key_name(value.as_bytes()) {
        problems.push(VALUE_SHAPE.into());
    }
    problems
}

/// ASCII letters in lower case, and the two letters outside ASCII that become ASCII ones by Go's one-to-one mapping.
fn lowered(value: &str) -> String {
    let lower = |letter| match letter {
        '\u{130}' => 'i',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    value.chars().map(lower).collect()
}

fn qualified(value: &str, prefix_byte: impl Fn(u8) -> bool) -> Problems {
    let mut problems = Problems::new();
    let name = match cut(value, b'/') {
        None => value,
        Some((_, name)) if cut(name, b'/').is_some() => return vec![KEY_SHAPE.into()],
        Some(("", name)) => {
            problems.push("prefix part must be non-empty".into());
            name
        }
        Some((prefix, name)) => {
            if prefix.len() > SUBDOMAIN_LIMIT {
                problems.push("prefix part must be no more than 253 bytes".into());
            }
            if !is_subdomain(prefix.as_bytes(), prefix_byte) {
                problems.push(format!("prefix part {SUBDOMAIN_SHAPE}").into());
            }
            name
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".into());
    } else if name.len() > LABEL_LIMIT {
        problems.push("name part must be no more than 63 bytes".into());
    }
    if !is_key_name(name.as_bytes()) {
        problems.push(KEY_NAME_SHAPE.into());
    }
    problems
}

/// What stands before and after the first of an ASCII character. The general search of the standard library takes longer to
/// begin than most names are long.
#[must_use]
pub fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let position = text.bytes().position(|byte| byte == at)?;
    Some((text.get(..position)?, text.get(position + 1..)?))
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Whether `text` is not empty, starts and ends with an `edge` byte and holds only `inner` bytes.
fn is_edged(text: &[u8], edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    match (text.first(), text.last()) {
        (Some(first), Some(last)) => edge(*first) && edge(*last) && text.iter().all(|byte| inner(*byte)),
        _ => false,
    }
}

fn is_dns_label(text: &[u8], letter: impl Fn(u8) -> bool) -> bool {
    is_edged(text, &letter, |byte| letter(byte) || byte == b'-')
}

/// Whether `text` is DNS labels with dots between: at both ends and beside every dot stands a letter.
fn is_subdomain(text: &[u8], letter: impl Fn(u8) -> bool) -> bool {
    let mut last = b'.';
    let inside = text.iter().all(|byte| {
        let before = std::mem::replace(&mut last, *byte);
        letter(*byte) || (*byte == b'.' && letter(before)) || (*byte == b'-' && before != b'.')
    });
    inside && letter(last)
}

fn is_key_name(text: &[u8]) -> bool {
    is_edged(
        text,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: fn(&str) -> Problems, rows: &[(&str, &[&str])]) {
        for (value, expected) in rows {
            let problems = rule(value);
            assert_eq!(problems.len(), expected.len(), "`{value}`: {problems:?}");
            for (problem, start) in problems.iter().zip(*expected) {
                assert!(problem.starts_with(start), "`{value}`: {problem}");
            }
        }
    }

    #[test]
    fn subdomains_are_dotted_lower_case_labels() {
        let (long, longer) = ("a".repeat(253), "a".repeat(254));
        let shape = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'";
        check(
            dns_subdomain,
            &[
                ("a", &[]),
                ("0.b-c.d", &[]),
                (&long, &[]),
                (&longer, &["must be no more than 253 bytes"]),
                ("", &[shape]),
                ("A", &[shape]),
                ("a..b", &[shape]),
                ("-a", &[shape]),
                ("a-", &[shape]),
                ("a_b", &[shape]),
                ("a\n", &[shape]),
            ],
        );
    }

    #[test]
    fn names_are_limited_in_characters() {
        let (long, longer) = ("a".repeat(253), "A".repeat(254));
        let (length, shape) = ("must be no more than 253 characters", "a lowercase RFC 1123 subdomain");
        check(subdomain_name, &[(&long, &[]), ("A", &[shape]), (&longer, &[length, shape])]);
    }

    #[test]
    fn labels_say_when_only_dots_are_wrong() {
        let dotted = format!("{}.b", "a".repeat(63));
        check(
            dns_label,
            &[
                ("a-1", &[]),
                ("a.b", &["must not contain dots"]),
                (&dotted, &["must be no more than 63 characters", "must not contain dots"]),
                ("a.B", &["a lowercase RFC 1123 label must consist"]),
                ("", &["a lowercase RFC 1123 label must consist"]),
            ],
        );
    }

    #[test]
    fn labels_of_the_older_sort_start_with_a_letter() {
        let long = "a".repeat(64);
        let (length, shape) = ("must be no more than 63 characters", "a DNS-1035 label must consist");
        check(old_dns_label, &[("a-1", &[]), ("1a", &[shape]), ("a.b", &[shape]), ("", &[shape]), (&long, &[length])]);
        check(
            old_dns_label_start,
            &[("a-", &[]), ("1-", &[]), ("-", &[shape]), ("a.-", &[]), ("é-", &[shape]), ("A-b-", &[shape])],
        );
    }

    #[test]
    fn a_label_goes_on_after_the_dash_of_its_start() {
        let shape = "a lowercase RFC 1123 label must consist";
        check(
            dns_label_start,
            &[
                ("web-", &[]),
                ("1-", &[]),
                ("a", &[]),
                ("-", &[shape]),
                ("", &[shape]),
                ("Ab-", &[shape]),
                ("é-", &[shape]),
            ],
        );
    }

    #[test]
    fn label_keys_have_an_optional_prefix_and_a_name() {
        let name = "a".repeat(64);
        let prefix = format!("{}/a", "a".repeat(254));
        check(
            label_key,
            &[
                ("a", &[]),
                ("A_b.c-1", &[]),
                ("example.com/A", &[]),
                ("", &["name part must be non-empty", "name part must consist"]),
                ("a/", &["name part must be non-empty", "name part must consist"]),
                ("/a", &["prefix part must be non-empty"]),
                ("A/a", &["prefix part a lowercase RFC 1123 subdomain"]),
                ("a/b/c", &["a valid label key must consist"]),
                (&name, &["name part must be no more than 63 bytes"]),
                (&prefix, &["prefix part must be no more than 253 bytes"]),
                ("a b", &["name part must consist"]),
            ],
        );
    }

    #[test]
    fn annotation_keys_forget_about_case() {
        check(
            annotation_key,
            &[
                ("Example.COM/A", &[]),
                ("\u{212a}8s.io/a", &[]),
                ("\u{212b}/a", &["prefix part a lowercase"]),
                ("a b", &["name part must consist"]),
            ],
        );
    }

    #[test]
    fn label_values_may_be_empty() {
        let long = "a".repeat(64);
        check(
            label_value,
            &[("", &[]), ("A.b", &[]), ("-a", &["a valid label must be"]), (&long, &["must be no more than 63 bytes"])],
        );
    }

    #[test]
    fn search_domains_may_hold_underscores() {
        check(
            dns_subdomain_with_underscore,
            &[("_a.b_c", &[]), ("a_", &["a lowercase RFC 1123 subdomain"]), ("__a", &["a lowercase RFC 1123"])],
        );
    }

    #[test]
    fn path_segments_exclude_what_urls_read() {
        check(
            path_segment,
            &[
                ("A b", &[]),
                (".", &["may not be '.'"]),
                ("..", &["may not be '..'"]),
                ("a/b%", &["may not contain '/'", "may not contain '%'"]),
            ],
        );
        assert!(path_segment_part("..").is_empty());
    }

    #[test]
    fn the_start_of_a_generated_name_may_end_in_a_dash() {
        let shape: &[&str] = &["a lowercase RFC 1123 subdomain"];
        check(
            dns_subdomain_start,
            &[
                ("web-", &[]),
                ("a-", &[]),
                ("A-", &[]),
                ("a.b-", &[]),
                ("a.-", &[]),
                ("--", &[]),
                ("web", &[]),
                ("-", shape),
                ("-ab-", shape),
                ("a..b-", shape),
                ("Ab-", shape),
                ("", shape),
            ],
        );
    }
}
