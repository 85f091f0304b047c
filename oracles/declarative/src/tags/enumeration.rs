//! `enum`, `enumExclude`: strings out of a fixed set.

use super::def::{PREFIX, Specificity, TagDef, TagScope, TagStability};
use super::sample::class;
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::compile::shape::{self, Builtin, Shape};
use crate::eval::{At, Check, Emission, Fault, Sink, quoted, undefined_option};
use crate::grammar::{Payload, Tag};
use crate::idl::ConstantValue;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::case::Options;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::rule::Boundary;

pub(super) const TAGS: &[TagDef] = &[
    TagDef {
        name: "enum",
        specificity: Specificity::Whole,
        places: &[TagScope::Type],
        summary: "A string type whose values are its constants.",
        semantics: "Allowed are all constants of exactly this Go type in all loaded packages, equal values once, \
                    those with `enumExclude` left out. The empty string is checked like any other, unless a \
                    requiredness tag stopped the field. An exclusion by an option that is not defined fails every \
                    value.",
        errors: &["NotSupported: supported values: …", "InternalError: undefined validation option …"],
        example: "+k8s:enum",
        go: "@\n\
             type Mode string\n\n\
             const (\n\
             \tModeOn  Mode = \"On\"\n\
             \tModeOff Mode = \"Off\"\n\
             )\n\n\
             type Example struct {\n\
             \tMode Mode `json:\"mode\"`\n\
             }",
        compile: enumeration,
        ..TagDef::DEFAULT
    },
    TagDef {
        name: "enumExclude",
        no_mutants: Some("those of `enum` drop and invert exclusions"),
        stability: TagStability::Alpha,
        places: &[TagScope::Constant],
        summary: "Keeps a constant out of the values of its `enum` type.",
        semantics: "Below `ifEnabled` (`ifDisabled`) the constant is kept out while the option is on (off); of \
                    several such tags any one suffices.",
        example: "+k8s:ifDisabled(NewMode)=+k8s:enumExclude",
        go: "// +k8s:enum\n\
             type Mode string\n\n\
             const (\n\
             \tModeOld Mode = \"Old\"\n\n\
             \t@\n\
             \tModeNew Mode = \"New\"\n\
             )\n\n\
             type Example struct {\n\
             \tMode Mode `json:\"mode\"`\n\
             }",
        ..TagDef::DEFAULT
    },
];

fn enumeration(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    let schema = build.schema();
    if shape::shape(schema, context.ty) != Shape::Builtin(Builtin::Text) {
        let name = shape::name(schema, context.ty);
        return Err(Problem::new(format!("can be used on string types only, not on `{name}`")));
    }
    let mut values: BTreeMap<Arc<str>, Chosen> = BTreeMap::new();
    let constants = build.info(context.ty).map(|info| info.constants.as_slice()).unwrap_or_default();
    for constant in constants {
        let ConstantValue::Text(value) = &constant.value else { continue };
        let tags = build.parse(&constant.tags);
        let mut excluded = false;
        let mut exclusions = Vec::new();
        for (tag, line) in &tags {
            check_constant(build, tag).map_err(|problem| problem.at(&line.position))?;
            excluded |= is_tag(tag, "enumExclude");
            for (name, when) in [("ifEnabled", true), ("ifDisabled", false)] {
                if is_tag(tag, name)
                    && tag.inner().is_some_and(|inner| is_tag(inner, "enumExclude"))
                    && let Some(option) = tag.positional()
                {
                    exclusions.push(Exclusion { option: Arc::from(option.as_text()), when });
                }
            }
        }
        if excluded {
            continue;
        }
        // Of constants with equal values the generator keeps one, and with it its exclusions: the one with the longer
        // comment. Comments are not kept here; tag lines are what makes comments with exclusions longer.
        match values.get_mut(value) {
            Some(chosen) if chosen.tag_lines < constant.tags.len() => {
                *chosen = Chosen { tag_lines: constant.tags.len(), exclusions };
            }
            Some(_) => {}
            None => {
                values.insert(Arc::clone(value), Chosen { tag_lines: constant.tags.len(), exclusions });
            }
        }
    }
    let values = values.into_iter().map(|(value, chosen)| (value, chosen.exclusions)).collect();
    let rule = context.rule("enum", Enumeration { values });
    Ok(Validations { variables: true, ..Validations::from(rule) })
}

struct Chosen {
    tag_lines: usize,
    exclusions: Vec<Exclusion>,
}

fn is_tag(tag: &Tag, name: &str) -> bool {
    tag.name.strip_prefix(PREFIX) == Some(name)
}

/// Whether the tags on a constant may stand there.
fn check_constant(build: &Build<'_>, tag: &Tag) -> Result<(), Problem> {
    for tag in tag.chain() {
        build.accepts(tag, TagScope::Constant)?;
        if matches!(tag.value, Payload::None) {
            break;
        }
    }
    Ok(())
}

/// A value that no real type has.
const UNKNOWN: &str = "NoSuchValue";

/// An option in whose state a value is not allowed.
#[derive(Clone, Debug)]
struct Exclusion {
    option: Arc<str>,
    when: bool,
}

