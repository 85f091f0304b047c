use super::{load, messages, outline, shape};
use takeover_harness::schema::Kind;

fn check(rows: &[(&str, &str)]) {
    for (go, expected) in rows {
        let loaded = load(go);
        assert!(loaded.diagnostics.is_empty(), "{go}\n{:?}", messages(&loaded));
        assert_eq!(outline(&loaded), *expected, "{go}");
    }
}

#[test]
fn definitions_name_what_they_are_over() {
    check(&[
        ("type A string", "A = named string"),
        ("type A []string", "A = named []string"),
        ("type A map[string][]*int32", "A = named map[string][]*int32"),
        ("type A []byte", "A = named []byte"),
        ("type A [4]int", "A = named [4]int"),
        ("type A [ 2 * 2 ]int", "A = named [2 * 2]int"),
        ("type A *int", "A = named *int"),
        ("type A (string)", "A = named string"),
        ("type (\n\tA string\n\tB A\n)", "A = named string\nB = named A"),
        ("type B A\ntype A string", "B = named A\nA = named string"),
        ("type A interface{ M() }", "A = Any"),
        ("type A func(int) string", "A = Any"),
        ("type A chan int", "A = Any"),
        ("type S []S", "S = named []p.S"),
        ("type string int\ntype A string", "string = named int\nA = named string"),
    ]);
}

#[test]
fn definitions_over_structs_are_structs_of_their_own() {
    check(&[
        ("type A struct{ F int }\ntype B A\ntype C B", "A = {F int as F}\nB = {F int as F}\nC = {F int as F}"),
        ("type C B\ntype B A\ntype A struct{ F int }", "C = {F int as F}\nB = {F int as F}\nA = {F int as F}"),
        (
            "type I struct{ X int }\ntype A struct{ I }\ntype B A",
            "I = {X int as X}\nA = {I I inlined}\nB = {I I inlined}",
        ),
    ]);
    let loaded = load("// +a\ntype A struct {\n\t// +f\n\tF int\n}\n// +b\ntype B A");
    let b = loaded.idl.schema.lookup("p.B").unwrap();
    let info = &loaded.idl.types[b.0 as usize];
    let tags: Vec<_> = info.tags.iter().map(|tag| tag.text.as_ref()).collect();
    assert_eq!(tags, ["b"]);
    assert_eq!(info.fields[0].tags[0].text.as_ref(), "f");
    assert_eq!(info.defined_over, loaded.idl.schema.lookup("p.A"));
}

#[test]
fn a_definition_over_a_predeclared_type_is_defined_over_nothing() {
    let loaded = load("type A string\ntype B A");
    let info = |name: &str| &loaded.idl.types[loaded.idl.schema.lookup(name).unwrap().0 as usize];
    assert_eq!(info("p.A").defined_over, None);
    assert_eq!(info("p.B").defined_over, loaded.idl.schema.lookup("p.A"));
}

#[test]
fn struct_tags_decide_names_and_presence() {
    let rows = [
        ("F int `json:\"f\"`", "F int as f"),
        ("F int `json:\"f,omitempty\"`", "F int as f?"),
        ("F int `json:\"f,omitzero\" protobuf:\"x\"`", "F int as f?"),
        ("F int \"json:\\\"f\\\"\"", "F int as f"),
        ("F int", "F int as F"),
        ("F int `json:\",omitempty\"`", "F int as F?"),
        ("F int `protobuf:\"x\"`", "F int as F"),
        ("F int `json:\"-\"`", "F int hidden"),
        ("F int `json:\"-,\"`", "F int as -"),
        ("f int `json:\"f\"`", "f int hidden"),
        ("A, B int `json:\"x\"`", "A int as x; B int as x"),
        ("_ int", "_ int hidden"),
        ("F int; G string", "F int as F; G string as G"),
        ("F struct{ G int } `json:\"f\"`", "F struct{ G int } as f"),
        ("F *[]map[string]*bool", "F *[]map[string]*bool as F"),
        ("F interface{}", "F any as F"),
        ("F any", "F any as F"),
        ("I", "I I inlined"),
        ("*I", "I *p.I inlined"),
        ("I `json:\"i\"`", "I I as i"),
        ("*I `json:\",inline\"`", "I *p.I inlined"),
        ("F I `json:\",inline\"`", "F I inlined"),
        ("I `json:\"-\"`", "I I hidden"),
        ("T", "T T as T"),
        ("*T `json:\",inline\"`", "T *p.T as T"),
        ("i", "i i inlined"),
        ("*i", "i *p.i hidden"),
        ("t", "t t hidden"),
        ("string", "string string hidden"),
        ("G[int]", "G G[int] inlined"),
        ("*G[int]", "G *p.G[int] inlined"),
    ];
    for (field, expected) in rows {
        let go = format!(
            "type A struct {{\n{field}\n}}\ntype I struct {{ X int }}\ntype i struct {{ X int }}\ntype T string\ntype t string\ntype G[P any] struct {{ Y P }}"
        );
        let loaded = load(&go);
        assert!(loaded.diagnostics.is_empty(), "{field}\n{:?}", messages(&loaded));
        let id = loaded.idl.schema.lookup("p.A").unwrap();
        assert_eq!(shape(&loaded.idl.schema, id), format!("{{{expected}}}"), "{field}");
        let Kind::Struct(fields) = loaded.idl.schema.kind(id) else { panic!("{field}") };
        assert_eq!(fields.fields.len(), loaded.idl.types[id.0 as usize].fields.len(), "{field}");
    }
}

