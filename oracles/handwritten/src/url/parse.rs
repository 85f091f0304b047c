//! A URL's parts, as far as checks ask for them.

use super::literal::check_literal;
use super::text::{Part, cut, escape_user, quoted, unescape};

/// What checks ask of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// Before the first colon, in lower case; empty when there is none.
    pub scheme: String,
    /// User and password, escaped.
    pub user: Option<String>,
    /// Whether a host is there, or a port.
    pub has_host: bool,
    /// After the question mark, as written.
    pub query: String,
    /// After the hash, its escapes resolved; what is no UTF-8 then is replaced.
    pub fragment: String,
}

impl Url {
    /// Reads a URL as Go 1.26 does, or a relative reference.
    ///
    /// # Errors
    /// What Go says is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (before, fragment) = cut(text.as_bytes(), b'#');
        let failed = |url: &[u8], problem: String| format!("parse {}: {problem}", quoted(url));
        let mut url = reference(before).map_err(|problem| failed(before, problem))?;
        let fragment = unescape(fragment.unwrap_or_default(), Part::Free);
        let fragment = fragment.map_err(|problem| failed(text.as_bytes(), problem))?;
        url.fragment = String::from_utf8_lossy(&fragment).into_owned();
        Ok(url)
    }
}

/// What stands before the fragment.
fn reference(text: &[u8]) -> Result<Url, String> {
    if text.iter().any(u8::is_ascii_control) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let mut url = Url::default();
    let (scheme, rest) = scheme(text)?;
    url.scheme = String::from_utf8_lossy(scheme).to_ascii_lowercase();
    let (rest, query) = cut(rest, b'?');
    url.query = String::from_utf8_lossy(query.unwrap_or_default()).into_owned();
    if !rest.starts_with(b"/") {
        if !scheme.is_empty() {
            return Ok(url);
        }
        if cut(rest, b'/').0.contains(&b':') {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let mut path = rest;
    // Without scheme, a third slash makes a path of everything.
    if let Some(after) = rest.strip_prefix(b"//").filter(|after| !scheme.is_empty() || !after.starts_with(b"/")) {
        let end = after.iter().position(|byte| *byte == b'/').unwrap_or(after.len());
        let (authority, after) = after.split_at(end);
        path = after;
        authority_of(authority, &mut url)?;
    }
    unescape(path, Part::Free)?;
    Ok(url)
}

/// The scheme, empty when there is none, and what follows it.
fn scheme(text: &[u8]) -> Result<(&[u8], &[u8]), String> {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let end = text.iter().position(|byte| !belongs(byte)).unwrap_or(text.len());
    match (text.split_at(end), text.first()) {
        ((b"", [b':', ..]), _) => Err("missing protocol scheme".to_owned()),
        ((scheme, [b':', rest @ ..]), Some(first)) if first.is_ascii_alphabetic() => Ok((scheme, rest)),
        _ => Ok((b"", text)),
    }
}

/// Reads user and host into `url`, the scheme of which is known.
fn authority_of(authority: &[u8], url: &mut Url) -> Result<(), String> {
    let mut parts = authority.rsplitn(2, |byte| *byte == b'@');
    let host = parts.next().unwrap_or_default();
    check_host(host, &url.scheme)?;
    url.has_host = !host.is_empty();
    let Some(user) = parts.next() else { return Ok(()) };
    if !user.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte)) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = cut(user, b':');
    let mut shown = escape_user(&unescape(name, Part::User)?);
    if let Some(password) = password {
        shown.push(':');
        shown.push_str(&escape_user(&unescape(password, Part::User)?));
    }
    url.user = Some(shown);
    Ok(())
}

fn check_host(host: &[u8], scheme: &str) -> Result<(), String> {
    let colon = || host.iter().position(|byte| *byte == b':');
    let port = match host.iter().rposition(|byte| *byte == b'[') {
        Some(0) => {
            let Some(end) = host.iter().rposition(|byte| *byte == b']') else {
                return Err("missing ']' in host".to_owned());
            };
            let (address, port) = host.split_at(end);
            let port = port.get(1..).unwrap_or_default();
            check_port(port)?;
            return check_literal(&unescape_address(address.get(1..).unwrap_or_default())?);
        }
        Some(_) => return Err("invalid IP-literal".to_owned()),
        // Databases list several hosts with their ports; a web server has one.
        None if matches!(scheme, "http" | "https") => colon(),
        None => host.iter().rposition(|byte| *byte == b':'),
    };
    check_port(port.and_then(|colon| host.get(colon..)).unwrap_or_default())?;
    unescape(host, Part::Host).map(drop)
}

