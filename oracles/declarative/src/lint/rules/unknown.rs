//! `unknown-tag`: names with the prefix that nobody registered.

use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::Model;
use crate::lint::sink::{Sink, Spot};
use crate::tags;
use takeover_harness::text::nearest;

pub(in crate::lint) static UNKNOWN_TAG: Lint = Lint {
    name: "unknown-tag",
    level: Level::Error,
    summary: "A `+k8s:` tag is not registered and is ignored.",
    explanation: "A misspelled tag is silently no rule. Tags of Kubernetes' other generators are accepted; if a generator of \
                  your own uses this prefix, turn the lint off with `--allow unknown-tag`.",
    source: Origin::Own,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn unknown_tag(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in &model.subjects {
        for line in subject.lines.iter().filter(|line| is_unknown(line.name)) {
            let message = format!("`{}` is not a registered tag and is ignored", line.name);
            let finding = sink.report(subject, Spot::line(line), message);
            let name = line.name.strip_prefix(tags::PREFIX).unwrap_or(line.name);
            if let Some(near) = nearest(name, tags::all().map(|def| def.name)) {
                finding.help(format!("did you mean `+{}{near}`?", tags::PREFIX));
            }
        }
    }
}

/// Whether nobody registered this name, though it has the prefix of validation tags.
pub(super) fn is_unknown(tag: &str) -> bool {
    let known = tags::lookup(tag).is_some() || tags::is_marker(tag);
    tag.strip_prefix(tags::PREFIX).is_some_and(|name| !known && !is_of_another_generator(name))
}

/// Whether a generator of Kubernetes other than that of validation reads it: deepcopy-gen and the like, conversion-gen
/// (`conversion-fn`), openapi-gen (`openapi-model-package`, `validation:…`), and go-to-protobuf (`deprecated`).
fn is_of_another_generator(name: &str) -> bool {
    name.contains("-gen")
        || name.starts_with("validation:")
        || matches!(name, "conversion-fn" | "deprecated" | "openapi-model-package")
}
