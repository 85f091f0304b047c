//! `cargo xtask init`: the first files of a project with its own kinds and validators.

use crate::exit_code::{Exit, codes};
use crate::output;
use anyhow::{Context as _, bail, ensure};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use takeover_engine::config::FILE;
use takeover_engine::init::{
    ApiKind, Discovery, Existing, Language, NewFile, OracleFile, discover, names, oracle, settings, write,
};
use takeover_harness::text::nearest;
use takeover_reports::shell_quoted;

/// Writes a takeover.toml that compares the validators of your own kinds.
///
/// Finds the kinds of a project in Go packages with a `+groupName=` comment (the layout of kubebuilder) or in CRD manifests, and
/// describes a pair of validators for each kind: your webhook, and the `+k8s:` tags of the Go types or the CRD. --with-oracle also
/// writes the program that answers for the webhook; in Go, it calls the validator that controller-runtime calls, if it finds one.
/// Prints what it wrote and what to do next. docs/pairs.md follows a project from here to a report.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask init                                in the root of a kubebuilder project",
    "cargo xtask init --with-oracle go               also write cmd/<kind>-oracle/main.go",
    "cargo xtask init --with-oracle python           also write <kind>_oracle.py",
    "cargo xtask init ../operator --kind Widget      one kind of another project",
], codes::INIT))]
pub struct Init {
    /// Folder of the project; takeover.toml is written into it.
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Only this kind (`Widget`), or version and kind (`shop.example.com/v1 Widget`). Repeatable.
    #[arg(long)]
    kind: Vec<String>,
    /// Also write a program that answers for the webhook of each kind.
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    with_oracle: Option<LanguageName>,
    /// Write the settings to this file of DIR [default: takeover.toml].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long)]
    force: bool,
}

/// In which language oracles are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LanguageName {
    /// With the module in sdk/go.
    Go,
    /// With the file in sdk/python, which is written too.
    Python,
}

impl From<LanguageName> for Language {
    fn from(name: LanguageName) -> Self {
        match name {
            LanguageName::Go => Self::Go,
            LanguageName::Python => Self::Python,
        }
    }
}

impl Init {
    /// Finds the kinds, and writes the files.
    ///
    /// # Errors
    /// When the folder cannot be read, --kind names none of its kinds, a file exists, or one cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let folder = &self.folder;
        let metadata = folder.metadata().with_context(|| format!("failed to read `{}`", folder.display()))?;
        ensure!(metadata.is_dir(), "`{}` is not a folder", folder.display());
        let config = self.config.as_deref().map_or_else(|| Ok(PathBuf::from(FILE)), |file| name_in(folder, file))?;
        let found = discover(folder);
        if found.kinds.is_empty() {
            output::say_error(&nothing(folder, &found));
            return Ok(Exit::NothingCompared);
        }
        let language = self.with_oracle.map(Language::from);
        if language == Some(Language::Go) && !found.has_go_module {
            bail!("--with-oracle go needs a Go module: there is no go.mod in or above `{}`", folder.display());
        }
        for unread in &found.unread {
            output::say(&format!("note: left out, because it cannot be read: {unread}"));
        }
        let names = names(&found.kinds);
        let (kinds, names) = chosen(&found.kinds, &names, &self.kind)?;
        let oracles: Vec<OracleFile> = language.map_or_else(Vec::new, |language| {
            kinds.iter().zip(&names).map(|(kind, name)| oracle(kind, name, language)).collect()
        });
        let text = settings(&kinds, &names, language.unwrap_or(Language::Go));
        let mut files = vec![NewFile { place: config.clone(), text }];
        for file in oracles.iter().flat_map(|oracle| &oracle.files) {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
        let existing = if self.force { Existing::Replace } else { Existing::Refuse };
        let written = write(folder, &files, existing)?;
        let project = Project { folder, config: &config, kinds: &kinds, names: &names, language, oracles: &oracles };
        output::print(&format!("{}\n{}", project.summary(&files, &written), project.next()))?;
        Ok(Exit::Ready)
    }
}

/// The name of a file of settings in `folder`: what they name is seen from there.
fn name_in(folder: &Path, file: &Path) -> anyhow::Result<PathBuf> {
    let above = file.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(folder);
    let is_in_it =
        above.canonicalize().ok().zip(folder.canonicalize().ok()).is_some_and(|(above, folder)| above == folder);
    let name = file.file_name().filter(|_| is_in_it && !file.is_dir());
    name.map(PathBuf::from).with_context(|| {
        format!(
            "the settings file must be in `{}`, because its paths are relative to it; `--config {}` is elsewhere",
            folder.display(),
            file.display()
        )
    })
}

