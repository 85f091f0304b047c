#!/bin/sh
# Makes pictures of the table and of the HTML report with a Chromium that needs no window.
#
#   docs/screenshots.sh [FOLDER]     default: target/screenshots; pictures are not kept in the repository
#
# TAKEOVER_CHROMIUM names another browser.
set -eu

cd "$(dirname "$0")/.."
out=${1:-target/screenshots}
chromium=${TAKEOVER_CHROMIUM:-chromium}
command -v "$chromium" >/dev/null || { echo "no \`$chromium\`: TAKEOVER_CHROMIUM names another" >&2; exit 2; }
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Findings are what the pictures are to show, and end the soak with code 1.
cargo xtask soak --seed 7 --cases 6000 --kind ReplicationController --out "$work/run" >"$work/table.txt" || [ $? -eq 1 ]

picture() { # address, width and height, name, more flags
    address=$1 size=$2 name=$3
    shift 3
    "$chromium" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --window-size="$size" --screenshot="$out/$name.png" "$@" "$address" >/dev/null 2>&1
    [ -s "$out/$name.png" ] || { echo "$chromium made no picture of $address" >&2; exit 1; }
    echo "$out/$name.png"
}

{
    echo '<!doctype html><meta charset="utf-8"><style>pre { font: 13px monospace; }</style><pre>'
    head -40 "$work/table.txt" | sed 's/&/\&amp;/g; s/</\&lt;/g'
    echo '</pre>'
} >"$work/table.html"

picture "file://$work/table.html" 1250,720 table
picture "file://$work/run/report.html" 1280,1100 report
picture "file://$work/run/report.html#?verdict=blocked" 1280,1400 report-blocked
picture "file://$work/run/report.html" 1280,1100 report-dark --force-dark-mode
picture "file://$work/run/report.html" 390,1400 report-phone
picture "file://$work/run/report.html" 390,1400 report-phone-dark --force-dark-mode
