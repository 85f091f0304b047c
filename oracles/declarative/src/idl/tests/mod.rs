//! Go source in, type graph out.

mod comments;
mod constants;
mod diagnostics;
mod hostile;
mod packages;
mod shapes;

use super::{Loaded, Loader, Memory};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// Loads one file as package `p`.
fn load(go: &str) -> Loaded {
    Loader::new().with(Memory::new().file("p", "types.go", &format!("package p\n{go}"))).load(["p"])
}

/// One line per declared type of package `p`.
fn outline(loaded: &Loaded) -> String {
    let schema = &loaded.idl.schema;
    let lines = schema.iter().filter_map(|(id, ty)| {
        let name = ty.name.strip_prefix("p.")?;
        Some(format!("{name} = {}", shape(schema, id)))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn shape(schema: &Schema, id: TypeId) -> String {
    let name = |id: TypeId| schema.get(id).name.as_ref().trim_start_matches("p.").to_owned();
    match schema.kind(id) {
        Kind::Named(inner) => format!("named {}", name(*inner)),
        Kind::Struct(fields) => {
            let fields = fields.fields.iter().map(|field| {
                let json = match field.presence {
                    Presence::Named => format!(" as {}", field.json_name),
                    Presence::Inlined => " inlined".to_owned(),
                    Presence::Hidden => " hidden".to_owned(),
                };
                let omit = if field.omit_empty { "?" } else { "" };
                let default = field.default.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
                format!("{} {}{json}{omit}{default}", field.go_name, name(field.ty))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join("; "))
        }
        other => format!("{other:?}"),
    }
}

/// The messages with their places, `line:column: message`; lines count from the one below the package clause.
fn messages(loaded: &Loaded) -> Vec<String> {
    loaded
        .diagnostics
        .iter()
        .map(|diagnostic| match diagnostic.position() {
            Some(at) => format!("{}:{}: {}", at.line - 1, at.column, diagnostic.message()),
            None => diagnostic.message().to_owned(),
        })
        .collect()
}
