//! Formats that check nothing.

use super::{Add, UNKNOWN_FORMAT};
use crate::structural::{SchemaType, Structural};
use crate::validate::{TEXT_FORMATS, kept_format};
use takeover_harness::text::nearest;

/// Formats of numbers, which publish their size and check nothing else than the type does.
const OF_NUMBERS: [&str; 4] = ["int32", "int64", "float", "double"];

/// Calls `add` where a server ignores the format.
pub(super) fn check(node: &Structural, add: Add<'_>) {
    let Some(format) = node.checks.format.as_deref().filter(|format| !format.is_empty()) else { return };
    if kept_format(node).is_some() {
        return;
    }
    let squeezed = format.replace('-', "");
    let is_text = matches!(node.ty, Some(SchemaType::String) | None) || node.int_or_string;
    let message = match (OF_NUMBERS.contains(&format), TEXT_FORMATS.contains(&&*squeezed)) {
        (true, _) | (_, true) => format!("`{format}` is no format of this type: it checks nothing"),
        (false, false) => format!("servers know no format `{format}`: it checks nothing"),
    };
    let meant = nearest(&squeezed, TEXT_FORMATS).filter(|meant| is_text && *meant != squeezed);
    let help = meant.map_or_else(
        || "say the same by `pattern`, by a bound or by a CEL rule, or leave it out".to_owned(),
        |meant| format!("did you mean `{meant}`?"),
    );
    add(&UNKNOWN_FORMAT, "format", message, Some(help.into()));
}
