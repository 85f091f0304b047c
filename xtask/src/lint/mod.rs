//! Lint over files of the user: `inputs` finds which packages a path means, `report` makes the report of what was found.

mod crds;
mod inputs;
mod report;

pub use crds::{CrdSettings, is_of_manifests, lint_crds};
pub use inputs::{Inputs, read_exceptions, resolve};
pub use report::{list, off, report};
