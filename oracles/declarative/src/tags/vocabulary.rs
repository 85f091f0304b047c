//! The registered tags, as compilation asks for them.

use super::chain::{chain_text, least_settled, since};
use super::def::PREFIX;
use super::registry::{all, is_marker, lookup};
use crate::compile::Diagnostic;
use crate::compile::build::{Build, Reading, Validations, Vocabulary};
use crate::compile::context::{Context, TagScope};
use crate::compile::problem::Problem;
use crate::compile::rule::SourceLine;
use crate::grammar::{self, Tag};
use crate::idl::TagLine;
use takeover_harness::text::nearest;

/// Every registered tag.
#[derive(Debug)]
pub(crate) struct Registered;

impl Vocabulary for Registered {
    fn read(&self, line: &TagLine) -> Reading {
        let name = grammar::name_of(&line.text);
        if lookup(name).is_none() {
            let unknown = name.starts_with(PREFIX) && !is_marker(name);
            return if unknown { Reading::Unknown(name.to_owned()) } else { Reading::Other };
        }
        match grammar::parse(&line.text) {
            Ok(tag) => {
                let source = SourceLine {
                    position: line.position.clone(),
                    chain: chain_text(&tag),
                    since: since(&tag),
                    least_settled: least_settled(&tag),
                };
                Reading::Tag(tag, source)
            }
            Err(error) => {
                let mut position = line.position.clone();
                let offset = u32::try_from(error.offset).unwrap_or(u32::MAX);
                position.column = position.column.saturating_add(1).saturating_add(offset);
                let message = format!("tag `+{}`: {error}", line.text);
                Reading::Malformed(Diagnostic { position: Some(position), message })
            }
        }
    }

    fn accepts(&self, tag: &Tag, place: TagScope, strict: bool) -> Result<(), Problem> {
        match lookup(&tag.name) {
            Some(def) => def.accepts(tag, place, strict),
            None => Err(unknown(tag)),
        }
    }

    fn compile(&self, build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
        let Some(def) = lookup(&tag.name) else {
            return Err(unknown(tag));
        };
        def.accepts(tag, context.place, build.settings.strict)
            .and_then(|()| (def.compile)(build, context, tag))
            .map_err(|problem| Problem { message: format!("tag `{}`: {}", tag.name, problem.message), ..problem })
    }
}

fn unknown(tag: &Tag) -> Problem {
    let name = tag.name.strip_prefix(PREFIX).unwrap_or(&tag.name);
    let known = all().map(|def| def.name);
    let prefix = if name.len() < tag.name.len() { PREFIX } else { "" };
    let near = nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{prefix}{near}`?"));
    Problem::new(format!("tag `{}` is not known{near}", tag.name))
}
