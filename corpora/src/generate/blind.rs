//! Objects filled at random by their Go types, which is what the generator is measured against.
//!
//! Kubernetes tests that declarative and handwritten validation agree on objects that randfill (once gofuzz) fills: nil with
//! a chance of one half, else one element; texts of some runes from three ranges of Unicode; integers of the full width; an
//! update is two unrelated objects. No rule, sample, or recorded object has a say. This does the same over the type graph, and
//! is a little kinder: a list or map sometimes has a second element, and quantities and durations sometimes are round.

use super::generator::identify;
use super::layout::Layout;
use super::settings::GeneratorSettings;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use serde_json::{Map, Value};
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::schema::{Kind, Schema, TypeId, WellKnown};

/// Below this depth, and beyond so many values of an object, pointers, lists and maps are nil: types that contain themselves
/// would not end otherwise.
const DEEP: usize = 32;
const MOST_VALUES: usize = 10_000;

/// Texts have fewer runes than this.
const RUNES: u64 = 20;

/// The ranges from which a text takes its runes: printable ASCII, Latin and IPA letters, common Han.
const RANGES: [(u32, u32); 3] = [(' ' as u32, '~' as u32), (0xa0, 0x2af), (0x4e00, 0x9fff)];

/// Makes cases that know nothing but types.
///
/// ```
/// use std::sync::Arc;
/// use takeover_corpora::generate::{Blind, GeneratorSettings};
/// use takeover_harness::schema::{Kind, Schema};
/// use takeover_harness::subject::SubjectId;
///
/// let mut schema = Schema::new();
/// let root = schema.add("int8", Kind::Int { bits: 8, signed: true });
/// let blind = Blind::new(Arc::new(schema), root, GeneratorSettings::new(SubjectId::new("example.com/v1", "Number"), 1));
/// assert_eq!(blind.chunk(0, 7).count(), 1024);
/// assert!(blind.chunk(0, 7).eq(blind.chunk(0, 7)));
/// ```
#[derive(Clone, Debug)]
pub struct Blind {
    schema: Arc<Schema>,
    root: TypeId,
    layout: Layout,
    settings: GeneratorSettings,
}

impl Blind {
    /// Random objects of type `root`. Of the settings, those count that say nothing of values: subject, seed, size of chunks,
    /// share of updates, and the names of options, each of which every case switches on or off.
    #[must_use]
    pub fn new(schema: Arc<Schema>, root: TypeId, settings: GeneratorSettings) -> Self {
        Self { layout: Layout::new(&schema), schema, root, settings }
    }

    /// The cases of chunk `number`, [`GeneratorSettings::chunk_size`] of them: the same for the same number and seed, whatever was made
    /// before.
    pub fn chunk(&self, number: u64, chunk_seed: u64) -> impl Iterator<Item = Case<'static>> + '_ {
        let mut random = ChaCha8Rng::seed_from_u64(chunk_seed);
        random.set_stream(number);
        let mut filler = Filler { blind: self, random, values: 0 };
        (0..self.settings.chunk_size).map(move |index| filler.case(number, index))
    }
}

/// A stream of random numbers, and what is filled from it.
struct Filler<'b> {
    blind: &'b Blind,
    random: ChaCha8Rng,
    /// Values of the object so far.
    values: usize,
}

