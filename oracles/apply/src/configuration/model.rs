//! The types of configurations.

/// The apply configurations of some kinds, and of every struct in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configurations {
    /// Sorted by name. [`Shape::Struct`] is an index into them.
    pub structs: Vec<Configuration>,
}

/// The apply configuration of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Its name, unique among [`Configurations::structs`], in upper camel case.
    pub name: String,
    /// The full name of its Go type, or the name that a reader of schemas gave to it.
    pub type_name: String,
    /// The kind that it is, if it is one.
    pub object: Option<Object>,
    /// In the order of the type; members of inlined structs stand in the place of these.
    pub members: Vec<Member>,
    /// Whether it may have other members, which may be anything.
    pub keeps_unknown: bool,
}

/// A kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Group and version, as objects have them.
    pub api_version: String,
    /// Its name.
    pub kind: String,
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its JSON name.
    pub name: String,
    /// What it may be.
    pub shape: Shape,
    /// How it merges, if the types say so.
    pub merging: Option<Merging>,
    /// Whether its struct contains the struct of the member, in a circle that no list or map interrupts.
    pub recursive: bool,
}

/// How a list or map merges where that is not told by its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merging {
    /// As one piece.
    Atomic,
    /// Item by item; an item is its value.
    Set,
    /// Item by item; these members of an item are its key.
    Map(Vec<String>),
}

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A boolean.
    Boolean,
    /// An integer of so many bits.
    Integer {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Whether negative values exist.
        signed: bool,
    },
    /// A number of 32 or 64 bits.
    Float {
        /// 32 or 64.
        bits: u8,
    },
    /// A text, with its OpenAPI format if it has one: `date-time`, `byte`, `quantity`; `quoted` is a text that holds a scalar as JSON.
    Text(Option<&'static str>),
    /// An integer or a text.
    IntOrString,
    /// Any JSON.
    Any,
    /// A list.
    List(Box<Shape>),
    /// A map with texts as keys.
    Map(Box<Shape>),
    /// A struct, by its index.
    Struct(usize),
}

impl Configurations {
    /// The configuration of a kind.
    #[must_use]
    pub fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Configuration> {
        let is_it = |object: &Object| object.api_version == api_version && object.kind == kind;
        self.structs.iter().find(|of| of.object.as_ref().is_some_and(is_it))
    }

    /// The configuration with this index; see [`Shape::Struct`].
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Configuration> {
        self.structs.get(index)
    }

    /// Whether some member anywhere satisfies `is`, through lists and maps.
    pub(super) fn any_shape(&self, is: &dyn Fn(&Shape) -> bool) -> bool {
        let mut members = self.structs.iter().flat_map(|of| &of.members);
        members.any(|member| member.shape.any(is))
    }
}

impl Shape {
    /// Whether the shape or that of its items satisfies `is`.
    fn any(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self)
            || match self {
                Self::List(of) | Self::Map(of) => of.any(is),
                _ => false,
            }
    }
}
