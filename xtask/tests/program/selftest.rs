//! `selftest` as a user runs it.

use assert_cmd::Command;
use serde_json::Value;

fn selftest(arguments: &[&str]) -> (Option<i32>, Vec<u8>) {
    let output = Command::cargo_bin("takeover").unwrap().arg("selftest").args(arguments).output().unwrap();
    (output.status.code(), output.stdout)
}

#[test]
fn every_fault_that_a_case_shows_is_found_and_nothing_is_found_without_one() {
    let (code, stdout) =
        selftest(&["--kind", "ReplicationController", "--cases", "3000", "--no-fakes", "--format", "json"]);
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!((code, &results["sound"]), (Some(0), &Value::Bool(true)), "{results:#}");
    let faults = &results["plantedFaults"];
    let count = |name: &str| faults[name].as_u64().unwrap();
    assert!(count("telling") > 30, "{faults:#}");
    assert_eq!(count("attributed") + count("foundElsewhere"), count("telling"), "{faults:#}");
    assert!(count("foundElsewhere") * 5 < count("telling"), "{faults:#}");
    let itself = &results["comparedWithItself"];
    assert!(itself["cases"].as_u64().unwrap() > 5000 && itself["disagreed"] == 0, "{itself:#}");
}

#[test]
fn every_fault_of_apply_is_found_and_the_sound_engine_agrees_with_itself() {
    let (code, stdout) = selftest(&["--kind", "v1 Service#apply", "--cases", "2000", "--no-fakes", "--format", "json"]);
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!((code, &results["sound"]), (Some(0), &Value::Bool(true)), "{results:#}");
    let of = |pointer: &str| results.pointer(pointer).unwrap().as_u64().unwrap();
    assert_eq!(of("/comparedWithItself/disagreed"), 0);
    let found = of("/plantedFaults/attributed") + of("/plantedFaults/foundElsewhere");
    assert!(of("/plantedFaults/telling") >= 35 && found == of("/plantedFaults/telling"), "{results:#}");
    assert_eq!(results["plantedFaults"]["unseen"], Value::Array(Vec::new()), "{results:#}");
}

#[test]
fn every_fault_of_defaults_is_found_and_told_with_its_field() {
    let kind = ["--kind", "v1 Service#defaults", "--no-fakes"];
    let (code, stdout) = selftest(&[&kind[..], &["--format", "json"]].concat());
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!((code, &results["sound"]), (Some(0), &Value::Bool(true)), "{results:#}");
    assert_eq!(results["comparedWithItself"]["disagreed"], 0);
    let faults = &results["plantedFaults"];
    let [telling, attributed] = ["telling", "attributed"].map(|name| faults[name].as_u64().unwrap());
    assert!(telling >= 50 && attributed * 10 >= telling * 9, "{faults:#}");
    assert_eq!((&faults["unseen"], &faults["shownByNoCase"]), (&serde_json::json!([]), &serde_json::json!({})));
    let found = faults["found"].as_array().unwrap();
    assert_eq!(found.len() as u64, telling, "{faults:#}");
    let how = |fault: &str| found.iter().find(|of| of["fault"] == fault).and_then(|of| of["found"].as_str());
    for (fault, expected) in [
        ("spec.type: default dropped", "missing spec.type: Required value: takes the default \"ClusterIP\""),
        (
            "spec.internalTrafficPolicy: explicit zero replaced",
            "extra spec.internalTrafficPolicy: Invalid value: defaulting: was set to another value, and becomes \"Cluster\"",
        ),
        (
            "spec.ports[*].protocol: default of the first item alone",
            "missing spec.ports[1].protocol: Required value: takes the default \"TCP\"",
        ),
    ] {
        assert_eq!(how(&format!("v1 Service#defaults {fault}")), Some(expected), "{faults:#}");
    }

    let (_, stdout) = selftest(&kind);
    let said = String::from_utf8(stdout).unwrap();
    assert!(said.contains("  found: v1 Service#defaults spec."), "{said}");
    let (code, _) = selftest(&["--kind", "v1 ConfigMap#defaults"]);
    assert_eq!(code, Some(2));
}

