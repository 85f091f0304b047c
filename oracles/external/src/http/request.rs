//! Requests and answers: where they go, whom they trust, what came of them.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

/// Longest body that is read.
pub(crate) const LONGEST_BODY: u64 = 16 << 20;

/// Whose certificates are believed, and the certificate that is shown, as PEM.
#[derive(Default)]
pub(crate) struct Trust {
    /// Certificate authorities.
    pub(crate) authorities: Option<Vec<u8>>,
    /// Certificate chain and key.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
    /// Believes any certificate.
    pub(crate) insecure: bool,
}

/// Something that is not the PEM it should be. Says nothing of what it is: it may be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TrustError {
    #[error("no certificate authority in PEM format")]
    Authority,
    #[error("no client certificate in PEM format")]
    Certificate,
    #[error("no private key in PEM format")]
    Key,
    #[error("a token with characters that cannot be sent")]
    Token,
    #[cfg(not(feature = "https"))]
    #[error("no HTTPS in this build")]
    NotBuilt,
}

/// Scheme, host and port of a URL, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Whether it is HTTPS.
    pub(crate) tls: bool,
    /// Whether the host is this machine: `localhost`, or an address of the loopback interface.
    pub(crate) loopback: bool,
    /// The URL without query, to show.
    pub(crate) shown: String,
}

impl Origin {
    /// Reads an absolute HTTP or HTTPS URL without user and password; says what is wrong otherwise, without repeating it all.
    pub(crate) fn of(url: &str) -> Result<Self, &'static str> {
        let uri: http::Uri = url.parse().map_err(|_| "is not a URL")?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err("does not begin with `http://` or `https://`"),
        };
        let Some(authority) = uri.authority() else { return Err("names no host") };
        if authority.as_str().contains('@') {
            return Err("contains a user or a password: use a client certificate instead");
        }
        let scheme = if tls { "https" } else { "http" };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let loopback = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        Ok(Self { tls, loopback, shown: format!("{scheme}://{authority}{}", uri.path()) })
    }
}

/// Whether a request may be sent once more when a kept connection turns out to be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It changes nothing.
    Once,
    /// It changes something.
    Never,
}

/// An answer of any code.
#[derive(Debug)]
pub(crate) struct Reply {
    /// HTTP code.
    pub(crate) code: u16,
    /// `Retry-After` in seconds.
    pub(crate) retry_after: Option<Duration>,
    /// Body.
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer. To be read after the name of whoever should have answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// There is no connection.
    Connect(String),
    /// It takes too long.
    Timeout(Duration),
    /// The body is too long.
    TooLarge,
    /// The connection broke, or what came is no HTTP.
    Broken(String),
}

impl NoAnswer {
    /// The failure of a request to `url`.
    pub(crate) fn at(&self, url: &str) -> String {
        match self {
            Self::Connect(why) => format!("cannot connect to `{url}`: {why}"),
            Self::Timeout(limit) => format!("no answer from `{url}` within {}", Seconds(*limit)),
            Self::TooLarge => format!("the answer of `{url}` is larger than {} MiB", LONGEST_BODY >> 20),
            Self::Broken(why) => format!("no answer from `{url}`: {why}"),
        }
    }
}

/// Prints `10 s`, `0.5 s`.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn urls_are_shown_without_query_and_never_have_a_password() {
        let origin = Origin::of("https://hook.example:8443/validate?token=x").unwrap();
        assert_eq!(
            origin,
            Origin { tls: true, loopback: false, shown: "https://hook.example:8443/validate".to_owned() }
        );
        for (url, wrong) in [
            ("https://me:secret@hook.example/", "contains a user or a password"),
            ("hook.example:8443", "does not begin with"),
            ("ftp://hook.example/", "does not begin with"),
            ("http://a b", "is not a URL"),
        ] {
            assert!(Origin::of(url).unwrap_err().contains(wrong), "{url}");
        }
    }
}
