//! Where the decoder stands, and what it found wrong.

use super::misfit::{FieldValidation, Misfit, Undecodable};
use crate::object::Arena;
use crate::schema::{Schema, TypeId};
use std::cell::RefCell;
use std::fmt;

/// Nesting at which decoding gives up, above anything the API types allow outside free-form JSON.
pub(super) const MAX_DEPTH: u32 = 120;

/// The first fault found, what was dropped, and the arena of the case.
pub(super) struct Faults<'a> {
    pub validation: FieldValidation,
    pub dropped: RefCell<Vec<Undecodable>>,
    pub first: RefCell<Option<Undecodable>>,
    pub arena: &'a Arena,
}

/// Where the decoder stands: a frame on the stack, as [`crate::path::Path`].
#[derive(Clone, Copy)]
pub(super) struct Place<'p, 'a> {
    pub schema: &'a Schema,
    pub faults: &'p Faults<'a>,
    pub parent: Option<&'p Place<'p, 'a>>,
    pub step: Step<'p>,
    pub depth: u32,
}

#[derive(Clone, Copy)]
pub(super) enum Step<'p> {
    Root,
    Field(&'p str),
    Index(usize),
    Key(&'p str),
}

impl<'p, 'a> Place<'p, 'a> {
    pub(super) fn below(&'p self, step: Step<'p>) -> Place<'p, 'a> {
        Place { parent: Some(self), step, depth: self.depth + 1, ..*self }
    }

    fn field(&self) -> String {
        fn write(place: &Place<'_, '_>, out: &mut String) {
            if let Some(parent) = place.parent {
                write(parent, out);
            }
            match place.step {
                Step::Root => {}
                Step::Field(name) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(name);
                }
                Step::Index(index) => {
                    out.push('[');
                    out.push_str(&index.to_string());
                    out.push(']');
                }
                Step::Key(key) => {
                    out.push('[');
                    out.push_str(key);
                    out.push(']');
                }
            }
        }
        let mut out = String::new();
        write(self, &mut out);
        if out.is_empty() { "<nil>".to_owned() } else { out }
    }

    /// Records a fault, keeping the first, and makes the error that stops serde.
    pub(super) fn fault<E: serde::de::Error>(&self, reason: Misfit, detail: impl fmt::Display) -> E {
        let mut first = self.faults.first.borrow_mut();
        if first.is_none() {
            *first = Some(Undecodable { field: self.field(), reason, detail: detail.to_string() });
        }
        E::custom("undecodable")
    }

    /// An unknown or repeated field: a fault, or dropped with a warning.
    pub(super) fn superfluous<E: serde::de::Error>(&self, reason: Misfit, detail: &str) -> Result<(), E> {
        match self.faults.validation {
            FieldValidation::Strict => Err(self.fault(reason, detail)),
            FieldValidation::Warn => {
                let warning = Undecodable { field: self.field(), reason, detail: detail.to_owned() };
                self.faults.dropped.borrow_mut().push(warning);
                Ok(())
            }
        }
    }

    pub(super) fn wrong_type<E: serde::de::Error>(&self, found: &str, ty: TypeId) -> E {
        self.fault(Misfit::WrongType, format!("cannot take {found} as Go type `{}`", self.schema.get(ty).name))
    }
}
