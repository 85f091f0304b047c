//! Addresses of object stores.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What keeps the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheme {
    /// `s3://`: Amazon S3 and what speaks its protocol.
    S3,
    /// `gs://`: Google Cloud Storage.
    Gs,
    /// `az://`: Azure Blob Storage.
    Az,
    /// `file://`: a folder.
    File,
}

impl Scheme {
    const ALL: [Self; 4] = [Self::S3, Self::Gs, Self::Az, Self::File];

    /// As it is written before `://`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Gs => "gs",
            Self::Az => "az",
            Self::File => "file",
        }
    }
}

/// A bucket with a prefix, or a folder. Printed and read as `s3://bucket/prefix`, `file:///folder`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    scheme: Scheme,
    /// Bucket or container; empty for folders.
    bucket: String,
    /// Without slashes at the ends, but for the first one of a folder.
    prefix: String,
}

/// Text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{address}` is not a storage address: {reason}")]
pub struct BadLocation {
    address: String,
    reason: &'static str,
}

impl Location {
    /// Whether a path is meant as an address rather than as a file or folder.
    #[must_use]
    pub fn is_named_by(path: &Path) -> bool {
        path.to_str().is_some_and(|text| Scheme::ALL.iter().any(|scheme| split(text, *scheme).is_some()))
    }

    /// What keeps the objects.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Bucket or container; empty for folders.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// What the names of its objects begin with, without a slash at the end; the folder of `file://`.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The location of the object or prefix `name` below this one.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        let prefix = match self.prefix.as_str() {
            "" => name.to_owned(),
            "/" => format!("/{name}"),
            prefix => format!("{prefix}/{name}"),
        };
        Self { prefix, ..self.clone() }
    }

    /// The location without the last part of its name, and that part; `None` for a location without a name.
    #[must_use]
    pub fn parent(&self) -> Option<(Self, &str)> {
        if self.prefix.trim_start_matches('/').is_empty() {
            return None;
        }
        let (around, name) = self.prefix.rsplit_once('/').unwrap_or(("", &self.prefix));
        let around = if around.is_empty() && self.scheme == Scheme::File { "/" } else { around };
        Some((Self { prefix: around.to_owned(), ..self.clone() }, name))
    }
}

fn split(text: &str, scheme: Scheme) -> Option<&str> {
    text.strip_prefix(scheme.name())?.strip_prefix("://")
}

impl FromStr for Location {
    type Err = BadLocation;

    fn from_str(text: &str) -> Result<Self, BadLocation> {
        let bad = |reason| BadLocation { address: text.to_owned(), reason };
        let found = Scheme::ALL.into_iter().find_map(|scheme| Some((scheme, split(text, scheme)?)));
        let Some((scheme, rest)) = found else {
            return Err(bad("it begins with none of s3://, gs://, az://, file://"));
        };
        if rest.contains(['?', '#']) {
            return Err(bad("`?` and `#` are not supported"));
        }
        let (bucket, prefix) = match scheme {
            Scheme::File if !rest.starts_with('/') => {
                return Err(bad("file:// takes an absolute path: file:///mnt/runs"));
            }
            Scheme::File => ("", rest.trim_end_matches('/')),
            _ => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                (bucket, prefix.trim_matches('/'))
            }
        };
        if bucket.is_empty() && scheme != Scheme::File {
            return Err(bad("it names no bucket: s3://bucket/prefix"));
        }
        let is_odd = |part: &str| part.is_empty() || part == "." || part == "..";
        if prefix.trim_start_matches('/').split('/').any(is_odd) && !prefix.is_empty() {
            return Err(bad("its path has an empty part, `.` or `..`"));
        }
        let prefix = if scheme == Scheme::File && prefix.is_empty() { "/" } else { prefix };
        Ok(Self { scheme, bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, bucket, prefix } = self;
        let slash = if *scheme == Scheme::File || prefix.is_empty() { "" } else { "/" };
        write!(f, "{}://{bucket}{slash}{prefix}", scheme.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Location;
    use std::path::Path;

    #[test]
    fn addresses_are_read_and_printed() {
        for (text, bucket, prefix, printed) in [
            ("s3://runs/a/b/", "runs", "a/b", "s3://runs/a/b"),
            ("gs://runs", "runs", "", "gs://runs"),
            ("az://container/x", "container", "x", "az://container/x"),
            ("file:///mnt/runs/", "", "/mnt/runs", "file:///mnt/runs"),
            ("file:///", "", "/", "file:///"),
        ] {
            let location: Location = text.parse().unwrap();
            assert_eq!((location.bucket(), location.prefix()), (bucket, prefix), "{text}");
            assert_eq!(location.to_string(), printed);
            assert_eq!(printed.parse(), Ok(location), "what is printed is read as the same");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_reason() {
        for (text, reason) in [
            ("ftp://x/y", "begins with none of"),
            ("s3:///x", "names no bucket"),
            ("file://runs", "absolute path"),
            ("s3://b/a//c", "an empty part"),
            ("s3://b/../c", "an empty part"),
            ("s3://b/a?x=1", "not supported"),
        ] {
            let error = text.parse::<Location>().unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains(text), "{error}");
        }
        for (path, is) in
            [("s3://b/x", true), ("file:///x", true), ("s3/x", false), ("out", false), ("http://x", false)]
        {
            assert_eq!(Location::is_named_by(Path::new(path)), is, "{path}");
        }
    }

    #[test]
    fn names_are_added_and_taken_off() {
        let at = |text: &str| text.parse::<Location>().unwrap();
        assert_eq!(at("s3://b").join("x/y").to_string(), "s3://b/x/y");
        assert_eq!(at("file:///").join("x").to_string(), "file:///x");
        assert_eq!(at("s3://b/p").join("x").to_string(), "s3://b/p/x");
        assert_eq!(at("s3://b/p/x").parent(), Some((at("s3://b/p"), "x")));
        assert_eq!(at("s3://b/x").parent(), Some((at("s3://b"), "x")));
        assert_eq!(at("file:///x").parent(), Some((at("file:///"), "x")));
        assert_eq!(at("s3://b").parent(), None);
        assert_eq!(at("file:///").parent(), None);
    }
}
