//! The cases that ship with the program, by subject: recorded objects, and the objects of recorded verdicts.

use std::collections::HashMap;
use takeover_corpora::fixture::{self, Fixture};
use takeover_corpora::recorded::cases_of;
use takeover_harness::case::{Case, Operation, Payload, Provenance};
use takeover_harness::pair::Pair;
use takeover_harness::runner::Input;
use takeover_harness::subject::SubjectId;

/// The inputs of a run over `pairs`.
pub fn inputs(pairs: &[Pair]) -> Vec<Input<'static>> {
    let mut inputs = Vec::new();
    for (index, cases) in pairs.iter().map(cases_of).enumerate() {
        // A subresource takes the objects of its kind to start from; only its updates are cases of it.
        let sub = pairs.get(index).is_some_and(|pair| !pair.id.subject.subresource.is_empty());
        let cases = cases.into_iter().filter(|case| !sub || case.operation == Operation::Update);
        inputs.extend(cases.map(|case| Input::Case { subject: index, case, shows: Vec::new() }));
    }
    let known: HashMap<&SubjectId, usize> =
        pairs.iter().enumerate().map(|(index, pair)| (&pair.id.subject, index)).collect();
    for (path, text) in fixture::builtin() {
        for (line, number) in text.lines().zip(1..) {
            // Lines of other forms, the comparison's own verdicts and a server's responses, hold no case of both sides.
            let Ok(fixture) = serde_json::from_str::<Fixture>(line) else { continue };
            let id = SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource);
            if let Some((index, pair)) = known.get(&id).and_then(|index| Some((*index, pairs.get(*index)?))) {
                inputs.push(Input::Case { subject: index, case: case(fixture, pair, path, number), shows: Vec::new() });
            }
        }
    }
    inputs
}

fn case(fixture: Fixture, pair: &Pair, path: &str, line: u64) -> Case<'static> {
    let mut names: Vec<String> =
        pair.rules.iter().flat_map(|rule| rule.options.iter().map(|(name, _)| name.clone())).collect();
    names.sort_unstable();
    names.dedup();
    Case {
        operation: fixture.operation,
        options: fixture.options.resolve(&names),
        object: Payload::from(fixture.object),
        old: fixture.old_object.filter(|_| fixture.operation == Operation::Update).map(Payload::from),
        provenance: Provenance::File { path: path.to_owned(), document: 0, line },
    }
}
