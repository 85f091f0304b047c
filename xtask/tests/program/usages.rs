//! Wrong usages: each is answered in one or two lines that name the mistake and the way out.

use std::fs;
use std::process::Command;

/// What is typed, the code it ends with, the mistake, and the way out.
const USAGES: [(&str, i32, &str, &str); 74] = [
    ("soka", 2, "'soka'", "'soak'"),
    ("soak --sead 1", 2, "'--sead'", "'--seed'"),
    ("soak --otu run", 2, "'--otu'", "did you mean `--out`?"),
    ("explain --rnu run minimum", 2, "'--rnu'", "did you mean `--run`?"),
    ("merge --out whole --config nowhere.toml one", 2, "`nowhere.toml`", "No such file"),
    ("soak extra", 2, "'extra'", "takeover soak --help"),
    ("soak --kind ReplicationControler", 2, "`ReplicationControler`", "did you mean `ReplicationController`?"),
    ("soak --kind rc", 2, "`rc`", "did you mean `ReplicationController`?"),
    ("soak --kind services", 2, "`services`", "did you mean `Service`?"),
    ("soak --kind po", 2, "`Pod` has no handwritten validator", "`takeover subjects`"),
    ("soak --plan", 2, "'--plan'", "takeover soak --help"),
    ("soak --cases many", 2, "'many'", "it is not a whole number"),
    ("soak --jobs 0", 2, "'0'", "it must be at least 1"),
    ("soak --for soon", 2, "'soon'", "60s"),
    ("soak --seed -1", 2, "'-1'", "takeover soak --help"),
    ("soak --shard 0/4 --seed 1", 2, "'0/4'", "1/4"),
    ("soak --shard 1/4", 2, "required", "--seed"),
    ("soak --sample 200%", 2, "'200%'", "takeover soak --help"),
    ("soak --worker-memory lots", 2, "'lots'", "512MiB"),
    ("soak --quiet --full", 2, "'--quiet'", "'--full'"),
    ("soak --resume nowhere", 2, "`nowhere` holds no run", "run.json"),
    ("soak --types nowhere", 2, "--types `nowhere`", "not a folder"),
    ("soak --types empty", 2, "--types `empty`", "k8s.io/api"),
    ("soak --recorded nowhere.yaml", 2, "`nowhere.yaml`", "No such file"),
    ("soak --config nowhere.toml", 2, "`nowhere.toml`", "No such file"),
    ("soak --out taken", 2, "`taken` is not empty", "another --out"),
    ("soak --config broken.toml", 2, "`broken.toml`", "unclosed array"),
    ("soak --config wrong.toml", 2, "`wrong.toml`", "expected u64"),
    ("soak --config unknown.toml", 2, "`polcy`", "did you mean `policy`?"),
    ("soak --config hook.toml", 2, "cannot connect to `http://127.0.0.1:1/validate`", "the reference of"),
    ("soak --config key.toml", 2, "`tpyes`", "did you mean `types`?"),
    ("soak --config oracle-key.toml", 2, "`exce`", "did you mean `exec`?"),
    ("soak --config oracle-value.toml", 2, "`erors`", "did you mean `errors`?"),
    ("soak --config twice.toml", 2, "in lines 1 and 8", "another `name`"),
    ("soak --config hook.toml --kind Widgt", 2, "`Widgt`", "did you mean `Widget`?"),
    ("soak --config hook.toml --kind old-to-nww", 2, "`old-to-nww`", "did you mean `old-to-new`?"),
    ("soak --exceptions excused.toml", 2, "`subjct`", "did you mean `subject`?"),
    ("soak --isolate=ReplicationControler", 2, "`ReplicationControler`", "did you mean `v1 ReplicationController`?"),
    ("soak --reference exce --candidate tags", 2, "`exce` is not an oracle", "did you mean `exec`?"),
    (
        "soak --reference tags --candidate tags --kind Widgt",
        2,
        "--kind `Widgt` must name version and kind",
        "'shop.example.com/v1 Widget'",
    ),
    (
        "oracle check --kind Widgt -- true",
        2,
        "--kind `Widgt` must name version and kind",
        "'shop.example.com/v1 Widget'",
    ),
    (
        "soak --reference tags --candidate tags --kind 'x.example.com/v1 Foo'",
        2,
        "`x.example.com/v1 Foo` is not a built-in kind",
        "--types",
    ),
    ("gate --kind Widgt", 2, "--kind", "`[subjects] only`"),
    ("soak --idl types", 2, "'--idl'", "it is '--types' now"),
    ("types lst", 3, "lst", "No such file"),
    ("docs tgas", 2, "'tgas'", "'tags'"),
    ("soak --today tomorrow", 2, "'tomorrow'", "2027-01-31"),
    ("config --config value.toml", 2, "`wran`", "did you mean `warn`?"),
    ("gate --fold rachets", 2, "`rachets`", "did you mean `ratchets`?"),
    ("gate --cause sorcery", 2, "`sorcery`", "the causes are ratchets,"),
    ("conform nowhere.jsonl", 2, "no file or folder `nowhere.jsonl`", "name"),
    ("conform --kind ReplicationControler", 2, "`ReplicationControler`", "did you mean `ReplicationController`?"),
    ("bench --for soon", 2, "'soon'", "60s"),
    ("bench --kind ReplicationControler", 2, "`ReplicationControler`", "did you mean `ReplicationController`?"),
    ("report nowhere", 2, "`nowhere` does not exist", "run folder"),
    ("report empty", 2, "`empty` has no report.json", "run folder"),
    ("report empty --format htlm", 2, "'htlm'", "'html'"),
    ("report empty --only blokced", 2, "'blokced'", "'blocked'"),
    ("merge nowhere --out sum", 2, "`nowhere` is not a folder", "run folder"),
    ("merge empty --out sum", 2, "`empty` holds no run", "run.json"),
    ("gate --run nowhere", 2, "`nowhere` is not a folder", "run folder"),
    ("promote nowhere --to gamma", 2, "'gamma'", "stable"),
    ("lint nowhere", 2, "`nowhere`", "No such file"),
    ("lint widget.yaml --strict", 2, "--strict is for Go types", "--deny"),
    ("lint widget.yaml --exceptions excused.toml", 2, "--exceptions is for Go types", "--allow"),
    ("lint widget.yaml --release 1.37", 2, "--release is for Go types", "--deny"),
    ("lint widget.yaml types.go", 2, "`widget.yaml` contains CRDs and `types.go` does not", "separately"),
    ("lint --allow requirdness", 2, "'requirdness'", "did you mean `requiredness`?"),
    ("validate", 2, "<FILE>", "takeover validate --help"),
    ("validate broken.yaml", 2, "broken.yaml:1", "unclosed bracket"),
    ("validate empty", 3, "empty: the folder contains no file", ".yaml"),
    ("completions tcl", 2, "'tcl'", "bash"),
    ("explain spec.nothing minimum=9", 2, "spec.nothing", "did you mean"),
    ("explain spec.replcas", 2, "spec.replcas", "did you mean `spec.replicas`?"),
];

