//! Reads a pattern the way Go's `regexp/syntax` does with the flags of Perl, and translates it for the `regex` crate.

use super::go_classes::{ascii_class, posix_class, unicode_class};

/// Why Go rejects a pattern, and at which part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    /// Go's words, such as `invalid escape sequence`.
    pub(super) code: &'static str,
    /// The part of the pattern that Go shows.
    pub(super) part: String,
}

type Read<T> = Result<T, Refusal>;

const UNEXPECTED: &str = "unexpected )";
const MISSING_PAREN: &str = "missing closing )";
const MISSING_BRACKET: &str = "missing closing ]";
const BAD_CLASS: &str = "invalid character class range";
const BAD_ESCAPE: &str = "invalid escape sequence";
const BAD_NAME: &str = "invalid named capture";
const BAD_FLAG: &str = "invalid or unsupported Perl syntax";
const BAD_COUNT: &str = "invalid repeat count";
const NESTED: &str = "invalid nested repetition operator";
const NO_ARGUMENT: &str = "missing argument to repetition operator";
const TRAILING: &str = "trailing backslash at end of expression";

/// How often repetitions inside of each other may repeat, multiplied.
const MAX_COUNT: u64 = 1000;
/// A class without characters.
const NEVER: &str = "[^\\x{0}-\\x{10FFFF}]";
const ALWAYS: &str = "[\\x{0}-\\x{10FFFF}]";

fn refuse<T>(code: &'static str, part: &str) -> Read<T> {
    Err(Refusal { code, part: part.to_owned() })
}

/// The part of `from` before its suffix `rest`.
fn before<'t>(from: &'t str, rest: &str) -> &'t str {
    from.get(..from.len().saturating_sub(rest.len())).unwrap_or(from)
}

/// The first character, and what follows it.
fn next(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    chars.next().map(|c| (c, chars.as_str()))
}

/// A group that is open, or the whole pattern. A weight says how often the repetitions in a part repeat, multiplied.
#[derive(Default)]
struct Group {
    weight: u64,
    /// The weight of what a repetition would repeat.
    operand: Option<u64>,
}

impl Group {
    fn push(&mut self, weight: u64) {
        self.end();
        self.operand = Some(weight);
    }

    fn end(&mut self) {
        self.weight = self.weight.max(self.operand.take().unwrap_or(1));
    }
}

struct Reader<'t> {
    whole: &'t str,
    out: String,
    group: Group,
    outer: Vec<Group>,
}

/// The pattern in the syntax of the `regex` crate. In Go `\d`, `\s`, `\w` and `\b` are ASCII, `\Q…\E` quotes, a brace that is no
/// repetition stands for itself, and so does a bracket inside of brackets.
pub(super) fn translated(text: &str) -> Read<String> {
    let out = String::with_capacity(text.len() + 16);
    let mut reader = Reader { whole: text, out, group: Group::default(), outer: Vec::new() };
    let mut rest = text;
    // The repetition that was read last, with all that follows it.
    let mut last = None;
    while let Some((c, after)) = next(rest) {
        let repetition = match c {
            '*' | '+' | '?' => Some((None, after)),
            '{' => counts(after).map(|(min, max, after)| (Some((min, max)), after)),
            _ => None,
        };
        if let Some((counts, after)) = repetition {
            let started = rest;
            rest = reader.repeat(counts, started, after, last)?;
            last = Some(started);
        } else {
            rest = reader.part(c, rest, after)?;
            last = None;
        }
    }
    if reader.outer.is_empty() { Ok(reader.out) } else { refuse(MISSING_PAREN, text) }
}

