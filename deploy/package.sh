#!/usr/bin/env bash
# Builds the program for this machine and packs it with its completions and manual pages:
#   deploy/package.sh FOLDER
# leaves takeover-VERSION-TARGET.tar.gz and its SHA-256 checksum in FOLDER.
set -euo pipefail
out=$(mkdir -p "${1:?a folder to write to}" && cd "$1" && pwd)
cd "$(dirname "$0")/.."

cargo build --locked --profile dist --package takeover-xtask --bin takeover
program=${CARGO_TARGET_DIR:-target}/dist/takeover
version=$("$program" -V | cut -d ' ' -f 2)
target=$(rustc -vV | sed -n 's/^host: //p')
name=takeover-$version-$target

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/completions"
cp "$program" LICENSE README.md CHANGELOG.md "$work/$name"
"$program" completions bash >"$work/$name/completions/takeover.bash"
"$program" completions zsh >"$work/$name/completions/_takeover"
"$program" completions fish >"$work/$name/completions/takeover.fish"
"$program" man "$work/$name/man"
tar -czf "$out/$name.tar.gz" -C "$work" "$name"
cd "$out"
if command -v sha256sum >/dev/null; then sha256sum "$name.tar.gz"; else shasum -a 256 "$name.tar.gz"; fi >"$name.tar.gz.sha256"
cat "$name.tar.gz.sha256"
