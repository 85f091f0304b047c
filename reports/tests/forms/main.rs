//! The forms of the reports, from outside.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod admission;
mod browser;
mod causes;
mod diff;
mod exceptions;
mod hostile;
mod html;
mod junit;
mod pairs;
mod sample;
mod small;
mod texts;
