//! Suggests the line of a CRD that would replace a check, from what the check was seen to report.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use takeover_harness::compare::{Reason, alternatives};
use takeover_harness::error::ErrorType;
use takeover_harness::judge::ObservedCheck;
use takeover_harness::rule::{Rule, Sample};

/// A check that the schema of a CRD lacks or has in another form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lacking<'c> {
    /// The check.
    pub check: &'c ObservedCheck,
    /// The messages of its errors, with values; several if the message varies.
    pub messages: &'c BTreeSet<String>,
    /// Patterns of the fields that objects set.
    pub fields: &'c BTreeSet<&'c str>,
    /// Whether it was seen on updates that change the value, and nowhere else.
    pub only_changes: bool,
    /// Whether it was seen where the value is not set.
    pub where_unset: bool,
    /// The bound that refuses the empty value of the field, if it was seen where the value is empty: `minLength`, `minItems`, …
    pub where_empty: Option<&'static str>,
    /// A value that it rejects and the schema accepts, where one is known.
    pub rejected: Option<&'c Value>,
    /// The rules that the schema already has.
    pub rules: &'c [Rule],
}

impl Lacking<'_> {
    /// Whether the schema has this line at a place already.
    fn is_held(&self, line: &Line, place: &str) -> bool {
        let at_place = || self.rules.iter().filter(|rule| rule.path == place);
        let refuses_empty = |rule: &Rule| {
            let is_empty = |sample: &Sample| matches!(sample, Sample::Value(value) if value.as_str() == Some(""));
            rule.boundaries.iter().any(|class| class.breaks && is_empty(&class.sample))
        };
        let has = |chain: String| at_place().any(|rule| rule.chain == chain);
        line.chains().into_iter().all(has) || (*line == Line::not_empty() && at_place().any(refuses_empty))
    }
}

/// A line of a schema, or a CEL rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// The member that an object must have.
    Required(String),
    /// A CEL rule.
    Rule(String),
    /// The allowed texts, quoted as in JSON.
    Enum(Vec<String>),
    /// A regular expression.
    Pattern(String),
    /// Keywords with their numbers.
    Bounds(Vec<(&'static str, String)>),
    /// A bound that does not include its number: `minimum` or `maximum`, and the keyword that excludes it.
    Exclusive { bound: &'static str, keyword: &'static str, limit: String },
}

impl Line {
    fn not_empty() -> Self {
        Self::bound("minLength", "1")
    }

    fn bound(keyword: &'static str, limit: &str) -> Self {
        Self::Bounds(vec![(keyword, limit.to_owned())])
    }

    /// Whether a schema with this line accepts a value, as far as its bounds tell.
    fn accepts(&self, value: &Value) -> bool {
        let keeps = |keyword: &str, limit: &str, is_excluded: bool| {
            let Ok(limit) = limit.parse::<f64>() else { return false };
            let size = match keyword {
                "minimum" | "maximum" => value.as_f64(),
                "minLength" | "maxLength" => value.as_str().map(|text| count(text.chars().count())),
                "minItems" | "maxItems" => value.as_array().map(|items| count(items.len())),
                _ => None,
            };
            let Some(size) = size else { return false };
            let is_least = keyword.starts_with("min");
            if is_excluded && size == limit {
                return false;
            }
            if is_least { size >= limit } else { size <= limit }
        };
        match self {
            Self::Bounds(bounds) => {
                !bounds.is_empty() && bounds.iter().all(|(keyword, limit)| keeps(keyword, limit, false))
            }
            Self::Exclusive { bound, limit, .. } => keeps(bound, limit, true),
            Self::Enum(values) => values.contains(&value.to_string()),
            Self::Required(_) | Self::Rule(_) | Self::Pattern(_) => false,
        }
    }

    /// The rules that a schema with this line has, as they are written in reports.
    fn chains(&self) -> Vec<String> {
        match self {
            Self::Required(_) => vec!["required".to_owned()],
            Self::Rule(rule) => vec![format!("cel: {rule}")],
            Self::Enum(values) => vec![format!("enum of {}", values.join(", "))],
            Self::Pattern(pattern) => vec![format!("pattern={pattern}")],
            Self::Bounds(bounds) => bounds.iter().map(|(keyword, limit)| format!("{keyword}={limit}")).collect(),
            Self::Exclusive { keyword, limit, .. } => vec![format!("{keyword}={limit}")],
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required(name) => write!(f, "required: [{name}]"),
            Self::Rule(rule) => write!(f, "rule: {rule}"),
            Self::Enum(values) => write!(f, "enum: [{}]", values.join(", ")),
            Self::Pattern(pattern) => write!(f, "pattern: '{}'", pattern.replace('\'', "''")),
            Self::Bounds(bounds) => {
                let bounds: Vec<String> = bounds.iter().map(|(keyword, limit)| format!("{keyword}: {limit}")).collect();
                f.write_str(&bounds.join(", "))
            }
            Self::Exclusive { bound, keyword, limit } => write!(f, "{bound}: {limit}, {keyword}: true"),
        }
    }
}

fn count(size: usize) -> f64 {
    u32::try_from(size).map_or(f64::INFINITY, f64::from)
}

/// Words that stand before the last good number, and what a schema calls the bound.
const BOUNDS: [(&str, Bound); 16] = [
    ("greater than or equal to ", Bound::Least),
    ("less than or equal to ", Bound::Most),
    ("no less than ", Bound::Least),
    ("no more than ", Bound::Most),
    ("not be more than ", Bound::Most),
    ("not be longer than ", Bound::Most),
    ("not be less than ", Bound::Least),
    ("not be greater than ", Bound::Most),
    ("not exceed ", Bound::Most),
    ("not have more than ", Bound::Most),
    ("at least ", Bound::Least),
    ("at most ", Bound::Most),
    ("more than ", Bound::Above),
    ("greater than ", Bound::Above),
    ("less than ", Bound::Below),
    ("up to ", Bound::Most),
];

/// On which side of a number good values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Least,
    Most,
    Above,
    Below,
}

