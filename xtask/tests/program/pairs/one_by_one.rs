//! Defaults of a program, held one by one against markers or a schema, and against the laws of defaulting.

use super::defaults::{causes, differences, lab};
use super::lab::{Lab, Ran, has_python};
use serde_json::{Value, json};
use std::fs;

/// The fields at which a program breaks a law, and how.
fn broken(lab: &Lab, run: &str) -> Vec<String> {
    let laws = lab.findings(run).into_iter().filter(|of| of["signature"]["cause"] == "breaks-law");
    let said = |of: Value| ["path", "origin"].map(|name| of["signature"][name].as_str().unwrap().to_owned()).join(": ");
    laws.map(said).collect()
}

#[test]
fn the_defaults_of_a_program_are_held_against_markers_one_by_one_and_against_the_laws() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let defaulter = include_str!("defaulter.py");
    let soak = |run: &str, more: &str| {
        lab.write("changed.py", &defaulter.replace("    return object\n", &format!("{more}    return object\n")));
        let reference = ["--types", "shop", "--reference", "exec python3 changed.py"];
        let ran = lab.run(
            &[&["soak", "--what", "defaults", "--seed", "1", "--cases", "3000", "--out", run], &reference[..]].concat(),
        );
        assert_eq!(ran.code, i32::from(!more.is_empty()), "{}", ran.said());
        (ran.stdout, broken(&lab, run))
    };
    let (screen, laws) = soak("sound", "");
    assert!(screen.starts_with("All 4 defaults with a marker may be deleted from SetDefaults.\n"), "{screen}");
    assert!(laws.is_empty() && screen.contains("all 5 laws hold"), "{screen}");
    // Each fault is found at its field: in what a law says, or in the values that differ.
    for (run, fault, said) in [
        (
            "twice",
            "    spec[\"strategy\"] += \"d\" if spec[\"strategy\"] == \"Recreate\" and \"public\" in spec and spec[\"replicas\"] > 1 else \"\"\n",
            "spec.strategy: default changes what is set",
        ),
        (
            "order",
            "    if list(spec).index(\"strategy\") < list(spec).index(\"replicas\"):\n        spec[\"public\"] = False\n",
            "spec.public: default depends on the order of fields",
        ),
        ("kept", "    spec[\"public\"] = True\n", "spec.public: default changes what is set"),
        ("again", "    spec[\"replicas\"] += 1\n", "spec.replicas: default sets more when it is applied again"),
    ] {
        let (screen, laws) = soak(run, fault);
        assert!(laws.iter().any(|law| law == said), "{run}: {laws:?} {screen}");
    }
    let forgets = "    for port in spec.get(\"ports\") or []:\n        del port[\"protocol\"]\n";
    let (screen, _) = soak("forgets", forgets);
    assert!(screen.contains("only the marker: takes the default \"TCP\""), "{screen}");
    assert!(causes(&lab, "forgets").contains(&json!("not-defaulted")), "{screen}");
    let dependent = "    if spec[\"public\"] is False and spec[\"replicas\"] == 1:\n        spec[\"replicas\"] = 3\n";
    let (screen, _) = soak("dependent", dependent);
    assert!(causes(&lab, "dependent").contains(&json!("depends-on-field")), "{screen}");
    let (screen, _) =
        soak("constant", "    spec[\"replicas\"] = 2 if spec[\"replicas\"] == 1 else spec[\"replicas\"]\n");
    assert!(screen.contains("takes the default 2") && screen.contains("takes the default 1"), "{screen}");
    assert!(causes(&lab, "constant").contains(&json!("other-default")), "{screen}");
}

#[test]
fn a_program_is_asked_for_defaults_of_what_was_sent_with_its_nulls() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let soak = |command: &str, run: &str| {
        let reference = ["--types", "shop", "--reference", command];
        lab.run(
            &[&["soak", "--what", "defaults", "--seed", "1", "--cases", "1500", "--out", run], &reference[..]].concat(),
        )
    };
    let ran = soak("exec python3 defaulter.py forgets-null", "null");
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(differences(&lab, "null").contains(&"extra spec.public".to_owned()), "{}", ran.said());
    assert!(causes(&lab, "null").contains(&json!("defaults-null")), "{}", ran.said());
    // What answers otherwise each time, or with what is no field, is not compared.
    let defaulter = include_str!("defaulter.py");
    for (change, said) in [
        (
            "    spec[\"replicas\"] = __import__(\"time\").time_ns() % 1000000 + 1\n",
            "gives different answers to the same object",
        ),
        ("    spec[\"nope\"] = 1\n", "`spec.nope`: unknown field"),
    ] {
        lab.write("changed.py", &defaulter.replace("    return object\n", &format!("{change}    return object\n")));
        let ran = soak("exec python3 changed.py", "changed");
        let screen = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            screen.contains(said) && screen.contains("The reference did not answer") && ran.code != 0,
            "{said}: {}",
            ran.said()
        );
        fs::remove_dir_all(lab.path("changed")).unwrap();
    }
}

