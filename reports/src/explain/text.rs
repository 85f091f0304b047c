//! What is known about a rule, for people at a terminal.

use super::model::{Breach, Example, Explanation, LawTrial, RuleInRun, Shown, Suggestion, TriedObject};
use super::words::{Words, field};
use crate::form::Form;
use crate::numbers::{counted, grouped};
use crate::run::{difference, in_production};
use crate::text::{named, printable_text, shortened};
use std::fmt::Write as _;

/// Longest example in a line, in characters.
const LONGEST: usize = 240;

/// For a terminal.
pub(super) const FORM: Form<Explanation> =
    Form::new("text", "For people", "txt", |of, look| Ok(look.broken(&text(of))));

/// The text. Ends with a line break.
fn text(of: &Explanation) -> String {
    let mut text = format!("{} {}\n  of {}\n", field(&of.rule.path), of.label(), of.subject);
    if !of.also.is_empty() {
        let _ = writeln!(text, "  and of {}", of.also.join(", "));
    }
    definition(&mut text, of);
    match (&of.law, &of.boundary) {
        (Some(law), _) => law.trial.iter().for_each(|trial| tried(&mut text, trial)),
        (None, Some(examples)) => boundary(&mut text, examples, Words::of(of.matter)),
        (None, None) => classes(&mut text, of.evidence.as_ref(), Words::of(of.matter)),
    }
    match (&of.run, &of.evidence) {
        (_, Some(known)) => evidence(&mut text, known, Words::of(of.matter)),
        (Some(_), None) => text.push_str("\nEvidence\n  the run did not judge this rule\n"),
        (None, None) => {}
    }
    text.push_str("\nNext\n");
    for Suggestion { command, purpose } in &of.commands {
        let purpose = purpose.as_ref().map_or_else(String::new, |purpose| format!("    # {purpose}"));
        let _ = writeln!(text, "  {command}{purpose}");
    }
    printable_text(&text)
}

/// The level, and since when.
pub(super) fn level(of: &Explanation) -> String {
    of.since.as_ref().map_or_else(|| of.level.name().to_owned(), |since| format!("{} since {since}", of.level.name()))
}

fn definition(text: &mut String, of: &Explanation) {
    text.push_str("\nDefinition\n");
    if let Some(source) = &of.source {
        let _ = writeln!(text, "  {source}");
    }
    if let Some(line) = &of.line {
        let _ = writeln!(text, "    {line}");
    }
    let _ = writeln!(text, "  level {}", level(of));
    for check in &of.reports {
        let (does, what) = Words::of(of.matter).does(check);
        let _ = writeln!(text, "  {does} {what}");
    }
    for condition in of.conditions.iter().flatten() {
        let _ = writeln!(text, "  {condition}");
    }
    if let Some(law) = &of.law {
        let _ = writeln!(text, "  a law that every object must keep: {}", law.asks);
    }
}

/// How many objects were held against a law, in words.
pub(super) fn objects(of: &LawTrial) -> String {
    let broken = match of.broken {
        0 => "none breaks the law".to_owned(),
        1 => "1 breaks the law".to_owned(),
        more => format!("{} break the law", grouped(more)),
    };
    format!("{}, {broken}", counted(of.objects, "object"))
}

/// What objects made of a law.
fn tried(text: &mut String, of: &LawTrial) {
    let _ = writeln!(text, "\nTried just now: {}", objects(of));
    if let Some(kept) = &of.kept {
        text.push_str("  one that keeps the law\n");
        tried_object(text, kept);
    }
    for Breach { field: path, said, because, objects, example } in &of.breaches {
        let _ = writeln!(text, "  broken at {} in {}: {said}", field(path), counted(*objects, "object"));
        if let Some(because) = because {
            let _ = writeln!(text, "    {because}");
        }
        tried_object(text, example);
    }
}

fn tried_object(text: &mut String, TriedObject { object, old }: &TriedObject) {
    if let Some(old) = old {
        let _ = writeln!(text, "    old {}", shortened(&old.to_string(), LONGEST));
    }
    let _ = writeln!(text, "    new {}", shortened(&object.to_string(), LONGEST));
}

fn boundary(text: &mut String, examples: &[Example], words: Words) {
    text.push_str("\nBoundary: an example of every class of values, judged just now\n");
    if examples.is_empty() {
        text.push_str("  the tag distinguishes no classes\n");
    }
    for Example { class, breaks, shown } in examples {
        let should = words.should(*breaks);
        let Some(shown) = shown else {
            let _ = writeln!(text, "  {class}, which {should}: no case of it alone");
            continue;
        };
        let _ = writeln!(text, "  {class}, which {should}: {}", words.said(shown));
        let Shown { object, old, because, .. } = shown;
        if let Some(because) = because {
            let _ = writeln!(text, "    {because}");
        }
        if let Some(old) = old {
            let _ = writeln!(text, "    old {}", shortened(&old.to_string(), LONGEST));
        }
        let _ = writeln!(text, "    new {}", shortened(&object.to_string(), LONGEST));
    }
}

/// The classes, where the types are not at hand to make examples of them.
fn classes(text: &mut String, evidence: Option<&RuleInRun>, words: Words) {
    text.push_str("\nBoundary: how often the run showed each class of values\n");
    for class in evidence.iter().flat_map(|evidence| &evidence.rule.classes) {
        let should = words.should(class.breaks);
        let _ = writeln!(
            text,
            "  {}, which {should}: {} creates, {} updates",
            class.class,
            grouped(class.create),
            grouped(class.update)
        );
    }
}

fn evidence(text: &mut String, known: &RuleInRun, words: Words) {
    let RuleInRun { rule, findings, .. } = known;
    let _ = writeln!(text, "\nEvidence: {}", known.headline());
    for criterion in rule.criteria.iter().filter(|criterion| !criterion.met) {
        let _ = writeln!(text, "  {}: {}", criterion.found, criterion.remedy);
    }
    for (operation, of) in [("create", &rule.create), ("update", &rule.update)] {
        let _ = writeln!(text, "  {operation}: {}", words.counts(of));
    }
    if let Some(of) = &rule.production {
        let _ = writeln!(text, "  {}", in_production(of));
    }
    let never = rule.classes.iter().filter(|class| class.create + class.update == 0);
    let never: Vec<&str> = never.map(|class| class.class.as_str()).collect();
    if !never.is_empty() {
        let _ = writeln!(text, "  classes never shown: {}", never.join(", "));
    }
    for class in &rule.unreachable {
        let _ = writeln!(text, "  class that no object can show: {} ({})", class.name, class.reason);
    }
    let controls = &rule.controls;
    let _ = writeln!(text, "  planted faults: {} of {} exposed", controls.exposed, controls.telling);
    for survivor in &controls.survivors {
        let _ = writeln!(text, "    survived: {survivor}");
    }
    for finding in findings {
        let _ = writeln!(text, "  finding {}: {} × {}", finding.number, finding.count, named(&finding.signature));
        for said in finding.remarks() {
            let _ = writeln!(text, "    {said}");
        }
        if let Some(exception) = &finding.exception {
            let _ = writeln!(text, "    {}", exception.said());
        }
        for line in finding.case.iter().flat_map(difference) {
            let _ = writeln!(text, "    {} {}", line.reporter.sign(), line.text());
        }
        if let Some(command) = &finding.reproduce {
            let _ = writeln!(text, "    reproduce: {command}");
        }
    }
    if let Some(next) = &rule.next {
        let to = next.level.as_ref().map_or_else(String::new, |level| format!("{level}: "));
        let _ = writeln!(text, "  next level: {to}{}", next.because.join("; "));
    }
}
