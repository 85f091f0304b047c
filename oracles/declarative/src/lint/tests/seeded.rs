//! One mistake per row, found at the right line and column; and its near miss, which is none.

use super::{LintSettings, MARK, lint_source, marks, places, shown};
use crate::lint::lints;
use std::collections::BTreeSet;
use takeover_harness::release::Release;

struct Row {
    lint: &'static str,
    package: &'static str,
    go: String,
}

/// A struct with these fields.
fn of(lint: &'static str, package: &'static str, fields: &str) -> Row {
    let fields = fields.trim_matches('\n');
    Row { lint, package, go: format!("type T struct {{\n{fields}\n}}\n") }
}

/// The same with types of the API machinery that are structs in Go.
fn well_known(fields: &str) -> Row {
    let Row { lint, package, go } = of("default-struct", V1, fields);
    let imports = ["api/resource", "apis/meta/v1", "util/intstr"]
        .map(|path| format!("import \"k8s.io/apimachinery/pkg/{path}\"\n"));
    Row { lint, package, go: format!("{}\ntype Size v1.Duration\n\n{go}", imports.concat()) }
}

const V1: &str = "example.com/api/apps/v1";
const BETA: &str = "example.com/api/apps/v1beta1";
const ALPHA: &str = "example.com/api/apps/v1alpha1";

