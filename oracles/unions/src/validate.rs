//! Validates a union after normalisation.

use crate::union::{Discriminator, Member, Selected, Union};
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

/// The errors of a union in the struct at `path` (KEP-1027, "Validation"), after [`normalise`](crate::normalise). `old` is the struct
/// before the request, `None` if there was none. The next write must repair a stored object that is invalid.
///
/// Without a discriminator, it checks what handwritten validation does: exactly one member, or at most one.
#[must_use]
pub fn validate(union: &Union, path: &Path<'_>, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let set: Vec<&Member> = union.set(new).collect();
    match &union.discriminator {
        Some(discriminator) => by_discriminator(union, discriminator, path, old, new, &set),
        None => by_number(union, path, &set),
    }
}

fn by_number(union: &Union, path: &Path<'_>, set: &[&Member]) -> Vec<FieldError> {
    match set {
        [] if union.may_be_empty => Vec::new(),
        [] => vec![FieldError::required(path, format!("set one of {}", listed(&union.members)))],
        [_] => Vec::new(),
        several => {
            let detail = format!("set only one of {}", listed(several.iter().copied()));
            vec![FieldError::new(ErrorType::Invalid, path, BadValue::EMPTY, detail).with_origin("union")]
        }
    }
}

fn by_discriminator(
    union: &Union,
    discriminator: &Discriminator,
    path: &Path<'_>,
    old: Option<&Value>,
    new: &Value,
    set: &[&Member],
) -> Vec<FieldError> {
    let chosen = discriminator.of(new);
    let at = path.child(&discriminator.name);
    let selected = match union.selected(chosen) {
        Selected::Member(member) => Some(member),
        Selected::Nothing => None,
        Selected::Unknown if chosen.is_empty() => {
            return vec![FieldError::required(&at, format!("choose one of {}", quoted(&discriminator.values)))];
        }
        Selected::Unknown => {
            let detail = format!("supported values: {}", quoted(&discriminator.values));
            return vec![FieldError::new(ErrorType::NotSupported, &at, chosen.to_owned(), detail)];
        }
    };
    let mut errors = Vec::new();
    let unchanged = old.is_some_and(|old| discriminator.of(old) == chosen);
    for member in set.iter().filter(|member| Some(**member) != selected) {
        let name = &discriminator.name;
        let detail = if unchanged {
            format!("`{name}` is still \"{chosen}\"; whoever sets another member must change `{name}`")
        } else {
            format!("may not be set when `{name}` is \"{chosen}\"")
        };
        let error = FieldError::new(ErrorType::Invalid, &path.child(&member.name), BadValue::EMPTY, detail);
        errors.push(error.with_origin("union"));
    }
    if let Some(member) = selected.filter(|member| !member.optional && !set.contains(member)) {
        let detail = format!("must be set when `{}` is \"{chosen}\"", discriminator.name);
        errors.push(FieldError::required(&path.child(&member.name), detail));
    }
    errors
}

fn listed<'m>(members: impl IntoIterator<Item = &'m Member>) -> String {
    let names: Vec<String> = members.into_iter().map(|member| format!("`{}`", member.name)).collect();
    names.join(", ")
}

fn quoted(values: &[String]) -> String {
    values.iter().map(|value| format!("\"{value}\"")).collect::<Vec<_>>().join(", ")
}
