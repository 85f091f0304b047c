//! The text of the settings: a pair for each kind.

use super::kind::{ApiKind, Source};
use super::oracle::Language;
use std::fmt::Write as _;
use std::path::Path;

const HEAD: &str = "\
# Which validators Takeover compares: a pair for each kind. The project owns this file: edit it where it says EDIT.
# docs/pairs.md explains the keys; `takeover config --example` prints every other setting. Paths are relative to this file.
";

const REFERENCE: &str = "\
# What decides today. EDIT it if that is not this program: { webhook = \"https://127.0.0.1:9443/validate\" } asks a webhook, and
# { server = \"kubeconfig\", context = \"kind-test\" } a live API server.
";

const TAGS: &str = "\
# What is to take over: the `+k8s:` tags of the types. EDIT it to compare another program, webhook or server.
";

const CRD: &str = "\
# What is to take over: the schema of the CRD with its CEL rules, judged as an API server does. EDIT it to compare another program,
# webhook or server.
";

const TAIL: &str = "
# How many cases `takeover gate` generates; `takeover soak` takes --cases.
[budget]
cases = 20000
";

/// The settings that compare these kinds; `names` are those of their oracles, in the same order.
#[must_use]
pub fn settings(kinds: &[ApiKind], names: &[String], language: Language) -> String {
    let mut text = HEAD.to_owned();
    for (number, (kind, name)) in kinds.iter().zip(names).enumerate() {
        let explained = |note: &'static str| if number == 0 { note } else { "" };
        let (sort, candidate) = match (&kind.source, kind.crd()) {
            (Source::Go(package), None) => {
                ("tags", format!("{}candidate = {{ tags = true }}\n", note_on_tags(package.rules, package.markers)))
            }
            _ => ("crd", "candidate = { crd = true }\n".to_owned()),
        };
        let tags = explained(if sort == "tags" { TAGS } else { CRD });
        let path = |path: &Path| quoted(&path.to_string_lossy().replace('\\', "/"));
        let go_types = kind.go_types().map(|folder| format!("go-types = {}\n", path(folder))).unwrap_or_default();
        let command: Vec<String> = language.command(name).iter().map(|word| quoted(word)).collect();
        let _ = write!(
            text,
            "\n[[pair]]\nname = {}\napiVersion = {}\nkind = {}\ntypes = {}\n{go_types}{}reference = {{ exec = [{}] }}\n{tags}{candidate}",
            quoted(&format!("webhook-to-{sort}")),
            quoted(&kind.api_version),
            quoted(&kind.kind),
            path(kind.types()),
            explained(REFERENCE),
            command.join(", "),
        );
    }
    text + TAIL
}

/// What people should know of the tags of a kind before they compare them.
fn note_on_tags(rules: Option<usize>, markers: usize) -> String {
    match (rules, markers) {
        (None, _) => "# The tags of this kind do not compile: `takeover lint` says why.\n".to_owned(),
        (Some(0), 0) => "# This kind has no tag yet: a report will list every check of the reference as not covered.\n".to_owned(),
        (Some(0), _) => {
            "# This kind has no tag yet, and its `+kubebuilder:validation` markers are not read: a report will list every check of the\n\
             # reference as not covered. The CRD that controller-gen makes of them can be the candidate: { crd = \"FILE\" }.\n"
                .to_owned()
        }
        (Some(_), _) => String::new(),
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
