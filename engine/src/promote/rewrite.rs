//! Rewrites one tag line for its next level.

use super::step::Step;
use takeover_harness::release::Release;
use takeover_oracles::declarative::grammar::{Tag, parse};

/// The text of the line, without its `+`, at its next level; all but the wrapper stays as it is.
///
/// # Errors
/// Returns an error when it cannot be moved, which says why.
pub(super) fn rewrite(text: &str, step: Step) -> Result<String, String> {
    let tag = parse(text).map_err(|error| error.to_string())?;
    let inner = tag.inner().filter(|_| *tag.name == *step.wrapper()).ok_or("it has no such wrapper")?;
    let since = tag.named("since").map(|since| {
        let since = since.as_text();
        since.parse::<Release>().map_err(|_| format!("its `since`, `{since}`, is not a release"))
    });
    let since = since.transpose()?;
    if let (Some(old), Some(new)) = (since, step.since())
        && new <= old
    {
        return Err(format!(
            "it is {} since {old}, and may move in {} at the earliest",
            step.from().name(),
            old.following()
        ));
    }
    let Step::Beta { since: asked } = step else {
        return Ok(text.get(inner.offset..).unwrap_or_default().to_owned());
    };
    let Some((wrapper, rest)) = text.split_at_checked(inner.offset) else { return Err("it does not end".to_owned()) };
    let name = "k8s:beta";
    let arguments = wrapper.strip_prefix(step.wrapper()).unwrap_or_default();
    let candidates = match (since, asked.or(since.map(Release::following))) {
        (None, None) => vec![arguments.to_owned()],
        (None, Some(new)) if arguments.starts_with('(') => {
            vec![arguments.replacen('(', &format!("(since: \"{new}\", "), 1)]
        }
        (None, Some(new)) => vec![format!("(since: \"{new}\"){arguments}")],
        (Some(old), Some(new)) => replacements(arguments, &old.to_string(), &new.to_string()),
        (Some(_), None) => Vec::new(),
    };
    // The release may stand in another argument, too: taken is what reads as it should.
    let wanted = asked.or(since.map(Release::following));
    let moved = candidates.into_iter().map(|arguments| format!("{name}{arguments}{rest}"));
    let mut sound = moved.filter(|moved| parse(moved).is_ok_and(|moved| is_moved(&moved, &tag, name, wanted)));
    sound.next().ok_or_else(|| "its wrapper is written in a way that is not understood".to_owned())
}

/// The text with each of the places that read `old` replaced, one at a time.
fn replacements(text: &str, old: &str, new: &str) -> Vec<String> {
    let place = |(at, _): (usize, &str)| {
        let (before, rest) = text.split_at_checked(at)?;
        Some(format!("{before}{new}{}", rest.strip_prefix(old)?))
    };
    text.match_indices(old).filter_map(place).collect()
}

/// Whether nothing but name and release of the wrapper differs.
fn is_moved(moved: &Tag, tag: &Tag, name: &str, since: Option<Release>) -> bool {
    let others =
        |tag: &Tag| -> Vec<_> { tag.args.iter().filter(|arg| arg.name.as_deref() != Some("since")).cloned().collect() };
    let texts = |tag: &Tag| -> Vec<_> { tag.chain().skip(1).map(|tag| tag.text.clone()).collect() };
    *moved.name == *name
        && others(moved) == others(tag)
        && texts(moved) == texts(tag)
        && moved.named("since").map(|since| since.as_text().to_owned()) == since.map(|since| since.to_string())
}

#[cfg(test)]
mod tests {
    use super::rewrite;
    use crate::promote::Step;

    #[test]
    fn a_line_is_moved_and_all_but_its_wrapper_stays() {
        let beta = |since: &str| Step::Beta { since: since.parse().ok() };
        let stable = |since: &str| Step::Stable { since: since.parse().ok() };
        let rows = [
            ("k8s:alpha(since: \"1.36\")=+k8s:minimum=0", beta("1.38"), "k8s:beta(since: \"1.38\")=+k8s:minimum=0"),
            ("k8s:alpha(since: \"1.36\")=+k8s:minimum=0", beta(""), "k8s:beta(since: \"1.37\")=+k8s:minimum=0"),
            ("k8s:alpha(since: `1.36`)=+k8s:optional", beta("1.38"), "k8s:beta(since: `1.38`)=+k8s:optional"),
            (
                "k8s:alpha(owner: \"1.36\", since: \"1.36\")=+k8s:format=x # 1.36",
                beta("1.38"),
                "k8s:beta(owner: \"1.36\", since: \"1.38\")=+k8s:format=x # 1.36",
            ),
            ("k8s:alpha=+k8s:optional", beta(""), "k8s:beta=+k8s:optional"),
            ("k8s:alpha=+k8s:optional", beta("1.38"), "k8s:beta(since: \"1.38\")=+k8s:optional"),
            (
                "k8s:alpha(owner: \"a\")=+k8s:optional",
                beta("1.38"),
                "k8s:beta(since: \"1.38\", owner: \"a\")=+k8s:optional",
            ),
            ("k8s:beta(since: \"1.37\")=+k8s:eachVal=+k8s:maxLength=3", stable(""), "k8s:eachVal=+k8s:maxLength=3"),
        ];
        for (text, step, moved) in rows {
            assert_eq!(rewrite(text, step).as_deref(), Ok(moved), "{text}");
        }
    }

    #[test]
    fn a_line_stays_that_is_too_young_or_at_another_level() {
        let since = "1.36".parse().ok();
        for (text, step, why) in [
            ("k8s:alpha(since: \"1.36\")=+k8s:optional", Step::Beta { since }, "in 1.37 at the earliest"),
            ("k8s:beta(since: \"1.37\")=+k8s:optional", Step::Stable { since }, "in 1.38 at the earliest"),
            ("k8s:alpha(since: \"soon\")=+k8s:optional", Step::Beta { since }, "`soon`, is not a release"),
            ("k8s:beta(since: \"1.37\")=+k8s:optional", Step::Beta { since }, "no such wrapper"),
            ("k8s:alpha=1", Step::Beta { since }, "no such wrapper"),
        ] {
            let said = rewrite(text, step).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
