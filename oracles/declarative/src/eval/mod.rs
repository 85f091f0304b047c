//! Runs a program over decoded objects.

mod check;
mod fault;
pub(crate) mod program;
mod run;

pub(crate) use check::{At, Check, Emission, Fault, ShownBy, Sink, integer, text_value};
pub(crate) use fault::Nothing;
pub(crate) use run::{NilPointer, Run, quoted, same_keys, selects, undefined_option};
