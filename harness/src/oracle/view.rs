//! An oracle's own form of the objects of a case.

use super::{Answer, OracleFailure, Question};
use crate::object::Arena;
use std::any::Any;

/// An oracle's own form of the objects of a case.
#[derive(Default)]
pub struct View<'a>(Form<'a>);

#[derive(Default)]
enum Form<'a> {
    #[default]
    None,
    Owned(Box<dyn Any + Send + Sync>),
    Bound(&'a dyn Bound),
}

/// A view that borrows from the decoded objects, and can judge them.
pub trait Bound: Send + Sync {
    /// Answers a question about these objects, as [`Oracle::answer`](super::Oracle::answer).
    ///
    /// # Errors
    /// Returns the errors of [`Oracle::answer`](super::Oracle::answer).
    fn answer(&self, question: &Question<'_>, answer: &mut Answer) -> Result<(), OracleFailure>;
}

impl<'a> View<'a> {
    /// Nothing but the decoded objects.
    #[must_use]
    pub fn none() -> Self {
        Self(Form::None)
    }

    /// A view of type `T`.
    #[must_use]
    pub fn of<T: Any + Send + Sync>(view: T) -> Self {
        Self(Form::Owned(Box::new(view)))
    }

    /// A view that borrows from the objects. It judges them with the settings of the oracle that made it.
    #[must_use]
    pub fn bound<T: Bound + Copy + 'a>(view: T, arena: &'a Arena) -> Self {
        Self(Form::Bound(arena.alloc(view)))
    }

    /// The view, if it is a `T`.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        match &self.0 {
            Form::Owned(view) => view.downcast_ref(),
            Form::None | Form::Bound(_) => None,
        }
    }

    /// Returns the view if it borrows from the objects.
    #[must_use]
    pub fn as_bound(&self) -> Option<&'a dyn Bound> {
        match &self.0 {
            Form::Bound(view) => Some(*view),
            Form::None | Form::Owned(_) => None,
        }
    }
}
