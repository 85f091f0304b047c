//! Suggests the line of a CRD that would replace a check, from what the check was seen to report and what the reference was seen to accept.

mod line;
mod words;

use self::line::Line;
use self::words::{allowed, bound, compared, first_number, is_immutable, pattern_in};
use serde_json::Value;
use std::collections::BTreeSet;
use takeover_harness::compare::Reason;
use takeover_harness::error::ErrorType;
use takeover_harness::evidence::AcceptedValues;
use takeover_harness::judge::ObservedCheck;
use takeover_harness::property_names::escape;
use takeover_harness::rule::{Rule, Sample};

/// What values a field has, as far as lines of a schema tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Number,
    Text,
    List,
    /// A map or an object.
    Members,
    /// Anything else: a truth, a number or a text.
    Other,
}

/// A check that the schema of a CRD lacks or has in another form.
#[derive(Clone, Copy)]
pub(super) struct Lacking<'c> {
    /// The check.
    pub check: &'c ObservedCheck,
    /// The messages of its errors, with values; several if the message varies.
    pub messages: &'c BTreeSet<String>,
    /// Patterns of the fields that objects set.
    pub fields: &'c BTreeSet<&'c str>,
    /// What the values of a field are.
    pub holds: &'c dyn Fn(&str) -> Holds,
    /// What the reference accepts of a field.
    pub accepted: &'c dyn Fn(&str) -> AcceptedValues,
    /// Whether it was seen on updates that change the value, and nowhere else.
    pub only_changes: bool,
    /// Whether it was seen where the value is not set.
    pub where_unset: bool,
    /// Whether it was seen where the value is empty.
    pub where_empty: bool,
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
        if let Line::Comparison { compares, .. } = line {
            return at_place().any(|rule| squeezed(&rule.chain).contains(&squeezed(compares)));
        }
        let has = |chain: String| at_place().any(|rule| rule.chain == chain);
        line.chains().into_iter().all(has) || (*line == Line::not_empty() && at_place().any(refuses_empty))
    }

    fn is_required(&self, field: &str) -> bool {
        parent_and_name(field).is_some_and(|(_, name)| self.is_held(&Line::Required(name.to_owned()), field))
    }

    /// The line on a place, unless the schema has it, or it would accept what the check rejects, or reject what the reference accepts.
    fn on(&self, line: Line, place: &str) -> Option<String> {
        // `required` stands at the object and is a rule of the member.
        let judged = match &line {
            Line::Required(name) if place.is_empty() => name.clone(),
            Line::Required(name) => format!("{place}.{name}"),
            _ => place.to_owned(),
        };
        let is_wrong =
            self.rejected.is_some_and(|value| line.accepts(value)) || line.rejects_accepted(&(self.accepted)(&judged));
        if is_wrong || self.is_held(&line, &judged) {
            return None;
        }
        let place = if place.is_empty() { "the object" } else { place };
        Some(format!("`{line}` on {place}"))
    }

    fn immutable(&self, field: &str) -> Option<String> {
        let same = Line::Rule("self == oldSelf".to_owned());
        let AcceptedValues { added, removed, changed, .. } = (self.accepted)(field);
        if changed {
            return None;
        }
        let Some((parent, name)) = parent_and_name(field) else { return self.on(same, field) };
        // A transition rule of a member does not run where the member is added or removed.
        if self.is_required(field) || (added && removed) {
            return self.on(same, field);
        }
        let name = escape(name)?;
        let rule = match (added, removed) {
            (true, _) => format!("!has(oldSelf.{name}) || (has(self.{name}) && self.{name} == oldSelf.{name})"),
            (_, true) => format!("!has(self.{name}) || (has(oldSelf.{name}) && self.{name} == oldSelf.{name})"),
            (false, false) => format!(
                "has(self.{name}) == has(oldSelf.{name}) && (!has(self.{name}) || self.{name} == oldSelf.{name})"
            ),
        };
        self.on(Line::Rule(rule), parent)
    }

    fn required(&self, field: &str) -> Option<String> {
        let least = match (self.holds)(field) {
            Holds::Text => Some("minLength"),
            Holds::List => Some("minItems"),
            Holds::Members => Some("minProperties"),
            Holds::Number | Holds::Other => None,
        };
        let empty = least.filter(|_| self.where_empty).map(|keyword| Line::bound(keyword, "1"));
        // A value that is there and empty is another thing than one that is not there.
        let mut absent = field;
        while self.is_required(absent)
            && let Some((parent, _)) = parent_and_name(absent)
        {
            absent = parent;
        }
        let required = parent_and_name(absent)
            .filter(|_| self.where_unset)
            .and_then(|(parent, name)| self.on(Line::Required(name.to_owned()), parent));
        let filled = match empty {
            Some(line) => self.on(line, field),
            None if !self.where_unset && (self.holds)(field) == Holds::Text => self.on(Line::not_empty(), field),
            None => None,
        };
        match (required, filled) {
            (Some(required), Some(filled)) => Some(format!("{required} and {filled}")),
            (one, other) => one.or(other),
        }
    }

    /// Values that a message lists; where nothing but its words says that they are values, some have to be accepted.
    fn listed(&self, message: &str, field: &str) -> Option<String> {
        let seen = (self.accepted)(field);
        let is_seen = !seen.texts.is_empty() || !seen.some_numbers.is_empty();
        let is_told = self.check.error_type == Some(ErrorType::NotSupported);
        let holds = (self.holds)(field);
        let fits = matches!(holds, Holds::Text | Holds::Number) && (is_seen || is_told);
        self.on(Line::Enum(allowed(message, holds).filter(|_| fits)?), field)
    }

    fn comparison(&self, message: &str, field: &str) -> Option<String> {
        let (other, bound) = compared(message, field, self.fields)?;
        // Texts and quantities are compared by what they say, which no operator does.
        if [field, other].into_iter().any(|field| (self.holds)(field) != Holds::Number) {
            return None;
        }
        let (ours, others): (Vec<&str>, Vec<&str>) = (field.split('.').collect(), other.split('.').collect());
        let around = ours.iter().zip(&others).take_while(|(one, other)| one == other).count();
        let around = around.min(ours.len() - 1).min(others.len() - 1);
        let place = ours.get(..around)?.join(".");
        let below = |path: &[&str]| -> Option<Vec<String>> {
            let mut selects = vec!["self".to_owned()];
            for name in path.get(around..)? {
                let select = format!("{}.{}", selects.last()?, escape(name)?);
                selects.push(select);
            }
            Some(selects.split_off(1))
        };
        let (ours, others) = (below(&ours)?, below(&others)?);
        let guards: Vec<String> = ours.iter().chain(&others).map(|select| format!("!has({select})")).collect();
        let compares = format!("{} {} {}", ours.last()?, bound.operator(), others.last()?);
        // A value with a meaning of its own, such as 0 for "unlimited", is accepted in any order.
        let (_, name) = parent_and_name(other)?;
        let is_beside =
            parent_and_name(field).map(|(parent, _)| parent) == parent_and_name(other).map(|(parent, _)| parent);
        let seen = (self.accepted)(field).beside.remove(name).filter(|_| is_beside).unwrap_or_default();
        if seen.iter().any(|sign| !bound.keeps(*sign)) {
            return None;
        }
        self.on(Line::Comparison { guards: guards.join(" || "), compares }, &place)
    }
}

