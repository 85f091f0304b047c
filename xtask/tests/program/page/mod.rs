//! What a page of the book tells its reader to do.

/// A step, in the order of the page.
#[derive(Debug)]
pub(crate) enum Step<'p> {
    /// A command, and the code that it ends with.
    Command(&'p str, i32),
    /// A file to save: the language of the block, and its text.
    File(&'p str, &'p str),
    /// Lines of what the last command printed.
    Printed(&'p str),
}

/// The steps of a page. Commands stand in `console` blocks, what they print in `text` blocks; other blocks are files.
pub(crate) fn steps(page: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            "console" => steps.extend(text.lines().filter_map(|line| line.strip_prefix("$ ")).map(|line| {
                let (command, code) = line.split_once("# ends with ").unwrap_or((line, "0"));
                Step::Command(command.trim_end(), code.parse().unwrap())
            })),
            "text" => steps.push(Step::Printed(text)),
            language => steps.push(Step::File(language, text)),
        }
    }
    steps
}

/// Expects every line of `promised` in what a command printed.
pub(crate) fn expect_printed(promised: &str, printed: &str) {
    for line in promised.lines().filter(|line| !line.is_empty()) {
        assert!(printed.lines().any(|said| said == line), "{line}\nis not in\n{printed}");
    }
}
