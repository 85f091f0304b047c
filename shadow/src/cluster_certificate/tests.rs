//! Certificates by the objects that are left of them.

use super::{
    ClusterCertificate, ConfigurationName, Ensured, Objects, RENEWED, SecretName, VALID, blocks, stored, text,
};
use crate::certificate::Made;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use takeover_external::server::ObjectPath;

const HOST: &str = "takeover-shadow.takeover.svc";

/// An API server's objects, by their paths.
#[derive(Default)]
struct Store {
    objects: RefCell<BTreeMap<String, Value>>,
    /// How many more objects may be replaced.
    room: Cell<usize>,
    /// How many replacements find the object changed.
    conflicts: Cell<usize>,
}

fn key(path: &ObjectPath) -> String {
    format!("{path:?}")
}

impl Objects for Store {
    fn get(&self, path: &ObjectPath) -> anyhow::Result<Option<Value>> {
        Ok(self.objects.borrow().get(&key(path)).cloned())
    }

    fn replace(&self, path: &ObjectPath, object: &Value) -> anyhow::Result<bool> {
        if self.conflicts.get() > 0 {
            self.conflicts.set(self.conflicts.get() - 1);
            return Ok(false);
        }
        anyhow::ensure!(self.room.get() > 0, "cut off");
        self.room.set(self.room.get() - 1);
        self.objects.borrow_mut().insert(key(path), object.clone());
        Ok(true)
    }
}

struct Cluster {
    store: Store,
    wanted: ClusterCertificate,
    now: Timestamp,
}

impl Cluster {
    /// A cluster with the manifests as they are applied.
    fn new() -> Self {
        let trusted_by: Vec<ConfigurationName> =
            ["mutating/zz-takeover-shadow", "validating/takeover-shadow"].map(|name| name.parse().unwrap()).into();
        let secret: SecretName = "takeover/takeover-shadow-tls".parse().unwrap();
        let webhook = json!({"name": "shadow.takeover.dev", "clientConfig": {"service": {"name": "takeover-shadow"}}});
        let store = Store::default();
        let objects = trusted_by.iter().map(|name| (key(&name.path), json!({"webhooks": [webhook]})));
        store.objects.borrow_mut().extend(objects);
        store.objects.borrow_mut().insert(key(&secret.path), json!({"metadata": {"name": "takeover-shadow-tls"}}));
        let wanted = ClusterCertificate { secret, hosts: vec![HOST.to_owned()], trusted_by };
        Self { store, wanted, now: "2026-11-27T12:00:00Z".parse().unwrap() }
    }

    fn after(&mut self, hours: i64) {
        self.now += SignedDuration::from_hours(hours);
    }

    fn ensure(&self) -> anyhow::Result<Ensured> {
        self.cut_off(usize::MAX)
    }

    fn cut_off(&self, room: usize) -> anyhow::Result<Ensured> {
        self.store.room.set(room);
        self.wanted.ensure(&self.store, self.now)
    }

    fn certificate(&self) -> Option<Made> {
        stored(&self.store.get(&self.wanted.secret.path).unwrap().unwrap())
    }

    /// What every configuration trusts.
    fn trusted(&self) -> Vec<Vec<String>> {
        let of = |name: &ConfigurationName| {
            let object = self.store.get(&name.path).unwrap().unwrap();
            let client = object["webhooks"][0]["clientConfig"].as_object().unwrap().clone();
            assert_eq!(client["service"]["name"], "takeover-shadow", "the rest stays");
            blocks(&text(&client, "caBundle").unwrap_or_default())
        };
        self.wanted.trusted_by.iter().map(of).collect()
    }
}

#[test]
fn a_certificate_is_made_once_and_kept_while_it_is_valid_for_long_enough() {
    let mut cluster = Cluster::new();
    assert_eq!(cluster.ensure().unwrap(), Ensured::Made);
    let first = cluster.certificate().unwrap();
    assert!(first.serves(&[HOST.to_owned()], cluster.now));
    assert!(!first.serves(&["other.takeover.svc".to_owned()], cluster.now));
    assert_eq!(cluster.trusted(), vec![vec![first.authority.clone()]; 2]);
    let hours_valid = i64::from(VALID) * 24 - RENEWED.as_hours();
    for hours in [0, 1, hours_valid - 30] {
        cluster.after(hours);
        assert_eq!(cluster.ensure().unwrap(), Ensured::Kept);
        assert!(cluster.certificate().unwrap() == first);
        assert_eq!(cluster.trusted(), vec![vec![first.authority.clone()]; 2]);
    }
    // What is taken out of a configuration comes back.
    cluster.store.objects.borrow_mut().values_mut().filter(|object| object["webhooks"].is_array()).for_each(|object| {
        object["webhooks"][0]["clientConfig"]["caBundle"] = Value::Null;
    });
    assert_eq!(cluster.ensure().unwrap(), Ensured::Kept);
    assert_eq!(cluster.trusted(), vec![vec![first.authority.clone()]; 2]);
}

