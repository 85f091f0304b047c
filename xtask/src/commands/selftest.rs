//! `cargo xtask selftest`: would this program notice?

use super::Format;
use crate::exit_code::{Exit, codes};
use crate::output;
use crate::progress::Steps;
use crate::selftest::{
    Divergences, FAKES, FoundFault, OfApply, OfDefaults, OfKind, OfPolicies, Sound, Tally, kinds_of,
};
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use takeover_engine::config::Config;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_harness::text::{grouped, plural};
use takeover_oracles::registry::Registry;
use takeover_oracles::{apply, defaults};

/// Most faults of a sort that are printed; the JSON form has all.
const MOST_PRINTED: usize = 12;

/// Cases to generate per subject and seed.
const DEFAULT_CASES: u64 = 6_000;

/// Most cases to generate for applies: a few hundred show every fault.
const MOST_CASES_OF_APPLY: u64 = 3_000;

/// The largest share of planted faults that may go without a case that shows them.
const MOST_UNSHOWN: f64 = 0.01;

/// The largest share in the defaults of one kind: some faults show only beside a field that has no default.
const MOST_UNSHOWN_OF_DEFAULTS: f64 = 0.02;

/// The largest share in CRDs and policies, where one constraint may imply another.
const MOST_UNSHOWN_OF_CRDS: f64 = 0.03;

/// How many oracles misbehave at a time: most of these runs wait until a case times out.
const FAKES_AT_A_TIME: usize = 2;

