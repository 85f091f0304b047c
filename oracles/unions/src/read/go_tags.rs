//! The tags of unions.

use takeover_declarative::grammar::{self, Literal, Payload, Tag};
use takeover_declarative::idl::TagLine;

/// The union tags of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldTags {
    /// `+unionDiscriminator`.
    pub(super) is_discriminator: bool,
    /// `+k8s:unionDiscriminator`, with the name of its union.
    pub(super) discriminates: Option<String>,
    /// `+unionMember`: the value that selects it, if it is named, and whether it may be left out even then.
    pub(super) member: Option<(Option<String>, bool)>,
    /// `+unionDiscriminatedBy`: the Go name of the discriminator.
    pub(super) discriminated_by: Option<String>,
    /// `+k8s:unionMember` or `+k8s:zeroOrOneOfMember`.
    pub(super) validated: Option<Validated>,
    /// `+oneOf` or `+zeroOrOneOf`: the name of the group, and whether it may be empty.
    pub(super) group: Option<(String, bool)>,
    /// `+k8s:ifMode` or `+k8s:member`: the one value of a discriminator for which it may be set, and whether it may be left out then.
    pub(super) mode: Option<(String, bool)>,
    /// `+optional` or `+k8s:optional`.
    pub(super) optional: bool,
    /// Union tags that cannot be parsed, with the reason.
    pub(super) unreadable: Vec<String>,
}

/// `+k8s:unionMember` and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Validated {
    /// The name of the union.
    pub(super) union: String,
    /// The value that selects it, if it is named.
    pub(super) value: Option<String>,
    /// Whether it is valid to set no member.
    pub(super) may_be_empty: bool,
}

/// The validation tags of unions.
const OF_UNIONS: [&str; 3] = ["k8s:unionMember", "k8s:zeroOrOneOfMember", "k8s:unionDiscriminator"];

/// Whether a type is tagged with `+union`.
pub(super) fn is_union(lines: &[TagLine]) -> bool {
    lines.iter().any(|line| line.text.split('=').next() == Some("union"))
}

/// The tags of a field.
pub(super) fn of_field(lines: &[TagLine]) -> FieldTags {
    let mut tags = FieldTags::default();
    let mut modes: Vec<(String, bool)> = Vec::new();
    for line in lines {
        let text = &*line.text;
        let (name, rest) = text.split_once('=').map_or((text, ""), |(name, rest)| (name, rest));
        match name.split(',').next().unwrap_or_default() {
            "unionDiscriminator" => tags.is_discriminator = true,
            "unionMember" => tags.member = Some(kep_member(text)),
            "unionDiscriminatedBy" => tags.discriminated_by = Some(rest.to_owned()),
            "oneOf" => tags.group = Some((rest.to_owned(), false)),
            "zeroOrOneOf" => tags.group = Some((rest.to_owned(), true)),
            "optional" => tags.optional = true,
            _ => {}
        }
        let tag = match grammar::parse(text) {
            Ok(tag) => tag,
            Err(error) => {
                // Lines that are not validation tags do not follow their grammar.
                if OF_UNIONS.iter().any(|name| text.contains(name)) {
                    tags.unreadable.push(format!("`+{text}`: {error}"));
                }
                continue;
            }
        };
        // Tags chained below `item` apply to an item of the list, not to the field.
        for tag in tag.chain().take_while(|tag| &*tag.name != "k8s:item") {
            of_validation(tag, &mut tags, &mut modes);
        }
    }
    let [(value, optional)] = modes.as_slice() else { return tags };
    tags.mode = Some((value.clone(), *optional));
    tags
}

fn of_validation(tag: &Tag, tags: &mut FieldTags, modes: &mut Vec<(String, bool)>) {
    let named = |name| tag.named(name).map(|value| value.as_text().to_owned());
    let union = || named("union").unwrap_or_default();
    match &*tag.name {
        "k8s:unionDiscriminator" => tags.discriminates = Some(union()),
        "k8s:unionMember" | "k8s:zeroOrOneOfMember" => {
            let may_be_empty = &*tag.name == "k8s:zeroOrOneOfMember";
            tags.validated = Some(Validated { union: union(), value: named("memberName"), may_be_empty });
        }
        "k8s:optional" => tags.optional = true,
        "k8s:ifMode" | "k8s:member" => {
            let value = tag.positional().map(Literal::as_text).map(str::to_owned).or_else(|| named("mode"));
            if let (Some(value), Payload::Tag(rule)) = (value, &tag.value) {
                match &*rule.name {
                    "k8s:required" => modes.push((value, false)),
                    "k8s:optional" => modes.push((value, true)),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Whether a line applies to an item of a list.
pub(super) fn is_of_item(line: &TagLine) -> bool {
    let Ok(tag) = grammar::parse(&line.text) else { return false };
    let mut names = tag.chain().map(|tag| &*tag.name);
    names.by_ref().any(|name| name == "k8s:item")
        && names.any(|name| matches!(name, "k8s:unionMember" | "k8s:zeroOrOneOfMember"))
}

/// `unionMember[=NAME][,optional]`.
fn kep_member(text: &str) -> (Option<String>, bool) {
    let text = text.strip_prefix("unionMember").unwrap_or(text);
    let (name, optional) = text.strip_suffix(",optional").map_or((text, false), |name| (name, true));
    let name = name.strip_prefix('=').filter(|name| !name.is_empty());
    (name.map(|name| name.trim_matches('"').to_owned()), optional)
}

#[cfg(test)]
mod tests {
    use super::{kep_member, of_field};
    use std::sync::Arc;
    use takeover_declarative::idl::{Position, TagLine};

    fn tags(lines: &[&str]) -> super::FieldTags {
        let line = |text: &&str| TagLine {
            text: Arc::from(*text),
            position: Position { file: Arc::from("a.go"), line: 1, column: 1 },
        };
        of_field(&lines.iter().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn members_may_have_a_name_be_optional_or_both() {
        for (text, name, optional) in [
            ("unionMember", None, false),
            ("unionMember=ALPHA", Some("ALPHA"), false),
            ("unionMember,optional", None, true),
            ("unionMember=BETA,optional", Some("BETA"), true),
        ] {
            assert_eq!(kep_member(text), (name.map(str::to_owned), optional), "{text}");
        }
    }

    #[test]
    fn tags_of_validation_are_read_below_those_that_wrap_them() {
        let of = tags(&["k8s:alpha(since: \"1.36\")=+k8s:unionMember(union: \"u\", memberName: \"M\")", "optional"]);
        let validated = of.validated.unwrap();
        assert_eq!(
            (validated.union.as_str(), validated.value.as_deref(), validated.may_be_empty),
            ("u", Some("M"), false)
        );
        assert!(of.optional);
        let of = tags(&["k8s:member(\"Exempt\")=+k8s:optional", "k8s:member(\"Limited\")=+k8s:forbidden"]);
        assert_eq!(of.mode, Some(("Exempt".to_owned(), true)));
        assert_eq!(tags(&["zeroOrOneOf=Kind"]).group, Some(("Kind".to_owned(), true)));
    }
}
