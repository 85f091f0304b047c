//! What types say, before anybody judges: the kinds of CRD manifests and Go packages, what could not be read of them, and how many
//! generated and recorded objects are valid by their schema.

use crate::catalogue::{KindTypes, Types};
use crate::pairs::{probed, shown};
use crate::stop::Stopped;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use takeover_corpora::generate::{Generator, GeneratorSettings};
use takeover_corpora::load::{Input, Limits, load};
use takeover_custom_resources::CustomKind;
use takeover_custom_resources::validate::validate;
use takeover_harness::case::Operation;
use takeover_harness::object::{Arena, FieldValidation, to_value};
use takeover_harness::oracle::{Answer, Oracle, Question};
use takeover_harness::pair::Pair;
use takeover_harness::schema::Kind;
use takeover_harness::subject::SubjectId;

/// How many cases the schema is asked about before objects are generated.
const PROBING_CASES: u64 = 600;

/// What types say.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Survey {
    /// Every kind, by name.
    pub kinds: Vec<KindSurvey>,
    /// What could not be read, with the place.
    pub unread: Vec<String>,
    /// Recorded objects of other kinds, by version and kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other_objects: BTreeMap<String, u64>,
}

/// What types say of a kind.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindSurvey {
    /// Version and kind.
    pub kind: String,
    /// The file or folder.
    pub source: String,
    /// Fields of all types below the kind.
    pub fields: usize,
    /// Rules that a candidate `tags` has.
    pub rules: usize,
    /// Constraints of the schema, which are tried and judge nothing.
    pub constraints: usize,
    /// `+kubebuilder:validation` markers of the Go package, which are not read.
    pub foreign_markers: usize,
    /// Constructs that are not read, or that the types cannot hold.
    pub unread: Vec<String>,
    /// Generated objects.
    pub generated: u64,
    /// Of these, those that are valid by the schema; none where types have no schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<u64>,
    /// Recorded objects.
    pub recorded: u64,
    /// Of these, those that are of the types.
    pub decoded: u64,
    /// Of these, those that are valid by the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_valid: Option<u64>,
}

/// Reads the types at `places`, generates so many objects of each kind, and reads the recorded objects.
#[must_use]
pub fn survey(places: &[PathBuf], cases: u64, recorded: &[PathBuf]) -> Survey {
    let mut survey = Survey::default();
    let mut pairs: Vec<(Pair, Option<CustomKind>)> = Vec::new();
    for place in places.iter().flat_map(|place| files(place)) {
        let types = match Types::read_in_part(&place) {
            Ok((types, unread)) => {
                survey.unread.extend(unread);
                types
            }
            Err(reason) => {
                survey.unread.push(format!("{}: {reason}", place.display()));
                continue;
            }
        };
        for subject in types.subjects() {
            let said = match types.kind(&subject) {
                Ok(Some(said)) => said,
                Ok(None) => continue,
                Err(error) => {
                    survey.unread.push(format!("{}: {error}", place.display()));
                    continue;
                }
            };
            let custom = types.custom(&subject).cloned();
            survey.kinds.push(KindSurvey {
                kind: subject.to_string(),
                source: place.display().to_string(),
                fields: said
                    .schema
                    .iter()
                    .map(|(_, ty)| match &ty.kind {
                        Kind::Struct(members) => members.fields.len(),
                        _ => 0,
                    })
                    .sum(),
                rules: said.declared.as_ref().map_or(0, |declared| declared.rules().len()),
                constraints: said.hints.len(),
                foreign_markers: said.foreign_markers,
                unread: custom.iter().flat_map(|kind| &kind.unread).map(ToString::to_string).collect(),
                generated: 0,
                valid: None,
                recorded: 0,
                decoded: 0,
                recorded_valid: custom.as_ref().map(|_| 0),
            });
            let Ok(pair) = pair(subject, said, custom.clone(), PROBING_CASES.min(cases)) else { return survey };
            pairs.push((pair, custom));
        }
    }
    for (kind, (pair, custom)) in survey.kinds.iter_mut().zip(&pairs) {
        generate(kind, pair, custom.as_ref(), cases);
    }
    let inputs: Vec<Input> = recorded.iter().map(Input::named).collect();
    // Nothing at all would be an error of the loader.
    let documents = (!inputs.is_empty()).then(|| load(inputs, Limits::default()));
    for document in documents.into_iter().flatten() {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                survey.unread.push(error.to_string());
                continue;
            }
        };
        let name = format!("{} {}", document.api_version, document.kind);
        let Some(at) = survey.kinds.iter().position(|kind| kind.kind == name) else {
            *survey.other_objects.entry(name).or_default() += 1;
            continue;
        };
        if let (Some(kind), Some((pair, custom))) = (survey.kinds.get_mut(at), pairs.get(at)) {
            kind.recorded += 1;
            let decodes = pair.decode(&document.value.clone().into(), &Arena::new()).is_ok();
            kind.decoded += u64::from(decodes);
            if let (Some(valid), Some(custom)) = (&mut kind.recorded_valid, custom) {
                *valid += u64::from(decodes && validate(&custom.structural, &document.value).is_empty());
            }
        }
    }
    survey.kinds.sort_by(|one, other| (&one.kind, &one.source).cmp(&(&other.kind, &other.source)));
    survey
}

