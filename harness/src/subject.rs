//! Subjects: kind, version and subresource with the pair of oracles that judge it.

use crate::case::{Case, Operation, Options, Payload};
use crate::control::Controls;
use crate::object::{Arena, FieldValidation, Node, Reason, Undecodable, from_bytes_with, from_value_with};
use crate::oracle::{Objects, Oracle, OracleFailure, Prepared};
use crate::rule::Rule;
use crate::schema::{Schema, TypeId};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Names a subject. Printed `v1 ReplicationController`, with subresource `v1 ReplicationController/scale`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubjectId {
    /// Group and version: `v1`, `apps/v1`.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Subresource without leading slash; empty for the main resource.
    #[serde(default)]
    pub subresource: String,
}

impl SubjectId {
    /// The id of a main resource.
    #[must_use]
    pub fn new(api_version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { api_version: api_version.into(), kind: kind.into(), subresource: String::new() }
    }

    /// The id of a subresource of the same kind.
    #[must_use]
    pub fn with_subresource(mut self, subresource: impl Into<String>) -> Self {
        self.subresource = subresource.into();
        self
    }

    /// The label that Kubernetes' metrics use: lower-case kind, subresource, operation, joined by `_`.
    ///
    /// ```
    /// use takeover_harness::{case::Operation, subject::SubjectId};
    /// let id = SubjectId::new("certificates.k8s.io/v1", "CertificateSigningRequest").with_subresource("approval");
    /// assert_eq!(id.validation_identifier(Operation::Update), "certificatesigningrequest_approval_update");
    /// ```
    #[must_use]
    pub fn validation_identifier(&self, operation: Operation) -> String {
        let kind = if self.kind.is_empty() { "unknown_resource".to_owned() } else { self.kind.to_lowercase() };
        let subresource = self.subresource.replace('/', "_");
        if subresource.is_empty() { format!("{kind}_{operation}") } else { format!("{kind}_{subresource}_{operation}") }
    }

    /// Checks that `node`, an object of type `root`, does not say that it is of another version or kind. One that says nothing
    /// is of this subject.
    ///
    /// # Errors
    /// [`Reason::WrongKind`], naming the field.
    pub fn check_kind(&self, schema: &Schema, root: TypeId, node: Node<'_>) -> Result<(), Undecodable> {
        let Some((_, fields)) = schema.as_struct(root) else { return Ok(()) };
        for (name, expected) in [("apiVersion", &self.api_version), ("kind", &self.kind)] {
            let found = fields.member(name).map_or("", |member| node.member(&member.slots).text());
            if !found.is_empty() && found != expected {
                return Err(Undecodable {
                    field: name.to_owned(),
                    reason: Reason::WrongKind,
                    detail: format!("is `{found}`, not `{expected}`"),
                });
            }
        }
        Ok(())
    }
}

impl fmt::Display for SubjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version, self.kind)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        Ok(())
    }
}

/// Sets what the API server sets before validation.
pub trait Defaulter: Send + Sync {
    /// The object with defaults applied, in the same arena. Must be idempotent.
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a>;
}

/// What a request does to the object before validation, after decoding and defaulting: Kubernetes' steps of every request and
/// those of the kind's registry strategy.
pub trait Strategy: Send + Sync {
    /// The objects that validation sees, in the same arena.
    fn prepare<'a>(
        &self,
        operation: Operation,
        subresource: &str,
        objects: &Objects<'a>,
        arena: &'a Arena,
    ) -> Objects<'a>;

    /// Members, as paths without indices, that a new object takes from the authenticated user. A case names no user, so they
    /// stay empty.
    fn user_fields(&self) -> &'static [&'static str] {
        &[]
    }
}

/// How errors of the two sides are matched for this subject.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    /// Path normalisation, tried in order on candidate paths; the first that changes the path counts. The replacement
    /// refers to groups as `$1`.
    pub normalization: Vec<(Regex, String)>,
    /// Whether a short-circuited candidate error excuses reference errors below it.
    pub short_circuit: bool,
}

/// A part of the object that the reference does not judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegated {
    /// Path pattern: everything at and below it is delegated.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl Delegated {
    /// Whether a place lies at or below this path. Takes a pattern as [`crate::path::pattern`] makes it, once for all parts.
    #[must_use]
    pub fn contains(&self, pattern: &str) -> bool {
        pattern
            .strip_prefix(self.path.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('['))
    }
}

/// Kind, version and subresource with its pair of oracles.
pub struct Subject {
    /// Name.
    pub id: SubjectId,
    /// Types of the kind.
    pub schema: Arc<Schema>,
    /// Type of the object.
    pub root: TypeId,
    /// The handwritten side.
    pub reference: Box<dyn Oracle>,
    /// The declarative side.
    pub candidate: Box<dyn Oracle>,
    /// The candidate's rules; index is [`crate::rule::RuleId`].
    pub rules: Vec<Rule>,
    /// What happens to unknown and repeated fields of objects.
    pub field_validation: FieldValidation,
    /// Faults of the candidate's rules that show whether a run would notice them; none when the candidate registers none.
    pub controls: Option<Box<dyn Controls>>,
    /// Defaulting before validation; none when the kind has no defaults.
    pub defaulter: Option<Box<dyn Defaulter>>,
    /// The steps of a request between defaulting and validation; none when they change nothing.
    pub strategy: Option<Box<dyn Strategy>>,
    /// Parts that the reference leaves unjudged.
    pub delegated: Vec<Delegated>,
    /// Names of the kind's validation options.
    pub options: Vec<String>,
    /// Matching of the two sides' errors.
    pub matching: Matching,
}

