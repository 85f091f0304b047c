//! What does not compile.

use super::support::Go::{self, *};
use takeover_declarative::CompileSettings;

const T: &str = "type T struct {\n\tN string `json:\"n\"`\n\tP []string `json:\"p\"`\n}\n\ntype M map[string]T\n";

/// Source and a part of the first message.
const REFUSED: &[(Go, &str)] = &[
    (Fields(&[("minimum=010", "a", "int32")]), "not a plain decimal"),
    (Fields(&[("minimum=+5", "a", "int32")]), "expected a tag name"),
    (Fields(&[("minimum=0x10", "a", "int32")]), "not a plain decimal"),
    (Fields(&[("minimum=2147483648", "a", "int32")]), "does not fit int32"),
    (Fields(&[("minimum=-1", "a", "uint32")]), "does not fit uint32"),
    (Fields(&[("minimum=-1", "a", "int8")]), "does not fit uint8"),
    (Fields(&[("minimum=1", "a", "float64")]), "integers only"),
    (Fields(&[("minimum=\"1\"", "a", "int32")]), "must be a int, not a string"),
    (Fields(&[("minimum", "a", "int32")]), "a value of type int is required"),
    (Fields(&[("minimum(x)=1", "a", "int32")]), "argument positional is not known"),
    (Fields(&[("maxLength=-1", "a", "string")]), "must not be negative"),
    (Fields(&[("maxLength=1", "a", "int32")]), "strings only"),
    (Fields(&[("maxItems=1", "a", "string")]), "lists only"),
    (Fields(&[("maxProperties=100001", "a", "map[string]string")]), "must not be above 100000"),
    (Fields(&[("format=k8s-ip", "a", "string")]), "`k8s-ip` is not known"),
    (Fields(&[("pattern=`(`", "a", "string")]), "is not a regular expression"),
    (Fields(&[("required=1", "a", "string")]), "takes no value"),
    (With(&[("required", "a", "T")], T), "structs by value"),
    (With(&[("optional", "a", "T")], T), "structs by value"),
    (With(&[("forbidden", "a", "T")], T), "structs by value"),
    (Fields(&[("enum", "a", "string")]), "cannot stand on struct fields"),
    (With(&[("", "a", "E")], "// +k8s:enum\ntype E int32\n"), "string types only"),
    (Fields(&[("neq=1", "a", "string")]), "cannot be compared"),
    (Fields(&[("monotonic", "a", "string")]), "integers only"),
    (Fields(&[("eachVal=+k8s:required", "a", "[]string")]), "cannot stand on list values"),
    (Fields(&[("eachVal=+k8s:minLength=0", "a", "[]string")]), "makes no rule"),
    (Fields(&[("eachVal=+k8s:nope", "a", "[]string")]), "`k8s:nope` is not known"),
    (Fields(&[("eachVal=+k8s:maxLenght=1", "a", "[]string")]), "did you mean `k8s:maxLength`?"),
    (Fields(&[("alpha(sinec: \"1.36\")=+k8s:minimum=0", "a", "int32")]), "did you mean `since`?"),
    (Fields(&[("format=k8s-long-nam", "a", "string")]), "did you mean `k8s-long-name`?"),
    (With(&[("subfield(pp)=+k8s:required", "a", "T")], T), "did you mean `p`?"),
    (Fields(&[("eachKey=+k8s:maxLength=1", "a", "[]string")]), "maps only"),
    (Fields(&[("update=Never", "a", "string")]), "is not a constraint"),
    (Fields(&[("update=NoAddItem", "a", "string")]), "lists and maps only"),
    (Fields(&[("update=NoModify", "a", "[]string")]), "not for lists and maps"),
    (Fields(&[("update=NoAddItem", "a", "[]string")]), "tell elements apart"),
    (With(&[("update=NoSet", "a", "T")], T), "always set"),
    (Fields(&[("listType=set;listType=set", "a", "[]string")]), "one `listType` at most"),
    (Fields(&[("listType=bag", "a", "[]string")]), "is not `atomic`"),
    (Fields(&[("listType=map", "a", "[]string")]), "only lists of structs"),
    (With(&[("listType=map", "a", "[]T")], T), "need `listMapKey`"),
    (With(&[("listType=map;listMapKey=p", "a", "[]T")], T), "not a scalar"),
    (With(&[("listType=map;listMapKey=q", "a", "[]T")], T), "no direct member `q`"),
    (With(&[("listType=set;listMapKey=n", "a", "[]T")], T), "`listMapKey` needs"),
    (Fields(&[("unique=set", "a", "[]string")]), "`listType` must be given"),
    (Fields(&[("listType=set;unique=set", "a", "[]string")]), "cannot stand beside"),
    (With(&[("listType=set", "a", "L")], "// +k8s:listType=set\ntype L []string\n"), "both the field and its type"),
    (With(&[("subfield(n)=+k8s:subfield(x)=+k8s:required", "a", "T")], T), "cannot be nested"),
    (With(&[("subfield(q)=+k8s:required", "a", "T")], T), "no direct member `q`"),
    (Fields(&[("subfield(q)=+k8s:required", "a", "string")]), "structs only"),
    (With(&[("item(n: \"x\")=+k8s:immutable", "a", "[]T")], T), "needs `listType=map`"),
    (With(&[("listType=map;listMapKey=n;item(n: 1)=+k8s:immutable", "a", "[]T")], T), "not of the member's type"),
    (With(&[("listType=map;listMapKey=n;item()=+k8s:immutable", "a", "[]T")], T), "needs the keys"),
    (With(&[("unionMember", "a", "T")], T), "pointers, lists, maps and scalars"),
    (Fields(&[("ifMode(\"A\")=+k8s:required", "a", "*int32")]), "discriminator is missing"),
    (Fields(&[("modeDiscriminator", "a", "*string")]), "strings and bools by value"),
    (
        Fields(&[("modeDiscriminator", "a", "string"), ("modeDiscriminator", "b", "string")]),
        "has a discriminator already",
    ),
    (Fields(&[("dependentRequired(\"a\")", "a", "*int32")]), "the field itself"),
    (Fields(&[("dependentRequired(\"b\")", "a", "*int32")]), "no sibling `b`"),
    (Fields(&[("ifEnabled=+k8s:required", "a", "string")]), "argument in parentheses is missing"),
    (Fields(&[("alpha", "a", "string")]), "a value of type tag is required"),
    (Fields(&[("alpha(since: \"v1\")=+k8s:required", "a", "string")]), "not a version"),
    (Fields(&[("alpha(since: 1)=+k8s:required", "a", "string")]), "must be a string"),
    (Fields(&[("optional;default=null", "a", "string")]), "must be JSON and not null"),
    (Fields(&[("optional;default=x", "a", "string")]), "must be JSON and not null"),
    (Fields(&[("validateError=\"boom\"", "a", "string")]), "forced error: `boom`"),
    (Fields(&[("minimum =1", "a", "int32")]), "unexpected character"),
    (Fields(&[("", "a", "[][]string")]), "lists of lists"),
    (Fields(&[("", "a", "map[string]*string")]), "maps of pointers"),
    (Fields(&[("maxProperties=1", "a", "map[string][]string")]), "maps of slices"),
];

