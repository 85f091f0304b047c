//! The form in which the oracles of a pair see objects: the types by which they are decoded, and what a request does to them
//! before.

use crate::case::{Case, Operation, Payload, stored_tree};
use crate::object::{
    Arena, Decoded, FieldValidation, KnownChange, KnownChanges, Node, Order, Tree, Undecodable, from_bytes_with,
    from_tree_beside, from_tree_with, from_value_with, share,
};
use crate::oracle::{AsSent, Objects, OracleFailure};
use crate::schema::{Schema, TypeId};
use crate::subject::SubjectId;
use serde_json::Value;
use std::sync::Arc;

/// An object as it is written for whoever reads it as text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text<'v> {
    /// The object, with every null, zero and empty value; none where it says what the decoded object sets, and no more.
    pub object: Option<&'v Value>,
    /// The order of its members.
    pub order: Order,
}

/// An object with its defaults.
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    /// The object.
    pub object: Node<'a>,
    /// The same as it was answered, with every null, zero and empty value; none of who answers with no text.
    pub answered: Option<Value>,
}

/// Sets what the API server sets before validation.
pub trait Defaulter: Send + Sync {
    /// Returns the object with defaults applied, in the same arena. Applying it twice must give the same as applying it once.
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a>;

    /// Does the same as [`Defaulter::apply`]. Reuses what `known` says was made of structs that another object shares, and adds to it.
    fn apply_beside<'a>(
        &self,
        schema: &'a Schema,
        root: TypeId,
        object: Node<'a>,
        _known: &'a KnownChanges<'a>,
        arena: &'a Arena,
    ) -> Node<'a> {
        self.apply(schema, root, object, arena)
    }

    /// Does the same as [`Defaulter::apply`] for whoever may refuse an object, and reads and answers with text.
    ///
    /// # Errors
    /// Returns an error when it refuses the object, or gives no answer.
    fn attempt<'a>(
        &self,
        (schema, root): (&'a Schema, TypeId),
        object: Node<'a>,
        _: Text<'_>,
        arena: &'a Arena,
    ) -> Result<Attempt<'a>, OracleFailure> {
        Ok(Attempt { object: self.apply(schema, root, object, arena), answered: None })
    }

    /// Whether [`Defaulter::attempt`] heeds the text.
    fn reads_text(&self) -> bool {
        false
    }

    /// Why it no longer answers, as [`crate::oracle::Oracle::given_up`].
    fn given_up(&self) -> Option<String> {
        None
    }
}

/// What a request does to the object before validation, after decoding and defaulting: Kubernetes' steps of every request and
/// those of the kind's registry strategy.
pub trait Strategy: Send + Sync {
    /// Returns the objects that validation sees, in the same arena.
    fn prepare<'a>(
        &self,
        operation: Operation,
        subresource: &str,
        objects: &Objects<'a>,
        arena: &'a Arena,
    ) -> Objects<'a>;

    /// Paths, without indices, of the members that a new object takes from the authenticated user. They stay empty, because a
    /// case names no user.
    fn user_fields(&self) -> &'static [&'static str] {
        &[]
    }
}

/// The form of the objects of a subject.
pub struct Form {
    /// Types of the kind.
    pub schema: Arc<Schema>,
    /// Type of the object.
    pub root: TypeId,
    /// What happens to unknown and repeated fields of objects.
    pub field_validation: FieldValidation,
    /// Defaulting before validation; none when the kind has no defaults.
    pub defaulter: Option<Box<dyn Defaulter>>,
    /// The steps of a request between defaulting and validation; none when they change nothing.
    pub strategy: Option<Box<dyn Strategy>>,
}

/// The objects of a request, decoded and defaulted, before anything else was done to them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent<'a> {
    new: Option<Made<'a>>,
    old: Option<Made<'a>>,
    /// What defaulting made of their structs.
    defaults: Option<&'a KnownChange<'a>>,
}

/// What was made of an object.
#[derive(Clone, Copy, Debug)]
struct Made<'a> {
    payload: &'a Payload<'a>,
    decoded: Node<'a>,
    /// Fields that decoding dropped.
    dropped: usize,
    defaulted: Node<'a>,
}

impl<'a> Sent<'a> {
    /// The new object, decoded and defaulted.
    #[must_use]
    pub fn object(&self) -> Node<'a> {
        self.new.map_or(Node::Unset, |made| made.defaulted)
    }

    /// How many fields decoding dropped from both objects.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        [self.new, self.old].into_iter().flatten().map(|made| made.dropped as u64).sum()
    }
}

/// Why the objects of a case do not have the form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The object does not decode into its type.
    #[error("undecodable object: {0}")]
    Object(Undecodable),
    /// The stored object does not decode into its type.
    #[error("undecodable old object: {0}")]
    OldObject(Undecodable),
    /// The case is an update without a stored object.
    #[error("an update needs the old object")]
    NoOldObject,
    /// Judging it would take too much memory and time.
    #[error("its objects have {0} values; at most {most} are judged", most = Form::MOST_VALUES)]
    TooLarge(usize),
}

impl Form {
    /// Most values - texts, numbers, lists, maps - in the objects of a case. For a validator, an empty struct of three bytes becomes
    /// kilobytes: the length of the text does not tell how much memory a value takes.
    pub const MOST_VALUES: usize = 50_000;

