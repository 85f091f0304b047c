//! Live API servers as oracles: what the `Status` of a dry run says.
//!
//! A [`Plan`] reads the kubeconfig and says in sentences what will be done; nothing is sent before [`Server::connect`] takes it.
//! The context must be named: `current-context` is never used, so that nobody sends a corpus to production by accident.
//!
//! # What is sent
//!
//! * **Creates** go out with `dryRun=All&fieldValidation=Ignore`: into a scratch namespace, or to the cluster if the kind has no
//!   namespaces. Nothing is stored.
//! * **Updates** need a stored object. The old object is stored in the scratch namespace, with its status; then the new one is sent
//!   with `dryRun=All`, and the old one is deleted. A kind without namespaces is refused: its objects would be seen by the whole
//!   cluster. Where a controller changes the stored object meanwhile, the new one is sent again, based on what is stored now.
//! * The scratch namespace is made when connecting and deleted at the end, on condition that it still is the one that was made.
//!   A process that a signal ends calls [`remove_scratch`] first; one that is killed by SIGKILL leaves the namespace behind, with the
//!   label `app.kubernetes.io/managed-by=takeover`.
//! * The requests of a process to one server share its rate.
//!
//! # What is changed in the objects
//!
//! | member of `metadata` | in | becomes | because |
//! |---|---|---|---|
//! | `namespace` | objects with namespaces | the scratch namespace | nothing else is touched |
//! | `resourceVersion` | creates | nothing | servers reject it |
//! | `name` | both objects of an update, if every kind takes it: a short DNS label that begins with a letter | a name of its own | other questions are asked at the same time |
//! | `resourceVersion` | new objects of an update | that of the stored object | it is that object which is changed |
//! | `uid`, `creationTimestamp`, `generation`, `selfLink`, `deletionTimestamp`, `deletionGracePeriodSeconds` | new objects that have them as the old one does | those of the stored object | the server gives a stored object its own |
//! | `finalizers`, `ownerReferences`, and what the server gives | old objects | nothing | the stored object could not be deleted, or would be by others |
//!
//! Other names are kept, and old objects with one are stored one after the other. Errors on what the server gives are not compared
//! ([`given_by_server`]).
//!
//! # What is not asked
//!
//! A question that no request can put is declined with its reason, and does not count as a failure: an update that changes name or
//! namespace, an old object without name, one that is being deleted, one that the server does not store or stores otherwise than it is
//! given, a namespace that is no DNS label, an object whose name is taken, a case with a feature gate on, a subresource other than
//! `status`.
//!
//! # What the answer means
//!
//! | answer | means |
//! |---|---|
//! | 2xx | accepted |
//! | 422 with causes | field errors |
//! | 422 without, other 4xx | rejected, with the reason |
//! | 409 | declined: another object has the name, or another version of it is stored |
//! | 401, 404, 405, 406, 415; 403 because of missing rights; 400 because a webhook of the cluster has no dry run | failure |
//! | 429; 5xx with `Retry-After` | the request is repeated when the server says so |
//! | anything else, and no answer: a server whose code panics closes the connection | failure |
//!
//! # Stored objects
//!
//! A [`Listing`] reads what a server stores, page by page. It sends nothing but GET requests. [`NamedObjects`] reads and replaces single
//! objects, as the service account of a pod or by a kubeconfig.
//!
//! # Requests of others
//!
//! A [`ServerCaller`] sends what it is told, at a bounded rate.
//!
//! # Why not the kube crate
//!
//! This needs a handful of requests, which the HTTP client of the workspace sends. The kube crate would bring 36 crates more, a
//! second client and an async runtime. What it has beyond this (login plugins, proxies, impersonation) is refused by name.

mod api;
mod asking;
mod caller;
#[cfg(test)]
mod declined;
mod error;
mod given;
mod kubeconfig;
mod listing;
mod named;
mod oracle;
mod place;
mod plan;
mod rewrite;
mod scratch;
mod settings;
#[cfg(test)]
mod tests;
mod verdict;
mod yaml;

pub use caller::{ServerAnswer, ServerCaller, Verb};
pub use error::ServerError;
pub use given::given_by_server;
pub use listing::{ListError, ListedPage, Listing};
pub use named::{NamedObjects, ObjectPath};
pub use oracle::{Server, remove_scratch};
pub use plan::Plan;
pub use settings::ServerSettings;
