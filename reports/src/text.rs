//! Text from objects, which is never trusted: made harmless and of bounded length before any form shows it.

use std::borrow::Cow;

/// `text` up to `most` characters; a longer one says how long it was.
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    // A text of few bytes has few characters.
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let shown = text.get(..end).unwrap_or_default();
            Cow::Owned(format!("{shown}… ({} characters in all)", text.chars().count()))
        }
    }
}

/// Whether a character acts on what shows it instead of being shown: control characters, and those that turn the direction of
/// text so that it reads as something else.
#[must_use]
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Text without characters that act; line breaks among them.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, acts)
}

/// As [`printable`], with line breaks kept. No line is one that a CI system takes for a command: GitHub's runner obeys lines of a
/// job's output that begin with `::`, and what follows `##[` anywhere.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let plain = replaced(text, |c| acts(c) && c != '\n');
    if !plain.contains("##[") && !plain.lines().any(begins_a_command) {
        return plain;
    }
    let mut inert = String::with_capacity(plain.len() + 16);
    for line in plain.split_inclusive('\n') {
        let line = line.replace("##[", "## [");
        inert.push_str(&if begins_a_command(&line) { line.replacen("::", "\u{2237}", 1) } else { line });
    }
    Cow::Owned(inert)
}

/// Longest line of a text for terminals, in characters: some commands to be typed again are long.
const LONGEST_LINE: usize = 4000;

/// A whole text for a terminal: as [`printable_lines`], and a line that no reader comes to the end of is cut.
#[must_use]
pub fn printable_text(text: &str) -> String {
    let text = printable_lines(text);
    if text.len() <= LONGEST_LINE {
        return text.into_owned();
    }
    let cut = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
        Some(line) => format!("{}\n", shortened(line, LONGEST_LINE)),
        None => shortened(line, LONGEST_LINE).into_owned(),
    });
    cut.collect()
}

fn begins_a_command(line: &str) -> bool {
    line.trim_start().starts_with("::")
}

/// One line for people at the end of whatever led to it, such as a warning: printable, not too long, and no command.
#[must_use]
pub fn line(text: &str) -> String {
    printable_lines(&shown(text)).into_owned()
}

/// Longest text of a line that people read, in characters.
const LINE: usize = 500;

/// Text for one line that people read: printable, and not too long.
#[must_use]
pub(crate) fn shown(text: &str) -> String {
    printable(&shortened(text, LINE)).into_owned()
}

/// A path pattern as people read it; the empty one is the object itself.
#[must_use]
pub(crate) fn field_name(field: &str) -> String {
    if field.is_empty() { "(the object)".to_owned() } else { shown(field) }
}

/// Names of rules, checks or findings for people: `(the object)` for the `<nil>` that files use, as API servers do.
#[must_use]
pub(crate) fn renamed(text: &str) -> String {
    let words = text.split(' ').map(|word| if word == "<nil>" { "(the object)" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// The message of an error; for a policy without field and type, which API servers do not print.
#[must_use]
pub(crate) fn denial(message: &str) -> &str {
    let denied = message.strip_prefix("<nil>: Forbidden: ");
    denied.filter(|denied| denied.starts_with("ValidatingAdmissionPolicy '")).unwrap_or(message)
}

/// The same for a single line.
#[must_use]
pub(crate) fn named(name: &str) -> String {
    shown(&renamed(name))
}

/// Text of several lines that people read, at most `most`, each as [`shown`]; a longer one says how many there are. Every line ends
/// in a line break.
#[must_use]
pub(crate) fn shown_lines(text: &str, most: usize) -> String {
    let all = text.lines().count();
    let mut lines: String = text.lines().take(most).map(|line| shown(line) + "\n").collect();
    if all > most {
        lines.push_str(&format!("… {all} lines in all\n"));
    }
    lines
}

/// A command to be typed again: as [`shown`], but a cut one would be of no use.
#[must_use]
pub(crate) fn command_line(text: &str) -> String {
    printable(&shortened(text, 8 * LINE)).into_owned()
}

/// A value as indented JSON, ending in a line break. What would act on a terminal is escaped, which leaves the value as it is.
///
/// # Errors
/// Returns an error when the value cannot be encoded.
pub fn json(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(plain.len() + 1);
    for c in plain.chars() {
        // Line breaks are of the form; those of the values are escaped already.
        if acts(c) && c != '\n' {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    Ok(text)
}

fn replaced(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    // U+FFFE and U+FFFF have no place in XML.
    let bad = |c: char| acts(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if text.chars().any(bad) {
        Cow::Owned(text.chars().map(|c| if bad(c) { '\u{fffd}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// A word for a POSIX shell.
#[must_use]
pub fn shell_quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::{denial, json, line, printable, printable_lines, renamed, shell_quoted, shortened};

    #[test]
    fn policies_deny_without_a_field_as_on_a_server() {
        let denied = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: too big";
        assert_eq!(denial(&format!("<nil>: Forbidden: {denied}")), denied);
        assert_eq!(denial("<nil>: Forbidden: too big"), "<nil>: Forbidden: too big");
        assert_eq!(renamed("<nil> policy(p)[0]=true"), "(the object) policy(p)[0]=true");
    }

    #[test]
    fn long_text_is_cut_between_characters_and_says_how_long_it_was() {
        for (text, most, short) in [
            ("", 0, ""),
            ("äö", 2, "äö"),
            ("äöü", 2, "äö… (3 characters in all)"),
            ("abc", 0, "… (3 characters in all)"),
        ] {
            assert_eq!(shortened(text, most), short);
        }
    }

    #[test]
    fn json_says_the_same_with_everything_escaped_that_acts() {
        let value = serde_json::json!({"a\u{9b}": "\u{1b}\u{202e}\n\u{7f}ü"});
        let text = json(&value).unwrap();
        assert_eq!(text, "{\n  \"a\\u009b\": \"\\u001b\\u202e\\n\\u007fü\"\n}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn characters_that_act_are_replaced() {
        assert_eq!(
            printable("a\u{1b}[31m\n\u{202e}b\u{200f}\u{85}\u{ffff}"),
            "a\u{fffd}[31m\u{fffd}\u{fffd}b\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(printable_lines("a\nb\r"), "a\nb\u{fffd}");
        assert_eq!(printable("plain ü 語"), "plain ü 語");
    }

    #[test]
    fn no_line_is_a_command_for_a_ci_system() {
        assert_eq!(printable_lines("a::b\n  ::error::c\n##[error]d\n"), "a::b\n  \u{2237}error::c\n## [error]d\n");
        assert_eq!(line("x\n::error::y"), "x\u{fffd}::error::y");
        assert_eq!(line("::set-output name=x::y"), "\u{2237}set-output name=x::y");
        assert_eq!(line(&"x".repeat(1_000_000)).chars().count(), 500 + "… (1000000 characters in all)".chars().count());
    }

    #[test]
    fn odd_paths_are_quoted_for_the_shell() {
        for (path, word) in
            [("target/a-1.yaml", "target/a-1.yaml"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''")]
        {
            assert_eq!(shell_quoted(path), word);
        }
    }
}
