//! What lint has to know about a tag.

use crate::grammar::Tag;
use takeover_harness::schema::{Schema, TypeId};

/// What a tag tells lint about itself.
#[derive(Clone, Copy)]
pub(crate) struct Hints {
    /// Why no value of the type breaks its rule; none where one does.
    pub(crate) never_fires: fn(&Schema, Option<TypeId>, &Tag) -> Option<String>,
    /// Whether the unset value is the only one of the type that it refuses.
    pub(crate) refuses_unset_alone: fn(&Schema, TypeId, &Tag) -> bool,
    /// The type that the tag in its value judges, when it stands on this one; none for tags that lead nowhere.
    pub(crate) part: fn(&Schema, TypeId, &Tag) -> Option<TypeId>,
    /// Whether it refuses some value, by itself or by the tag in its value.
    pub(crate) checks: bool,
    /// Whether its rules are made when the field is complete, so that `ifMode` drops them.
    pub(crate) waits: bool,
    /// Whether it ignores list elements that have no old counterpart.
    pub(crate) needs_old: bool,
    /// Whether it says how the elements of a list are found in the old one.
    pub(crate) identifies: bool,
}

impl Hints {
    /// The hints of a tag whose registration gives none.
    pub(crate) const DEFAULT: Hints = Hints {
        never_fires: |_, _, _| None,
        refuses_unset_alone: |_, _, _| false,
        part: |_, _, _| None,
        checks: true,
        waits: false,
        needs_old: false,
        identifies: false,
    };
}