impl Bound {
    fn operator(self) -> &'static str {
        match self {
            Self::Least => ">=",
            Self::Most => "<=",
            Self::Above => ">",
            Self::Below => "<",
        }
    }
}

/// The line of a schema, or the CEL rule, that would check the same: `` `maximum: 1000` on spec.maxReplicas ``; two where it takes two.
/// `None` if the observations do not determine one, or the schema already has it.
pub(super) fn suggestion(of: &Lacking<'_>) -> Option<String> {
    let field = &of.check.field;
    // What an error says by its type, a reason says in words.
    let told: BTreeSet<(ErrorType, &str)> = of.messages.iter().map(|said| told(of.check, said)).collect();
    let mut types = told.iter().map(|(error_type, _)| *error_type);
    let error_type = types.next().or(of.check.error_type)?;
    // A check whose messages vary depends on more than the value; a reason without a field may be about anything.
    let is_about_field = !field.is_empty() && of.fields.contains(field.as_str());
    if told.len() > 1 || (of.check.error_type.is_none() && !is_about_field) {
        return None;
    }
    let message = told.first().map_or("", |(_, message)| message);
    let on = |line: Line, place: &str| {
        // `required` stands at the object and is a rule of the member.
        let judged = if matches!(line, Line::Required(_)) { field } else { place };
        // What accepts a value that the check rejects is not what it checks, whatever its message says.
        if of.is_held(&line, judged) || of.rejected.is_some_and(|value| line.accepts(value)) {
            return None;
        }
        let place = if place.is_empty() { "the object" } else { place };
        Some(format!("`{line}` on {place}"))
    };
    let forbids = matches!(error_type, ErrorType::Invalid | ErrorType::Forbidden);
    if forbids && (is_immutable(message) || (of.only_changes && message.is_empty())) {
        let same = Line::Rule("self == oldSelf".to_owned());
        let Some((parent, name)) = parent_and_name(field) else { return on(same, field) };
        if of.is_held(&Line::Required(name.to_owned()), field) || of.is_held(&same, field) {
            return on(same, field);
        }
        // A transition rule of a member does not run where the member is added or removed.
        let kept =
            format!("has(self.{name}) == has(oldSelf.{name}) && (!has(self.{name}) || self.{name} == oldSelf.{name})");
        return on(Line::Rule(kept), parent);
    }
    let depends = [" when ", " if ", " unless "].iter().any(|word| message.contains(word));
    match error_type {
        _ if depends => None,
        ErrorType::Required => {
            let (parent, name) = parent_and_name(field)?;
            let empty = of.where_empty.map(|keyword| Line::bound(keyword, "1"));
            // A value that is there and empty is another thing than one that is not there.
            let required = of.where_unset.then(|| on(Line::Required(name.to_owned()), parent)).flatten();
            let filled = match empty {
                Some(line) => on(line, field),
                None if !of.where_unset => on(Line::not_empty(), field),
                None => None,
            };
            match (required, filled) {
                (Some(required), Some(filled)) => Some(format!("{required} and {filled}")),
                (one, other) => one.or(other),
            }
        }
        ErrorType::NotSupported => on(Line::Enum(allowed(message)?), field),
        ErrorType::TooMany => on(Line::bound("maxItems", first_number(message)?), field),
        ErrorType::TooLong if message.contains("byte") => {
            on(Line::Rule(format!("bytes(self).size() <= {}", first_number(message)?)), field)
        }
        ErrorType::TooLong => on(Line::bound("maxLength", first_number(message)?), field),
        ErrorType::Invalid => {
            if let Some(pattern) = pattern_in(message) {
                return on(Line::Pattern(pattern), field);
            }
            if let Some(line) = allowed(message).map(Line::Enum).or_else(|| bound(message)) {
                return on(line, field);
            }
            let (parent, rule) = comparison(field, message, of.fields)?;
            on(Line::Rule(rule), parent)
        }
        _ => None,
    }
}

