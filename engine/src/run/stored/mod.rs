//! Runs whose shards are kept in a storage that all machines see: `soak --out s3://…`.
//!
//! Below the address lie `soak.json` (what is run: whoever joins has to run the same), `checkpoints/` and `results/`, an object a shard.
//! Every object is written whole, under a condition, so that two processes with one shard do no harm: the checkpoint that is further stays,
//! and the first result.

mod conclude;
mod envelope;
mod gather;
mod joined;
mod keeper;
mod report;

pub(super) use conclude::conclude_shard;
pub use gather::stored_shards;
pub(super) use gather::{Gathered, StoredShard, each};
pub use joined::{Joined, join};
pub(super) use keeper::ShardKeeper;
pub use report::{merged_report, shard_report, stored_report};
