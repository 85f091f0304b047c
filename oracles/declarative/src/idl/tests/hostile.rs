use super::load;
use proptest::prelude::*;
use std::fmt::Write as _;
use takeover_harness::schema::Kind;

/// Go with everything the front end looks at, to mutate.
const SEED: &str = r#"
import (
	. "x.io/dot"
	m "x.io/m"
)

// +k8s:a=1

// +k8s:b(c: "d")=+k8s:e
type A struct {
	m.Meta `json:",inline"`
	*B
	// +default={"x": [1]}
	F, G map[string][]*C `json:"f,omitempty"` // +trailing
	H    P[string, []A]
	/* +block */
	I [4]func(chan int) interface{ M() }
}

type (
	B = struct{ X int "json:\"x\"" }
	C D
	D []byte
	P[K comparable, V any] struct { K K; V *V }
)

const (
	X D = "x" + (Y)
	Y   = D("y\x41")
	Z   = 1<<iota - m.N
	_
)

func f() { if x := <-c; x > 1 { go f() } }
"#;

#[test]
fn ten_thousand_fields_are_read() {
    let mut go = String::from("type A struct {\n");
    for i in 0..10_000 {
        writeln!(go, "\t// +k8s:minimum={i}\n\tF{i} int `json:\"f{i}\"`").unwrap();
    }
    go.push('}');
    let loaded = load(&go);
    assert!(loaded.diagnostics.is_empty());
    let id = loaded.idl.schema.lookup("p.A").unwrap();
    assert!(matches!(loaded.idl.schema.kind(id), Kind::Struct(fields) if fields.fields.len() == 10_000));
    assert_eq!(loaded.idl.types[id.0 as usize].fields[9_999].tags[0].text.as_ref(), "k8s:minimum=9999");
}

#[test]
fn deep_nesting_and_long_chains_end_in_a_graph_or_a_diagnostic() {
    let chain = |line: &dyn Fn(usize) -> String| (0..2_000).map(|i| line(i) + "\n").collect::<String>();
    let rows = [
        (format!("type A {}int", "[]".repeat(50_000)), false),
        (format!("type A {}int{}", "struct{ F ".repeat(5_000), "}".repeat(5_000)), false),
        (format!("const X = {}1{}", "(".repeat(20_000), ")".repeat(20_000)), true),
        (format!("const X = 1{}", "+1".repeat(20_000)), true),
        (chain(&|i| format!("type T{i} T{}", i + 1)) + "type T2000 struct{ F int }", true),
        (chain(&|i| format!("type T{i} = T{}", i + 1)) + "type T2000 int", false),
        (chain(&|i| format!("const C{i} = C{}", i + 1)) + "const C2000 = 1", true),
        (chain(&|i| format!("type T{i} struct{{ T{} }}", i + 1)) + "type T2000 struct{ F int }", true),
        ("type G[T any] struct{ A *G[[]T]; B *G[*T]; C *G[G[T]] }\ntype A G[int]".to_owned(), false),
    ];
    for (go, clean) in rows {
        let loaded = load(&go);
        let start: String = go.chars().take(40).collect();
        assert_eq!(loaded.diagnostics.is_empty(), clean, "{start}: {:?}", loaded.diagnostics.first());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in "(?s).{0,300}") {
        load(&text);
    }

    #[test]
    fn mutated_go_never_panics(
        edits in prop::collection::vec((0_usize..SEED.len(), 0_usize..40, "[a-zA-Z0-9_{}()\\[\\]*=+\"`/\\\\\n\t .,:;<-]{0,12}"), 1..8),
    ) {
        let mut go = SEED.to_owned();
        for (at, len, text) in edits {
            let at = at.min(go.len());
            let end = (at + len).min(go.len());
            if go.is_char_boundary(at) && go.is_char_boundary(end) {
                go.replace_range(at..end, &text);
            }
        }
        let loaded = load(&go);
        prop_assert_eq!(loaded.idl.schema.len(), loaded.idl.types.len());
        for (id, ty) in loaded.idl.schema.iter() {
            prop_assert!(!matches!(ty.kind, Kind::Unresolved), "{} is left open", ty.name);
            if let Kind::Struct(fields) = &ty.kind {
                prop_assert_eq!(fields.fields.len(), loaded.idl.types[id.0 as usize].fields.len());
            }
        }
    }

    #[test]
    fn loading_twice_gives_the_same(at in 0_usize..SEED.len()) {
        let mut go = SEED.to_owned();
        go.remove(at.min(go.len() - 1));
        let (first, second) = (load(&go), load(&go));
        prop_assert_eq!(super::outline(&first), super::outline(&second));
        prop_assert_eq!(super::messages(&first), super::messages(&second));
    }
}
