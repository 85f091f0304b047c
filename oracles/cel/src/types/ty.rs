//! Static types, their texts in messages, and what it takes to be the same type.

use std::fmt;
use std::sync::Arc;

/// A static type.
///
/// Types are shared and never change; a clone is cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// Whatever comes at run time.
    Dyn,
    /// `google.protobuf.Any`.
    Any,
    /// A boolean.
    Bool,
    /// Bytes.
    Bytes,
    /// A 64-bit floating-point number.
    Double,
    /// A duration.
    Duration,
    /// The type of an expression that does not check.
    Error,
    /// A signed 64-bit integer.
    Int,
    /// The type of `null`.
    Null,
    /// A string.
    String,
    /// A point in time.
    Timestamp,
    /// An unsigned 64-bit integer.
    Uint,
    /// A primitive type that may be null, as the wrapper messages of protobuf are.
    Wrapper(Arc<Type>),
    /// A list, with the type of its elements.
    List(Arc<Type>),
    /// A map, with the types of keys and values.
    Map(Arc<(Type, Type)>),
    /// The type of a type; without parameter it is the type of `type` itself.
    Type(Option<Arc<Type>>),
    /// A type parameter of a declaration.
    Param(Arc<str>),
    /// A type variable that the checker introduced.
    Variable(u32),
    /// A type with fields, by name.
    Object(Arc<str>),
    /// A named type without fields, such as `net.IP` and `optional_type(V)`.
    Opaque(Arc<str>, Arc<[Type]>),
}

/// The kind of a type, which is the same for a type and its wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each kind is documented at the type of the same name")]
#[non_exhaustive]
pub enum Kind {
    Dyn,
    Any,
    Bool,
    Bytes,
    Double,
    Duration,
    Error,
    Int,
    Null,
    String,
    Timestamp,
    Uint,
    List,
    Map,
    Type,
    Param,
    Object,
    Opaque,
}

/// The name of the type of optional values.
pub(crate) const OPTIONAL: &str = "optional_type";

impl Type {
    /// Makes the type of a list of `element`.
    #[must_use]
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// Makes the type of a map from `key` to `value`.
    #[must_use]
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// Makes the type of an optional `value`.
    #[must_use]
    pub fn optional(value: Self) -> Self {
        Self::Opaque(Arc::from(OPTIONAL), Arc::from([value]))
    }

    /// Makes the type of the type `of`.
    #[must_use]
    pub fn type_of(of: Self) -> Self {
        Self::Type(Some(Arc::new(of)))
    }

    /// Makes a type with fields by its name.
    #[must_use]
    pub fn object(name: &str) -> Self {
        Self::Object(Arc::from(name))
    }

