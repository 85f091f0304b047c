//! API versions, as the last elements of package paths: `v1`, `v1beta2`.

/// An API version. Orders as Kubernetes prefers them: `v1alpha1 < v1beta1 < v1beta2 < v1 < v2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    stage: Stage,
    major: u32,
    minor: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Alpha,
    Beta,
    Stable,
}

impl Version {
    /// The version that a package path ends with.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        Self::parse(path.rsplit('/').next().unwrap_or_default())
    }

    fn parse(text: &str) -> Option<Self> {
        let (major, rest) = number(text.strip_prefix('v')?)?;
        if rest.is_empty() {
            return Some(Self { stage: Stage::Stable, major, minor: 0 });
        }
        let (stage, rest) = match (rest.strip_prefix("alpha"), rest.strip_prefix("beta")) {
            (Some(rest), _) => (Stage::Alpha, rest),
            (_, Some(rest)) => (Stage::Beta, rest),
            _ => return None,
        };
        match number(rest)? {
            (minor, "") => Some(Self { stage, major, minor }),
            _ => None,
        }
    }
}

/// The digits at the start, and what follows.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_order_as_kubernetes_prefers_them() {
        let order = ["v1alpha1", "v2alpha1", "v1beta1", "v1beta2", "v2beta1", "v1", "v2", "v10"];
        let parsed: Vec<_> = order.iter().map(|text| Version::of_path(&format!("a/{text}")).unwrap()).collect();
        assert!(parsed.is_sorted(), "{parsed:?}");
        for text in ["", "v", "1", "vbeta1", "v1beta", "v1gamma1", "v1beta1x", "internal", "v99999999999"] {
            assert_eq!(Version::of_path(text), None, "{text}");
        }
    }
}
