//! Markdown: text from objects is set as code, where neither markup nor mentions work, and the length of a text is bounded.

use crate::text::{shown, shown_lines};

/// Most characters of a comment on GitHub.
pub(crate) const COMMENT: usize = 65_536;

/// Most characters of a step's summary: GitHub takes a mebibyte of bytes.
pub(crate) const STEP_SUMMARY: usize = 250_000;

/// Text as a code span in one line, fit for a table cell too.
#[must_use]
pub(crate) fn code(text: &str) -> String {
    let text = shown(text);
    if text.trim().is_empty() {
        return "–".to_owned();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // A table splits at every bar, in code too, unless it is escaped; GitHub takes the backslash away again.
    let text = text.replace('|', "\\|");
    // One space at each end is taken away; without it, a backtick at the end would join the fence.
    let pad = if text.contains('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Text of several lines as a code block, of at most `lines` lines; a longer one says how many there are.
#[must_use]
pub(crate) fn fenced(language: &str, text: &str, lines: usize) -> String {
    let text = shown_lines(text, lines);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}{language}\n{text}{fence}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text that grows up to a number of characters.
pub(crate) struct Budgeted {
    text: String,
    left: usize,
}

impl Budgeted {
    /// Nothing yet, and at most `characters`.
    #[must_use]
    pub(crate) fn new(characters: usize) -> Self {
        Self { text: String::new(), left: characters }
    }

    /// What was added.
    #[must_use]
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Adds `part` if it fits; says whether it did.
    pub(crate) fn add(&mut self, part: &str) -> bool {
        let length = part.chars().count();
        let fits = length <= self.left;
        if fits {
            self.text.push_str(part);
            self.left -= length;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::{code, fenced};

    #[test]
    fn code_cannot_be_left() {
        for (text, span) in [
            ("spec.replicas", "`spec.replicas`"),
            ("a`b", "`` a`b ``"),
            ("``", "``` `` ```"),
            ("a|b\n@team", "`a\\|b\u{fffd}@team`"),
            (" ", "–"),
        ] {
            assert_eq!(code(text), span);
        }
    }

    #[test]
    fn a_block_has_a_fence_that_does_not_occur_in_it_and_says_what_it_leaves_out() {
        assert_eq!(fenced("yaml", "a: 1\nb: 2\n", 9), "```yaml\na: 1\nb: 2\n```\n");
        assert_eq!(fenced("", "```\n@team\n", 1), "````\n```\n… 2 lines in all\n````\n");
    }
}
