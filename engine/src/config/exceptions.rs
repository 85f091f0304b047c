//! The file of exceptions: checks the entries that people wrote, and writes entries for them to fill in.

use super::TomlMistake;
use super::mistake::TomlText;
use jiff::civil::Date;
use serde::Deserialize;
use std::fmt::Write as _;
use takeover_harness::compare::Signature;
use takeover_harness::exception::{Exception, Exceptions, Fault};
use takeover_harness::rule::RuleRef;
use takeover_reports::printable_text as printable;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "exception")]
    exceptions: Vec<Spanned<Entry>>,
}

/// An entry as it is written. Everything is optional here, so that what is missing is said with the place of the entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    signature: Option<Spanned<String>>,
    rules: Option<Vec<Spanned<String>>>,
    signatures: Option<Spanned<usize>>,
    reason: Option<Spanned<String>>,
    owner: Option<Spanned<String>>,
    issue: Option<Spanned<String>>,
    expires: Option<Spanned<toml::Value>>,
}

/// Reads the text of a file.
///
/// # Errors
/// Returns an error when an entry is wrong; it names the first mistake and its line.
pub(super) fn parse(source: TomlText<'_>, today: Date) -> Result<Exceptions, TomlMistake> {
    let file: File = toml::from_str(source.text).map_err(|error| source.refused(&error))?;
    let mut exceptions = Exceptions::on(today);
    for entry in file.exceptions {
        let header = entry.span();
        let entry = entry.into_inner();
        let missing = |key: &str| source.mistake(header.clone(), format!("the exception has no `{key}`"));
        let said = |key: &str, value: Option<Spanned<String>>| {
            let value = value.ok_or_else(|| missing(key))?;
            if value.get_ref().trim().is_empty() {
                return Err(source.mistake(value.span(), format!("the `{key}` of the exception is empty")));
            }
            Ok(value)
        };
        let written = said("signature", entry.signature)?;
        let signature: Signature =
            written.get_ref().parse().map_err(|error| source.mistake(written.span(), format!("{error}")))?;
        let rules = entry.rules.ok_or_else(|| missing("rules"))?;
        let rules = rules.into_iter().map(|rule| {
            let read = rule.get_ref().parse::<RuleRef>();
            read.map_err(|error| source.mistake(rule.span(), error.to_string()))
        });
        let rules = rules.collect::<Result<_, _>>()?;
        let signatures = entry.signatures.as_ref().map_or(1, |number| *number.get_ref());
        let exception = Exception {
            signature,
            rules,
            signatures,
            reason: said("reason", entry.reason)?.into_inner(),
            owner: said("owner", entry.owner)?.into_inner(),
            issue: said("issue", entry.issue)?.into_inner(),
            expires: date(source, entry.expires.ok_or_else(|| missing("expires"))?)?,
            line: line(source.text, written.span().start),
        };
        let counted = entry.signatures.map(|number| number.span());
        if exception.is_open() && counted.is_none() {
            let message = "a version that is `*` needs `signatures`: the number of findings that are meant";
            return Err(source.mistake(written.span(), message));
        }
        exceptions.add(exception).map_err(|fault| {
            let span = match fault {
                Fault::Empty | Fault::Counted => counted.unwrap_or_else(|| header.clone()),
                _ => written.span(),
            };
            source.mistake(span, fault.to_string())
        })?;
    }
    Ok(exceptions)
}

fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

/// A day, as TOML writes it or in quotes.
fn date(source: TomlText<'_>, value: Spanned<toml::Value>) -> Result<Date, TomlMistake> {
    let span = value.span();
    let written = match value.get_ref() {
        toml::Value::Datetime(day) => day.to_string(),
        toml::Value::String(day) => day.clone(),
        other => other.to_string(),
    };
    // The parser takes a day with a time, too, which would be read as if the time were not there.
    let day = written.parse().ok().filter(|day: &Date| day.to_string() == written);
    day.ok_or_else(|| source.mistake(span, format!("`{written}` is no day such as 2027-01-31")))
}

/// An entry that reads as this exception. `reproduce` is the command that shows the finding.
pub fn entry(exception: &Exception, reproduce: Option<&str>) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let rules: Vec<String> = exception.rules.iter().map(|rule| quoted(&rule.to_string())).collect();
    let mut out = String::new();
    if let Some(command) = reproduce {
        let _ = writeln!(out, "# {}", printable(command).replace('\n', " "));
    }
    let _ = writeln!(out, "[[exception]]\nsignature = {}", quoted(&exception.signature.to_string()));
    if exception.is_open() {
        let _ = writeln!(out, "signatures = {}", exception.signatures);
    }
    let _ = writeln!(out, "rules = [{}]", rules.join(", "));
    for (key, value) in [("reason", &exception.reason), ("owner", &exception.owner), ("issue", &exception.issue)] {
        let _ = writeln!(out, "{key} = {}", quoted(value));
    }
    let _ = writeln!(out, "expires = {}", exception.expires);
    out
}

