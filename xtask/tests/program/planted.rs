//! Mistakes that people make, planted by hand: each is found, attributed to its rule, and shrunk to the smallest pair that shows it.

use crate::scratch;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use takeover_corpora::generate::Generator;
use takeover_corpora::minimise::{Limits, minimise};
use takeover_corpora::recorded::{accepted_objects, cases_of, objects};
use takeover_harness::case::{Case, Operation};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::{Cause, Signature};
use takeover_harness::evidence::{Evidence, SignatureEvidence};
use takeover_harness::judge::{CaseRecord, Judge, Wanted};
use takeover_harness::object::{Arena, to_value};
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Budget, CaseSource, Cases as Stream, Chunk, FixedCases, Input, Part, Run, Steering};
use takeover_harness::subject::SubjectId;
use takeover_oracles::declarative::Declarative;
use takeover_oracles::registry::Registry;
use tempfile::TempDir;

/// Cases of every hunt, which is enough for all rules in all classes of the subjects here. A release build makes so many for every
/// subject within ten seconds.
const CASES: u64 = 3_072;

/// Cases of a chunk.
const CHUNK: u64 = 1_024;

/// A finding, why it is one, the rules it is attributed to, and the smallest pair that shows it.
struct Caught {
    cause: Option<Cause>,
    rules: Vec<String>,
    object: Value,
    old: Option<Value>,
}

/// The generator's cases for the one subject of a run.
struct Cases(Generator);

impl CaseSource for Cases {
    fn chunk_len(&self) -> u64 {
        CHUNK
    }

    fn cases<'c>(&'c self, chunk: Chunk, _: &'c Arena) -> Box<dyn Stream<'c> + 'c> {
        let made = self.0.chunk(chunk.number, chunk.seed);
        Box::new(FixedCases(made.map(|made| Input::Case { subject: 0, case: made.case, shows: Vec::new() })))
    }
}

fn id(name: &str) -> SubjectId {
    Registry::of_builtin().unwrap().subjects().find(|id| id.to_string() == name).unwrap()
}

fn shipped(name: &str) -> Pair {
    Registry::of_builtin().unwrap().pair(&id(name).into()).unwrap()
}

/// The subject with `from` edited to `into` in the tags of a scratch copy.
fn edited(name: &str, file: &str, from: &str, into: &str) -> Pair {
    let folder = TempDir::new().unwrap();
    scratch::idl(folder.path(), file, from, into);
    Registry::of_folder(folder.path()).unwrap().pair(&id(name).into()).unwrap()
}

/// The subject with the fault of this name planted in a rule.
fn mutated(name: &str, path: &str, rule: &str, fault: &str) -> Pair {
    let (_, sound) = Registry::of_builtin().unwrap().candidate(&id(name)).unwrap();
    let at = sound.rules().iter().find(|known| known.path == path && known.chain == rule).unwrap();
    let mutants = sound.mutants(at.id);
    let mutant = mutants.iter().find(|mutant| mutant.name == fault);
    let mutant =
        mutant.unwrap_or_else(|| panic!("none of {:?}", mutants.iter().map(|mutant| &mutant.name).collect::<Vec<_>>()));
    assert_eq!(mutant.equivalent, None);
    Pair { candidate: Box::new(sound.mutated(mutant)), ..shipped(name) }
}

fn judge(subject: &Pair) -> Judge<'_> {
    Judge::new(subject)
}

fn soak(subject: &Pair) -> Evidence {
    // All that are recorded, also those that a planted mistake rejects: a soak judges them too.
    let generator = Generator::of(subject, objects(&cases_of(subject)), 1);
    let judges = [judge(subject)];
    let run = Run::new(&judges, NonZeroUsize::MIN);
    let free = Steering { stop: &|| false, progress: &|_| {} };
    run.generated(&Cases(generator), 1, Budget::Cases(CASES), Part::default(), free).unwrap().evidence
}

/// The first finding of the run that prints as `signature`, whatever its value was before and why the sides differ.
fn found<'e>(evidence: &'e Evidence, signature: &str) -> Option<(&'e Signature, &'e SignatureEvidence)> {
    let of_operations =
        evidence.pairs().flat_map(|subject| Operation::ALL.map(|operation| subject.operation(operation)));
    of_operations
        .flat_map(|of| &of.signatures)
        .filter(|(known, _)| printed(known) == signature)
        .min_by_key(|(_, seen)| seen.first.place)
}

/// Pair, operation and what differs.
fn printed(signature: &Signature) -> String {
    format!("{} {} {}", signature.pair, signature.operation, signature.difference())
}

