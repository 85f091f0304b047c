//! Oracles that are processes and do as they should.

use crate::support::{Fake, GOOD, ask, ask_about, ask_one, assert_says, in_words, schema, text, widget};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};
use takeover_external::exec::Exec;
use takeover_harness::case::{Operation, Options};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Batched, Decision, Detail, Objects, Oracle, Question, View};
use takeover_harness::subject::SubjectId;

#[test]
fn a_process_says_hello_and_answers() {
    let fake = Fake::new(GOOD);
    let exec = fake.start();
    assert_eq!(exec.hello().title(), "widget-oracle 1.2");
    assert_eq!(ask(&exec, &[1, -1, 2]), ["ok", "spec.replicas: Invalid value: -1: negative", "ok"]);
}

#[test]
fn a_batched_exec_is_an_oracle() {
    let fake = Fake::new(GOOD);
    let oracle: Box<dyn Oracle> = Box::new(Batched(fake.start()));
    assert_eq!((oracle.precision().detail, oracle.precision().batch.get()), (Detail::Errors, 64));
    let (schema, root) = schema();
    let (arena, options, value) = (Arena::new(), Options::new(), widget(-3));
    let new = from_value(&schema, root, &value, &arena).unwrap();
    let objects = Objects { schema: &schema, root, new, old: None, sent: None };
    let question = Question { operation: Operation::Create, objects, options: &options, subresource: "" };
    let mut answer = takeover_harness::oracle::Answer::new();
    oracle.answer(&question, &View::none(), &mut answer).unwrap();
    assert_eq!(answer.errors.len(), 1);
}

#[test]
fn a_question_is_written_as_the_protocol_has_it() {
    let fake = Fake::new(
        "hello()\nfor q in questions():\n    open(os.path.join(BESIDE, 'asked'), 'w').write(json.dumps(q))\n    say(judge(q))\n",
    );
    let exec = fake.start();
    let (schema, root) = schema();
    let arena = Arena::new();
    let mut options = Options::new();
    options.set("SomeGate", true);
    let (new, old) = (widget(1), widget(2));
    let node = |value| from_value(&schema, root, value, &arena).unwrap();
    let objects = Objects { schema: &schema, root, new: node(&new), old: Some(node(&old)), sent: None };
    let question = Question { operation: Operation::Update, objects, options: &options, subresource: "status" };
    assert_eq!(in_words(&exec.ask([&question])[0]), "ok");
    let asked: Value = serde_json::from_str(&text(&fake.file("asked"))).unwrap();
    assert_eq!(
        asked,
        json!({"id": 1, "operation": "update", "apiVersion": "shop.example.com/v1", "kind": "Widget",
            "subresource": "status", "object": widget(1), "oldObject": widget(2), "options": {"SomeGate": true}})
    );
}

#[test]
fn answers_may_come_in_any_order_and_lines_hold_at_most_a_batch() {
    let fake = Fake::new(
        "hello(batch=3, pending=8)\nheld = []\nfor several in lines():\n    assert len(several) <= 3\n    held += several\n    assert len(held) <= 8\n    \
         if len(held) >= 6 or number(several[-1]) == 19:\n        for q in reversed(held):\n            say(judge(q))\n        held = []\n",
    );
    let replicas: Vec<i64> = (0..20).collect();
    assert_eq!(ask(&fake.start(), &replicas), vec!["ok"; 20]);
}

#[test]
fn kinds_that_are_not_listed_are_not_asked() {
    let fake = Fake::new("hello(kinds=[{'apiVersion': 'v1', 'kind': 'Pod'}])\nfor q in questions(): say(judge(q))");
    let exec = fake.start();
    assert_eq!(ask_one(&exec, 1), "widget-oracle 1.2 does not judge shop.example.com/v1 Widget");
    assert_eq!(ask_one(&exec.judging(SubjectId::new("v1", "Pod")), 1), "ok");
    let deployment = exec.judging(SubjectId::new("apps/v1", "Deployment"));
    assert_eq!(ask_one(&deployment, 1), "widget-oracle 1.2 does not judge apps/v1 Deployment");
    let nothing = ask_about(&exec, &[json!({"spec": {"replicas": 1}})]);
    assert_eq!(in_words(&nothing[0]), "the object does not say its `apiVersion` and `kind`");
}

