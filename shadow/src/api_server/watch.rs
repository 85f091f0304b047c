//! Where an API server's counters are read from while a shadow server runs, and what was read of them.

use super::counters::{ServerCounters, less};
use super::served::{served, unshown};
use crate::client::{Answered, Client};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use takeover_engine::bounded::{SETTINGS, plain_file};
use takeover_harness::subject::{PairId, SubjectId};
use ureq::http::Uri;

/// How long an answer may take: reports wait for it.
const PATIENCE: Duration = Duration::from_secs(3);

/// Time between two readings: metrics of API servers are megabytes.
const BETWEEN: Duration = Duration::from_secs(10);

/// Time between two questions of what it serves, which an upgrade or a flag changes.
const BETWEEN_DISCOVERIES: Duration = Duration::from_secs(300);

/// Longest file of metrics, in bytes.
const LONGEST: u64 = 64 << 20;

/// Where pods find what they need to ask their API server.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// What was read of the counters of API servers. Adds up over replicas and starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApiServerSeen {
    /// Its version when it was read last, such as `v1.36.2`; empty when it does not say.
    pub version: String,
    /// Release of the types that ours are counted by; empty for types of one's own.
    pub types: String,
    /// Release whose comparison ours are counted by.
    pub semantics: String,
    /// Mismatches of each process that answered, by its start.
    pub processes: BTreeMap<String, ProcessSeen>,
    /// Ours since the first of them was read.
    pub ours: BTreeMap<String, u64>,
    /// Why it could not be read the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Pairs whose rules it shows nothing of, and why: it does not serve them, or does not run the rules. None if it did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unshown: Option<BTreeMap<String, String>>,
    /// Why it did not say the last time what it serves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undiscovered: Option<String>,
}

/// Counters of one process, by identifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProcessSeen {
    /// When it was read first.
    pub first: BTreeMap<String, u64>,
    /// When it was read last.
    pub last: BTreeMap<String, u64>,
}

impl ApiServerSeen {
    /// Adds what another replica or start saw.
    pub fn merge(&mut self, other: &Self) {
        for (started, of) in &other.processes {
            let Some(known) = self.processes.get_mut(started) else {
                self.processes.insert(started.clone(), of.clone());
                continue;
            };
            // Counters only grow: the first reading is the one with less.
            let identifiers: Vec<String> = known.first.keys().chain(of.first.keys()).cloned().collect();
            for identifier in identifiers {
                let count = |map: &BTreeMap<String, u64>| map.get(&identifier).copied().unwrap_or_default();
                let least = count(&known.first).min(count(&of.first));
                known.first.insert(identifier.clone(), least);
            }
            for (identifier, count) in &of.last {
                let last = known.last.entry(identifier.clone()).or_default();
                *last = (*last).max(*count);
            }
        }
        for (identifier, count) in &other.ours {
            *self.ours.entry(identifier.clone()).or_default() += count;
        }
        let is_newer = self.version.is_empty() || other.version > self.version;
        match (&mut self.unshown, &other.unshown) {
            (unshown, Some(of_newer)) if is_newer || unshown.is_none() => *unshown = Some(of_newer.clone()),
            // Servers of one version may be told to serve more or less.
            (Some(unshown), Some(other_unshown)) if self.version == other.version => {
                unshown.retain(|pair, _| other_unshown.contains_key(pair));
            }
            _ => {}
        }
        self.undiscovered = self.undiscovered.take().or_else(|| other.undiscovered.clone());
        if is_newer {
            let Self { version, types, semantics, .. } = other.clone();
            (self.version, self.types, self.semantics) = (version, types, semantics);
        }
        self.unreadable = self.unreadable.take().or_else(|| other.unreadable.clone());
    }

    /// What all processes counted since they were read first.
    #[must_use]
    pub fn counted(&self) -> BTreeMap<String, u64> {
        let mut sum = BTreeMap::new();
        for of in self.processes.values() {
            for (identifier, count) in less(&of.last, &of.first) {
                *sum.entry(identifier).or_default() += count;
            }
        }
        sum
    }
}

/// An API server whose counters are read from time to time.
pub struct ApiServer {
    source: Source,
    types: String,
    read: Mutex<Read>,
}

enum Source {
    /// An address of metrics, and the file of the token that is shown there.
    Address { client: Client, path: String, token: Option<PathBuf> },
    /// A file that somebody saves the metrics to.
    File(PathBuf),
}

/// The answer of `/version`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    git_version: String,
}

#[derive(Default)]
struct Read {
    seen: ApiServerSeen,
    /// When it was asked last.
    asked: Option<Instant>,
    /// When it answered last.
    answered: Option<jiff::Timestamp>,
    /// Ours when it was read first.
    ours: Option<BTreeMap<String, u64>>,
    /// When it was asked last what it serves.
    discovered: Option<Instant>,
    /// What it said then.
    served: Option<BTreeSet<SubjectId>>,
}

