//! Errors of a text, and places of the parser's nodes in it.

use super::source::{Issue, Source};
use cel::common::ast::{IdedExpr, SourceInfo};

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct SyntaxErrors {
    /// Each with its place.
    pub issues: Vec<Issue>,
    text: String,
}

impl SyntaxErrors {
    pub(super) fn new(source: &Source, issues: Vec<Issue>) -> Self {
        let text = source.display(&issues);
        Self { issues, text }
    }
}

/// Places of the parser's nodes, in code points.
pub(super) struct Offsets<'i> {
    pub(super) source: &'i Source,
    pub(super) info: &'i SourceInfo,
}

impl Offsets<'_> {
    pub(super) fn of(&self, expr: &IdedExpr) -> u32 {
        self.info.offset_for(expr.id).map_or(0, |(start, _)| self.source.code_points_before(start))
    }
}
