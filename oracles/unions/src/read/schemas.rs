//! Unions of structural schemas.

use super::cel;
use super::node::{Node, plain, texts};
use crate::union::{Discriminator, Member, Origin, Union, pascal};
use serde_json::Value;

/// How deeply nested schemas are followed.
const MOST_DEPTH: usize = 100;

/// A union of an object in a schema.
#[derive(Clone, Debug)]
pub struct SchemaUnion {
    /// The union.
    pub union: Union,
    /// The schema of the object that has its members.
    pub schema: Value,
}

impl SchemaUnion {
    /// The members that the schema does not declare; it keeps unknown fields.
    #[must_use]
    pub fn undeclared(&self) -> Vec<&str> {
        let node = Node { path: "", schema: &self.schema };
        let names = self.union.members.iter().map(|member| member.name.as_str());
        names.filter(|name| node.property(name).is_none()).collect()
    }
}

/// The unions of a schema, in the order of their paths: those of `x-kubernetes-unions`, in the form of KEP-1027 and in the one that
/// Kubernetes publishes, `oneOf` of required members, `maxProperties: 1`, and CEL rules that accept one member at a time. `owner` is the
/// version and kind of the schema; the path follows it.
#[must_use]
pub fn unions_of_schema(owner: &str, schema: &Value) -> Vec<SchemaUnion> {
    let mut found = Vec::new();
    walk(owner, schema, 0, &mut found);
    found
}

fn walk(path: &str, schema: &Value, depth: usize, found: &mut Vec<SchemaUnion>) {
    if depth > MOST_DEPTH {
        return;
    }
    let node = Node { path, schema };
    let mut here: Vec<Union> = Vec::new();
    let read = node.of_kep().into_iter().chain(node.of_fields()).chain(node.one_of());
    let read = read.chain(node.no_two()).chain(node.single_property());
    for union in read.chain(cel::unions(&node)) {
        let is_known = here.iter().any(|known| union.members.iter().all(|member| known.member(&member.name).is_some()));
        if !is_known {
            here.push(union);
        }
    }
    found.extend(here.into_iter().map(|union| SchemaUnion { union, schema: schema.clone() }));
    for (name, property) in node.properties() {
        walk(&format!("{path}.{name}"), property, depth + 1, found);
    }
    for (part, mark) in [("items", "[*]"), ("additionalProperties", "[*]")] {
        if let Some(below) = schema.get(part).filter(|below| below.is_object()) {
            walk(&format!("{path}{mark}"), below, depth + 1, found);
        }
    }
}

