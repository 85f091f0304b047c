//! What goes into validation.

use super::checker::Checker;
use super::embedded;
use super::lists;
use super::metadata::{validate_metadata, validate_metadata_update};
use super::name::Name;
use super::places::RulePlaces;
use super::ratchet::Link;
use super::scale::validate_scale;
use crate::kind::CustomKind;
use crate::structural::Structural;
use serde_json::Value;
use takeover_harness::error::{ErrorList, ErrorType, FieldError};
use takeover_harness::path::{Path, pattern};

/// Values inside values; JSON text that servers read is not deeper.
const MAX_DEPTH: usize = 500;

/// What is asked of a server.
#[derive(Clone, Copy, Debug)]
pub enum Request<'r> {
    /// To store a new object.
    Create,
    /// To change the object, which is this one so far.
    Update(&'r Value),
    /// To change the status of the object, which is this one so far, by its subresource.
    UpdateStatus(&'r Value),
}

/// What part of validation an error comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Version, kind and metadata of the object.
    Meta,
    /// The keywords of the schema.
    Schema,
    /// The numbers and the selector of the scale subresource.
    Scale,
    /// Version, kind and metadata of objects inside.
    Embedded,
    /// Lists that are sets or maps.
    ListType,
    /// CEL rules.
    Cel,
    /// The error in the place of CEL rules that were not evaluated.
    Blocked,
}

impl Source {
    /// Its name in recorded verdicts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Schema => "schema",
            Self::Scale => "scale",
            Self::Embedded => "embedded",
            Self::ListType => "listtype",
            Self::Cel => "cel",
            Self::Blocked => "blocked",
        }
    }
}

/// Judges an object as a server does, all but CEL rules: its kind, its metadata, its schema, its scale, the objects and the lists
/// in it. Ends with what the server says if it does not evaluate CEL rules.
///
/// The object is as the steps before validation leave it: coerced, with the name and the generation that the server gives, and
/// without what the request may not change.
#[must_use]
pub fn validate_request(kind: &CustomKind, object: &Value, request: Request<'_>) -> ErrorList {
    without_sources(validate_by_source(kind, object, request))
}

/// As [`validate_request`], with the part of validation that each error comes from.
#[must_use]
pub fn validate_by_source(kind: &CustomKind, object: &Value, request: Request<'_>) -> Vec<(Source, FieldError)> {
    validate_by_rule(kind, object, request, None)
}

/// As [`validate_by_source`]; errors of the schema name their rule, if it is one of `rules`.
#[must_use]
pub fn validate_by_rule(
    kind: &CustomKind,
    object: &Value,
    request: Request<'_>,
    rules: Option<&RulePlaces>,
) -> Vec<(Source, FieldError)> {
    let of = |source: Source| move |error: FieldError| (source, error);
    let wrong_kind = type_meta(kind, object);
    let right_kind = wrong_kind.is_empty();
    let mut errors: Vec<(Source, FieldError)> = wrong_kind.into_iter().map(of(Source::Meta)).collect();
    if right_kind {
        let metadata = match request {
            Request::Create => validate_metadata(kind.scope, object),
            Request::Update(old) | Request::UpdateStatus(old) => validate_metadata_update(object, old),
        };
        errors.extend(metadata.into_vec().into_iter().map(of(Source::Meta)));
        if let Some(scale) = &kind.scale {
            let scale = validate_scale(scale, object, matches!(request, Request::UpdateStatus(_)));
            errors.extend(scale.into_vec().into_iter().map(of(Source::Scale)));
        }
    }
    errors.extend(judge(&kind.structural, object, request, right_kind, rules));
    let blocked = unchecked(&kind.structural, errors.iter().map(|(_, error)| error));
    errors.extend(blocked.map(of(Source::Blocked)));
    errors
}

fn without_sources(errors: Vec<(Source, FieldError)>) -> ErrorList {
    errors.into_iter().map(|(_, error)| error).collect::<Vec<_>>().into()
}

fn type_meta(kind: &CustomKind, object: &Value) -> Vec<FieldError> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let wrong = |name: &str, expected: &str| {
        FieldError::invalid(&Path::ROOT.child(name), text(name), format!("must be {expected}"))
    };
    let version = text("apiVersion");
    let of_group = match kind.group.as_str() {
        "" => Some(version),
        group => version.strip_prefix(group).and_then(|rest| rest.strip_prefix('/')),
    };
    let of_kind = (text("kind") != kind.kind).then(|| wrong("kind", &kind.kind));
    let of_version = (of_group != Some(kind.version.as_str())).then(|| wrong("apiVersion", &kind.api_version()));
    of_kind.into_iter().chain(of_version).collect()
}

/// Judges a new object by its schema.
#[must_use]
pub fn validate(structural: &Structural, object: &Value) -> ErrorList {
    without_sources(judge(structural, object, Request::Create, true, None))
}

/// Whether keywords of OpenAPI accept a value, which is not deep.
pub(crate) fn accepts(structural: &Structural, value: &Value) -> bool {
    Checker::of("").value(structural, value, &Name::Whole, None).is_valid()
}

/// Whether keywords of OpenAPI leave a value, which is not deep, to CEL rules.
pub(crate) fn admits(structural: &Structural, value: &Value) -> bool {
    !Checker::of("").value(structural, value, &Name::Whole, None).errors.iter().any(blocks)
}

/// What keywords of OpenAPI refuse of a value that stands at the field `prefix`.
pub(crate) fn keyword_errors(structural: &Structural, value: &Value, prefix: &str) -> Vec<FieldError> {
    Checker::of(prefix).errors(structural, value, None)
}

