//! Null in objects that are defaulted, and defaults that no object can keep.

use super::defaults::differences;
use super::lab::{Lab, has_python};

#[test]
fn null_stays_in_nullable_fields_of_a_crd_and_takes_the_default_elsewhere() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let spec = "replicas: {type: integer, format: int32, default: 1}\n              \
                strategy: {type: string, default: Recreate}\n              \
                public: {type: boolean, default: true}\n              \
                owner: {type: string, nullable: true, default: nobody}";
    let crd = include_str!("widget.yaml")
        .replace("owner: {type: string}", spec)
        .replace("spec:\n            type: object", "spec:\n            type: object\n            default: {}");
    lab.write("widget.yaml", &crd);
    let defaulter = include_str!("defaulter.py")
        .replace("    forgets =", "    spec.setdefault(\"owner\", \"nobody\")\n    forgets =")
        .replace("if not spec.get(\"replicas\")", "if spec.get(\"replicas\") is None")
        .replace("if not spec.get(\"strategy\")", "if spec.get(\"strategy\") is None");
    lab.write("defaulter.py", &defaulter);
    let soak = |reference: &str, run: &str| {
        let pair = ["--crd", "widget.yaml", "--reference", reference, "--candidate", "defaults crd"];
        lab.run(&[&["soak", "--seed", "1", "--cases", "600", "--out", run][..], &pair].concat())
    };
    let ran = soak("exec python3 defaulter.py", "sound");
    assert_eq!((ran.code, differences(&lab, "sound")), (0, Vec::new()), "{}", ran.said());
    let ran = soak("exec python3 defaulter.py forgets-null", "null");
    assert_eq!((ran.code, differences(&lab, "null")), (1, vec!["differs spec.public".to_owned()]), "{}", ran.said());
    let one_by_one = |command: &str, run: &str| {
        let pair = ["--what", "defaults", "--crd", "widget.yaml", "--reference", command];
        let ran = lab.run(&[&["soak", "--seed", "1", "--cases", "1500", "--out", run][..], &pair].concat());
        (ran.code, differences(&lab, run), ran.said())
    };
    let (code, found, said) = one_by_one("exec python3 defaulter.py", "sound-defaults");
    assert_eq!((code, found), (0, Vec::new()), "{said}");
    let (code, found, said) = one_by_one("exec python3 defaulter.py forgets-null", "null-defaults");
    assert!(code == 1 && found.contains(&"extra spec.public".to_owned()), "{said}");
    let replacing = "if spec.get(\"owner\") is None:\n        spec[\"owner\"] = \"nobody\"";
    lab.write("defaulter.py", &defaulter.replace("spec.setdefault(\"owner\", \"nobody\")", replacing));
    let ran = soak("exec python3 defaulter.py", "owner");
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(differences(&lab, "owner"), ["differs spec.owner"], "{}", ran.said());
}

/// A CRD whose items and entries have defaults, by KEP-575.
const BASKET: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: baskets.shop.example.com}
spec:
  group: shop.example.com
  names: {kind: Basket, plural: baskets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              byRoom:
                type: object
                additionalProperties: {type: string, default: banana}
              fruits:
                type: array
                items: {type: string, default: apple}
";

/// Sets the defaults of `BASKET`, but for those that an argument names.
const PROGRAM: &str = r#"import json, sys

print(json.dumps({"hello": {"protocol": 1, "name": "basket", "answers": "object"}}), flush=True)
for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        continue
    spec = question["object"].get("spec") or {}
    by_room, fruits = spec.get("byRoom"), spec.get("fruits")
    if isinstance(by_room, dict) and "byRoom" not in sys.argv:
        spec["byRoom"] = {room: "banana" if fruit is None else fruit for room, fruit in by_room.items()}
    if isinstance(fruits, list) and "fruits" not in sys.argv:
        spec["fruits"] = ["apple" if fruit is None else fruit for fruit in fruits]
    print(json.dumps({"id": question["id"], "object": question["object"]}), flush=True)
"#;

#[test]
fn null_items_and_null_values_of_maps_are_tried() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.write("basket.yaml", BASKET);
    lab.write("basket.py", PROGRAM);
    for (forgotten, code, found) in
        [("", 0, vec![]), ("byRoom", 1, vec!["differs spec.byRoom[*]"]), ("fruits", 1, vec!["differs spec.fruits[*]"])]
    {
        let run = format!("run{forgotten}");
        let reference = format!("exec python3 basket.py {forgotten}");
        let pair = ["--crd", "basket.yaml", "--reference", reference.as_str(), "--candidate", "defaults crd"];
        let ran = lab.run(&[&["soak", "--seed", "1", "--cases", "1000", "--out", run.as_str()][..], &pair].concat());
        assert_eq!(
            (ran.code, differences(&lab, &run)),
            (code, found.into_iter().map(str::to_owned).collect()),
            "{}",
            ran.said()
        );
    }
}

#[test]
fn a_default_of_another_type_than_int_or_string_breaks_a_law_and_a_lint() {
    let lab = Lab::new();
    let crd = |schema: &str| BASKET.replace("{type: string, default: banana}", schema);
    for (default, is_valid) in [("80", true), ("http", true), ("true", false), ("[1]", false), ("1.5", false)] {
        // As the default of a node, and inside the one around.
        let own = BASKET.replace(
            "byRoom:",
            &format!("port: {{x-kubernetes-int-or-string: true, default: {default}}}\n              byRoom:"),
        );
        let inside = crd("{x-kubernetes-int-or-string: true}").replace(
            "byRoom:\n                type: object",
            &format!("byRoom:\n                type: object\n                default: {{hall: {default}}}"),
        );
        for (name, crd) in [("own", own), ("inside", inside)] {
            lab.write("basket.yaml", &crd);
            let linted = lab.run(&["lint", "basket.yaml"]);
            assert_eq!(linted.code, i32::from(!is_valid), "{name} {default}: {}", linted.said());
            let words: Vec<&str> = linted.stdout.split_whitespace().filter(|word| *word != "│").collect();
            let said = words.join(" ").contains("servers create the CRD, and reject requests that get it");
            assert_eq!(said, !is_valid, "{name} {default}: {}", linted.said());
            let soak = ["soak", "--what", "defaults", "--crd", "basket.yaml", "--cases", "400", "--seed", "1"];
            let ran = lab.run(&[&soak[..], &["--out", &format!("{name}{default}")]].concat());
            assert_eq!(ran.stdout.contains("which validation rejects"), !is_valid, "{name} {default}: {}", ran.said());
        }
    }
}
