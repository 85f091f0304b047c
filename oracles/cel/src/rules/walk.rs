//! All rules of a schema, with what they may cost together.

use super::compile::{CompiledRule, Node};
use super::refusal::{Refusal, RefusalKind, exceeds};
use super::rule::Rule;
use crate::cost::limits::{PER_EXPRESSION_ESTIMATE, PER_SCHEMA_ESTIMATE};
use crate::schema::{SchemaError, bound, declare, is_embedded};
use serde_json::Value as Json;

/// Deepest nesting of schemas that is followed.
const MOST_DEPTH: usize = 200;
/// What API servers say of rules at a node of which expressions see nothing.
const UNTYPED: &str = "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
/// How many of the most expensive expressions are named.
const MOST_NAMED: usize = 4;

/// The rules of a schema.
#[derive(Debug)]
pub struct SchemaRules {
    /// Nodes with rules that have a type: what a node has below it comes before it.
    pub nodes: Vec<NodeRules>,
    /// Estimated cost of all expressions, each as often as it may run.
    pub total: u64,
    /// Why API servers would refuse the schema, as far as its rules and `$ref`, which makes rules meaningless, are concerned.
    pub refusals: Vec<Refusal>,
}

/// The rules of a node.
#[derive(Debug)]
pub struct NodeRules {
    /// The JSON pointer of the node.
    pub pointer: String,
    /// How often the node may occur, if all lists and maps around it are bounded.
    pub cardinality: Option<u64>,
    /// The rules in the order of the schema.
    pub rules: Vec<CompiledRule>,
}

impl NodeRules {
    /// Returns the estimated cost of a rule for one object: of one evaluation, as often as the rule may run.
    #[must_use]
    pub fn cost(&self, rule: &CompiledRule) -> u64 {
        let once = rule.expression.as_ref().ok().and_then(Option::as_ref).map_or(0, |expression| expression.max_cost);
        once.saturating_mul(self.cardinality.unwrap_or(rule.max_cardinality))
    }
}

/// Compiles all rules on the spine of a structural schema, as API servers do when the schema is created.
///
/// `resource_root` tells whether the schema is that of a whole custom resource. Paths of refusals start with `place`, such as
/// `spec.validation.openAPIV3Schema`.
///
/// # Errors
/// Refuses schemas that nest too deeply.
pub fn compile_schema(schema: &Json, resource_root: bool, place: &str) -> Result<SchemaRules, SchemaError> {
    let mut walk = Walk { nodes: Vec::new(), total: 0, expensive: Vec::new(), refusals: Vec::new() };
    let scope =
        Scope { pointer: String::new(), place: place.to_owned(), cardinality: Some(1), uncorrelatable: None, depth: 0 };
    walk.node(schema, resource_root, &scope)?;
    let Walk { nodes, total, expensive, mut refusals } = walk;
    if total > PER_SCHEMA_ESTIMATE {
        let forbidden = |field, cost, detail| Refusal {
            field,
            kind: RefusalKind::Forbidden,
            bad_value: Json::Null,
            detail,
            cost: Some(cost),
        };
        let contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
        refusals.extend(expensive.into_iter().map(|(cost, field)| forbidden(field, cost, contributed.to_owned())));
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        refusals.push(forbidden(place.to_owned(), total, exceeds(what, total, PER_SCHEMA_ESTIMATE)));
    }
    Ok(SchemaRules { nodes, total, refusals })
}

struct Walk {
    nodes: Vec<NodeRules>,
    total: u64,
    /// The most expensive expressions first, with their paths.
    expensive: Vec<(u64, String)>,
    refusals: Vec<Refusal>,
}

/// What is around a node.
struct Scope {
    pointer: String,
    place: String,
    cardinality: Option<u64>,
    /// The outermost node around whose parts cannot be found in the old object.
    uncorrelatable: Option<String>,
    depth: usize,
}

impl Scope {
    fn below(&self, pointer: &str, place: &str, occurs: Option<u64>, correlatable: bool) -> Self {
        let here = || (!correlatable).then(|| self.place.clone());
        Self {
            pointer: format!("{}{pointer}", self.pointer),
            place: format!("{}{place}", self.place),
            cardinality: self.cardinality.zip(occurs).map(|(around, occurs)| around.saturating_mul(occurs)),
            uncorrelatable: self.uncorrelatable.clone().or_else(here),
            depth: self.depth + 1,
        }
    }
}

