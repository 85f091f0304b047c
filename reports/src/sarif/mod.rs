//! SARIF 2.1.0, which code hosts and editors read: its structures, and the report in them.

mod log;
mod write;

pub use log::{
    ArtifactLocation, Configuration, Driver, Level, Location, Log, Message, PhysicalLocation, Region, Rule, RunLog,
    SarifResult, Suppression, Tool, uri,
};
pub use write::sarif;
