//! The certificate of the webhook in a cluster: made, renewed, and trusted by the webhook configurations, through the API server.

use crate::certificate::{Made, make_on};
use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;
use takeover_external::server::{NamedObjects, ObjectPath};

/// How long a certificate is valid, in days.
const VALID: i32 = 365;

/// When it is renewed: so long before its end.
const RENEWED: SignedDuration = SignedDuration::from_hours(24 * 120);

/// How long pods may serve the certificate before, which stays trusted meanwhile.
const TAKEN_OVER: SignedDuration = SignedDuration::from_hours(1);

/// Most authorities that are trusted at the same time.
const MOST_TRUSTED: usize = 3;

/// When the certificate was made, as an annotation of its Secret.
const MADE: &str = "takeover.dev/certificate-made";

/// How often it is tried again when somebody else changes the objects meanwhile.
const ATTEMPTS: usize = 5;

/// Where a certificate is kept, what it is for, and who trusts it.
#[derive(Clone, Debug)]
pub struct ClusterCertificate {
    /// The Secret, which has to be there.
    pub secret: SecretName,
    /// Host names of the webhook.
    pub hosts: Vec<String>,
    /// Webhook configurations, which have to be there.
    pub trusted_by: Vec<ConfigurationName>,
}

/// A Secret: `NAMESPACE/NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretName {
    namespace: String,
    name: String,
    path: ObjectPath,
}

/// A webhook configuration: `mutating/NAME` or `validating/NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationName {
    shown: String,
    path: ObjectPath,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ensured {
    /// The certificate is valid for long enough.
    Kept,
    /// There was none that could be used.
    Made,
    /// It would have ended soon. The one before stays trusted until the next time.
    Renewed,
}

impl FromStr for SecretName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (namespace, name) = text.split_once('/').filter(|(namespace, _)| !namespace.is_empty())?;
            let path = ObjectPath::new("/api/v1", Some(namespace), "secrets", name)?;
            Some(Self { namespace: namespace.to_owned(), name: name.to_owned(), path })
        };
        read().ok_or_else(|| "expected NAMESPACE/NAME of a Secret".to_owned())
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl FromStr for ConfigurationName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (kind, name) = text.split_once('/')?;
            let plural = match kind {
                "mutating" => "mutatingwebhookconfigurations",
                "validating" => "validatingwebhookconfigurations",
                _ => return None,
            };
            let path = ObjectPath::new("/apis/admissionregistration.k8s.io/v1", None, plural, name)?;
            Some(Self { shown: text.to_owned(), path })
        };
        read().ok_or_else(|| "expected mutating/NAME or validating/NAME of a webhook configuration".to_owned())
    }
}

/// Where objects are read and replaced.
pub trait Objects {
    /// The object; none if there is none.
    ///
    /// # Errors
    /// Returns an error when it cannot be read.
    fn get(&self, path: &ObjectPath) -> anyhow::Result<Option<Value>>;

    /// Replaces an object. False if it was changed since it was read.
    ///
    /// # Errors
    /// Returns an error when it cannot be replaced.
    fn replace(&self, path: &ObjectPath, object: &Value) -> anyhow::Result<bool>;
}

impl Objects for NamedObjects {
    fn get(&self, path: &ObjectPath) -> anyhow::Result<Option<Value>> {
        Ok(Self::get(self, path)?)
    }

    fn replace(&self, path: &ObjectPath, object: &Value) -> anyhow::Result<bool> {
        Ok(Self::replace(self, path, object)?)
    }
}

impl ClusterCertificate {
    /// Makes or renews the certificate, unless the one that is there is valid for long enough, and has the configurations trust it.
    ///
    /// Wherever this is cut off, what pods serve is trusted: an authority is trusted before its certificate is in the Secret, and the one
    /// before is forgotten only by a later run.
    ///
    /// # Errors
    /// Returns an error when the Secret or a configuration is not there, cannot be changed, or is changed by others all the time.
    pub fn ensure(&self, objects: &dyn Objects, now: Timestamp) -> anyhow::Result<Ensured> {
        for _ in 0..ATTEMPTS {
            if let Some(ensured) = self.attempt(objects, now)? {
                return Ok(ensured);
            }
        }
        anyhow::bail!("the Secret `{}` or a webhook configuration is changed by others all the time", self.secret)
    }

