//! What goes into the decoder and what comes out of it.

use super::beside::{Beside, Known};
use super::misfit::{FieldValidation, Misfit, Undecodable};
use super::place::{Faults, Place, Step};
use super::typed::Typed;
use super::zero::{as_go_reads, text_as_go_reads};
use crate::object::{Arena, Node, Tree};
use crate::schema::{Schema, TypeId};
use serde::Deserializer;
use serde::de::DeserializeSeed;
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

/// An object, and what was dropped from it.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// The object.
    pub node: Node<'a>,
    /// Unknown and repeated fields that were dropped; none under [`FieldValidation::Strict`].
    pub dropped: Vec<Undecodable>,
}

/// Decodes JSON text as a value of type `root`, strictly.
///
/// # Errors
/// Returns an error when the text is not JSON or not a value of the type; the first fault is reported.
pub fn from_bytes<'a>(
    schema: &'a Schema,
    root: TypeId,
    text: &'a [u8],
    arena: &'a Arena,
) -> Result<Node<'a>, Undecodable> {
    from_bytes_with(schema, root, text, FieldValidation::Strict, arena).map(|decoded| decoded.node)
}

/// Decodes JSON text as a value of type `root`.
///
/// # Errors
/// Returns an error when the text is not JSON or not a value of the type; the first fault is reported.
pub fn from_bytes_with<'a>(
    schema: &'a Schema,
    root: TypeId,
    text: &'a [u8],
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    let text = match text_as_go_reads(text) {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => arena.alloc_str(&text),
    };
    let decoded = decode_text(schema, root, text, validation, arena);
    match decoded.is_err().then(|| as_go_reads(text)) {
        // Something was refused that Go reads.
        Some(Cow::Owned(text)) => decode_text(schema, root, arena.alloc_str(&text), validation, arena),
        _ => decoded,
    }
}

fn decode_text<'a>(
    schema: &'a Schema,
    root: TypeId,
    text: &'a str,
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    let mut json = serde_json::Deserializer::from_str(text);
    let decoded = decode(schema, root, validation, arena, &mut json)?;
    json.end().map_err(|error| Undecodable {
        field: "<nil>".to_owned(),
        reason: Misfit::Syntax,
        detail: error.to_string(),
    })?;
    Ok(decoded)
}

/// Decodes a JSON tree as a value of type `root`, strictly. Texts are borrowed from the tree.
///
/// # Errors
/// Returns an error when the tree is not a value of the type; the first fault is reported.
pub fn from_value<'a>(
    schema: &'a Schema,
    root: TypeId,
    value: &'a Value,
    arena: &'a Arena,
) -> Result<Node<'a>, Undecodable> {
    from_value_with(schema, root, value, FieldValidation::Strict, arena).map(|decoded| decoded.node)
}

/// Decodes a JSON tree as a value of type `root`. Texts are borrowed from the tree.
///
/// # Errors
/// Returns an error when the tree is not a value of the type; the first fault is reported.
pub fn from_value_with<'a>(
    schema: &'a Schema,
    root: TypeId,
    value: &'a Value,
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    decode(schema, root, validation, arena, value)
}

/// Decodes a [`Tree`] as a value of type `root`. Texts are borrowed from the tree.
///
/// # Errors
/// Returns an error when the tree is not a value of the type; the first fault is reported.
pub fn from_tree_with<'a>(
    schema: &'a Schema,
    root: TypeId,
    tree: &'a Tree<'a>,
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    decode(schema, root, validation, arena, tree)
}

/// Decodes a [`Tree`] like [`from_tree_with`], but reuses the nodes of every part that it shares with `known`.
///
/// `decoded` must be what [`from_tree_with`] returned for `known` with the same type, before defaults or other changes.
///
/// # Errors
/// Returns an error when the tree is not a value of the type; the first fault is reported.
pub fn from_tree_beside<'a>(
    schema: &'a Schema,
    root: TypeId,
    tree: &'a Tree<'a>,
    (known, decoded): (&'a Tree<'a>, &Decoded<'a>),
    validation: FieldValidation,
    arena: &'a Arena,
) -> Result<Decoded<'a>, Undecodable> {
    // What is dropped from a shared part is dropped from both.
    if !decoded.dropped.is_empty() {
        return from_tree_with(schema, root, tree, validation, arena);
    }
    let known = Known { tree: known, node: decoded.node };
    decode_by(schema, root, validation, arena, |typed| Beside { typed, known }.decode(tree))
}

fn decode<'a, D: Deserializer<'a>>(
    schema: &'a Schema,
    root: TypeId,
    validation: FieldValidation,
    arena: &'a Arena,
    source: D,
) -> Result<Decoded<'a>, Undecodable>
where
    D::Error: fmt::Display,
{
    decode_by(schema, root, validation, arena, |typed| typed.deserialize(source))
}

fn decode_by<'a, E: fmt::Display>(
    schema: &'a Schema,
    root: TypeId,
    validation: FieldValidation,
    arena: &'a Arena,
    decoded: impl FnOnce(Typed<'_, 'a>) -> Result<Node<'a>, E>,
) -> Result<Decoded<'a>, Undecodable> {
    let faults = Faults { validation, first: RefCell::new(None), dropped: RefCell::new(Vec::new()), arena };
    let place = Place { schema, faults: &faults, parent: None, step: Step::Root, depth: 0 };
    match decoded(Typed { place, ty: root, pointer: false }) {
        Ok(node) => Ok(Decoded { node, dropped: faults.dropped.into_inner() }),
        Err(error) => Err(faults.first.into_inner().unwrap_or_else(|| Undecodable {
            field: "<nil>".to_owned(),
            reason: if error.to_string().starts_with("recursion limit") { Misfit::TooDeep } else { Misfit::Syntax },
            detail: error.to_string(),
        })),
    }
}
