#!/usr/bin/env bash
# The signature of a release, with a key of its own: whoever has the public key sees that the files are those that were signed.
# Usage: signature.sh
set -euo pipefail
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v minisign >/dev/null || {
  # As tools/test_skips.py reads it.
  printf 'signature.sh:1: Skipped\nneeds minisign: apt-get install minisign\n'
  exit 77
}
mkdir "$folder/dist"
echo one >"$folder/dist/anima_0.1.0_amd64.deb"
echo two >"$folder/dist/Another file"
minisign -G -W -f -p "$folder/key.pub" -s "$folder/key" >/dev/null
sign() { "$clone/packaging/checksums.sh" "$folder/dist" "$@" 2>"$folder/said"; }
verify() {
  (cd "$folder/dist" && minisign -V -q -p "$folder/key.pub" -m SHA256SUMS 2>/dev/null && sha256sum --check --quiet --strict SHA256SUMS 2>/dev/null)
}
fail() {
  echo "signature: $*" >&2
  exit 1
}

sign
grep -q 'not signed' "$folder/said" || fail "a release without a key does not say so"
[ ! -e "$folder/dist/SHA256SUMS.minisig" ] || fail "there is a signature without a key"
if verify; then fail "a release that nobody signed is good"; fi
sign "$folder/key"
verify || fail "what was signed is not good"
cp "$folder/dist/SHA256SUMS.minisig" "$folder/first"
sign "$folder/key"
cmp "$folder/first" "$folder/dist/SHA256SUMS.minisig" || fail "the same files have another signature"
echo three >"$folder/dist/Another file"
if verify; then fail "a file that was changed is good"; fi
(cd "$folder/dist" && sha256sum -- *e *.deb >SHA256SUMS)
if verify; then fail "checksums that were changed are good"; fi
sign "$folder/key"
minisign -G -W -f -p "$folder/key.pub" -s "$folder/key" >/dev/null
if verify; then fail "the signature of another is good"; fi
if sign "$folder/nowhere"; then fail "a key that is not there signs"; fi
echo "signature: good"
