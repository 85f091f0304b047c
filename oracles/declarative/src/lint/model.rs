//! What lints look at: the types under lint, their fields and constants, each with its tag lines parsed.

use super::scope::Scope;
use crate::compile::Diagnostic;
use crate::compile::build::Build;
use crate::grammar::{self, Tag};
use crate::idl::{Idl, IdlDiagnostic, Package, Position, TagLine, TypeInfo};
use crate::oracle;
use crate::plan::discover::Types;
use crate::settings::CompileSettings;
use crate::tags::{self, TagScope};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use takeover_harness::release::Release;
use takeover_harness::schema::{Field, Kind, Slot, TypeId};

/// Everything lints read.
pub(super) struct Model<'i> {
    /// Types and tag lines.
    pub(super) idl: &'i Idl,
    /// What the front end found wrong.
    pub(super) source_faults: &'i [IdlDiagnostic],
    /// Types, fields and constants under lint, in the order of the source.
    pub(super) subjects: Vec<Subject<'i>>,
    /// The compiled rules of every type under lint.
    pub(super) types: Types,
    /// What does not compile.
    pub(super) complaints: Vec<Diagnostic>,
    /// The packages that were asked for.
    pub(super) packages: Vec<&'i Package>,
    /// Types that validation comes to from the root types of the packages.
    pub(super) reached: BTreeSet<TypeId>,
    places: Places,
    /// The release that graduation is judged for.
    pub(super) release: Option<Release>,
}

/// A type, field or constant with its tags.
pub(super) struct Subject<'i> {
    /// The type it is, or belongs to.
    pub(super) ty: TypeId,
    /// What the source says about that type.
    pub(super) info: &'i TypeInfo,
    /// Qualified name of that type.
    pub(super) go_type: &'i str,
    /// What sort of declaration.
    pub(super) place: TagScope,
    /// The field, on fields.
    pub(super) field: Option<(Slot, &'i Field)>,
    /// Go name of the field or constant.
    pub(super) member: Option<&'i str>,
    /// Its own Go name.
    pub(super) go_name: &'i str,
    /// Where it is declared.
    pub(super) position: Option<&'i Position>,
    /// Its tag lines.
    pub(super) lines: Vec<Line<'i>>,
}

/// A tag line.
pub(super) struct Line<'i> {
    /// As written.
    pub(super) line: &'i TagLine,
    /// The tag's name, or what stands in its place.
    pub(super) name: &'i str,
    /// The tag, if it is registered and follows the grammar.
    pub(super) tag: Option<Tag>,
}

impl<'i> Subject<'i> {
    /// The parsed validation tags.
    pub(super) fn tags(&self) -> impl Iterator<Item = (&Line<'i>, &Tag)> {
        self.lines.iter().filter_map(|line| line.tag.as_ref().map(|tag| (line, tag)))
    }

    /// The line of a marker that is no validation tag.
    pub(super) fn marker(&self, name: &str) -> Option<&Line<'i>> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// The `+default=` or `+k8s:default=` marker and its value.
    pub(super) fn default_marker(&self) -> Option<(&Line<'i>, &'i str)> {
        self.lines
            .iter()
            .filter(|line| self.place == TagScope::Field && matches!(line.name, "default" | "k8s:default"))
            .find_map(|line| {
                let value = line.line.text.strip_prefix(line.name)?.strip_prefix('=')?;
                Some((line, value))
            })
    }

    /// The type that its tags judge; none for constants.
    pub(super) fn judged_type(&self) -> Option<TypeId> {
        match (self.place, self.field) {
            (_, Some((_, field))) => Some(field.ty),
            (TagScope::Type, _) => Some(self.ty),
            _ => None,
        }
    }

    /// `Type` or `Type.Field`, as people say it.
    pub(super) fn shown(&self) -> String {
        match self.member {
            Some(member) if self.place == TagScope::Field => format!("{}.{member}", self.info.go_name),
            Some(member) => member.to_owned(),
            None => self.info.go_name.to_string(),
        }
    }
}

/// Name of a tag without the prefix of all validation tags.
pub(super) fn short(tag: &Tag) -> &str {
    tag.name.strip_prefix(tags::PREFIX).unwrap_or(&tag.name)
}

/// Whether the tag gives its chain a level: `alpha`, `beta`.
pub(super) fn is_lifecycle(tag: &Tag) -> bool {
    tags::level(tag).is_some()
}

/// The chain below its lifecycle wrappers.
pub(super) fn unwrapped(tag: &Tag) -> Option<&Tag> {
    tag.chain().find(|tag| !is_lifecycle(tag))
}

