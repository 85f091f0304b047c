//! `invalid-tags`: tags that do not follow the grammar or do not fit their place.

use crate::compile::shape::{self, Shape};
use crate::lint::chain::steps;
use crate::lint::def::{Level, Lint, Origin};
use crate::lint::model::{Line, Model, Subject};
use crate::lint::sink::{Sink, Spot};
use takeover_harness::schema::TypeId;

pub(in crate::lint) static INVALID_TAGS: Lint = Lint {
    name: "invalid-tags",
    summary: "A validation tag is invalid.",
    explanation: "A registered tag breaks the grammar, is in the wrong place, lacks an argument or value, or does not fit the \
                  Go type; the generator of Kubernetes stops there. Not reported if another lint reports it. A warning if the \
                  package of the tagged type is not loaded.",
    source: Origin::Generator,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn invalid_tags(model: &Model<'_>, sink: &mut Sink<'_>) {
    for complaint in &model.complaints {
        let Some(position) = &complaint.position else {
            sink.plain(Spot::at(None), complaint.message.as_str());
            continue;
        };
        let Some((subject, line)) = model.at(position) else {
            sink.plain(Spot::at(Some(position.clone())), complaint.message.as_str());
            continue;
        };
        // A complaint starts with the type and member that it is about, which the place says already.
        let message = match complaint.message.split_once(": ") {
            Some((about, message)) if about.starts_with(subject.go_type) => message,
            _ => complaint.message.as_str(),
        };
        let spot = match line {
            Some(line) if line.line.position == *position => Spot::line(line),
            None if subject.position == Some(position) => Spot::subject(subject),
            _ => Spot::at(Some(position.clone())),
        };
        let finding = sink.report(subject, spot, message);
        if line.is_some_and(|line| judges_absent(model, subject, line)) {
            finding.level(Level::Warning).help("the type is in a package that is not loaded, so this may be wrong");
        }
    }
}

/// Whether a tag of the line judges a type, or elements of a type, that was not loaded.
fn judges_absent(model: &Model<'_>, subject: &Subject<'_>, line: &Line<'_>) -> bool {
    let schema = &model.idl.schema;
    let absent = |ty: TypeId| {
        let info = model.idl.types.get(shape::non_pointer(schema, ty).0 as usize);
        info.is_some_and(|info| !info.package.is_empty() && !info.processed)
    };
    let steps = line.tag.iter().flat_map(|tag| steps(model.idl, subject, tag));
    steps.filter_map(|step| step.ty).any(|ty| {
        absent(ty)
            || match shape::shape(schema, ty) {
                Shape::List(Some(element)) => absent(element),
                Shape::Map { value, .. } => absent(value),
                _ => false,
            }
    })
}
