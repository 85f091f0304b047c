//! The declarations of one Go file, as far as types and constants need them.

use super::source::Span;

/// One parsed file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) package: String,
    pub(super) imports: Vec<Import>,
    pub(super) types: Vec<TypeDecl>,
    pub(super) constants: Vec<ConstDecl>,
}

#[derive(Debug)]
pub(super) struct Import {
    /// The name given to it; `.` for a dot import.
    pub(super) alias: Option<String>,
    pub(super) path: String,
}

#[derive(Debug)]
pub(super) struct TypeDecl {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) alias: bool,
    /// Names of type parameters.
    pub(super) parameters: Vec<String>,
    pub(super) ty: TypeExpr,
}

/// A type expression with its place.
#[derive(Clone, Debug)]
pub(super) struct TypeExpr {
    pub(super) kind: TypeKind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeKind {
    /// `T`, `pkg.T`, `T[A, B]`.
    Name {
        package: Option<String>,
        name: String,
        arguments: Vec<TypeExpr>,
    },
    Pointer(Box<TypeExpr>),
    Slice(Box<TypeExpr>),
    Array {
        /// The length as written.
        length: Span,
        element: Box<TypeExpr>,
    },
    Map {
        key: Box<TypeExpr>,
        value: Box<TypeExpr>,
    },
    Struct(Vec<FieldDecl>),
    /// Interfaces, functions, channels.
    Opaque,
    /// Nested deeper than the front end follows; a diagnostic says so.
    TooDeep,
}

/// One line of a struct: several names or one embedded type.
#[derive(Clone, Debug)]
pub(super) struct FieldDecl {
    /// Names with their places; for an embedded field the name of its type.
    pub(super) names: Vec<(String, Span)>,
    pub(super) embedded: bool,
    pub(super) ty: TypeExpr,
    /// The tag literal with its quotes.
    pub(super) tag: Option<Span>,
}

/// One constant; lines without a value repeat the expression of the line before, with their own `iota`.
#[derive(Debug)]
pub(super) struct ConstDecl {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) iota: i64,
    pub(super) ty: Option<std::rc::Rc<TypeExpr>>,
    pub(super) value: Option<std::rc::Rc<ConstExpr>>,
}

/// A constant expression.
#[derive(Debug)]
pub(super) enum ConstExpr {
    Text(String),
    Int(i128),
    Float(f64),
    Bool(bool),
    Iota,
    Name {
        package: Option<String>,
        name: String,
    },
    Unary {
        operator: String,
        operand: Box<ConstExpr>,
    },
    Binary {
        operator: String,
        left: Box<ConstExpr>,
        right: Box<ConstExpr>,
    },
    /// `T(x)`, or a call of a function that has the form of one.
    Conversion {
        ty: TypeExpr,
        operand: Box<ConstExpr>,
    },
    /// Anything else.
    Other,
}
