//! Names of properties as identifiers of CEL.

use std::borrow::Cow;

/// Words that are no identifiers of CEL, in expressions and as names of variables.
pub const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// A property's name as an identifier, or nothing if it cannot be one.
#[must_use]
pub fn escape(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut chars = name.chars();
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
    if !chars.next().is_some_and(|c| allowed(c) && !c.is_ascii_digit()) || !chars.all(allowed) {
        return None;
    }
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let (written, read) = match c {
            '_' if rest.starts_with("__") => ("__underscores__", 2),
            '.' => ("__dot__", 1),
            '-' => ("__dash__", 1),
            '/' => ("__slash__", 1),
            _ => (rest.get(..1).unwrap_or_default(), 1),
        };
        out.push_str(written);
        rest = rest.get(read..).unwrap_or_default();
    }
    Some(out)
}

/// The property's name of an identifier, or nothing if [`escape`] never makes that identifier.
#[must_use]
pub fn unescape(name: &str) -> Option<Cow<'_, str>> {
    if !name.contains("__") {
        return Some(Cow::Borrowed(name));
    }
    let inner = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    if let Some(word) = inner.filter(|word| RESERVED.contains(word)) {
        return Some(Cow::Owned(word.to_owned()));
    }
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if let Some(escaped) = rest.strip_prefix("__") {
            let (word, after) = escaped.split_once("__")?;
            out.push_str(match word {
                "underscores" => "__",
                "dot" => ".",
                "dash" => "-",
                "slash" => "/",
                _ => return None,
            });
            rest = after;
        } else {
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_back() {
        for (name, escaped) in [
            ("a-b.c/d__e", "a__dash__b__dot__c__slash__d__underscores__e"),
            ("namespace", "__namespace__"),
            ("int", "int"),
            ("a_b", "a_b"),
        ] {
            assert_eq!(escape(name).as_deref(), Some(escaped));
            assert_eq!(unescape(escaped).as_deref(), Some(name));
        }
        for name in ["", "1a", "a b", "\u{e9}"] {
            assert_eq!(escape(name), None);
        }
        assert_eq!(unescape("a__b"), None);
    }
}
