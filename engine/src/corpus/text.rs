//! What the commands found, for people.

use super::import::{Imported, Redacted};
use super::min::Minimised;
use super::stats::Stats;
use super::verify::Verified;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use tabled::builder::Builder;
use tabled::settings::Style;

fn counted(counts: &BTreeMap<String, u64>) -> String {
    let list: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    list.join(", ")
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
        writeln!(f, "{} cases: {} in the corpus, {} left out", self.cases, self.written, self.cases - self.written)?;
        if !self.left_out.is_empty() {
            writeln!(f, "left out: {}", counted(&self.left_out))?;
        }
        no_cases(f, &self.unreadable, &self.skipped)?;
        if !self.verdicts.is_empty() {
            writeln!(f, "judged: {}", counted(&self.verdicts))?;
        }
        match &self.redaction {
            Some(redacted) => write!(f, "{redacted}"),
            None => writeln!(f, "not redacted: the corpus holds whatever its objects hold"),
        }
    }
}

impl Display for Redacted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "redacted: {} texts by place, {} that repeated one of them elsewhere",
            self.replaced, self.repeated
        )?;
        writeln!(
            f,
            "searched for {} originals, also encoded: {} left where they could be replaced",
            self.searched, self.surviving
        )?;
        if self.known_words + self.short > 0 {
            writeln!(
                f,
                "not searched for elsewhere: {} originals that are words of Kubernetes itself, {} shorter than six bytes",
                self.known_words, self.short
            )?;
        }
        for (reason, count) in &self.kept {
            writeln!(f, "kept on purpose: {count} {reason}")?;
        }
        if self.by_chance > 0 {
            writeln!(f, "{} replacements are another's original by chance", self.by_chance)?;
        }
        if self.judged_otherwise == 0 {
            return writeln!(f, "every case in the corpus is judged as it was before");
        }
        writeln!(f, "{} cases would be judged otherwise, and are left out:", self.judged_otherwise)?;
        self.first.iter().try_for_each(|case| writeln!(f, "  {case}"))
    }
}

impl Display for Minimised {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} cases show all {} things that they all show", self.kept, self.cases, self.shown)?;
        if self.not_judged > 0 {
            writeln!(f, "{} cases are of kinds that nothing here judges", self.not_judged)?;
        }
        no_cases(f, &self.unreadable, &self.skipped)
    }
}

impl Display for Verified {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.broken.iter().try_for_each(|broken| writeln!(f, "broken: {broken}"))?;
        no_cases(f, &self.unreadable, &self.skipped)?;
        if self.raw > 0 {
            writeln!(f, "not redacted: {} of the corpora", self.raw)?;
        }
        writeln!(
            f,
            "{} cases: {} judged as recorded, {} otherwise, {} without recorded verdict",
            self.cases, self.as_recorded, self.otherwise, self.not_recorded
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
            kinds.push_record([kind.kind.clone(), kind.create.to_string(), kind.update.to_string(), judged.to_owned()]);
        }
        writeln!(f, "{}", kinds.build().with(Style::sharp()))?;
        let mut subjects = Builder::default();
        subjects.push_record(["subject", "cases", "rules reached", "on both sides", "faults exposed", "signatures"]);
        for subject in self.subjects.iter().filter(|subject| !subject.outcomes.is_empty()) {
            subjects.push_record([
                subject.subject.clone(),
                subject.outcomes.values().sum::<u64>().to_string(),
                format!("{} of {}", subject.reached, subject.rules),
                subject.both_sides.to_string(),
                format!("{} of {}", subject.exposed, subject.faults),
                subject.signatures.len().to_string(),
            ]);
        }
        writeln!(f, "{}", subjects.build().with(Style::sharp()))?;
        no_cases(f, &self.unreadable, &self.skipped)?;
        writeln!(f, "{} cases", self.cases)
    }
}
