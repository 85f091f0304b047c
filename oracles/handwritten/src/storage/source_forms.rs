//! The sources of persistent volumes but CSI, as Kubernetes shows them in errors: Go's names, and every member.

use serde::Serialize;
use serde_json::{Map, Value, json};
use takeover_harness::error::BadValue;

/// What a member holds that is not set.
#[derive(Clone, Copy)]
pub(super) enum Zero {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A boolean.
    Flag,
    /// A pointer, list or map.
    Nil,
    /// A reference, of which Go's names of the members are these.
    Reference(&'static [Member]),
}

/// Go's name of a member, its JSON name, and what it holds that is not set.
pub(super) type Member = (&'static str, &'static str, Zero);

/// A source in Go's form.
pub(super) type Form = &'static [Member];

const SECRET: Zero = Zero::Reference(&[("Name", "name", Zero::Text), ("Namespace", "namespace", Zero::Text)]);
const OBJECT: Zero = Zero::Reference(&[
    ("Kind", "kind", Zero::Text),
    ("Namespace", "namespace", Zero::Text),
    ("Name", "name", Zero::Text),
    ("UID", "uid", Zero::Text),
    ("APIVersion", "apiVersion", Zero::Text),
    ("ResourceVersion", "resourceVersion", Zero::Text),
    ("FieldPath", "fieldPath", Zero::Text),
]);
const FILE_SYSTEM: Member = ("FSType", "fsType", Zero::Text);
const READ_ONLY: Member = ("ReadOnly", "readOnly", Zero::Flag);
const SECRET_REF: Member = ("SecretRef", "secretRef", SECRET);
const VOLUME_ID: Member = ("VolumeID", "volumeID", Zero::Text);

pub(super) const GCE_DISK: Form =
    &[("PDName", "pdName", Zero::Text), FILE_SYSTEM, ("Partition", "partition", Zero::Number), READ_ONLY];
pub(super) const AWS_STORE: Form = &[VOLUME_ID, FILE_SYSTEM, ("Partition", "partition", Zero::Number), READ_ONLY];
pub(super) const HOST_PATH: Form = &[("Path", "path", Zero::Text), ("Type", "type", Zero::Nil)];
pub(super) const GLUSTERFS: Form = &[
    ("EndpointsName", "endpoints", Zero::Text),
    ("Path", "path", Zero::Text),
    READ_ONLY,
    ("EndpointsNamespace", "endpointsNamespace", Zero::Nil),
];
pub(super) const NFS: Form = &[("Server", "server", Zero::Text), ("Path", "path", Zero::Text), READ_ONLY];
pub(super) const RBD: Form = &[
    ("CephMonitors", "monitors", Zero::Nil),
    ("RBDImage", "image", Zero::Text),
    FILE_SYSTEM,
    ("RBDPool", "pool", Zero::Text),
    ("RadosUser", "user", Zero::Text),
    ("Keyring", "keyring", Zero::Text),
    SECRET_REF,
    READ_ONLY,
];
pub(super) const QUOBYTE: Form = &[
    ("Registry", "registry", Zero::Text),
    ("Volume", "volume", Zero::Text),
    READ_ONLY,
    ("User", "user", Zero::Text),
    ("Group", "group", Zero::Text),
    ("Tenant", "tenant", Zero::Text),
];
pub(super) const ISCSI: Form = &[
    ("TargetPortal", "targetPortal", Zero::Text),
    ("IQN", "iqn", Zero::Text),
    ("Lun", "lun", Zero::Number),
    ("ISCSIInterface", "iscsiInterface", Zero::Text),
    FILE_SYSTEM,
    READ_ONLY,
    ("Portals", "portals", Zero::Nil),
    ("DiscoveryCHAPAuth", "chapAuthDiscovery", Zero::Flag),
    ("SessionCHAPAuth", "chapAuthSession", Zero::Flag),
    SECRET_REF,
    ("InitiatorName", "initiatorName", Zero::Nil),
];
pub(super) const FLEX: Form =
    &[("Driver", "driver", Zero::Text), FILE_SYSTEM, SECRET_REF, READ_ONLY, ("Options", "options", Zero::Nil)];
pub(super) const CINDER: Form = &[VOLUME_ID, FILE_SYSTEM, READ_ONLY, SECRET_REF];
pub(super) const CEPH: Form = &[
    ("Monitors", "monitors", Zero::Nil),
    ("Path", "path", Zero::Text),
    ("User", "user", Zero::Text),
    ("SecretFile", "secretFile", Zero::Text),
    SECRET_REF,
    READ_ONLY,
];
pub(super) const FIBRE_CHANNEL: Form = &[
    ("TargetWWNs", "targetWWNs", Zero::Nil),
    ("Lun", "lun", Zero::Nil),
    FILE_SYSTEM,
    READ_ONLY,
    ("WWIDs", "wwids", Zero::Nil),
];
pub(super) const FLOCKER: Form =
    &[("DatasetName", "datasetName", Zero::Text), ("DatasetUUID", "datasetUUID", Zero::Text)];
pub(super) const AZURE_FILE: Form = &[
    ("SecretName", "secretName", Zero::Text),
    ("ShareName", "shareName", Zero::Text),
    READ_ONLY,
    ("SecretNamespace", "secretNamespace", Zero::Nil),
];
pub(super) const VSPHERE: Form = &[
    ("VolumePath", "volumePath", Zero::Text),
    FILE_SYSTEM,
    ("StoragePolicyName", "storagePolicyName", Zero::Text),
    ("StoragePolicyID", "storagePolicyID", Zero::Text),
];
pub(super) const AZURE_DISK: Form = &[
    ("DiskName", "diskName", Zero::Text),
    ("DataDiskURI", "diskURI", Zero::Text),
    ("CachingMode", "cachingMode", Zero::Nil),
    ("FSType", "fsType", Zero::Nil),
    ("ReadOnly", "readOnly", Zero::Nil),
    ("Kind", "kind", Zero::Nil),
];
pub(super) const PHOTON: Form = &[("PdID", "pdID", Zero::Text), FILE_SYSTEM];
pub(super) const PORTWORX: Form = &[VOLUME_ID, FILE_SYSTEM, READ_ONLY];
pub(super) const SCALE_IO: Form = &[
    ("Gateway", "gateway", Zero::Text),
    ("System", "system", Zero::Text),
    SECRET_REF,
    ("SSLEnabled", "sslEnabled", Zero::Flag),
    ("ProtectionDomain", "protectionDomain", Zero::Text),
    ("StoragePool", "storagePool", Zero::Text),
    ("StorageMode", "storageMode", Zero::Text),
    ("VolumeName", "volumeName", Zero::Text),
    FILE_SYSTEM,
    READ_ONLY,
];
pub(super) const LOCAL: Form = &[("Path", "path", Zero::Text), ("FSType", "fsType", Zero::Nil)];
pub(super) const STORAGE_OS: Form = &[
    ("VolumeName", "volumeName", Zero::Text),
    ("VolumeNamespace", "volumeNamespace", Zero::Text),
    FILE_SYSTEM,
    READ_ONLY,
    ("SecretRef", "secretRef", OBJECT),
];

/// A source as Go prints it; null when it is not set.
pub(super) fn source(source: Option<&impl Serialize>, form: Form) -> BadValue {
    match source.map(|source| json!(source)) {
        Some(Value::Object(set)) => go_form(set, form),
        _ => BadValue::Null,
    }
}

/// A source as Go prints it, without the member `absent`, which its struct has all the same.
pub(super) fn source_without(source: Option<&impl Serialize>, form: Form, absent: Option<&str>) -> BadValue {
    match source.map(|source| json!(source)) {
        Some(Value::Object(mut set)) => {
            set.retain(|name, _| Some(name.as_str()) != absent);
            go_form(set, form)
        }
        _ => BadValue::Null,
    }
}

fn go_form(mut set: Map<String, Value>, form: Form) -> BadValue {
    let member = |&(go_name, json_name, zero): &Member| {
        let value = match (set.remove(json_name).unwrap_or(Value::Null), zero) {
            (Value::Object(set), Zero::Reference(form)) => go_form(set, form),
            (Value::Null, Zero::Text) => "".into(),
            (Value::Null, Zero::Number) => 0.into(),
            (Value::Null, Zero::Flag) => false.into(),
            (value, _) => value.into(),
        };
        (go_name, value)
    };
    BadValue::Struct(form.iter().map(member).collect())
}
