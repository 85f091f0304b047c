//! Wrong usage in two lines: what is wrong with what was probably meant, and where to read more.

use crate::output::program;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use takeover_harness::text::nearest;

/// What is said of a mistake in the arguments.
pub fn said(mut error: clap::Error, arguments: impl IntoIterator<Item = String>) -> String {
    let (called, command) = called(arguments);
    if let Some(ContextValue::String(flag)) = error.get(ContextKind::SuggestedArg)
        && is_hidden(&command, flag)
    {
        error.remove(ContextKind::SuggestedArg);
    }
    let meant = meant(&error, &command).map(|flag| format!("; did you mean `{flag}`?")).unwrap_or_default();
    let text = error.render().to_string();
    // clap writes a paragraph for the mistake, one for each tip, the usage, and where to find help.
    let paragraphs = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let is_told = !meant.is_empty();
    let of_mistake = |part: &String| {
        let is_about_values = is_told && part.starts_with("tip: to pass");
        !part.is_empty() && !part.starts_with("Usage:") && !part.starts_with("For more") && !is_about_values
    };
    let mistake: Vec<String> = paragraphs.filter(of_mistake).map(|part| part.replacen("tip: ", "", 1)).collect();
    let mistake = NUMBERS.iter().fold(mistake.join("; "), |said, (ours, theirs)| said.replace(ours, theirs));
    let renamed =
        RENAMED.iter().find(|(old, _)| mistake.starts_with(&format!("error: unexpected argument '{old}' found")));
    let mistake = renamed.map_or(mistake, |(old, new)| format!("error: no argument '{old}'; it is '{new}' now"));
    format!("{mistake}{meant}\nFor help: {}{called} --help", program())
}

/// The flag that was probably meant, where clap suggests none.
fn meant(error: &clap::Error, command: &Command) -> Option<String> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    let typed = flag.strip_prefix("--").filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    if error.get(ContextKind::SuggestedArg).is_some() || RENAMED.iter().any(|(old, _)| old == flag) {
        return None;
    }
    let known = command.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long);
    nearest(typed, known).map(|near| format!("--{near}"))
}

/// Flags that earlier versions had.
const RENAMED: [(&str, &str); 2] = [("--idl", "--types"), ("--types-root", "--types")];

/// What the standard library says of numbers, and what people say.
const NUMBERS: [(&str, &str); 5] = [
    ("invalid digit found in string", "it is not a whole number"),
    ("invalid float literal", "it is not a number"),
    ("number would be zero for non-zero type", "it must be at least 1"),
    ("number too large to fit in target type", "it is too large"),
    ("cannot parse integer from empty string", "it is empty"),
];

/// Whether help does not mention a flag: it is for tests.
fn is_hidden(command: &Command, flag: &str) -> bool {
    let mut hidden = command.get_arguments().filter(|argument| argument.is_hide_set());
    hidden.any(|argument| argument.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long)))
}

/// The command that the arguments call, with each of its words behind a space.
fn called(arguments: impl IntoIterator<Item = String>) -> (String, Command) {
    let mut command: Command = crate::Cli::command();
    let mut words = String::new();
    for argument in arguments {
        let Some(below) = command.find_subcommand(&argument).cloned() else { continue };
        words.push(' ');
        words.push_str(below.get_name());
        command = below;
    }
    (words, command)
}
