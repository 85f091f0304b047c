//! Runs a program over decoded objects.

mod check;
mod fault;
mod run;

pub(crate) use check::{At, Check, Emission, Sink, integer, text_value};
pub(crate) use fault::{Fault, Nothing, ShownBy};
pub(crate) use run::{NilPointer, Run, quoted, same_keys, selects, undefined_option};
