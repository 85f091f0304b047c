//! Recorded objects that come again: the evidence of real subjects is the same bytes whether they are parsed and judged anew or not.

use std::io::Cursor;
use std::num::NonZeroUsize;
use takeover_corpora::load::{Input as File, Limits, LoadedCase, load};
use takeover_corpora::recorded::builtin;
use takeover_harness::case::Payload;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Input, Part, Run, Steering};
use takeover_oracles::registry::Registry;

/// Objects of the project, as YAML and as JSON lines, and some that do not decode, are invalid, or have fields nobody knows.
fn files() -> Vec<(String, String)> {
    let broken = "\
---
apiVersion: v1
kind: ReplicationController
metadata: {name: Not_A_Name, namespace: default, labels: {-: '*'}}
spec: {replicas: -1, selector: {}, template: {metadata: {labels: {a: b}}, spec: {containers: [{}, {name: x, image: ' '}]}}}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: a, resourceVersion: '3'}
spec: {replicas: many}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: a}
spec: {replicated: true, replicas: 99999999999}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: p, generateName: p-}
spec: {podSelector: {}, policyTypes: [Ingress, Nothing], ingress: [{ports: [{port: 99999999}, {port: x y}]}]}
";
    let of_project = builtin().iter().filter(|(path, _)| path.contains("replicationcontroller"));
    let mut files: Vec<(String, String)> =
        of_project.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert!(!files.is_empty());
    files.push(("broken.yaml".to_owned(), broken.to_owned()));
    files
}

/// How recorded objects are judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Each case for itself.
    Alone,
    /// The creation and the update of an object together.
    Together,
    /// Together, unless the same object was judged before.
    Remembered,
}

/// `object` in memory that it shares with no other.
fn alone(object: &Payload<'_>) -> Payload<'static> {
    Payload::from(object.to_value().unwrap())
}

fn evidence(subjects: &[Pair], how: How, jobs: usize) -> (Evidence, usize) {
    let files: Vec<File> =
        (0..6).flat_map(|_| files()).map(|(name, text)| File::stream(name, Cursor::new(text.into_bytes()))).collect();
    let documents = load(files, Limits::default());
    let mut cases: Vec<LoadedCase> = match how {
        How::Remembered => documents.remembering().cases().flatten().collect(),
        How::Together | How::Alone => documents.cases().flatten().collect(),
    };
    if how == How::Alone {
        for LoadedCase { case, .. } in &mut cases {
            case.object = alone(&case.object);
            case.old = case.old.as_ref().map(alone);
        }
    }
    let numbered = cases.iter().filter(|case| case.content.is_some()).count();
    let mut inputs = cases.into_iter().filter_map(|loaded| {
        let at = |pair: &Pair| {
            let subject = &pair.id.subject;
            subject.api_version == loaded.api_version && subject.kind == loaded.kind
        };
        let subject = subjects.iter().position(at)?;
        let mut case = loaded.case;
        subjects.get(subject)?.define_options(&mut case.options);
        Some(match loaded.content {
            Some(content) => Input::Numbered { subject, case, content },
            None => Input::Case { subject, case, shows: Vec::new() },
        })
    });
    let judges: Vec<Judge<'_>> = subjects.iter().map(Judge::new).collect();
    let run = Run::new(&judges, NonZeroUsize::new(jobs).unwrap()).with_controls();
    let free = Steering { stop: &|| false, progress: &|_| {} };
    (run.recorded(&mut inputs, Part::default(), free).unwrap().evidence, numbered)
}

#[test]
fn objects_leave_the_same_evidence_alone_together_and_when_they_come_again() {
    let registry = Registry::of_builtin().unwrap();
    let ids = ["v1 ReplicationController", "networking.k8s.io/v1 NetworkPolicy"];
    let subjects: Vec<Pair> =
        ids.iter().flat_map(|id| registry.find(id).unwrap()).map(|id| registry.pair(&id.into()).unwrap()).collect();
    let (alone, numbered) = evidence(&subjects, How::Alone, 1);
    assert_eq!(numbered, 0);
    let operations =
        || alone.pairs().flat_map(|pair| takeover_harness::case::Operation::ALL.map(|op| pair.operation(op)));
    assert!(
        operations().any(|seen| !seen.undecodable.is_empty()) && operations().any(|seen| seen.counts.agreed_reject > 0)
    );
    assert!(
        operations().any(|seen| !seen.unmigrated.is_empty()) && operations().any(|seen| seen.counts.agreed_accept > 0)
    );
    for jobs in [1, 2] {
        let (together, _) = evidence(&subjects, How::Together, jobs);
        assert_eq!(together.to_json().unwrap(), alone.to_json().unwrap(), "{jobs} jobs");
        let (again, numbered) = evidence(&subjects, How::Remembered, jobs);
        assert!(numbered > 40, "{numbered} cases came again");
        assert_eq!(again.to_json().unwrap(), alone.to_json().unwrap(), "{jobs} jobs");
    }
}

fn bench(arguments: &[&str], file: &std::path::Path) -> assert_cmd::assert::Assert {
    let mut command = assert_cmd::Command::cargo_bin("takeover").unwrap();
    command.args(["bench", "--count", "90", "--format", "json"]).args(arguments).arg("--replay").arg(file).assert()
}

#[test]
fn a_replay_is_measured_over_every_case_of_the_objects() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.yaml");
    std::fs::write(&file, files().into_iter().map(|(_, text)| format!("---\n{text}\n")).collect::<String>()).unwrap();
    for (arguments, form, distinct) in [
        (&[][..], "JSON lines", false),
        (&["--distinct"], "JSON lines", true),
        (&["--yaml", "--jobs", "2"], "YAML", false),
    ] {
        let output = bench(arguments, &file).success().get_output().stdout.clone();
        let measured: serde_json::Value = serde_json::from_slice(&output).unwrap();
        assert_eq!((&measured["form"], &measured["distinct"]), (&form.into(), &distinct.into()));
        assert_eq!(measured["objects"], 90);
        assert!(measured["compared"].as_u64().unwrap() > 120, "{measured}");
        assert!(measured["ratio"].as_f64().unwrap() > 0.0, "{measured}");
    }
    std::fs::write(&file, "apiVersion: v1\nkind: Stranger\n").unwrap();
    bench(&[], &file).code(2);
}
