//! Unions under skew, from the outside. One program, because each would link everything anew.

mod cases;
mod kep;
mod planted;
mod sources;
