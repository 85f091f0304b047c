//! The unions of Kubernetes that no tag describes.

use std::sync::LazyLock;

const UNTAGGED: &str = include_str!("../../untagged.txt");

/// The import path of the API types of Kubernetes.
const API: &str = "k8s.io/api/";

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// The JSON name of the discriminator, and its default.
    pub(super) discriminator: Option<(&'static str, Option<&'static str>)>,
    /// Without a discriminator: whether it is valid to set no member.
    pub(super) may_be_empty: bool,
    /// The members; empty if every pointer is one.
    pub(super) members: Vec<ListedMember>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedMember {
    pub(super) name: &'static str,
    pub(super) value: Option<&'static str>,
    pub(super) optional: bool,
}

/// By group and struct.
type Lines = Vec<((&'static str, &'static str), Listed)>;

static LISTED: LazyLock<Lines> = LazyLock::new(|| UNTAGGED.lines().filter_map(line).collect());

fn line(line: &'static str) -> Option<((&'static str, &'static str), Listed)> {
    let mut words = line.split(' ');
    let group = words.next().filter(|group| *group != "#")?;
    let owner = words.next()?;
    let discriminator = words.next().filter(|name| *name != "-").map(|name| match name.split_once(':') {
        Some((name, default)) => (name, Some(default)),
        None => (name, None),
    });
    let may_be_empty = words.next()? == "atMostOne";
    let members = words.filter(|word| *word != "*").map(member).collect();
    Some(((group, owner), Listed { discriminator, may_be_empty, members }))
}

fn member(word: &'static str) -> ListedMember {
    let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    ListedMember { name, value, optional }
}

/// The unions that the list has for a Go type.
pub(super) fn of(package: &str, go_name: &str) -> Option<&'static Listed> {
    let group = package.strip_prefix(API)?.split('/').next()?;
    LISTED.iter().find(|(of, _)| *of == (group, go_name)).map(|(_, listed)| listed)
}

#[cfg(test)]
mod tests {
    use super::{LISTED, UNTAGGED, of};

    #[test]
    fn every_line_of_the_list_is_read_once() {
        let lines: Vec<&str> = UNTAGGED.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(LISTED.len(), lines.len());
        assert!(lines.is_sorted(), "the list is sorted");
        let strategy = of("k8s.io/api/apps/v1", "DeploymentStrategy").unwrap();
        assert_eq!(strategy.discriminator, Some(("type", Some("RollingUpdate"))));
        assert!(strategy.members[0].optional && strategy.members[0].name == "rollingUpdate");
        assert!(of("example.com/apps/v1", "DeploymentStrategy").is_none());
    }
}