/// Every file of a folder of manifests by itself, so that a broken one harms no other; a folder of Go packages as a whole.
fn files(place: &Path) -> Vec<PathBuf> {
    if !place.is_dir() || Types::is_go(place) {
        return vec![place.to_owned()];
    }
    let is_manifest = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| matches!(ending, "yaml" | "yml" | "json" | "jsonl" | "gz" | "zst"))
    };
    let mut found = Vec::new();
    let mut open = vec![place.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for entry in entries {
            if entry.is_dir() {
                open.push(entry);
            } else if is_manifest(&entry) {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// A kind with its schema on both sides, which is what its objects are mended and generated by.
fn pair(subject: SubjectId, said: KindTypes, custom: Option<CustomKind>, probing: u64) -> Result<Pair, Stopped> {
    let side = |custom: Option<CustomKind>| -> Box<dyn Oracle> {
        Box::new(move |question: &Question<'_>, answer: &mut Answer| {
            if let Some(kind) = &custom {
                let objects = &question.objects;
                let object = to_value(objects.schema, objects.root, &objects.new);
                validate(&kind.structural, &object).into_vec().into_iter().for_each(|error| answer.push(error));
            }
        })
    };
    let hints = said.hints.clone();
    let pair = Pair {
        baseline: hints,
        ..Pair::new(subject, said.into_form(FieldValidation::Warn), side(custom.clone()), side(custom.clone()))
    };
    if custom.is_some() && probing > 0 { probed(pair, probing, false, shown()) } else { Ok(pair) }
}

fn generate(kind: &mut KindSurvey, pair: &Pair, custom: Option<&CustomKind>, cases: u64) {
    if cases == 0 {
        return;
    }
    let generator = Generator::of(pair, Vec::new(), 1);
    let len = GeneratorSettings::of(pair, 1).chunk_size.max(1);
    let most = usize::try_from(cases).unwrap_or(usize::MAX);
    let objects = (0..)
        .take(most)
        .flat_map(|chunk| generator.chunk(chunk, len))
        .filter(|made| made.case.operation == Operation::Create);
    let mut valid = 0;
    for made in objects.take(most) {
        let Ok(object) = made.case.object.to_value() else { continue };
        kind.generated += 1;
        valid += u64::from(custom.is_some_and(|custom| is_valid(custom, &object)));
    }
    kind.valid = custom.map(|_| valid);
}

fn is_valid(kind: &CustomKind, object: &Value) -> bool {
    validate(&kind.structural, object).is_empty()
}

impl Survey {
    /// Generated objects of kinds with a schema, and how many of them are valid.
    #[must_use]
    pub fn generated(&self) -> (u64, u64) {
        let with_schema = self.kinds.iter().filter_map(|kind| Some((kind.generated, kind.valid?)));
        with_schema.fold((0, 0), |(all, good), (generated, valid)| (all + generated, good + valid))
    }

    /// Recorded objects, those that are of the types, and those that are valid.
    #[must_use]
    pub fn recorded(&self) -> (u64, u64, u64) {
        let add = |(all, decoded, valid): (u64, u64, u64), kind: &KindSurvey| {
            (all + kind.recorded, decoded + kind.decoded, valid + kind.recorded_valid.unwrap_or_default())
        };
        self.kinds.iter().fold((0, 0, 0), add)
    }
}
