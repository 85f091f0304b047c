//! What came of a gate, for people.

use super::advice::advice;
use super::holding::Holding;
use std::fmt::Write as _;
use std::path::Path;

/// Most things of a reason that are listed; the JSON form has all of them.
const MOST: usize = 20;

/// The text.
pub fn table(holding: &Holding, run: &Path) -> String {
    let mut out = String::new();
    for (reason, failures) in holding.by_reason() {
        let _ = writeln!(out, "{reason}: {}", failures.len());
        for failure in failures.iter().take(MOST) {
            let _ = writeln!(out, "  {}\n    {}", failure.what, failure.message.replace('\n', "\n    "));
            if let Some(file) = &failure.file {
                let line = failure.line.map_or_else(String::new, |line| format!(":{line}"));
                let _ = writeln!(out, "    at {file}{line}");
            }
            if let Some(command) = &failure.reproduce {
                let _ = writeln!(out, "    again: {command}");
            }
        }
        if failures.len() > MOST {
            let _ = writeln!(out, "  … and {} more; --format json has all", failures.len() - MOST);
        }
        let _ = writeln!(out, "  next: {}\n", advice(reason, run));
    }
    for moved in holding.moved.iter().take(MOST) {
        let _ = writeln!(out, "note: {moved}");
    }
    if holding.moved.len() > MOST {
        let _ = writeln!(out, "note: … and {} more", holding.moved.len() - MOST);
    }
    if !holding.moved.is_empty() {
        let program = crate::output::program();
        let run = run.display();
        let _ = writeln!(
            out,
            "note: these are no worse than the baseline; to commit to them: {program} gate --run {run} --update-baseline"
        );
    }
    if holding.unjudged_exceptions > 0 {
        let _ =
            writeln!(out, "note: {} exceptions are about subjects that were not judged", holding.unjudged_exceptions);
    }
    let rules: Vec<String> = holding.rules.iter().map(|(rank, number)| format!("{number} {rank}")).collect();
    let _ = writeln!(
        out,
        "{} subjects, {} cases compared; rules: {}; {} findings excused; run folder {}",
        holding.subjects,
        holding.compared,
        if rules.is_empty() { "none".to_owned() } else { rules.join(", ") },
        holding.excused,
        run.display()
    );
    let exit = holding.exit_code;
    let _ =
        if holding.passed { writeln!(out, "gate: passed") } else { writeln!(out, "gate: failed, exit code {exit}") };
    out
}
