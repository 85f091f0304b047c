//! Compile errors, estimates and refusals, as API servers give them.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests stop at the first surprise, as tests do"
)]

use serde_json::{Value as Json, json};
use std::sync::Arc;
use takeover_cel::check::{Environment, check};
use takeover_cel::cost::{Range, estimate};
use takeover_cel::rules::{RefusalKind, SchemaRules, compile_schema};
use takeover_cel::schema::declare;
use takeover_cel::syntax::parse;

fn schema() -> Json {
    json!({"type": "object", "properties": {
        "a": {"type": "integer"},
        "s": {"type": "string", "maxLength": 10},
        "l": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 5}},
        "m": {"type": "object", "maxProperties": 3, "additionalProperties": {"type": "integer"}},
        "at": {"type": "string", "format": "date-time"},
        "any": {"x-kubernetes-int-or-string": true},
        "o": {"type": "object", "properties": {"namespace": {"type": "string"}}},
    }})
}

/// The type and the estimate of an expression, or the first line of what is wrong with it.
fn compiled(text: &str) -> Result<(String, Range), String> {
    let declared = Arc::new(declare(&schema(), false).unwrap().unwrap());
    let environment = Environment::new().with_declared("self", &declared).with_declared("oldSelf", &declared);
    let first = |errors: String| errors.lines().next().unwrap_or_default().replace("ERROR: <input>:", "");
    let ast = parse(text).map_err(|errors| first(errors.to_string()))?;
    let checked = check(&ast, &environment).map_err(|errors| first(errors.to_string()))?;
    Ok((checked.output().full_name(), estimate(&ast, &checked, &declared)))
}

#[test]
fn expressions_have_the_types_that_overloads_give() {
    for (text, ty) in [
        ("self.l.map(x, x.size())", "list(int)"),
        ("self.any == 1 ? 'a' : 'b'", "string"),
        ("[self.a, 2][0] + 1", "int"),
        ("{}", "map(dyn, dyn)"),
        ("self.?o.?namespace", "optional_type(string)"),
        ("self.l[?0].orValue('')", "string"),
        ("has(self.o.namespace) && self.o.__namespace__ == self.o.namespace", "bool"),
        ("self.m.transformList(k, v, v)", "list(int)"),
        ("type(self.at) == timestamp", "bool"),
        ("self.at - self.at", "google.protobuf.Duration"),
        ("ip.isCanonical(self.s) || cidr(self.s).ip() == ip(self.s)", "bool"),
        ("'%s %d'.format([self.s, self.a])", "string"),
    ] {
        assert_eq!(compiled(text).map(|(ty, _)| ty).as_deref(), Ok(ty), "{text}");
    }
}

