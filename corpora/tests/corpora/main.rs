//! Corpora from the outside: reading, generating, minimising. One program, because each would link everything anew.

mod blind;
mod comparison;
mod generate;
mod independence;
mod minimise;
