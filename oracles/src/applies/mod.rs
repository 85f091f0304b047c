//! The laws of apply: what holds of every object that is applied, and where apply and update part.

mod differences;
mod laws;

pub use laws::{Broken, Law, Laws};
