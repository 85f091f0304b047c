//! Defaulting alone, beside a deep copy of the same objects.

use super::measure::{Work, measure};
use super::sides::{Row, row};
use serde_json::Value;
use std::hint::black_box;
use std::time::Duration;
use takeover_corpora::generate::Generator;
use takeover_corpora::recorded::cases_of;
use takeover_harness::case::Case;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::object::{Arena, Node, from_bytes, from_value};
use takeover_harness::pair::Pair;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::defaults;
use takeover_oracles::registry::{Registry, RegistryError};

/// The names of the lines.
pub(super) const NAMES: [&str; 2] = ["default, from decoded objects", "deep copy of decoded objects"];

/// Seed of the cases: the same every time.
const SEED: u64 = 5;

/// Generated objects that are measured where none are recorded.
const GENERATED: u64 = 256;

/// Measures decoding, defaulting and a deep copy of the objects of a kind that sets defaults, for about `time`: of a kind that nothing
/// validates too. Objects are the recorded ones, or else generated ones.
///
/// # Errors
/// Returns an error when code and markers set nothing in objects of the kind.
pub fn of_kind(registry: &Registry, id: &SubjectId, time: Duration) -> Result<Vec<Row>, RegistryError> {
    let mut pair = registry.pair(&PairId::named(id.clone(), defaults::NAME)?)?;
    pair.form.defaulter = registry.defaults(id);
    let mut objects = values(cases_of(&pair).iter());
    if objects.is_empty() {
        let generator = Generator::of(&pair, Vec::new(), SEED);
        let cases: Vec<Case> =
            (0..GENERATED).filter_map(|index| generator.case(0, SEED, index)).map(|made| made.case).collect();
        objects = values(cases.iter());
    }
    let (schema, root) = (&pair.form.schema, pair.form.root);
    let texts: Vec<String> = objects.iter().map(ToString::to_string).collect();
    let arena = Arena::new();
    let nodes = decoded(&pair, &objects, &arena);
    let decode: Work<'_> = {
        let mut arena = Arena::new();
        Box::new(move || {
            arena.reset();
            for text in &texts {
                let _ = black_box(from_bytes(schema, root, text.as_bytes(), &arena).is_ok());
            }
            texts.len()
        })
    };
    let mut works = vec![decode];
    works.extend(works_of(&pair, &nodes));
    let measured = measure(time, &mut works);
    let base = measured.first().map_or(f64::NAN, |of| of.median_ns);
    let names = ["decode alone"].into_iter().chain(NAMES);
    Ok(names.zip(measured).map(|(what, of)| row(&pair.id, what.to_owned(), of, base)).collect())
}

/// Objects as they were decoded, before anything is set in them.
pub(super) fn decoded<'a>(pair: &'a Pair, values: &'a [Value], arena: &'a Arena) -> Vec<Node<'a>> {
    values.iter().filter_map(|value| from_value(&pair.form.schema, pair.form.root, value, arena).ok()).collect()
}

/// The objects of all requests, as JSON trees.
pub(super) fn values<'c>(cases: impl Iterator<Item = &'c Case>) -> Vec<Value> {
    let payloads = cases.flat_map(|case| std::iter::once(&case.object).chain(&case.old));
    payloads.filter_map(|payload| payload.to_value().ok()).collect()
}

/// The work of both lines; none where the kind has no defaults. An item is one object.
pub(super) fn works_of<'w>(pair: &'w Pair, decoded: &'w [Node<'w>]) -> Vec<Work<'w>> {
    let Some(defaulter) = pair.form.defaulter.as_deref().filter(|_| !decoded.is_empty()) else { return Vec::new() };
    let default: Work<'w> = {
        let mut arena = Arena::new();
        Box::new(move || {
            arena.reset();
            for node in decoded {
                black_box(defaulter.apply(&pair.form.schema, pair.form.root, *node, &arena));
            }
            decoded.len()
        })
    };
    let copy: Work<'w> = {
        let mut arena = Arena::new();
        Box::new(move || {
            arena.reset();
            for node in decoded {
                black_box(copied(node, &arena));
            }
            decoded.len()
        })
    };
    vec![default, copy]
}

/// A copy that shares nothing with `node`. Quantities and JSON without a type are left out, which makes it cheaper than it is.
fn copied<'a>(node: &Node<'_>, arena: &'a Arena) -> Node<'a> {
    match node {
        Node::Text(text) => Node::Text(arena.alloc_str(text)),
        Node::Bytes(bytes) => Node::Bytes(arena.alloc_slice_copy(bytes)),
        Node::Struct { fields, pointer } => {
            let fields = fields.iter().map(|(slot, field)| (*slot, copied(field, arena)));
            Node::Struct { fields: arena.alloc_slice_fill_iter(fields), pointer: *pointer }
        }
        Node::List(items) => Node::List(arena.alloc_slice_fill_iter(items.iter().map(|item| copied(item, arena)))),
        Node::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (&*arena.alloc_str(key), copied(value, arena)));
            Node::Map(arena.alloc_slice_fill_iter(entries))
        }
        Node::Bool(value) => Node::Bool(*value),
        Node::Int(value) => Node::Int(*value),
        Node::Uint(value) => Node::Uint(*value),
        Node::Float(value) => Node::Float(*value),
        Node::Time(value) => Node::Time(*value),
        _ => Node::Unset,
    }
}