/// A pair of Widgets of this name and candidate, whose reference is a webhook that is not there.
fn pair(name: &str, candidate: &str) -> String {
    format!(
        "[[pair]]\nname = \"{name}\"\napiVersion = \"shop.example.com/v1\"\nkind = \"Widget\"\ntypes = \"widget.yaml\"\n\
         reference = {{ webhook = \"http://127.0.0.1:1/validate\" }}\ncandidate = {candidate}\n"
    )
}

#[test]
fn every_wrong_usage_is_answered_in_two_lines_with_the_mistake_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (file, text) in [
        ("broken.yaml", "a: ["),
        ("widget.yaml", include_str!("pairs/widget.yaml")),
        // Nobody listens there.
        ("key.toml", &pair("old-to-new", "{ tags = true }").replace("types", "tpyes")),
        ("oracle-key.toml", &pair("old-to-new", "{ exce = [\"true\"] }")),
        ("oracle-value.toml", &pair("old-to-new", "{ webhook = \"http://x\", answers = \"erors\" }")),
        ("twice.toml", &pair("old-to-new", "{ tags = true }").repeat(2)),
        ("excused.toml", "[[exception]]\nsubjct = \"v1 ReplicationController\"\n"),
        ("hook.toml", &pair("old-to-new", "{ webhook = \"http://127.0.0.1:1/validate\" }")),
        ("broken.toml", "x = ["),
        ("wrong.toml", "[policy]\nmin-accepts = \"many\"\n"),
        ("value.toml", "[corpora]\nfield-validation = \"wran\"\n"),
        ("unknown.toml", "[polcy]\n"),
        ("taken/thesis.txt", "years of work"),
        ("empty/.keep", ""),
    ] {
        let place = here.join(file);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
    let mut wrong = Vec::new();
    for (typed, code, mistake, way_out) in USAGES {
        let mut command = Command::new(env!("CARGO_BIN_EXE_takeover"));
        let output = command.current_dir(here).args(shlex::split(typed).unwrap()).env_remove("CARGO").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let twice = said.matches("version and kind").count() > 1;
        // The lines of a file that are shown below a mistake in it come on top.
        let lines = said.lines().filter(|line| !line.starts_with(' ') || line.contains('×')).count();
        let fits = (1..=2).contains(&lines) && said.contains(mistake) && said.contains(way_out);
        // What is said of files is an answer of `validate`.
        let silent = output.stdout.is_empty() || typed.starts_with("validate ");
        if output.status.code() != Some(code) || !fits || twice || !silent {
            wrong.push(format!("{typed}: code {:?}, {lines} lines, silent: {silent}\n{said}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
