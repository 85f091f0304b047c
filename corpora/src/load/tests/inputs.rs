//! Files, folders, streams and compression.

use super::{loaded, stream, summary};
use crate::load::{Input, Limits, LoadErrorKind, load};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write as _;

const A: &str = "apiVersion: v1\nkind: A\n";
const B: &str = "apiVersion: v1\nkind: B\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn compressed_data_of_several_members_is_read_to_its_end() {
    let gz = [gzip(A), gzip("---\n"), gzip(B)].concat();
    let skippable = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let zst = [zstd(A), skippable.to_vec(), zstd("---\n"), zstd(B)].concat();
    for (name, bytes) in [("t.yaml.gz", gz), ("t.yaml.zst", zst)] {
        let kinds: Vec<_> = loaded(name, bytes).into_iter().map(|item| item.unwrap().kind).collect();
        assert_eq!(kinds, ["A", "B"], "{name}");
    }
}

#[test]
fn broken_compression_is_an_error_and_not_an_empty_file() {
    let long = format!("{A}x: \"{}\"\n", (0..5000).map(|n| n.to_string()).collect::<String>());
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 20);
        bytes
    };
    for (name, bytes) in [
        ("cut.yaml.gz", cut(gzip(&long))),
        ("cut.yaml.zst", cut(zstd(&long))),
        ("plain.yaml.gz", A.as_bytes().to_vec()),
        ("plain.yaml.zst", A.as_bytes().to_vec()),
    ] {
        let items = loaded(name, bytes);
        assert_eq!(items.len(), 1, "{name}: {items:?}");
        let error = items[0].as_ref().unwrap_err();
        assert_eq!((error.path(), error.kind()), (name, LoadErrorKind::Compression), "{error}");
    }
}

#[test]
fn a_stream_without_ending_is_told_by_its_first_byte() {
    for (bytes, kind) in [
        (A.as_bytes().to_vec(), "A"),
        (b" \n{\"apiVersion\":\"v1\",\"kind\":\"J\"}".to_vec(), "J"),
        (gzip(A), "A"),
        (zstd("{\"apiVersion\":\"v1\",\"kind\":\"J\"}"), "J"),
    ] {
        let items = loaded("-", bytes);
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].as_ref().unwrap().kind, kind);
        assert!(summary(&items)[0].contains(" at -:"));
    }
}

#[test]
fn folders_are_walked_in_order_without_hidden_and_foreign_files() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    put("b.yml", B.as_bytes());
    put("a/z.yaml.gz", &gzip(A));
    put("a/.hidden.yaml", b"broken: [");
    put(".git/x.yaml", b"broken: [");
    put("notes.txt", b"broken: [");
    put("c.json", b"{\"apiVersion\":\"v1\",\"kind\":\"C\"}");
    let documents: Vec<_> = load(vec![Input::named(folder.path())], Limits::default()).map(Result::unwrap).collect();
    let kinds: Vec<_> = documents.iter().map(|document| document.kind.as_str()).collect();
    assert_eq!(kinds, ["A", "B", "C"]);
}

#[test]
fn a_file_named_by_the_user_is_read_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".manifest");
    fs::write(&path, A).unwrap();
    let documents: Vec<_> = load(vec![Input::named(&path)], Limits::default()).collect();
    assert_eq!(documents[0].as_ref().unwrap().kind, "A");
}

#[test]
fn an_empty_folder_and_a_missing_file_are_errors_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("gone.yaml");
    let inputs = vec![Input::named(folder.path()), Input::named(&missing), stream("t.yaml", A)];
    let items: Vec<_> = load(inputs, Limits::default()).collect();
    assert_eq!(items.len(), 3);
    let empty = items[0].as_ref().unwrap_err();
    assert_eq!((empty.kind(), empty.path()), (LoadErrorKind::NothingFound, folder.path().to_str().unwrap()));
    let gone = items[1].as_ref().unwrap_err();
    assert_eq!((gone.kind(), gone.path()), (LoadErrorKind::Unreadable, missing.to_str().unwrap()));
    assert_eq!(items[2].as_ref().unwrap().kind, "A");
}

#[test]
fn inputs_without_any_object_end_in_one_error() {
    for text in ["", "# nothing\n", "---\n---\nnull\n", "apiVersion: v1\nkind: List\nitems: []\n"] {
        let items = loaded("t.yaml", text);
        assert_eq!(summary(&items), ["`t.yaml`: no Kubernetes object in any of the inputs"], "{text:?}");
    }
    let none: Vec<_> = load(Vec::new(), Limits::default()).collect();
    assert_eq!(none[0].as_ref().unwrap_err().kind(), LoadErrorKind::NothingFound);
}

#[test]
fn a_pattern_stands_for_the_files_that_it_matches_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, kind: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("apiVersion: v1\nkind: {kind}\n")).unwrap();
    };
    for (name, kind) in
        [("b/2.yaml", "B2"), ("b/1.yaml", "B1"), ("a/x/1.yaml", "A"), ("a/.hidden/1.yaml", "H"), ("c[1].yaml", "C")]
    {
        put(name, kind);
    }
    let kinds = |pattern: &str| {
        let pattern = folder.path().join(pattern);
        Input::check(&pattern).unwrap();
        let loaded = load(vec![Input::named(&pattern)], Limits::default());
        loaded.map(|document| document.unwrap().kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("**/1.yaml"), ["A", "B1"]);
    assert_eq!(kinds("b/?.yaml"), ["B1", "B2"]);
    assert_eq!(kinds("[ab]"), ["A", "B1", "B2"], "folders are walked");
    assert_eq!(kinds("c[1].yaml"), ["C"], "what exists is no pattern");
    for (pattern, said) in [("*.json", "the pattern matches no file or folder"), ("a/[", "not a pattern: ")] {
        let pattern = folder.path().join(pattern);
        assert!(Input::check(&pattern).unwrap_err().detail().starts_with(said));
        let items: Vec<_> = load(vec![Input::named(&pattern)], Limits::default()).collect();
        assert_eq!(items.len(), 1);
        assert!(items[0].as_ref().unwrap_err().detail().starts_with(said), "{items:?}");
    }
    assert_eq!(crate::load::files(&[folder.path().join("b/*.yaml")]).len(), 2);
}

#[test]
fn the_output_of_kubectl_helm_and_kustomize_is_read() {
    let kubectl = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\n            \"apiVersion\": \"apps/v1\",\n            \"kind\": \"Deployment\"\n        },\n\
        {\"apiVersion\": \"v1\", \"kind\": \"Service\"}\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\"resourceVersion\": \"\"}\n}\n";
    let helm = "---\n# Source: shop/templates/a.yaml\n\n---\n# Source: shop/templates/b.yaml\napiVersion: v1\nkind: Service\n---\n\n---\n# Source: x\napiVersion: v1\nkind: Pod\n";
    let kustomize = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    ---\n    not: a document\n---\napiVersion: v1\nkind: Pod\n";
    for (name, text, kinds) in [
        ("-", kubectl, ["Deployment", "Service"]),
        ("-", helm, ["Service", "Pod"]),
        ("k.yaml", kustomize, ["ConfigMap", "Pod"]),
    ] {
        let found: Vec<_> = loaded(name, text).into_iter().map(|item| item.unwrap().kind).collect();
        assert_eq!(found, kinds, "{name}");
    }
}
