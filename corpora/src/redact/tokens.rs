//! Secrets that are told by their form, wherever they stand.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What a name ends in that a secret is assigned to, wherever it stands.
const NAMES: &str = r"(?:passwords?|passwd|pwd|passphrase|secrets?|tokens?|(?:api|access|account|private|encryption|shared|secret|signing|session|ssh|auth|storage)[-_]?(?:access[-_]?)?key|connection[-_]?string)";

/// The same, where only `=` tells that something is assigned.
const SHORT_NAMES: &str = r"(?:pass|pw|auth|sig|signature|credentials?|cookie|dsn|sas)";

/// The groups are the secrets. `NAMES` and `SHORT` stand for the above.
const PATTERNS: [&str; 13] = [
    // JSON Web Tokens
    r"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*)",
    // private keys in PEM, also cut off
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----((?s:.+?))(?:-----END|\z)",
    // passwords in addresses
    r#"://[^/?#\s@:"']*:([^/?#\s@"']+)@"#,
    // tokens of well-known makers
    r"\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}|A[KS]IA[0-9A-Z]{16}|sk-[A-Za-z0-9_-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9_]{10,}|npm_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|[0-9]{8,10}:AA[A-Za-z0-9_-]{33}|hv[sbr]\.[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|pypi-[A-Za-z0-9_-]{16,}|SG\.[A-Za-z0-9_.-]{20,}|dop_v1_[a-f0-9]{20,}|shpat_[a-fA-F0-9]{20,})",
    // addresses that are secret as a whole
    r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{8,})",
    // elements of XML
    r"(?i:<[A-Za-z0-9:._-]*(?:NAMES|SHORT)(?:\s[^<>]*)?>)\s*([^\s<$%][^<]*?)\s*</",
    // headers
    r"(?i:\bauthorization\W{1,8}(?:basic|bearer|digest|token|negotiate|apikey))\s+([A-Za-z0-9._~+/=-]{3,})",
    r"(?i:\b(?:basic|bearer))\s+([A-Za-z0-9._~+/=-]*[0-9=][A-Za-z0-9._~+/=-]*)",
    // an argument that is one flag and its value
    r"\A--?[A-Za-z0-9._-]*(?i:NAMES|SHORT)=([^\s$%<]\S*)\z",
    // flags, assignments, connection strings
    r#"(?i:NAMES)\\*["']?\s*(?:[=:]|%3[Dd])\s*\\*["']?((?:[^\s"',;&{}\[\]$%<\\]|%[0-9A-Fa-f]{2})(?:[^\s"',;&{}\[\]\\]|\\[^"']){2,})"#,
    r#"(?i:(?:\A|[^A-Za-z])SHORT)(?:=|%3[Dd])\\*["']?((?:[^\s"',;&{}\[\]$%<\\]|%[0-9A-Fa-f]{2})(?:[^\s"',;&{}\[\]\\]|\\[^"']){2,})"#,
    // flags and their value after a space
    r#"(?:\A|\s)--[A-Za-z0-9._-]*(?i:NAMES|pass)\s+\\*["']?([^\s"'$<\\-][^\s"'\\]{2,})"#,
    // users with their password
    r#"(?:\A|\s)(?:-u|--user)[ =]?\\*["']?[^\s:"'/]+:([^\s"'$<:\\][^\s"'\\]{2,})"#,
];

#[expect(clippy::unwrap_used, reason = "the pattern is fixed, and a test compiles it")]
static TOKENS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&PATTERNS.join("|").replace("NAMES", NAMES).replace("SHORT", SHORT_NAMES)).unwrap());

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
    let plain = plain(name);
    ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// Whether a name that somebody chose says that a secret is under it. Fields of Kubernetes of such names hold references.
pub(super) fn is_secret_name(name: &str) -> bool {
    const ENDINGS: [&str; 24] = [
        "accountkey",
        "authkey",
        "connectionstring",
        "credential",
        "credentials",
        "encryptionkey",
        "hmackey",
        "kubeconfig",
        "licensekey",
        "passwords",
        "secret",
        "secrets",
        "secretvalue",
        "sessionkey",
        "sharedaccesskey",
        "sharedkey",
        "signature",
        "signingkey",
        "sshkey",
        "storagekey",
        "tlskey",
        "tokens",
        "userdata",
        "userkey",
    ];
    const WORDS: [&str; 12] =
        ["auth", "authorization", "cookie", "cookies", "dsn", "jwt", "pass", "passcode", "pw", "pwd", "sas", "sig"];
    let plain = plain(name);
    let last = last_word(name);
    is_secret_field(name)
        || ENDINGS.iter().any(|ending| plain.ends_with(ending))
        || WORDS.iter().any(|word| last.eq_ignore_ascii_case(word))
}

/// Whether an argument is a flag whose secret is the next one.
pub(super) fn is_secret_flag(argument: &str) -> bool {
    argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')).is_some_and(|name| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
            && is_secret_name(name)
    })
}

/// Whether an argument is a flag after which a user may stand with the password.
pub(super) fn is_user_flag(argument: &str) -> bool {
    matches!(argument, "-u" | "--user" | "--proxy-user")
}

/// Bytes at the end of a name that say what is under it. There may be as many values under a name as it is long.
const TELLING: usize = 256;

fn end(name: &str) -> &str {
    let from = (name.len().saturating_sub(TELLING)..name.len()).find(|at| name.is_char_boundary(*at));
    from.and_then(|from| name.get(from..)).unwrap_or_default()
}

