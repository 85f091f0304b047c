//! Both sides of every subject, on cases that are made of the bytes.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;
use takeover_corpora::generate::Generator;
use takeover_corpora::minimise::{Limits, minimise, to_yaml};
use takeover_corpora::{load, recorded};
use takeover_harness::case::{Case, Operation, Payload};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::compare::Signature;
use takeover_harness::error::{ErrorList, FieldError, Stability};
use takeover_harness::form::Form;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, Panic, isolated};
use takeover_harness::object::{Arena, Node, equal, from_bytes_with, from_value_with, to_value};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// Something that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What, in words that stay the same while a case is made smaller.
    pub what: String,
    /// How, on this case.
    pub detail: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.detail)
    }
}

impl Broken {
    fn new(what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { what: what.into(), detail: detail.into() }
    }

    /// What a panic broke.
    pub(super) fn of_panic(panic: &Panic) -> Self {
        Self::new(format!("a panic at {}", panic.place), &*panic.message)
    }
}

/// Signatures of disagreements that are known, as they are printed.
///
/// Kubernetes' own two sides disagree. What they are known to disagree about is no find.
#[derive(Clone, Debug, Default)]
pub struct Known(BTreeSet<String>);

impl Known {
    /// A signature a line; blank lines and those that start with `#` are left out.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self(lines.map(str::to_owned).collect())
    }

    /// The signatures, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether `signature` is one of them.
    #[must_use]
    pub fn contains(&self, signature: &str) -> bool {
        self.0.contains(signature)
    }

    /// Adds a signature; says whether it is new.
    pub fn insert(&mut self, signature: String) -> bool {
        self.0.insert(signature)
    }
}

/// A subject with what makes and judges its cases.
struct Entry {
    judge: Judge<'static>,
    generator: Generator,
}

/// The subjects, each made ready when it is first needed.
pub struct Equivalence {
    registry: Registry,
    subjects: Vec<(SubjectId, OnceLock<Entry>)>,
    known: Known,
    accept: Option<Box<Accept>>,
}

/// What is told of signatures that are not known.
type Accept = dyn Fn(&str) + Send + Sync;

impl Equivalence {
    /// Bytes that a case can use up: one for the subject, the others are choices.
    pub const STREAM: usize = 1 + Generator::STREAM;

    /// The subjects that `subject` asks for, a kind or a subject as it is printed; all without it. Disagreements but the `known`
    /// ones are finds.
    ///
    /// # Errors
    /// When there is no such subject or the built-in types do not load.
    pub fn new(subject: Option<&str>, known: Known) -> Result<Self, String> {
        let registry = Registry::of_builtin().map_err(|error| error.to_string())?;
        let ids = match subject {
            Some(name) => registry.find(name).map_err(|error| error.to_string())?,
            None => registry.subjects().collect(),
        };
        Ok(Self { registry, subjects: ids.into_iter().map(|id| (id, OnceLock::new())).collect(), known, accept: None })
    }

    /// Tells `accept` of disagreements that are not known, which are then no finds; of the same one again and again.
    #[must_use]
    pub fn accepting(self, accept: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { accept: Some(Box::new(accept)), ..self }
    }

    /// The subjects; the first byte of an input, modulo their number, chooses among them.
    pub fn subjects(&self) -> impl Iterator<Item = &SubjectId> {
        self.subjects.iter().map(|(id, _)| id)
    }

    /// What an input is about: subject and case.
    #[must_use]
    pub fn case(&self, data: &[u8]) -> (&SubjectId, Case<'static>) {
        let (first, choices) = data.split_first().unwrap_or((&0, &[]));
        let (id, entry) = self.entry(usize::from(*first) % self.subjects.len().max(1));
        (id, entry.generator.case_of(choices).case)
    }

    fn entry(&self, index: usize) -> (&SubjectId, &Entry) {
        let (id, entry) = self.subjects.get(index).expect("a subject at every index");
        (
            id,
            entry.get_or_init(|| Entry::of(self.registry.pair(&id.clone().into()).expect("built-in subjects compile"))),
        )
    }

