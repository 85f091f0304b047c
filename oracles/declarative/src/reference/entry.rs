//! The reference as data. Its JSON form is for machines: fields are only ever added within a format version.

use super::grammar::{go, syntax};
use crate::idl::{Loader, Memory};
use crate::tags::{MARKERS, PREFIX, Standing, TagDef, all};
use crate::{CompileSettings, Declarative, Diagnostic};
use serde::Serialize;
use serde_json::Value;
use takeover_harness::rule::{Rule, Sample};

/// Import path of the package that examples stand in.
const PACKAGE: &str = "example.com/api/v1";

/// Everything that is registered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// Version of the form.
    pub format_version: u32,
    /// What every name starts with.
    pub prefix: &'static str,
    /// The tags, by family.
    pub tags: Vec<Entry>,
    /// Names with the prefix that are no tags.
    pub markers: Vec<MarkerEntry>,
}

/// One tag.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Name without prefix.
    pub name: &'static str,
    /// Whether it is a tag of the newest Kubernetes.
    pub status: Status,
    /// For an older name, the name of today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<&'static str>,
    /// How settled its meaning is: `alpha`, `beta` or `stable`.
    pub stability: String,
    /// How it is written.
    pub syntax: String,
    /// Where it can stand.
    pub scopes: Vec<String>,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Whether arguments of any name are taken.
    pub any_arguments: bool,
    /// Type of its value: `none`, `string`, `int`, `string, int or bool`, or `tag`.
    pub payload: String,
    /// Whether the value must be there.
    pub payload_required: bool,
    /// One sentence.
    pub summary: &'static str,
    /// What exactly it does.
    pub semantics: &'static str,
    /// The errors it makes, each as `Type origin: detail`.
    pub errors: &'static [&'static str],
    /// A tag line.
    pub example: &'static str,
    /// The tag line in Go code.
    pub go: String,
    /// The classes of values that the rule of the example tells apart; empty for tags that judge no single value.
    pub boundaries: Vec<Class>,
    /// The faults that are registered for the controls, as the example has them, beside those that every rule can have.
    pub mutants: Vec<MutantEntry>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_mutants: Option<&'static str>,
}

/// Whether a tag is one of the newest Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is.
    Current,
    /// A name of Kubernetes 1.33 to 1.36.
    Older,
    /// KEP-5073 describes it, no release generates code for it.
    Proposed,
}

/// An argument of a tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Argument {
    /// Name; none for the positional argument.
    pub name: Option<&'static str>,
    /// Type: `string`, `int` or `bool`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it must be there.
    pub required: bool,
    /// What it says.
    pub doc: &'static str,
}

/// A fault that a rule can have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MutantEntry {
    /// Name: `bound one higher`.
    pub name: String,
    /// Why nothing shows it in the example, if nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalent: Option<&'static str>,
}

/// A class of values that a rule tells apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Class {
    /// Name: `below`, `on`, `unset`, …
    pub class: String,
    /// Whether a value of the class breaks the rule.
    pub breaks: bool,
    /// A value of the class; absent when the field is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// A name with the prefix that is no tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkerEntry {
    /// Name without prefix.
    pub name: &'static str,
    /// How it is written.
    pub form: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// Whether anything is read from it here.
    pub read: bool,
}

impl Reference {
    /// The reference of everything that is registered.
    #[must_use]
    pub fn new() -> Self {
        Self {
            format_version: 1,
            prefix: PREFIX,
            tags: all().map(Entry::of).collect(),
            markers: MARKERS
                .iter()
                .map(|marker| MarkerEntry {
                    name: marker.name,
                    form: marker.form,
                    summary: marker.summary,
                    read: marker.read,
                })
                .collect(),
        }
    }
}

impl Default for Reference {
    fn default() -> Self {
        Self::new()
    }
}

impl Entry {
    fn of(def: &TagDef) -> Self {
        let (status, replaced_by) = match def.standing {
            Standing::Current => (Status::Current, None),
            Standing::Older(today) => (Status::Older, Some(today)),
            Standing::Proposed => (Status::Proposed, None),
        };
        Self {
            name: def.name,
            status,
            replaced_by,
            stability: def.stability.to_string(),
            syntax: syntax(def),
            scopes: def.places.iter().map(ToString::to_string).collect(),
            arguments: def
                .args
                .iter()
                .map(|arg| Argument {
                    name: arg.name,
                    kind: arg.kind.to_string(),
                    required: arg.required,
                    doc: arg.doc,
                })
                .collect(),
            any_arguments: def.any_args,
            payload: def.payload.to_string(),
            payload_required: def.payload.is_required(),
            summary: def.summary,
            semantics: def.semantics,
            errors: def.errors,
            example: def.example,
            go: go(def),
            boundaries: boundaries(def),
            mutants: mutants(def),
            no_mutants: def.no_mutants,
        }
    }
}

