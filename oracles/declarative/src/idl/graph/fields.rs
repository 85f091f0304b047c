//! The fields of structs, as Go's JSON encoding sees them.

use super::super::diagnostic::IdlFault;
use super::super::literal;
use super::super::model::FieldInfo;
use super::super::struct_tag::{self, JsonTag, Lookup};
use super::super::syntax::{FieldDecl, TypeKind};
use super::{Embedded, Graph, Marked, Scope, Unit, exported};
use std::sync::Arc;
use takeover_harness::schema::{Field, Kind, Presence, Slot, Struct, TypeId};

impl Graph<'_> {
    pub(super) fn structure(&mut self, id: TypeId, scope: &Scope, declarations: &[FieldDecl]) -> Kind {
        let mut fields = Vec::new();
        let mut infos = Vec::new();
        for decl in declarations {
            let ty = self.resolve(scope, &decl.ty);
            for (name, at) in &decl.names {
                if fields.len() >= usize::from(Slot::MAX) {
                    self.fault(
                        scope,
                        IdlFault::TooComplex,
                        *at,
                        format!("a struct with more than {} fields", Slot::MAX),
                    );
                    break;
                }
                let slot = fields.len();
                let tag = self.json_tag(scope, decl);
                let mut field = field(&tag, decl, name, ty);
                if decl.embedded && field.presence == Presence::Inlined {
                    let pointer = matches!(decl.ty.kind, TypeKind::Pointer(_));
                    self.embedded.push(Embedded { owner: id, slot, exported: exported(name), pointer });
                } else if field.presence == Presence::Inlined {
                    self.embedded.push(Embedded { owner: id, slot, exported: true, pointer: false });
                }
                let Some(Unit { source, comments, .. }) = scope.unit() else { continue };
                let info = FieldInfo {
                    tags: comments.closest(source, source.line(at.start)),
                    exported: exported(name),
                    embedded: decl.embedded,
                    json_tag: Arc::from(tag.written.as_str()),
                    omit_zero: tag.omit_zero,
                    quoted: tag.quoted,
                    type_expression: Arc::from(source.collapsed(decl.ty.span)),
                    position: source.position(at.start),
                };
                field.default = self.default(Marked::Field(id, slot), scope, &info.tags);
                fields.push(field);
                infos.push(info);
            }
        }
        if let Some(info) = self.info(id) {
            info.fields = infos;
        }
        Kind::Struct(Struct::new(fields))
    }

    fn json_tag(&mut self, scope: &Scope, decl: &FieldDecl) -> JsonTag {
        let (Some(at), Some(unit)) = (decl.tag, scope.unit()) else { return JsonTag::default() };
        let found = literal::unquote(unit.source.slice(at)).map(|text| struct_tag::lookup(&text, "json"));
        match found {
            Some(Lookup::Value(value)) => {
                let tag = JsonTag::parse(&value);
                if tag.quoted {
                    let message = "the `string` option of a struct tag is ignored: the value is read unquoted";
                    self.fault(scope, IdlFault::StructTag, at, message.to_owned());
                }
                tag
            }
            Some(Lookup::Absent) => JsonTag::default(),
            Some(Lookup::Malformed) | None => {
                let message =
                    "struct tag is not in the form `key:\"value\" key:\"value\"`, so Go does not see its `json` key";
                self.fault(scope, IdlFault::StructTag, at, message.to_owned());
                JsonTag::default()
            }
        }
    }
}

/// A field without its default. `Inlined` is provisional: whether the type is a struct is known at the end.
fn field(tag: &JsonTag, decl: &FieldDecl, name: &str, ty: TypeId) -> Field {
    let presence = if tag.ignored || (!decl.embedded && !exported(name)) {
        Presence::Hidden
    } else if tag.inline || (decl.embedded && tag.name.is_empty()) {
        Presence::Inlined
    } else {
        Presence::Named
    };
    let json_name = match presence {
        Presence::Named if tag.name.is_empty() => name,
        Presence::Named => tag.name.as_str(),
        _ => "",
    };
    Field {
        go_name: Box::from(name),
        json_name: Box::from(json_name),
        ty,
        presence,
        omit_empty: tag.omit,
        default: None,
    }
}
