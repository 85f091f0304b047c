//! What is known of the fields of a type: the rules under test, and what else is worth trying on each field whatever they say.

use super::check_classes::{of_check, swapped};
use super::fields::fields;
use super::layout::Layout;
use super::rules::{CEL, RulePlace, Segment};
use super::systematic::{Book, guard};
use super::type_classes::{around_length, is_scalar, may_be, of_type, range, value};
use std::collections::{HashMap, HashSet};
use takeover_harness::case::Operation;
use takeover_harness::check::Check;
use takeover_harness::rule::{Boundary, Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Schema, TypeId};

/// Texts of at least so many bytes in samples are taken to lie at a limit.
const LONG: usize = 12;

/// Texts longer than this are not made longer still.
const LONGEST: usize = 2_048;

/// Texts of more bytes are not tried in other letter cases.
const LONGEST_WORD: usize = 64;

/// Most texts of a field that are tried in other letter cases.
const MOST_WORDS: usize = 6;

/// Rules, with the places of each, and fields.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    /// The rules under test, then those of the baseline that differ from them, and classes of checks and types in the form of rules.
    pub(super) rules: Vec<Rule>,
    pub(super) places: Vec<Option<RulePlace>>,
    /// How many rules are under test.
    pub(super) tested: usize,
    /// Positions of those that the baseline does not have and no value breaks. No case is made for them.
    pub(super) idle: Vec<usize>,
    /// Positions of the rules of the baseline.
    pub(super) baseline: Vec<usize>,
    /// Positions of the rules of the baseline and of checks.
    pub(super) known: Vec<usize>,
    pub(super) fields: Vec<KnownField>,
}

/// A field and the positions of the rules that stand there.
#[derive(Clone, Debug)]
pub(super) struct KnownField {
    pub(super) place: RulePlace,
    /// Rules under test that the baseline has, or that a value of the type breaks.
    pub(super) tested: Vec<usize>,
    /// Rules of the baseline and of checks.
    pub(super) known: Vec<usize>,
    /// The classes of its type.
    pub(super) of_type: Vec<usize>,
}

/// What is known of fields beside the rules under test.
#[derive(Clone, Copy)]
pub(super) struct Sources<'s> {
    pub(super) baseline: &'s [Rule],
    pub(super) checks: &'s [Check],
    /// See [`GeneratorSettings::looks_further`](super::settings::GeneratorSettings::looks_further).
    pub(super) further: bool,
    /// See [`GeneratorSettings::tries_null`](super::settings::GeneratorSettings::tries_null).
    pub(super) null: bool,
}

impl Knowledge {
    /// Without a baseline the rules under test stand for it.
    pub(super) fn new(
        schema: &Schema,
        layout: &Layout,
        root: TypeId,
        rules: &[Rule],
        Sources { baseline, checks, further, null }: Sources<'_>,
    ) -> Self {
        let mut known = Self {
            rules: rules.to_vec(),
            places: rules.iter().map(|rule| RulePlace::of(schema, root, rule)).collect(),
            tested: rules.len(),
            idle: Vec::new(),
            baseline: Vec::new(),
            known: Vec::new(),
            fields: Vec::new(),
        };
        if baseline.is_empty() {
            known.baseline = (0..rules.len()).collect();
        }
        for rule in baseline {
            if let Some(index) = known.add(schema, layout, root, rule)
                && !known.baseline.contains(&index)
            {
                known.baseline.push(index);
            }
        }
        known.known.clone_from(&known.baseline);
        let mut fields = Fields::of(fields(schema, layout, root));
        for index in known.known.iter().copied().chain(0..rules.len()) {
            fields.find_or_add(schema, root, known.rules.get(index));
        }
        for (index, rule) in rules.iter().enumerate() {
            let Some(field) = fields.find(known.places.get(index)) else { continue };
            if known.known.contains(&index) || can_break(schema, field.place.ty, rule) {
                field.tested.push(index);
            } else {
                known.idle.push(index);
            }
        }
        for index in known.known.clone() {
            let field = fields.find(known.places.get(index));
            field.into_iter().for_each(|field| field.known.push(index));
        }
        // Where there are only updates, that says nothing of a check.
        let creates = checks.iter().any(|check| check.operations.contains(&Operation::Create));
        for mut rule in checks.iter().filter_map(|check| of_check(schema, layout, root, check, creates)) {
            fields.find_or_add(schema, root, Some(&rule));
            let place = RulePlace::of(schema, root, &rule);
            let Some(field) = fields.find(Some(&place)) else { continue };
            known.drop_repeated(&field.known, &mut rule);
            if rule.boundaries.is_empty() {
                continue;
            }
            field.known.push(known.rules.len());
            known.known.push(known.rules.len());
            known.push(place, rule);
        }
        for field in fields.all.iter_mut().filter(|field| !field.place.segments.is_empty()) {
            let mut rule = Rule::new(RuleId(u32::MAX), &*field.place.field, "type");
            rule.boundaries = of_type(schema, layout, field.place.ty);
            if null && takes_null(schema, &field.place) {
                // Second only to absence, so that short runs have it, too.
                rule.boundaries.insert(1, value("null", serde_json::Value::Null));
            }
            rule.boundaries.extend(known.variants(schema, field));
            if further {
                rule.boundaries.extend(known.neighbours(schema, field));
            }
            known.drop_repeated(&field.known, &mut rule);
            // The classes of a text beside a rule on keys, for one, would not fit.
            field.of_type.push(known.rules.len());
            known.push(Some(field.place.clone()), rule);
        }
        known.fields = fields.all;
        let guards: Vec<Option<usize>> = {
            let book = known.book();
            known.places.iter().map(|place| guard(book, &known.baseline, place.as_ref()?)).collect()
        };
        for (place, guard) in known.places.iter_mut().zip(guards) {
            place.iter_mut().for_each(|place| place.guard = guard);
        }
        known
    }

