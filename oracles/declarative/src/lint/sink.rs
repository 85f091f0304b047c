//! Collects the findings of one lint.

use super::def::{Level, Lint};
use super::excerpt::Excerpt;
use super::finding::Finding;
use super::model::{Line, Subject};
use crate::grammar::Tag;
use crate::idl::Position;

/// Where a lint puts its findings.
pub(super) struct Sink<'f> {
    pub(super) lint: &'static Lint,
    pub(super) findings: &'f mut Vec<Finding>,
}

/// A part of a source line.
pub(super) struct Spot {
    position: Option<Position>,
    length: usize,
}

impl Spot {
    /// A whole tag line, the `+` included.
    pub(super) fn line(line: &Line<'_>) -> Self {
        Self { position: Some(line.line.position.clone()), length: line.line.text.len() + 1 }
    }

    /// One tag of a chain: its name, arguments and value, the `+` included.
    pub(super) fn tag(line: &Line<'_>, tag: &Tag) -> Self {
        let mut position = line.line.position.clone();
        let offset = u32::try_from(tag.offset).unwrap_or(u32::MAX);
        position.column = position.column.saturating_add(offset);
        Self { position: Some(position), length: tag.text.len() + 1 }
    }

    /// The declaration of a type, field or constant.
    pub(super) fn subject(subject: &Subject<'_>) -> Self {
        Self { position: subject.position.cloned(), length: subject.go_name.len() }
    }

    /// A bare position.
    pub(super) fn at(position: Option<Position>) -> Self {
        Self { position, length: 1 }
    }

    /// Another length, in bytes; never none.
    pub(super) fn of_length(self, length: usize) -> Self {
        Self { length: length.max(1), ..self }
    }
}

impl Sink<'_> {
    /// Adds a finding about `subject`.
    pub(super) fn report(&mut self, subject: &Subject<'_>, spot: Spot, message: impl Into<String>) -> Reported<'_> {
        let Reported(mut finding) = self.plain(spot, message);
        if let Some(finding) = &mut finding {
            subject.go_type.clone_into(&mut finding.go_type);
            finding.field = subject.member.map(ToOwned::to_owned);
        }
        Reported(finding)
    }

    /// Adds a finding that is about no type in particular.
    pub(super) fn plain(&mut self, spot: Spot, message: impl Into<String>) -> Reported<'_> {
        self.findings.push(Finding {
            lint: self.lint,
            level: self.lint.level,
            message: message.into(),
            help: None,
            position: spot.position,
            length: spot.length,
            go_type: String::new(),
            field: None,
            excerpt: None,
        });
        Reported(self.findings.last_mut())
    }
}

/// A finding that was just added, to say more of it.
pub(super) struct Reported<'f>(Option<&'f mut Finding>);

impl Reported<'_> {
    /// What to do about it.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        if let Some(finding) = &mut self.0 {
            finding.help = Some(help.into());
        }
        self
    }

    /// Another level than the lint's.
    pub(super) fn level(mut self, level: Level) -> Self {
        if let Some(finding) = &mut self.0 {
            finding.level = level;
        }
        self
    }

    /// The lines it is about, where they are of no Go file.
    pub(super) fn excerpt(mut self, excerpt: Option<&Excerpt>) -> Self {
        if let Some(finding) = &mut self.0 {
            finding.excerpt = excerpt.cloned();
        }
        self
    }
}
