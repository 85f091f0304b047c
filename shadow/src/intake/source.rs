//! Where cases come in.

/// What a worker works off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Reviews, in any order.
    Reviews,
    /// Audit events that were sent to the server, in their order.
    Events,
    /// Audit events of the log of this number, in their order.
    Log(usize),
}