/// The type of the error that a check reports, and what it explains; of a reason, as far as its words tell.
fn told<'s>(check: &ObservedCheck, said: &'s str) -> (ErrorType, &'s str) {
    check.error_type.map_or_else(|| Reason::typed(said), |error_type| (error_type, said))
}

/// Whether a message says that a value stays as it is.
fn is_immutable(message: &str) -> bool {
    let message = message.to_lowercase();
    let says =
        ["immutable", "not be changed", "not be modified", "not be updated", "cannot change", "cannot be changed"];
    says.iter().any(|words| message.contains(words))
}

/// The field around a member, and the name of the member; `None` for items, entries and the object itself.
fn parent_and_name(field: &str) -> Option<(&str, &str)> {
    let (parent, name) = field.rsplit_once('.').unwrap_or(("", field));
    (!name.is_empty() && !name.contains('[')).then_some((parent, name))
}

/// The values that a message allows, as in JSON.
fn allowed(message: &str) -> Option<Vec<String>> {
    let as_json = |value: &String| match value.parse::<i64>() {
        Ok(number) => number.to_string(),
        Err(_) => serde_json::json!(value).to_string(),
    };
    let values: Vec<String> = alternatives(message).iter().map(as_json).collect();
    (!values.is_empty()).then_some(values)
}

/// The number that a text starts with, if it ends as a number does: not `1Gi`.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|char: char| !char.is_ascii_digit() && !matches!(char, '-' | '.')).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    let number = number.trim_end_matches('.');
    // `1,000` is no 1.
    let goes_on = rest.strip_prefix(',').is_some_and(|after| after.starts_with(|char: char| char.is_ascii_digit()));
    let ends = !goes_on && (rest.is_empty() || rest.starts_with([' ', ',', ';', ')', ':']));
    (ends && number.parse::<f64>().is_ok()).then_some(number)
}

fn first_number(message: &str) -> Option<&str> {
    message.split(' ').find_map(number)
}

/// The bounds that a message names, with the unit that it counts in.
fn bound(message: &str) -> Option<Line> {
    if let Some((_, range)) = message.split_once("between ") {
        let (least, most) = range.split_once(" and ")?;
        let (least, most) = (number(least)?, number(most)?);
        let (first, last) = names(message);
        return Some(Line::Bounds(vec![(first, least.to_owned()), (last, most.to_owned())]));
    }
    let (limit, bound) = BOUNDS.iter().find_map(|(before, bound)| {
        let (_, rest) = message.split_once(before)?;
        Some((number(rest), *bound))
    })?;
    let limit = limit?;
    let (first, last) = names(message);
    let exclusive = |bound, keyword, limit: &str| Line::Exclusive { bound, keyword, limit: limit.to_owned() };
    Some(match bound {
        Bound::Least => Line::bound(first, limit),
        Bound::Most => Line::bound(last, limit),
        Bound::Above if first == "minimum" => exclusive(first, "exclusiveMinimum", limit),
        Bound::Below if last == "maximum" => exclusive(last, "exclusiveMaximum", limit),
        Bound::Above => Line::bound(first, &limit.parse::<u64>().ok()?.checked_add(1)?.to_string()),
        Bound::Below => Line::bound(last, &limit.parse::<u64>().ok()?.checked_sub(1)?.to_string()),
    })
}

