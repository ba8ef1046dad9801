#!/usr/bin/env bash
# The files of a release on machines that have nothing: in a minimal Debian 12, and those that are for a newer one in that, too, each
# is installed as the README says, with what it declares and nothing else, and used by somebody who is not root. What is done there:
# packages_inside.sh. The steps of the Dockerfile: dockerfile.py.
# Usage: packages.sh DIST FOLDER [deb|service|development|wheel|tarball|npm|docker[@SUITE]]...
# FOLDER keeps the Debians that debootstrap made, and the logs; SUITE is trixie, or bookworm without one
# exit 0: all good, or debootstrap cannot be had here (said); 1: one failed
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dist=$(realpath "$1")
machine=packages
# shellcheck source=tests/machine/debian.sh
. "$source_dir/tests/machine/debian.sh"
open_folder "$2"
shift 2
[ $# -gt 0 ] || set -- deb service development wheel tarball npm docker tarball@trixie npm@trixie

# run_in ROOT WHAT: a service is tried under the systemd that was installed there before.
run_in() {
  if [ "$2" = docker ]; then
    unshare --mount --pid --fork --kill-child --propagation private python3 "$source_dir/tests/machine/dockerfile.py" \
      "$source_dir/packaging/Dockerfile" "$dist" "$1"
    return
  fi
  enter "$1" without "$machine" /root/release "bash packages_inside.sh $2" || return 1
  [ "$2" != service ] || boot "$1" "$machine" /root/release "bash packages_inside.sh booted"
}

# try WHAT[@SUITE]: in a Debian of its own.
try() {
  local what=${1%@*} suite=bookworm root=$folder/machine
  [ "$what" = "$1" ] || suite=${1#*@}
  make_debian "$suite"
  rm -rf "$root"
  cp -a "$(debian_folder "$suite")" "$root"
  share_network "$root"
  write_inside "$root" /root/release
  mkdir "$root/root/release"
  cp "$dist"/* "$source_dir/tests/machine/packages_inside.sh" "$root/root/release/"
  cp -r "$source_dir/tests/install" "$source_dir/examples/library/data" "$root/root/release/"
  cp "$source_dir/bindings/c/tests/first.c" "$root/root/release/install/"
  run_in "$root" "$what" >"$folder/$1.log" 2>&1 || {
    tail -n 40 "$folder/$1.log"
    printf '%s: %s failed, %s has all of it\n' "$machine" "$1" "$folder/$1.log"
    return 1
  }
  grep -E '^(packages|dockerfile: healthy)' "$folder/$1.log" | sed "s/^packages:/packages: $suite:/"
  rm -rf "$root"
}

# The pages name files of this release.
mapfile -t named < <(grep -ohE '(lib)?anima[A-Za-z0-9_.-]*\.(deb|whl|json|gz|tgz)' "$source_dir"/README.md \
  "$source_dir"/docs/{packages,python,typescript}.md | sort -u)
for file in "${named[@]}"; do
  [ -f "$dist/$file" ] || {
    printf '%s: README.md, docs/packages.md, docs/python.md or docs/typescript.md names %s, which is not in %s\n' "$machine" "$file" "$dist" >&2
    exit 1
  }
done

failed=0
for what in "$@"; do try "$what" || failed=1; done
exit $failed