    pub(super) fn book(&self) -> Book<'_> {
        Book { rules: &self.rules, places: &self.places }
    }

    /// The classes of idle rules that a class of another rule at the place shows as well.
    pub(super) fn alike(&self, place: &RulePlace, boundary: &Boundary) -> impl Iterator<Item = (RuleId, usize)> {
        self.idle.iter().filter_map(|index| {
            let (rule, at) = (self.rules.get(*index)?, self.places.get(*index)?.as_ref()?);
            let class = || rule.boundaries.iter().position(|other| other.sample == boundary.sample);
            (at.field == place.field).then(class).flatten().map(|class| (rule.id, class))
        })
    }

    /// The position of a rule of the baseline; none when the types have no such place.
    fn add(&mut self, schema: &Schema, layout: &Layout, root: TypeId, rule: &Rule) -> Option<usize> {
        let same = |other: &Rule| {
            (&other.path, &other.chain, other.update_only, other.after_default)
                == (&rule.path, &rule.chain, rule.update_only, rule.after_default)
                && (&other.boundaries, &other.options) == (&rule.boundaries, &rule.options)
        };
        if let Some(index) = self.rules.iter().position(same) {
            return Some(index);
        }
        let place = RulePlace::of(schema, root, rule)?;
        let mut rule = rule.clone();
        // An expression does not tell the types of what it reads.
        if rule.tag == CEL {
            rule.boundaries.retain(|boundary| match &boundary.sample {
                Sample::Value(sample) => may_be(schema, layout, place.ty, sample),
                _ => true,
            });
        }
        self.push(Some(place), rule);
        Some(self.rules.len() - 1)
    }

    fn push(&mut self, place: Option<RulePlace>, rule: Rule) {
        self.places.push(place);
        self.rules.push(rule);
    }

    fn samples<'k>(&'k self, which: &'k [usize], update_only: bool) -> impl Iterator<Item = &'k Boundary> + Clone {
        let rules = which.iter().filter_map(|index| self.rules.get(*index));
        rules.filter(move |rule| rule.update_only == update_only).flat_map(|rule| &rule.boundaries)
    }

    /// Takes the classes out of `rule` whose samples these rules have too.
    fn drop_repeated(&self, which: &[usize], rule: &mut Rule) {
        let update_only = rule.update_only;
        let known = |boundary: &Boundary| {
            let mut known = self.samples(which, update_only);
            known.any(|known| known.sample == boundary.sample && known.options.is_empty())
        };
        rule.boundaries.retain(|boundary| !known(boundary));
    }

    /// What the samples of rules at a text suggest beside: the same length in bytes and characters, and the other letter cases.
    fn variants(&self, schema: &Schema, field: &KnownField) -> Vec<Boundary> {
        if !matches!(schema.pointed(field.place.ty).1, Kind::Text) {
            return Vec::new();
        }
        let texts = || self.samples(&field.known, false).filter(|of| !of.breaks).filter_map(text);
        let mut lengths: Vec<usize> =
            texts().map(|text| text.chars().count()).filter(|length| (LONG..=LONGEST).contains(length)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let other_case = texts().map(|text| (swapped(text), text)).find(|(other, text)| other != text);
        let mut cases: Vec<Boundary> =
            other_case.map(|(other, text)| value(format!("`{text}` in another case"), other)).into_iter().collect();
        // What an expression names in one case is often meant in any.
        let is_expression = |index: &&usize| self.rules.get(**index).is_some_and(|rule| rule.tag == CEL);
        let of_expressions: Vec<usize> = field.known.iter().filter(is_expression).copied().collect();
        let mut seen: HashSet<String> = self.samples(&field.known, false).filter_map(text).map(str::to_owned).collect();
        let named = self.samples(&of_expressions, false).filter_map(text).filter(|text| text.len() <= LONGEST_WORD);
        for text in named.take(MOST_WORDS) {
            for other in [text.to_uppercase(), text.to_lowercase(), capitalized(text)] {
                if seen.insert(other.clone()) {
                    cases.push(value(format!("`{text}` as `{other}`"), other));
                }
            }
        }
        lengths.into_iter().rev().take(2).flat_map(around_length).chain(cases).collect()
    }

    /// Texts beside good ones that a check tells from them only if it counts or compares letters in another way.
    fn neighbours(&self, schema: &Schema, field: &KnownField) -> Vec<Boundary> {
        if !matches!(schema.pointed(field.place.ty).1, Kind::Text) {
            return Vec::new();
        }
        let good = |of: &&Boundary| !of.breaks && text(of).is_some_and(|text| !text.is_empty());
        let mut good: Vec<&str> = self.samples(&field.known, false).filter(good).filter_map(text).collect();
        good.sort_by_key(|text| text.chars().count());
        let mut classes = Vec::new();
        if let Some(text) = good.first().filter(|text| text.len() <= LONGEST_WORD) {
            let start: String = text.chars().take(text.chars().count() - 1).collect();
            classes.extend([
                value("its last letter blank", format!("{start} ")),
                value("a blank after it", format!("{text} ")),
                value("a capital letter of two bytes after it", format!("{text}\u{c9}")),
                value("a small letter of two bytes at its end", format!("{start}\u{e9}")),
                value("a picture at its end", format!("{start}{PICTURE}")),
                value("two slashes after it", format!("{text}//{text}")),
            ]);
        }
        let longest = good.last().map(|text| text.chars().count()).filter(|length| (2..=LONGEST).contains(length));
        for count in longest.into_iter().flat_map(|length| [length / 2 + 1, length]) {
            classes.push(value(format!("{count} pictures"), PICTURE.to_string().repeat(count)));
        }
        classes
    }
}

