//! Where Go types say what the CRD says that controller-gen generates from them.

use std::collections::BTreeMap;
use std::path::Path;
use takeover_harness::pair::Written;
use takeover_harness::rule::{Rule, RuleId, Source};
use takeover_harness::schema::{Kind, Presence, TypeId};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::idl::{Idl, Position, TagLine};
use takeover_oracles::registry::Registry;

/// How deep types are followed: some contain themselves.
const DEEPEST: usize = 16;
/// Fields whose places are noted.
const MOST_FIELDS: usize = 20_000;
/// How markers of constraints begin.
const VALIDATION: &str = "kubebuilder:validation:";

/// Where the Go types in `folder` declare the fields of a kind, and have the markers that these rules of its CRD come from.
///
/// # Errors
/// Returns an error when the types cannot be read, or do not declare the kind; as text.
pub(super) fn written(folder: &Path, subject: &SubjectId, rules: &[Rule]) -> Result<Written, String> {
    let registry = Registry::of_module(folder).map_err(|error| error.to_string())?;
    let root = registry
        .root(&subject.api_version, &subject.kind)
        .ok_or_else(|| format!("its Go types do not declare `{} {}`", subject.api_version, subject.kind))?;
    let mut declared = Declared { idl: registry.idl(), places: BTreeMap::new() };
    declared.add(root, String::new(), None, 0);
    let of_rules = rules.iter().filter_map(|rule| Some((rule.id, declared.marker(rule)?)));
    let rules: BTreeMap<RuleId, Source> = of_rules.collect();
    let fields = declared.places.into_iter().filter_map(|(path, of)| Some((path, of.position.as_ref().map(source)?)));
    Ok(Written { rules, fields: fields.collect() })
}

/// The declarations of fields, by their path patterns.
struct Declared<'i> {
    idl: &'i Idl,
    places: BTreeMap<String, Declaration<'i>>,
}

/// What is written at a field and at its type.
#[derive(Default)]
struct Declaration<'i> {
    position: Option<Position>,
    tags: Vec<&'i TagLine>,
    /// Tags of the list that holds this element; in them, `items:` means the element.
    around: Vec<&'i TagLine>,
}

impl<'i> Declared<'i> {
    /// Adds a value of a type at a path and what is below it.
    fn add(&mut self, ty: TypeId, path: String, field: Option<Declaration<'i>>, depth: usize) {
        if depth > DEEPEST || self.places.len() >= MOST_FIELDS {
            return;
        }
        let mut here = field.unwrap_or_default();
        let mut at = ty;
        // Names and pointers lead to what holds the value; each name may have markers.
        let kind = loop {
            let info = self.idl.types.get(at.0 as usize);
            if let Some(info) = info {
                here.tags.extend(&info.tags);
                here.position = here.position.or_else(|| info.position.clone());
            }
            match self.idl.schema.kind(at) {
                Kind::Named(inner) | Kind::Pointer(inner) => at = *inner,
                kind => break kind,
            }
        };
        let element = |of: &Declaration<'i>| Declaration {
            position: of.position.clone(),
            tags: Vec::new(),
            around: of.tags.clone(),
        };
        match kind {
            Kind::Struct(members) => {
                let fields = self.idl.types.get(at.0 as usize).map(|info| info.fields.as_slice()).unwrap_or_default();
                for (member, info) in members.fields.iter().zip(fields) {
                    let of_member = Declaration {
                        position: Some(info.position.clone()),
                        tags: info.tags.iter().collect(),
                        around: Vec::new(),
                    };
                    match member.presence {
                        Presence::Named => {
                            let path = match path.as_str() {
                                "" => member.json_name.to_string(),
                                path => format!("{path}.{}", member.json_name),
                            };
                            self.add(member.ty, path, Some(of_member), depth + 1);
                        }
                        Presence::Inlined => self.add(member.ty, path.clone(), Some(of_member), depth + 1),
                        Presence::Hidden => {}
                    }
                }
            }
            Kind::List(item) => self.add(*item, format!("{path}[*]"), Some(element(&here)), depth + 1),
            Kind::Map { value, .. } => self.add(*value, format!("{path}[*]"), Some(element(&here)), depth + 1),
            _ => {}
        }
        // The struct around takes the place of what is embedded in it.
        self.places.insert(path, here);
    }

    /// The line of the marker of a rule.
    fn marker(&self, rule: &Rule) -> Option<Source> {
        let of = self.places.get(&rule.path)?;
        let own = of.tags.iter().find(|tag| makes(&tag.text, "", rule));
        let marker = own.or_else(|| of.around.iter().find(|tag| makes(&tag.text, "items:", rule)));
        marker.map(|tag| source(&tag.position))
    }
}

