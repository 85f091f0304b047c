//! The one layout of tables for terminals and plain files.

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::peaker::Priority;
use tabled::settings::{Alignment, Color, Modify, Style, Width};

/// Columns of the terminal below which a table leaves out what it can do without.
const WIDE: usize = 100;

/// Columns that a table takes at least.
const NARROWEST: usize = 40;

/// What the reader's screen can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns that a table may take where the content allows.
    pub width: usize,
    /// Whether verdicts are coloured, as only a terminal shows it.
    pub colour: bool,
}

impl Look {
    /// Without colours, as in a file.
    #[must_use]
    pub fn plain(width: usize) -> Self {
        Self { width, colour: false }
    }
}

/// A column: its heading, and how its cells stand.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    heading: String,
    right: bool,
    /// Left out of narrow tables.
    wide_only: bool,
}

impl Column {
    /// Text, which begins at the left.
    pub(crate) fn text(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), right: false, wide_only: false }
    }

    /// Numbers, which end at the right.
    pub(crate) fn number(heading: impl Into<String>) -> Self {
        Self { right: true, ..Self::text(heading) }
    }

    /// The column, left out where there is no room.
    pub(crate) fn wide_only(self) -> Self {
        Self { wide_only: true, ..self }
    }
}

/// A table, row by row.
pub(crate) struct Layout {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    colours: Vec<(usize, usize, Color)>,
}

impl Layout {
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new(), colours: Vec::new() }
    }

    /// Adds a row, a cell a column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Colours a cell of the last row, where colours show.
    pub(crate) fn colour(&mut self, column: usize, colour: Color) {
        self.colours.push((self.rows.len(), column, colour));
    }

    /// The table wrapped at the width of the reader's screen; only the narrowest screens have to scroll.
    pub(crate) fn fitted(self, look: Look) -> String {
        let shown: Vec<bool> = self.columns.iter().map(|column| look.width >= WIDE || !column.wide_only).collect();
        let kept = |cells: Vec<String>| {
            cells.into_iter().zip(&shown).filter(|(_, shown)| **shown).map(|(cell, _)| cell).collect::<Vec<_>>()
        };
        let mut builder = Builder::default();
        builder.push_record(kept(self.columns.iter().map(|column| column.heading.clone()).collect()));
        for row in self.rows {
            builder.push_record(kept(row));
        }
        let mut table = builder.build();
        table.with(Style::rounded());
        let place = |column: usize| shown.iter().take(column).filter(|shown| **shown).count();
        for (index, _) in
            self.columns.iter().zip(&shown).enumerate().filter(|(_, (column, shown))| column.right && **shown)
        {
            let index = place(index);
            table.with(Modify::new(Columns::new(index..=index)).with(Alignment::right()));
        }
        let width = Width::wrap(look.width.max(NARROWEST)).keep_words(true);
        table.with(width.priority(Priority::max(true)));
        for (row, column, colour) in self.colours.into_iter().filter(|_| look.colour) {
            table.with(Modify::new((row, place(column))).with(colour));
        }
        table.to_string()
    }
}