/// A letter that UTF-16 has as two.
const PICTURE: char = '\u{1f600}';

/// The text with a capital letter in front.
fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn text(boundary: &Boundary) -> Option<&str> {
    match &boundary.sample {
        Sample::Value(serde_json::Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Whether null is worth trying at a place: in a member, and as the item of a list or value of a map if that is a scalar. In metadata, what
/// stands for null there is not a matter of defaults.
fn takes_null(schema: &Schema, place: &RulePlace) -> bool {
    match (place.segments.first(), place.segments.last()) {
        (_, Some(Segment::Member(_))) => true,
        (Some(Segment::Member(first)), Some(Segment::Each)) => &**first != "metadata" && is_scalar(schema, place.ty),
        _ => false,
    }
}

/// Whether a sample of the rule breaks it, and is a value of the type.
fn can_break(schema: &Schema, ty: TypeId, rule: &Rule) -> bool {
    let fits = |boundary: &Boundary| match (&boundary.sample, schema.pointed(ty).1) {
        (Sample::Value(serde_json::Value::Number(number)), Kind::Int { bits, signed }) => {
            let (least, most) = range(*bits, *signed);
            number.as_i64().is_some_and(|number| (least..=most).contains(&number))
        }
        _ => true,
    };
    rule.boundaries.iter().any(|boundary| boundary.breaks && fits(boundary))
}

/// Fields by their paths.
struct Fields {
    all: Vec<KnownField>,
    by_path: HashMap<Box<str>, usize>,
}

impl Fields {
    fn of(places: Vec<RulePlace>) -> Self {
        let mut fields = Self { all: Vec::new(), by_path: HashMap::new() };
        places.into_iter().for_each(|place| fields.add(place));
        fields
    }

    fn add(&mut self, place: RulePlace) {
        self.by_path.insert(place.field.clone(), self.all.len());
        self.all.push(KnownField { place, tested: Vec::new(), known: Vec::new(), of_type: Vec::new() });
    }

    fn find(&mut self, place: Option<&Option<RulePlace>>) -> Option<&mut KnownField> {
        let index = self.by_path.get(&place?.as_ref()?.field)?;
        self.all.get_mut(*index)
    }

    /// Adds the field of a rule that stands deeper in types that contain themselves than fields are told apart.
    fn find_or_add(&mut self, schema: &Schema, root: TypeId, rule: Option<&Rule>) {
        let bare = rule.map(|rule| Rule::new(rule.id, &*rule.path, ""));
        if let Some(place) = bare.and_then(|bare| RulePlace::of(schema, root, &bare))
            && !self.by_path.contains_key(&place.field)
        {
            self.add(place);
        }
    }
}
