//! What is concluded from the evidence of servers, put together.

use super::{Process, certified, post_all, takeover};
use crate::closing_screen::counted;
use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A copy of the built-in types of ReplicationControllers, whose rules take `minimum` where those take 0.
fn types(to: &Path, minimum: &str) -> PathBuf {
    let from: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "oracles", "idl"].iter().collect();
    copy(&from, to);
    let file = to.join("core/v1/types.go");
    let built_in = fs::read_to_string(&file).unwrap();
    fs::write(file, built_in.replace("k8s:minimum=0", &format!("k8s:minimum={minimum}"))).unwrap();
    to.to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A copy of the built-in types with a rule for ConfigMaps, which have none there: no more than `limit` members.
fn types_with_config_maps(to: &Path, limit: &str) -> PathBuf {
    let own = types(to, "0");
    let (file, field) = (own.join("core/v1/config_map.go"), "\tData       map[string]string");
    let built_in = fs::read_to_string(&file).unwrap();
    assert!(built_in.contains(field), "{built_in}");
    let rule = format!("\t// +k8s:alpha(since: \"1.37\")=+k8s:maxProperties={limit}\n{field}");
    fs::write(file, built_in.replace(field, &rule)).unwrap();
    own
}

/// The review of the creation of `object`, which is of the core group.
fn created(kind: &str, object: &Value) -> String {
    let kind = json!({"group": "", "version": "v1", "kind": kind});
    let request = format!("\"uid\":\"1\",\"kind\":{kind},\"operation\":\"CREATE\",\"object\":{object}");
    format!("{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{{{request}}}}}")
}

/// The review of the creation of a ReplicationController that handwritten validation refuses for its replicas.
fn review() -> String {
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let object = json!({
        "apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a", "namespace": "b"},
        "spec": {"replicas": -1, "selector": {"a": "b"}, "template": template},
    });
    created("ReplicationController", &object)
}

