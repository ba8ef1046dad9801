#!/usr/bin/env bash
# Checksums of the files of a release, and with a key their signature, which minisign verifies.
# Usage: checksums.sh FOLDER [KEY]     KEY: a secret key of minisign; FOLDER gets SHA256SUMS, and SHA256SUMS.minisig
# The same files and the same key give the same bytes: what minisign would add of the time is the name of the release.
set -euo pipefail
key=${2:+$(realpath "$2")}
cd "$1"
rm -f SHA256SUMS SHA256SUMS.minisig
mapfile -t files < <(LC_ALL=C ls)
sha256sum -- "${files[@]}" >SHA256SUMS
if [ -z "$key" ]; then
  echo "the release is not signed: ANIMA_RELEASE_KEY names no key of minisign" >&2
  exit 0
fi
release=$(printf '%s\n' "${files[@]}" | sed -n 's/^anima_\(.*\)_[a-z0-9]*\.deb$/\1/p' | head -n 1)
minisign -S -s "$key" -m SHA256SUMS -t "anima ${release:-of no package}" >/dev/null
echo "signed: SHA256SUMS.minisig" >&2
