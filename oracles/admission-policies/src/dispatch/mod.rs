//! All policies and bindings on one request, as admission asks them.

mod audit;
mod params;
mod response;
mod set;

pub use response::{Denial, Response, Status};
pub use set::{PolicySet, Ran};
