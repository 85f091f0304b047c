//! Admission policies on both sides of a run.

use super::lab::{Lab, WIDGET};
use serde_json::Value;

const CRD: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
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
            required: [size, mode]
            properties:
              size: {type: integer, minimum: 1}
              mode: {type: string, enum: [A, B]}
              max: {type: integer}
            x-kubernetes-validations:
            - {rule: "!has(self.max) || self.size <= self.max", message: too large}
"#;

const POLICY: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  failurePolicy: Ignore
  matchConstraints:
    resourceRules:
    - {apiGroups: [shop.example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [widgets]}
  validations:
  - {expression: "!has(object.spec.max) || object.spec.size <= object.spec.max", message: too large}
  - {expression: "object.spec.size <= 10", message: more than ten}
  - {expression: "oldObject == null || object.spec.mode == oldObject.spec.mode", message: mode is fixed}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sizes}
spec: {policyName: sizes, validationActions: [Deny]}
"#;

/// What the candidate does with what each validation of the reference rejects, by the message of the validation.
fn answers(lab: &Lab, out: &str) -> Vec<(String, String)> {
    let report = lab.json(&format!("{out}/report.json"));
    let mut found = Vec::new();
    collect(&report, &mut found);
    found.sort();
    found
}

fn collect(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            if let (Some(Value::String(message)), Some(Value::String(answer))) =
                (members.get("message"), members.get("candidateRefuses"))
            {
                let message = message.rsplit("denied request: ").next().unwrap();
                found.push((message.to_owned(), answer.clone()));
            }
            members.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

#[test]
fn the_validations_of_a_policy_are_checks_that_a_policy_or_a_crd_covers() {
    let lab = Lab::new();
    lab.write("crd.yaml", CRD);
    lab.write("old.yaml", POLICY);
    lab.write(
        "new.yaml",
        &POLICY.replace("<= 10", "<= 11").replace("  - {expression: \"oldObject", "  # - {expression: \"oldObject"),
    );
    let types = ["--types", "crd.yaml", "--kind", WIDGET, "--reference", "policy:old.yaml"];
    let run = |candidate: &[&str], out: &str| {
        lab.run(&[&["soak", "--seed", "1", "--cases", "1500", "--out", out][..], candidate].concat())
    };
    let ran = run(&[&types[..], &["--candidate", "policy:new.yaml"]].concat(), "policy");
    assert_eq!(ran.code, 1, "{}", ran.said());
    let expected = [("mode is fixed", "less"), ("more than ten", "less"), ("too large", "same")];
    let expected = expected.map(|(message, answer)| (message.to_owned(), answer.to_owned()));
    assert_eq!(answers(&lab, "policy"), expected, "{}", ran.said());
    assert!(ran.stdout.starts_with("1 of the 3 checks that the reference showed may be deleted."), "{}", ran.said());
    assert!(ran.stdout.contains("only the check: policy sizes: "), "{}", ran.said());
    // Checks of the whole object are named by their messages.
    assert!(ran.stdout.contains("may be deleted      \"too large\"\n"), "{}", ran.said());

    // Errors of a schema name fields, and a denial names none: cases in which each side names one reason tell what says the same.
    let ran = run(&["--crd", "crd.yaml", "--reference", "policy:old.yaml"], "crd");
    assert_eq!(ran.code, 1, "{}", ran.said());
    let answers = answers(&lab, "crd");
    assert_eq!(answers, expected, "{}", ran.said());

    // A validation has no classes: a case on which it holds and one on which it fails show its sides.
    let ran =
        lab.run(&[&["explain", "object.spec.size <= 11"][..], &types, &["--candidate", "policy:new.yaml"]].concat());
    let (holds, fails) = ran.stdout.split_once("the expression fails").unwrap_or_default();
    assert!(holds.contains("the expression holds") && holds.contains("new.yaml:"), "{}", ran.said());
    assert!(fails.contains("denied request: more than ten"), "{}", ran.said());

    let ran = run(&[&types[..], &["--candidate", "policy:old.yaml"]].concat(), "same");
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.stdout.starts_with("All 3 checks that the reference showed may be deleted."), "{}", ran.said());
    assert!(!ran.stdout.contains("no check"), "{}", ran.said());
}

