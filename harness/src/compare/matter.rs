//! What two sides are compared in.

/// What the two sides of a pair are compared in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matter {
    /// What they reject.
    #[default]
    Errors,
    /// What they set in objects: each error of an answer stands for a default.
    Defaults,
    /// The laws of server-side apply: each error of an answer is about a law that is broken.
    Apply,
}
