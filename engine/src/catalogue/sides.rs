//! The oracles of a pair, made of what describes them.

use super::error::CatalogueError;
use super::oracle::OracleDescription;
use super::oracle_sorts::{AnswersLevel, DefaultsSource, ExecDescription, ServerDescription, WebhookDescription};
use super::pair::{CompareLevel, PairDescription};
use super::policies::ReadPolicies;
use super::read_types::ReadTypes;
use crate::stop::tidy_on_signals;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;
use takeover_custom_resources::faults::LazyFaults;
use takeover_custom_resources::{CrdDefaults, CrdOracle, CustomKind};
use takeover_external::exec::{Exec, ExecSettings};
use takeover_external::server::{Plan, Server, ServerSettings};
use takeover_external::webhook::{Answers, Webhook, WebhookSettings};
use takeover_harness::check::Check;
use takeover_harness::form::Defaulter;
use takeover_harness::oracle::{Batched, Oracle};
use takeover_harness::pair::Written;
use takeover_harness::rule::Rule;
use takeover_harness::side::{BySide, Side};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::declarative::DeclaredDefaults;
use takeover_oracles::defaults::Made;
use takeover_oracles::registry::Registry;

/// Makes the oracles of a pair.
pub(super) struct Sides<'i> {
    /// The built-in kinds.
    pub(super) registry: &'i Registry,
    /// The types that were read.
    pub(super) read: &'i ReadTypes,
    pub(super) id: &'i PairId,
    pub(super) builtin: Option<Box<dyn Oracle>>,
    /// Whether there was a built-in validator before a side took it.
    pub(super) has_builtin: bool,
    pub(super) declared: Option<takeover_oracles::declarative::Declarative>,
    pub(super) custom: Option<Box<CustomKind>>,
    /// Whether a CRD says all that a server says.
    pub(super) as_a_whole_server: bool,
    /// Where the types of the pair are.
    pub(super) types: Option<&'i Path>,
    /// The rules that each side brings itself.
    pub(super) rules: BySide<Vec<Rule>>,
    /// Where the candidate's CRD is written.
    pub(super) written: Written,
    /// The faults of the candidate's CRD.
    pub(super) faults: Option<LazyFaults>,
    /// What policies compare with.
    pub(super) hints: Vec<Rule>,
    /// The bounds of sizes that policies compare with.
    pub(super) checks: Vec<Check>,
}

