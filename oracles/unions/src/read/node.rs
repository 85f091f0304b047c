//! A schema at its path.

use crate::union::{Discriminator, Member, Origin, Union};
use serde_json::Value;

/// A schema at its path.
pub(super) struct Node<'s> {
    pub(super) path: &'s str,
    pub(super) schema: &'s Value,
}

impl<'s> Node<'s> {
    pub(super) fn properties(&self) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
        self.schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    }

    pub(super) fn property(&self, name: &str) -> Option<&'s Value> {
        self.schema.get("properties")?.get(name)
    }

    /// Whether objects may have a member of this name: one that is declared, or any if unknown ones are kept.
    pub(super) fn takes(&self, name: &str) -> bool {
        let keeps_unknown = self.schema.get("x-kubernetes-preserve-unknown-fields").and_then(Value::as_bool);
        keeps_unknown == Some(true) || self.property(name).is_some()
    }

    pub(super) fn union(&self, origin: Origin, members: Vec<Member>) -> Union {
        Union {
            owner: self.path.to_owned(),
            name: String::new(),
            origin,
            members,
            discriminator: None,
            may_be_empty: false,
        }
    }

    /// The discriminator, with the values that its schema lists and those of the members.
    pub(super) fn discriminator(&self, name: &str, of_members: &[String]) -> Discriminator {
        let property = self.property(name);
        let listed = property.and_then(|of| of.get("enum")).and_then(Value::as_array);
        let mut values = texts(listed);
        for value in of_members {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        let default = property.and_then(|of| of.get("default")).and_then(Value::as_str).map(str::to_owned);
        let is_required = texts(self.schema.get("required").and_then(Value::as_array)).iter().any(|of| of == name);
        // Leaving out the discriminator selects no member.
        if !is_required && default.is_none() && !values.iter().any(String::is_empty) {
            values.push(String::new());
        }
        Discriminator { name: name.to_owned(), values, default }
    }
}

pub(super) fn texts(values: Option<&Vec<Value>>) -> Vec<String> {
    values.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A member that must be set while it is selected.
pub(super) fn plain(name: &str, value: &str) -> Member {
    Member { name: name.to_owned(), value: value.to_owned(), optional: false, zero_is_unset: false }
}
