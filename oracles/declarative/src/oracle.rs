//! The declarative side of a subject: compiled rules of one root type.

use super::compile::Diagnostic;
use super::compile::build::Build;
use super::eval::program::Program;
use super::eval::{At, NilPointer, Run, Sink, quoted};
use super::idl::{Idl, Position, TypeInfo};
use super::plan::discover::Types;
use super::plan::lower;
use super::settings::CompileSettings;
use super::tags;
use std::sync::Arc;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::path::Path;
use takeover_harness::rule::Rule;
use takeover_harness::schema::TypeId;

/// What a panic of generated code on a nil pointer reads like.
const NIL_POINTER: &str = "runtime error: invalid memory address or nil pointer dereference";

/// The rules of one Go type and everything below it.
///
/// # Nil struct pointers
/// Generated Go code dereferences a nil struct pointer that no requiredness tag stops, and panics; Kubernetes then drops all
/// declarative errors of the request and adds one internal error. This oracle leaves exactly that one error in the list and
/// answers a failure, so that the harness counts it as a panic.
#[derive(Clone, Debug)]
pub struct Declarative {
    program: Arc<Program>,
    rules: Arc<[Rule]>,
    go_type: String,
    subresources: Vec<String>,
    ignored: Vec<(Position, String)>,
    filled: &'static [&'static str],
    switched_on: Option<SwitchedOn>,
}

/// The validation option that objects switch on, whatever a case says of it; none where they switch on none.
pub type SwitchedOn = fn(&Objects<'_>) -> Option<&'static str>;

impl Declarative {
    /// Compiles the rules reached from the type named `root`, `k8s.io/api/core/v1.ReplicationController`.
    ///
    /// # Errors
    /// Everything that is wrong with tags and types on the way, not the first alone.
    pub fn compile(idl: &Idl, root: &str, settings: &CompileSettings) -> Result<Self, Vec<Diagnostic>> {
        match idl.schema.lookup(root) {
            Some(ty) => Self::compile_type(idl, ty, settings),
            None => {
                let message = format!("there is no type `{root}`");
                Err(vec![Diagnostic { position: None, message }])
            }
        }
    }

    /// [`Declarative::compile`] for a type by id.
    ///
    /// # Errors
    /// As there.
    pub fn compile_type(idl: &Idl, root: TypeId, settings: &CompileSettings) -> Result<Self, Vec<Diagnostic>> {
        let mut build = Build::new(idl, settings, &tags::Registered);
        let mut types = Types::default();
        let name = idl.schema.get(root).name.to_string();
        if let Err(problem) = types.discover(&mut build, root, &name, 0) {
            build.complain(&name, problem);
        }
        let info = build.info(root);
        let subresources = info.map(|info| subresources(info, &mut build)).unwrap_or_default();
        if !build.diagnostics.is_empty() {
            let mut diagnostics = build.diagnostics;
            diagnostics.sort_by(|a, b| a.position.cmp(&b.position));
            diagnostics.dedup();
            return Err(diagnostics);
        }
        let lowered = match lower::lower(&build, &types, root) {
            Ok(lowered) => lowered,
            Err(problem) => {
                build.complain(&name, problem);
                return Err(build.diagnostics);
            }
        };
        build.ignored.sort();
        build.ignored.dedup();
        let go_type = info.map_or_else(|| name.clone(), |info| go_type(idl, info));
        Ok(Self {
            program: Arc::new(lowered.program),
            rules: lowered.rules.into(),
            go_type,
            subresources,
            ignored: build.ignored,
            filled: &[],
            switched_on: None,
        })
    }

    /// The catalogue: one entry for each tag on each path reached from the root. Recursion is followed once.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The same rules for objects in which no request leaves these path patterns unset, where what is around them is set: faults
    /// that only an unset value shows are then none at those places.
    #[must_use]
    pub fn filled(self, filled: &'static [&'static str]) -> Self {
        Self { filled, ..self }
    }

    /// The same rules in a strategy that derives an option from the objects, as that of HorizontalPodAutoscaler does.
    #[must_use]
    pub fn switched_on(self, switched_on: Option<SwitchedOn>) -> Self {
        Self { switched_on, ..self }
    }

    /// Whether no request leaves the place of the rule unset.
    pub(super) fn is_filled(&self, rule: &Rule) -> bool {
        self.filled.contains(&rule.path.as_str())
    }

    /// Tags with the `k8s:` prefix that are not registered and were ignored, with their places.
    #[must_use]
    pub fn ignored(&self) -> &[(Position, String)] {
        &self.ignored
    }

    /// Paths of the resources that the type serves: `/` and subresources such as `/status`.
    #[must_use]
    pub fn subresources(&self) -> &[String] {
        &self.subresources
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    fn serves(&self, subresource: &str) -> bool {
        let name = match subresource {
            // Comparing empty texts by `==` calls `memcmp` on dangling pointers, which costs more than judging a small object. The
            // path of the resource itself sorts first.
            "" => return self.subresources.first().is_some_and(|path| path == "/"),
            name => name.trim_matches('/'),
        };
        self.subresources.iter().any(|path| path.strip_prefix('/') == Some(name))
    }

    /// As [`Oracle::answer`] by another program of the type; without ratcheting, what an update leaves as it was is judged
    /// too.
    pub(super) fn judge(
        &self,
        program: &Program,
        question: &Question<'_>,
        ratchets: bool,
        answer: &mut Answer,
    ) -> Result<(), OracleFailure> {
        // A type without rules is not registered for validation, whatever the subresource.
        if program.blocks.is_empty() {
            return Ok(());
        }
        if !self.serves(question.subresource) {
            let path = format!("/{}", question.subresource.trim_matches('/'));
            let detail = format!("no validation found for {}, subresource: {path}", self.go_type);
            answer.push(FieldError::new(ErrorType::Internal, &Path::ROOT, BadValue::Null, detail));
            return Ok(());
        }
        let before = answer.errors.len();
        let switched = self.switched_on.and_then(|switched_on| switched_on(&question.objects)).map(|name| {
            let mut options = question.options.clone();
            options.set(name, true);
            options
        });
        let at = At {
            schema: question.objects.schema,
            operation: question.operation,
            options: switched.as_ref().unwrap_or(question.options),
            path: &Path::ROOT,
            value: Some(question.objects.new),
            old: question.objects.old,
        };
        let run = Run { program, ratchets: ratchets && at.is_update() };
        match run.root(&at, &mut Sink::new(answer)) {
            Ok(()) => Ok(()),
            Err(NilPointer) => {
                answer.errors.truncate(before);
                let detail = format!("panic during declarative validation: {NIL_POINTER}");
                answer.push(FieldError::new(ErrorType::Internal, &Path::ROOT, BadValue::Null, detail));
                Err(OracleFailure::panic(NIL_POINTER))
            }
        }
    }
}

impl Oracle for Declarative {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.judge(&self.program, question, true, answer)
    }
}

