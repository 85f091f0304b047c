//! The file of exceptions: checks the entries that people wrote, and writes entries for them to fill in.

use super::TomlMistake;
use super::mistake::TomlText;
use jiff::civil::Date;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;
use takeover_harness::case::Operation;
use takeover_harness::compare::{Cause, Direction, Relation, Signature, SignatureError};
use takeover_harness::exception::{About, CauseEntry, Exception, Exceptions, Fault, FieldPattern, FindingEntry, Share};
use takeover_harness::rule::RuleRef;
use takeover_harness::subject::PairId;
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
    rules: Option<Spanned<Vec<Spanned<String>>>>,
    signatures: Option<Spanned<usize>>,
    cause: Option<Spanned<Cause>>,
    subject: Option<Spanned<String>>,
    fields: Option<Spanned<FieldPattern>>,
    operation: Option<Spanned<Operation>>,
    relation: Option<Spanned<Relation>>,
    direction: Option<Spanned<Direction>>,
    classes: Option<BTreeSet<String>>,
    share: Option<Share>,
    reason: Option<Spanned<String>>,
    owner: Option<Spanned<String>>,
    issue: Option<Spanned<String>>,
    expires: Option<Spanned<toml::Value>>,
}

/// What entries of earlier releases lack, and how to get it.
const ANEW: &str = "remove the exception, and let `gate --run RUN --write-exceptions` propose a new one";

/// Reads the text of a file.
///
/// # Errors
/// Returns an error when an entry is wrong; it names the first mistake and its line.
pub(super) fn parse(source: TomlText<'_>, today: Date) -> Result<Exceptions, TomlMistake> {
    let file: File = toml::from_str(source.text).map_err(|error| source.refused(&error))?;
    let mut exceptions = Exceptions::on(today);
    for entry in file.exceptions {
        let reader = Reader { source, header: entry.span() };
        let counted = entry.get_ref().signatures.as_ref().map(Spanned::span);
        let (exception, named) = reader.exception(entry.into_inner())?;
        exceptions.add(exception).map_err(|fault| {
            let span = match fault {
                Fault::Empty | Fault::Counted => counted.unwrap_or(reader.header),
                _ => named,
            };
            source.mistake(span, fault.to_string())
        })?;
    }
    Ok(exceptions)
}

/// Reads one entry.
struct Reader<'t> {
    source: TomlText<'t>,
    header: Range<usize>,
}