#[test]
fn a_certificate_is_renewed_in_time_and_the_one_before_is_trusted_while_pods_may_serve_it() {
    let mut cluster = Cluster::new();
    cluster.ensure().unwrap();
    let first = cluster.certificate().unwrap();
    cluster.after(i64::from(VALID) * 24 - RENEWED.as_hours());
    assert_eq!(cluster.ensure().unwrap(), Ensured::Renewed);
    let second = cluster.certificate().unwrap();
    assert!(first.authority != second.authority && first.key != second.key);
    assert!(second.serves(&[HOST.to_owned()], cluster.now + RENEWED));
    let both = vec![second.authority.clone(), first.authority.clone()];
    assert_eq!(cluster.trusted(), vec![both.clone(); 2]);
    assert_eq!(cluster.ensure().unwrap(), Ensured::Kept);
    assert_eq!(cluster.trusted(), vec![both; 2], "a pod may still serve the first");
    cluster.after(2);
    assert_eq!(cluster.ensure().unwrap(), Ensured::Kept);
    assert_eq!(cluster.trusted(), vec![vec![second.authority]; 2]);
}

#[test]
fn a_certificate_for_other_hosts_or_with_another_key_is_replaced() {
    let mut cluster = Cluster::new();
    cluster.ensure().unwrap();
    let first = cluster.certificate().unwrap();
    cluster.wanted.hosts.push("takeover-shadow.takeover.svc.cluster.local".to_owned());
    assert_eq!(cluster.ensure().unwrap(), Ensured::Renewed);
    let second = cluster.certificate().unwrap();
    let mut secret = cluster.store.get(&cluster.wanted.secret.path).unwrap().unwrap();
    super::store(&mut secret, &Made { key: first.key, ..second }, cluster.now);
    cluster.store.replace(&cluster.wanted.secret.path, &secret).unwrap();
    assert_eq!(cluster.ensure().unwrap(), Ensured::Renewed);
}

#[test]
fn a_certificate_whose_secret_is_emptied_is_not_trusted_any_more() {
    let cluster = Cluster::new();
    cluster.ensure().unwrap();
    cluster.store.objects.borrow_mut().insert(key(&cluster.wanted.secret.path), json!({"metadata": {}, "data": null}));
    assert_eq!(cluster.ensure().unwrap(), Ensured::Made);
    assert_eq!(cluster.trusted(), vec![vec![cluster.certificate().unwrap().authority]; 2]);
}

#[test]
fn wherever_it_is_cut_off_what_is_served_is_trusted_and_the_next_run_ends_it() {
    for room in 0..3 {
        let mut cluster = Cluster::new();
        cluster.cut_off(room).unwrap_err();
        assert!(cluster.certificate().is_none(), "trusted first");
        assert_eq!(cluster.ensure().unwrap(), Ensured::Made);
        let first = cluster.certificate().unwrap();
        cluster.after(24 * i64::from(VALID));
        cluster.cut_off(room).unwrap_err();
        assert!(cluster.trusted().iter().all(|trusted| trusted.contains(&first.authority)), "{room}");
        assert_eq!(cluster.ensure().unwrap(), Ensured::Renewed);
        let second = cluster.certificate().unwrap();
        let trusts = |trusted: &Vec<String>| trusted.len() <= 3 && trusted.first() == Some(&second.authority);
        assert!(cluster.trusted().iter().all(trusts), "{room}");
    }
}

#[test]
fn what_others_change_meanwhile_is_read_again_and_what_is_missing_is_named() {
    let cluster = Cluster::new();
    cluster.store.conflicts.set(3);
    assert_eq!(cluster.ensure().unwrap(), Ensured::Made);
    cluster.store.objects.borrow_mut().insert(key(&cluster.wanted.secret.path), json!({"metadata": {}}));
    cluster.store.conflicts.set(100);
    assert!(cluster.ensure().unwrap_err().to_string().contains("is changed by others all the time"));
    cluster.store.objects.borrow_mut().retain(|_, object| !object["webhooks"].is_array());
    assert!(
        cluster.ensure().unwrap_err().to_string().contains("no webhook configuration `mutating/zz-takeover-shadow`")
    );
    cluster.store.objects.borrow_mut().clear();
    assert!(cluster.ensure().unwrap_err().to_string().contains("no Secret `takeover/takeover-shadow-tls`"));
    for wrong in ["takeover", "/a", "a/", "a/b/c", "a/b?c"] {
        wrong.parse::<SecretName>().unwrap_err();
    }
    for wrong in ["a", "mutating/", "other/a", "mutating/a/b"] {
        wrong.parse::<ConfigurationName>().unwrap_err();
    }
}
