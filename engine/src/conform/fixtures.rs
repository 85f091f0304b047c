//! Fixtures in, agreement of our oracles with their recorded verdicts out.

use super::applied::{self, Asked};
use super::custom::{self, Place, Sort};
use super::defaults::{self, Recording};
use super::targets::Targets;
use super::{expressions, live, matcher, policies, schema_rules, sides};
use crate::pairs::ChosenPairs;
use crate::say::Say;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use takeover_corpora::fixture::{self, Fixture, FixtureError, Live};
use takeover_harness::object::without_negative_zeros;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::Agreement;

/// What to judge with.
pub struct ConformSettings<'s> {
    /// Folder of Go packages for fixtures that name a Go type.
    pub types: Option<PathBuf>,
    /// Only fixtures of this kind.
    pub kind: Option<String>,
    /// Only fixtures of these subjects.
    pub subjects: Option<BTreeSet<SubjectId>>,
    /// The pairs that judge fixtures of their kinds in place of what is built in.
    pub chosen: Option<ChosenPairs>,
    /// Files of schemas of custom resources and of manifests that fixtures refer to, or folders of them.
    pub schemas: Vec<PathBuf>,
    /// What is told which fixtures cannot be read.
    pub say: Say<'s>,
}

impl ConformSettings<'_> {
    /// Whether all fixtures are judged, including those without a subject.
    fn takes_all(&self) -> bool {
        self.kind.is_none() && self.subjects.is_none()
    }

    /// Whether fixtures of a subject are judged; `kind` names a subject or its kind, as `soak --kind` takes names.
    fn takes(&self, id: &SubjectId) -> bool {
        self.kind.as_ref().is_none_or(|name| id.is_called(name))
            && self.subjects.as_ref().is_none_or(|subjects| subjects.contains(id))
    }
}

impl Default for ConformSettings<'_> {
    /// Every fixture, and nothing is told.
    fn default() -> Self {
        Self { types: None, kind: None, subjects: None, chosen: None, schemas: Vec::new(), say: &|_| () }
    }
}

/// Judges every fixture of `inputs`, or those that are part of this project when there are none.
///
/// # Errors
/// When an input does not exist, or no type is known for the kind. A file that breaks off is counted as unreadable, a line that is no
/// fixture as skipped.
pub fn run(inputs: &[PathBuf], settings: &ConformSettings<'_>) -> anyhow::Result<Agreement> {
    let mut agreement = Agreement::default();
    let mut targets = Targets::new(settings.types.as_deref())?;
    let is_described = settings.chosen.as_ref().is_some_and(|chosen| !chosen.described.is_empty());
    let is_builtin = settings.types.is_none() && settings.schemas.is_empty() && !is_described;
    if let (Some(kind), true) = (&settings.kind, is_builtin) {
        targets.check_kind(kind)?;
    }
    check_existence(&settings.schemas)?;
    let is_lines = |path: &PathBuf| {
        path.is_dir() || [".jsonl", ".jsonl.gz"].iter().any(|end| path.to_string_lossy().ends_with(end))
    };
    if let Some(other) = settings.schemas.iter().find(|path| !is_lines(path)) {
        anyhow::bail!(
            "--schemas takes recorded schemas, as `.jsonl` or `.jsonl.gz` files, and not `{}`",
            other.display()
        );
    }
    for file in fixture::files(&settings.schemas)? {
        for line in fixture::lines(&file)? {
            let line = line?;
            let place = format!("{}:{}", file.display(), line.number);
            judge_line(&line.text, &place, &BTreeSet::new(), settings, &mut targets, &mut agreement);
        }
    }
    if inputs.is_empty() {
        for (path, text) in fixture::builtin() {
            let texts = || text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
            let marks = recorded_marks(texts().map(|(line, _)| line.as_bytes()));
            for (line, number) in texts() {
                judge_line(
                    line.as_bytes(),
                    &format!("{path}:{number}"),
                    &marks,
                    settings,
                    &mut targets,
                    &mut agreement,
                );
            }
        }
    } else {
        check_existence(inputs)?;
        let files = fixture::files(inputs)?;
        if files.is_empty() {
            anyhow::bail!("no fixture files (`.jsonl`, `.jsonl.gz`) in {}", quoted(inputs));
        }
        for file in files {
            // A broken file costs what it still held, not the files after it.
            if let Err(error) = judge_file(&file, settings, &mut targets, &mut agreement) {
                (settings.say)(&format!("warning: {error}"));
                agreement.unreadable += 1;
            }
        }
    }
    agreement.finish();
    Ok(agreement)
}

fn check_existence(inputs: &[PathBuf]) -> anyhow::Result<()> {
    match inputs.iter().find(|input| !input.exists()) {
        Some(missing) => {
            anyhow::bail!("there is no file or folder `{}`: name `.jsonl` files, or folders of them", missing.display())
        }
        None => Ok(()),
    }
}

