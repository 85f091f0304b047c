//! What `kubectl kustomize` makes of each variant.

use super::{as_kubernetes_reads_it, assert_valid, complaints, copy, deploy, documents, kustomized, of_kind, through};
use assert_cmd::Command;
use k8s_openapi::api;
use serde_json::{Value, json};
use takeover_corpora::load::{Input, Limits, load};

#[test]
fn each_variant_builds_with_its_certificate() {
    let folder = deploy();
    let Some(objects) = kustomized(&folder.join("self-signed")) else { return };
    assert_valid(&objects);
    let of = |objects: &[Value], kind: &str| objects.iter().find(|object| object["kind"] == kind).unwrap().clone();
    let webhook = of(&objects, "MutatingWebhookConfiguration");
    let plain = of_kind("MutatingWebhookConfiguration");
    assert_eq!(webhook["webhooks"], plain["webhooks"], "the Job adds whom to trust");
    let secret = of(&objects, "Secret");
    assert_eq!(secret["data"], Value::Null, "applying it again leaves the certificate alone");
    let volumes = of(&objects, "Deployment")["spec"]["template"]["spec"]["volumes"].clone();
    let mounts =
        |name: &Value| volumes.as_array().unwrap().iter().any(|volume| volume["secret"]["secretName"] == *name);
    assert!(mounts(&secret["metadata"]["name"]), "{volumes}");
    // A key that is not there keeps the kubelet from starting the pod.
    let tls = volumes.as_array().unwrap().iter().find(|volume| volume["name"] == "tls").unwrap().clone();
    let keys = tls["secret"]["items"].as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap());
    assert_eq!(keys.collect::<Vec<_>>(), ["tls.crt", "tls.key"]);
    assert_eq!(tls["secret"]["optional"], Value::Null);
    assert!(of(&objects, "ConfigMap")["data"]["shadow.toml"].as_str().unwrap().contains("[compare]"));
    assert_eq!(complaints(&of(&objects, "ConfigMap"), "/data", &json!({"a/b": ""})), ["data[a/b]"]);
    for object in &objects {
        assert_eq!(as_kubernetes_reads_it(object).as_ref(), Some(object));
        let global = ["ClusterRole", "ClusterRoleBinding", "MutatingWebhookConfiguration", "Namespace"];
        let global = global.contains(&object["kind"].as_str().unwrap());
        assert_eq!(object["metadata"]["namespace"] == "takeover", !global, "{object}");
    }
    certificate_rights_fit(&objects);

    // The same webhook where API servers call it later.
    let objects = kustomized(&folder.join("validating")).unwrap();
    assert_valid(&objects);
    assert!(!objects.iter().any(|object| object["kind"] == "MutatingWebhookConfiguration"));
    let mut later = of(&objects, "ValidatingWebhookConfiguration")["webhooks"][0].clone();
    assert_eq!(later["clientConfig"]["service"]["path"], "/validate");
    later["clientConfig"]["service"]["path"] = json!("/mutate");
    later["reinvocationPolicy"] = json!("Never");
    assert_eq!(later, webhook["webhooks"][0]);
    certificate_rights_fit(&objects);

    let objects = kustomized(&folder.join("audit-log")).unwrap();
    assert_valid(&objects);
    for object in &objects {
        assert_eq!(as_kubernetes_reads_it(object).as_ref(), Some(object));
        assert_eq!(object["metadata"]["namespace"] == "takeover-audit-log", object["kind"] != "Namespace", "{object}");
    }

    let objects = kustomized(&folder.join("cert-manager")).unwrap();
    assert_valid(&objects);
    let injected = &of(&objects, "MutatingWebhookConfiguration")["metadata"]["annotations"];
    let with = |kind: &str, field: &str, value: &Value| {
        let has = |object: &&Value| object["kind"] == kind && object.pointer(field) == Some(value);
        objects.iter().find(has).unwrap_or_else(|| panic!("no {kind} with {field} {value}")).clone()
    };
    let certificate = with("Certificate", "/spec/secretName", &secret["metadata"]["name"]);
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap().to_owned();
    assert_eq!(injected["cert-manager.io/inject-ca-from"], format!("takeover/{}", name(&certificate)));
    let service = of(&objects, "Service");
    let host = format!("{}.takeover.svc", name(&service));
    assert!(certificate["spec"]["dnsNames"].as_array().unwrap().contains(&json!(host)), "{certificate}");
    // Renewed by an authority that stays, which is what API servers trust.
    let issuer_of = |certificate: &Value| with("Issuer", "/metadata/name", &certificate["spec"]["issuerRef"]["name"]);
    let authority = with("Certificate", "/spec/secretName", &issuer_of(&certificate)["spec"]["ca"]["secretName"]);
    assert_eq!(authority["spec"]["isCA"], true);
    // Without a name, the certificate would name nobody as its issuer, which RFC 5280 forbids.
    assert!(authority["spec"]["commonName"].is_string(), "{authority}");
    assert!(issuer_of(&authority)["spec"]["selfSigned"].is_object(), "{authority}");
}

