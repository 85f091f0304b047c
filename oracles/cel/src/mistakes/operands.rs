//! The parts of an expression that `&&`, `||`, `!` and `?:` join.

use super::tokens::{Sort, Token, depths, tokens};
use std::ops::Range;

/// Signs that join a truth from values that are none.
const COMPARING: [&str; 7] = ["==", "!=", "<", "<=", ">", ">=", "in"];
/// Parts inside of parts.
const DEPTH: usize = 60;

/// Where the parts of an expression stand, in bytes, that logic joins and that are not made by logic themselves. For an expression that
/// parses.
#[must_use]
pub fn operands(text: &str) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let depths = depths(&tokens);
    let mut found = Vec::new();
    split(&tokens, &depths, 0, &mut found);
    found
}

fn split(tokens: &[Token<'_>], depths: &[usize], level: usize, found: &mut Vec<Range<usize>>) {
    let (Some(first), Some(last), Some(depth)) = (tokens.first(), tokens.last(), depths.iter().min()) else { return };
    let whole = first.at.start..last.at.end;
    if level > DEPTH {
        return found.push(whole);
    }
    let at_top = |at: usize| depths.get(at) == Some(depth);
    let is = |at: usize, sign: &str| at_top(at) && tokens.get(at).is_some_and(|token| token.text == sign);
    let find =
        |signs: &[&str]| (0..tokens.len()).filter(|at| signs.iter().any(|sign| is(*at, sign))).collect::<Vec<_>>();
    let mut parts = |ends: &[usize]| {
        let mut start = 0;
        for end in ends.iter().copied().chain([tokens.len()]) {
            if let (Some(tokens), Some(depths)) = (tokens.get(start..end), depths.get(start..end)) {
                split(tokens, depths, level + 1, found);
            }
            start = end + 1;
        }
    };
    for signs in [&["?", ":"][..], &["||"], &["&&"]] {
        let ends = find(signs);
        if !ends.is_empty() {
            return parts(&ends);
        }
    }
    let compares = !find(&COMPARING).is_empty();
    let inner = |from: usize, to: usize| Some((tokens.get(from..to)?, depths.get(from..to)?));
    let next = match (first.text, last.text) {
        ("!", _) if !compares => inner(1, tokens.len()),
        // Brackets around all of it: everything else is deeper.
        ("(", ")") if (1..tokens.len() - 1).all(|at| !at_top(at)) => inner(1, tokens.len() - 1),
        _ => None,
    };
    match next.filter(|(tokens, _)| !tokens.is_empty()) {
        Some((tokens, depths)) => split(tokens, depths, level + 1, found),
        None => found.push(whole),
    }
}

/// Whether a part of an expression reads the old value.
#[must_use]
pub fn reads_old(text: &str) -> bool {
    tokens(text).iter().any(|token| token.sort == Sort::Name && token.text == "oldSelf")
}

#[cfg(test)]
mod tests {
    use super::operands;

    #[test]
    fn logic_is_taken_apart() {
        for (text, parts) in [
            ("self.a", &["self.a"][..]),
            ("!has(self.a) || self.b.c('||') && (self.d == 1)", &["has(self.a)", "self.b.c('||')", "self.d == 1"]),
            ("a ? (b && !c) : d == e", &["a", "b", "c", "d == e"]),
            ("!(a || b)", &["a", "b"]),
            ("(a || b) == (c)", &["(a || b) == (c)"]),
            ("self.all(x, x && y)", &["self.all(x, x && y)"]),
            ("(a) && (b)", &["a", "b"]),
            ("!a == b", &["!a == b"]),
            ("a ? b ? c : d : e", &["a", "b", "c", "d", "e"]),
        ] {
            let found: Vec<&str> = operands(text).into_iter().map(|at| &text[at]).collect();
            assert_eq!(found, parts, "{text}");
        }
    }
}