/// Why there is nothing to write.
fn nothing(folder: &Path, found: &Discovery) -> anyhow::Error {
    let mut text = format!(
        "found no API type in `{}`. Looked for:\n  Go packages below it in folders named as versions are (`api/v1`), with a comment \
         `+groupName=` and a struct that\n    embeds metav1.TypeMeta and metav1.ObjectMeta\n  CustomResourceDefinitions with a schema, \
         in YAML and JSON files below it (`config/crd/bases`)",
        folder.display()
    );
    for place in &found.looked_at {
        if !found.unread.iter().any(|unread| unread.starts_with(&format!("{}: ", place.display()))) {
            let _ = write!(text, "\n`{}` declares no kind", place.display());
        }
    }
    for unread in &found.unread {
        let _ = write!(text, "\ncannot be read: {unread}");
    }
    anyhow::anyhow!(text)
}

/// The kinds that --kind names, or else all, with the names of their oracles.
fn chosen(kinds: &[ApiKind], names: &[String], asked: &[String]) -> anyhow::Result<(Vec<ApiKind>, Vec<String>)> {
    let is_called = |kind: &ApiKind, name: &str| kind.kind.eq_ignore_ascii_case(name) || kind.subject() == name;
    for name in asked {
        if !kinds.iter().any(|kind| is_called(kind, name)) {
            let subjects: Vec<String> = kinds.iter().map(|kind| format!("`{}`", kind.subject())).collect();
            let meant = nearest(name, kinds.iter().map(|kind| kind.kind.as_str()));
            let meant = meant.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
            bail!("--kind `{name}` matches none of the kinds found ({}){meant}", subjects.join(", "));
        }
    }
    let is_chosen = |kind: &ApiKind| asked.is_empty() || asked.iter().any(|name| is_called(kind, name));
    Ok(kinds
        .iter()
        .zip(names)
        .filter(|(kind, _)| is_chosen(kind))
        .map(|(kind, name)| (kind.clone(), name.clone()))
        .unzip())
}

/// What was written, for people.
struct Project<'p> {
    folder: &'p Path,
    /// The file of settings, from the folder on.
    config: &'p Path,
    kinds: &'p [ApiKind],
    names: &'p [String],
    language: Option<Language>,
    oracles: &'p [OracleFile],
}

impl Project<'_> {
    fn summary(&self, files: &[NewFile], written: &[PathBuf]) -> String {
        let mut text = String::new();
        for file in files {
            let verb = if written.contains(&file.place) { "wrote" } else { "unchanged" };
            let _ = writeln!(text, "{verb} {}{}", self.folder_of_output(&file.place), self.about(file));
        }
        text
    }

    fn folder_of_output(&self, place: &Path) -> String {
        let whole = if self.folder == Path::new(".") { place.to_owned() } else { self.folder.join(place) };
        whole.display().to_string()
    }

    /// What a file holds, as people read it.
    fn about(&self, file: &NewFile) -> String {
        if file.place == self.config {
            let pairs: Vec<String> = self
                .kinds
                .iter()
                .map(|kind| format!("\n  {}, types from {}", kind.subject(), kind.types().display()))
                .collect();
            return format!(": a pair for each of {} kinds{}", self.kinds.len(), pairs.concat())
                .replace("a pair for each of 1 kinds", "a pair for 1 kind");
        }
        let oracle = self.oracles.iter().find(|oracle| oracle.files.first().is_some_and(|own| own == file));
        match oracle.map(|oracle| &oracle.calls) {
            Some(Some(validator)) => format!(": calls {} of {}", validator.name, validator.import),
            Some(None) => ": EDIT it to call your validator".to_owned(),
            None => ": the SDK that it uses".to_owned(),
        }
    }

    /// The commands that lead to a report.
    fn next(&self) -> String {
        let mut lines = Vec::new();
        if self.folder != Path::new(".") {
            lines.push(format!("cd {}", self.folder.display()));
        }
        let name = self.names.first().map_or("", String::as_str);
        let command = self.language.unwrap_or(Language::Go).command(name).join(" ");
        match self.language {
            Some(Language::Go) => {
                let module = std::fs::read_to_string(self.folder.join("go.mod")).unwrap_or_default();
                if !module.contains("takeover.dev/oracle") {
                    lines.push(
                        "go mod edit -require=takeover.dev/oracle@v0.0.0 -replace=takeover.dev/oracle=../takeover/sdk/go    # a clone of Takeover"
                            .to_owned(),
                    );
                }
                let packages: Vec<String> = self.names.iter().map(|name| format!("./cmd/{name}-oracle")).collect();
                lines.push(format!("go build -o bin/ {}", packages.join(" ")));
            }
            Some(Language::Python) => {}
            None => lines.push(format!("# write {command}: --with-oracle go or python writes a start")),
        }
        lines.push(format!("{} oracle check -- {command}", output::program()));
        let config = match self.config {
            usual if usual == Path::new(FILE) => String::new(),
            other => format!(" --config {}", shell_quoted(&other.to_string_lossy())),
        };
        lines.push(format!("{} soak --cases 20000{config}", output::program()));
        let lines: Vec<String> = lines.iter().map(|line| format!("  {line}\n")).collect();
        format!("Next:\n{}", lines.concat())
    }
}