impl<'i> Model<'i> {
    /// Looks at the types of `packages`.
    pub(super) fn new(
        idl: &'i Idl,
        source_faults: &'i [IdlDiagnostic],
        packages: &[String],
        settings: &'i CompileSettings,
        release: Option<Release>,
    ) -> Self {
        let scope = Scope::new(idl, packages);
        let mut build = Build::new(idl, settings, &tags::Registered);
        let mut types = Types::default();
        for root in scope.compiled() {
            let name = idl.schema.get(root).name.to_string();
            if let Err(problem) = types.discover(&mut build, root, &name, 0) {
                let position = build.info(root).and_then(|info| info.position.as_ref());
                let problem = match position {
                    Some(position) => problem.at(position),
                    None => problem,
                };
                build.complain(&name, problem);
            }
        }
        for ty in &scope.linted {
            if let Some(info) = idl.types.get(ty.0 as usize) {
                drop(oracle::subresources(info, &mut build));
            }
        }
        let subjects: Vec<Subject<'i>> = scope.linted.iter().flat_map(|ty| subjects(idl, *ty)).collect();
        let mut places = Places::new(&subjects);
        let mut complaints = build.diagnostics;
        complaints.retain(|complaint| {
            let Some(position) = &complaint.position else { return true };
            let subject = places.get(position).and_then(|(subject, _)| subjects.get(*subject));
            // What the generator refuses about a type or field itself matters where validation comes to it.
            subject.is_some_and(|it| it.position != Some(position) || scope.reached.contains(&it.ty))
        });
        complaints.sort_by(|a, b| a.position.cmp(&b.position));
        complaints.dedup();
        places.note_broken(&complaints);
        let asked = |package: &&Package| packages.iter().any(|path| **path == *package.path);
        let packages = idl.packages.iter().filter(asked).collect();
        Self { idl, source_faults, subjects, types, complaints, packages, places, release, reached: scope.reached }
    }

    /// The type, field or constant that a position belongs to, and the tag line that it is on.
    pub(super) fn at(&self, position: &Position) -> Option<(&Subject<'i>, Option<&Line<'i>>)> {
        let (subject, line) = self.places.get(position)?;
        let subject = self.subjects.get(*subject)?;
        Some((subject, line.and_then(|line| subject.lines.get(line))))
    }

    /// Whether the line of this position does not compile.
    pub(super) fn is_broken(&self, position: &Position) -> bool {
        self.places.broken.contains(&line_of(position))
    }
}

/// Which source lines belong to what.
struct Places {
    /// Index of the subject, and of the tag line on tag lines.
    by_line: HashMap<(Arc<str>, u32), (usize, Option<usize>)>,
    broken: HashSet<(Arc<str>, u32)>,
}

impl Places {
    fn new(subjects: &[Subject<'_>]) -> Self {
        let mut by_line = HashMap::new();
        for (index, subject) in subjects.iter().enumerate() {
            // Markers about subresources count in the comment before that of the type too.
            let before = subject.info.second_closest.iter().map(|line| &line.position);
            let of_type = before.filter(|_| subject.place == TagScope::Type);
            for at in of_type.chain(subject.position) {
                by_line.insert(line_of(at), (index, None));
            }
            for (number, line) in subject.lines.iter().enumerate() {
                by_line.insert(line_of(&line.line.position), (index, Some(number)));
            }
        }
        Self { by_line, broken: HashSet::new() }
    }

    fn get(&self, position: &Position) -> Option<&(usize, Option<usize>)> {
        self.by_line.get(&line_of(position))
    }

    fn note_broken(&mut self, complaints: &[Diagnostic]) {
        self.broken = complaints.iter().filter_map(|complaint| complaint.position.as_ref()).map(line_of).collect();
    }
}

fn line_of(position: &Position) -> (Arc<str>, u32) {
    (Arc::clone(&position.file), position.line)
}

fn lines<'i>(lines: &'i [TagLine]) -> Vec<Line<'i>> {
    let line = |line: &'i TagLine| {
        let name = grammar::name_of(&line.text);
        let tag = tags::lookup(name).and_then(|_| grammar::parse(&line.text).ok());
        Line { line, name, tag }
    };
    lines.iter().map(line).collect()
}

/// A type, then its fields, then its constants.
fn subjects(idl: &Idl, ty: TypeId) -> Vec<Subject<'_>> {
    let Some(info) = idl.types.get(ty.0 as usize) else { return Vec::new() };
    let go_type = idl.schema.get(ty).name.as_ref();
    let subject = |place, go_name, position, tags| Subject {
        ty,
        info,
        go_type,
        place,
        field: None,
        member: None,
        go_name,
        position,
        lines: lines(tags),
    };
    let mut all = vec![subject(TagScope::Type, info.go_name.as_ref(), info.position.as_ref(), info.tags.as_slice())];
    if let Kind::Struct(fields) = idl.schema.kind(ty) {
        for (slot, (field, about)) in fields.fields.iter().zip(&info.fields).enumerate() {
            let Ok(slot) = Slot::try_from(slot) else { break };
            if about.exported {
                let name = field.go_name.as_ref();
                all.push(Subject {
                    field: Some((slot, field)),
                    member: Some(name),
                    ..subject(TagScope::Field, name, Some(&about.position), &about.tags)
                });
            }
        }
    }
    for constant in &info.constants {
        let name = constant.name.as_ref();
        all.push(Subject {
            member: Some(name),
            ..subject(TagScope::Constant, name, Some(&constant.position), &constant.tags)
        });
    }
    all
}
