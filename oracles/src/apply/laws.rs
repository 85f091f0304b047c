//! The laws of one kind, and what is known of requests that were held against them.

use super::breach::{Breach, Held};
use super::builtin_type::BuiltinType;
use super::fault::Fault;
use super::machine::{Machine, Step};
use super::objects::{Sent, rename, sent};
use super::trial::Trial;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use takeover_apply::configuration::{Configurations, Root};
use takeover_apply::managed::ObjectType as _;
use takeover_apply::schema::Schema;
use takeover_harness::case::Options;
use takeover_harness::object::to_value;
use takeover_harness::oracle::{Objects, Oracle, Question};
use takeover_harness::rule::Law;

/// What the sound engine made of the objects of a request. An engine with a fault is compared with it step by step.
pub(super) struct Recorded {
    pub(super) sent: Sent,
    /// The options that the validator was asked with.
    options: Options,
    pub(super) steps: Vec<Step>,
    /// All that the request broke.
    held: Held,
    /// The laws that were broken, and where.
    pub(super) broken: BTreeSet<(Law, String)>,
}

impl Recorded {
    fn is_of(&self, question: &Question<'_>, sent: &Sent) -> bool {
        self.options == *question.options && self.sent == *sent
    }
}

/// The laws of one kind.
pub(super) struct Laws {
    kind: BuiltinType,
    configurations: Configurations,
    /// The validator, if there is one.
    validator: Option<Box<dyn Oracle>>,
    /// Results of the last requests: the laws may be checked twice, and faults are tried right after them.
    last: Mutex<VecDeque<Recorded>>,
}

/// How many requests are remembered: one for each of some threads.
const REMEMBERED: usize = 8;

impl Laws {
    pub(super) fn new(kind: BuiltinType, validator: Option<Box<dyn Oracle>>) -> Self {
        let (types, ty) = kind.types();
        let (api_version, name) = (kind.api_version().to_owned(), kind.kind().to_owned());
        let root = Root { api_version, kind: name, types, ty, merging: Some(kind.schema()), quoted: None };
        Self { configurations: Configurations::read(&[root]), kind, validator, last: Mutex::default() }
    }

    /// The kind that they are of.
    pub(super) fn kind(&self) -> &BuiltinType {
        &self.kind
    }

    /// The laws that can be tried.
    pub(super) fn tried(&self) -> impl Iterator<Item = Law> {
        let judges = self.validator.is_some();
        Law::OF_APPLY.into_iter().filter(move |law| judges || *law != Law::SameVerdict)
    }

    /// Holds the objects of a request against the laws.
    pub(super) fn hold(&self, question: &Question<'_>) -> Held {
        let sent = self.sent(question);
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().iter().find(|recorded| recorded.is_of(question, &sent)) {
            return known.held.clone();
        }
        let recorded = self.made(question, sent);
        let held = recorded.held.clone();
        let mut last = lock();
        last.truncate(REMEMBERED - 1);
        last.push_front(recorded);
        held
    }

    /// What the sound engine made of a request.
    pub(super) fn recorded(&self, question: &Question<'_>) -> Recorded {
        let sent = self.sent(question);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.iter().position(|recorded| recorded.is_of(question, &sent)).and_then(|at| last.remove(at));
        drop(last);
        known.unwrap_or_else(|| self.made(question, sent))
    }

    fn made(&self, question: &Question<'_>, sent: Sent) -> Recorded {
        let (held, steps) = self.tried_on(question, &sent, Machine::new(&self.kind, &self.configurations), None);
        let broken = held.breaches.iter().map(|breach| (breach.law, breach.field.clone())).collect();
        Recorded { sent, options: question.options.clone(), steps, held, broken }
    }

    /// What an engine with a fault breaks first of a request that the sound one does not break.
    pub(super) fn broken_by(
        &self,
        question: &Question<'_>,
        (fault, merging): &(Fault, Option<Schema>),
        recorded: &Recorded,
    ) -> Option<Breach> {
        // What Go does not read never gets to the engine.
        if recorded.steps.is_empty() {
            return None;
        }
        let (schema, root) = self.kind.schema();
        let Sent { new, old } = &recorded.sent;
        if ![Some(new), old.as_ref()].into_iter().flatten().any(|object| fault.may_show(schema, root, object)) {
            return None;
        }
        let machine =
            Machine::with_fault(&self.kind, &self.configurations, (*fault, merging.as_ref()), &recorded.steps);
        let (held, _) = self.tried_on(question, &recorded.sent, machine, Some(&recorded.broken));
        held.breaches.into_iter().find(|breach| !recorded.broken.contains(&(breach.law, breach.field.clone())))
    }

    fn tried_on(
        &self,
        question: &Question<'_>,
        sent: &Sent,
        machine: Machine<'_>,
        known: Option<&BTreeSet<(Law, String)>>,
    ) -> (Held, Vec<Step>) {
        match self.configurations.of_kind(self.kind.api_version(), self.kind.kind()) {
            Some(of) => Trial::new((&self.kind, self.validator.as_deref()), question, machine, known).request(of, sent),
            None => (Held { tried: BTreeSet::new(), breaches: Vec::new() }, Vec::new()),
        }
    }

    fn sent(&self, question: &Question<'_>) -> Sent {
        let Objects { schema, root, new, old, .. } = question.objects;
        let sent = |node| sent(&self.kind, to_value(schema, root, node));
        let (mut new, old) = (sent(&new), old.as_ref().map(sent));
        if let Some(old) = &old {
            rename(&mut new, old);
        }
        Sent { new, old }
    }
}