#[cfg(test)]
mod tests {
    use super::{entry, parse};
    use crate::config::mistake::tests::{drawn, toml};
    use jiff::civil::date;
    use takeover_harness::exception::Exception;

    const ENTRY: &str = r#"
[[exception]]
signature = "v1 Web update missing FieldValueInvalid spec.replicas minimum"
rules = ["spec.replicas minimum=0"]
reason = "Handwritten checks do not ratchet."
owner = "sig-apps"
issue = "https://example.com/issues/1"
expires = 2027-01-31
"#;

    #[test]
    fn an_entry_is_read_whole() {
        let exceptions = parse(toml(ENTRY), date(2027, 1, 1)).unwrap();
        let (id, exception) = exceptions.iter().next().unwrap();
        assert_eq!((id.0, exception.line, exception.signatures), (1, 3, 1));
        assert_eq!((exception.owner.as_str(), exception.expires), ("sig-apps", date(2027, 1, 31)));
        let quoted = ENTRY.replace("2027-01-31", "\"2027-01-31\"");
        assert_eq!(parse(toml(&quoted), date(2027, 1, 1)).unwrap(), exceptions, "a day in quotes");
    }

    #[test]
    fn mistakes_are_shown_with_their_line() {
        let without = |key: &str| {
            let lines = ENTRY.lines().filter(|line| !line.starts_with(key));
            lines.collect::<Vec<_>>().join("\n")
        };
        let with = |from: &str, to: &str| ENTRY.replace(from, to);
        for (text, shown) in [
            (without("signature"), "2 │ [[exception]]\n· ─────────────\nthe exception has no `signature`"),
            (without("rules"), "the exception has no `rules`"),
            (without("reason"), "the exception has no `reason`"),
            (without("owner"), "the exception has no `owner`"),
            (without("issue"), "the exception has no `issue`"),
            (without("expires"), "the exception has no `expires`"),
            (with("sig-apps", " "), "6 │ owner = \" \"\n·         ───\nthe `owner` of the exception is empty"),
            (with("2027-01-31", "2027-02-30"), "8 │"),
            (with("2027-01-31", "\"soon\""), "8 │ expires = \"soon\"\n·           ──────\n`soon` is no day"),
            (with("2027-01-31", "2027-01-31T12:00:00Z"), "is no day such as"),
            (with("2027-01-31", "2027"), "`2027` is no day"),
            (with("update missing", "update both"), "`both` is no direction"),
            (with("[\"spec.replicas minimum=0\"]", "\"spec.replicas\""), "4 │ rules = \"spec.replicas\""),
            (with("v1 Web", "* Web"), "needs `signatures`"),
            (with("rules =", "signatures = 2\nrules ="), "this one is about one signature"),
            (with("v1 Web", "* Web").replace("rules =", "signatures = 0\nrules ="), "4 │ signatures = 0"),
            (with("owner", "ower"), "unknown field `ower`"),
            (format!("{ENTRY}{ENTRY}"), "11 │ signature"),
            (format!("{ENTRY}{ENTRY}"), "the exception in line 3 is about the same finding"),
            (format!("{ENTRY}{}", with("v1 Web", "* Web").replace("rules =", "signatures = 2\nrules =")), "in line 3"),
            (format!("{ENTRY}\nx ="), "10 │ x ="),
        ] {
            let said = drawn(&parse(toml(&text), date(2027, 1, 1)).unwrap_err());
            assert!(shown.lines().all(|shown| said.contains(shown)), "{text}\n{shown}\n{said}");
        }
    }

    #[test]
    fn an_entry_that_is_made_is_read_again() {
        let exception = Exception {
            signature: "apps/* Web/scale create extra FieldValueInvalid <nil> -".parse().unwrap(),
            rules: ["spec.\"a\" pattern=\"\\d\"", "<nil> union"].map(|rule| rule.parse().unwrap()).into(),
            signatures: 2,
            reason: "because \"so\"".to_owned(),
            owner: "sig-apps".to_owned(),
            issue: "#1".to_owned(),
            expires: date(2027, 1, 31),
            line: 3,
        };
        let made = entry(&exception, Some("takeover soak --recorded 'a\n[[exception]]'"));
        let exceptions = parse(toml(&made), date(2027, 1, 1)).unwrap();
        assert_eq!(exceptions.iter().map(|(_, exception)| exception).collect::<Vec<_>>(), [&exception]);
        let unfilled = entry(&Exception { reason: String::new(), ..exception }, None);
        let error = drawn(&parse(toml(&unfilled), date(2027, 1, 1)).unwrap_err());
        assert!(error.contains("the `reason` of the exception is empty"), "{error}");
    }
}