/// The errors of keywords and list types of a value that stands at the field `prefix` of the value `whole`, as in the errors of the
/// object: those of lists have another path, `at`.
pub(crate) fn node_errors(structural: &Structural, value: &Value, [prefix, whole, at]: [&str; 3]) -> Vec<FieldError> {
    let mut errors = Checker::of(prefix).in_whole(whole).errors(structural, value, None);
    let mut of_lists = Vec::new();
    lists::check(structural, value, &mut of_lists);
    errors.extend(of_lists.into_iter().map(|error| {
        let field =
            if error.field.starts_with('[') { format!("{at}{}", error.field) } else { format!("{at}.{}", error.field) };
        FieldError { field, ..error }
    }));
    errors
}

/// Whether the lists of an object are what their types say: of one that is not, a server does not judge lists when it is changed.
pub(crate) fn has_sound_lists(structural: &Structural, object: &Value) -> bool {
    let mut errors = Vec::new();
    lists::check(structural, object, &mut errors);
    errors.is_empty()
}

/// Judges a changed object by its schema. What did not change is not refused, as long as the schema tells what is the same
/// (`CRDValidationRatcheting`).
#[must_use]
pub fn validate_update(structural: &Structural, object: &Value, old: &Value) -> ErrorList {
    without_sources(judge(structural, object, Request::Update(old), true, None))
}

/// Judges an object whose `status` changed by its subresource: by the schema of the status alone, and the lists of the whole.
#[must_use]
pub fn validate_status_update(structural: &Structural, object: &Value, old: &Value) -> ErrorList {
    without_sources(judge(structural, object, Request::UpdateStatus(old), true, None))
}

/// The errors of keywords, if they are asked for, of embedded objects and of lists.
fn judge(
    structural: &Structural,
    object: &Value,
    request: Request<'_>,
    keywords: bool,
    rules: Option<&RulePlaces>,
) -> Vec<(Source, FieldError)> {
    let old = match request {
        Request::Create => None,
        Request::Update(old) | Request::UpdateStatus(old) => Some(old),
    };
    if let Some(refusal) = [Some(object), old].into_iter().flatten().find_map(too_deep) {
        return vec![(Source::Schema, refusal)];
    }
    let whole = Checker::attributing("", rules);
    let of_keywords = match request {
        _ if !keywords => Vec::new(),
        Request::Create => whole.errors(structural, object, None),
        Request::Update(old) => whole.errors(structural, object, Some(Link::root(structural, object, old))),
        Request::UpdateStatus(old) => match (structural.properties.get("status"), object.get("status")) {
            (Some(schema), Some(status)) => {
                let link = old.get("status").map(|old| Link::root(schema, status, old));
                Checker::attributing("status", rules).errors(schema, status, link)
            }
            _ => Vec::new(),
        },
    };
    let mut errors: Vec<(Source, FieldError)> = of_keywords.into_iter().map(|error| (Source::Schema, error)).collect();
    if !matches!(request, Request::UpdateStatus(_)) {
        let mut inside = Vec::new();
        embedded::check(structural, object, &mut inside);
        errors.extend(inside.into_iter().map(|error| (Source::Embedded, error)));
    }
    // Lists are judged only if those of the stored object have no error.
    let mut before = Vec::new();
    old.into_iter().for_each(|old| lists::check(structural, old, &mut before));
    if before.is_empty() {
        let mut of_lists = Vec::new();
        lists::check(structural, object, &mut of_lists);
        let attributed = |error: FieldError| {
            let place = pattern(&error.field);
            let rule = rules.and_then(|rules| rules.of_keyword(place.strip_suffix("[*]")?, "listType"));
            (Source::ListType, FieldError { rule, ..error })
        };
        errors.extend(of_lists.into_iter().map(attributed));
    }
    errors
}

/// What a server says in place of CEL rules when the other errors of an object, also those of its metadata, keep it from evaluating
/// them; `None` if it evaluates them or there are none.
#[must_use]
pub fn unchecked_rules(structural: &Structural, errors: &ErrorList) -> Option<FieldError> {
    unchecked(structural, errors.iter())
}

/// As [`unchecked_rules`].
pub(crate) fn unchecked<'e>(
    structural: &Structural,
    mut errors: impl Iterator<Item = &'e FieldError>,
) -> Option<FieldError> {
    let stops = errors.any(blocks);
    let detail = "some validation rules were not checked because the object was invalid; correct the existing errors to complete \
                  validation";
    (stops && structural.cel_rules() > 0).then(|| FieldError::invalid(&Path::ROOT, Value::Null, detail))
}

/// Whether an error keeps a server from evaluating CEL rules.
fn blocks(error: &FieldError) -> bool {
    use ErrorType::{NotSupported, Required, TooLong, TooMany, TypeInvalid};
    matches!(error.error_type, NotSupported | Required | TooLong | TooMany | TypeInvalid)
}

impl Checker<'_> {
    /// The errors of a whole value, without repetition.
    fn errors(&self, structural: &Structural, value: &Value, link: Option<Link<'_>>) -> Vec<FieldError> {
        let outcome = self.value(structural, value, &Name::Whole, link);
        let mut errors: Vec<FieldError> = Vec::with_capacity(outcome.errors.len());
        for error in outcome.errors {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        errors
    }
}

/// The one error of an object that is too deep to be walked.
fn too_deep(object: &Value) -> Option<FieldError> {
    let mut open = vec![(object, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            let detail = format!("nested deeper than {MAX_DEPTH} levels");
            return Some(FieldError::new(ErrorType::Internal, &Path::ROOT, Value::Null, detail));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    None
}
