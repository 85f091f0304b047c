//! What the program says to its user.

use anyhow::Context as _;
use clap::ValueEnum;
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::sync::OnceLock;
use takeover_engine::config::TomlMistake;
use takeover_reports::Look;

pub use takeover_reports::printable_text as printable;

/// Prints `text` to standard output. A reader that has seen enough (`| head`) is no error.
///
/// # Errors
/// When standard output cannot be written for another reason.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("failed to write to standard output"),
    }
}

/// Prints `value` as indented JSON and a line break; what would act on a terminal is escaped.
///
/// # Errors
/// As [`print()`].
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&takeover_reports::json(value)?)
}

/// Says one line to the user, beside the output proper: a warning, a note. Whatever is quoted in it acts on nothing, and a reader
/// that has gone is no error.
pub fn say(text: &str) {
    say_lines(&takeover_reports::line(text));
}

/// As [`say`], with line breaks kept; nothing for no text.
pub fn say_lines(text: &str) {
    let text = printable(text);
    let text = text.trim_end_matches('\n');
    if !text.is_empty() {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

/// Says what went wrong; a mistake in a file of settings with the line that it is in.
pub fn say_error(error: &anyhow::Error) {
    let mut text = format!("error: {error:#}");
    if let Some(mistake) = error.downcast_ref::<TomlMistake>() {
        // Neither colours nor the width of the terminal, as for mistakes in Go types.
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(120);
        let mut shown = format!("error: {error}\n");
        if handler.render_report(&mut shown, mistake).is_ok() {
            text = shown;
        }
    }
    say_lines(&text);
}

/// When output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Only on a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What the user chose.
static COLOR: OnceLock<Color> = OnceLock::new();

/// Uses colours as the user chose.
pub fn set_color(color: Color) {
    if color != Color::Auto {
        console::set_colors_enabled(color == Color::Always);
    }
    let _ = COLOR.set(color);
}

/// The arguments that choose the same in a process of this program.
#[must_use]
pub fn color_arguments() -> Vec<OsString> {
    let color = COLOR.get().copied().unwrap_or_default();
    let value = color.to_possible_value().filter(|_| color != Color::Auto);
    value.map_or_else(Vec::new, |value| vec!["--color".into(), value.get_name().into()])
}

/// What the reader's screen can show; a comfortable width when standard output is no terminal.
#[must_use]
pub fn look() -> Look {
    let columns = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    Look { width: columns.unwrap_or(140), colour: console::colors_enabled(), terminal: columns.is_some() }
}

/// How the user called the program: as a task of the repository, or installed.
#[must_use]
pub fn program() -> &'static str {
    takeover_engine::program::program_name()
}
