//! What the driver of a recording knew: every request it sent, with the object before it.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use takeover_corpora::fixture;

/// Requests by audit id.
#[derive(Debug, Default)]
pub struct Truth {
    numbers: HashSet<u64>,
    /// None where two requests have the same id.
    calls: HashMap<String, Option<Call>>,
}

/// A request that was sent.
#[derive(Debug)]
pub struct Call {
    /// Its number.
    pub n: u64,
    /// What the path of the request showed just before it, without managed fields.
    pub before: Option<Value>,
    /// Whether others were sent at the same time.
    pub concurrent: bool,
    /// Whether the server validated the object.
    pub judged: bool,
}

#[derive(Deserialize)]
struct Line {
    n: u64,
    audit_id: Option<String>,
    before: Option<Value>,
    before_subresource: Option<Value>,
    concurrent: Option<Value>,
    http_code: u16,
    response_body: Option<Value>,
}

impl Truth {
    /// Reads the requests of a recording.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut truth = Self::default();
        for line in lines::<Line>(&file(folder, "requests.jsonl")?)? {
            let line = line?;
            truth.numbers.insert(line.n);
            let Some(id) = line.audit_id else { continue };
            let causes = line.response_body.as_ref().and_then(|body| body.pointer("/details/causes"));
            let refused = line.http_code == 422 && causes.and_then(Value::as_array).is_some_and(|all| !all.is_empty());
            let call = Call {
                n: line.n,
                before: line.before_subresource.or(line.before).filter(Value::is_object).map(unmanaged),
                concurrent: line.concurrent.is_some_and(|mark| mark != Value::Bool(false) && !mark.is_null()),
                judged: refused || (200..300).contains(&line.http_code),
            };
            truth.calls.entry(id).and_modify(|call| *call = None).or_insert(Some(call));
        }
        Ok(truth)
    }

    /// Whether there is a request of this number.
    pub fn has(&self, n: u64) -> bool {
        self.numbers.contains(&n)
    }

    /// The request of an audit id, where there is one only.
    pub fn call(&self, audit_id: &str) -> Option<&Call> {
        self.calls.get(audit_id)?.as_ref()
    }
}

/// The lines of a file.
///
/// # Errors
/// When it cannot be opened; then, of each line, when it is not as it should be.
pub fn lines<T: serde::de::DeserializeOwned>(file: &Path) -> anyhow::Result<impl Iterator<Item = anyhow::Result<T>>> {
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
pub fn file(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let both = [folder.join(name), folder.join(format!("{name}.gz"))];
    both.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        anyhow::anyhow!("`{}` holds no `{name}` or `{name}.gz`: it is no folder of recordings", folder.display())
    })
}

/// An object without what audit logs leave out.
pub fn unmanaged(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}
