//! The reference as Markdown.

use super::entry::{Argument, Class, Entry, MutantEntry, Reference, Status};
use std::fmt::Write as _;

const HEAD: &str = "\
# Tag reference

This file is made from the registration of the tags: `cargo xtask docs tags > docs/tags.md`. Change the registration in
`oracles/declarative/src/tags`, not this file; a test compares the two.

A tag line is a comment line that starts with `+`, in the comment directly above a type, a struct field or a constant. A
comment with a blank line below it belongs to nothing. Rules on a type hold wherever the type is used.

## Grammar

```text
line  := \"+\" tag [ blanks \"#\" anything ]
tag   := name [ \"(\" [ args ] \")\" ] [ \"=\" value | \"=+\" tag ]
args  := value | name \":\" value { \",\" name \":\" value }     one value alone, or named ones
value := word | string | int | \"true\" | \"false\"
```

* Blanks may follow `,` and `:`, and nothing else.
* Strings stand in double quotes or backticks; a backslash escapes the quote and itself. A word needs no quotes.
* Integers are plain decimals: no plus sign, no leading zeros. `1.36` is no integer and must be quoted.
* A chain `+a=+b=+c=1` gives the rule of `c` to `b` and the result to `a`.
* Names that are not registered are ignored, so a misspelled tag is no rule. A registered tag that does not parse or
  does not fit its place is an error.
* Tags of one comment take effect in the order of their outermost names; equal names in the order in which they are
  written.

## How rules run

* On an update, a field whose value equals the old one is skipped with everything below it, whatever its tags. The root
  of the object is never skipped. Elements of lists and maps are compared with the old element that the kind of the list
  finds; see `listType`.
* Rules that stop (`required`, `optional`, `forbidden`, `immutable`, `update`, `maxItems`, `maxProperties`) run first,
  all of them. If one fails, the other rules of the field, the rules of its type and everything below are not run. An
  unset `optional` field stops in silence.
* The other rules follow in the order of their tags, last those of `eachVal`, `item` and `subfield` and the uniqueness
  of lists. Then come the rules of the type, then its fields.
* Rules that look at several fields (unions, modes, dependencies) stand on the struct and run before its fields.
* Lifecycle levels mark errors and change nothing of this: an alpha rule that stops a field also stops the standard
  rules after it.
* A value without an old counterpart (a new element, a struct that was nil, an element of an atomic list) is judged
  without an old value even on updates: `immutable` fails there, `monotonic` and `update` on scalars do nothing, unions
  and modes are judged as on a create.
* A list of pointers that has any rule gets one more: nil elements are `Required` errors, at standard level.
* A nil struct pointer that no requiredness tag stops makes Kubernetes' generated code panic; that is one internal
  error, and all other declarative errors of the request are lost.

## Reading this reference

In the forms below, what may be left out is in brackets. *Stability* says how settled the meaning of a tag is, not how
far the rules have come that are made with it. Errors are given as type, origin and detail; an error stands at the value
under test unless it says otherwise.
";

/// The whole reference; ends with a line break.
#[must_use]
pub fn markdown(reference: &Reference) -> String {
    let mut out = HEAD.to_owned();
    overview(&mut out, reference);
    for entry in &reference.tags {
        section(&mut out, entry);
    }
    markers(&mut out, reference);
    out
}

fn overview(out: &mut String, reference: &Reference) {
    out.push_str("\n## Tags\n\n| tag | stability | what it says |\n|---|---|---|\n");
    for entry in &reference.tags {
        let (name, anchor) = (entry.name, entry.name.to_lowercase());
        let _ = writeln!(out, "| [`{name}`](#{anchor}) | {} | {} |", entry.stability, cell(entry.summary));
    }
}

