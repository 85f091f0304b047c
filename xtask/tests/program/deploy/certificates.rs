//! The script that makes and renews certificates, also where it is interrupted.

use super::{copy, deploy, documents};
use assert_cmd::Command;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use takeover_shadow::certificate::Certificate;
use tempfile::TempDir;

/// The folder of the script, and in `tools` programs that it finds before others.
struct SelfSigned {
    folder: PathBuf,
    path: String,
    scratch: TempDir,
}

/// What the script leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Left {
    authority: String,
    key: String,
    trusted: String,
}

impl SelfSigned {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let (folder, tools) = (scratch.path().join("self-signed"), scratch.path().join("tools"));
        copy(&deploy().join("self-signed"), &folder);
        fs::create_dir(&tools).unwrap();
        let program = PathBuf::from(env!("CARGO_BIN_EXE_takeover"));
        let others = std::env::var("PATH").unwrap();
        let path = format!("{}:{}:{others}", tools.display(), program.parent().unwrap().display());
        Self { folder, path, scratch }
    }

    fn script(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command.arg(self.folder.join("certificate.sh")).args(arguments).env("PATH", &self.path);
        command
    }

    /// Runs the script to its end.
    fn run(&self, arguments: &[&str]) -> Left {
        self.script(arguments).assert().success();
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap();
        let patch = documents(&[self.folder.join("ca-bundle.yaml")]).remove(0);
        let bundle = patch["webhooks"][0]["clientConfig"]["caBundle"].clone();
        let trusted = String::from_utf8(STANDARD.decode(bundle.as_str().unwrap()).unwrap()).unwrap();
        takeover_shadow::load::trusting(&trusted).unwrap();
        Certificate::read(&self.folder.join("tls.crt"), &self.folder.join("tls.key")).unwrap();
        Left { authority: read("ca.crt"), key: read("tls.key"), trusted }
    }

    /// Whether the script comes to its end where it is killed after `files` of its files were copied, moved or removed.
    fn survives(&self, arguments: &[&str], files: usize) -> bool {
        let (tools, count) = (self.scratch.path().join("tools"), self.scratch.path().join("count"));
        fs::write(&count, files.to_string()).unwrap();
        for (tool, to) in [("cp", "\"$to\""), ("mv", "\"$to\""), ("rm", "")] {
            fs::write(tools.join(tool), interrupting(&real(tool), to, &count)).unwrap();
            fs::set_permissions(tools.join(tool), Permissions::from_mode(0o755)).unwrap();
        }
        let output = self.script(arguments).output().unwrap();
        fs::remove_dir_all(&tools).unwrap();
        fs::create_dir(&tools).unwrap();
        output.status.success()
    }
}

/// Where a program is.
fn real(tool: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|path| path.is_file()).unwrap()
}

/// A program that does what `real` does to one file after the other, and kills its caller before the one after `count`.
fn interrupting(real: &Path, to: &str, count: &Path) -> String {
    let (real, count) = (real.display(), count.display());
    let takes = if to.is_empty() { 0 } else { 1 };
    format!(
        "#!/bin/sh\nflags=\ncase $1 in -*) flags=$1; shift;; esac\nfor to; do :; done\n\
         while [ $# -gt {takes} ]; do\n  left=$(cat {count})\n\
         if [ $left = 0 ]; then kill -KILL $PPID; exit 1; fi\n  echo $((left - 1)) > {count}\n\
         {real} $flags \"$1\" {to} || exit\n  shift\ndone\n"
    )
}

#[test]
fn a_certificate_stays_until_it_is_renewed_and_is_trusted_until_pods_have_the_next() {
    let signed = SelfSigned::new();
    let first = signed.run(&[]);
    assert_eq!(first.trusted, first.authority);
    assert_eq!(signed.run(&[]), first, "the runbook may be followed again");
    let second = signed.run(&["--renew"]);
    assert!(second.authority != first.authority && second.key != first.key);
    assert_eq!(second.trusted, second.authority.clone() + &first.authority);
    let third = signed.run(&["--renew"]);
    assert_eq!(third.trusted, third.authority.clone() + &second.trusted, "which of them pods have, nobody knows here");
    // What is lost is made anew.
    fs::remove_file(signed.folder.join("tls.key")).unwrap();
    let fourth = signed.run(&[]);
    assert!(fourth.key != third.key && fourth.trusted == fourth.authority.clone() + &third.trusted);
    let mode = fs::metadata(signed.folder.join("tls.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "for its owner alone");
}

#[test]
fn wherever_a_renewal_is_interrupted_certificate_and_key_fit_and_what_pods_have_stays_trusted() {
    let signed = SelfSigned::new();
    let mut deployed = signed.run(&[]);
    let mut interrupted = 0;
    while !signed.survives(&["--renew"], interrupted) {
        let left = signed.run(&[]);
        assert!(left.trusted.starts_with(&left.authority), "after {interrupted} files");
        assert!(left.trusted.contains(&deployed.authority), "after {interrupted} files");
        assert_eq!(signed.run(&[]), left, "after {interrupted} files");
        deployed = left;
        interrupted += 1;
    }
    assert!(interrupted > 5, "{interrupted}");
}
