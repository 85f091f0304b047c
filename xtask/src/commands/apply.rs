//! `cargo xtask apply`: types of what an applier sends, and what Go types send unasked.

use super::Format;
use crate::exit_code::{Exit, codes};
use crate::output;
use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Style};
use takeover_apply::configuration::{openapi, rust};
use takeover_engine::apply::{Generated, Published, ZeroFields, generate, published, zero_fields};
use takeover_engine::config::Config;
use takeover_harness::text::{grouped, plural};

/// Generates apply configurations, and lists the fields that typed Go clients send although nobody set them.
///
/// In a server-side apply, a client owns every field that it sends. An apply configuration is a type whose fields are all optional, so
/// that only those that were set are sent (KEP-2155). docs/apply.md has an example.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask apply generate api/ --kind Widget > src/widget_apply.rs",
    "cargo xtask apply zeroes api/",
], codes::APPLY))]
pub struct Apply {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Generate(Generate),
    Zeroes(Zeroes),
}

/// Writes the apply configurations of kinds, as Rust types with builders or as an OpenAPI document; or the schemas of Go types.
///
/// Rust types need `serde` with `derive`, and `serde_json` where a field may hold any JSON. They can be applied with kube
/// (`Patch::Apply(&widget)`). The same types always give the same text. Lists and maps can be set to empty; null cannot be sent.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask apply generate api/ --kind Widget > src/widget_apply.rs",
    "cargo xtask apply generate config/crd/bases -o src/apply       a file per version, and mod.rs",
    "cargo xtask apply generate openapi.json --form schema          an OpenAPI document",
    "cargo xtask apply generate api/ --kind Widget --form published the schema of a Go type, with defaults and unions",
], codes::GENERATE))]
struct Generate {
    #[command(flatten)]
    types: TypeArguments,
    /// Only this kind: `Widget`, or `shop.example.com/v1 Widget`; with `--form published` also a type that is no kind. Repeatable.
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// What to write.
    #[arg(long, value_enum, default_value_t)]
    form: Form,
    /// Leave defaults out of `--form published`, as servers do at `/openapi/v2`.
    #[arg(long)]
    no_defaults: bool,
    /// Write a file per version (`published`: one file) into this folder [default: print to standard output, if all kinds are of
    /// one version].
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Where the types are.
#[derive(Args)]
struct TypeArguments {
    /// Folders of Go packages; `generate` also takes files or folders of CRD manifests, and OpenAPI v3 documents [default: the types that
    /// takeover.toml names].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read the settings (only the folder of Go types is used) from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    config: Option<PathBuf>,
}

impl TypeArguments {
    fn read(&self) -> anyhow::Result<Vec<PathBuf>> {
        match self.paths.is_empty() {
            true => Config::load(self.config.as_deref())?.named_types(),
            false => Ok(self.paths.clone()),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A Rust module.
    #[default]
    Rust,
    /// An OpenAPI v3 document of apply configurations: nothing is required, nothing has a default.
    Schema,
    /// The OpenAPI v3 document that a server publishes of Go types: required fields, defaults (KEP-1929), `x-kubernetes-unions` (KEP-1027).
    Published,
}

/// Lists the fields that a client of Go types sends although nobody set them.
///
/// Go leaves out a zero value only if its field has `omitzero`, or has `omitempty` and is not a struct. Every other field is sent, so
/// an applier that uses the Go type owns it and overwrites what others set.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask apply zeroes api/",
    "cargo xtask apply zeroes api/ --all         every field",
    "cargo xtask apply zeroes api/ --format json",
], codes::ZEROES))]
struct Zeroes {
    #[command(flatten)]
    types: TypeArguments,
    /// Also list every field.
    #[arg(long)]
    all: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Apply {
    /// Reads types and writes.
    ///
    /// # Errors
    /// When types cannot be read, no kind has the name, or the result cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        match self.action {
            Action::Generate(generate) => generate.run(),
            Action::Zeroes(zeroes) => zeroes.run(),
        }
    }
}

impl Generate {
    fn run(self) -> anyhow::Result<Exit> {
        if self.form == Form::Published {
            return self.publish();
        }
        anyhow::ensure!(!self.no_defaults, "--no-defaults needs --form published");
        let generated = generate(&self.types.read()?, &self.kinds)?;
        match (generated.as_slice(), &self.output) {
            ([], _) => {
                output::say("the types declare no kind");
                return Ok(Exit::NothingCompared);
            }
            (versions, Some(folder)) => self.write(versions, folder)?,
            ([version], None) => output::print(&self.text(version)?)?,
            (versions, None) => {
                let names: Vec<&str> = versions.iter().map(|version| &*version.api_version).collect();
                anyhow::bail!(
                    "the kinds are of {} versions ({}): name a folder with -o, or a kind with --kind",
                    names.len(),
                    names.join(", ")
                );
            }
        }
        Ok(Exit::Ready)
    }