#[test]
fn failures_panics_decisions_and_objects_arrive_as_what_they_are() {
    let fake = Fake::new(
        "hello(answers='decision')\nfor q in questions():\n    say({'id': q['id'], **[{'failure': 'no idea'}, {'panic': 'nil map'}, \
         {'allowed': False, 'reason': 'small'}, {'allowed': True}][number(q)]})\n",
    );
    let exec = fake.start();
    assert_eq!(ask(&exec, &[0, 1, 2, 3]), ["no idea", "panic: nil map", "small", "ok"]);
    let fake =
        Fake::new("hello(answers='object')\nfor q in questions(): say({'id': q['id'], 'object': {'changed': 1}})");
    let exec = fake.start();
    assert_eq!(exec.hello().precision().detail, Detail::Object);
    let answer = ask_about(&exec, &[widget(1)]).remove(0).unwrap();
    assert_eq!(answer.object, Some(json!({"changed": 1})));
    assert!(!matches!(answer.decision, Some(Decision::Reject(_))));
}

#[test]
fn threads_share_processes_up_to_the_limit() {
    let mut fake = Fake::new(&format!("starts()\n{GOOD}"));
    fake.settings.processes = NonZeroUsize::new(2).unwrap();
    fake.settings.timeout = Duration::from_secs(20);
    let exec = fake.start();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(ask(&exec, &[1, -1])[0], "ok");
                }
            });
        }
    });
    assert!((1..=2).contains(&fake.starts()), "{}", fake.starts());
}

#[test]
fn folder_and_environment_are_set() {
    let mut fake = Fake::new(
        "say({'hello': {'protocol': 1, 'name': os.environ['NAME'] + os.path.basename(os.getcwd())}})\nsys.stdin.read()\n",
    );
    std::fs::create_dir(fake.file("here")).unwrap();
    fake.settings.folder = Some(fake.file("here"));
    fake.settings.environment.insert("NAME".to_owned(), "in-".to_owned());
    assert_eq!(fake.start().hello().name, "in-here");
}

#[test]
fn questions_larger_than_a_pipe_do_not_lock_up_with_answers_larger_than_a_pipe() {
    // It answers each question with more than a pipe holds before it reads on.
    let mut fake = Fake::new(
        "hello(pending=200)\nfor q in questions():\n    say({**judge(q), 'warnings': ['w' * 100000]})\n    sys.stderr.write('e' * 100000)\n",
    );
    fake.settings.timeout = Duration::from_secs(20);
    let mut object = widget(1);
    object["spec"]["name"] = json!("n".repeat(100_000));
    let results = ask_about(&fake.start(), &vec![object; 50]);
    assert!(results.iter().all(|result| in_words(result) == "ok"), "{:?}", in_words(&results[0]));
}

#[test]
fn large_objects_share_no_line() {
    let fake = Fake::new(
        "hello(batch=64)\nfor several in lines():\n    assert len(several) < 12\n    say({'answers': [judge(q) for q in several]})\n",
    );
    let mut object = widget(1);
    object["spec"]["name"] = json!("n".repeat(100_000));
    let results = ask_about(&fake.start(), &vec![object; 30]);
    assert!(results.iter().all(|result| in_words(result) == "ok"), "{:?}", in_words(&results[0]));
}

#[test]
fn a_question_that_fits_no_line_is_not_asked() {
    let fake = Fake::new(GOOD);
    let mut object = widget(1);
    object["spec"]["name"] = json!("n".repeat(64 << 20));
    let exec = fake.start();
    let results = ask_about(&exec, &[widget(1), object, widget(-1)]);
    let said: Vec<_> = results.iter().map(in_words).collect();
    assert_eq!(said, ["ok", "the question is longer than 64 MiB", "spec.replicas: Invalid value: -1: negative"]);
    assert_eq!(exec.incidents(), []);
}

#[test]
fn closing_standard_input_ends_processes_by_themselves() {
    let fake = Fake::new(&format!("{GOOD}\nopen(os.path.join(BESIDE, 'ended'), 'w').write('by itself')\n"));
    let exec = fake.start();
    assert_eq!(ask_one(&exec, 1), "ok");
    let begin = Instant::now();
    drop(exec);
    assert_eq!(text(&fake.file("ended")), "by itself");
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_command_that_does_not_exist_says_so() {
    let mut fake = Fake::new("");
    fake.settings.command = vec!["/no/such/oracle".to_owned(), "-v".to_owned()];
    let error = Exec::start(fake.settings.clone()).err().unwrap().to_string();
    assert_says(&error, "failed to start the oracle `/no/such/oracle -v`: No such file or directory");
    fake.settings.command.clear();
    assert_says(&Exec::start(fake.settings.clone()).err().unwrap().to_string(), "the command is empty");
}
