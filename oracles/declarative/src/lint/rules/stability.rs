//! `stability`: rules are made of tags that are as settled as the rule.

use crate::grammar::Tag;
use crate::lint::def::{Lint, Origin};
use crate::lint::model::{Model, Subject, is_lifecycle, short};
use crate::lint::sink::{Sink, Spot};
use crate::tags::{self, TagStability};
use takeover_harness::error::Stability;

pub(in crate::lint) static STABILITY: Lint = Lint {
    name: "stability",
    summary: "A rule may not use tags that are less stable than itself.",
    explanation: "Without a lifecycle tag, a rule is as stable as its API version: stable in `v1`, beta in `v1beta1`, alpha \
                  in `v1alpha1`; `alpha` and `beta` set the level of their chain. In stable versions, a chain that starts \
                  with `ifEnabled` or `ifDisabled` counts as beta.",
    source: Origin::Generator,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn stability(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in &model.subjects {
        for (line, tag) in subject.tags() {
            let (wanted, chain) = match (tags::level(tag), tag.inner()) {
                (Some(Stability::Alpha), Some(inner)) => (TagStability::Alpha, inner),
                (Some(Stability::Beta), Some(inner)) => (TagStability::Beta, inner),
                (Some(_), None) => continue,
                (None, _) => (of_package(subject), tag),
            };
            let wanted = relaxed(wanted, chain);
            if let Some((unsettled, found)) = less_settled(chain, wanted) {
                let message =
                    format!("`{}`, whose meaning is {found}, cannot be used in {wanted} validation", short(unsettled));
                let help = match tags::level(tag) {
                    Some(Stability::Beta) => "make the rule `alpha`".to_owned(),
                    _ => format!("wrap the chain in `+k8s:{found}(since: \"…\")=`"),
                };
                sink.report(subject, Spot::tag(line, unsettled), message).help(help);
            }
        }
    }
}

/// How settled the rules of a package are without a lifecycle tag: the last element of its path says it.
pub(super) fn of_package(subject: &Subject<'_>) -> TagStability {
    let version = subject.info.package.rsplit('/').next().unwrap_or_default();
    if version.contains("alpha") {
        TagStability::Alpha
    } else if version.contains("beta") {
        TagStability::Beta
    } else {
        TagStability::Stable
    }
}

/// Options let rules of beta tags into stable versions.
pub(super) fn relaxed(wanted: TagStability, chain: &Tag) -> TagStability {
    match tags::lookup(&chain.name).and_then(|def| def.condition) {
        Some(_) => wanted.min(TagStability::Beta),
        None => wanted,
    }
}

/// The first tag of a chain that is less settled than `wanted`. A tag that nobody registered ends the search; lifecycle tags, whose
/// place is elsewhere, have lints of their own.
pub(super) fn less_settled(chain: &Tag, wanted: TagStability) -> Option<(&Tag, TagStability)> {
    chain
        .chain()
        .map_while(|tag| tags::lookup(&tag.name).map(|def| (tag, def.stability)))
        .find(|(tag, stability)| *stability < wanted && !is_lifecycle(tag))
}
