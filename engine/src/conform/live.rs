//! One response of a live API server, side by side with what a user would get from us.

use super::multiset::difference;
use super::sides::{Difference, decode_difference, differing_paths, forget_request_time};
use crate::target::Target;
use takeover_corpora::fixture::{Cause, FixtureOptions, Live};
use takeover_harness::authority::{AuthorityPolicy, LifecycleGates, LifecycleRelease, decide};
use takeover_harness::case::Operation;
use takeover_harness::error::FieldError;
use takeover_harness::judge::consult;
use takeover_harness::object::{Arena, Edit, FieldValidation, Node, equal, to_value};
use takeover_harness::oracle::{Objects, Oracle, Question};
use takeover_harness::path::pattern;
use takeover_oracles::handwritten::strategy::{GENERATED_END, RANDOM_NAME};
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
            agreement.skip(format!("refused by the live server with HTTP {code}, before validation"));
            return;
        }
    };
    let operation = live.operation();
    if operation == Operation::Create && live.expect.stored.is_some() && !target.user_fields().is_empty() {
        let members = target.user_fields().join("`, `");
        agreement.skip(format!("not judged, needs the requesting user: `{members}` of a new object"));
    }
    let name = operation.to_string();
    let mut count = |side: &str, differences: Vec<Difference>| {
        let example = |detail| FixtureExample { place: place.to_owned(), id: live.id.clone(), bytes, detail };
        agreement.count(&target.name, side, &name, differences, example);
    };
    let arena = Arena::new();
    // Unless it is asked for more, a server drops unknown fields with a warning.
    let new = target.decode_with(&live.object, FieldValidation::Warn, &arena);
    let old = live.old_object.as_ref().filter(|_| operation == Operation::Update);
    let old = old.map(|old| target.decode_with(old, FieldValidation::Warn, &arena)).transpose();
    let (Ok(new), Ok(old)) = (&new, &old) else {
        count(DECODE, decode_difference(refused, new.as_ref().err().or(old.as_ref().err())));
        return;
    };
    let defaulted = |node| match &target.defaulter {
        Some(defaulter) => defaulter.apply(target.schema(), target.root, node, &arena),
        None => node,
    };
    let subresource = &target.subresource;
    let (new, old) = (defaulted(*new), old.map(defaulted));
    let objects = Objects { schema: target.schema(), root: target.root, new, old };
    let objects = target.prepare(operation, subresource, objects, &arena);
    // What has no form in the server's internal version is refused like what is no JSON of the kind.
    let converted = |reference: &dyn Oracle| reference.view(&objects).is_ok();
    match refused {
        None => count(DECODE, Vec::new()),
        Some(_) => {
            let accepted = target.reference().is_none_or(converted);
            count(DECODE, if accepted { decode_difference(refused, None) } else { Vec::new() });
            return;
        }
    }
    if let Some(stored) = &live.expect.stored {
        count(STORED, stored_difference(target, operation, objects.new, stored, &arena));
    }
    let options = FixtureOptions::None.resolve(&target.options);
    let question = Question { operation, objects, options: &options, subresource };
    count(
        CAUSES,
        match answers(target, &question) {
            Ok(ours) => causes_difference(&live.expect.causes, &ours, target),
            Err(failure) => vec![("cannot judge".to_owned(), failure)],
        },
    );
}

/// What the user gets from both sides.
fn answers(target: &Target, question: &Question<'_>) -> Result<Vec<Cause>, String> {
    let reference = target.reference().ok_or("no handwritten reference")?;
    let errors = |oracle: &dyn Oracle| -> Result<Vec<FieldError>, String> {
        Ok(consult(oracle, question).map_err(|failure| failure.to_string())?.errors.into_vec())
    };
    let (handwritten, declarative) = (errors(reference)?, errors(target.candidate.as_ref())?);
    let policy = AuthorityPolicy::Lifecycle(LifecycleGates::of(POLICY));
    let matcher = target.matcher.clone().at(policy.semantics()).candidates(policy.candidates());
    let decision = decide(policy, &handwritten, &declarative, &matcher);
    Ok(decision.errors(&handwritten, &declarative).map(Cause::from).collect())
}