impl Reader<'_> {
    fn missing(&self, key: &str) -> TomlMistake {
        let anew = if matches!(key, "classes" | "share") { format!("; {ANEW}") } else { String::new() };
        self.source.mistake(self.header.clone(), format!("the exception has no `{key}`{anew}"))
    }

    /// A text that has to be there and say something.
    fn said(&self, key: &str, value: Option<Spanned<String>>) -> Result<Spanned<String>, TomlMistake> {
        let value = value.ok_or_else(|| self.missing(key))?;
        if value.get_ref().trim().is_empty() {
            return Err(self.source.mistake(value.span(), format!("the `{key}` of the exception is empty")));
        }
        Ok(value)
    }

    /// The exception, and where it says what it is about.
    fn exception(&self, mut entry: Entry) -> Result<(Exception, Range<usize>), TomlMistake> {
        let (about, named) = match entry.cause.take() {
            Some(cause) => self.cause(cause, &mut entry)?,
            None => self.finding(&mut entry)?,
        };
        let exception = Exception {
            about,
            classes: entry.classes.ok_or_else(|| self.missing("classes"))?,
            share: entry.share.ok_or_else(|| self.missing("share"))?,
            reason: self.said("reason", entry.reason)?.into_inner(),
            owner: self.said("owner", entry.owner)?.into_inner(),
            issue: self.said("issue", entry.issue)?.into_inner(),
            expires: date(self.source, entry.expires.ok_or_else(|| self.missing("expires"))?)?,
            line: line(self.source.text, named.start),
        };
        Ok((exception, named))
    }

    fn finding(&self, entry: &mut Entry) -> Result<(About, Range<usize>), TomlMistake> {
        let of_pattern = [
            ("subject", entry.subject.as_ref().map(Spanned::span)),
            ("fields", entry.fields.as_ref().map(Spanned::span)),
            ("operation", entry.operation.as_ref().map(Spanned::span)),
            ("relation", entry.relation.as_ref().map(Spanned::span)),
            ("direction", entry.direction.as_ref().map(Spanned::span)),
        ];
        self.refuse(of_pattern, "is only for exceptions with a `cause`")?;
        let written = self.said("signature", entry.signature.take())?;
        let signature = signature(&as_in_files(written.get_ref()))
            .map_err(|message| self.source.mistake(written.span(), message))?;
        let rules = entry.rules.take().ok_or_else(|| self.missing("rules"))?.into_inner();
        let rules = rules.into_iter().map(|rule| {
            let read = as_in_files(rule.get_ref()).parse::<RuleRef>();
            read.map_err(|error| self.source.mistake(rule.span(), error.to_string()))
        });
        let rules = rules.collect::<Result<_, _>>()?;
        let counted = entry.signatures.as_ref().map(|number| *number.get_ref());
        let about = About::Finding(FindingEntry { signature, rules, signatures: counted.unwrap_or(1) });
        if about.is_open() && counted.is_none() {
            let message = "a version that is `*` needs `signatures`: the number of findings";
            return Err(self.source.mistake(written.span(), message));
        }
        Ok((about, written.span()))
    }

    fn cause(&self, cause: Spanned<Cause>, entry: &mut Entry) -> Result<(About, Range<usize>), TomlMistake> {
        let of_finding = [
            ("signature", entry.signature.as_ref().map(Spanned::span)),
            ("rules", entry.rules.as_ref().map(Spanned::span)),
            ("signatures", entry.signatures.as_ref().map(Spanned::span)),
        ];
        self.refuse(of_finding, "is only for exceptions without a `cause`")?;
        let subject = self.said("subject", entry.subject.take())?;
        let pair = subject.get_ref().parse::<PairId>();
        let pair = pair.map_err(|error| self.source.mistake(subject.span(), error.to_string()))?;
        let fields = entry.fields.take().ok_or_else(|| self.missing("fields"))?.into_inner();
        let named = cause.span();
        let about = About::Cause(CauseEntry {
            cause: cause.into_inner(),
            pair,
            fields,
            operation: entry.operation.take().map(Spanned::into_inner),
            relation: entry.relation.take().map(Spanned::into_inner),
            direction: entry.direction.take().map(Spanned::into_inner),
        });
        Ok((about, named))
    }

    /// Refuses keys that belong to the other sort of exceptions.
    fn refuse<const N: usize>(
        &self,
        keys: [(&str, Option<Range<usize>>); N],
        message: &str,
    ) -> Result<(), TomlMistake> {
        match keys.into_iter().find_map(|(key, span)| Some((key, span?))) {
            Some((key, span)) => Err(self.source.mistake(span, format!("`{key}` {message}"))),
            None => Ok(()),
        }
    }
}

/// Turns a name that was copied from a report into the form that files use.
fn as_in_files(name: &str) -> String {
    name.replace("(the object)", "<nil>")
}

/// Reads a signature. In those of earlier releases, the direction follows the operation.
fn signature(text: &str) -> Result<Signature, String> {
    text.parse().map_err(|error: SignatureError| {
        let fourth = text.split(' ').nth(3).unwrap_or_default();
        if Direction::ALL.iter().any(|direction| direction.to_string() == fourth) {
            format!("the signature has neither the relation of the value nor the cause; {ANEW}")
        } else {
            error.to_string()
        }
    })
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
    day.ok_or_else(|| source.mistake(span, format!("`{written}` is not a date, such as 2027-01-31")))
}

/// An entry that reads as this exception. `reproduce` is the command that shows the finding.
pub fn entry(exception: &Exception, reproduce: Option<&str>) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let list = |texts: &mut dyn Iterator<Item = String>| texts.map(|text| quoted(&text)).collect::<Vec<_>>().join(", ");
    let mut out = String::new();
    if let Some(command) = reproduce {
        let _ = writeln!(out, "# {}", printable(command).replace('\n', " "));
    }
    out.push_str("[[exception]]\n");
    match &exception.about {
        About::Finding(FindingEntry { signature, rules, signatures }) => {
            let _ = writeln!(out, "signature = {}", quoted(&signature.to_string()));
            if exception.about.is_open() {
                let _ = writeln!(out, "signatures = {signatures}");
            }
            let _ = writeln!(out, "rules = [{}]", list(&mut rules.iter().map(ToString::to_string)));
        }
        About::Cause(CauseEntry { cause, pair, fields, operation, relation, direction }) => {
            let only = [
                ("operation", operation.map(|operation| operation.to_string())),
                ("relation", relation.map(|relation| relation.to_string())),
                ("direction", direction.map(|direction| direction.to_string())),
            ];
            let own = [("cause", cause.to_string()), ("subject", pair.to_string()), ("fields", fields.to_string())];
            for (key, value) in own.into_iter().chain(only.into_iter().filter_map(|(key, value)| Some((key, value?)))) {
                let _ = writeln!(out, "{key} = {}", quoted(&value));
            }
        }
    }
    let _ = writeln!(out, "classes = [{}]", list(&mut exception.classes.iter().cloned()));
    let _ = writeln!(out, "share = {}", exception.share);
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
    use takeover_harness::case::Operation;
    use takeover_harness::compare::{Cause, Relation};
    use takeover_harness::exception::{About, CauseEntry, Exception, FindingEntry};

    const ENTRY: &str = r#"