impl Sides<'_> {
    /// Makes the oracle of a side.
    pub(super) fn make(
        &mut self,
        side: Side,
        description: &OracleDescription,
    ) -> Result<Box<dyn Oracle>, CatalogueError> {
        let wrong = |reason: String| CatalogueError::Oracle { pair: Box::new(self.id.clone()), side, reason };
        let subject = &self.id.subject;
        match description {
            OracleDescription::Tags => match self.declared.clone() {
                Some(declared) => Ok(Box::new(declared)),
                None => Err(wrong("the types have no tags: `tags` needs Go types".to_owned())),
            },
            OracleDescription::Builtin => self.builtin.take().ok_or_else(|| {
                wrong(if self.has_builtin {
                    "`builtin` can be one side only: compare the built-in validator with something else".to_owned()
                } else {
                    format!(
                        "`{subject}` has no built-in validator: `builtin` is for kinds that `takeover subjects` lists"
                    )
                })
            }),
            OracleDescription::Crd(place) => {
                let kind = match place {
                    None => self.custom.as_deref().cloned(),
                    Some(place) => self.read.kind(place, self.id)?.custom.map(|kind| *kind),
                };
                let no_crd =
                    "`crd` needs a CustomResourceDefinition: use the one that controller-gen generates from Go types";
                let kind = kind.ok_or_else(|| wrong(no_crd.to_owned()))?;
                *self.rules.of_mut(side) = kind.hints().to_vec();
                if side == Side::Candidate {
                    let rules = kind.hints().iter().filter_map(|rule| Some((rule.id, rule.source.clone()?)));
                    self.written = Written { rules: rules.collect(), fields: kind.fields.clone() };
                    self.faults = Some(LazyFaults::new(kind.clone()));
                }
                let oracle = CrdOracle::new(kind, &subject.subresource).map_err(|error| wrong(error.to_string()))?;
                Ok(Box::new(if self.as_a_whole_server { oracle } else { oracle.beside_a_validator() }))
            }
            OracleDescription::Defaults(DefaultsSource::Crd) => {
                let kind = self.types.map(|place| self.read.kind(place, self.id)).transpose()?.and_then(|of| of.custom);
                let kind = kind.ok_or_else(|| {
                    wrong("`defaults crd` needs `types` that are a CustomResourceDefinition".to_owned())
                })?;
                Ok(Box::new(CrdDefaults::of(&kind)))
            }
            OracleDescription::Defaults(of) => Ok(Box::new(Made(self.defaults(*of).map_err(wrong)?))),
            OracleDescription::Laws(_) => {
                Err(wrong("`laws` is the reference of a `crd`, or the candidate of who sets defaults".to_owned()))
            }
            OracleDescription::Policy(of) => {
                let read = ReadPolicies::read(of, self.types).map_err(|error| wrong(error.to_string()))?;
                self.hints.extend(read.hints.rules.iter().cloned());
                self.checks.extend(read.hints.checks.iter().cloned());
                self.rules.of_mut(side).clone_from(&read.rules);
                Ok(Box::new(read.judging(subject).map_err(|error| wrong(error.to_string()))?))
            }
            OracleDescription::Exec(exec) => started(exec, subject).map_err(wrong),
            OracleDescription::Webhook(webhook) => connected(webhook, subject).map_err(wrong),
            OracleDescription::Server(server) => served(server, subject).map_err(wrong),
        }
    }
}

impl Sides<'_> {
    /// What a server validates objects of the kind with, if that is known and no side took it.
    pub(super) fn validation(&mut self) -> Result<Option<Box<dyn Oracle>>, CatalogueError> {
        let Some(kind) = self.custom.as_deref().cloned() else { return Ok(self.builtin.take()) };
        let oracle = CrdOracle::new(kind, &self.id.subject.subresource).map_err(|error| CatalogueError::Types {
            pair: Box::new(self.id.clone()),
            place: self.types.map(Path::to_path_buf).unwrap_or_default(),
            reason: error.to_string(),
        })?;
        Ok(Some(Box::new(oracle)))
    }

    /// What sets the defaults of the kind, if it has any.
    fn defaults(&self, of: DefaultsSource) -> Result<Option<Box<dyn Defaulter>>, String> {
        let subject = &self.id.subject;
        let types = self.types.map(|place| self.read.kind_with_defaults(place, self.id)).transpose();
        let types = types.map_err(|error| error.to_string())?;
        match (of, types) {
            (DefaultsSource::Builtin, Some(_)) if self.registry.knows_defaults(subject) => {
                Err("`defaults builtin` sets those of the built-in types: leave out `types`, or use `--what defaults`"
                    .to_owned())
            }
            (DefaultsSource::Builtin, _) if self.registry.knows_defaults(subject) => {
                Ok(self.registry.defaults(subject))
            }
            (DefaultsSource::Builtin, _) => Err(format!("the defaults of `{subject}` are not built in")),
            (DefaultsSource::Crd, types) => Ok(types.and_then(|types| types.defaulter)),
            (DefaultsSource::Markers, Some(types)) if types.custom.is_some() => {
                Err("the types have no markers: `defaults markers` needs Go types".to_owned())
            }
            (DefaultsSource::Markers, Some(types)) => Ok(types.defaulter),
            (DefaultsSource::Markers, None) => {
                let root = self.registry.root(&subject.api_version, &subject.kind);
                let declared = root.and_then(|root| DeclaredDefaults::of(self.registry.idl(), root));
                Ok(declared.map(|declared| Box::new(declared) as Box<dyn Defaulter>))
            }
        }
    }
}

