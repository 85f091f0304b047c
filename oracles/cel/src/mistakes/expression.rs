//! CEL expressions with one mistake.

use super::tokens::{Sort, Token, closing, depths, tokens};
use std::ops::Range;

/// Faults of one expression.
const MOST: usize = 48;
/// Characters of a part of an expression in the name of a fault.
const LONGEST: usize = 60;

/// What is wrong, unique among the mistakes of an expression (`` `<` is `<=` ``), and the expression with it.
pub type Mistake = (String, String);

/// Expressions that differ from `text`, which parses, in one mistake. Not all of them compile.
#[must_use]
pub fn mistakes(text: &str) -> Vec<Mistake> {
    let tokens = tokens(text);
    let depths = depths(&tokens);
    let mut list = List { text, all: Vec::new() };
    for (at, token) in tokens.iter().enumerate() {
        let before =
            at.checked_sub(1).and_then(|before| tokens.get(before)).map(|token| token.text).unwrap_or_default();
        let after = tokens.get(at + 1).map(|token| token.text).unwrap_or_default();
        match token.sort {
            Sort::Sign => {
                list.sign(token);
                if matches!(token.text, "&&" | "||") {
                    list.operands(&tokens, &depths, at);
                }
            }
            Sort::Number => list.number(token, before),
            Sort::Text => {
                list.word(token, &tokens, &depths, at);
            }
            Sort::Name => match (token.text, before, after) {
                ("oldSelf", ..) => list.swap(token, "self"),
                ("true", ..) => list.swap(token, "false"),
                ("false", ..) => list.swap(token, "true"),
                ("all", ".", "(") => list.swap(token, "exists"),
                ("exists", ".", "(") => list.swap(token, "all"),
                ("exists_one" | "existsOne", ".", "(") => list.swap(token, "exists"),
                ("has", _, "(") => {
                    if let Some(end) = closing(&depths, at + 1).and_then(|end| tokens.get(end)) {
                        list.put(token.at.start..end.at.end, "true");
                    }
                }
                _ => {}
            },
        }
    }
    list.add("negated".to_owned(), format!("!({text})"));
    list.all
}

struct List<'t> {
    text: &'t str,
    all: Vec<Mistake>,
}

impl List<'_> {
    fn add(&mut self, name: String, text: String) {
        if self.all.len() >= MOST || text == self.text || self.all.iter().any(|(_, known)| *known == text) {
            return;
        }
        let times =
            self.all.iter().filter(|(known, _)| *known == name || known.starts_with(&format!("{name} ("))).count();
        let name = if times == 0 { name } else { format!("{name} ({})", times + 1) };
        self.all.push((name, text));
    }

    fn with(&self, at: Range<usize>, new: &str) -> String {
        let (before, after) = (self.text.get(..at.start), self.text.get(at.end..));
        format!("{}{new}{}", before.unwrap_or_default(), after.unwrap_or_default())
    }

    /// Puts something else at a place.
    fn put(&mut self, at: Range<usize>, new: &str) {
        let old = shown(self.text.get(at.clone()).unwrap_or_default());
        let text = self.with(at, new);
        self.add(format!("`{old}` is `{new}`"), text);
    }

    fn swap(&mut self, token: &Token<'_>, new: &str) {
        self.put(token.at.clone(), new);
    }

    fn sign(&mut self, token: &Token<'_>) {
        let new = match token.text {
            "<" => "<=",
            "<=" => "<",
            ">" => ">=",
            ">=" => ">",
            "==" => "!=",
            "!=" => "==",
            "&&" => "||",
            "||" => "&&",
            "!" => {
                let text = self.with(token.at.clone(), "");
                return self.add("`!` dropped".to_owned(), text);
            }
            _ => return,
        };
        self.swap(token, new);
    }

    fn number(&mut self, token: &Token<'_>, before: &str) {
        if let Ok(number) = token.text.parse::<i64>() {
            // `has(self.a) ? 1 : 0` counts, and nothing is counted less than not at all.
            let lower = number.checked_sub(1).filter(|lower| *lower >= 0 || before != ":");
            for new in [number.checked_add(1), lower].into_iter().flatten() {
                let new = if new < 0 { format!("({new})") } else { new.to_string() };
                self.swap(token, &new);
            }
        } else if let Ok(number) = token.text.parse::<f64>() {
            for new in [number + 1.0, number - 1.0] {
                self.swap(token, &format!("({new:?})"));
            }
        }
    }

    /// A text that is compared is another one, and one of a list is left out.
    fn word(&mut self, token: &Token<'_>, tokens: &[Token<'_>], depths: &[usize], at: usize) {
        let near =
            |step: isize| at.checked_add_signed(step).and_then(|at| tokens.get(at)).map_or("", |token| token.text);
        let compared = matches!(near(-1), "==" | "!=") || matches!(near(1), "==" | "!=");
        let of_list = matches!(near(-1), "[" | ",") && matches!(near(1), "]" | ",");
        let listed = of_list && opening(tokens, depths, at) == Some("[");
        let called = near(-1) == "(" && matches!(near(-2), "startsWith" | "endsWith" | "contains");
        let changed = |new: &str| {
            let quote = token.text.find(['"', '\'']).unwrap_or_default() + 1;
            let quote =
                if token.text.get(quote..).is_some_and(|rest| rest.starts_with("\"\"") || rest.starts_with("''"))
                    && token.text.len() > quote + 4
                {
                    quote + 2
                } else {
                    quote
                };
            let (before, after) = (token.text.get(..quote), token.text.get(quote..));
            format!("{}{new}{}", before.unwrap_or_default(), after.unwrap_or_default())
        };
        if compared || called {
            self.swap(token, &changed("x"));
        }
        if near(-1) == "(" && near(-2) == "duration" {
            let end = token.text.len().saturating_sub(1);
            let (before, after) = (token.text.get(..end), token.text.get(end..));
            self.swap(token, &format!("{}1ns{}", before.unwrap_or_default(), after.unwrap_or_default()));
        }
        if listed {
            let range = match (near(-1), near(1)) {
                (",", _) => tokens.get(at.wrapping_sub(1)).map_or(token.at.start, |comma| comma.at.start)..token.at.end,
                (_, ",") => token.at.start..tokens.get(at + 1).map_or(token.at.end, |comma| comma.at.end),
                _ => token.at.clone(),
            };
            let text = self.with(range, "");
            self.add(format!("{} dropped from its list", shown(token.text)), text);
        }
    }

    /// Leaves out what stands on either side of `&&` or `||`.
    fn operands(&mut self, tokens: &[Token<'_>], depths: &[usize], at: usize) {
        let Some((operator, depth)) = tokens.get(at).zip(depths.get(at)) else { return };
        let ends = |other: usize| {
            let (Some(token), Some(there)) = (tokens.get(other), depths.get(other)) else { return true };
            if there != depth {
                return there < depth;
            }
            token.sort == Sort::Sign
                && (matches!(token.text, "," | "?" | ":" | "||") || operator.text == "&&" && token.text == "&&")
        };
        let first = (0..at).rev().take_while(|other| !ends(*other)).last();
        let last = (at + 1..tokens.len()).take_while(|other| !ends(*other)).last();
        let (Some(first), Some(last)) = (first.and_then(|at| tokens.get(at)), last.and_then(|at| tokens.get(at)))
        else {
            return;
        };
        let (next, previous) = (tokens.get(at + 1), tokens.get(at.wrapping_sub(1)));
        let (Some(next), Some(previous)) = (next, previous) else { return };
        let left = first.at.start..previous.at.end;
        let right = next.at.start..last.at.end;
        for (operand, gone) in [(left.clone(), left.start..next.at.start), (right.clone(), previous.at.end..right.end)]
        {
            let name = format!("`{}` dropped", shown(self.text.get(operand).unwrap_or_default()));
            let text = self.with(gone, "");
            self.add(name, text);
        }
    }
}