/// A rule without spaces.
fn squeezed(rule: &str) -> String {
    rule.chars().filter(|char| !char.is_whitespace()).collect()
}

/// The line of a schema, or the CEL rule, that would check the same: `` `maximum: 1000` on spec.maxReplicas ``; two where it takes two.
/// `None` if the observations do not determine one, or the schema already has it.
pub(super) fn suggestion(of: &Lacking<'_>) -> Option<String> {
    let field = of.check.field.as_str();
    // What an error says by its type, a reason says in words.
    let told: BTreeSet<(ErrorType, &str)> = of.messages.iter().map(|said| told(of.check, said)).collect();
    let mut types = told.iter().map(|(error_type, _)| *error_type);
    let error_type = types.next().or(of.check.error_type)?;
    // A check whose messages vary depends on more than the value; a reason without a field may be about anything.
    let is_about_field = !field.is_empty() && of.fields.contains(field);
    if told.len() > 1 || (of.check.error_type.is_none() && !is_about_field) {
        return None;
    }
    let message = told.first().map_or("", |(_, message)| message);
    // A schema says nothing of metadata but names, and an error of the whole object does not tell which value it is about.
    if field.starts_with("metadata.") && !["metadata.name", "metadata.generateName"].contains(&field) {
        return None;
    }
    if field.is_empty() {
        return of.comparison(message, field).filter(|_| error_type == ErrorType::Invalid);
    }
    let forbids = matches!(error_type, ErrorType::Invalid | ErrorType::Forbidden);
    if forbids && (is_immutable(message) || (of.only_changes && message.is_empty())) {
        return of.immutable(field);
    }
    if [" when ", " if ", " unless ", " while "].iter().any(|word| message.contains(word)) {
        return None;
    }
    let holds = (of.holds)(field);
    match error_type {
        // `is required for type Disk`
        ErrorType::Required if message.contains(" for ") || message.contains(" in ") => None,
        ErrorType::Required => of.required(field),
        ErrorType::NotSupported => of.listed(message, field),
        ErrorType::TooMany => {
            let keyword = if holds == Holds::Members { "maxProperties" } else { "maxItems" };
            of.on(Line::bound(keyword, first_number(message)?), field)
        }
        ErrorType::TooLong if message.contains("byte") => {
            of.on(Line::Bytes { operator: "<=", limit: first_number(message)?.to_owned() }, field)
        }
        ErrorType::TooLong => of.on(Line::bound("maxLength", first_number(message)?), field),
        ErrorType::Invalid => {
            if let Some(pattern) = pattern_in(message) {
                return of.on(Line::Pattern(pattern), field).filter(|_| holds == Holds::Text);
            }
            if let Some(line) = bound(message, holds) {
                return of.on(line, field);
            }
            of.comparison(message, field).or_else(|| of.listed(message, field))
        }
        _ => None,
    }
}