fn section(out: &mut String, entry: &Entry) {
    let _ = writeln!(out, "\n## {}\n\n{}\n\n```text\n{}\n```\n", entry.name, entry.summary, entry.syntax);
    match (entry.status, entry.replaced_by) {
        (Status::Older, Some(today)) => {
            let anchor = today.to_lowercase();
            let _ = writeln!(out, "* **Status:** name of Kubernetes 1.33 to 1.36 for [`{today}`](#{anchor})");
        }
        (Status::Proposed, _) => out.push_str("* **Status:** KEP-5073 as proposed; no release generates code for it\n"),
        _ => {}
    }
    let _ = writeln!(out, "* **Stability:** {}", entry.stability);
    let _ = writeln!(out, "* **Stands on:** {}", entry.scopes.join(", "));
    let need = if entry.payload_required || entry.payload == "none" { "" } else { ", may be left out" };
    let _ = writeln!(out, "* **Value:** {}{need}", entry.payload);
    arguments(out, entry);
    let _ = writeln!(out, "\n{}", entry.semantics);
    if entry.errors.is_empty() {
        out.push_str("\nMakes no error itself.\n");
    } else {
        out.push_str("\nErrors:\n\n");
        for error in entry.errors {
            let _ = writeln!(out, "* {}", error.replace('<', "\\<"));
        }
    }
    let _ = writeln!(out, "\nExample:\n\n```go\n{}\n```", entry.go);
    boundaries(out, &entry.boundaries);
    mutants(out, entry);
}

fn arguments(out: &mut String, entry: &Entry) {
    if entry.any_arguments {
        out.push_str("* **Arguments:** any names, at least one\n");
        return;
    }
    if entry.arguments.is_empty() {
        return;
    }
    out.push_str("* **Arguments:**\n");
    for Argument { name, kind, required, doc } in &entry.arguments {
        let name = name.map_or("the value in parentheses".to_owned(), |name| format!("`{name}`"));
        let need = if *required { ", required" } else { "" };
        let _ = writeln!(out, "  * {name} ({kind}{need}): {doc}");
    }
}

/// Values beyond this many characters are not shown.
const SHOWN: usize = 40;

fn boundaries(out: &mut String, classes: &[Class]) {
    if classes.is_empty() {
        return;
    }
    out.push_str(
        "\nValues that the rule of the example tells apart:\n\n| class | value | breaks the rule |\n|---|---|---|\n",
    );
    for Class { class, breaks, value } in classes {
        let value = match value {
            None => "left out".to_owned(),
            Some(value) => {
                let text = value.to_string();
                let count = text.chars().count();
                if count > SHOWN { format!("{count} characters of JSON") } else { format!("`{text}`") }
            }
        };
        let breaks = if *breaks { "yes" } else { "no" };
        let _ = writeln!(out, "| {} | {} | {breaks} |", cell(class), cell(&value));
    }
}

fn mutants(out: &mut String, entry: &Entry) {
    match (entry.no_mutants, &entry.mutants) {
        (Some(reason), _) => {
            let _ = writeln!(out, "\nNo mutants of its own: {reason}.");
        }
        (None, all) => {
            let names = |named: fn(&MutantEntry) -> Option<String>| {
                let names: Vec<String> = all.iter().filter_map(named).collect();
                names.join("; ")
            };
            let telling = names(|mutant| mutant.equivalent.is_none().then(|| mutant.name.clone()));
            if !telling.is_empty() {
                let _ = writeln!(out, "\nMutants of its own in the example: {telling}.");
            }
            let equivalent = names(|mutant| Some(format!("{} ({})", mutant.name, mutant.equivalent?)));
            if !equivalent.is_empty() {
                let _ = writeln!(out, "\nMutants of its own that change nothing in the example: {equivalent}.");
            }
        }
    }
}

fn markers(out: &mut String, reference: &Reference) {
    out.push_str(
        "\n## Markers\n\nNames with the same prefix that are no rules.\n\n| marker | where and what | read here |\n|---|---|---|\n",
    );
    for marker in &reference.markers {
        let read = if marker.read { "yes" } else { "no" };
        let _ = writeln!(out, "| `{}` | {} | {read} |", cell(marker.form), cell(marker.summary));
    }
}

/// Text in a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
