//! What tags see while they compile: the place they stand on, the types, and state shared between tags of one run.

use super::problem::{Diagnostic, Problem};
use super::rule::{RuleFn, Source, SourceLine, Terms, Validations};
use super::shape;
use crate::declarative::eval::Check;
use crate::declarative::grammar::{self, Tag};
use crate::declarative::idl::{FieldInfo, Idl, Position, TagLine, TypeInfo};
use crate::declarative::plan::rule::Body;
use crate::declarative::settings::Settings;
use crate::declarative::tags::{self, Place};
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::schema::{Field, Schema, Slot, TypeId};

/// The place a tag stands on.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Kind of place.
    pub(crate) place: Place,
    /// The type under test there.
    pub(crate) ty: TypeId,
    /// Names the place: `pkg.Type.field[(vals)]`.
    pub(crate) path: Arc<str>,
    /// The struct field, on fields.
    pub(crate) member: Option<MemberRef>,
    /// Names the place around it; none on types.
    pub(crate) parent_path: Option<Arc<str>>,
    /// The type around it; none on types.
    pub(crate) parent: Option<TypeId>,
    /// Which list elements, below `item`.
    pub(crate) selector: Option<Terms>,
    /// Mark of the lifecycle wrapper around the tag.
    pub(crate) level: Option<Stability>,
    /// The line.
    pub(crate) line: Arc<SourceLine>,
}

/// A field of a struct in the type graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemberRef {
    /// The struct.
    pub(crate) owner: TypeId,
    /// The field's place in it.
    pub(crate) slot: Slot,
}

impl Context {
    /// A rule of `tag` here that checks the value.
    pub(crate) fn rule(&self, tag: &'static str, check: impl Check + 'static) -> RuleFn {
        self.attributed(tag, RuleFn::new(Body::Check(Arc::new(check))))
    }

    /// Says that a rule came from `tag` here.
    pub(crate) fn attributed(&self, tag: &'static str, rule: RuleFn) -> RuleFn {
        RuleFn { source: Some(Source { line: Arc::clone(&self.line), tag }), ..rule }
    }

    /// The path of the place around this one; empty for types.
    pub(crate) fn parent_key(&self) -> Arc<str> {
        self.parent_path.clone().unwrap_or_else(|| Arc::from(""))
    }
}

/// One compilation: types in, rules out.
pub(crate) struct Build<'i> {
    /// Types and tag lines.
    pub(crate) idl: &'i Idl,
    /// How strict to be, and plug-ins.
    pub(crate) settings: &'i Settings,
    /// Complaints so far.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Tags that nobody registered, with their place.
    pub(crate) ignored: Vec<(Position, String)>,
    /// What tags of one family tell each other.
    pub(crate) state: tags::State,
}

impl<'i> Build<'i> {
    pub(crate) fn new(idl: &'i Idl, settings: &'i Settings) -> Self {
        Self { idl, settings, diagnostics: Vec::new(), ignored: Vec::new(), state: tags::State::default() }
    }

    /// The type graph.
    pub(crate) fn schema(&self) -> &'i Schema {
        &self.idl.schema
    }

    /// What the source says about a type.
    pub(crate) fn info(&self, ty: TypeId) -> Option<&'i TypeInfo> {
        self.idl.types.get(ty.0 as usize)
    }

    /// A field and what the source says about it.
    pub(crate) fn field(&self, member: MemberRef) -> Option<(&'i Field, &'i FieldInfo)> {
        let (_, fields) = shape::as_struct(self.schema(), member.owner)?;
        let field = fields.field(member.slot)?;
        let info = self.info(member.owner)?.fields.get(usize::from(member.slot))?;
        Some((field, info))
    }

    /// The registered tags among `lines`, parsed, sorted by outermost name; malformed ones become diagnostics.
    pub(crate) fn parse(&mut self, lines: &'i [TagLine]) -> Vec<(Tag, Arc<SourceLine>)> {
        let mut parsed = Vec::new();
        for line in lines {
            let name = grammar::name_of(&line.text);
            if tags::lookup(name).is_none() {
                if name.starts_with(tags::PREFIX) && !tags::is_marker(name) {
                    self.ignored.push((line.position.clone(), name.to_owned()));
                }
                continue;
            }
            match grammar::parse(&line.text) {
                Ok(tag) => {
                    let source = SourceLine {
                        position: line.position.clone(),
                        chain: tags::chain_text(&tag),
                        since: tags::since(&tag),
                        least_settled: tags::least_settled(&tag),
                    };
                    parsed.push((tag, Arc::new(source)));
                }
                Err(error) => {
                    let mut position = line.position.clone();
                    let offset = u32::try_from(error.offset).unwrap_or(u32::MAX);
                    position.column = position.column.saturating_add(1).saturating_add(offset);
                    let message = format!("tag `+{}`: {error}", line.text);
                    self.diagnostics.push(Diagnostic { position: Some(position), message });
                }
            }
        }
        parsed.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        parsed
    }

    /// Compiles all registered tags of a comment; what fails becomes a diagnostic and the rest goes on.
    pub(crate) fn compile_all(&mut self, lines: &'i [TagLine], context: &Context, subject: &str) -> Validations {
        let mut all = Validations::default();
        for (tag, line) in self.parse(lines) {
            let context = Context { line: Arc::clone(&line), ..context.clone() };
            match self.compile(&context, &tag) {
                Ok(validations) => all.add(validations),
                Err(problem) => self.complain(subject, problem.at(&line.position)),
            }
        }
        all
    }

    /// Compiles one tag in its place.
    pub(crate) fn compile(&mut self, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
        let Some(def) = tags::lookup(&tag.name) else {
            return Err(Problem::new(format!("tag `{}` is not known", tag.name)));
        };
        def.accepts(tag, context.place, self.settings.strict)
            .and_then(|()| (def.compile)(self, context, tag))
            .map_err(|problem| Problem { message: format!("tag `{}`: {}", tag.name, problem.message), ..problem })
    }

    /// Compiles the tag in the payload of `tag`.
    pub(crate) fn compile_inner(&mut self, context: &Context, tag: &Tag) -> Result<Validations, Problem> {
        match tag.inner() {
            Some(inner) => self.compile(context, inner),
            None => Err(Problem::new("a validation tag is required as the value")),
        }
    }

    /// Notes a complaint about `subject`.
    pub(crate) fn complain(&mut self, subject: &str, problem: Problem) {
        self.diagnostics
            .push(Diagnostic { position: problem.position, message: format!("{subject}: {}", problem.message) });
    }
}