/// The bracket in which a word stands.
fn opening<'t>(tokens: &[Token<'t>], depths: &[usize], at: usize) -> Option<&'t str> {
    let depth = depths.get(at)?.checked_sub(1)?;
    let opens =
        |at: &usize| depths.get(*at) == Some(&depth) && tokens.get(*at).is_some_and(|token| "([{".contains(token.text));
    let open = (0..at).rev().find(opens)?;
    // A list, not an index.
    let before = open.checked_sub(1).and_then(|before| tokens.get(before));
    let indexed = before.is_some_and(|before| {
        before.sort == Sort::Name && before.text != "in" || before.text == ")" || before.text == "]"
    });
    match tokens.get(open)?.text {
        "[" if indexed => None,
        text => Some(text),
    }
}

fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::mistakes;

    fn texts(text: &str) -> Vec<String> {
        mistakes(text).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn each_mistake_is_made_once() {
        assert_eq!(
            mistakes("!has(self.a) || self.a <= 10")
                .into_iter()
                .map(|(name, text)| format!("{name}: {text}"))
                .collect::<Vec<_>>(),
            [
                "`!` dropped: has(self.a) || self.a <= 10",
                "`has(self.a)` is `true`: !true || self.a <= 10",
                "`||` is `&&`: !has(self.a) && self.a <= 10",
                "`!has(self.a)` dropped: self.a <= 10",
                "`self.a <= 10` dropped: !has(self.a)",
                "`<=` is `<`: !has(self.a) || self.a < 10",
                "`10` is `11`: !has(self.a) || self.a <= 11",
                "`10` is `9`: !has(self.a) || self.a <= 9",
                "negated: !(!has(self.a) || self.a <= 10)",
            ]
        );
    }

    #[test]
    fn operands_end_where_they_bind() {
        let of = |text: &str| texts(text).into_iter().filter(|text| !text.contains("x'")).collect::<Vec<_>>();
        let all = of("a && (b || c) && d ? e : f && g");
        for expected in [
            "(b || c) && d ? e : f && g",
            "a && d ? e : f && g",
            "a && (c) && d ? e : f && g",
            "a && (b || c) ? e : f && g",
            "a && (b || c) && d ? e : g",
            "a && (b || c) && d ? e : f",
        ] {
            assert!(all.iter().any(|text| text == expected), "{expected}: {all:#?}");
        }
    }

    #[test]
    fn words_of_lists_and_old_values_are_told() {
        let all = texts("self.mode in ['A', 'B'] && self.x == oldSelf.x && self.l.all(i, i != 'C')");
        for expected in [
            "self.mode in [ 'B'] && self.x == oldSelf.x && self.l.all(i, i != 'C')",
            "self.mode in ['A'] && self.x == oldSelf.x && self.l.all(i, i != 'C')",
            "self.mode in ['A', 'B'] && self.x == self.x && self.l.all(i, i != 'C')",
            "self.mode in ['A', 'B'] && self.x == oldSelf.x && self.l.exists(i, i != 'C')",
            "self.mode in ['A', 'B'] && self.x == oldSelf.x && self.l.all(i, i != 'xC')",
        ] {
            assert!(all.iter().any(|text| text == expected), "{expected}: {all:#?}");
        }
    }
}
