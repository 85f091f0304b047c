//! The first thing an operator runs: a server with a certificate made on the spot, which sends itself reviews and looks at the answers
//! and at what came of them.

use crate::admission::{API_VERSION, KIND};
use crate::certificate::{Certificate, CertificateError, make};
use crate::client::{Client, ClientError};
use crate::plan::ShadowPlan;
use crate::server::{Server, StartError};
use crate::settings::ShadowSettings;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use takeover_harness::case::{Case, Operation, Payload};
use takeover_harness::compare::{DifferenceKind, Direction};
use takeover_harness::error::{FieldError, Stability};
use takeover_harness::evidence::Evidence;
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Decision, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::path::Path;
use takeover_harness::subject::SubjectId;

/// How long a comparison may take to be counted.
const PATIENCE: Duration = Duration::from_secs(30);

/// What was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// In a few words.
    pub what: &'static str,
    /// What was wrong; none when it was fine.
    pub fault: Option<String>,
}

/// A self-test that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfTestError {
    /// The server does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// No certificate could be made.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The server cannot be reached.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Nothing to start.
    #[error("no server to start")]
    NoPlan,
    /// Nothing to send.
    #[error(
        "there is no object to send: none is recorded for these kinds, and none could be generated; name a built-in --kind, such as ReplicationController"
    )]
    NoCases,
}

/// Starts three servers one after the other, each of a new plan, sends them `cases` of its subjects as reviews, and beside them what
/// is none. Returns what was looked at, in order.
///
/// # Errors
/// When no server can be started or reached.
pub fn self_test(
    plan: &mut dyn FnMut() -> Option<ShadowPlan>,
    cases: &[(SubjectId, Case<'static>)],
    settings: &ShadowSettings,
) -> Result<Vec<Check>, SelfTestError> {
    let (first, _) = cases.first().ok_or(SelfTestError::NoCases)?;
    let mut checks = Vec::new();
    let mut check = |what, fault: Option<String>| checks.push(Check { what, fault });

    let tried = Tried::start(plan().ok_or(SelfTestError::NoPlan)?, settings)?;
    check("objects are allowed, answered by uid", tried.send_all(cases)?);
    check("broken reviews are allowed, or refused as no reviews", tried.send_broken(first)?);
    check("pages answer", tried.pages()?);
    let (evidence, fault) = tried.end(cases.len());
    check("everything sent was compared", fault);
    let nothing = evidence.compared() == 0;
    check("both sides judged", nothing.then(|| "nothing was compared".to_owned()));

    for (what, planted) in [
        ("a planted disagreement is noticed", Planted::Adds),
        ("a planted panic is survived and counted", Planted::Panics),
    ] {
        let mut plan = plan().ok_or(SelfTestError::NoPlan)?;
        let mut errors = true;
        for pair in plan.pairs.iter_mut().filter(|pair| pair.id.subject == *first) {
            let inner = std::mem::replace(&mut pair.candidate, Box::new(Silent));
            errors = pair.comparator.compares_errors();
            pair.candidate = Box::new(Plant { inner, planted, errors });
        }
        let tried = Tried::start(plan, settings)?;
        let of_first: Vec<_> = cases.iter().filter(|(id, _)| id == first).cloned().collect();
        let fault = tried.send_all(&of_first)?;
        let (evidence, lost) = tried.end(of_first.len());
        let noticed = noticed(&evidence, planted, errors);
        check(what, fault.or(lost).or_else(|| (!noticed).then(|| "it was not noticed".to_owned())));
    }
    Ok(checks)
}

fn noticed(evidence: &Evidence, planted: Planted, errors: bool) -> bool {
    evidence.pairs().flat_map(|pair| Operation::ALL.map(|operation| pair.operation(operation))).any(
        |of| match planted {
            // Where no error is compared, the decision was turned around.
            Planted::Adds if !errors => !of.signatures.is_empty(),
            // Comparisons by field know no origin.
            Planted::Adds => of.signatures.keys().any(|signature| match &signature.kind {
                DifferenceKind::Error { origin, .. } if origin.is_empty() => {
                    signature.direction == Direction::Extra && signature.path.is_empty()
                }
                DifferenceKind::Error { origin, .. } => origin == ORIGIN,
                _ => true,
            }),
            Planted::Panics => of.panics.contains_key("candidate"),
        },
    )
}

/// A server that is tried.
struct Tried {
    server: Server,
    webhook: Client,
}

impl Tried {
    fn start(plan: ShadowPlan, settings: &ShadowSettings) -> Result<Self, SelfTestError> {
        let made = make(&["127.0.0.1".to_owned()])?;
        let server = Server::for_now(plan, settings, Certificate::of(&made)?, ([127, 0, 0, 1], 0).into())?;
        let webhook = server.webhook().map(|at| format!("https://{at}")).unwrap_or_default();
        Ok(Self { server, webhook: Client::trusting(webhook, &made.authority)? })
    }

    fn send_all(&self, cases: &[(SubjectId, Case<'static>)]) -> Result<Option<String>, ClientError> {
        for (number, (id, case)) in cases.iter().enumerate() {
            let uid = format!("self-test-{number}");
            let answered = self.webhook.post("/mutate", review(id, case, &uid))?;
            let said: Value = serde_json::from_slice(&answered.body).unwrap_or_default();
            if answered.code != 200 || said != allowed(&uid) {
                return Ok(Some(format!("{id}: HTTP {} with {said}", answered.code)));
            }
        }
        Ok(None)
    }

    /// Reviews that are broken, and whether there is a uid to answer to.
    fn send_broken(&self, id: &SubjectId) -> Result<Option<String>, ClientError> {
        let whole = |change: fn(&mut Value)| {
            let mut review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                "uid": "broken", "kind": kind(id), "operation": "CREATE", "object": {},
            }});
            change(&mut review);
            review.to_string()
        };
        let bodies = [
            ("no JSON", "}".to_owned(), false),
            ("no review", "[]".to_owned(), false),
            ("cut off", whole(|_| {}).trim_end_matches('}').to_owned(), true),
            ("another version", whole(|review| set(review, "/apiVersion", "admission.k8s.io/v1beta1")), true),
            ("another kind", whole(|review| set(review, "/request/kind/kind", "NoSuchKind")), true),
            ("a deletion", whole(|review| set(review, "/request/operation", "DELETE")), true),
        ];
        for (what, body, has_uid) in bodies {
            let answered = self.webhook.post("/mutate", body)?;
            let said: Value = serde_json::from_slice(&answered.body).unwrap_or_default();
            let is_allowed = said.pointer("/response/allowed") == Some(&Value::Bool(true));
            if (answered.code == 200 && is_allowed) != has_uid {
                return Ok(Some(format!("{what}: HTTP {} with {said}", answered.code)));
            }
        }
        Ok(None)
    }

    fn pages(&self) -> Result<Option<String>, ClientError> {
        let pages = Client::new(format!("http://{}", self.server.pages()));
        for page in ["/healthz", "/readyz", "/metrics", "/report", "/evidence", "/config"] {
            let answered = pages.get(page)?;
            if answered.code != 200 || answered.body.is_empty() {
                return Ok(Some(format!("{page}: HTTP {}", answered.code)));
            }
        }
        Ok(None)
    }

    /// Ends the server once `cases` cases are in its evidence; otherwise says what is missing.
    fn end(self, cases: usize) -> (Evidence, Option<String>) {
        let begin = Instant::now();
        let count = |evidence: &Evidence| {
            let of = |subject: &takeover_harness::evidence::PairEvidence| {
                Operation::ALL.map(|operation| subject.operation(operation).counts.cases).iter().sum::<u64>()
            };
            evidence.pairs().map(of).sum::<u64>()
        };
        let wanted = u64::try_from(cases).unwrap_or(u64::MAX);
        let (mut evidence, _) = self.server.evidence();
        while count(&evidence) < wanted && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
            (evidence, _) = self.server.evidence();
        }
        let got = count(&evidence);
        let ended = self.server.end();
        let fault = if got < wanted {
            Some(format!("{got} of {wanted} cases were compared"))
        } else if ended.answered && ended.left.workers == 0 {
            None
        } else {
            Some(format!("the server did not end as it should: {ended:?}"))
        };
        (evidence, fault)
    }
}

