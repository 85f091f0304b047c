//! Values that a message lists in words.

/// Words before a list of the values that are allowed.
const LISTS: [&str; 12] = [
    "supported values: ",
    "supported values are ",
    "allowed values: ",
    "allowed values are ",
    "valid values: ",
    "valid values are ",
    "one of: ",
    "one of ",
    "supported: ",
    "allowed: ",
    "expected: ",
    "expected ",
];

/// What stands before `one of` where it lists values, and not fields.
const BEFORE_ONE_OF: [&str; 6] = ["", "be", "is", "not", "expected", "want"];

/// The values that a message allows: `A` and `B` of `must be one of: A, B`, `Auto` and `Manual` of `must be Auto or Manual`. Empty if it
/// lists none.
#[must_use]
pub fn alternatives(message: &str) -> Vec<String> {
    read(message, false)
}

/// The same, and words in lower case as well: `auto` and `manual` of `must be auto or manual`. They may be no values: `must be set or
/// removed`.
#[must_use]
pub fn perhaps_alternatives(message: &str) -> Vec<String> {
    read(message, true)
}

fn read(message: &str, any_case: bool) -> Vec<String> {
    let named = LISTS.iter().find_map(|words| {
        let (before, list) = message.split_once(words)?;
        let last = before.split_whitespace().next_back().unwrap_or("");
        (!words.starts_with("one of") || BEFORE_ONE_OF.contains(&last)).then_some(list)
    });
    let (list, is_named) = match named {
        Some(list) => (list.trim_start_matches("the following values: ").trim_start_matches("the following: "), true),
        None => {
            let Some((_, list)) = message.split_once("must be ") else { return Vec::new() };
            (list.trim_start_matches("either "), false)
        }
    };
    let values = listed(list, is_named, any_case);
    // One value alone is none of several.
    if values.len() > 1 || message.contains("upported values: ") { values } else { Vec::new() }
}

/// The values that a text begins with: `A, B or C`, `"a", "b"`, `[A B]` as Go prints a list. Values without quotes are names with a
/// capital letter where nothing says that they are values.
fn listed(text: &str, is_named: bool, any_case: bool) -> Vec<String> {
    let (mut rest, is_go) = text.strip_prefix('[').map_or((text, false), |rest| (rest, !rest.contains(", ")));
    let (mut values, mut is_last) = (Vec::new(), false);
    loop {
        let (value, after, is_quoted) = item(rest);
        let is_of_value = |char: char| char.is_alphanumeric() || matches!(char, '.' | '_' | '/' | '-');
        let is_name = is_named || any_case || value.starts_with(char::is_uppercase);
        if !is_quoted && (value.is_empty() || !value.chars().all(is_of_value) || !is_name) {
            break;
        }
        let and = if is_named { " and " } else { " or " };
        let separators = [", or ", ", ", " or ", " | ", "|", and, if is_go { " " } else { ", " }];
        let next = separators.iter().find_map(|separator| Some((*separator, after.strip_prefix(separator)?)));
        let ends = after.is_empty() || after.starts_with([']', ')', '.', ';', ',']) || after.starts_with(" (");
        let is_whole = next.is_some() || ends || is_quoted || (is_last && is_named);
        if !is_whole {
            // `got X` after a comma is no value, nor is `Manual` of `Manual mode`.
            return if is_named { values } else { Vec::new() };
        }
        values.push(value);
        let Some((separator, following)) = next else { break };
        (rest, is_last) = (following, separator.contains("or"));
    }
    values
}

/// The item that a list begins with, what comes after it, and whether it is in quotes.
fn item(text: &str) -> (String, &str, bool) {
    let mut texts = serde_json::Deserializer::from_str(text).into_iter::<String>();
    if text.starts_with('"')
        && let Some(Ok(value)) = texts.next()
    {
        return (value, text.get(texts.byte_offset()..).unwrap_or(""), true);
    }
    for quote in ['\'', '`'] {
        if let Some((value, after)) = text.strip_prefix(quote).and_then(|inside| inside.split_once(quote)) {
            return (value.to_owned(), after, true);
        }
    }
    let end = text.find(|char: char| char.is_whitespace() || matches!(char, ',' | ';' | ']' | ')' | '|'));
    let (word, after) = text.split_at(end.unwrap_or(text.len()));
    let value = word.trim_end_matches(['.', ':']);
    (value.to_owned(), text.get(value.len()..).unwrap_or(after), false)
}

#[cfg(test)]
mod tests {
    use super::{alternatives, perhaps_alternatives};

    #[test]
    fn allowed_values_are_read_from_words() {
        for (message, values) in [
            ("must be Auto or Manual", &["Auto", "Manual"][..]),
            ("must be either Auto, Manual or Off", &["Auto", "Manual", "Off"]),
            ("must be one of: a, b, c", &["a", "b", "c"]),
            ("must be one of a, b, or c", &["a", "b", "c"]),
            ("must be one of [A B C]", &["A", "B", "C"]),
            ("must be one of ['A', 'B'], got X", &["A", "B"]),
            ("\"x\" is not one of A, B", &["A", "B"]),
            ("allowed values are \"A\", \"B\"", &["A", "B"]),
            ("supported values: \"A\", \"B\"", &["A", "B"]),
            ("supported values: \"A\"", &["A"]),
            ("must be \"on\" or \"off\"", &["on", "off"]),
            ("must be one of A, B (case matters)", &["A", "B"]),
            ("supported: cpu, memory", &["cpu", "memory"]),
            ("allowed values are gp2 and gp3", &["gp2", "gp3"]),
            ("expected gp2|gp3", &["gp2", "gp3"]),
            ("expected a number", &[]),
            ("must be set or removed", &[]),
            ("must be either set or unset", &[]),
            ("must be Auto or what the class says", &[]),
            ("must be at least 5", &[]),
            ("at least one of a, b must be set", &[]),
            ("must set exactly one of spec.a, spec.b", &[]),
            ("must be Auto", &[]),
            ("must be Auto or Manual mode", &[]),
            ("must be one of a, b when c is set", &[]),
            ("must be one of a, b or c when d is set", &["a", "b", "c"]),
            (r#"supported values: "a b", "A\"b", """#, &["a b", "A\"b", ""]),
            ("", &[]),
        ] {
            assert_eq!(alternatives(message), values, "{message}");
        }
    }

    #[test]
    fn words_in_lower_case_may_be_values_too() {
        for (message, values) in [
            ("must be auto or manual", &["auto", "manual"][..]),
            ("must be Auto or manual", &["Auto", "manual"]),
            ("must be set or removed", &["set", "removed"]),
            ("must be one of: a, b", &["a", "b"]),
            ("must be 0 or at least 3", &[]),
            ("must be at least 5", &[]),
            ("must be auto or what the class says", &[]),
        ] {
            assert_eq!(perhaps_alternatives(message), values, "{message}");
        }
    }
}
