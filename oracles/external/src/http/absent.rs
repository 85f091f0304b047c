//! The client of a build without HTTPS: there is none.

use super::request::{NoAnswer, Repeat, Reply, Trust, TrustError};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

/// Sends requests, in other builds.
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
