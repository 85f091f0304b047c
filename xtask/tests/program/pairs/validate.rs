//! Validating objects by pairs that are described.

use super::lab::{Lab, WIDGET, has_python, repository};

const PAIR: &str = r#"
[[pair]]
name = "old-to-new"
apiVersion = "shop.example.com/v1"
kind = "Widget"
types = "widget.yaml"
reference = { exec = ["python3", "oracle.py"] }
candidate = { exec = ["python3", "oracle.py", "accept-all-sizes"] }
"#;

#[test]
fn validate_asks_both_sides_of_a_pair_of_the_settings() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.write("takeover.toml", PAIR);
    let widget = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: a}\n";
    lab.write("good.yaml", &format!("{widget}spec: {{owner: a, size: 1}}\n"));
    lab.write("bad.yaml", &format!("{widget}spec: {{owner: a, size: 1001}}\n"));
    let good = lab.run(&["validate", "good.yaml"]);
    assert_eq!(good.code, 0, "{}", good.said());
    let bad = lab.run(&["validate", "good.yaml", "bad.yaml"]);
    assert_eq!(bad.code, 1, "{}", bad.said());
    assert!(bad.stdout.contains("spec.size: Invalid value: 1001"), "{}", bad.said());
    assert!(bad.stdout.contains("only the reference reports it"), "{}", bad.said());
    assert!(bad.stdout.contains("1 valid, 1 invalid"), "{}", bad.said());
}

#[test]
fn validate_shows_both_sides_of_a_finding_of_a_run() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let candidate = "exec python3 oracle.py refuse-green";
    let ran = lab.soak("exec python3 oracle.py", candidate, &["--cases", "512", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let shown = lab.run(&["validate", "--run", "run", "run/findings/001.yaml"]);
    assert!(shown.stdout.contains("spec.colour: Unsupported value: \"green\""), "{}", shown.said());
    assert!(shown.stdout.contains("only the candidate reports it"), "{}", shown.said());
    // No program of somebody's run is started unasked.
    let unasked = lab.run(&["validate", "run/findings/001.yaml"]);
    assert!(unasked.code == 2 && unasked.stderr.contains("pass --run run"), "{}", unasked.said());
}

#[test]
fn a_pair_in_which_nothing_judges_ends_with_3() {
    let lab = Lab::new();
    let types = repository().join("sdk/go/examples/scalepolicy/api/v1");
    let types = types.to_string_lossy();
    let tags = ["--reference", "tags", "--candidate", "tags"];
    // The types have markers that nothing here reads.
    let markers = ["soak", "--types", &types, "--kind", "scaling.example.com/v1 ScalePolicy", "--cases", "1"];
    let ran = lab.run(&[&markers[..], &tags].concat());
    assert_eq!(ran.code, 3, "{}", ran.said());
    assert!(ran.stderr.contains("markers are not read"), "{}", ran.said());

    lab.write(
        "policy.yaml",
        "apiVersion: scaling.example.com/v1\nkind: ScalePolicy\nmetadata: {name: a}\nspec: {maxReplicas: -5}\n",
    );
    let valid = lab.run(&["validate", "policy.yaml", "--types", &types]);
    assert_eq!(valid.code, 3, "{}", valid.said());

    std::fs::create_dir_all(lab.path("types/v1")).unwrap();
    lab.write("types/v1/doc.go", "// +groupName=shop.example.com\npackage v1\n");
    lab.write(
        "types/v1/types.go",
        "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\ntype WidgetSpec struct {\n\tSize int32 `json:\"size\"`\n}\n",
    );
    let plain = ["soak", "--types", "types/v1", "--kind", WIDGET, "--cases", "1"];
    let ran = lab.run(&[&plain[..], &tags].concat());
    assert_eq!(ran.code, 3, "{}", ran.said());
    assert!(ran.stderr.contains("declare no `+k8s:` tag"), "{}", ran.said());
}
