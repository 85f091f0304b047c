//! Where the rules of a kind stand in its manifest.

use crate::hints::Down;
use crate::kind::CustomKind;
use crate::structural::{Additional, Structural};
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::rule::Source;

impl CustomKind {
    /// Notes at each rule and field the line of the manifest that it stands at. `line` tells the line of a JSON pointer into the manifest,
    /// if it is known; of what is not written, that of the nearest value around it counts.
    pub fn locate(&mut self, file: &str, line: impl Fn(&str) -> Option<u32>) {
        let mut named = self.named().clone();
        for (rule, place) in named.rules.iter_mut().zip(&named.places) {
            let whole = format!("{}{place}", self.place);
            let mut pointer = whole.as_str();
            while rule.source.is_none() && !pointer.is_empty() {
                rule.source = line(pointer).map(|line| Source { file: file.to_owned(), line });
                pointer = pointer.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
        self.named = Arc::new(named.into());
        self.hinted = Arc::default();
        let mut fields = BTreeMap::new();
        let line = |pointer: &str| line(pointer).map(|line| Source { file: file.to_owned(), line });
        fields_of(&self.structural, String::new(), &self.place, &line, &mut fields);
        self.fields = fields;
    }
}

/// Fields of a kind whose lines are kept.
const MOST_FIELDS: usize = 20_000;

/// Notes where a value and what is below it stand, by their path patterns.
fn fields_of(
    node: &Structural,
    path: String,
    pointer: &str,
    line: &impl Fn(&str) -> Option<Source>,
    fields: &mut BTreeMap<String, Source>,
) {
    if fields.len() >= MOST_FIELDS {
        return;
    }
    let mut below = |step: Down, node: &Structural, path: String| {
        fields_of(node, path, &format!("{pointer}{step}"), line, fields);
    };
    for (name, node) in &node.properties {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        below(Down::Member(Arc::from(name.as_str())), node, path);
    }
    if let Some(Additional::Schema(node)) = &node.additional {
        below(Down::Other, node, format!("{path}[*]"));
    }
    if let Some(node) = &node.items {
        below(Down::Element, node, format!("{path}[*]"));
    }
    if let Some(source) = line(pointer) {
        fields.insert(path, source);
    }
}

#[cfg(test)]
mod tests {
    use crate::{CrdOracle, kinds_of_crd};
    use serde_json::{Value, json};
    use std::cell::RefCell;

    fn crd() -> Value {
        let spec = json!({"type": "object", "required": ["size"], "properties": {
            "size": {"type": "integer", "minimum": 1, "exclusiveMinimum": true},
            "list": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 3}},
            "map": {"type": "object", "additionalProperties": {"type": "string", "enum": ["a"]}}}});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}})
    }

    #[test]
    fn judging_makes_no_samples() {
        let mut kind = kinds_of_crd(&crd()).unwrap().remove(0);
        kind.locate("crd.yaml", |_| Some(7));
        let oracle = CrdOracle::new(kind, "").unwrap();
        let verdict = oracle.judge(
            json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"},
            "spec": {"size": 0, "list": ["abcd"], "map": {"a": "b"}}}),
            None,
        );
        assert_eq!(verdict.unwrap().errors.len(), 3);
        let kind = oracle.kind();
        assert!(kind.hinted.get().is_none(), "judging makes no samples");
        assert!(kind.rules().iter().all(|rule| rule.boundaries.is_empty()));
        // They are the same rules without samples.
        let said = |rules: &[takeover_harness::rule::Rule]| -> Vec<_> {
            rules.iter().map(|rule| (rule.id, rule.reference().to_string(), rule.source.clone())).collect()
        };
        assert_eq!(said(kind.rules()), said(kind.hints()));
        assert!(kind.hints().iter().all(|rule| !rule.boundaries.is_empty()));
    }

    #[test]
    fn rules_stand_at_their_keyword_or_at_what_is_around() {
        let crd = crd();
        let mut kind = kinds_of_crd(&crd).unwrap().remove(0);
        let asked = RefCell::new(Vec::new());
        kind.locate("crd.yaml", |pointer| {
            asked.borrow_mut().push(pointer.to_owned());
            crd.pointer(pointer).map(|_| 7)
        });
        assert!(kind.hints().iter().all(|rule| rule.source.as_ref().is_some_and(|source| source.line == 7)));
        let fields: Vec<&str> = kind.fields.keys().map(String::as_str).collect();
        assert_eq!(fields, ["", "spec", "spec.list", "spec.list[*]", "spec.map", "spec.map[*]", "spec.size"]);
        let at = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
        let expected = [
            "required",
            "properties/size/minimum",
            "properties/list/items/maxLength",
            "properties/list/x-kubernetes-list-type",
            "properties/map/additionalProperties/enum",
        ];
        for place in expected {
            assert!(asked.borrow().contains(&format!("{at}/{place}")), "{place}: {:?}", asked.borrow());
        }
    }
}
