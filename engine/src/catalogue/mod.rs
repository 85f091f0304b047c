//! Which pairs there are: the built-in ones, and those that a project describes. Every command resolves pairs here.
//!
//! `pair` and `oracle…` are what people write, `types` reads the types of a pair, `sides` makes oracles, `comparing` says
//! how they are compared, `go_markers` where a CRD comes from, `laws` holds CRDs to
//! laws, and `composed` makes pairs of all.

mod comparing;
mod composed;
mod error;
mod go_markers;
mod laws;
mod oracle;
mod oracle_flag;
mod oracle_mistake;
mod oracle_sorts;
mod pair;
mod policies;
mod read_types;
mod served;
mod sides;
mod types;

pub use composed::PairCatalogue;
pub use error::{CatalogueError, NotBuilt};
pub use laws::crd_defaults;
pub use oracle::OracleDescription;
pub use oracle_mistake::OracleMistake;
pub use oracle_sorts::{AnswersLevel, DefaultsSource, ExecDescription, LawsOf, ServerDescription, WebhookDescription};
pub use pair::{CompareLevel, PairDescription};
pub use policies::{PoliciesError, PolicyDescription, ReadPolicies, has_go_types};
pub use served::{ServedCrds, declared_kinds};
pub(crate) use types::{KindTypes, Types};