#[test]
fn seeds_follow_on_the_first_and_add_up() {
    let counts = |arguments: &[&str]| {
        let limits = ["--kind", "v1 ReplicationController", "--cases", "300", "--no-fakes", "--format", "json"];
        let (_, stdout) = selftest(&[&limits[..], arguments].concat());
        let results: Value = serde_json::from_slice(&stdout).unwrap();
        let of = |pointer: &str| results.pointer(pointer).unwrap().as_u64().unwrap();
        (of("/comparedWithItself/cases"), of("/plantedFaults/telling"), of("/plantedFaults/attributed"))
    };
    let (one, other) = (counts(&["--seed", "4"]), counts(&["--seed", "5"]));
    assert!(one.0 > 0 && other.0 > 0 && one.2 > 0);
    assert_eq!(counts(&["--seed", "4", "--seeds", "2"]), (one.0 + other.0, one.1 + other.1, one.2 + other.2));
}

#[test]
fn what_a_rule_beside_repeats_is_not_taken_for_shown() {
    // `minReplicas` has a minimum for each state of an option: what one of them reports hides faults of the other.
    let (code, stdout) =
        selftest(&["--kind", "HorizontalPodAutoscaler", "--cases", "2000", "--no-fakes", "--seeds", "3"]);
    let said = String::from_utf8(stdout).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("and 3 seeds, 0 disagree") && said.contains(" 0 not found although a case shows them"),
        "{said}"
    );
}

#[test]
fn without_cases_nothing_is_proven() {
    let (code, stdout) = selftest(&["--kind", "v1 ReplicationController", "--cases", "0", "--no-fakes"]);
    let said = String::from_utf8(stdout).unwrap();
    assert_eq!(code, Some(3));
    assert!(said.contains("0 found and attributed to the rule") && said.contains("shown by no case: "), "{said}");
}

#[test]
fn faults_in_constraints_and_rules_of_a_crd_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("widgets.yaml");
    std::fs::write(
        &place,
        r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [mode]
            properties:
              mode: {type: string, enum: [Fixed, Scaled]}
              min: {type: integer, minimum: 1, maximum: 100}
              max: {type: integer, maximum: 100}
              name: {type: string, maxLength: 20, pattern: '^[a-z]+$', x-kubernetes-validations: [{rule: self == oldSelf}]}
            x-kubernetes-validations:
            - {rule: "self.mode != 'Scaled' || has(self.min) && has(self.max)", message: say how many}
            - {rule: "!has(self.min) || !has(self.max) || self.min <= self.max", reason: FieldValueForbidden}
"#,
    )
    .unwrap();
    let (code, stdout) = selftest(&["--crd", place.to_str().unwrap(), "--cases", "6000", "--format", "json"]);
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(code, Some(0), "{results:#}");
    let faults = &results["plantedFaults"];
    assert!(faults["telling"].as_u64().unwrap() > 50, "{faults:#}");
    assert_eq!(faults["shownByNoCase"], serde_json::json!({}), "{faults:#}");
    assert_eq!(results["comparedWithItself"]["disagreed"], 0);
    let (code, _) = selftest(&["--crd", "no-such-file.yaml"]);
    assert_ne!(code, Some(0));

    // Faults of defaults, too.
    let text = std::fs::read_to_string(&place).unwrap();
    let defaulted = folder.path().join("defaulted.yaml");
    let with_defaults = text.replace("enum: [Fixed, Scaled]", "enum: [Fixed, Scaled], default: Fixed");
    std::fs::write(&defaulted, with_defaults.replace("maximum: 100}", "maximum: 100, default: 7}")).unwrap();
    let (code, stdout) = selftest(&["--crd", defaulted.to_str().unwrap(), "--cases", "3000", "--format", "json"]);
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(code, Some(0), "{results:#}");
    let found = results["plantedFaults"]["found"].as_array().unwrap().iter();
    let names: Vec<&str> = found.filter_map(|of| of["fault"].as_str()).collect();
    for fault in ["spec.mode: default dropped", "spec.min: explicit zero replaced", "spec.max: null not defaulted"] {
        assert!(names.contains(&&*format!("example.com/v1 Widget#defaults {fault}")), "{names:#?}");
    }

    // Several kinds have a line each, and what no server takes is left out.
    let text = std::fs::read_to_string(&place).unwrap();
    let (other, wrong) = (folder.path().join("gadgets.yaml"), folder.path().join("wrong.yaml"));
    std::fs::write(&other, text.replace("widgets", "gadgets").replace("Widget", "Gadget")).unwrap();
    std::fs::write(&wrong, text.replace("type: integer", "type: whole")).unwrap();
    let [place, other, wrong] = [&place, &other, &wrong].map(|file| file.to_str().unwrap());
    let (code, stdout) = selftest(&["--crd", place, "--crd", other, "--crd", wrong, "--cases", "1000"]);
    let said = String::from_utf8(stdout).unwrap();
    assert!(code.is_some() && said.contains("left out, a server rejects it: "), "{said}");
    let lines = said.lines().filter(|line| line.starts_with("example.com/v1 ") && line.ends_with(" faults found"));
    assert_eq!(lines.count(), 2, "{said}");
}

