//! `cargo xtask lint`: are the tags of these types as they should be?

use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed};
use crate::lint::{self, CrdSettings, Inputs};
use crate::output;
use anyhow::bail;
use clap::Args;
use std::path::PathBuf;
use takeover_custom_resources::lint as crd;
use takeover_engine::config::Config;
use takeover_harness::release::Release;
use takeover_harness::text::{nearest, plural};
use takeover_oracles::declarative::lint::{LintSettings, lint as run, lints, lookup};
use takeover_reports::Form;
use takeover_reports::lint::{FORMS, LIST_FORMS, LintReport};

/// Finds mistakes in the validation tags of Go types, or in CRDs.
///
/// Reads every package in and below the paths and reports mistakes in the Go source, in single tags, and in how tags work
/// together. Some lints come from the linter in Kubernetes' generator, some are required by KEP-5073, and the rest are our
/// own. Errors exit with code 1; warnings and notes do not. `+k8s:validation-gen-nolint` in `doc.go` or above a type
/// silences that package or type; a file `lint-exceptions.toml` next to the types excuses single findings, each with a reason.
/// docs/lint.md describes every lint and the JSON format.
///
/// In YAML and JSON files, lints CRDs: errors that an API server would report, defaults, patterns and bounds, and with `--old`
/// changes that would make stored objects invalid.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask lint                                  the types of takeover.toml, or the built-in ones",
    "cargo xtask lint staging/src/k8s.io/api           every package of a module",
    "cargo xtask lint api/apps/v1/types.go --notes     one file, with notes",
    "cargo xtask lint . --strict --release 1.37        require owners and releases",
    "cargo xtask lint . --release 1.38                 also rules that could graduate in 1.38",
    "cargo xtask lint . --release 1.38 --deny graduation-eligible --allow version-drift",
    "cargo xtask lint . --format github                annotations on a pull request",
    "cargo xtask lint crd.yaml --old main/crd.yaml     a CRD, and what changed since",
    "cargo xtask lint --list                           every lint with its level",
], codes::LINT))]
pub struct LintCommand {
    /// Go files, packages, or folders of packages; or files or folders of CRDs [default: the types that takeover.toml names, or
    /// else the built-in ones].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read the project's settings, for the Go types and the kinds to lint, from this file [default: takeover.toml in the current
    /// folder, if it exists].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "list"])]
    config: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_parser = one_of(FORMS), default_value = "table")]
    format: &'static Form<LintReport>,
    /// Treat certain notes as errors: missing `since` and `owner`, `optional` on a field with a default.
    #[arg(long)]
    strict: bool,
    /// Print notes too, which are otherwise only counted. JSON and SARIF always contain them.
    #[arg(long)]
    notes: bool,
    /// Also report rules that could graduate in this release.
    #[arg(long, value_name = "MAJOR.MINOR")]
    release: Option<Release>,
    /// Treat the findings of this lint as errors; also enables a lint that is off by default. Repeatable.
    #[arg(long, value_name = "LINT", value_parser = name)]
    deny: Vec<&'static str>,
    /// Turn this lint off. Repeatable.
    #[arg(long, value_name = "LINT", value_parser = name)]
    allow: Vec<&'static str>,
    /// Read excused findings from these files, instead of the `lint-exceptions.toml` next to the types.
    #[arg(long, value_name = "FILE")]
    exceptions: Vec<PathBuf>,
    /// Import path of each PATH that is not below a `go.mod`, such as `example.com/api`.
    #[arg(long, value_name = "IMPORT_PATH", requires = "paths")]
    root_prefix: Option<String>,
    /// File or folder with the previous version of the CRDs: report changes that would make stored objects invalid. Repeatable.
    #[arg(long, value_name = "PATH", requires = "paths")]
    old: Vec<PathBuf>,
    /// Print every lint with its level, and exit.
    #[arg(long, conflicts_with_all = ["paths", "strict", "notes", "release", "deny", "allow", "exceptions", "old"])]
    list: bool,
}