fn plain(name: &str) -> String {
    end(name).chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The last word of a name in any of the usual spellings: `dbPass`, `DB_PASS`, `db-pass`.
fn last_word(name: &str) -> &str {
    let word = end(name).rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let mut start = 0;
    for (at, pair) in word.as_bytes().windows(2).enumerate() {
        if matches!(pair, [one, other] if !one.is_ascii_uppercase() && other.is_ascii_uppercase()) {
            start = at + 1;
        }
    }
    word.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{is_secret_field, is_secret_flag, is_secret_name, spans};

    #[test]
    fn secrets_are_found_by_their_form() {
        for (text, secret) in [
            ("--password=hunter2", Some("hunter2")),
            ("--password=a,b;c&d", Some("a,b;c&d")),
            ("--db-password hunter2", Some("hunter2")),
            ("run --db-password 'hunter2' -v", Some("hunter2")),
            ("--password-file /run/x", None),
            ("--token $TOKEN", None),
            ("--pass=hunter2", Some("hunter2")),
            ("export DB_PASS=hunter2; run", Some("hunter2")),
            ("COMPASS=north", None),
            ("https://h/x?a=b&sig=hunter2", Some("hunter2")),
            ("password%3Dhunter2", Some("hunter2")),
            ("password%3D%2Bhunter2", Some("%2Bhunter2")),
            (r#"{\"password\": \"hunter2\"}"#, Some("hunter2")),
            ("curl -u admin:hunter2 http://x", Some("hunter2")),
            ("curl --user=admin:hunter2", Some("hunter2")),
            ("AccountName=a;AccountKey=hunter2;", Some("hunter2")),
            ("postgres://shop:hunter2@db:5432/shop", Some("hunter2")),
            ("Authorization: Bearer abcdef0123", Some("abcdef0123")),
            ("Authorization: Basic aHVudGVy", Some("aHVudGVy")),
            (r#""Authorization": "Basic aHVudGVy""#, Some("aHVudGVy")),
            ("basic aHVudGVyMg==", Some("aHVudGVyMg==")),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
                Some("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
            ),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", Some("\nMIIE\n")),
            ("-----BEGIN PRIVATE KEY-----\nProc-Type: 4\nMIIE-cut", Some("\nProc-Type: 4\nMIIE-cut")),
            ("token ghp_0123456789abcdefghij", Some("ghp_0123456789abcdefghij")),
            ("x sk_live_0123456789ab", Some("sk_live_0123456789ab")),
            ("hf_0123456789abcdefghijABCDEFGHIJ0123", Some("hf_0123456789abcdefghijABCDEFGHIJ0123")),
            ("hf_short", None),
            (
                "bot 123456789:AAabcdefghijklmnopqrstuvwxyz_012345!",
                Some("123456789:AAabcdefghijklmnopqrstuvwxyz_012345"),
            ),
            ("123456789:AAabc", None),
            ("https://hooks.slack.com/services/T00000000/B00000000/abcDEF123", Some("T00000000/B00000000/abcDEF123")),
            ("https://hooks.slack.com/", None),
            ("pw=hunter2", Some("hunter2")),
            ("<password>hunter2</password>", Some("hunter2")),
            ("<db:adminPassword type='x'> hunter 2 </db:adminPassword>", Some("hunter 2")),
            ("<pw>hunter2</pw>", Some("hunter2")),
            ("<password>${PASSWORD}</password>", None),
            ("<password><file>x</file></password>", None),
            ("npm_0123456789abcdefghij0123", Some("npm_0123456789abcdefghij0123")),
            ("hvs.0123456789abcdefghij", Some("hvs.0123456789abcdefghij")),
            ("https://example.com:8443/path", None),
            ("registry:5000/app:v1", None),
            ("--secret-name", None),
            ("password: $(PASSWORD)", None),
            ("bearer authentication", None),
            ("basic authentication", None),
        ] {
            let found: Vec<&str> = spans(text).into_iter().map(|span| &text[span]).collect();
            assert_eq!(found, secret.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn fields_that_hold_a_secret_are_told_from_those_that_name_one() {
        for (name, field, chosen) in [
            ("token", true, true),
            ("db_password", true, true),
            ("clientSecret", true, true),
            ("automountServiceAccountToken", true, true),
            ("secretName", false, false),
            ("tokenExpirationSeconds", false, false),
            ("passwordSecretRef", false, false),
            ("topologyKey", false, false),
            ("csi.storage.k8s.io/provisioner-secret-name", false, false),
            ("compass", false, false),
            ("pwd", false, true),
            ("pw", false, true),
            ("db_pw", false, true),
            ("dbPass", false, true),
            ("DB_PASS", false, true),
            ("secret", false, true),
            ("adminSecret", false, true),
            ("tokens", false, true),
            ("accountKey", false, true),
            ("sharedKey", false, true),
            ("connectionString", false, true),
            ("dsn", false, true),
            ("credentials", false, true),
            ("auth", false, true),
            ("Authorization", false, true),
            ("Set-Cookie", false, true),
            ("X-Api-Key", true, true),
            ("encryptionKey", false, true),
            ("sshKey", false, true),
            ("example.com/kubeconfig", false, true),
        ] {
            assert_eq!((is_secret_field(name), is_secret_name(name)), (field, chosen), "{name}");
        }
    }

    #[test]
    fn flags_before_a_secret_are_told_from_others() {
        for (argument, is) in [
            ("--password", true),
            ("-password", true),
            ("--db.pass", true),
            ("--client-secret", true),
            ("--password-file", false),
            ("--password=x", false),
            ("password", false),
            ("-p", false),
        ] {
            assert_eq!(is_secret_flag(argument), is, "{argument}");
        }
    }
}
