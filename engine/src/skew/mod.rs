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
    let is_asked_for = |declared: &&Declared| plan.ty.as_ref().is_none_or(|name| declared.is_named(name));
    for declared in newest.unions.iter().filter(is_asked_for) {
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
