//! Objects in, the errors that a user would get out, each with its side, rule and lifecycle level.
//!
//! `inputs` reads objects and pairs them with old ones, `policy` reads gates, `judge` judges one object, `causes` finds
//! out why the sides differ about it, `described` does both for pairs that a project or a run describes, and `served` judges by a CRD
//! alone.

mod causes;
mod described;
mod inputs;
mod judge;
pub mod policies;
mod policy;
mod served;

pub use policy::{Authority, policy};

use crate::exit_code::Exit;
use causes::Causes;
use described::DescribedPairs;
use inputs::Item;
use served::ServedObjects;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use takeover_corpora::load::LoadedCase;
use takeover_engine::catalogue::PairDescription;
use takeover_engine::plan::JudgingPlan;
use takeover_engine::target::Target;
use takeover_harness::authority::AuthorityPolicy;
use takeover_harness::subject::SubjectId;
use takeover_harness::text::{nearest, plural};
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;
use takeover_reports::validate::{JudgedBy, Problem, ProblemKind, ValidationReport};

/// What to validate, and by what.
pub struct ValidationRequest {
    /// Files, folders, or `-`.
    pub inputs: Vec<PathBuf>,
    /// Where the stored objects are; none for creates.
    pub old: Option<PathBuf>,
    /// Folder of Go types in place of the built-in ones.
    pub types: Option<PathBuf>,
    /// Whether a flag names that folder: pairs that have types of their own are then refused.
    pub named_types: bool,
    /// Pairs that the project describes.
    pub pairs: Vec<PairDescription>,
    /// The run whose pairs judge, and what it judged.
    pub of_run: Option<(PathBuf, JudgingPlan)>,
    /// CRD manifests that judge alone, and the kinds of theirs that are meant, if not all.
    pub crd: Option<(PathBuf, Vec<String>)>,
    /// Import path and name of the Go type of every object; otherwise their kinds say it.
    pub go_type: Option<(String, String)>,
    /// State of validation options.
    pub options: Vec<(String, bool)>,
    /// Subresource of every object that names none itself.
    pub subresource: String,
    /// Who is returned to the user.
    pub policy: AuthorityPolicy,
}

/// Validates every object of the inputs.
///
/// # Errors
/// When the types do not load. What is wrong with one object is in the report.
pub fn run(request: &ValidationRequest) -> anyhow::Result<ValidationReport> {
    let mut targets = Targets::new(request)?;
    let mut described = match (&request.of_run, request.pairs.as_slice()) {
        (Some((_, judging)), _) => Some(DescribedPairs::of_run(judging.clone())?),
        (None, []) => None,
        (None, pairs) => Some(DescribedPairs::of(JudgingPlan {
            pairs: pairs.to_vec(),
            // Of a pair without types, they are those of the built-in kinds.
            types: request.types.clone().filter(|_| pairs.iter().any(|pair| pair.types.is_none())),
            ..JudgingPlan::default()
        })?),
    };
    let mut served = match &request.crd {
        Some((place, kinds)) => Some(ServedObjects::read(place, kinds)?),
        None => None,
    };
    let mut report = ValidationReport::new(request.policy);
    let mut causes = Causes::default();
    for item in inputs::read(request) {
        let case = match item {
            Item::Case(case) => case,
            Item::Problem(problem) => {
                report.problems.push(problem);
                continue;
            }
            Item::Skipped(skip) => {
                *report.skipped.entry(skip.to_string()).or_default() += 1;
                continue;
            }
        };
        if let Some(served) = &mut served {
            match served.judge(&case, judge::subresource(&case, request)) {
                Ok((object, by)) => {
                    report.subjects.entry(object.subject.clone()).or_insert(by);
                    report.add(object);
                }
                Err((kind, message)) => report.problems.push(Problem::at(kind, &case.case.provenance, message)),
            }
            continue;
        }
        let pairs = described.as_ref().map(|pairs| pairs.names(&case, request)).unwrap_or_default();
        if let Some(described) = described.as_mut().filter(|_| !pairs.is_empty()) {
            for id in &pairs {
                match described.judge(id, &case, request) {
                    Ok((object, by)) => {
                        report.subjects.entry(id.to_string()).or_insert(by);
                        report.add(object);
                    }
                    Err((kind, message)) => {
                        report.problems.push(Problem::at(kind, &case.case.provenance, message));
                    }
                }
            }
            continue;
        }
        let (target, registry) = match targets.of(&case, request) {
            Ok(found) => found,
            Err((kind, message)) => {
                report.problems.push(Problem::at(kind, &case.case.provenance, message));
                continue;
            }
        };
        if target.reference().is_none() && target.rules.is_empty() {
            let message = nothing_judges(target, registry);
            report.problems.push(Problem::at(ProblemKind::NothingJudges, &case.case.provenance, message));
            continue;
        }
        report.subjects.entry(target.name.clone()).or_insert_with(|| judged_by(target));
        match judge::judge(&case, target, request) {
            Ok(mut object) => {
                if judge::is_explained(&object) && judge::differ(target, request.policy, &object) {
                    causes.explain(&case, request, registry, judge::options(&case, target, request), &mut object);
                }
                report.add(object);
            }
            Err(message) => report.problems.push(Problem::at(ProblemKind::Failed, &case.case.provenance, message)),
        }
    }
    if report.problems.iter().any(|problem| problem.kind == ProblemKind::UnknownKind) {
        report.known_kinds = served.as_ref().map_or_else(|| targets.known_kinds(), ServedObjects::known_kinds);
    }
    let named: BTreeSet<&str> = targets.all().flat_map(Target::settable).collect();
    for (option, _) in request.options.iter().filter(|(option, _)| !named.contains(option.as_str())) {
        // Without a kind there was nobody to name it.
        if !report.objects.is_empty() {
            let known = named.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none".to_owned() } else { known };
            let message =
                format!("--option `{option}`: no rule and no check names it; options of these kinds: {known}");
            report.problems.push(Problem::without_place(ProblemKind::Usage, message));
        }
    }
    report.finish();
    Ok(report)
}

