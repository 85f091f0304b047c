//! The server as an operator runs it.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use assert_cmd::Command;

fn takeover(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("takeover").unwrap().args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_self_test_says_that_the_server_is_sound() {
    let (code, said, errors) = takeover(&["shadow", "--self-test", "--kind", "ReplicationController"]);
    assert_eq!(code, 0, "{said}{errors}");
    assert_eq!(said.lines().filter(|line| line.starts_with("ok ")).count(), 7, "{said}");
    assert!(said.contains("the server is sound"), "{said}");
}

#[test]
fn a_server_without_a_certificate_says_how_to_get_one() {
    let (code, _, errors) = takeover(&["shadow"]);
    assert!(code == 2 && errors.contains("--make-certificate"), "{errors}");
}

#[test]
fn certificates_are_made_for_their_owner_only_and_not_overwritten() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_string_lossy().into_owned();
    let make = || takeover(&["shadow", "--make-certificate", &place, "--host", "localhost"]);
    assert_eq!(make().0, 0);
    let key = folder.path().join("tls.key");
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let before = std::fs::read(&key).unwrap();
    let (code, _, errors) = make();
    assert!(code == 2 && errors.contains("failed to write"), "{errors}");
    assert_eq!(std::fs::read(&key).unwrap(), before);
}

#[test]
fn wrong_settings_are_named_with_their_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shadow.toml");
    std::fs::write(&file, "[compare]\nshare = 2\n").unwrap();
    let (code, _, errors) = takeover(&["shadow", "--self-test", "--settings", &file.to_string_lossy()]);
    assert!(code == 2 && errors.contains("shadow.toml") && errors.contains("`compare.share` is 2"), "{errors}");
    let (code, example, _) = takeover(&["shadow", "--example"]);
    assert!(code == 0 && example.contains("\nshare = 1.0\n"), "{example}");
}