/// A program, started.
fn started(of: &ExecDescription, subject: &SubjectId) -> Result<Box<dyn Oracle>, String> {
    let exec = Exec::start(exec_settings(of)).map_err(|error| error.to_string())?;
    Ok(Box::new(Batched(exec.judging(subject.clone()))))
}

/// A webhook that something listens to.
fn connected(of: &WebhookDescription, subject: &SubjectId) -> Result<Box<dyn Oracle>, String> {
    let webhook = Webhook::connect(webhook_settings(of, subject)).map_err(|error| error.to_string())?;
    Ok(Box::new(Batched(webhook)))
}

/// A server that is connected.
fn served(of: &ServerDescription, subject: &SubjectId) -> Result<Box<dyn Oracle>, String> {
    tidy_on_signals();
    let server = Plan::of(server_settings(of, subject)).and_then(Server::connect).map_err(|error| error.to_string())?;
    Ok(Box::new(Batched(server)))
}

/// The program, webhook or server of a description, answering with objects; none of another sort.
pub(super) fn making_objects(of: &OracleDescription, subject: &SubjectId) -> Option<Result<Box<dyn Oracle>, String>> {
    let answers = Some(AnswersLevel::Object);
    match of {
        OracleDescription::Exec(of) => Some(started(of, subject)),
        OracleDescription::Webhook(of) => Some(connected(&WebhookDescription { answers, ..of.clone() }, subject)),
        OracleDescription::Server(of) => Some(served(&ServerDescription { answers, ..of.clone() }, subject)),
        _ => None,
    }
}

/// Whether a CRD says all that a server says: that is compared with servers, or word for word. Other validators leave metadata to the
/// server, and know nothing of rules that were not evaluated; of two CRDs, that would be the same.
pub(super) fn as_a_whole_server(description: &PairDescription) -> bool {
    let is_server = |of: &OracleDescription| matches!(of, OracleDescription::Server(_));
    let serves = |of: &OracleDescription| matches!(of, OracleDescription::Crd(_)) || is_server(of);
    let both = [&description.reference, &description.candidate];
    description.compare == Some(CompareLevel::Verbatim)
        || both.into_iter().all(serves) && both.into_iter().any(is_server)
}

fn seconds(of: Option<NonZeroU32>, default: Duration) -> Duration {
    of.map_or(default, |seconds| Duration::from_secs(u64::from(seconds.get())))
}

fn exec_settings(of: &ExecDescription) -> ExecSettings {
    let default = ExecSettings::new(of.command.iter().cloned());
    ExecSettings {
        folder: of.folder.clone(),
        environment: of.environment.clone(),
        processes: of.processes.unwrap_or(default.processes),
        timeout: seconds(of.timeout, default.timeout),
        memory: of.memory.map(|mib| u64::from(mib.get()) << 20),
        ..default
    }
}

fn webhook_settings(of: &WebhookDescription, subject: &SubjectId) -> WebhookSettings {
    let mut settings = WebhookSettings::new(of.url.as_str());
    settings.ca.clone_from(&of.ca);
    settings.client_certificate.clone_from(&of.client_certificate);
    settings.client_key.clone_from(&of.client_key);
    settings.resource.clone_from(&of.resource);
    settings.subject = Some(subject.clone());
    settings.timeout = seconds(of.timeout, settings.timeout);
    settings.concurrency = of.concurrency.map_or(settings.concurrency, usize::from);
    settings.answers = match of.answers {
        None | Some(AnswersLevel::Errors) => Answers::Errors,
        Some(AnswersLevel::Decision) => Answers::Decision,
        Some(AnswersLevel::Object) => Answers::Object,
    };
    settings
}

/// The settings of a live API server that is asked about a kind.
pub(super) fn server_settings(of: &ServerDescription, subject: &SubjectId) -> ServerSettings {
    let mut settings = ServerSettings::new(of.kubeconfig.as_path(), of.context.as_str());
    settings.rate = of.rate.map_or(settings.rate, NonZeroU32::get);
    settings.timeout = seconds(of.timeout, settings.timeout);
    settings.subject = Some(subject.clone());
    settings.objects = of.answers == Some(AnswersLevel::Object);
    settings
}
