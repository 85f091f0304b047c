//! One response of a live API server, side by side with what a user would get from us.

use super::judging::{Line, disagreements};
use super::objects::printed_by_us;
use super::oracles::{AsRecorded, Made, Told, told};
use super::sides::{OBJECTS, Refusal, decoding};
use crate::target::Target;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_corpora::fixture::{FixtureOptions, Live, Recorded};
use takeover_harness::authority::{AuthorityPolicy, LifecycleGates, LifecycleRelease};
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, Edit, FieldValidation, Node};
use takeover_harness::oracle::{Objects, Question};
use takeover_harness::pair::Pair;
use takeover_oracles::handwritten::strategy::RANDOM_NAME;
use takeover_reports::conform::{Agreement, CAUSES, DECODE, FixtureExample, STORED};

/// Metadata that the server makes up, whatever was sent.
const MADE_UP: [&str; 6] = ["uid", "creationTimestamp", "resourceVersion", "generation", "managedFields", "selfLink"];

/// The kinds that are compared ran in the shadow of their handwritten checks in 1.36.
const POLICY: LifecycleRelease = LifecycleRelease::V1_36 { enforcement: false };

/// Judges `live` with `target`, which must have both sides.
pub(super) fn judge(live: &Live, target: &Target, place: &str, bytes: usize, agreement: &mut Agreement) {
    let refused = match live.expect.http_code {
        200 | 201 | 422 => None,
        400 if live.expect.message.contains("cannot be handled as a") => Some(live.expect.message.as_str()),
        code => {
            agreement.skip(format!("rejected by the live server with HTTP {code}, before validation"));
            return;
        }
    };
    let operation = live.operation();
    if operation == Operation::Create && live.expect.stored.is_some() && !target.user_fields().is_empty() {
        let members = target.user_fields().join("`, `");
        agreement.skip(format!("not judged, needs the requesting user: `{members}` of a new object"));
    }
    let name = operation.to_string();
    let mut count = |side: &str, lines: Vec<Line>| {
        let example = |detail| FixtureExample { place: place.to_owned(), id: live.id.clone(), bytes, detail };
        agreement.count(&target.name, side, &name, lines, example);
    };
    let arena = Arena::new();
    // Unless it is asked for more, a server drops unknown fields with a warning.
    let new = target.decode_with(&live.object, FieldValidation::Warn, &arena);
    let old = live.old_object.as_ref().filter(|_| operation == Operation::Update);
    let old = old.map(|old| target.decode_with(old, FieldValidation::Warn, &arena)).transpose();
    let (Ok(new), Ok(old)) = (&new, &old) else {
        let ours = new.as_ref().err().or(old.as_ref().err()).map(Refusal::from);
        count(DECODE, decoding(target, operation, refused, ours));
        return;
    };
    let defaulted = |node| target.defaulted(node, &arena);
    let subresource = &target.subresource;
    let (new, old) = (defaulted(*new), old.map(defaulted));
    let objects = Objects { schema: target.schema(), root: target.root, new, old, sent: None };
    let objects = target.prepare(operation, subresource, objects, &arena);
    // What has no form in the server's internal version is refused like what is no JSON of the kind. What the server accepts
    // has one, and what we make of it is compared below.
    let unconvertible =
        target.reference().filter(|_| refused.is_some()).and_then(|reference| reference.view(&objects, &arena).err());
    let ours = unconvertible.map(|failure| Refusal { why: "no internal form".to_owned(), text: failure.to_string() });
    count(DECODE, decoding(target, operation, refused, ours));
    if refused.is_some() {
        return;
    }
    let options = FixtureOptions::None.resolve(&target.options);
    let question = Question { operation, objects, options: &options, subresource };
    if let Some(stored) = &live.expect.stored {
        count(STORED, storing(target, &question, stored, &arena));
    }
    match live.expect.causes.iter().map(told).collect() {
        Some(causes) => count(CAUSES, telling(target, &question, causes)),
        None => agreement.skip("response of a live server with an error of unknown type"),
    }
}

/// What the server told its user, and what ours would have told; outside of the delegated parts.
fn telling(target: &Target, question: &Question<'_>, recorded: Vec<FieldError>) -> Vec<Line> {
    let Some(reference) = target.reference() else {
        return vec![("no handwritten reference".to_owned(), String::new())];
    };
    let policy = AuthorityPolicy::Lifecycle(LifecycleGates::of(POLICY));
    let ours = Told {
        reference: Arc::clone(reference),
        candidate: Arc::clone(&target.candidate),
        policy,
        matcher: target.matcher.clone().at(policy.semantics()).candidates(policy.candidates()),
    };
    let ours = AsRecorded { oracle: ours, recorded: recorded.clone(), marks: BTreeSet::new() };
    let pair = target.pair(Recorded::errors(recorded), ours, Comparator::Verbatim);
    disagreements(&Pair { delegated: target.delegated.clone(), ..pair }, question)
}

/// The stored object and ours, in what the request determines.
fn storing(target: &Target, question: &Question<'_>, stored: &Value, arena: &Arena) -> Vec<Line> {
    let operation = question.operation;
    let has_random_name = has_random_name(target, question.objects.new, arena);
    let stored = printed_by_us(target, stored, FieldValidation::Warn, |target, node, arena| {
        determined(target, operation, has_random_name, node, arena)
    });
    let ours = Made { recorded: stored.as_ref().ok().cloned() };
    let new = determined(target, operation, has_random_name, question.objects.new, arena);
    let question = Question { objects: Objects { new, ..question.objects }, ..*question };
    disagreements(&target.pair(Recorded::object(stored), ours, OBJECTS), &question)
}

fn has_random_name(target: &Target, object: Node<'_>, arena: &Arena) -> bool {
    let meta = Edit::new(target.schema(), arena, target.root, object).inside("metadata");
    meta.is_some_and(|meta| meta.text("name") == RANDOM_NAME)
}

/// An object without what the server makes up.
fn determined<'a>(
    target: &'a Target,
    operation: Operation,
    has_random_name: bool,
    object: Node<'a>,
    arena: &'a Arena,
) -> Node<'a> {
    let user_fields = if operation == Operation::Create { target.user_fields() } else { &[] };
    let mut object = Edit::new(target.schema(), arena, target.root, object);
    for (part, member) in user_fields.iter().filter_map(|path| path.split_once('.')) {
        object.edit(part, |part| part.clear(member));
    }
    object.edit("metadata", |meta| {
        MADE_UP.iter().for_each(|name| meta.clear(name));
        if has_random_name || !meta.text("generateName").is_empty() {
            meta.clear("name");
        }
    });
    object.finish()
}
