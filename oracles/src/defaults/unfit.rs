//! Defaults that do not fit the type of their field.

use serde_json::Value;
use takeover_declarative::idl::Idl;
use takeover_harness::object::{Arena, from_value};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// The defaults of these packages that do not fit the type of their field, with their place and the reason: they set nothing.
#[must_use]
pub fn unfit(idl: &Idl, packages: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for (id, ty) in idl.schema.iter() {
        let (Kind::Struct(fields), Some(info)) = (&ty.kind, idl.types.get(id.0 as usize)) else { continue };
        let is_wanted = ty.name.rsplit_once('.').is_some_and(|(package, _)| packages.iter().any(|of| of == package));
        let named = fields.fields.iter().zip(&info.fields).filter(|(field, _)| field.presence == Presence::Named);
        for (field, info) in named.filter(|_| is_wanted) {
            let Some(reason) = field.default.as_ref().and_then(|value| reason(&idl.schema, field.ty, value)) else {
                continue;
            };
            let of_type = idl.types.get(field.ty.0 as usize).map(|info| info.tags.as_slice()).unwrap_or_default();
            let marker = info.tags.iter().chain(of_type).find(|line| line.text.starts_with("default="));
            let place = marker.map_or_else(String::new, |line| {
                let of = &line.position;
                format!("{}:{}:{}: ", of.file, of.line, of.column)
            });
            found.push(format!("{place}the default of `{}` does not fit its type: {reason}", field.json_name));
        }
    }
    found
}

/// Why a value does not fit a type; `None` if it does.
pub(super) fn reason(schema: &Schema, ty: TypeId, value: &Value) -> Option<String> {
    match (schema.pointed(ty).1, value) {
        (_, Value::Null) => None,
        // A struct is decoded member by member, so that each fault names its member.
        (Kind::Struct(fields), Value::Object(members)) => members.iter().find_map(|(name, value)| {
            let Some(member) = fields.member(name) else { return Some(format!("unknown field `{name}`")) };
            reason(schema, member.ty, value).map(|reason| format!("`{name}`: {reason}"))
        }),
        (_, other) => {
            let error = from_value(schema, ty, other, &Arena::new()).err()?.to_string();
            Some(error.strip_prefix("`<nil>`: ").map_or(error.clone(), str::to_owned))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unfit;
    use takeover_declarative::idl::{Loader, Memory};

    #[test]
    fn defaults_that_do_not_fit_their_type_are_named_with_their_place() {
        let source = "package v1\n\ntype Shop struct {\n\t// +default=1.5\n\tSize *int32 `json:\"size\"`\n\t// +default=2\n\
                      \tMax *int32 `json:\"max\"`\n\t// +default={\"nope\": 1}\n\tPart *Part `json:\"part\"`\n}\n\n\
                      type Part struct {\n\tName string `json:\"name\"`\n}\n";
        let packages = ["example.com/v1".to_owned()];
        let idl = Loader::new().with(Memory::new().file("example.com/v1", "types.go", source)).load(&packages).idl;
        assert_eq!(
            unfit(&idl, &packages),
            [
                "example.com/v1/types.go:4:5: the default of `size` does not fit its type: number 1.5 is not an integer for Go type `int32`",
                "example.com/v1/types.go:8:5: the default of `part` does not fit its type: unknown field `nope`",
            ]
        );
        assert!(unfit(&idl, &["example.com/v2".to_owned()]).is_empty());
    }
}
