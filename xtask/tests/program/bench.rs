//! `bench`: what it measures, what it prints, and when it fails. No test depends on speed.

use serde_json::{Value, json};

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Ran {
    let output = assert_cmd::Command::cargo_bin("takeover").unwrap().args(arguments).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn bench_measures_one_subject_on_both_sides() {
    let ran = run(&["bench", "--kind", "resource.k8s.io/v1 ResourceClaim", "--for", "0", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    for what in ["decode", "declarative", "handwritten", "generate a case", "generated case to recorded verdict"] {
        assert!(rows.iter().any(|row| row["what"].as_str().unwrap().contains(what)), "{what}: {}", ran.stdout);
    }
    assert!(rows.iter().all(|row| row["subject"] == "resource.k8s.io/v1 ResourceClaim"), "{}", ran.stdout);
    let includes = |row: &Value| row["includes"].as_str().unwrap_or_default().to_owned();
    assert!(rows.iter().all(|row| !includes(row).is_empty()), "{}", ran.stdout);
    let of =
        |what: &str| rows.iter().find(|row| row["what"].as_str().unwrap().starts_with(what)).map(includes).unwrap();
    assert!(of("JSON bytes to recorded").contains("both sides"), "{}", ran.stdout);
    assert!(of("generated case").contains("causes"), "{}", ran.stdout);
    assert!(!of("handwritten alone").contains("both sides"), "{}", ran.stdout);
    assert!(rows.iter().all(|row| row["medianNs"].as_f64().is_some_and(|median| median > 0.0)), "{}", ran.stdout);
    assert_eq!(run(&["bench", "--kind", "NoSuchKind"]).code, 2);
}

#[test]
fn bench_races_the_generator_against_random_objects() {
    let arguments = ["bench", "--blind", "--kind", "IPAddress", "--cases", "2048", "--format", "json"];
    let ran = run(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(run(&[&arguments[..], &["--jobs", "1"]].concat()).stdout, ran.stdout, "the same on one thread");
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let [row] = rows.as_slice() else { panic!("one kind has one line: {}", ran.stdout) };
    assert_eq!(row["kind"], "IPAddress");
    assert!(row["ours"]["found"].as_u64() > row["blind"]["found"].as_u64(), "{row}");
    assert!(row["blind"]["comparedPercent"].as_f64() > Some(90.0), "random objects decode: {row}");
    let table = run(&arguments[..6]).stdout;
    assert!(table.contains("2,048 cases a subject") && table.contains("≥ "), "{table}");
    assert_eq!(run(&["bench", "--cases", "10"]).code, 2, "only the race counts cases");
}

#[test]
fn objects_of_a_file_are_measured_by_their_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("objects.yaml");
    let address = |parent: &str| {
        let spec = json!({"parentRef": {"resource": "services", "name": parent, "namespace": "default"}});
        json!({"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress", "metadata": {"name": "10.0.0.1"}, "spec": spec})
    };
    let stranger = json!({"apiVersion": "example.com/v1", "kind": "Stranger", "metadata": {"name": "a"}});
    let text = |objects: &[Value]| objects.iter().map(|object| format!("---\n{object}\n")).collect::<String>();
    std::fs::write(&file, text(&[address("kubernetes"), stranger, address("")])).unwrap();
    let file = file.to_str().unwrap();
    let ran = run(&["bench", "--objects", file, "--for", "0s", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert!(
        !rows.is_empty() && rows.iter().all(|row| row["subject"] == "networking.k8s.io/v1 IPAddress"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("IPAddress: 2 cases,") && ran.stderr.contains("Stranger: 2 cases left out"),
        "{}",
        ran.stderr
    );
    std::fs::write(file, "apiVersion: [1\n").unwrap();
    assert_eq!(run(&["bench", "--objects", file]).code, 2);
    assert_eq!(run(&["bench", "--objects", "no-such-file.yaml"]).code, 2);
}

#[test]
fn another_build_is_measured_in_turn_and_a_ratio_can_fail() {
    let own = assert_cmd::cargo::cargo_bin("takeover");
    let own = own.to_str().unwrap();
    let measured = ["bench", "--kind", "networking.k8s.io/v1 IPAddress", "--for", "60ms"];
    let against = [&measured[..], &["--against", own, "--rounds", "3"]].concat();
    let ran = run(&[&against[..], &["--format", "json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&told["rounds"], &told["onlyBefore"], &told["onlyAfter"]), (&json!(3), &json!([]), &json!([])));
    let lines = told["lines"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["what"] == "prepared comparison to recorded verdict"), "{told}");
    for line in lines {
        let of = |name: &str| line[name].as_f64().unwrap();
        let [least, most] = [0, 1].map(|at| line["spread"][at].as_f64().unwrap());
        assert!(0.0 < least && least <= of("ratio") && of("ratio") <= most, "{line}");
    }
    assert!(ran.stderr.contains("round 1 of 3") && ran.stderr.contains("round 3 of 3"), "{}", ran.stderr);
    // A build is not a thousand times faster than itself.
    let ran = run(&[&against[..], &["--at-least", "1000"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("speedup") && ran.stderr.contains("below 1000"), "{}{}", ran.stdout, ran.stderr);
    // The line of decoding is 1 × decoding.
    for (limit, code) in
        [("decode and default=2", 0), ("decode and default=0.5", 1), ("no such line=1", 2), ("decode", 2)]
    {
        let ran = run(&[&measured[..], &["--at-most", limit]].concat());
        assert_eq!(ran.code, code, "{limit}: {}", ran.stderr);
    }
    let broken = run(&[&measured[..], &["--against", "/no/such/program"]].concat());
    assert!(broken.code == 2 && broken.stderr.contains("/no/such/program"), "{}", broken.stderr);
}
