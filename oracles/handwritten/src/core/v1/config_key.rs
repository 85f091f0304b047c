//! Keys of ConfigMaps and Secrets, and what else both have.

use crate::names::Problems;

/// Most bytes of all values together.
pub const SIZE_LIMIT: usize = 1024 * 1024;
/// What Kubernetes says of a change of a frozen object.
pub const FROZEN: &str = "field is immutable when `immutable` is set";
/// Longest key, in bytes.
const KEY_LIMIT: usize = 253;

/// Checks a key of a ConfigMap or Secret: the name of a file.
pub fn config_key(key: &str) -> Problems {
    let mut problems = Problems::new();
    if key.len() > KEY_LIMIT {
        problems.push("must be no more than 253 characters".into());
    }
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')) {
        problems.push(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
             'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
                .into(),
        );
    }
    match key {
        "." => problems.push("must not be '.'".into()),
        ".." => problems.push("must not be '..'".into()),
        _ if key.starts_with("..") => problems.push("must not start with '..'".into()),
        _ => {}
    }
    problems
}
