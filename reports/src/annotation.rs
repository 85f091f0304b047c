//! Annotations of GitHub Actions: commands to its runner, which shows them beside the lines of a pull request. The text of a
//! command is escaped, so that it cannot end the command early.

use crate::severity::Severity;
use crate::text::printable_lines;
use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use takeover_harness::rule::Source;

/// Something to show beside a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Annotation<'a> {
    /// Note, warning or error.
    pub(crate) severity: Severity,
    /// Heading.
    pub(crate) title: &'a str,
    /// Where, if there is a place.
    pub(crate) place: Option<LineSpan<'a>>,
    /// Text, of one or more lines.
    pub(crate) message: &'a str,
}

/// Where the built-in types say they are: a folder that no repository of a user has.
const BUILT_IN: &str = "oracles/idl/";

/// The file, named from the working folder, as the user's repository has it: from its root, or from the working folder where that is in no
/// repository, and where the file is not there. None for the built-in types, and for files elsewhere.
#[must_use]
pub fn user_file(file: &str) -> Option<String> {
    let here = std::env::current_dir().unwrap_or_default();
    if !here.join(file).is_file() {
        return file_below(&here, &here, file);
    }
    let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
    file_below(root, &here, file)
}

/// Whether a file is one of the built-in types, which are named as if they were in the working folder.
#[must_use]
pub fn is_builtin(file: &str) -> bool {
    file.starts_with(BUILT_IN)
}

fn file_below(root: &Path, here: &Path, file: &str) -> Option<String> {
    if is_builtin(file) {
        return None;
    }
    let mut path = PathBuf::new();
    for part in here.join(file).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    let below = path.strip_prefix(root).ok()?.to_str()?;
    (!is_builtin(below)).then(|| below.to_owned())
}

/// A line of a file, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineSpan<'a> {
    /// File.
    pub(crate) file: Cow<'a, str>,
    /// Line, from 1.
    pub(crate) line: u32,
    /// First and last column, from 1.
    pub(crate) columns: Option<(u64, u64)>,
}

impl LineSpan<'_> {
    /// The whole line; none for a file that the user does not have.
    #[must_use]
    pub(crate) fn of(source: &Source) -> Option<Self> {
        Some(Self { file: user_file(&source.file)?.into(), line: source.line, columns: None })
    }
}

impl fmt::Display for Annotation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = match self.severity {
            Severity::Note => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "::{command} ")?;
        if let Some(LineSpan { file, line, columns }) = &self.place {
            write!(f, "file={},line={line},", property(file))?;
            if let Some((first, last)) = columns {
                write!(f, "col={first},endColumn={last},")?;
            }
        }
        write!(f, "title={}::{}", property(self.title), data(self.message))
    }
}

/// The message of a command: a line break would end it.
fn data(text: &str) -> String {
    printable_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// The value of a property: `:` and `,` end it too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{Annotation, LineSpan, data, file_below, property};
    use crate::severity::Severity;
    use std::path::Path;

    #[test]
    fn files_are_named_as_the_repository_has_them_or_not_at_all() {
        for (file, named) in [
            ("oracles/idl/apps/v1/types.go", None),
            ("api/apps/v1/types.go", Some("api/apps/v1/types.go")),
            ("/checkout/api/types.go", Some("api/types.go")),
            ("/elsewhere/api/types.go", None),
            ("../api/types.go", None),
        ] {
            let root = Path::new("/checkout");
            assert_eq!(file_below(root, root, file).as_deref(), named, "{file}");
        }
        let below = |file: &str| file_below(Path::new("/checkout"), Path::new("/checkout/ci/jobs"), file);
        for (file, named) in [
            ("crd.yaml", Some("ci/jobs/crd.yaml")),
            ("../../config/./crd.yaml", Some("config/crd.yaml")),
            ("../../../crd.yaml", None),
            ("oracles/idl/apps/v1/types.go", None),
            ("../../oracles/idl/apps/v1/types.go", None),
        ] {
            assert_eq!(below(file).as_deref(), named, "{file}");
        }
    }

    #[test]
    fn text_cannot_end_a_command_or_start_another() {
        assert_eq!(data("a%\n::error::b\u{1b}"), "a%25%0A\u{2237}error::b\u{fffd}");
        assert_eq!(property("a,b:c\n"), "a%2Cb%3Ac%0A");
        let place = LineSpan { file: "a,b".into(), line: 3, columns: Some((1, 2)) };
        let said = Annotation { severity: Severity::Note, title: "t::", place: Some(place), message: "x\r\n" };
        assert_eq!(said.to_string(), "::notice file=a%2Cb,line=3,col=1,endColumn=2,title=t%3A%3A::x\u{fffd}%0A");
    }
}
