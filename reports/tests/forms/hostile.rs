//! Every form of a report whose texts try to be something else than text.

use super::sample;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;
use takeover_reports::run::FORMS;
use takeover_reports::{RunReport, acts};

/// Occurs in every hostile text: whoever finds it outside of text has found a way out.
const MARK: &str = "pwned";

/// Texts that would act, each where some form gives it a meaning.
const HOSTILE: [&str; 12] = [
    "<script>alert('pwned')</script><img src=x onerror=\"pwned\">",
    "]]></failure><system-out>pwned</system-out><![CDATA[",
    "\"' onmouseover=pwned x='\"--><!-- pwned",
    "\u{1b}[31mpwned\u{1b}]0;title\u{7}\u{9b}2J\u{0}\u{8}",
    "\u{202e}denwp\u{202c}\u{2066}\u{200f}\u{61c}pwned\u{2028}pwned",
    "\u{fffe}\u{ffff}pwned\u{feff}",
    "pwned\n::error file=x,line=1::pwned\r\n::set-output name=x::pwned%0A::error::pwned",
    "a,line=9::pwned: b|pwned|c",
    "@pwned/team #1 pwned#2 https://pwned.example/ ![pwned](https://pwned.example/x.png) [pwned](javascript:pwned)",
    "`pwned` ``pwned`` ``` pwned\n```\n# pwned\n</code></details></summary><b>pwned</b>\n\n- pwned",
    "&lt;pwned&gt; &#64;pwned &amp; \\u003cscript\\u003e {{ pwned }} {% pwned %}",
    "../../etc/pwned%00?pwned#pwned",
];

/// Every form of a report by name, step summaries too.
fn forms(report: &RunReport) -> Vec<(&'static str, String)> {
    let files = FORMS.iter().map(|form| (form.name, sample::written(report, form.name)));
    let summaries = FORMS.iter().filter_map(|form| Some(("markdown", form.step_summary?(report))));
    files.chain(summaries).collect()
}

/// A look at the structure of a form, which fails when a text has left its place.
fn is_inert(name: &str, text: &str, report: &RunReport) {
    match name {
        "json" => assert_eq!(&serde_json::from_str::<RunReport>(text).unwrap(), report, "JSON says the same"),
        "markdown" => markdown_is_inert(text),
        "junit" => junit_is_valid(text, report),
        "sarif" => sarif_is_valid(text),
        "github" => annotations_are_inert(text, report),
        "html" => html_is_inert(text),
        _ => {}
    }
}

#[test]
fn hostile_texts_are_inert_in_every_form() {
    for hostile in HOSTILE {
        let report = sample::report(hostile);
        for (name, text) in forms(&report) {
            assert!(text.contains(MARK) || name == "github", "{name} shows nothing of {hostile:?}");
            let acting: Vec<char> = text.chars().filter(|c| acts(*c) && *c != '\n').collect();
            assert!(acting.is_empty(), "{name} of {hostile:?} holds {acting:?}");
            is_inert(name, &text, &report);
        }
    }
}

#[test]
fn long_texts_are_cut_in_every_form_for_people_and_say_how_long_they_were() {
    let long = format!("{MARK}{}", "é".repeat(1 << 20));
    let report = sample::report(&long);
    for (name, text) in forms(&report).into_iter().filter(|(name, _)| *name != "json") {
        assert!(text.len() < 400_000, "{name} has {} bytes", text.len());
        // The lines of the screen end where it does.
        let says = text.contains(&format!("({} characters in all)", long.chars().count())) || name == "screen";
        assert!(says, "{name} does not say it");
        is_inert(name, &text, &report);
    }
}

#[test]
fn the_case_of_a_finding_is_cut_before_it_comes_into_a_report() {
    let long = format!("{MARK}{}", "é".repeat(1 << 20));
    let report = sample::report(&long);
    let cases: Vec<_> = report.subjects[0].findings.iter().filter_map(|finding| finding.case.as_ref()).collect();
    assert_eq!(cases.len(), 6);
    for case in cases {
        // The parts of the signature are paths and names of types, which are never long.
        let cut = takeover_reports::FindingCase { signature: None, ..case.cut() };
        let text = serde_json::to_string(&cut).unwrap();
        assert!(text.len() < 200_000, "{} bytes", text.len());
        assert!(text.contains(&format!("({} characters in all)", long.chars().count())));
        assert_eq!(serde_json::from_str::<takeover_reports::FindingCase>(&text).unwrap(), cut);
    }
}

