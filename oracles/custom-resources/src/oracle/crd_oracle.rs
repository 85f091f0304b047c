//! The oracle.

use super::reach::ReachTree;
use crate::coerce::{Undecodable, coerce_whole};
use crate::kind::CustomKind;
use crate::request::{arrive, arrive_stored, prepare, warnings};
use crate::rules::{Bounds, Found, OfRules, RuleTree};
use crate::structural::CelRule;
use crate::validate::{Request, RulePlaces, Source, unchecked, validate_by_rule};
use serde_json::Value;
use takeover_cel::schema::SchemaError;
use takeover_cel::syntax::parse;
use takeover_harness::case::Payload;
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, to_value_with_empty};
use takeover_harness::oracle::{Answer, AsSent, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::path::Path;
use takeover_harness::reach::{Reached, RuleId};
use takeover_harness::rule::Rule;

/// The subresource of the status.
const STATUS: &str = "status";

/// Answers as an API server that serves a version of a CRD: it decodes, prunes and defaults an object, takes the steps of the request, and
/// validates it by schema, list types and CEL rules, with ratcheting. Everything is compiled once.
pub struct CrdOracle {
    kind: CustomKind,
    rules: Option<RuleTree>,
    places: RulePlaces,
    /// CEL rules, by number.
    cel: Vec<OfCel>,
    reach: ReachTree,
    of_status: bool,
    /// Whether objects may hold whole objects.
    embeds: bool,
    /// Whether all is said that a server says.
    whole: bool,
}

/// A CEL rule.
struct OfCel {
    /// Its rule, if it has one.
    rule: Option<RuleId>,
    /// Whether it may read the metadata of the object.
    reads_metadata: bool,
}

/// Why there is no oracle of a kind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrdOracleError {
    /// Its rules cannot be compiled.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Servers do not serve the subresource.
    #[error("the CRD serves no subresource `{0}`")]
    Subresource(String),
}

/// What a server makes of a request.
#[derive(Clone, Debug, Default)]
pub struct CrdVerdict {
    /// Errors, each with its rule where it has one; without errors, the object is stored.
    pub errors: Vec<FieldError>,
    /// What the user is warned of: finalizers, and rules that do not hold on values that did not change.
    pub warnings: Vec<String>,
    /// Paths of unknown fields, which are dropped, sorted.
    pub pruned: Vec<String>,
    /// The object as it is validated and stored.
    pub object: Value,
    /// The stored object as it is read, on updates.
    pub old: Option<Value>,
}

/// Objects between decoding and validation.
struct Arrived {
    object: Value,
    old: Option<Value>,
    pruned: Vec<String>,
}

impl CrdOracle {
    /// The oracle of requests for the objects of `kind`, or for their `subresource` if that is not empty.
    ///
    /// # Errors
    /// Returns an error when the schema nests too deeply for its rules to be compiled, or no server serves the subresource.
    pub fn new(kind: CustomKind, subresource: &str) -> Result<Self, CrdOracleError> {
        let of_status = match subresource {
            "" => false,
            STATUS if kind.status_subresource => true,
            other => return Err(CrdOracleError::Subresource(other.to_owned())),
        };
        let rules = match kind.cel_rules() {
            0 => None,
            _ => RuleTree::of_schema(&kind.structural, &kind.written)?,
        };
        let places = RulePlaces::of(kind.rules());
        let of_cel = rules.as_ref().map(RuleTree::places).unwrap_or_default();
        let of_cel = of_cel.into_iter().map(|(place, index)| OfCel {
            rule: places.of_cel(&place, index),
            reads_metadata: place.is_empty() && kind.structural.rules.get(index).is_none_or(reads_metadata),
        });
        let cel = of_cel.collect();
        let reach = ReachTree::of(kind.rules());
        let embeds = kind.structural.has_embedded();
        Ok(Self { kind, rules, places, cel, reach, of_status, embeds, whole: true })
    }

    /// As the part of a server that a validator of its own could stand for: without what a server says of version, kind and metadata of
    /// every object, and with the CEL rules of objects that are otherwise invalid. A server does not evaluate these and says that
    /// instead; here every rule counts that can be evaluated and does not hold. The same objects are refused, except those
    /// with errors in their metadata alone.
    #[must_use]
    pub fn beside_a_validator(self) -> Self {
        Self { whole: false, ..self }
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &CustomKind {
        &self.kind
    }

    /// The rules that errors and reached rules refer to.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        self.kind.rules()
    }

    /// Judges a request: a create, or an update of `old`.
    ///
    /// # Errors
    /// Returns what a server answers to a document that is no object of the kind.
    pub fn judge(&self, object: Value, old: Option<Value>) -> Result<CrdVerdict, Undecodable> {
        let Arrived { object, old, pruned } = self.arrived(object, old)?;
        let mut reached = Reached::default();
        let (errors, of_rules) = self.validated(&object, old.as_ref(), &mut reached);
        let mut warnings = warnings(&object, self.request(old.as_ref()));
        warnings.extend(of_rules.ratcheted.iter().map(|found| found.error.to_string()));
        Ok(CrdVerdict { errors, warnings, pruned, object, old })
    }

