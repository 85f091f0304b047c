//! A version of a CRD as an oracle: what an API server answers to requests for its objects.

mod crd_defaults;
mod crd_oracle;
mod reach;

pub use crd_defaults::CrdDefaults;
pub use crd_oracle::{CrdOracle, CrdOracleError, CrdVerdict};
