//! Ports by number and by name.

use super::names::Problems;

/// Protocols of ports, as errors list them.
pub const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
/// What Kubernetes says of a number that is no port.
const NO_PORT: &str = "must be between 1 and 65535, inclusive";
/// Longest name of a port.
const NAME_LIMIT: usize = 15;

/// What is wrong with a port number.
#[must_use]
pub fn port_number(port: i32) -> Option<&'static str> {
    (!(1..=65_535).contains(&port)).then_some(NO_PORT)
}

/// What is wrong with a port name (an IANA service name).
#[must_use]
pub fn port_name(name: &str) -> Problems {
    let mut problems = Problems::new();
    if name.len() > NAME_LIMIT {
        problems.push("must be no more than 15 characters".into());
    }
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || !name.bytes().all(known) {
        problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".into());
    }
    if !name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        problems.push("must contain at least one letter (a-z)".into());
    }
    if name.contains("--") {
        problems.push("must not contain consecutive hyphens".into());
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems.push("must not begin or end with a hyphen".into());
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_names_are_short_words() {
        let (characters, letter) = ("must contain only alpha-numeric", "must contain at least one letter");
        for (name, expected) in [
            ("http", &[][..]),
            ("a-1", &[]),
            ("", &[characters, letter]),
            ("80", &[letter]),
            ("HTTP", &[characters, letter]),
            ("a--b", &["must not contain consecutive"]),
            ("-a", &["must not begin or end"]),
            ("a-", &["must not begin or end"]),
            ("abcdefghijklmnop", &["must be no more than 15 characters"]),
        ] {
            let problems = port_name(name);
            assert_eq!(problems.len(), expected.len(), "{name}: {problems:?}");
            assert!(problems.iter().zip(expected).all(|(problem, start)| problem.starts_with(start)), "{problems:?}");
        }
    }

    #[test]
    fn port_numbers_have_sixteen_bits() {
        for (port, valid) in [(-1, false), (0, false), (1, true), (65_535, true), (65_536, false)] {
            assert_eq!(port_number(port).is_none(), valid, "{port}");
        }
    }
}