/// Asserts that the Job and the CronJob that make the certificate say the same, and may do what they are told and nothing else.
fn certificate_rights_fit(objects: &[Value]) {
    let named = |kind: &str| {
        let is = |object: &&Value| object["kind"] == kind && object["metadata"]["name"] == "takeover-certificate";
        objects.iter().find(is).unwrap_or_else(|| panic!("no {kind}")).clone()
    };
    let once = named("Job")["spec"]["template"].clone();
    assert_eq!(named("CronJob")["spec"]["jobTemplate"]["spec"]["template"], once);
    let of = |kind: &str| objects.iter().find(|object| object["kind"] == kind).unwrap();
    let container = &once["spec"]["containers"][0];
    assert_eq!(container["image"], of("Deployment")["spec"]["template"]["spec"]["containers"][0]["image"]);
    let hook = objects.iter().find(|object| object["webhooks"].is_array()).unwrap();
    let service = &hook["webhooks"][0]["clientConfig"]["service"];
    let (secret, configuration) = (&of("Secret")["metadata"], hook["metadata"]["name"].as_str().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let kind = text(&hook["kind"]).strip_suffix("WebhookConfiguration").unwrap().to_lowercase();
    let expected = [
        "shadow".to_owned(),
        format!("--certificate-secret={}/{}", text(&secret["namespace"]), text(&secret["name"])),
        format!("--host={}.{}.svc", text(&service["name"]), text(&service["namespace"])),
        format!("--trusted-by={kind}/{configuration}"),
    ];
    assert_eq!(container["args"], json!(expected));
    // The arguments are understood: what is missing is the cluster.
    let output = Command::cargo_bin("takeover").unwrap().args(&expected).env_remove("KUBERNETES_SERVICE_HOST").output();
    let said = String::from_utf8_lossy(&output.unwrap().stderr).into_owned();
    assert!(said.contains("`KUBERNETES_SERVICE_HOST` is not set: this is no pod"), "{said}");

    let rules = |group: &str, resource: String, name: &str| json!([{"apiGroups": [group], "resources": [resource], "resourceNames": [name], "verbs": ["get", "update"]}]);
    assert_eq!(named("Role")["rules"], rules("", "secrets".to_owned(), &text(&secret["name"])));
    let resource = format!("{kind}webhookconfigurations");
    assert_eq!(named("ClusterRole")["rules"], rules("admissionregistration.k8s.io", resource, configuration));
    let account = named("ServiceAccount");
    for binding in [named("RoleBinding"), named("ClusterRoleBinding")] {
        let name = &account["metadata"]["name"];
        assert_eq!(binding["subjects"], json!([{"kind": "ServiceAccount", "name": name, "namespace": "takeover"}]));
        assert_eq!(binding["roleRef"]["name"], "takeover-certificate");
    }
    assert_eq!(once["spec"]["serviceAccountName"], account["metadata"]["name"]);
}

#[test]
fn a_volume_takes_the_place_of_what_ends_with_a_pod() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("deploy");
    copy(&deploy(), &folder);
    let image = folder.join("image/kustomization.yaml");
    let text = std::fs::read_to_string(&image).unwrap();
    std::fs::write(&image, text.replace("newTag: latest", "newTag: \"7\"")).unwrap();
    let own = folder.join("cert-manager/kustomization.yaml");
    let text = std::fs::read_to_string(&own).unwrap();
    std::fs::write(&own, text + "components:\n  - ../volume\n").unwrap();
    let Some(objects) = kustomized(&folder.join("cert-manager")) else { return };
    let of = |kind: &str| objects.iter().find(|object| object["kind"] == kind).unwrap();
    let claim = of("PersistentVolumeClaim");
    through::<api::core::v1::PersistentVolumeClaim>(claim);
    assert_eq!(claim["spec"]["accessModes"], json!(["ReadWriteMany"]), "several pods write it");
    assert_valid(&[of("Deployment").clone()]);
    let pod = &of("Deployment")["spec"]["template"]["spec"];
    let named = |list: &Value| list.as_array().unwrap().iter().find(|item| item["name"] == "evidence").unwrap().clone();
    let volume = named(&pod["volumes"]);
    assert_eq!(volume, json!({"name": "evidence", "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}));
    let mount = named(&pod["containers"][0]["volumeMounts"]);
    assert_eq!(mount, json!({"name": "evidence", "mountPath": "/evidence"}), "each replica makes a folder");

    // The gate of every night reads the folders of all pods.
    let gate = of("CronJob");
    assert_valid(std::slice::from_ref(gate));
    let pod = &gate["spec"]["jobTemplate"]["spec"]["template"]["spec"];
    assert_eq!(named(&pod["volumes"])["persistentVolumeClaim"]["claimName"], claim["metadata"]["name"]);
    let container = &pod["containers"][0];
    assert_eq!(
        named(&container["volumeMounts"]),
        json!({"name": "evidence", "mountPath": "/evidence", "readOnly": true})
    );
    assert_eq!(container["image"], "takeover-shadow:7");
    let settings = objects.iter().find(|object| {
        object["kind"] == "ConfigMap"
            && object["metadata"]["name"].as_str().is_some_and(|name| name == "takeover-shadow")
    });
    let settings = settings.unwrap();
    let mounted = pod["volumes"].as_array().unwrap().iter().find(|volume| volume["name"] == "settings").unwrap();
    assert_eq!(mounted["configMap"]["name"], settings["metadata"]["name"]);
    assert!(settings["data"]["takeover.toml"].is_string(), "{settings}");
}

/// Applies the `add` and `replace` of a JSON patch (RFC 6902).
pub(super) fn patched(object: &Value, patch: &str) -> Value {
    let mut object = object.clone();
    let input = vec![Input::stream(
        "patch",
        std::io::Cursor::new(format!("apiVersion: v1\nkind: Patch\npatch:\n{patch}").into_bytes()),
    )];
    let operations = load(input, Limits::default()).map(|document| document.unwrap().value).next().unwrap();
    for operation in operations["patch"].as_array().unwrap() {
        let (value, path) = (operation["value"].clone(), operation["path"].as_str().unwrap());
        let (parent, name) = path.rsplit_once('/').unwrap();
        let name = &*name.replace("~1", "/").replace("~0", "~");
        match (operation["op"].as_str().unwrap(), object.pointer_mut(parent).unwrap()) {
            ("add", Value::Array(items)) if name == "-" => items.push(value),
            ("add", parent) => parent[name] = value,
            ("replace", parent) if !parent[name].is_null() => parent[name] = value,
            (other, _) => panic!("{other} {path}"),
        }
    }
    object
}

#[test]
fn servers_that_ask_the_api_server_may_read_its_metrics_and_reach_it_and_no_more() {
    let folder = deploy().join("api-server");
    let component = documents(&[folder.join("kustomization.yaml")]).remove(0);
    let patch_of = |object: &Value| {
        let all = component["patches"].as_array().unwrap();
        let own =
            |patch: &&Value| patch["target"] == json!({"kind": object["kind"], "name": object["metadata"]["name"]});
        all.iter().find(own).unwrap()["patch"].as_str().unwrap().to_owned()
    };
    let [deployment, policy] = ["Deployment", "NetworkPolicy"].map(of_kind);
    let policy = if policy["metadata"]["name"] == "takeover-shadow" {
        policy
    } else {
        documents(&[deploy().join("base/networkpolicy.yaml")]).remove(0)
    };
    let [asks, reaches] = [deployment, policy].map(|object| patched(&object, &patch_of(&object)));
    let rights = documents(&[folder.join("rights.yaml")]);
    assert_valid(&[&[asks.clone(), reaches.clone()][..], &rights].concat());
    for object in [&[asks.clone(), reaches.clone()][..], &rights].concat() {
        assert_eq!(as_kubernetes_reads_it(&object), Some(object));
    }
    let pod = &asks["spec"]["template"]["spec"];
    assert_eq!(pod["automountServiceAccountToken"], true);
    // The arguments are understood: what is missing are the files that are mounted.
    let arguments = pod["containers"][0]["args"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap());
    let output = Command::cargo_bin("takeover").unwrap().args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("failed to read `/settings/takeover.toml`"), "{said}");
    assert_eq!(rights[0]["rules"], json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]));
    assert_eq!(rights[1]["roleRef"]["name"], rights[0]["metadata"]["name"]);
    assert_eq!(rights[1]["subjects"][0]["name"], pod["serviceAccountName"]);
    assert_eq!(reaches["spec"]["egress"][0]["ports"][0], json!({"port": 443, "protocol": "TCP"}));

    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("deploy");
    copy(&deploy(), &folder);
    let own = folder.join("self-signed/kustomization.yaml");
    let text = std::fs::read_to_string(&own).unwrap();
    std::fs::write(&own, text.replace("components:\n", "components:\n  - ../api-server\n")).unwrap();
    let Some(objects) = kustomized(&folder.join("self-signed")) else { return };
    let of = |kind: &str, name: &str| {
        objects.iter().find(|object| object["kind"] == kind && object["metadata"]["name"] == name).unwrap()
    };
    assert_eq!(
        of("Deployment", "takeover-shadow")["spec"]["template"]["spec"]["containers"][0]["args"],
        pod["containers"][0]["args"]
    );
    assert_eq!(of("NetworkPolicy", "takeover-shadow")["spec"]["egress"], reaches["spec"]["egress"]);
}
