//! A server under load: started as its own process, sent reviews from this one, held to what it counted, and measured beside one that
//! only answers.

mod largest;
mod process;
mod table;

pub use largest::LARGEST;
pub use table::table;

use anyhow::Context as _;
use process::{Child, Watch};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use takeover_corpora::generate::{self, Generator};
use takeover_corpora::recorded::{accepted_objects, cases_of};
use takeover_harness::case::Case;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;
use takeover_reports::grouped;
use takeover_shadow::certificate::make;
use takeover_shadow::client::Client;
use takeover_shadow::load::{Exposition, Latency, Load, Pace, Reviews, Tally, Until, send, trusting};

/// Most cases of a subject that reviews are made of.
const CASES: usize = 512;

/// How long the server without comparison is measured, at most: it is there for a ratio.
const LONGEST_BASELINE: Duration = Duration::from_secs(30);

/// How long what is queued at the end may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What to do.
pub struct LoadPlan {
    /// What is sent: of this kind or subject. The server compares all.
    pub kind: String,
    /// Bytes of the objects in the reviews.
    pub bytes: usize,
    /// Whether these are the objects that cost most, instead of usual ones.
    pub largest: bool,
    /// What is sent.
    pub load: Load,
    /// Settings of the server [default: those of `shadow`].
    pub settings: Option<PathBuf>,
    /// Bytes of address space of each worker process; none if oracles run in the server.
    pub isolate: Option<u64>,
    /// Bytes of memory that the server may take; none for any number.
    pub memory: Option<u64>,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadReport {
    /// Mean length of a review, in bytes.
    pub review_bytes: usize,
    /// Connections.
    pub connections: usize,
    /// Reviews a second asked for; none where the next was sent as soon as the one before it was answered.
    pub rate: Option<f64>,
    /// The server that compares.
    pub shadow: Measured,
    /// The one that only answers.
    pub baseline: Measured,
    /// What the server counted.
    pub counted: Counted,
    /// Sums that are not what they should be. None, or the server or this program has a fault.
    pub unbalanced: Vec<String>,
}

/// What was measured of a server.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    /// Seconds from the first review to the last answer.
    pub seconds: f64,
    /// Reviews that were sent.
    pub sent: u64,
    /// Reviews that were due and could not be sent in time, all connections being busy.
    pub unsent: u64,
    /// Answers, right or wrong.
    pub answered: u64,
    /// Wrong and missing answers by what is wrong with them.
    pub failed: BTreeMap<String, u64>,
    /// Answers a second.
    pub per_second: f64,
    /// Microseconds from when a review was due to its answer.
    pub from_due: Latency,
    /// Microseconds from when a review was sent to its answer.
    pub from_sent: Latency,
    /// Processor time of the server's threads by their name, in microseconds a review.
    pub cpu: BTreeMap<String, f64>,
    /// Resident memory of the server and its worker processes; none where the system does not tell.
    pub memory: Option<Memory>,
}

/// Resident memory over time, in KiB.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    /// Lowest.
    pub lowest: u64,
    /// Highest.
    pub highest: u64,
    /// Mean of the second quarter of the time, when everything that is kept has been there once.
    pub second_quarter: u64,
    /// Mean of the last quarter.
    pub last_quarter: u64,
    /// Seconds between two of `curve`.
    pub every: f64,
    /// All that was seen.
    pub curve: Vec<u64>,
}

/// What the server counted, by its metrics.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    /// Reviews by outcome.
    pub requests: BTreeMap<String, u64>,
    /// Answers.
    pub answers: BTreeMap<String, u64>,
    /// Queued reviews by outcome.
    pub work: BTreeMap<String, u64>,
    /// Cases in the evidence.
    pub comparisons: u64,
    /// Reviews that waited when the last answer was there.
    pub queue_at_end: u64,
    /// Seconds until the last of them was compared.
    pub drained_in: f64,
}

impl LoadReport {
    /// Answers of the server as a share of those of the one that only answers.
    pub fn ratio(&self) -> f64 {
        self.shadow.per_second / self.baseline.per_second
    }

