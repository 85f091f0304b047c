//! Parts of texts that an expression reads, and texts built around a given part.

use super::wanted::Wanted;
use std::net::IpAddr;

/// Texts that are put together of beginnings, words and ends.
const MOST_COMPOSED: usize = 40;
/// Pieces of a text.
const MOST_PIECES: i64 = 70;
/// Characters of a piece.
const LONGEST: i64 = 5_000;

/// A part of a text, or what is made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The text behind a constant in front of it.
    Behind(String),
    /// What stands from this character on.
    From(usize),
    /// The scheme of a URL.
    Scheme,
    /// The name of the host of a URL.
    Host,
    /// The port of a URL.
    Port,
    /// The path of a URL.
    Path,
}

impl Part {
    /// The part that a function takes.
    pub(super) fn of(function: &str) -> Option<Self> {
        Some(match function {
            "getScheme" => Self::Scheme,
            "getHost" | "getHostname" => Self::Host,
            "getPort" => Self::Port,
            "getEscapedPath" => Self::Path,
            _ => return None,
        })
    }

    /// Builds a text that contains `part` at this place; `None` if no text does.
    fn whole(&self, part: &str) -> Option<String> {
        Some(match self {
            Self::Behind(before) => part.strip_prefix(before.as_str())?.to_owned(),
            Self::From(at) => format!("{}{part}", "a".repeat(*at)),
            Self::Scheme if part.is_empty() => "/a".to_owned(),
            Self::Scheme => format!("{part}://example.com/a"),
            Self::Host => format!("https://{part}/a"),
            Self::Port => format!("https://example.com:{part}/a"),
            Self::Path => format!("https://example.com{part}"),
        })
    }
}

/// Builds a text that contains `part` at these nested places; the last place is the innermost.
pub(super) fn whole(parts: &[Part], part: &str) -> Option<String> {
    parts.iter().rev().try_fold(part.to_owned(), |text, part| part.whole(&text))
}

/// Texts that meet several conditions at once: they begin, go on and end as an expression says, and their pieces are of the sizes that it
/// tells apart.
pub(super) fn composed(wanted: &Wanted) -> Vec<String> {
    let mut all = Vec::new();
    if wanted.begins.len() + wanted.ends.len() + wanted.contains.len() > 1 {
        for begin in std::iter::once("").chain(wanted.begins.iter().map(String::as_str)) {
            for word in std::iter::once("a").chain(wanted.contains.iter().map(String::as_str)) {
                all.extend([format!("{begin}{word}"), format!("{begin}{word}a")]);
                all.extend(wanted.ends.iter().map(|end| format!("{begin}{word}a{end}")));
            }
        }
    }
    all.truncate(MOST_COMPOSED);
    let Some(piece) = &wanted.each else { return all };
    let sizes = |most: i64| {
        let sizes = move |size: &&i64| (1..=most).contains(*size);
        piece.sizes.iter().filter(sizes).filter_map(|size| usize::try_from(*size).ok())
    };
    let texts = piece.values.iter().filter_map(|value| value.as_str().map(str::to_owned));
    let pieces: Vec<String> = texts.chain(sizes(LONGEST).map(|size| "a".repeat(size))).collect();
    for separator in wanted.separators.iter().filter(|separator| !separator.is_empty()) {
        let around = |piece: &String| [format!("{piece}{separator}a"), format!("a{separator}{piece}"), piece.clone()];
        all.extend(pieces.iter().flat_map(around));
        let counts = wanted.sizes.iter().filter(|size| (1..=MOST_PIECES).contains(*size));
        let counts = counts.filter_map(|size| usize::try_from(*size).ok());
        all.extend(counts.map(|count| vec!["a"; count].join(separator)));
    }
    all
}

/// The upper half of a network: it contains no address that the lower half does.
pub(super) fn inner_network(cidr: &str) -> Option<String> {
    let (address, prefix) = cidr.split_once('/')?;
    let prefix = prefix.parse::<u32>().ok().filter(|prefix| *prefix < 128)?;
    let bit = |bits: u32| 1_u128.checked_shl(bits.checked_sub(prefix + 1)?);
    let inner = match address.parse().ok()? {
        IpAddr::V4(address) => IpAddr::from((u32::from(address) | u32::try_from(bit(32)?).ok()?).to_be_bytes()),
        IpAddr::V6(address) => IpAddr::from((u128::from(address) | bit(128)?).to_be_bytes()),
    };
    Some(format!("{inner}/{}", prefix + 1))
}
