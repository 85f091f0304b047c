//! Saying for an oracle what its answers can say.

use super::{Answer, BatchOracle, Objects, Oracle, OracleFailure, Precision, Question, View};
use crate::object::Arena;

/// An oracle whose answers can say something else than it says of itself: for functions, which say nothing of themselves.
pub struct WithPrecision<O>(pub Precision, pub O);

impl<O: Oracle> Oracle for WithPrecision<O> {
    fn precision(&self) -> Precision {
        self.0
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.1.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.1.answer(question, view, answer)
    }

    fn batch(&self) -> Option<&dyn BatchOracle> {
        self.1.batch()
    }

    fn is_far(&self) -> bool {
        self.1.is_far()
    }

    fn given_up(&self) -> Option<String> {
        self.1.given_up()
    }

    fn forget(&self) -> bool {
        self.1.forget()
    }
}
