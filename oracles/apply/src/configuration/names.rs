//! Names in Rust for those of Go and JSON.

use std::collections::{BTreeMap, BTreeSet};

/// Names of types, traits and variants that generated code uses, also those of traits whose methods it calls.
const TAKEN: [&str; 18] = [
    "BTreeMap",
    "Box",
    "Default",
    "Deserialize",
    "Extend",
    "From",
    "IntOrString",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Option",
    "Self",
    "Serialize",
    "Some",
    "String",
    "ToOwned",
    "Vec",
];

/// Words that cannot be the name of a field, unless they are written as `r#type`.
const KEYWORDS: [&str; 49] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that cannot be the name of a field in any way.
const NEVER: [&str; 4] = ["crate", "self", "super", "_"];

/// A name in upper camel case for each full name of a type: its last part if no other type has it, otherwise with the parts before
/// it, and a number where that is not enough.
pub(super) fn of_types<'n>(full: impl Iterator<Item = &'n str>) -> BTreeMap<&'n str, String> {
    let full: BTreeSet<&str> = full.collect();
    let mut by_short: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in full {
        by_short.entry(upper_camel(short(name))).or_default().push(name);
    }
    let mut names = BTreeMap::new();
    let mut used: BTreeSet<String> = TAKEN.iter().map(|name| (*name).to_owned()).collect();
    // Names that are not shared come first, so that they stay as they are.
    let (own, shared): (Vec<_>, Vec<_>) = by_short.into_iter().partition(|(_, full)| full.len() == 1);
    for (name, full) in
        own.into_iter().map(|(name, full)| (Some(name), full)).chain(shared.into_iter().map(|of| (None, of.1)))
    {
        for full in full {
            let wanted = name.clone().unwrap_or_else(|| upper_camel(&with_package(full)));
            names.insert(full, unique(wanted, "Type", &mut used));
        }
    }
    names
}

/// The part of a full name behind its package.
fn short(full: &str) -> &str {
    let file = full.rsplit('/').next().unwrap_or(full);
    file.split_once('.').map_or(file, |(_, name)| name)
}

/// The last two parts of the package, and the name: `core v1 PodSpec`.
fn with_package(full: &str) -> String {
    let package = full.strip_suffix(short(full)).unwrap_or_default().trim_end_matches('.');
    let mut parts: Vec<&str> = package.rsplit('/').take(2).collect();
    parts.reverse();
    format!("{} {}", parts.join(" "), short(full))
}

/// The name itself if nothing has it yet, otherwise with the suffix, and then with a number.
fn unique(wanted: String, suffix: &str, used: &mut BTreeSet<String>) -> String {
    let tries = std::iter::once(wanted.clone())
        .chain(std::iter::once(format!("{wanted}{suffix}")))
        .chain((2..).map(|number| format!("{wanted}{suffix}{number}")));
    let free = tries.into_iter().find(|name| !used.contains(name)).unwrap_or(wanted);
    used.insert(free.clone());
    free
}

fn upper_camel(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let upper = |part: &str| {
        let mut chars = part.chars();
        chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect::<String>()
    };
    let name: String = parts.map(upper).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("T{name}") }
}

/// The names of the fields of a struct, for JSON names, without `r#`.
pub(super) fn of_fields<'n>(json: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut used = BTreeSet::new();
    json.map(|name| unique(snake(name), "_", &mut used)).collect()
}

/// A field's name as it is written: `r#type`.
pub(super) fn escaped(field: &str) -> String {
    if KEYWORDS.contains(&field) { format!("r#{field}") } else { field.to_owned() }
}

/// `podIPs` is `pod_ips`, `clusterIP` is `cluster_ip`, `IPBlock` is `ip_block`.
fn snake(json: &str) -> String {
    let chars: Vec<char> = json.chars().collect();
    let at = |at: usize| chars.get(at).copied();
    let is = |c: Option<char>, is: fn(&char) -> bool| c.as_ref().is_some_and(is);
    let mut name = String::new();
    for (index, c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            continue;
        }
        if c.is_ascii_uppercase() {
            let before = index.checked_sub(1).and_then(at);
            let begins_after_lower = is(before, |c| c.is_ascii_lowercase() || c.is_ascii_digit());
            // The last capital of several begins a word, unless only the `s` of a plural follows.
            let is_plural = at(index + 1) == Some('s') && !is(at(index + 2), char::is_ascii_lowercase);
            let begins_word = is(before, char::is_ascii_uppercase) && is(at(index + 1), char::is_ascii_lowercase);
            if (begins_after_lower || begins_word && !is_plural) && !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
        }
        name.push(c.to_ascii_lowercase());
    }
    let name = name.trim_end_matches('_').to_owned();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || NEVER.contains(&name.as_str()) {
        return format!("field_{name}").trim_end_matches('_').to_owned();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{escaped, of_fields, of_types};

    #[test]
    fn fields_are_in_snake_case_and_differ() {
        let json = [
            ("replicas", "replicas"),
            ("hostPID", "host_pid"),
            ("podIPs", "pod_ips"),
            ("externalIPs2", "external_ips2"),
            ("clusterIP", "cluster_ip"),
            ("IPBlock", "ip_block"),
            ("x-kubernetes-list-type", "x_kubernetes_list_type"),
            ("$ref", "ref"),
            ("max.size", "max_size"),
            ("maxSize", "max_size_"),
            ("max_size", "max_size_2"),
            ("3scale", "field_3scale"),
            ("self", "field_self"),
            ("Ünï", "n"),
            ("…", "field"),
        ];
        let names = of_fields(json.iter().map(|(json, _)| *json));
        let expected: Vec<&str> = json.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, expected);
        assert_eq!(
            (escaped("type"), escaped("ref"), escaped("kind")),
            ("r#type".into(), "r#ref".into(), "kind".into())
        );
    }

    #[test]
    fn types_have_short_names_where_these_differ() {
        let full = [
            ("k8s.io/api/core/v1.PodSpec", "PodSpec"),
            ("k8s.io/api/core/v1.Condition", "CoreV1Condition"),
            ("k8s.io/apimachinery/pkg/apis/meta/v1.Condition", "MetaV1Condition"),
            ("example.com/v1.Option", "OptionType"),
            ("example.com/v1.Vec", "VecType"),
            ("example.com/v1.a_b", "AB"),
            ("example.com/v1.a-b", "V1AB"),
            ("x.com/v1.a-b", "V1ABType"),
        ];
        let names = of_types(full.iter().map(|(full, _)| *full));
        let shared: Vec<&str> = full.iter().take(5).map(|(full, _)| names[full].as_str()).collect();
        assert_eq!(shared, ["PodSpec", "CoreV1Condition", "MetaV1Condition", "OptionType", "VecType"]);
        let distinct: std::collections::BTreeSet<&String> = names.values().collect();
        assert_eq!(distinct.len(), full.len(), "{names:?}");
    }
}
