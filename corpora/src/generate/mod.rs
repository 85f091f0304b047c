//! Cases made from a type graph, rules and recorded objects: mostly valid objects with a few planted deviations.
//!
//! Nothing here knows a kind. Every case is a function of a stream of choices, so the seeded soak, a coverage-guided fuzzer
//! and a property test drive the same code.
//!
//! ```
//! use serde_json::json;
//! use std::sync::Arc;
//! use takeover_corpora::generate::{Generator, GeneratorSettings};
//! use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct};
//! use takeover_harness::subject::SubjectId;
//!
//! let mut schema = Schema::new();
//! let count = schema.add("int32", Kind::Int { bits: 32, signed: true });
//! let field = Field {
//!     go_name: "Count".into(),
//!     json_name: "count".into(),
//!     ty: count,
//!     presence: Presence::Named,
//!     omit_empty: true,
//!     default: None,
//! };
//! let root = schema.add("Counter", Kind::Struct(Struct::new(vec![field])));
//! schema.link();
//!
//! let settings = GeneratorSettings::new(SubjectId::new("example.com/v1", "Counter"), 1);
//! let generator = Generator::new(Arc::new(schema), root, &[], vec![json!({"count": 3})], settings);
//! let cases: Vec<_> = generator.chunk(0, 1).collect();
//! assert_eq!(cases.len(), 1024);
//! assert_eq!(generator.case(0, 1, 500).as_ref(), cases.get(500));
//! ```

mod bases;
mod blind;
mod case;
mod check_classes;
mod choices;
mod chunk;
mod deviate;
mod draft;
mod edits;
mod fields;
mod further;
mod generator;
mod grow;
mod health;
mod knowledge;
mod layout;
mod mode;
mod packs;
mod pair;
mod plan;
mod planting;
mod pools;
mod rules;
mod settings;
mod site;
mod systematic;
mod type_classes;

pub use blind::Blind;
pub use case::{GeneratedCase, Planted};
pub use chunk::{ArenaChunk, Chunk};
pub use generator::Generator;
pub use health::Health;
pub use mode::Mode;
pub use settings::GeneratorSettings;
