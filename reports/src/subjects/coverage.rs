//! `docs/coverage.md`: what is judged, and what is not.

use super::model::{SubjectEntry, SubjectList};
use super::table::{line, verdicts};
use std::fmt::Write as _;

/// The document.
#[must_use]
pub fn coverage(catalogue: &SubjectList) -> String {
    let mut out = String::from(
        "# Coverage\n\n\
         Made by `cargo xtask docs coverage > docs/coverage.md`; CI checks that it is current.\n\n\
         A *subject* is a kind in one version, or a subresource of it, judged by handwritten checks (the reference) and by\n\
         declarative rules (the candidate). *With twin*: how many of the rules that can reject something reported the same as a\n\
         handwritten check at least once, in the objects and verdicts that ship with the program. *Without rule*: sorts of handwritten\n\
         errors seen there that no rule covers; they must stay. *Agreement*: recorded verdicts of Kubernetes on which our side says\n\
         exactly the same (type, path, origin, detail, bad value and marks of every error), of all that ship with the program.\n\n\
         *Served* and *runs*: whether a server of the newest supported release serves the version (some only when `--runtime-config` enables\n\
         it), and whether the strategy of the kind runs its rules. A soak leaves out what is not served or not run, unless `--all-versions`\n\
         or `--kind` ask for it.\n\n\
         Subjects with no rule at all come last: their reference judges manifests (`validate`) and recorded verdicts (`conform`), and is\n\
         there once somebody's types declare the first rule (`soak --types`). No run compares them before.\n\n\
         The lists below leave out alpha and beta versions; `cargo xtask subjects --kind KIND` has everything.\n\n\
         ## Subjects\n\n\
         | subject | served | runs | rules alpha / beta / stable | with twin | without rule | delegated parts | declarative agreement | handwritten agreement | mismatch agreement |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for entry in &catalogue.subjects {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} / {} / {} | {} of {} | {} | {} | {} | {} | {} |",
            entry.subject,
            catalogue.newest(entry).map_or("", |of| of.served.as_str()),
            catalogue.newest(entry).map_or("", |of| of.runs.as_str()),
            entry.levels.alpha,
            entry.levels.beta,
            entry.levels.stable,
            entry.twins(),
            entry.rules.len(),
            entry.not_covered.len(),
            entry.delegated.len(),
            cell(entry, "declarative"),
            cell(entry, "handwritten"),
            cell(entry, "mismatches"),
        );
    }
    out.push_str(
        "\n## Delegated parts\n\nWhat the handwritten references leave unjudged: neither evidence nor agreement counts errors at or below these paths.\n",
    );
    for entry in detailed(catalogue).filter(|entry| !entry.delegated.is_empty()) {
        let _ = writeln!(out, "\n### {}\n", entry.subject);
        for part in &entry.delegated {
            let _ = writeln!(out, "* `{}`: {}", part.path, part.reason);
        }
    }
    out.push_str("\n## Rules without twin\n\nRules that no handwritten check was seen to agree with: new, unreachable, or not shown by what ships here.\n");
    section(&mut out, catalogue, |entry| {
        let rules = entry.rules.iter().filter(|rule| rule.twin.is_empty());
        rules
            .map(|rule| match rule.path.as_str() {
                "" => format!("the object: `+k8s:{}`", rule.rule),
                path => format!("`{path}`: `+k8s:{}`", rule.rule),
            })
            .collect()
    });
    out.push_str("\n## Handwritten checks without rule\n");
    section(&mut out, catalogue, |entry| entry.not_covered.iter().map(line).collect());
    out
}

fn cell(entry: &SubjectEntry, side: &str) -> String {
    match verdicts(entry, side) {
        none if none.is_empty() => "–".to_owned(),
        some => some,
    }
}

/// The subjects whose details the document has: older versions have much the same ones.
fn detailed(catalogue: &SubjectList) -> impl Iterator<Item = &SubjectEntry> {
    let older = |entry: &SubjectEntry| ["alpha", "beta"].iter().any(|stage| entry.id.api_version.contains(stage));
    catalogue.subjects.iter().filter(move |entry| !older(entry))
}

/// A list for each subject that has something to list.
fn section(out: &mut String, catalogue: &SubjectList, lines: impl Fn(&SubjectEntry) -> Vec<String>) {
    for entry in detailed(catalogue) {
        let lines = lines(entry);
        if lines.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n### {}\n", entry.subject);
        for line in lines {
            let _ = writeln!(out, "* {line}");
        }
    }
}
