//! What happens to certificate signing requests before validation: defaults of `v1beta1`, and what each endpoint keeps.

use super::signer_name::LEGACY_UNKNOWN;
use super::x509::{Subject, request_subject};
use crate::strategy::REQUEST_TIME;
use takeover_harness::object::{Edit, Instant, Node};

/// Members of a condition.
const CONDITION: [&str; 6] = ["type", "status", "reason", "message", "lastUpdateTime", "lastTransitionTime"];

/// Defaults of `v1beta1`: usages, a signer found from the request, and the status of conditions.
pub(super) fn default_request(request: &mut Edit<'_>) {
    request.edit("spec", |spec| {
        if spec.get("usages").is_unset() {
            let usages = [Node::Text("digital signature"), Node::Text("key encipherment")];
            spec.set("usages", Node::List(spec.arena().alloc_slice_copy(&usages)));
        }
        if spec.get("signerName").is_unset() {
            let request = match spec.get("request") {
                Node::Bytes(bytes) => bytes,
                _ => &[],
            };
            let usages: Vec<&str> = spec.get("usages").items().iter().map(Node::text).collect();
            let signer = request_subject(request).map_or(LEGACY_UNKNOWN, |subject| default_signer(&subject, usages));
            spec.set("signerName", Node::Text(signer));
        }
    });
    request.edit("status", |status| {
        status.edit_each("conditions", |condition| condition.set_default_text("status", "True"));
    });
}

/// The signer of kubelets' client or serving certificates, when the request is one of a kubelet.
fn default_signer(subject: &Subject, mut usages: Vec<&str>) -> &'static str {
    usages.sort_unstable();
    usages.dedup();
    usages.retain(|usage| *usage != "key encipherment");
    let kubelet = subject.organizations == ["system:nodes"]
        && subject.common_name.starts_with("system:node:")
        && !subject.emails
        && !subject.uris;
    let reachable = subject.dns_names || subject.addresses;
    match usages.as_slice() {
        ["client auth", "digital signature"] if kubelet && !reachable => "kubernetes.io/kube-apiserver-client-kubelet",
        ["digital signature", "server auth"] if kubelet && reachable => "kubernetes.io/kubelet-serving",
        _ => LEGACY_UNKNOWN,
    }
}

/// What each endpoint keeps. A new request says neither who makes it nor how it stands; the main endpoint changes metadata
/// only, `/status` no approval, and `/approval` conditions only.
pub(super) fn prepare<'a>(request: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    let Some(old) = old else {
        request
            .edit("spec", |spec| ["username", "uid", "groups", "extra"].into_iter().for_each(|name| spec.clear(name)));
        request.clear("status");
        return;
    };
    request.copy("spec", old);
    let Some(stored) = old.inside("status") else { return };
    match subresource {
        "" => request.copy("status", old),
        "status" => request.edit("status", |status| {
            keep_conditions(status, &stored, "Approved");
            keep_conditions(status, &stored, "Denied");
            set_times(status, &stored);
        }),
        _ => request.edit("status", |status| {
            status.copy("certificate", &stored);
            set_times(status, &stored);
        }),
    }
}

/// Puts stored conditions of a type in the places of the new ones, when they are equally many.
fn keep_conditions<'a>(status: &mut Edit<'a>, stored: &Edit<'a>, name: &str) {
    let of = |status: &Edit<'a>| -> Vec<Edit<'a>> {
        status.elements("conditions").filter(|condition| condition.text("type") == name).collect()
    };
    let kept = of(stored);
    if kept.len() != of(status).len() {
        return;
    }
    let mut kept = kept.iter();
    status.edit_each("conditions", |condition| {
        if condition.text("type") == name
            && let Some(stored) = kept.next()
        {
            CONDITION.into_iter().for_each(|member| condition.copy(member, stored));
        }
    });
}

/// Dates conditions that have no dates. A transition keeps the date of a stored condition of the same type and status.
fn set_times<'a>(status: &mut Edit<'a>, stored: &Edit<'a>) {
    let now = Instant::parse(REQUEST_TIME).map_or(Node::Unset, Node::Time);
    status.edit_each("conditions", |condition| {
        condition.set_default("lastUpdateTime", now);
        let same =
            |stored: &Edit<'a>| ["type", "status"].into_iter().all(|name| stored.text(name) == condition.text(name));
        let dates = stored.elements("conditions").filter(same).map(|stored| stored.get("lastTransitionTime"));
        let date = dates.into_iter().find(|date| !date.is_unset()).unwrap_or(now);
        condition.set_default("lastTransitionTime", date);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_kubelets_tell_their_signer() {
        let (client, serving) = ("kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving");
        let subject = |organization: &str, name: &str, dns_names, emails| Subject {
            organizations: vec![organization.to_owned()],
            common_name: name.to_owned(),
            dns_names,
            emails,
            ..Subject::default()
        };
        let node = |dns_names| subject("system:nodes", "system:node:a", dns_names, false);
        let (sign, encipher) = ("digital signature", "key encipherment");
        for (subject, usages, signer) in [
            (node(false), vec![sign, encipher, "client auth"], client),
            (node(false), vec!["client auth", sign, sign], client),
            (node(true), vec![sign, "client auth"], LEGACY_UNKNOWN),
            (node(true), vec![sign, encipher, "server auth"], serving),
            (node(false), vec![sign, "server auth"], LEGACY_UNKNOWN),
            (node(true), vec![sign, "server auth", "client auth"], LEGACY_UNKNOWN),
            (node(true), vec![encipher, "server auth"], LEGACY_UNKNOWN),
            (subject("system:nodes", "a", false, false), vec![sign, "client auth"], LEGACY_UNKNOWN),
            (subject("nodes", "system:node:a", false, false), vec![sign, "client auth"], LEGACY_UNKNOWN),
            (subject("system:nodes", "system:node:a", true, true), vec![sign, "server auth"], LEGACY_UNKNOWN),
        ] {
            assert_eq!(default_signer(&subject, usages.clone()), signer, "{subject:?} {usages:?}");
        }
    }
}
