//! Saying for an oracle what its answers can say.

use super::{Answer, BatchOracle, Objects, Oracle, OracleFailure, Precision, Question, View};

/// An oracle whose answers can say something else than it says of itself: for functions, which say nothing of themselves.
pub struct WithPrecision<O>(pub Precision, pub O);

impl<O: Oracle> Oracle for WithPrecision<O> {
    fn precision(&self) -> Precision {
        self.0
    }

    fn view(&self, objects: &Objects<'_>) -> Result<View, OracleFailure> {
        self.1.view(objects)
    }

    fn answer(&self, question: &Question<'_>, view: &View, answer: &mut Answer) -> Result<(), OracleFailure> {
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
