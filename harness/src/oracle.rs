//! Oracles: anything that turns an operation on objects into field errors.

use crate::case::{Operation, Options};
use crate::error::ErrorList;
use crate::object::{Node, identical, typed};
use crate::schema::{Schema, TypeId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::any::Any;

/// A validator of one subject.
///
/// An oracle judges the prepared case and changes nothing. It may panic: the harness survives that and counts it.
pub trait Oracle: Send + Sync {
    /// Builds whatever form of the decoded objects this oracle judges (typed structs, for one). Runs once per case, before
    /// validation; the result comes back in
    /// [`Prepared::reference_view`] or [`Prepared::candidate_view`].
    ///
    /// # Errors
    /// When the objects cannot take that form; the case is then undecodable for both sides.
    fn prepare(&self, _objects: &Objects<'_>) -> Result<View, OracleFailure> {
        Ok(View::none())
    }

    /// Adds the errors of `case` to `errors`, in Kubernetes' field-error model.
    ///
    /// # Errors
    /// When the oracle could not judge (not: when the object is invalid).
    fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure>;

    /// Forgets what earlier judgements of this thread left to later ones, so that work can be measured that is otherwise done
    /// once. Returns false when they leave nothing. It never changes a judgement.
    fn forget(&self) -> bool {
        false
    }
}

/// The decoded, defaulted objects of a case.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    /// Types of the objects.
    pub schema: &'a Schema,
    /// Type of both objects.
    pub root: TypeId,
    /// The object of the request.
    pub new: Node<'a>,
    /// The stored object, on updates.
    pub old: Option<Node<'a>>,
}

impl<'a> Objects<'a> {
    /// The typed form of one of the objects.
    ///
    /// # Errors
    /// When `T` does not take an object that the type graph allows.
    pub fn typed<T: Deserialize<'a>>(&self, object: Node<'a>) -> Result<T, OracleFailure> {
        typed(self.schema, self.root, object).map_err(|error| OracleFailure::new(format!("no typed form: {error}")))
    }
}

/// A case ready to be judged by both oracles.
pub struct Prepared<'a> {
    /// Create or update.
    pub operation: Operation,
    /// The decoded objects.
    pub objects: Objects<'a>,
    /// State of the kind's validation options.
    pub options: &'a Options,
    /// Subresource without leading slash; empty for the main resource.
    pub subresource: &'a str,
    /// What the reference made of the objects.
    pub reference_view: View,
    /// What the candidate made of the objects.
    pub candidate_view: View,
}

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

    /// Both objects in the form that `make` gives a decoded one.
    ///
    /// # Errors
    /// Those of `make`.
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
    /// When `T` does not take an object that the type graph allows.
    pub fn of(objects: &Objects<'_>) -> Result<Self, OracleFailure> {
        Self::made(objects, |node| objects.typed(node))
    }
}

/// Where a panic is said to have happened that was the end of a process.
pub const WORKER_PROCESS: &str = "a worker process";

/// Place of a panic that an oracle tells of instead of panicking.
pub(crate) const MODELLED: &str = "the code that the oracle models";

/// An oracle that could not judge a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OracleFailure {
    message: String,
    panic: Option<&'static str>,
}

impl OracleFailure {
    /// A failure with this explanation.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), panic: None }
    }

    /// A failure that stands for a panic of the code which the oracle models; it is counted as one.
    #[must_use]
    pub fn panic(message: impl Into<String>) -> Self {
        Self { message: message.into(), panic: Some(MODELLED) }
    }

    /// A failure that stands for the end of the process in which the oracle ran; it is counted as a panic.
    #[must_use]
    pub fn death(message: impl Into<String>) -> Self {
        Self { message: message.into(), panic: Some(WORKER_PROCESS) }
    }

    /// Where the panic happened that the failure stands for, if it stands for one.
    #[must_use]
    pub fn panic_place(&self) -> Option<&'static str> {
        self.panic
    }
}
