//! Semantic versions, in the words of the Go package that Kubernetes uses.

use super::text::quoted;
use std::cmp::Ordering;
use std::fmt;

/// A version.
#[derive(Clone, Debug)]
pub struct Semver {
    /// Major, minor, patch.
    pub numbers: [u64; 3],
    prerelease: Vec<Part>,
    build: Vec<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Number(u64),
    Text(Box<str>),
}

impl Semver {
    /// Reads a version; `normalize` allows a leading `v`, leading zeros and missing parts.
    ///
    /// # Errors
    /// Returns the text of the error.
    pub fn parse(text: &str, normalize: bool) -> Result<Self, String> {
        if normalize { Self::strict(&normalized(text)?) } else { Self::strict(text) }
    }

    fn strict(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, patch] = parts.as_slice() else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let (major, minor) = (number(major, "major", "Major")?, number(minor, "minor", "Minor")?);
        let (patch, build) = patch.split_once('+').map_or((*patch, None), |(patch, build)| (patch, Some(build)));
        let (patch, pre) = patch.split_once('-').map_or((patch, None), |(patch, pre)| (patch, Some(pre)));
        let patch = number(patch, "patch", "Patch")?;
        let prerelease = pre.into_iter().flat_map(|pre| pre.split('.')).map(part).collect::<Result<_, _>>()?;
        let build = build.into_iter().flat_map(|build| build.split('.')).map(meta).collect::<Result<_, _>>()?;
        Ok(Self { numbers: [major, minor, patch], prerelease, build })
    }

    /// The order of versions; what is behind a `+` does not count.
    #[must_use]
    pub fn precedence(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (self.prerelease.is_empty(), other.prerelease.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => {
                let pairs = self.prerelease.iter().zip(&other.prerelease);
                pairs
                    .map(|(a, b)| match (a, b) {
                        (Part::Number(a), Part::Number(b)) => a.cmp(b),
                        (Part::Number(_), Part::Text(_)) => Ordering::Less,
                        (Part::Text(_), Part::Number(_)) => Ordering::Greater,
                        (Part::Text(a), Part::Text(b)) => a.cmp(b),
                    })
                    .find(|order| order.is_ne())
                    .unwrap_or_else(|| self.prerelease.len().cmp(&other.prerelease.len()))
            }
        })
    }
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        for (at, part) in self.prerelease.iter().enumerate() {
            f.write_str(if at == 0 { "-" } else { "." })?;
            match part {
                Part::Number(number) => write!(f, "{number}")?,
                Part::Text(text) => f.write_str(text)?,
            }
        }
        for (at, part) in self.build.iter().enumerate() {
            f.write_str(if at == 0 { "+" } else { "." })?;
            f.write_str(part)?;
        }
        Ok(())
    }
}

fn digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn letters(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn unsigned(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let why = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {why}", quoted(text))
    })
}

fn number(text: &str, what: &str, capital: &str) -> Result<u64, String> {
    if !digits(text) {
        return Err(format!("Invalid character(s) found in {what} number {}", quoted(text)));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{capital} number must not contain leading zeroes {}", quoted(text)));
    }
    unsigned(text)
}

fn part(text: &str) -> Result<Part, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if digits(text) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {}", quoted(text)));
        }
        return unsigned(text).map(Part::Number);
    }
    if letters(text) {
        return Ok(Part::Text(text.into()));
    }
    Err(format!("Invalid character(s) found in prerelease {}", quoted(text)))
}

fn meta(text: &str) -> Result<Box<str>, String> {
    if text.is_empty() {
        return Err("Build meta data is empty".to_owned());
    }
    if !letters(text) {
        return Err(format!("Invalid character(s) found in build meta data {}", quoted(text)));
    }
    Ok(text.into())
}

fn normalized(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text
        .splitn(3, '.')
        .map(|part| {
            if part.len() < 2 {
                return part.to_owned();
            }
            let bare = part.trim_start_matches('0');
            if bare.starts_with(|c: char| c.is_ascii_digit()) { bare.to_owned() } else { format!("0{bare}") }
        })
        .collect();
    if parts.len() < 3 {
        if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data".to_owned());
        }
        parts.resize(3, "0".to_owned());
    }
    Ok(parts.join("."))
}
