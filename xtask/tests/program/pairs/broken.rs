//! Descriptions of pairs that make no sense.

use super::lab::{Lab, WIDGET, has_python};

const PAIR: &str = r#"[budget]
cases = 1
[[pair]]
name = "old-to-new"
apiVersion = "shop.example.com/v1"
kind = "Widget"
types = "widget.yaml"
reference = { exec = ["true"] }
candidate = { exec = ["true"] }
"#;

#[test]
fn a_mistake_in_the_settings_is_shown_with_its_line_and_key() {
    let lab = Lab::new();
    for (from, to, said) in [
        ("name = ", "nane = ", ["takeover.toml:4:1", "unknown key `nane`"]),
        ("types = ", "typed = ", ["takeover.toml:7:1", "unknown key `typed`"]),
        ("{ exec = [\"true\"] }", "{ exec = [\"true\"], tags = true }", ["takeover.toml:8:", "exactly one of"]),
        ("{ exec = [\"true\"] }", "{ exce = [\"true\"] }", ["takeover.toml:8:", "exce"]),
        ("{ exec = [\"true\"] }", "{ server = \"kubeconfig\" }", ["takeover.toml:8:", "`server` needs `context`"]),
        ("{ exec = [\"true\"] }", "{ tags = true, timeout = 3 }", ["takeover.toml:8:", "`timeout` is for `exec`"]),
        ("\"old-to-new\"", "\"Old to new\"", ["takeover.toml:3:", "a pair needs a name"]),
    ] {
        assert!(PAIR.contains(from));
        lab.write("takeover.toml", &PAIR.replacen(from, to, 1));
        for command in [&["config"][..], &["soak", "--out", "run"], &["gate"], &["validate", "widget.yaml"]] {
            let ran = lab.run(command);
            assert_eq!(ran.code, 2, "{command:?} {to}: {}", ran.said());
            for said in said {
                assert!(ran.stderr.contains(said), "{command:?} {said}: {}", ran.said());
            }
        }
    }
    let (_, pair) = PAIR.split_once("[[pair]]").unwrap();
    lab.write("takeover.toml", &format!("{PAIR}[[pair]]{pair}"));
    let ran = lab.run(&["soak", "--out", "run"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(
        ran.stderr.contains("there are two pairs `shop.example.com/v1 Widget#old-to-new`, in lines "),
        "{}",
        ran.said()
    );
}

#[test]
fn a_kind_that_the_types_do_not_declare_is_named_with_those_that_they_do() {
    let lab = Lab::new();
    lab.write("takeover.toml", &PAIR.replace("kind = \"Widget\"", "kind = \"Gadget\""));
    let ran = lab.run(&["soak", "--out", "run"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    let said = "`widget.yaml` declares no `shop.example.com/v1 Gadget`: did you mean `shop.example.com/v1 Widget`?";
    assert!(ran.stderr.contains(said), "{}", ran.said());
    lab.write("takeover.toml", &PAIR.replace("widget.yaml", "gadget.yaml"));
    let ran = lab.run(&["soak", "--out", "run"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.stderr.contains("from `gadget.yaml`"), "{}", ran.said());
}

#[test]
fn an_oracle_that_cannot_be_started_is_named_with_the_reason() {
    let lab = Lab::new();
    let ran = lab.soak("exec ./no-such-oracle", "exec true", &["--cases", "1", "--out", "run"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    for said in ["the reference of `shop.example.com/v1 Widget#exec-to-exec`", "`./no-such-oracle`", "No such file"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.said());
    }
    let ran = lab.soak("exec false", "exec true", &["--cases", "1", "--out", "run"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.stderr.contains("no hello: the process exited with code 1"), "{}", ran.said());
}

#[test]
fn an_oracle_of_another_protocol_is_refused() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let candidate = "exec python3 oracle.py other-protocol";
    let ran = lab.soak("exec python3 oracle.py", candidate, &["--cases", "1", "--out", "run"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    let said = "speaks version 2 of the oracle protocol; this Takeover speaks version 1";
    assert!(ran.stderr.contains(said), "{}", ran.said());
}

#[test]
fn flags_that_describe_no_pair_are_refused() {
    let lab = Lab::new();
    for (arguments, said) in [
        (&["--reference", "tags", "--candidate", "nonsense", "--kind", WIDGET][..], "`nonsense` is not an oracle"),
        (&["--reference", "tags", "--kind", WIDGET], "--candidate"),
        (&["--reference", "tags", "--candidate", "tags"], "exactly one --kind"),
        (&["--reference", "tags", "--candidate", "tags", "--kind", "Widget"], "must name version and kind"),
        (&["--reference", "tags", "--candidate", "tags", "--kind", WIDGET, "--types", "widget.yaml"], "needs Go types"),
    ] {
        let ran = lab.run(&[&["soak", "--cases", "1", "--out", "run"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.said());
        assert!(ran.stderr.contains(said), "{arguments:?} {said}: {}", ran.said());
    }
}
