use super::super::{IdlFault, Loader, Memory};
use super::{load, messages};
use miette::Diagnostic as _;

#[test]
fn faults_are_reported_where_they_stand() {
    let rows: &[(&str, &[&str])] = &[
        ("type A struct {\n\tF Missing\n}", &["2:4: type `Missing` is not declared in package `p`"]),
        ("type A string /* never ends\n", &["1:15: syntax error: comment or raw string without an end"]),
        (
            "type A string\ntype B `",
            &["2:1: syntax error: unexpected `type`", "2:8: syntax error: comment or raw string without an end"],
        ),
        ("type A struct {\n\tF x.Y\n}", &["2:4: `x` is not the name of an imported package"]),
        (
            "type A struct {\n\tF []*One\n\tG map[string]Two\n}",
            &["2:7: type `One` is not declared in package `p`", "3:15: type `Two` is not declared in package `p`"],
        ),
        ("type A string\n\ntype A int", &["3:6: `A` is declared twice in this package; this declaration is ignored"]),
        ("type A string\nconst A = 1", &["2:7: `A` is declared twice in this package; this declaration is ignored"]),
        ("type A B\ntype B A", &["1:6: type is defined over itself", "2:6: type is defined over itself"]),
        ("type A = B\ntype B = A", &["1:6: alias `A` stands for itself"]),
        ("type A struct {\n\tF int\n\tG A\n}", &["3:2: type contains itself; put a pointer, a list or a map between"]),
        (
            "type A struct{ F B }\ntype B struct{ F C }\ntype C A",
            &["1:16: type contains itself; put a pointer, a list or a map between"],
        ),
        ("type A *A", &["1:6: type contains itself; put a pointer, a list or a map between"]),
        ("type G[T any] struct{ F *G[[]T] }\ntype A G[int]", &["1:26: generic type `G` is instantiated without end"]),
        (
            "type G[T any] struct{ F T }\ntype A G[int, string]",
            &["2:8: generic type `G` takes 1 type arguments, not 2"],
        ),
        (
            "type G[T any] struct{ F T }\ntype A struct{ F G }",
            &["2:18: generic type `G` takes 1 type arguments, not 0"],
        ),
        (
            "type A struct {\n\t// text\n\t// +default=oops\n\tF string\n}",
            &["3:5: `oops` is no JSON value: expected value at line 1 column 1"],
        ),
        (
            "type A struct {\n\t// +default={}\n\tNext *A\n\t// +default=1\n\tN *int\n}",
            &["2:5: `Next`: default contains itself: what it sets takes the same default again, without end"],
        ),
        (
            "type A struct {\n\t// +default={\"Next\": {\"In\": {\"N\": 0, \"Other\": 1}}}\n\tIn B\n}\ntype B struct {\n\tN int\n\tNext *A\n}",
            &["2:5: `In`: default contains itself: what it sets takes the same default again, without end"],
        ),
        (
            "type A struct {\n\t// +default={\"Next\": {\"In\": {\"N\": 1}}}\n\tIn B\n}\ntype B struct {\n\tN int\n\tNext *A\n}",
            &[],
        ),
        ("type A struct {\n\t*B `json:\",inline\"`\n}\ntype B struct {\n\t// +default={}\n\tP *A\n}", &[]),
        (
            "type A struct {\n\t// +default=[{}]\n\tB []B\n\t// +default={\"c\": {}}\n\tD *D\n}\n\
             type B struct {\n\t// +default={\"x\": {\"B\": null}}\n\tAs map[string]*A\n}\n\
             type D struct {\n\t// +default={}\n\tC *C\n}\ntype C struct{ D *D }",
            &[
                "2:5: `B`: default contains itself: what it sets takes the same default again, without end",
                "8:5: `As`: default contains itself: what it sets takes the same default again, without end",
            ],
        ),
        (
            "type A struct {\n\t// +default={\"B\": {\"A\": {\"B\": {}}}}\n\tB *B\n\t// +default=[]\n\tAll []A\n}\n\
             type B struct{ A *A }\n// +default={}\ntype E struct{ E *E }",
            &["8:4: `E`: default contains itself: what it sets takes the same default again, without end"],
        ),
        ("type A struct {\n\t// +default=null\n\tF string\n}", &["2:5: `+default=null` sets nothing"]),
        (
            "type A struct {\n\t// +default\n\tF int\n}",
            &["2:5: `` is no JSON value: EOF while parsing a value at line 1 column 0"],
        ),
        (
            "type A struct {\n\t// +default=1\n\t// +default=2\n\tF int\n}",
            &["3:5: a field or type has one `+default` marker at most"],
        ),
        ("type A struct {\n\t// +default=ref(Nope)\n\tF int\n}", &["2:5: `Nope` is not a constant with a known value"]),
        (
            "type A struct {\n\tF int `json:\"a`\n}",
            &["2:8: struct tag is not in the form `key:\"value\" key:\"value\"`, so Go does not see its `json` key"],
        ),
        (
            "type A struct {\n\tF int `json:\"a,string\"`\n}",
            &["2:8: the `string` option of a struct tag is ignored: the value is read unquoted"],
        ),
    ];
    for (go, expected) in rows {
        assert_eq!(messages(&load(go)), *expected, "{go}");
    }
}

#[test]
fn every_syntax_error_is_reported_and_the_rest_is_read() {
    let loaded = load("type A struct {\n\tF int int\n}\n\ntype B string\n\ntype C struct {\n\tG [string\n}\n");
    let lines: Vec<u32> = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.fault() == IdlFault::Syntax)
        .map(|diagnostic| diagnostic.position().unwrap().line - 1)
        .collect();
    assert!(lines.contains(&2), "{:?}", messages(&loaded));
    assert!(lines.iter().any(|line| (7..=9).contains(line)), "{:?}", messages(&loaded));
    assert!(loaded.idl.schema.lookup("p.B").is_some());
    assert!(loaded.into_result().is_err());
}

#[test]
fn a_diagnostic_shows_file_place_and_source_line() {
    let loaded = load("type A struct {\n\tF Missing // why\n}");
    let diagnostic = &loaded.diagnostics[0];
    assert_eq!(diagnostic.to_string(), "p/types.go:3:4: type `Missing` is not declared in package `p`");
    assert_eq!(diagnostic.source_line(), Some("\tF Missing // why"));
    let label = diagnostic.labels().unwrap().next().unwrap();
    let read = diagnostic.source_code().unwrap().read_span(label.inner(), 0, 0).unwrap();
    assert_eq!(std::str::from_utf8(read.data()).unwrap(), "Missing");
    assert_eq!(read.name(), Some("p/types.go"));
    assert_eq!((label.offset(), label.len()), (29, "Missing".len()));
}

#[test]
fn a_package_that_is_asked_for_must_be_there() {
    let loaded = Loader::new().with(Memory::new()).load(["x.io/none"]);
    assert_eq!(messages(&loaded), ["package `x.io/none` is not below any types root, or has no Go files"]);
    let error = loaded.into_result().unwrap_err();
    assert_eq!(error.diagnostics()[0].fault(), IdlFault::MissingPackage);
}

#[test]
fn warnings_do_not_fail_a_load() {
    assert!(load("type A struct {\n\tF int `json`\n}").into_result().is_ok());
}

#[test]
fn errors_name_the_first_fault_and_count_the_rest() {
    let error = load("type A B\ntype C D").into_result().unwrap_err();
    assert_eq!(error.to_string(), "p/types.go:2:8: type `B` is not declared in package `p` (and 1 more)");
}