/// Checks the checker: plants faults and makes sure that every one is detected.
///
/// A validator compared with itself must agree, every planted fault must be found and attributed to its rule, and oracles that
/// lie, panic, hang, flood the run with errors or end their process must be reported.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask selftest",
    "cargo xtask selftest --seeds 5",
    "cargo xtask selftest --kind 'v1 Service#apply' --no-fakes",
    "cargo xtask selftest --kind 'v1 Service#defaults' --no-fakes",
    "cargo xtask selftest --kind ResourceClaim --cases 20000",
    "cargo xtask selftest --no-fakes --format json",
    "cargo xtask selftest --crd widgets.yaml --cases 20000",
    "cargo xtask selftest --policy policies.yaml --crd widgets.yaml",
], codes::SELFTEST))]
pub struct Selftest {
    /// Plant faults only in this kind or subject, in server-side apply of it (`v1 Service#apply`), or in its defaults (`v1
    /// Service#defaults`); overrides `[subjects]` [default: what `[subjects]` in takeover.toml selects, or else every subject, `v1
    /// Service#apply` and `v1 Service#defaults`].
    #[arg(long)]
    kind: Option<String>,
    /// Plant faults in the constraints, CEL rules and defaults of these CRDs instead, and leave out the misbehaving oracles; may be
    /// repeated.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    crd: Vec<PathBuf>,
    /// Plant faults in the validations and match conditions of ValidatingAdmissionPolicies instead. These files contain the policies with
    /// their bindings, params and namespaces; --crd declares custom kinds, and --kind selects from these or the built-in ones. May be
    /// repeated.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    policy: Vec<PathBuf>,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Cases to generate per subject and seed.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CASES)]
    cases: u64,
    /// Seed of the generated cases.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of seeds, counted up from `--seed`; every fault is planted once per seed.
    #[arg(long, value_name = "N", default_value = "1")]
    seeds: NonZeroU64,
    /// Leave out the misbehaving oracles, which need a process each.
    #[arg(long)]
    no_fakes: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Selftest {
    /// Runs the checks.
    ///
    /// # Errors
    /// When there is no such kind, or a folder for the runs cannot be made.
    pub fn run(self) -> anyhow::Result<Exit> {
        if !self.policy.is_empty() {
            return self.policies();
        }
        if !self.crd.is_empty() {
            anyhow::ensure!(
                self.kind.is_none(),
                "--kind does not work with --crd: pass only the CRD files that you want to test"
            );
            return self.crds();
        }
        let registry = Registry::of_builtin()?;
        let config = Config::load(self.config.as_deref())?;
        let Chosen { ids, applied, defaulted } = self.chosen(&registry, &config)?;
        let mut tally = self.each(&ids, &|id, seed| Ok(Divergences::of(&registry, id)?.run(self.cases, seed)))?;
        tally.merge(
            self.each(&applied, &|id, seed| {
                OfApply::of(&registry, id)?.run(self.cases.min(MOST_CASES_OF_APPLY), seed)
            })?,
        );
        tally.merge(self.each(&defaulted, &|id, seed| Ok(OfDefaults::of(&registry, id)?.run(self.cases, seed)))?);
        let fakes = if self.no_fakes { Vec::new() } else { fakes()? };
        let count = ids.len() + applied.len() + defaulted.len();
        let most = if count == defaulted.len() { MOST_UNSHOWN_OF_DEFAULTS } else { MOST_UNSHOWN };
        self.print(count, "subject", &Found { tally, fakes, ..Found::default() }, most)
    }

    /// The subjects that `--kind` or the settings select.
    fn chosen(&self, registry: &Registry, config: &Config) -> anyhow::Result<Chosen> {
        if let Some(kind) = &self.kind {
            let Some((kind, name)) = kind.split_once('#') else {
                return Ok(Chosen { ids: registry.find(kind)?, ..Chosen::default() });
            };
            let known = registry.transformed(name).unwrap_or_default();
            let ids: Vec<SubjectId> = known.into_iter().filter(|id| id.is_called(kind)).collect();
            return match name {
                _ if ids.is_empty() => anyhow::bail!(
                    "no built-in pair `{kind}#{name}` in which faults can be planted; `takeover subjects` lists the known kinds"
                ),
                defaults::NAME => Ok(Chosen { defaulted: ids, ..Chosen::default() }),
                _ => Ok(Chosen { applied: ids, ..Chosen::default() }),
            };
        }
        let Some(pairs) = config.chosen_builtin_pairs()? else {
            let service = vec![SubjectId::new("v1", "Service")];
            return Ok(Chosen { ids: registry.subjects().collect(), applied: service.clone(), defaulted: service });
        };
        let mut chosen = Chosen::default();
        let mut others = BTreeSet::new();
        for PairId { subject, name } in pairs {
            match name.as_str() {
                apply::NAME => chosen.applied.push(subject),
                defaults::NAME => chosen.defaulted.push(subject),
                _ => _ = others.insert(subject),
            }
        }
        chosen.ids = registry.subjects().filter(|id| others.contains(id)).collect();
        Ok(chosen)
    }

    /// Plants the faults of each subject with each seed.
    fn each(
        &self,
        ids: &[SubjectId],
        run: &(dyn Fn(&SubjectId, u64) -> anyhow::Result<Tally> + Sync),
    ) -> anyhow::Result<Tally> {
        let work: Vec<_> = ids.iter().flat_map(|id| self.each_seed().map(move |seed| (id, seed))).collect();
        if work.is_empty() {
            return Ok(Tally::default());
        }
        let tallies = in_parallel(processors(), work.len(), "subject", &|at| match work.get(at) {
            Some((id, seed)) => run(id, *seed),
            None => Ok(Tally::default()),
        })?;
        Ok(sum(tallies))
    }

    /// Plants faults in each kind of the CRDs.
    fn crds(&self) -> anyhow::Result<Exit> {
        let files = kinds_of(&self.crd)?;
        let kinds = files.kinds.iter().map(OfKind::of).collect::<anyhow::Result<Vec<_>>>()?;
        let work: Vec<(usize, u64)> =
            (0..kinds.len()).flat_map(|at| self.each_seed().map(move |seed| (at, seed))).collect();
        let tallies = in_parallel(processors(), work.len(), "kind", &|at| {
            let of_kind = work.get(at).and_then(|(at, seed)| Some(kinds.get(*at)?.run(self.cases, *seed)));
            Ok(of_kind.unwrap_or_default())
        })?;
        let mut rows: Vec<(String, Tally)> = kinds.iter().map(|kind| (kind.name(), Tally::default())).collect();
        for ((at, _), tally) in work.iter().zip(&tallies) {
            if let Some((_, row)) = rows.get_mut(*at) {
                row.merge(tally.clone());
            }
        }
        let found = Found { tally: sum(tallies), rows, rejected: files.rejected, ..Found::default() };
        self.print(kinds.len(), "kind", &found, MOST_UNSHOWN_OF_CRDS)
    }

    /// Plants faults in policies, for each kind that they apply to.
    fn policies(&self) -> anyhow::Result<Exit> {
        let crd = match self.crd.as_slice() {
            [] => None,
            [one] => Some(one.as_path()),
            _ => anyhow::bail!("--policy takes one --crd, a file or folder"),
        };
        let kinds = OfPolicies::of(&self.policy, crd, self.kind.as_deref())?;
        let work: Vec<_> = kinds.iter().flat_map(|kind| self.each_seed().map(move |seed| (kind, seed))).collect();
        let tallies = in_parallel(processors(), work.len(), "kind", &|at| match work.get(at) {
            Some((kind, seed)) => kind.run(self.cases, *seed),
            None => Ok(Tally::default()),
        })?;
        self.print(kinds.len(), "kind", &Found { tally: sum(tallies), ..Found::default() }, MOST_UNSHOWN_OF_CRDS)
    }

    /// The seeds with which faults are planted.
    fn each_seed(&self) -> impl Iterator<Item = u64> + Clone + use<> {
        let first = self.seed;
        (0..self.seeds.get()).map(move |nth| first.wrapping_add(nth))
    }

    fn print(&self, count: usize, noun: &str, found: &Found, most: f64) -> anyhow::Result<Exit> {
        let Found { tally, fakes, .. } = found;
        // Few cases show little; the limit is for the usual number.
        let enough = self.cases < DEFAULT_CASES || tally.share_unshown() < most;
        let seeing = tally.disagreed == 0 && tally.unseen.is_empty() && enough;
        let sound = seeing && fakes.iter().all(|(_, fault)| fault.is_none());
        match self.format {
            Format::Table => {
                let compared = match self.seeds.get() {
                    1 => format!("{} of {}", plural(tally.same, "case"), plural(count as u64, noun)),
                    seeds => format!(
                        "{} of {} and {}",
                        plural(tally.same, "case"),
                        plural(count as u64, noun),
                        plural(seeds, "seed")
                    ),
                };
                let lists_found = self.kind.as_ref().is_some_and(|kind| kind.contains('#'));
                output::print(&text(&compared, found, lists_found, sound, most))?;
            }
            Format::Json => output::print_json(&json!({
                "subjects": count,
                "seeds": self.seeds,
                "comparedWithItself": { "cases": tally.same, "disagreed": tally.disagreed },
                "plantedFaults": {
                    "telling": tally.telling,
                    "outOfReach": tally.out_of_reach,
                    "attributed": tally.attributed,
                    "foundElsewhere": tally.elsewhere,
                    "found": tally.found,
                    "unseen": tally.unseen,
                    "shownByNoCase": tally.unshown,
                    "shareShownByNoCase": tally.share_unshown(),
                },
                "kinds": found.rows.iter().map(|(kind, tally)| json!({
                    "kind": kind,
                    "telling": tally.telling,
                    "exposed": tally.exposed(),
                    "unseen": tally.unseen.len(),
                    "shownByNoCase": tally.survivors(),
                })).collect::<Vec<_>>(),
                "rejected": found.rejected,
                "fakes": fakes.iter().map(|(name, fault)| json!({ "name": name, "fault": fault })).collect::<Vec<_>>(),
                "sound": sound,
            }))?,
        }
        Ok(match (sound, tally.same) {
            (false, _) => Exit::SelfCheck,
            (true, 0) => Exit::NothingCompared,
            (true, _) => Exit::Ready,
        })
    }
}

/// The subjects in which faults are planted.
#[derive(Default)]
struct Chosen {
    /// Those whose validation is judged.
    ids: Vec<SubjectId>,
    /// Those to which objects are applied.
    applied: Vec<SubjectId>,
    /// Those whose objects are defaulted.
    defaulted: Vec<SubjectId>,
}

/// What came of all faults.
#[derive(Default)]
struct Found {
    tally: Tally,
    /// The same by kind, for CRDs.
    rows: Vec<(String, Tally)>,
    /// CRDs that a server rejects, and why.
    rejected: Vec<String>,
    /// Every misbehaving oracle, and what was wrong with how it was reported.
    fakes: Vec<(&'static str, Option<String>)>,
}

/// The result of each piece of work, done on so many threads.
fn in_parallel<T: Send>(
    threads: usize,
    count: usize,
    noun: &str,
    one: &(dyn Fn(usize) -> anyhow::Result<T> + Sync),
) -> anyhow::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let steps = Steps::new(count as u64, noun);
    let worker = || -> anyhow::Result<Vec<(usize, T)>> {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return Ok(done);
            }
            done.push((at, one(at)?));
            steps.step();
        }
    };
    let mut done = std::thread::scope(|scope| -> anyhow::Result<Vec<(usize, T)>> {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let mut done = Vec::new();
        for worker in workers {
            done.extend(worker.join().map_err(|_| anyhow::anyhow!("a thread of the self-test panicked"))??);
        }
        Ok(done)
    })?;
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

