//! Patterns in Go's RE2 syntax.

use super::go_syntax::{Refusal, translated};
use regex::{Regex, RegexBuilder};

/// A pattern, compiled so that it matches what Go's `regexp` matches.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Box<str>,
    regex: Regex,
}

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("pattern `{text}`: {reason}")]
pub struct PatternError {
    text: String,
    reason: String,
    /// The part of the pattern that Go shows.
    part: String,
}

impl PatternError {
    /// The error in Go's words. Where Go takes the pattern and only the engine here does not, the reason is the engine's.
    #[must_use]
    pub fn go_text(&self) -> String {
        format!("error parsing regexp: {}: `{}`", self.reason, self.part)
    }
}

/// Memory of one compiled pattern.
const MAX_BYTES: usize = 4 << 20;

impl Pattern {
    /// Compiles a pattern in Go's syntax.
    ///
    /// # Errors
    /// Returns an error when Go refuses it, or when it takes too much memory.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let translated = translated(text).map_err(|Refusal { code, part }| PatternError {
            text: text.to_owned(),
            reason: code.to_owned(),
            part,
        })?;
        let regex = RegexBuilder::new(&translated).size_limit(MAX_BYTES).build().map_err(|error| {
            let reason = match error {
                regex::Error::CompiledTooBig(_) => "takes too much memory".to_owned(),
                other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
            };
            PatternError { text: text.to_owned(), reason, part: text.to_owned() }
        })?;
        Ok(Self { text: text.into(), regex })
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The pattern in the syntax of the `regex` crate.
    #[must_use]
    pub fn as_regex(&self) -> &str {
        self.regex.as_str()
    }

    /// The first match in `text`.
    #[must_use]
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.regex.find(text).map(|found| found.as_str())
    }

    /// At most so many matches in `text`.
    #[must_use]
    pub fn find_all<'t>(&self, text: &'t str, limit: usize) -> Vec<&'t str> {
        self.regex.find_iter(text).take(limit).map(|found| found.as_str()).collect()
    }

    /// Whether it matches `text` somewhere.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_match_what_go_matches() {
        for (pattern, text, matches) in [
            ("^a$", "a", true),
            ("^a$", "a\n", false),
            ("b", "abc", true),
            (r"^\d+$", "12", true),
            (r"^\d+$", "\u{663}", false),
            (r"^\w$", "\u{e9}", false),
            (r"^\W$", "\u{e9}", true),
            (r"^\s$", "\u{a0}", false),
            (r"^\s$", "\u{b}", false),
            (r"^[\d.-]+$", "1.2-3", true),
            (r"^[^\s]+$", "\u{a0}", true),
            (r"^[\S]+$", "ab", true),
            (r"\bb", "\u{e9}b", true),
            ("^{a}$", "{a}", true),
            ("^a{,2}$", "a{,2}", true),
            ("^a{2}$", "aa", true),
            ("^[[]$", "[", true),
            ("^[]a]+$", "]a", true),
            ("^[a&&b]+$", "&", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"^\_\<\/\-$", "_</-", true),
            ("^[[:alpha:]]+$", "ab", true),
            ("(?i)^k$", "\u{212a}", true),
            (r"^\p{Greek}$", "\u{3b1}", true),
            (r"^[a-z--]$", "-", true),
            (r"^[\w-.]+$", "a-.", true),
            (r"^[---]$", "-", true),
            (r"^[^]a]$", "b", true),
            (r"^[\D]+$", "a\u{663}", true),
            (r"^[\n-\r]$", "\u{b}", true),
            (r"^\123$", "S", true),
            (r"^\0123$", "\n3", true),
            (r"^[\060-\071]+$", "09", true),
            (r"^\x41\x{1F600}$", "A\u{1f600}", true),
            (r"^\x{D800}$", "a", false),
            (r"^[^\x{D800}]$", "a", true),
            (r"^\p{^Greek}$", "a", true),
            (r"^\P{^Greek}\pN$", "\u{3b1}1", true),
            (r"^[\pL\p{Nd}]+$", "a1", true),
            (r"^\p{C}$", "\u{378}", false),
            ("^a{01}$", "a{01}", true),
            ("^a{2,1$", "a{2,1", true),
            ("^{,5}$", "{,5}", true),
            ("^(?:a*)*$", "aaa", true),
            ("^(?ii:A)(?i-i)b$", "ab", true),
            ("^(?)a$", "a", true),
            ("(?P<n>a)(?<n>b)(?P<1>c)", "abc", true),
            (r"^a\Bb\z", "ab", true),
            ("^ #$", " #", true),
            (r"^\Qa\E+$", "aa", true),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().is_match(text), matches, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn patterns_that_go_takes_compile() {
        for pattern in [
            "a*?",
            "a+?",
            "a??",
            "a{2}?",
            "a{1000}",
            "(a{0,100}){0,10}",
            "(a{1000}){0}",
            "((a{100})*){10}",
            "(a{0,}){1000}",
            "(?s-m:.)",
            "(?imsU)a",
            "(?U)a*",
            "()*",
            "^*",
            r"\b+",
            "|",
            "a||b",
            "[[:word:]]",
            "[[:^alpha:]]",
            "[[:alpha]",
            r"\x{10FFFF}",
            r"\_\-",
            r"\Qa**",
            r"\A\z",
            r"[^\s\S]",
            r"\p{Any}",
            r"\p{Cs}",
            r"\a\f\n\r\t\v",
            "]",
            "}",
            "a{",
            "a{1,x}",
            "(?i)[k-\u{e9}]",
        ] {
            assert!(Pattern::new(pattern).is_ok(), "{pattern}: {:?}", Pattern::new(pattern));
        }
        for script in crate::library::go_classes::SCRIPTS.split_ascii_whitespace() {
            assert!(Pattern::new(&format!(r"[\p{{{script}}}]\P{{{script}}}")).is_ok(), "{script}");
        }
    }

    #[test]
    fn patterns_that_go_does_not_know_are_refused_in_its_words() {
        for (pattern, words) in [
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a{99999999999999999999999}", "invalid repeat count: `{99999999999999999999999}`"),
            ("((a{0,100}){0,11})", "invalid repeat count: `{0,11}`"),
            ("((a{100})*){11,}?", "invalid repeat count: `{11,}?`"),
            ("(b|(a{100}c)|d){11}", "invalid repeat count: `{11}`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a++", "invalid nested repetition operator: `++`"),
            ("a?*", "invalid nested repetition operator: `?*`"),
            ("a*??", "invalid nested repetition operator: `*??`"),
            ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("a|+?", "missing argument to repetition operator: `+?`"),
            ("({2})", "missing argument to repetition operator: `{2}`"),
            ("(?i)*", "missing argument to repetition operator: `*`"),
            ("(?x)a", "invalid or unsupported Perl syntax: `(?x`"),
            ("(?R)a", "invalid or unsupported Perl syntax: `(?R`"),
            ("(?u:a)", "invalid or unsupported Perl syntax: `(?u`"),
            ("(?-u:a)", "invalid or unsupported Perl syntax: `(?-u`"),
            ("(?i-)a", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?!a)", "invalid or unsupported Perl syntax: `(?!`"),
            ("(?<=a)", "invalid named capture: `(?<=a)`"),
            ("(?P<a b>c)", "invalid named capture: `(?P<a b>`"),
            ("(?P<>c)", "invalid named capture: `(?P<>`"),
            (r"\u0041", r"invalid escape sequence: `\u`"),
            (r"\U00000041", r"invalid escape sequence: `\U`"),
            (r"\Z", r"invalid escape sequence: `\Z`"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"(a)\1", r"invalid escape sequence: `\1`"),
            (r"\8", r"invalid escape sequence: `\8`"),
            (r"[\b]", r"invalid escape sequence: `\b`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"\x4", r"invalid escape sequence: `\x4`"),
            (r"\x{}", r"invalid escape sequence: `\x{}`"),
            ("\\\u{e9}", "invalid escape sequence: `\\\u{e9}`"),
            (r"abc\", "trailing backslash at end of expression: ``"),
            (r"\p{Script=Greek}", r"invalid character class range: `\p{Script=Greek}`"),
            (r"\p{greek}", r"invalid character class range: `\p{greek}`"),
            (r"[\pA]", r"invalid character class range: `\pA`"),
            (r"\p{L", r"invalid character class range: `\p{L`"),
            ("[[:letter:]]", "invalid character class range: `[:letter:]`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            (r"[a-\d]", r"invalid escape sequence: `\d`"),
            ("(", "missing closing ): `(`"),
            ("(abc", "missing closing ): `(abc`"),
            ("abc)", "unexpected ): `abc)`"),
            ("x[a-z", "missing closing ]: `[a-z`"),
            ("[]", "missing closing ]: `[]`"),
            ("[a-", "missing closing ]: `[a-`"),
        ] {
            let error = Pattern::new(pattern).unwrap_err().go_text();
            assert_eq!(error, format!("error parsing regexp: {words}"), "{pattern}");
        }
        // Go takes `\b` and then a literal brace, where other engines see the start of a word.
        assert!(Pattern::new(r"^x\b{start}$").unwrap().is_match("x{start}"));
    }
}