    fn request<'r>(&self, old: Option<&'r Value>) -> Request<'r> {
        match old {
            None => Request::Create,
            Some(old) if self.of_status => Request::UpdateStatus(old),
            Some(old) => Request::Update(old),
        }
    }

    /// Decodes the objects and takes the steps before validation.
    fn arrived(&self, mut object: Value, mut old: Option<Value>) -> Result<Arrived, Undecodable> {
        let pruned = coerce_whole(&self.kind.structural, &mut object, self.embeds)?;
        if let Some(old) = &mut old {
            coerce_whole(&self.kind.structural, old, self.embeds)?;
            arrive_stored(&self.kind, old);
        }
        arrive(&self.kind, &mut object, old.as_ref());
        let object = prepare(&self.kind, object, self.request(old.as_ref()));
        Ok(Arrived { object, old, pruned })
    }

    fn validated(&self, object: &Value, old: Option<&Value>, reached: &mut Reached) -> (Vec<FieldError>, OfRules) {
        let request = self.request(old);
        let mut found = validate_by_rule(&self.kind, object, request, Some(&self.places));
        let mut has_bad_metadata = false;
        if !self.whole {
            // A server rejects these before it evaluates a rule, which could fail on what they lack: `self.metadata.name`.
            has_bad_metadata = found.iter().any(|(source, _)| *source == Source::Meta)
                || object.get("metadata").and_then(|metadata| metadata.get("name")).is_none();
            found.retain(|(source, _)| !matches!(source, Source::Meta | Source::Blocked));
        }
        let blocked = unchecked(&self.kind.structural, found.iter().map(|(_, error)| error)).is_some();
        self.reach.reach(object, self.of_status.then_some(STATUS), reached);
        let of_cel = |number: usize| self.cel.get(number).and_then(|cel| cel.rule);
        let lacks_metadata = |number: Option<usize>| {
            has_bad_metadata && number.and_then(|number| self.cel.get(number)).is_some_and(|cel| cel.reads_metadata)
        };
        let mut of_rules = OfRules::default();
        if let Some(rules) = self.rules.as_ref().filter(|_| !blocked || !self.whole) {
            let mut evaluated = |number| of_cel(number).into_iter().for_each(|rule| reached.insert(rule));
            of_rules = rules.judge_noting(object, old, &Path::ROOT, Bounds::default(), &mut evaluated);
        }
        let mut errors: Vec<FieldError> = found.into_iter().map(|(_, error)| error).collect();
        let counts = |found: &Found| found.broken || !(blocked || lacks_metadata(found.rule));
        let broken = of_rules.errors.drain(..).filter(counts);
        errors.extend(broken.map(|found| FieldError { rule: found.rule.and_then(of_cel), ..found.error }));
        errors.iter().filter_map(|error| error.rule).for_each(|rule| reached.insert(rule));
        (errors, of_rules)
    }
}

/// Whether a rule of whole objects may read their metadata.
fn reads_metadata(rule: &CelRule) -> bool {
    let may_be_metadata = |names: Vec<&str>| names.first().is_none_or(|name| *name == "metadata");
    parse(&rule.rule)
        .map_or(true, |ast| ["self", "oldSelf"].iter().flat_map(|root| ast.reads(root)).any(may_be_metadata))
}

fn unreadable(error: &dyn std::fmt::Display) -> OracleFailure {
    OracleFailure::new(error.to_string())
}

impl Oracle for CrdOracle {
    fn precision(&self) -> Precision {
        Precision { reached: true, ..Precision::ERRORS }
    }

    fn view<'a>(&self, objects: &Objects<'a>, _: &'a Arena) -> Result<View<'a>, OracleFailure> {
        let read = |payload: &Payload| payload.to_value().map_err(|error| unreadable(&error));
        let (object, old) = match objects.sent {
            Some(AsSent { new, old, .. }) => (read(new)?, old.map(read).transpose()?),
            None => {
                let value = |node| to_value_with_empty(objects.schema, objects.root, node);
                (value(&objects.new), objects.old.as_ref().map(value))
            }
        };
        self.arrived(object, old).map(View::of).map_err(|error| unreadable(&error))
    }

    fn answer(&self, _: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let Some(Arrived { object, old, .. }) = view.get() else {
            return Err(OracleFailure::new("the objects were not decoded"));
        };
        let (errors, _) = self.validated(object, old.as_ref(), &mut answer.reached);
        errors.into_iter().for_each(|error| answer.push(error));
        Ok(())
    }
}