/// The finding that prints as `signature`, which the planted subject has and the sound one has not.
fn caught(planted: &Pair, sound: &Pair, signature: &str) -> Caught {
    assert!(found(&soak(sound), signature).is_none(), "{signature} also without the planted mistake");
    let evidence = soak(planted);
    let (signature, seen) = found(&evidence, signature).unwrap_or_else(|| {
        let all = evidence.pairs().flat_map(|of| Operation::ALL.map(|operation| &of.operation(operation).signatures));
        panic!("no {signature} among {:#?}", all.flatten().map(|(known, _)| printed(known)).collect::<Vec<_>>())
    });
    let number = seen.first.place.chunk * CHUNK + seen.first.place.index;
    let systematic = Generator::of(planted, objects(&cases_of(planted)), 1).systematic_len();
    assert!(number < systematic, "found by case {number} only, after {systematic} systematic ones");
    let judge = judge(planted);
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    let shows = |case: &Case| {
        let _ = judge.case_seeking(case, Wanted::Of(signature), &mut arena, &mut record);
        record.differences.iter().any(|finding| Signature::of(&planted.id, case.operation, finding) == *signature)
    };
    let case = seen.smallest.case.to_case(seen.smallest.sighting.provenance.clone());
    let minimal = minimise(&case, Limits::default(), shows).case;
    let rule = |id: &takeover_harness::rule::RuleId| {
        let rule = &planted.rules.get(id.index()).unwrap();
        format!("{} {}", rule.path, rule.chain)
    };
    Caught {
        cause: signature.cause,
        rules: seen.rules.iter().map(rule).collect(),
        object: minimal.object.to_value().unwrap(),
        old: minimal.old.map(|old| old.to_value().unwrap()),
    }
}

#[test]
fn a_bound_that_is_off_by_one() {
    let name = "discovery.k8s.io/v1 EndpointSlice";
    let planted = edited(name, "discovery/v1/types.go", "maxItems=100", "maxItems=99");
    let signature = format!("{name} create extra FieldValueTooMany endpoints[*].addresses maxItems");
    let caught = caught(&planted, &shipped(name), &signature);
    assert_eq!(caught.rules, ["endpoints[*].addresses maxItems=99"]);
    assert_eq!(caught.cause, Some(Cause::ReportsMore));
    let addresses = caught.object["endpoints"][0]["addresses"].as_array().unwrap();
    assert_eq!(addresses.len(), 100, "the only length that tells the bounds apart");
    assert!(addresses.iter().all(|address| *address == ""), "{addresses:?}");
}

#[test]
fn a_dropped_enum_value() {
    let name = "discovery.k8s.io/v1 EndpointSlice";
    let constant = "AddressTypeFQDN AddressType = \"FQDN\"";
    let planted = edited(name, "discovery/v1/types.go", constant, "");
    let signature = format!("{name} create extra FieldValueNotSupported addressType -");
    let caught = caught(&planted, &shipped(name), &signature);
    assert_eq!(caught.rules, ["addressType enum of IPv4, IPv6"]);
    assert_eq!(caught.cause, Some(Cause::ReportsMore));
    assert_eq!(
        caught.object,
        json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "FQDN"})
    );
}

#[test]
fn recorded_objects_that_a_wrong_rule_refuses_still_start_cases() {
    let name = "discovery.k8s.io/v1 EndpointSlice";
    let constant = "AddressTypeIPv4 AddressType = \"IPv4\"";
    let planted = edited(name, "discovery/v1/types.go", constant, "");
    let accepted = |subject: &Pair| accepted_objects(subject, &cases_of(subject));
    let seeds = accepted(&planted);
    assert!(seeds.iter().any(|object| object["addressType"] == "IPv4"), "{seeds:#?}");
    assert_eq!(seeds, accepted(&shipped(name)));
}

#[test]
fn a_format_that_accepts_a_trailing_line_break() {
    let name = "node.k8s.io/v1 RuntimeClass";
    let planted = mutated(name, "handler", "format=\"k8s-short-name\"", "takes a line break at the end");
    let signature = format!("{name} create missing FieldValueInvalid handler format=k8s-short-name");
    let caught = caught(&planted, &shipped(name), &signature);
    assert_eq!(caught.rules, ["handler format=\"k8s-short-name\""]);
    assert_eq!(caught.cause, Some(Cause::ReportsLess));
    assert_eq!(caught.object["handler"], "a\n");
}

/// The declarative rules with a ratchet that leaves alone what an update keeps, whatever the order of lists.
struct Unordered(Declarative);

impl Oracle for Unordered {
    fn precision(&self) -> Precision {
        self.0.precision()
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let Objects { schema, root, new, old, .. } = question.objects;
        match old {
            Some(old) if sorted(to_value(schema, root, &new)) == sorted(to_value(schema, root, &old)) => Ok(()),
            _ => self.0.answer(question, view, answer),
        }
    }
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(sorted).collect();
            items.sort_by_cached_key(Value::to_string);
            items.into()
        }
        Value::Object(members) => members.into_iter().map(|(name, member)| (name, sorted(member))).collect(),
        other => other,
    }
}

