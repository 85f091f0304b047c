//! Patterns that match parts of a text.

use super::{ANCHORS, Add};
use crate::structural::Structural;

/// Calls `add` where a pattern does not say where it begins and ends.
pub(super) fn check(node: &Structural, add: Add<'_>) {
    let Some(pattern) = &node.checks.pattern else { return };
    let text = pattern.as_str();
    let (missing, accepted) = match (begins(text), ends(text)) {
        (true, true) => return,
        (false, true) => ("`^`", "that ends with a match"),
        (true, false) => ("`$`", "that begins with a match"),
        (false, false) => ("`^` and `$`", "with a match inside"),
    };
    let message = format!("the pattern `{text}` has no {missing}: it accepts every text {accepted}");
    add(&ANCHORS, "pattern", message, Some("write `^(…)$` around it, or `.*` where any text may follow".into()));
}

/// The alternatives at the top of a pattern.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut depth, mut brackets, mut escaped, mut start) = (0_usize, false, false, 0);
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => brackets = false,
            '[' => brackets = true,
            _ if brackets => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                found.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.extend(text.get(start..));
    found
}

/// Whether each alternative begins where the text does, or with anything.
fn begins(text: &str) -> bool {
    alternatives(text).into_iter().all(|one| {
        let one = one.trim_start_matches('(').trim_start_matches("?:").trim_start_matches("?i)");
        ["^", "\\A", ".*", "(?s).*"].iter().any(|start| one.starts_with(start))
    })
}

/// Whether each alternative ends where the text does, or with anything.
fn ends(text: &str) -> bool {
    alternatives(text).into_iter().all(|one| {
        let one = one.trim_end_matches(')');
        let dollar = one.ends_with('$') && !one.ends_with("\\$");
        dollar || ["\\z", ".*"].iter().any(|end| one.ends_with(end))
    })
}
