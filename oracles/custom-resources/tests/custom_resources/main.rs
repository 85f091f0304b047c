//! The engine of custom resources from the outside. One program, because each would link everything anew.

mod defaults;
mod faults;
mod hostile;
mod oracle;
mod reading;
mod rows;
mod rules;
mod verdicts;
