use super::load;

/// Tags of every field and constant of `p.A` and of the type itself, as `name: tags | second closest`.
fn tags(go: &str) -> Vec<String> {
    let loaded = load(go);
    let info = &loaded.idl.types[loaded.idl.schema.lookup("p.A").unwrap().0 as usize];
    let join =
        |tags: &[super::super::TagLine]| tags.iter().map(|tag| tag.text.to_string()).collect::<Vec<_>>().join(",");
    let mut all = vec![format!("A: {} | {}", join(&info.tags), join(&info.second_closest))];
    all.extend(info.fields.iter().map(|field| format!("{}: {}", field.type_expression, join(&field.tags))));
    all.extend(info.constants.iter().map(|constant| format!("{}: {}", constant.name, join(&constant.tags))));
    all
}

#[test]
fn tags_belong_to_what_stands_below_them() {
    let rows: &[(&str, &[&str])] = &[
        ("// +a\ntype A string", &["A: a | "]),
        ("// +far\n\n// +near\ntype A string", &["A: near | far"]),
        ("// +above\ntype (\n\t// +a\n\tA string\n)", &["A: a | above"]),
        ("// +above\ntype (\n\tA string\n)", &["A:  | above"]),
        (
            "type A struct { // +brace\n\tF int // +trailing\n\tG int8\n\n\t// +far\n\n\t// +h\n\tH int16\n}",
            &["A:  | ", "int: brace", "int8: trailing", "int16: h"],
        ),
        ("type A struct {\n\t// +both\n\tF, G int\n}", &["A:  | ", "int: both", "int: both"]),
        (
            "type A struct {\n\t// +embedded\n\tB\n\t// +pointer\n\t*C\n}\ntype B struct{}\ntype C struct{}",
            &["A:  | ", "B: embedded", "*C: pointer"],
        ),
        (
            "type A string\nconst (\n\t// +x\n\tX A = \"x\"\n\n\tY A = \"y\"\n)\n// +z\nconst Z A = \"z\"",
            &["A:  | ", "X: x", "Y: ", "Z: z"],
        ),
        ("/* +a\n+b */\ntype A string", &["A: a,b | "]),
    ];
    for (go, expected) in rows {
        assert_eq!(tags(go), *expected, "{go}");
    }
}
