//! What Go's `encoding/json` says of texts that it does not take.

use takeover_harness::error::BadValue;

/// Deepest nesting that Go reads.
const DEPTH: usize = 10_000;
const BEGIN: &str = "looking for beginning of value";

/// Why Go does not read `text` into a map of anything; none when it does. `null` is no map, and taken.
#[must_use]
pub fn object_error(text: &[u8]) -> Option<String> {
    match scanned(text) {
        Err(problem) => Some(problem),
        Ok(Scanned { sort: "object" | "null", too_large }) => {
            too_large.map(|number| format!("json: cannot unmarshal number {number} into Go value of type float64"))
        }
        Ok(Scanned { sort, .. }) => {
            Some(format!("json: cannot unmarshal {sort} into Go value of type map[string]interface {{}}"))
        }
    }
}

/// Why `text` is no JSON, in Go's words; otherwise which sort of value it is, as Go calls it.
///
/// # Errors
/// The message.
pub fn syntax(text: &[u8]) -> Result<&'static str, String> {
    scanned(text).map(|scanned| scanned.sort)
}

/// A text that is JSON.
struct Scanned {
    sort: &'static str,
    /// The first number beyond what a float holds.
    too_large: Option<String>,
}

fn scanned(text: &[u8]) -> Result<Scanned, String> {
    let mut scanner = Scanner { text, at: 0, too_large: None };
    let sort = match scanner.document() {
        Ok(sort) => sort,
        Err(Fault::End) => return Err("unexpected end of JSON input".to_owned()),
        Err(Fault::Byte(byte, context)) => return Err(format!("invalid character {} {context}", quoted(byte))),
    };
    Ok(Scanned { sort, too_large: scanner.too_large })
}

/// A byte in single quotes; those beyond ASCII stand for the characters of the same numbers.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => {
            let quoted = BadValue::from(char::from(byte).to_string()).to_string();
            format!("'{}'", quoted.trim_matches('"'))
        }
    }
}

enum Fault {
    /// The text ends too early.
    End,
    /// A byte that cannot stand there, and where that is.
    Byte(u8, &'static str),
}

/// What may come next.
enum Next {
    Value,
    /// A value or the end of the list that was just opened.
    ValueOrEnd,
    Key,
    /// A key or the end of the object that was just opened.
    KeyOrEnd,
    /// What follows a value.
    Rest,
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    too_large: Option<String>,
}

impl Scanner<'_> {
    /// The next byte. Go puts a space behind the end, which may be at fault, or else the text ends too early.
    fn peek(&self) -> Result<u8, Fault> {
        match self.text.get(self.at) {
            Some(byte) => Ok(*byte),
            None if self.at == self.text.len() => Ok(b' '),
            None => Err(Fault::End),
        }
    }

