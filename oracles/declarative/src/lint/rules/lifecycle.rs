//! `lifecycle-prefix`, `lifecycle-nested`, `lifecycle-payload`, `lifecycle-since`, `lifecycle-owner`: `alpha` and `beta` used as
//! meant.

use crate::grammar::Tag;
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::{Model, is_lifecycle, short};
use crate::lint::sink::{Sink, Spot};
use takeover_harness::release::Release;

pub(in crate::lint) static PREFIX: Lint = Lint {
    name: "lifecycle-prefix",
    summary: "`alpha` and `beta` must be outermost in their chain.",
    explanation: "Below another tag, the mark of a rule without parameters is lost, so that an alpha rule would be enforced.",
    source: Origin::Generator,
    ..Lint::DEFAULT
};

pub(in crate::lint) static NESTED: Lint = Lint {
    name: "lifecycle-nested",
    summary: "A chain may have only one lifecycle tag.",
    explanation: "The outer one wins, so the inner one is misleading.",
    source: Origin::Generator,
    ..Lint::DEFAULT
};

pub(in crate::lint) static PAYLOAD: Lint = Lint {
    name: "lifecycle-payload",
    summary: "`alpha` and `beta` must wrap a validation tag.",
    explanation: "A lifecycle tag without a tag as its value marks nothing.",
    source: Origin::Generator,
    says_invalid: true,
    ..Lint::DEFAULT
};

pub(in crate::lint) static SINCE: Lint = Lint {
    name: "lifecycle-since",
    level: Level::Note,
    summary: "`alpha` and `beta` should name their first release: `since: \"1.36\"`.",
    explanation: "Graduation is counted from that release. A missing `since` is a note, or an error with `--strict`; one that \
                  is not a quoted `major.minor` is always an error.",
    source: Origin::Proposal,
    says_invalid: true,
    ..Lint::DEFAULT
};

pub(in crate::lint) static OWNER: Lint = Lint {
    name: "lifecycle-owner",
    level: Level::Note,
    summary: "`alpha` and `beta` should name who drives the rule to the next level: `owner: \"sig-node\"`.",
    explanation: "KEP-5073 requires an owner, but the generator of Kubernetes 1.37 rejects the argument, so a missing one is \
                  a note, or an error with `--strict`. An empty one is always an error.",
    source: Origin::Proposal,
    says_invalid: true,
    ..Lint::DEFAULT
};

/// Lifecycle tags below another tag, as far as they are nested in a lifecycle tag or not.
pub(in crate::lint) fn prefix(model: &Model<'_>, sink: &mut Sink<'_>) {
    each_inner(model, sink, false);
}

pub(in crate::lint) fn nested(model: &Model<'_>, sink: &mut Sink<'_>) {
    each_inner(model, sink, true);
}

fn each_inner(model: &Model<'_>, sink: &mut Sink<'_>, nested: bool) {
    for subject in &model.subjects {
        for (line, chain) in subject.tags().filter(|(_, chain)| is_lifecycle(chain) == nested) {
            let inner = chain.chain().skip(1).filter(|tag| is_lifecycle(tag));
            for (at, tag) in inner.enumerate() {
                // Another lifecycle tag further down is nested whatever the chain starts with.
                if at > 0 && !nested {
                    break;
                }
                let message = if nested {
                    format!("`{}` around `{}`: the outer mark wins", short(chain), short(tag))
                } else {
                    format!("`{}` can't be used in between: it must be outermost", short(tag))
                };
                let help = if nested { "keep one of them" } else { "move it to the front of the chain" };
                sink.report(subject, Spot::tag(line, tag), message).help(help);
            }
        }
    }
}

pub(in crate::lint) fn payload(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in &model.subjects {
        for (line, chain) in subject.tags() {
            for tag in chain.chain().filter(|tag| is_lifecycle(tag) && tag.inner().is_none()) {
                let message = format!("`{}` requires a validation tag as its value", short(tag));
                let help = format!("write `+k8s:{}(since: \"1.37\")=+k8s:…`", short(tag));
                sink.report(subject, Spot::tag(line, tag), message).help(help);
            }
        }
    }
}

pub(in crate::lint) fn since(model: &Model<'_>, sink: &mut Sink<'_>) {
    each_argument(model, sink, "since", |text| {
        text.parse::<Release>()
            .is_err()
            .then(|| format!("`since` is `{text}`, which is not a release, such as \"1.36\""))
    });
}

pub(in crate::lint) fn owner(model: &Model<'_>, sink: &mut Sink<'_>) {
    each_argument(model, sink, "owner", |text| text.trim().is_empty().then(|| "`owner` is empty".to_owned()));
}

/// Reports lifecycle tags without the argument, and those whose argument `fault` finds wrong.
fn each_argument(model: &Model<'_>, sink: &mut Sink<'_>, name: &str, fault: impl Fn(&str) -> Option<String>) {
    for subject in &model.subjects {
        for (line, chain) in subject.tags() {
            for tag in chain.chain().filter(|tag| is_lifecycle(tag)) {
                let spot = Spot::tag(line, tag);
                match argument(tag, name) {
                    Argument::Text(text) => {
                        if let Some(message) = fault(text) {
                            sink.report(subject, spot, message).level(Level::Error);
                        }
                    }
                    Argument::NotText(found) => {
                        let message = format!("`{name}` must be quoted text, not the {found}");
                        sink.report(subject, spot, message).level(Level::Error);
                    }
                    Argument::Missing => {
                        sink.report(subject, spot, format!("`{}` does not say `{name}`", short(tag)));
                    }
                }
            }
        }
    }
}

enum Argument<'t> {
    Text(&'t str),
    NotText(String),
    Missing,
}

fn argument<'t>(tag: &'t Tag, name: &str) -> Argument<'t> {
    match tag.named(name) {
        Some(value) if value.type_name() == "string" => Argument::Text(value.as_text()),
        Some(value) => Argument::NotText(format!("{} `{}`", value.type_name(), value.as_text())),
        None => Argument::Missing,
    }
}