impl<'t> Reader<'t> {
    /// Reads anything but a repetition.
    fn part(&mut self, c: char, rest: &'t str, after: &'t str) -> Read<&'t str> {
        match c {
            '(' => match after.strip_prefix('?') {
                Some(flags) => self.extended(rest, flags),
                None => {
                    self.open("(");
                    Ok(after)
                }
            },
            '|' => {
                self.group.end();
                self.out.push('|');
                Ok(after)
            }
            ')' => {
                let Some(outer) = self.outer.pop() else { return refuse(UNEXPECTED, self.whole) };
                self.group.end();
                let inner = std::mem::replace(&mut self.group, outer);
                self.group.push(inner.weight);
                self.out.push(')');
                Ok(after)
            }
            '[' => {
                let after = self.class(rest)?;
                self.group.push(1);
                Ok(after)
            }
            '\\' => self.escape(rest),
            '^' | '$' | '.' => {
                self.group.push(1);
                self.out.push(c);
                Ok(after)
            }
            c => {
                self.literal(c);
                Ok(after)
            }
        }
    }

    fn literal(&mut self, c: char) {
        self.group.push(1);
        self.out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn open(&mut self, words: &str) {
        self.out.push_str(words);
        self.outer.push(std::mem::take(&mut self.group));
    }

    fn repeat(
        &mut self,
        counts: Option<(Option<u64>, Option<u64>)>,
        started: &'t str,
        after: &'t str,
        last: Option<&str>,
    ) -> Read<&'t str> {
        let shown = before(started, after);
        if let Some((min, max)) = counts {
            let in_order = min.is_some_and(|min| min <= MAX_COUNT && max.is_none_or(|max| min <= max));
            if !in_order || max.is_some_and(|max| max > MAX_COUNT) {
                return refuse(BAD_COUNT, shown);
            }
        }
        let rest = after.strip_prefix('?').unwrap_or(after);
        if let Some(last) = last {
            return refuse(NESTED, before(last, rest));
        }
        let shown = before(started, rest);
        let Some(weight) = self.group.operand else { return refuse(NO_ARGUMENT, shown) };
        let weight = match counts {
            Some((_, Some(0))) => 1,
            Some((min, max)) => max.or(min).unwrap_or(1).max(1).saturating_mul(weight),
            None => weight,
        };
        if weight > MAX_COUNT {
            return refuse(BAD_COUNT, shown);
        }
        self.group.operand = Some(weight);
        self.out.push_str(shown);
        Ok(rest)
    }

    /// What starts with `(?`: a group with a name, or flags.
    fn extended(&mut self, rest: &'t str, flags: &'t str) -> Read<&'t str> {
        if let Some(named) =
            flags.strip_prefix("P<").or_else(|| flags.strip_prefix('<')).filter(|text| !text.is_empty())
        {
            let Some((name, after)) = named.split_once('>') else { return refuse(BAD_NAME, rest) };
            if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
                return refuse(BAD_NAME, before(rest, after));
            }
            // Go takes names that start with a digit or stand twice, and no caller looks up groups by name.
            self.open("(");
            return Ok(after);
        }
        let mut text = flags;
        let mut set: Vec<(char, bool)> = Vec::new();
        let (mut on, mut seen) = (true, false);
        while let Some((c, after)) = next(text) {
            text = after;
            match c {
                'i' | 'm' | 's' | 'U' => {
                    set.retain(|(flag, _)| *flag != c);
                    set.push((c, on));
                    seen = true;
                }
                '-' if on => (on, seen) = (false, false),
                ':' | ')' if on || seen => {
                    let named = |wanted| set.iter().filter(move |(_, on)| *on == wanted).map(|(flag, _)| *flag);
                    let mut words: String = named(true).collect();
                    if named(false).next().is_some() {
                        words.push('-');
                        words.extend(named(false));
                    }
                    match c {
                        ':' => self.open(&format!("(?{words}:")),
                        _ if words.is_empty() => {}
                        _ => self.out.push_str(&format!("(?{words})")),
                    }
                    return Ok(after);
                }
                _ => break,
            }
        }
        refuse(BAD_FLAG, before(rest, text))
    }

    /// What starts with a backslash, outside of brackets.
    fn escape(&mut self, rest: &'t str) -> Read<&'t str> {
        let (c, after) = rest.strip_prefix('\\').and_then(next).unwrap_or(('\\', ""));
        match c {
            'Q' => {
                let (quoted, after) = after.split_once("\\E").unwrap_or((after, ""));
                quoted.chars().for_each(|c| self.literal(c));
                return Ok(after);
            }
            'A' => self.out.push_str("\\A"),
            'z' => self.out.push_str("\\z"),
            'b' => self.out.push_str("(?-u:\\b)"),
            'B' => self.out.push_str("(?-u:\\B)"),
            _ => {
                if let Some((class, after)) = set(rest)? {
                    self.group.push(1);
                    self.out.push_str(&class);
                    return Ok(after);
                }
                let (code, after) = code(rest)?;
                match char::from_u32(code) {
                    Some(c) => self.literal(c),
                    None => {
                        self.group.push(1);
                        self.out.push_str(NEVER);
                    }
                }
                return Ok(after);
            }
        }
        self.group.push(1);
        Ok(after)
    }

    /// A class in brackets.
    fn class(&mut self, whole: &'t str) -> Read<&'t str> {
        let mut rest = whole.strip_prefix('[').unwrap_or(whole);
        let negated = rest.starts_with('^');
        rest = rest.strip_prefix('^').unwrap_or(rest);
        let mut members = String::new();
        let mut first = true;
        loop {
            if let Some(after) = rest.strip_prefix(']').filter(|_| !first) {
                match (members.is_empty(), negated) {
                    (true, true) => self.out.push_str(ALWAYS),
                    (true, false) => self.out.push_str(NEVER),
                    (false, negated) => self.out.push_str(&format!("[{}{members}]", if negated { "^" } else { "" })),
                }
                return Ok(after);
            }
            first = false;
            if let Some((name, after)) = rest.strip_prefix("[:").and_then(|text| text.split_once(":]")) {
                if !posix_class(name) {
                    return refuse(BAD_CLASS, before(rest, after));
                }
                members.push_str(before(rest, after));
                rest = after;
                continue;
            }
            if let Some((class, after)) = set(rest)? {
                members.push_str(&class);
                rest = after;
                continue;
            }
            let started = rest;
            let (low, after) = class_code(rest, whole)?;
            let high = after.strip_prefix('-').filter(|text| !text.starts_with(']') && !text.is_empty());
            let (high, after) = high.map_or(Ok((low, after)), |text| class_code(text, whole))?;
            if high < low {
                return refuse(BAD_CLASS, before(started, after));
            }
            range(low, high, &mut members);
            rest = after;
        }
    }
}

/// A range of code points, without the surrogates that no text holds.
fn range(low: u32, high: u32, out: &mut String) {
    let low = if (0xD800..=0xDFFF).contains(&low) { 0xE000 } else { low };
    let high = if (0xD800..=0xDFFF).contains(&high) { 0xD7FF } else { high };
    if low == high {
        out.push_str(&format!("\\x{{{low:x}}}"));
    } else if low < high {
        out.push_str(&format!("\\x{{{low:x}}}-\\x{{{high:x}}}"));
    }
}

fn class_code<'t>(text: &'t str, whole: &str) -> Read<(u32, &'t str)> {
    match next(text) {
        None => refuse(MISSING_BRACKET, whole),
        Some(('\\', _)) => code(text),
        Some((c, after)) => Ok((u32::from(c), after)),
    }
}