/// Differences outside of the delegated parts.
fn causes_difference(recorded: &[Cause], ours: &[Cause], target: &Target) -> Vec<Difference> {
    let judged = |causes: &[Cause]| -> Vec<Cause> {
        causes.iter().filter(|cause| !target.delegates(&cause.field)).cloned().collect()
    };
    let (recorded, ours) = (judged(recorded), judged(ours));
    let (missing, unexpected) = difference(&recorded, &ours, same);
    let line = |what: &str, sign: char, cause: &Cause| {
        let Cause { reason, field, message } = cause;
        (format!("{what} {reason} {}", pattern(field)), format!("{sign} {field}: {message}"))
    };
    let missing = missing.iter().filter_map(|at| recorded.get(*at)).map(|cause| line("misses", '-', cause));
    let unexpected = unexpected.iter().filter_map(|at| ours.get(*at)).map(|cause| line("adds", '+', cause));
    missing.chain(unexpected).collect()
}

/// Whether a user sees the same. The order of members in a printed struct is that of Go's source and says nothing.
fn same(recorded: &Cause, ours: &Cause) -> bool {
    if recorded == ours || recorded.field == ours.field && same_but_generated(&recorded.message, &ours.message) {
        return true;
    }
    let (Some(theirs), Some(mine)) = (printed(&recorded.message), printed(&ours.message)) else { return false };
    recorded.reason == ours.reason && recorded.field == ours.field && theirs == mine
}

/// Whether two messages differ only in the random end of a generated name.
fn same_but_generated(recorded: &str, ours: &str) -> bool {
    let Some((before, after)) = ours.split_once(GENERATED_END) else { return false };
    let rest = recorded.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    rest.is_some_and(|end| end.len() == GENERATED_END.len() && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// A message with a printed struct or list: what stands before it, its value, and what stands after it.
fn printed(message: &str) -> Option<(&str, serde_json::Value, &str)> {
    let at = message.find(": ")? + 2;
    let (before, rest) = message.split_at_checked(at)?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter();
    let value = rest.starts_with(['{', '[']).then(|| values.next())??.ok()?;
    let after = rest.get(values.byte_offset()..)?;
    Some((before, value, after))
}

/// What differs between our object and the stored one in what the request determines.
fn stored_difference(
    target: &Target,
    operation: Operation,
    ours: Node<'_>,
    stored: &serde_json::Value,
    arena: &Arena,
) -> Vec<Difference> {
    let theirs = match target.decode_with(stored, FieldValidation::Warn, arena) {
        Ok(node) => node,
        Err(refused) => return vec![("cannot decode the stored object".to_owned(), refused.to_string())],
    };
    let user_fields = if operation == Operation::Create { target.user_fields() } else { &[] };
    let meta = Edit::new(target.schema(), arena, target.root, ours).inside("metadata");
    let has_random_name = meta.is_some_and(|meta| meta.text("name") == RANDOM_NAME);
    let determined = |node| {
        let mut object = Edit::new(target.schema(), arena, target.root, node);
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
    };
    let (ours, theirs) = (determined(ours), determined(theirs));
    if equal(&ours, &theirs) {
        return Vec::new();
    }
    let tree = |node| to_value(target.schema(), target.root, node);
    let (ours, mut theirs) = (tree(&ours), tree(&theirs));
    forget_request_time(&ours, &mut theirs);
    if ours == theirs {
        return Vec::new();
    }
    let paths = differing_paths(&ours, &theirs);
    let places: std::collections::BTreeSet<String> =
        paths.iter().map(|path| pattern(path.split([' ', ':']).next().unwrap_or(path))).collect();
    vec![(format!("stores otherwise at {}", places.into_iter().collect::<Vec<_>>().join(", ")), paths.join("\n"))]
}
