//! How servers come to break a law of server-side apply.

/// A known way in which server-side apply breaks a law. Whoever holds objects to the law tells it from facts, such as who owns a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mechanism {
    /// A default of a former object stays, because no client owns it and an apply removes only what its manager owned.
    StaleDefault,
    /// A default inside an atomic list or map belongs to who applied the list or map.
    AtomicDefault,
    /// An empty struct that was applied and has fields of others, such as defaults, is not extracted: only fields of its own would be.
    FilledStruct,
    /// Defaulting changes or removes what was applied.
    ChangedByDefault,
    /// An apply that sets no field leaves no manager, and the next one attributes every field to `before-first-apply`.
    BeforeFirstApply,
    /// An apply refuses items with the same key, which validation accepts.
    DuplicateKey,
    /// An apply refuses items without a key, which validation accepts.
    MissingKey,
    /// A list whose items are no longer applied becomes null first, and the empty list that is applied when it is applied again.
    EmptiedList,
}
