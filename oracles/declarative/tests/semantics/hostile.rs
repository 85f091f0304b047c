//! Types and tags made to hurt: they end in a result or a diagnostic.

use super::support::compile_source;
use std::fmt::Write;
use takeover_declarative::Diagnostic;

const RULE: &str = "\t// +k8s:minimum=1\n\tD int32 `json:\"d\"`\n";

fn messages(source: &str) -> Result<usize, String> {
    let shown = |all: Vec<Diagnostic>| all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    compile_source(source).map(|oracle| oracle.rules().len()).map_err(shown)
}

/// `S` holds `T1`, which holds `T2`, and so on.
fn nested(depth: usize) -> String {
    let mut source = "package t\n\ntype S struct {\n\tX T1 `json:\"x\"`\n}\n\n".to_owned();
    for level in 1..=depth {
        write!(source, "type T{level} struct {{\n\tX T{} `json:\"x\"`\n}}\n\n", level + 1).expect("text grows");
    }
    write!(source, "type T{} struct {{\n{RULE}}}\n", depth + 1).expect("text grows");
    source
}

#[test]
fn deep_types_compile_to_a_bound_and_no_further() {
    assert_eq!(messages(&nested(80)), Ok(1));
    assert!(messages(&nested(1000)).is_err_and(|text| text.contains("nest more than 100 deep")));
}

#[test]
fn long_paths_through_flat_types_are_refused() {
    let mut source = "package t\n\ntype S struct {\n".to_owned();
    for level in (1..=400).rev() {
        writeln!(source, "\tF{level} T{level} `json:\"f{level}\"`").expect("text grows");
    }
    source.push_str("}\n\n");
    for level in 1..400 {
        write!(source, "type T{level} struct {{\n\tX T{} `json:\"x\"`\n}}\n\n", level + 1).expect("text grows");
    }
    write!(source, "type T400 struct {{\n{RULE}}}\n").expect("text grows");
    assert!(messages(&source).is_err_and(|text| text.contains("goes through more than")));
}

#[test]
fn types_with_exponentially_many_paths_compile() {
    let mut source = "package t\n\ntype S struct {\n\tX T0 `json:\"x\"`\n}\n\n".to_owned();
    for level in 0..24 {
        let next = level + 1;
        write!(source, "type T{level} struct {{\n\tA T{next} `json:\"a\"`\n\tB T{next} `json:\"b\"`\n}}\n\n")
            .expect("text grows");
    }
    write!(source, "type T24 struct {{\n{RULE}}}\n").expect("text grows");
    assert!(messages(&source).is_ok());
}

#[test]
fn long_chains_compile_to_a_bound_and_no_further() {
    let chained = |count: usize| {
        let chain = "k8s:alpha=+".repeat(count);
        format!("package t\n\ntype S struct {{\n\t// +{chain}k8s:minimum=1\n\tD int32 `json:\"d\"`\n}}\n")
    };
    assert_eq!(messages(&chained(63)), Ok(1));
    assert!(messages(&chained(1000)).is_err_and(|text| text.contains("more than 64 tags")));
}

#[test]
fn many_fields_with_rules_compile() {
    let mut source = "package t\n\ntype S struct {\n".to_owned();
    for field in 0..10_000 {
        writeln!(source, "\t// +k8s:minimum=1\n\tF{field} int32 `json:\"f{field}\"`").expect("text grows");
    }
    source.push_str("}\n");
    assert_eq!(messages(&source), Ok(10_000));
}

#[test]
fn a_file_of_five_megabytes_compiles() {
    let mut source = "package t\n\ntype S struct {\n\tX T0 `json:\"x\"`\n}\n\n".to_owned();
    let mut types = 0;
    while source.len() < 5 << 20 {
        // Every tenth type leads on to the next; the others are there to be read.
        let next = if types % 10 == 0 && types < 500 { types + 10 } else { types };
        write!(
            source,
            "// T{types} stands for the many types of a large package.\n//\n// +k8s:validateTrue=\"T\"\n\
             type T{types} struct {{\n{RULE}\tNext *T{next} `json:\"next,omitempty\"`\n}}\n\n"
        )
        .expect("text grows");
        types += 1;
    }
    // The rules of 51 types: one on each, one on its field.
    assert_eq!(messages(&source), Ok(102));
}
