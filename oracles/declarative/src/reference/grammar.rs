//! How a tag is written, and its example in Go code.

use crate::tags::{ArgDef, PREFIX, PayloadKind, TagDef};
use std::fmt::Write as _;

/// The form of a tag line: `+k8s:subfield(<string>)=+<tag>`; what may be left out is in brackets.
pub(super) fn syntax(def: &TagDef) -> String {
    let mut out = format!("+{PREFIX}{}", def.name);
    out.push_str(&arguments(def));
    match def.payload {
        PayloadKind::None => {}
        PayloadKind::OptionalText => out.push_str("[=<string>]"),
        PayloadKind::Tag => out.push_str("=+<tag>"),
        PayloadKind::Text | PayloadKind::Int | PayloadKind::Scalar => {
            let _ = write!(out, "=<{}>", def.payload);
        }
    }
    out
}

fn arguments(def: &TagDef) -> String {
    if def.any_args {
        return "(<key>: <value>, …)".to_owned();
    }
    let written = |arg: &ArgDef| match arg.name {
        Some(name) => format!("{name}: <{}>", arg.kind),
        None => format!("<{}>", arg.kind),
    };
    let named: Vec<String> = def.args.iter().filter(|arg| arg.name.is_some()).map(written).collect();
    let named = named.join(", ");
    // Positional or named, never both.
    match def.args.iter().find(|arg| arg.name.is_none()) {
        Some(positional) if named.is_empty() && positional.required => format!("({})", written(positional)),
        Some(positional) if named.is_empty() => format!("[({})]", written(positional)),
        Some(positional) => format!("({} | {named})", written(positional)),
        None if named.is_empty() => String::new(),
        None if def.args.iter().any(|arg| arg.required) => format!("({named})"),
        None => format!("[({named})]"),
    }
}

/// The example in its Go code, as declarations that hold the type `Example`.
pub(super) fn go(def: &TagDef) -> String {
    let code = def.go.replace('@', &format!("// {}", def.example));
    // Whole declarations name the type; fields do not.
    if code.contains("type Example ") {
        return code;
    }
    let mut out = "type Example struct {\n".to_owned();
    for line in code.lines() {
        if !line.is_empty() {
            out.push('\t');
        }
        out.push_str(line);
        out.push('\n');
    }
    out.push('}');
    out
}
