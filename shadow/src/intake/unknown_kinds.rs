//! Kinds that are no subject, in bounded memory whatever is sent.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use takeover_harness::subject::SubjectId;

/// What they are counted under begins with this.
const PREFIX: &str = "no subject of this server: ";

/// Most kinds that are counted under their own names.
const MOST: usize = 50;

/// Longest name, in bytes.
const LONGEST: usize = 256;

/// Kinds that are counted under their own names: the first that came, over all threads and the whole time.
#[derive(Default)]
pub struct UnknownKinds(Mutex<BTreeSet<String>>);

impl UnknownKinds {
    /// Takes over what an earlier server counted under these reasons.
    pub(crate) fn go_on<'r>(&self, reasons: impl Iterator<Item = &'r String>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(reasons.filter(|reason| reason.starts_with(PREFIX)).cloned());
    }

    /// What a case of this kind is counted under.
    pub(crate) fn reason(&self, id: &SubjectId) -> String {
        let own = format!("{PREFIX}{id}");
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&own) {
            return own;
        }
        if known.len() >= MOST || own.len() > LONGEST {
            return format!("{PREFIX}other kinds");
        }
        known.insert(own.clone());
        own
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, UnknownKinds};
    use std::collections::BTreeSet;
    use takeover_harness::subject::SubjectId;

    #[test]
    fn so_many_kinds_have_names_and_all_others_share_one_across_restarts() {
        let unknown = UnknownKinds::default();
        let id = |number: usize| SubjectId::new("v1", format!("Kind{number}"));
        let long = unknown.reason(&SubjectId::new("v1", "K".repeat(1000)));
        assert_eq!(long, "no subject of this server: other kinds");
        let reasons: BTreeSet<String> = (0..1000).map(|number| unknown.reason(&id(number))).collect();
        assert_eq!(reasons.len(), MOST + 1);
        assert_eq!(unknown.reason(&id(7)), "no subject of this server: v1 Kind7");
        let next = UnknownKinds::default();
        next.go_on(reasons.iter().chain([&"delete".to_owned()]));
        assert_eq!(next.reason(&id(1001)), long);
        assert_eq!(next.reason(&id(7)), "no subject of this server: v1 Kind7");
    }
}
