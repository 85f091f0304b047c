//! One compilation: what tags see of it, what they add to it, and work that has to wait until a field or type is complete.

use super::context::{Context, MemberRef, TagScope};
use super::problem::{Diagnostic, Problem};
use super::rule::{RuleFn, SourceLine};
use super::shape;
use crate::grammar::Tag;
use crate::idl::{FieldInfo, Idl, Position, TagLine, TypeInfo};
use crate::settings::CompileSettings;
use std::any::{self, Any};
use std::collections::HashMap;
use std::sync::Arc;
use takeover_harness::schema::{Field, Schema, TypeId};

/// Knows every tag, and compiles each.
pub(crate) trait Vocabulary: Sync {
    /// What a line of a comment says.
    fn read(&self, line: &TagLine) -> Reading;

    /// Whether a tag may stand in a place and has what it needs.
    fn accepts(&self, tag: &Tag, place: TagScope, strict: bool) -> Result<(), Problem>;

    /// Compiles one tag in its place.
    fn compile(&self, build: &mut Build<'_>, context: &Context, tag: &Tag) -> Result<Validations, Problem>;
}

/// What a line of a comment says.
pub(crate) enum Reading {
    /// A registered tag.
    Tag(Tag, SourceLine),
    /// A tag that is not registered, by its name.
    Unknown(String),
    /// A registered tag that does not follow the grammar.
    Malformed(Diagnostic),
    /// Something else.
    Other,
}

/// One compilation: types in, rules out.
pub(crate) struct Build<'i> {
    /// Types and tag lines.
    pub(crate) idl: &'i Idl,
    /// How strict to be, and plug-ins.
    pub(crate) settings: &'i CompileSettings,
    /// Complaints so far.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Tags that are not registered, with their place.
    pub(crate) ignored: Vec<(Position, String)>,
    /// The tags that there are.
    vocabulary: &'static dyn Vocabulary,
    /// Shared state of each family of tags, by its type.
    notes: HashMap<any::TypeId, Box<dyn Any>>,
}

impl<'i> Build<'i> {
    pub(crate) fn new(idl: &'i Idl, settings: &'i CompileSettings, vocabulary: &'static dyn Vocabulary) -> Self {
        let (diagnostics, ignored, notes) = (Vec::new(), Vec::new(), HashMap::new());
        Self { idl, settings, diagnostics, ignored, vocabulary, notes }
    }

    /// The shared state of a family of tags; empty at first.
    pub(crate) fn notes<N: Default + 'static>(&mut self) -> &mut N {
        let notes = self.notes.entry(any::TypeId::of::<N>()).or_insert_with(|| Box::<N>::default());
        // INVARIANT: what is kept under a type is of that type.
        notes.downcast_mut().unwrap_or_else(|| Box::leak(Box::default()))
    }

    /// Reads [`Build::notes`]; `None` until something is noted.
    pub(crate) fn noted<N: 'static>(&self) -> Option<&N> {
        self.notes.get(&any::TypeId::of::<N>())?.downcast_ref()
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
        let vocabulary = self.vocabulary;
        let mut parsed = Vec::new();
        for line in lines {
            match vocabulary.read(line) {
                Reading::Tag(tag, source) => parsed.push((tag, Arc::new(source))),
                Reading::Unknown(name) => self.ignored.push((line.position.clone(), name)),
                Reading::Malformed(diagnostic) => self.diagnostics.push(diagnostic),
                Reading::Other => {}
            }
        }
        parsed.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        parsed
    }

    /// Compiles all registered tags of a comment. A tag that fails becomes a diagnostic, and the others are compiled all the same.
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
        self.vocabulary.compile(self, context, tag)
    }

    /// Whether a tag may stand in a place and has what it needs.
    pub(crate) fn accepts(&self, tag: &Tag, place: TagScope) -> Result<(), Problem> {
        self.vocabulary.accepts(tag, place, self.settings.strict)
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

/// Everything that tags on one place compile to.
#[derive(Default)]
pub(crate) struct Validations {
    /// Rules that are complete.
    pub(crate) rules: Vec<RuleFn>,
    /// Rules that are made later.
    pub(crate) deferred: Vec<Deferred>,
    /// Whether a tag left a remark in the generated code and nothing else; the place then counts as having rules.
    pub(crate) remark: bool,
    /// Whether a rule needs a variable of its own, which `eachVal` and `eachKey` refuse.
    pub(crate) variables: bool,
    /// Whether the type's own rules are cut off.
    pub(crate) opaque: bool,
    /// The same for map keys.
    pub(crate) opaque_key: bool,
    /// The same for elements and map values.
    pub(crate) opaque_val: bool,
}

/// When deferred work runs, and to what its rules belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// When the field or type is complete; the rules stay with it.
    Here,
    /// When all fields of the struct are complete; the rules go to the struct.
    Parent,
}

