//! The kinds that CRD manifests serve.

use super::types::{Types, located};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use takeover_custom_resources::{CrdOracle, CustomKind};
use takeover_harness::subject::SubjectId;
use takeover_harness::text::nearest;

/// CRD manifests, and the kinds that they serve.
pub struct ServedCrds {
    place: PathBuf,
    kinds: Vec<CustomKind>,
}

impl ServedCrds {
    /// Reads the manifests at `place`, a file or folder.
    ///
    /// # Errors
    /// Returns an error when they cannot be read, a server rejects them, or serves no version of them.
    pub fn read(place: &Path) -> anyhow::Result<Self> {
        let (served, mut left_out) = Self::read_in_part(place)?;
        ensure!(left_out.is_empty(), "failed to read `{}`: {}", place.display(), left_out.swap_remove(0));
        Ok(served)
    }

    /// Reads the manifests at `place` as far as a server accepts them; each other one is named.
    ///
    /// # Errors
    /// Returns an error when none can be read, or none of them is served.
    pub fn read_in_part(place: &Path) -> anyhow::Result<(Self, Vec<String>)> {
        let shown = place.display();
        let (types, left_out) = Types::read_in_part(place)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("failed to read `{shown}`"))?;
        let Types::Custom(kinds) = types else {
            anyhow::bail!(
                "`{shown}` has Go types but no CRD: use the CustomResourceDefinition that controller-gen generates from them"
            )
        };
        let kinds: Vec<CustomKind> = kinds.into_iter().filter(|kind| kind.served).collect();
        ensure!(!kinds.is_empty(), "no version of a CRD in `{shown}` is served");
        Ok((Self { place: place.to_owned(), kinds }, left_out))
    }

    /// A kind with its schema.
    #[must_use]
    pub fn custom(&self, id: &SubjectId) -> Option<&CustomKind> {
        self.kinds.iter().find(|kind| kind.subject() == *id)
    }

    /// The kinds in each of their served versions, each once; only those of `names` if there are any: a kind (`Widget`), or a version and kind
    /// (`shop.example.com/v1 Widget`), also with a subresource (`shop.example.com/v1 Widget/status`).
    ///
    /// # Errors
    /// Returns an error when none of a name is served.
    pub fn chosen(&self, names: &[String]) -> anyhow::Result<Vec<SubjectId>> {
        let mut served: Vec<SubjectId> = Vec::new();
        for id in self.kinds.iter().map(CustomKind::subject) {
            if !served.contains(&id) {
                served.push(id);
            }
        }
        if names.is_empty() {
            return Ok(served);
        }
        let mut chosen: Vec<SubjectId> = Vec::new();
        for name in names {
            let (main, subresource) = match name.rsplit_once('/').filter(|(main, _)| main.contains(' ')) {
                Some((main, subresource)) => (main, subresource),
                None => (name.as_str(), ""),
            };
            let is_meant = |id: &&SubjectId| id.is_called(main);
            let before = chosen.len();
            for id in served.iter().filter(is_meant) {
                let id = id.clone().with_subresource(subresource);
                if !chosen.contains(&id) {
                    chosen.push(id);
                }
            }
            if before == chosen.len() && !served.iter().any(|id| is_meant(&id)) {
                let known: Vec<String> = served.iter().map(ToString::to_string).collect();
                let hint = match nearest(main, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it serves `{}`", known.join("`, `")),
                };
                anyhow::bail!("--kind `{name}`: `{}` does not serve this kind: {hint}", self.place.display());
            }
        }
        Ok(chosen)
    }

    /// What a server answers to requests for a kind of these, or for a subresource of it.
    ///
    /// # Errors
    /// Returns an error when no server serves that, or its rules cannot be compiled.
    pub fn oracle(&self, id: &SubjectId) -> anyhow::Result<CrdOracle> {
        let is_it = |kind: &&CustomKind| kind.api_version() == id.api_version && kind.kind == id.kind;
        let kind = self.kinds.iter().find(is_it).with_context(|| format!("no CRD serves `{id}`"))?;
        Ok(CrdOracle::new(located(kind.clone()), &id.subresource)?)
    }
}

/// The kinds that the types at `place` declare, in each version that a server serves.
///
/// # Errors
/// Returns an error when there are no types, or they cannot be read.
pub fn declared_kinds(place: &Path) -> anyhow::Result<Vec<SubjectId>> {
    let types = Types::read(place)
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("failed to read `{}`", place.display()))?;
    Ok(match types {
        Types::Custom(kinds) => kinds.iter().filter(|kind| kind.served).map(CustomKind::subject).collect(),
        types @ Types::Go(_) => types.subjects(),
    })
}

#[cfg(test)]
mod tests {
    use super::ServedCrds;
    use std::fs;

    #[test]
    fn every_served_version_is_chosen_unless_names_choose() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("crd.yaml");
        let version = |name: &str, served: bool| {
            format!(
                "  - {{name: {name}, served: {served}, storage: {}, schema: {{openAPIV3Schema: {{type: object}}}}}}\n",
                name == "v1"
            )
        };
        let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n\
                   spec:\n  group: example.com\n  scope: Cluster\n  names: {kind: Widget, plural: widgets}\n  versions:\n";
        let versions = [version("v1", true), version("v2", true), version("v1alpha1", false)].concat();
        fs::write(&place, format!("{crd}{versions}")).unwrap();
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            ServedCrds::read(&place)
                .unwrap()
                .chosen(&names)
                .map(|ids| ids.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let both = ["example.com/v1 Widget", "example.com/v2 Widget"];
        assert_eq!(chosen(&[]).unwrap(), both);
        assert_eq!(chosen(&["widget"]).unwrap(), both);
        assert_eq!(chosen(&["example.com/v2 Widget/status"]).unwrap(), ["example.com/v2 Widget/status"]);
        let wrong = chosen(&["example.com/v3 Widget"]).unwrap_err().to_string();
        assert!(wrong.ends_with("does not serve this kind: did you mean `example.com/v1 Widget`?"), "{wrong}");
    }
}
