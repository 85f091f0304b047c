//! `cargo xtask explain`: everything known of one rule.

use super::pair::PairArguments;
use crate::exit_code::{Exit, codes};
use crate::explain::{by_asking, find, find_in, in_run, nearest_field, of_law, of_run, of_types};
use crate::form::{one_of, printed};
use crate::output;
use crate::report::read;
use anyhow::Context as _;
use clap::Args;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use takeover_engine::catalogue::LawsOf;
use takeover_engine::config::Config;
use takeover_engine::run_folder;
use takeover_harness::rule::Law;
use takeover_oracles::registry::Registry;
use takeover_reports::explain::{Explanation, FIELD_FORMS, FORMS, FieldExplanation, ObservedIn};
use takeover_reports::{Form, RunReport};

/// Explains one rule: its source, its errors, examples, and the evidence of a run.
///
/// Shows where the rule is written, what it reports, an example on each side of its boundary with the verdicts of both sides,
/// the evidence of a run with the remaining findings, and the commands to run next.
///
/// For a run of your own types (`soak --types`), it shows what the run recorded.
///
/// For a pair that takeover.toml or flags describe, it explains a field: its type, its rules, and the checks seen in a run or in
/// up to 2,000 cases judged on the spot, with a small object on each side of their bounds. With --crd alone, it explains a field or a
/// CEL rule of the CRD, or a law of defaulting or apply.
///
/// Of a law, it shows an object that keeps it and a small object for each way in which it breaks.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask explain spec.replicas minimum=0",
    "cargo xtask explain spec.replicas minimum=0 --kind 'v1 ReplicationController' --run target/takeover/RUN",
    "cargo xtask explain 'rules[*].verbs' required --kind Role",
    "cargo xtask explain 'what is set is kept' --kind Service#defaults",
    "cargo xtask explain spec.size --kind Widget                        a field of a pair of takeover.toml",
    "cargo xtask explain spec.size --crd widgets.yaml                   a field of a CRD, and its rules",
    "cargo xtask explain 'self.min <= self.max' --crd widgets.yaml      a CEL rule",
    "cargo xtask explain spec.replicas minimum=0 --run RUN --format markdown | gh pr comment --body-file -",
], codes::EXPLAIN))]
pub struct Explain {
    /// Words that identify the rule: its field path, its tag as written, its subject. For a pair or a CRD: a field path, with words
    /// from a rule or from a check's message if needed; or a CEL rule or law.
    #[arg(value_name = "RULE", required = true)]
    rule: Vec<String>,
    /// Search only this kind (`Role`) or subject (`rbac.authorization.k8s.io/v1 Role`).
    #[arg(long)]
    kind: Option<String>,
    /// Explain the rules of the Go types in this folder, instead of the project's or the built-in ones. With --reference and --candidate,
    /// the types of that pair: a Go package, CRD manifests or an OpenAPI v3 document.
    #[arg(long, value_name = "DIR", conflicts_with = "run")]
    types: Option<PathBuf>,
    #[command(flatten)]
    pair: PairArguments,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Show the evidence of this run: a run folder or report.json.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["reference", "crd"])]
    run: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "text")]
    format: &'static Form<Explanation>,
}

/// What of `run.json` is needed.
#[derive(Deserialize)]
struct Judged {
    /// The folder of types; none for the built-in ones.
    #[serde(default, alias = "idl")]
    types: Option<PathBuf>,
    /// The file of settings that its pairs came from, where the user named one.
    #[serde(default)]
    config: Option<PathBuf>,
}

