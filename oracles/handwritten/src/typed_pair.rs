//! Both objects of a case in one form.

use takeover_harness::object::{Arena, FromNode, Node, identical};
use takeover_harness::oracle::{Objects, OracleFailure};

/// Typed forms of the objects of a case: what a handwritten validator usually asks for. One form stands for both objects of an
/// update that changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct TypedPair<T> {
    new: T,
    old: Old<T>,
}

/// The stored object.
#[derive(Clone, Copy, Debug)]
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

impl<T> TypedPair<T> {
    /// Both objects of a case as `T`.
    ///
    /// # Errors
    /// Returns an error when an object has another form.
    pub fn of<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<Self, OracleFailure>
    where
        T: FromNode<'a>,
    {
        Self::made(objects, |node| objects.read(node, arena))
    }
}