#[derive(Clone, Debug)]
struct Enumeration {
    /// Values in byte order with their exclusions.
    values: Vec<(Arc<str>, Vec<Exclusion>)>,
}

impl Enumeration {
    fn allows(&self, exclusions: &[Exclusion], options: &Options) -> bool {
        !exclusions.iter().any(|exclusion| options.get(&exclusion.option) == Some(exclusion.when))
    }
}

impl Check for Enumeration {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let Some(node) = &at.value else { return };
        let mut exclusions = self.values.iter().flat_map(|(_, exclusions)| exclusions);
        if let Some(unknown) = exclusions.find(|exclusion| at.options.get(&exclusion.option).is_none()) {
            return sink.report(|| undefined_option(at.path, &unknown.option));
        }
        let value = node.text();
        let found = self.values.binary_search_by(|(known, _)| known.as_bytes().cmp(value.as_bytes())).ok();
        let known = found.and_then(|index| self.values.get(index));
        if known.is_some_and(|(_, exclusions)| self.allows(exclusions, at.options)) {
            return;
        }
        sink.report(|| {
            let supported: Vec<String> = self
                .values
                .iter()
                .filter(|(_, exclusions)| self.allows(exclusions, at.options))
                .map(|(value, _)| quoted(value))
                .collect();
            let detail = match supported.as_slice() {
                [] => String::new(),
                supported => format!("supported values: {}", supported.join(", ")),
            };
            FieldError::new(ErrorType::NotSupported, at.path, BadValue::json(Value::from(value)), detail)
        });
    }

    fn reports(&self) -> Vec<Emission> {
        let mut reports = vec![Emission::here(ErrorType::NotSupported, "")];
        if self.values.iter().any(|(_, exclusions)| !exclusions.is_empty()) {
            reports.push(Emission::here(ErrorType::Internal, ""));
        }
        reports
    }

    fn beside_line(&self) -> String {
        let exclusion = |of: &Exclusion| format!(" unless {} is {}", of.option, if of.when { "on" } else { "off" });
        let value = |(value, exclusions): &(Arc<str>, Vec<Exclusion>)| {
            let name = if value.is_empty() { "\"\"" } else { value.as_ref() };
            format!("{name}{}", exclusions.iter().map(exclusion).collect::<String>())
        };
        let values: Vec<String> = self.values.iter().map(value).collect();
        if values.is_empty() { String::new() } else { format!(" of {}", values.join(", ")) }
    }

    fn faults(&self) -> Vec<Fault> {
        let changed = |index: usize, name: String, change: &dyn Fn(&mut Vec<Exclusion>)| {
            let mut values = self.values.clone();
            if let Some((_, exclusions)) = values.get_mut(index) {
                change(exclusions);
            }
            Fault::changed(name, Self { values })
        };
        let mut faults = Vec::new();
        for (index, (value, exclusions)) in self.values.iter().enumerate() {
            let mut values = self.values.clone();
            values.remove(index);
            faults.push(Fault::changed(format!("value {} dropped", quoted(value)), Self { values }));
            for (at, exclusion) in exclusions.iter().enumerate() {
                let of = format!("of {} by {}", quoted(value), exclusion.option);
                faults.push(changed(index, format!("exclusion {of} dropped"), &|exclusions| {
                    exclusions.remove(at);
                }));
                faults.push(changed(index, format!("exclusion {of} inverted"), &|exclusions| {
                    exclusions.iter_mut().skip(at).take(1).for_each(|exclusion| exclusion.when = !exclusion.when);
                }));
            }
        }
        for extra in ["", UNKNOWN] {
            if let Err(place) = self.values.binary_search_by(|(known, _)| known.as_bytes().cmp(extra.as_bytes())) {
                let mut values = self.values.clone();
                values.insert(place, (Arc::from(extra), Vec::new()));
                let name = format!("value {} added", quoted(extra));
                faults.push(Fault::changed(name, Self { values }).on_unset_if(extra.is_empty()));
            }
        }
        faults
    }

    fn fails_unset(&self) -> bool {
        !self.values.iter().any(|(value, exclusions)| value.is_empty() && exclusions.is_empty())
    }

    fn boundaries(&self) -> Vec<Boundary> {
        let mut all = Vec::new();
        for (value, exclusions) in &self.values {
            let allowed = exclusions.iter().map(|exclusion| (exclusion.option.to_string(), !exclusion.when));
            let shown = quoted(value);
            let known = |name, breaks| class(name, breaks, Value::from(value.as_ref()));
            all.push(Boundary { options: allowed.collect(), ..known(format!("value {shown}"), false) });
            for Exclusion { option, when } in exclusions {
                let state = if *when { "on" } else { "off" };
                let name = format!("value {shown} while `{option}` is {state}");
                all.push(Boundary { options: vec![(option.to_string(), *when)], ..known(name, true) });
            }
        }
        for (name, text) in [("unknown value", UNKNOWN), ("empty value", "")] {
            if !self.values.iter().any(|(value, _)| value.as_ref() == text) {
                all.push(class(name, true, Value::from(text)));
            }
        }
        all
    }
}
