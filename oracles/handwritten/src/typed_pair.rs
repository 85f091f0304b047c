//! Both objects of a case in one form.

use takeover_harness::object::{Arena, FromNode, identical};
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

    /// Does the same as [`TypedPair::map`], where an object may have no other form.
    ///
    /// # Errors
    /// Returns the errors of `form`.
    pub fn try_map<U>(
        self,
        mut form: impl FnMut(T) -> Result<U, OracleFailure>,
    ) -> Result<TypedPair<U>, OracleFailure> {
        let new = form(self.new)?;
        let old = match self.old {
            Old::None => Old::None,
            Old::New => Old::New,
            Old::Other(old) => Old::Other(form(old)?),
        };
        Ok(TypedPair { new, old })
    }

    /// Both objects of a case as `T`. What both share is read once.
    ///
    /// # Errors
    /// Returns an error when an object has another form.
    pub fn of<'a>(objects: &Objects<'a>, arena: &'a Arena) -> Result<Self, OracleFailure>
    where
        T: FromNode<'a>,
    {
        let new = objects.read(objects.new, arena)?;
        let old = match objects.old {
            None => Old::None,
            Some(old) if identical(&objects.new, &old) => Old::New,
            Some(old) => Old::Other(objects.read_beside(old, (objects.new, &new), arena)?),
        };
        Ok(Self { new, old })
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
