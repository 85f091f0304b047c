//! Findings that are intended: a TOML file of exceptions, each with its reason.

use super::def::Lint;
use super::excerpt::{Excerpt, Text};
use super::finding::Finding;
use super::model::{Model, Subject};
use super::registry;
use super::rules::drift::DRIFT;
use super::rules::source::UNUSED_EXCEPTION;
use super::sink::{Sink, Spot};
use crate::idl::Position;
use serde::Deserialize;
use std::sync::Arc;
use toml::Spanned;

/// Exceptions, from any number of files.
#[derive(Clone, Debug, Default)]
pub struct Exceptions {
    entries: Vec<Entry>,
}

/// One exception with its place.
#[derive(Clone, Debug)]
struct Entry {
    exception: Exception,
    position: Position,
    excerpt: Option<Excerpt>,
    used: bool,
}

/// Which findings are excused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// Name of the lint.
    lint: String,
    /// Qualified name of the Go type; `*` stands for any text.
    #[serde(rename = "type")]
    go_type: String,
    /// Go name of the field; without it all of the type's.
    field: Option<String>,
    /// Text that the message contains; without it any message.
    message: Option<String>,
    /// Why.
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "exception")]
    exceptions: Vec<Spanned<Exception>>,
}

/// A file of exceptions that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`{file}`:{line}: {message}")]
pub struct ExceptionsError {
    file: String,
    line: usize,
    message: String,
}

/// Text of the exceptions of the shipped types.
const SHIPPED: &str = include_str!("../../../idl/lint-exceptions.toml");

/// The exceptions of the shipped types.
///
/// # Errors
/// When they cannot be read, which a test rules out.
pub fn shipped_exceptions() -> Result<Exceptions, ExceptionsError> {
    Exceptions::parse("oracles/idl/lint-exceptions.toml", SHIPPED)
}

impl Exceptions {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// With file and line, when the text is not TOML of the right form, names a lint that does not exist or lacks a reason.
    pub fn parse(file: &str, text: &str) -> Result<Self, ExceptionsError> {
        let line = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let error = |at: usize, message: String| ExceptionsError { file: file.to_owned(), line: line(at), message };
        let parsed: File = toml::from_str(text)
            .map_err(|fault| error(fault.span().map_or(0, |span| span.start), fault.message().to_owned()))?;
        let source = Text::new(text);
        let mut entries = Vec::new();
        for spanned in parsed.exceptions {
            let at = spanned.span().start;
            let exception = spanned.into_inner();
            if registry::lookup(&exception.lint).is_none() {
                return Err(error(at, format!("there is no lint `{}`", exception.lint)));
            }
            if exception.reason.trim().is_empty() {
                return Err(error(at, "the `reason` is empty".to_owned()));
            }
            let position =
                Position { file: Arc::from(file), line: u32::try_from(line(at)).unwrap_or(u32::MAX), column: 1 };
            let excerpt = source.around(&position);
            entries.push(Entry { exception, position, excerpt, used: false });
        }
        Ok(Self { entries })
    }

    /// Adds the exceptions of another file.
    pub fn extend(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// A copy in which no exception was used yet.
    pub(super) fn unused(&self) -> Self {
        self.clone()
    }

    /// Whether a finding is intended.
    pub(super) fn excuses(&mut self, finding: &Finding) -> bool {
        let mut excused = false;
        for entry in self.entries.iter_mut().filter(|entry| entry.exception.covers(finding)) {
            entry.used = true;
            excused = true;
        }
        excused
    }

    /// Reports exceptions for types under lint, or for types that their package does not have, that excused nothing, of
    /// the lints that run.
    pub(super) fn report_unused(&self, model: &Model<'_>, runs: impl Fn(&Lint) -> bool, findings: &mut Vec<Finding>) {
        let mut sink = Sink { lint: &UNUSED_EXCEPTION, findings };
        for entry in self.entries.iter().filter(|entry| !entry.used) {
            let Exception { lint, go_type, .. } = &entry.exception;
            if !registry::lookup(lint).is_some_and(&runs) {
                continue;
            }
            let package = go_type.rsplit_once('.').map_or("", |(package, _)| package);
            let named = || model.subjects.iter().filter(|subject| matches(go_type, subject.go_type));
            let linted = if lint == DRIFT.name {
                // One version alone has nothing to differ from.
                named().any(|subject| is_compared(model, subject))
            } else {
                named().next().is_some() || model.packages.iter().any(|known| *known.path == *package)
            };
            if linted {
                let message = format!("the exception from `{lint}` for `{go_type}` excuses nothing");
                let spot = Spot::at(Some(entry.position.clone()));
                sink.plain(spot, message).help("remove it").excerpt(entry.excerpt.as_ref());
            }
        }
    }
}

/// Whether another version of the type is linted too.
fn is_compared(model: &Model<'_>, subject: &Subject<'_>) -> bool {
    let group = |path: &str| path.rsplit_once('/').map(|(group, _)| group.to_owned());
    model.subjects.iter().any(|other| {
        other.go_type != subject.go_type
            && other.info.go_name == subject.info.go_name
            && group(&other.info.package) == group(&subject.info.package)
    })
}

impl Exception {
    fn covers(&self, finding: &Finding) -> bool {
        self.lint == finding.lint.name
            && matches(&self.go_type, &finding.go_type)
            && self.field.as_deref().is_none_or(|field| finding.field.as_deref() == Some(field))
            && self.message.as_deref().is_none_or(|text| finding.message.contains(text))
    }
}

/// Whether `text` has the form of `pattern`, in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, expected) in [
            ("a.B", "a.B", true),
            ("a.B", "a.Bc", false),
            ("a.*", "a.Bc", true),
            ("*/v1beta1.Device", "k8s.io/api/resource/v1beta1.Device", true),
            ("*/v1beta1.*Spec", "x/v1beta1.FooSpec", true),
            ("*/v1beta1.*Spec", "x/v1beta2.FooSpec", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn files_that_cannot_be_used_name_the_line() {
        for (text, error) in [
            ("x", "`f.toml`:1"),
            ("[[exception]]\nlint = \"nope\"\ntype = \"a\"\nreason = \"b\"\n", "no lint `nope`"),
            (
                "\n[[exception]]\nlint = \"stability\"\ntype = \"a\"\nreason = \" \"\n",
                "`f.toml`:2: the `reason` is empty",
            ),
            ("[[exception]]\nlint = \"stability\"\ntype = \"a\"\n", "reason"),
            ("[[exception]]\nlint = \"stability\"\ntype = \"a\"\nreason = \"b\"\nwhy = 1\n", "why"),
        ] {
            let message = Exceptions::parse("f.toml", text).unwrap_err().to_string();
            assert!(message.contains(error), "{message}");
        }
        assert!(shipped_exceptions().is_ok());
    }
}
