//! Defaulting that is held to the laws: the sound one, or one with a fault.

use super::controls::{Faults, as_sent};
use super::fault::Defaulted;
use super::sites::{Setters, sites};
use crate::defaults::bare::Skeletons;
use crate::defaults::known::Last;
use crate::defaults::laws::Laws;
use crate::defaults::orders::is_sorted;
use crate::defaults::tried::{Orders, Sent};
use crate::defaults::untyped::untyped;
use crate::defaults::{LEVEL, Sources};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_harness::compare::{Comparator, Matter};
use takeover_harness::control::Controls;
use takeover_harness::error::FieldError;
use takeover_harness::form::{Defaulter, Form};
use takeover_harness::object::{Arena, FieldValidation, Node, from_bytes, to_value_with_empty};
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::rule::{Rule, RuleId};
use takeover_harness::schema::{Schema, TypeId};
use takeover_harness::subject::PairId;

/// What a server sets in objects of a type, and the faults that are planted in it.
pub struct Planted {
    schema: Arc<Schema>,
    root: TypeId,
    core: Arc<Core>,
}

/// What all engines share.
struct Core {
    sound: Arc<dyn Defaulter>,
    earlier: Vec<Box<dyn Defaulter>>,
    faults: Arc<Faults>,
    /// The fields by path pattern.
    by_path: BTreeMap<String, RuleId>,
    /// What else is worth trying: values on which defaults depend, and untyped JSON.
    beside: Vec<Rule>,
    laws: Laws,
    /// The results of the sound one.
    skeletons: Skeletons,
    last: Last,
}

impl Planted {
    /// The faults that objects of a type can show; `None` where no default is set.
    #[must_use]
    pub fn of(schema: &Arc<Schema>, root: TypeId, sources: Sources) -> Option<Self> {
        let Sources { code, markers, earlier, values, .. } = sources;
        let (code, markers): (Option<Arc<dyn Defaulter>>, _) = (code.map(Arc::from), markers.map(Arc::from));
        let in_turn: Vec<Arc<dyn Defaulter>> = code.iter().cloned().chain(markers).collect();
        let sound: Arc<dyn Defaulter> = Arc::new(InTurn(in_turn));
        let setters = Setters { whole: &*sound, code: code.as_deref(), values: &values };
        let (sites, deciding) = sites(setters, (schema, root));
        if sites.is_empty() {
            return None;
        }
        let by_path = sites.iter().filter(|site| !site.is_created());
        let by_path = by_path.map(|site| (site.marker.rule.path.clone(), site.marker.rule.id)).collect();
        let laws = Laws { first: sites.len(), validator: None, has_code: true };
        let untyped = untyped(schema, root);
        let faults = Faults::new(Arc::clone(&sound), sites, untyped.is_some(), |law| laws.id(law));
        let core = Core {
            earlier,
            faults: Arc::new(faults),
            by_path,
            beside: deciding.into_iter().chain(untyped).collect(),
            laws,
            skeletons: Skeletons::of(Some(Arc::clone(&sound)), None),
            last: Last::default(),
            sound,
        };
        Some(Self { schema: Arc::clone(schema), root, core: Arc::new(core) })
    }

    /// The faults.
    #[must_use]
    pub fn controls(&self) -> &dyn Controls {
        &*self.core.faults
    }

    /// Reports what is set, and what breaks a law: by sound defaulting, or with the fault at this place of the catalogue.
    #[must_use]
    pub fn engine(&self, fault: Option<usize>) -> Box<dyn Oracle> {
        Box::new(Engine { core: Arc::clone(&self.core), fault })
    }

