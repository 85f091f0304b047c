//! Shards that are kept in a storage: together they are the run in one piece, whatever becomes of the processes.

use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn takeover() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_takeover"));
    // The variables of the system that runs this test are not meant.
    for name in ["JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"] {
        command.env_remove(name);
    }
    command
}

const SETTINGS: [&str; 5] = ["soak", "--kind", "ReplicationController", "--seed", "7"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A storage, and files to compare.
struct Fleet {
    root: TempDir,
}

impl Fleet {
    fn new() -> Self {
        Self { root: TempDir::new().unwrap() }
    }

    fn at(&self, name: &str) -> String {
        format!("file://{}/{name}", self.root.path().display())
    }

    fn has(&self, object: &str) -> bool {
        self.root.path().join("runs").join(object).is_file()
    }

    fn shard(&self, shard: &str, more: &[&str]) -> Command {
        let mut command = takeover();
        command.args(SETTINGS).args(["--jobs", "1", "--shard", shard, "--out", &self.at("runs")]).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn finishes(&self, shard: &str, more: &[&str]) -> String {
        let ended = self.shard(shard, more).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
        text(&ended.stderr)
    }

    fn merge(&self, out: &str, more: &[&str]) -> Output {
        takeover().args(["merge", &self.at("runs"), "--out", out]).args(more).output().unwrap()
    }

    /// The evidence that the shards make, and that of one process.
    fn assert_whole(&self, more: &[&str]) {
        let merged = self.merge(&self.root.path().join("merged").display().to_string(), &[]);
        // 2: an input could not be read.
        assert!(matches!(merged.status.code(), Some(0..=2)), "{}", text(&merged.stderr));
        let whole = self.root.path().join("whole");
        let once = takeover().args(SETTINGS).args(more).arg("--out").arg(&whole).output().unwrap();
        assert_eq!(once.status.code(), merged.status.code(), "{}", text(&once.stderr));
        for file in ["evidence.json", "health.json"] {
            let of = |folder: &Path| fs::read(folder.join(file)).unwrap();
            assert!(of(&whole) == of(&self.root.path().join("merged")), "{file}");
        }
        let report = |folder: &str| -> Value {
            let text = fs::read(self.root.path().join(folder).join("report.json")).unwrap();
            serde_json::from_slice(&text).unwrap()
        };
        assert_eq!(report("whole")["subjects"][0]["totals"], report("merged")["subjects"][0]["totals"]);
    }
}

fn refused(ended: &Output, reason: &str) {
    assert_eq!(ended.status.code(), Some(2), "{}", text(&ended.stderr));
    assert!(text(&ended.stderr).contains(reason), "{reason}: {}", text(&ended.stderr));
}

/// Waits until this holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Plays what an Indexed Job does: an index that failed is started again, a pod is evicted, and an index is run by two pods at once, as
/// when a node is cut off.
#[test]
fn an_indexed_job_with_failed_evicted_and_doubled_pods_is_the_run_in_one_piece() {
    let (fleet, cases) = (Fleet::new(), ["--cases", "40000"]);
    let pod = |index: &str| {
        let mut command = fleet.shard("auto", &[&cases[..], &["--checkpoint-every", "1ms"]].concat());
        command.env("JOB_COMPLETION_INDEX", index).env("JOB_COMPLETIONS", "4");
        command
    };
    // Index 0: the node dies after the first checkpoint, and the index is started again.
    let mut lost = pod("0").spawn().unwrap();
    until("no checkpoint", || fleet.has("checkpoints/000001-of-000004"));
    kill(&mut lost);
    let again = pod("0").output().unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(text(&again.stderr).contains("resuming shard 1/4"), "{}", text(&again.stderr));
    // Index 1: evicted. The pod is told, stores what it has, and ends as one that was told to.
    let evicted = pod("1").spawn().unwrap();
    until("no checkpoint", || fleet.has("checkpoints/000002-of-000004"));
    let told = Command::new("kill").args(["-TERM", &evicted.id().to_string()]).status().unwrap();
    assert!(told.success());
    let evicted = evicted.wait_with_output().unwrap();
    assert_eq!(evicted.status.code(), Some(143), "{}", text(&evicted.stderr));
    assert!(text(&evicted.stderr).contains("start the same command again"), "{}", text(&evicted.stderr));
    let again = pod("1").output().unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(text(&again.stderr).contains("resuming shard 2/4"), "{}", text(&again.stderr));
    // Index 2: twice at once.
    let twins = [pod("2").spawn().unwrap(), pod("2").spawn().unwrap()];
    for twin in twins {
        let ended = twin.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    }
    // Index 3: done, and started once more, which costs nothing.
    assert_eq!(pod("3").output().unwrap().status.code(), Some(0));
    let idle = pod("3").output().unwrap();
    assert!(idle.status.code() == Some(0) && text(&idle.stderr).contains("is finished already"));
    assert!(!fleet.has("checkpoints/000004-of-000004"), "a finished shard keeps no checkpoint");
    fleet.assert_whole(&cases);
}

#[test]
fn a_second_run_at_the_same_address_is_refused_and_so_are_flags_that_do_not_fit() {
    let fleet = Fleet::new();
    fleet.finishes("1/2", &["--cases", "600"]);
    let ran = |shard: &str, more: &[&str]| fleet.shard(shard, more).output().unwrap();
    refused(&ran("2/2", &["--cases", "700"]), "holds another run: budget.cases was 600 and is 700");
    refused(&ran("2/3", &["--cases", "600"]), "the number of shards differs: `2` and `3`");
    refused(&ran("2/2", &["--cases", "600", "--force"]), "--force does not go with --out");
    let address = fleet.at("other");
    let out = ["soak", "--cases", "600", "--out", address.as_str()];
    refused(&takeover().args(out).output().unwrap(), "needs --seed");
    refused(&takeover().args(["soak", "--resume", &address]).output().unwrap(), "--resume takes a folder");
    refused(&takeover().args(["soak", "--seed", "1", "--out", "s3:///x"]).output().unwrap(), "names no bucket");
    let none = takeover().args(["merge", &address, "--out", "nowhere"]).output().unwrap();
    refused(&none, "holds no result of a shard");
    refused(&takeover().args(["report", &address]).output().unwrap(), "holds no report and no result");
    // Damage to a result is named with its object.
    let result = fleet.root.path().join("runs/results/000001-of-000002");
    let mut content = fs::read(&result).unwrap();
    *content.last_mut().unwrap() ^= 1;
    fs::write(&result, content).unwrap();
    refused(&fleet.merge("nowhere", &["--partial"]), "results/000001-of-000002`: its content has changed");
}

#[test]
fn what_is_stored_is_reported_in_part_and_merged_in_place() {
    let fleet = Fleet::new();
    let cases = ["--cases", "3000"];
    fleet.finishes("1/2", &cases);
    let report = || {
        let ended = takeover().args(["report", &fleet.at("runs"), "--format", "json"]).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
        serde_json::from_slice::<Value>(&ended.stdout).unwrap()
    };
    let part = report();
    assert_eq!((&part["missingShards"], &part["unfinished"]["wanted"]), (&serde_json::json!(["2/2"]), &3000.into()));
    refused(&fleet.merge("nowhere", &[]), "shard 2/2 is missing; --partial merges the others anyway");
    refused(&fleet.merge("nowhere", &["--wait", "1s"]), "has the results of 1 of 2 shards only");
    let mut waits = takeover();
    waits.args(["merge", &fleet.at("runs"), "--wait", "120s", "--out", &fleet.at("runs")]);
    let waits = waits.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    fleet.finishes("2/2", &cases);
    let waited = waits.wait_with_output().unwrap();
    assert_eq!(waited.status.code(), Some(1), "{}", text(&waited.stderr));
    let whole = report();
    assert_eq!(whole["missingShards"], Value::Null, "{}", whole["missingShards"]);
    assert_ne!(whole["subjects"][0]["totals"], part["subjects"][0]["totals"]);
    assert!(fleet.has("run.json") && fleet.has("findings/001.yaml") && fleet.has("report.html"));
    let stored = fs::read_to_string(fleet.root.path().join("runs/findings/001.yaml")).unwrap();
    assert!(stored.contains(" validate findings/001.yaml\n"), "as it is found by whoever fetches it: {stored}");
    refused(&fleet.merge(&fleet.at("runs"), &[]), "holds a merged run");
    fleet.assert_whole(&cases);
}

#[test]
fn a_merge_counts_once_it_is_whole_and_until_another_shard_is_finished() {
    let fleet = Fleet::new();
    let cases = ["--cases", "3000"];
    let report = || {
        let ended = takeover().args(["report", &fleet.at("runs"), "--format", "json"]).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
        let report: Value = serde_json::from_slice(&ended.stdout).unwrap();
        (report["missingShards"].clone(), report["unfinished"].is_object())
    };
    let merge = |more: &[&str]| assert_eq!(fleet.merge(&fleet.at("runs"), more).status.code(), Some(1));
    fleet.finishes("1/2", &cases);
    merge(&["--partial"]);
    let lacks = serde_json::json!(["2/2"]);
    assert_eq!(report(), (lacks, false), "the merge of one shard");
    fleet.finishes("2/2", &cases);
    assert_eq!(report(), (Value::Null, true), "what both say, though nobody merged them");
    let old = fleet.root.path().join("runs/findings/999.yaml");
    fs::write(&old, "of the last merge").unwrap();
    merge(&["--force"]);
    assert_eq!((report(), old.exists()), ((Value::Null, false), false));
    // A merge that broke off has no record.
    fs::remove_file(fleet.root.path().join("runs/run.json")).unwrap();
    assert_eq!(report(), (Value::Null, true));
}

#[test]
fn a_merge_that_is_told_to_stop_while_it_waits_says_so() {
    let fleet = Fleet::new();
    fleet.finishes("1/2", &["--cases", "64"]);
    let out = fleet.root.path().join("merged");
    let mut merge = takeover();
    merge.args(["merge", &fleet.at("runs"), "--wait", "120s", "--out"]).arg(&out);
    let mut merge = merge.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufReader::new(merge.stderr.take().unwrap()).lines();
    let waiting = said.next().unwrap().unwrap();
    assert!(waiting.contains("has the results of 1 of 2 shards"), "{waiting}");
    assert!(Command::new("kill").args(["-TERM", &merge.id().to_string()]).status().unwrap().success());
    assert_eq!(merge.wait().unwrap().code(), Some(143));
    let rest: Vec<String> = said.map(Result::unwrap).collect();
    assert_eq!((rest.len(), out.exists()), (1, false), "{rest:?}");
    assert!(rest[0].contains("nothing was merged"), "{rest:?}");
}

#[test]
fn a_shard_prints_its_own_report_in_a_form_that_is_chosen_and_again_once_it_is_finished() {
    let fleet = Fleet::new();
    let printed = |more: &[&str]| {
        let ended = fleet.shard("1/2", &[&["--cases", "3000"], more].concat()).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
        text(&ended.stdout)
    };
    let first = printed(&["--format", "json"]);
    let report: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(report["shard"], "1/2");
    assert_ne!(report["subjects"][0]["totals"], Value::Null);
    assert_eq!(printed(&["--format", "json"]), first);
    assert_eq!((printed(&[]), printed(&["--quiet"])), (String::new(), String::new()));
}

#[test]
fn each_shard_reads_its_own_part_of_recorded_inputs_in_a_storage() {
    let fleet = Fleet::new();
    let corpus = fleet.root.path().join("corpus");
    fs::create_dir(&corpus).unwrap();
    // Three parts: two of many small objects, and a broken file in one of them.
    for number in 0..150 {
        let replicas = number - 3;
        let object = format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"ReplicationController\", \"metadata\": {{\"name\": \"web-{number}\", \"namespace\": \"a\"}}, \"spec\": {{\"replicas\": {replicas}, \"selector\": {{\"a\": \"b\"}}, \"template\": {{\"metadata\": {{\"labels\": {{\"a\": \"b\"}}}}, \"spec\": {{\"containers\": [{{\"name\": \"c\", \"image\": \"i\"}}]}}}}}}}}"
        );
        fs::write(corpus.join(format!("{number:03}.json")), object).unwrap();
    }
    fs::write(corpus.join("070-broken.yaml"), "a: [").unwrap();
    let address = fleet.at("corpus");
    let inputs = ["--cases", "0", "--no-builtin", "--recorded", address.as_str()];
    let said: Vec<String> = ["1/3", "2/3", "3/3"].iter().map(|shard| fleet.finishes(shard, &inputs)).collect();
    let broken: Vec<bool> = said.iter().map(|said| said.contains("070-broken.yaml")).collect();
    assert_eq!(broken, [false, true, false], "one shard reads a file: {said:?}");
    fleet.assert_whole(&inputs);
    let record: Value = serde_json::from_slice(&fs::read(fleet.root.path().join("merged/run.json")).unwrap()).unwrap();
    assert_eq!((&record["unreadable"], &record["inputs"][0]["path"]), (&1.into(), &address.as_str().into()));
    // A list that changes in between is another run.
    fs::write(corpus.join("999.yaml"), "a: 1").unwrap();
    refused(&fleet.shard("1/3", &inputs).output().unwrap(), "the objects of the input");
    refused(&fleet.shard("1/3", &[&inputs[..], &["--dedup", "shape"]].concat()).output().unwrap(), "no --dedup");
}

/// Runs a command, and says how many MiB it took at most.
fn peak(mut command: Command) -> u64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let kib = fs::read_to_string(&status).ok().and_then(|status| {
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
        });
        most = most.max(kib.unwrap_or(0));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let ended = child.wait_with_output().unwrap();
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{}", text(&ended.stderr));
    most >> 10
}