    /// Makes the case of `data` and examines it.
    ///
    /// # Panics
    /// When something does not hold.
    pub fn check(&self, data: &[u8]) {
        let (subject, case) = self.case(data);
        if let Err(broken) = self.examine(subject, &case) {
            panic!("{subject}: {broken}\n{}", to_yaml(&load::document_of(&case, &subject.subresource)));
        }
    }

    /// Judges a case, and holds it against laws that need no oracle to know better.
    ///
    /// # Errors
    /// The first thing that does not hold: a panic, a broken law, or a disagreement that is not known.
    ///
    /// # Panics
    /// When `subject` is none of the subjects.
    pub fn examine(&self, subject: &SubjectId, case: &Case) -> Result<(), Broken> {
        let index = self.subjects().position(|id| id == subject).expect("one of the subjects");
        let (_, entry) = self.entry(index);
        match isolated(|| entry.examine(case)) {
            Ok(examined) => {
                let mut unknown = examined?.into_iter().filter(|(signature, _)| !self.known.contains(signature));
                if let Some(accept) = &self.accept {
                    unknown.for_each(|(signature, _)| accept(&signature));
                    return Ok(());
                }
                unknown.next().map_or(Ok(()), |(signature, detail)| Err(Broken::new(signature, detail)))
            }
            Err(panic) => Err(Broken::of_panic(&panic)),
        }
    }

    /// The smallest case that breaks as `case` does.
    #[must_use]
    pub fn minimise(&self, subject: &SubjectId, case: &Case, broken: &Broken) -> Case<'static> {
        let same = |case: &Case| self.examine(subject, case).is_err_and(|other| other.what == broken.what);
        minimise(case, Limits::default(), same).case
    }
}

impl Entry {
    fn of(pair: Pair) -> Self {
        // A fuzzer's pairs live as long as its process.
        let pair: &'static Pair = Box::leak(Box::new(pair));
        let recorded = recorded::accepted_objects(pair, &recorded::cases_of(pair));
        Self { judge: Judge::new(pair), generator: Generator::of(pair, recorded, 0) }
    }

    /// The disagreements by signature, each with an example; or what does not hold.
    fn examine(&self, case: &Case) -> Result<Vec<(String, String)>, Broken> {
        let (mut arena, mut record, mut again) = (Arena::new(), CaseRecord::new(), CaseRecord::new());
        for payload in std::iter::once(&case.object).chain(&case.old) {
            self.decoding(payload)?;
        }
        let verdict = self.judge.case(case, &mut arena, &mut record);
        let repeated = self.judge.case(case, &mut arena, &mut again);
        let same = verdict == repeated
            && record.reference.errors.as_slice() == again.reference.errors.as_slice()
            && record.candidate.errors.as_slice() == again.candidate.errors.as_slice()
            && record.differences == again.differences;
        if !same {
            return Err(Broken::new("a case judged twice has two verdicts", format!("{verdict:?}, then {repeated:?}")));
        }
        if let Judgement::Unable { side, failure } = &verdict {
            return Err(Broken::new(format!("the {side} cannot judge"), failure.to_string()));
        }
        let id = &self.judge.pair().id;
        let mut seen = Vec::new();
        for panic in &record.panics {
            let side = panic.side.map_or_else(|| "decoding".to_owned(), |side| side.to_string());
            if !panic.panic.is_modelled() {
                return Err(Broken::new(
                    format!("a panic of the {side} at {}", panic.panic.place),
                    &*panic.panic.message,
                ));
            }
            seen.push((format!("{id} {} panic of the {side}", case.operation), panic.panic.message.clone()));
        }
        if record.panics.is_empty() {
            self.comparing(&record.candidate.errors, &record.reference.errors)?;
            self.standing_still(case, &record.candidate.errors)?;
        }
        let signature = |difference| Signature::of(id, case.operation, difference).to_string();
        seen.extend(record.differences.iter().map(|difference| (signature(difference), difference.what.to_string())));
        Ok(seen)
    }