/// Commands in a project of their own.
fn in_project(project: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("takeover").unwrap().current_dir(project).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Tags of the rules in the report of a run.
fn rules(run: &Path) -> Vec<String> {
    let report: Value = serde_json::from_str(&fs::read_to_string(run.join("report.json")).unwrap()).unwrap();
    let subjects = report["subjects"].as_array().unwrap().iter();
    let fields = subjects.flat_map(|subject| subject["fields"].as_array().unwrap());
    let rules = fields.flat_map(|field| field["rules"].as_array().unwrap());
    rules.map(|rule| rule["rule"]["chain"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn evidence_of_servers_is_concluded_from_by_the_types_that_they_had_and_by_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (tls, authority) = certified(folder.path());
    let own = types(&place("own"), "-5");
    let only = ["--types", &text(&own), "--kind", "v1 ReplicationController"];
    let process = Process::with(&tls, &place("evidence"), "one", "", &only);
    post_all(&[review()], &process, &authority);
    process.settle();
    let fetched = text(&place("one.json"));
    fs::write(&fetched, process.page("/evidence")).unwrap();
    let page = process.page("/report");
    assert_eq!(process.end(), 0);

    let (code, _, errors) = takeover(&["merge", &fetched, "--out", &text(&place("wrong"))]);
    assert!(code == 2 && errors.contains("`v1 ReplicationController`") && errors.contains("--types"), "{errors}");
    assert!(!place("wrong").exists());
    let (code, said, errors) = takeover(&["merge", &fetched, "--types", &text(&own), "--out", &text(&place("all"))]);
    assert_eq!(code, 1, "{errors}");
    assert!(
        said.contains("\nSeen in production since ") && said.contains(": 1 day, 1 replica, 1 comparison.\n"),
        "{said}"
    );
    assert!(rules(&place("all")).iter().any(|rule| rule.ends_with("minimum=-5")));
    // The page of the server tells the same counts.
    let (_, html, _) = takeover(&["report", &text(&place("all")), "--format", "html"]);
    assert!(counted(&page).values().sum::<u64>() > 1, "{page}");
    assert_eq!(counted(&page), counted(&html));

    // With a soak, the types are those of the soak, which have to be those of the servers.
    let object = place("object.json");
    let review: Value = serde_json::from_str(&review()).unwrap();
    fs::write(&object, review["request"]["object"].to_string()).unwrap();
    let soak = |out: &str, more: &[&str]| {
        let recorded = text(&object);
        let run = text(&place(out));
        let mut arguments = vec!["soak", "--seed", "1", "--cases", "0", "--no-builtin", "--recorded", &recorded];
        arguments.extend(["--kind", "v1 ReplicationController", "--out", &run]);
        arguments.extend(more);
        assert!(takeover(&arguments).0 < 2);
        run
    };
    let (of_own, of_built_in) = (soak("soak-own", &["--types", &text(&own)]), soak("soak", &[]));
    let (code, _, errors) = takeover(&["merge", &of_own, &fetched, "--out", &text(&place("both"))]);
    assert_eq!(code, 1, "{errors}");
    assert!(rules(&place("both")).iter().any(|rule| rule.ends_with("minimum=-5")));
    let (code, _, errors) = takeover(&["merge", &of_built_in, &fetched, "--out", &text(&place("mixed"))]);
    assert!(code == 2 && errors.contains(&of_built_in), "{errors}");
    assert!(!place("mixed").exists(), "nothing is written that is not the sum");
    let types = ["--types", &text(&own)];
    let (code, _, errors) =
        takeover(&[&["merge", &of_own, &fetched, "--out", &text(&place("mixed"))][..], &types].concat());
    assert!(code == 2 && errors.contains("--types is only for servers"), "{errors}");
    let mistyped = text(&place("oen.json"));
    let (code, _, errors) =
        takeover(&[&["merge", &mistyped, &fetched, "--out", &text(&place("mixed"))][..], &types].concat());
    assert!(code == 2 && errors.contains(&format!("`{mistyped}` is not a run folder")), "{errors}");
}

#[test]
fn what_servers_saw_is_held_by_gates_and_excused_by_exceptions() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (tls, authority) = certified(folder.path());
    let own = text(&types(&place("own"), "-5"));
    let only = ["--types", &own, "--kind", "v1 ReplicationController"];
    let process = Process::with(&tls, &place("evidence"), "one", "", &only);
    post_all(&[review()], &process, &authority);
    assert_eq!(process.end(), 0);
    let (project, one, merged) = (place("project"), text(&place("evidence/one")), text(&place("merged")));
    fs::create_dir(&project).unwrap();
    fs::write(project.join("takeover.toml"), "[subjects]\nonly = [\"v1 ReplicationController\"]\n").unwrap();
    let run = |arguments: &[&str]| in_project(&project, arguments);

    for command in [vec!["report", &one], vec!["gate", "--run", &one]] {
        let (code, _, errors) = run(&command);
        assert!(code == 2 && errors.contains("is the evidence of one server: `merge`"), "{command:?}: {errors}");
    }
    let (code, _, errors) = run(&["merge", &one, "--types", &own, "--out", &one]);
    assert!(code == 2 && errors.contains("is one of the runs to merge"), "{errors}");
    assert!(Path::new(&one).join("evidence.json").is_file(), "it would have been cleared");

    assert_eq!(run(&["merge", &one, "--types", &own, "--out", &merged]).0, 1);
    let (code, said, errors) = run(&["gate", "--run", &merged]);
    assert!(code == 1 && said.contains("v1 ReplicationController create new missing reports-less"), "{said}{errors}");
    let (code, _, errors) = run(&["promote", &merged, "--to", "beta"]);
    assert!(code == 1 && errors.contains("from alpha to beta: 0"), "the run names its types: {errors}");
    let why = ["--owner", "somebody", "--issue", "#1", "--reason", "planted"];
    // The folder that holds those of servers is gated as their sum is, and by the settings of the nightly gate as well.
    let nightly: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "deploy", "base", "takeover.toml"].iter().collect();
    let nightly = fs::read_to_string(nightly).unwrap();
    for (name, before) in [("usual.toml", ""), ("nightly.toml", nightly.as_str())] {
        let chosen = format!("{before}\n[subjects]\nonly = [\"v1 ReplicationController\"]\ntypes = \"{own}\"\n");
        fs::write(project.join(name), chosen).unwrap();
        let (code, said, errors) = run(&["gate", "--run", &text(&place("evidence")), "--config", name]);
        assert!(
            code == 1 && said.contains("v1 ReplicationController create new missing reports-less"),
            "{said}{errors}"
        );
        assert_eq!(said.contains("rules below the floor"), before.is_empty(), "{said}");
        // Since when the answer holds, and over how much.
        let today = jiff::Timestamp::now().to_string()[..10].to_owned();
        assert!(said.contains(&format!("Seen in production since {today}: 1 day, 1 replica, 1 comparison.")), "{said}");
        assert!(!before.is_empty() || said.contains("in production: 1 compared, "), "{said}");
    }
    let (_, said, errors) = run(&["gate", "--run", &merged, "--format", "json"]);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}{errors}"));
    assert_eq!((&report["production"]["comparisons"], &report["production"]["replicas"]), (&json!(1), &json!(1)));
    let (code, _, errors) =
        run(&["merge", &text(&place("evidence")), "--types", &own, "--out", &text(&place("whole-folder"))]);
    assert_eq!(code, 1, "{errors}");
    run(&[&["gate", "--run", &merged, "--write-exceptions"][..], &why].concat());
    let (code, _, errors) = run(&["merge", &one, "--types", &own, "--out", &text(&place("excused"))]);
    assert_eq!(code, 0, "{errors}");

    // A server that has the exceptions counts what they excuse apart from what they do not.
    let settings = text(&project.join("takeover.toml"));
    let process = Process::with(&tls, &place("evidence"), "one", "", &[&only[..], &["--config", &settings]].concat());
    post_all(&[review()], &process, &authority);
    let [disagreements, unexcused] =
        ["declarative_validation_parity_discrepancies_total", "takeover_shadow_unexcused_disagreements_total"]
            .map(|name| format!("{name}{{validation_identifier=\"replicationcontroller_create\"}}"));
    process.until("it is counted", |process| process.metric(&disagreements) == 1);
    process.settle();
    assert_eq!(process.metric(&unexcused), 0, "{}", process.metrics());
    // While the file is broken, its previous content excuses.
    let exceptions = project.join("takeover-exceptions.toml");
    let failed = "takeover_shadow_reload_failed{file=\"exceptions\"}";
    let client = process.client(&authority);
    // The same object would be the same request once more, which counts once.
    let post = |name: &str| {
        let review = review().replace("\"name\":\"a\"", &format!("\"name\":\"{name}\""));
        assert_eq!(client.post("/mutate", review).unwrap().code, 200);
        process.settle();
    };
    fs::write(&exceptions, "[[exception]]\n").unwrap();
    process.until("the file is found to be broken", |process| process.metric(failed) == 1);
    post("second");
    process.until("it is counted", |process| process.metric(&disagreements) == 2);
    assert_eq!(process.metric(&unexcused), 0, "{}", process.metrics());
    // Exceptions that are gone excuse nothing more.
    fs::write(&exceptions, "").unwrap();
    process.until("it is read again", |process| process.metric(failed) == 0);
    post("third");
    process.until("it is counted by itself", |process| process.metric(&unexcused) == 1);
    assert_eq!(process.metric(&disagreements), 3, "{}", process.metrics());
    assert_eq!(process.end(), 0);
}

