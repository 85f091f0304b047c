//! Where cases come from: loaders, the generator, and the minimiser that makes what they show readable.

pub mod generate;
pub mod minimise;