/// Whether controller-gen makes the rule from a marker; `items:` stands before the names of those on elements.
fn makes(marker: &str, before: &str, rule: &Rule) -> bool {
    // List types and their like have no part in the name that says they validate.
    let name = marker.strip_prefix(VALIDATION).unwrap_or(marker);
    let Some(name) = name.strip_prefix(before) else { return false };
    let (name, arguments) = name.split_once([':', '=']).unwrap_or((name, ""));
    match rule.chain.strip_prefix("cel: ") {
        Some(expression) => {
            let arguments: String = arguments.replace("\\\"", "\"").split_whitespace().collect::<Vec<_>>().join(" ");
            name == "XValidation" && arguments.contains(expression.trim_end_matches('…'))
        }
        None => {
            let tag = rule.tag.strip_prefix("exclusive").unwrap_or(&rule.tag);
            let tag = if tag == "int-or-string" { "XIntOrString" } else { tag };
            name.eq_ignore_ascii_case(tag)
        }
    }
}

fn source(position: &Position) -> Source {
    Source { file: position.file.to_string(), line: position.line }
}

#[cfg(test)]
mod tests {
    use super::written;
    use std::fs;
    use takeover_harness::rule::{Rule, RuleId};
    use takeover_harness::subject::SubjectId;

    const TYPES: &str = r#"// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec WidgetSpec `json:"spec"`
}

// +kubebuilder:validation:XValidation:rule="self.least <= self.size",message="too small"
type WidgetSpec struct {
	// Size of it.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9
	Size int32 `json:"size"`
	Least int32 `json:"least"`
	// +listType=set
	// +kubebuilder:validation:items:MaxLength=3
	Names []string `json:"names,omitempty"`
	Mode Mode `json:"mode,omitempty"`
	Shared `json:",inline"`
}

// +kubebuilder:validation:Enum=A;B
type Mode string

type Shared struct {
	Note string `json:"note,omitempty"`
}
"#;

    #[test]
    fn rules_stand_at_their_markers_and_fields_at_their_declarations() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("go.mod"), "module example.com/shop\n").unwrap();
        let package = folder.path().join("api/v1");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("types.go"), TYPES).unwrap();
        let line = |text: &str| u32::try_from(TYPES.lines().position(|line| line.contains(text)).unwrap() + 1).unwrap();
        let cases = [
            ("spec.size", "minimum=1", Some("Minimum=1")),
            ("spec.size", "maximum=9", Some("Maximum=9")),
            ("spec.size", "format=int32", None),
            ("spec.names", "listType=set", Some("+listType")),
            ("spec.names[*]", "maxLength=3", Some("items:MaxLength")),
            ("spec.mode", "enum of A, B", Some("Enum=A")),
            ("spec", "cel: self.least <= self.size", Some("XValidation")),
            ("spec", "cel: self.size > 3", None),
        ];
        let rules: Vec<Rule> =
            (0..).zip(cases).map(|(id, (path, chain, _))| Rule::new(RuleId(id), path, chain)).collect();
        let written = written(&package, &SubjectId::new("shop.example.com/v1", "Widget"), &rules).unwrap();
        for (rule, (path, chain, marker)) in rules.iter().zip(cases) {
            let found = written.rules.get(&rule.id);
            assert_eq!(found.map(|source| source.line), marker.map(line), "{path} {chain}");
            assert!(found.is_none_or(|source| source.file.ends_with("api/v1/types.go")), "{found:?}");
        }
        for (path, text) in
            [("spec.least", "Least int32"), ("spec.note", "Note string"), ("spec.size.none", "Size int32")]
        {
            assert_eq!(written.nearest(path).unwrap().line, line(text), "{path}");
        }
        let other = super::written(&package, &SubjectId::new("shop.example.com/v1", "Gadget"), &rules);
        assert!(other.unwrap_err().contains("do not declare"));
    }
}
