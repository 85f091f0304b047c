//! Server-side apply of built-in kinds, and its laws as a pair.
//!
//! The candidate of a pair applies, extracts and updates generated objects, and has an error for each value that breaks a law, at its
//! path. The reference says nothing, so each error is a finding, which is attributed to its law, minimised and excused as any error is.
//! `laws` holds requests against the laws, each in a `trial`; `known` is how servers come to break them; `parts` and `conflicts` are what
//! is known of merging and ownership without the engine; `machine` is the engine, sound or with a `fault`; `faults` plants these in kinds
//! that can show them (`fitting`), and `planted` reports what each breaks.

mod breach;
mod builtin_type;
mod changes;
mod conflicts;
mod fault;
mod faults;
mod fitting;
mod known;
mod laws;
mod machine;
mod objects;
mod parts;
mod planted;
mod trial;

pub use breach::{AGAIN, CONFLICTS, EXTRACTED, LOST, OBJECT, VERDICT};
pub use builtin_type::BuiltinType;
pub use planted::Planted;

use self::breach::number;
use self::faults::Faults;
use self::laws::Laws;
use self::planted::Engine;
use std::sync::Arc;
use takeover_harness::compare::{Comparator, Matcher, Matter};
use takeover_harness::form::Form;
use takeover_harness::object::FieldValidation;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::rule::{Law, Rule};
use takeover_harness::subject::PairId;

/// The name of the pairs that hold apply to its laws: `v1 Service#apply`.
pub const NAME: &str = "apply";

/// The laws of apply over objects of a kind. `validator` judges what updates and applies make of them; without one, verdicts are not
/// compared.
#[must_use]
pub fn pair(id: PairId, kind: BuiltinType, validator: Option<Box<dyn Oracle>>) -> Pair {
    let (types, root) = kind.types();
    let form = Form {
        schema: Arc::clone(types),
        root,
        field_validation: FieldValidation::Warn,
        defaulter: None,
        strategy: None,
    };
    let laws = Arc::new(Laws::new(kind, validator));
    let rule = |law: Law| Rule {
        law: Some(law),
        // Only a change of a field that somebody owns conflicts.
        update_only: law == Law::Conflicts,
        ..Rule::new(number(law), "", law.said())
    };
    let rules = laws.tried().map(rule).collect();
    let controls = Faults::new(Arc::clone(&laws));
    Pair {
        comparator: Comparator::Kubernetes(Matcher::default()),
        rules,
        controls: Some(Box::new(controls)),
        matter: Matter::Apply,
        ..Pair::new(id, form, Box::new(Silent), Box::new(Engine::new(laws)))
    }
}

/// Expects every law to hold.
struct Silent;

impl Oracle for Silent {
    fn precision(&self) -> Precision {
        Precision { reached: false, ..Precision::KUBERNETES }
    }

    fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
        Ok(())
    }
}
