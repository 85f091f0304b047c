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
    /// Recorded objects whose creation was judged, with its subject: their update may come.
    created: Vec<(usize, Arc<Value>, Base<'b>)>,
}

impl<'b> Bases<'b> {
    /// Most bytes of a recorded object, roughly, that is judged together with its update.
    const MOST_OF_OBJECT: usize = 256 << 10;
    /// Bytes of the chunk's arena from which on recorded objects are judged one by one.
    const MOST_OF_CHUNK: usize = 8 << 20;

    /// Keeps in `arena` what comes.
    pub(super) fn new(arena: &'b Arena) -> Self {
        Self { arena, made: Vec::new(), created: Vec::new() }
    }

    /// A recorded case of this subject as one of trees, and the object that it is made from: a creation whose object something else holds,
    /// most likely its update, or that update. Nothing for other cases, nor for large ones.
    pub(super) fn recorded(&mut self, subject: usize, case: &Case<'_>) -> Option<(Case<'b>, Base<'b>)> {
        let (object, old, base) = match (&case.object, &case.old) {
            (Payload::Value(value), None) => {
                let is_full = self.arena.allocated_bytes() > Self::MOST_OF_CHUNK;
                if Arc::strong_count(value) < 2 || is_full || bytes_of(value) > Self::MOST_OF_OBJECT {
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

/// About how many bytes a copy of `value` takes.
fn bytes_of(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of).sum(),
        Value::Object(members) => members.iter().map(|(name, member)| 2 * name.len() + bytes_of(member)).sum(),
        _ => 0,
    };
    size_of::<Tree<'_>>() + inside
}

#[cfg(test)]
mod tests {
    use super::Bases;
    use crate::case::{Case, Operation, Options, Payload, Provenance, stored};
    use crate::object::Arena;
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn case(object: Payload<'static>, old: Option<Payload<'static>>) -> Case<'static> {
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let provenance = Provenance::File { path: "a".into(), document: 1, line: 1 };
        Case { operation, object, old, options: Options::new(), provenance }
    }

    /// The creation of an object, and the update that changes nothing.
    fn cases(object: Value) -> [Case<'static>; 2] {
        let object = Arc::new(object);
        let update = Payload::Stored(Arc::clone(&object));
        [case(Payload::Value(object), None), case(update.clone(), Some(update))]
    }

    #[test]
    fn an_update_is_made_from_the_object_that_was_created() {
        let arena = Arena::new();
        let mut bases = Bases::new(&arena);
        let object = json!({"metadata": {"name": "a"}, "spec": {"b": [1]}});
        let [creation, update] = cases(object.clone());
        let [_, other] = cases(object.clone());
        assert!(bases.recorded(1, &update).is_none(), "nothing was created yet");
        let (created, base) = bases.recorded(1, &creation).unwrap();
        assert!(created == creation && Payload::from(base.object).is_shared(&created.object));
        let (updated, its_base) = bases.recorded(1, &update).unwrap();
        assert!(updated == update && updated.object == Payload::from(stored(object)));
        assert_eq!(its_base.number, base.number);
        let is_shared = |name| {
            let (Payload::Tree(one), Payload::Tree(other)) = (&created.object, &updated.object) else { return false };
            matches!((one.get(name), other.get(name)), (Some(one), Some(other)) if one.is_shared(other))
        };
        assert!(is_shared("spec") && !is_shared("metadata"));
        assert!(bases.recorded(2, &update).is_none(), "another subject created it");
        assert!(bases.recorded(1, &other).is_none(), "an equal object was created, not this one");
    }

    #[test]
    fn what_no_other_case_has_and_what_is_large_is_judged_for_itself() {
        let arena = Arena::new();
        let mut bases = Bases::new(&arena);
        let small = || json!({"metadata": {"name": "a"}});
        assert!(bases.recorded(0, &case(Payload::from(small()), None)).is_none());
        for large in [json!(vec![0; 20_000]), json!({"a": "b".repeat(300_000)}), json!({"b".repeat(200_000): 1})] {
            let [creation, update] = cases(large);
            assert!(bases.recorded(0, &creation).is_none() && bases.recorded(0, &update).is_none());
        }
        assert!(arena.allocated_bytes() < 10_000);
        let taken = (0..100).filter(|_| bases.recorded(0, &cases(json!("a".repeat(200_000)))[0]).is_some()).count();
        assert!((20..80).contains(&taken), "{taken}");
        let [creation, _update] = cases(small());
        assert!(bases.recorded(0, &creation).is_none(), "the chunk is full");
    }
}
