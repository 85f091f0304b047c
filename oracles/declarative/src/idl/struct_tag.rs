//! Struct tags, and the JSON name that a field gets from its tag.

/// The value of `key` in a struct tag (quotes of the literal already removed), by the rules of Go's `reflect.StructTag`:
/// `key:"value"` pairs; reading stops at the first thing that is none.
pub(super) fn lookup(tag: &str, key: &str) -> Lookup {
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            return Lookup::Absent;
        }
        let name_end = rest.find(|c: char| c <= ' ' || c == ':' || c == '"' || c == '\u{7f}').unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        let Some(quoted) = after.strip_prefix(':').filter(|_| !name.is_empty()) else { return Lookup::Malformed };
        let Some(end) = closing_quote(quoted) else { return Lookup::Malformed };
        let (literal, tail) = quoted.split_at(end);
        if name == key {
            return super::literal::unquote(literal).map_or(Lookup::Malformed, Lookup::Value);
        }
        rest = tail;
    }
}

/// What a struct tag says about a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// The key is there with this value.
    Value(String),
    /// The tag is well-formed and lacks the key.
    Absent,
    /// The tag is not in the conventional form from some point on, before the key was found.
    Malformed,
}

/// Offset behind the closing quote of the literal at the start of `text`.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    let mut chars = text.char_indices();
    if chars.next()?.1 != '"' {
        return None;
    }
    for (at, c) in chars {
        match c {
            '"' if !escaped => return Some(at + 1),
            '\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    None
}

/// The `json` key of a struct tag.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct JsonTag {
    /// The value of the key.
    pub(super) written: String,
    /// The name, empty if none is given or if Go's decoder would not take it.
    pub(super) name: String,
    /// `json:"-"`
    pub(super) ignored: bool,
    /// `inline`
    pub(super) inline: bool,
    /// `omitempty` or `omitzero`
    pub(super) omit: bool,
    /// `omitzero`
    pub(super) omit_zero: bool,
    /// `string`: scalars are quoted in JSON.
    pub(super) quoted: bool,
}

impl JsonTag {
    pub(super) fn parse(value: &str) -> Self {
        if value == "-" {
            return Self { written: value.to_owned(), ignored: true, ..Self::default() };
        }
        let mut parts = value.split(',');
        let name = parts.next().unwrap_or_default();
        let name = if usable(name) { name.to_owned() } else { String::new() };
        let mut tag = Self { written: value.to_owned(), name, ..Self::default() };
        for option in parts {
            match option {
                "inline" => tag.inline = true,
                "omitempty" => tag.omit = true,
                "omitzero" => (tag.omit, tag.omit_zero) = (true, true),
                "string" => tag.quoted = true,
                _ => {}
            }
        }
        tag
    }
}

/// Whether Go's decoder takes the name: letters, digits and most punctuation.
fn usable(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn struct_tags_are_read_as_reflection_reads_them() {
        let value = |text: &str| Lookup::Value(text.to_owned());
        let rows = [
            (r#"json:"a""#, value("a")),
            (r#"protobuf:"bytes,1,opt,name=x" json:"a,omitempty""#, value("a,omitempty")),
            (r#"  json:"a"  "#, value("a")),
            (r#"x:"1"json:"a""#, value("a")),
            (r#"json:"a\"b""#, value("a\"b")),
            (r#"x:"json:\"b\"" json:"a""#, value("a")),
            (r#"json:"a" broken"#, value("a")),
            (r#"protobuf:"x""#, Lookup::Absent),
            ("", Lookup::Absent),
            ("json:a", Lookup::Malformed),
            (r#"json: "a""#, Lookup::Malformed),
            (r#"json :"a""#, Lookup::Malformed),
            (r#"x:"1",json:"a""#, Lookup::Absent),
            (r#"json:"a"#, Lookup::Malformed),
            (r#":"a""#, Lookup::Malformed),
        ];
        for (tag, expected) in rows {
            assert_eq!(lookup(tag, "json"), expected, "{tag}");
        }
    }

    #[test]
    fn json_keys_give_name_and_options() {
        let named = |name: &str| JsonTag { name: name.to_owned(), ..JsonTag::default() };
        let rows = [
            ("a", named("a")),
            ("", named("")),
            (",", named("")),
            ("a,omitempty", JsonTag { omit: true, ..named("a") }),
            ("a,omitzero", JsonTag { omit: true, omit_zero: true, ..named("a") }),
            ("a,omitempty,string", JsonTag { omit: true, quoted: true, ..named("a") }),
            (",inline", JsonTag { inline: true, ..named("") }),
            ("-", JsonTag { ignored: true, ..named("") }),
            ("-,", named("-")),
            ("a b", named("a b")),
            ("a\\b", named("")),
            ("ä.b-c/$", named("ä.b-c/$")),
            ("a, omitempty", named("a")),
        ];
        for (value, expected) in rows {
            let expected = JsonTag { written: value.to_owned(), ..expected };
            assert_eq!(JsonTag::parse(value), expected);
        }
    }
}
