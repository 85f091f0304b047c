//! The engine from the outside: judging, evidence and running, with oracles that lie, panic and babble.

mod fakes;
mod judge;