    /// Whether every answer was right and every sum is.
    pub fn is_sound(&self) -> bool {
        self.unbalanced.is_empty() && self.shadow.failed.is_empty() && self.baseline.failed.is_empty()
    }
}

/// Puts both servers under load, one after the other.
///
/// # Errors
/// When a server cannot be started or reached, or no case can be sent.
pub fn run(plan: &LoadPlan) -> anyhow::Result<LoadReport> {
    let cases = if plan.largest { largest::cases(plan.bytes) } else { cases(&plan.kind, plan.bytes)? };
    let folder = tempfile::tempdir().context("failed to create a folder for a certificate")?;
    let made = make(&["localhost".to_owned()])?;
    for (name, content) in [("tls.crt", &made.certificate), ("tls.key", &made.key)] {
        crate::shadow::write_private(&folder.path().join(name), content)?;
    }
    let tls = trusting(&made.authority)?;
    let reviews = |run| Reviews::of(&cases, run).context("no case can be sent");
    let measured = |child: &Child, run, load| -> anyhow::Result<Measured> {
        let watch = Watch::start(child.pid());
        let tally = send(child.webhook(), &tls, reviews(run)?, load)?;
        Ok(Measured::of(&tally, watch.end()))
    };

    let child = baseline(folder.path())?;
    let until = match plan.load.until {
        Until::Time(time) => Until::Time(time.min(LONGEST_BASELINE)),
        all @ Until::Reviews(_) => all,
    };
    let baseline = measured(&child, 0, Load { until, ..plan.load })?;
    drop(child);

    let child = shadow(folder.path(), plan)?;
    let before = child.metrics()?;
    let shadow = measured(&child, 1, plan.load)?;
    let counted = counted(&child, &before)?;
    let mut unbalanced = unbalanced(&shadow, &counted, plan.largest);
    if let (Some(most), Some(taken)) = (plan.memory, shadow.memory.as_ref().map(|memory| memory.highest)) {
        let taken = taken << 10;
        let more = format!("bytes of memory: {}, more than {}", grouped(taken), grouped(most));
        unbalanced.extend((taken > most).then_some(more));
    }
    child.end()?;
    let rate = match plan.load.pace {
        Pace::Rate(rate) => Some(rate),
        Pace::Unbounded => None,
    };
    let (review_bytes, connections) = (reviews(1)?.mean_bytes(), plan.load.connections);
    Ok(LoadReport { review_bytes, connections, rate, shadow, baseline, counted, unbalanced })
}

/// Creates and updates of the subjects, sound ones and such as break a rule, with objects of `bytes` bytes.
fn cases(kind: &str, bytes: usize) -> anyhow::Result<Vec<(SubjectId, Case<'static>)>> {
    let registry = Registry::of_builtin()?;
    let mut cases = Vec::new();
    for id in registry.find(kind)? {
        let pair = registry.pair(&id.into())?;
        let recorded = cases_of(&pair);
        let generator = Generator::of(&pair, accepted_objects(&pair, &recorded), 0);
        let number = usize::try_from(generator.systematic_len()).unwrap_or(usize::MAX);
        let systematic =
            (0..).flat_map(|chunk| generator.chunk(chunk, 0)).map(|made: generate::GeneratedCase| made.case);
        let all = recorded.iter().cloned().chain(systematic.take(number.min(CASES)));
        cases.extend(
            all.filter_map(|case| Some((pair.id.subject.clone(), takeover_engine::bench::padded(&case, bytes)?)))
                .take(CASES),
        );
    }
    anyhow::ensure!(!cases.is_empty(), "no case of `{kind}` fits {} bytes", grouped(bytes as u64));
    Ok(cases)
}

fn shadow(folder: &Path, plan: &LoadPlan) -> anyhow::Result<Child> {
    let settings = match &plan.settings {
        Some(file) => file.clone(),
        None => {
            let file = folder.join("shadow.toml");
            // Nobody has to see that it leaves.
            std::fs::write(&file, "[limits]\nleave-milliseconds = 0\n")
                .with_context(|| format!("failed to write `{}`", file.display()))?;
            file
        }
    };
    let mut arguments = vec!["shadow".into(), "--settings".into(), settings.into_os_string()];
    for address in ["--listen", "--pages"] {
        arguments.extend([address.into(), "127.0.0.1:0".into()]);
    }
    if let Some(memory) = plan.isolate {
        arguments.extend(["--isolate".into(), "--worker-memory".into(), memory.to_string().into()]);
    }
    Child::start(arguments, folder)
}

