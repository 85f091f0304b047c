//! Where an API server reaches this process.

use anyhow::{Context as _, bail};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use ureq::http::Uri;

/// Where an API server reaches this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// Host name or address, for the certificate.
    pub(super) host: String,
    /// Where to listen; port 0 lets the system choose.
    pub(super) listen: SocketAddr,
}

impl Reach {
    /// As the user names it, `HOST` or `HOST:PORT`; without, the address of this machine on the route to `server`.
    ///
    /// # Errors
    /// Returns an error when the text is no address, or there is no route.
    pub(super) fn of(address: Option<&str>, server: &str) -> anyhow::Result<Self> {
        let Some(address) = address else {
            let ip = local(server)?;
            return Ok(Self { host: ip.to_string(), listen: (ip, 0).into() });
        };
        let (host, port) = split(address)
            .with_context(|| format!("`{address}` is not an address: say HOST or HOST:PORT, such as 192.0.2.7:8443"))?;
        // Behind a translated address there is another one to listen on.
        let own = host.parse::<IpAddr>().ok().filter(|ip| TcpListener::bind((*ip, 0)).is_ok());
        Ok(Self { listen: (own.unwrap_or(Ipv4Addr::UNSPECIFIED.into()), port).into(), host })
    }

    /// The URL of the server that listens on `port`.
    pub(super) fn url(&self, port: u16) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("https://{host}:{port}")
    }
}

/// Host and port; port 0 where none is named.
fn split(address: &str) -> Option<(String, u16)> {
    if let Ok(ip) = address.parse::<IpAddr>() {
        return Some((ip.to_string(), 0));
    }
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (address, 0),
    };
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let named = !host.is_empty() && host.bytes().all(fits);
    (named || host.parse::<IpAddr>().is_ok()).then(|| (host.to_owned(), port))
}

/// The address of this machine on the route to a server. Nothing is sent.
fn local(server: &str) -> anyhow::Result<IpAddr> {
    let uri: Uri = server.parse().with_context(|| format!("`{server}` is not a URL"))?;
    let Some(host) = uri.host() else { bail!("`{server}` names no host") };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(443);
    for from in ["0.0.0.0:0", "[::]:0"] {
        let Ok(socket) = UdpSocket::bind(from) else { continue };
        if socket.connect((host, port)).is_ok()
            && let Ok(at) = socket.local_addr()
        {
            return Ok(at.ip());
        }
    }
    bail!("there is no route to `{server}`: name an address of this machine that it can reach with --address")
}

#[cfg(test)]
mod tests {
    use super::{Reach, split};

    #[test]
    fn addresses_are_hosts_with_or_without_a_port() {
        for (text, host, port) in [
            ("10.0.0.7", "10.0.0.7", 0),
            ("10.0.0.7:8443", "10.0.0.7", 8443),
            ("me.example:1", "me.example", 1),
            ("::1", "::1", 0),
            ("[::1]:7", "::1", 7),
        ] {
            assert_eq!(split(text), Some((host.to_owned(), port)), "{text}");
        }
        for wrong in ["", ":1", "a b", "a:port", "https://a", "a:70000"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn without_an_address_it_is_the_one_on_the_route() {
        let reach = Reach::of(None, "https://127.0.0.1:6443").unwrap();
        assert_eq!((reach.host.as_str(), reach.url(7).as_str()), ("127.0.0.1", "https://127.0.0.1:7"));
        assert_eq!(Reach::of(Some("[::1]:7"), "").unwrap().url(7), "https://[::1]:7");
    }
}
