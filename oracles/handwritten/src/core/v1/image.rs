//! Names of container images, as far as the default pull policy depends on them.

use crate::names::cut;

/// Longest repository name with its domain.
const NAME_LIMIT: usize = 255;
/// Longest tag.
const TAG_LIMIT: usize = 128;

/// The pull policy of a container that states none: `Always` for the tag `latest`, given or implied, otherwise
/// `IfNotPresent`. A text that is no image name has no tag.
#[must_use]
pub fn default_pull_policy(image: &str) -> &'static str {
    // Most images have another tag, if they have a name at all.
    let last = image.rsplit('/').next().unwrap_or_default();
    if last.rsplit_once(':').is_some_and(|(_, tag)| tag != "latest") && !image.contains('@') {
        return "IfNotPresent";
    }
    if tag(image) == Some("latest") { "Always" } else { "IfNotPresent" }
}

/// The tag of an image name: `latest` when neither tag nor digest is given; none for a digest without tag and for a text
/// that is no image name.
fn tag(image: &str) -> Option<&str> {
    if image.len() == 64 && image.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')) {
        // A bare image id is no name.
        return None;
    }
    let (rest, digest) = match cut(image, b'@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (image, None),
    };
    if digest.is_some_and(|digest| !is_digest(digest)) {
        return None;
    }
    let (domain, remainder) = match cut(rest, b'/') {
        Some((domain, remainder))
            if domain == "localhost" || domain.bytes().any(|byte| matches!(byte, b'.' | b':' | b'A'..=b'Z')) =>
        {
            (domain, remainder)
        }
        _ => ("docker.io", rest),
    };
    let (path, tag) = match cut(remainder, b':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (remainder, None),
    };
    let implied = if domain == "docker.io" && cut(path, b'/').is_none() { "library/".len() } else { 0 };
    let length = domain.len() + 1 + implied + path.len();
    if !is_domain(domain) || !path.as_bytes().split(|byte| *byte == b'/').all(is_component) || length > NAME_LIMIT {
        return None;
    }
    match (tag, digest) {
        (Some(tag), _) => is_tag(tag).then_some(tag),
        (None, Some(_)) => None,
        (None, None) => Some("latest"),
    }
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.rsplit_once(':') {
        Some((host, port)) if !domain.ends_with(']') => (host, Some(port)),
        _ => (domain, None),
    };
    if port.is_some_and(|port| port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit())) {
        return false;
    }
    if let Some(address) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
    }
    host.as_bytes().split(|byte| *byte == b'.').all(|label| {
        !label.is_empty()
            && !label.starts_with(b"-")
            && !label.ends_with(b"-")
            && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    })
}

/// Runs of lower-case letters and digits, parted by one dot, one or two underscores, or any number of dashes.
fn is_component(component: &[u8]) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut rest = component;
    loop {
        let run = rest.iter().take_while(|byte| is_letter(**byte)).count();
        if run == 0 {
            return false;
        }
        rest = rest.get(run..).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
        let separator = rest.iter().take_while(|byte| !is_letter(**byte)).count();
        let (parted, after) = rest.split_at_checked(separator).unwrap_or((rest, &[]));
        if !(matches!(parted, b"." | b"_" | b"__") || parted.iter().all(|byte| *byte == b'-')) {
            return false;
        }
        rest = after;
    }
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= TAG_LIMIT
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// A digest by one of the algorithms that the registries know.
fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = cut(digest, b':') else { return false };
    let digits = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::default_pull_policy;

    #[test]
    fn only_the_latest_image_is_always_pulled() {
        let digest = format!("nginx@sha256:{}", "0a".repeat(32));
        let both = format!("nginx:latest@sha256:{}", "0a".repeat(32));
        let id = "0a".repeat(32);
        for (image, policy) in [
            ("nginx", "Always"),
            ("nginx:latest", "Always"),
            ("nginx:1.25", "IfNotPresent"),
            ("registry.example:5000/a/b", "Always"),
            ("registry.example:5000/a/b:1", "IfNotPresent"),
            ("localhost/a", "Always"),
            ("[::1]:5000/a", "Always"),
            ("a--b/c__d.e", "Always"),
            ("REGISTRY/a", "Always"),
            (digest.as_str(), "IfNotPresent"),
            (both.as_str(), "Always"),
            (id.as_str(), "IfNotPresent"),
            ("", "IfNotPresent"),
            ("Nginx", "IfNotPresent"),
            ("a b", "IfNotPresent"),
            ("nginx:", "IfNotPresent"),
            ("a..b", "IfNotPresent"),
            ("a/", "IfNotPresent"),
            ("host:5000/a:latest:1", "IfNotPresent"),
            ("a:1:latest", "IfNotPresent"),
            ("nginx@sha256:0", "IfNotPresent"),
            ("-a.b/c", "IfNotPresent"),
        ] {
            assert_eq!(default_pull_policy(image), policy, "{image}");
        }
    }
}
