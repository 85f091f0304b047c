//! The one layout of tables for terminals and plain files.

use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::peaker::Priority;
use tabled::settings::{Alignment, Color, Modify, Style, Width};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Width of a terminal, in characters, below which a table leaves out its less important columns.
const WIDE: usize = 100;

/// The least width of a table, in characters.
const NARROWEST: usize = 40;

/// What the reader's screen can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Width that a table may take, in characters, if its content allows.
    pub width: usize,
    /// Whether verdicts are coloured, which only a terminal shows.
    pub colour: bool,
    /// Whether it is a terminal; files and pipes get each sentence on one line.
    pub terminal: bool,
}

impl Look {
    /// Without colours, as in a file.
    #[must_use]
    pub fn plain(width: usize) -> Self {
        Self { width, colour: false, terminal: false }
    }

    /// Breaks lines between words at the width of a terminal; continuation lines are indented by two more.
    pub(crate) fn broken(self, text: &str) -> String {
        if !self.terminal {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        for line in text.lines() {
            let words = line.trim_start_matches(' ');
            let indent = " ".repeat(line.len() - words.len());
            for part in wrapped(words, self.width.max(NARROWEST).saturating_sub(indent.len())) {
                out.extend([&indent, &part, "\n"]);
            }
        }
        if !text.ends_with('\n') {
            out.pop();
        }
        out
    }
}

/// A line of at most `width` columns; a longer one ends in `…`.
pub(crate) fn fitting(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut taken = 0;
    let mut text = String::with_capacity(width);
    for c in line.chars() {
        taken += c.width().unwrap_or_default();
        if taken >= width {
            break;
        }
        text.push(c);
    }
    text.push('…');
    text
}

/// A text in lines of at most `width` columns, broken between words; all but the first are indented by two. A word that is wider than a
/// line stays whole.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A path of at most `width` columns; a longer one has `…` for members in its middle: `spec.template.….name`. One whose first and last
/// member do not fit is cut within them.
pub(crate) fn fitting_path(path: &str, width: usize) -> String {
    if path.width() <= width {
        return path.to_owned();
    }
    let dots: Vec<usize> = path.match_indices('.').map(|(at, _)| at).collect();
    let begin = |most: usize| dots.iter().rev().find_map(|dot| path.get(..=*dot).filter(|text| text.width() <= most));
    let end = |most: usize| dots.iter().find_map(|dot| path.get(*dot..).filter(|text| text.width() <= most));
    // Half for each, and what one leaves for the other.
    let kept = width.saturating_sub(1);
    let last = end(kept / 2).or_else(|| dots.last().and_then(|dot| path.get(*dot..)));
    let cut = last.and_then(|last| {
        let first = begin(kept.saturating_sub(last.width()))?;
        let last = end(kept.saturating_sub(first.width()))?;
        Some(format!("{first}…{last}"))
    });
    cut.unwrap_or_else(|| fitting_middle(path, width))
}

/// A text of at most `width` columns; a longer one has `…` for its middle.
fn fitting_middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let taken = |most: usize| {
        let mut taken = 0;
        move |c: &char| {
            taken += c.width().unwrap_or_default();
            taken <= most
        }
    };
    let begin: String = text.chars().take_while(taken(kept - kept / 2)).collect();
    let end: Vec<char> = text.chars().rev().take_while(taken(kept / 2)).collect();
    format!("{begin}…{}", end.into_iter().rev().collect::<String>())
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
    headings_left: bool,
}

impl Layout {
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new(), colours: Vec::new(), headings_left: false }
    }

    /// The table with every heading at the left, above numbers too.
    pub(crate) fn headings_left(self) -> Self {
        Self { headings_left: true, ..self }
    }

    /// Adds a row, a cell a column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Colours a cell of the last row, where colours show.
    pub(crate) fn colour(&mut self, column: usize, colour: Color) {
        self.colours.push((self.rows.len(), column, colour));
    }

    /// The table with every column, as wide as its content.
    pub(crate) fn whole(self) -> String {
        self.draw(WIDE).to_string()
    }

    /// The table wrapped at the width of the reader's screen; only the narrowest screens have to scroll.
    pub(crate) fn fitted(mut self, look: Look) -> String {
        let colours = std::mem::take(&mut self.colours);
        let place = |column: usize| self.shown(look.width).take(column).filter(|shown| *shown).count();
        let places: Vec<(usize, usize, Color)> =
            colours.into_iter().map(|(row, column, colour)| (row, place(column), colour)).collect();
        let mut table = self.draw(look.width);
        let width = Width::wrap(look.width.max(NARROWEST)).keep_words(true);
        table.with(width.priority(Priority::max(true)));
        for (row, column, colour) in places.into_iter().filter(|_| look.colour) {
            table.with(Modify::new((row, column)).with(colour));
        }
        table.to_string()
    }

    /// Says for every column whether a table of this width has it.
    fn shown(&self, width: usize) -> impl Iterator<Item = bool> {
        self.columns.iter().map(move |column| width >= WIDE || !column.wide_only)
    }

    fn draw(self, width: usize) -> Table {
        let shown: Vec<bool> = self.shown(width).collect();
        let kept =
            |cells: Vec<String>| cells.into_iter().zip(&shown).filter(|(_, shown)| **shown).map(|(cell, _)| cell);
        let mut builder = Builder::default();
        builder.push_record(kept(self.columns.iter().map(|column| column.heading.clone()).collect()));
        for row in self.rows {
            builder.push_record(kept(row));
        }
        let mut table = builder.build();
        table.with(Style::rounded());
        let columns = self.columns.iter().zip(&shown).filter(|(_, shown)| **shown);
        for (index, _) in columns.enumerate().filter(|(_, (column, _))| column.right) {
            table.with(Modify::new(Columns::new(index..=index)).with(Alignment::right()));
        }
        if self.headings_left {
            table.with(Modify::new(Rows::first()).with(Alignment::left()));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, fitting_path};

    #[test]
    fn terminals_get_lines_broken_between_words() {
        let text = "one line of words that goes on and on beyond it\n    indented words that go on and on too\nshort\n";
        let terminal = Look { terminal: true, ..Look::plain(40) };
        let broken =
            "one line of words that goes on and on\n  beyond it\n    indented words that go on and on too\nshort\n";
        assert_eq!(terminal.broken(text), broken);
        assert_eq!(
            terminal.broken("    indented words that go on and on and on"),
            "    indented words that go on and on and\n      on"
        );
        assert_eq!(Look::plain(40).broken(text), text, "a file keeps its lines");
    }

    #[test]
    fn paths_are_cut_at_dots() {
        let path = "spec.limited.limitResponse.type";
        for (width, cut) in [
            (31, path),
            (30, "spec.limited.….type"),
            (19, "spec.limited.….type"),
            (18, "spec.….type"),
            (11, "spec.….type"),
            (10, "spec.…type"),
        ] {
            assert_eq!(fitting_path(path, width), cut, "{width}");
        }
        assert_eq!(fitting_path("aVeryLongMember", 9), "aVer…mber");
        assert_eq!(fitting_path("spec.list[*].ofMany.members[*].name", 25), "spec.list[*].….name");
    }
}
