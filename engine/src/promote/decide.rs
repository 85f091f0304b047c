//! Which lines move, and why the others stay.

use super::lines::{At, Line, Use, levels};
use super::rewrite::rewrite;
use super::step::Step;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::readiness::Readiness;
use takeover_harness::rule::RuleRef;
use takeover_reports::{FindingReport, Level, RuleReport, RunReport, SubjectReport};

/// Findings that an exception excuses, by signature.
pub(super) type Excused<'r> = BTreeMap<&'r str, &'r FindingReport>;

/// What becomes of the lines.
#[derive(Default)]
pub struct Promotion<'r> {
    /// The text of every line that moves, after its `+`, as it will be.
    pub moved: BTreeMap<At, String>,
    /// Why every other line of the level stays.
    pub stay: BTreeMap<At, String>,
    /// Lines that could move, but no handwritten check could go for them.
    pub idle: BTreeSet<At>,
    /// The excused findings of the rules that each line makes; lines without any are left out.
    pub exceptions: BTreeMap<At, Excused<'r>>,
    /// Lines of the level in files of which the run judged nothing.
    pub unjudged: usize,
}

/// Rules of a report by subject, path and chain.
pub(super) struct Judged<'r>(BTreeMap<(&'r str, &'r str, &'r str), (&'r SubjectReport, &'r RuleReport)>);

impl<'r> Judged<'r> {
    /// The rules of a report.
    pub(super) fn of(report: &'r RunReport) -> Self {
        let mut judged = BTreeMap::new();
        for subject in &report.subjects {
            for field in &subject.fields {
                for rule in &field.rules {
                    let RuleRef { path, chain } = &rule.rule;
                    judged.insert((subject.subject.as_str(), path.as_str(), chain.as_str()), (subject, rule));
                }
            }
        }
        Self(judged)
    }

    /// What a run found out about a rule.
    pub(super) fn get(&self, subject: &str, path: &str, chain: &str) -> Option<&'r RuleReport> {
        self.0.get(&(subject, path, chain)).map(|(_, rule)| *rule)
    }

    /// The excused findings that are attributed to a rule.
    fn excused(&self, subject: &str, path: &str, chain: &str) -> Vec<&'r FindingReport> {
        let found = self.0.get(&(subject, path, chain));
        found
            .into_iter()
            .flat_map(move |(of, rule)| of.findings_of(rule))
            .filter(|finding| finding.is_excused())
            .collect()
    }

    /// The excused findings of every rule that a line makes.
    fn excused_of(&self, line: &Line) -> Excused<'r> {
        let uses = line.uses.iter().flat_map(|found| found.subjects.iter().map(move |subject| (subject, found)));
        let all = uses.flat_map(|(subject, found)| self.excused(&subject.to_string(), &found.path, &found.chain));
        all.map(|finding| (finding.signature.as_str(), finding)).collect()
    }
}

/// Decides about every line at the level at which the step starts.
///
/// A line moves if the run allows every rule that it makes to move, on every endpoint that shows the rule a value, and if all
/// lines that share a rule with it may move, too. To become stable, it must not rest on exceptions. No line moves above the one by which
/// its field is required, optional or forbidden, where that is not enforced yet. Lines that replace nothing only move with others, unless
/// `everything` is to move.
pub fn decide<'r>(lines: &BTreeMap<At, Line>, report: &'r RunReport, step: Step, everything: bool) -> Promotion<'r> {
    let judged = Judged::of(report);
    let levels = levels(lines);
    let mut promotion = Promotion::default();
    let mut groups: BTreeMap<&str, Vec<(&At, &Line)>> = BTreeMap::new();
    let candidates = || lines.iter().filter(|(_, line)| line.wrapper == step.wrapper());
    for (at, line) in candidates() {
        let mixed = line.companions.as_deref().is_some_and(|of| levels.get(of).is_some_and(|of| of.len() > 1));
        let decided = if mixed {
            Err("the lines that form one rule with it are at several levels".to_owned())
        } else {
            moved(line, &judged, step)
        };
        match decided {
            Ok(text) => drop(promotion.moved.insert(at.clone(), text)),
            Err(why) => drop(promotion.stay.insert(at.clone(), why)),
        }
        let excused = judged.excused_of(line);
        if !excused.is_empty() {
            promotion.exceptions.insert(at.clone(), excused);
        }
        if let Some(companions) = &line.companions {
            groups.entry(companions).or_default().push((at, line));
        }
    }
    let groups: Vec<Vec<(&At, &Line)>> = groups.into_values().collect();
    for group in &groups {
        together(group, step, &mut promotion);
    }
    below_their_guards(lines, step, &mut promotion);
    for group in &groups {
        together(group, step, &mut promotion);
    }
    if !everything {
        promotion.idle = idle(lines, &groups, &judged, &promotion);
        promotion.moved.retain(|at, _| !promotion.idle.contains(at));
    }
    let subjects: BTreeSet<&str> = report.subjects.iter().map(|subject| subject.subject.as_str()).collect();
    let is_judged = |line: &Line| {
        line.uses.iter().flat_map(|found| &found.subjects).any(|id| subjects.contains(id.to_string().as_str()))
    };
    let files: BTreeSet<&str> =
        lines.iter().filter(|(_, line)| is_judged(line)).map(|((file, _), _)| file.as_str()).collect();
    let all = promotion.stay.len();
    promotion.stay.retain(|(file, _), _| files.contains(file.as_str()));
    promotion.unjudged = all.saturating_sub(promotion.stay.len());
    promotion
}