fn check_port(port: &[u8]) -> Result<(), String> {
    match port {
        [] => Ok(()),
        [b':', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => Ok(()),
        _ => Err(format!("invalid port {} after host", quoted(port))),
    }
}

/// An address, the zone of which follows the first escaped percent sign.
fn unescape_address(address: &[u8]) -> Result<Vec<u8>, String> {
    let zone = address.windows(3).position(|escape| escape == b"%25").unwrap_or(address.len());
    let (address, zone) = address.split_at(zone);
    let mut plain = unescape(address, Part::Host)?;
    plain.extend(unescape(zone, Part::Zone)?);
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::Url;

    #[test]
    fn urls_have_the_parts_that_go_finds() {
        let url = |scheme: &str, user: Option<&str>, has_host: bool, query: &str, fragment: &str| Url {
            scheme: scheme.to_owned(),
            user: user.map(str::to_owned),
            has_host,
            query: query.to_owned(),
            fragment: fragment.to_owned(),
        };
        for (text, expected) in [
            ("https://a.b:443/c", url("https", None, true, "", "")),
            ("HTTPS://a", url("https", None, true, "", "")),
            ("https://[::1]:8443", url("https", None, true, "", "")),
            ("https://[fe80::1%25en0]/", url("https", None, true, "", "")),
            ("https://[::ffff:1.2.3.4]:/", url("https", None, true, "", "")),
            ("https://:443", url("https", None, true, "", "")),
            ("https:///a", url("https", None, false, "", "")),
            ("https:a", url("https", None, false, "", "")),
            ("https:", url("https", None, false, "", "")),
            ("", url("", None, false, "", "")),
            ("*", url("", None, false, "", "")),
            ("a/b:c", url("", None, false, "", "")),
            ("///a", url("", None, false, "", "")),
            ("//a", url("", None, true, "", "")),
            ("1a/", url("", None, false, "", "")),
            ("https://a?", url("https", None, true, "", "")),
            ("https://a?b?c#d%20e", url("https", None, true, "b?c", "d e")),
            ("https://u@a", url("https", Some("u"), true, "", "")),
            ("https://u:p:%40!@x@a", url("https", Some("u:p%3A%40%21%40x"), true, "", "")),
            ("https://@a", url("https", Some(""), true, "", "")),
            ("https://u@", url("https", Some("u"), false, "", "")),
            ("https://a\u{e9}%C3%A9/%00", url("https", None, true, "", "")),
            ("mongodb://a:1,b:2/", url("mongodb", None, true, "", "")),
        ] {
            assert_eq!(Url::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_url_is_said_as_go_says_it() {
        for (text, expected) in [
            (":a", "parse \":a\": missing protocol scheme"),
            ("a.b:c", "ok"),
            ("1.2.3.4:80/a", "parse \"1.2.3.4:80/a\": first path segment in URL cannot contain colon"),
            ("https://a\n#b", "parse \"https://a\\n\": net/url: invalid control character in URL"),
            ("https://a/%zz#b", "parse \"https://a/%zz\": invalid URL escape \"%zz\""),
            ("https://a/%a", "parse \"https://a/%a\": invalid URL escape \"%a\""),
            ("https://a/%a\u{e9}", "parse \"https://a/%a\u{e9}\": invalid URL escape \"%a\\xc3\""),
            ("https://a#%", "parse \"https://a#%\": invalid URL escape \"%\""),
            ("https://a b", "parse \"https://a b\": invalid character \" \" in host name"),
            ("https://a%20b", "parse \"https://a%20b\": invalid URL escape \"%20\""),
            ("https://a:b", "parse \"https://a:b\": invalid port \":b\" after host"),
            ("https://a:1:2", "parse \"https://a:1:2\": invalid port \":1:2\" after host"),
            ("https://::1/", "parse \"https://::1/\": invalid port \"::1\" after host"),
            ("https://[::1", "parse \"https://[::1\": missing ']' in host"),
            ("https://[::1]a", "parse \"https://[::1]a\": invalid port \"a\" after host"),
            ("https://a[::1]", "parse \"https://a[::1]\": invalid IP-literal"),
            ("https://[1.2.3.4]", "parse \"https://[1.2.3.4]\": invalid IP-literal"),
            ("https://[::1%2]", "parse \"https://[::1%2]\": invalid URL escape \"%2\""),
            ("https://[::1%25%2f]", "parse \"https://[::1%25%2f]\": invalid URL escape \"%2f\""),
            ("https://[a]", "parse \"https://[a]\": invalid host: ParseAddr(\"a\"): unable to parse IP"),
            ("https://a/b@c", "ok"),
            ("https://a b@c", "parse \"https://a b@c\": net/url: invalid userinfo"),
            ("https://%zz@c", "parse \"https://%zz@c\": invalid URL escape \"%zz\""),
            ("https://a:%zz@c", "parse \"https://a:%zz@c\": invalid URL escape \"%zz\""),
            ("{{ .Url }}", "ok"),
            ("mongodb://a:1,b:x/", "parse \"mongodb://a:1,b:x/\": invalid port \":x\" after host"),
        ] {
            let found = Url::parse(text).map_or_else(|problem| problem, |_| "ok".to_owned());
            assert_eq!(found, expected, "{text}");
        }
    }
}
