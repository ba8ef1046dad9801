#!/usr/bin/env bash
# The Debian packages of a build pass lintian, as those of a release have to: their fields, files, scripts, units and pages. What is
# packed is what was built, so that it costs no compilation.
# Usage: debian.sh BINARY_DIR
set -euo pipefail
for tool in lintian dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || {
    # As tools/test_skips.py reads it.
    printf 'debian.sh:1: Skipped\nneeds %s: ./dev setup release\n' "$tool"
    exit 77
  }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$1"
HOME=/nonexistent cpack -G DEB -B "$folder" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$folder/log" 2>&1 || {
  tail -n 20 "$folder/log"
  exit 1
}
for package in anima_ anima-forge_ libanima0_ libanima-dev_; do
  [ -n "$(compgen -G "$folder/$package*.deb")" ] || {
    echo "there is no package $package"
    exit 1
  }
done
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$folder"/*.deb