fn quoted(inputs: &[PathBuf]) -> String {
    inputs.iter().map(|input| format!("`{}`", input.display())).collect::<Vec<_>>().join(", ")
}

fn judge_file(
    file: &Path,
    settings: &ConformSettings<'_>,
    targets: &mut Targets,
    agreement: &mut Agreement,
) -> Result<(), FixtureError> {
    // What is wrong with the file is said when it is judged.
    let marks = recorded_marks(fixture::lines(file).into_iter().flatten().flatten().map(|line| line.text));
    for line in fixture::lines(file)? {
        let line = line?;
        let place = format!("{}:{}", file.display(), line.number);
        judge_line(&line.text, &place, &marks, settings, targets, agreement);
    }
    Ok(())
}

/// Judges a line of a fixture file, whatever sort of fixture it is.
fn judge_line(
    text: &[u8],
    place: &str,
    marks: &BTreeSet<&'static str>,
    settings: &ConformSettings<'_>,
    targets: &mut Targets,
    agreement: &mut Agreement,
) {
    let parsed = std::str::from_utf8(text)
        .map_err(serde::de::Error::custom)
        .and_then(|text| serde_json::from_str(&without_negative_zeros(text)));
    let value: Value = match parsed {
        Ok(value) => value,
        Err(error) => {
            (settings.say)(&format!("warning: {place}: not JSON: {error}"));
            return agreement.skip("not JSON");
        }
    };
    let judged = if value.get("v1_35").is_some() || value.get("v1_37").is_some() {
        serde_json::from_value(value).map(|comparison| {
            if settings.takes_all() {
                matcher::judge(&comparison, place, text.len(), agreement, settings.say);
            }
        })
    } else if value.get("expr").is_some() {
        serde_json::from_value(value).map(|expression| {
            if settings.takes_all() {
                expressions::judge(&expression, place, text.len(), agreement);
            }
        })
    } else if value.get("policy").is_some() && value.get("bindings").is_some() {
        serde_json::from_value(value).map(|asked| {
            if settings.takes_all() {
                policies::judge(&asked, place, text.len(), agreement);
            }
        })
    } else if value.get("mode").and_then(Value::as_str) == Some("rule") {
        serde_json::from_value(value).map(|rules| {
            if settings.takes_all() {
                schema_rules::judge(rules, place, text.len(), agreement);
            }
        })
    } else if let Some(what) = Asked::of(&value) {
        let asked = |id: &SubjectId| settings.takes(id);
        applied::judge(what, value, targets, Place { place, bytes: text.len() }, &asked, agreement)
    } else if let Some(what) = Recording::of(&value) {
        let asked = |id: &SubjectId| settings.takes(id);
        defaults::judge(what, value, targets, Place { place, bytes: text.len() }, &asked, agreement)
    } else if let Some(sort) = Sort::of(&value) {
        let asked = |id: &SubjectId| settings.takes(id);
        custom::judge(sort, value, &mut targets.custom, Place { place, bytes: text.len() }, &asked, agreement)
    } else if value.get("schema").is_some() {
        agreement.skip("fixture of a schema in an unknown form");
        Ok(())
    } else if value.get("method").is_some() {
        serde_json::from_value(value).map(|live| judge_live(&live, settings, targets, place, text.len(), agreement))
    } else {
        serde_json::from_value(value)
            .map(|fixture| judge_verdict(&fixture, marks, settings, targets, place, text.len(), agreement))
    };
    if let Err(error) = judged {
        (settings.say)(&format!("warning: {place}: not a fixture: {error}"));
        agreement.skip("not a fixture");
    }
}

fn judge_verdict(
    fixture: &Fixture,
    marks: &BTreeSet<&'static str>,
    settings: &ConformSettings<'_>,
    targets: &mut Targets,
    place: &str,
    bytes: usize,
    agreement: &mut Agreement,
) {
    let described = settings.chosen.iter().flat_map(|chosen| targets.described(chosen, fixture)).collect::<Vec<_>>();
    if !described.is_empty() {
        for target in described {
            match target {
                Ok(target) => sides::judge(fixture, &target, marks, place, bytes, agreement),
                Err(reason) => agreement.skip(reason),
            }
        }
        return;
    }
    let id = SubjectId::new(&fixture.api_version, &fixture.kind).with_subresource(&fixture.subresource);
    if !settings.takes(&id) {
        return;
    }
    match targets.of(fixture) {
        Ok(target) => sides::judge(fixture, &target, marks, place, bytes, agreement),
        Err(reason) => agreement.skip(reason),
    }
}

fn judge_live(
    live: &Live,
    settings: &ConformSettings<'_>,
    targets: &mut Targets,
    place: &str,
    bytes: usize,
    agreement: &mut Agreement,
) {
    let id = live.subject();
    if !settings.takes(&id) {
        return;
    }
    if live.operation == "scale" {
        return agreement
            .skip("response of a live server to a scale, which judges a stored object that was not recorded");
    }
    if !targets.has_reference(&id) {
        agreement.skip(format!("response of a live server to {id}, which has no handwritten reference"));
        return;
    }
    match targets.of_server(&id) {
        Ok(target) => live::judge(live, &target, place, bytes, agreement),
        Err(reason) => agreement.skip(reason),
    }
}

