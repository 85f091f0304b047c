//! The flags that describe a pair.

use crate::output;
use anyhow::ensure;
use clap::{ArgGroup, Args, ValueEnum};
use std::path::{Path, PathBuf};
use takeover_engine::catalogue::{
    CompareLevel, LawsOf, OracleDescription, PairDescription, PolicyDescription, ServedCrds, declared_kinds,
};
use takeover_engine::config::Config;
use takeover_engine::pairs::{ChosenPairs, announce_pairs};
use takeover_engine::plan::JudgingPlan;
use takeover_harness::object::FieldValidation;
use takeover_harness::readiness::CandidateMay;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_reports::{shell_quoted, shortened};

/// An example of a kind, for errors.
const SUCH_AS: &str = "such as 'shop.example.com/v1 Widget'";

/// Longest list of kinds in an error, in characters.
const LONGEST_LIST: usize = 400;

/// A pair that is described on the command line, in place of those of the settings.
#[derive(Args, Clone)]
#[command(group = ArgGroup::new("takes_over").multiple(true))]
pub struct PairArguments {
    /// Validator that decides today, for one kind: `exec COMMAND` (a program that speaks the oracle protocol), `webhook URL [CA FILE]`,
    /// `server KUBECONFIG CONTEXT [object]` (with `object`, the returned objects are compared), `crd FILE`, `policy FILES`
    /// (ValidatingAdmissionPolicies and the objects they refer to), `tags`, `builtin` or `defaults builtin|markers|crd` (what sets
    /// defaults). The first space may be a colon (`webhook:URL`). --types then takes a Go package, CRD manifests or an OpenAPI v3
    /// document; --kind selects one kind of several. `[[pair]]` in takeover.toml describes pairs too; see docs/pairs.md.
    #[arg(long, value_name = "ORACLE")]
    reference: Option<OracleDescription>,
    /// Validator that is to take over, in the same form as --reference, or `laws defaults`: the defaults that the types declare, held
    /// against those of the reference one by one, with the laws of defaulting.
    #[arg(long, value_name = "ORACLE", group = "takes_over")]
    candidate: Option<OracleDescription>,
    /// File or folder of CRD manifests, used for the types and, unless --candidate names another, as the candidate: one pair for each
    /// served version, or for those that --kind selects.
    #[arg(long, value_name = "FILE", group = "takes_over")]
    crd: Option<PathBuf>,
    /// Folder of the Go types from which controller-gen makes the CRD: reports and annotations then also point at their markers.
    #[arg(long, value_name = "DIR", requires = "crd")]
    go_types: Option<PathBuf>,
    /// How precisely to compare the two sides [default: decision between a CRD and a program or webhook, otherwise as precisely as both
    /// can answer].
    #[arg(long, value_enum, requires = "reference")]
    compare: Option<CompareName>,
}

/// How precisely answers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompareName {
    /// Accepted or rejected.
    Decision,
    /// Errors by type and field.
    Field,
    /// As an API server compares: the marked errors.
    Kubernetes,
    /// Errors word for word, with values and marks.
    Verbatim,
}

impl PairArguments {
    /// Whether a pair is described.
    pub fn is_given(&self) -> bool {
        self.reference.is_some()
    }

    /// The CRD manifests that are named.
    pub fn crd(&self) -> Option<&Path> {
        self.crd.as_deref()
    }

    /// The CRD manifests that are judged alone, because no other side is named.
    pub fn crd_alone(&self) -> Option<&Path> {
        self.crd.as_deref().filter(|_| self.reference.is_none() && self.candidate.is_none())
    }

    /// The flags with a CRD as its own reference where it is judged alone, so that both sides say what it says.
    #[must_use]
    pub fn with_itself(self) -> Self {
        let itself = self.crd_alone().map(|_| OracleDescription::Crd(None));
        Self { reference: itself.or(self.reference), ..self }
    }

