//! Both objects of a case in one form.

use takeover_harness::object::{Arena, FromNode, Node, identical};
use takeover_harness::oracle::{Objects, OracleFailure};

/// Both objects of a case as the structs that a handwritten validator judges. An update that changes nothing has one struct for both.
#[derive(Clone, Copy, Debug)]
pub struct TypedPair<T> {
    new: T,
    old: Old<T>,
}

/// The stored object.
#[derive(Clone, Copy, Debug)]
enum Old<T> {
    /// A create has no stored object.
    None,
    /// The update changes nothing.
    New,
    /// The update changes something.
    Other(T),
}

impl<T> TypedPair<T> {
    /// The object of the request, and on updates the stored object.
    #[must_use]
    pub fn objects(&self) -> (&T, Option<&T>) {
        let old = match &self.old {
            Old::None => None,
            Old::New => Some(&self.new),
            Old::Other(old) => Some(old),
        };
        (&self.new, old)
    }

    /// Both objects in the form that `make` gives each decoded object.
    ///
    /// # Errors
    /// Returns the errors of `make`.
    pub fn made<'a>(
        objects: &Objects<'a>,
        mut make: impl FnMut(Node<'a>) -> Result<T, OracleFailure>,
    ) -> Result<Self, OracleFailure> {
        Self::made_beside(objects, |object, _| make(object))
    }

    /// Both objects in the form that `make` gives each, the stored one beside the new one.
    fn made_beside<'a>(
        objects: &Objects<'a>,
        mut make: impl FnMut(Node<'a>, Option<&T>) -> Result<T, OracleFailure>,
    ) -> Result<Self, OracleFailure> {
        let new = make(objects.new, None)?;
        let old = match objects.old {
            None => Old::None,
            Some(old) if identical(&objects.new, &old) => Old::New,
            Some(old) => Old::Other(make(old, Some(&new))?),
        };
        Ok(Self { new, old })
    }

    /// Turns each object into another form.
    #[must_use]
    pub fn map<U>(self, mut form: impl FnMut(T) -> U) -> TypedPair<U> {
        let old = match self.old {
            Old::None => Old::None,
            Old::New => Old::New,
            Old::Other(old) => Old::Other(form(old)),
        };
        TypedPair { new: form(self.new), old }
    }

    /// Both objects of a case as `T`.
    ///
    /// # Errors
    /// Returns an error when an object has another form.
    pub fn of<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<Self, OracleFailure>
    where
        T: FromNode<'a>,
    {
        Self::made_beside(objects, |node, new| match new {
            Some(new) => objects.read_beside(node, (objects.new, new), arena),
            None => objects.read(node, arena),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::TypedPair;
    use serde_json::json;
    use takeover_harness::object::{Arena, from_value};
    use takeover_harness::oracle::Objects;
    use takeover_harness::schema::{Kind, Schema};

    #[test]
    fn an_update_that_changes_nothing_has_one_form() {
        let (mut schema, arena) = (Schema::new(), Arena::new());
        let root = schema.add("string", Kind::Text);
        let (stored, same, other) = (json!("a"), json!("a"), json!("b"));
        let decoded = |value| from_value(&schema, root, value, &arena).expect("decodes");
        for (new, is_one) in [(&same, true), (&other, false)] {
            let objects = Objects { schema: &schema, root, new: decoded(new), old: Some(decoded(&stored)), sent: None };
            let pair = TypedPair::<&str>::of(&objects, &arena).expect("texts").map(|text| (text, ()));
            let (form, old) = pair.objects();
            assert_eq!((form.0 == "a", old), (is_one, Some(&("a", ()))));
            assert_eq!(std::ptr::eq(form, old.expect("an update")), is_one);
        }
        let create = Objects { schema: &schema, root, new: decoded(&stored), old: None, sent: None };
        assert!(TypedPair::<&str>::of(&create, &arena).expect("a text").objects().1.is_none());
    }
}
