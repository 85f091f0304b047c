//! Where the rules of a kind stand in its manifest.

use crate::kind::CustomKind;
use crate::structural::{Additional, Structural};
use crate::validate::is_cel;
use std::collections::HashMap;
use takeover_harness::rule::{Rule, Source};

impl CustomKind {
    /// Notes at each rule the line of the manifest that it stands at. `line` tells the line of a JSON pointer into the manifest, if it is
    /// known; of what is not written, that of the nearest value around it counts.
    pub fn locate(&mut self, file: &str, line: impl Fn(&str) -> Option<u32>) {
        let mut before: HashMap<String, usize> = HashMap::new();
        for rule in &mut self.hints {
            let index = is_cel(&rule.tag).then(|| {
                let next = before.entry(rule.path.clone()).or_default();
                *next += 1;
                *next - 1
            });
            let whole = format!("{}{}", self.place, pointer(&self.structural, rule, index));
            let mut pointer = whole.as_str();
            while rule.source.is_none() && !pointer.is_empty() {
                rule.source = line(pointer).map(|line| Source { file: file.to_owned(), line });
                pointer = pointer.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
    }
}

/// The JSON pointer of a rule in its schema; `cel` is its index among the CEL rules of its place.
fn pointer(schema: &Structural, rule: &Rule, cel: Option<usize>) -> String {
    let mut steps: Vec<String> = Vec::new();
    let mut node = Some(schema);
    for part in rule.path.split('.').filter(|part| !part.is_empty()) {
        let name = part.trim_end_matches("[*]");
        if !name.is_empty() {
            steps.push(format!("/properties/{}", name.replace('~', "~0").replace('/', "~1")));
            node = node.and_then(|node| node.properties.get(name)).map(|node| &**node);
        }
        for _ in 0..part.matches("[*]").count() {
            let of_items = node.is_some_and(|node| node.items.is_some());
            steps.push(if of_items { "/items" } else { "/additionalProperties" }.to_owned());
            node = node.and_then(|node| match (&node.items, &node.additional) {
                (Some(items), _) => Some(&**items),
                (None, Some(Additional::Schema(schema))) => Some(&**schema),
                _ => None,
            });
        }
    }
    match (rule.tag.as_str(), cel) {
        (_, Some(index)) => steps.push(format!("/x-kubernetes-validations/{index}")),
        // The object around says it.
        ("required", _) => {
            steps.pop();
            steps.push("/required".to_owned());
        }
        ("exclusiveMinimum", _) => steps.push("/minimum".to_owned()),
        ("exclusiveMaximum", _) => steps.push("/maximum".to_owned()),
        ("listType", _) => steps.push("/x-kubernetes-list-type".to_owned()),
        ("int-or-string", _) => steps.push("/x-kubernetes-int-or-string".to_owned()),
        (keyword, _) => steps.push(format!("/{keyword}")),
    }
    steps.concat()
}

#[cfg(test)]
mod tests {
    use crate::kinds_of_crd;
    use serde_json::json;
    use std::cell::RefCell;

    #[test]
    fn rules_stand_at_their_keyword_or_at_what_is_around() {
        let spec = json!({"type": "object", "required": ["size"], "properties": {
            "size": {"type": "integer", "minimum": 1, "exclusiveMinimum": true},
            "list": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 3}},
            "map": {"type": "object", "additionalProperties": {"type": "string", "enum": ["a"]}}}});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}});
        let mut kind = kinds_of_crd(&crd).unwrap().remove(0);
        let asked = RefCell::new(Vec::new());
        kind.locate("crd.yaml", |pointer| {
            asked.borrow_mut().push(pointer.to_owned());
            crd.pointer(pointer).map(|_| 7)
        });
        assert!(kind.hints.iter().all(|rule| rule.source.as_ref().is_some_and(|source| source.line == 7)));
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