fn baseline(folder: &Path) -> anyhow::Result<Child> {
    Child::start(vec!["bench-baseline".into()], folder)
}

impl Child {
    fn metrics(&self) -> anyhow::Result<Exposition> {
        let pages = self.pages().context("the server has no pages")?;
        let answered = Client::new(format!("http://{pages}")).get("/metrics")?;
        Ok(Exposition::read(&String::from_utf8_lossy(&answered.body)))
    }
}

/// Waits until everything that is queued was compared, and says what was counted since `before`.
fn counted(child: &Child, before: &Exposition) -> anyhow::Result<Counted> {
    let begin = Instant::now();
    let now = || anyhow::Ok(child.metrics()?.since(before));
    let mut counters = now()?;
    let queue_at_end = counters.value("takeover_shadow_queue_length");
    let is_done = |counters: &Exposition| {
        counters.by_label("takeover_shadow_requests_total").get("queued").copied().unwrap_or_default()
            == counters.by_label("takeover_shadow_work_total").values().sum::<u64>()
    };
    while !is_done(&counters) && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
        counters = now()?;
    }
    let drained_in = begin.elapsed().as_secs_f64();
    // A page gathers evidence before it counts work: what was done in between is in the next one.
    counters = now()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counters are whole and not negative")]
    let whole = |value: f64| value as u64;
    Ok(Counted {
        requests: counters.by_label("takeover_shadow_requests_total"),
        answers: counters.by_label("takeover_shadow_answers_total"),
        work: counters.by_label("takeover_shadow_work_total"),
        comparisons: whole(counters.sum("takeover_comparisons_total")),
        queue_at_end: whole(queue_at_end),
        drained_in,
    })
}

/// Sums that are not what they should be: every review that was sent is counted exactly once at each stage.
fn unbalanced(shadow: &Measured, counted: &Counted, largest: bool) -> Vec<String> {
    let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
    let of = |counts: &BTreeMap<String, u64>, name: &str| counts.get(name).copied().unwrap_or_default();
    let requests = sum(&counted.requests);
    let mut unbalanced = Vec::new();
    let mut hold = |what: &str, is: u64, should: std::ops::RangeInclusive<u64>| {
        if !should.contains(&is) {
            let (low, high) = should.into_inner();
            let should = if low == high { low.to_string() } else { format!("{low} to {high}") };
            unbalanced.push(format!("{what}: {is}, not {should}"));
        }
    };
    // What got no answer may or may not have arrived.
    hold("reviews counted, out of those sent", requests, shadow.answered..=shadow.sent);
    hold("answers that allow", of(&counted.answers, "allowed"), requests..=requests);
    hold("all answers", sum(&counted.answers), requests..=requests);
    let queued = of(&counted.requests, "queued");
    hold("reviews judged, out of those queued", sum(&counted.work), queued..=queued);
    // Of the largest objects some may take too long or have too many values, and are counted as not compared; the latter belong to no
    // subject.
    let [given_up, unread] = ["hung", "unusable"].map(|name| if largest { of(&counted.work, name) } else { 0 });
    hold("reviews judged", of(&counted.work, "judged") + given_up + unread, queued..=queued);
    let cases = queued.saturating_sub(unread);
    hold("cases in the evidence", counted.comparisons, cases..=cases);
    let expected = ["queued", "queue_full", "no_room", "not_sampled", "switched_off", "too_large"];
    let expected = expected.iter().map(|outcome| of(&counted.requests, outcome)).sum();
    hold("reviews queued, dropped or not wanted", expected, requests..=requests);
    unbalanced
}