impl Node<'_> {
    /// `x-kubernetes-unions` at a property, as KEP-1027 defines it.
    fn of_kep(&self) -> Vec<Union> {
        let mut unions = Vec::new();
        for (name, property) in self.properties() {
            let members = property.pointer("/x-kubernetes-unions/fieldMembers").and_then(Value::as_object);
            let Some(members) = members else { continue };
            let values: Vec<String> = members.keys().cloned().collect();
            let of = |(value, member): (&String, &Value)| {
                let name = member.get("name")?.as_str()?;
                let optional = member.get("optional").and_then(Value::as_bool).unwrap_or_default();
                Some(Member { optional, ..plain(name, value) })
            };
            let default = property.get("default").and_then(Value::as_str).map(str::to_owned);
            unions.push(Union {
                name: name.clone(),
                discriminator: Some(Discriminator { name: name.clone(), values, default }),
                ..self.union(Origin::Extension, members.iter().filter_map(of).collect())
            });
        }
        unions
    }

    /// `x-kubernetes-unions` at the object, as Kubernetes publishes it.
    fn of_fields(&self) -> Vec<Union> {
        let entries = self.schema.get("x-kubernetes-unions").and_then(Value::as_array);
        let of = |entry: &Value| {
            let fields = entry.get("fields-to-discriminateBy")?.as_object()?;
            let members: Vec<Member> =
                fields.iter().filter_map(|(name, value)| Some(plain(name, value.as_str()?))).collect();
            let values: Vec<String> = members.iter().map(|member| member.value.clone()).collect();
            let discriminator = entry.get("discriminator").and_then(Value::as_str);
            Some(Union {
                discriminator: discriminator.map(|name| self.discriminator(name, &values)),
                ..self.union(Origin::Extension, members)
            })
        };
        entries.into_iter().flatten().filter_map(of).collect()
    }

    /// `oneOf` of required members; below `allOf`, too.
    fn one_of(&self) -> Vec<Union> {
        let all_of = self.schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let lists = std::iter::once(self.schema).chain(all_of).filter_map(|part| part.get("oneOf")?.as_array());
        lists.filter_map(|branches| self.branches(branches)).collect()
    }

    fn branches(&self, branches: &[Value]) -> Option<Union> {
        let mut members: Vec<Member> = Vec::new();
        let mut values: Vec<String> = Vec::new();
        let mut discriminator: Option<String> = None;
        let mut may_be_empty = false;
        for branch in branches {
            if requires_none(branch) {
                may_be_empty = true;
                continue;
            }
            let chosen = self.chosen(branch);
            let required = texts(branch.get("required").and_then(Value::as_array));
            let by = chosen.as_ref().map(|(name, _)| name.as_str());
            let own: Vec<&String> = required.iter().filter(|name| Some(name.as_str()) != by).collect();
            match (own.as_slice(), &chosen) {
                ([name], _) if self.takes(name) => {
                    let value = chosen.as_ref().map_or_else(|| pascal(name), |(_, value)| value.clone());
                    members.push(plain(name, &value));
                }
                // An empty member.
                ([], Some(_)) => {}
                _ => return None,
            }
            if let Some((name, value)) = chosen {
                if discriminator.as_ref().is_some_and(|known| *known != name) {
                    return None;
                }
                discriminator = Some(name);
                values.push(value);
            }
        }
        // Either every branch fixes the discriminator, or none does.
        let is_consistent = discriminator.is_none() || values.len() + usize::from(may_be_empty) == branches.len();
        let is_union = is_consistent && (members.len() > 1 || (discriminator.is_some() && !members.is_empty()));
        is_union.then(|| Union {
            discriminator: discriminator.map(|name| self.discriminator(&name, &values)),
            may_be_empty,
            ..self.union(Origin::OneOf, members)
        })
    }

    /// The text property that a branch fixes, and its value.
    fn chosen(&self, branch: &Value) -> Option<(String, String)> {
        let properties = branch.get("properties")?.as_object()?;
        let fixed = |(name, of): (&String, &Value)| match of.get("enum")?.as_array()?.as_slice() {
            [Value::String(value)] => Some((name.clone(), value.clone())),
            _ => None,
        };
        properties.iter().find_map(fixed)
    }

    /// `not` for every two members, with `anyOf` of required ones if one must be set.
    fn no_two(&self) -> Option<Union> {
        let all_of = self.schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let parts = || std::iter::once(self.schema).chain(all_of.clone());
        let required = |of: &Value| texts(of.get("required").and_then(Value::as_array));
        let mut excluded: Vec<Vec<String>> = Vec::new();
        for not in parts().filter_map(|part| part.get("not")) {
            let any = not.get("anyOf").and_then(Value::as_array).into_iter().flatten();
            excluded.extend(std::iter::once(not).chain(any).map(required).filter(|pair| pair.len() == 2));
        }
        let wanted = |part: &Value| -> Option<Vec<String>> {
            let branches = part.get("anyOf")?.as_array()?.iter().map(required);
            branches.map(|names| if let [name] = names.as_slice() { Some(name.clone()) } else { None }).collect()
        };
        let of_any = parts().find_map(wanted);
        let mut names = of_any.clone().unwrap_or_else(|| excluded.concat());
        names.sort();
        names.dedup();
        names.retain(|name| self.takes(name));
        let are_excluded =
            |one: &String, other: &String| excluded.iter().any(|pair| pair.contains(one) && pair.contains(other));
        let is_union = names.len() > 1
            && names
                .iter()
                .enumerate()
                .all(|(at, one)| names.iter().skip(at + 1).all(|other| are_excluded(one, other)));
        is_union.then(|| Union {
            may_be_empty: of_any.is_none(),
            ..self.union(Origin::Not, names.iter().map(|name| plain(name, &pascal(name))).collect())
        })
    }

    /// `maxProperties: 1`: every property is a member.
    fn single_property(&self) -> Option<Union> {
        let number = |name: &str| self.schema.get(name).and_then(Value::as_u64);
        let members: Vec<Member> = self.properties().map(|(name, _)| plain(name, &pascal(name))).collect();
        (number("maxProperties") == Some(1) && members.len() > 1).then(|| Union {
            may_be_empty: number("minProperties").is_none_or(|least| least == 0),
            ..self.union(Origin::MaxProperties, members)
        })
    }
}

/// Whether a branch accepts objects without any member: `not` of `anyOf` of required ones.
fn requires_none(branch: &Value) -> bool {
    let excluded = branch.pointer("/not/anyOf").and_then(Value::as_array);
    excluded.is_some_and(|excluded| !excluded.is_empty() && excluded.iter().all(|of| of.get("required").is_some()))
}