[[exception]]
signature = "v1 Web update kept missing ratchets FieldValueInvalid spec.replicas minimum"
rules = ["spec.replicas minimum=0"]
classes = ["negative"]
share = 0.0123
reason = "Handwritten checks do not ratchet."
owner = "sig-apps"
issue = "https://example.com/issues/1"
expires = 2027-01-31
"#;

    const PATTERN: &str = r#"
[[exception]]
cause = "ratchets"
subject = "* Web/scale"
fields = "spec.**"
direction = "missing"
classes = ["negative", "unset"]
share = 1
reason = "Handwritten checks do not ratchet."
owner = "sig-apps"
issue = "https://example.com/issues/1"
expires = 2027-01-31
"#;

    #[test]
    fn an_entry_is_read_whole() {
        let exceptions = parse(toml(ENTRY), date(2027, 1, 1)).unwrap();
        let (id, exception) = exceptions.iter().next().unwrap();
        assert_eq!((id.0, exception.line, exception.about.signatures()), (1, 3, Some(1)));
        assert_eq!((exception.classes.len(), exception.share.to_string()), (1, "0.0123".to_owned()));
        assert_eq!((exception.owner.as_str(), exception.expires), ("sig-apps", date(2027, 1, 31)));
        let quoted = ENTRY.replace("2027-01-31", "\"2027-01-31\"");
        assert_eq!(parse(toml(&quoted), date(2027, 1, 1)).unwrap(), exceptions, "a day in quotes");
    }

    /// Reports print `(the object)` where files have `<nil>`.
    #[test]
    fn a_signature_is_read_as_a_report_prints_it() {
        let of = |object: &str| {
            let whole =
                ENTRY.replace("FieldValueInvalid spec.replicas minimum\"", &format!("FieldValueInvalid {object} -\""));
            parse(toml(&whole.replace("\"spec.replicas minimum=0", &format!("\"{object} union"))), date(2027, 1, 1))
                .unwrap()
        };
        assert_eq!(of("(the object)"), of("<nil>"));
    }

    #[test]
    fn a_pattern_is_read_whole() {
        let exceptions = parse(toml(PATTERN), date(2027, 1, 1)).unwrap();
        let (_, exception) = exceptions.iter().next().unwrap();
        assert_eq!(exception.about.to_string(), "* Web/scale ratchets in spec.** (missing)");
        assert_eq!((exception.line, exception.about.signatures(), exception.about.is_open()), (3, None, true));
    }

    #[test]
    fn mistakes_are_shown_with_their_line() {
        let without = |key: &str| {
            let lines = ENTRY.lines().filter(|line| !line.starts_with(key));
            lines.collect::<Vec<_>>().join("\n")
        };
        let with = |from: &str, to: &str| ENTRY.replace(from, to);
        let old = with("update kept missing ratchets", "update missing");
        let pattern = |from: &str, to: &str| PATTERN.replace(from, to);
        for (text, shown) in [
            (without("signature"), "2 │ [[exception]]\n· ─────────────\nthe exception has no `signature`"),
            (without("rules"), "the exception has no `rules`"),
            (without("classes"), "the exception has no `classes`; remove the exception, and let"),
            (without("share"), "the exception has no `share`; remove the exception, and let"),
            (without("reason"), "the exception has no `reason`"),
            (without("owner"), "the exception has no `owner`"),
            (without("issue"), "the exception has no `issue`"),
            (without("expires"), "the exception has no `expires`"),
            (with("sig-apps", " "), "8 │ owner = \" \"\n·         ───\nthe `owner` of the exception is empty"),
            (with("2027-01-31", "2027-02-30"), "10 │"),
            (with("2027-01-31", "\"soon\""), "10 │ expires = \"soon\"\n·           ──────\n`soon` is not a date"),
            (with("2027-01-31", "2027-01-31T12:00:00Z"), "is not a date, such as"),
            (with("2027-01-31", "2027"), "`2027` is not a date"),
            (with("kept missing", "kept both"), "`both` is not a direction"),
            (old, "3 │ signature\nneither the relation of the value nor the cause\n--write-exceptions"),
            (with("[\"spec.replicas minimum=0\"]", "\"spec.replicas\""), "4 │ rules = \"spec.replicas\""),
            (with("0.0123", "0"), "6 │ share = 0\n`0` is not a share of the compared cases"),
            (with("0.0123", "nan"), "6 │ share = nan"),
            (with("v1 Web", "* Web"), "needs `signatures`"),
            (with("rules =", "signatures = 2\nrules ="), "this exception names a single signature"),
            (with("v1 Web", "* Web").replace("rules =", "signatures = 0\nrules ="), "4 │ signatures = 0"),
            (with("owner", "ower"), "unknown key `ower`"),
            (
                with("rules =", "fields = \"spec.**\"\nrules ="),
                "4 │ fields\n`fields` is only for exceptions with a `cause`",
            ),
            (pattern("cause = \"ratchets\"\n", ""), "3 │ subject"),
            (pattern("ratchets", "rust"), "3 │ cause = \"rust\""),
            (pattern("* Web/scale", "Web"), "4 │ subject = \"Web\"\n`Web` is not a pair"),
            (pattern("spec.**", "spec.rep*"), "5 │ fields\n`spec.rep*` is not a field pattern"),
            (pattern("fields = \"spec.**\"\n", ""), "the exception has no `fields`"),
            (pattern("\"missing\"", "\"lost\""), "6 │ direction"),
            (pattern("share", "rules = []\nshare"), "8 │ rules = []\n`rules` is only for exceptions without a `cause`"),
            (format!("{ENTRY}{ENTRY}"), "13 │ signature"),
            (format!("{ENTRY}{ENTRY}"), "the exception in line 3 covers the same finding"),
            (format!("{ENTRY}{}", with("v1 Web", "* Web").replace("rules =", "signatures = 2\nrules =")), "in line 3"),
            (format!("{ENTRY}{}", pattern("* Web/scale", "* Web")), "13 │ cause\nin line 3"),
            (format!("{PATTERN}{}", pattern("spec.**", "**.replicas")), "15 │ cause\nin line 3"),
            (format!("{ENTRY}\nx ="), "12 │ x ="),
        ] {
            let said = drawn(&parse(toml(&text), date(2027, 1, 1)).unwrap_err());
            assert!(shown.lines().all(|shown| said.contains(shown)), "{text}\n{shown}\n{said}");
        }
    }

    #[test]
    fn an_entry_that_is_made_is_read_again() {
        let exception = |about| Exception {
            about,
            classes: ["unset", "bool+version"].map(str::to_owned).into(),
            share: 0.000_012_3.try_into().unwrap(),
            reason: "because \"so\"".to_owned(),
            owner: "sig-apps".to_owned(),
            issue: "#1".to_owned(),
            expires: date(2027, 1, 31),
            line: 3,
        };
        let finding = exception(About::Finding(FindingEntry {
            signature: "apps/* Web/scale create new extra - FieldValueInvalid <nil> -".parse().unwrap(),
            rules: ["spec.\"a\" pattern=\"\\d\"", "<nil> unionMember of a, b"].map(|rule| rule.parse().unwrap()).into(),
            signatures: 2,
        }));
        let cause = exception(About::Cause(CauseEntry {
            cause: Cause::Ratchets,
            pair: "apps/* Web/scale#hook".parse().unwrap(),
            fields: "spec.**.a[*].*".parse().unwrap(),
            operation: Some(Operation::Update),
            relation: Some(Relation::Kept),
            direction: None,
        }));
        for exception in [finding, cause] {
            let made = entry(&exception, Some("takeover soak --recorded 'a\n[[exception]]'"));
            let exceptions = parse(toml(&made), date(2027, 1, 1)).unwrap();
            assert_eq!(exceptions.iter().map(|(_, exception)| exception).collect::<Vec<_>>(), [&exception]);
            let unfilled = entry(&Exception { reason: String::new(), ..exception }, None);
            let error = drawn(&parse(toml(&unfilled), date(2027, 1, 1)).unwrap_err());
            assert!(error.contains("the `reason` of the exception is empty"), "{error}");
        }
    }
}
