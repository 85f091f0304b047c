//! Texts that stand for others character by character: as JSON escapes them, and as addresses do.

/// The characters that a text stands for, and how each was written.
pub(super) struct Spelled<'t> {
    pub(super) characters: Vec<char>,
    spellings: Vec<Spelling<'t>>,
}

enum Spelling<'t> {
    Plain,
    /// A backslash and a letter or sign, for a character that is never replaced.
    Escape(&'t str),
    /// `\uXXXX`, one or two of them; whether in capitals.
    Code(bool),
    /// `%XX` for each byte; whether in capitals.
    Percent(bool),
}

impl<'t> Spelled<'t> {
    /// How many spellings there are in which a text says something else than it looks like.
    pub(super) const SPELLINGS: usize = 3;

    /// What a text stands for in one of them; none when that is what it looks like.
    pub(super) fn read(text: &'t str, number: usize) -> Option<Self> {
        let spelled = match number {
            0 => text.contains('\\').then(|| Self::json(text)),
            1 => text.contains('%').then(|| Self::address(text, false)),
            _ => text.contains('+').then(|| Self::address(text, true)),
        };
        spelled.filter(|spelled| !spelled.characters.iter().copied().eq(text.chars()))
    }

    /// What it stands for.
    pub(super) fn plain(&self) -> String {
        self.characters.iter().collect()
    }

    /// A part of an address, or of a form when a plus is a space.
    fn address(text: &'t str, form: bool) -> Self {
        let (mut characters, mut spellings) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (character, spelling, length) = match percent(rest) {
                Some((character, capitals)) => (character, Spelling::Percent(capitals), 3 * character.len_utf8()),
                None if form && c == '+' => (' ', Spelling::Escape(rest.get(..1).unwrap_or_default()), 1),
                None => (c, Spelling::Plain, c.len_utf8()),
            };
            characters.push(character);
            spellings.push(spelling);
            rest = rest.get(length..).unwrap_or_default();
        }
        Self { characters, spellings }
    }

    /// What stands between the quotes of a JSON text.
    pub(super) fn json(raw: &'t str) -> Self {
        let (mut characters, mut spellings) = (Vec::new(), Vec::new());
        let mut rest = raw;
        while let Some(c) = rest.chars().next() {
            let (character, spelling, length) = if c != '\\' {
                (c, Spelling::Plain, c.len_utf8())
            } else if let Some((character, length)) = code(rest) {
                let digits = rest.get(2..length).unwrap_or_default();
                (character, Spelling::Code(digits.contains(|c: char| matches!(c, 'A'..='F'))), length)
            } else {
                let sign = rest.get(1..2).unwrap_or_default();
                let character = match sign {
                    "n" => '\n',
                    "r" => '\r',
                    "t" => '\t',
                    "b" => '\u{8}',
                    "f" => '\u{c}',
                    other => other.chars().next().unwrap_or('\\'),
                };
                (character, Spelling::Escape(rest.get(..1 + sign.len()).unwrap_or_default()), 1 + sign.len())
            };
            characters.push(character);
            spellings.push(spelling);
            rest = rest.get(length..).unwrap_or_default();
        }
        Self { characters, spellings }
    }

    /// The characters, each written as it was.
    pub(super) fn write(&self, out: &mut String) {
        for (character, spelling) in self.characters.iter().zip(&self.spellings) {
            match spelling {
                Spelling::Plain => out.push(*character),
                Spelling::Escape(raw) => out.push_str(raw),
                Spelling::Percent(capitals) => {
                    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                        out.push_str(&if *capitals { format!("%{byte:02X}") } else { format!("%{byte:02x}") });
                    }
                }
                Spelling::Code(capitals) => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        out.push_str(&if *capitals { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") });
                    }
                }
            }
        }
    }
}

/// The character that `\uXXXX`, or two of them, stand for at the beginning of `text`, and how long that is.
fn code(text: &str) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let hex = text.get(from..from + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let first = unit(0)?;
    let (units, length) =
        if (0xd800..0xdc00).contains(&first) { (vec![first, unit(6)?], 12) } else { (vec![first], 6) };
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, length))
}

/// The character that one `%XX` or several stand for at the beginning of `text`, and whether they are in capitals.
fn percent(text: &str) -> Option<(char, bool)> {
    let byte = |number: usize| {
        let hex = text.get(3 * number..3 * number + 3)?.strip_prefix('%')?;
        u8::from_str_radix(hex, 16).ok()
    };
    let length = match byte(0)? {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map(byte).collect::<Option<_>>()?;
    let character = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((character, text.get(..3 * length)?.contains(|c: char| c.is_ascii_uppercase())))
}

#[cfg(test)]
mod tests {
    use super::Spelled;

    #[test]
    fn what_is_spelled_otherwise_is_read_and_written_back_as_it_was() {
        for (text, plain) in [
            (r#"a\"b\nc\u00e9\u00E9\ud83d\udd11\w\é"#, vec!["a\"b\ncéé🔑w\\é"]),
            ("a%2Bb%c3%a9%F0%9F%94%91%", vec!["a+bé🔑%"]),
            ("a+b%20c%zz%e2%82", vec!["a+b c%zz%e2%82", "a b c%zz%e2%82"]),
            ("plain", vec![]),
        ] {
            let all: Vec<Spelled<'_>> =
                (0..Spelled::SPELLINGS).filter_map(|number| Spelled::read(text, number)).collect();
            assert_eq!(all.iter().map(Spelled::plain).collect::<Vec<_>>(), plain, "{text}");
            for spelled in all {
                let mut out = String::new();
                spelled.write(&mut out);
                assert_eq!(out, text);
            }
        }
    }
}