/// An API server that cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum ApiServerError {
    /// Not an address of metrics.
    #[error("`{0}` is neither a URL such as https://kubernetes.default.svc/metrics nor a file")]
    Place(String),
    /// An authority that is none.
    #[error("`{}` holds no certificate authority: {why}", .path.display())]
    Authority {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl ApiServer {
    /// The server at `place`: the URL of its metrics, or a file that they are saved to. A URL is asked with the token in the file `token`,
    /// trusting the authority in the file `authority`; without, those of the service account of a pod are used if there are any.
    ///
    /// # Errors
    /// Returns an error when it is neither, or the authority is none. Nothing is asked yet.
    pub fn at(place: &str, token: Option<PathBuf>, authority: Option<PathBuf>) -> Result<Self, ApiServerError> {
        let of = |source| Self { source, read: Mutex::default(), types: String::new() };
        if !place.starts_with("https://") && !place.starts_with("http://") {
            return Ok(of(Source::File(place.into())));
        }
        let uri: Uri = place.parse().map_err(|_| ApiServerError::Place(place.to_owned()))?;
        let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.authority()) else {
            return Err(ApiServerError::Place(place.to_owned()));
        };
        let of_account = |name: &str| Some(Path::new(SERVICE_ACCOUNT).join(name)).filter(|file| file.is_file());
        let authority = authority.or_else(|| of_account("ca.crt")).filter(|_| scheme == "https");
        let wrong = |path: &PathBuf, why: String| ApiServerError::Authority { path: path.clone(), why };
        let text =
            authority.as_ref().map(|path| plain_file(path, SETTINGS).map_err(|why| wrong(path, why.to_string())));
        let text = text.transpose()?.map(|text| String::from_utf8_lossy(&text).into_owned());
        let client = Client::patient(format!("{scheme}://{host}"), text.as_deref(), PATIENCE);
        let client = client.map_err(|why| match &authority {
            Some(path) => wrong(path, why.to_string()),
            None => ApiServerError::Place(place.to_owned()),
        })?;
        let path = uri.path_and_query().map_or("/metrics", |path| path.as_str()).to_owned();
        // A token is not shown where anybody could read it.
        let token = token.or_else(|| of_account("token")).filter(|_| scheme == "https");
        Ok(of(Source::Address { client, path, token }))
    }

    /// The same, held against counts by the types of this release.
    #[must_use]
    pub fn beside_types_of(self, release: String) -> Self {
        Self { types: release, ..self }
    }

    /// Reads its counters and what it serves of `pairs`, unless it was asked just now; `ours` are this server's own counts, compared as in
    /// the release `semantics`. Returns all that was read.
    pub fn look(&self, ours: BTreeMap<String, u64>, pairs: &[PairId], semantics: &str) -> ApiServerSeen {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let is_file = matches!(self.source, Source::File(_));
        if is_file || read.asked.is_none_or(|asked| asked.elapsed() >= BETWEEN) {
            let text = self.text();
            read.note(text, ours, jiff::Timestamp::now());
        }
        if read.discovered.is_none_or(|asked| asked.elapsed() >= BETWEEN_DISCOVERIES) {
            self.discover(&mut read, pairs);
        }
        read.seen.unshown =
            read.served.as_ref().map(|served| unshown(pairs, &read.seen.version, served, self.types.is_empty()));
        ApiServerSeen { types: self.types.clone(), semantics: semantics.to_owned(), ..read.seen.clone() }
    }

    /// Its version as it was read last; empty when it was not read or does not say.
    #[must_use]
    pub fn version(&self) -> String {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).seen.version.clone()
    }

    /// Asks what it serves, if its metrics are where API servers have them.
    fn discover(&self, read: &mut Read, pairs: &[PairId]) {
        let Source::Address { client, path, token } = &self.source else { return };
        let Some(root) = path.strip_suffix("/metrics") else { return };
        read.discovered = Some(Instant::now());
        let of = |path: &str| match get(client, &format!("{root}{path}"), token.as_deref())? {
            Answered { code: 200, body } => Ok(Some(body)),
            Answered { code: 404, .. } => Ok(None),
            Answered { code, .. } => Err(format!("HTTP status {code}")),
        };
        match served(pairs, of) {
            Ok(served) => (read.served, read.seen.undiscovered) = (Some(served), None),
            Err(why) => read.seen.undiscovered = Some(why),
        }
        // Whoever may not read metrics may still ask for the version.
        if read.seen.version.is_empty()
            && let Ok(Some(body)) = of("/version")
            && let Ok(Version { git_version }) = serde_json::from_slice(&body)
        {
            read.seen.version = git_version;
        }
    }

    fn text(&self) -> Result<String, String> {
        match &self.source {
            Source::File(path) => {
                let text = plain_file(path, LONGEST).map_err(|why| format!("`{}`: {why}", path.display()))?;
                Ok(String::from_utf8_lossy(&text).into_owned())
            }
            Source::Address { client, path, token } => match get(client, path, token.as_deref())? {
                Answered { code: 200, body } => Ok(String::from_utf8_lossy(&body).into_owned()),
                Answered { code, .. } => Err(format!("HTTP status {code}")),
            },
        }
    }
}

