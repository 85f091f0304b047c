//! `graduation-eligible`: rules that could move to the next level.

use super::stability;
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::{Model, short};
use crate::lint::sink::{Sink, Spot};
use crate::tags::{self, TagStability};
use takeover_harness::error::Stability;
use takeover_harness::release::Release;

pub(in crate::lint) static GRADUATION: Lint = Lint {
    name: "graduation-eligible",
    level: Level::Warning,
    summary: "A rule has been at its level for a release and could move to the next one.",
    explanation: "An `alpha` or `beta` of an older release than the one lint is told (or, untold, than the newest that any tag \
                  names), whose chained tags are settled enough for the next level. Whether evidence is there is another \
                  question. `+k8s:validation-lifecycle-exempt=\"issue …\"` on the field silences it.",
    source: Origin::Proposal,
    ..Lint::DEFAULT
};

/// Marker that keeps the level of a field's rules.
const EXEMPT: &str = "k8s:validation-lifecycle-exempt";

pub(in crate::lint) fn graduation(model: &Model<'_>, sink: &mut Sink<'_>) {
    let Some(release) = model.release else { return };
    for subject in model.subjects.iter().filter(|subject| subject.marker(EXEMPT).is_none()) {
        for (line, tag) in subject.tags() {
            let (next, wanted) = match tags::level(tag) {
                Some(Stability::Alpha) => ("beta", TagStability::Beta),
                Some(Stability::Beta) => ("standard", stability::of_package(subject)),
                None => continue,
            };
            let since = tags::since(tag).and_then(|since| since.parse::<Release>().ok());
            let (Some(since), Some(chain)) = (since, tag.inner()) else { continue };
            let settled = stability::less_settled(chain, stability::relaxed(wanted, chain)).is_none();
            if since < release && settled {
                let name = short(tag);
                let message = format!("eligible for graduation to {next}: {name} since {since}, now {release}");
                let help = "move it, or say why not with `+k8s:validation-lifecycle-exempt=\"issue …\"` on the field";
                sink.report(subject, Spot::tag(line, tag), message).help(help);
            }
        }
    }
}