/// The type of the error that a check reports, and what it explains; of a reason, as far as its words tell.
fn told<'s>(check: &ObservedCheck, said: &'s str) -> (ErrorType, &'s str) {
    check.error_type.map_or_else(|| Reason::typed(said), |error_type| (error_type, said))
}

/// The field around a member, and the name of the member; `None` for items, entries and the object itself.
fn parent_and_name(field: &str) -> Option<(&str, &str)> {
    let (parent, name) = field.rsplit_once('.').unwrap_or(("", field));
    (!name.is_empty() && !name.contains('[')).then_some((parent, name))
}

#[cfg(test)]
mod tests {
    use super::{Holds, Lacking, suggestion};
    use serde_json::{Value, json};
    use std::collections::BTreeSet;
    use takeover_harness::error::ErrorType;
    use takeover_harness::evidence::AcceptedValues;
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
        lacking(&check, messages, &|_| AcceptedValues::default(), |lacking| {
            suggestion(&Lacking { only_changes, where_unset, rejected, ..lacking })
        })
    }

    const FIELDS: [&str; 17] = [
        "spec",
        "spec.a",
        "spec.min",
        "spec.max",
        "spec.mode",
        "spec.t",
        "spec.l",
        "spec.labels",
        "spec.list[*].from",
        "spec.list[*].to",
        "spec.low",
        "spec.limits.high",
        "spec.min-size",
        "spec.max-size",
        "spec.namespace",
        "spec.any",
        "spec.sub",
    ];

    fn lacking<T>(
        check: &ObservedCheck,
        messages: &[&str],
        accepted: &dyn Fn(&str) -> AcceptedValues,
        ask: impl FnOnce(Lacking<'_>) -> T,
    ) -> T {
        let messages = messages.iter().map(|message| (*message).to_owned()).collect();
        let holds = |field: &str| match field {
            "spec.mode" | "spec.t" | "spec.m" | "spec.held.mode" | "spec.held.name" => Holds::Text,
            "spec.l" => Holds::List,
            "spec" | "spec.labels" | "spec.sub" => Holds::Members,
            "spec.any" => Holds::Other,
            _ => Holds::Number,
        };
        ask(Lacking {
            check,
            messages: &messages,
            fields: &BTreeSet::from(FIELDS),
            holds: &holds,
            accepted,
            only_changes: false,
            where_unset: true,
            where_empty: false,
            rejected: None,
            rules: &rules(),
        })
    }

    /// What is suggested for an error where the reference was seen to accept these values of the field.
    fn beside(error_type: ErrorType, field: &str, message: &str, accepted: &Value) -> Option<String> {
        let check = ObservedCheck { field: field.to_owned(), error_type: Some(error_type), message: String::new() };
        let values: AcceptedValues = serde_json::from_value(accepted.clone()).unwrap();
        let accepted = |place: &str| if place == field { values.clone() } else { AcceptedValues::default() };
        lacking(&check, &[message], &accepted, |lacking| suggestion(&Lacking { where_empty: true, ..lacking }))
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
        let values = AcceptedValues { texts: BTreeSet::from(["Auto".to_owned()]), ..AcceptedValues::default() };
        let accepted = |field: &str| if field == "spec.mode" { values.clone() } else { AcceptedValues::default() };
        let of = |field: &str, messages: &[&str], where_empty| {
            let check = ObservedCheck { field: field.to_owned(), error_type: None, message: String::new() };
            lacking(&check, messages, &accepted, |lacking| suggestion(&Lacking { where_empty, ..lacking }))
        };
        for (message, line) in [
            ("must be at most 5", "`maximum: 5` on spec.max"),
            ("Invalid value: 7: must be at most 5", "`maximum: 5` on spec.max"),
            ("is required", "`required: [max]` on spec"),
            ("Required value", "`required: [max]` on spec"),
        ] {
            assert_eq!(of("spec.max", &[message], false).as_deref(), Some(line), "{message}");
        }
        for (message, line) in [
            ("must be Auto or Manual", Some("`enum: [\"Auto\", \"Manual\"]` on spec.mode")),
            ("must be one of: Auto, Off", Some("`enum: [\"Auto\", \"Off\"]` on spec.mode")),
            ("must be one of: On, Off", None),
        ] {
            assert_eq!(of("spec.mode", &[message], false).as_deref(), line, "{message}");
        }
        // The values at fault differ, what is said of them does not.
        let same = ["Invalid value: 7: must be at most 5", "Invalid value: 8: must be at most 5"];
        assert_eq!(of("spec.max", &same, false).as_deref(), Some("`maximum: 5` on spec.max"));
        assert_eq!(of("spec.max", &["must be at most 5", "must be at most 6"], false), None);
        assert_eq!(of("", &["max must be at most 5"], false), None);
        assert_eq!(of("", &["denied"], false), None);
        let both = of("spec.t", &["must be set"], true);
        assert_eq!(both.as_deref(), Some("`required: [t]` on spec and `minLength: 1` on spec.t"));
    }

    #[test]
    fn nothing_is_suggested_that_the_schema_says_already() {
        for (error_type, field, message, where_unset) in [
            (ErrorType::Required, "spec.held.mode", "", false),
            (ErrorType::NotSupported, "spec.held.mode", r#"supported values: "On", "Off""#, true),
            (ErrorType::Invalid, "spec.held.name", "must match 'it's'", true),
            (ErrorType::Invalid, "spec.held.size", "must be at most 1000", true),
            (ErrorType::Invalid, "spec.held.size", "must be between 1 and 1000", true),
            (ErrorType::Invalid, "spec.held.count", "must be greater than 0", true),
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
            (ErrorType::Invalid, "spec.a", "must be non-negative", "`minimum: 0` on spec.a"),
            (ErrorType::Invalid, "spec.a", "must be positive", "`minimum: 0, exclusiveMinimum: true` on spec.a"),
            (ErrorType::Invalid, "spec.a", "must be in 1..7", "`minimum: 1, maximum: 7` on spec.a"),
            (ErrorType::Invalid, "spec.a", "must be in the range 1-7", "`minimum: 1, maximum: 7` on spec.a"),
            (ErrorType::Invalid, "spec.l", "must contain at least one entry", "`minItems: 1` on spec.l"),
            (ErrorType::Invalid, "spec.t", "must match the regex [a-z]{2,5}", "`pattern: '^([a-z]{2,5})$'` on spec.t"),
            (ErrorType::Invalid, "spec.a", "must be greater than 0", "`minimum: 0, exclusiveMinimum: true` on spec.a"),
            (
                ErrorType::Invalid,
                "spec.a",
                "must be between 1 and 65535, inclusive",
                "`minimum: 1, maximum: 65535` on spec.a",
            ),
            (ErrorType::Invalid, "spec.t", "must be no more than 63 characters", "`maxLength: 63` on spec.t"),
            (ErrorType::Invalid, "spec.t", "must be at most 12 bytes", "`rule: bytes(self).size() <= 12` on spec.t"),
            (ErrorType::Invalid, "spec.labels", "must have at most 3 entries", "`maxProperties: 3` on spec.labels"),
            (ErrorType::Invalid, "spec.l", "must have at least 1 item", "`minItems: 1` on spec.l"),
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
            (ErrorType::Invalid, "spec.t", "must match '[a-z]+'", "`pattern: '^([a-z]+)$'` on spec.t"),
            (ErrorType::Invalid, "spec.t", "must match ^[a-z]{3}$", "`pattern: '^[a-z]{3}$'` on spec.t"),
            (
                ErrorType::Invalid,
                "spec.low",
                "must be at most spec.limits.high",
                "`rule: !has(self.low) || !has(self.limits) || !has(self.limits.high) || self.low <= self.limits.high` on spec",
            ),
            (
                ErrorType::Invalid,
                "spec.min-size",
                "must be at most spec.max-size",
                "`rule: !has(self.min__dash__size) || !has(self.max__dash__size) || \
                 self.min__dash__size <= self.max__dash__size` on spec",
            ),
            (
                ErrorType::Invalid,
                "spec.namespace",
                "must be at most spec.max",
                "`rule: !has(self.__namespace__) || !has(self.max) || self.__namespace__ <= self.max` on spec",
            ),
            (
                ErrorType::Invalid,
                "spec.t",
                "a name (e.g. 'my', regex used for validation is '[a-z]([-a-z]*)?')",
                "`pattern: '^([a-z]([-a-z]*)?)$'` on spec.t",
            ),
        ] {
            assert_eq!(suggested(error_type, field, &[message]).as_deref(), Some(line), "{message}");
        }
    }

    #[test]
    fn what_was_seen_of_the_values_decides_where_the_message_does_not() {
        assert_eq!(
            seen(ErrorType::Required, "spec.t", &[], false, false, None).as_deref(),
            Some("`minLength: 1` on spec.t"),
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
            let field = if rejected.is_string() { "spec.t" } else { "spec.a" };
            let of = |value| seen(ErrorType::Invalid, field, &[message], false, true, Some(value));
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

    #[test]
    fn no_line_is_suggested_that_rejects_what_the_reference_accepts() {
        for (error_type, field, message, accepted, line) in [
            (ErrorType::Invalid, "spec.a", "must be 0 or at least 3", json!({"numbers": [0, 9]}), None),
            (ErrorType::Invalid, "spec.a", "must be at least 3", json!({"numbers": [3, 9]}), Some("`minimum: 3`")),
            (ErrorType::Invalid, "spec.a", "must be at most 3 in mode Auto", json!({"numbers": [0, 9]}), None),
            (
                ErrorType::Invalid,
                "spec.a",
                "must be one of 1, 2",
                json!({"someNumbers": ["2"]}),
                Some("`enum: [1, 2]`"),
            ),
            (ErrorType::Invalid, "spec.a", "must be one of 1, 2", json!({"someNumbers": ["2", "3"]}), None),
            (ErrorType::Invalid, "spec.t", "must be IPv4 or IPv6", json!({"texts": ["10.0.0.1"]}), None),
            (ErrorType::Invalid, "spec.t", "must be IPv4 or IPv6", json!({}), None),
            (ErrorType::Invalid, "spec.t", "must be a or b", json!({"texts": ["a"]}), Some("`enum: [\"a\", \"b\"]`")),
            (ErrorType::Invalid, "spec.t", "must be at least 5 minutes", json!({"texts": ["5m"]}), None),
            (ErrorType::Invalid, "spec.t", "must match '[a-z]+'", json!({"texts": ["a", "B"]}), None),
            (ErrorType::Invalid, "spec.t", "must be at most 12 bytes", json!({"bytes": 13}), None),
            (ErrorType::Invalid, "spec.t", "must have at most 9 characters", json!({"sizes": [0, 10]}), None),
            (ErrorType::Invalid, "spec.labels", "must have at most 3 entries", json!({"sizes": [0, 4]}), None),
            (
                ErrorType::Required,
                "spec.sub",
                "exactly one of a, b must be set",
                json!({"unset": true, "sizes": [0, 1]}),
                None,
            ),
            (ErrorType::Required, "spec.l", "", json!({"unset": true, "sizes": [1, 3]}), Some("`minItems: 1`")),
            (ErrorType::Invalid, "spec.any", "must be at most 5", json!({}), None),
            (ErrorType::Invalid, "spec.t", "must be at most spec.mode", json!({}), None),
            (ErrorType::Invalid, "spec.min", "must be at most max", json!({"beside": {"max": ["<", ">"]}}), None),
            (
                ErrorType::Invalid,
                "spec.min",
                "must be at most max",
                json!({"beside": {"max": ["<", "="], "a": [">"]}}),
                Some("`rule: !has(self.min) || !has(self.max) || self.min <= self.max`"),
            ),
            (ErrorType::Forbidden, "spec.a", "may not be changed", json!({"changed": true}), None),
            (
                ErrorType::Forbidden,
                "spec.a",
                "may not be changed once set",
                json!({"added": true}),
                Some("`rule: !has(oldSelf.a) || (has(self.a) && self.a == oldSelf.a)`"),
            ),
            (
                ErrorType::Invalid,
                "spec.a",
                "field is immutable",
                json!({"added": true, "removed": true}),
                Some("`rule: self == oldSelf`"),
            ),
        ] {
            let suggested = beside(error_type, field, message, &accepted);
            let is_as_expected = line.map_or(suggested.is_none(), |line| {
                suggested.as_deref().is_some_and(|suggested| suggested.starts_with(line))
            });
            assert!(is_as_expected, "{message} with {accepted}: {suggested:?}");
        }
    }

    #[test]
    fn what_the_schema_says_of_the_value_alone_is_not_enough_where_it_comes_and_goes() {
        let held = seen(ErrorType::Invalid, "spec.held.size", &["field is immutable"], false, true, None);
        assert_eq!(
            held.as_deref(),
            Some(
                "`rule: has(self.size) == has(oldSelf.size) && (!has(self.size) || self.size == oldSelf.size)` on spec.held"
            )
        );
        let inside = seen(ErrorType::Required, "spec.held.name", &[""], false, true, None);
        assert_eq!(inside.as_deref(), Some("`required: [held]` on spec"), "the object around may be absent");
    }
}
