//! What can be wrong with the default of a field.

use super::sites::Site;
use crate::defaults::markers::{ANOTHER, EACH};
use crate::defaults::rows::is_zero;
use crate::defaults::zero::is_zero_scalar;
use serde_json::{Map, Value};
use takeover_harness::rule::Law;
use takeover_harness::schema::Schema;

/// What is wrong with a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is missing.
    Dropped,
    /// It has another value.
    OtherValue,
    /// It sets only the first item of a list, or entry of a map.
    FirstItemAlone,
    /// It replaces an explicit zero behind a pointer.
    ReplacesZero,
    /// An explicit zero, which is unset without a pointer, takes no default.
    KeepsZero,
    /// An explicit null takes no default.
    KeepsNull,
    /// It replaces what is set.
    ReplacesValue,
    /// What is set is removed.
    RemovesValue,
    /// It is set only where the struct around says nothing else.
    LostBeside,
    /// It is set before the defaults beside it that it waits for, so that it is missing until the object is defaulted again.
    TooEarly,
    /// It becomes another value each time.
    ChangesAgain,
    /// It is set only where the members of untyped JSON are sorted.
    Unordered,
    /// The struct is not created.
    NotCreated,
    /// The struct is created without its own defaults.
    CreatedEmpty,
}

/// An object before and after sound defaulting.
#[derive(Clone, Copy)]
pub(super) struct Defaulted<'v> {
    pub(super) before: &'v Value,
    pub(super) after: &'v Value,
    /// The object as it was sent, if it is known: with its nulls and zeros.
    pub(super) sent: Option<&'v Value>,
    /// Whether members of untyped JSON in it are not sorted.
    pub(super) is_unsorted: bool,
}

impl Fault {
    pub(super) const ALL: [Self; 14] = [
        Self::Dropped,
        Self::OtherValue,
        Self::FirstItemAlone,
        Self::ReplacesZero,
        Self::KeepsZero,
        Self::KeepsNull,
        Self::ReplacesValue,
        Self::RemovesValue,
        Self::LostBeside,
        Self::TooEarly,
        Self::ChangesAgain,
        Self::Unordered,
        Self::NotCreated,
        Self::CreatedEmpty,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Dropped => "default dropped",
            Self::OtherValue => "another default",
            Self::FirstItemAlone => "default of the first item alone",
            Self::ReplacesZero => "explicit zero replaced",
            Self::KeepsZero => "explicit zero not defaulted",
            Self::KeepsNull => "null not defaulted",
            Self::ReplacesValue => "set value replaced",
            Self::RemovesValue => "set value removed",
            Self::LostBeside => "default lost beside other fields",
            Self::TooEarly => "default set before those that it waits for",
            Self::ChangesAgain => "default changes when it is applied again",
            Self::Unordered => "default depends on the order of fields",
            Self::NotCreated => "struct not created",
            Self::CreatedEmpty => "struct created without its defaults",
        }
    }

    /// The law that it breaks; none where the value that is set is another one, or missing.
    pub(super) fn law(self) -> Option<Law> {
        match self {
            Self::ReplacesZero | Self::ReplacesValue | Self::RemovesValue => Some(Law::Kept),
            Self::ChangesAgain => Some(Law::Twice),
            Self::Unordered => Some(Law::Order),
            _ => None,
        }
    }

    /// Whether a default can have the fault. `has_json` says whether objects hold JSON of no known type.
    pub(super) fn fits(self, site: &Site, has_json: bool) -> bool {
        let Site { marker, other, .. } = site;
        if matches!(self, Self::NotCreated | Self::CreatedEmpty) {
            let is_empty = site.default.as_object().is_none_or(Map::is_empty);
            return site.is_created() && marker.is_pointer && (self == Self::NotCreated || !is_empty);
        }
        let is_item = marker.steps.last().is_some_and(|step| step == EACH);
        !site.is_created()
            && match self {
                Self::OtherValue | Self::ChangesAgain => other.is_some(),
                Self::FirstItemAlone => marker.steps.iter().any(|step| step == EACH),
                Self::ReplacesZero => marker.is_pointer && site.keeps_zero,
                Self::KeepsZero => !marker.is_pointer && !is_item && site.sample("zero").is_some(),
                // Cases bring null, and what decides, together by chance alone.
                Self::KeepsNull => !site.is_decided,
                Self::ReplacesValue => site.sample(ANOTHER).is_some(),
                Self::LostBeside => site.is_set_beside && !is_item,
                Self::TooEarly => site.has_defaults_beside && !is_item,
                Self::Unordered => has_json,
                _ => true,
            }
    }

    /// The object with this fault in one of its defaults; `None` if it is the sound one.
    pub(super) fn spoilt(self, site: &Site, schema: &Schema, object: Defaulted<'_>) -> Option<Value> {
        if self == Self::Unordered && !object.is_unsorted {
            return None;
        }
        let place = Place { before: Some(object.before), sent: object.sent, ..Place::default() };
        match (Walk { fault: self, site, schema }).spoilt(place, &site.marker.steps, object.after)? {
            Edit::Unset => None,
            Edit::Value(value) => Some(value),
        }
    }
}

/// What a fault makes of a value.
enum Edit {
    Unset,
    Value(Value),
}