    fn take(&mut self) -> Result<u8, Fault> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }

    /// The next byte that is no space.
    fn after_spaces(&mut self) -> Result<u8, Fault> {
        while is_space(self.peek()?) {
            self.at += 1;
        }
        self.peek()
    }

    fn document(&mut self) -> Result<&'static str, Fault> {
        let sort = match self.after_spaces()? {
            b'{' => "object",
            b'[' => "array",
            b'"' => "string",
            b't' | b'f' => "bool",
            b'n' => "null",
            _ => "number",
        };
        let mut open = Vec::new();
        let mut next = Next::Value;
        loop {
            if open.is_empty() && matches!(next, Next::Rest) {
                let rest = self.text.get(self.at..).unwrap_or_default();
                return match rest.iter().find(|byte| !is_space(**byte)) {
                    None => Ok(sort),
                    Some(byte) => Err(Fault::Byte(*byte, "after top-level value")),
                };
            }
            let byte = self.after_spaces()?;
            next = match (next, byte) {
                (Next::ValueOrEnd, b']') | (Next::KeyOrEnd, b'}') => self.close(&mut open),
                (Next::Value | Next::ValueOrEnd, b'{' | b'[') => {
                    self.at += 1;
                    open.push(byte);
                    if open.len() > DEPTH {
                        return Err(Fault::Byte(byte, "exceeded max depth"));
                    }
                    if byte == b'{' { Next::KeyOrEnd } else { Next::ValueOrEnd }
                }
                (Next::Value | Next::ValueOrEnd, _) => {
                    self.scalar(byte)?;
                    Next::Rest
                }
                (Next::Key | Next::KeyOrEnd, b'"') => {
                    self.string()?;
                    match self.after_spaces()? {
                        b':' => self.at += 1,
                        other => return Err(Fault::Byte(other, "after object key")),
                    }
                    Next::Value
                }
                (Next::Key | Next::KeyOrEnd, _) => {
                    return Err(Fault::Byte(byte, "looking for beginning of object key string"));
                }
                (Next::Rest, _) => match (open.last(), byte) {
                    (Some(b'{'), b'}') | (Some(b'['), b']') => self.close(&mut open),
                    (Some(b'{'), b',') => {
                        self.at += 1;
                        Next::Key
                    }
                    (Some(b'{'), _) => return Err(Fault::Byte(byte, "after object key:value pair")),
                    (_, b',') => {
                        self.at += 1;
                        Next::Value
                    }
                    _ => return Err(Fault::Byte(byte, "after array element")),
                },
            };
        }
    }

    fn close(&mut self, open: &mut Vec<u8>) -> Next {
        self.at += 1;
        open.pop();
        Next::Rest
    }

    fn scalar(&mut self, first: u8) -> Result<(), Fault> {
        match first {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.literal(&[
                (b'r', "in literal true (expecting 'r')"),
                (b'u', "in literal true (expecting 'u')"),
                (b'e', "in literal true (expecting 'e')"),
            ]),
            b'f' => self.literal(&[
                (b'a', "in literal false (expecting 'a')"),
                (b'l', "in literal false (expecting 'l')"),
                (b's', "in literal false (expecting 's')"),
                (b'e', "in literal false (expecting 'e')"),
            ]),
            b'n' => self.literal(&[
                (b'u', "in literal null (expecting 'u')"),
                (b'l', "in literal null (expecting 'l')"),
                (b'l', "in literal null (expecting 'l')"),
            ]),
            _ => Err(Fault::Byte(first, BEGIN)),
        }
    }

    fn literal(&mut self, rest: &[(u8, &'static str)]) -> Result<(), Fault> {
        self.at += 1;
        for (expected, context) in rest {
            match self.take()? {
                byte if byte == *expected => {}
                byte => return Err(Fault::Byte(byte, context)),
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            match self.take()? {
                b'"' => return Ok(()),
                b'\\' => match self.take()? {
                    b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => {}
                    b'u' => {
                        for _ in 0..4 {
                            match self.take()? {
                                byte if byte.is_ascii_hexdigit() => {}
                                byte => return Err(Fault::Byte(byte, "in \\u hexadecimal character escape")),
                            }
                        }
                    }
                    byte => return Err(Fault::Byte(byte, "in string escape code")),
                },
                byte @ 0..0x20 => return Err(Fault::Byte(byte, "in string literal")),
                _ => {}
            }
        }
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        match self.take()? {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            byte => return Err(Fault::Byte(byte, "in numeric literal")),
        }
        if self.peek()? == b'.' {
            self.at += 1;
            self.some_digits("after decimal point in numeric literal")?;
        }
        if matches!(self.peek()?, b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek()?, b'+' | b'-') {
                self.at += 1;
            }
            self.some_digits("in exponent of numeric literal")?;
        }
        let number = self.text.get(start..self.at).and_then(|number| str::from_utf8(number).ok());
        let too_large = number.filter(|number| number.parse().is_ok_and(f64::is_infinite));
        if self.too_large.is_none() {
            self.too_large = too_large.map(str::to_owned);
        }
        Ok(())
    }

    fn some_digits(&mut self, context: &'static str) -> Result<(), Fault> {
        match self.take()? {
            b'0'..=b'9' => {
                self.digits();
                Ok(())
            }
            byte => Err(Fault::Byte(byte, context)),
        }
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_taken_as_go_takes_it() {
        for text in [
            r#"{}"#,
            " null ",
            r#"{"a": [], "b": [1, -0.5e+3, 0, 1E9], "c": {"d": true, "e": false, "f": null}, "a": "\u00e9\n\/"}"#,
            "\t{\r\n}\n",
        ] {
            assert_eq!(object_error(text.as_bytes()), None, "{text}");
        }
        assert_eq!(object_error(b"{\"\xff\": \"\xc3\"}"), None, "bytes that are no UTF-8 are replaced");
        assert_eq!(syntax(format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH)).as_bytes()), Ok("array"));
    }

    #[test]
    fn what_is_no_json_is_reported_at_the_first_byte_that_cannot_stand_there() {
        for (text, expected) in [
            ("", "unexpected end of JSON input"),
            ("  ", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            (r#"{"a"#, "unexpected end of JSON input"),
            (r#"{"a":1"#, "unexpected end of JSON input"),
            (r#"{"a":"#, "unexpected end of JSON input"),
            ("[1,", "unexpected end of JSON input"),
            ("bad", "invalid character 'b' looking for beginning of value"),
            ("'", r"invalid character '\'' looking for beginning of value"),
            ("\\", r"invalid character '\\' looking for beginning of value"),
            ("\u{e9}", "invalid character 'Ã' looking for beginning of value"),
            ("{a", "invalid character 'a' looking for beginning of object key string"),
            (r#"{"a":1,}"#, "invalid character '}' looking for beginning of object key string"),
            (r#"{"a" 1}"#, "invalid character '1' after object key"),
            (r#"{"a":1 "b""#, "invalid character '\"' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[,]", "invalid character ',' looking for beginning of value"),
            ("{} {}", "invalid character '{' after top-level value"),
            ("01", "invalid character '1' after top-level value"),
            ("\"\n\"", r"invalid character '\n' in string literal"),
            ("\"\u{1}\"", r"invalid character '\x01' in string literal"),
            (r#""\x""#, "invalid character 'x' in string escape code"),
            (r#""\u12g4""#, "invalid character 'g' in \\u hexadecimal character escape"),
            ("-", "invalid character ' ' in numeric literal"),
            ("-a", "invalid character 'a' in numeric literal"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("1e+", "invalid character ' ' in exponent of numeric literal"),
            ("tru", "invalid character ' ' in literal true (expecting 'e')"),
            ("falze", "invalid character 'z' in literal false (expecting 's')"),
            ("nil", "invalid character 'i' in literal null (expecting 'u')"),
        ] {
            assert_eq!(syntax(text.as_bytes()), Err(expected.to_owned()), "{text}");
        }
        let deep = "{\"a\":".repeat(DEPTH + 1);
        assert_eq!(syntax(deep.as_bytes()), Err("invalid character '{' exceeded max depth".to_owned()));
    }

    #[test]
    fn other_json_than_an_object_is_named() {
        let of = |sort| format!("json: cannot unmarshal {sort} into Go value of type map[string]interface {{}}");
        for (text, sort) in [("[1e999]", "array"), ("\"\"", "string"), ("true", "bool"), ("-1", "number")] {
            assert_eq!(object_error(text.as_bytes()), Some(of(sort)));
        }
        let large = "json: cannot unmarshal number -1e999 into Go value of type float64";
        assert_eq!(object_error(b"{\"a\": [-1e999, 2e999]}").as_deref(), Some(large));
    }
}
