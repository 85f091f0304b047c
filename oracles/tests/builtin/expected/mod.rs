//! How rows of tests say which errors they expect.

/// Whether a printed error has exactly the path and the type that a row expects, and then what the row says of value and detail. A row
/// may end early, and skip text with `…`.
pub(crate) fn is_expected(line: &str, path_and_type: &str, expected: &str) -> bool {
    let Some(rest) = expected.strip_prefix(path_and_type) else { return false };
    let mut said = line.get(path_and_type.len()..).unwrap_or_default();
    let mut parts = rest.split('…');
    let first = parts.next().unwrap_or_default();
    said = match said.strip_prefix(first) {
        Some(said) => said,
        None => return false,
    };
    parts.all(|part| {
        said.split_once(part).is_some_and(|(_, rest)| {
            said = rest;
            true
        })
    })
}