    fn text(&self, version: &Generated) -> anyhow::Result<String> {
        Ok(match self.form {
            Form::Rust => rust::module(&version.configurations),
            Form::Schema | Form::Published => takeover_reports::json(&openapi::document(&version.configurations))?,
        })
    }

    /// Writes the schemas that a server publishes.
    fn publish(&self) -> anyhow::Result<Exit> {
        let Published { document, mistakes } = published(&self.types.read()?, &self.kinds, !self.no_defaults)?;
        for mistake in &mistakes {
            output::say(&format!("warning: {mistake}"));
        }
        let text = takeover_reports::json(&document)?;
        if document.pointer("/components/schemas").and_then(Value::as_object).is_none_or(Map::is_empty) {
            output::say("the packages export no struct");
            return Ok(Exit::NothingCompared);
        }
        match &self.output {
            None => output::print(&text)?,
            Some(folder) => {
                let path = folder.join("openapi.json");
                let failed = || format!("failed to write `{}`", path.display());
                fs::create_dir_all(folder).with_context(failed)?;
                fs::write(&path, text).with_context(failed)?;
            }
        }
        Ok(Exit::Ready)
    }

    fn write(&self, versions: &[Generated], folder: &Path) -> anyhow::Result<()> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let ending = if self.form == Form::Rust { "rs" } else { "json" };
        for version in versions {
            files.insert(format!("{}.{ending}", version.module()), self.text(version)?);
        }
        if self.form == Form::Rust {
            let mut modules = "// Generated by `takeover apply generate`. Do not edit.\n\n".to_owned();
            modules.push_str("//! Apply configurations, by version.\n\n");
            modules.extend(versions.iter().map(|version| format!("pub mod {};\n", version.module())));
            files.insert("mod.rs".to_owned(), modules);
        }
        let failed = |path: &Path| format!("failed to write `{}`", path.display());
        fs::create_dir_all(folder).with_context(|| failed(folder))?;
        for (name, text) in &files {
            let path = folder.join(name);
            fs::write(&path, text).with_context(|| failed(&path))?;
        }
        let structs: usize = versions.iter().map(|version| version.configurations.structs.len()).sum();
        output::say(&format!(
            "{} with {} written to {}",
            plural(files.len() as u64, "file"),
            plural(structs as u64, "configuration"),
            folder.display()
        ));
        Ok(())
    }
}

impl Zeroes {
    fn run(self) -> anyhow::Result<Exit> {
        let found = zero_fields(&self.types.read()?)?;
        match self.format {
            Format::Json => output::print_json(&found)?,
            Format::Table => output::print(&text(&found, self.all))?,
        }
        Ok(match (found.kinds, found.fields.len()) {
            (0, _) => Exit::NothingCompared,
            (_, 0) => Exit::Ready,
            _ => Exit::Findings,
        })
    }
}

/// The counts, and the fields if `all` is set.
fn text(found: &ZeroFields, all: bool) -> String {
    let mut text = format!(
        "{} in {} are sent although nobody set them.\n",
        plural(found.fields.len() as u64, "field"),
        plural(found.kinds as u64, "kind")
    );
    if found.fields.is_empty() {
        return text;
    }
    let mut builder = Builder::default();
    builder.push_record(["type", "without omitempty", "with omitempty", "for example"]);
    for (of, count) in found.rows() {
        let example = found.fields.iter().find(|field| field.of == of.to_string());
        let example = example.map(|field| format!("{}.{} ({})", short(&field.owner), field.field, field.sent));
        let [without, with] = [count.without_omitempty, count.with_omitempty].map(|count| grouped(count as u64));
        builder.push_record([of.to_string(), without, with, example.unwrap_or_default()]);
    }
    let mut table = builder.build();
    table.with(Style::rounded()).with(Modify::new(Columns::new(1..3)).with(Alignment::right()));
    text.push_str(&format!("{table}\n"));
    if !all {
        text.push_str("Add --all for every field.\n");
        return text;
    }
    for field in &found.fields {
        text.push_str(&format!("{}.{}: {}, sent as {}\n", field.owner, field.field, field.go_type, field.sent));
    }
    text
}

/// The last part of a package, and the name: `v1.ContainerPort`.
fn short(owner: &str) -> &str {
    owner.rsplit('/').next().unwrap_or(owner)
}
