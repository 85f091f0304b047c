//! The checks of the handwritten side, listed: what each subject's validators refuse, where, on which operations, and how far.
//!
//! The list is a text that `cargo xtask docs checks` writes from what the validators were seen to report, and that a reviewer reads as
//! a change. A test judges cases of every subject and fails when a validator reports what is not listed. A check that no case shows can be
//! added by hand: reports then count it as never seen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;
use takeover_harness::case::Operation;
use takeover_harness::check::Check;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::ErrorShape;
use takeover_harness::subject::SubjectId;

/// The list as it is shipped.
const LIST: &str = include_str!("../checks.txt");

const HEAD: &str = "\
# What the handwritten validators refuse, by subject: operations, whether the error says that a rule covers it, type, field, origin, and the
# last good number, length or count, or the only good values, where the error tells. Made by `cargo xtask docs checks`.
";

/// The checks by the name of their subject.
pub type CheckList = BTreeMap<String, Vec<Check>>;

/// A line of the list that is no check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is no check: `{text}`")]
pub struct NotACheck {
    line: usize,
    text: String,
}

/// The listed checks of a subject.
#[must_use]
pub fn of(subject: &SubjectId) -> &'static [Check] {
    static READ: OnceLock<CheckList> = OnceLock::new();
    // A test reads the list as well, and fails where this would find nothing.
    let list = READ.get_or_init(|| read(LIST).unwrap_or_default());
    list.get(&subject.to_string()).map_or(&[], Vec::as_slice)
}

/// The whole list as it is shipped.
///
/// # Errors
/// Returns an error when a line of it is no check.
pub fn listed() -> Result<CheckList, NotACheck> {
    read(LIST)
}

/// Reads a list.
///
/// # Errors
/// Returns an error when a line is no check; it names the first.
pub fn read(text: &str) -> Result<CheckList, NotACheck> {
    let mut list = CheckList::new();
    let mut subject = None;
    for (line, number) in text.lines().zip(1..) {
        let no_check = || NotACheck { line: number, text: line.to_owned() };
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            subject = Some(list.entry(name.to_owned()).or_default());
            continue;
        }
        let checks = subject.as_mut().ok_or_else(no_check)?;
        checks.push(read_check(line).ok_or_else(no_check)?);
    }
    Ok(list)
}

fn read_check(line: &str) -> Option<Check> {
    let mut words = line.splitn(6, ' ');
    let (operations, covered, error_type) = (words.next()?, words.next()?, words.next()?);
    let (field, origin, rest) = (words.next()?, words.next()?, words.next().unwrap_or_default());
    let operations: Option<Vec<Operation>> = operations.split(',').map(|name| operation(name)).collect();
    let covered = match covered {
        COVERED => true,
        NONE => false,
        _ => return None,
    };
    let (mut limit, mut values) = (None, Vec::new());
    if let Some(number) = rest.strip_prefix(LIMIT) {
        limit = Some(number.parse().ok()?);
    } else if let Some(list) = rest.strip_prefix(VALUES) {
        values = serde_json::from_str(list).ok()?;
    } else if !rest.is_empty() {
        return None;
    }
    Some(Check {
        error: ErrorShape {
            error_type: ErrorType::ALL.into_iter().find(|known| known.api_name() == error_type)?,
            field: if field == ROOT { String::new() } else { field.to_owned() },
            origin: if origin == NONE { String::new() } else { origin.to_owned() },
        },
        operations: operations?,
        covered,
        limit,
        values,
    })
}

const COVERED: &str = "covered";
const NONE: &str = "-";
const ROOT: &str = "<nil>";
const LIMIT: &str = "limit ";
const VALUES: &str = "values ";

fn operation(name: &str) -> Option<Operation> {
    Operation::ALL.into_iter().find(|known| known.to_string() == name)
}

/// The text of a list, in the order of the subjects.
#[must_use]
pub fn text(list: &CheckList) -> String {
    let mut text = HEAD.to_owned();
    for (subject, checks) in list.iter().filter(|(_, checks)| !checks.is_empty()) {
        let _ = writeln!(text, "\n[{subject}]");
        for Check { error, operations, covered, limit, values } in checks {
            let operations: Vec<String> = operations.iter().map(ToString::to_string).collect();
            let covered = if *covered { COVERED } else { NONE };
            let field = if error.field.is_empty() { ROOT } else { &error.field };
            let origin = if error.origin.is_empty() { NONE } else { &error.origin };
            let _ = write!(text, "{} {covered} {} {field} {origin}", operations.join(","), error.error_type.api_name());
            if let Some(limit) = limit {
                let _ = write!(text, " {LIMIT}{limit}");
            } else if !values.is_empty() {
                let _ = write!(text, " {VALUES}{}", serde_json::Value::from(values.clone()));
            }
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{LIST, read, text};

    #[test]
    fn the_shipped_list_reads_and_is_written_as_it_stands() {
        let list = read(LIST).unwrap();
        assert!(list.len() > 60, "{} subjects", list.len());
        assert_eq!(text(&list), LIST);
    }

    #[test]
    fn what_is_no_check_is_named_with_its_line() {
        for wrong in [
            "create covered FieldValueInvalid spec.replicas minimum",
            "[v1 Web]\npatch covered FieldValueInvalid spec.replicas minimum",
            "[v1 Web]\ncreate maybe FieldValueInvalid spec.replicas minimum",
            "[v1 Web]\ncreate covered Invalid spec.replicas minimum",
            "[v1 Web]\ncreate covered FieldValueInvalid spec.replicas",
            "[v1 Web]\ncreate covered FieldValueInvalid spec.replicas minimum limit x",
            "[v1 Web]\ncreate covered FieldValueInvalid spec.replicas minimum bound 3",
        ] {
            let line = wrong.lines().count();
            assert!(read(wrong).unwrap_err().to_string().starts_with(&format!("line {line} is no check")), "{wrong}");
        }
        let good = "[v1 Web]\ncreate,update - FieldValueNotSupported spec.kind - values [\"A\",\"B c\"]\n";
        assert!(text(&read(good).unwrap()).ends_with(&format!("\n{good}")));
    }
}
