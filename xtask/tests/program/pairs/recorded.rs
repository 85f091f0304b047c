//! Runs that judge recorded objects and nothing else.

use super::lab::Lab;

/// A CRD of this kind, whose objects have a size of at most `most`.
fn crd(kind: &str, most: u64) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {plural}.shop.example.com}}\n\
         spec:\n  group: shop.example.com\n  scope: Cluster\n  names: {{kind: {kind}, plural: {plural}}}\n  versions:\n  \
         - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{\n      \
         size: {{type: integer, maximum: {most}}}}}}}}}}}\n---\n"
    )
}

fn object(kind: &str, size: u64) -> String {
    format!("{{apiVersion: shop.example.com/v1, kind: {kind}, metadata: {{name: a}}, size: {size}}}\n---\n")
}

#[test]
fn kinds_of_crds_without_recorded_objects_are_left_out_where_nothing_is_generated() {
    let lab = Lab::new();
    let kinds = ["Widget", "Gadget", "Gizmo"];
    lab.write("old.yaml", &kinds.map(|kind| crd(kind, 5)).concat());
    lab.write("new.yaml", &kinds.map(|kind| crd(kind, 7)).concat());
    lab.write("objects.yaml", &[object("Widget", 6), object("Gizmo", 8), object("Other", 1)].concat());
    let run = |out: &str, more: &[&str]| {
        let pair = ["soak", "--crd", "new.yaml", "--reference", "crd:old.yaml", "--seed", "1", "--no-builtin"];
        lab.run(&[&pair[..], &["--cases", "0", "--recorded", "objects.yaml", "--out", out], more].concat())
    };
    let subjects = |out: &str| -> Vec<String> {
        let report = lab.json(&format!("{out}/report.json"));
        let subjects = report["subjects"].as_array().unwrap().iter();
        subjects.map(|subject| subject["subject"].as_str().unwrap().to_owned()).collect()
    };
    let ran = run("recorded", &[]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let said = "note: left out, because no object of them is recorded: 1 of 3 kinds; to judge them too, name them with --kind\n";
    assert!(ran.stderr.contains(said), "{}", ran.said());
    let judged = subjects("recorded");
    assert_eq!(judged.len(), 2, "{judged:?}");
    assert!(judged.iter().all(|subject| !subject.contains("Gadget")), "{judged:?}");
    // What one side rejects is found, and by field: neither was asked anything beforehand.
    let findings = lab.findings("recorded");
    assert!(findings.iter().any(|finding| finding["signature"]["path"] == "size"), "{findings:#?}");

    let ran = run("named", &["--kind", "Gadget", "--kind", "Widget"]);
    assert!(!ran.stderr.contains("are left out"), "{}", ran.said());
    assert_eq!(subjects("named").len(), 2);
    // Where nothing is known of any kind, the run says so.
    lab.write("objects.yaml", &object("Other", 1));
    let ran = run("none", &[]);
    assert_eq!(ran.code, 3, "{}", ran.said());
    assert_eq!(subjects("none").len(), 3);
}
