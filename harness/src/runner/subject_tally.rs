//! What each judge's cases add up to.

use super::controls::{Fates, JudgeControls, Seen, record_classes};
use super::input::Shown;
use crate::case::{Case, Operation};
use crate::evidence::{CasePlace, PairEvidence};
use crate::judge::{CaseRecord, Judge, Judgement};
use crate::metrics::IdentifierMetrics;
use crate::pair::Prepared;
use crate::side::Side;
use std::time::Duration;

/// Told which judge is at work on the calling thread, and none when it rests: at least once a chunk.
pub type Watch<'w> = dyn Fn(Option<usize>) + Sync + 'w;

/// The judges, and where the cases of each are counted.
pub(super) struct SubjectTallies<'t> {
    /// The judges.
    pub judges: &'t [Judge<'t>],
    /// By judge: its evidence.
    pub evidence: Vec<PairEvidence>,
    /// By judge: its metrics, those of creates first; none to leave them out.
    pub metrics: &'t [[IdentifierMetrics; 2]],
    controls: &'t [JudgeControls<'t>],
    seen: Vec<Seen>,
    watch: Option<&'t Watch<'t>>,
    watched: Option<usize>,
}

impl<'t> SubjectTallies<'t> {
    pub(super) fn new(
        judges: &'t [Judge<'t>],
        controls: &'t [JudgeControls<'t>],
        metrics: &'t [[IdentifierMetrics; 2]],
        watch: Option<&'t Watch<'t>>,
    ) -> Self {
        let seen = controls.iter().map(JudgeControls::begin).collect();
        let evidence = no_evidence(judges, controls).collect();
        Self { judges, evidence, metrics, controls, seen, watch, watched: None }
    }

    /// Where the cases of a judge are counted, which goes to work now.
    pub(super) fn begin(&mut self, subject: usize) -> Option<SubjectTally<'_, 't>> {
        let (judge, evidence) = (self.judges.get(subject)?, self.evidence.get_mut(subject)?);
        if let Some(watch) = self.watch
            && self.watched != Some(subject)
        {
            watch(Some(subject));
            self.watched = Some(subject);
        }
        let controls = self.controls.get(subject).zip(self.seen.get_mut(subject));
        Some(SubjectTally { judge, controls, metrics: self.metrics.get(subject), evidence })
    }

    /// Tells the watch that the judges rest.
    pub(super) fn rest(&mut self) {
        if let Some(watch) = self.watch
            && self.watched.take().is_some()
        {
            watch(None);
        }
    }
}

/// Evidence of no cases for every judge.
pub(super) fn no_evidence<'e>(
    judges: &'e [Judge<'e>],
    controls: &'e [JudgeControls<'e>],
) -> impl Iterator<Item = PairEvidence> + 'e {
    judges.iter().enumerate().map(|(index, judge)| {
        let none = PairEvidence::of(judge);
        match controls.get(index) {
            Some(controls) => none.with_controls(controls.catalogue()),
            None => none,
        }
    })
}

/// Where the cases of one judge are counted.
pub(super) struct SubjectTally<'c, 't> {
    /// The judge.
    pub judge: &'t Judge<'t>,
    controls: Option<(&'t JudgeControls<'t>, &'c mut Seen)>,
    metrics: Option<&'t [IdentifierMetrics; 2]>,
    evidence: &'c mut PairEvidence,
}

impl SubjectTally<'_, '_> {
    /// Whether the oracles are timed on this case: on one case a chunk.
    pub(super) fn times(&self, place: CasePlace) -> bool {
        self.metrics.is_some() && place.index == 0
    }

    /// Looks at a case that was just compared: which controls it exposes, and what became of the values it was made to show.
    pub(super) fn look(&mut self, shows: &[Shown], prepared: &Prepared<'_>, record: &CaseRecord) -> Fates {
        if let Some((controls, seen)) = &mut self.controls {
            controls.case(self.judge, prepared, record, seen);
        }
        Fates::of(shows, &self.judge.pair().rules, &prepared.question.objects, prepared.sent.object())
    }

    /// Counts a case that was just judged and looked at.
    pub(super) fn count(
        &mut self,
        place: CasePlace,
        case: &Case,
        shows: &[Shown],
        fates: &Fates,
        verdict: &Judgement,
        record: &CaseRecord,
    ) {
        self.evidence.record(place, case, verdict, record);
        if let Some((controls, seen)) = &mut self.controls {
            controls.record(place, seen, self.evidence);
        }
        let Judgement::Compared(_) = verdict else { return };
        record_classes(self.judge, case.operation, shows, fates, record, self.evidence);
        if let Some([create, update]) = self.metrics.filter(|_| self.times(place)) {
            let metrics = match case.operation {
                Operation::Create => create,
                Operation::Update => update,
            };
            for side in Side::ALL {
                match record.nanos(side) {
                    0 => {}
                    nanos => metrics.observe(side, Duration::from_nanos(nanos)),
                }
            }
        }
    }
}
