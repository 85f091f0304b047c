//! The faults of all fields, and which cases show them.

use super::fault::{Defaulted, Fault};
use super::sites::Site;
use crate::defaults::orders::{is_ordered, is_sorted};
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::control::{Control, Controls, Exposure};
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, to_value_with_empty};
use takeover_harness::oracle::{Answer, Objects, Question, View};
use takeover_harness::rule::{Law, RuleId};
use takeover_harness::schema::Schema;
use takeover_harness::side::Side;

/// The faults of what a defaulter sets.
pub(super) struct Faults {
    sound: Arc<dyn Defaulter>,
    sites: Vec<Site>,
    /// Each with the number of its field.
    planted: Vec<(Fault, usize)>,
    catalogue: Vec<Control>,
}

impl Faults {
    /// The faults that fit. `has_json` says whether objects hold JSON of no known type, `number` is the rule of a law.
    pub(super) fn new(
        sound: Arc<dyn Defaulter>,
        sites: Vec<Site>,
        has_json: bool,
        number: impl Fn(Law) -> Option<RuleId>,
    ) -> Self {
        let (mut planted, mut catalogue) = (Vec::new(), Vec::new());
        for (at, Site { marker, .. }) in sites.iter().enumerate() {
            for fault in Fault::ALL.into_iter().filter(|fault| sites.get(at).is_some_and(|of| fault.fits(of, has_json)))
            {
                planted.push((fault, at));
                catalogue.push(Control {
                    rule: fault.law().and_then(&number).unwrap_or(marker.rule.id),
                    side: Side::Candidate,
                    name: format!("{}: {}", marker.rule.path, fault.name()),
                    equivalent: None,
                });
            }
        }
        Self { sound, sites, planted, catalogue }
    }

    /// The fields.
    pub(super) fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// What a faulty defaulter makes of an object, by the place of the fault in the catalogue; `None` if the sound one makes the same.
    pub(super) fn spoilt(&self, at: usize, schema: &Schema, object: Defaulted<'_>) -> Option<Value> {
        let (fault, site) = self.planted.get(at)?;
        fault.spoilt(self.sites.get(*site)?, schema, object)
    }
}

/// The object of a request as it was sent.
pub(super) fn as_sent(objects: &Objects<'_>) -> Option<Value> {
    objects.sent.and_then(|sent| sent.new.to_value().ok())
}

impl Controls for Faults {
    fn catalogue(&self) -> &[Control] {
        &self.catalogue
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(self.planted.len(), self.planted.len())
    }

    fn judge(&self, question: &Question<'_>, _: &View<'_>, _: &Answer, exposure: &mut Exposure) {
        let objects = &question.objects;
        let (schema, root, arena) = (objects.schema, objects.root, Arena::new());
        let once = self.sound.apply(schema, root, objects.new, &arena);
        let twice = self.sound.apply(schema, root, once, &arena);
        let [before, after, again] = [objects.new, once, twice].map(|node| to_value_with_empty(schema, root, &node));
        let sent = as_sent(objects);
        let is_unsorted = !is_sorted(&objects.new);
        let reordered = Defaulted { before: &before, after: &after, sent: None, is_unsorted: is_ordered(&objects.new) };
        let first = Defaulted { before: &before, after: &after, sent: sent.as_ref(), is_unsorted };
        let second = Defaulted { before: &after, after: &again, sent: None, is_unsorted };
        exposure.watch(|at, exposed| {
            let in_first = self.spoilt(at, schema, first).is_some();
            let is_exposed = match self.planted.get(at) {
                // Where the default is sent, it is changed at once, and not when it is applied again.
                Some((Fault::ChangesAgain, _)) => !in_first && self.spoilt(at, schema, second).is_some(),
                // Objects are defaulted in other orders of their fields, too.
                Some((Fault::Unordered, _)) => self.spoilt(at, schema, reordered).is_some(),
                _ => in_first,
            };
            if is_exposed {
                exposed.insert(at);
            }
            !is_exposed
        });
    }
}
