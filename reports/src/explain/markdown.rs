//! What is known about a rule, as Markdown for a pull request. Text from objects and types is set as code.

use super::model::{Breach, Example, Explanation, LawTrial, RuleInRun, Shown, Suggestion, TriedObject};
use super::text::{level, objects};
use super::words::{Words, field};
use crate::form::Form;
use crate::markup::{code, fenced};
use crate::numbers::{counted, grouped};
use crate::run::{difference, in_production};
use crate::text::named;
use std::fmt::Write as _;

/// Most lines of an example or difference.
const LINES: usize = 40;

/// For a pull request.
pub(super) const FORM: Form<Explanation> =
    Form::new("markdown", "For a pull request comment", "md", |of, _| Ok(markdown(of)));

/// The text. Ends with a line break.
fn markdown(of: &Explanation) -> String {
    let mut text = format!("## {} {}\n\nOf {}", code(field(&of.rule.path)), code(&of.label()), code(&of.subject));
    for also in &of.also {
        let _ = write!(text, ", {}", code(also));
    }
    let _ = writeln!(text, ".\n\n* level: {}", code(&level(of)));
    if let Some(source) = &of.source {
        let _ = writeln!(text, "* written at {}", code(&source.to_string()));
    }
    for check in &of.reports {
        let (does, what) = Words::of(of.matter).does(check);
        let _ = writeln!(text, "* {does} {}", code(&what));
    }
    for condition in of.conditions.iter().flatten() {
        let _ = writeln!(text, "* {}", code(condition));
    }
    if let Some(law) = &of.law {
        let _ = writeln!(text, "* a law that every object must keep: {}", law.asks);
    }
    if let Some(line) = &of.line {
        let _ = write!(text, "\n{}", fenced("go", line, LINES));
    }
    match (&of.law, &of.boundary) {
        (Some(law), _) => law.trial.iter().for_each(|trial| tried(&mut text, trial)),
        (None, Some(examples)) => boundary(&mut text, examples, Words::of(of.matter)),
        (None, None) => classes(&mut text, of.evidence.as_ref(), Words::of(of.matter)),
    }
    match (&of.run, &of.evidence) {
        (_, Some(known)) => evidence(&mut text, known, Words::of(of.matter)),
        (Some(_), None) => text.push_str("\n### Evidence\n\nThe run did not judge this rule.\n"),
        (None, None) => {}
    }
    text.push_str("\n### Next\n\n");
    let line = |Suggestion { command, purpose }: &Suggestion| {
        let purpose = purpose.as_ref().map_or_else(String::new, |purpose| format!("    # {purpose}"));
        format!("{command}{purpose}\n")
    };
    text.push_str(&fenced("sh", &of.commands.iter().map(line).collect::<String>(), LINES));
    text
}

fn tried(text: &mut String, of: &LawTrial) {
    let _ = write!(text, "\n### Tried just now: {}\n\n", objects(of));
    text.push_str("| | old | new |\n|---|---|---|\n");
    let mut row = |said: &str, TriedObject { object, old }: &TriedObject| {
        let old = old.as_ref().map_or_else(String::new, |old| code(&old.to_string()));
        let _ = writeln!(text, "| {said} | {old} | {} |", code(&object.to_string()));
    };
    if let Some(kept) = &of.kept {
        row("keeps the law", kept);
    }
    for Breach { field: path, said, because, objects, example } in &of.breaches {
        let because = because.as_ref().map_or_else(String::new, |because| format!("; {}", code(because)));
        let said =
            format!("broken at {} in {}: {}{because}", code(field(path)), counted(*objects, "object"), code(said));
        row(&said, example);
    }
}

fn boundary(text: &mut String, examples: &[Example], words: Words) {
    text.push_str("\n### Boundary\n\n| class | | judged just now | old | new |\n|---|---|---|---|---|\n");
    for Example { class, breaks, shown } in examples {
        let _ = write!(text, "| {} | {} |", code(class), words.should(*breaks));
        match shown {
            Some(shown) => {
                let Shown { object, old, because, .. } = shown;
                let because = because.as_ref().map_or_else(String::new, |because| format!("; {}", code(because)));
                let old = old.as_ref().map_or_else(String::new, |old| code(&old.to_string()));
                let _ = writeln!(text, " {}{because} | {old} | {} |", words.said(shown), code(&object.to_string()));
            }
            None => text.push_str(" no case of it alone | | |\n"),
        }
    }
}

fn classes(text: &mut String, evidence: Option<&RuleInRun>, words: Words) {
    text.push_str("\n### Boundary\n\n| class | | creates | updates |\n|---|---|--:|--:|\n");
    for class in evidence.iter().flat_map(|evidence| &evidence.rule.classes) {
        let should = words.should(class.breaks);
        let _ = writeln!(
            text,
            "| {} | {should} | {} | {} |",
            code(&class.class),
            grouped(class.create),
            grouped(class.update)
        );
    }
}

fn evidence(text: &mut String, known: &RuleInRun, words: Words) {
    let RuleInRun { rule, findings, .. } = known;
    let _ = writeln!(text, "\n### Evidence: {}\n", known.headline());
    for criterion in rule.criteria.iter().filter(|criterion| !criterion.met) {
        let _ = writeln!(text, "* {}: {}", code(&criterion.found), code(&criterion.remedy));
    }
    for (operation, of) in [("create", &rule.create), ("update", &rule.update)] {
        let _ = writeln!(text, "* {operation}: {}", words.counts(of));
    }
    if let Some(of) = &rule.production {
        let _ = writeln!(text, "* {}", in_production(of));
    }
    let never = rule.classes.iter().filter(|class| class.create + class.update == 0);
    let never: Vec<String> = never.map(|class| code(&class.class)).collect();
    if !never.is_empty() {
        let _ = writeln!(text, "* classes never shown: {}", never.join(", "));
    }
    for class in &rule.unreachable {
        let _ = writeln!(text, "* no object can show {}: {}", code(&class.name), code(&class.reason));
    }
    let controls = &rule.controls;
    let survivors: Vec<String> = controls.survivors.iter().map(|name| code(name)).collect();
    let survived = if survivors.is_empty() { String::new() } else { format!("; survived: {}", survivors.join(", ")) };
    let _ = writeln!(text, "* planted faults: {} of {} exposed{survived}", controls.exposed, controls.telling);
    if let Some(next) = &rule.next {
        let to = next.level.as_ref().map_or_else(|| "none".to_owned(), |level| code(level));
        let _ = writeln!(text, "* next level: {to}; {}", code(&next.because.join("; ")));
    }
    for finding in findings {
        let _ =
            writeln!(text, "\nFinding {}, {} ×: {}\n", finding.number, finding.count, code(&named(&finding.signature)));
        for said in finding.remarks() {
            let _ = writeln!(text, "{}\n", code(&said));
        }
        if let Some(exception) = &finding.exception {
            let _ = writeln!(text, "{}\n", code(&exception.said()));
        }
        let lines = finding.case.iter().flat_map(difference);
        let lines: String = lines.map(|line| format!("{} {}\n", line.reporter.sign(), line.text())).collect();
        text.push_str(&fenced("diff", &lines, LINES));
        if let Some(command) = &finding.reproduce {
            let _ = write!(text, "\n{}", fenced("sh", command, LINES));
        }
    }
}
