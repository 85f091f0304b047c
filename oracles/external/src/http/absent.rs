//! Stands in for the HTTP client in builds without HTTPS. It cannot be created.

use super::request::{NoAnswer, Repeat, Reply, Trust, TrustError};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

/// A client that cannot be created.
pub(crate) struct Client(Infallible);

impl Client {
    pub(crate) fn new(_: &Trust, _: Duration, _: usize, _: Option<SocketAddr>) -> Result<Self, TrustError> {
        Err(TrustError::NotBuilt)
    }

    pub(crate) fn with_token(self, _: &str) -> Option<Self> {
        match self.0 {}
    }

    pub(crate) fn send(&self, _: &http::Method, _: &str, _: Option<&[u8]>, _: Repeat) -> Result<Reply, NoAnswer> {
        match self.0 {}
    }
}