/// What a request held before its steps.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// The object, decoded and defaulted.
    pub object: Node<'a>,
    /// Fields that decoding dropped from both objects.
    pub dropped: u64,
}

impl Default for Sent<'_> {
    fn default() -> Self {
        Self { object: Node::Unset, dropped: 0 }
    }
}

/// Why a case could not be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unprepared {
    /// The object does not decode into its type.
    #[error("undecodable object: {0}")]
    Object(Undecodable),
    /// The stored object does not decode into its type.
    #[error("undecodable old object: {0}")]
    OldObject(Undecodable),
    /// An update without a stored object.
    #[error("an update needs the old object")]
    NoOldObject,
    /// An oracle could not take the object in its form.
    #[error("{side} cannot take the object: {failure}")]
    Oracle {
        /// Which oracle.
        side: Side,
        /// Its explanation.
        failure: OracleFailure,
    },
}

/// One of the two oracles of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The handwritten oracle.
    Reference,
    /// The declarative oracle.
    Candidate,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reference => "reference",
            Self::Candidate => "candidate",
        })
    }
}

impl Subject {
    /// Decodes, defaults and prepares the objects of `case` and lets both oracles take their view of them.
    ///
    /// # Errors
    /// When the case cannot be compared; both sides are then spared.
    pub fn prepare<'a>(&'a self, case: &'a Case, arena: &'a Arena) -> Result<Prepared<'a>, Unprepared> {
        self.prepare_noting(case, arena, &mut Sent::default())
    }

    /// As [`Subject::prepare`]; notes in `sent` what is lost on the way.
    ///
    /// # Errors
    /// As [`Subject::prepare`].
    pub fn prepare_noting<'a>(
        &'a self,
        case: &'a Case,
        arena: &'a Arena,
        sent: &mut Sent<'a>,
    ) -> Result<Prepared<'a>, Unprepared> {
        let dropped = &mut sent.dropped;
        let before = *dropped;
        let new = self.decode_counting(&case.object, arena, dropped).map_err(Unprepared::Object)?;
        sent.object = new;
        let old = match (case.operation, &case.old) {
            (Operation::Create, _) => None,
            // An update that changes nothing is half of what plain objects are replayed as.
            (Operation::Update, Some(old)) if *old == case.object => {
                *dropped += *dropped - before;
                Some(new)
            }
            (Operation::Update, Some(old)) => {
                Some(self.decode_counting(old, arena, dropped).map_err(Unprepared::OldObject)?)
            }
            (Operation::Update, None) => return Err(Unprepared::NoOldObject),
        };
        let mut objects = Objects { schema: &self.schema, root: self.root, new, old };
        if let Some(strategy) = &self.strategy {
            objects = strategy.prepare(case.operation, &self.id.subresource, &objects, arena);
        }
        let view = |side, oracle: &dyn Oracle| {
            oracle.prepare(&objects).map_err(|failure| Unprepared::Oracle { side, failure })
        };
        let reference_view = view(Side::Reference, self.reference.as_ref())?;
        let candidate_view = view(Side::Candidate, self.candidate.as_ref())?;
        Ok(Prepared {
            operation: case.operation,
            objects,
            options: &case.options,
            subresource: &self.id.subresource,
            reference_view,
            candidate_view,
        })
    }

    /// The operations that it serves: subresources are only ever updated.
    #[must_use]
    pub fn operations(&self) -> &'static [Operation] {
        if self.id.subresource.is_empty() { &Operation::ALL } else { &[Operation::Update] }
    }

    /// Turns the options off of which `options` says nothing, as a server with its usual gates has them.
    pub fn define_options(&self, options: &mut Options) {
        let named = self.rules.iter().flat_map(Rule::option_names);
        for name in named.chain(self.options.iter().map(String::as_str)) {
            if options.get(name).is_none() {
                options.set(name, false);
            }
        }
    }

    /// Decodes one object by type and applies defaults.
    ///
    /// # Errors
    /// When the object does not decode.
    pub fn decode<'a>(&'a self, payload: &'a Payload, arena: &'a Arena) -> Result<Node<'a>, Undecodable> {
        self.decode_counting(payload, arena, &mut 0)
    }

    fn decode_counting<'a>(
        &'a self,
        payload: &'a Payload,
        arena: &'a Arena,
        dropped: &mut u64,
    ) -> Result<Node<'a>, Undecodable> {
        let decoded = match payload {
            Payload::Json(text) => from_bytes_with(&self.schema, self.root, text, self.field_validation, arena)?,
            Payload::Value(value) => from_value_with(&self.schema, self.root, value, self.field_validation, arena)?,
        };
        *dropped += decoded.dropped.len() as u64;
        let node = decoded.node;
        self.id.check_kind(&self.schema, self.root, node)?;
        Ok(match &self.defaulter {
            Some(defaulter) => defaulter.apply(&self.schema, self.root, node, arena),
            None => node,
        })
    }
}