/// Writes the types of Boxes, `members` being what follows in the struct after their metadata, and any further types.
fn write_boxes(lab: &Lab, members: &str) {
    fs::create_dir_all(lab.path("box/v1")).unwrap();
    let types = format!(
        "// +groupName=box.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
         type Box struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n{members}"
    );
    lab.write("box/v1/types.go", &types);
}

/// Holds a program that sets the defaults of `box` by these lines of Python against the markers of Boxes.
fn soak_boxes(lab: &Lab, run: &str, lines: &str) -> Ran {
    let program = format!(
        "import json\nprint(json.dumps({{'hello': {{'protocol': 1, 'name': 'boxes', 'answers': 'object'}}}}), flush=True)
for line in open(0):
    question = json.loads(line)
    if 'hello' in question: continue
    box = question['object']
{lines}    print(json.dumps({{'id': question['id'], 'object': box}}), flush=True)
"
    );
    lab.write("boxes.py", &program);
    let reference = ["--types", "box", "--reference", "exec python3 boxes.py"];
    lab.run(&[&["soak", "--what", "defaults", "--seed", "1", "--cases", "1500", "--out", run], &reference[..]].concat())
}

#[test]
fn a_program_may_answer_with_the_items_of_sets_and_maps_in_another_order_and_not_with_those_of_other_lists() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    write_boxes(
        &lab,
        "	// +listType=set
	// +default=[\"a\",\"b\"]
	Set []string `json:\"set,omitempty\"`
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []Port `json:\"ports,omitempty\"`
	// +default=[\"a\",\"b\"]
	Plain []string `json:\"plain,omitempty\"`
}

type Port struct {
	Port int32 `json:\"port\"`
	// +default=\"TCP\"
	Protocol string `json:\"protocol,omitempty\"`
	// +default=\"web\"
	Name string `json:\"name,omitempty\"`
}
",
    );
    for (run, reversed, code, fields) in
        [("sound", "['set', 'ports']", 0, &[][..]), ("wrong", "['plain']", 1, &["plain[*]", "plain"][..])]
    {
        let ran = soak_boxes(
            &lab,
            run,
            &format!(
                "    for name in ['set', 'plain']:
        if box.get(name) is None: box[name] = ['a', 'b']
    ports = box.get('ports') or []
    for at, port in enumerate(ports):
        if port is None: port = ports[at] = {{'port': 0}}
        port['protocol'] = port.get('protocol') or 'TCP'
        port['name'] = port.get('name') or 'web'
    for name in {reversed}:
        if box.get(name) is not None: box[name].reverse()
"
            ),
        );
        assert_eq!(ran.code, code, "{run}: {}", ran.said());
        let found: Vec<Value> = lab.findings(run).iter().map(|of| of["signature"]["path"].clone()).collect();
        assert!(found.iter().all(|path| fields.contains(&path.as_str().unwrap())), "{run}: {found:?}");
        assert!(fields.iter().all(|field| found.contains(&json!(field))), "{run}: {found:?}");
    }
}

#[test]
fn a_default_that_one_side_lacks_has_its_cause_by_what_was_sent_there_or_in_what_encloses_it() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    write_boxes(
        &lab,
        "	// +default={\"name\":\"x\"}
	Part *Part `json:\"part,omitempty\"`
	// +default=[{\"name\":\"x\"}]
	Parts []Part `json:\"parts,omitempty\"`
}