impl Measured {
    fn of(tally: &Tally, watched: process::Watched) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "numbers of reviews are far below 2^52")]
        let reviews = tally.answers().max(1) as f64;
        let cpu = watched.cpu.into_iter().map(|(thread, micros)| (thread, micros / reviews)).collect();
        Self {
            seconds: tally.took.as_secs_f64(),
            sent: tally.sent,
            unsent: tally.unsent,
            answered: tally.answers(),
            failed: tally.faults.clone(),
            per_second: tally.per_second(),
            from_due: tally.from_due(),
            from_sent: tally.from_sent(),
            cpu,
            memory: Memory::of(&watched.memory, watched.every)
                .map(|memory| Memory { highest: memory.highest.max(watched.highest.unwrap_or_default()), ..memory }),
        }
    }
}

impl Memory {
    fn of(curve: &[u64], every: Duration) -> Option<Self> {
        let quarter = |which: usize| {
            let part = curve.get(curve.len() * which / 4..curve.len() * (which + 1) / 4).unwrap_or_default();
            let part = if part.is_empty() { curve } else { part };
            part.iter().sum::<u64>() / u64::try_from(part.len().max(1)).unwrap_or(1)
        };
        Some(Self {
            lowest: *curve.iter().min()?,
            highest: *curve.iter().max()?,
            second_quarter: quarter(1),
            last_quarter: quarter(3),
            every: every.as_secs_f64(),
            curve: curve.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Measured, Memory, unbalanced};
    use std::collections::BTreeMap;
    use std::time::Duration;
    use takeover_shadow::load::Latency;

    fn counts<const N: usize>(counts: [(&str, u64); N]) -> BTreeMap<String, u64> {
        counts.map(|(name, count)| (name.to_owned(), count)).into()
    }

    fn measured() -> Measured {
        let latency = Latency { p50: 1.0, p90: 1.0, p99: 1.0, p999: 1.0, max: 1.0 };
        Measured {
            seconds: 1.0,
            sent: 10,
            unsent: 0,
            answered: 9,
            failed: counts([("no answer", 1)]),
            per_second: 9.0,
            from_due: latency,
            from_sent: latency,
            cpu: BTreeMap::new(),
            memory: None,
        }
    }

    fn counted() -> Counted {
        Counted {
            requests: counts([("queued", 6), ("queue_full", 3)]),
            answers: counts([("allowed", 9)]),
            work: counts([("judged", 6)]),
            comparisons: 6,
            queue_at_end: 0,
            drained_in: 0.0,
        }
    }

    #[test]
    fn sums_that_hold_are_no_faults_and_others_are_named() {
        assert_eq!(unbalanced(&measured(), &counted(), false), Vec::<String>::new());
        let said = |change: fn(&mut Counted)| {
            let mut counted = counted();
            change(&mut counted);
            unbalanced(&measured(), &counted, false)
        };
        assert_eq!(said(|counted| counted.comparisons = 5), ["cases in the evidence: 5, not 6"]);
        assert_eq!(said(|counted| counted.work = counts([("judged", 5), ("hung", 1)])), ["reviews judged: 5, not 6"],);
        assert_eq!(
            said(|counted| counted.answers = counts([("allowed", 8), ("error", 1)])),
            ["answers that allow: 8, not 9"],
        );
        assert_eq!(
            said(|counted| counted.requests = counts([("queued", 6), ("queue_full", 2)])),
            [
                "reviews counted, out of those sent: 8, not 9 to 10",
                "answers that allow: 9, not 8",
                "all answers: 9, not 8",
            ],
        );
        assert_eq!(
            said(|counted| counted.requests = counts([("queued", 6), ("cut_off", 3)])),
            ["reviews queued, dropped or not wanted: 6, not 9"],
        );
    }

    #[test]
    fn quarters_of_a_memory_curve_are_means() {
        let curve = [9, 9, 1, 3, 7, 7, 4, 6];
        let memory = Memory::of(&curve, Duration::from_secs(1)).unwrap();
        assert_eq!((memory.lowest, memory.highest, memory.second_quarter, memory.last_quarter), (1, 9, 2, 5));
        assert_eq!(Memory::of(&[5], Duration::from_secs(1)).unwrap().last_quarter, 5);
        assert_eq!(Memory::of(&[], Duration::from_secs(1)), None);
    }
}
