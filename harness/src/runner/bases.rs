//! The objects that the cases of a chunk are made from, which are decoded and defaulted once for all of them.

use crate::case::Payload;
use crate::form::Sent;
use crate::judge::Judge;
use crate::object::{Arena, Tree};

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
}

impl<'b> Bases<'b> {
    /// Keeps in `arena` what comes.
    pub(super) fn new(arena: &'b Arena) -> Self {
        Self { arena, made: Vec::new() }
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