type Part struct {
	Name string `json:\"name,omitempty\"`
	// +default=1
	Size *int32 `json:\"size,omitempty\"`
}
",
    );
    let soak = |run: &str, part: &str, parts: &str| {
        let ran = soak_boxes(
            &lab,
            run,
            &format!(
                "    if {part}: box['part'] = {{'name': 'x'}}
    if {parts}: box['parts'] = [{{'name': 'x'}}]
    for at, part in enumerate(box['parts']):
        if part is None: box['parts'][at] = {{}}
    for part in box['parts'] + [box.get('part')]:
        if part is not None and part.get('size') is None: part['size'] = 1
"
            ),
        );
        let found = lab.findings(run).into_iter().filter(|of| of["signature"]["cause"] != "breaks-law");
        let said =
            |of: Value| ["cause", "path"].map(|name| of["signature"][name].as_str().unwrap().to_owned()).join(" ");
        (ran, found.map(said).collect::<std::collections::BTreeSet<String>>())
    };
    let (part, parts) = ("box.get('part') is None", "box.get('parts') is None");
    let (ran, found) = soak("sound", part, parts);
    assert!(ran.code == 0 && found.is_empty(), "{found:?} {}", ran.said());
    // Null is kept, and what is inside goes without its default.
    let (ran, found) = soak("null", "'part' not in box", parts);
    let expected = ["part", "part.name", "part.size"].map(|path| format!("defaults-null {path}"));
    assert_eq!(found, expected.into(), "{}", ran.said());
    let (ran, found) = soak("empty", part, "not box.get('parts')");
    assert_eq!(found, ["defaults-zero parts".to_owned()].into(), "{}", ran.said());
    assert!(ran.stdout.contains("may not be deleted  1 defaults-zero"), "{}", ran.said());
    let explained = lab.run(&["explain", "parts", "--run", "empty"]).stdout;
    assert!(explained.contains("BLOCKED") && explained.contains("only code"), "{explained}");
    assert!(!explained.contains("rejects") && !explained.contains("breaks the rule"), "{explained}");
}

#[test]
fn a_default_that_repeats_an_item_of_a_set_is_not_valid_and_one_that_does_not_fit_its_type_is_left_out() {
    let lab = Lab::new();
    let (head, tail) = WIDGET_CRD.split_once("SPEC").unwrap();
    let list = "{type: array, x-kubernetes-list-type: set, items: {type: string}, default: [a, a]}";
    lab.write("crd.yaml", &format!("{head}{list}{tail}"));
    let ran =
        lab.run(&["soak", "--what", "defaults", "--crd", "crd.yaml", "--seed", "1", "--cases", "200", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(broken(&lab, "run"), ["names: default is not valid"], "{}", ran.said());
    fs::create_dir_all(lab.path("shop/v1")).unwrap();
    let types = "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                 type Shop struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\n\
                 \t// +default=1.5\n\tSize *int32 `json:\"size,omitempty\"`\n}\n";
    lab.write("shop/v1/types.go", types);
    let ran = lab.run(&["soak", "--what", "defaults", "--types", "shop", "--seed", "1", "--cases", "200"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(
        ran.stderr.contains("types.go:10:5: the default of `size` does not fit its type: number 1.5"),
        "{}",
        ran.said()
    );
    assert!(ran.stderr.contains("no kind of the types has a default"), "{}", ran.said());
}

const WIDGET_CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            names: SPEC
";

#[test]
fn objects_that_a_program_refuses_are_skipped_and_counted_and_tell_nothing_of_its_defaults() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let refusing = include_str!("defaulter.py").replace(
        "\"object\": defaulted(question[\"object\"])}",
        "**({\"object\": defaulted(question[\"object\"])} if (question[\"object\"].get(\"spec\") or {}).get(\"replicas\") \
         else {\"allowed\": False, \"reason\": \"spec.replicas: Required value\"})}",
    );
    lab.write("refusing.py", &refusing);
    lab.write(
        "takeover.toml",
        "[[pair]]\nname = \"refusing\"\napiVersion = \"shop.example.com/v1\"\nkind = \"Widget\"\ntypes = \"shop\"\n\
         reference = { exec = [\"python3\", \"refusing.py\"] }\ncandidate = { laws = \"defaults\" }\n",
    );
    let ran = lab.run(&["soak", "--seed", "1", "--cases", "1000", "--out", "run"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let report = lab.json("run/report.json");
    let skipped = report["subjects"][0]["totals"]["skipped"].as_object().unwrap();
    let why = "the reference cannot be asked: whoever sets the defaults refuses the object";
    assert!(skipped[why].as_u64().unwrap() > 50, "{skipped:?}");
    assert!(ran.stdout.contains("needs more evidence") && lab.findings("run").is_empty(), "{}", ran.said());
    for (reference, types, said) in [
        ("defaults markers", "shop", "hold for an `exec`, `webhook` or `server` as the reference"),
        ("exec true", "shop", "the reference"),
    ] {
        let pair = ["--types", types, "--reference", reference, "--candidate", "laws defaults"];
        let ran = lab.run(&[&["soak", "--cases", "1"][..], &pair].concat());
        assert!(ran.code == 2 && ran.stderr.contains(said), "{reference}: {}", ran.said());
    }
}