/// The marks that fixtures record at all; a mark that no error carries was not recorded.
fn recorded_marks(texts: impl Iterator<Item = impl AsRef<[u8]>>) -> BTreeSet<&'static str> {
    let mut recorded = BTreeSet::new();
    for text in texts {
        for mark in ["shortCircuit", "stability", "coveredByDeclarative"] {
            let key = format!("\"{mark}\":");
            if !recorded.contains(mark) && text.as_ref().windows(key.len()).any(|window| window == key.as_bytes()) {
                recorded.insert(mark);
            }
        }
        if recorded.len() == 3 {
            break;
        }
    }
    recorded
}

#[cfg(test)]
mod tests {
    use super::{ConformSettings, run};
    use serde_json::{Value, json};
    use takeover_corpora::fixture;
    use takeover_reports::conform::Agreement;

    fn judged(fixture: &Value) -> Agreement {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one.jsonl");
        std::fs::write(&file, fixture.to_string()).unwrap();
        run(&[file], &ConformSettings::default()).unwrap()
    }

    /// Changes what was recorded; none where nothing like it was.
    type Planted = fn(&mut Value) -> Option<()>;

    /// Puts something else in the place of a text.
    fn reword(text: &mut Value) -> Option<()> {
        *text = json!(format!("{} planted", text.as_str()?));
        Some(())
    }

    fn take_first(errors: &mut Value) -> Option<()> {
        let errors = errors.as_array_mut().filter(|errors| !errors.is_empty())?;
        errors.remove(0);
        Some(())
    }

    #[test]
    fn what_was_recorded_otherwise_is_a_disagreement_of_that_side_alone() {
        let rows: [(&str, &str, Planted); 11] = [
            ("declarative", "differs FieldValue", |fixture| {
                reword(fixture.pointer_mut("/expect/declarative/0/detail")?)
            }),
            ("declarative", "extra FieldValue", |fixture| take_first(fixture.pointer_mut("/expect/declarative")?)),
            ("handwritten", "differs FieldValueInvalid spec.replicas minimum", |fixture| {
                let error = fixture.pointer_mut("/expect/handwritten/0")?;
                error["badValue"] = (error["field"] == "spec.replicas").then(|| json!(-77))?;
                Some(())
            }),
            ("handwritten", "missing FieldValueInvalid spec.replicas minimum", |fixture| {
                let errors = fixture.pointer_mut("/expect/handwritten")?.as_array_mut()?;
                let error = errors.iter().find(|error| error["field"] == "spec.replicas")?.clone();
                errors.push(error);
                Some(())
            }),
            ("mismatches", "extra FieldValue", |fixture| take_first(fixture.pointer_mut("/expect/mismatches")?)),
            ("decode", "missing Decision <nil> planted: this: planted", |fixture| {
                fixture["expect"].as_object_mut()?.get("validated")?;
                fixture["expect"] = json!({"decodeError": "planted: this"});
                Some(())
            }),
            ("defaulted", "differs Value metadata.name -", |fixture| {
                reword(fixture.pointer_mut("/expect/defaulted/metadata/name")?)
            }),
            ("defaulted", "old object: differs Value metadata.name -", |fixture| {
                reword(fixture.pointer_mut("/expect/oldDefaulted/metadata/name")?)
            }),
            ("stored", "differs Value metadata.labels[*] -", |fixture| {
                reword(fixture.pointer_mut("/expect/stored/metadata/labels/app")?)
            }),
            ("causes", "differs FieldValue", |fixture| reword(fixture.pointer_mut("/expect/causes/0/message")?)),
            ("matcher v1_36", "extra FieldValue", |fixture| take_first(fixture.pointer_mut("/v1_36")?)),
        ];
        let recorded = || fixture::builtin().iter().flat_map(|(_, texts)| texts.lines());
        for (side, difference, plant) in rows {
            let planted = recorded().find_map(|line| {
                let sound: Value = serde_json::from_str(line).unwrap();
                let mut changed = sound.clone();
                // A scale judges a stored object that was not recorded.
                (sound["operation"] != "scale" && plant(&mut changed).is_some()).then_some((sound, changed))
            });
            let (sound, changed) = planted.unwrap();
            let before = judged(&sound);
            assert!(before.agrees() && before.compared() > 0, "{sound}");
            let found = judged(&changed);
            assert!(!found.signatures.is_empty(), "{side}: {changed}");
            for disagreement in &found.signatures {
                let signature = &disagreement.signature;
                assert_eq!(signature.side, side, "{changed}");
                assert!(signature.difference.starts_with(difference), "{side}: {}", signature.difference);
            }
        }
    }
}
