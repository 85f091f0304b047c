//! Pod templates as a whole: names, users, places, annotations, and what an update may keep.

use super::containers::{container, pod, rows};
use super::support::Rows;
use serde_json::{Value, json};

#[test]
fn names_have_their_limits_in_characters() {
    let long = format!("{}b", "a.".repeat(127));
    let limit = "must be no more than 253 characters";
    for member in ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"] {
        pod(&[(member, json!(long))], &[&format!("{member}: Invalid value: \"{long}\": {limit}")]);
    }
    pod(
        &[("resourceClaims", json!([{"name": "a", "resourceClaimName": long}]))],
        &[&format!("resourceClaims[0].resourceClaimName: Invalid value: \"{long}\": {limit}")],
    );
    pod(
        &[("hostAliases", json!([{"ip": "1.2.3.4", "hostnames": [long]}]))],
        &[&format!("hostAliases[0].hostnames[0]: Invalid value: \"{long}\": {limit}")],
    );
    pod(
        &[("dnsConfig", json!({"searches": [long]}))],
        &[&format!("dnsConfig.searches[0]: Invalid value: \"{long}\": {limit}")],
    );
}

#[test]
fn users_of_its_own_keep_a_pod_from_the_host_and_from_devices() {
    let detail = "Forbidden: when `hostUsers` is false";
    let device = json!([{"name": "a", "image": "i", "volumeDevices": [{"name": "claim", "devicePath": "/dev/a"}]}]);
    pod(
        &[
            ("hostUsers", json!(false)),
            ("hostNetwork", json!(true)),
            ("hostPID", json!(true)),
            ("hostIPC", json!(true)),
            ("containers", device.clone()),
        ],
        &[
            &format!("hostNetwork: {detail}"),
            &format!("HostPID: {detail}"),
            &format!("HostIPC: {detail}"),
            &format!("containers[0].volumeDevices: {detail}"),
        ],
    );
    let with_device = [("/spec/template/spec/hostUsers", json!(false)), ("/spec/template/spec/containers", device)];
    rows().changed(&[
        (&with_device, (&with_device, &[])),
        (&with_device[1..], (&with_device, &["spec.template.spec.containers[0].volumeDevices: Forbidden"])),
    ]);
}

#[test]
fn a_group_to_be_scheduled_with_has_a_name() {
    let place = "schedulingGroup.podGroupName: Invalid value";
    let subdomain = "a lowercase RFC 1123 subdomain must consist of";
    for (group, expected) in [
        (json!({"podGroupName": "a.b"}), None),
        (json!({}), Some(format!("{place}: null: must specify one of: `podGroupName`"))),
        (json!({"podGroupName": ""}), Some(format!("{place}: \"\": {subdomain}"))),
        (json!({"podGroupName": "a/"}), Some(format!("{place}: \"a/\": {subdomain}"))),
    ] {
        let expected: Vec<&str> = expected.as_deref().into_iter().collect();
        pod(&[("schedulingGroup", group)], &expected);
    }
}

#[test]
fn a_stop_signal_needs_an_operating_system_even_one_without_name() {
    let signal = json!([{"name": "a", "image": "i", "lifecycle": {"stopSignal": "SIGX"}}]);
    pod(&[("os", json!({"name": ""})), ("containers", signal)], &["os.name: Required value"]);
}

#[test]
fn host_processes_are_counted_by_what_containers_say_first() {
    let own = json!([{"name": "a", "image": "i", "securityContext": {"windowsOptions": {"hostProcess": false}}}]);
    let differs =
        "containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value";
    let whole = ("securityContext", json!({"windowsOptions": {"hostProcess": true}}));
    pod(&[("containers", own), whole], &[differs]);
}

#[test]
fn accounts_of_windows_have_domains_of_dns_labels() {
    let account = |domain: &str| json!({"windowsOptions": {"runAsUserName": format!("{domain}\\me")}});
    let refused = "securityContext.windowsOptions.runAsUserName: Invalid value: ";
    for (domain, expected) in [
        ("corp.example.com-1.org", &[][..]),
        ("corp..example.example", &[refused]),
        ("corp-.example.example", &[refused]),
        (&"a".repeat(64), &[refused]),
    ] {
        pod(&[("securityContext", account(domain))], expected);
    }
}

