//! Makes pairs from what a plan asks for, in the same way for a run and for its workers.

use super::probe::probed;
use super::probing_progress::{Preparation, shown};
use crate::catalogue::PairCatalogue;
use crate::plan::{Isolation, JudgingPlan};
use crate::say::Say;
use crate::stop::Stop;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::side::Side;
use takeover_harness::subject::PairId;
use takeover_harness::text::nearest;
use takeover_harness::wiring::Unshown;
use takeover_oracles::registry::Registry;

/// The pairs of a plan. Where an oracle may end the process, none is there to be asked by accident.
///
/// # Errors
/// Returns an error when there are none of that name, their rules do not compile, or the types do not load, and
/// [`crate::stop::Stopped`] when somebody asks to stop meanwhile.
pub fn pairs(plan: &JudgingPlan, isolation: &Isolation) -> anyhow::Result<Vec<Pair>> {
    of_catalogue(plan, isolation, &plan.catalogue()?)
}

/// The same, after saying what the pairs of the plan will do to API servers.
///
/// # Errors
/// Returns the errors of [`pairs`], and an error when a server that they name cannot be asked.
pub fn announced_pairs(plan: &JudgingPlan, isolation: &Isolation, say: Say<'_>) -> anyhow::Result<Vec<Pair>> {
    let catalogue = plan.catalogue()?;
    announce_pairs(&catalogue, &plan.ids(&catalogue)?, say)?;
    of_catalogue(plan, isolation, &catalogue)
}

fn of_catalogue(plan: &JudgingPlan, isolation: &Isolation, catalogue: &PairCatalogue) -> anyhow::Result<Vec<Pair>> {
    let ids = plan.ids(catalogue)?;
    if let Isolation::Some(names) = isolation
        && let Some(unknown) = names.iter().find(|name| !ids.iter().any(|id| id.to_string() == **name))
    {
        let names: Vec<String> = ids.iter().flat_map(|id| [id.to_string(), id.subject.kind.clone()]).collect();
        let near = nearest(unknown, names.iter().map(String::as_str)).and_then(|near| {
            // A kind is named by the subject of it.
            ids.iter().map(PairId::to_string).find(|name| name == near || name.split(' ').nth(1) == Some(near))
        });
        let near = near.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
        anyhow::bail!("--isolate: no subject `{unknown}` in this run{near}; `takeover subjects` lists their names");
    }
    let one = |id: &PairId| {
        if !isolation.takes(id) {
            return one_pair(plan, catalogue, id);
        }
        let pair = sound_pair(plan, catalogue, id)?;
        let absent = |side| Box::new(OutOfProcess(pair.oracle(side).precision()));
        Ok(Pair { reference: absent(Side::Reference), candidate: absent(Side::Candidate), ..pair })
    };
    let count = ids.len() as u64;
    let mut pairs = Vec::new();
    for (number, id) in (1..).zip(&ids) {
        shown().prepared(Preparation::Oracles, number, count);
        pairs.push(one(id)?);
        Stop::check()?;
    }
    shown().done();
    mark_unshown(&mut pairs);
    Ok(pairs)
}

/// Says what the pairs of a plan will do to API servers, before they are made.
///
/// # Errors
/// Returns an error when there are no pairs of that name, or a server that they name cannot be asked.
pub fn announce(plan: &JudgingPlan, say: Say<'_>) -> anyhow::Result<()> {
    let catalogue = plan.catalogue()?;
    announce_pairs(&catalogue, &plan.ids(&catalogue)?, say)
}

/// Says what these pairs will do to API servers, before they are made.
///
/// # Errors
/// Returns an error when a server that they name cannot be asked.
pub fn announce_pairs(catalogue: &PairCatalogue, ids: &[PairId], say: Say<'_>) -> anyhow::Result<()> {
    for sentence in catalogue.intents(ids)? {
        say(&format!("note: {sentence}"));
    }
    Ok(())
}

/// A pair of a plan with its planted oracles, which has been probed.
///
/// # Errors
/// Returns the errors of [`JudgingPlan::sound_pair`], an error when what is to be planted would harm the machine, and
/// [`crate::stop::Stopped`] when somebody asks to stop meanwhile.
pub fn one_pair(plan: &JudgingPlan, catalogue: &PairCatalogue, id: &PairId) -> anyhow::Result<Pair> {
    plan.plants.iter().try_fold(sound_pair(plan, catalogue, id)?, |pair, plant| plant.in_pair(pair))
}

fn sound_pair(plan: &JudgingPlan, catalogue: &PairCatalogue, id: &PairId) -> anyhow::Result<Pair> {
    let pair = plan.sound_pair(catalogue, id)?;
    // What oracles tell beforehand is for the generator, but for those whose answers decide how they are compared.
    let decides = catalogue.may_refuse_without_fields(id) && pair.comparator.compares_errors();
    let open = catalogue.leaves_comparison_open(id) && decides;
    Ok(match catalogue.probing_cases(id).filter(|_| open || !plan.recorded_only) {
        Some(cases) if catalogue.has_crd(id) => {
            let cases = probed_of_size(cases, pair.form.schema.len());
            probed(pair, cases, open, shown())?
        }
        Some(cases) => probed(pair, cases, open, shown())?,
        None => pair,
    })
}

/// Schemas of CRDs up to this size are asked about with all cases.
const USUAL_TYPES: u64 = 500;
/// The least number of cases that a large schema is asked about with.
const LEAST_PROBED: u64 = 200;

/// How many of these cases the oracles of a CRD with so many types are asked about: each takes longer, the larger the schema is. The
/// number of cases of the run has no say, so that a longer run goes on where a shorter one ended.
fn probed_of_size(cases: u64, types: usize) -> u64 {
    let types = u64::try_from(types).unwrap_or(u64::MAX).max(USUAL_TYPES);
    (cases.saturating_mul(USUAL_TYPES) / types).clamp(LEAST_PROBED.min(cases), cases)
}

/// Notes at pairs why no server of the newest modelled release shows what their rules say. Beside pairs that do show, reports
/// keep these out of their headline figures; what is judged alone has the headline to itself.
pub fn mark_unshown(pairs: &mut [Pair]) {
    let obstacle = |pair: &Pair| {
        // A pair that is named after a release, or has no rules, is about something else.
        let usual = pair.id.name.is_empty() && !pair.rules.is_empty();
        usual.then(|| Registry::obstacle(&pair.id.subject)).flatten()
    };
    let apart = pairs.iter().any(|pair| obstacle(pair).is_none());
    for pair in pairs {
        pair.unshown = obstacle(pair).map(|because| Unshown { because, apart });
    }
}

/// Takes the place of an oracle that must not be asked here, because its subject is judged in worker processes only. It has the
/// same precision as the oracle.
struct OutOfProcess(Precision);

impl Oracle for OutOfProcess {
    fn precision(&self) -> Precision {
        self.0
    }

    fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
        Err(OracleFailure::new("this subject is judged in worker processes"))
    }
}

#[cfg(test)]
mod tests {
    use super::probed_of_size;

    #[test]
    fn large_schemas_are_asked_about_with_fewer_cases() {
        for (cases, types, asked) in
            [(4_000, 10, 4_000), (4_000, 500, 4_000), (4_000, 1_000, 2_000), (4_000, 100_000, 200), (0, 100_000, 0)]
        {
            assert_eq!(probed_of_size(cases, types), asked, "{types}");
        }
    }
}