/// The rules of the example; the complaints when it does not compile, as that of a tag which always complains.
fn compiled(def: &TagDef) -> Result<Declarative, Vec<Diagnostic>> {
    let source = format!("package v1\n\n{}\n", go(def));
    let loaded = Loader::new().with(Memory::new().file(PACKAGE, "types.go", &source)).load([PACKAGE]);
    if let Some(fault) = loaded.diagnostics.first() {
        return Err(vec![Diagnostic { position: fault.position().cloned(), message: fault.message().to_owned() }]);
    }
    Declarative::compile(&loaded.idl, &format!("{PACKAGE}.Example"), &CompileSettings::default())
}

fn rules(def: &TagDef) -> Result<Vec<Rule>, Vec<Diagnostic>> {
    Ok(compiled(def)?.rules().to_vec())
}

fn mutants(def: &TagDef) -> Vec<MutantEntry> {
    let Ok(compiled) = compiled(def) else { return Vec::new() };
    let all = compiled.rules().iter().flat_map(|rule| compiled.mutants(rule.id));
    all.filter(|mutant| mutant.tag == def.name)
        .map(|mutant| MutantEntry { name: mutant.name, equivalent: mutant.equivalent })
        .collect()
}

fn boundaries(def: &TagDef) -> Vec<Class> {
    let rules = rules(def).unwrap_or_default();
    let own = rules.iter().find(|rule| rule.tag == def.name);
    let classes = own.map(|rule| rule.boundaries.as_slice()).unwrap_or_default();
    classes
        .iter()
        .map(|boundary| Class {
            class: boundary.class.clone(),
            breaks: boundary.breaks,
            value: match &boundary.sample {
                Sample::Absent => None,
                Sample::Value(value) => Some(value.clone()),
                Sample::Beside(members) => Some(Value::Object(members.clone())),
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tags::PayloadKind;

    /// Tags that steer, or hand what they wrap to another rule: the catalogue holds no rule under their name.
    const WITHOUT_RULES: &[&str] = &[
        "enumExclude",
        "listMapKey",
        "customUnique",
        "unionDiscriminator",
        "modeDiscriminator",
        "discriminator",
        "opaqueType",
    ];

    #[test]
    fn every_example_compiles_and_makes_a_rule_of_its_tag() {
        for def in all() {
            match rules(def) {
                Err(diagnostics) if def.name == "validateError" => {
                    assert!(diagnostics.iter().any(|diagnostic| diagnostic.message.contains("forced error")));
                }
                Err(diagnostics) => {
                    panic!("the example of `{}` does not compile: {diagnostics:#?}\n{}", def.name, go(def))
                }
                Ok(rules) => {
                    let makes = rules.iter().any(|rule| {
                        rule.tag == def.name
                            || (def.payload == PayloadKind::Tag && rule.chain.contains(def.name))
                            || (def.payload == PayloadKind::Tag && !rules.is_empty())
                    });
                    assert_eq!(makes, !WITHOUT_RULES.contains(&def.name), "`{}`: {rules:#?}", def.name);
                }
            }
        }
    }

    #[test]
    fn boundary_classes_are_those_of_the_compiled_example() {
        let reference = Reference::new();
        let of = |name: &str| -> Vec<(String, bool)> {
            let entry = reference.tags.iter().find(|entry| entry.name == name);
            let classes = entry.map(|entry| entry.boundaries.clone()).unwrap_or_default();
            classes.into_iter().map(|class| (class.class, class.breaks)).collect()
        };
        let minimum = of("minimum");
        assert!(minimum.contains(&("below".to_owned(), true)) && minimum.contains(&("on".to_owned(), false)));
        assert!(of("exclusiveMinimum").contains(&("on".to_owned(), true)));
        assert!(of("required").contains(&("unset".to_owned(), true)));
        assert!(of("eachVal").is_empty() && of("opaqueType").is_empty());
    }
}
