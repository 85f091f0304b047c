//! Field paths: frames on the stack while walking an object, text only when an error is made.

use std::borrow::Cow;
use std::fmt;

/// How the path of the object itself is printed.
const ROOT_FIELD: &str = "<nil>";

/// Where in an object a check stands. A path borrows its parent, so walking down allocates nothing.
///
/// Printed as Kubernetes prints field paths: `spec.containers[0].name`, `metadata.labels[a/b]`, and `<nil>` for the root.
///
/// ```
/// use takeover_harness::path::Path;
/// let spec = Path::ROOT.child("spec");
/// let containers = spec.child("containers");
/// assert_eq!(containers.index(0).child("name").to_string(), "spec.containers[0].name");
/// assert_eq!(Path::ROOT.to_string(), "<nil>");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Path<'p>(Frame<'p>);

#[derive(Clone, Copy, Debug)]
enum Frame<'p> {
    Root,
    Step { parent: &'p Path<'p>, step: Step<'p> },
}

/// One element of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'p> {
    /// `.name`
    Field(&'p str),
    /// `[i]`
    Index(usize),
    /// `[key]`, printed raw
    Key(&'p str),
}

impl Path<'static> {
    /// The object itself; printed `<nil>`.
    pub const ROOT: Path<'static> = Path(Frame::Root);
}

impl<'p> Path<'p> {
    /// The member `name` of the value at this path.
    #[must_use]
    #[inline]
    pub fn child(&'p self, name: &'p str) -> Path<'p> {
        self.step(Step::Field(name))
    }

    /// The list element `index` of the value at this path.
    #[must_use]
    #[inline]
    pub fn index(&'p self, index: usize) -> Path<'p> {
        self.step(Step::Index(index))
    }

    /// The map entry `key` of the value at this path.
    #[must_use]
    #[inline]
    pub fn key(&'p self, key: &'p str) -> Path<'p> {
        self.step(Step::Key(key))
    }

    /// One step further down.
    #[must_use]
    #[inline]
    pub fn step(&'p self, step: Step<'p>) -> Path<'p> {
        Path(Frame::Step { parent: self, step })
    }

    /// The path of the value that this one stands in, and the step from there; none for the object itself.
    #[must_use]
    pub fn split_last(&self) -> Option<(&'p Path<'p>, Step<'p>)> {
        match self.0 {
            Frame::Root => None,
            Frame::Step { parent, step } => Some((parent, step)),
        }
    }

    /// Whether this is the object itself.
    #[must_use]
    #[inline]
    pub fn is_root(&self) -> bool {
        matches!(self.0, Frame::Root)
    }

    /// The path as the `field` text of an error.
    #[must_use]
    pub fn to_field(&self) -> String {
        if self.is_root() {
            return ROOT_FIELD.to_owned();
        }
        let mut field = String::with_capacity(self.room());
        // Writing to a text cannot fail.
        let _ = self.write(&mut field);
        field
    }

    /// Bytes that the printed path takes at most, as long as lists are short.
    fn room(&self) -> usize {
        let Frame::Step { parent, step } = self.0 else { return 0 };
        let step = match step {
            Step::Field(name) => name.len() + 1,
            Step::Index(_) => 4,
            Step::Key(key) => key.len() + 2,
        };
        parent.room() + step
    }

    /// Writes the steps from the root on.
    fn write(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let Frame::Step { parent, step } = self.0 else { return Ok(()) };
        parent.write(out)?;
        match step {
            Step::Field(name) => {
                if !parent.is_root() {
                    out.write_char('.')?;
                }
                out.write_str(name)
            }
            Step::Index(index) => write!(out, "[{index}]"),
            Step::Key(key) => {
                out.write_char('[')?;
                out.write_str(key)?;
                out.write_char(']')
            }
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() { f.write_str(ROOT_FIELD) } else { self.write(f) }
    }
}

/// The steps of a printed path: the name of each member, and `None` for each item or entry.
///
/// ```
/// use takeover_harness::path::members;
/// assert_eq!(members("spec.ports[3].name").collect::<Vec<_>>(), [Some("spec"), Some("ports"), None, Some("name")]);
/// ```
pub fn members(path: &str) -> impl Iterator<Item = Option<&str>> {
    let mut rest = if path == ROOT_FIELD { "" } else { path };
    std::iter::from_fn(move || {
        if let Some(within) = rest.strip_prefix('[') {
            rest = within.split_once(']').map_or("", |(_, after)| after);
            return Some(None);
        }
        let name = rest.strip_prefix('.').unwrap_or(rest);
        let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
        rest = after;
        (!name.is_empty()).then_some(Some(name))
    })
}

/// The pattern of a printed path: every `[index]` and `[key]` becomes `[*]`, and `<nil>` the empty text.
///
/// Keys may hold brackets only in hostile input; the closing bracket is then the last one before a `.`, a `[` or the end.
///
/// ```
/// use takeover_harness::path::pattern;
/// assert_eq!(pattern("spec.ports[3].name"), "spec.ports[*].name");
/// assert_eq!(pattern("metadata.labels[a.b/c]"), "metadata.labels[*]");
/// assert_eq!(pattern("<nil>"), "");
/// ```
#[must_use]
pub fn pattern(field: &str) -> String {
    pattern_of(field).into_owned()
}

/// As [`pattern`], without a copy of a path that is its own pattern.
pub(crate) fn pattern_of(field: &str) -> Cow<'_, str> {
    if field == ROOT_FIELD {
        return Cow::Borrowed("");
    }
    if !field.contains('[') {
        return Cow::Borrowed(field);
    }
    let mut out = String::with_capacity(field.len());
    let mut rest = field;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        out.push_str("[*]");
        rest = after.split_once(']').map_or("", |(_, tail)| tail);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a path pattern leads to the place of another one, or below it.
#[must_use]
pub fn is_inside(path: &str, around: &str) -> bool {
    let rest = path.strip_prefix(around);
    around.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
