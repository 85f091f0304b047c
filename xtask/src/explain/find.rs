//! Which rule is meant.

use super::code_defaults::{CodeDefault, code_defaults};
use std::collections::BTreeSet;
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::pair::Pair;
use takeover_harness::rule::{Rule, RuleRef};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_harness::text::nearest;
use takeover_oracles::defaults;
use takeover_oracles::registry::Registry;
use takeover_reports::{Level, RuleReport, RunReport, SubjectReport, kind_of};

/// Most rules that are listed when several fit.
const LISTED: usize = 20;

/// A rule, and where it is judged.
pub struct Found {
    /// The first subject that has it.
    pub subject: Pair,
    /// The rule.
    pub rule: Rule,
    /// The other subjects that have it.
    pub also: Vec<PairId>,
    /// The default, if the rule stands for one that code alone sets.
    pub of_code: Option<CodeDefault>,
}

/// The one rule of the subjects that `kind` names, or of `chosen` or all, that every word of `asked` fits: words of the subject, the path,
/// or the tag as it is written. Where no rule of validation fits, a marker or law of defaulting is meant.
///
/// # Errors
/// When no rule fits, or more than one; the message lists them.
pub fn find(
    registry: &Registry,
    asked: &str,
    kind: Option<&str>,
    chosen: Option<Vec<SubjectId>>,
) -> anyhow::Result<Found> {
    let asked = asked.replace("+k8s:", "");
    let words: Vec<&str> = asked.split_whitespace().collect();
    let is_chosen = kind.is_none() && chosen.is_some();
    let ids: Vec<PairId> = match (kind, chosen) {
        (None, Some(chosen)) => chosen.into_iter().map(PairId::from).collect(),
        _ => pairs(registry, kind)?,
    };
    let mut searched = Searched::default();
    searched.add(registry, &words, ids)?;
    if searched.is_empty() && !is_chosen {
        searched.add(registry, &words, of_defaults(registry, kind))?;
    }
    let Searched { exact, loose, known, of_code } = searched;
    let fitting = if exact.is_empty() { loose } else { exact };
    if fitting.is_empty()
        && let Some(near) = meant(&asked, &known).filter(|near| *near != asked)
    {
        anyhow::bail!("no rule matches `{asked}`: did you mean `{near}`?");
    }
    anyhow::ensure!(
        !(fitting.is_empty() && is_chosen),
        "no rule of the kinds that `[subjects]` chooses matches `{asked}`: name another kind with --kind"
    );
    one(&asked, fitting.iter().map(|(_, rule)| format!("{} {}", rule.path, rule.chain)).collect())?;
    let mut fitting = fitting.into_iter();
    let Some((id, rule)) = fitting.next() else { anyhow::bail!("no rule matches `{asked}`") };
    let of_code = of_code.into_iter().find(|of| of.rule.id == rule.id && of.rule.reference() == rule.reference());
    Ok(Found { subject: registry.pair(&id)?, rule, also: fitting.map(|(id, _)| id).collect(), of_code })
}

/// What fits so far.
#[derive(Default)]
struct Searched {
    /// The rules that match every word in part.
    exact: Vec<(PairId, Rule)>,
    /// The rules whose text has every word.
    loose: Vec<(PairId, Rule)>,
    /// The paths and names of all rules.
    known: BTreeSet<String>,
    /// The defaults that code alone sets.
    of_code: Vec<CodeDefault>,
}

impl Searched {
    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.loose.is_empty()
    }

    /// Adds the rules of pairs.
    fn add(&mut self, registry: &Registry, words: &[&str], ids: Vec<PairId>) -> anyhow::Result<()> {
        for id in ids {
            let subject = registry.pair(&id)?;
            let by_code = code_defaults(&subject);
            let rules = || subject.rules.iter().chain(by_code.iter().map(|of| &of.rule));
            self.known.extend(rules().flat_map(|rule| [rule.path.clone(), format!("{} {}", rule.path, rule.chain)]));
            let of = |fits: &dyn Fn(&Rule) -> bool| -> Vec<(PairId, Rule)> {
                rules().filter(|rule| fits(rule)).map(|rule| (id.clone(), rule.clone())).collect()
            };
            self.exact.extend(of(&|rule| words.iter().all(|word| is(word, &id.subject, rule))));
            let text = |rule: &Rule| format!("{id} {} {}", rule.path, rule.label());
            self.loose.extend(of(&|rule| words.iter().all(|word| text(rule).contains(word))));
            self.of_code.extend(by_code);
        }
        Ok(())
    }
}

/// The pairs of the defaults of the user's own types, of all kinds or of those that `kind` names. Built-in kinds have too many: they are
/// named with `#defaults`.
fn of_defaults(registry: &Registry, kind: Option<&str>) -> Vec<PairId> {
    if registry.is_builtin() {
        return Vec::new();
    }
    let is_meant = |id: &SubjectId| kind.is_none_or(|kind| id.is_called(kind));
    let named = registry.defaulting().into_iter().filter(is_meant);
    named.filter_map(|id| PairId::named(id, defaults::NAME).ok()).collect()
}