    /// Returns the kind of this type.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Dyn => Kind::Dyn,
            Self::Any => Kind::Any,
            Self::Bool => Kind::Bool,
            Self::Bytes => Kind::Bytes,
            Self::Double => Kind::Double,
            Self::Duration => Kind::Duration,
            Self::Error => Kind::Error,
            Self::Int => Kind::Int,
            Self::Null => Kind::Null,
            Self::String => Kind::String,
            Self::Timestamp => Kind::Timestamp,
            Self::Uint => Kind::Uint,
            Self::Wrapper(wrapped) => wrapped.kind(),
            Self::List(_) => Kind::List,
            Self::Map(_) => Kind::Map,
            Self::Type(_) => Kind::Type,
            Self::Param(_) | Self::Variable(_) => Kind::Param,
            Self::Object(_) => Kind::Object,
            Self::Opaque(..) => Kind::Opaque,
        }
    }

    /// Returns the parameters of this type: the element of a list, key and value of a map, those of a named type.
    #[must_use]
    pub fn parameters(&self) -> &[Self] {
        match self {
            Self::List(element) => std::slice::from_ref(element),
            Self::Type(Some(of)) => std::slice::from_ref(of),
            Self::Opaque(_, parameters) => parameters,
            // The two parameters of a map do not lie in a slice; `key_and_value` gives them.
            _ => &[],
        }
    }

    /// Returns the types of keys and values of a map.
    #[must_use]
    pub fn key_and_value(&self) -> Option<(&Self, &Self)> {
        match self {
            Self::Map(entry) => Some((&entry.0, &entry.1)),
            _ => None,
        }
    }

    /// Returns the type inside an optional type.
    #[must_use]
    pub fn inside_optional(&self) -> Option<&Self> {
        match self {
            Self::Opaque(name, parameters) if &**name == OPTIONAL => parameters.first(),
            _ => None,
        }
    }

    /// Tells whether this is `dyn` or `any`.
    #[must_use]
    pub fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    /// Tells whether this is `dyn`, `any` or the type of an expression that does not check.
    #[must_use]
    pub fn is_dyn_or_error(&self) -> bool {
        self.is_dyn() || matches!(self, Self::Error)
    }

    /// Tells whether a value of this type always has the same size.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        match self.kind() {
            Kind::Bool | Kind::Double | Kind::Duration | Kind::Int | Kind::Timestamp | Kind::Uint => true,
            Kind::Opaque => self.inside_optional().is_some_and(Self::is_scalar),
            _ => false,
        }
    }

    /// Returns the name that this type has at run time, where parameters are not known.
    #[must_use]
    pub fn runtime_name(&self) -> String {
        match self {
            Self::Dyn => "dyn".to_owned(),
            Self::Any => "google.protobuf.Any".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Double => "double".to_owned(),
            Self::Duration => "google.protobuf.Duration".to_owned(),
            Self::Error => "error".to_owned(),
            Self::Int => "int".to_owned(),
            Self::Null => "null_type".to_owned(),
            Self::String => "string".to_owned(),
            Self::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Self::Uint => "uint".to_owned(),
            Self::Wrapper(wrapped) => wrapped.runtime_name(),
            Self::List(_) => "list".to_owned(),
            Self::Map(_) => "map".to_owned(),
            Self::Type(_) => "type".to_owned(),
            Self::Param(name) | Self::Object(name) | Self::Opaque(name, _) => name.to_string(),
            Self::Variable(number) => format!("_var{number}"),
        }
    }

    /// Returns the type in full, with the names that it has at run time: `list(google.protobuf.Duration)`.
    #[must_use]
    pub fn full_name(&self) -> String {
        let list = |parameters: &[&Self]| parameters.iter().map(|ty| ty.full_name()).collect::<Vec<_>>().join(", ");
        match self {
            Self::Map(entry) => format!("map({})", list(&[&entry.0, &entry.1])),
            Self::Wrapper(wrapped) => format!("wrapper({})", wrapped.full_name()),
            _ if self.parameters().is_empty() => self.runtime_name(),
            _ => format!("{}({})", self.runtime_name(), list(&self.parameters().iter().collect::<Vec<_>>())),
        }
    }

    /// Tells whether both types are the same, not looking at the names of type parameters.
    #[must_use]
    pub fn is_equivalent(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Wrapper(left), right) => left.is_equivalent(right),
            (left, Self::Wrapper(right)) => left.is_equivalent(right),
            (Self::List(left), Self::List(right)) => left.is_equivalent(right),
            (Self::Map(left), Self::Map(right)) => left.0.is_equivalent(&right.0) && left.1.is_equivalent(&right.1),
            (Self::Type(Some(left)), Self::Type(Some(right))) => left.is_equivalent(right),
            (Self::Param(_) | Self::Variable(_), Self::Param(_) | Self::Variable(_)) => true,
            (Self::Opaque(left, left_parameters), Self::Opaque(right, right_parameters)) => {
                left == right
                    && left_parameters.len() == right_parameters.len()
                    && left_parameters.iter().zip(&**right_parameters).all(|(left, right)| left.is_equivalent(right))
            }
            (left, right) => left == right,
        }
    }

    /// Tells whether this type is made of more than `limit` types, not counting further than that.
    #[must_use]
    pub fn is_larger_than(&self, limit: usize) -> bool {
        self.remaining(limit).is_none()
    }

    fn remaining(&self, budget: usize) -> Option<usize> {
        let budget = budget.checked_sub(1)?;
        match self {
            Self::Map(entry) => entry.1.remaining(entry.0.remaining(budget)?),
            Self::Wrapper(wrapped) => wrapped.remaining(budget),
            _ => self.parameters().iter().try_fold(budget, |budget, parameter| parameter.remaining(budget)),
        }
    }
}

impl fmt::Display for Type {
    /// Writes the type as messages of the checker show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Duration => f.write_str("duration"),
            Self::Error => f.write_str("!error!"),
            Self::Null => f.write_str("null"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Wrapper(wrapped) => write!(f, "wrapper({wrapped})"),
            Self::List(element) => write!(f, "list({element})"),
            Self::Map(entry) => write!(f, "map({}, {})", entry.0, entry.1),
            Self::Type(Some(of)) => write!(f, "type({of})"),
            Self::Opaque(name, parameters) if !parameters.is_empty() => {
                write!(f, "{name}(")?;
                for (index, parameter) in parameters.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{parameter}")?;
                }
                f.write_str(")")
            }
            _ => f.write_str(&self.runtime_name()),
        }
    }
}
