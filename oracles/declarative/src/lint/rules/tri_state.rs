//! `tri-state`, `optional-default`: a field is required, optional, forbidden or has a default, and one of them only.

use crate::lint::chain::steps;
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::{Line, Model, Subject, short};
use crate::lint::sink::{Sink, Spot};
use crate::tags::{self, Requiredness};
use std::collections::BTreeMap;

pub(in crate::lint) static TRI_STATE: Lint = Lint {
    name: "tri-state",
    summary: "A value may be only one of required, optional, forbidden and defaulted.",
    explanation: "Two of `required`, `optional` and `forbidden` on the same value with the same options contradict each \
                  other, and a value with a default is neither required nor forbidden. Different options (forbidden while one \
                  is off, optional while it is on) do not conflict.",
    source: Origin::Proposal,
    ..Lint::DEFAULT
};

pub(in crate::lint) static OPTIONAL_DEFAULT: Lint = Lint {
    name: "optional-default",
    level: Level::Note,
    summary: "A field with a default does not need `optional`.",
    explanation: "KEP-5073 makes `optional` and a default exclusive. It is only a note, because the generator of Kubernetes \
                  reads `optional` with a default as `required`, and its own types use that.",
    source: Origin::Proposal,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn tri_state(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in &model.subjects {
        let mut places: BTreeMap<_, Vec<Claim<'_, '_>>> = BTreeMap::new();
        for claim in claims(model, subject) {
            places.entry((claim.address.clone(), claim.conditions.clone())).or_default().push(claim);
        }
        for claims in places.values() {
            let Some(first) = claims.first() else { continue };
            // One finding for each further state, at its tag.
            let mut seen = vec![first.state];
            for claim in claims.iter().skip(1).filter(|claim| claim.state != first.state) {
                if seen.contains(&claim.state) {
                    continue;
                }
                seen.push(claim.state);
                let message = format!("`{}` contradicts `{}` on the same value", claim.state, first.state);
                sink.report(subject, claim.spot(), message).help("keep one of them");
            }
        }
        if let Some((default, _)) = subject.default_marker() {
            let direct = claims(model, subject).into_iter().filter(|claim| claim.address.is_empty());
            for claim in
                direct.filter(|claim| claim.requiredness != Requiredness::Optional && claim.conditions.is_empty())
            {
                let message = format!("`{}` contradicts `+{}`", claim.state, default.line.text);
                let help = "with a default the value is always set: keep one of them";
                sink.report(subject, claim.spot(), message).help(help);
            }
        }
    }
}

pub(in crate::lint) fn optional_default(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in &model.subjects {
        let Some((default, _)) = subject.default_marker() else { continue };
        let optional = claims(model, subject).into_iter().find(|claim| {
            claim.address.is_empty() && claim.conditions.is_empty() && claim.requiredness == Requiredness::Optional
        });
        if let Some(claim) = optional {
            let message = format!("`optional` beside `+{}`: the value is always set", default.line.text);
            sink.report(subject, claim.spot(), message);
        }
    }
}

/// A requiredness tag.
struct Claim<'s, 'i> {
    line: &'s Line<'i>,
    tag: &'s crate::grammar::Tag,
    state: &'s str,
    requiredness: Requiredness,
    address: String,
    conditions: Vec<(String, bool)>,
}

impl Claim<'_, '_> {
    fn spot(&self) -> Spot {
        Spot::tag(self.line, self.tag)
    }
}

fn claims<'s, 'i>(model: &Model<'i>, subject: &'s Subject<'i>) -> Vec<Claim<'s, 'i>> {
    let mut all = Vec::new();
    for (line, chain) in subject.tags() {
        if let Some(step) = steps(model.idl, subject, chain).into_iter().last()
            && let Some(requiredness) = tags::requiredness(step.tag)
        {
            let state = short(step.tag);
            all.push(Claim {
                line,
                tag: step.tag,
                state,
                requiredness,
                address: step.address,
                conditions: step.conditions,
            });
        }
    }
    all
}