type Work = dyn FnOnce(&mut Build<'_>) -> Result<Validations, Problem>;

/// Work that waits.
pub(crate) struct Deferred {
    /// When it runs.
    pub(crate) scope: Scope,
    work: Box<Work>,
}

impl Deferred {
    /// Work for later.
    pub(crate) fn new(
        scope: Scope,
        work: impl FnOnce(&mut Build<'_>) -> Result<Validations, Problem> + 'static,
    ) -> Self {
        Self { scope, work: Box::new(work) }
    }

    /// Does the work.
    pub(crate) fn run(self, build: &mut Build<'_>) -> Result<Validations, Problem> {
        (self.work)(build)
    }
}

impl From<RuleFn> for Validations {
    fn from(rule: RuleFn) -> Self {
        Self { rules: vec![rule], ..Self::default() }
    }
}

impl From<Deferred> for Validations {
    fn from(deferred: Deferred) -> Self {
        Self { deferred: vec![deferred], ..Self::default() }
    }
}

impl Validations {
    /// Appends the rules of another tag.
    pub(crate) fn add(&mut self, other: Validations) {
        self.rules.extend(other.rules);
        self.deferred.extend(other.deferred);
        self.remark |= other.remark;
        self.variables |= other.variables;
        self.opaque |= other.opaque;
        self.opaque_key |= other.opaque_key;
        self.opaque_val |= other.opaque_val;
    }

    /// Whether this generates code.
    pub(crate) fn emits(&self) -> bool {
        !self.rules.is_empty() || self.remark || self.variables || !self.deferred.is_empty()
    }

    /// Whether this holds no rules at all.
    pub(crate) fn is_empty(&self) -> bool {
        !self.emits() && !self.opaque && !self.opaque_key && !self.opaque_val
    }

    /// Puts every rule, present and deferred, through `wrap`, which is told whose rule it becomes.
    pub(crate) fn wrap(self, wrap: impl Fn(RuleFn, Scope) -> RuleFn + Clone + 'static) -> Validations {
        self.wrap_in(Scope::Here, wrap)
    }

    /// [`Validations::wrap`] for rules that belong to `scope`.
    pub(crate) fn wrap_in(
        mut self,
        scope: Scope,
        wrap: impl Fn(RuleFn, Scope) -> RuleFn + Clone + 'static,
    ) -> Validations {
        self.rules = self.rules.into_iter().map(|rule| wrap(rule, scope)).collect();
        self.deferred = self
            .deferred
            .into_iter()
            .map(|deferred| {
                let (scope, wrap) = (deferred.scope, Wrap::new(wrap.clone()));
                Deferred::new(scope, move |build| Ok(wrap.apply(deferred.run(build)?, scope)))
            })
            .collect();
        self
    }
}

/// A wrapping function behind a pointer, so that nested deferral does not nest types.
#[derive(Clone)]
struct Wrap(std::rc::Rc<dyn Fn(RuleFn, Scope) -> RuleFn>);

impl Wrap {
    fn new(wrap: impl Fn(RuleFn, Scope) -> RuleFn + 'static) -> Self {
        Self(std::rc::Rc::new(wrap))
    }

    fn apply(self, validations: Validations, scope: Scope) -> Validations {
        let wrap = self.0;
        validations.wrap_in(scope, move |rule, scope| wrap(rule, scope))
    }
}
