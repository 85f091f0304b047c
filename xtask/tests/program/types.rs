//! What types say: read from CRD manifests, as somebody meets it who brings their own.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
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
                size: {type: integer, minimum: 1, maximum: 64}
                mode: {type: string, enum: [Auto, Off]}
                names: {type: array, maxItems: 3, items: {type: string, maxLength: 8}}
";

/// Exit code, standard output, standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("takeover").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn kinds_are_read_and_objects_of_them_are_valid_by_their_schema() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("crds")).unwrap();
    fs::write(folder.path().join("crds/widgets.yaml"), CRD).unwrap();
    fs::write(
        folder.path().join("objects.yaml"),
        "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1, mode: Auto}\n---\n\
         apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: b}\nspec: {size: 65, mode: Auto}\n---\n\
         apiVersion: v1\nkind: Service\nmetadata: {name: c}\n",
    )
    .unwrap();
    let arguments = ["types", "crds", "--cases", "200", "--recorded", "objects.yaml", "--format", "json"];
    let (code, printed, said) = run(folder.path(), &arguments);
    assert_eq!(code, 0, "{said}");
    let survey: Value = serde_json::from_str(&printed).unwrap();
    let kind = &survey["kinds"][0];
    assert_eq!(kind["kind"], "shop.example.com/v1 Widget");
    let number = |name: &str| kind[name].as_u64().unwrap();
    assert_eq!(number("generated"), 200);
    // Most are valid, or there would be nothing to accept; some are not, or nothing would be refused.
    assert!((60..200).contains(&number("valid")), "{kind}");
    assert_eq!((number("recorded"), number("decoded"), number("recordedValid")), (2, 2, 1));
    assert_eq!(survey["otherObjects"]["v1 Service"], 1);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_read() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("crds")).unwrap();
    fs::write(folder.path().join("crds/a.yaml"), CRD).unwrap();
    fs::write(folder.path().join("crds/b.yaml"), CRD.replace("group: shop.example.com", "")).unwrap();
    fs::write(folder.path().join("crds/c.yaml"), "kind: [\n").unwrap();
    let (code, printed, said) = run(folder.path(), &["types", "crds", "--cases", "0"]);
    assert_eq!(code, 1, "{printed}{said}");
    assert!(printed.starts_with("1 kind read.\n"), "{printed}");
    assert!(said.contains("b.yaml") && said.contains("group") && said.contains("c.yaml:1"), "{said}");
    let (code, _, said) = run(folder.path(), &["types", "crds/c.yaml"]);
    assert_eq!(code, 3, "{said}");
}