/// What a schema calls the bounds of the unit that a message counts in.
fn names(message: &str) -> (&'static str, &'static str) {
    let counts = |units: &[&str]| units.iter().any(|unit| message.contains(unit));
    match () {
        () if counts(&["character", "byte"]) => ("minLength", "maxLength"),
        () if counts(&[" item", " entries", " entry", " element"]) => ("minItems", "maxItems"),
        () => ("minimum", "maximum"),
    }
}

/// The regular expression that a message names, anchored as Kubernetes' helpers match.
fn pattern_in(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("regex used for validation is '").or_else(|| {
        let (before, rest) = message.split_once("match ")?;
        let rest = rest.strip_prefix("pattern ").or_else(|| rest.strip_prefix("the pattern ")).unwrap_or(rest);
        let quote = rest.chars().next().filter(|char| matches!(char, '\'' | '`' | '/' | '"'))?;
        (before.len() < message.len()).then_some(("", rest.strip_prefix(quote)?))
    })?;
    let quote = message.split_at_checked(message.len() - rest.len())?.0.chars().next_back()?;
    let end = rest.rfind(quote)?;
    let pattern = rest.get(..end).filter(|pattern| !pattern.is_empty())?;
    let (start, stop) = (pattern.starts_with('^'), pattern.ends_with('$'));
    Some(if start && stop { pattern.to_owned() } else { format!("^({pattern})$") })
}

/// The CEL rule, and where it belongs, of a message that compares a field with another one beside it.
fn comparison<'f>(field: &'f str, message: &str, fields: &BTreeSet<&str>) -> Option<(&'f str, String)> {
    let (parent, name) = parent_and_name(field)?;
    let (rest, bound) = BOUNDS.iter().find_map(|(before, bound)| {
        let (_, rest) = message.split_once(before)?;
        Some((rest, *bound))
    })?;
    let word = rest.split(' ').next()?.trim_matches(|char: char| !char.is_alphanumeric());
    let other = word.rsplit('.').next()?;
    let sibling = if parent.is_empty() { other.to_owned() } else { format!("{parent}.{other}") };
    if other == name || !fields.contains(sibling.as_str()) {
        return None;
    }
    let has = format!("!has(self.{name}) || !has(self.{other})");
    Some((parent, format!("{has} || self.{name} {} self.{other}", bound.operator())))
}

#[cfg(test)]
mod tests {
    use super::{Lacking, suggestion};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;
    use takeover_harness::error::ErrorType;
    use takeover_harness::judge::ObservedCheck;
    use takeover_harness::rule::{Boundary, Rule, RuleId, Sample};

    fn suggested(error_type: ErrorType, field: &str, messages: &[&str]) -> Option<String> {
        seen(error_type, field, messages, false, true, None)
    }

    fn seen(
        error_type: ErrorType,
        field: &str,
        messages: &[&str],
        only_changes: bool,
        where_unset: bool,
        rejected: Option<&Value>,
    ) -> Option<String> {
        let check = ObservedCheck { field: field.to_owned(), error_type: Some(error_type), message: String::new() };
        let messages = messages.iter().map(|message| (*message).to_owned()).collect();
        let fields = BTreeSet::from(["spec", "spec.min", "spec.max", "spec.list[*].from", "spec.list[*].to"]);
        suggestion(&Lacking {
            check: &check,
            messages: &messages,
            fields: &fields,
            only_changes,
            where_unset,
            where_empty: None,
            rejected,
            rules: &rules(),
        })
    }

    /// The rules of the schema at `spec.held` and its members.
    fn rules() -> Vec<Rule> {
        let rule = |path: &str, chain: &str| Rule::new(RuleId(0), path, chain);
        let mut modes = rule("spec.held.mode", "enum of \"On\", \"Off\"");
        modes.boundaries = vec![Boundary {
            class: "empty value".to_owned(),
            breaks: true,
            sample: Sample::Value("".into()),
            options: Vec::new(),
        }];
        vec![
            modes,
            rule("spec.held.name", "required"),
            rule("spec.held.name", "pattern=^(it's)$"),
            rule("spec.held.size", "maximum=1000"),
            rule("spec.held.size", "minimum=1"),
            rule("spec.held.count", "exclusiveMinimum=0"),
            rule("spec.held.size", "cel: self == oldSelf"),
        ]
    }

    /// How an optional field is kept as it is.
    const KEPT: &str = "`rule: has(self.a) == has(oldSelf.a) && (!has(self.a) || self.a == oldSelf.a)` on spec";

