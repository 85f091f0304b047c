//! The documentation holds together: every page has its place in the book, and every link leads somewhere.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What a link needs to know of a page.
struct Page {
    /// Targets of links, as written.
    links: Vec<String>,
    /// The names that links may point at within it.
    anchors: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The anchor that GitHub and mdBook give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn read(path: &Path) -> Page {
    let text = fs::read_to_string(path).unwrap();
    let (mut links, mut anchors, mut heading) = (Vec::new(), BTreeSet::new(), None::<String>);
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => links.push(dest_url.to_string()),
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let name = anchor(&heading.take().unwrap());
                // The second heading of a name is called `name-1`.
                let repeated = (1..).map(|number| format!("{name}-{number}"));
                let free = std::iter::once(name.clone()).chain(repeated).find(|name| !anchors.contains(name));
                anchors.insert(free.unwrap());
            }
            _ => {}
        }
    }
    Page { links, anchors }
}

fn pages() -> BTreeMap<PathBuf, Page> {
    let root = root();
    let mut paths = vec![root.join("README.md"), root.join("ARCHITECTURE.md"), root.join("CHANGELOG.md")];
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    paths.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let mut broken = Vec::new();
    let mut looked_at = 0;
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            looked_at += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let Ok(target) = target.canonicalize() else {
                broken.push(format!("{}: `{link}`: no such file", path.display()));
                continue;
            };
            let known = pages.get(&target).is_none_or(|page| heading.is_empty() || page.anchors.contains(heading));
            if !known {
                broken.push(format!("{}: `{link}`: no such heading", path.display()));
            }
        }
    }
    assert!(looked_at > 20, "{looked_at}");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_book_has_every_page_once() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let mut listed = summary.links.clone();
    listed.sort();
    let mut there: Vec<_> = fs::read_dir(&docs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect();
    there.sort();
    assert_eq!(listed, there);
}

#[test]
fn every_alert_names_its_section_of_the_runbook() {
    let rules = fs::read_to_string(root().join("deploy/monitoring/rules.yaml")).unwrap();
    let values = |key: &str| rules.lines().filter_map(|line| line.trim_start().strip_prefix(key)).collect::<Vec<_>>();
    let (alerts, runbooks) = (values("- alert: "), values("runbook_url: "));
    assert!(alerts.len() > 10, "{}", alerts.len());
    let wanted: Vec<String> = alerts.iter().map(|alert| format!("/shadow.md#{}", alert.to_lowercase())).collect();
    let ends = |(page, wanted): (&&str, &String)| page.ends_with(wanted.as_str());
    assert!(runbooks.len() == wanted.len() && runbooks.iter().zip(&wanted).all(ends), "{runbooks:?}");
    let known = &pages()[&root().join("docs/shadow.md")].anchors;
    let lost = alerts.iter().filter(|alert| !known.contains(&anchor(alert))).collect::<Vec<_>>();
    assert!(lost.is_empty(), "no section for {lost:?}");
}
