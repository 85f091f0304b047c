//! The schema of the JUnit form: what it must not let pass, because the schemas of Ant and Jenkins do not either.

use super::sample;

fn is_valid(text: &str) -> bool {
    let schema = uppsala::parse(include_str!("../../schema/junit.xsd")).unwrap();
    let validator = uppsala::XsdValidator::from_schema(&schema).unwrap();
    validator.validate(&uppsala::parse(text).unwrap()).is_empty()
}

#[test]
fn a_document_that_others_would_refuse_is_refused_by_the_schema() {
    let text = sample::written(&sample::report("v1 Apple"), "junit");
    assert!(is_valid(&text), "{text}");
    for (part, other) in [
        ("<testsuites>", "<testsuites name=\"takeover\">"),
        ("<testsuites>", "<testsuites tests=\"6\">"),
        (" package=\"takeover\"", ""),
        (" id=\"0\"", ""),
        (" id=\"0\"", " id=\"first\""),
        (" hostname=\"localhost\"", ""),
        (" hostname=\"localhost\"", " hostname=\"\""),
        (" timestamp=\"1970-01-01T00:00:00\"", ""),
        (" timestamp=\"1970-01-01T00:00:00\"", " timestamp=\"1970-01-01T00:00:00.5Z\""),
        (" timestamp=\"1970-01-01T00:00:00\"", " timestamp=\"1970-13-01T00:00:00\""),
        (" time=\"0\">", ">"),
        (" time=\"0\"/>", "/>"),
        (" time=\"0\"", " time=\"1e3\""),
        ("<system-out></system-out>", ""),
        ("<system-err></system-err>", ""),
        ("<properties>", "<system-out></system-out><properties>"),
        ("<skipped message", "<skipped type=\"t\" message"),
        (" type=\"panic\"", ""),
        (" type=\"blocked\"", ""),
        ("<property name=\"cases\"", "<property name=\"\""),
        (" classname=\"v1 Apple\"", ""),
        (" failures=", " flakes="),
    ] {
        assert!(text.contains(part), "there is no `{part}` in\n{text}");
        assert!(!is_valid(&text.replacen(part, other, 1)), "`{part}` may become `{other}`");
    }
}
