//! Promotes rules whose evidence allows the next level: makes the patch that moves them, and says why the others stay.

mod decide;
mod lines;
mod patch;
mod place;
mod report;
mod rewrite;
mod step;
mod twins;
mod verify;

pub use decide::decide;
pub use lines::lines;
pub use patch::diff;
pub use place::PatchPlace;
pub use report::report;
pub use step::Step;
pub use twins::deletable;
pub use verify::verify;