    #[test]
    fn a_reason_about_a_field_leads_to_a_line_of_the_schema() {
        let of = |field: &str, messages: &[&str], where_empty| {
            let check = ObservedCheck { field: field.to_owned(), error_type: None, message: String::new() };
            let messages = messages.iter().map(|message| (*message).to_owned()).collect();
            suggestion(&Lacking {
                check: &check,
                messages: &messages,
                fields: &BTreeSet::from(["spec", "spec.min", "spec.max"]),
                only_changes: false,
                where_unset: true,
                where_empty,
                rejected: None,
                rules: &[],
            })
        };
        for (message, line) in [
            ("must be at most 5", "`maximum: 5` on spec.max"),
            ("Invalid value: 7: must be at most 5", "`maximum: 5` on spec.max"),
            ("is required", "`required: [max]` on spec"),
            ("Required value", "`required: [max]` on spec"),
            ("must be Auto or Manual", "`enum: [\"Auto\", \"Manual\"]` on spec.max"),
            ("must be one of: 1, 2", "`enum: [1, 2]` on spec.max"),
            ("Unsupported value: \"x\": supported values: \"a\", \"b\"", "`enum: [\"a\", \"b\"]` on spec.max"),
        ] {
            assert_eq!(of("spec.max", &[message], None).as_deref(), Some(line), "{message}");
        }
        // The values at fault differ, what is said of them does not.
        let same = ["Invalid value: 7: must be at most 5", "Invalid value: 8: must be at most 5"];
        assert_eq!(of("spec.max", &same, None).as_deref(), Some("`maximum: 5` on spec.max"));
        assert_eq!(of("spec.max", &["must be at most 5", "must be at most 6"], None), None);
        assert_eq!(of("", &["max must be at most 5"], None), None);
        assert_eq!(of("", &["denied"], None), None);
        let both = of("spec.max", &["must be set"], Some("minLength"));
        assert_eq!(both.as_deref(), Some("`required: [max]` on spec and `minLength: 1` on spec.max"));
    }

