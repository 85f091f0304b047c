//! Maps of evidence: their entries merge, and with structured keys they are in JSON a list of objects that hold the members of key and
//! value.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Most signatures, and most shapes of unmigrated errors, that are kept per operation: an oracle that babbles must not eat
/// the memory.
pub(super) const MAX_SHAPES: usize = 1000;

#[derive(Serialize)]
struct Written<'e, K: Serialize, V: Serialize> {
    #[serde(flatten)]
    key: &'e K,
    #[serde(flatten)]
    value: &'e V,
}

#[derive(Deserialize)]
#[serde(bound = "K: DeserializeOwned, V: DeserializeOwned")]
struct Read<K, V> {
    #[serde(flatten)]
    key: K,
    #[serde(flatten)]
    value: V,
}

pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
    map: &BTreeMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(map.iter().map(|(key, value)| Written { key, value }))
}

pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: DeserializeOwned + Ord,
    V: DeserializeOwned,
    D: Deserializer<'de>,
{
    let entries: Vec<Read<K, V>> = Vec::deserialize(deserializer)?;
    let given = entries.len();
    let map: BTreeMap<K, V> = entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
    if map.len() < given {
        return Err(serde::de::Error::custom("an entry occurs twice"));
    }
    Ok(map)
}

/// Adds a value under a key, by `merge` if there is one already.
pub(super) fn merge_entry<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: V, merge: impl FnOnce(&mut V, V)) {
    match map.entry(key) {
        Entry::Occupied(mut known) => merge(known.get_mut(), value),
        Entry::Vacant(free) => {
            free.insert(value);
        }
    }
}
