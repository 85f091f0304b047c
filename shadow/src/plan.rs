//! What a server compares from its start to its end.

use crate::Mode;
use takeover_harness::authority::Policy;
use takeover_harness::compare::{Candidates, Matcher, Semantics};
use takeover_harness::subject::{Subject, SubjectId};

/// What a server compares, and how. Does not change while it runs.
pub struct ShadowPlan {
    /// What judges.
    pub subjects: Vec<Subject>,
    /// Whose comparison algorithm.
    pub semantics: Semantics,
    /// Which declarative errors take part.
    pub candidates: Candidates,
    /// Who is returned to the user, where answers depend on it; and which gates the metrics show.
    pub authority: Policy,
    /// What answers depend on.
    pub mode: Mode,
    /// Name of this replica among those of the deployment.
    pub replica: String,
    /// Tells this start of the server from all others.
    pub origin: u64,
}

impl ShadowPlan {
    /// How the errors of one of the subjects are compared.
    #[must_use]
    pub fn matcher<'s>(&self, subject: &'s Subject) -> Matcher<'s> {
        Matcher::of(&subject.matching, self.semantics).candidates(self.candidates)
    }

    /// The names of the subjects.
    #[must_use]
    pub fn ids(&self) -> Vec<SubjectId> {
        self.subjects.iter().map(|subject| subject.id.clone()).collect()
    }

    /// The index of a subject.
    #[must_use]
    pub fn find(&self, id: &SubjectId) -> Option<usize> {
        self.subjects.iter().position(|subject| subject.id == *id)
    }
}