impl Walk {
    /// Compiles a node after what is below it; tells whether rules are well-formed there.
    fn node(&mut self, schema: &Json, resource_root: bool, scope: &Scope) -> Result<bool, SchemaError> {
        if scope.depth > MOST_DEPTH {
            return Err(SchemaError::TooDeep { path: scope.pointer.clone() });
        }
        let known = self.refusals.len();
        if schema.get("$ref").is_some() {
            let field = format!("{}.$ref", scope.place);
            self.refuse(&field, RefusalKind::Forbidden, Json::Null, "$ref is not supported".to_owned());
        }
        let occurs = occurrences(schema);
        let text = |name: &str| schema.get(name).and_then(Json::as_str);
        let map_correlates = text("x-kubernetes-map-type").is_none_or(|ty| matches!(ty, "atomic" | "granular"));
        let mut sound = self.refusals.len() == known;
        let mut below = |walk: &mut Self, schema: &Json, pointer: &str, place: &str, correlatable: bool| {
            let scope = scope.below(pointer, place, occurs, correlatable);
            sound &= walk.node(schema, is_embedded(schema), &scope)?;
            Ok(())
        };
        if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
            below(self, values, "/additionalProperties", ".additionalProperties", map_correlates)?;
        }
        for (name, property) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
            let pointer = format!("/properties/{}", name.replace('~', "~0").replace('/', "~1"));
            below(self, property, &pointer, &format!(".properties[{name}]"), map_correlates)?;
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            below(self, items, "/items", ".items", text("x-kubernetes-list-type") == Some("map"))?;
        }
        let rules = Rule::of(schema);
        let structural = !self.refusals.iter().skip(known).any(|refusal| refusal.field.ends_with(".$ref"));
        let known = self.refusals.len();
        if rules.is_empty() {
            return Ok(sound);
        }
        for (index, rule) in rules.iter().enumerate() {
            let schema = structural.then_some(schema);
            rule.refusals(schema, &place_of(scope, index), &mut self.refusals);
        }
        sound &= self.refusals.len() == known;
        self.compile(schema, resource_root, scope, rules, sound)?;
        Ok(sound)
    }

    /// Compiles the rules of a node. API servers look at them only if everything below is `sound`.
    fn compile(
        &mut self,
        schema: &Json,
        root: bool,
        scope: &Scope,
        rules: Vec<Rule>,
        sound: bool,
    ) -> Result<(), SchemaError> {
        let declared = match declare(schema, root) {
            // It was refused where it stands.
            Err(SchemaError::Reference { .. }) => return Ok(()),
            declared => declared?,
        };
        let Some(declared) = declared else {
            if sound {
                let field = format!("{}.x-kubernetes-validations", scope.place);
                self.refuse(&field, RefusalKind::Internal, Json::Null, UNTYPED.to_owned());
            }
            return Ok(());
        };
        let node = Node::new(declared);
        let mut compiled =
            NodeRules { pointer: scope.pointer.clone(), cardinality: scope.cardinality, rules: Vec::new() };
        let stated = schema.get("x-kubernetes-validations").and_then(Json::as_array);
        for (index, rule) in rules.into_iter().enumerate() {
            let rule = node.compile(rule, schema);
            if sound {
                let stated = stated.and_then(|stated| stated.get(index)).cloned().unwrap_or_default();
                self.judge(&rule, compiled.cost(&rule), stated, &place_of(scope, index), scope);
            }
            compiled.rules.push(rule);
        }
        self.nodes.push(compiled);
        Ok(())
    }

    /// What API servers say of a compiled rule.
    fn judge(&mut self, rule: &CompiledRule, cost: u64, stated: Json, place: &str, scope: &Scope) {
        let expression = format!("{place}.rule");
        let message = format!("{place}.messageExpression");
        self.observe(&expression, cost, "estimated rule cost");
        if let Err(error) = &rule.expression {
            self.refuse(&expression, RefusalKind::Invalid, stated.clone(), error.to_string());
        }
        match &rule.message {
            Err(error) => self.refuse(&message, RefusalKind::Invalid, stated, error.to_string()),
            Ok(Some(compiled)) => self.observe(&message, compiled.max_cost, "estimated messageExpression cost"),
            Ok(None) => {}
        }
        if rule.uses_old_self {
            if let Some(within) = &scope.uncorrelatable {
                let detail =
                    format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {within}");
                self.refuse(&expression, RefusalKind::Invalid, Json::from(rule.rule.rule.as_str()), detail);
            }
        } else if let Some(optional) = rule.rule.optional_old_self {
            let detail = "may not be set if oldSelf is not used in rule".to_owned();
            self.refuse(&format!("{place}.optionalOldSelf"), RefusalKind::Invalid, Json::from(optional), detail);
        }
    }

    /// Adds the cost of an expression.
    fn observe(&mut self, field: &str, cost: u64, what: &str) {
        if cost > PER_EXPRESSION_ESTIMATE {
            let detail = exceeds(what, cost, PER_EXPRESSION_ESTIMATE);
            let (field, kind) = (field.to_owned(), RefusalKind::Forbidden);
            self.refusals.push(Refusal { field, kind, bad_value: Json::Null, detail, cost: Some(cost) });
        }
        self.total = self.total.saturating_add(cost);
        if cost >= PER_SCHEMA_ESTIMATE / 100 {
            let at = self.expensive.partition_point(|(other, _)| *other >= cost);
            self.expensive.insert(at, (cost, field.to_owned()));
            self.expensive.truncate(MOST_NAMED);
        }
    }

    fn refuse(&mut self, field: &str, kind: RefusalKind, bad_value: Json, detail: String) {
        self.refusals.push(Refusal { field: field.to_owned(), kind, bad_value, detail, cost: None });
    }
}

fn place_of(scope: &Scope, index: usize) -> String {
    format!("{}.x-kubernetes-validations[{index}]", scope.place)
}

/// How often a part of the node may occur in it, if that is bounded.
fn occurrences(schema: &Json) -> Option<u64> {
    let most = |name: &str| bound(schema, name).map(i64::cast_unsigned);
    match schema.get("type").and_then(Json::as_str) {
        Some("object") if schema.get("additionalProperties").is_some() => most("maxProperties"),
        Some("array") => most("maxItems"),
        _ => Some(1),
    }
}