    /// Sound defaulting on both sides.
    #[must_use]
    pub fn pair(&self, id: PairId) -> Pair {
        let form = Form {
            schema: Arc::clone(&self.schema),
            root: self.root,
            field_validation: FieldValidation::Warn,
            defaulter: None,
            strategy: None,
        };
        let sites = self.core.faults.sites().iter().map(|site| site.marker.rule.clone());
        let rules: Vec<Rule> = sites.chain(self.core.laws.rules()).collect();
        let mut baseline: Vec<Rule> = rules.iter().chain(&self.core.beside).cloned().collect();
        // No value is avoided beside another one: some faults show only where several fields take their defaults.
        baseline.iter_mut().flat_map(|rule| &mut rule.boundaries).for_each(|class| class.breaks = false);
        Pair {
            comparator: Comparator::Fields { origin: true },
            rules,
            baseline,
            matter: Matter::Defaults,
            ..Pair::new(id, form, self.engine(None), self.engine(None))
        }
    }
}

/// Defaulters one after another.
struct InTurn(Vec<Arc<dyn Defaulter>>);

impl Defaulter for InTurn {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        self.0.iter().fold(object, |object, defaulter| defaulter.apply(schema, root, object, arena))
    }
}

/// A defaulter with a fault.
struct Faulty {
    sound: Arc<dyn Defaulter>,
    faults: Arc<Faults>,
    fault: usize,
    /// The object as it was sent, for faults in nulls and zeros that decoding takes away.
    sent: Option<Value>,
}

impl Defaulter for Faulty {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let made = self.sound.apply(schema, root, object, arena);
        let [before, after] = [object, made].map(|node| to_value_with_empty(schema, root, &node));
        let is_unsorted = !is_sorted(&object);
        let object = Defaulted { before: &before, after: &after, sent: self.sent.as_ref(), is_unsorted };
        let Some(spoilt) = self.faults.spoilt(self.fault, schema, object) else { return made };
        from_bytes(schema, root, arena.alloc_str(&spoilt.to_string()).as_bytes(), arena).unwrap_or(made)
    }
}

/// Reports what is set, and what breaks a law.
struct Engine {
    core: Arc<Core>,
    fault: Option<usize>,
}

impl Oracle for Engine {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let Core { sound, faults, skeletons, last, .. } = &*self.core;
        let Some(fault) = self.fault else {
            return self.core.report((sound, sound), skeletons, last, question, answer);
        };
        let faulty = |sent| -> Arc<dyn Defaulter> {
            Arc::new(Faulty { sound: Arc::clone(sound), faults: Arc::clone(faults), fault, sent })
        };
        let (first, later) = (faulty(as_sent(&question.objects)), faulty(None));
        let skeletons = Skeletons::of(Some(Arc::clone(&later)), None);
        // Equal objects may have been sent otherwise, so nothing is kept.
        self.core.report((&first, &later), &skeletons, &Last::default(), question, answer)
    }
}

impl Core {
    /// Reports what a defaulter sets in the object of a request, and which laws it breaks. `later` is the same defaulter for all other
    /// objects.
    fn report(
        &self,
        (defaulter, later): (&Arc<dyn Defaulter>, &Arc<dyn Defaulter>),
        skeletons: &Skeletons,
        last: &Last,
        question: &Question<'_>,
        answer: &mut Answer,
    ) -> Result<(), OracleFailure> {
        let (objects, arena) = (&question.objects, Arena::new());
        self.laws.reach(answer);
        let known = last.known(objects, None);
        let (sent, orders) = (Sent::of(objects, known.sent(), None), Orders::new(&arena));
        let found = known.by_markers(&**defaulter, &sent)?;
        for row in found.rows.iter().filter(|row| row.is_set()) {
            let rule = self.by_path.get(&pattern(&row.field)).copied();
            answer.push(FieldError { rule, stability: Some(LEVEL), ..row.error(false) });
        }
        let tried = known.markers_tried((&**later, &self.earlier), found, &sent, &orders);
        self.laws.of_defaulting("defaulting", found, tried, answer);
        if let Some(bare) = known.bare(skeletons, &sent) {
            self.laws.of_dependence(found, bare, known.left_out(bare, found, &sent), answer);
        }
        Ok(())
    }
}