    #[test]
    fn nothing_is_suggested_that_the_schema_says_already() {
        for (error_type, field, message, where_unset) in [
            (ErrorType::Required, "spec.held.name", "", true),
            (ErrorType::Required, "spec.held.mode", "", false),
            (ErrorType::NotSupported, "spec.held.mode", r#"supported values: "On", "Off""#, true),
            (ErrorType::Invalid, "spec.held.name", "must match 'it's'", true),
            (ErrorType::Invalid, "spec.held.size", "must be at most 1000", true),
            (ErrorType::Invalid, "spec.held.size", "must be between 1 and 1000", true),
            (ErrorType::Invalid, "spec.held.count", "must be greater than 0", true),
            (ErrorType::Invalid, "spec.held.size", "field is immutable", true),
        ] {
            assert_eq!(seen(error_type, field, &[message], false, where_unset, None), None, "{field} {message}");
        }
        for (error_type, field, message, line) in [
            (ErrorType::Required, "spec.held.size", "", "`required: [size]` on spec.held"),
            (ErrorType::Invalid, "spec.held.size", "must be at most 500", "`maximum: 500` on spec.held.size"),
            (
                ErrorType::NotSupported,
                "spec.held.mode",
                r#"supported values: "On""#,
                r#"`enum: ["On"]` on spec.held.mode"#,
            ),
        ] {
            assert_eq!(suggested(error_type, field, &[message]).as_deref(), Some(line), "{message}");
        }
    }

    #[test]
    fn messages_lead_to_a_line_of_the_schema() {
        for (error_type, field, message, line) in [
            (ErrorType::Invalid, "spec.a", "must be at most 1000", "`maximum: 1000` on spec.a"),
            (ErrorType::Invalid, "spec.a", "must be greater than or equal to -5", "`minimum: -5` on spec.a"),
            (ErrorType::Invalid, "spec.a", "must be greater than 0", "`minimum: 0, exclusiveMinimum: true` on spec.a"),
            (
                ErrorType::Invalid,
                "spec.a",
                "must be between 1 and 65535, inclusive",
                "`minimum: 1, maximum: 65535` on spec.a",
            ),
            (ErrorType::Invalid, "spec.a", "must be no more than 63 characters", "`maxLength: 63` on spec.a"),
            (ErrorType::Invalid, "spec.a", "must have at least 1 item", "`minItems: 1` on spec.a"),
            (ErrorType::TooLong, "spec.a", "may not be more than 64 characters", "`maxLength: 64` on spec.a"),
            (
                ErrorType::TooLong,
                "spec.a",
                "may not be more than 64 bytes",
                "`rule: bytes(self).size() <= 64` on spec.a",
            ),
            (ErrorType::TooMany, "spec.l", "must have at most 16 items", "`maxItems: 16` on spec.l"),
            (ErrorType::NotSupported, "spec.m", r#"supported values: "", "On""#, r#"`enum: ["", "On"]` on spec.m"#),
            (ErrorType::Required, "spec.l[*].name", "", "`required: [name]` on spec.l[*]"),
            (ErrorType::Required, "spec", "", "`required: [spec]` on the object"),
            (ErrorType::Invalid, "spec.a", "field is immutable", KEPT),
            (ErrorType::Forbidden, "spec.a", "may not be changed", KEPT),
            (ErrorType::Invalid, "spec.list[*]", "field is immutable", "`rule: self == oldSelf` on spec.list[*]"),
            (ErrorType::Invalid, "spec.held.name", "field is immutable", "`rule: self == oldSelf` on spec.held.name"),
            (
                ErrorType::Invalid,
                "spec.max",
                "must not be less than min",
                "`rule: !has(self.max) || !has(self.min) || self.max >= self.min` on spec",
            ),
            (
                ErrorType::Invalid,
                "spec.list[*].from",
                "must be less than `to`",
                "`rule: !has(self.from) || !has(self.to) || self.from < self.to` on spec.list[*]",
            ),
            (ErrorType::Invalid, "spec.a", "must match '[a-z]+'", "`pattern: '^([a-z]+)$'` on spec.a"),
            (
                ErrorType::Invalid,
                "spec.a",
                "a name (e.g. 'my', regex used for validation is '[a-z]([-a-z]*)?')",
                "`pattern: '^([a-z]([-a-z]*)?)$'` on spec.a",
            ),
        ] {
            assert_eq!(suggested(error_type, field, &[message]).as_deref(), Some(line), "{message}");
        }
    }

    #[test]
    fn what_was_seen_of_the_values_decides_where_the_message_does_not() {
        assert_eq!(
            seen(ErrorType::Required, "spec.a", &[], false, false, None).as_deref(),
            Some("`minLength: 1` on spec.a"),
            "an empty text is rejected, and an absent one was not seen to be"
        );
        let changed = seen(ErrorType::Forbidden, "spec.a", &[], true, false, None);
        assert_eq!(changed.as_deref(), Some(KEPT));
    }

    #[test]
    fn no_line_is_suggested_that_accepts_what_the_check_rejects() {
        for (message, rejected, kept) in [
            ("must be at most 100", json!(100), json!(101)),
            ("must be between 1 and 65535", json!(65_535), json!(0)),
            ("must be less than 5", json!(4), json!(5)),
            ("may not be more than 3 characters", json!("äö"), json!("abcd")),
        ] {
            let of = |value| seen(ErrorType::Invalid, "spec.a", &[message], false, true, Some(value));
            assert_eq!(of(&rejected), None, "{message}");
            assert!(of(&kept).is_some(), "{message}");
        }
    }

    #[test]
    fn nothing_is_said_where_nothing_can_be_derived() {
        for (error_type, messages) in [
            (ErrorType::Invalid, &["must be at most 5", "must be at most 6"][..]),
            (ErrorType::Invalid, &["must be at most 10m"]),
            (ErrorType::Invalid, &["must be at most 1,000"]),
            (ErrorType::Invalid, &["must be at least other"]),
            (ErrorType::Invalid, &["must be a time zone such as Europe/Berlin"]),
            (ErrorType::Invalid, &["must match the owner"]),
            (ErrorType::Invalid, &["must be at most 5 when mode is Auto"]),
            (ErrorType::Required, &["must be set when type is Pods"]),
            (ErrorType::NotSupported, &["no list"]),
            (ErrorType::Duplicate, &[]),
            (ErrorType::Invalid, &[]),
        ] {
            assert_eq!(suggested(error_type, "spec.a", messages), None, "{messages:?}");
        }
        assert_eq!(suggested(ErrorType::Required, "spec.l[*]", &[]), None);
        assert_eq!(suggested(ErrorType::Invalid, "spec.min", &["must be at least min"]), None, "itself");
    }
}
