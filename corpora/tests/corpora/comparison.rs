//! The comparison against verdicts recorded from Kubernetes' own code.

use takeover_corpora::fixture::{RecordedComparison, builtin};
use takeover_harness::compare::{compare, mismatches};

#[test]
fn every_release_finds_the_mismatches_that_kubernetes_found_in_its_order() {
    let (_, texts) = builtin().iter().find(|(path, _)| path.ends_with("matcher.jsonl")).unwrap();
    let mut compared = 0;
    for line in texts.lines() {
        let fixture: RecordedComparison = serde_json::from_str(line).unwrap();
        let (handwritten, declarative) = (&fixture.handwritten, &fixture.declarative);
        for column in fixture.columns().unwrap() {
            let comparison = compare(handwritten, declarative, &column.matcher);
            let found = mismatches(&comparison, handwritten, declarative).map(|mismatch| column.text(&mismatch));
            assert_eq!(found.collect::<Vec<_>>(), column.recorded, "{} {}", fixture.id, column.name);
            compared += 1;
        }
    }
    assert_eq!(compared, 6 * 67, "verdicts compared");
}