#[test]
fn errors_are_those_of_api_servers() {
    for (text, error) in [
        ("self.zz", "1:5: undefined field 'zz'"),
        ("self.a.b", "1:7: type 'int' does not support field selection"),
        ("self.a == 1.5", "1:8: found no matching overload for '_==_' applied to '(int, double)'"),
        ("self.a + 's'", "1:8: found no matching overload for '_+_' applied to '(int, string)'"),
        ("self.s.reverse()", "1:15: found no matching overload for 'reverse' applied to 'string.()'"),
        ("self.a && true", "1:5: expected type 'bool' but found 'int'"),
        ("unknown", "1:1: undeclared reference to 'unknown' (in container '')"),
        ("math.abs(1)", "1:1: undeclared reference to 'math' (in container '')"),
        ("[1, 'a']", "1:5: expected type 'int' but found 'string'"),
        ("{'a': 1, 'b': true}", "1:15: expected type 'int' but found 'bool'"),
        ("quantity('1').x", "1:14: unexpected failed resolution of 'kubernetes.Quantity'"),
        (
            "self.a.all(x, true)",
            "1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        ("duration('x')", "1:10: invalid duration argument"),
        ("timestamp('x')", "1:11: invalid timestamp argument"),
        ("self.s.matches('(')", "1:16: invalid matches argument"),
        (
            "'%d'.format([1.5])",
            "1:14: error during formatting: decimal clause can only be used on integers, was given double",
        ),
        ("'%s'.format([1, 2])", "1:12: too many arguments supplied to string.format (expected 1, got 2)"),
    ] {
        assert_eq!(compiled(text).map(|(ty, _)| ty).unwrap_err(), error, "{text}");
    }
}

#[test]
fn estimates_follow_the_sizes_in_the_schema() {
    for (text, most) in [
        ("self.a > 5", 3),
        ("has(self.s)", 1),
        // 40 code points at most, a tenth each.
        ("self.s.startsWith('ab')", 3),
        ("self.s == self.s", 8),
        ("self.l.all(x, x.size() > 0)", 33),
        ("self.m.all(k, self.m[k] > 0)", 27),
        ("self.s.matches('^[a-z]+$')", 12),
    ] {
        assert_eq!(compiled(text).map(|(_, cost)| cost.max), Ok(most), "{text}");
    }
}

fn rules(schema: &Json) -> SchemaRules {
    compile_schema(schema, true, "S").unwrap()
}

fn with_rule(mut node: Json, rule: &str) -> Json {
    node["x-kubernetes-validations"] = json!([{"rule": rule}]);
    node
}

#[test]
fn rules_of_unbounded_lists_cost_as_often_as_they_may_run() {
    let item = with_rule(json!({"type": "string"}), "self.matches('^a+$')");
    let list = |bounds: Json| {
        let mut list = json!({"type": "array", "items": item});
        list.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        rules(&json!({"type": "object", "properties": {"l": list}}))
    };
    let unbounded = list(json!({}));
    let details: Vec<_> =
        unbounded.refusals.iter().map(|refusal| (refusal.field.as_str(), &refusal.detail[..46])).collect();
    let rule = "S.properties[l].items.x-kubernetes-validations[0].rule";
    assert_eq!(
        details,
        [
            (rule, "estimated rule cost exceeds budget by factor o"),
            (rule, "contributed to estimated rule cost total excee"),
            ("S", "x-kubernetes-validations estimated rule cost t"),
        ]
    );
    assert_eq!(unbounded.nodes[0].cardinality, None);
    assert_eq!(unbounded.nodes[0].rules[0].max_cardinality, 1_048_576);
    let bounded = list(json!({"maxItems": 10}));
    assert_eq!(bounded.refusals, []);
    assert_eq!(bounded.nodes[0].cardinality, Some(10));
}

#[test]
fn rules_that_no_server_accepts_are_refused() {
    let refused = |schema: Json| {
        let refusals = rules(&schema).refusals;
        refusals.into_iter().map(|refusal| (refusal.kind, refusal.field, refusal.detail)).collect::<Vec<_>>()
    };
    let property = |node: Json| json!({"type": "object", "properties": {"p": node}});
    let place = |name: &str| format!("S.properties[p].x-kubernetes-validations[0].{name}");
    let old =
        json!({"type": "array", "maxItems": 3, "items": with_rule(json!({"type": "integer"}), "self >= oldSelf")});
    assert_eq!(
        refused(property(old)),
        [(
            RefusalKind::Invalid,
            "S.properties[p].items.x-kubernetes-validations[0].rule".to_owned(),
            "oldSelf cannot be used on the uncorrelatable portion of the schema within S.properties[p]".to_owned()
        )]
    );
    let mut optional = with_rule(json!({"type": "integer"}), "self > 0");
    optional["x-kubernetes-validations"][0]["optionalOldSelf"] = json!(true);
    assert_eq!(
        refused(property(optional)),
        [(RefusalKind::Invalid, place("optionalOldSelf"), "may not be set if oldSelf is not used in rule".to_owned())]
    );
    assert_eq!(
        refused(property(with_rule(json!({"type": "integer"}), "self + 1"))),
        [(RefusalKind::Invalid, place("rule"), "cel expression must evaluate to a bool".to_owned())]
    );
    assert_eq!(
        refused(property(with_rule(json!({"type": "integer"}), "int('x') == self"))),
        [(
            RefusalKind::Invalid,
            place("rule"),
            "program instantiation failed: type conversion error from 'string' to 'int'".to_owned()
        )]
    );
    assert_eq!(
        refused(property(with_rule(json!({"type": "integer"}), " "))),
        [(RefusalKind::Required, place("rule"), "rule is not specified".to_owned())]
    );
    let untyped = with_rule(json!({"x-kubernetes-preserve-unknown-fields": true}), "true");
    assert_eq!(refused(property(untyped))[0].0, RefusalKind::Internal);
}

#[test]
fn hostile_expressions_end_within_limits() {
    let chain = (0..200).fold("self.a".to_owned(), |chain, _| format!("{chain} + 1"));
    assert_eq!(compiled(&chain).map(|(ty, _)| ty).as_deref(), Ok("int"));
    let loops = (0..8).fold("true".to_owned(), |inner, at| format!("self.l.all(x{at}, {inner})"));
    assert!(compiled(&loops).unwrap().1.max > 100_000);
    let range = "[0].map(a, lists.range(9223372036854775807)).all(b, b.all(c, c >= 0))";
    assert!(compiled(range).unwrap().1.max > 1 << 62);
    for hostile in [
        format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000)),
        "!".repeat(20_000),
        "self.a ".repeat(20_000),
        (0..3_000).fold("1".to_owned(), |chain, _| chain + "+1"),
        // Types that double with each step.
        (0..40).fold("[1]".to_owned(), |range, _| format!("{range}.map(x, {{x: x}})")),
        // Operands that macros copy double with each step.
        (0..40).fold("optional.of(1)".to_owned(), |range, at| format!("{range}.optMap(v{at}, v{at})")),
    ] {
        let shown: String = hostile.chars().take(30).collect();
        if let Ok((_, cost)) = compiled(&hostile) {
            assert!(cost.max < 10_000_000, "{shown}");
        }
    }
}

#[test]
fn hostile_schemas_end_within_limits() {
    let rule = json!([{"rule": "self.all(x, self.exists(y, x == y))"}]);
    let node = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": rule});
    let properties = (0..300).map(|at| (format!("p{at}"), node.clone())).collect::<serde_json::Map<_, _>>();
    let many = rules(&json!({"type": "object", "properties": properties}));
    assert_eq!(many.total, u64::MAX);
    assert_eq!(many.nodes.len(), 300);
    assert_eq!(many.refusals.len(), 300 + 4 + 1);
    let mut deep = with_rule(json!({"type": "string"}), "self == ''");
    for _ in 0..1_000 {
        deep = json!({"type": "array", "items": deep});
    }
    assert!(compile_schema(&deep, true, "S").is_err());
    let reference = with_rule(json!({"type": "object", "properties": {"a": {"$ref": "#"}}}), "true");
    let refusals = rules(&reference).refusals;
    assert_eq!(refusals.iter().map(|refusal| refusal.field.as_str()).collect::<Vec<_>>(), ["S.properties[a].$ref"]);
}
