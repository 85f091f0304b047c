//! An oracle's own form of the objects of a case.

use super::{Objects, OracleFailure};
use crate::object::{Node, identical};
use serde::de::DeserializeOwned;
use std::any::Any;

/// An oracle's own form of the objects of a case.
#[derive(Default)]
pub struct View(Option<Box<dyn Any + Send>>);

impl View {
    /// Nothing but the decoded objects.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// A view of type `T`.
    #[must_use]
    pub fn of<T: Any + Send>(view: T) -> Self {
        Self(Some(Box::new(view)))
    }

    /// The view, if it is a `T`.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_ref().and_then(|view| view.downcast_ref())
    }
}

/// Typed forms of the objects of a case: what a handwritten validator usually asks for. One form stands for both objects of an
/// update that changes nothing.
#[derive(Clone, Debug)]
pub struct TypedPair<T> {
    new: T,
    old: Old<T>,
}

/// The stored object.
#[derive(Clone, Debug)]
enum Old<T> {
    /// There is none.
    None,
    /// It is the object of the request.
    New,
    /// It is another one.
    Other(T),
}

impl<T> TypedPair<T> {
    /// Forms of two objects.
    #[must_use]
    pub fn new(new: T, old: Option<T>) -> Self {
        Self { new, old: old.map_or(Old::None, Old::Other) }
    }

    /// The object of the request, and on updates the stored object.
    #[must_use]
    pub fn objects(&self) -> (&T, Option<&T>) {
        let old = match &self.old {
            Old::None => None,
            Old::New => Some(&self.new),
            Old::Other(old) => Some(old),
        };
        (&self.new, old)
    }

    /// Both objects in the form that `make` gives each decoded object.
    ///
    /// # Errors
    /// Returns the errors of `make`.
    pub fn made<'a>(
        objects: &Objects<'a>,
        mut make: impl FnMut(Node<'a>) -> Result<T, OracleFailure>,
    ) -> Result<Self, OracleFailure> {
        let new = make(objects.new)?;
        let old = match objects.old {
            None => Old::None,
            Some(old) if identical(&objects.new, &old) => Old::New,
            Some(old) => Old::Other(make(old)?),
        };
        Ok(Self { new, old })
    }

    /// Turns each object into another form.
    #[must_use]
    pub fn map<U>(self, mut form: impl FnMut(T) -> U) -> TypedPair<U> {
        let old = match self.old {
            Old::None => Old::None,
            Old::New => Old::New,
            Old::Other(old) => Old::Other(form(old)),
        };
        TypedPair { new: form(self.new), old }
    }
}

impl<T: DeserializeOwned> TypedPair<T> {
    /// Both objects of a case as `T`.
    ///
    /// # Errors
    /// Returns an error when `T` does not take an object that the type graph allows.
    pub fn of(objects: &Objects<'_>) -> Result<Self, OracleFailure> {
        Self::made(objects, |node| objects.typed(node))
    }
}
