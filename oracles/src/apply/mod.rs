//! Server-side apply of built-in kinds, and its laws as a pair.
//!
//! The candidate of a pair applies, extracts and updates generated objects, and has an error for each value that breaks a law, at its
//! path. The reference says nothing, so each error is a finding, which is attributed to its law, minimised and excused as any error is.
//! `laws` holds objects against the laws, `parts` is what is known of merging without the engine, `machine` is the engine, sound or
//! with a `fault`; `faults` plants these.

mod builtin_type;
mod changes;
mod fault;
mod faults;
mod laws;
mod machine;
mod parts;

pub use builtin_type::BuiltinType;
pub use laws::{AGAIN, EXTRACTED, LOST, OBJECT, VERDICT};

use self::faults::Faults;
use self::laws::{Breach, Laws, number, origin};
use std::sync::Arc;
use takeover_harness::compare::{Comparator, Matcher, Matter};
use takeover_harness::error::{BadValue, ErrorType, FieldError, Stability};
use takeover_harness::form::Form;
use takeover_harness::object::FieldValidation;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::rule::Rule;
use takeover_harness::subject::PairId;

/// The name of the pairs that hold apply to its laws: `v1 Service#apply`.
pub const NAME: &str = "apply";

/// The level of laws: without one, they would not be compared.
const LEVEL: Stability = Stability::Beta;

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
    let rules = laws.tried().map(|law| Rule { law: Some(law), ..Rule::new(number(law), "", law.said()) }).collect();
    let controls = Faults::new(Arc::clone(&laws));
    Pair {
        comparator: Comparator::Kubernetes(Matcher::default()),
        rules,
        controls: Some(Box::new(controls)),
        matter: Matter::Apply,
        ..Pair::new(id, form, Box::new(Silent), Box::new(ByLaws(laws)))
    }
}

/// Expects every law to hold.
struct Silent;

impl Oracle for Silent {
    fn precision(&self) -> Precision {
        Precision { reached: false, ..Precision::KUBERNETES }
    }

    fn answer(&self, _: &Question<'_>, _: &View, _: &mut Answer) -> Result<(), OracleFailure> {
        Ok(())
    }
}

/// Reports what breaks a law.
struct ByLaws(Arc<Laws>);

impl Oracle for ByLaws {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
        let held = self.0.hold(question, None);
        held.tried.into_iter().for_each(|law| answer.reach(number(law)));
        held.breaches.into_iter().for_each(|breach| answer.push(breach.into()));
        Ok(())
    }
}

impl From<Breach> for FieldError {
    fn from(Breach { law, field, detail }: Breach) -> Self {
        let error = Self::new(ErrorType::Invalid, &Path::ROOT, BadValue::Hidden, detail).with_origin(origin(law));
        Self { field, rule: Some(number(law)), stability: Some(LEVEL), ..error }
    }
}
