//! Secrets that are told by their form, wherever they stand.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The groups are the secrets.
const PATTERNS: [&str; 6] = [
    // JSON Web Tokens
    r"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*)",
    // private keys in PEM
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----([^-]+)-----END",
    // passwords in addresses
    r#"://[^/?#\s@:"']*:([^/?#\s@"']+)@"#,
    // tokens of well-known makers
    r"\b(gh[pousr]_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|sk-[A-Za-z0-9_-]{20,})",
    // headers
    r"(?i:\bbearer)\s+([A-Za-z0-9._~+/=-]*[0-9][A-Za-z0-9._~+/=-]*)",
    // flags, assignments, connection strings
    r#"(?i:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key)["']?\s*[=:]\s*["']?([^\s"',;&{}\[\]$%<][^\s"',;&{}\[\]]{2,})"#,
];

#[expect(clippy::unwrap_used, reason = "the pattern is fixed, and a test compiles it")]
static TOKENS: LazyLock<Regex> = LazyLock::new(|| Regex::new(&PATTERNS.join("|")).unwrap());

/// Shortest text that can hold one.
const SHORTEST: usize = 8;

/// Where secrets stand in `text`, in order and apart from each other.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    if text.len() < SHORTEST {
        return Vec::new();
    }
    TOKENS.captures_iter(text).filter_map(|found| Some(found.iter().skip(1).flatten().next()?.range())).collect()
}

/// Whether a field of this name holds a secret, rather than the name of one.
pub(super) fn is_secret_field(name: &str) -> bool {
    const ENDINGS: [&str; 10] = [
        "token",
        "password",
        "passwd",
        "secretkey",
        "apikey",
        "privatekey",
        "accesskey",
        "clientsecret",
        "secretid",
        "passphrase",
    ];
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::{is_secret_field, spans};

    #[test]
    fn secrets_are_found_by_their_form() {
        for (text, secret) in [
            ("--password=hunter2", Some("hunter2")),
            ("--db-password hunter2", None),
            ("postgres://shop:hunter2@db:5432/shop", Some("hunter2")),
            ("Authorization: Bearer abcdef0123", Some("abcdef0123")),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
                Some("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
            ),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", Some("\nMIIE\n")),
            ("token ghp_0123456789abcdefghij", Some("ghp_0123456789abcdefghij")),
            ("https://example.com:8443/path", None),
            ("registry:5000/app:v1", None),
            ("--secret-name", None),
            ("password: $(PASSWORD)", None),
            ("bearer authentication", None),
        ] {
            let found: Vec<&str> = spans(text).into_iter().map(|span| &text[span]).collect();
            assert_eq!(found, secret.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn fields_that_hold_a_secret_are_told_from_those_that_name_one() {
        for (name, secret) in [
            ("token", true),
            ("db_password", true),
            ("clientSecret", true),
            ("secretName", false),
            ("tokenExpirationSeconds", false),
            ("automountServiceAccountToken", true),
            ("passwordSecretRef", false),
        ] {
            assert_eq!(is_secret_field(name), secret, "{name}");
        }
    }
}
