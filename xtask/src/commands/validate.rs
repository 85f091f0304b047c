//! `cargo xtask validate`: what would Kubernetes say of these objects, and by which rule?

use super::pair::PairArguments;
use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::output;
use crate::validate::{self, Authority, ValidationRequest};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use takeover_engine::catalogue::{PolicyDescription, has_go_types};
use takeover_engine::config::Config;
use takeover_engine::run::{judging_again, run_of_finding};
use takeover_engine::run_folder::way;
use takeover_reports::Form;
use takeover_reports::validate::{FORMS, ValidationReport};
use takeover_reports::{admission, shell_quoted};

/// Validates objects and prints each error with the side and rule that report it, and whether the user sees it.
///
/// Errors are printed as kubectl prints them. Kinds without a handwritten validator are judged by the declarative rules alone, and
/// rules that are not enforced yet count too. Objects that do not decode are invalid. docs/validate.md describes the JSON format.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask validate web.yaml",
    "cargo xtask validate new.yaml --old stored.yaml --authority takeover",
    "kubectl get rc -o yaml | cargo xtask validate - --format json",
    "cargo xtask validate web.yaml --types ./api",
    "cargo xtask validate web.yaml --candidate policy:policies.yaml",
    "cargo xtask validate runs/first/findings/001.yaml      a finding, as its run judged it",
    "cargo xtask validate widget.yaml --types ./packages --type example.com/api/v1.Widget",
    "cargo xtask validate widget.yaml --crd widgets.yaml    as an API server that serves this CRD",
    "cargo xtask validate w.yaml --kind 'shop.example.com/v1 Widget' --types crd.yaml --reference 'exec ./bin/oracle' --candidate 'exec ./bin/new'",
], codes::VALIDATE))]
pub struct Validate {
    /// Files (YAML or JSON, also several documents or lists), folders of them, or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Stored objects, to validate updates. Objects are matched by version, kind, namespace and name; a single old and a single
    /// new object are always matched.
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,
    /// Use the Go types in this folder instead of the built-in ones, laid out as `<group>/<version>`, or with `--type` by
    /// import path.
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    /// Version and kind that --reference and --candidate judge, such as 'shop.example.com/v1 Widget'; with --crd, the versions and
    /// kinds to judge.
    #[arg(long, requires = "takes_over")]
    kind: Option<String>,
    #[command(flatten)]
    pair: PairArguments,
    /// Judge as this run did, with its types, pairs and comparison [default: for a finding, the run that found it].
    #[arg(long, value_name = "DIR", conflicts_with_all = ["types", "go_type", "config", "reference", "crd"])]
    run: Option<PathBuf>,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Go type of all objects: import path, dot, name. Without `--types`, it is looked up in the built-in packages.
    #[arg(long = "type", id = "go_type", value_name = "PACKAGE.TYPE", value_parser = go_type, conflicts_with_all = ["reference", "crd"])]
    go_type: Option<(String, String)>,
    /// Set a validation option, or a feature gate that handwritten checks read. Repeatable. By default, options are off and
    /// gates are on.
    #[arg(long = "option", value_name = "NAME=BOOL", value_parser = switch)]
    options: Vec<(String, bool)>,
    /// Validate as a request to this subresource.
    #[arg(long, default_value = "", hide_default_value = true)]
    subresource: String,
    /// Scheme that decides which errors the user sees.
    #[arg(long, value_enum, default_value_t = Authority::Lifecycle)]
    authority: Authority,
    /// Set a feature gate of the authority. Repeatable.
    #[arg(long = "gate", value_name = "NAME=BOOL", value_parser = switch)]
    gates: Vec<(String, bool)>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table")]
    format: &'static Form<ValidationReport>,
}

