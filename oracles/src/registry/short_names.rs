//! What `kubectl` accepts instead of a kind.

/// Short names of resources and their kinds, as `kubectl api-resources` lists them.
const SHORT_NAMES: [(&str, &str); 25] = [
    ("cj", "CronJob"),
    ("cm", "ConfigMap"),
    ("csr", "CertificateSigningRequest"),
    ("deploy", "Deployment"),
    ("ds", "DaemonSet"),
    ("ep", "Endpoints"),
    ("ev", "Event"),
    ("hpa", "HorizontalPodAutoscaler"),
    ("ing", "Ingress"),
    ("limits", "LimitRange"),
    ("netpol", "NetworkPolicy"),
    ("no", "Node"),
    ("ns", "Namespace"),
    ("pc", "PriorityClass"),
    ("pdb", "PodDisruptionBudget"),
    ("po", "Pod"),
    ("pv", "PersistentVolume"),
    ("pvc", "PersistentVolumeClaim"),
    ("quota", "ResourceQuota"),
    ("rc", "ReplicationController"),
    ("rs", "ReplicaSet"),
    ("sa", "ServiceAccount"),
    ("sc", "StorageClass"),
    ("sts", "StatefulSet"),
    ("svc", "Service"),
];

/// The kind that a short name or a plural in `s` stands for.
pub(super) fn kind(name: &str) -> Option<&str> {
    let short = SHORT_NAMES.iter().find(|(short, _)| short.eq_ignore_ascii_case(name));
    short.map(|(_, kind)| *kind).or_else(|| name.strip_suffix('s'))
}