/// Items of the longest list anywhere in a value.
fn longest(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(longest).max().unwrap_or_default().max(items.len()),
        Value::Object(members) => members.values().map(longest).max().unwrap_or_default(),
        _ => 0,
    }
}

#[test]
fn a_ratchet_that_takes_no_notice_of_the_order_of_lists() {
    let name = "resource.k8s.io/v1 ResourceClaim";
    let (_, sound) = Registry::of_builtin().unwrap().candidate(&id(name)).unwrap();
    let planted = Pair { candidate: Box::new(Unordered(sound)), ..shipped(name) };
    let signature = format!("{name} update missing FieldValueInvalid spec immutable");
    let caught = caught(&planted, &shipped(name), &signature);
    assert_eq!(caught.rules, ["spec immutable"]);
    assert_eq!(caught.cause, Some(Cause::ReportsLess));
    let old = caught.old.unwrap();
    assert_ne!(caught.object["spec"], old["spec"]);
    assert_eq!(sorted(caught.object["spec"].clone()), sorted(old["spec"].clone()), "nothing but an order differs");
    assert_eq!(longest(&caught.object["spec"]), 2, "two items have an order: {:#}", caught.object);
}

#[test]
fn a_list_map_key_that_is_another_field() {
    let name = "resource.k8s.io/v1 ResourceClaim/status";
    let planted = edited(name, "resource/v1/types.go", "listMapKey=uid", "listMapKey=name");
    let signature = format!("{name} update extra FieldValueDuplicate status.reservedFor[*] -");
    let caught = caught(&planted, &shipped(name), &signature);
    assert_eq!(caught.rules, ["status.reservedFor listType=map by name"]);
    assert_eq!(caught.cause, Some(Cause::ReportsMore));
    let items = caught.object["status"]["reservedFor"].as_array().unwrap();
    assert_eq!(items.len(), 2, "{items:?}");
    assert_eq!(items[0]["name"], items[1]["name"]);
    assert_ne!(items[0]["uid"], items[1]["uid"]);
}

/// The declarative rules with a slip of the pen in an origin.
struct Misspelt(Declarative);

impl Oracle for Misspelt {
    fn precision(&self) -> Precision {
        self.0.precision()
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.0.answer(question, view, answer)?;
        for error in answer.errors.as_mut_slice().iter_mut().filter(|error| error.origin == "minimum") {
            error.origin = "minimun".into();
        }
        Ok(())
    }
}

#[test]
fn a_misspelt_origin() {
    let name = "v1 ReplicationController";
    let (_, sound) = Registry::of_builtin().unwrap().candidate(&id(name)).unwrap();
    let planted = Pair { candidate: Box::new(Misspelt(sound)), ..shipped(name) };
    for (direction, origin) in [("missing", "minimum"), ("extra", "minimun")] {
        let signature = format!("{name} create {direction} FieldValueInvalid spec.replicas {origin}");
        let caught = caught(&planted, &shipped(name), &signature);
        assert_eq!(caught.rules, ["spec.replicas minimum=0"], "{direction}");
        assert_eq!(caught.cause, Some(Cause::OtherOrigin), "{direction}");
        assert_eq!(caught.object["spec"]["replicas"], -1, "{direction}: {:#}", caught.object);
    }
}

/// A handwritten validator whose limit on the name of a driver counts characters as the rule does. The shipped one counts
/// bytes, as that of Kubernetes.
struct CountsCharacters(Box<dyn Oracle>);

impl Oracle for CountsCharacters {
    fn precision(&self) -> Precision {
        self.0.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.0.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.0.answer(question, view, answer)?;
        let member = |of: takeover_harness::schema::TypeId, name: &str| {
            let (_, fields) = question.objects.schema.as_struct(of).unwrap();
            fields.member(name).unwrap().clone()
        };
        let spec = member(question.objects.root, "spec");
        let attacher = member(spec.ty, "attacher");
        let name = question.objects.new.member(&spec.slots).member(&attacher.slots).text();
        if name.chars().count() <= 63 {
            let all = std::mem::take(&mut answer.errors).into_vec().into_iter();
            all.filter(|error| error.origin != "maxLength").for_each(|error| answer.push(error));
        }
        Ok(())
    }
}

#[test]
fn a_handwritten_limit_that_counts_bytes_where_characters_are_meant() {
    let name = "storage.k8s.io/v1 VolumeAttachment";
    let sound = shipped(name);
    let sound = Pair { reference: Box::new(CountsCharacters(sound.reference)), ..sound };
    let signature = format!("{name} create missing FieldValueTooLong spec.attacher maxLength");
    let caught = caught(&shipped(name), &sound, &signature);
    assert_eq!(caught.rules, ["spec.attacher maxLength=63"]);
    let attacher = caught.object["spec"]["attacher"].as_str().unwrap();
    assert!(attacher.len() > 63 && attacher.chars().count() <= 63, "{attacher}");
}
