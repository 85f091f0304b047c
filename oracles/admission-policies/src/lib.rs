//! `ValidatingAdmissionPolicy` as an API server of Kubernetes 1.36 judges it, in process: matching, conditions, variables, params,
//! validations, messages, audit annotations, bindings with their actions, and what a server rejects of policies themselves.

pub mod api;
mod authorizer;
mod cluster;
mod dispatch;
mod error;
mod evaluate;
mod faults;
mod hints;
mod language;
mod matching;
mod names;
mod oracle;
mod refuse;
mod request;
mod rows;
mod scope;

pub use authorizer::Grants;
pub use cluster::Cluster;
pub use dispatch::{Denial, PolicySet, Ran, Response, Status};
pub use error::ManifestError;
pub use evaluate::{AnnotationResult, CompiledPolicy, Decision, DecisionKind, Evaluation};
pub use faults::PolicyFaults;
pub use hints::PolicyHints;
pub use oracle::{Policies, PolicyOracle, Target};
pub use refuse::{binding_errors, policy_errors};
pub use request::{Request, Requester, Resource};
pub use scope::{is_cluster_scoped, plural};
