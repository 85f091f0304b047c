//! The kinds of values.

use super::access::Access;
use super::data::Datum;
use super::shape::Shape;
use crate::scalar::format::NamedFormat;
use crate::scalar::net::Cidr;
use crate::scalar::quantity::Quantity;
use crate::scalar::semver::Semver;
use crate::scalar::time::Timestamp;
use crate::scalar::url::Url;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

/// A value.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating-point number.
    Double(f64),
    /// Text. Its length is counted in code points.
    String(Text<'a>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A point in time.
    Timestamp(Timestamp),
    /// A span of time, in nanoseconds.
    Duration(i64),
    /// A list.
    List(List<'a>),
    /// A map or an object.
    Map(Map<'a>),
    /// A type, by its name.
    Type(Arc<str>),
    /// A value that may be missing.
    Optional(Option<Arc<Value<'a>>>),
    /// An IP address.
    Ip(IpAddr),
    /// A range of IP addresses.
    Cidr(Cidr),
    /// A URL.
    Url(Arc<Url>),
    /// A quantity of Kubernetes.
    Quantity(Arc<Quantity>),
    /// A semantic version.
    Semver(Arc<Semver>),
    /// A named format of strings.
    Format(&'static NamedFormat),
    /// Data that no schema describes: equality only.
    Opaque(&'a dyn Datum),
    /// An authorizer, a check of it, or its decision.
    Access(Arc<Access>),
    /// A variable whose members are computed when they are read, by its name.
    Members(Arc<str>),
}

impl<'a> Value<'a> {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::String(Text::Shared(text.into()))
    }

    /// A list of values.
    #[must_use]
    pub fn list(values: Vec<Value<'a>>) -> Self {
        Self::List(List::plain(values))
    }

    /// A present optional value.
    #[must_use]
    pub fn some(value: Value<'a>) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// The text, if it is a string.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The name of its type, as messages and `type()` have it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Opaque(_) => "unknown",
            Self::Access(access) => access.type_name(),
            Self::Members(_) => "kubernetes.variables",
        }
    }
}

/// A string, borrowed from data or shared.
#[derive(Clone, Debug)]
pub enum Text<'a> {
    /// From data.
    Borrowed(&'a str),
    /// Made by an expression.
    Shared(Arc<str>),
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text<'_> {}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

/// A list.
#[derive(Clone, Debug)]
pub struct List<'a> {
    pub(super) items: Items<'a>,
    /// How it compares and grows.
    pub list_type: ListType<'a>,
}

/// Where the items are.
#[derive(Clone, Debug)]
pub(super) enum Items<'a> {
    /// Decoded data: so many items of a schema, or of none.
    Data(&'a dyn Datum, usize, Option<&'a Shape>),
    /// Values.
    Values(Arc<Vec<Value<'a>>>),
}

/// How a list compares and grows.
#[derive(Clone, Copy, Debug)]
pub enum ListType<'a> {
    /// In order.
    Plain,
    /// In order, from data with a schema.
    Atomic,
    /// A set of scalars.
    Set,
    /// Items are named by these fields.
    Map(&'a [String]),
}

/// A map or an object.
#[derive(Clone, Debug)]
pub enum Map<'a> {
    /// Made by an expression.
    Plain(Arc<PlainMap<'a>>),
    /// Data of a schema; so many members.
    Typed(&'a dyn Datum, usize, &'a Shape),
    /// Data without a schema.
    Native(&'a dyn Datum, usize),
}

/// A map made by an expression.
pub type PlainMap<'a> = BTreeMap<Key<'a>, Value<'a>>;

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key<'a> {
    /// A boolean.
    Bool(bool),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating-point number, as its bits.
    Double(u64),
    /// Text.
    String(Text<'a>),
}
