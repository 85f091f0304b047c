//! What the driver of a recording knew: every request it sent, with the object before it.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use takeover_corpora::fixture;

/// Requests by audit id.
#[derive(Debug, Default)]
pub(super) struct Truth {
    numbers: HashSet<u64>,
    /// None where two requests have the same id.
    calls: HashMap<String, Option<Call>>,
    /// Objects as answers show them, by `apiVersion`, uid and resource version; none where several answers show the same version.
    stored: HashMap<(String, String), BTreeMap<u64, Option<Value>>>,
}

/// A request that was sent.
#[derive(Debug)]
pub(super) struct Call {
    /// Its number.
    pub n: u64,
    /// What the path of the request showed just before it, without managed fields.
    pub before: Option<Value>,
    /// Whether others were sent at the same time.
    pub concurrent: bool,
    /// Whether the server validated the object.
    pub judged: bool,
    /// `apiVersion`, uid and resource version of what the request stored.
    left: Option<(String, String, u64)>,
}

#[derive(Deserialize)]
struct Line {
    n: u64,
    audit_id: Option<String>,
    before: Option<Value>,
    before_subresource: Option<Value>,
    concurrent: Option<Value>,
    #[serde(default)]
    method: String,
    #[serde(default)]
    path: String,
    http_code: u16,
    response_body: Option<Value>,
}

impl Truth {
    /// Reads the requests of a recording.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut truth = Self::default();
        for line in lines::<Line>(&file(folder, "requests.jsonl")?)? {
            let line = line?;
            truth.numbers.insert(line.n);
            let left = line.response_body.as_ref().filter(|_| line.http_code < 300).and_then(version_of);
            let left = left.filter(|_| line.method != "GET" && !line.path.contains("dryRun="));
            if let (Some((api_version, uid, version)), Some(body)) = (left.clone(), &line.response_body) {
                let of_object = truth.stored.entry((api_version, uid)).or_default();
                let stored = Some(unmanaged(body.clone()));
                of_object.entry(version).and_modify(|several| *several = None).or_insert(stored);
            }
            let Some(id) = line.audit_id else { continue };
            let causes = line.response_body.as_ref().and_then(|body| body.pointer("/details/causes"));
            let refused = line.http_code == 422 && causes.and_then(Value::as_array).is_some_and(|all| !all.is_empty());
            let call = Call {
                n: line.n,
                before: line.before_subresource.or(line.before).filter(Value::is_object).map(unmanaged),
                concurrent: line.concurrent.is_some_and(|mark| mark != Value::Bool(false) && !mark.is_null()),
                judged: refused || (200..300).contains(&line.http_code),
                left,
            };
            truth.calls.entry(id).and_modify(|call| *call = None).or_insert(Some(call));
        }
        Ok(truth)
    }

    /// Whether there is a request of this number.
    pub(super) fn has(&self, n: u64) -> bool {
        self.numbers.contains(&n)
    }

    /// What a request replaced, in so far as that is known. Of requests at the same time, what their path showed just before is not
    /// certain to be that: the answers tell which version came before the one that was stored. `every` time that the server judged a
    /// request, it may have been on another version since then, each of which is one.
    pub(super) fn replaced<'t>(&'t self, call: &'t Call, every: bool) -> Vec<&'t Value> {
        let before = call.before.as_ref();
        let told: Vec<&Value> = if call.concurrent { self.told(call).collect() } else { Vec::new() };
        match told.last() {
            None => before.into_iter().collect(),
            Some(last) if !every => vec![*last],
            Some(_) => before.into_iter().chain(told).collect(),
        }
    }

    /// The versions between what the path of a request showed and what it stored, where nobody else stored that.
    fn told<'t>(&'t self, call: &'t Call) -> impl Iterator<Item = &'t Value> {
        let versions = call.left.as_ref().and_then(|(api_version, uid, version)| {
            let versions = self.stored.get(&(api_version.clone(), uid.clone()))?;
            // A version that several answers show was stored by one of them and left in place by the others.
            versions.get(version)?.as_ref()?;
            let (_, _, since) = version_of(call.before.as_ref()?)?;
            Some(versions.range(since.min(*version)..*version).filter_map(|(_, object)| object.as_ref()))
        });
        versions.into_iter().flatten()
    }

    /// The request of an audit id, where there is one only.
    pub(super) fn call(&self, audit_id: &str) -> Option<&Call> {
        self.calls.get(audit_id)?.as_ref()
    }
}

/// The lines of a file.
///
/// # Errors
/// When it cannot be opened; then, of each line, when it is not as it should be.
pub(super) fn lines<T: serde::de::DeserializeOwned>(
    file: &Path,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<T>>> {
    let place = file.display().to_string();
    Ok(fixture::lines(file)?.map(move |line| {
        let line = line?;
        serde_json::from_slice(&line.text).map_err(|error| anyhow::anyhow!("{place}:{}: {error}", line.number))
    }))
}

/// A file of a recording, plain or compressed.
///
/// # Errors
/// When there is neither.
pub(super) fn file(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let both = [folder.join(name), folder.join(format!("{name}.gz"))];
    both.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        anyhow::anyhow!("`{}` holds no `{name}` or `{name}.gz`: it is not a folder of recordings", folder.display())
    })
}

/// `apiVersion`, uid and resource version of an object.
fn version_of(object: &Value) -> Option<(String, String, u64)> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str);
    let version = text("/metadata/resourceVersion")?.parse().ok()?;
    Some((text("/apiVersion")?.to_owned(), text("/metadata/uid")?.to_owned(), version))
}

/// An object without what audit logs leave out.
pub(super) fn unmanaged(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}
