//! Judged panics are silent; every other panic still reaches the hook that the program had.

use std::panic::{catch_unwind, set_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::ErrorList;
use takeover_harness::judge::{Failure, run_oracle};
use takeover_harness::object::Node;
use takeover_harness::oracle::{Objects, Oracle, OracleFailure, Prepared, View};
use takeover_harness::schema::{Kind, Schema};

struct Panics;

impl Oracle for Panics {
    #[expect(clippy::panic, reason = "what is tested")]
    fn validate(&self, _: &Prepared<'_>, _: &mut ErrorList) -> Result<(), OracleFailure> {
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
    let case = Prepared {
        operation: Operation::Create,
        objects: Objects { schema: &schema, root, new: Node::Unset, old: None },
        options: &Options::new(),
        subresource: "",
        reference_view: View::none(),
        candidate_view: View::none(),
    };
    let failure = run_oracle(&Panics, &case, &mut ErrorList::new()).unwrap_err();
    assert!(matches!(failure, Failure::Panicked(panic) if panic.message == "judged"));
    assert_eq!(heard.load(Ordering::Relaxed), 0, "a judged panic");
    catch_unwind(|| panic!("not judged")).unwrap_err();
    assert_eq!(heard.load(Ordering::Relaxed), 1, "another panic of the same thread");
}
