//! `cargo xtask bench`: what both sides and the harness cost, and how soon planted faults are found.

use super::Format;
use super::bench_tables::{against_table, race_table, replay_text, table};
use super::pair::PairArguments;
use super::units::{duration, size};
use crate::exit_code::{Exit, codes};
use crate::load;
use crate::output;
use anyhow::Context as _;
use clap::{ArgGroup, Args};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use takeover_corpora::load::{Input, Limits, LoadedCase, load};
use takeover_corpora::recorded::cases_of;
use takeover_engine::bench::against::{Paired, against};
use takeover_engine::bench::blind::{self, Effort};
use takeover_engine::bench::custom::Widget;
use takeover_engine::bench::replay;
use takeover_engine::bench::{self, Row, Workload, samples};
use takeover_engine::catalogue::ServedCrds;
use takeover_engine::config::Config;
use takeover_engine::pairs::ChosenPairs;
use takeover_harness::case::Case;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::pair::Pair;
use takeover_harness::side::BySide;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_harness::text::plural;
use takeover_oracles::defaults;
use takeover_oracles::registry::Registry;
use takeover_reports::grouped;
use takeover_shadow::load::{Load, Pace, Until};

/// Bytes of the objects, unless said otherwise.
const USUAL: usize = 2048;

/// Measures the speed of both sides and of the harness.
///
/// `cargo xtask bench` builds a release first, as `cargo install` does, and measures that.
///
/// Runs on one core, on recorded objects that both sides accept, and on cases generated from them. The declarative side is also measured
/// alone, on one object of 1 KB per kind. A custom resource of 2 KB is judged by a CRD with twenty constraints and five CEL rules, and by
/// these rules alone (`--kind Widget`).
///
/// Absolute figures vary between machines; compare the ratios within one run.
///
/// For a pair that takeover.toml or flags describe, it measures each oracle: one question at a time and, where possible, many at
/// once.
///
/// With --crd alone, it measures what a server does to custom resources before it validates them: decoding, defaulting and pruning,
/// beside deep copies of the same objects.
///
/// `--blind` measures how many cases it takes to find every planted fault, with the generator that `soak` uses and with objects
/// filled at random according to their Go types. The same seed and number of cases give the same figures on every machine.
///
/// `--shadow` puts a `shadow` server under load in a separate process and, for comparison, a server that only answers. Every
/// answer is checked, and the counts of the server are compared with what was sent.
///
/// `--replay` measures the time and memory to replay the objects in a file over and over, compared with only parsing them. An
/// object with the same text as an earlier one is not judged again, unless `--distinct` gives each its own name.
#[derive(Args)]
#[command(group = ArgGroup::new("mode").args(["blind", "replay"]))]
#[command(after_help = Exit::after_help(&[
    "cargo xtask bench",
    "cargo xtask bench --bytes 1024 --for 20s",
    "cargo xtask bench --kind CertificateSigningRequest --each",
    "cargo xtask bench --kind Widget                                 a custom resource, and its CEL rules alone",
    "cargo xtask bench --crd widgets.yaml                            decoding, defaulting, pruning of custom resources",
    "cargo xtask bench --format json",
    "cargo xtask bench --blind --kind ReplicationController --cases 100000",
    "cargo xtask bench --shadow                                      as many reviews as it can answer",
    "cargo xtask bench --shadow --rate 10000 --connections 32        can it keep up with 10,000 per second?",
    "cargo xtask bench --shadow --for 10m --format json              does its memory stay constant?",
    "cargo xtask bench --shadow --largest --connections 8 --for 10m --isolate 256MiB --memory 768MiB    is the limit of the manifests enough?",
    "cargo xtask bench --objects objects.yaml                        objects of your own",
    "cargo xtask bench --against ./takeover-before --at-least 0.9    compare with another build",
    "cargo xtask bench --at-most 'JSON bytes to recorded=4'          fail on a ratio, in CI",
    "cargo xtask bench --replay objects.yaml --count 1000000",
    "cargo xtask bench --replay objects.yaml --yaml --distinct",
], codes::BENCH))]
pub struct Bench {
    /// Measure only this kind (`ReplicationController`) or subject (`v1 ReplicationController`), or its defaulting (`Service#defaults`) or
    /// laws of apply (`Service#apply`); of a kind that nothing validates, its defaulting. Overrides `[subjects]`
    /// [default: what `[subjects]` in takeover.toml selects, or else three typical kinds and the custom resource; every kind with
    /// --blind, ReplicationController with --shadow].
    #[arg(long)]
    kind: Option<String>,
    /// Types of the pair that --reference and --candidate describe: a Go package, CRD manifests or an OpenAPI v3 document.
    #[arg(long, value_name = "DIR", requires = "reference")]
    types: Option<PathBuf>,
    #[command(flatten)]
    pair: PairArguments,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "shadow"])]
    config: Option<PathBuf>,
    /// Size of the objects in bytes of JSON; an annotation pads them [default: 2048, or 1500000 with --largest].
    #[arg(long)]
    bytes: Option<usize>,
    /// How long to measure each subject, such as 10s or 1m.
    #[arg(long = "for", id = "duration", value_name = "TIME", value_parser = duration, default_value = "10s")]
    duration: Duration,
    /// Also measure the handwritten side on each case separately.
    #[arg(long)]
    each: bool,
    /// Compare the generator with objects filled at random.
    #[arg(long, conflicts_with_all = ["bytes", "duration", "each", "crd"])]
    blind: bool,
    /// With --blind: number of cases per subject from each generator.
    #[arg(long, default_value_t = 20_000, requires = "blind")]
    cases: u64,
    /// With --blind: seed of both generators.
    #[arg(long, default_value_t = 1, requires = "blind")]
    seed: u64,
    /// Measure the replay of the objects in this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kind", "bytes", "duration", "each", "shadow", "reference", "crd"])]
    replay: Option<PathBuf>,
    /// With --replay: number of objects to replay; the file is repeated as needed.
    #[arg(long, default_value_t = 100_000, requires = "replay", value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Measure the objects in this file instead of recorded ones; objects that a side rejects are left out.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["blind", "replay", "shadow", "reference", "crd"])]
    objects: Option<PathBuf>,
    /// Compare with another build of takeover: measure both in turn, and print the speedup of this one.
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["blind", "replay", "shadow"])]
    against: Option<PathBuf>,
    /// With --against: how often to measure each build within the time of --for.
    #[arg(long, default_value_t = 5, requires = "against", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// With --against: fail if the speedup of any line is below RATIO even in its best round.
    #[arg(long, value_name = "RATIO", requires = "against", value_parser = ratio)]
    at_least: Option<f64>,
    /// Fail if lines whose names start with LINE take more than RATIO times as long as decoding (`JSON bytes to recorded=3`). Repeatable.
    #[arg(long, value_name = "LINE=RATIO", conflicts_with_all = ["blind", "replay", "shadow", "against"], value_parser = limit)]
    at_most: Vec<Limit>,
    /// Replay YAML documents instead of JSON lines.
    #[arg(long, requires = "replay")]
    yaml: bool,
    /// Give every replayed object its own name.
    #[arg(long, requires = "replay")]
    distinct: bool,
    /// Number of threads [default: one per processor with `--blind`, one with `--replay`].
    #[arg(long, requires = "mode")]
    jobs: Option<NonZeroUsize>,
    /// Put a `shadow` server under load.
    #[arg(long, conflicts_with_all = ["each", "blind", "reference", "crd"])]
    shadow: bool,
    /// Send this many reviews per second, whether or not earlier ones were answered [default: send the next one when the last
    /// one was answered].
    #[arg(long, requires = "shadow", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Number of connections, each with one review at a time.
    #[arg(long, requires = "shadow", default_value = "16")]
    connections: NonZeroUsize,
    /// Send this many reviews, however long it takes.
    #[arg(long, requires = "shadow", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..))]
    reviews: Option<u64>,
    /// Send the largest objects that an API server accepts, with as many values and errors as fit.
    #[arg(long, requires = "shadow", conflicts_with = "kind")]
    largest: bool,
    /// Run the oracles in worker processes, each with at most this much memory (address space).
    #[arg(long, requires = "shadow", value_name = "SIZE", value_parser = size)]
    isolate: Option<u64>,
    /// Fail if the server and its worker processes take more memory than this.
    #[arg(long, requires = "shadow", value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
    /// With --shadow: settings of the server (see `shadow --settings`).
    #[arg(long, requires = "shadow", value_name = "FILE")]
    settings: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Bench {
    /// Measures and prints.
    ///
    /// # Errors
    /// Wrong configuration.
    pub fn run(self) -> anyhow::Result<Exit> {
        if self.blind {
            return self.race();
        }
        if self.shadow {
            return self.load();
        }
        if let Some(other) = &self.against {
            return self.against(other);
        }
        if let Some(file) = &self.replay {
            let jobs = self.jobs.unwrap_or(NonZeroUsize::MIN);
            let Self { count, yaml, distinct, .. } = self;
            let effort = replay::Effort { objects: count, yaml, distinct, jobs };
            let replayed = replay::run(&Registry::of_builtin()?, file, effort)?;
            match self.format {
                Format::Table => output::print(&replay_text(&replayed))?,
                Format::Json => output::print_json(&replayed)?,
            }
            return Ok(if replayed.compared == 0 { Exit::NothingCompared } else { Exit::Ready });
        }
        let mut rows = Vec::new();
        if let Some(crd) = self.pair.crd_alone() {
            self.crd(crd, &mut rows)?;
            return self.printed(&rows);
        }
        let described = self.described()?;
        if let Some(chosen) = &described {
            for id in &chosen.described {
                let Some(names) = chosen.catalogue.oracles(id) else { continue };
                match bench::described(&chosen.pair(id)?, &names, self.duration) {
                    Ok(of_pair) => rows.extend(of_pair),
                    Err(nothing) => output::say(&format!("{id}: nothing is measured: {nothing}")),
                }
            }
        }
        let has_objects = self.objects.is_some();
        let is_named =
            described.is_none() && !has_objects && (self.widget(&mut rows)? || self.transformed(&mut rows)?);
        if !is_named && described.is_none_or(|chosen| chosen.builtin) {
            self.builtin(&mut rows)?;
        }
        self.printed(&rows)
    }

    fn printed(&self, rows: &[Row]) -> anyhow::Result<Exit> {
        match self.format {
            Format::Table if rows.is_empty() => {}
            Format::Table => output::print(&table(rows))?,
            Format::Json => output::print_json(&rows)?,
        }
        let mut is_within = true;
        for limit in &self.at_most {
            let named: Vec<&Row> = rows.iter().filter(|row| row.what.starts_with(&limit.line)).collect();
            anyhow::ensure!(!named.is_empty() || rows.is_empty(), "--at-most: no line begins with `{}`", limit.line);
            for row in named.into_iter().filter(|row| row.times_decode > limit.ratio) {
                is_within = false;
                let Row { subject, what, times_decode, .. } = row;
                output::say(&format!("{subject}: {what} takes {times_decode:.3} × decoding, above {}", limit.ratio));
            }
        }
        Ok(match rows {
            [] => Exit::NothingCompared,
            _ if is_within => Exit::Ready,
            _ => Exit::Findings,
        })
    }

    /// Measures another build in turn with this one.
    fn against(&self, other: &Path) -> anyhow::Result<Exit> {
        let own = std::env::current_exe().context("failed to find this program")?;
        let share = self.duration / (2 * u32::from(self.rounds));
        let mut arguments =
            without(std::env::args_os().skip(1), &["--against", "--rounds", "--at-least", "--for", "--format"]);
        arguments.extend(["--format", "json", "--for"].map(OsString::from));
        arguments.push(format!("{}ms", share.as_millis()).into());
        let say = |round: usize| output::say(&format!("round {} of {}", round + 1, self.rounds));
        let against = against([other, &own], &arguments, self.rounds.into(), &say)?;
        match self.format {
            Format::Table => output::print(&against_table(&against))?,
            Format::Json => output::print_json(&against)?,
        }
        let slow: Vec<&Paired> =
            against.lines.iter().filter(|line| self.at_least.is_some_and(|least| line.spread.1 < least)).collect();
        for Paired { subject, what, spread, .. } in &slow {
            let least = self.at_least.unwrap_or_default();
            output::say(&format!("{subject}: {what}: the best speedup is {:.3}, below {least}", spread.1));
        }
        Ok(match against.lines.as_slice() {
            [] => Exit::NothingCompared,
            _ if slow.is_empty() => Exit::Ready,
            _ => Exit::Findings,
        })
    }

    /// Measures what a server does to the objects of CRD manifests before it validates them.
    fn crd(&self, place: &Path, rows: &mut Vec<Row>) -> anyhow::Result<()> {
        let served = ServedCrds::read(place)?;
        for id in served.chosen(self.kind.as_slice())? {
            let kind = served.custom(&id).with_context(|| format!("`{}` does not serve {id}", place.display()))?;
            rows.extend(bench::of_crd(kind, self.duration)?);
        }
        Ok(())
    }

    /// The described pairs that are measured; none where no pair is described.
    fn described(&self) -> anyhow::Result<Option<ChosenPairs>> {
        self.pair.chosen(&Config::load(self.config.as_deref())?, self.kind.as_deref(), self.types.as_deref())
    }

    /// Measures the custom resource if it is named, or nothing is; returns whether it is.
    fn widget(&self, rows: &mut Vec<Row>) -> anyhow::Result<bool> {
        let widget = Widget::new()?;
        let subject = widget.subject();
        let is_named = match &self.kind {
            Some(kind) if *kind == subject.kind || *kind == subject.to_string() => true,
            Some(_) => return Ok(false),
            None if Config::load(self.config.as_deref())?.subjects.chooses() => return Ok(false),
            None => false,
        };
        rows.extend(widget.run(self.duration / 3)?);
        Ok(is_named)
    }

    /// Measures the defaulting of a kind that is named with `#defaults` or that nothing validates, or both sides of its laws of apply
    /// (`#apply`); returns whether such a pair is named.
    fn transformed(&self, rows: &mut Vec<Row>) -> anyhow::Result<bool> {
        let Some(named) = &self.kind else { return Ok(false) };
        let registry = Registry::of_builtin()?;
        let (kind, pair) = match named.split_once('#') {
            Some((kind, pair)) => (kind, pair),
            None if registry.find_any(named).is_ok() => return Ok(false),
            None => (named.as_str(), defaults::NAME),
        };
        let Some(all) = registry.transformed(pair) else { return Ok(false) };
        let ids: Vec<SubjectId> = all.into_iter().filter(|id| id.is_called(kind)).collect();
        for id in &ids {
            if pair == defaults::NAME {
                rows.extend(bench::of_defaults(&registry, id, self.duration)?);
                continue;
            }
            let of_laws = registry.pair(&PairId::named(id.clone(), pair)?)?;
            let names = BySide { reference: "the laws".to_owned(), candidate: "apply".to_owned() };
            rows.extend(bench::described(&of_laws, &names, self.duration)?);
        }
        anyhow::ensure!(!ids.is_empty() || !named.contains('#'), "no built-in kind `{kind}` has the pair `#{pair}`");
        Ok(!ids.is_empty())
    }

    /// Measures built-in kinds.
    fn builtin(&self, rows: &mut Vec<Row>) -> anyhow::Result<()> {
        let registry = Registry::of_builtin()?;
        let chosen = self.chosen(&registry)?;
        if let Some(file) = &self.objects {
            return self.own(&registry, chosen.as_deref(), file, rows);
        }
        let bytes = self.bytes.unwrap_or(USUAL);
        let asks_for = |id: &SubjectId| chosen.as_ref().is_none_or(|chosen| chosen.contains(id));
        let samples: Vec<SubjectId> = samples::kinds().filter(asks_for).collect();
        // Unless told which, the kinds that stand for small, middling and large rules.
        let ids = chosen.clone().unwrap_or_else(|| samples.clone());
        let pairs = ids.into_iter().map(|id| registry.pair(&id.into())).collect::<Result<Vec<_>, _>>()?;
        for (pair, cases) in pairs.iter().map(|pair| (pair, cases_of(pair))) {
            let workload = Workload::new(pair, &cases, Some(bytes));
            if workload.number() == 0 {
                output::say(&format!("{}: no recorded case fits {} bytes", pair.id, grouped(bytes as u64)));
                continue;
            }
            rows.extend(self.measured(pair, &workload)?);
        }
        for id in &samples {
            rows.extend(samples::run(&registry, id, self.duration / 3)?);
        }
        Ok(())
    }

    fn measured(&self, pair: &Pair, workload: &Workload) -> anyhow::Result<Vec<Row>> {
        output::say(&format!(
            "{}: {}, {} bytes of JSON on average",
            pair.id,
            plural(workload.number() as u64, "case"),
            grouped(workload.mean_bytes() as u64)
        ));
        bench::run(pair, workload, self.duration, self.each)
    }

    /// Measures the objects of a file.
    fn own(
        &self,
        registry: &Registry,
        chosen: Option<&[SubjectId]>,
        file: &Path,
        rows: &mut Vec<Row>,
    ) -> anyhow::Result<()> {
        let mut cases: BTreeMap<SubjectId, Vec<Case<'static>>> = BTreeMap::new();
        for loaded in load(vec![Input::named(file)], Limits::default()).cases() {
            let LoadedCase { api_version, kind, subresource, case, .. } = loaded?;
            cases.entry(SubjectId::new(api_version, kind).with_subresource(&subresource)).or_default().push(case);
        }
        for (id, mut cases) in cases {
            let count = plural(cases.len() as u64, "case");
            if !registry.subjects().any(|known| known == id) {
                output::say(&format!("{id}: {count} left out (no built-in validator)"));
                continue;
            }
            if chosen.is_some_and(|chosen| !chosen.contains(&id)) {
                continue;
            }
            let pair = registry.pair(&id.into())?;
            cases.iter_mut().for_each(|case| pair.define_options(&mut case.options));
            let workload = Workload::new(&pair, &cases, self.bytes);
            match workload.number() {
                0 => output::say(&format!("{}: both sides accept none of {count}", pair.id)),
                _ => rows.extend(self.measured(&pair, &workload)?),
            }
        }
        Ok(())
    }

    fn race(self) -> anyhow::Result<Exit> {
        if let Some(chosen) = self.described()?.filter(|chosen| !chosen.described.is_empty()) {
            anyhow::bail!(
                "--blind plants faults in the rules of built-in kinds, and cannot measure {}: name a built-in kind with --kind",
                chosen.names()
            );
        }
        let registry = Registry::of_builtin()?;
        let ids = self.chosen(&registry)?.unwrap_or_else(|| registry.subjects().collect());
        let jobs = self.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
        let effort = Effort { seed: self.seed, cases: self.cases, jobs };
        let mut races = Vec::new();
        for id in ids {
            races.push(blind::race(&registry.pair(&id.into())?, effort)?);
        }
        let rows = blind::rows(&races);
        match self.format {
            Format::Table => output::print(&race_table(&rows, effort))?,
            Format::Json => output::print_json(&rows)?,
        }
        Ok(if self.cases == 0 { Exit::NothingCompared } else { Exit::Ready })
    }

    fn load(self) -> anyhow::Result<Exit> {
        let kind = self.kind.unwrap_or_else(|| "ReplicationController".to_owned());
        let pace = self.rate.map_or(Pace::Unbounded, |rate| Pace::Rate(rate.into()));
        let until = self.reviews.map_or(Until::Time(self.duration), Until::Reviews);
        let load = Load { connections: self.connections.get(), pace, until };
        let report = load::run(&load::LoadPlan {
            kind,
            bytes: self.bytes.unwrap_or(if self.largest { load::LARGEST } else { USUAL }),
            largest: self.largest,
            load,
            settings: self.settings,
            isolate: self.isolate,
            memory: self.memory,
        })?;
        match self.format {
            Format::Table => output::print(&load::table(&report))?,
            Format::Json => output::print_json(&report)?,
        }
        Ok(if !report.is_sound() {
            Exit::Findings
        } else if report.shadow.answered == 0 {
            Exit::NothingCompared
        } else {
            Exit::Ready
        })
    }

    /// The subjects that the flag names, or else the settings of the project.
    fn chosen(&self, registry: &Registry) -> anyhow::Result<Option<Vec<SubjectId>>> {
        match &self.kind {
            Some(kind) => Ok(Some(registry.find(kind)?)),
            None => Config::load(self.config.as_deref())?.chosen(registry),
        }
    }
}

/// The start of a line's name, and its longest time as a multiple of decoding.
#[derive(Clone, Debug, PartialEq)]
struct Limit {
    line: String,
    ratio: f64,
}

fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse::<f64>().ok().filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    ratio.ok_or_else(|| format!("`{text}` is not a positive number such as 0.9"))
}

fn limit(text: &str) -> Result<Limit, String> {
    let (line, most) = text.rsplit_once('=').ok_or_else(|| "expected LINE=RATIO, such as `prepared=0.5`".to_owned())?;
    Ok(Limit { line: line.to_owned(), ratio: ratio(most)? })
}

/// The arguments, without these flags and their values.
fn without(arguments: impl Iterator<Item = OsString>, flags: &[&str]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if flags.contains(&&*text) {
            arguments.next();
        } else if !flags.iter().any(|flag| text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))) {
            kept.push(argument);
        }
    }
    kept
}
