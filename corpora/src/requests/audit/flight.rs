//! Requests that began and have not ended as far as the log shows.

use super::event::{Key, LONGEST};
use std::collections::{BTreeMap, HashMap};
use takeover_harness::case::Provenance;

/// Most requests that are remembered as under way.
const MOST: usize = 10_000;

/// Writes under way. One whose end never comes may have changed its object until the longest time of a request is over.
#[derive(Debug, Default)]
pub(super) struct Flight {
    /// By time of arrival and id.
    open: BTreeMap<Began, Write>,
    /// How many of them are about an object.
    about: HashMap<Key, Vec<Began>>,
}

/// Arrival and audit id: what tells requests apart whose clients chose the same id.
pub(super) type Began = (i64, String);

/// A write under way.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) key: Key,
    /// For people.
    pub(super) request: String,
    pub(super) provenance: Provenance,
}

impl Flight {
    /// A request begins. When there are too many, the oldest is given up and answered.
    pub(super) fn begin(&mut self, began: Began, write: Write) -> Option<(Began, Write)> {
        self.about.entry(write.key.clone()).or_default().push(began.clone());
        self.open.insert(began, write);
        if self.open.len() > MOST { self.give_up() } else { None }
    }

    /// A request ends; whether its beginning was seen.
    pub(super) fn end(&mut self, began: &Began) -> bool {
        self.remove(began).is_some()
    }

    /// Whether another write on the object was under way, or may have been, since `since`.
    pub(super) fn disturbs(&self, key: &Key, since: i64) -> Option<i64> {
        let arrivals = self.about.get(key)?.iter().map(|(received, _)| *received);
        arrivals.filter(|received| since <= received + LONGEST).max()
    }

    /// The oldest request that nothing more can come of at the time `now`.
    pub(super) fn lost(&mut self, now: i64) -> Option<(Began, Write)> {
        let (received, _) = self.open.keys().next()?;
        if received + 2 * LONGEST < now { self.give_up() } else { None }
    }

    /// The oldest request, whatever the time.
    pub(super) fn give_up(&mut self) -> Option<(Began, Write)> {
        let began = self.open.keys().next()?.clone();
        self.remove(&began).map(|write| (began, write))
    }

    fn remove(&mut self, began: &Began) -> Option<Write> {
        let write = self.open.remove(began)?;
        if let Some(others) = self.about.get_mut(&write.key) {
            others.retain(|other| other != began);
            if others.is_empty() {
                self.about.remove(&write.key);
            }
        }
        Some(write)
    }
}
