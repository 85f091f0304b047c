//! JSON of no known type in objects: the only values in which the order of fields can matter.

use serde_json::json;
use takeover_harness::path::members;
use takeover_harness::rule::{Boundary, Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId, WellKnown};

/// Returns a rule that makes cases put several members into untyped JSON, so that their order can be changed; `None` if the type has no
/// such JSON. It breaks nothing. It stands for the place nearest to the root, outside managed fields: one place is enough, and leaves more
/// cases to other fields.
pub(super) fn untyped(schema: &Schema, root: TypeId) -> Option<Rule> {
    let mut found = Vec::new();
    enter(schema, root, "", &mut Vec::new(), &mut found);
    let nearest = found.into_iter().min_by_key(|path| members(path).count())?;
    let class = Boundary {
        class: "several members".to_owned(),
        breaks: false,
        sample: Sample::Value(json!({"first": 1, "second": {"third": 3, "fourth": 4}})),
        options: Vec::new(),
    };
    Some(Rule { boundaries: vec![class], ..Rule::new(RuleId(u32::MAX), nearest, "untyped") })
}

/// Adds the path pattern of each place. A type is entered once on each way from the root.
fn enter(schema: &Schema, ty: TypeId, path: &str, inside: &mut Vec<TypeId>, found: &mut Vec<String>) {
    let (id, kind) = schema.native(ty);
    match kind {
        Kind::Pointer(inner) => enter(schema, *inner, path, inside, found),
        Kind::List(inner) | Kind::Map { value: inner, .. } => {
            enter(schema, *inner, &format!("{path}[*]"), inside, found);
        }
        Kind::Struct(fields) if !inside.contains(&id) => {
            inside.push(id);
            for field in &fields.fields {
                match field.presence {
                    Presence::Hidden => {}
                    Presence::Inlined => enter(schema, field.ty, path, inside, found),
                    Presence::Named if &*field.json_name == "managedFields" => {}
                    Presence::Named => {
                        let dot = if path.is_empty() { "" } else { "." };
                        enter(schema, field.ty, &format!("{path}{dot}{}", field.json_name), inside, found);
                    }
                }
            }
            inside.pop();
        }
        Kind::Any | Kind::WellKnown(WellKnown::Raw) if !path.is_empty() => {
            found.push(path.to_owned());
        }
        _ => {}
    }
}
