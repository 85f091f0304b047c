//! Files as a kubelet mounts Secrets and ConfigMaps: links into a folder that is replaced as a whole.

use super::{Process, one_rc, post_all, takeover};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Has the links of `volume` lead to the files in its folder `version`, at once.
fn switch(volume: &Path, version: &str) {
    let next = volume.join("..data_tmp");
    symlink(version, &next).unwrap();
    fs::rename(next, volume.join("..data")).unwrap();
}

#[test]
fn a_secret_and_a_config_map_that_change_reach_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let volume = folder.path().join("volume");
    let version = |name: &str| {
        let made = volume.join(name);
        assert_eq!(takeover(&["shadow", "--make-certificate", &made.to_string_lossy(), "--host", super::HOST]).0, 0);
        fs::read_to_string(made.join("ca.crt")).unwrap()
    };
    version("..1");
    switch(&volume, "..1");
    for name in ["tls.crt", "tls.key", "shadow.toml"] {
        symlink(Path::new("..data").join(name), volume.join(name)).unwrap();
    }
    let process = Process::start(&volume, &folder.path().join("evidence"), "one");

    let second = version("..2");
    let settings = fs::read_to_string(volume.join("shadow.toml")).unwrap();
    fs::write(volume.join("..2/shadow.toml"), settings + "[compare]\nenabled = false\n").unwrap();
    switch(&volume, "..2");
    process.until("certificate and settings are read again", |process| {
        process.metric("takeover_shadow_reloads_total{outcome=\"ok\"}") == 2
    });
    post_all(&[one_rc("a")], &process, &second);
    assert_eq!(process.metric("takeover_shadow_requests_total{outcome=\"switched_off\"}"), 1);
    assert_eq!(process.end(), 0);
}
