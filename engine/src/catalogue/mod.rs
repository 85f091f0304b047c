//! Which pairs there are: the built-in ones, and those that a project describes. Every command resolves pairs here.
//!
//! `pair` and `oracle` are what people write, `types` reads the types of a pair, and `composed` makes pairs of both.

mod composed;
mod error;
mod oracle;
mod pair;
mod policies;
mod served;
mod types;

pub use composed::PairCatalogue;
pub use error::CatalogueError;
pub use oracle::{
    AnswersLevel, ExecDescription, OracleDescription, OracleMistake, ServerDescription, WebhookDescription,
};
pub use pair::{CompareLevel, PairDescription};
pub use policies::{PoliciesError, PolicyDescription, ReadPolicies, has_go_types};
pub use served::ServedCrds;
pub(crate) use types::{KindTypes, Types};
