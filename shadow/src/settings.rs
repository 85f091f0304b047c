//! What an operator decides: a TOML file, most of which may change while the server runs.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use takeover_harness::case::Operation;
use takeover_harness::subject::{PairId, SubjectId};

/// Every setting with its meaning and default.
pub const EXAMPLE: &str = include_str!("example.toml");

/// Most connections: as many files as a process may be allowed to have open.
const MOST_CONNECTIONS: usize = 1 << 20;

/// Most threads that compare.
const MOST_WORKERS: usize = 1024;

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ShadowSettings {
    /// What is compared. May change while the server runs.
    pub compare: Compare,
    /// What is said and kept of objects. May change while the server runs.
    pub privacy: Privacy,
    /// What the server takes in and how long it waits. Most of it may change while the server runs.
    pub limits: Limits,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Compare {
    /// The kill switch: off, everything is allowed and nothing is compared, whatever the mode.
    pub enabled: bool,
    /// Share of the reviews that are compared, from 0 to 1. A review is in or out by its uid, so that replicas and repetitions
    /// decide alike.
    pub share: f64,
    /// The share grows evenly from 0 to its value in this many seconds after the start.
    pub ramp_up_seconds: u64,
    /// Shares of single kinds (`Pod`) or subjects (`v1 Pod`, `v1 Pod/status`) instead of the general one; 0 switches off.
    pub kinds: BTreeMap<String, f64>,
}

/// What is said and kept of objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Privacy {
    /// Whether the smallest case of every disagreement is kept in memory and in checkpoints, with its values.
    pub keep_samples: bool,
    /// Whether log lines of new disagreements hold the error with its value. Needs `keep-samples`.
    pub log_values: bool,
    /// Most log lines of new disagreements in a minute; the others are counted.
    pub log_lines_per_minute: u32,
}

/// What the server takes in and how long it waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Limits {
    /// Longest body that is compared, in bytes. A longer one is read past and allowed. Also the longest line of a log.
    pub body_bytes: usize,
    /// Bytes of bodies in memory at once, being read or queued. What is beyond is read past and allowed.
    pub buffered_bytes: usize,
    /// Bytes of logs before the place where comparison begins that are read after a start, for what they say of stored objects.
    pub learn_bytes: u64,
    /// Connections at once; more are closed.
    pub connections: usize,
    /// Reviews that wait for a worker; more are allowed and not compared.
    pub queue: usize,
    /// Threads that compare.
    pub workers: usize,
    /// How long a TLS handshake, a request's head, a client that takes nothing of an answer, and an idle connection to the pages may take.
    pub head_milliseconds: u64,
    /// How long a request's body may take.
    pub body_milliseconds: u64,
    /// How long an answer waits for a judgement, where it depends on one.
    pub answer_milliseconds: u64,
    /// How long the oracles may take for a case before their subject is switched off.
    pub oracle_milliseconds: u64,
    /// Processes that the oracles of a subject may end in an hour, where they are judged in processes of their own, before the subject
    /// is switched off.
    pub processes_per_hour: u32,
    /// Threads lost to oracles that never answer, before `/healthz` asks for a restart.
    pub lost_threads: usize,
    /// How long `/readyz` says no before connections are closed, when the server is to end.
    pub leave_milliseconds: u64,
    /// How long requests under way, and then the queue, may take to finish, when the server is to end.
    pub drain_milliseconds: u64,
    /// How often evidence is written to disk.
    pub checkpoint_seconds: u64,
}

impl Default for Compare {
    fn default() -> Self {
        Self { enabled: true, share: 1.0, ramp_up_seconds: 0, kinds: BTreeMap::new() }
    }
}

