//! Judged panics are silent; every other panic still reaches the hook that the program had.

use std::panic::{catch_unwind, set_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use takeover_harness::case::{Operation, Options};
use takeover_harness::judge::{NoAnswer, ask};
use takeover_harness::object::Node;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Question, View};
use takeover_harness::schema::{Kind, Schema};

struct Panics;

impl Oracle for Panics {
    #[expect(clippy::panic, reason = "what is tested")]
    fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
        panic!("judged")
    }
}

#[test]
fn the_hook_of_the_program_hears_all_panics_but_judged_ones() {
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&heard);
    set_hook(Box::new(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    }));
    let mut schema = Schema::new();
    let root = schema.add("Text", Kind::Text);
    let question = Question {
        operation: Operation::Create,
        objects: Objects { schema: &schema, root, new: Node::Unset, old: None, sent: None },
        options: &Options::new(),
        subresource: "",
    };
    let failure = ask(&Panics, &question, &View::none(), &mut Answer::new()).unwrap_err();
    assert!(matches!(failure, NoAnswer::Panicked(panic) if panic.message == "judged"));
    assert_eq!(heard.load(Ordering::Relaxed), 0, "a judged panic");
    catch_unwind(|| panic!("not judged")).unwrap_err();
    assert_eq!(heard.load(Ordering::Relaxed), 1, "another panic of the same thread");
}
