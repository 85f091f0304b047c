//! URLs, read as Go's `net/url` does.

use super::text::quoted;
use std::collections::BTreeMap;
use std::fmt;

/// A URL.
#[derive(Clone, Debug, Default)]
pub struct Url {
    /// In lower case.
    pub scheme: String,
    opaque: String,
    user: Option<String>,
    /// Host and port.
    pub host: String,
    /// The path as it is sent.
    pub path: String,
    query: Option<String>,
    fragment: Option<String>,
}

impl Url {
    /// Reads a URL as `url()` does: absolute, or a path from the root.
    ///
    /// # Errors
    /// Returns the text of the error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let failed = |error: String| format!("parse {}: {error}", quoted(text));
        // First as a request, where `#` is nothing special.
        Self::read(text, true).map_err(failed)?;
        let (before, fragment) =
            text.split_once('#').map_or((text, None), |(before, fragment)| (before, Some(fragment)));
        let mut url = Self::read(before, false).map_err(failed)?;
        if let Some(fragment) = fragment {
            unescape(fragment, Mode::Path).map_err(failed)?;
            url.fragment = Some(fragment.to_owned());
        }
        Ok(url)
    }

    fn read(text: &str, request: bool) -> Result<Self, String> {
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        if text.is_empty() && request {
            return Err("empty url".to_owned());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = text.to_owned();
            return Ok(url);
        }
        let (scheme, mut rest) = scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        if let Some((before, query)) = rest.split_once('?') {
            rest = before;
            url.query = Some(query.to_owned());
        }
        if !rest.starts_with('/') {
            if !url.scheme.is_empty() {
                url.opaque = rest.to_owned();
                return Ok(url);
            }
            if request {
                return Err("invalid URI for request".to_owned());
            }
            if rest.split('/').next().is_some_and(|first| first.contains(':')) {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let authority = !url.scheme.is_empty() || !request && !rest.starts_with("///");
        if let Some(after) = rest.strip_prefix("//").filter(|_| authority) {
            let (authority, path) = after.find('/').map_or((after, ""), |at| after.split_at(at));
            url.set_authority(authority)?;
            rest = path;
        }
        let path = unescape(rest, Mode::Path)?;
        url.path = if valid_path(rest) { rest.to_owned() } else { escape_path(&path) };
        Ok(url)
    }

    fn set_authority(&mut self, authority: &str) -> Result<(), String> {
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        self.host = host_of(host)?;
        if let Some(user) = user {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
            if !user.chars().all(allowed) {
                return Err("net/url: invalid userinfo".to_owned());
            }
            unescape(user, Mode::Path)?;
            self.user = Some(user.to_owned());
        }
        Ok(())
    }

    /// The host without its port and brackets.
    #[must_use]
    pub fn hostname(&self) -> &str {
        self.split_host().0
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> &str {
        self.split_host().1
    }

    fn split_host(&self) -> (&str, &str) {
        let (host, port) = match self.host.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
            _ => (self.host.as_str(), ""),
        };
        (host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host), port)
    }

    /// The query's values by their names. What cannot be decoded is left out.
    #[must_use]
    pub fn query(&self) -> BTreeMap<String, Vec<String>> {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for part in self.query.as_deref().unwrap_or_default().split('&').filter(|part| !part.is_empty()) {
            if part.contains(';') {
                continue;
            }
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if let (Ok(name), Ok(value)) = (unescape(name, Mode::Query), unescape(value, Mode::Query)) {
                values.entry(name).or_default().push(value);
            }
        }
        values
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            if !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some() {
                if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                    f.write_str("//")?;
                }
                if let Some(user) = &self.user {
                    write!(f, "{user}@")?;
                }
                f.write_str(&escape_host(&self.host))?;
            }
            f.write_str(&self.path)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if let Some(query) = &self.query {
            write!(f, "?{query}")?;
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => {
                let (scheme, rest) = text.split_at(at);
                return Ok((scheme, rest.get(1..).unwrap_or_default()));
            }
            _ => return Ok(("", text)),
        }
    }
    Ok(("", text))
}

fn host_of(host: &str) -> Result<String, String> {
    let port = if host.starts_with('[') {
        let Some((_, port)) = host.rsplit_once(']') else { return Err("missing ']' in host".to_owned()) };
        port
    } else {
        host.rfind(':').and_then(|at| host.get(at..)).unwrap_or_default()
    };
    let digits = port.strip_prefix(':');
    if !port.is_empty() && !digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("invalid port {} after host", quoted(port)));
    }
    unescape(host, Mode::Host)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Path,
    Host,
    Query,
}

fn in_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

fn unescape(text: &str, mode: Mode) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'%' => {
                let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
                let code = digits
                    .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok());
                let bad = || {
                    let end = (at + 3).min(bytes.len());
                    let shown = String::from_utf8_lossy(bytes.get(at..end).unwrap_or_default()).into_owned();
                    format!("invalid URL escape {}", quoted(&shown))
                };
                let code = code.ok_or_else(bad)?;
                if mode == Mode::Host && code < 0x80 && code != b'%' {
                    return Err(bad());
                }
                out.push(code);
                at += 3;
                continue;
            }
            b'+' if mode == Mode::Query => out.push(b' '),
            _ if mode == Mode::Host && byte < 0x80 && !in_host(byte) => {
                return Err(format!("invalid character {} in host name", quoted(&char::from(byte).to_string())));
            }
            _ => out.push(byte),
        }
        at += 1;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn plain_in_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte)
}

fn valid_path(path: &str) -> bool {
    path.bytes().all(|byte| plain_in_path(byte) || b"!'()*[]%".contains(&byte))
}

fn escape_path(path: &str) -> String {
    escaped(path, plain_in_path)
}

fn escape_host(host: &str) -> String {
    escaped(host, |byte| in_host(byte) || byte >= 0x80)
}

fn escaped(text: &str, plain: impl Fn(u8) -> bool) -> String {
    let mut out = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        if plain(byte) {
            out.push(byte);
        } else {
            out.extend(format!("%{byte:02X}").into_bytes());
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
