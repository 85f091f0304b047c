//! Whatever an expression is, it ends within its limits, with a value or an error.

#![expect(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use takeover_cel::check::Environment;
use takeover_cel::schema::declare;
use takeover_cel::value::{Shape, wrap};
use takeover_cel::{Bindings, Evaluation, Limits, Program};

const TOO_COSTLY: &str = "operation cancelled: actual cost limit exceeded";

fn environment() -> Environment {
    let schema = json!({"type": "object", "properties": {"s": {"type": "string"}}});
    Environment::new().with_declared("self", &Arc::new(declare(&schema, false).unwrap().unwrap()))
}

fn compile(text: &str) -> Result<Program, String> {
    Program::compile(text, &environment()).map_err(|error| error.to_string())
}

fn error(text: &str, limits: &Limits<'_>) -> String {
    let program = compile(text).unwrap();
    let Evaluation { value, .. } = program.evaluate(&Bindings::default(), limits);
    value.unwrap_err().message().to_owned()
}

#[test]
fn what_nests_too_deeply_is_refused() {
    for text in [
        "(".repeat(50_000),
        format!("{}1{}", "(".repeat(400), ")".repeat(400)),
        format!("{}1", "-".repeat(30_000)),
        format!("{}true", "!".repeat(30_000)),
        format!("{}1", "1+".repeat(40_000)),
        format!("self{}", ".a".repeat(40_000)),
        format!("self{}", "[0]".repeat(30_000)),
        format!("{}1", "true?1:".repeat(14_000)),
        format!("{}1{}", "[".repeat(300), "]".repeat(300)),
        format!("[]{}", ".map(x,[x])".repeat(9_000)),
    ] {
        let start = Instant::now();
        let refused = compile(&text).unwrap_err();
        assert!(!refused.is_empty());
        assert!(start.elapsed() < Duration::from_secs(10), "{} bytes took {:?}", text.len(), start.elapsed());
    }
}

#[test]
fn what_is_too_long_is_refused() {
    let refused = compile(&format!("'{}' == ''", "a".repeat(100_000))).unwrap_err();
    assert!(refused.contains("expression code point size exceeds limit: size: 100008, limit 100000"), "{refused}");
}

#[test]
fn wide_expressions_compile_and_run() {
    let list = format!("[{}].size() == 1000", vec!["1"; 1_000].join(","));
    let program = compile(&list).unwrap();
    assert!(program.evaluate(&Bindings::default(), &Limits::default()).value.is_ok());
    let logic = vec!["true"; 500].join(" && ");
    assert!(compile(&logic).unwrap().evaluate(&Bindings::default(), &Limits::default()).value.is_ok());
}

#[test]
fn bombs_of_cost_end_at_the_limit() {
    let ten = "[1,2,3,4,5,6,7,8,9,10]";
    let nested =
        format!("{ten}.all(a, {ten}.all(b, {ten}.all(c, {ten}.all(d, {ten}.all(e, {ten}.all(f, a + f > 0))))))");
    let limits = Limits { cost: Some(100_000), ..Limits::default() };
    assert_eq!(error(&nested, &limits), TOO_COSTLY);
    assert_eq!(error("lists.range(90000).map(x, x).size() > 0", &limits), TOO_COSTLY);
    let doubled = format!("{ten}{}.size() > 0", ".map(x, [x, x]).flatten()".repeat(14));
    assert_eq!(error(&doubled, &limits), TOO_COSTLY);
}

#[test]
fn loops_end_without_a_limit_of_cost() {
    let hundred = "lists.range(1000)";
    let text = format!("{hundred}.all(a, {hundred}.all(b, {hundred}.all(c, true)))");
    let limits = Limits { cost: None, turns: 50_000, interrupt: None };
    assert_eq!(error(&text, &limits), "operation interrupted");
    let stop = AtomicBool::new(true);
    let limits = Limits { cost: None, turns: u64::MAX, interrupt: Some(&stop) };
    assert_eq!(error(&text, &limits), "operation interrupted");
}

#[test]
fn long_ranges_are_refused_before_they_are_made() {
    assert!(error("lists.range(10000000000).size() > 0", &Limits::default()).starts_with("operation cancelled"));
}

#[test]
fn strings_do_not_grow_without_end() {
    let text = format!("'aaaaaaaaaa'{}.size() > 0", ".replace('a', 'aaaaaaaaaa')".repeat(30));
    assert!(error(&text, &Limits::default()).starts_with("operation cancelled"));
}

#[test]
fn patterns_take_bounded_time_and_memory() {
    let start = Instant::now();
    let schema = json!({"type": "object", "properties": {"s": {"type": "string"}}});
    let data = json!({"s": format!("{}!", "a".repeat(20_000))});
    let shape = Shape::of(&schema, false);
    let program = compile("self.s.matches('^(a+)+$')").unwrap();
    let bindings = Bindings::default().with("self", wrap(&data, &shape));
    assert!(program.evaluate(&bindings, &Limits::default()).value.is_ok());
    // What takes too much memory does not compile.
    let _ = compile("self.s.matches('((((a{1,100}){1,100}){1,100}){1,100})')");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn deep_data_is_compared_without_looking_deeper_than_it_is() {
    let schema = json!({"type": "object", "properties": {"s": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true}}});
    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({"a": deep});
    }
    let data = json!({"s": deep});
    let shape = Shape::of(&schema, false);
    let environment = Environment::new().with_declared("self", &Arc::new(declare(&schema, false).unwrap().unwrap()));
    let program = Program::compile("self == self", &environment).unwrap();
    let bindings = Bindings::default().with("self", wrap(&data, &shape));
    assert!(matches!(
        program.evaluate(&bindings, &Limits::default()).value,
        Ok(takeover_cel::value::Value::Bool(true))
    ));
}
