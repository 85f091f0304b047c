//! Where warnings and notes go while work is under way.

/// Says one line to whoever waits for the work: on a terminal, in a log, or nowhere.
pub type Say<'s> = &'s (dyn Fn(&str) + Sync);
