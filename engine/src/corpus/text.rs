//! What the commands found, for people.

use super::import::{Imported, Redacted};
use super::min::Minimised;
use super::stats::Stats;
use super::verify::Verified;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use tabled::builder::Builder;
use tabled::settings::Style;
use takeover_harness::text::{grouped, plural};

fn counted(counts: &BTreeMap<String, u64>) -> String {
    let list: Vec<String> = counts.iter().map(|(what, count)| format!("{} {what}", grouped(*count))).collect();
    list.join(", ")
}

/// `3 of 1,200`.
fn of(part: usize, whole: usize) -> String {
    format!("{} of {}", grouped(part as u64), grouped(whole as u64))
}

fn no_cases(f: &mut Formatter<'_>, unreadable: &BTreeMap<String, u64>, skipped: &BTreeMap<String, u64>) -> fmt::Result {
    for (what, counts) in [("could not be read", unreadable), ("requests without a case", skipped)] {
        if !counts.is_empty() {
            writeln!(f, "{what}: {}", counted(counts))?;
        }
    }
    Ok(())
}

impl Display for Imported {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} in the corpus, {} left out",
            plural(self.cases, "case"),
            grouped(self.written),
            grouped(self.cases - self.written)
        )?;
        if !self.left_out.is_empty() {
            writeln!(f, "left out: {}", counted(&self.left_out))?;
        }
        no_cases(f, &self.unreadable, &self.skipped)?;
        if !self.verdicts.is_empty() {
            writeln!(f, "judged: {}", counted(&self.verdicts))?;
        }
        match &self.redaction {
            Some(redacted) => write!(f, "{redacted}"),
            None => writeln!(f, "not redacted: the corpus contains everything that its objects contain"),
        }
    }
}

impl Display for Redacted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "redacted: {} texts by position, {} that repeat one of them elsewhere",
            grouped(self.replaced),
            grouped(self.repeated)
        )?;
        writeln!(
            f,
            "searched for {} originals, also encoded: {} left where they could be replaced",
            grouped(self.searched as u64),
            grouped(self.surviving)
        )?;
        if self.known_words + self.short > 0 {
            writeln!(
                f,
                "not searched for elsewhere: {} originals that are words of Kubernetes itself, {} shorter than six bytes",
                grouped(self.known_words as u64),
                grouped(self.short as u64)
            )?;
        }
        for (reason, count) in &self.kept {
            writeln!(f, "kept on purpose: {} {reason}", grouped(*count))?;
        }
        if self.by_chance > 0 {
            writeln!(f, "{} replacements happen to equal another original", grouped(self.by_chance))?;
        }
        if self.judged_otherwise == 0 {
            return writeln!(f, "every case in the corpus is judged as it was before");
        }
        writeln!(f, "left out because their verdict would change: {}", plural(self.judged_otherwise, "case"))?;
        self.first.iter().try_for_each(|case| writeln!(f, "  {case}"))
    }
}

impl Display for Minimised {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} of {} show all {} things that they all show",
            grouped(self.kept),
            plural(self.cases, "case"),
            grouped(self.shown as u64)
        )?;
        if self.not_judged > 0 {
            writeln!(f, "of kinds that nothing can judge: {}", plural(self.not_judged, "case"))?;
        }
        no_cases(f, &self.unreadable, &self.skipped)
    }
}

impl Display for Verified {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.broken.iter().try_for_each(|broken| writeln!(f, "broken: {broken}"))?;
        no_cases(f, &self.unreadable, &self.skipped)?;
        if self.raw > 0 {
            writeln!(f, "corpora that are not redacted: {}", grouped(self.raw))?;
        }
        writeln!(
            f,
            "{}: {} judged as recorded, {} differently, {} without a recorded verdict",
            plural(self.cases, "case"),
            grouped(self.as_recorded),
            grouped(self.otherwise),
            grouped(self.not_recorded)
        )?;
        self.first.iter().try_for_each(|case| writeln!(f, "  {case}"))
    }
}

impl Display for Stats {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut kinds = Builder::default();
        kinds.push_record(["kind", "create", "update", "judged"]);
        for kind in &self.kinds {
            let judged = if kind.judged { "yes" } else { "no" };
            kinds.push_record([kind.kind.clone(), grouped(kind.create), grouped(kind.update), judged.to_owned()]);
        }
        writeln!(f, "{}", kinds.build().with(Style::sharp()))?;
        let mut subjects = Builder::default();
        subjects.push_record(["subject", "cases", "rules reached", "on both sides", "faults exposed", "signatures"]);
        for subject in self.subjects.iter().filter(|subject| !subject.outcomes.is_empty()) {
            subjects.push_record([
                subject.subject.clone(),
                grouped(subject.outcomes.values().sum::<u64>()),
                of(subject.reached, subject.rules),
                grouped(subject.both_sides as u64),
                of(subject.exposed, subject.faults),
                grouped(subject.signatures.len() as u64),
            ]);
        }
        writeln!(f, "{}", subjects.build().with(Style::sharp()))?;
        no_cases(f, &self.unreadable, &self.skipped)?;
        writeln!(f, "{}", plural(self.cases, "case"))
    }
}