    /// Text decodes as its tree does; encoding is the inverse of decoding; and defaults are set once.
    fn decoding(&self, payload: &Payload) -> Result<(), Broken> {
        let form = &self.judge.pair().form;
        let (schema, root) = (&*form.schema, form.root);
        let Ok(value) = payload.to_value() else { return Ok(()) };
        let text = value.to_string();
        let arena = Arena::new();
        let of_tree = from_value_with(schema, root, &value, form.field_validation, &arena);
        let of_text = from_bytes_with(schema, root, text.as_bytes(), form.field_validation, &arena);
        let node = match (of_tree, of_text) {
            (Ok(tree), Ok(text)) if tree.dropped == text.dropped && same(&tree.node, &text.node, form) => tree.node,
            (Err(tree), Err(text)) if tree.reason == text.reason => return Ok(()),
            (tree, text) => {
                let detail = format!("{tree:?} of the tree, {text:?} of the text");
                return Err(Broken::new("text and tree decode to the same", detail));
            }
        };
        let encoded = to_value(schema, root, &node);
        match from_value_with(schema, root, &encoded, form.field_validation, &arena) {
            // As in Go, a struct that holds nothing but an empty list is printed, and one that holds nothing is not.
            Ok(again) if equal(&again.node, &node) => {}
            Ok(again) => {
                let again = to_value(schema, root, &again.node);
                return Err(Broken::new("what is encoded decodes to the same", format!("{encoded}, then {again}")));
            }
            Err(error) => return Err(Broken::new("what is encoded decodes", format!("{error} in {encoded}"))),
        }
        if let Some(defaulter) = &form.defaulter {
            let once = defaulter.apply(schema, root, node, &arena);
            let twice = defaulter.apply(schema, root, once, &arena);
            if !same(&once, &twice, form) {
                let (once, twice) = (to_value(schema, root, &once), to_value(schema, root, &twice));
                return Err(Broken::new("defaults are set once", format!("{once}, then {twice}")));
            }
        }
        Ok(())
    }

    /// Either side compared with itself agrees, and one error less is missed.
    fn comparing(&self, candidate: &ErrorList, reference: &ErrorList) -> Result<(), Broken> {
        let comparator = &self.judge.pair().comparator;
        for errors in [candidate, reference] {
            // One that is invalid and does not say by which check matches nothing, not even itself.
            let mut other: Vec<FieldError> =
                errors.iter().filter(|error| comparator.matches(error, error)).cloned().collect();
            other.iter_mut().for_each(|error| error.stability = Some(Stability::Alpha));
            let one: Vec<FieldError> = other.iter().cloned().map(FieldError::covered).collect();
            let comparison = comparator.errors(&one, &other);
            if !comparison.agrees() {
                return Err(Broken::new("errors agree with themselves", format!("{comparison:?} of {other:?}")));
            }
            let Some(gone) = other.pop() else { continue };
            let excused = other.iter().any(|other| comparator.matches(&gone, other));
            if comparator.errors(&one, &other).missing.is_empty() && !excused {
                return Err(Broken::new("an error taken out is missed", gone.to_string()));
            }
        }
        Ok(())
    }

    /// Rules say nothing of an update that changes nothing.
    fn standing_still(&self, case: &Case, errors: &ErrorList) -> Result<(), Broken> {
        if case.operation == Operation::Create || errors.is_empty() {
            return Ok(());
        }
        let arena = Arena::new();
        let Ok(prepared) = self.judge.pair().prepare(case, &arena) else { return Ok(()) };
        let objects = prepared.question.objects;
        if objects.old.is_some_and(|old| equal(&old, &objects.new)) {
            let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return Err(Broken::new("rules are silent where nothing changes", said.join("; ")));
        }
        Ok(())
    }
}

/// Whether two objects are equal and print the same.
fn same(one: &Node<'_>, other: &Node<'_>, form: &Form) -> bool {
    equal(one, other) && to_value(&form.schema, form.root, one) == to_value(&form.schema, form.root, other)
}