impl LintCommand {
    /// Lints and prints.
    ///
    /// # Errors
    /// Wrong usage, paths that are not there, and exceptions that cannot be read.
    pub fn run(self) -> anyhow::Result<Exit> {
        if self.list {
            return self.print_list();
        }
        if let Some(both) = self.deny.iter().find(|name| self.allow.contains(name)) {
            bail!("`{both}` is named by both --deny and --allow");
        }
        let (manifests, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.paths.iter().partition(|path| lint::is_of_manifests(path));
        match (manifests.first(), others.first()) {
            (Some(_), None) => return self.crds(),
            (Some(crds), Some(go)) => bail!(
                "`{}` contains CRDs and `{}` does not: lint CRDs and Go types separately",
                crds.display(),
                go.display()
            ),
            _ => {}
        }
        if !self.old.is_empty() {
            bail!("--old compares CRDs: name YAML or JSON files, or folders of them");
        }
        if self.release.is_none() && self.deny.contains(&GRADUATION) {
            bail!("--deny {GRADUATION} needs --release: the release in which rules could graduate");
        }
        let mut inputs = match self.paths.is_empty() {
            true => self.of_settings()?,
            false => lint::resolve(&self.paths, self.root_prefix.as_deref())?,
        };
        if !self.exceptions.is_empty() {
            inputs.exceptions = lint::read_exceptions(&self.exceptions)?;
        }
        let settings = LintSettings {
            strict: self.strict,
            deny: self.deny.into_iter().collect(),
            allow: self.allow.into_iter().collect(),
            release: self.release,
            exceptions: inputs.exceptions,
        };
        let found = run(&inputs.loader, &inputs.packages, &settings);
        let unreadable = found.unreadable;
        if found.kubebuilder_validations > 0 {
            let markers = plural(found.kubebuilder_validations as u64, "`+kubebuilder:validation` marker");
            output::say(&format!("note: {markers} not read: lint the CRD that controller-gen generates from them"));
        }
        let report = lint::report(found, self.notes, |file| {
            // What is wrong with exceptions concerns every file.
            inputs.files.as_ref().is_none_or(|files| files.contains(file) || file.ends_with(".toml"))
        });
        let report = LintReport { off: lint::off(&settings), ..report };
        output::print(&printed(&report, self.format)?)?;
        Ok(if unreadable > 0 && unreadable == report.summary.errors {
            Exit::Usage
        } else if report.summary.errors > 0 {
            Exit::Findings
        } else if report.summary.types == 0 {
            Exit::NothingCompared
        } else {
            Exit::Ready
        })
    }

    fn crds(&self) -> anyhow::Result<Exit> {
        let of_go = [
            ("--strict", self.strict),
            ("--release", self.release.is_some()),
            ("--exceptions", !self.exceptions.is_empty()),
            ("--root-prefix", self.root_prefix.is_some()),
        ];
        if let Some((flag, _)) = of_go.iter().find(|(_, is_given)| *is_given) {
            bail!("{flag} is for Go types: for CRDs, --deny and --allow decide which findings count");
        }
        let settings = CrdSettings { old: &self.old, deny: &self.deny, allow: &self.allow };
        let (report, notes) = lint::lint_crds(&self.paths, &settings)?;
        notes.iter().for_each(|note| output::say(note));
        output::print(&printed(&report, self.format)?)?;
        Ok(if report.summary.errors > 0 {
            Exit::Findings
        } else if report.summary.types == 0 {
            Exit::NothingCompared
        } else {
            Exit::Ready
        })
    }

    /// The types of the settings, or else the built-in ones: the packages of the kinds that `[subjects]` chooses. Says what they are.
    fn of_settings(&self) -> anyhow::Result<Inputs> {
        let config = Config::load(self.config.as_deref())?;
        let types = config.types();
        let mut inputs = lint::resolve(&types.iter().cloned().collect::<Vec<_>>(), self.root_prefix.as_deref())?;
        output::say(&match &types {
            Some(types) => format!("note: these are the types in `{}`, which the settings name", types.display()),
            None => "note: these are the built-in types; name a folder to lint your own".to_owned(),
        });
        if let Some((catalogue, chosen)) = config.chosen_pairs()? {
            let packages = chosen.iter().filter_map(|id| catalogue.registry().package(&id.subject));
            let all = inputs.packages.len();
            inputs.keep(&packages.collect());
            let kept = inputs.packages.len();
            output::say(&format!("note: `[subjects]` chooses {kept} of {}", plural(all as u64, "package")));
        }
        Ok(inputs)
    }

    fn print_list(&self) -> anyhow::Result<Exit> {
        let Some(form) = Form::find(LIST_FORMS, self.format.name) else {
            bail!("--list supports only the formats table and json")
        };
        output::print(&printed(&lint::list(), form)?)?;
        Ok(Exit::Ready)
    }
}

/// The lint that finds nothing without a release.
const GRADUATION: &str = "graduation-eligible";

/// The lint of this name.
fn name(text: &str) -> Result<&'static str, String> {
    let of_crds = || crd::lints().into_iter().map(|lint| lint.name);
    let known = lookup(text).map(|lint| lint.name).or_else(|| of_crds().find(|name| *name == text));
    known.ok_or_else(|| match nearest(text, lints().map(|lint| lint.name).chain(of_crds())) {
        Some(near) => format!("unknown lint: did you mean `{near}`?"),
        None => "unknown lint: `takeover lint --list` prints all of them".to_owned(),
    })
}