/// The pairs that `kind` names, or all of a run over everything: with `#defaults` or `#apply` behind a kind, those of that name.
fn pairs(registry: &Registry, kind: Option<&str>) -> anyhow::Result<Vec<PairId>> {
    let Some(kind) = kind else { return Ok(registry.subjects().map(PairId::from).collect()) };
    let named = kind.split_once('#').and_then(|(kind, pair)| Some((kind, pair, registry.transformed(pair)?)));
    let Some((kind, pair, all)) = named else {
        return match registry.find(kind) {
            Ok(found) => Ok(found.into_iter().map(PairId::from).collect()),
            // A kind without a rule of validation may have defaults.
            Err(_) if !of_defaults(registry, Some(kind)).is_empty() => Ok(Vec::new()),
            Err(unknown) => Err(unknown.into()),
        };
    };
    let is_meant = |id: &SubjectId| id.is_called(kind);
    let found: Vec<SubjectId> = all.into_iter().filter(is_meant).collect();
    anyhow::ensure!(!found.is_empty(), "no built-in kind `{kind}` has the pair `#{pair}`");
    Ok(found.into_iter().map(|id| PairId::named(id, pair)).collect::<Result<_, _>>()?)
}

/// The rule or path that was probably meant, by all words or by the first.
fn meant<'k>(asked: &str, known: &'k BTreeSet<String>) -> Option<&'k str> {
    let first = asked.split_whitespace().next().unwrap_or_default();
    let known = || known.iter().map(String::as_str);
    nearest(asked, known()).or_else(|| nearest(first, known()))
}

/// A rule as a run judged it.
#[derive(Clone, Copy)]
pub struct Judged<'r> {
    /// The subject.
    pub subject: &'r SubjectReport,
    /// The rule.
    pub rule: &'r RuleReport,
}

impl<'r> Judged<'r> {
    /// The rule at this level of this subject, if the run judged it.
    pub fn of(report: &'r RunReport, subject: &str, rule: &RuleRef, level: Level) -> Option<Self> {
        all(report)
            .find(|of| of.subject.subject == subject && of.rule.rule == *rule && of.rule.lifecycle.level == level)
    }
}

/// The one rule of a run that fits, and where it is judged too.
pub struct Known<'r> {
    /// The rule at the first subject that has it.
    pub judged: Judged<'r>,
    /// The other subjects that have it.
    pub also: Vec<&'r str>,
}

impl Known<'_> {
    /// Name of the tag that checks: the innermost of the chain.
    pub fn tag(&self) -> &str {
        let chain = self.judged.rule.rule.chain.as_str();
        let (name, _) = chain.split_once(['=', '(', ' ']).unwrap_or((chain, ""));
        name
    }
}

fn all(report: &RunReport) -> impl Iterator<Item = Judged<'_>> {
    report.subjects.iter().flat_map(|subject| {
        let rules = subject.fields.iter().flat_map(|field| &field.rules);
        rules.map(move |rule| Judged { subject, rule })
    })
}

/// As [`find`], of the rules that a run judged.
///
/// # Errors
/// As [`find`].
pub fn find_in<'r>(report: &'r RunReport, asked: &str, kind: Option<&str>) -> anyhow::Result<Known<'r>> {
    let asked = asked.replace("+k8s:", "");
    let words: Vec<&str> = asked.split_whitespace().collect();
    let of_kind = |judged: &Judged<'_>| {
        let subject = judged.subject.subject.as_str();
        kind.is_none_or(|kind| subject == kind || kind_of(subject).eq_ignore_ascii_case(kind))
    };
    let fitting = |fits: &dyn Fn(&Judged<'r>, &str) -> bool| -> Vec<Judged<'r>> {
        all(report).filter(of_kind).filter(|judged| words.iter().all(|word| fits(judged, word))).collect()
    };
    let exact = fitting(&|judged, word| {
        let subject = judged.subject.subject.as_str();
        let RuleReport { rule: RuleRef { path, chain }, lifecycle, .. } = judged.rule;
        [path, lifecycle.level.name()].contains(&word)
            || is_chain(word, chain)
            || subject.split(' ').any(|part| part == word)
    });
    let loose = || {
        fitting(&|judged, word| {
            format!("{} {} {}", judged.subject.subject, judged.rule.rule.path, judged.rule.label()).contains(word)
        })
    };
    let fitting = if exact.is_empty() { loose() } else { exact };
    one(
        &asked,
        fitting.iter().map(|judged| format!("{} {}", judged.rule.rule.path, judged.rule.rule.chain)).collect(),
    )?;
    let mut fitting = fitting.into_iter();
    let Some(judged) = fitting.next() else { anyhow::bail!("no rule matches `{asked}`") };
    Ok(Known { judged, also: fitting.map(|judged| judged.subject.subject.as_str()).collect() })
}

/// Whether the rules that fit are one, by their names.
fn one(asked: &str, mut names: Vec<String>) -> anyhow::Result<()> {
    names.sort();
    names.dedup();
    anyhow::ensure!(
        !names.is_empty(),
        "no rule matches `{asked}`: name its path and tag, such as `spec.replicas minimum=0`"
    );
    if names.len() > 1 {
        let more = names.len().saturating_sub(LISTED);
        names.truncate(LISTED);
        let more = if more > 0 { format!("\n  … and {more} more") } else { String::new() };
        anyhow::bail!("`{asked}` matches several rules; add a word:\n  {}{more}", names.join("\n  "));
    }
    Ok(())
}

/// Whether a word is a chain, or the part of it that stands on the line of the tag: `listType=map` of `listType=map by name`.
fn is_chain(word: &str, chain: &str) -> bool {
    chain.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Whether a word is exactly a part of the name of a rule.
fn is(word: &str, id: &SubjectId, rule: &Rule) -> bool {
    word == rule.path
        || is_chain(word, &rule.chain)
        || word == rule.tag
        || word == id.kind
        || word == id.api_version
        || word == format!("{}/{}", id.kind, id.subresource)
        || rule.stability.is_some_and(|level| word == level.to_string())
}
