//! `detached-tags`, `typedef-tags`: tags that stand where nobody looks for them.

use crate::grammar;
use crate::idl::{TagLine, TypeInfo};
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::Model;
use crate::lint::sink::{Sink, Spot};
use crate::tags::{self, TagScope};

pub(in crate::lint) static DETACHED: Lint = Lint {
    name: "detached-tags",
    level: Level::Warning,
    summary: "A blank line separates tags from their type.",
    explanation: "Validation tags in such a comment are ignored; markers for roots and subresources still count.",
    source: Origin::Own,
    ..Lint::DEFAULT
};

pub(in crate::lint) static TYPEDEF: Lint = Lint {
    name: "typedef-tags",
    level: Level::Warning,
    summary: "A type defined from another one must repeat its tags.",
    explanation: "Tags apply only to the type that they are written on: `type B A` takes the structure of `A`, but not the \
                  tags above it. An alias (`type B = A`) is the same type and has its tags.",
    source: Origin::Proposal,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn detached(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in model.subjects.iter().filter(|subject| subject.place == TagScope::Type) {
        for line in subject.info.second_closest.iter().filter(|line| is_tag(line)) {
            let message = format!("`+{}` is ignored: a blank line stands between it and the type", line.text);
            let spot = Spot::at(Some(line.position.clone())).of_length(line.text.len() + 1);
            sink.report(subject, spot, message).help("join the two comments");
        }
    }
}

pub(in crate::lint) fn typedef(model: &Model<'_>, sink: &mut Sink<'_>) {
    for subject in model.subjects.iter().filter(|subject| subject.place == TagScope::Type) {
        let over = subject.info.defined_over.and_then(|over| model.idl.types.get(over.0 as usize));
        let Some(over) = over.filter(|over| over.processed) else { continue };
        let own: Vec<String> = chains(subject.info);
        let lost: Vec<String> =
            chains(over).into_iter().filter(|chain| !own.contains(chain)).map(|chain| format!("`{chain}`")).collect();
        if !lost.is_empty() {
            let (name, over, lost) = (subject.go_name, &over.go_name, lost.join(", "));
            let message = format!("`{name}` does not have the rules of `{over}` that it is defined over: {lost}");
            sink.report(subject, Spot::subject(subject), message).help("repeat the tags that are meant for it too");
        }
    }
}

/// The chains of the tags above a type.
fn chains(info: &TypeInfo) -> Vec<String> {
    let parsed = info.tags.iter().filter(|line| is_tag(line)).filter_map(|line| grammar::parse(&line.text).ok());
    parsed.map(|tag| tags::chain_text(&tag)).collect()
}

fn is_tag(line: &TagLine) -> bool {
    tags::lookup(grammar::name_of(&line.text)).is_some()
}
