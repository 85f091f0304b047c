//! Mail addresses, as Go's `mail.ParseAddress` reads them: with a name in front or without, without comments and groups.

/// Whether a text is one address.
pub(super) fn is_address(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        Some((name, address)) => is_phrase(name.trim_matches([' ', '\t'])) && is_plain(address),
        None => is_plain(text),
    }
}

/// Words or a quoted text; nothing is one too.
fn is_phrase(name: &str) -> bool {
    let quoted = name.len() >= 2 && name.starts_with('"') && name.ends_with('"');
    quoted || name.split([' ', '\t']).all(|word| word.chars().all(|c| is_atom(c) || c == '.'))
}

/// `local@domain`
fn is_plain(address: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let quoted = local.len() >= 2 && local.starts_with('"') && local.ends_with('"');
    let literal = domain
        .strip_prefix('[')
        .and_then(|domain| domain.strip_suffix(']'))
        .is_some_and(|inside| inside.parse::<std::net::IpAddr>().is_ok());
    (quoted || is_dotted(local)) && (literal || is_dotted(domain))
}

fn is_dotted(text: &str) -> bool {
    text.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atom))
}

fn is_atom(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii()
}