/// Lets no line move to an enforced level where the one that guards its field stays at alpha: that one is asked first, so that its error,
/// which nobody gets, would hide an enforced one. A guard of which no rule comes moves with the others.
fn below_their_guards(lines: &BTreeMap<At, Line>, step: Step, promotion: &mut Promotion<'_>) {
    let alpha = Step::Beta { since: None }.wrapper();
    let guards = || lines.iter().filter(|(_, line)| line.guards && line.wrapper == alpha);
    let left = guards().filter(|(at, line)| !line.uses.is_empty() && !promotion.moved.contains_key(*at));
    let left: BTreeMap<&str, &Line> = left.map(|(_, line)| (line.place.as_str(), line)).collect();
    let stay = &mut promotion.stay;
    promotion.moved.retain(|at, _| {
        let Some(guard) = lines.get(at).and_then(|line| left.get(line.place.as_str())) else { return true };
        stay.insert(at.clone(), format!("`{}` of the same field stays at alpha and runs before it", guard.chain));
        false
    });
    let places: BTreeSet<&str> =
        promotion.moved.keys().filter_map(|at| lines.get(at)).map(|line| line.place.as_str()).collect();
    let along =
        guards().filter(|(_, line)| line.uses.is_empty() && !line.shared && places.contains(line.place.as_str()));
    for (at, line) in along.filter(|(_, line)| line.wrapper == step.wrapper()) {
        if let Ok(text) = rewrite(&line.text, step) {
            promotion.stay.remove(at);
            promotion.moved.insert(at.clone(), text);
        }
    }
}

/// The lines that replace nothing, and that no line needs which does: the others of its group, and those that its field is guarded by.
fn idle(
    lines: &BTreeMap<At, Line>,
    groups: &[Vec<(&At, &Line)>],
    judged: &Judged<'_>,
    promotion: &Promotion<'_>,
) -> BTreeSet<At> {
    let mut idle: BTreeSet<At> = promotion.moved.keys().cloned().collect();
    idle.retain(|at| lines.get(at).is_some_and(|line| replaces_nothing(line, judged)));
    for group in groups {
        if group.iter().any(|(at, _)| promotion.moved.contains_key(*at) && !idle.contains(*at)) {
            idle.retain(|at| !group.iter().any(|(of, _)| *of == at));
        }
    }
    let moves = |at: &At| promotion.moved.contains_key(at) && !idle.contains(at);
    let guarded: BTreeSet<&str> =
        lines.iter().filter(|(at, _)| moves(at)).map(|(_, line)| line.place.as_str()).collect();
    let needed = |at: &At| lines.get(at).is_some_and(|line| line.guards && guarded.contains(line.place.as_str()));
    let needed: BTreeSet<At> = idle.iter().filter(|at| needed(at)).cloned().collect();
    idle.difference(&needed).cloned().collect()
}

/// Whether no handwritten check could go for any rule that the line makes.
fn replaces_nothing(line: &Line, judged: &Judged<'_>) -> bool {
    let uses = line.uses.iter().flat_map(|found| found.subjects.iter().map(move |subject| (subject, found)));
    let mut rules = uses.filter_map(|(subject, found)| judged.get(&subject.to_string(), &found.path, &found.chain));
    rules.all(RuleReport::replaces_nothing)
}