impl Default for Privacy {
    fn default() -> Self {
        Self { keep_samples: false, log_values: false, log_lines_per_minute: 60 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 8 << 20,
            buffered_bytes: 64 << 20,
            learn_bytes: 256 << 20,
            connections: 512,
            queue: 4096,
            workers: 1,
            head_milliseconds: 10_000,
            body_milliseconds: 5_000,
            answer_milliseconds: 500,
            oracle_milliseconds: 5_000,
            processes_per_hour: 60,
            lost_threads: 4,
            leave_milliseconds: 5_000,
            drain_milliseconds: 15_000,
            checkpoint_seconds: 30,
        }
    }
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Not TOML, or a setting that does not exist.
    #[error(transparent)]
    Syntax(#[from] toml::de::Error),
    /// A share that is none.
    #[error("`{setting}` is {value}, not a share from 0 to 1")]
    Share {
        /// Which.
        setting: String,
        /// What it is.
        value: f64,
    },
    /// A name that no subject has.
    #[error("`compare.kinds` names `{0}`, which is not a subject of this server")]
    Kind(String),
    /// Values to log of samples that are not kept.
    #[error("`privacy.log-values` needs `privacy.keep-samples`")]
    Values,
    /// A limit that lets nothing through.
    #[error("`limits.{0}` is 0")]
    Zero(&'static str),
    /// A limit beyond what a server can have.
    #[error("`limits.{name}` is {value}; it must be at most {most}")]
    TooMuch {
        /// Which.
        name: &'static str,
        /// What it is.
        value: usize,
        /// What it may be.
        most: usize,
    },
}

impl ShadowSettings {
    /// Reads the file form, for a server of these subjects.
    ///
    /// # Errors
    /// When the text is no TOML, has a setting that does not exist, or one that makes no sense; the message names it.
    pub fn parse(text: &str, pairs: &[PairId]) -> Result<Self, SettingsError> {
        let settings: Self = toml::from_str(text)?;
        let Compare { share, kinds, .. } = &settings.compare;
        let shares = kinds.iter().map(|(name, share)| (format!("compare.kinds.{name}"), *share));
        for (setting, value) in shares.chain([("compare.share".to_owned(), *share)]) {
            if !(0.0..=1.0).contains(&value) {
                return Err(SettingsError::Share { setting, value });
            }
        }
        let known = |name: &str| pairs.iter().any(|id| id.subject.kind == name || id.to_string() == name);
        if let Some(stranger) = kinds.keys().find(|name| !known(name)) {
            return Err(SettingsError::Kind(stranger.clone()));
        }
        if settings.privacy.log_values && !settings.privacy.keep_samples {
            return Err(SettingsError::Values);
        }
        let limits = &settings.limits;
        let zeros = [
            ("body-bytes", limits.body_bytes == 0),
            ("buffered-bytes", limits.buffered_bytes == 0),
            ("connections", limits.connections == 0),
            ("queue", limits.queue == 0),
            ("workers", limits.workers == 0),
            ("head-milliseconds", limits.head_milliseconds == 0),
            ("body-milliseconds", limits.body_milliseconds == 0),
            ("answer-milliseconds", limits.answer_milliseconds == 0),
            ("oracle-milliseconds", limits.oracle_milliseconds == 0),
            ("checkpoint-seconds", limits.checkpoint_seconds == 0),
        ];
        if let Some((name, _)) = zeros.into_iter().find(|(_, zero)| *zero) {
            return Err(SettingsError::Zero(name));
        }
        let most = [("connections", limits.connections, MOST_CONNECTIONS), ("workers", limits.workers, MOST_WORKERS)];
        match most.into_iter().find(|(_, value, most)| value > most) {
            Some((name, value, most)) => Err(SettingsError::TooMuch { name, value, most }),
            None => Ok(settings),
        }
    }
}

impl Limits {
    /// Puts those limits back to what they are now that threads and connections were made with. The names of those that were others.
    fn keep_fixed(&mut self, now: &Self) -> Vec<&'static str> {
        let mut waiting = Vec::new();
        let mut keep = |name, differs| {
            if differs {
                waiting.push(name);
            }
        };
        keep("connections", self.connections != now.connections);
        keep("workers", self.workers != now.workers);
        keep("head-milliseconds", self.head_milliseconds != now.head_milliseconds);
        keep("learn-bytes", self.learn_bytes != now.learn_bytes);
        let Self { connections, workers, head_milliseconds, learn_bytes, .. } = *now;
        *self = Self { connections, workers, head_milliseconds, learn_bytes, ..self.clone() };
        waiting
    }
}

impl Compare {
    /// The share of the reviews of `subject` that are compared, `running` after the start.
    #[must_use]
    pub fn share_of(&self, subject: &SubjectId, running: Duration) -> f64 {
        if !self.enabled {
            return 0.0;
        }
        let of_subject = self.kinds.get(&subject.to_string()).or_else(|| self.kinds.get(&subject.kind));
        let share = of_subject.copied().unwrap_or(self.share);
        if self.ramp_up_seconds == 0 {
            return share;
        }
        let grown = running.as_secs_f64() / Duration::from_secs(self.ramp_up_seconds).as_secs_f64();
        share * grown.min(1.0)
    }
}

/// Settings that change while they are read.
pub struct Live(RwLock<Arc<ShadowSettings>>);

impl Live {
    /// The settings of the start.
    #[must_use]
    pub fn new(settings: ShadowSettings) -> Self {
        Self(RwLock::new(Arc::new(settings)))
    }

    /// The settings of the moment.
    #[must_use]
    pub fn get(&self) -> Arc<ShadowSettings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes over what may change. The names of the limits that are other ones, and wait for a restart.
    pub fn change(&self, mut to: ShadowSettings) -> Vec<&'static str> {
        let mut now = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let waiting = to.limits.keep_fixed(&now.limits);
        *now = Arc::new(to);
        waiting
    }
}

/// Whether the review with this uid is among `share` of all.
#[must_use]
pub fn is_sampled(uid: &str, share: f64) -> bool {
    let mut first = [0; 4];
    blake3::Hasher::new().update(uid.as_bytes()).finalize_xof().fill(&mut first);
    f64::from(u32::from_le_bytes(first)) < share * (f64::from(u32::MAX) + 1.0)
}