#[test]
fn misused_tags_are_refused_with_their_place() {
    let wrong: Vec<String> = REFUSED
        .iter()
        .filter_map(|(go, message)| match go.compile(&CompileSettings::default()) {
            Ok(_) => Some(format!("{}compiles, expected {message}", go.source())),
            Err(diagnostics) => {
                let found: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
                // A tag that fails may leave others without what they need; all are reported.
                let right = found.iter().any(|text| text.contains(message))
                    && found.iter().all(|text| text.contains("types.go:"));
                (!right).then(|| format!("{}expected {message}, found {found:#?}", go.source()))
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), REFUSED.len(), wrong.join("\n"));
}

#[test]
fn strict_mode_refuses_what_the_generator_refuses() {
    let strict = CompileSettings { strict: true, ..CompileSettings::default() };
    for go in [
        Fields(&[("alpha(since: \"1.36\", owner: \"o\")=+k8s:required", "a", "string")]),
        Fields(&[("customValidation", "a", "string")]),
    ] {
        assert!(go.compile(&CompileSettings::default()).is_ok());
        assert!(go.compile(&strict).is_err());
    }
}

#[test]
fn unknown_tags_are_listed_and_no_rules() {
    let go = Fields(&[("requierd;validation-lifecycle-exempt=\"why\"", "a", "string")]);
    let oracle = go.compile(&CompileSettings::default()).expect("compiles");
    assert!(oracle.rules().is_empty());
    let ignored: Vec<&str> = oracle.ignored().iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(ignored, ["k8s:requierd"]);
}