/// Every lint that one package can break. A mark stands before what is reported; rows without a mark are near misses.
fn rows() -> Vec<Row> {
    let v1 = |lint, fields: &str| of(lint, V1, fields);
    let mut rows = vec![
        // What is no Go.
        v1("go-source", "\tA string ‸? `json:\"a\"`"),
        v1("go-source", "\tA string `json:\"a\"`"),
        v1("go-source", "\t// ‸+default=x\n\tA string `json:\"a\"`"),
        v1("go-source", "\t// +default=\"x\"\n\tA string `json:\"a\"`"),
        // Tags that do not compile.
        v1("invalid-tags", "\t// +k8s:required\n\t// ‸+k8s:minimum=1\n\tA string `json:\"a\"`"),
        v1("invalid-tags", "\t// +k8s:required\n\t// +k8s:minimum=1 ‸x\n\tA string `json:\"a\"`"),
        v1("invalid-tags", "\t// +k8s:required\n\t// ‸+k8s:beta(since: \"1.37\")=+k8s:nope\n\tA string `json:\"a\"`"),
        v1("invalid-tags", "\t// +k8s:required\n\t// +k8s:nope=1\n\tA string `json:\"a\"`"),
        v1(
            "invalid-tags",
            "\tA string `json:\"a\"`\n}\n\n// ‸+k8s:supportsSubresource=status\n\n// ‸+k8s:isSubresource\ntype U struct {",
        ),
        v1(
            "invalid-tags",
            "\tA string `json:\"a\"`\n}\n\n// +k8s:supportsSubresource=\"/status\"\n\n// +k8s:isSubresource=\"/x\"\ntype U struct {",
        ),
        v1("invalid-tags", "\t// +k8s:optional\n\t// ‸+k8s:eachVal=+k8s:required\n\tA []string `json:\"a\"`"),
        // Said by another lint in its own words.
        v1(
            "invalid-tags",
            "\t// +k8s:required\n\t// +k8s:beta(since: \"x\")=+k8s:maxLength=2\n\tA string `json:\"a\"`",
        ),
        v1("invalid-tags", "\t// +k8s:required\n\t// +k8s:beta\n\tA string `json:\"a\"`"),
        // Lifecycle.
        v1(
            "lifecycle-prefix",
            "\t// +k8s:optional\n\t// +k8s:eachVal=‸+k8s:beta(since: \"1.37\")=+k8s:maxLength=2\n\tA []string `json:\"a\"`",
        ),
        v1(
            "lifecycle-prefix",
            "\t// +k8s:optional\n\t// +k8s:beta(since: \"1.37\")=+k8s:eachVal=+k8s:maxLength=2\n\tA []string `json:\"a\"`",
        ),
        v1(
            "lifecycle-prefix",
            "\t// +k8s:beta(since: \"1.37\")=+k8s:alpha(since: \"1.37\")=+k8s:required\n\tA string `json:\"a\"`",
        ),
        v1(
            "lifecycle-nested",
            "\t// +k8s:beta(since: \"1.37\")=‸+k8s:alpha(since: \"1.37\")=+k8s:required\n\tA string `json:\"a\"`",
        ),
        v1(
            "lifecycle-nested",
            "\t// +k8s:beta(since: \"1.37\")=+k8s:eachVal=‸+k8s:beta(since: \"1.37\")=+k8s:maxLength=2\n\t// +k8s:optional\n\tA []string `json:\"a\"`",
        ),
        v1("lifecycle-nested", "\t// +k8s:beta(since: \"1.37\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1("lifecycle-payload", "\t// +k8s:required\n\t// ‸+k8s:alpha(since: \"1.37\")\n\tA string `json:\"a\"`"),
        v1(
            "lifecycle-payload",
            "\t// +k8s:required\n\t// ‸+k8s:beta(since: \"1.37\")=maxLength\n\tA string `json:\"a\"`",
        ),
        v1("lifecycle-payload", "\t// +k8s:alpha(since: \"1.37\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1("lifecycle-since", "\t// ‸+k8s:alpha=+k8s:required\n\tA string `json:\"a\"`"),
        v1("lifecycle-since", "\t// ‸+k8s:alpha(since: \"v1.37\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1("lifecycle-since", "\t// ‸+k8s:alpha(since: 1)=+k8s:required\n\tA string `json:\"a\"`"),
        v1("lifecycle-since", "\t// +k8s:alpha(since: \"1.37\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1("lifecycle-owner", "\t// ‸+k8s:alpha(since: \"1.37\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1("lifecycle-owner", "\t// ‸+k8s:alpha(since: \"1.37\", owner: \"\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1(
            "lifecycle-owner",
            "\t// +k8s:alpha(since: \"1.37\", owner: \"sig-node\")=+k8s:required\n\tA string `json:\"a\"`",
        ),
        // Graduation, judged for 1.37.
        v1("graduation-eligible", "\t// ‸+k8s:alpha(since: \"1.36\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1("graduation-eligible", "\t// ‸+k8s:beta(since: \"1.36\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1("graduation-eligible", "\t// +k8s:alpha(since: \"1.37\")=+k8s:required\n\tA string `json:\"a\"`"),
        v1(
            "graduation-eligible",
            "\t// +k8s:validation-lifecycle-exempt=\"issue 1\"\n\t// +k8s:alpha(since: \"1.36\")=+k8s:required\n\tA string `json:\"a\"`",
        ),
        // An alpha tag cannot go to beta; a beta tag cannot become standard in v1, but in v1beta1.
        v1(
            "graduation-eligible",
            "\t// +k8s:optional\n\t// +k8s:alpha(since: \"1.36\")=+k8s:neq=\"x\"\n\tA string `json:\"a\"`",
        ),
        v1("graduation-eligible", "\t// ‸+k8s:alpha(since: \"1.36\")=+k8s:forbidden\n\tA string `json:\"a\"`"),
        v1("graduation-eligible", "\t// +k8s:beta(since: \"1.36\")=+k8s:forbidden\n\tA string `json:\"a\"`"),
        of("graduation-eligible", BETA, "\t// ‸+k8s:beta(since: \"1.36\")=+k8s:forbidden\n\tA string `json:\"a\"`"),
        // Stability.
        v1("stability", "\t// ‸+k8s:forbidden\n\tA string `json:\"a\"`"),
        v1("stability", "\t// +k8s:optional\n\t// +k8s:eachVal=‸+k8s:neq=\"x\"\n\tA []string `json:\"a\"`"),
        v1("stability", "\t// +k8s:optional\n\t// +k8s:beta(since: \"1.37\")=‸+k8s:neq=\"x\"\n\tA string `json:\"a\"`"),
        v1("stability", "\t// +k8s:optional\n\t// +k8s:ifEnabled(X)=‸+k8s:neq=\"x\"\n\tA string `json:\"a\"`"),
        v1("stability", "\t// +k8s:ifEnabled(X)=+k8s:forbidden\n\tA string `json:\"a\"`"),
        v1("stability", "\t// +k8s:beta(since: \"1.37\")=+k8s:forbidden\n\tA string `json:\"a\"`"),
        v1("stability", "\t// +k8s:optional\n\t// +k8s:alpha(since: \"1.37\")=+k8s:neq=\"x\"\n\tA string `json:\"a\"`"),
        of("stability", BETA, "\t// +k8s:optional\n\t// ‸+k8s:neq=\"x\"\n\tA string `json:\"a\"`"),
        of("stability", BETA, "\t// +k8s:forbidden\n\tA string `json:\"a\"`"),
        of("stability", ALPHA, "\t// +k8s:optional\n\t// +k8s:neq=\"x\"\n\tA string `json:\"a\"`"),
        // Requiredness.
        v1("requiredness", "\t// +k8s:minimum=1\n\t‸A int32 `json:\"a\"`"),
        v1("requiredness", "\t// +k8s:optional\n\t// +k8s:minimum=1\n\tA int32 `json:\"a\"`"),
        v1(
            "requiredness",
            "\t// +k8s:alpha(since: \"1.37\")=+k8s:ifEnabled(X)=+k8s:required\n\t// +k8s:minimum=1\n\tA int32 `json:\"a\"`",
        ),
        v1("requiredness", "\t// +k8s:eachVal=+k8s:opaqueType\n\tA []string `json:\"a\"`"),
        v1("requiredness", "\t// +k8s:eachVal=+k8s:maxLength=2\n\t‸A []string `json:\"a\"`"),
        // Rules further down.
        v1("requiredness", "\t‸A *U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tB string `json:\"b\"`"),
        v1("requiredness", "\t‸A []U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tB string `json:\"b\"`"),
        v1(
            "requiredness",
            "\t‸A map[string]U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tB string `json:\"b\"`",
        ),
        v1("requiredness", "\t‸A Name `json:\"a\"`\n}\n\n// +k8s:maxLength=2\ntype Name string\n\ntype U struct {"),
        v1("requiredness", "\tA U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tB string `json:\"b\"`"),
        v1(
            "requiredness",
            "\t// +k8s:opaqueType\n\tA *U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tB string `json:\"b\"`",
        ),
        v1(
            "requiredness",
            "\t// +k8s:eachVal=+k8s:opaqueType\n\tA []U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tB string `json:\"b\"`",
        ),
        v1("requiredness", "\tA *U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`\n\tC *U `json:\"c\"`"),
        v1(
            "requiredness",
            "\t‸A *U `json:\"a\"`\n}\n\ntype U struct {\n\t‸C *U `json:\"c\"`\n\t// +k8s:required\n\tB string `json:\"b\"`",
        ),
        // Three states.
        v1("tri-state", "\t// +k8s:optional\n\t// ‸+k8s:required\n\tA string `json:\"a\"`"),
        v1("tri-state", "\t// +k8s:required\n\t// +k8s:beta(since: \"1.37\")=‸+k8s:forbidden\n\tA string `json:\"a\"`"),
        v1("tri-state", "\t// +k8s:required\n\t// +k8s:required\n\tA string `json:\"a\"`"),
        v1(
            "tri-state",
            "\t// +k8s:ifEnabled(X)=+k8s:optional\n\t// +k8s:ifEnabled(X)=‸+k8s:required\n\tA string `json:\"a\"`",
        ),
        v1(
            "tri-state",
            "\t// +k8s:ifEnabled(X)=+k8s:optional\n\t// +k8s:ifDisabled(X)=+k8s:forbidden\n\tA string `json:\"a\"`",
        ),
        v1("tri-state", "\t// +k8s:optional\n\t// +k8s:ifDisabled(X)=+k8s:forbidden\n\tA string `json:\"a\"`"),
        v1(
            "tri-state",
            "\t// +k8s:subfield(b)=+k8s:optional\n\t// +k8s:subfield(b)=‸+k8s:required\n\tA U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        v1(
            "tri-state",
            "\t// +k8s:subfield(b)=+k8s:optional\n\t// +k8s:subfield(c)=+k8s:required\n\tA U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`\n\tC string `json:\"c\"`",
        ),
        v1("tri-state", "\t// ‸+k8s:required\n\t// +default=\"x\"\n\tA string `json:\"a\"`"),
        v1("tri-state", "\t// ‸+k8s:required\n\t// +k8s:default=\"x\"\n\tA string `json:\"a\"`"),
        v1("tri-state", "\t// +k8s:optional\n\t// +default=\"x\"\n\tA string `json:\"a\"`"),
        v1("optional-default", "\t// ‸+k8s:optional\n\t// +default=\"x\"\n\tA string `json:\"a\"`"),
        v1("optional-default", "\t// +default=\"x\"\n\tA string `json:\"a\"`"),
        v1("optional-default", "\t// +k8s:optional\n\tA string `json:\"a\"`"),
        // Defaults.
        v1("default-value", "\t// +k8s:optional\n\t// +default=‸0\n\t// +k8s:minimum=1\n\tA *int32 `json:\"a\"`"),
        v1("default-value", "\t// +k8s:optional\n\t// +default=1\n\t// +k8s:minimum=1\n\tA *int32 `json:\"a\"`"),
        v1("default-value", "\t// +k8s:optional\n\t// +k8s:default=‸0\n\t// +k8s:minimum=1\n\tA *int32 `json:\"a\"`"),
        v1("default-value", "\t// +default=‸\"x\"\n\tA *int32 `json:\"a\"`"),
        v1("default-value", "\t// +default=‸300\n\tA uint8 `json:\"a\"`"),
        v1("default-value", "\t// +default=255\n\tA uint8 `json:\"a\"`"),
        v1(
            "default-value",
            "\t// +default=‸{\"c\":1}\n\tA *U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        v1(
            "default-value",
            "\t// +k8s:optional\n\t// +default=‸{}\n\tA *U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:required\n\tB string `json:\"b\"`",
        ),
        v1(
            "default-value",
            "\t// +k8s:optional\n\t// +default={}\n\tA *U `json:\"a\"`\n}\n\ntype U struct {\n\t// +k8s:optional\n\t// +default=\"x\"\n\tB string `json:\"b\"`",
        ),
        v1(
            "default-value",
            "\t// +k8s:optional\n\t// +default=‸\"c\"\n\tA Letter `json:\"a\"`\n}\n\n// +k8s:enum\ntype Letter string\n\nconst (\n\tA Letter = \"a\"\n\tB Letter = \"b\"\n)\n\ntype U struct {",
        ),
        v1(
            "default-value",
            "\t// +k8s:optional\n\t// +default=ref(B)\n\tA Letter `json:\"a\"`\n}\n\n// +k8s:enum\ntype Letter string\n\nconst (\n\tA Letter = \"a\"\n\tB Letter = \"b\"\n)\n\ntype U struct {",
        ),
        v1(
            "default-value",
            "\t// +k8s:optional\n\t// +default=‸\"abc\"\n\t// +k8s:ifEnabled(Short)=+k8s:maxLength=2\n\tA string `json:\"a\"`",
        ),
        // Go decodes defaults without looking at the case of names.
        v1(
            "default-value",
            "\t// +default=[{\"B\":\"x\"}]\n\tA []*U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        v1(
            "default-value",
            "\t// +default=‸[{\"B\":1}]\n\tA []*U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        // Fields of features that are off are wiped before validation.
        v1(
            "default-value",
            "\t// +k8s:ifEnabled(X)=+k8s:optional\n\t// +k8s:ifDisabled(X)=+k8s:forbidden\n\t// +default=1\n\tA *int32 `json:\"a\"`",
        ),
        // What a default needs to mean the same in a CRD.
        v1(
            "go-source",
            "\t// ‸+default={\n\t//   \"b\": 1}\n\tA *U `json:\"a,omitempty\"`\n}\n\ntype U struct {\n\tB int `json:\"b\"`",
        ),
        v1(
            "default-struct",
            "\t// +default=‸{\"b\":\"x\"}\n\tA U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        v1("default-struct", "\t// +default=‸{}\n\tA U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`"),
        v1(
            "default-struct",
            "\t// +default=‸{\"b\":\"x\"}\n\tA V `json:\"a\"`\n}\n\ntype V U\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        v1(
            "default-struct",
            "\t// +default={\"b\":\"x\"}\n\tA *U `json:\"a\"`\n\t// +default=[{}]\n\tC []U `json:\"c\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        v1(
            "default-struct",
            "\t‸A U `json:\"a\"`\n\tB *U `json:\"b\"`\n\tC V `json:\"c\"`\n}\n\n// +default={}\ntype V U\n\n// +default={\"b\":\"x\"}\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        well_known(
            "\t// +default=‸\"1Gi\"\n\tA resource.Quantity `json:\"a,omitempty\"`\n\t// +default=‸80\n\tB intstr.IntOrString `json:\"b,omitempty\"`\n\
             \t// +default=‸\"30s\"\n\tC Size `json:\"c,omitempty\"`",
        ),
        well_known(
            "\t// +default=\"1Gi\"\n\tA *resource.Quantity `json:\"a,omitempty\"`\n\t// +default=80\n\tB *intstr.IntOrString `json:\"b,omitempty\"`\n\
             \tC Size `json:\"c,omitempty\"`\n\t// +default=[\"1Gi\"]\n\tD []resource.Quantity `json:\"d,omitempty\"`",
        ),
        v1("default-omitempty", "\t// +default=‸\"x\"\n\tA string `json:\"a\"`"),
        v1(
            "default-omitempty",
            "\t// +default=‸true\n\tA bool `json:\"a\"`\n\t// +default=‸1\n\tB int32 `json:\"b\"`\n\t// +default=‸0.5\n\tC float64 `json:\"c\"`",
        ),
        v1(
            "default-omitempty",
            "\t// +default=‸ref(B)\n\tA Letter `json:\"a\"`\n}\n\ntype Letter string\n\nconst B Letter = \"b\"\n\ntype U struct {",
        ),
        v1(
            "default-omitempty",
            "\t// +default=\"x\"\n\tA string `json:\"a,omitempty\"`\n\t// +default=1\n\tB int32 `json:\"b,omitempty,omitzero\"`\n\t// +default=1\n\tC *int32 `json:\"c\"`\n\t// +default=0\n\tD int32 `json:\"d\"`\n\t// +default=[\"x\"]\n\tE []string `json:\"e\"`",
        ),
        // The generators do not read `omitzero`, and ask the type.
        v1("default-omitempty", "\t// +default=‸1\n\tA int32 `json:\"a,omitzero\"`"),
        v1(
            "default-omitempty",
            "\t‸A L `json:\"a\"`\n\tB L `json:\"b,omitempty\"`\n\tC *L `json:\"c\"`\n}\n\n// +default=\"x\"\ntype L string\n\ntype U struct {",
        ),
        // Of list items and map values, too, but not of pointers.
        v1(
            "default-omitempty",
            "\tA []L `json:\"a\"`\n\tB []*M `json:\"b\"`\n\tC []N `json:\"c\"`\n}\n\n// +default=\"x\"\ntype ‸L string\n\n\
             // +default=1\ntype M int32\n\n// +default=0\ntype N int32\n\ntype U struct {",
        ),
        v1(
            "zero-default",
            "\t// +default=‸0\n\tA int32 `json:\"a\"`\n\t// +default=‸\"\"\n\tB string `json:\"b\"`\n\t// +default=‸false\n\tC bool `json:\"c\"`",
        ),
        v1(
            "zero-default",
            "\t// +default=0\n\tA *int32 `json:\"a\"`\n\t// +default=\"\"\n\tB string `json:\"b,omitempty\"`\n\t// +default=1\n\tC int `json:\"c\"`",
        ),
        v1("struct-omitempty", "\t‸A U `json:\"a,omitempty\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`"),
        v1(
            "struct-omitempty",
            "\tA U `json:\"a,omitzero\"`\n\tB *U `json:\"b,omitempty\"`\n\tC []U `json:\"c,omitempty\"`\n\tD U `json:\"d\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`",
        ),
        // Rules of other fields say nothing about this default.
        v1("default-value", "\t// +default=1\n\tA int32 `json:\"a\"`\n\t// +k8s:required\n\tB string `json:\"b\"`"),
    ];
    for (tags, go_type) in [
        ("‸+k8s:minimum=0", "uint32"),
        ("‸+k8s:minimum=-2147483648", "int32"),
        ("‸+k8s:maximum=2147483647", "*int32"),
        ("‸+k8s:maximum=65535", "uint16"),
        ("+k8s:maximum=65535", "uint32"),
        ("+k8s:minimum=0", "int64"),
        ("+k8s:minimum=0", "int8"),
        ("+k8s:eachVal=‸+k8s:minimum=0", "[]uint64"),
        ("‸+k8s:minItems=0", "[]string"),
        ("‸+k8s:minLength=0", "string"),
        ("‸+k8s:minProperties=0", "map[string]string"),
        ("+k8s:maxItems=0", "[]string"),
        ("‸+k8s:minLength=1", "string"),
        ("+k8s:minLength=2", "string"),
        ("+k8s:minLength=1", "*string"),
        ("‸+k8s:minItems=1", "[]string"),
        ("‸+k8s:minProperties=1", "map[string]string"),
        ("+k8s:beta(since: \"1.37\")=‸+k8s:minimum=1", "uint32"),
        ("+k8s:minimum=1", "int32"),
        ("+k8s:ifEnabled(A)=‸+k8s:ifDisabled(A)=+k8s:maxLength=2", "string"),
        ("+k8s:ifEnabled(A)=+k8s:ifDisabled(B)=+k8s:maxLength=2", "string"),
        ("+k8s:eachVal=‸+k8s:update=NoModify", "[]string"),
        ("+k8s:eachVal=+k8s:update=NoModify", "map[string]string"),
    ] {
        for state in ["required", "optional"] {
            rows.push(v1("never-fires", &format!("\t// {tags}\n\t// +k8s:{state}\n\tA {go_type} `json:\"a\"`")));
        }
        // Without what stops the unset value first, and where it stops under an option only.
        if tags.ends_with("=1") {
            let tags = tags.replace(MARK, "");
            rows.push(v1("never-fires", &format!("\t// {tags}\n\tA {go_type} `json:\"a\"`")));
            rows.push(v1(
                "never-fires",
                &format!("\t// {tags}\n\t// +k8s:ifEnabled(X)=+k8s:optional\n\tA {go_type} `json:\"a\"`"),
            ));
        }
    }
    rows.extend([
        v1("never-fires", "\t// +k8s:optional\n\t// +default=\"\"\n\t// +k8s:minLength=1\n\tA string `json:\"a\"`"),
        v1("never-fires", "\t// +k8s:beta(since: \"1.37\")=+k8s:forbidden\n\t// ‸+k8s:maxLength=2\n\tA string `json:\"a\"`"),
        v1("never-fires", "\t// +k8s:beta(since: \"1.37\")=+k8s:forbidden\n\t// +k8s:beta(since: \"1.37\")=‸+k8s:format=k8s-uuid\n\tA string `json:\"a\"`"),
        // Rules that stop a field run beside one another.
        v1("never-fires", "\t// +k8s:beta(since: \"1.37\")=+k8s:forbidden\n\t// +k8s:immutable\n\tA string `json:\"a\"`"),
        v1("never-fires", "\t// +k8s:ifDisabled(X)=+k8s:forbidden\n\t// +k8s:maxLength=2\n\tA string `json:\"a\"`"),
        v1("never-fires", "\t// +k8s:subfield(b)=+k8s:required\n\t// +k8s:subfield(b)=‸+k8s:minLength=1\n\tA U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`"),
        v1("never-fires", "\t// +k8s:subfield(c)=+k8s:required\n\t// +k8s:subfield(b)=+k8s:minLength=1\n\tA U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`\n\tC string `json:\"c\"`"),
        v1("never-fires", "\t// +k8s:modeDiscriminator\n\tD string `json:\"d\"`\n\t// +k8s:ifMode(\"A\")=‸+k8s:eachVal=+k8s:maxLength=2\n\t// +k8s:ifMode(\"A\")=+k8s:maxItems=2\n\tA []string `json:\"a\"`"),
        v1("never-fires", "\t// +k8s:listType=map\n\t// +k8s:listMapKey=b\n\t// +k8s:eachVal=+k8s:update=NoModify\n\tA []U `json:\"a\"`\n}\n\ntype U struct {\n\tB string `json:\"b\"`"),
        // Tags that are not the type's.
        v1("detached-tags", "\tA L `json:\"a\"`\n}\n\n// ‸+k8s:enum\n\n// L is a letter.\ntype L string\n\ntype U struct {"),
        v1("detached-tags", "\tA L `json:\"a\"`\n}\n\n// +k8s:supportsSubresource=\"/status\"\n\n// +k8s:enum\ntype L string\n\ntype U struct {"),
        v1("typedef-tags", "\tA M `json:\"a\"`\n}\n\n// +k8s:maxLength=2\ntype L string\n\ntype ‸M L\n\ntype U struct {"),
        v1("typedef-tags", "\tA M `json:\"a\"`\n}\n\n// +k8s:maxLength=2\ntype L string\n\n// +k8s:maxLength=2\ntype M L\n\ntype U struct {"),
        v1("typedef-tags", "\tA M `json:\"a\"`\n}\n\n// +k8s:maxLength=2\ntype L string\n\ntype M = L\n\ntype U struct {"),
        // Names that nobody registered.
        v1("unknown-tag", "\t// ‸+k8s:requird\n\tA string `json:\"a\"`"),
        v1("unknown-tag", "\t// +k8s:required\n\t// +requird\n\t// +k8s:deprecated=b,protobuf=2\n\t// +k8s:deepcopy-gen=false\n\t// +k8s:openapi-model-package=io.example\n\t// +k8s:validation:maxLength=1\n\t// +k8s:validation-lifecycle-exempt=\"x\"\n\tA string `json:\"a\"`"),
    ]);
    rows
}

#[test]
fn mistakes_are_found_where_they_are_and_near_misses_are_none() {
    let settings = LintSettings {
        release: Some("1.37".parse::<Release>().unwrap()),
        deny: ["struct-omitempty"].into(),
        ..LintSettings::default()
    };
    let mut wrong = Vec::new();
    for Row { lint, package, go } in rows() {
        let (go, expected) = marks(&go);
        let report = lint_source(package, &go, &settings);
        // The package clause and a blank line come first.
        let expected: Vec<_> = expected.into_iter().map(|(line, column)| (line + 2, column)).collect();
        if places(&report, lint) != expected {
            wrong.push(format!("{lint} expected at {expected:?} of\n{go}{:#?}\n", shown(&report)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

#[test]
fn every_lint_has_a_mistake_and_a_near_miss() {
    let rows = rows();
    let names = |marked: bool| -> BTreeSet<&str> {
        rows.iter().filter(|row| row.go.contains(MARK) == marked).map(|row| row.lint).collect()
    };
    // Those that take several packages or a file of exceptions have tests of their own.
    let elsewhere = ["version-drift", "known-tags-only", "require-explicit-disablement", "unused-exception"];
    let all: BTreeSet<&str> = lints().map(|lint| lint.name).filter(|name| !elsewhere.contains(name)).collect();
    assert_eq!(names(true), all);
    assert_eq!(names(false), all);
}