#[test]
fn parameters_of_a_namespace_of_the_host_are_known_by_name() {
    let with = |name: &str| {
        [
            ("hostNetwork", json!(true)),
            ("hostIPC", json!(true)),
            ("securityContext", json!({"sysctls": [{"name": name, "value": "1"}]})),
        ]
    };
    for (name, expected) in [
        ("kernel.shm_rmid_forced", &["may not be specified when 'hostIPC' is true"][..]),
        ("kernel/msgmax", &["may not be specified when 'hostIPC' is true"]),
        ("kernel.shmx", &[]),
        ("fs.mqueue.msg_max", &["may not be specified when 'hostIPC' is true"]),
        ("fs.mqueuex.a", &[]),
        ("net.core.somaxconn", &["may not be specified when 'hostNetwork' is true"]),
        ("kernel.shm*", &["must have at most 253 characters", "may not be specified when 'hostIPC' is true"]),
        ("netx.a", &[]),
    ] {
        let lines =
            expected.iter().map(|line| format!("securityContext.sysctls[0].name: Invalid value: \"{name}\": {line}"));
        let lines: Vec<String> = lines.collect();
        pod(&with(name), &lines.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn labels_of_selinux_are_changed_recursively_unless_stored_otherwise() {
    let policy = |policy: &str| [("/spec/template/spec/securityContext", json!({"seLinuxChangePolicy": policy}))];
    let only = "spec.template.spec.securityContext.seLinuxChangePolicy: Unsupported value: \"MountOption\": supported values: \"Recursive\"";
    rows().created(&[(&policy("Recursive"), &[]), (&policy("MountOption"), &[only])]);
    rows().changed(&[
        (&[], (&policy("MountOption"), &[only])),
        (&policy("Recursive"), (&policy("MountOption"), &[])),
        (&policy("Recursive"), (&policy("X"), &["spec.template.spec.securityContext.seLinuxChangePolicy: Unsupported value…supported values: \"MountOption\", \"Recursive\""])),
    ]);
}

#[test]
fn tolerations_compare_numbers_where_the_stored_ones_do() {
    let tolerations =
        |value: &str| [("/spec/template/spec/tolerations", json!([{"key": "a", "operator": "Gt", "value": value}]))];
    let refused = "spec.template.spec.tolerations[0].operator: Unsupported value: \"Gt\"";
    rows().created(&[(&tolerations("1"), &[refused])]);
    let stored = tolerations("1");
    let canonical = "spec.template.spec.tolerations[0].value: Invalid value: \"01\": must be a valid decimal integer in canonical form";
    let syntax =
        "spec.template.spec.tolerations[0].value: Invalid value…strconv.ParseInt: parsing \"+x\": invalid syntax";
    rows().changed(&[
        (&[], (&stored, &[refused])),
        (&stored, (&tolerations("-5"), &[])),
        (&stored, (&tolerations("01"), &[canonical])),
        (
            &stored,
            (&tolerations("+x"), &["spec.template.spec.tolerations[0].value: Invalid value…canonical form", syntax]),
        ),
        (&stored, (&tolerations("-0"), &["spec.template.spec.tolerations[0].value: Invalid value…canonical form"])),
        (
            &stored,
            (
                &tolerations(""),
                &[
                    "spec.template.spec.tolerations[0].value: Invalid value…must be non-empty",
                    "spec.template.spec.tolerations[0].value: Invalid value…parsing \"\": invalid syntax",
                ],
            ),
        ),
        (
            &stored,
            (
                &tolerations("9223372036854775808"),
                &["spec.template.spec.tolerations[0].value: Invalid value…value out of range"],
            ),
        ),
    ]);
}

#[test]
fn anything_bad_in_stored_selectors_of_pods_excuses_values() {
    let affinity = |selector: Value| {
        let term = json!({"labelSelector": selector, "topologyKey": "a"});
        [(
            "/spec/template/spec/affinity",
            json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}),
        )]
    };
    let value =
        |value: &str| affinity(json!({"matchExpressions": [{"key": "a", "operator": "In", "values": [value]}]}));
    let label = affinity(json!({"matchLabels": {"-": "a"}}));
    rows().changed(&[
        (&value("a"), (&value("-"), &["spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]: Invalid value: \"-\""])),
        (&value("-"), (&value("--"), &[])),
        (&label, (&value("-"), &[])),
    ]);
}

#[test]
fn keys_that_are_merged_into_a_selector_stand_there_once() {
    let term = |same: &[&str], other: &[&str], selector: Value| {
        let term =
            json!({"labelSelector": selector, "topologyKey": "a", "matchLabelKeys": same, "mismatchLabelKeys": other});
        [("affinity", json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}))]
    };
    let at = "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
    let twice = json!({"matchLabels": {"k": "v"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]});
    pod(
        &term(&["k"], &[], twice.clone()),
        &[&format!("{at}[0]: Invalid value: \"k\": exists in both matchLabelKeys and labelSelector")],
    );
    pod(
        &term(&["k"], &["k"], json!({})),
        &[&format!(
            "{at}.matchLabelKeys[0]: Invalid value: \"k\": exists in both matchLabelKeys and mismatchLabelKeys"
        )],
    );
    let spread = |keys: &[&str], selector: Value| {
        let constraint = json!({"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector, "matchLabelKeys": keys});
        [("/spec/template/spec/topologySpreadConstraints", json!([constraint]))]
    };
    let both = "exists in both matchLabelKeys and labelSelector";
    let unset = "spec.template.spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set";
    rows().created(&[
        (&spread(&["k"], json!({"matchLabels": {"k": "v"}})), &[]),
        (
            &spread(&["k"], twice.clone()),
            &[&format!("spec.template.spec.topologySpreadConstraints[0][0]: Invalid value: \"k\": {both}")],
        ),
        (&spread(&["k"], Value::Null), &[unset]),
        (
            &spread(&["-"], json!({})),
            &["spec.template.spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: \"-\""],
        ),
    ]);
    let in_list =
        format!("spec.template.spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: \"k\": {both}");
    rows().changed(&[
        (&spread(&["k"], twice.clone()), (&spread(&["k"], twice.clone()), &[&in_list])),
        (&spread(&["-"], Value::Null), (&spread(&["j", "k"], Value::Null), &[unset])),
    ]);
}

#[test]
fn annotations_and_members_give_the_same_profiles() {
    let judge = |annotation: &str, members: &[(&str, Value)], expected: &[&str]| {
        let metadata = json!({"labels": {"a": "b"}, "annotations": {annotation: "runtime/default"}});
        let pointers: Vec<String> = members.iter().map(|(name, _)| format!("/spec/template/spec/{name}")).collect();
        let mut changes = vec![("/spec/template/metadata", metadata)];
        changes.extend(pointers.iter().zip(members).map(|(pointer, (_, value))| (pointer.as_str(), value.clone())));
        rows().created(&[(&changes, expected)]);
    };
    let with =
        |member: &str, profile: Value| json!([{"name": "main", "image": "i", "securityContext": {member: profile}}]);
    let seccomp = "container.seccomp.security.alpha.kubernetes.io/main";
    let apparmor = "container.apparmor.security.beta.kubernetes.io/main";
    let localhost = json!({"type": "Localhost", "localhostProfile": "a"});
    judge(seccomp, &[("containers", with("seccompProfile", json!({"type": "RuntimeDefault"})))], &[]);
    let at = "spec.template.spec.containers[0].securityContext.";
    let differs = format!("{at}seccompProfile.type: Forbidden: seccomp type in annotation and field must match");
    judge(seccomp, &[("containers", with("seccompProfile", localhost.clone()))], &[&differs]);
    let differs = format!("{at}appArmorProfile.type: Forbidden: apparmor type in annotation and field must match");
    judge(apparmor, &[("containers", with("appArmorProfile", localhost.clone()))], &[&differs]);
    judge(apparmor, &[("securityContext", json!({"appArmorProfile": {"type": "Unconfined"}}))], &[&differs]);
    judge(apparmor, &[("securityContext", json!({"appArmorProfile": {"type": "RuntimeDefault"}}))], &[]);
    let windows = [("os", json!({"name": "windows"})), ("containers", with("appArmorProfile", localhost))];
    judge(
        apparmor,
        &windows,
        &[
            "spec.template.spec.containers[0].securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod",
        ],
    );
}

#[test]
fn claims_as_a_whole_take_in_every_request_before_them() {
    container(
        &json!({"resources": {"claims": [{"name": "gpu", "request": "a"}, {"name": "gpu", "request": "b"}, {"name": "gpu"}]}}),
        &["resources.claims[2]: Duplicate value: \"gpu\"", "resources.claims[2]: Duplicate value: \"gpu\""],
    );
    pod(
        &[("resources", json!({"claims": []}))],
        &["resources.claims: Forbidden: claims may not be set for Resources at pod-level"],
    );
}

#[test]
fn a_deletion_cost_may_have_zeros_after_a_minus_sign() {
    for (cost, refused) in [("0", false), ("-05", false), ("05", true), ("+5", true), ("", true), ("2147483648", true)]
    {
        let metadata =
            json!({"labels": {"a": "b"}, "annotations": {"controller.kubernetes.io/pod-deletion-cost": cost}});
        let expected: &[&str] = if refused {
            &[
                "spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value…must be a 32bit integer",
            ]
        } else {
            &[]
        };
        rows().created(&[(&[("/spec/template/metadata", metadata)], expected)]);
    }
}

#[test]
fn members_without_a_form_in_this_version_stay_as_they_are_stored() {
    let noted = |key: &str, selector: Value| {
        let annotation = format!("non-convertible.kubernetes.io/{key}");
        let metadata = json!({"name": "c", "namespace": "n", "resourceVersion": "1", "annotations": {annotation: "x"}});
        [("/metadata", metadata), ("/spec/selector", selector)]
    };
    let (now, before) = (json!({"a": "b"}), json!({"c": "d"}));
    let changed = "spec.selector: Invalid value: {\"a\":\"b\"}: cannot update non-convertible selector";
    rows().changed(&[
        (&noted("spec.selector", now.clone()), (&[], &[])),
        (&noted("spec.selector", before), (&[], &[changed])),
        (&noted("y", now.clone()), (&[], &["y: Not found: \"x\": unknown non-convertible field"])),
        (&noted("y/z", now), (&[], &[])),
    ]);
}

#[test]
fn templates_that_stand_for_themselves_are_judged_as_those_of_others() {
    let template = json!({"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "t", "namespace": "n", "resourceVersion": "1"},
                          "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}});
    let rows = Rows::of("v1", "PodTemplate", template);
    rows.created(&[
        (&[], &[]),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
        (&[("/template", Value::Null)], &["template.spec.containers: Required value"]),
        (&[("/template/metadata/labels", json!({"-": ""}))], &["template.labels: Invalid value: \"-\""]),
        // Unlike a controller's, such pods may come to an end.
        (&[("/template/spec/restartPolicy", json!("Never"))], &[]),
        (&[("/template/spec/activeDeadlineSeconds", json!(5))], &[]),
        (
            &[("/template/spec/restartPolicy", json!("Once"))],
            &["template.spec.restartPolicy: Unsupported value: \"Once\""],
        ),
    ]);
    let cost = [("/template/metadata/annotations", json!({"controller.kubernetes.io/pod-deletion-cost": "x"}))];
    rows.updated(&[
        (
            &cost,
            &["template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"x\": must be a 32bit integer"],
        ),
        (&[("/metadata/name", json!("o"))], &["metadata.name: Invalid value: \"o\": field is immutable"]),
    ]);
    rows.changed(&[(&cost, (&cost, &[]))]);
}

#[test]
fn init_containers_in_annotations_go_before_templates_are_compared() {
    let note = |key: &str| (format!("pod.{key}"), json!("[]"));
    let keys = ["alpha", "beta"].map(|level| {
        ["init-containers", "init-container-statuses"].map(|name| note(&format!("{level}.kubernetes.io/{name}")))
    });
    let dropped: serde_json::Map<String, Value> = keys.into_iter().flatten().collect();
    let mut noted = dropped.clone();
    noted.insert("a".to_owned(), json!("b"));
    let controller = |notes: &Value| json!({"spec": {"template": {"metadata": {"annotations": notes}, "spec": {}}}, "metadata": {"resourceVersion": "1"}});
    for (api_version, kind) in [
        ("v1", "ReplicationController"),
        ("apps/v1", "DaemonSet"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
        ("apps/v1", "StatefulSet"),
    ] {
        let rows = Rows::of(api_version, kind, Value::Null).in_requests();
        let at = ["/spec/template/metadata/annotations", "/metadata/generation"];
        let (new, old) = (controller(&json!(noted)), controller(&json!({"a": "b"})));
        let kept = rows.seen_at(&new, None, &at).expect("decodable");
        assert_eq!(kept.first(), Some(&json!({"a": "b"})), "{kind}");
        let unchanged = rows.seen_at(&old, Some(&old), &at).expect("decodable");
        assert_eq!(rows.seen_at(&new, Some(&old), &at).expect("decodable"), unchanged, "{kind}");
    }
    let rows = Rows::of("v1", "PodTemplate", Value::Null).in_requests();
    let template = json!({"template": {"metadata": {"annotations": dropped}, "spec": {}}});
    let kept =
        rows.seen_at(&template, None, &["/template/metadata/annotations/pod.beta.kubernetes.io~1init-containers"]);
    assert_eq!(kept, Ok(vec![Value::Null]));
}