    /// None when an object was changed meanwhile.
    fn attempt(&self, objects: &dyn Objects, now: Timestamp) -> anyhow::Result<Option<Ensured>> {
        let missing = || format!("there is no Secret `{}`: the manifests create it empty", self.secret);
        let mut secret = objects.get(&self.secret.path)?.with_context(missing)?;
        let current = stored(&secret);
        if let Some(current) = current.as_ref().filter(|current| self.is_usable(current, now)) {
            let is_new = made_at(&secret).is_some_and(|at| now.duration_since(at) < TAKEN_OVER);
            let trusts = |before: &[String]| {
                if is_new && before.contains(&current.authority) {
                    return before.to_vec();
                }
                vec![current.authority.clone()]
            };
            return Ok(self.trusted(objects, &trusts)?.then_some(Ensured::Kept));
        }
        let made = make_on(&self.hosts, now.to_zoned(TimeZone::UTC).date(), Span::new().days(VALID))?;
        let trusts = |before: &[String]| {
            // Where there is no certificate, none is served that anybody has to trust.
            let others = before.iter().filter(|_| current.is_some());
            std::iter::once(&made.authority).chain(others).take(MOST_TRUSTED).cloned().collect()
        };
        if !self.trusted(objects, &trusts)? {
            return Ok(None);
        }
        store(&mut secret, &made, now);
        let ensured = if current.is_some() { Ensured::Renewed } else { Ensured::Made };
        Ok(objects.replace(&self.secret.path, &secret)?.then_some(ensured))
    }

    fn is_usable(&self, current: &Made, now: Timestamp) -> bool {
        let later = now.saturating_add(RENEWED).unwrap_or(now);
        current.serves(&self.hosts, now) && current.serves(&self.hosts, later)
    }

    /// Has every configuration trust what `trusts` makes of the authorities that it trusts now. False when one was changed meanwhile.
    fn trusted(&self, objects: &dyn Objects, trusts: &dyn Fn(&[String]) -> Vec<String>) -> anyhow::Result<bool> {
        for ConfigurationName { shown, path } in &self.trusted_by {
            let missing = || format!("there is no webhook configuration `{shown}`");
            let mut configuration = objects.get(path)?.with_context(missing)?;
            let before = configuration.clone();
            let webhooks = configuration.get_mut("webhooks").and_then(Value::as_array_mut).into_iter().flatten();
            for webhook in webhooks {
                let client = webhook.get_mut("clientConfig").and_then(Value::as_object_mut);
                let client = client.with_context(|| format!("a webhook of `{shown}` has no `clientConfig`"))?;
                let bundle = trusts(&blocks(&text(client, "caBundle").unwrap_or_default())).concat();
                client.insert("caBundle".to_owned(), STANDARD.encode(bundle).into());
            }
            if configuration != before && !objects.replace(path, &configuration)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What stands there in base64.
fn text(map: &Map<String, Value>, name: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(map.get(name)?.as_str()?).ok()?).ok()
}

/// The certificate that a Secret holds, of whatever use it is; none if it holds none.
fn stored(secret: &Value) -> Option<Made> {
    let data = secret.get("data")?.as_object()?;
    let [authority, certificate, key] = ["ca.crt", "tls.crt", "tls.key"].map(|name| text(data, name));
    Some(Made { authority: authority.unwrap_or_default(), certificate: certificate?, key: key? })
}

/// Puts a certificate into a Secret. Other data stay.
fn store(secret: &mut Value, made: &Made, now: Timestamp) {
    if let Some(data) = member(secret, "data") {
        for (name, text) in [("ca.crt", &made.authority), ("tls.crt", &made.certificate), ("tls.key", &made.key)] {
            data.insert(name.to_owned(), STANDARD.encode(text).into());
        }
    }
    let metadata = secret.get_mut("metadata");
    if let Some(annotations) = metadata.and_then(|metadata| member(metadata, "annotations")) {
        annotations.insert(MADE.to_owned(), now.to_string().into());
    }
}

/// The map of this name in an object, which is made if it is not there.
fn member<'o>(object: &'o mut Value, name: &str) -> Option<&'o mut Map<String, Value>> {
    let member = object.as_object_mut()?.entry(name).or_insert(Value::Null);
    if member.is_null() {
        *member = Map::new().into();
    }
    member.as_object_mut()
}

fn made_at(secret: &Value) -> Option<Timestamp> {
    secret.get("metadata")?.get("annotations")?.get(MADE)?.as_str()?.parse().ok()
}

/// The certificates of a bundle, each as PEM.
fn blocks(bundle: &str) -> Vec<String> {
    const END: &str = "-----END CERTIFICATE-----";
    bundle
        .split_inclusive(END)
        .filter(|block| block.ends_with(END))
        .map(|block| format!("{}\n", block.trim_start()))
        .collect()
}

#[cfg(test)]
mod tests;
