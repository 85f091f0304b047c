//! What `skew` prints for people.

mod cell;
mod matrix;

pub use cell::cell_text;
pub use matrix::text;

use takeover_unions::play::Verdict;

/// A verdict in words.
fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Kept => "kept".to_owned(),
        Verdict::Refused(_) => "refused".to_owned(),
        Verdict::Lost(what) => format!("LOST: {}", what.join(", ")),
    }
}