impl Filler<'_> {
    fn case(&mut self, chunk: u64, index: u64) -> Case<'static> {
        let settings = &self.blind.settings;
        let update = settings.updates_only || self.below(100) < settings.update_percent.into();
        let update = update && !settings.creates_only;
        let object = self.object().into();
        let old: Option<Payload<'static>> = update.then(|| self.object().into());
        let mut options = Options::new();
        for name in &settings.options {
            options.set(name.as_str(), self.coin());
        }
        Case {
            operation: if update { Operation::Update } else { Operation::Create },
            object,
            old,
            options,
            provenance: Provenance::Generated { seed: settings.seed, chunk, index, planted: String::new() },
        }
    }

    fn object(&mut self) -> Value {
        let blind = self.blind;
        self.values = 0;
        let mut object = self.fill(blind.root, 0);
        identify(&mut object, &blind.settings, blind.layout.members(blind.root).iter().map(|member| &*member.name));
        object
    }

    /// A value of type `ty`; null for nil.
    fn fill(&mut self, ty: TypeId, depth: usize) -> Value {
        let blind = self.blind;
        let (id, kind) = blind.schema.native(ty);
        let may_be_nil = matches!(kind, Kind::Pointer(_) | Kind::List(_) | Kind::Map { .. } | Kind::Bytes);
        self.values += 1;
        if may_be_nil && (depth >= DEEP || self.values > MOST_VALUES || self.coin()) {
            return Value::Null;
        }
        match kind {
            Kind::Pointer(inner) => self.fill(*inner, depth + 1),
            Kind::List(item) => (0..self.elements()).map(|_| self.fill(*item, depth + 1)).collect(),
            Kind::Map { value, .. } => {
                (0..self.elements()).map(|_| (self.text(), self.fill(*value, depth + 1))).collect::<Map<_, _>>().into()
            }
            Kind::Struct(_) => {
                let members = blind.layout.members(id).iter();
                let filled = members.map(|member| (member.name.to_string(), self.fill(member.ty, depth + 1)));
                // Go prints no nil list of a field with `omitempty`, and reads null as nil where it does.
                filled.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>().into()
            }
            Kind::Bool => self.coin().into(),
            Kind::Int { bits, signed } => self.integer(*bits, *signed),
            Kind::Float { .. } => self.fraction().into(),
            Kind::Text => self.text().into(),
            Kind::Bytes => {
                let bytes: Vec<u8> = (0..self.elements()).map(|_| self.random.next_u32().to_le_bytes()[0]).collect();
                STANDARD.encode(bytes).into()
            }
            Kind::WellKnown(known) => self.well_known(*known),
            // What an interface holds no type tells.
            _ => Value::Null,
        }
    }

    fn well_known(&mut self, known: WellKnown) -> Value {
        match known {
            WellKnown::Time => format!("{}Z", self.moment()).into(),
            WellKnown::MicroTime => format!("{}.{:06}Z", self.moment(), self.below(1_000_000)).into(),
            WellKnown::Duration => {
                let unit = if self.coin() { "ns" } else { "s" };
                format!("{}{unit}", self.integer(32, true)).into()
            }
            WellKnown::Quantity => {
                let suffix = ["", "", "m", "k", "Mi"].get(self.index(5)).copied().unwrap_or_default();
                format!("{}{suffix}", self.below(1_000)).into()
            }
            WellKnown::IntOrString if self.coin() => self.text().into(),
            WellKnown::IntOrString => self.integer(32, true),
            WellKnown::Raw => Map::from_iter([(self.text(), Value::from(self.text()))]).into(),
        }
    }

    /// A second of the thousand years from 1970 on, as RFC 3339 without zone.
    fn moment(&mut self) -> String {
        let (year, month, day) = (1970 + self.below(1_000), 1 + self.below(12), 1 + self.below(28));
        let (hour, minute, second) = (self.below(24), self.below(60), self.below(60));
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }

    fn integer(&mut self, bits: u8, signed: bool) -> Value {
        let drawn = self.bits(bits);
        if !signed {
            return drawn.into();
        }
        // The sign bit of the width becomes that of 64 bits.
        let above = 64_u32.saturating_sub(bits.into());
        (drawn.wrapping_shl(above).cast_signed() >> above).into()
    }

    fn text(&mut self) -> String {
        let runes = self.below(RUNES);
        (0..runes)
            .filter_map(|_| {
                let (first, last) = RANGES.get(self.index(RANGES.len())).copied().unwrap_or_default();
                char::from_u32(first + u32::try_from(self.below(u64::from(last - first) + 1)).unwrap_or_default())
            })
            .collect()
    }

    /// How many elements a list or map has that is not nil.
    fn elements(&mut self) -> usize {
        if self.below(4) == 0 { 2 } else { 1 }
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn fraction(&mut self) -> f64 {
        // Every multiple of 2^-32 below one.
        f64::from(self.random.next_u32()) / 4_294_967_296.0
    }

    fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).unwrap_or_default()
    }

    /// A number of so many bits.
    fn bits(&mut self, bits: u8) -> u64 {
        self.random.next_u64() >> 64_u32.saturating_sub(bits.into()).min(63)
    }

    /// A number below `count`, which is far below 2^64, so that all are as likely as makes no difference.
    fn below(&mut self, count: u64) -> u64 {
        self.random.next_u64() % count.max(1)
    }
}