/// All lines of a group move or none does. A line without rules of its own goes with the others.
fn together(group: &[(&At, &Line)], step: Step, promotion: &mut Promotion<'_>) {
    let with_rules = || group.iter().filter(|(_, line)| !line.uses.is_empty());
    let ready = with_rules().next().is_some() && with_rules().all(|(at, _)| promotion.moved.contains_key(*at));
    let mut texts = BTreeMap::new();
    let mut keeps = with_rules().find(|(at, _)| !promotion.moved.contains_key(*at)).map(|(at, _)| (*at).clone());
    if ready {
        for (at, line) in group {
            match rewrite(&line.text, step) {
                Ok(text) if !line.shared => drop(texts.insert((*at).clone(), text)),
                _ => keeps = Some((*at).clone()),
            }
        }
    }
    if texts.len() == group.len() {
        promotion.stay.retain(|at, _| !texts.contains_key(at));
        let of = texts.keys().filter_map(|at| promotion.exceptions.get(at)).flatten();
        let excused: Excused<'_> = of.map(|(signature, of)| (*signature, *of)).collect();
        if !excused.is_empty() {
            promotion.exceptions.extend(texts.keys().map(|at| (at.clone(), excused.clone())));
        }
        promotion.moved.extend(texts);
        return;
    }
    for (at, line) in group {
        let was_moved = promotion.moved.remove(*at).is_some();
        if let Some((file, number)) =
            keeps.as_ref().filter(|keeps| was_moved || (line.uses.is_empty() && *keeps != *at))
        {
            promotion.stay.insert((*at).clone(), format!("it forms one rule with {file}:{number}, which stays"));
        }
    }
}

/// The line as it will be, or why it stays.
fn moved(line: &Line, judged: &Judged<'_>, step: Step) -> Result<String, String> {
    if line.shared {
        return Err("other tags are on the same line of the file".to_owned());
    }
    if line.uses.is_empty() {
        return Err("the run judged no rule of this line; if the line changed after the run, soak again".to_owned());
    }
    let mut shown = false;
    // The endpoints of a kind often say the same.
    let mut reasons = BTreeSet::new();
    for found in &line.uses {
        match may_move(found, judged, step) {
            Ok(of) => shown |= of,
            Err(why) => drop(reasons.insert(why)),
        }
    }
    if !reasons.is_empty() {
        return Err(reasons.into_iter().collect::<Vec<_>>().join("; "));
    }
    if !shown {
        return Err("no endpoint that was judged shows it a value".to_owned());
    }
    rewrite(&line.text, step)
}

/// Returns whether an endpoint showed the rule values, or what keeps the rule from moving.
fn may_move(found: &Use, judged: &Judged<'_>, step: Step) -> Result<bool, String> {
    let Use { kind, subjects, path, chain, least_settled } = found;
    if subjects.is_empty() {
        return Err(format!("`{kind}` uses it, and no handwritten validation of that is known"));
    }
    if let Some((tag, settled)) = least_settled.as_ref().filter(|(_, settled)| *settled < step.settled()) {
        return Err(format!("`{tag}` is itself {settled}, and {} needs {}", step.to().name(), step.settled()));
    }
    let mut shown = false;
    for subject in subjects {
        let subject = subject.to_string();
        let Some(rule) = judged.get(&subject, path, chain) else {
            return Err(format!("the run did not judge it for `{subject}`"));
        };
        if rule.lifecycle.level != step.from() {
            let judged_at = rule.lifecycle.level.name();
            return Err(format!(
                "the run judged it at {judged_at} for `{subject}`: soak again, with the types as they are now"
            ));
        }
        let allowed = rule.next.as_ref().is_some_and(|next| next.allowed);
        let rests = step.to() == Level::Stable && !judged.excused(&subject, path, chain).is_empty();
        match &rule.verdict {
            // At stable, nothing is compared any more: no exception could end.
            Readiness::Ready(_) | Readiness::OutOfReach(_) if rests => {
                return Err(format!("rests on exceptions for `{subject}`"));
            }
            Readiness::Ready(_) if allowed => shown = true,
            Readiness::OutOfReach(_) => {}
            verdict => {
                let because = rule.next.as_ref().map(|next| next.because.as_slice()).unwrap_or_default();
                let because = verdict.reasons().first().or(because.first()).map_or("", String::as_str);
                return Err(format!("{verdict} for `{subject}`: {because}"));
            }
        }
    }
    Ok(shown)
}