impl Explain {
    /// Finds, judges and prints.
    ///
    /// # Errors
    /// When no rule or more than one fits, or the report cannot be read.
    pub fn run(mut self) -> anyhow::Result<Exit> {
        let crd = self.pair.crd_alone().map(Path::to_path_buf);
        let asked = self.rule.join(" ");
        if let Some(explanation) = crd.as_deref().map(|crd| self.law_of(crd, &asked)).transpose()?.flatten() {
            output::print(&printed(&explanation, self.format)?)?;
            return Ok(Exit::Ready);
        }
        self.pair = self.pair.with_itself();
        let report = self.run.as_deref().map(read).transpose()?;
        let kind = self.kind.as_deref();
        let run = self.run.as_deref().zip(report.as_ref());
        let field = match run {
            Some((place, report)) => {
                let config = self.config.clone().or(judged(place)?.and_then(|judged| judged.config));
                in_run(report, &asked, kind, place, config.as_deref())
            }
            None => self.field(&asked, kind, crd.as_deref())?,
        };
        if let Some(field) = field {
            let form = Form::find(FIELD_FORMS, self.format.name).context("there is no such format")?;
            output::print(&printed(&field, form)?)?;
            let nothing = field.observed_in == ObservedIn::Cases(0);
            return Ok(if nothing { Exit::NothingCompared } else { Exit::Ready });
        }
        let explanation = match run.map(|(place, report)| anyhow::Ok((place, report, types_of(place)?))).transpose()? {
            Some((place, report, Some(types))) => of_run(&find_in(report, &asked, kind)?, place, Some(&types)),
            _ => match (self.of_settings(&asked, run), run) {
                (Ok(known), _) => known,
                // A law that the run held a CRD to, for example.
                (Err(unknown), Some((place, report))) => {
                    find_in(report, &asked, kind).map(|known| of_run(&known, place, None)).map_err(|_| unknown)?
                }
                (Err(unknown), None) => return Err(unknown),
            },
        };
        output::print(&printed(&explanation, self.format)?)?;
        Ok(Exit::Ready)
    }
}

impl Explain {
    /// What is known of the rule of the types that flags or settings name, or of the built-in ones.
    fn of_settings(&self, asked: &str, run: Option<(&Path, &RunReport)>) -> anyhow::Result<Explanation> {
        let config = Config::load(self.config.as_deref())?;
        let types = self.types.clone().or_else(|| config.types());
        let registry = match &types {
            Some(types) => Registry::of_types(types)?,
            None => Registry::of_builtin()?,
        };
        let chosen = config.chosen(&registry)?;
        let found = find(&registry, asked, self.kind.as_deref(), chosen)?;
        Ok(of_types(&found, types.as_deref(), run))
    }

    /// What the objects of a CRD make of the one law that is meant, if one is.
    fn law_of(&self, crd: &Path, asked: &str) -> anyhow::Result<Option<Explanation>> {
        let is_meant = |said: &str| asked.split_whitespace().all(|word| said.contains(word));
        let all = [(LawsOf::Defaults, &Law::OF_DEFAULTS[..]), (LawsOf::Apply, &Law::OF_APPLY[..])];
        let laws = all.into_iter().flat_map(|(of, laws)| laws.iter().map(move |law| (of, *law)));
        let meant: Vec<(LawsOf, Law)> = laws.filter(|(_, law)| is_meant(law.said())).collect();
        let [(of, law)] = meant.as_slice() else { return Ok(None) };
        let config = Config::load(self.config.as_deref())?;
        let pair = self.pair.clone().with_laws(*of);
        let Some(chosen) = pair.chosen(&config, self.kind.as_deref(), None)? else { return Ok(None) };
        for id in &chosen.described {
            let pair = chosen.pair(id)?;
            let Some(rule) = pair.rules.iter().find(|rule| rule.law == Some(*law)).cloned() else { continue };
            return Ok(Some(of_law(pair, rule, *of, crd)));
        }
        Ok(None)
    }

    /// The field of a described pair that is meant; none where built-in kinds are.
    fn field(&self, asked: &str, kind: Option<&str>, crd: Option<&Path>) -> anyhow::Result<Option<FieldExplanation>> {
        let config = Config::load(self.config.as_deref())?;
        let Some(chosen) = self.pair.chosen(&config, kind, self.types.as_deref())? else { return Ok(None) };
        if chosen.described.is_empty() {
            return Ok(None);
        }
        let found = by_asking(&chosen, asked, self.config.as_deref(), crd)?;
        let may_be_builtin = chosen.builtin || (kind.is_none() && !self.pair.is_given());
        if found.is_none() && !may_be_builtin {
            let near = nearest_field(&chosen, asked)?.map(|near| format!(": did you mean `{near}`?"));
            anyhow::bail!(
                "{} has no field `{asked}`, and no single field whose path ends with it{}",
                chosen.names(),
                near.unwrap_or_default()
            );
        }
        Ok(found)
    }
}

/// The folder of types that a run judged; none for the built-in ones, and where only the report is there.
fn types_of(run: &Path) -> anyhow::Result<Option<PathBuf>> {
    Ok(judged(run)?.and_then(|judged| judged.types))
}

/// What a run judged; none where only the report is there.
fn judged(run: &Path) -> anyhow::Result<Option<Judged>> {
    run.join("run.json").is_file().then(|| run_folder::read_json(run, "run.json")).transpose()
}
