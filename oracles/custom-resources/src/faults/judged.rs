//! A whole kind as a server judges it, sound or with a fault.

use super::fault::{Change, Fault, Part};
use super::sites::at;
use crate::hints::Down;
use crate::kind::{CustomKind, Scope};
use crate::rules::RuleTree;
use crate::structural::{Additional, Structural};
use crate::validate::{Request, Source, validate_by_source};
use crate::{coerce, request};
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::case::Operation;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::object::to_value_with_empty;
use takeover_harness::oracle::Question;

/// A kind with its compiled rules.
#[derive(Clone)]
pub struct Judged {
    pub(super) kind: CustomKind,
    rules: Option<RuleTree>,
    /// The rule whose errors are wrong in a part, by its number in a walk.
    misreported: Option<(usize, Part)>,
}

impl Judged {
    /// The kind as it is.
    #[must_use]
    pub fn of(kind: &CustomKind) -> Self {
        let kind = CustomKind { named: Arc::default(), hinted: Arc::default(), unread: Vec::new(), ..kind.clone() };
        Self { rules: RuleTree::of(&kind.structural), kind, misreported: None }
    }

    /// The errors of an object that was coerced and prepared, those of CEL rules at the end.
    #[must_use]
    pub fn judge(&self, object: &Value, request: Request<'_>) -> Vec<(Source, FieldError)> {
        let mut errors = validate_by_source(&self.kind, object, request);
        if errors.iter().any(|(source, _)| *source == Source::Blocked) {
            return errors;
        }
        let old = match request {
            Request::Create => None,
            Request::Update(old) | Request::UpdateStatus(old) => Some(old),
        };
        let found = self.rules.as_ref().map(|rules| rules.judge(object, old).errors).unwrap_or_default();
        errors.extend(found.into_iter().map(|found| {
            let error = match self.misreported {
                Some((number, part)) if found.rule == Some(number) => misreported(found.error, part),
                _ => found.error,
            };
            (Source::Cel, error)
        }));
        errors
    }

    /// The errors of the objects of a question, coerced and prepared as a server does; `None` when they do not decode.
    #[must_use]
    pub fn answer(&self, question: &Question<'_>) -> Option<Vec<FieldError>> {
        let errors = self.asked(question, |object, request| self.judge(object, request))?;
        Some(errors.into_iter().map(|(_, error)| error).collect())
    }

    /// Does something with the objects of a question, coerced and prepared; nothing where they do not decode.
    pub(super) fn asked<T>(&self, question: &Question<'_>, then: impl FnOnce(&Value, Request<'_>) -> T) -> Option<T> {
        let objects = &question.objects;
        let coerced = |node| {
            let mut object = to_value_with_empty(objects.schema, objects.root, node);
            coerce::coerce(&self.kind.structural, &mut object).ok().map(|_| object)
        };
        let mut sent = coerced(&objects.new)?;
        // The request names the namespace, and a server puts it into objects that do not.
        let namespaced = self.kind.scope == Scope::Namespaced;
        if let (true, Some(metadata)) = (namespaced, sent.get_mut("metadata").and_then(Value::as_object_mut)) {
            metadata.entry("namespace").or_insert_with(|| Value::from("default"));
        }
        let old = match &objects.old {
            None => None,
            Some(old) => {
                let mut old = coerced(old)?;
                let namespace = sent.pointer("/metadata/namespace").cloned().filter(|_| namespaced);
                if let (Some(namespace), Some(metadata)) =
                    (namespace, old.get_mut("metadata").and_then(Value::as_object_mut))
                {
                    metadata.entry("namespace").or_insert(namespace);
                }
                Some(old)
            }
        };
        let request = match (question.operation, &old) {
            (Operation::Update, Some(old)) if question.subresource == "status" => Request::UpdateStatus(old),
            (Operation::Update, Some(old)) => Request::Update(old),
            _ => Request::Create,
        };
        let object = request::prepare(&self.kind, sent, request);
        Some(then(&object, request))
    }

    /// The same with one fault.
    #[must_use]
    pub(super) fn with(&self, fault: &Fault) -> Self {
        let mut faulty = self.clone();
        match &fault.change {
            Change::Schema(edit) => {
                let mut structural = Arc::clone(&self.kind.structural);
                if let Some(node) = find(Arc::make_mut(&mut structural), &fault.at) {
                    edit.apply(node);
                }
                faulty.rules = self.rules.as_ref().map(|rules| rules.at(&structural));
                faulty.kind.structural = structural;
            }
            Change::Rule { index, stated, program } => {
                if let (Some(number), Some(rules)) = (self.number(fault, *index), &mut faulty.rules) {
                    rules.replace(number, stated.clone(), Ok(Arc::clone(program)));
                }
            }
            Change::Report { index, part } => {
                faulty.misreported = self.number(fault, *index).map(|number| (number, *part));
            }
        }
        faulty
    }

    /// The number of a rule in a walk over the schema.
    fn number(&self, fault: &Fault, index: usize) -> Option<usize> {
        let mut before = 0;
        let mut node = &self.kind.structural;
        for step in fault.at.iter() {
            before += node.rules.len();
            let next = at(node, step)?;
            for child in node.children().take_while(|child| !Arc::ptr_eq(child, next)) {
                before += child.cel_rules();
            }
            node = next;
        }
        Some(before + index)
    }
}

/// The schema that these steps lead to, to change it.
fn find<'n>(node: &'n mut Structural, steps: &[Down]) -> Option<&'n mut Structural> {
    let Some((first, rest)) = steps.split_first() else { return Some(node) };
    let next = match first {
        Down::Member(name) => node.properties.get_mut(&**name)?,
        Down::Element => node.items.as_mut()?,
        Down::Other => match &mut node.additional {
            Some(Additional::Schema(schema)) => schema,
            _ => return None,
        },
    };
    find(Arc::make_mut(next), rest)
}

/// An error that is wrong in a part.
pub(super) fn misreported(error: FieldError, part: Part) -> FieldError {
    match part {
        Part::Type if error.error_type == ErrorType::Invalid => {
            FieldError { error_type: ErrorType::Forbidden, ..error }
        }
        Part::Type => FieldError { error_type: ErrorType::Invalid, ..error },
        Part::Message => FieldError { detail: format!("{} (otherwise)", error.detail).into(), ..error },
        Part::Path => {
            let field = match error.field.rfind(['.', '[']) {
                Some(end) => error.field.get(..end).unwrap_or_default().to_owned(),
                None if error.field == "<nil>" => "wrong".to_owned(),
                None => "<nil>".to_owned(),
            };
            FieldError { field, ..error }
        }
    }
}
