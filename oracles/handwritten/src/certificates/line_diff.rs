//! Unified diffs with the hunks of Python's difflib, in its Go form: which of several equal lines correspond is part of the answer.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// From so many lines on, lines that occur often are no place to begin a match.
const MANY: usize = 200;

/// A stretch of both texts: the same lines, or lines that take the place of others.
#[derive(Clone, Debug)]
struct Stretch {
    same: bool,
    old: Range<usize>,
    new: Range<usize>,
}

/// Lines that both texts have, from `old` and `new` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    old: usize,
    new: usize,
    len: usize,
}

/// The unified diff of two texts, given as their lines; empty when they are the same.
pub(super) fn unified(old: &[String], new: &[String]) -> String {
    let mut out = String::new();
    for hunk in hunks(stretches(old, new)) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let range = |start: usize, end: usize| match end - start {
            1 => (start + 1).to_string(),
            0 => format!("{start},0"),
            len => format!("{},{len}", start + 1),
        };
        let (before, after) = (range(first.old.start, last.old.end), range(first.new.start, last.new.end));
        let _ = writeln!(out, "@@ -{before} +{after} @@");
        for Stretch { same, old: from, new: to } in hunk {
            let mut print = |sign: char, lines: Option<&[String]>| {
                for line in lines.unwrap_or_default() {
                    let _ = writeln!(out, "{sign}{line}");
                }
            };
            if same {
                print(' ', old.get(from));
            } else {
                print('-', old.get(from));
                print('+', new.get(to));
            }
        }
    }
    out
}

/// Changes with the lines around them. Two changes share a hunk unless more than twice the context lies between them.
fn hunks(mut stretches: Vec<Stretch>) -> Vec<Vec<Stretch>> {
    if let Some(first) = stretches.first_mut().filter(|first| first.same) {
        *first = ending(first);
    }
    if let Some(last) = stretches.last_mut().filter(|last| last.same) {
        *last = beginning(last);
    }
    let mut hunks = Vec::new();
    let mut hunk = Vec::new();
    for stretch in stretches {
        if stretch.same && stretch.old.len() > 2 * CONTEXT {
            hunk.push(beginning(&stretch));
            hunks.push(std::mem::take(&mut hunk));
            hunk.push(ending(&stretch));
        } else {
            hunk.push(stretch);
        }
    }
    hunks.push(hunk);
    hunks.retain(|hunk| hunk.iter().any(|stretch| !stretch.same));
    hunks
}

fn beginning(of: &Stretch) -> Stretch {
    let (old, new) = (of.old.start, of.new.start);
    Stretch { same: true, old: old..of.old.end.min(old + CONTEXT), new: new..of.new.end.min(new + CONTEXT) }
}

fn ending(of: &Stretch) -> Stretch {
    let start = |range: &Range<usize>| range.start.max(range.end.saturating_sub(CONTEXT));
    Stretch { same: true, old: start(&of.old)..of.old.end, new: start(&of.new)..of.new.end }
}

fn stretches(old: &[String], new: &[String]) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    let (mut i, mut j) = (0, 0);
    let end = Match { old: old.len(), new: new.len(), len: 0 };
    for Match { old, new, len } in matches(old, new).into_iter().chain([end]) {
        if i < old || j < new {
            out.push(Stretch { same: false, old: i..old, new: j..new });
        }
        (i, j) = (old + len, new + len);
        match out.last_mut() {
            Some(last) if len > 0 && last.same => (last.old.end, last.new.end) = (i, j),
            _ if len > 0 => out.push(Stretch { same: true, old: old..i, new: new..j }),
            _ => {}
        }
    }
    out
}

/// What both texts have: the longest common stretch, then the longest before it and behind it, and so on.
fn matches(old: &[String], new: &[String]) -> Vec<Match> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in new.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    if new.len() >= MANY {
        places.retain(|_, places| places.len() <= new.len() / 100 + 1);
    }
    let mut found = Vec::new();
    let mut open = vec![(0..old.len(), 0..new.len())];
    while let Some((from, to)) = open.pop() {
        let longest = longest((old, new), (&from, &to), &places);
        if longest.len == 0 {
            continue;
        }
        found.push(longest);
        let (before, after) = (
            (from.start..longest.old, to.start..longest.new),
            (longest.old + longest.len..from.end, longest.new + longest.len..to.end),
        );
        open.extend([before, after].into_iter().filter(|(from, to)| !from.is_empty() && !to.is_empty()));
    }
    found.sort_unstable();
    found
}

/// The longest stretch that begins at a place of `places`, the first of several, and grown by the equal lines around it.
fn longest(
    (old, new): (&[String], &[String]),
    (from, to): (&Range<usize>, &Range<usize>),
    places: &HashMap<&str, Vec<usize>>,
) -> Match {
    let mut best = Match { old: from.start, new: to.start, len: 0 };
    // How long the stretch is that ends at the line before and at this place.
    let mut before: HashMap<usize, usize> = HashMap::new();
    for (i, line) in old.iter().enumerate().take(from.end).skip(from.start) {
        let mut here = HashMap::new();
        for &j in places.get(line.as_str()).into_iter().flatten().filter(|j| to.contains(j)) {
            let len = j.checked_sub(1).and_then(|j| before.get(&j)).copied().unwrap_or_default() + 1;
            here.insert(j, len);
            if len > best.len {
                best = Match { old: i + 1 - len, new: j + 1 - len, len };
            }
        }
        before = here;
    }
    let same = |i: usize, j: usize| old.get(i) == new.get(j);
    while best.old > from.start && best.new > to.start && same(best.old - 1, best.new - 1) {
        best = Match { old: best.old - 1, new: best.new - 1, len: best.len + 1 };
    }
    while best.old + best.len < from.end
        && best.new + best.len < to.end
        && same(best.old + best.len, best.new + best.len)
    {
        best.len += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::unified;

    fn of(old: &[&str], new: &[&str]) -> String {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        unified(&lines(old), &lines(new))
    }

    #[test]
    fn hunks_are_those_of_difflib() {
        assert_eq!(of(&["a", "b"], &["a", "b"]), "");
        assert_eq!(of(&["a"], &["b"]), "@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(of(&["a", "b", "c"], &["b", "c", "d"]), "@@ -1,3 +1,3 @@\n-a\n b\n c\n+d\n");
        assert_eq!(of(&[], &["x"]), "@@ -0,0 +1 @@\n+x\n");
        // The first of the equal lines is the one that stays.
        assert_eq!(of(&["x", "y"], &["x", "x", "y"]), "@@ -1,2 +1,3 @@\n+x\n x\n y\n");
        let apart = of(&["a", "1", "2", "3", "4", "5", "6", "7", "b"], &["A", "1", "2", "3", "4", "5", "6", "7", "B"]);
        assert_eq!(apart, "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
    }

    #[test]
    fn lines_that_occur_often_begin_no_match_in_long_texts() {
        let text = |status: &'static str, count: usize| -> Vec<&'static str> {
            std::iter::repeat_n([status, "reason", "time"], count).flatten().collect()
        };
        let long = of(&text("True", 70), &text("true", 70));
        assert!(long.starts_with("@@ -1,210 +1,210 @@\n-True\n-reason\n-time\n-True\n"), "{long}");
        let short = of(&text("True", 2), &text("true", 2));
        assert_eq!(short, "@@ -1,6 +1,6 @@\n-True\n+true\n reason\n time\n-True\n+true\n reason\n time\n");
    }
}
