//! Comparing after the answer was sent: threads that judge, and a watch over them.

mod elsewhere;
mod pool;
mod private;
mod slot;
mod worker;

pub use pool::{Left, Pool};
