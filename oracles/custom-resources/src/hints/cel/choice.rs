//! Which values of a rule are worth a sample: ordinary ones, and those that reveal a mistake in it.

use super::samples::{Kept, OfRule};
use super::values::Made;
use crate::rules::NodeLanguage;
use crate::structural::{CelRule, Structural};
use takeover_cel::mistakes::mistakes;

/// Samples of each side of a rule that are kept whatever they reveal.
const MOST_ORDINARY: usize = 4;
/// How many samples a rule is filled up to: where mistakes were tried on them, which may keep more, and where none were.
const FEWEST: usize = 12;
const MOST: usize = 24;
/// Most samples of a rule that reveal mistakes.
const MOST_REVEALING: usize = 48;
/// Most mistakes in a rule that samples should reveal.
const MOST_MISTAKES: usize = 64;
/// Most rules of one node whose samples are tried with each other.
const MOST_TOGETHER: usize = 64;
/// Rules of one kind for which values are looked for that reveal mistakes, and rules for which more values are made for that.
const MOST_CHOSEN: usize = 600;
const MOST_SOUGHT: usize = 200;

/// How many rules of a kind may still be looked at closely.
pub(in super::super) struct Patience {
    chosen: usize,
    sought: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self { chosen: MOST_CHOSEN, sought: MOST_SOUGHT }
    }
}

/// Takes one, if there is one left.
fn take(left: &mut usize) -> bool {
    let some = *left > 0;
    *left = left.saturating_sub(1);
    some
}

/// Keeps for each rule of a node its first samples, and those that reveal a mistake in the rule that no other sample reveals. Samples that
/// break another rule of the node come last: its error, in the same place, hides the error of the rule itself.
pub(in super::super) fn choose(
    language: &NodeLanguage,
    node: &Structural,
    rules: &mut [OfRule],
    patience: &mut Patience,
) {
    for (own, rule) in node.rules.iter().enumerate() {
        let Some(of) = rules.get_mut(own).filter(|of| !of.update_only) else { continue };
        let classes = std::mem::take(&mut of.classes);
        let search = of.search.take();
        let kept = |at: usize| rules.get(at).and_then(|rule| rule.kept.as_ref());
        let breaks_another = |made: &Made| {
            let full = made.full.as_ref();
            full.is_some_and(|value| {
                (0..rules.len().min(MOST_TOGETHER))
                    .any(|at| at != own && kept(at).is_some_and(|kept| !kept.holds(value)))
            })
        };
        let looks = own < MOST_TOGETHER && classes.len() > FEWEST && take(&mut patience.chosen);
        let (alone, beside): (Vec<_>, Vec<_>) = classes.into_iter().partition(|(_, made)| !breaks_another(made));
        let mut counts = [0; 2];
        let (mut chosen, alone): (Vec<_>, Vec<_>) = alone.into_iter().partition(|(breaks, _)| {
            let [holding, breaking] = &mut counts;
            let count = if *breaks { breaking } else { holding };
            *count += 1;
            *count <= MOST_ORDINARY
        });
        if let Some(kept) = kept(own).filter(|_| looks) {
            let mut left = Mistakes::of(language, rule, kept.optional);
            chosen.iter().for_each(|class| left.show(class));
            chosen.extend(alone.iter().filter(|class| left.reveals(class)).cloned());
            let search = search.filter(|_| !left.is_empty() && take(&mut patience.sought));
            let mut more = search.map(|search| search.more(node, kept)).unwrap_or_default();
            more.retain(|class| left.would_reveal(class));
            let (more_alone, more_beside): (Vec<_>, Vec<_>) =
                more.into_iter().partition(|(_, made)| !breaks_another(made));
            for class in more_alone.iter().chain(&beside).chain(&more_beside) {
                if left.reveals(class) {
                    chosen.push(class.clone());
                }
            }
        }
        chosen.truncate(MOST_REVEALING);
        let most = if looks { FEWEST } else { MOST };
        for class in alone.into_iter().chain(beside) {
            if chosen.len() >= most {
                break;
            }
            if !chosen.contains(&class) {
                chosen.push(class);
            }
        }
        if let Some(of) = rules.get_mut(own) {
            of.classes = chosen;
        }
    }
}

/// Small mistakes in a rule that no value has revealed.
struct Mistakes {
    left: Vec<Kept>,
}

impl Mistakes {
    fn of(language: &NodeLanguage, rule: &CelRule, optional: bool) -> Self {
        let mistaken = mistakes(&rule.rule).into_iter().take(MOST_MISTAKES).filter_map(|(_, text)| {
            let stated = CelRule { rule: text, message_expression: None, ..rule.clone() };
            Some(Kept { program: language.compile(&stated).ok()?, optional, values: Vec::new() })
        });
        Self { left: mistaken.collect() }
    }

    fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether a value reveals one.
    fn would_reveal(&self, (breaks, made): &(bool, Made)) -> bool {
        made.full.as_ref().is_some_and(|value| self.left.iter().any(|mistaken| mistaken.holds(value) == *breaks))
    }

    /// Takes out those that a value reveals.
    fn show(&mut self, (breaks, made): &(bool, Made)) {
        if let Some(value) = &made.full {
            self.left.retain(|mistaken| mistaken.holds(value) != *breaks);
        }
    }

    /// Takes out those that a value reveals, and says whether there were any.
    fn reveals(&mut self, class: &(bool, Made)) -> bool {
        let before = self.left.len();
        self.show(class);
        self.left.len() < before
    }
}
