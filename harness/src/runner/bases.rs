//! The objects that the cases of a chunk are made from, which are decoded and defaulted once for all of them.

use crate::case::Payload;
use crate::form::Sent;
use crate::judge::Judge;
use crate::object::{Arena, Tree};
use std::cell::OnceCell;

/// An object that several cases of a chunk are made from. They share with it what they do not change.
#[derive(Clone, Debug)]
pub struct Base {
    /// No other object of the chunk has this number. Objects with numbers from [`Base::MOST`] on are not kept.
    pub number: usize,
    /// The object.
    pub object: Tree,
}

impl Base {
    /// The most objects of a chunk that are kept.
    pub const MOST: usize = 128;
}

/// Where the objects of a chunk are kept, by number. Memory is allocated for the first.
pub(super) type Room = OnceCell<Vec<OnceCell<Payload>>>;

/// What was made of the objects of a chunk.
pub(super) struct Bases<'b> {
    room: &'b Room,
    arena: &'b Arena,
    /// By number: what was made of it, for which subject.
    made: Vec<Option<(usize, Sent<'b>)>>,
}

impl<'b> Bases<'b> {
    /// Keeps in `room` and `arena` what comes.
    pub(super) fn new(room: &'b Room, arena: &'b Arena) -> Self {
        Self { room, arena, made: Vec::new() }
    }

    /// What the judge of this subject makes of an object; nothing where another subject took its number.
    pub(super) fn sent(&mut self, base: &Base, subject: usize, judge: &'b Judge<'b>) -> Sent<'b> {
        let room = self.room.get_or_init(|| vec![OnceCell::new(); Base::MOST]);
        self.made.resize(room.len(), None);
        let Some((object, made)) = room.get(base.number).zip(self.made.get_mut(base.number)) else {
            return Sent::default();
        };
        let (of, sent) = made.get_or_insert_with(|| {
            (subject, judge.base(object.get_or_init(|| base.object.clone().into()), self.arena))
        });
        if *of == subject { *sent } else { Sent::default() }
    }
}
