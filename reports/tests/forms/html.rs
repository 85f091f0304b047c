//! The HTML report as a browser shows it.

use super::browser::{Page, chromium};
use super::sample;
use serde_json::json;
use std::path::PathBuf;
use takeover_reports::RunReport;
use tempfile::TempDir;

fn written(report: &RunReport) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, sample::written(report, "html")).unwrap();
    (folder, file)
}

/// Two kinds, of four rules and three findings each.
fn report() -> RunReport {
    let mut report = sample::report("v1 Apple");
    report.subjects.extend(sample::report("v1 Pear").subjects);
    for (index, finding) in (1..).zip(report.subjects.iter_mut().flat_map(|subject| &mut subject.findings)) {
        finding.number = index;
    }
    report
}

/// Kinds and numbers of what shows: `Apple: rules, other items`.
const SHOWN: &str = "[...document.querySelectorAll('.subject')].filter(s => s.checkVisibility()).map(s => \
    s.dataset.kind + ': ' + ['.rule', '.finding, .list'].map(q => \
    [...s.querySelectorAll(q)].filter(i => !i.hidden).length).join(', ')).join('; ')";

/// Sets a control as a user would.
fn set(page: &mut Page, control: &str, member: &str, value: &str) {
    page.value(&format!(
        "(() => {{ const c = document.querySelector({control:?}); c.{member} = {value}; \
         c.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    ));
}

fn is_quiet(page: &mut Page) {
    // One more answer, so that nothing is on its way.
    page.value("1");
    assert_eq!(page.complaints, Vec::<String>::new());
    let outside: Vec<&String> = page
        .requests
        .iter()
        .filter(|url| !url.starts_with("file://") && !url.starts_with("data:") && *url != "about:blank")
        .collect();
    assert_eq!(outside, Vec::<&String>::new());
    let files = page.requests.iter().filter(|url| url.starts_with("file://")).count();
    assert_eq!(files, 1, "{:?}", page.requests);
}

#[test]
fn filters_work_by_mouse_keyboard_and_address_without_complaint_or_request() {
    let Some(chromium) = chromium() else { return };
    let (_folder, file) = written(&report());
    let mut page = Page::open(&chromium, &file, "");
    let all = "Apple: 4, 8; Pear: 4, 8";
    assert_eq!(page.value(SHOWN), all);
    assert_eq!(page.value("document.getElementById('status').value"), "8 of 8 rules in 2 of 2 subjects");

    set(&mut page, "#text", "value", "'pear'");
    assert_eq!(page.value(SHOWN), "Pear: 4, 8");
    set(&mut page, "#text", "value", "'PEAR blocked'");
    assert_eq!(page.value(SHOWN), "Pear: 1, 0", "every word has to occur");
    set(&mut page, "#text", "value", "'no such thing'");
    assert_eq!(page.value(SHOWN), "");
    set(&mut page, "#text", "value", "''");
    set(&mut page, "#kind", "value", "'Apple'");
    assert_eq!(page.value(SHOWN), "Apple: 4, 8");
    set(&mut page, "input[value=ready]", "checked", "false");
    assert_eq!(page.value(SHOWN), "Apple: 3, 7", "what has no verdict goes when verdicts are chosen");
    assert_eq!(page.value("document.getElementById('status').value"), "3 of 8 rules in 1 of 2 subjects");
    let address = page.value("location.hash").as_str().unwrap().to_owned();
    page.value("document.querySelector('button[type=reset]').click()");
    page.until("document.getElementById('status').value === '8 of 8 rules in 2 of 2 subjects'");
    assert_eq!(page.value("location.hash"), "");

    // By keyboard alone: to the text, away from it, to the first verdict.
    page.press("/");
    assert_eq!(page.value("document.activeElement.id"), "text");
    for key in ["p", "e", "a", "r"] {
        page.press(key);
    }
    assert_eq!(page.value(SHOWN), "Pear: 4, 8");
    page.press("Escape");
    page.until("document.getElementById('status').value === '8 of 8 rules in 2 of 2 subjects'");
    for _ in 0..2 {
        page.press("Tab");
    }
    assert_eq!(page.value("document.activeElement.value"), "ready");
    page.press(" ");
    assert_eq!(page.value(SHOWN), "Apple: 3, 7; Pear: 3, 7");
    is_quiet(&mut page);
    drop(page);

    // The address of a filtered report shows it again, and that of a finding opens it.
    let mut page = Page::open(&chromium, &file, &address);
    assert_eq!(page.value(SHOWN), "Apple: 3, 7");
    page.value("location.hash = '#finding-5'");
    page.until("document.getElementById('finding-5').open && document.getElementById('finding-5').checkVisibility()");
    is_quiet(&mut page);
}

/// Opens everything, in view or not, and waits until its details are there.
fn open_all(page: &mut Page) {
    page.value(
        "document.querySelectorAll('main details').forEach(d => { d.open = true; \
         d.style.contentVisibility = 'visible'; })",
    );
    page.until("[...document.querySelectorAll('main details')].every(d => d.childElementCount > 1)");
}

#[test]
fn what_is_opened_shows_everything_that_the_report_knows_of_it() {
    let Some(chromium) = chromium() else { return };
    let (_folder, file) = written(&report());
    let mut page = Page::open(&chromium, &file, "");
    assert_eq!(
        page.value(
            "[...document.querySelectorAll('.rule, .finding, .list')].filter(d => d.childElementCount > 1).length"
        ),
        0
    );
    open_all(&mut page);
    let mut said = |selector: &str| {
        let text = page.value(&format!("document.querySelector('{selector}').innerText.replace(/\\s+/g, ' ')"));
        text.as_str().unwrap().to_owned()
    };
    let blocked = said(".rule:has(b.blocked)");
    for part in [
        "v1 Apple → v1 Apple",
        "Met: v1 Apple.",
        "create 7 4 1 1 1 0 2",
        "v1 Apple (breaks) 0 0",
        "No object can show: v1 Apple (v1 Apple).",
        "at most 25.000 % of cases disagree, 95 % sure",
        "alpha since v1 Apple; may not become beta yet: v1 Apple",
        "a handwritten check reports the same: v1 Apple FieldValueInvalid (v1 Apple)",
        "1 of 2 exposed; survived: v1 Apple; 1 that nobody can tell from the rule; v1 Apple could not be exposed here (v1 Apple)",
        "Kept bad values 1",
        "Written at v1 Apple:7",
    ] {
        assert!(blocked.contains(part), "`{part}` is not in\n{blocked}");
    }
    let finding = said("#finding-2");
    for part in [
        "finding 2 3 × v1 Apple",
        "Exception: was excused (missing) until 2027-01-31",
        "Attributed to v1 Apple alpha v1 Apple.",
        "First seen: v1 Apple",
        "- FieldValueInvalid v1 Apple (v1 Apple) {\"v1 Apple\":[\"v1 Apple\"]}",
        "kind: Case",
        "Reproduce: v1 Apple",
    ] {
        assert!(finding.contains(part), "`{part}` is not in\n{finding}");
    }
    assert!(said("#finding-1").starts_with("excused finding 1"));
    assert!(said("#finding-3").contains("Panic: `v1 Apple`"));
    assert!(said(".list:has(b.not-migrated)").contains("v1 Apple v1 Apple (v1 Apple): 1 on create, 2 on update"));
    assert!(said(".list:last-of-type").contains("v1 Apple: v1 Apple"));
    assert!(said("#exceptions").contains("stale: the run has no such finding"));
    is_quiet(&mut page);
}

#[test]
fn without_its_script_the_page_has_the_summary_and_every_rule_with_its_verdict() {
    let text = sample::written(&report(), "html");
    let (body, _) = text.split_once("<script type=").unwrap();
    assert!(body.contains("<p class=\"verdict\">The 1 handwritten check"), "{body}");
    assert_eq!(body.matches("<details class=\"rule\"><summary><b class=").count(), 8);
    assert_eq!(
        body.matches("<details class=\"subject\"").count(),
        body.matches("data-kind=\"Apple\" open>").count() * 2
    );
}

#[test]
fn hostile_texts_stay_text_in_a_browser() {
    let Some(chromium) = chromium() else { return };
    let hostile = "<script>document.title='pwned';alert(1)</script><img src=https://pwned.example/x onerror=alert(1)>\
        ]]></style><style>body{display:none}</style>\"' onclick=alert(1) \u{202e}\u{1b}[31m\u{0}-->{{7*7}}\
        <svg onload=alert(1)><base href=https://pwned.example/><meta http-equiv=refresh content='0;https://pwned.example/'>";
    let (_folder, file) = written(&sample::report(&format!("v1 {hostile}")));
    let mut page = Page::open(&chromium, &file, "");
    open_all(&mut page);
    let counts = "['script', 'style', 'img', 'base', 'meta', 'link', 'svg:not(.bars svg)'].map(q => \
        document.querySelectorAll(q).length)";
    assert_eq!(page.value(counts), json!([2, 1, 0, 0, 4, 1, 0]));
    assert_eq!(page.value("document.title.startsWith('Takeover: v1 <script>')"), true);
    let handlers =
        "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on'))";
    assert_eq!(page.value(handlers), json!([]));
    assert_eq!(page.value("[...document.querySelectorAll('[href]')].map(e => e.getAttribute('href')).filter(h => !/^(#|data:,$)/.test(h))"), json!([]));
    set(&mut page, "#text", "value", "'<script>'");
    assert_eq!(page.value("document.getElementById('status').value"), "4 of 4 rules in 1 of 1 subjects");
    is_quiet(&mut page);
}