#[test]
fn a_crd_defaults_and_judges_objects_before_policies_do() {
    let lab = Lab::new();
    lab.write("crd.yaml", &CRD.replace("size: {type: integer,", "size: {type: integer, default: 20,"));
    lab.write("policy.yaml", POLICY);
    let widget = |name: &str, spec: &str| {
        format!(
            "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {{name: {name}, namespace: a}}\nspec: {spec}\n"
        )
    };
    let objects = [widget("a", "{mode: A, size: 3}"), widget("b", "{mode: A}"), widget("c", "{mode: C, color: red}")];
    lab.write("widgets.yaml", &objects.join("---\n"));
    let by = ["validate", "widgets.yaml", "--candidate", "policy:policy.yaml", "--crd"];
    let ran = lab.run(&[&by[..], &["crd.yaml", "--format", "json"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.said());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let message = |at: usize| report["objects"][at]["refusal"]["message"].as_str().unwrap_or_default().to_owned();
    assert_eq!(report["objects"][0]["allowed"], true);
    // The default is what the policy does not allow.
    assert!(message(1).ends_with("denied request: more than ten"), "{}", message(1));
    let refused = "Widget.shop.example.com \"c\" is invalid: [spec.mode: Unsupported value: \"C\": ";
    assert!(message(2).starts_with(refused), "{}", message(2));
    assert_eq!(report["objects"][2]["refusal"]["code"], 422);
    assert!(report["objects"][2]["untold"][0].as_str().unwrap().ends_with("more than ten"), "{}", ran.said());
    assert_eq!(report["objects"][2]["warnings"][0], "unknown field \"spec.color\"");
    let ran = lab.run(&[&by[..], &["no.yaml"]].concat());
    assert!(ran.code == 2 && ran.stderr.contains("failed to read `no.yaml`"), "{}", ran.said());
}

#[test]
fn a_policy_that_selects_labels_names_and_namespaces_is_met_on_both_sides_of_each() {
    let lab = Lab::new();
    lab.write("crd.yaml", CRD);
    let selecting = POLICY.replace(
        "    resourceRules:",
        "    objectSelector: {matchLabels: {tier: gold}, matchExpressions: [{key: zone, operator: Exists}]}\n    \
         namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: prod}}\n    resourceRules:",
    );
    lab.write("old.yaml", &selecting);
    let run = |candidate: &str, out: &str| {
        let pair =
            ["--types", "crd.yaml", "--kind", WIDGET, "--reference", "policy:old.yaml", "--candidate", candidate];
        // Nearly half of them are rejected before a policy is asked.
        lab.run(&[&["soak", "--seed", "1", "--cases", "8000", "--out", out][..], &pair].concat())
    };
    for (was, is, out) in [
        ("<= 10", "<= 11", "bound"),
        ("tier: gold", "tier: silver", "label"),
        ("operator: Exists", "operator: DoesNotExist", "key"),
        ("metadata.name: prod", "metadata.name: test", "namespace"),
    ] {
        lab.write("new.yaml", &selecting.replace(was, is));
        let ran = run("policy:new.yaml", out);
        assert_eq!(ran.code, 1, "{out}: {}", ran.said());
        assert!(answers(&lab, out).contains(&("more than ten".to_owned(), "less".to_owned())), "{out}: {}", ran.said());
    }
    let ran = run("policy:old.yaml", "same");
    assert_eq!(ran.code, 0, "{}", ran.said());
}

#[test]
fn a_run_with_a_policy_as_reference_is_the_same_in_pieces_and_goes_on_where_a_smaller_one_ends() {
    let lab = Lab::new();
    lab.write("crd.yaml", CRD);
    lab.write("old.yaml", POLICY);
    lab.write("new.yaml", &POLICY.replace("<= 10", "<= 11"));
    let pair = ["--types", "crd.yaml", "--kind", WIDGET, "--reference", "policy:old.yaml"];
    let pair = [&pair[..], &["--candidate", "policy:new.yaml", "--seed", "1"]].concat();
    let soak = |out: &str, cases: &str, more: &[&str]| {
        let ran = lab.run(&[&["soak", "--cases", cases, "--out", out][..], &pair, more].concat());
        assert_eq!(ran.code, 1, "{}", ran.said());
    };
    let same = |one: &str, other: &str| {
        for file in ["evidence.json", "health.json"] {
            let read = |run: &str| lab.read(&format!("{run}/{file}"));
            assert!(read(one) == read(other), "`{file}` of `{other}` is not that of `{one}`");
        }
        assert_eq!(lab.findings(one).len(), lab.findings(other).len(), "{other}");
    };
    soak("whole", "2000", &["--jobs", "1"]);
    soak("threads", "2000", &["--jobs", "3"]);
    same("whole", "threads");
    soak("apart", "2000", &["--isolate", "--jobs", "2"]);
    same("whole", "apart");
    for shard in ["1/2", "2/2"] {
        soak(&shard.replace('/', "-of-"), "2000", &["--shard", shard]);
    }
    let merged = lab.run(&["merge", "1-of-2", "2-of-2", "--out", "merged"]);
    assert_eq!(merged.code, 1, "{}", merged.said());
    same("whole", "merged");

    // What a smaller run has seen, the larger one has seen, too.
    soak("smaller", "1000", &[]);
    let totals = |out: &str| lab.json(&format!("{out}/report.json"))["subjects"][0]["totals"].clone();
    let (smaller, whole) = (totals("smaller"), totals("whole"));
    for figure in ["compared", "agreedAccept", "agreedReject", "disagreed"] {
        let [smaller, whole] = [&smaller, &whole].map(|totals| totals[figure].as_u64().unwrap());
        assert!(0 < smaller && smaller < whole, "{figure}: {smaller} of {whole}");
    }
    let files =
        |out: &str| lab.findings(out).iter().map(|finding| finding["signature"].to_string()).collect::<Vec<_>>();
    assert!(files("smaller").iter().all(|signature| files("whole").contains(signature)));
}
