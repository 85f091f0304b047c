//! Where cases come from: loaders of files people have, objects recorded in this project, the generator, and the minimiser
//! that makes what they show readable.

pub mod generate;
pub mod load;
pub mod minimise;
pub mod recorded;
