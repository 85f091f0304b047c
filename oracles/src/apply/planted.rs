//! An engine that is held to the laws: the sound one, or one with a fault.

use super::breach::number;
use super::builtin_type::BuiltinType;
use super::faults::Faults;
use super::laws::Laws;
use std::sync::Arc;
use takeover_harness::control::Controls;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};

/// The engine for one kind, and the faults that are planted in it.
pub struct Planted {
    laws: Arc<Laws>,
    faults: Arc<Faults>,
}

impl Planted {
    /// The faults that objects of a kind can show. `validator` judges what updates and applies make of them.
    #[must_use]
    pub fn of(kind: BuiltinType, validator: Option<Box<dyn Oracle>>) -> Self {
        let laws = Arc::new(Laws::new(kind, validator));
        Self { faults: Arc::new(Faults::new(Arc::clone(&laws))), laws }
    }

    /// The faults.
    #[must_use]
    pub fn controls(&self) -> &dyn Controls {
        &*self.faults
    }

    /// Reports what the engine breaks: the sound one, or the one with the fault at this place of the catalogue.
    #[must_use]
    pub fn engine(&self, fault: Option<usize>) -> Box<dyn Oracle> {
        let fault = fault.map(|fault| (Arc::clone(&self.faults), fault));
        Box::new(Engine { laws: Arc::clone(&self.laws), fault })
    }
}

/// Reports what breaks a law.
pub(super) struct Engine {
    laws: Arc<Laws>,
    fault: Option<(Arc<Faults>, usize)>,
}

impl Engine {
    /// The sound engine.
    pub(super) fn new(laws: Arc<Laws>) -> Self {
        Self { laws, fault: None }
    }
}

impl Oracle for Engine {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let held = self.laws.hold(question);
        held.tried.into_iter().for_each(|law| answer.reach(number(law)));
        held.breaches.into_iter().for_each(|breach| answer.push(breach.into()));
        if let Some((faults, at)) = &self.fault
            && let Some(breach) = faults.broken_by(*at, question, &self.laws.recorded(question))
        {
            answer.push(breach.into());
        }
        Ok(())
    }
}
