//! The objects that the cases of a chunk are made from, which are decoded and defaulted once for all of them.

use crate::case::{Case, Payload, stored_tree};
use crate::form::Sent;
use crate::judge::Judge;
use crate::object::{Arena, Tree};
use serde_json::Value;
use std::sync::Arc;

/// An object that several cases of a chunk are made from. They share with it what they do not change.
#[derive(Clone, Debug)]
pub struct Base<'c> {
    /// No other object of the chunk has this number. Objects with numbers from [`Base::MOST`] on are not kept.
    pub number: usize,
    /// The object.
    pub object: Tree<'c>,
}

impl Base<'_> {
    /// The most objects of a chunk that are kept.
    pub const MOST: usize = 128;
}

/// What was made of the objects of a chunk.
pub(super) struct Bases<'b> {
    arena: &'b Arena,
    /// By number: what was made of it, for which subject.
    made: Vec<Option<(usize, Sent<'b>)>>,
    /// Recorded objects whose creation was judged, with its subject, and whose update may come.
    created: Vec<(usize, Arc<Value>, Base<'b>)>,
}

impl<'b> Bases<'b> {
    /// Bytes of a chunk's arena from which on recorded objects are judged one by one, so that large ones do not add up.
    const MOST_BYTES: usize = 8 << 20;

    /// Keeps in `arena` what comes.
    pub(super) fn new(arena: &'b Arena) -> Self {
        Self { arena, made: Vec::new(), created: Vec::new() }
    }

    /// A recorded case of this subject as one of trees, and the object that it is made from: the creation of an object that another case
    /// has, too, or the update of one that was created and does not change. Nothing for other cases.
    pub(super) fn recorded(&mut self, subject: usize, case: &Case<'_>) -> Option<(Case<'b>, Base<'b>)> {
        let (object, old, base) = match (&case.object, &case.old) {
            (Payload::Value(value), None) => {
                let is_full = self.created.len() >= Base::MOST || self.arena.allocated_bytes() > Self::MOST_BYTES;
                if Arc::strong_count(value) < 2 || is_full {
                    return None;
                }
                let base = Base { number: self.created.len(), object: Tree::copy_of(value, self.arena) };
                self.created.push((subject, Arc::clone(value), base.clone()));
                (base.object, None, base)
            }
            (Payload::Stored(value), Some(Payload::Stored(old))) if Arc::ptr_eq(value, old) => {
                let mut created = self.created.iter().rev();
                let (.., base) = created.find(|(of, known, _)| *of == subject && Arc::ptr_eq(known, value))?;
                let object = stored_tree(value, base.object, self.arena);
                (object, Some(Payload::from(object)), base.clone())
            }
            _ => return None,
        };
        let Case { operation, options, provenance, .. } = case;
        let case = Case {
            operation: *operation,
            object: object.into(),
            old,
            options: options.clone(),
            provenance: provenance.clone(),
        };
        Some((case, base))
    }

    /// What the judge of this subject makes of an object; nothing where another subject took its number.
    pub(super) fn sent(&mut self, base: &Base<'b>, subject: usize, judge: &'b Judge<'b>) -> Sent<'b> {
        self.made.resize(Base::MOST, None);
        let Some(made) = self.made.get_mut(base.number) else { return Sent::default() };
        let arena = self.arena;
        let (of, sent) = made.get_or_insert_with(|| {
            let object = arena.alloc(Payload::from(base.object));
            (subject, judge.base(object, arena))
        });
        if *of == subject { *sent } else { Sent::default() }
    }
}
