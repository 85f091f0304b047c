use super::super::ConstantValue;
use super::{load, messages};

#[test]
fn constants_belong_to_their_type_with_their_value() {
    let rows: &[(&str, &[&str])] = &[
        ("const X A = \"x\"", &["X=x"]),
        ("const X = A(\"x\")", &["X=x"]),
        ("const X = (A)(\"x\")", &["X=x"]),
        ("const X = \"x\"", &[]),
        ("const X string = \"x\"", &[]),
        ("const X, Y A = \"x\", `y`", &["X=x", "Y=y"]),
        ("const (\n\tX A = \"x\"\n\tY\n\tZ\n)", &["X=x", "Y=x", "Z=x"]),
        ("const (\n\tX A = \"x\"\n\tY = \"y\"\n)", &["X=x"]),
        ("const X A = \"a\" + \"b\" + prefix\nconst prefix = \"c\"", &["X=abc"]),
        ("const X A = Y\nconst Y A = \"y\"", &["X=y", "Y=y"]),
        ("const X = Y\nconst Y A = \"y\"", &["X=y", "Y=y"]),
        ("const X = Y + \"z\"\nconst Y A = \"y\"", &["X=yz", "Y=y"]),
        ("const _ A = \"x\"", &[]),
        ("const x A = \"x\"", &["x=x"]),
        ("const X B = 1", &[]),
        ("const X C = \"x\"", &["X=x"]),
        ("const X A = \"x\"\nfunc f() { const Y A = \"y\" }", &["X=x"]),
        ("const X = f(\"x\")\nconst Y A = A(f())\nfunc f(s string) string { return s }", &["Y=?Y"]),
        ("const X A = X", &["X=?X"]),
        ("const X A = Y\nconst Y A = X", &["X=?X", "Y=?Y"]),
    ];
    for (go, expected) in rows {
        assert_eq!(constants("A", go), *expected, "{go}");
    }
}

#[test]
fn integer_constants_are_computed() {
    let rows: &[(&str, &[&str])] = &[
        ("const (\n\tX B = iota\n\tY\n\tZ\n)", &["X=0", "Y=1", "Z=2"]),
        ("const (\n\t_ = iota\n\tX B = 1 << (10 * iota)\n\tY\n)", &["X=1024", "Y=1048576"]),
        ("const (\n\tX B = 5\n\t// comment\n\tY B = iota\n)", &["X=5", "Y=1"]),
        ("const (\n\tX, Y B = iota, -iota\n\tZ, W\n)", &["X=0", "Y=0", "Z=1", "W=-1"]),
        ("const X B = 0x10 | 1 &^ 1 ^ 2", &["X=18"]),
        ("const X B = 7 / 2 % 2 - 5 + +1 >> 1", &["X=-4"]),
        ("const X B = 1 / 0", &["X=?X"]),
        ("const X B = 9223372036854775807 + 1", &["X=?X"]),
        ("const X = B(3)", &["X=3"]),
        ("const X = 1 << B(3)", &[]),
        ("const X = B(1) == B(1)", &[]),
    ];
    for (go, expected) in rows {
        assert_eq!(constants("B", go), *expected, "{go}");
    }
    assert_eq!(constants("D", "const X D = !false && 1 < 2"), ["X=true"]);
}

/// Constants of a type as `name=value`; `?` before what is not evaluated.
fn constants(ty: &str, go: &str) -> Vec<String> {
    let loaded = load(&format!("type A string\ntype C = A\ntype B int\ntype D bool\n{go}"));
    assert!(loaded.diagnostics.is_empty(), "{go}\n{:?}", messages(&loaded));
    let id = loaded.idl.schema.lookup(&format!("p.{ty}")).unwrap();
    let show = |value: &ConstantValue| match value {
        ConstantValue::Text(text) => text.to_string(),
        ConstantValue::Int(number) => number.to_string(),
        ConstantValue::Bool(value) => value.to_string(),
        ConstantValue::Other(text) => format!("?{text}"),
    };
    loaded.idl.types[id.0 as usize].constants.iter().map(|c| format!("{}={}", c.name, show(&c.value))).collect()
}