#[test]
fn faults_of_policies_are_found_by_decision() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let crd = write(
        "widgets.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.shop.example.com}\n\
         spec:\n  group: shop.example.com\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions:\n  \
         - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         required: [spec]\n        properties:\n          spec:\n            type: object\n            required: [size]\n            \
         properties: {size: {type: integer}}\n",
    );
    let policies = write(
        "policies.yaml",
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: sizes}\nspec:\n  \
         matchConstraints:\n    resourceRules:\n    - {apiGroups: [shop.example.com], apiVersions: [v1], operations: [CREATE], \
         resources: [widgets]}\n  validations:\n  - expression: object.spec.size <= 3\n---\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: all}\n\
         spec: {policyName: sizes, validationActions: [Deny]}\n",
    );
    let (code, stdout) = selftest(&["--policy", &policies, "--crd", &crd, "--cases", "600", "--format", "json"]);
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(code, Some(0), "{results:#}");
    let faults = &results["plantedFaults"];
    // Dropped, negated, `<` for `<=`, and the bound one off.
    assert_eq!(faults["telling"], 5, "{faults:#}");
    assert_eq!(faults["attributed"].as_u64().unwrap() + faults["foundElsewhere"].as_u64().unwrap(), 5, "{faults:#}");
    assert!(results["comparedWithItself"]["disagreed"] == 0, "{results:#}");

    // Sizes, and fields that are held against each other.
    let text = std::fs::read_to_string(&crd).unwrap();
    let fields = "size: {type: integer}, low: {type: integer}, high: {type: integer}, note: {type: string}, \
                  parts: {type: array, items: {type: object, properties: {name: {type: string}}}}, \
                  tags: {type: object, additionalProperties: {type: string}}, names: {type: array, items: {type: string}}";
    let crd = write("sized.yaml", &text.replace("size: {type: integer}", fields));
    let validations = [
        "!has(object.spec.low) || !has(object.spec.high) || object.spec.low <= object.spec.high",
        "!has(object.spec.parts) || size(object.spec.parts) <= 11",
        "!has(object.spec.note) || object.spec.note.size() < 37",
        "!has(object.spec.tags) || size(object.spec.tags) <= 6",
        "!has(object.spec.parts) || object.spec.parts.all(p, !has(p.name) || size(p.name) <= 29)",
        "!has(object.spec.names) || size(object.spec.names) <= object.spec.size",
    ];
    let text = std::fs::read_to_string(&policies).unwrap();
    let (before, after) = text.split_once("  - expression: object.spec.size <= 3\n").unwrap();
    let all: String = validations.iter().map(|of| format!("  - expression: {of:?}\n")).collect();
    let policies = write("sized-policies.yaml", &format!("{before}{all}{after}"));
    let (code, stdout) = selftest(&["--policy", &policies, "--crd", &crd, "--cases", "3000", "--format", "json"]);
    let results: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(code, Some(0), "{results:#}");
    assert!(results["plantedFaults"]["telling"].as_u64().unwrap() > 20, "{results:#}");
    assert_eq!(results["plantedFaults"]["shownByNoCase"], serde_json::json!({}), "{results:#}");
}
