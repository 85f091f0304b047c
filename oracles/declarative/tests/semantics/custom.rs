//! `customValidation`: what plug-ins are called with, and what becomes of their errors.

use super::support::{Compiled, Go, Row, check, create, show};
use takeover_declarative::{CompileSettings, CustomValidations};
use takeover_harness::case::Options;
use takeover_harness::error::FieldError;

const GO: Go = Go::Source(
    "// +k8s:customValidation\n\
     type S struct {\n\
     \t// +k8s:alpha(since: \"1.37\")=+k8s:customValidation\n\
     \tText string `json:\"text\"`\n\n\
     \t// +k8s:ifEnabled(O)=+k8s:customValidation\n\
     \tGated *string `json:\"gated\"`\n\
     }",
);

/// Every function complains, and says what it knows of the old value.
fn complaining() -> CompileSettings {
    let mut custom = CustomValidations::new();
    for name in ["ValidateCustom_S", "ValidateCustom_S_Text", "ValidateCustom_S_Gated"] {
        custom.insert(name, move |value| {
            let old = if value.old.is_some() { "old" } else { "no old" };
            vec![FieldError::forbidden(value.path, format!("{name}, {old}"))]
        });
    }
    CompileSettings { custom, ..CompileSettings::default() }
}

#[test]
fn plug_ins_are_called_by_name_and_their_errors_are_marked() {
    let compiled = Compiled::with(&GO.source(), &complaining());
    let judge = |on: bool, object: &str, old: Option<&str>| {
        let mut options = Options::new();
        options.set("O", on);
        compiled.judge_with(&options, object, old).iter().map(show).collect::<Vec<_>>()
    };
    let root = "Forbidden <nil> detail=ValidateCustom_S, no old";
    let text = "Forbidden text detail=ValidateCustom_S_Text, no old alpha";
    assert_eq!(judge(false, "{}", None), [root, text]);
    assert_eq!(judge(true, "{}", None), [root, text, "Forbidden gated detail=ValidateCustom_S_Gated, no old"]);
    // Fields that stay are skipped, the type is not.
    let changed = judge(true, r#"{"text":"a","gated":"b"}"#, Some(r#"{"text":"b","gated":"b"}"#));
    assert_eq!(
        changed,
        ["Forbidden <nil> detail=ValidateCustom_S, old", "Forbidden text detail=ValidateCustom_S_Text, old alpha"]
    );
}

#[test]
fn options_are_asked_for_without_plug_ins_too() {
    const UNDEFINED: &str = "Internal gated bad=null detail=undefined validation option \"O\"";
    let rows: [Row; 3] = [
        create(GO, "{}", &[UNDEFINED]),
        create(GO, "{}", &[]).with(&[("O", true)]),
        create(GO, "{}", &[]).with(&[("O", false)]),
    ];
    check(&rows);
}
