//! What a message says, without the values that it names.

use crate::object::Node;
use crate::oracle::Objects;
use std::collections::BTreeSet;

/// The longest shape of a message, in characters.
pub(crate) const LONGEST: usize = 160;

/// Shorter texts of an object are left in a reason: `a` is a word as well.
const SHORTEST: usize = 3;

/// A message without what changes from value to value: quoted texts become `"…"`, numbers `N`.
pub(crate) fn message_shape(message: &str) -> String {
    let mut shape = String::new();
    let mut rest = message.chars().peekable();
    let mut length = 0;
    while let Some(next) = rest.next() {
        if length >= LONGEST {
            shape.push('…');
            break;
        }
        length += 1;
        match next {
            '"' => {
                let mut escaped = false;
                for inside in rest.by_ref() {
                    match inside {
                        '"' if !escaped => break,
                        '\\' => escaped = !escaped,
                        _ => escaped = false,
                    }
                }
                shape.push_str("\"…\"");
            }
            first
                if (first.is_ascii_digit() || (first == '-' && rest.peek().is_some_and(char::is_ascii_digit)))
                    && !shape.ends_with(|before: char| before.is_alphanumeric()) =>
            {
                while rest.next_if(|more| more.is_ascii_digit() || *more == '.').is_some() {}
                shape.push('N');
            }
            other => shape.push(other),
        }
    }
    shape
}

/// The shape of a reason in plain text. Words that are texts of the objects become `…` too: `name web-7 is taken` is `name … is taken`.
pub(crate) fn reason_shape(reason: &str, objects: &Objects<'_>) -> String {
    let mut texts = BTreeSet::new();
    for object in [Some(objects.new), objects.old].into_iter().flatten() {
        gather(object, &mut texts);
    }
    let words = reason.split_whitespace().map(|word| {
        let ends = |char: char| !char.is_alphanumeric();
        let inside = word.trim_matches(ends);
        if texts.contains(inside) && !inside.is_empty() { word.replacen(inside, "…", 1) } else { word.to_owned() }
    });
    message_shape(&words.collect::<Vec<_>>().join(" "))
}

/// The parts of a reason, or of the shape of one: what is joined by `; ` is said by several checks.
pub(crate) fn parts(reason: &str) -> impl Iterator<Item = &str> {
    reason.split("; ").map(str::trim).filter(|part| !part.is_empty())
}

/// Adds the texts at and below a node that are long enough to stand for nothing else.
fn gather<'n>(node: Node<'n>, texts: &mut BTreeSet<&'n str>) {
    if node.text().chars().count() >= SHORTEST {
        texts.insert(node.text());
    }
    node.fields().iter().for_each(|(_, below)| gather(*below, texts));
    node.items().iter().for_each(|below| gather(*below, texts));
    node.entries().iter().for_each(|(_, below)| gather(*below, texts));
}

#[cfg(test)]
mod tests {
    use super::message_shape;

    #[test]
    fn messages_lose_their_values_and_keep_their_words() {
        for (message, shape) in [
            ("must be less than or equal to 1000", "must be less than or equal to N"),
            ("must be between 0.5 and 10", "must be between N and N"),
            ("-3 is below -1: 2023-11 and a-1", "N is below N: N-N and a-N"),
            ("no entry \"a\\\"b\" in v1beta2", "no entry \"…\" in v1beta2"),
            ("half \"open", "half \"…\""),
            ("", ""),
        ] {
            assert_eq!(message_shape(message), shape);
        }
        assert_eq!(message_shape(&"x".repeat(1000)).chars().count(), 161);
    }
}