fn set(review: &mut Value, place: &str, to: &str) {
    if let Some(value) = review.pointer_mut(place) {
        *value = to.into();
    }
}

fn kind(id: &SubjectId) -> Value {
    let (group, version) = id.api_version.rsplit_once('/').unwrap_or(("", &id.api_version));
    json!({"group": group, "version": version, "kind": id.kind})
}

/// The review of a case, its members in the order in which an API server sends them. Its objects have the review's uid, too: what is
/// sent twice is repeated otherwise, and no evidence.
#[must_use]
pub fn review(id: &SubjectId, case: &Case, uid: &str) -> String {
    let object = |payload: Option<&Payload>| {
        let mut object = payload.and_then(|payload| payload.to_value().ok()).unwrap_or_default();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("uid".to_owned(), uid.into());
        }
        object
    };
    let operation = case.operation.to_string().to_uppercase();
    let members = [
        ("uid", uid.into()),
        ("kind", kind(id)),
        ("subResource", id.subresource.as_str().into()),
        ("operation", operation.into()),
        ("object", object(Some(&case.object))),
        ("oldObject", object(case.old.as_ref())),
    ];
    let members = members.map(|(name, value): (_, Value)| format!("\"{name}\":{value}"));
    format!("{{\"kind\":\"{KIND}\",\"apiVersion\":\"{API_VERSION}\",\"request\":{{{}}}}}", members.join(","))
}

fn allowed(uid: &str) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": uid, "allowed": true}})
}

/// Origin of the planted error.
const ORIGIN: &str = "takeover-self-test";

#[derive(Clone, Copy)]
enum Planted {
    Adds,
    Panics,
}

/// An oracle with a fault.
struct Plant {
    inner: Box<dyn Oracle>,
    planted: Planted,
    /// Whether errors are compared; otherwise it is the decision that is wrong.
    errors: bool,
}

impl Oracle for Plant {
    fn precision(&self) -> Precision {
        self.inner.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.inner.view(objects, arena)
    }

    #[expect(clippy::panic, reason = "the fault that is planted")]
    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        match self.planted {
            Planted::Panics => panic!("planted"),
            Planted::Adds => {
                // Last, because an oracle that takes batches replaces what is in the answer.
                self.inner.answer(question, view, answer)?;
                let error = FieldError::invalid(&Path::ROOT, "", "planted").with_origin(ORIGIN);
                if self.errors {
                    answer.push(FieldError { stability: Some(Stability::Alpha), ..error });
                } else {
                    let rejects = answer.rejects();
                    answer.decision =
                        Some(if rejects { Decision::Accept } else { Decision::Reject(error.to_string().into()) });
                }
                Ok(())
            }
        }
    }
}

/// What is in the place of an oracle while it is moved.
struct Silent;

impl Oracle for Silent {
    fn answer(&self, _: &Question<'_>, _: &View<'_>, _: &mut Answer) -> Result<(), OracleFailure> {
        Ok(())
    }
}
