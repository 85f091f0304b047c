//! Which rule is meant.

use takeover_harness::rule::Rule;
use takeover_harness::subject::{Subject, SubjectId};
use takeover_oracles::registry::Registry;

/// Most rules that are listed when several fit.
const LISTED: usize = 20;

/// A rule, and where it is judged.
pub struct Found {
    /// The first subject that has it.
    pub subject: Subject,
    /// The rule.
    pub rule: Rule,
    /// The other subjects that have it.
    pub also: Vec<SubjectId>,
}

/// The one rule of the subjects that `kind` names, or of all, that every word of `asked` fits: words of the subject, the path, or the
/// tag as it is written.
///
/// # Errors
/// When no rule fits, or more than one; the message lists them.
pub fn find(asked: &str, kind: Option<&str>) -> anyhow::Result<Found> {
    let asked = asked.replace("+k8s:", "");
    let words: Vec<&str> = asked.split_whitespace().collect();
    let registry = Registry::of_builtin()?;
    let ids: Vec<SubjectId> = match kind {
        Some(kind) => Registry::find(kind)?,
        None => Registry::subjects().collect(),
    };
    let (mut exact, mut loose) = (Vec::new(), Vec::new());
    for id in ids {
        let subject = registry.subject(&id)?;
        let of = |fits: &dyn Fn(&Rule) -> bool| -> Vec<Rule> {
            subject.rules.iter().filter(|rule| fits(rule)).cloned().collect()
        };
        exact.extend(
            of(&|rule| words.iter().all(|word| is(word, &id, rule))).into_iter().map(|rule| (id.clone(), rule)),
        );
        let text = |rule: &Rule| format!("{id} {} {}", rule.path, rule.label());
        let contains = of(&|rule| words.iter().all(|word| text(rule).contains(word)));
        loose.extend(contains.into_iter().map(|rule| (id.clone(), rule)));
    }
    let fitting = if exact.is_empty() { loose } else { exact };
    let mut names: Vec<String> = fitting.iter().map(|(_, rule)| format!("{} {}", rule.path, rule.chain)).collect();
    names.sort();
    names.dedup();
    anyhow::ensure!(!names.is_empty(), "no rule fits `{asked}`: name its path and tag, as `spec.replicas minimum=0`");
    if names.len() > 1 {
        let more = names.len().saturating_sub(LISTED);
        names.truncate(LISTED);
        let more = if more > 0 { format!("\n  … and {more} more") } else { String::new() };
        anyhow::bail!("`{asked}` fits several rules, add a word:\n  {}{more}", names.join("\n  "));
    }
    let mut fitting = fitting.into_iter();
    let Some((id, rule)) = fitting.next() else { anyhow::bail!("no rule fits `{asked}`") };
    Ok(Found { subject: registry.subject(&id)?, rule, also: fitting.map(|(id, _)| id).collect() })
}

/// Whether a word is exactly a part of the name of a rule.
fn is(word: &str, id: &SubjectId, rule: &Rule) -> bool {
    word == rule.path
        || word == rule.chain
        || word == rule.tag
        || word == id.kind
        || word == id.api_version
        || word == format!("{}/{}", id.kind, id.subresource)
        || rule.stability.is_some_and(|level| word == level.to_string())
}