/// A value after defaulting, beside the one before.
#[derive(Clone, Copy, Default)]
struct Place<'v> {
    before: Option<&'v Value>,
    sent: Option<&'v Value>,
    /// The struct around before and after defaulting, and the name of the field.
    around: Option<(Option<&'v Value>, &'v Map<String, Value>, &'v str)>,
    is_later_item: bool,
}

impl Place<'_> {
    /// Whether some other field of the struct around has a value before defaulting.
    fn has_values_beside(&self) -> bool {
        let Some((Some(Value::Object(members)), _, own)) = self.around else { return false };
        members.iter().any(|(name, value)| name != own && !is_nothing(value))
    }

    /// Whether some other field of the struct around has a default.
    fn has_defaults_beside(&self) -> bool {
        let Some((before, after, own)) = self.around else { return false };
        let is_set = |name: &String, value: &Value| before.and_then(|of| of.get(name)) != Some(value);
        after.iter().any(|(name, value)| name != own && is_set(name, value))
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_nothing),
        _ => value.is_null() || is_zero_scalar(value),
    }
}

struct Walk<'w> {
    fault: Fault,
    site: &'w Site,
    schema: &'w Schema,
}

impl Walk<'_> {
    /// What the fault makes of a value that leads to its field by these steps; `None` if it leaves it as it is.
    fn spoilt(&self, place: Place<'_>, steps: &[String], after: &Value) -> Option<Edit> {
        let Some((step, rest)) = steps.split_first() else { return self.at_field(place, after) };
        match (step.as_str(), after) {
            (EACH, Value::Array(items)) => {
                let mut changed: Option<Vec<Value>> = None;
                for (number, item) in items.iter().enumerate() {
                    let below = Place {
                        before: place.before.and_then(|of| of.get(number)),
                        sent: place.sent.and_then(|of| of.get(number)),
                        around: None,
                        is_later_item: place.is_later_item || number > 0,
                    };
                    if let Some(edit) = self.spoilt(below, rest, item)
                        && let Some(item) = changed.get_or_insert_with(|| items.clone()).get_mut(number)
                    {
                        *item = edit.of_item();
                    }
                }
                changed.map(|items| Edit::Value(Value::Array(items)))
            }
            (EACH, Value::Object(entries)) => {
                let mut changed: Option<Map<String, Value>> = None;
                for (number, (key, entry)) in entries.iter().enumerate() {
                    let is_later_item = place.is_later_item || number > 0;
                    let below = Place { around: None, is_later_item, ..place.below(key) };
                    if let Some(edit) = self.spoilt(below, rest, entry) {
                        changed.get_or_insert_with(|| entries.clone()).insert(key.clone(), edit.of_item());
                    }
                }
                changed.map(|entries| Edit::Value(Value::Object(entries)))
            }
            (name, Value::Object(members)) => {
                let around = Some((place.before, members, name));
                let below = Place { around, ..place.below(name) };
                let edit = self.spoilt(below, rest, members.get(name)?)?;
                let mut members = members.clone();
                match edit {
                    Edit::Unset => _ = members.remove(name),
                    Edit::Value(value) => _ = members.insert(name.to_owned(), value),
                }
                Some(Edit::Value(Value::Object(members)))
            }
            _ => None,
        }
    }

    /// What the fault makes of the value of the field.
    fn at_field(&self, place: Place<'_>, after: &Value) -> Option<Edit> {
        let Site { default, other, ty, .. } = self.site;
        let was_unset = place.before.is_none_or(|value| is_zero(value, Some((self.schema, *ty))));
        let is_set = was_unset && place.before != Some(after);
        let is_kept = place.before == Some(after);
        let unset = |is: bool| is.then_some(Edit::Unset);
        let value = |is: bool, value: &Value| (is && value != after).then(|| Edit::Value(value.clone()));
        match self.fault {
            Fault::Dropped | Fault::Unordered => unset(is_set),
            Fault::OtherValue => value(is_set, other.as_ref()?),
            Fault::FirstItemAlone => unset(is_set && place.is_later_item),
            Fault::ReplacesZero => value(is_kept && is_zero_scalar(after), default),
            Fault::KeepsZero => unset(is_set && place.sent.is_some_and(is_zero_scalar)),
            Fault::KeepsNull => unset(is_set && place.sent.is_some_and(Value::is_null)),
            Fault::ReplacesValue => value(is_kept && !is_zero_scalar(after), default),
            Fault::RemovesValue => unset(is_kept && !was_unset),
            Fault::LostBeside => unset(is_set && place.has_values_beside()),
            Fault::TooEarly => unset(is_set && place.has_defaults_beside()),
            Fault::ChangesAgain => value(is_kept && after == default, other.as_ref()?),
            Fault::NotCreated => unset(place.before.is_none_or(Value::is_null)),
            Fault::CreatedEmpty => value(place.before.is_none_or(Value::is_null), &Value::Object(Map::new())),
        }
    }
}

impl<'v> Place<'v> {
    /// The member or entry of a name.
    fn below(self, name: &str) -> Self {
        Self { before: self.before.and_then(|of| of.get(name)), sent: self.sent.and_then(|of| of.get(name)), ..self }
    }
}

impl Edit {
    /// The value of an item or entry, which is never absent.
    fn of_item(self) -> Value {
        match self {
            Self::Unset => Value::Null,
            Self::Value(value) => value,
        }
    }
}
