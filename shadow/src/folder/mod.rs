//! The run folder of a server: evidence that outlives it, and that `merge` reads.

mod server_folder;

pub use server_folder::{Before, Folder, PositionsByPath, is_of_one_server, is_shadow};
pub(crate) use server_folder::{EVIDENCE, PRODUCTION, Record, is_aside, read};
