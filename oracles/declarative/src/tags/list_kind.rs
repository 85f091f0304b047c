//! What tags say about lists: their kind, and what tells their elements apart.

use crate::compile::build::Build;
use crate::compile::context::{Context, TagScope};
use crate::compile::problem::Problem;
use crate::compile::rule::Source;
use crate::compile::shape::{self, Shape};
use crate::eval::program::{Correlation, Key};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use takeover_harness::error::Stability;
use takeover_harness::schema::{Presence, Schema, Slot, TypeId};

/// What is known about lists, by the path of the field or type.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) by_path: HashMap<Arc<str>, List>,
    /// Paths of lists whose uniqueness rule is made.
    pub(super) done: HashSet<Arc<str>>,
}

/// What tags say about one list.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub(super) ownership: Option<Ownership>,
    pub(super) semantic: Option<Semantic>,
    pub(super) keys: Vec<(Arc<str>, Key)>,
    pub(super) custom_unique: bool,
    pub(super) level: Option<Stability>,
    /// The tag that made elements unique, with its line: `listType=atomic` may stand first, but says nothing of that.
    pub(super) identity: Option<Source>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ownership {
    Single,
    Shared,
}

/// How elements of a list are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Semantic {
    Atomic,
    Set,
    Map,
}

/// What is known about the list that `context` stands on.
pub(super) fn list_at<'b>(build: &'b mut Build<'_>, context: &Context) -> &'b mut List {
    build.notes::<Lists>().by_path.entry(Arc::clone(&context.path)).or_default()
}

impl List {
    /// A member of the elements that could be a key and is none.
    pub(super) fn spare_key(&self, schema: &Schema, element: TypeId) -> Option<(Arc<str>, Key)> {
        let (_, fields) = shape::as_struct(schema, element)?;
        fields.fields.iter().zip(0..).find_map(|(field, slot): (_, Slot)| {
            let scalar = matches!(shape::value_shape(schema, field.ty), Shape::Builtin(_));
            let known = self.keys.iter().any(|(_, key)| key.slot == slot);
            let key = Key { slot, pointer: shape::is_pointer(schema, field.ty) };
            (scalar && !known && field.presence == Presence::Named).then(|| (Arc::from(&*field.json_name), key))
        })
    }

    pub(super) fn keys(&self) -> Arc<[Key]> {
        self.keys.iter().map(|(_, key)| *key).collect()
    }

    pub(super) fn has_identity(&self) -> bool {
        matches!(self.semantic, Some(Semantic::Set | Semantic::Map))
    }
}

/// A member that can be a key, with the type of its values.
pub(super) fn key_member(build: &Build<'_>, element: TypeId, name: &str) -> Result<(TypeId, Key), Problem> {
    let schema = build.schema();
    let (slot, field) = shape::member(schema, element, name)
        .ok_or_else(|| Problem::new(format!("the elements have no direct member `{name}`")))?;
    let pointer = shape::is_pointer(schema, field.ty);
    let value = shape::non_pointer(schema, field.ty);
    match shape::shape(schema, value) {
        Shape::Builtin(_) => Ok((value, Key { slot, pointer })),
        _ => Err(Problem::new(format!("the member `{name}` is not a scalar or a pointer to one"))),
    }
}

/// How elements of the list at `path` of type `ty` are found in the old list: as the field says, else as its type says.
pub(crate) fn correlation(build: &Build<'_>, path: &str, ty: TypeId) -> Correlation {
    let at = |path: &str| build.noted::<Lists>()?.by_path.get(path);
    let list = at(path).or_else(|| at(shape::name(build.schema(), ty)));
    match list.map(|list| (list.semantic, list)) {
        Some((Some(Semantic::Map), list)) => Correlation::Keys(list.keys()),
        Some((Some(Semantic::Set), _)) => Correlation::Equal,
        _ => Correlation::None,
    }
}

/// What tags have said so far about the list at `path`; `None` if nothing.
pub(super) fn semantic(build: &Build<'_>, path: &str) -> Option<Option<Semantic>> {
    build.noted::<Lists>()?.by_path.get(path).map(|list| list.semantic)
}

/// The keys of the map list that `context` stands on, with their names.
pub(super) fn map_keys(build: &Build<'_>, context: &Context) -> Option<Vec<(Arc<str>, Key)>> {
    let lists = &build.noted::<Lists>()?.by_path;
    let by_type = || (context.place == TagScope::Field).then(|| lists.get(shape::name(build.schema(), context.ty)))?;
    let list = lists.get(&context.path).or_else(by_type)?;
    (list.semantic == Some(Semantic::Map) && !list.keys.is_empty()).then(|| list.keys.clone())
}
