//! Where an object has values of the schemas in which faults are planted.

use crate::hints::Down;
use crate::structural::{Additional, Structural};
use crate::validate::Link;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Values of one schema that are looked at in one object.
const MOST_SITES: usize = 64;

/// The schema one step below.
pub(super) fn at<'n>(node: &'n Structural, step: &Down) -> Option<&'n Arc<Structural>> {
    match step {
        Down::Member(name) => node.properties.get(&**name),
        Down::Element => node.items.as_ref(),
        Down::Other => match &node.additional {
            Some(Additional::Schema(schema)) => Some(schema),
            _ => None,
        },
    }
}

/// The schema that these steps lead to.
pub(super) fn find<'n>(node: &'n Structural, steps: &[Down]) -> Option<&'n Structural> {
    steps.iter().try_fold(node, |node, step| at(node, step).map(|node| &**node))
}

/// A tree of the schemas that have rules with faults.
#[derive(Default)]
pub(super) struct Tree {
    /// The schema's number, if it has some.
    pub(super) number: Option<usize>,
    pub(super) below: BTreeMap<Down, Tree>,
}

impl Tree {
    /// The tree at the end of these steps, which is made.
    pub(super) fn grow(&mut self, steps: &[Down]) -> &mut Self {
        match steps.split_first() {
            None => self,
            Some((first, rest)) => self.below.entry(first.clone()).or_default().grow(rest),
        }
    }
}

/// A value of a schema in an object.
#[derive(Clone, Debug)]
pub(super) struct Site<'v> {
    pub(super) value: &'v Value,
    /// What it was.
    pub(super) link: Option<Link<'v>>,
    /// What the nearest value around that can be told was.
    pub(super) nearest: Option<Link<'v>>,
    /// Whether it, or a value around it, is what it was, as far as the schema tells.
    pub(super) unchanged: bool,
    /// Whether it is the version or the kind of the object.
    pub(super) fixed: bool,
    /// Its field in errors of keywords.
    pub(super) keywords: String,
    /// Its field in errors of rules and lists.
    pub(super) field: String,
}

/// Finds the values of schemas by their numbers.
pub(super) fn sites<'v>(
    tree: &Tree,
    node: &'v Structural,
    object: &'v Value,
    old: Option<&'v Value>,
) -> HashMap<usize, Vec<Site<'v>>> {
    let mut found = HashMap::new();
    let link = old.map(|old| Link::root(node, object, old));
    let site = Site {
        value: object,
        link,
        nearest: link,
        unchanged: link.is_some_and(Link::is_unchanged),
        fixed: false,
        keywords: String::new(),
        field: String::new(),
    };
    walk(tree, node, site, &mut found);
    found
}

fn walk<'v>(tree: &Tree, node: &'v Structural, site: Site<'v>, found: &mut HashMap<usize, Vec<Site<'v>>>) {
    let below = |value: &'v Value, link: Option<Link<'v>>, fixed: bool, keywords: String, field: String| Site {
        value,
        link,
        nearest: link.or(site.nearest),
        unchanged: site.unchanged || link.is_some_and(Link::is_unchanged),
        fixed: site.fixed || fixed,
        keywords,
        field,
    };
    let join = |before: &str, name: &str| if before.is_empty() { name.to_owned() } else { format!("{before}.{name}") };
    match site.value {
        Value::Object(members) => {
            for (key, value) in members {
                let named = node.properties.get(key);
                let step = if named.is_some() { Down::Member(Arc::from(key.as_str())) } else { Down::Other };
                let (Some(tree), Some(node)) = (tree.below.get(&step), at(node, &step)) else { continue };
                let link = site.link.and_then(|link| link.member(key, value));
                let keywords = join(&site.keywords, key);
                let field = if named.is_some() { join(&site.field, key) } else { format!("{}[{key}]", site.field) };
                let fixed = site.field.is_empty() && matches!(key.as_str(), "apiVersion" | "kind");
                walk(tree, node, below(value, link, fixed, keywords, field), found);
            }
        }
        Value::Array(items) => {
            if let (Some(tree), Some(node)) = (tree.below.get(&Down::Element), &node.items) {
                let links = site.link.and_then(Link::elements);
                for (index, value) in items.iter().enumerate() {
                    let link = links.as_ref().and_then(|links| links.element(value));
                    let place = |before: &str| format!("{before}[{index}]");
                    walk(tree, node, below(value, link, false, place(&site.keywords), place(&site.field)), found);
                }
            }
        }
        _ => {}
    }
    if let Some(number) = tree.number {
        let sites = found.entry(number).or_default();
        if sites.len() < MOST_SITES {
            sites.push(site);
        }
    }
}
