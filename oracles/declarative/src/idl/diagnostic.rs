//! What the front end finds wrong in Go source, each with its place.

use super::model::Position;
use super::source::{Source, Span};
use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode};
use std::fmt;
use std::sync::Arc;

/// One fault in Go source: message, place and the source line. Renders with miette.
#[derive(Clone, Debug)]
pub struct IdlDiagnostic {
    code: IdlFault,
    message: String,
    help: Option<&'static str>,
    place: Option<SourcePlace>,
}

/// Sorts of faults, to count and filter them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum IdlFault {
    /// A package that was asked for is not there.
    MissingPackage,
    /// A file cannot be read.
    Unreadable,
    /// Text that is not Go.
    Syntax,
    /// A name that is declared twice.
    Redeclared,
    /// A name that is not declared.
    Undeclared,
    /// A type that contains itself, or an alias of itself.
    Recursive,
    /// Nesting, instantiation or size beyond what the front end follows.
    TooComplex,
    /// A struct tag that is not in the conventional form, or an option that is not modelled.
    StructTag,
    /// A `+default=` marker that cannot be used.
    Default,
}

impl IdlFault {
    /// Stable identifier: `idl::syntax`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::MissingPackage => "idl::missing-package",
            Self::Unreadable => "idl::unreadable",
            Self::Syntax => "idl::syntax",
            Self::Redeclared => "idl::redeclared",
            Self::Undeclared => "idl::undeclared",
            Self::Recursive => "idl::recursive",
            Self::TooComplex => "idl::too-complex",
            Self::StructTag => "idl::struct-tag",
            Self::Default => "idl::default",
        }
    }

    /// Go accepts doubtful struct tags silently; everything else is an error.
    fn severity(self) -> Severity {
        match self {
            Self::StructTag => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

#[derive(Clone, Debug)]
struct SourcePlace {
    position: Position,
    span: Span,
    source: Arc<NamedSource<Arc<str>>>,
}

impl IdlDiagnostic {
    pub(super) fn at(code: IdlFault, source: &Source, span: Span, message: impl Into<String>) -> Self {
        // A label over many lines would print the whole file: only the first line of the range is marked.
        let first = source.slice(span).split('\n').next().map_or(0, |line| line.trim_end().len());
        Self {
            code,
            message: message.into(),
            help: None,
            place: Some(SourcePlace {
                position: source.position(span.start),
                span: Span { start: span.start, end: span.start + first },
                source: Arc::clone(&source.named),
            }),
        }
    }

    pub(super) fn without_place(code: IdlFault, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None, place: None }
    }

    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }

    /// What sort of fault.
    #[must_use]
    pub fn fault(&self) -> IdlFault {
        self.code
    }

    /// Whether the source cannot be used as it stands; false for warnings.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.code.severity() == Severity::Error
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// File, line and column; none for a package that is not there.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        self.place.as_ref().map(|place| &place.position)
    }

    /// The source line at fault, without its line end.
    #[must_use]
    pub fn source_line(&self) -> Option<&str> {
        let place = self.place.as_ref()?;
        let text: &str = place.source.inner();
        let start = text.get(..place.span.start)?.rfind('\n').map_or(0, |at| at + 1);
        text.get(start..)?.lines().next()
    }
}

impl fmt::Display for IdlDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { file, line, column }) = self.position() {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for IdlDiagnostic {}

impl Diagnostic for IdlDiagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code.code()))
    }

    fn severity(&self) -> Option<Severity> {
        Some(self.code.severity())
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| place.source.as_ref() as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.place.as_ref()?.span;
        let label = LabeledSpan::new(Some("here".to_owned()), span.start, span.end - span.start);
        Some(Box::new(std::iter::once(label)))
    }
}

/// Everything wrong with the packages that were loaded; at least one of the diagnostics is an error.
#[derive(Debug)]
pub struct IdlError {
    diagnostics: Vec<IdlDiagnostic>,
}

impl IdlError {
    pub(super) fn new(diagnostics: Vec<IdlDiagnostic>) -> Self {
        Self { diagnostics }
    }

    /// The faults: by file in load order, then by place.
    #[must_use]
    pub fn diagnostics(&self) -> &[IdlDiagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for IdlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.diagnostics.as_slice() {
            [only] => write!(f, "{only}"),
            [first, rest @ ..] => {
                // A syntax error first: the others may only follow from declarations that are lost with it.
                let first = self.diagnostics.iter().find(|of| matches!(of.code, IdlFault::Syntax)).unwrap_or(first);
                write!(f, "{first} (and {} more)", rest.len())
            }
            [] => f.write_str("no fault"),
        }
    }
}

impl std::error::Error for IdlError {}

impl Diagnostic for IdlError {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.diagnostics.iter().map(|diagnostic| diagnostic as &dyn Diagnostic)))
    }
}
