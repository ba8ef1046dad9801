#!/usr/bin/env bash
# The files of a release on machines that have nothing: in a minimal Debian 12 each is installed as the README says, with what it
# declares and nothing else, and used by somebody who is not root. What is done there: packages_inside.sh.
# Usage: packages.sh DIST FOLDER [deb|service|development|wheel]...     FOLDER keeps the Debian that debootstrap made, and the logs
# exit 0: all good, or debootstrap cannot be had here (said); 1: one failed
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dist=$(realpath "$1")
machine=packages
# shellcheck source=tests/machine/debian.sh
. "$source_dir/tests/machine/debian.sh"
open_folder "$2"
shift 2
[ $# -gt 0 ] || set -- deb service development wheel

# run_in ROOT WHAT: a service is tried under the systemd that was installed there before.
run_in() {
  enter "$1" without "$machine" /root/release "bash packages_inside.sh $2" || return 1
  [ "$2" != service ] || boot "$1" "$machine" /root/release "bash packages_inside.sh booted"
}

# try WHAT: in a Debian of its own.
try() {
  local what=$1 root=$folder/machine
  rm -rf "$root"
  cp -a "$folder/debian" "$root"
  share_network "$root"
  write_inside "$root" /root/release
  mkdir "$root/root/release"
  cp "$dist"/* "$source_dir/tests/machine/packages_inside.sh" "$root/root/release/"
  cp -r "$source_dir/tests/install" "$source_dir/examples/library/data" "$root/root/release/"
  run_in "$root" "$what" >"$folder/$what.log" 2>&1 || {
    tail -n 40 "$folder/$what.log"
    printf '%s: %s failed, %s has all of it\n' "$machine" "$what" "$folder/$what.log"
    return 1
  }
  grep -E '^packages' "$folder/$what.log"
  rm -rf "$root"
}

# The pages name files of this release.
mapfile -t named < <(grep -ohE '(lib)?anima[A-Za-z0-9_.-]*\.(deb|whl|json|gz)' "$source_dir"/README.md \
  "$source_dir"/docs/{packages,python}.md | sort -u)
for file in "${named[@]}"; do
  [ -f "$dist/$file" ] || {
    printf '%s: README.md, docs/packages.md or docs/python.md names %s, which is not in %s\n' "$machine" "$file" "$dist" >&2
    exit 1
  }
done

make_debian
failed=0
for what in "$@"; do try "$what" || failed=1; done
exit $failed