#[test]
fn evidence_of_kinds_that_have_rules_in_the_types_of_servers_alone_is_merged_and_held_by_gates() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (tls, authority) = certified(folder.path());
    let own = text(&types_with_config_maps(&place("own"), "2"));
    let process = Process::with(&tls, &place("evidence"), "one", "", &["--types", &own, "--kind", "ConfigMap"]);
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"},
        "data": {"a": "1", "b": "2", "c": "3"},
    });
    post_all(&[created("ConfigMap", &object)], &process, &authority);
    assert_eq!(process.end(), 0);
    let (project, one, merged) = (place("project"), text(&place("evidence/one")), text(&place("merged")));
    fs::create_dir(&project).unwrap();
    fs::write(project.join("takeover.toml"), "[subjects]\nonly = [\"v1 ConfigMap\"]\n").unwrap();
    let run = |arguments: &[&str]| in_project(&project, arguments);
    let (code, said, errors) = run(&["merge", &one, "--types", &own, "--out", &merged, "--full"]);
    assert!(
        code == 1 && said.contains("v1 ConfigMap create new extra reports-more FieldValueTooMany data"),
        "{said}{errors}"
    );
    let (code, said, errors) = run(&["gate", "--run", &merged]);
    assert!(code == 1 && said.contains("v1 ConfigMap create new extra"), "{said}{errors}");

    let recorded = place("object.json");
    fs::write(&recorded, object.to_string()).unwrap();
    let recorded = text(&recorded);
    let soak = |out: &str, more: &[&str]| {
        let to = text(&place(out));
        let all = ["soak", "--seed", "1", "--cases", "0", "--no-builtin", "--recorded", &recorded, "--out", &to];
        let (_, _, errors) = run(&[&all[..], more].concat());
        assert!(Path::new(&to).join("report.json").is_file(), "{errors}");
        to
    };
    let same = soak("same", &["--types", &own, "--kind", "ConfigMap"]);
    assert_eq!(run(&["merge", &same, &one, "--out", &text(&place("both"))]).0, 1);
    // A soak by other types, of another kind, has nothing that contradicts.
    let built_in = soak("built-in", &["--kind", "v1 ReplicationController"]);
    let (code, _, errors) = run(&["merge", &built_in, &one, "--out", &text(&place("mixed"))]);
    assert!(code == 2 && errors.contains("`v1 ConfigMap`") && errors.contains(&built_in), "{errors}");
    assert!(
        !errors.contains("--types") && !place("mixed").exists(),
        "nothing is written that is not the sum: {errors}"
    );
}