#[test]
fn members_are_found_through_inlined_structs() {
    let loaded = load(
        "type A struct{ *B; Own int `json:\"own\"` }\ntype B struct{ C `json:\",inline\"` }\ntype C struct{ Deep int `json:\"deep\"` }",
    );
    let id = loaded.idl.schema.lookup("p.A").unwrap();
    let (_, a) = loaded.idl.schema.as_struct(id).unwrap();
    assert_eq!(a.member("own").unwrap().slots.as_ref(), [1]);
    assert_eq!(a.member("deep").unwrap().slots.as_ref(), [0, 0, 0]);
}

#[test]
fn aliases_are_the_type_they_stand_for() {
    check(&[
        ("type A = string\ntype B struct{ F A; G []A }", "A = named string\nB = {F string as F; G []string as G}"),
        ("type A = B\ntype B = C\ntype C struct{}\ntype D A", "A = named C\nB = named C\nC = {}\nD = {}"),
    ]);
    let loaded = load("type A = B\ntype B string");
    assert!(loaded.idl.types[loaded.idl.schema.lookup("p.A").unwrap().0 as usize].alias);
}

#[test]
fn generic_types_are_instantiated_where_they_are_used() {
    check(&[
        (
            "type G[T any] struct{ F T; L []T }\ntype A struct{ X G[string]; Y *G[int]; Z G[string] }",
            "A = {X G[string] as X; Y *p.G[int] as Y; Z G[string] as Z}\nG[string] = {F string as F; L []string as L}\nG[int] = {F int as F; L []int as L}",
        ),
        (
            "type P[K comparable, V any] map[K]V\ntype A P[string, bool]",
            "A = named P[string,bool]\nP[string,bool] = named map[string]bool",
        ),
        ("type G[T any] []T\ntype A = G[int]\ntype B A", "A = named G[int]\nB = named G[int]\nG[int] = named []int"),
        (
            "type G[T any] struct{ F T }\ntype A G[G[int]]",
            "A = {F G[int] as F}\nG[int] = {F int as F}\nG[p.G[int]] = {F G[int] as F}",
        ),
    ]);
}

#[test]
fn predeclared_types_have_their_widths() {
    let rows = [
        ("bool", "Bool"),
        ("string", "Text"),
        ("int", "Int { bits: 64, signed: true }"),
        ("int8", "Int { bits: 8, signed: true }"),
        ("uint16", "Int { bits: 16, signed: false }"),
        ("rune", "Int { bits: 32, signed: true }"),
        ("byte", "Int { bits: 8, signed: false }"),
        ("float32", "Float { bits: 32 }"),
        ("error", "Any"),
    ];
    for (name, kind) in rows {
        let loaded = load(&format!("type A {name}"));
        let id = loaded.idl.schema.lookup(name).unwrap();
        assert_eq!(format!("{:?}", loaded.idl.schema.kind(id)), kind);
        assert_eq!(loaded.idl.types[id.0 as usize].package.as_ref(), "");
    }
}

#[test]
fn unnamed_types_are_made_once() {
    let loaded = load("type A struct{ F, G []string; H *[]string }\ntype B []string");
    let lists = loaded.idl.schema.iter().filter(|(_, ty)| ty.name.as_ref() == "[]string").count();
    assert_eq!(lists, 1);
    assert_eq!(loaded.idl.schema.len(), loaded.idl.types.len());
}

#[test]
fn fields_of_pointers_take_the_default_of_their_type() {
    let types = "// +default=\"apple\"\ntype Fruit string\ntype Alias = Fruit\ntype Other Fruit\n// +default={\"n\":1}\ntype S struct{ N int `json:\"n\"` }\n\
                 // +default=ref(Plum)\ntype Named string\nconst Plum = \"plum\"\n// +default=[1]\ntype L []int\n\
                 // +default=\"kiwi\"\ntype P *string";
    for (field, expected) in [
        ("F Fruit", "F Fruit as F"),
        ("F *Fruit", "F *p.Fruit as F = \"apple\""),
        ("F *Alias", "F *p.Fruit as F = \"apple\""),
        ("F *Named", "F *p.Named as F = \"plum\""),
        ("F P", "F P as F = \"kiwi\""),
        ("F L", "F L as F"),
        ("F *S", "F *p.S as F = {\"n\":1}"),
        // The marker of the field wins; a definition over a named type inherits nothing.
        ("// +default=\"pear\"\nF Fruit", "F Fruit as F = \"pear\""),
        ("F S", "F S as F"),
        ("F *Other", "F *p.Other as F"),
        ("F []Fruit", "F []p.Fruit as F"),
    ] {
        let loaded = load(&format!("type A struct {{\n{field}\n}}\n{types}"));
        assert!(loaded.diagnostics.is_empty(), "{field}\n{:?}", messages(&loaded));
        let id = loaded.idl.schema.lookup("p.A").unwrap();
        assert_eq!(shape(&loaded.idl.schema, id), format!("{{{expected}}}"), "{field}");
    }
    let loaded = load("// +default=apple\ntype A string\n// +default=ref(Gone)\ntype B string");
    let found = messages(&loaded);
    assert!(found.len() == 2 && found[0].starts_with("1:") && found[1].contains("`Gone`"), "{found:?}");
}