/// An escape that stands for many characters, such as `\d` or `\pN`.
fn set(text: &str) -> Read<Option<(String, &str)>> {
    let Some((c, after)) = text.strip_prefix('\\').and_then(next) else { return Ok(None) };
    if let Some(class) = ascii_class(c) {
        return Ok(Some((class.to_owned(), after)));
    }
    if !matches!(c, 'p' | 'P') {
        return Ok(None);
    }
    let (name, after) = match (after.strip_prefix('{'), next(after)) {
        (Some(inside), _) => match inside.split_once('}') {
            Some(found) => found,
            None => return refuse(BAD_CLASS, text),
        },
        (None, Some((_, rest))) => (before(after, rest), rest),
        // At the end of the pattern: no class has an empty name.
        (None, None) => ("", after),
    };
    let (name, negated) = name.strip_prefix('^').map_or((name, c == 'P'), |name| (name, c == 'p'));
    match unicode_class(name, negated) {
        Some(class) => Ok(Some((class, after))),
        None => refuse(BAD_CLASS, before(text, after)),
    }
}

/// The code point that an escape stands for.
fn code(text: &str) -> Read<(u32, &str)> {
    let Some((c, mut rest)) = text.strip_prefix('\\').and_then(next) else { return refuse(TRAILING, "") };
    let octal = |text: &str| text.chars().next().and_then(|c| c.to_digit(8));
    let found = match c {
        '0'..='7' if c == '0' || octal(rest).is_some() => {
            let mut code = c.to_digit(8).unwrap_or_default();
            for _ in 0..2 {
                let Some(digit) = octal(rest) else { break };
                code = code * 8 + digit;
                rest = rest.get(1..).unwrap_or_default();
            }
            Some(code)
        }
        'x' => hexadecimal(&mut rest),
        'a' => Some(0x07),
        'f' => Some(0x0C),
        'n' => Some(0x0A),
        'r' => Some(0x0D),
        't' => Some(0x09),
        'v' => Some(0x0B),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
        _ => None,
    };
    found.map_or_else(|| refuse(BAD_ESCAPE, before(text, rest)), |code| Ok((code, rest)))
}

/// Two digits, or any number in braces. `rest` moves on behind what was read, right or wrong.
fn hexadecimal(rest: &mut &str) -> Option<u32> {
    let mut take = || {
        let (c, after) = next(rest)?;
        *rest = after;
        Some(c)
    };
    let first = take()?;
    if first != '{' {
        let second = take()?;
        return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
    }
    let mut code = None;
    loop {
        let c = take()?;
        if c == '}' {
            return code;
        }
        code = Some(code.unwrap_or(0) * 16 + c.to_digit(16)?).filter(|code| *code <= u32::from(char::MAX));
        code?;
    }
}

/// The least and the most of `n}`, `n,}` or `n,m}`, and what follows. A number that is far too large makes the least `None`.
type Counts<'t> = Option<(Option<u64>, Option<u64>, &'t str)>;

fn counts(text: &str) -> Counts<'_> {
    let (min, rest) = number(text)?;
    let (min, max, rest) = match rest.strip_prefix(',') {
        None => (min, min, rest),
        Some(rest) if rest.starts_with('}') => (min, None, rest),
        Some(rest) => match number(rest)? {
            (Some(max), rest) => (min, Some(max), rest),
            (None, rest) => (None, None, rest),
        },
    };
    rest.strip_prefix('}').map(|rest| (min, max, rest))
}

/// A number without zeros before it; `None` in it when it does not fit.
fn number(text: &str) -> Option<(Option<u64>, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = before(text, rest);
    let written = !digits.is_empty() && (digits == "0" || !digits.starts_with('0'));
    written.then(|| (digits.parse().ok(), rest))
}