fn sum(tallies: Vec<Tally>) -> Tally {
    let mut sum = Tally::default();
    tallies.into_iter().for_each(|tally| sum.merge(tally));
    sum
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Every misbehaving oracle, and what was wrong with how it was reported.
fn fakes() -> anyhow::Result<Vec<(&'static str, Option<String>)>> {
    let folder = tempfile::tempdir()?;
    let sound = Sound::observe(folder.path())?;
    in_parallel(FAKES_AT_A_TIME, FAKES.len(), "misbehaving oracle", &|at| {
        let fake = FAKES.get(at).ok_or_else(|| anyhow::anyhow!("there is no such oracle"))?;
        Ok((fake.name, fake.check(&sound).err().map(|fault| format!("{fault:#}"))))
    })
}

/// A share, with what it has to stay below.
fn percent(share: f64, most: f64) -> String {
    format!("{:.2} %, limit {:.0} %", share * 100.0, most * 100.0)
}

fn text(compared: &str, found: &Found, lists_found: bool, sound: bool, most: f64) -> String {
    let mut text = String::new();
    let Found { tally, rows, rejected, fakes } = found;
    for refusal in rejected {
        let _ = writeln!(text, "left out, a server rejects it: {refusal}");
    }
    for (kind, of_kind) in rows.iter().filter(|_| rows.len() > 1) {
        let (exposed, telling) = (grouped(of_kind.exposed()), plural(of_kind.telling, "fault"));
        let _ = writeln!(text, "{kind}: {exposed} of {telling} found");
    }
    let _ = writeln!(text, "validators compared with themselves: {compared}, {} disagree", grouped(tally.disagreed));
    let _ = writeln!(
        text,
        "planted faults: {} can be told from their rule ({} more cannot, as no request brings their rules a value); {} found and attributed \
         to the rule, {} found at rules that it stops or steers, {} not found although a case shows them, {} shown by no case ({})",
        grouped(tally.telling),
        grouped(tally.out_of_reach),
        grouped(tally.attributed),
        grouped(tally.elsewhere),
        grouped(tally.unseen.len() as u64),
        grouped(tally.survivors()),
        percent(tally.share_unshown(), most)
    );
    // Those of one pair are worth reading.
    for FoundFault { fault, found } in tally.found.iter().take(if lists_found { MOST_PRINTED } else { 0 }) {
        let _ = writeln!(text, "  found: {fault}: {found}");
    }
    for unseen in tally.unseen.iter().take(MOST_PRINTED) {
        let _ = writeln!(text, "  not found: {unseen}");
    }
    for (name, count) in tally.unshown.iter().take(MOST_PRINTED) {
        let _ = writeln!(text, "  shown by no case: {} × {name}", grouped(*count));
    }
    let listed = [if lists_found { tally.found.len() } else { 0 }, tally.unseen.len(), tally.unshown.len()];
    if listed.iter().any(|count| *count > MOST_PRINTED) {
        let _ = writeln!(text, "  --format json lists all {}", grouped(listed.iter().sum::<usize>() as u64));
    }
    for (name, fault) in fakes {
        let verdict = fault.as_deref().unwrap_or("reported, and other subjects are as ever");
        let _ = writeln!(text, "oracle that misbehaves by `{name}`: {verdict}");
    }
    let _ = writeln!(
        text,
        "{}",
        if sound && tally.same == 0 {
            "nothing was compared, so nothing is proven"
        } else if sound {
            "this program notices"
        } else {
            "this program does not notice everything: do not trust its results"
        }
    );
    output::printable(&text)
}