#[test]
fn many_shards_take_as_much_memory_as_few() {
    let merged = |count: u64| {
        let fleet = Fleet::new();
        fleet.finishes(&format!("1/{count}"), &["--cases", "64"]);
        let first = fleet.root.path().join(format!("runs/results/000001-of-{count:06}"));
        // The others are its result under their own numbers.
        let content = fs::read(&first).unwrap();
        let packed = content.splitn(2, |byte| *byte == b'\n').nth(1).unwrap();
        let mut body = String::new();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut body).unwrap();
        for number in 2..=count {
            let own = body.replacen(&format!("\"shard\":\"1/{count}\""), &format!("\"shard\":\"{number}/{count}\""), 1);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(own.as_bytes()).unwrap();
            let packed = packed.finish().unwrap();
            let mut content = format!("takeover shard-result 1.0 {}\n", blake3::hash(&packed)).into_bytes();
            content.extend(packed);
            fs::write(first.with_file_name(format!("{number:06}-of-{count:06}")), content).unwrap();
        }
        let mut merge = takeover();
        merge.args(["merge", &fleet.at("runs"), "--out"]).arg(fleet.root.path().join("merged"));
        let most = peak(merge);
        let record = fs::read(fleet.root.path().join("merged/run.json")).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        assert_eq!(record["merged"]["shards"].as_array().map(Vec::len), usize::try_from(count).ok());
        most
    };
    let (few, many) = (merged(12), merged(240));
    assert!(many < few + 24, "12 shards took {few} MiB, 240 took {many} MiB");
}