impl Validate {
    /// Validates and prints.
    ///
    /// # Errors
    /// Wrong usage, or types that do not load.
    pub fn run(self) -> anyhow::Result<Exit> {
        let standard_input = Path::new("-");
        let readers = self.files.iter().chain(&self.old).filter(|file| *file == standard_input).count();
        if readers > 1 {
            anyhow::bail!("`-` is named {readers} times, but standard input can be read only once");
        }
        if let Some(of) = self.pair.policies_alone().cloned() {
            return self.by_policies(&of);
        }
        let run = self.run.clone().map_or_else(|| self.run_of_findings(), |run| Ok(Some(run)))?;
        let kinds: Vec<String> = self.kind.into_iter().collect();
        let crd = self.pair.crd_alone().map(|crd| (crd.to_owned(), kinds.clone()));
        anyhow::ensure!(crd.is_none() || self.types.is_none(), "--crd already gives the types: leave out --types");
        let of_flags = match &crd {
            Some(_) => Vec::new(),
            None => self.pair.described(&kinds, self.types.as_deref())?,
        };
        // What --types says is about built-in kinds unless flags describe a pair.
        let named_types = self.types.is_some() && of_flags.is_empty();
        let (types, pairs, of_run) = match (&run, of_flags.is_empty()) {
            _ if crd.is_some() => (None, Vec::new(), None),
            (Some(folder), _) => {
                let judging = judging_again(folder)?;
                anyhow::ensure!(
                    self.run.is_some() || !judging.asks_others(),
                    "the run that found this starts programs or asks servers: to let it, pass --run {}",
                    shell_quoted(&folder.to_string_lossy())
                );
                (judging.types.clone(), Vec::new(), Some((folder.clone(), judging)))
            }
            (None, false) => (None, of_flags, None),
            (None, true) => {
                let config = Config::load(self.config.as_deref())?;
                // A Go type is named for every object, whatever else knows their kinds.
                match self.go_type {
                    Some(_) => (self.types, Vec::new(), None),
                    None => (self.types.or_else(|| config.types()), config.described(), None),
                }
            }
        };
        if let Some(folder) = run.filter(|_| self.run.is_none() && of_run.is_some()) {
            output::say(&format!("note: judged as in the run `{}`", folder.display()));
        }
        let request = ValidationRequest {
            inputs: self.files,
            old: self.old,
            types,
            named_types,
            pairs,
            of_run,
            crd,
            go_type: self.go_type,
            options: self.options,
            subresource: self.subresource,
            policy: validate::policy(self.authority, &self.gates)?,
        };
        let report = validate::run(&request)?;
        output::say_lines(&report.problems_text());
        output::print(&printed(&report, self.format)?)?;
        Ok(validate::exit(&report))
    }
}

impl Validate {
    /// The run that found all these files, unless flags say who judges.
    fn run_of_findings(&self) -> anyhow::Result<Option<PathBuf>> {
        let says = self.types.is_some() || self.go_type.is_some() || self.config.is_some() || self.old.is_some();
        if says || self.pair.is_given() || self.pair.crd_alone().is_some() {
            return Ok(None);
        }
        let runs: BTreeSet<Option<PathBuf>> =
            self.files.iter().map(|file| run_of_finding(file)).collect::<anyhow::Result<_>>()?;
        anyhow::ensure!(
            runs.len() < 2,
            "these files are not findings of one run: name the run that judges them with --run, or name each alone"
        );
        let run = runs.into_iter().next().flatten();
        // As people would type it.
        let here = std::env::current_dir().ok();
        let way = run.as_ref().zip(here).and_then(|(run, here)| way(&here, run));
        Ok(way.filter(|way| !way.as_os_str().is_empty()).or(run))
    }

    /// Asks policies alone, and prints what a server with them would answer.
    fn by_policies(self, of: &PolicyDescription) -> anyhow::Result<Exit> {
        let policy = validate::policy(self.authority, &self.gates)?;
        anyhow::ensure!(
            self.pair.crd().is_none() || self.types.is_none(),
            "--crd already gives the types: leave out --types"
        );
        // Only Go types are those of built-in kinds.
        let types = self.types.clone().filter(|types| has_go_types(types));
        let request = ValidationRequest {
            inputs: self.files,
            old: self.old,
            types,
            named_types: false,
            pairs: Vec::new(),
            of_run: None,
            crd: None,
            go_type: self.go_type,
            options: self.options,
            subresource: self.subresource,
            policy,
        };
        let report = validate::policies::ask(&request, of, self.types.as_deref().or(self.pair.crd()))?;
        output::say_lines(&report.problems_text());
        let form = admission::FORMS.iter().find(|form| form.name == self.format.name);
        let form = form.ok_or_else(|| anyhow::anyhow!("policies have no form `{}`", self.format.name))?;
        output::print(&printed(&report, form)?)?;
        Ok(validate::policies::exit(&report))
    }
}

/// `Name=true` or `Name=false`.
pub(super) fn switch(text: &str) -> Result<(String, bool), String> {
    let (name, state) = text.split_once('=').ok_or("must be `Name=true` or `Name=false`")?;
    match (name, state) {
        ("", _) => Err("the name before `=` is missing".to_owned()),
        (_, "true") => Ok((name.to_owned(), true)),
        (_, "false") => Ok((name.to_owned(), false)),
        _ => Err(format!("`{state}` is not `true` or `false`")),
    }
}

fn go_type(text: &str) -> Result<(String, String), String> {
    match text.rsplit_once('.') {
        Some((package, name)) if !package.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((package.to_owned(), name.to_owned()))
        }
        _ => Err("must be an import path, a dot and a type: `example.com/api/v1.Widget`".to_owned()),
    }
}
