//! From Go text to declarations, by tree-sitter.

use super::comments::Comments;
use super::diagnostic::{IdlDiagnostic, IdlFault};
use super::literal;
use super::source::{Source, Span};
use super::syntax::{ConstDecl, ConstExpr, FieldDecl, File, Import, TypeDecl, TypeExpr, TypeKind};
use std::ops::ControlFlow;
use std::rc::Rc;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Nesting of type and constant expressions that is followed.
const MAX_DEPTH: u32 = 100;
/// Syntax errors reported of one file; a file that is no Go at all has one per token.
const MAX_SYNTAX_ERRORS: usize = 200;
/// Progress reports of the parser (one per hundred steps) that a file of any size may use, and further ones per KiB.
const STEPS: u64 = 2_000;
const STEPS_PER_KIB: u64 = 80;

/// Parses one file. Faults go to `diagnostics`; what can be read around them is returned.
pub(super) fn parse(
    parser: &mut Parser,
    source: &Source,
    comments: &Comments,
    diagnostics: &mut Vec<IdlDiagnostic>,
) -> File {
    // The parser would look for the end of such a comment or string again and again, to the end of the text each time.
    let end = comments.unterminated.unwrap_or(source.text.len());
    if let Some(start) = comments.unterminated {
        let message = "syntax error: comment or raw string without an end";
        diagnostics.push(IdlDiagnostic::at(IdlFault::Syntax, source, Span { start, end: start + 1 }, message));
    }
    let Some(tree) = tree(parser, source.slice(Span { start: 0, end }).as_bytes()) else {
        let message = format!("`{}` cannot be parsed: too large, or too far from Go", source.name);
        diagnostics.push(IdlDiagnostic::at(IdlFault::TooComplex, source, Span::default(), message));
        return File::default();
    };
    let root = tree.root_node();
    if root.has_error() {
        syntax_errors(source, root, diagnostics);
    }
    let mut reader = Reader { source, diagnostics };
    reader.file(root)
}

/// The syntax tree; none if the parser needs more steps than a file of this size ever should.
fn tree(parser: &mut Parser, bytes: &[u8]) -> Option<Tree> {
    // Lengths inside the parser are 32 bits wide.
    u32::try_from(bytes.len()).ok()?;
    let kib = u64::try_from(bytes.len() / 1024).unwrap_or(u64::MAX);
    let mut left = STEPS.saturating_add(STEPS_PER_KIB.saturating_mul(kib));
    let mut progress = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    parser.reset();
    parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}

/// A parser of Go.
pub(super) fn parser() -> Parser {
    let mut parser = Parser::new();
    // Fails only for a grammar of another ABI, which the test `the_grammar_fits_the_parser` rules out.
    let _ = parser.set_language(&tree_sitter_go::LANGUAGE.into());
    parser
}

fn span(node: Node<'_>) -> Span {
    Span { start: node.start_byte(), end: node.end_byte() }
}

fn syntax_errors(source: &Source, root: Node<'_>, diagnostics: &mut Vec<IdlDiagnostic>) {
    let mut cursor = root.walk();
    let mut found = 0;
    loop {
        let node = cursor.node();
        let fault = if node.is_missing() {
            Some(format!("syntax error: expected `{}`", node.kind()))
        } else if node.is_error() {
            let text = source.slice(span(node)).split_whitespace().next().unwrap_or_default();
            let text: String = text.chars().take(40).collect();
            Some(if text.is_empty() { "syntax error".to_owned() } else { format!("syntax error: unexpected `{text}`") })
        } else {
            None
        };
        let descend = fault.is_none() && node.has_error();
        if let Some(message) = fault {
            found += 1;
            if found > MAX_SYNTAX_ERRORS {
                let message = format!("more than {MAX_SYNTAX_ERRORS} syntax errors; the rest is not shown");
                diagnostics.push(IdlDiagnostic::at(IdlFault::Syntax, source, span(node), message));
                return;
            }
            diagnostics.push(IdlDiagnostic::at(IdlFault::Syntax, source, span(node), message));
        }
        if descend && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

struct Reader<'r> {
    source: &'r Source,
    diagnostics: &'r mut Vec<IdlDiagnostic>,
}

/// Named children without comments.
fn parts<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.named_children(&mut node.walk()).filter(|child| !child.is_extra() && !child.is_error()).collect()
}

/// Children under a field name, without separators and comments.
fn named<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    node.children_by_field_name(field, &mut node.walk()).filter(|child| child.is_named() && !child.is_extra()).collect()
}

