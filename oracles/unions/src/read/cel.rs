//! CEL rules that describe unions, recognised by which members they accept rather than by how they are written.

use super::node::{Node, plain};
use crate::sample::sample;
use crate::union::{Member, Origin, Union, pascal};
use serde_json::{Map, Value};
use std::sync::Arc;
use takeover_apply::schema::of_crd;
use takeover_cel::check::Environment;
use takeover_cel::schema::declare;
use takeover_cel::value::{Shape, to_json, wrap};
use takeover_cel::{Bindings, Limits, Program};

/// At most this many members; every pair of them is tried.
const MOST_MEMBERS: usize = 40;

/// The unions that the rules of a schema describe.
pub(super) fn unions(node: &Node<'_>) -> Vec<Union> {
    let Some(asked) = Asked::of(node) else { return Vec::new() };
    let mut found: Vec<Union> = asked.discriminated().into_iter().collect();
    found.extend(asked.undiscriminated());
    found
}

/// The rules of an object, with what their evaluation needs.
struct Asked<'n> {
    node: &'n Node<'n>,
    shape: Shape,
    rules: Vec<(String, Program)>,
    samples: Map<String, Value>,
}

impl<'n> Asked<'n> {
    fn of(node: &'n Node<'n>) -> Option<Self> {
        let texts = node.schema.get("x-kubernetes-validations")?.as_array()?;
        let declared = Arc::new(declare(node.schema, false).ok()??);
        let environment = Environment::new().with_declared("self", &declared);
        let compiled = |rule: &Value| {
            let text = rule.get("rule")?.as_str()?;
            // Transition rules, which also read the old object, do not compile here and describe no union.
            Some((text.to_owned(), Program::compile(text, &environment).ok()?))
        };
        let rules: Vec<(String, Program)> = texts.iter().filter_map(compiled).collect();
        let (graph, root) = of_crd(node.schema).ok()?;
        let fields = graph.atom(root).map.as_ref()?;
        let samples =
            node.properties().filter_map(|(name, _)| Some((name.clone(), sample(&graph, fields.member(name)?))));
        Some(Self { shape: Shape::of(node.schema, false), rules, samples: samples.collect(), node })
    }

    /// Whether a rule accepts an object with these members; `None` if it cannot be evaluated on it.
    fn accepts(&self, rule: usize, members: &[&str], chosen: Option<(&str, &str)>) -> Option<bool> {
        let of = |name: &&str| Some(((*name).to_owned(), self.samples.get(*name)?.clone()));
        let mut object: Map<String, Value> = members.iter().filter_map(of).collect();
        object.extend(chosen.map(|(name, value)| (name.to_owned(), Value::from(value))));
        let object = Value::Object(object);
        let (_, program) = self.rules.get(rule)?;
        let bindings = Bindings::default().with("self", wrap(&object, &self.shape));
        let value = program.evaluate(&bindings, &Limits::default()).value.ok()?;
        to_json(&value).ok()?.get("value")?.as_bool()
    }

    /// The properties that a rule tests with `has`.
    fn asked_for(&self, rule: usize) -> Vec<&str> {
        let Some((text, _)) = self.rules.get(rule) else { return Vec::new() };
        let compact: String = text.split_whitespace().collect();
        let is_asked = |name: &&String| compact.contains(&format!("has(self.{name})"));
        self.node.properties().map(|(name, _)| name).filter(is_asked).map(String::as_str).take(MOST_MEMBERS).collect()
    }

    /// Groups of members that exclude each other, each as large as possible. The exclusions may come from several rules.
    fn undiscriminated(&self) -> Vec<Union> {
        let pairs = self.excluded();
        let are_excluded = |one: &str, other: &str| pairs.contains(&(one, other)) || pairs.contains(&(other, one));
        let names: Vec<&str> = self.node.properties().map(|(name, _)| name.as_str()).collect();
        let mut found: Vec<Vec<&str>> = Vec::new();
        for (one, other) in &pairs {
            if found.iter().any(|known| known.contains(one) && known.contains(other)) {
                continue;
            }
            let mut members = vec![*one, *other];
            for name in &names {
                if members.iter().all(|member| are_excluded(member, name)) {
                    members.push(name);
                }
            }
            members.sort_by_key(|member| names.iter().position(|name| name == member));
            found.push(members);
        }
        found.into_iter().map(|members| self.of_members(&members)).collect()
    }

    /// The pairs of members that a rule accepts alone, and never together, whatever else is set that it asks for.
    fn excluded(&self) -> Vec<(&str, &str)> {
        let mut pairs = Vec::new();
        for rule in 0..self.rules.len() {
            let all = self.asked_for(rule);
            let alone: Vec<&str> =
                all.iter().copied().filter(|member| self.accepts(rule, &[member], None) == Some(true)).collect();
            for (at, one) in alone.iter().enumerate() {
                for other in alone.iter().skip(at + 1) {
                    let refuses = |set: &[&str]| self.accepts(rule, set, None) == Some(false);
                    let is_excluded = refuses(&[one, other])
                        && refuses(&all)
                        && all.iter().all(|third| refuses(&[one, other, third]));
                    if is_excluded && !pairs.contains(&(*one, *other)) {
                        pairs.push((*one, *other));
                    }
                }
            }
        }
        pairs
    }

    fn of_members(&self, members: &[&str]) -> Union {
        // A rule about these members alone may also want one of them.
        let wants_one = |rule: &usize| {
            let asked = self.asked_for(*rule);
            !asked.is_empty()
                && asked.iter().all(|member| members.contains(member))
                && members.iter().all(|member| self.accepts(*rule, &[member], None) == Some(true))
                && self.accepts(*rule, &[], None) == Some(false)
        };
        let may_be_empty = !(0..self.rules.len()).any(|rule| wants_one(&rule));
        let members = members.iter().map(|name| plain(name, &pascal(name))).collect();
        Union { may_be_empty, ..self.node.union(Origin::Cel, members) }
    }

    /// Rules that accept only the member that the value of a string property selects.
    fn discriminated(&self) -> Option<Union> {
        self.node.properties().find_map(|(name, property)| {
            let values: Vec<&str> = property.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
            let compared = |(text, _): &(String, Program)| text.contains(&format!("self.{name}"));
            let rules: Vec<usize> =
                self.rules.iter().enumerate().filter(|(_, rule)| compared(rule)).map(|(at, _)| at).collect();
            let mut members: Vec<&str> = rules.iter().flat_map(|rule| self.asked_for(*rule)).collect();
            members.retain(|member| member != name);
            members.sort_unstable();
            members.dedup();
            let accept = |value: &str, set: &[&str]| {
                rules.iter().all(|rule| self.accepts(*rule, set, Some((name, value))) == Some(true))
            };
            let selects = |member: &str| {
                let mut by = values.iter().filter(|value| accept(value, &[member]));
                match (by.next(), by.next()) {
                    (Some(value), None) => Some(Member { optional: accept(value, &[]), ..plain(member, value) }),
                    _ => None,
                }
            };
            let members: Option<Vec<Member>> = members.into_iter().map(selects).collect();
            let members = members.filter(|members| !members.is_empty())?;
            let values: Vec<String> = members.iter().map(|member| member.value.clone()).collect();
            let mut distinct = values.clone();
            distinct.sort_unstable();
            distinct.dedup();
            (distinct.len() == values.len()).then(|| Union {
                discriminator: Some(self.node.discriminator(name, &values)),
                ..self.node.union(Origin::Cel, members)
            })
        })
    }
}
