//! Where the members of a document stand in its file.

use super::limits::Limits;
use super::yaml;
use std::collections::HashMap;

/// Where each member and element of a YAML or JSON document stands in the text of its file, by JSON pointer: line and column, both
/// from 1; the column counts characters. `line` is the one that the document begins at. Empty when it cannot be parsed.
///
/// ```
/// let text = "a: 1\n---\nb:\n- c: 2\n";
/// let places = takeover_corpora::load::places(text, 3);
/// assert_eq!(places.get("/b/0/c"), Some(&(4, 3)));
/// assert_eq!(places.get("/a"), None);
/// ```
#[must_use]
pub fn places(text: &str, line: u64) -> HashMap<String, (u64, u64)> {
    let lines = text.split_inclusive('\n').skip(usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX));
    let document: String = lines.take_while(|line| !line.starts_with("---") && !line.starts_with("...")).collect();
    yaml::places(&document, line, Limits::default()).unwrap_or_default()
}
