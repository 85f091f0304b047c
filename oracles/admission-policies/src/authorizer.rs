//! Who may do what, by settings.

use takeover_cel::value::{Access, Authorizer, Decision};

/// Users who may do everything; there is no opinion on others.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Users with the reasons that are given.
    pub users: Vec<(String, String)>,
    /// The reason that is given for all others.
    pub otherwise: String,
}

impl Authorizer for Grants {
    fn decide(&self, question: &Access) -> Decision {
        match self.users.iter().find(|(user, _)| *user == question.user.name) {
            Some((_, reason)) => Decision { allowed: true, reason: reason.clone(), error: None },
            None => Decision { allowed: false, reason: self.otherwise.clone(), error: None },
        }
    }
}
