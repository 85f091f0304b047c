//! `go-source`: files that are not Go as the front end reads it. `unused-exception`: exceptions that excuse nothing.

use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::Model;
use crate::lint::sink::{Sink, Spot};
use miette::Diagnostic as _;

pub(in crate::lint) static GO_SOURCE: Lint = Lint {
    name: "go-source",
    summary: "The Go source is invalid.",
    explanation: "Syntax errors, names that are declared twice or not at all, types that contain themselves, `+default` \
                  markers that are not JSON, and missing files or packages. Doubtful struct tags are warnings, because Go \
                  accepts them silently.",
    ..Lint::DEFAULT
};

/// Found where exceptions are applied, after every lint has run.
pub(in crate::lint) static UNUSED_EXCEPTION: Lint = Lint {
    name: "unused-exception",
    summary: "An exception excuses nothing.",
    explanation: "An entry of the exceptions file names a linted type but matches no finding: what it excused was fixed, and \
                  the entry could hide the next finding.",
    source: Origin::Own,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn go_source(model: &Model<'_>, sink: &mut Sink<'_>) {
    for fault in model.source_faults {
        let length = fault.labels().and_then(|mut labels| labels.next()).map_or(1, |label| label.len());
        let spot = Spot::at(fault.position().cloned()).of_length(length);
        let finding = sink.plain(spot, fault.message());
        let finding = finding.level(if fault.is_error() { Level::Error } else { Level::Warning });
        if let Some(help) = fault.help() {
            finding.help(help.to_string());
        }
    }
}