/// The type as Go prints the dynamic type of a pointer to it: `*v1.ReplicationController`.
fn go_type(idl: &Idl, info: &TypeInfo) -> String {
    let package = idl.packages.iter().find(|package| package.path == info.package);
    let package = package.map_or_else(|| info.package.rsplit('/').next().unwrap_or_default(), |package| &package.name);
    format!("*{package}.{}", info.go_name)
}

/// The paths that `supportsSubresource` and `isSubresource` give a root type, sorted.
pub(super) fn subresources<'i>(info: &'i TypeInfo, build: &mut Build<'i>) -> Vec<String> {
    let mut paths = Vec::new();
    let mut own: Option<String> = None;
    for line in info.second_closest.iter().chain(&info.tags) {
        let name = super::grammar::name_of(&line.text);
        let Some(marker) = name.strip_prefix(tags::PREFIX) else { continue };
        if !matches!(marker, "supportsSubresource" | "isSubresource") {
            continue;
        }
        let tag = super::grammar::parse(&line.text);
        let path = match &tag {
            Ok(super::grammar::Tag { value: super::grammar::Payload::Literal(value), .. }) => value.as_text(),
            _ => "",
        };
        if !path.starts_with('/') {
            let message = format!("tag `+{}`: the value must be a path such as {}", line.text, quoted("/status"));
            build.diagnostics.push(Diagnostic { position: Some(line.position.clone()), message });
        } else if marker == "supportsSubresource" {
            paths.push(path.to_owned());
        } else if own.replace(path.to_owned()).is_some() {
            let message = format!("tag `+{}`: a type is at most one subresource", line.text);
            build.diagnostics.push(Diagnostic { position: Some(line.position.clone()), message });
        }
    }
    paths.push(own.unwrap_or_else(|| "/".to_owned()));
    paths.sort();
    paths.dedup();
    paths
}
