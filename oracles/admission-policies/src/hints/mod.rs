//! What expressions compare parts of the object with and selectors ask for, for the generator: values on both sides of each.

mod alternatives;
mod reader;
mod samples;
mod selectors;

use crate::cluster::Cluster;
use crate::dispatch::PolicySet;
use reader::{Comparison, End, Reader};
use samples::{ANY, class};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use takeover_cel::syntax::{Ast, Kind, NodeId};
use takeover_harness::check::Check;
use takeover_harness::rule::{Rule, RuleId, Sample, Specificity};

/// The tag of rules whose samples name what an expression reads, and nothing else.
const INSIDE: &str = "cel";

/// Most texts that are made of a first and a last part.
const MOST_ENDS: usize = 100;

/// What is worth trying because expressions compare with it. It judges nothing.
#[derive(Clone, Debug, Default)]
pub struct PolicyHints {
    /// Values on both sides of comparisons.
    pub rules: Vec<Rule>,
    /// Bounds of sizes. The types decide whether they limit a length or a count.
    pub checks: Vec<Check>,
    /// What expressions read that is the same in all cases: `request.userInfo`, `request.dryRun`, `request.options`, `authorizer`.
    pub fixed: BTreeSet<String>,
    /// Whether a namespace selector accepts all known namespaces, or none.
    pub selects_alike: bool,
}

impl PolicySet {
    /// What expressions compare parts of the object with, and what the selectors of policies and bindings ask for.
    pub fn hints(&self, cluster: &Cluster) -> PolicyHints {
        let mut rules: Vec<Rule> = Vec::new();
        let mut checks: Vec<Check> = Vec::new();
        let mut entries: Vec<Option<String>> = Vec::new();
        let mut ends: Vec<(String, End)> = Vec::new();
        let (mut fixed, mut selects_alike) = (BTreeSet::new(), false);
        for (policy, bindings) in self.policies() {
            let name = &policy.policy().name;
            let mut add = |comparison: Comparison, selects: bool| {
                let Comparison { path, what, boundaries, key, inside, end } = comparison;
                let id = RuleId(u32::try_from(rules.len()).unwrap_or(u32::MAX));
                let chain = format!("compared({name})={what}");
                if rules.iter().any(|rule| rule.path == path && rule.chain == chain) {
                    return;
                }
                ends.extend(end.map(|end| (path.clone(), end)));
                let specificity = if inside { Specificity::Form } else { Specificity::Whole };
                let selects = selects || path.starts_with("metadata.");
                let mut rule = Rule { boundaries, specificity, selects, ..Rule::new(id, path, chain) };
                if inside {
                    INSIDE.clone_into(&mut rule.tag);
                }
                rules.push(rule);
                entries.push(key);
            };
            let constraints = policy.policy().spec.match_constraints.iter();
            let matched =
                constraints.chain(bindings.iter().filter_map(|binding| binding.spec.match_resources.as_ref()));
            for comparison in matched.flat_map(|resources| selectors::comparisons(resources, cluster)) {
                selects_alike |= selectors::selects_alike(&comparison);
                add(comparison, true);
            }
            let params = policy.policy().spec.param_kind.as_ref();
            let params = params.and_then(|kind| cluster.objects(&kind.api_version, &kind.kind).into_iter().next());
            for (is_condition, program) in policy.programs() {
                fixed.extend(of_all_cases(program.ast()));
                let mut reader = Reader::of(policy, params, program.ast());
                let comparisons = reader.comparisons();
                checks.extend(reader.sizes().into_iter().filter(|check| !checks.contains(check)).collect::<Vec<_>>());
                comparisons.into_iter().for_each(|comparison| add(comparison, is_condition));
            }
        }
        keep_other_entries(&mut rules, &entries);
        rules.extend(with_both_ends(&ends, rules.len()));
        PolicyHints { rules, checks, fixed, selects_alike }
    }
}

/// Rules, numbered from `first`, with texts that have the first and the last part which comparisons of the same field name.
fn with_both_ends(ends: &[(String, End)], first: usize) -> Vec<Rule> {
    let pairs = ends.iter().flat_map(|one| ends.iter().map(move |other| (one, other)));
    let texts = pairs.filter_map(|((path, one), (other, last))| match (one, last) {
        (End::First(first), End::Last(last)) if path == other => Some((path, format!("{first}x{last}"))),
        _ => None,
    });
    let rule = |(number, (path, text)): (usize, &(&String, String))| {
        let id = RuleId(u32::try_from(first + number).unwrap_or(u32::MAX));
        let boundaries = vec![class("with both".to_owned(), false, text.as_str().into())];
        let selects = path.starts_with("metadata.");
        let rule = Rule::new(id, (*path).clone(), format!("compared={text}"));
        Rule { boundaries, specificity: Specificity::Whole, selects, ..rule }
    };
    let texts: BTreeSet<(&String, String)> = texts.take(MOST_ENDS).collect();
    texts.iter().enumerate().map(rule).collect()
}

/// What an expression reads of the request that is the same in all cases.
fn of_all_cases(ast: &Ast) -> impl Iterator<Item = String> {
    let is_named = |id: NodeId, name: &str| matches!(ast.kind(id), Some(Kind::Ident(known)) if &**known == name);
    ast.nodes().iter().filter_map(move |node| match &node.kind {
        Kind::Ident(name) if name.starts_with("authorizer") => Some(name.to_string()),
        Kind::Select { operand, field, .. }
            if is_named(*operand, "request") && matches!(&**field, "userInfo" | "dryRun" | "options") =>
        {
            Some(format!("request.{field}"))
        }
        _ => None,
    })
}

/// Adds to each sample of a map the entries that comparisons with its other keys want: a sample shows one key, and must not lack another.
/// `keys` names the key of each rule that is about one.
fn keep_other_entries(rules: &mut [Rule], keys: &[Option<String>]) {
    let mut wanted: HashMap<String, Map<String, Value>> = HashMap::new();
    for (rule, key) in rules.iter().zip(keys) {
        let kept = rule.boundaries.iter().find(|class| !class.breaks).map(|class| &class.sample);
        if let (Some(key), Some(Sample::Value(Value::Object(entries)))) = (key, kept)
            && let Some(value) = entries.get(key)
        {
            let of_map = wanted.entry(rule.path.clone()).or_default();
            // That a key is there is less than what it holds.
            if of_map.get(key).is_none_or(|known| *known == ANY) {
                of_map.insert(key.clone(), value.clone());
            }
        }
    }
    for (rule, key) in rules.iter_mut().zip(keys) {
        let (Some(key), Some(wanted)) = (key, wanted.get(&rule.path)) else { continue };
        for class in &mut rule.boundaries {
            if let Sample::Value(Value::Object(sample)) = &mut class.sample {
                let mut entries = wanted.clone();
                // A key that is to be there may hold what another comparison wants.
                if sample.get(key).is_none_or(|value| *value != ANY) {
                    entries.remove(key);
                    entries.append(sample);
                }
                *sample = entries;
            }
        }
    }
}
