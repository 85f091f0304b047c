//! A kind that a project declares, and what its oracle is called.

use super::validator::Validator;
use std::path::PathBuf;

/// A kind of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKind {
    /// Group and version.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Where its types are declared.
    pub source: Source,
}

/// Where types are declared. Paths are seen from the folder of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A Go package.
    Go(GoPackage),
    /// A file of CRD manifests.
    Crd(PathBuf),
}

/// A Go package with a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoPackage {
    /// Its folder.
    pub folder: PathBuf,
    /// By which others import it.
    pub import: String,
    /// How many rules the kind declares as `+k8s:` tags; none if they do not compile.
    pub rules: Option<usize>,
    /// How many `+kubebuilder:validation` markers the package has.
    pub markers: usize,
    /// The file of the CRD that is generated from the package, where it was found.
    pub crd: Option<PathBuf>,
    /// What validates the kind today, where it was found.
    pub validator: Option<Validator>,
}

impl ApiKind {
    /// Group, or nothing for the core group, and version.
    #[must_use]
    pub fn group_and_version(&self) -> (&str, &str) {
        self.api_version.split_once('/').unwrap_or(("", &self.api_version))
    }

    /// Where its types are, as settings name it.
    #[must_use]
    pub fn types(&self) -> &std::path::Path {
        match (&self.source, self.crd()) {
            (_, Some(file)) => file,
            (Source::Go(package), None) => &package.folder,
            (Source::Crd(file), None) => file,
        }
    }

    /// The CRD that is to take over: the one that declares the kind, or that is generated from a package without tags.
    #[must_use]
    pub fn crd(&self) -> Option<&std::path::Path> {
        match &self.source {
            Source::Go(package) => package.crd.as_deref().filter(|_| package.rules == Some(0)),
            Source::Crd(file) => Some(file),
        }
    }

    /// The folder of the Go types from which its CRD is generated.
    #[must_use]
    pub fn go_types(&self) -> Option<&std::path::Path> {
        match &self.source {
            Source::Go(package) if self.crd().is_some() => Some(&package.folder),
            _ => None,
        }
    }

    /// Version and kind: `shop.example.com/v1 Widget`.
    #[must_use]
    pub fn subject(&self) -> String {
        format!("{} {}", self.api_version, self.kind)
    }
}

/// A short name for each kind, in lower case: `widget`; with version, or version and group, where others have the same.
#[must_use]
pub fn names(kinds: &[ApiKind]) -> Vec<String> {
    let forms: [fn(&ApiKind) -> String; 3] = [
        |kind| kind.kind.to_lowercase(),
        |kind| format!("{}-{}", kind.kind.to_lowercase(), kind.group_and_version().1),
        |kind| {
            let (group, version) = kind.group_and_version();
            format!("{}-{version}-{}", kind.kind.to_lowercase(), group.replace('.', "-"))
        },
    ];
    let name = |kind: &ApiKind| {
        let is_alone =
            |form: &&fn(&ApiKind) -> String| kinds.iter().filter(|other| form(other) == form(kind)).count() <= 1;
        forms.iter().find(is_alone).or(forms.last()).map(|form| form(kind)).unwrap_or_default()
    };
    kinds.iter().map(name).collect()
}
