//! `fieldPath` of a rule: `.name` and `['name']`, below the rule's node.

use serde_json::Value as Json;

/// Why a field path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldPathError {
    /// A name that the schema does not have, or an entry of something that has none.
    #[error("does not refer to a valid field")]
    NoField,
    /// It ends within a step.
    #[error("unexpected end of JSON path")]
    End,
    /// A step starts with something else.
    #[error("expected [ or . but got: {0}")]
    NoStep(String),
    /// Brackets around something else.
    #[error("expected single quoted string but got {0}")]
    NotQuoted(String),
    /// An escape that does not exist.
    #[error("invalid string literal: invalid escape char \\{0}")]
    Escape(char),
    /// A bracket is not closed.
    #[error("expected ] but got {0}")]
    NotClosed(String),
}

/// Checks a field path against the schema of its node and returns it as errors write it.
///
/// # Errors
/// Tells where the path leaves the schema or is not well-formed.
pub fn normalized(path: &str, schema: &Json) -> Result<String, FieldPathError> {
    let (mut rest, mut at, mut out) = (path, Some(schema), String::new());
    while let Some(token) = next(&mut rest) {
        let step = match token {
            "." => next(&mut rest).ok_or(FieldPathError::End)?.to_owned(),
            "[" => {
                let quoted = next(&mut rest).ok_or(FieldPathError::End)?;
                let inner = quoted.strip_prefix('\'').and_then(|quoted| quoted.strip_suffix('\''));
                let name = unescape(inner.ok_or_else(|| FieldPathError::NotQuoted(quoted.to_owned()))?)?;
                match next(&mut rest) {
                    Some("]") => name,
                    Some(other) => return Err(FieldPathError::NotClosed(other.to_owned())),
                    None => return Err(FieldPathError::End),
                }
            }
            other => return Err(FieldPathError::NoStep(other.to_owned())),
        };
        let schema = at.ok_or(FieldPathError::NoField)?;
        let properties = schema.get("properties").and_then(Json::as_object).filter(|properties| !properties.is_empty());
        match (properties, schema.get("additionalProperties")) {
            (Some(properties), _) => {
                at = Some(properties.get(&step).ok_or(FieldPathError::NoField)?);
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(&step);
            }
            (None, Some(values)) => {
                at = Some(values).filter(|values| values.is_object());
                out.push_str(&format!("[{step}]"));
            }
            (None, None) => return Err(FieldPathError::NoField),
        }
    }
    Ok(out)
}

/// Takes a delimiter, a quoted string, or what stands before the next delimiter.
fn next<'p>(rest: &mut &'p str) -> Option<&'p str> {
    let text = *rest;
    let first = text.chars().next()?;
    let end = if matches!(first, '.' | '[' | ']') {
        1
    } else if first == '\'' {
        let bytes = text.as_bytes();
        let closing = (1..bytes.len()).find(|at| bytes.get(*at) == Some(&b'\'') && bytes.get(at - 1) != Some(&b'\\'));
        closing.map_or(text.len(), |at| at + 1)
    } else {
        text.find(['.', '[', ']']).unwrap_or(text.len())
    };
    let (token, after) = text.split_at_checked(end)?;
    *rest = after;
    Some(token)
}

fn unescape(quoted: &str) -> Result<String, FieldPathError> {
    let mut out = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some('\'') => '\'',
            Some('\\') => '\\',
            None => '\\',
            Some(other) => return Err(FieldPathError::Escape(other)),
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_written_as_errors_write_them() {
        let schema =
            json!({"properties": {"a.b": {"properties": {"c": {"additionalProperties": {"type": "string"}}}}}});
        assert_eq!(normalized("['a.b'].c['x\\'y']", &schema).as_deref(), Ok("a.b.c[x'y]"));
        assert_eq!(normalized(".d", &schema), Err(FieldPathError::NoField));
        assert_eq!(normalized("a", &schema), Err(FieldPathError::NoStep("a".to_owned())));
        assert_eq!(normalized("['a.b'", &schema), Err(FieldPathError::End));
        assert_eq!(normalized("[0]", &schema), Err(FieldPathError::NotQuoted("0".to_owned())));
    }
}
