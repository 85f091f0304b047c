//! Runs and what they need: plans, worker processes, gates, promotion, conformance, corpora, fuzzing.

pub mod apply;
pub mod bench;
pub mod bounded;
pub mod catalogue;
pub mod config;
pub mod conform;
pub mod corpus;
pub mod ending;
pub mod findings;
pub mod fuzz;
pub mod gate;
pub mod init;
pub mod isolate;
pub mod pairs;
pub mod parent;
pub mod plan;
pub mod program;
pub mod promote;
pub mod record;
pub mod run;
pub mod run_folder;
pub mod say;
pub mod skew;
pub mod stop;
pub mod survey;
pub mod target;
