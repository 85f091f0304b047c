//! The tag lines of a folder of types that may move, the rules that each of them makes, and which lines move only together.

use super::place::PatchPlace;
use super::step::Step;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::rule::{Rule, Source, TagStability};
use takeover_harness::schema::TypeId;
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::grammar::{Tag, parse};
use takeover_oracles::declarative::idl::{Idl, TagLine};
use takeover_oracles::declarative::tags::{Companions, lookup};
use takeover_oracles::registry::{KnownKind, Registry, RegistryError};

/// Where a line stands: file and line.
pub(super) type At = (String, u32);

/// A tag line with a lifecycle wrapper.
pub struct Line {
    /// Where its `+` stands, in bytes, from 1.
    pub column: u32,
    /// What follows the `+`.
    pub text: String,
    /// The tag in the wrapper, as reports write it.
    pub chain: String,
    /// Name of the wrapper.
    pub wrapper: String,
    /// The type or field that it is about.
    pub place: String,
    /// Whether it says that the field is required, optional or forbidden: other rules of the field are only asked after it.
    pub guards: bool,
    /// What it moves together with, if anything.
    pub companions: Option<String>,
    /// The rules that it makes.
    pub uses: Vec<Use>,
    /// Whether another tag stands on the line of the file.
    pub shared: bool,
}

/// A rule that a line makes.
pub struct Use {
    /// Version and kind.
    pub kind: String,
    /// The subjects of the kind; none if no handwritten validation of it is known.
    pub subjects: Vec<SubjectId>,
    /// Path of the rule.
    pub path: String,
    /// Its chain.
    pub chain: String,
    /// The tag of the chain that is least settled.
    pub least_settled: Option<(String, TagStability)>,
}

/// Every line with a wrapper in what may be changed.
///
/// # Errors
/// Returns an error when the tags of a kind do not compile.
pub fn lines(registry: &Registry, place: &PatchPlace) -> Result<BTreeMap<At, Line>, RegistryError> {
    let mut lines = BTreeMap::new();
    let mut taken = BTreeMap::new();
    for (tags, owner, at) in comments(registry.idl()) {
        for line in tags {
            let file = line.position.file.as_ref();
            let wrapped = parse(&line.text).ok().filter(|tag| {
                let (alpha, beta) = (Step::Beta { since: None }, Step::Stable { since: None });
                tag.inner().is_some() && [alpha.wrapper(), beta.wrapper()].contains(&tag.name.as_ref())
            });
            let Some(tag) = wrapped else { continue };
            if !*taken.entry(file.to_owned()).or_insert_with(|| place.takes(file)) {
                continue;
            }
            let entry = Line {
                column: line.position.column,
                chain: chain_text(&tag),
                wrapper: tag.name.to_string(),
                guards: tag
                    .chain()
                    .nth(1)
                    .and_then(|tag| lookup(&tag.name))
                    .is_some_and(|def| def.requiredness.is_some()),
                companions: companions(&tag, owner, &at),
                place: at.clone(),
                text: line.text.to_string(),
                uses: Vec::new(),
                shared: false,
            };
            let known: &mut Line = lines.entry((file.to_owned(), line.position.line)).or_insert(entry);
            // The same comment may stand before several names.
            known.shared |= known.column != line.position.column;
        }
    }
    for kind in registry.kinds().iter().filter(|kind| !is_list(registry, kind)) {
        for (at, found) in uses(registry, kind)? {
            if let Some(line) = lines.get_mut(&at) {
                line.uses.push(found);
            }
        }
    }
    Ok(lines)
}

/// The tag lines of every type and field, with the type that they belong to, and what the place is called.
fn comments(idl: &Idl) -> impl Iterator<Item = (&[TagLine], u32, String)> {
    idl.types.iter().zip(0..).flat_map(|(info, owner)| {
        let fields =
            info.fields.iter().zip(0..).map(move |(field, slot)| (&*field.tags, owner, format!("{owner}.{slot}")));
        std::iter::once((&*info.tags, owner, owner.to_string())).chain(fields)
    })
}

/// The tags in a wrapper as reports write them.
fn chain_text(tag: &Tag) -> String {
    let texts: Vec<&str> = tag.chain().skip(1).map(|tag| tag.text.trim_start_matches("k8s:")).collect();
    texts.join("=")
}

/// Returns what a line moves together with: the companions of its innermost tag that has some at other fields, or else those at
/// its own field.
fn companions(tag: &Tag, owner: u32, at: &str) -> Option<String> {
    let all: Vec<Companions> = tag.chain().filter_map(|tag| lookup(&tag.name)).map(|def| def.companions).collect();
    let of_struct = all.iter().rev().find_map(|companions| match companions {
        Companions::OfStruct(name) => Some(format!("{name} {owner}")),
        _ => None,
    });
    of_struct.or_else(|| {
        all.iter().rev().find_map(|companions| match companions {
            Companions::OfPlace(name) => Some(format!("{name} {at}")),
            _ => None,
        })
    })
}

/// Whether the kind is a list of others, whose items are judged on their own.
fn is_list(registry: &Registry, kind: &KnownKind) -> bool {
    let schema = registry.schema();
    let is_meta = |ty: TypeId| schema.get(ty).name.ends_with("/meta/v1.ListMeta");
    schema.as_struct(kind.root).is_some_and(|(_, of)| of.fields.iter().any(|field| is_meta(field.ty)))
}

fn uses(registry: &Registry, kind: &KnownKind) -> Result<Vec<(At, Use)>, RegistryError> {
    let id = SubjectId::new(kind.api_version.as_str(), kind.kind.as_str());
    let subjects: Vec<SubjectId> =
        registry.subjects().filter(|of| of.api_version == id.api_version && of.kind == id.kind).collect();
    let (_, candidate) = registry.candidate(&id)?;
    let found = candidate.rules().iter().filter_map(|rule| {
        let Source { file, line } = rule.source.clone()?;
        let found = Use {
            kind: id.to_string(),
            subjects: subjects.clone(),
            path: rule.path.clone(),
            chain: rule.chain.clone(),
            least_settled: rule.least_settled.clone(),
        };
        Some(((file, line), found))
    });
    Ok(found.collect())
}

/// What a rule is: its kind, path, chain with the tag that checks, and where it comes from.
pub(super) type Identity = (String, String, String, At);

/// Every rule of every kind, by what it is and where it comes from.
///
/// # Errors
/// Returns an error when the tags of a kind do not compile.
pub(super) fn rules(registry: &Registry) -> Result<BTreeMap<Identity, Rule>, RegistryError> {
    let mut rules = BTreeMap::new();
    for kind in registry.kinds() {
        let id = SubjectId::new(kind.api_version.as_str(), kind.kind.as_str());
        let (_, candidate) = registry.candidate(&id)?;
        for rule in candidate.rules() {
            let at = rule.source.clone().map(|Source { file, line }| (file, line)).unwrap_or_default();
            rules.insert((id.to_string(), rule.path.clone(), format!("{} {}", rule.chain, rule.tag), at), rule.clone());
        }
    }
    Ok(rules)
}

/// The levels at which companions stand.
pub(super) fn levels(lines: &BTreeMap<At, Line>) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut levels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in lines.values() {
        if let Some(companions) = &line.companions {
            levels.entry(companions).or_default().insert(&line.wrapper);
        }
    }
    levels
}