/// Outside of code there are only the words of the report, and no HTML but its own.
fn markdown_is_inert(text: &str) {
    assert!(text.chars().count() <= 250_000);
    let (mut block, mut html_code) = (false, 0_i32);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => block = true,
            Event::End(TagEnd::CodeBlock) => block = false,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic_with("a link", text),
            Event::Text(words) if !block && words.contains(MARK) => panic_with(&words, text),
            Event::Html(html) | Event::InlineHtml(html) => {
                html_code += html.matches("<code>").count() as i32 - html.matches("</code>").count() as i32;
                for tag in html.match_indices('<').filter_map(|(at, _)| html.get(at..)) {
                    let own = ["<details><summary>", "<summary>", "</summary>", "</details>", "<code>", "</code>"];
                    assert!(own.iter().any(|own| tag.starts_with(own)), "{tag}");
                }
                assert_eq!(html_code, 0, "{html}");
            }
            _ => {}
        }
    }
}

fn panic_with(what: &str, text: &str) -> ! {
    unreachable!("{what} outside of code in:\n{text}")
}

fn junit_is_valid(text: &str, report: &RunReport) {
    let schema = uppsala::parse(include_str!("../../schema/junit.xsd")).unwrap();
    let validator = uppsala::XsdValidator::from_schema(&schema).unwrap();
    let document = uppsala::parse(text).unwrap();
    let errors = validator.validate(&document);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    // A case for every rule, the panic, the findings that are decided about and every exception: nothing that a text tried to add.
    let rules: usize = report.subjects.iter().flat_map(|subject| &subject.fields).map(|field| field.rules.len()).sum();
    assert_eq!(text.matches("<testcase ").count(), rules + 4 + report.exceptions.len(), "{text}");
    let suites = report.subjects.len() + 1;
    assert_eq!(text.matches("<system-out").count(), suites, "{text}");
    assert_eq!(text.matches("<system-out></system-out>").count(), suites, "{text}");
}

fn sarif_is_valid(text: &str) {
    let schema: Value = serde_json::from_str(include_str!("../../schema/sarif-2.1.0-part.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let log: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
}

/// A command a line, and only those that the report has.
fn annotations_are_inert(text: &str, report: &RunReport) {
    let commands: Vec<&str> = text.lines().collect();
    // Three findings fail the run, one of them a panic; one is excused, one tolerated; and there are a shard to miss and a tally.
    let due = report.due_exceptions().count();
    for (command, count) in [("::error ", 3), ("::notice ", 3), ("::warning ", 1 + due)] {
        assert_eq!(commands.iter().filter(|line| line.starts_with(command)).count(), count, "{command}: {text}");
    }
    assert_eq!(commands.len(), due + 7, "{text}");
    for command in commands {
        let (properties, _) = command.trim_start_matches("::").split_once("::").unwrap();
        for property in properties.split_once(' ').unwrap().1.split(',') {
            let (name, _) = property.split_once('=').unwrap();
            assert!(["file", "line", "title"].contains(&name), "{command}");
        }
    }
}

/// No element and no attribute that the page does not have of itself; the browser has its say in another test.
fn html_is_inert(text: &str) {
    for (once, count) in
        [("<script", 2), ("</script", 2), ("<style", 1), ("<link", 1), ("<meta", 4), ("<img", 0), ("<b>", 0)]
    {
        assert_eq!(text.matches(once).count(), count, "{once}");
    }
    let (_, body) = text.split_once("<body>").unwrap();
    let (body, scripts) = body.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, _) = scripts.split_once("</script>").unwrap();
    assert!(!data.contains(['<', '>', '&']), "the data could leave its element");
    let data: Value = serde_json::from_str(data).unwrap();
    assert!(data.to_string().contains(MARK));
    // Every text stands where `<` is escaped, and in attributes quotes are, too.
    for tag in body.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        let outside_of_quotes: String = tag.split('"').step_by(2).collect();
        assert!(!outside_of_quotes.contains(MARK) && !tag.contains("href=\"http"), "{tag}");
    }
}