    /// The flags with these laws as the reference of a CRD that is named alone, or as the candidate of who is named alone.
    #[must_use]
    pub fn with_laws(self, of: LawsOf) -> Self {
        if self.reference.is_some() {
            return Self { candidate: self.candidate.or(Some(OracleDescription::Laws(of))), ..self };
        }
        let laws = self.crd_alone().map(|_| OracleDescription::Laws(of));
        Self { reference: laws, ..self }
    }

    /// The policies that are asked alone, because no reference is named.
    pub fn policies_alone(&self) -> Option<&PolicyDescription> {
        match &self.candidate {
            Some(OracleDescription::Policy(of)) if self.reference.is_none() => Some(of),
            _ => None,
        }
    }

    /// What is judged: the pair of the flags, or else what `kind`, `[subjects]` or the described pairs of the settings choose. None where
    /// no pair is described: then there are built-in kinds only. Says what the described pairs will do to API servers.
    ///
    /// # Errors
    /// When a name is unknown, the pair of the flags makes no sense, or `types` are named for a pair of the settings that has its own.
    pub fn chosen(
        &self,
        config: &Config,
        kind: Option<&str>,
        types: Option<&Path>,
    ) -> anyhow::Result<Option<ChosenPairs>> {
        let kinds: Vec<String> = kind.map(str::to_owned).into_iter().collect();
        let of_flags = self.described(&kinds, types)?;
        let (is_of_flags, of_flag_types) = (!of_flags.is_empty(), types);
        let pairs = if is_of_flags { of_flags } else { config.described() };
        if pairs.is_empty() {
            return Ok(None);
        }
        // Pairs that name no types are made of those that the flag names.
        let types = types.filter(|_| !is_of_flags && pairs.iter().any(|pair| pair.types.is_none()));
        let judging = JudgingPlan {
            types: types.map(Path::to_path_buf),
            pairs,
            field_validation: FieldValidation::Strict,
            ..JudgingPlan::default()
        };
        let catalogue = judging.catalogue()?;
        let ids = match () {
            () if is_of_flags => catalogue.described().cloned().collect(),
            () if !kinds.is_empty() => catalogue.named(&kinds)?,
            () if config.subjects.chooses() => config.pairs(&catalogue)?,
            () => catalogue.described().cloned().collect(),
        };
        let (described, builtin): (Vec<PairId>, Vec<PairId>) =
            ids.into_iter().partition(|id| catalogue.described().any(|known| known == id));
        if of_flag_types.is_some() && !is_of_flags && !described.is_empty() {
            catalogue.refuse_types(&described.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        }
        announce_pairs(&catalogue, &described, &output::say)?;
        let flags = is_of_flags.then(|| self.as_flags(&kinds, of_flag_types));
        Ok(Some(ChosenPairs { judging, catalogue, described, builtin: !builtin.is_empty(), flags }))
    }

    /// The flags that describe the pair once more, as a shell takes them; empty when none do.
    pub fn as_flags(&self, kinds: &[String], types: Option<&Path>) -> String {
        let oracle = |oracle: &OracleDescription| oracle.as_flag();
        let kinds = kinds.iter().map(|kind| ("kind", Some(kind.clone())));
        kinds
            .chain([
                ("types", types.map(|types| types.display().to_string())),
                ("reference", self.reference.as_ref().map(oracle)),
                ("candidate", self.candidate.as_ref().map(oracle)),
                ("crd", self.crd.as_ref().map(|file| file.display().to_string())),
                ("go-types", self.go_types.as_ref().map(|folder| folder.display().to_string())),
                ("compare", self.compare.and_then(|level| Some(level.to_possible_value()?.get_name().to_owned()))),
            ])
            .filter_map(|(name, value)| Some(format!("--{name} {}", shell_quoted(&value?))))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The pairs that are described: one, or several of a CRD. Empty when none is.
    ///
    /// # Errors
    /// When there is not exactly one kind, named by version and kind, or a CRD cannot be read, serves no such kind, or has no reference.
    pub fn described(&self, kinds: &[String], types: Option<&Path>) -> anyhow::Result<Vec<PairDescription>> {
        if let Some(crd) = &self.crd {
            ensure!(types.is_none(), "--crd already gives the types: leave out --types");
            let Some(reference) = &self.reference else {
                anyhow::bail!(
                    "--crd needs --reference: what decides today, such as 'webhook:https://localhost:9443/validate'"
                )
            };
            let (served, left_out) = ServedCrds::read_in_part(crd)?;
            left_out.iter().for_each(|why| output::say(&format!("left out: {why}")));
            let subjects = served.chosen(kinds)?;
            let candidate = self.candidate.clone().unwrap_or(OracleDescription::Crd(None));
            let of_kind = |id| self.pair(id, Some(crd), reference, &candidate);
            return Ok(subjects.into_iter().map(of_kind).collect());
        }
        ensure!(
            self.candidate.is_some() || self.reference.is_none(),
            "--reference needs --candidate or --crd: what is to take over"
        );
        ensure!(
            self.candidate.is_none() || self.reference.is_some(),
            "--candidate needs --reference: what decides today, such as 'webhook https://localhost:9443/validate'"
        );
        let (Some(reference), Some(candidate)) = (&self.reference, &self.candidate) else { return Ok(Vec::new()) };
        let kind = match kinds {
            [kind] => kind,
            [] => return Ok(vec![self.pair(self.sole_kind(types)?, types, reference, candidate)]),
            _ => anyhow::bail!("--reference and --candidate need exactly one --kind, {SUCH_AS}"),
        };
        let Ok(id) = kind.parse::<PairId>() else {
            anyhow::bail!("--kind `{kind}` must name version and kind, such as 'shop.example.com/v1 Widget'")
        };
        ensure!(id.name.is_empty(), "--kind `{kind}` must not name a pair beside --reference and --candidate");
        Ok(vec![self.pair(id.subject, types, reference, candidate)])
    }

    /// The only kind that the types of the pair declare: those of `types`, or else of the CRD of a side.
    fn sole_kind(&self, types: Option<&Path>) -> anyhow::Result<SubjectId> {
        let of_sides = [&self.candidate, &self.reference].into_iter().filter_map(|oracle| match oracle {
            Some(OracleDescription::Crd(place)) => place.as_deref(),
            _ => None,
        });
        let Some(place) = types.into_iter().chain(of_sides).next() else {
            anyhow::bail!("--reference and --candidate need exactly one --kind, {SUCH_AS}")
        };
        let mut kinds = declared_kinds(place)?;
        let known = kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
        match kinds.pop() {
            Some(kind) if kinds.is_empty() => Ok(kind),
            _ => anyhow::bail!(
                "--reference and --candidate need exactly one --kind: `{}` declares {}",
                place.display(),
                shortened(&known, LONGEST_LIST)
            ),
        }
    }

    fn pair(
        &self,
        subject: SubjectId,
        types: Option<&Path>,
        reference: &OracleDescription,
        candidate: &OracleDescription,
    ) -> PairDescription {
        PairDescription {
            name: match (reference, candidate) {
                (OracleDescription::Laws(of), _) | (_, OracleDescription::Laws(of)) => of.word().to_owned(),
                _ => format!("{}-to-{}", reference.sort(), candidate.sort()),
            },
            api_version: subject.api_version,
            kind: subject.kind,
            subresource: subject.subresource,
            types: types.map(Path::to_path_buf),
            go_types: self.go_types.clone(),
            reference: reference.clone(),
            candidate: candidate.clone(),
            compare: self.compare.map(|level| match level {
                CompareName::Decision => CompareLevel::Decision,
                CompareName::Field => CompareLevel::Field,
                CompareName::Kubernetes => CompareLevel::Kubernetes,
                CompareName::Verbatim => CompareLevel::Verbatim,
            }),
            candidate_may: CandidateMay::Agree,
        }
    }
}