/// Asks a server, showing the token in this file.
fn get(client: &Client, path: &str, token: Option<&Path>) -> Result<Answered, String> {
    let token = token.map(|file| {
        let text = plain_file(file, SETTINGS).map_err(|why| format!("`{}`: {why}", file.display()))?;
        Ok::<_, String>(String::from_utf8_lossy(&text).trim().to_owned())
    });
    client.get_as(path, token.transpose()?.as_deref()).map_err(|why| why.to_string())
}

impl Read {
    fn note(&mut self, text: Result<String, String>, ours: BTreeMap<String, u64>, now: jiff::Timestamp) {
        self.asked = Some(Instant::now());
        let counters = match text.map(|text| ServerCounters::read(&text)) {
            Ok(counters) => counters,
            Err(why) => {
                self.seen.unreadable = Some(why);
                return;
            }
        };
        let before = self.answered.replace(now);
        self.seen.unreadable = None;
        self.seen.version.clone_from(&counters.version);
        let first = self.ours.get_or_insert_with(|| ours.clone());
        self.seen.ours = less(&ours, first);
        let of = self.seen.processes.entry(counters.started.clone()).or_insert_with(|| {
            // One that started since the last reading has counted nothing before it.
            let started: f64 = counters.started.parse().unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "seconds since 1970")]
            let is_new = before.is_some_and(|before| started > before.as_second() as f64);
            let first = if is_new { BTreeMap::new() } else { counters.mismatches.clone() };
            ProcessSeen { first, last: BTreeMap::new() }
        });
        of.last = counters.mismatches;
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiServer, ApiServerSeen, Read};
    use std::collections::BTreeMap;

    fn text(started: u64, count: u64) -> String {
        format!(
            "process_start_time_seconds {started}\nkubernetes_build_info{{git_version=\"v1.36.2\",major=\"1\"}} 1\n\
             apiserver_validation_declarative_validation_parity_discrepancies_total{{validation_identifier=\"a_create\"}} {count}\n"
        )
    }

    fn map(count: u64) -> BTreeMap<String, u64> {
        [("a_create".to_owned(), count)].into_iter().filter(|(_, count)| *count > 0).collect()
    }

    fn at(second: i64) -> jiff::Timestamp {
        jiff::Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn what_a_server_counted_before_the_first_reading_is_not_held_against_ours() {
        let mut read = Read::default();
        read.note(Ok(text(100, 7)), map(2), at(1_000));
        assert_eq!((read.seen.counted(), read.seen.ours.clone()), (map(0), map(0)));
        read.note(Ok(text(100, 10)), map(5), at(1_010));
        assert_eq!((read.seen.counted(), read.seen.ours.clone()), (map(3), map(3)));
        assert_eq!(read.seen.version, "v1.36.2");
        // It restarts, and begins at nothing.
        read.note(Ok(text(1_015, 2)), map(7), at(1_020));
        assert_eq!((read.seen.counted(), read.seen.ours.clone()), (map(5), map(5)));
        // Another one behind the same address was there before, with counts of its own.
        read.note(Ok(text(90, 40)), map(7), at(1_030));
        assert_eq!((read.seen.counted(), read.seen.processes.len()), (map(5), 3));
    }

    #[test]
    fn what_cannot_be_read_is_said_until_it_can() {
        let mut read = Read::default();
        read.note(Err("HTTP status 403".to_owned()), map(2), at(1));
        assert_eq!(read.seen.unreadable.as_deref(), Some("HTTP status 403"));
        read.note(Ok(text(100, 7)), map(4), at(2));
        read.note(Ok(text(100, 8)), map(5), at(3));
        assert_eq!((read.seen.unreadable.clone(), read.seen.counted(), read.seen.ours.clone()), (None, map(1), map(1)));
    }

    #[test]
    fn replicas_that_read_the_same_server_count_it_once() {
        let seen = |[first, last]: [u64; 2], ours| {
            let mut read = Read::default();
            read.note(Ok(text(100, first)), map(0), at(1_000));
            read.note(Ok(text(100, last)), map(ours), at(1_010));
            read.seen
        };
        let mut sum = ApiServerSeen::default();
        for part in [seen([5, 9], 1), seen([4, 8], 4)] {
            sum.merge(&part);
        }
        assert_eq!((sum.counted(), sum.ours, sum.processes.len()), (map(5), map(5), 1));
    }

    #[test]
    fn places_are_urls_or_files_and_a_missing_file_is_unreadable() {
        assert!(ApiServer::at("https://", None, None).is_err());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("metrics");
        let server = ApiServer::at(&file.to_string_lossy(), None, None).unwrap();
        assert!(server.look(map(0), &[], "1.37").unreadable.unwrap().contains("metrics"));
        std::fs::write(&file, text(1, 3)).unwrap();
        let server = ApiServer::at(&file.to_string_lossy(), None, None).unwrap();
        assert_eq!(server.look(map(0), &[], "1.37").version, "v1.36.2");
        assert!(ApiServer::at("https://a/metrics", None, Some(file)).is_err(), "no certificate authority");
    }
}