    /// Decodes and defaults the objects of `case`, and prepares them as a request to `subject` does before validation. Also returns them as
    /// they were before. Reuses what they share with `known`, which must be of this form and subject.
    ///
    /// # Errors
    /// Returns an error when there are no objects of this form.
    pub fn objects<'a>(
        &'a self,
        subject: &SubjectId,
        case: &'a Case<'a>,
        known: &Sent<'a>,
        arena: &'a Arena,
    ) -> Result<(Objects<'a>, Sent<'a>), Unfit> {
        if let Some(values) = case.values_above(Self::MOST_VALUES) {
            return Err(Unfit::TooLarge(values));
        }
        let defaults = arena.alloc(KnownChanges::after(known.defaults));
        let made = |payload, beside| self.made(subject, payload, beside, defaults, arena);
        let new = made(&case.object, [known.new, known.old]).map_err(Unfit::Object)?;
        let old = match (case.operation, &case.old) {
            (Operation::Create, _) => None,
            // An update that changes nothing is half of what plain objects are replayed as.
            (Operation::Update, Some(old)) if *old == case.object => Some(new),
            (Operation::Update, Some(old)) => {
                // What was stored before is most like what is stored now.
                let beside = known.old.map_or([Some(new), None], |known| [Some(known), Some(new)]);
                Some(made(old, beside).map_err(Unfit::OldObject)?)
            }
            (Operation::Update, None) => return Err(Unfit::NoOldObject),
        };
        let objects = Objects {
            schema: &self.schema,
            root: self.root,
            new: new.defaulted,
            old: old.map(|old| old.defaulted),
            sent: Some(AsSent::of(case)),
        };
        let objects = match &self.strategy {
            Some(strategy) => strategy.prepare(case.operation, &subject.subresource, &objects, arena),
            None => objects,
        };
        Ok((objects, Sent { new: Some(new), old, defaults: defaults.last() }))
    }

    /// Decodes and defaults an object that cases are made from. Returns `None` if it is too large.
    pub(crate) fn base<'a>(
        &'a self,
        subject: &SubjectId,
        object: &'a Payload<'a>,
        arena: &'a Arena,
    ) -> Option<Sent<'a>> {
        if object.values() > Self::MOST_VALUES {
            return None;
        }
        let defaults = arena.alloc(KnownChanges::after(None));
        let new = self.made(subject, object, [None, None], defaults, arena).ok();
        Some(Sent { new, old: None, defaults: defaults.last() })
    }

    /// Decodes and defaults an object, unless one of `known` is the same. Takes from the first what both share.
    fn made<'a>(
        &'a self,
        subject: &SubjectId,
        payload: &'a Payload<'a>,
        known: [Option<Made<'a>>; 2],
        defaults: &'a KnownChanges<'a>,
        arena: &'a Arena,
    ) -> Result<Made<'a>, Undecodable> {
        let mut known = known.into_iter().flatten();
        if let Some(made) = known.clone().find(|made| made.payload.is_shared(payload)) {
            return Ok(made);
        }
        let beside = known.next();
        let Decoded { node, dropped } = self.decoded(payload, beside, arena)?;
        let node = match (payload, beside) {
            (Payload::Json(_) | Payload::Value(_) | Payload::Stored(_), Some(known)) => {
                share(node, known.decoded, arena)
            }
            _ => node,
        };
        let defaulted = self.defaulted(subject, node, Some(defaults), arena)?;
        Ok(Made { payload, decoded: node, dropped: dropped.len(), defaulted })
    }

    /// Decodes one object of `subject` by type and applies defaults.
    ///
    /// # Errors
    /// Returns an error when the object does not decode.
    pub fn decode<'a>(
        &'a self,
        subject: &SubjectId,
        payload: &'a Payload<'a>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, Undecodable> {
        self.defaulted(subject, self.decoded(payload, None, arena)?.node, None, arena)
    }

    /// Decodes one object, which may share parts with one that is decoded.
    fn decoded<'a>(
        &'a self,
        payload: &'a Payload<'a>,
        beside: Option<Made<'a>>,
        arena: &'a Arena,
    ) -> Result<Decoded<'a>, Undecodable> {
        let (schema, root, validation) = (&self.schema, self.root, self.field_validation);
        match (payload, beside) {
            (Payload::Json(text), _) => from_bytes_with(schema, root, text, validation, arena),
            (Payload::Value(value), _) => from_value_with(schema, root, value, validation, arena),
            (Payload::Stored(value), _) => {
                let tree = arena.alloc(stored_tree(value, Tree::of(value, arena), arena));
                from_tree_with(schema, root, tree, validation, arena)
            }
            (Payload::Tree(tree), Some(Made { payload: Payload::Tree(known), decoded, dropped: 0, .. })) => {
                let decoded = Decoded { node: decoded, dropped: Vec::new() };
                from_tree_beside(schema, root, tree, (known, &decoded), validation, arena)
            }
            (Payload::Tree(tree), _) => from_tree_with(schema, root, tree, validation, arena),
        }
    }

    /// Applies defaults to a decoded object, if it is one of `subject`.
    fn defaulted<'a>(
        &'a self,
        subject: &SubjectId,
        node: Node<'a>,
        known: Option<&'a KnownChanges<'a>>,
        arena: &'a Arena,
    ) -> Result<Node<'a>, Undecodable> {
        let (schema, root) = (&self.schema, self.root);
        subject.check_kind(schema, root, node)?;
        Ok(match (&self.defaulter, known) {
            (None, _) => node,
            (Some(defaulter), None) => defaulter.apply(schema, root, node, arena),
            (Some(defaulter), Some(known)) => defaulter.apply_beside(schema, root, node, known, arena),
        })
    }
}
