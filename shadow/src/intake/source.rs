//! Where cases come in.

use serde::{Deserialize, Serialize};

/// How a request came to be seen. API servers call mutating webhooks before their own validation, and validating ones only for
/// requests that it has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Arrival {
    /// Before validation: posted to `/mutate`.
    MutatingWebhook,
    /// After validation has accepted it: posted to `/validate`.
    ValidatingWebhook,
    /// After it was answered, accepted or rejected: an audit event.
    AuditLog,
}

impl Arrival {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MutatingWebhook, Self::ValidatingWebhook, Self::AuditLog];

    /// The label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::MutatingWebhook => "mutating_webhook",
            Self::ValidatingWebhook => "validating_webhook",
            Self::AuditLog => "audit_log",
        }
    }
}

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