/// Why nobody knows whether an object of this kind is valid.
fn nothing_judges(target: &Target, registry: &Registry) -> String {
    let markers = target.id().map_or(0, |id| registry.foreign_markers(id));
    let unread = match markers {
        0 => String::new(),
        some => format!(
            ", and its package has {}, which {} not read: use the CRD that controller-gen generates from them, with --crd FILE",
            plural(some as u64, "`+kubebuilder:validation` marker"),
            if some == 1 { "is" } else { "are" }
        ),
    };
    format!("nothing judges `{}`: it has no handwritten validator and no `+k8s:` tag on its types{unread}", target.name)
}

fn judged_by(target: &Target) -> JudgedBy {
    JudgedBy {
        reference: target.reference().is_some(),
        crd: false,
        rules: target.rules.len(),
        unjudged: target.delegated.clone(),
    }
}

/// How the command ends. Nothing validated is told from wrong usage: only inputs without known objects are the former.
pub fn exit(report: &ValidationReport) -> Exit {
    let nothing = |problem: &Problem| {
        matches!(problem.kind, ProblemKind::NothingFound | ProblemKind::UnknownKind | ProblemKind::NothingJudges)
    };
    if report.objects.is_empty() && report.problems.iter().all(nothing) {
        Exit::NothingCompared
    } else if !report.problems.is_empty() {
        Exit::Usage
    } else if report.totals.valid < report.totals.objects {
        Exit::Findings
    } else {
        Exit::Ready
    }
}

/// Finds and keeps what judges.
struct Targets {
    registry: Registry,
    foreign: Option<Target>,
    known: HashMap<SubjectId, Result<Target, (ProblemKind, String)>>,
}

impl Targets {
    fn new(request: &ValidationRequest) -> anyhow::Result<Self> {
        if let Some(root) = &request.types
            && !root.is_dir()
        {
            anyhow::bail!("--types `{}` is not a folder", root.display());
        }
        let foreign = match &request.go_type {
            Some((package, root)) => {
                let target = Target::of_type(request.types.as_deref(), package, root);
                Some(target.map_err(|reason| anyhow::anyhow!("--type: {reason}"))?)
            }
            None => None,
        };
        // A named type comes of a folder of its own, and no other kind is asked for.
        let registry = match &request.types {
            Some(folder) if foreign.is_none() => Registry::of_types(folder)?,
            _ => Registry::of_builtin()?,
        };
        Ok(Self { registry, foreign, known: HashMap::new() })
    }

    /// What judges the case, and the types that this was made of.
    fn of(
        &mut self,
        case: &LoadedCase,
        request: &ValidationRequest,
    ) -> Result<(&Target, &Registry), (ProblemKind, String)> {
        let subresource = judge::subresource(case, request);
        if let (Some(target), Some((_, root))) = (&self.foreign, &request.go_type) {
            if *root != case.kind {
                let message = format!("is of kind `{}`, not of --type `{}`", case.kind, target.name);
                return Err((ProblemKind::Usage, message));
            }
            return serves(target, subresource).map(|()| (target, &self.registry));
        }
        let id = SubjectId::new(&case.api_version, &case.kind).with_subresource(subresource);
        let registry = &self.registry;
        let known = self.known.entry(id).or_insert_with_key(|id| {
            if !registry.declares(id) {
                return Err((ProblemKind::UnknownKind, unknown(registry, id)));
            }
            let target =
                Target::of_kind(registry, id, RequestChecks::AsSent).map_err(|reason| (ProblemKind::Failed, reason))?;
            serves(&target, subresource)?;
            Ok(target)
        });
        known.as_ref().map(|target| (target, registry)).map_err(Clone::clone)
    }

    fn all(&self) -> impl Iterator<Item = &Target> {
        self.foreign.iter().chain(self.known.values().filter_map(|target| target.as_ref().ok()))
    }

    fn known_kinds(&self) -> Vec<String> {
        let mut kinds: Vec<String> =
            self.registry.kinds().iter().map(|kind| format!("{} {}", kind.api_version, kind.kind)).collect();
        kinds.sort();
        kinds
    }
}

/// Kubernetes answers requests to other subresources with an internal error, which says nothing about the object.
fn serves(target: &Target, subresource: &str) -> Result<(), (ProblemKind, String)> {
    let path = format!("/{subresource}");
    if target.rules.is_empty() || target.subresources.is_empty() || target.subresources.contains(&path) {
        return Ok(());
    }
    let served = target.subresources.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
    Err((ProblemKind::Usage, format!("the rules of {} do not serve `{path}`; they serve {served}", target.name)))
}

fn unknown(registry: &Registry, id: &SubjectId) -> String {
    let meant = nearest(&id.kind, registry.kinds().iter().map(|known| known.kind.as_str())).unwrap_or(&id.kind);
    let elsewhere: Vec<String> = registry
        .kinds()
        .iter()
        .filter(|known| known.kind.eq_ignore_ascii_case(meant))
        .map(|known| format!("`{} {}`", known.api_version, known.kind))
        .collect();
    let hint = if elsewhere.is_empty() { String::new() } else { format!("; did you mean {}?", elsewhere.join(" or ")) };
    format!("unknown kind `{} {}`{hint}", id.api_version, id.kind)
}
