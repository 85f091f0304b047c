//! Paths into the values of a schema, as `fieldPath` of CEL rules and `selectableFields` have them: `.spec.size`, `.labels['a.b']`.

use super::props::Props;

/// A path that leads somewhere.
pub(super) struct Found<'d> {
    /// Names on the way, the first is nearest to the root.
    pub(super) names: Vec<String>,
    /// Where it leads; `None` if everything is preserved.
    pub(super) schema: Option<Props<'d>>,
}

/// Follows a path from a schema; `brackets` tells whether names may be quoted in brackets.
///
/// # Errors
/// Returns the reason why it leads nowhere, in the words of a server.
pub(super) fn follow<'d>(path: &str, schema: Props<'d>, brackets: bool) -> Result<Found<'d>, String> {
    let mut found = Found { names: Vec::new(), schema: Some(schema) };
    let mut tokens = Tokens { rest: path };
    let end = || "unexpected end of JSON path".to_owned();
    while let Some(token) = tokens.next() {
        let name = match token {
            "[" if !brackets => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let token = tokens.next().ok_or_else(end)?;
                let quoted = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let quoted = quoted.ok_or_else(|| format!("expected single quoted string but got {token}"))?;
                let name = unescaped(quoted).ok_or_else(|| "invalid string literal: invalid syntax".to_owned())?;
                found.step(name)?;
                match tokens.next() {
                    Some("]") => continue,
                    Some(other) => return Err(format!("expected ] but got {other}")),
                    None => return Err(end()),
                }
            }
            "." => tokens.next().ok_or_else(end)?.to_owned(),
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        found.step(name)?;
    }
    Ok(found)
}

impl Found<'_> {
    fn step(&mut self, name: String) -> Result<(), String> {
        let nowhere = || "does not refer to a valid field".to_owned();
        let schema = self.schema.ok_or_else(nowhere)?;
        self.schema = if schema.schemas("properties").next().is_some() {
            Some(schema.property(&name).ok_or_else(nowhere)?)
        } else if schema.additional().is_some() {
            schema.additional_schema()
        } else {
            return Err(nowhere());
        };
        self.names.push(name);
        Ok(())
    }
}

/// The parts of a path: `.`, `[`, `]`, quoted texts, and what is between.
struct Tokens<'p> {
    rest: &'p str,
}

impl<'p> Iterator for Tokens<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let first = self.rest.chars().next()?;
        let length = if first == '\'' {
            let mut before = first;
            let closing = self.rest.char_indices().skip(1).find(|(_, c)| {
                let closes = *c == '\'' && before != '\\';
                before = *c;
                closes
            });
            closing.map_or(self.rest.len(), |(at, _)| at + 1)
        } else if matches!(first, '.' | '[' | ']') {
            1
        } else {
            self.rest.find(['.', '[', ']']).unwrap_or(self.rest.len())
        };
        let (token, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(token)
    }
}

/// A quoted text without its escapes; `None` if one is unknown.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next()? {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                other @ ('\'' | '\\') => other,
                _ => return None,
            },
            c => c,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Props, follow};
    use serde_json::json;

    #[test]
    fn paths_are_followed_or_refused_in_the_words_of_a_server() {
        let schema = json!({"properties": {"spec": {"properties": {"a.b": {"type": "string"}, "any": {
            "additionalProperties": {"type": "integer"}}, "list": {"type": "array", "items": {"type": "string"}}}}}});
        let rows = [
            (".spec.any.x", true, Ok(vec!["spec", "any", "x"])),
            (".spec['a.b']", true, Ok(vec!["spec", "a.b"])),
            (".spec['a.b']", false, Err("array notation is not allowed")),
            (".spec.list.x", true, Err("does not refer to a valid field")),
            (".spec.none", true, Err("does not refer to a valid field")),
            ("spec", true, Err("expected [ or . but got: spec")),
            (".", true, Err("unexpected end of JSON path")),
            (".spec[a]", true, Err("expected single quoted string but got a")),
            (".spec['a.b'", true, Err("unexpected end of JSON path")),
            (".spec['a.b'.", true, Err("expected ] but got .")),
            (".spec['\\q']", true, Err("invalid string literal: invalid syntax")),
        ];
        for (path, brackets, expected) in rows {
            let found = follow(path, Props::new(&schema), brackets).map(|found| found.names);
            let expected = expected.map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(found, expected.map_err(str::to_owned), "{path}");
        }
    }
}