/// The operations, as reviews name them, that make cases.
#[must_use]
pub fn operation(name: &str) -> Option<Operation> {
    match name {
        "CREATE" => Some(Operation::Create),
        "UPDATE" => Some(Operation::Update),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Compare, EXAMPLE, Live, ShadowSettings, is_sampled};
    use std::time::Duration;
    use takeover_harness::subject::{PairId, SubjectId};

    fn subjects() -> Vec<SubjectId> {
        vec![SubjectId::new("v1", "Pod"), SubjectId::new("v1", "Pod").with_subresource("status")]
    }

    fn pairs() -> Vec<PairId> {
        subjects().into_iter().map(PairId::from).collect()
    }

    #[test]
    fn the_example_has_every_setting_with_its_default() {
        let read = ShadowSettings::parse(EXAMPLE, &pairs()).unwrap();
        assert_eq!(read, ShadowSettings::default());
        let all = serde_json::to_value(ShadowSettings::default()).unwrap();
        for (table, settings) in all.as_object().unwrap() {
            for name in settings.as_object().unwrap().keys().filter(|name| *name != "kinds") {
                assert!(EXAMPLE.contains(&format!("\n{name} = ")), "{table}.{name} is not in the example");
            }
        }
    }

    #[test]
    fn settings_that_make_no_sense_are_named() {
        for (text, named) in [
            ("[compare]\nshare = 1.5\n", "`compare.share` is 1.5"),
            ("[compare]\nshare = nan\n", "`compare.share` is NaN"),
            ("[compare.kinds]\nPod = -1\n", "`compare.kinds.Pod` is -1"),
            ("[compare.kinds]\nPot = 1\n", "`Pot`"),
            ("[compare]\nshares = 1\n", "unknown field `shares`"),
            ("[limits]\nqueue = 0\n", "`limits.queue` is 0"),
            (
                "[limits]\nconnections = 4000000000000000000\n",
                "`limits.connections` is 4000000000000000000; it must be",
            ),
            ("[limits]\nworkers = 1025\n", "`limits.workers` is 1025; it must be at most 1024"),
            ("[privacy]\nlog-values = true\n", "needs `privacy.keep-samples`"),
            ("[limits\n", "1 | [limits"),
        ] {
            let said = ShadowSettings::parse(text, &pairs()).unwrap_err().to_string();
            assert!(said.contains(named), "{text}: {said}");
        }
    }

    #[test]
    fn the_share_of_a_subject_is_the_most_particular_one_and_grows() {
        let mut compare = Compare { share: 0.5, ramp_up_seconds: 100, ..Compare::default() };
        compare.kinds.insert("Pod".to_owned(), 1.0);
        compare.kinds.insert("v1 Pod/status".to_owned(), 0.0);
        let [pod, status] = subjects().try_into().unwrap();
        let share = |id: &SubjectId, seconds| compare.share_of(id, Duration::from_secs(seconds));
        assert_eq!([share(&pod, 0), share(&pod, 25), share(&pod, 1000)], [0.0, 0.25, 1.0]);
        assert_eq!(share(&status, 1000), 0.0);
        assert_eq!(share(&SubjectId::new("v1", "Service"), 100), 0.5);
        let killed = Compare { enabled: false, ..compare.clone() };
        assert_eq!(killed.share_of(&pod, Duration::from_secs(1000)), 0.0);
    }

    #[test]
    fn what_may_change_does_and_the_rest_waits_for_a_restart_by_name() {
        let live = Live::new(ShadowSettings::default());
        let mut changed = ShadowSettings::default();
        changed.compare.share = 0.25;
        changed.limits.queue = 7;
        changed.limits.answer_milliseconds = 1;
        assert!(live.change(changed.clone()).is_empty());
        assert_eq!(*live.get(), changed);
        let before = changed.clone();
        changed.limits.workers = 7;
        changed.limits.connections = 7;
        changed.limits.head_milliseconds = 7;
        changed.limits.learn_bytes = 7;
        let waiting = live.change(changed);
        assert_eq!(waiting, ["connections", "workers", "head-milliseconds", "learn-bytes"]);
        assert_eq!(*live.get(), before);
    }

    #[test]
    fn a_sample_is_of_the_size_asked_for_and_grows_without_changing() {
        let uids: Vec<String> = (0..10_000).map(|n| format!("uid-{n}")).collect();
        let within = |share| uids.iter().filter(|uid| is_sampled(uid, share)).collect::<Vec<_>>();
        assert_eq!((within(0.0).len(), within(1.0).len()), (0, uids.len()));
        let (tenth, half) = (within(0.1), within(0.5));
        assert!((900..1100).contains(&tenth.len()) && (4800..5200).contains(&half.len()), "{}", tenth.len());
        assert!(tenth.iter().all(|uid| half.contains(uid)));
    }
}
