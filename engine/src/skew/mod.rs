//! Unions under version skew: every client and server of two versions of the types, or of one version and the same without a member.

mod report;
mod types;

pub use report::{CellRow, FailedUnion, LostCell, Skew, SkewedMember, SkewedUnion, Tally};
pub use types::SkewError;

use std::path::PathBuf;
use types::{Declared, Types};

/// What to play.
#[derive(Clone, Debug, Default)]
pub struct SkewPlan {
    /// The types: Go packages, or CRD manifests.
    pub old: PathBuf,
    /// A newer version of them; without one, each member is treated as new in turn.
    pub new: Option<PathBuf>,
    /// Only unions of this type: its name, or its full name.
    pub ty: Option<String>,
    /// Without a newer version: treat only this member as new.
    pub without: Option<String>,
}

/// Plays every union of the plan. One that cannot be played is counted with its reason, and the others go on.
///
/// # Errors
/// Returns an error when types cannot be read.
pub fn skew(plan: &SkewPlan) -> Result<Skew, SkewError> {
    let old = Types::read(&plan.old)?;
    let new = plan.new.as_deref().map(Types::read).transpose()?;
    let mut skew = Skew::default();
    let newest = new.as_ref().unwrap_or(&old);
    skew.left_out.clone_from(&newest.left_out);
    let is_chosen = |declared: &&Declared| plan.ty.as_ref().is_none_or(|name| declared.is_named(name));
    let chosen: Vec<&Declared> = newest.unions.iter().filter(is_chosen).collect();
    if let (Some(asked), true) = (&plan.ty, chosen.is_empty()) {
        let known = newest.unions.iter().map(|declared| declared.union.owner.clone()).collect();
        return Err(SkewError::UnknownType { asked: asked.clone(), known });
    }
    let members = || chosen.iter().flat_map(|declared| &declared.union.members).map(|member| member.name.as_str());
    if let (Some(asked), None) = (&plan.without, &new)
        && !chosen.is_empty()
        && !members().any(|member| member == asked)
    {
        return Err(SkewError::UnknownMember { asked: asked.clone(), known: members().map(str::to_owned).collect() });
    }
    for declared in chosen {
        let members = declared.union.members.iter().map(|member| member.name.as_str());
        let added: Vec<&str> = match &new {
            None => members.filter(|name| plan.without.as_ref().is_none_or(|only| only == name)).collect(),
            Some(_) => match old.counterpart(declared) {
                Some(older) => members.filter(|name| older.union.member(name).is_none()).collect(),
                None => {
                    skew.left_out.push(format!("{}: the older version has no such union", declared.union.owner));
                    continue;
                }
            },
        };
        if !added.is_empty() {
            skew.play(declared, &added);
        }
    }
    Ok(skew)
}

#[cfg(test)]
mod tests {
    use super::{SkewPlan, skew};
    use std::path::Path;
    use tempfile::TempDir;

    const TYPES: &str = "package v1\n\ntype Source struct {\n\t// +k8s:unionMember\n\t// +k8s:optional\n\t\
                         Git *string `json:\"git,omitempty\"`\n\t// +k8s:unionMember\n\t// +k8s:optional\n\t\
                         HTTP *string `json:\"http,omitempty\"`\n}\n";

    fn folder(types: &str) -> TempDir {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("v1")).unwrap();
        std::fs::write(folder.path().join("v1/types.go"), types).unwrap();
        folder
    }

    fn plan(folder: &TempDir) -> SkewPlan {
        SkewPlan { old: Path::new(folder.path()).join("v1"), ..SkewPlan::default() }
    }

    #[test]
    fn a_type_or_member_that_no_union_has_is_an_error_that_lists_them() {
        let folder = folder(TYPES);
        let error = |plan: SkewPlan| skew(&plan).err().map(|error| error.to_string()).unwrap_or_default();
        let ty = error(SkewPlan { ty: Some("Sauce".to_owned()), ..plan(&folder) });
        assert_eq!(ty, "no union is of `Sauce`: there are `module.local/v1.Source`");
        let member = error(SkewPlan { without: Some("gti".to_owned()), ..plan(&folder) });
        assert_eq!(member, "no union has a member `gti`: did you mean `git`? there are `git`, `http`");
        for known in [SkewPlan { ty: Some("Source".to_owned()), ..plan(&folder) }, plan(&folder)] {
            assert_eq!(skew(&SkewPlan { without: Some("git".to_owned()), ..known }).unwrap().unions.len(), 1);
        }
    }

    #[test]
    fn a_union_that_cannot_be_played_is_failed_for_the_mistake_in_its_tags() {
        let types = "package v1\n\ntype Source struct {\n\t// +unionDiscriminator\n\tType int `json:\"type\"`\n\t\
                     // +unionMember\n\tGit *string `json:\"git,omitempty\"`\n\t// +unionMember\n\t\
                     HTTP *string `json:\"http,omitempty\"`\n}\n";
        let played = skew(&plan(&folder(types))).unwrap();
        assert_eq!(played.failed[0].reason, "the discriminator `Type` is no string");
    }
}