impl Reader<'_> {
    fn text(&self, node: Node<'_>) -> String {
        self.source.slice(span(node)).to_owned()
    }

    fn file(&mut self, root: Node<'_>) -> File {
        let mut file = File::default();
        for node in parts(root) {
            match node.kind() {
                "package_clause" => {
                    file.package = parts(node).first().map(|name| self.text(*name)).unwrap_or_default();
                }
                "import_declaration" => {
                    for child in parts(node) {
                        let specs = if child.kind() == "import_spec_list" { parts(child) } else { vec![child] };
                        file.imports.extend(specs.into_iter().filter_map(|spec| self.import(spec)));
                    }
                }
                "type_declaration" => {
                    for spec in parts(node) {
                        file.types.extend(self.type_spec(spec));
                    }
                }
                "const_declaration" => self.constants(node, &mut file.constants),
                _ => {}
            }
        }
        file
    }

    fn import(&self, spec: Node<'_>) -> Option<Import> {
        let path = literal::unquote(&self.text(spec.child_by_field_name("path")?))?;
        Some(Import { alias: spec.child_by_field_name("name").map(|name| self.text(name)), path })
    }

    fn type_spec(&mut self, spec: Node<'_>) -> Option<TypeDecl> {
        let name = spec.child_by_field_name("name")?;
        let parameters = spec
            .child_by_field_name("type_parameters")
            .map(|list| parts(list).into_iter().flat_map(|p| named(p, "name")).map(|n| self.text(n)).collect())
            .unwrap_or_default();
        Some(TypeDecl {
            name: self.text(name),
            at: span(name),
            alias: spec.kind() == "type_alias",
            parameters,
            ty: self.ty(spec.child_by_field_name("type")?, 0),
        })
    }

    fn ty(&mut self, node: Node<'_>, depth: u32) -> TypeExpr {
        let at = span(node);
        if depth > MAX_DEPTH {
            let message = format!("types nested deeper than {MAX_DEPTH} are not followed");
            self.diagnostics.push(IdlDiagnostic::at(IdlFault::TooComplex, self.source, at, message));
            return TypeExpr { kind: TypeKind::TooDeep, span: at };
        }
        let depth = depth + 1;
        let below = |reader: &mut Self, field: &str| {
            node.child_by_field_name(field).map(|child| Box::new(reader.ty(child, depth)))
        };
        let kind = match node.kind() {
            "type_identifier" | "identifier" | "field_identifier" => {
                Some(TypeKind::Name { package: None, name: self.text(node), arguments: Vec::new() })
            }
            "qualified_type" => {
                node.child_by_field_name("package").zip(node.child_by_field_name("name")).map(|(package, name)| {
                    TypeKind::Name { package: Some(self.text(package)), name: self.text(name), arguments: Vec::new() }
                })
            }
            "generic_type" => self.generic(node, depth),
            "parenthesized_type" | "type_elem" => {
                let inner = parts(node);
                return match inner.as_slice() {
                    [only] => self.ty(*only, depth),
                    _ => TypeExpr { kind: TypeKind::Opaque, span: at },
                };
            }
            "pointer_type" => parts(node).first().map(|inner| TypeKind::Pointer(Box::new(self.ty(*inner, depth)))),
            "slice_type" => below(self, "element").map(TypeKind::Slice),
            "array_type" => below(self, "element")
                .zip(node.child_by_field_name("length"))
                .map(|(element, length)| TypeKind::Array { length: span(length), element }),
            "map_type" => {
                let key = below(self, "key");
                key.zip(below(self, "value")).map(|(key, value)| TypeKind::Map { key, value })
            }
            "struct_type" => {
                let mut fields = Vec::new();
                for list in parts(node) {
                    for field in parts(list) {
                        fields.extend(self.field(field, depth));
                    }
                }
                Some(TypeKind::Struct(fields))
            }
            _ => None,
        };
        TypeExpr { kind: kind.unwrap_or(TypeKind::Opaque), span: at }
    }

    fn generic(&mut self, node: Node<'_>, depth: u32) -> Option<TypeKind> {
        let base = self.ty(node.child_by_field_name("type")?, depth);
        let TypeKind::Name { package, name, .. } = base.kind else { return None };
        let arguments = parts(node.child_by_field_name("type_arguments")?);
        Some(TypeKind::Name {
            package,
            name,
            arguments: arguments.into_iter().map(|argument| self.ty(argument, depth)).collect(),
        })
    }

    fn field(&mut self, node: Node<'_>, depth: u32) -> Option<FieldDecl> {
        if node.kind() != "field_declaration" {
            return None;
        }
        let type_node = node.child_by_field_name("type")?;
        let mut ty = self.ty(type_node, depth);
        let mut names: Vec<_> = named(node, "name").into_iter().map(|name| (self.text(name), span(name))).collect();
        let embedded = names.is_empty();
        if embedded {
            // The name of an embedded field is the last part of its type's name, and stands where that part stands.
            let mut part = type_node;
            while let Some(inner) =
                part.child_by_field_name(if part.kind() == "generic_type" { "type" } else { "name" })
            {
                part = inner;
            }
            names.push((self.text(part), span(part)));
            let star = node.children(&mut node.walk()).find(|child| child.kind() == "*");
            if let Some(star) = star {
                let whole = Span { start: star.start_byte(), end: ty.span.end };
                ty = TypeExpr { kind: TypeKind::Pointer(Box::new(ty)), span: whole };
            }
        }
        Some(FieldDecl { names, embedded, ty, tag: node.child_by_field_name("tag").map(span) })
    }

    fn constants(&mut self, declaration: Node<'_>, out: &mut Vec<ConstDecl>) {
        let mut ty: Option<Rc<TypeExpr>> = None;
        let mut values: Vec<Rc<ConstExpr>> = Vec::new();
        let specs = parts(declaration).into_iter().filter(|spec| spec.kind() == "const_spec");
        for (iota, spec) in specs.enumerate() {
            if let Some(list) = spec.child_by_field_name("value") {
                ty = spec.child_by_field_name("type").map(|node| Rc::new(self.ty(node, 0)));
                values = parts(list).into_iter().map(|value| Rc::new(self.constant(value, 0))).collect();
            }
            for (at, name) in named(spec, "name").into_iter().enumerate() {
                out.push(ConstDecl {
                    name: self.text(name),
                    at: span(name),
                    iota: i64::try_from(iota).unwrap_or(i64::MAX),
                    ty: ty.clone(),
                    value: values.get(at).cloned(),
                });
            }
        }
    }

    fn constant(&mut self, node: Node<'_>, depth: u32) -> ConstExpr {
        self.constant_parts(node, depth).unwrap_or(ConstExpr::Other)
    }

    fn constant_parts(&mut self, node: Node<'_>, depth: u32) -> Option<ConstExpr> {
        if depth > MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        Some(match node.kind() {
            "interpreted_string_literal" | "raw_string_literal" => ConstExpr::Text(literal::unquote(&self.text(node))?),
            "int_literal" => ConstExpr::Int(literal::integer(&self.text(node))?),
            "float_literal" => ConstExpr::Float(literal::float(&self.text(node))?),
            "true" => ConstExpr::Bool(true),
            "false" => ConstExpr::Bool(false),
            "iota" => ConstExpr::Iota,
            "identifier" => ConstExpr::Name { package: None, name: self.text(node) },
            "selector_expression" => ConstExpr::Name {
                package: Some(self.text(node.child_by_field_name("operand")?)),
                name: self.text(node.child_by_field_name("field")?),
            },
            "parenthesized_expression" => self.constant(*parts(node).first()?, depth),
            "unary_expression" => ConstExpr::Unary {
                operator: self.text(node.child_by_field_name("operator")?),
                operand: Box::new(self.constant(node.child_by_field_name("operand")?, depth)),
            },
            "binary_expression" => ConstExpr::Binary {
                operator: self.text(node.child_by_field_name("operator")?),
                left: Box::new(self.constant(node.child_by_field_name("left")?, depth)),
                right: Box::new(self.constant(node.child_by_field_name("right")?, depth)),
            },
            "type_conversion_expression" => ConstExpr::Conversion {
                ty: self.ty(node.child_by_field_name("type")?, depth),
                operand: Box::new(self.constant(node.child_by_field_name("operand")?, depth)),
            },
            "call_expression" => {
                let mut function = node.child_by_field_name("function")?;
                while function.kind() == "parenthesized_expression" {
                    function = *parts(function).first()?;
                }
                let arguments = parts(node.child_by_field_name("arguments")?);
                let [operand] = arguments.as_slice() else { return None };
                let ty = match function.kind() {
                    "identifier" => self.ty(function, depth),
                    "selector_expression" => TypeExpr {
                        kind: TypeKind::Name {
                            package: Some(self.text(function.child_by_field_name("operand")?)),
                            name: self.text(function.child_by_field_name("field")?),
                            arguments: Vec::new(),
                        },
                        span: span(function),
                    },
                    _ => return None,
                };
                ConstExpr::Conversion { ty, operand: Box::new(self.constant(*operand, depth)) }
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_fits_the_parser() {
        assert!(Parser::new().set_language(&tree_sitter_go::LANGUAGE.into()).is_ok());
    }

    #[test]
    fn parsing_gives_up_on_text_that_is_nothing_like_go() {
        let text = "package p\n".to_owned() + &"({[ ` \" } ) type struct :: ".repeat(40_000);
        let source = Source::new("a.go", &text);
        let mut diagnostics = Vec::new();
        parse(&mut parser(), &source, &Comments::scan(&source), &mut diagnostics);
        assert!(!diagnostics.is_empty());
        assert!(diagnostics.len() <= MAX_SYNTAX_ERRORS + 2);
    }
}
