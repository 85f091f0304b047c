//! The structs that the checks judge: they borrow what they hold from the decoded objects, and have the members of the Go types in
//! `oracles/idl`, from which they are written. A struct stands for every version of its kind that has the same members.

use base64::Engine as _;
use serde::{Serialize, Serializer};
use takeover_harness::object::{FromNode, Json, Misread, TypedNode};

pub use takeover_harness::object::{Instant as Time, IntOrString, Map, Quantity};

/// An object with metadata.
pub trait Described<'a> {
    /// Its metadata.
    fn metadata(&self) -> &meta::v1::ObjectMeta<'a>;
}

/// `[]byte`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteString<'a>(pub &'a [u8]);

impl<'a> FromNode<'a> for ByteString<'a> {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        node.read().map(Self)
    }
}

impl Serialize for ByteString<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        base64::engine::general_purpose::STANDARD.encode(self.0).serialize(serializer)
    }
}

/// `runtime.RawExtension`
pub type Raw<'a> = &'a Json<'a>;

/// Declares a struct that is read from decoded objects, with the JSON names of its members, and after a semicolon members that are not
/// read. Those that are not written from Go types are versions unlike the hub, and hubs with what only their internal version has.
macro_rules! view {
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident $(<$borrowed:lifetime>)? {
            $($(#[$of_meta:meta])* $json:literal => $of:vis $field:ident: $ty:ty,)*
            $(; $($(#[$set_meta:meta])* $set_of:vis $set:ident: $set_ty:ty,)*)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
        $vis struct $name $(<$borrowed>)? {
            $(#[serde(rename = $json)] $(#[$of_meta])* $of $field: $ty,)*
            $($(#[serde(skip)] $(#[$set_meta])* $set_of $set: $set_ty,)*)?
        }

        impl<'a> takeover_harness::object::FromNode<'a> for $name $(<$borrowed>)? {
            fn from_node(
                node: takeover_harness::object::TypedNode<'a>,
            ) -> Result<Self, takeover_harness::object::Misread> {
                Self::from_node_beside(node, takeover_harness::object::Node::Unset, None)
            }

            fn from_node_beside(
                node: takeover_harness::object::TypedNode<'a>,
                other: takeover_harness::object::Node<'a>,
                known: Option<&Self>,
            ) -> Result<Self, takeover_harness::object::Misread> {
                let mut view = Self::default();
                // INVARIANT: a Go type has each JSON name once, so what is known of a member is of the same member.
                node.each_member(other, &[$($json),*], &mut |member, node, other| {
                    let mut at = 0;
                    $(
                        if member == at {
                            view.$field = match known {
                                None => node.read()?,
                                Some(known) => node.read_beside(other, &known.$field)?,
                            };
                            return Ok(());
                        }
                        at += 1;
                    )*
                    let _ = (at, node, other, known);
                    Ok(())
                })?;
                Ok(view)
            }
        }
    };
}
pub(crate) use view;

include!(concat!(env!("OUT_DIR"), "/structs.rs"));

/// What `T` makes of JSON.
#[cfg(test)]
pub(crate) fn read_json<T: FromNode<'static>>(value: &serde_json::Value) -> T {
    let arena = Box::leak(Box::new(takeover_harness::object::Arena::new()));
    TypedNode::untyped(Box::leak(Box::new(value.clone())), arena).read().expect("JSON of this form")
}
