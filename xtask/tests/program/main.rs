//! The program as its users run it. One program of tests, because each would link all crates anew.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests stop at the first surprise, and say what they skip"
)]

mod abuse;
mod apply;
mod apply_laws;
mod bench;
mod book;
mod boundaries;
mod ci_doc;
mod cli;
mod closing_screen;
mod corpus;
mod defaults;
mod deploy;
mod docs;
mod exceptions;
mod exposure;
mod findings_doc;
mod fuzz;
mod gate;
mod help;
mod hostile;
mod illegible;
mod init;
mod installed;
mod isolate;
mod lint;
mod load;
mod module_cycles;
mod mutants;
mod newcomer;
mod oracle_check;
mod oracle_socket;
mod page;
mod pairs;
mod planted;
mod private;
mod promote;
mod property;
mod readme;
mod recordings;
mod releases;
mod replay;
mod report;
mod report_schema;
mod resume;
mod scan;
mod scratch;
mod selftest;
mod settings;
mod shadow;
mod shards;
mod shell;
mod skew;
mod stopped;
mod stored;
mod subjects;
mod types;
mod usages;
mod validate;
mod webhook_to_crd;
mod without_rules;
mod workflow;
