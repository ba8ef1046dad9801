#!/usr/bin/env bash
# The promise of the README on a machine that has nothing: a minimal Debian 12 with git, a clone of HEAD in it, and the two
# commands as the README prints them. Once as a container without user namespaces sees it (chroot), once with them.
# Usage: bare.sh FOLDER [with|without|both]     FOLDER keeps the Debian that debootstrap made, and the logs
# exit 0: both commands ended well, or debootstrap cannot be had here (said); 1: a command failed
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
which=${2:-both}
machine="bare machine"
# shellcheck source=tests/machine/debian.sh
. "$source_dir/tests/machine/debian.sh"
open_folder "$1"

# The commands of the README's first block behind "Two commands", without their comments.
# shellcheck disable=SC2016  # of sed
mapfile -t commands < <(sed -n '/^## Two commands/,/^## /p' "$source_dir/README.md" | sed -n '/^```/,/^```/p' |
  grep -E '^\./dev ' | sed 's/ *#.*//')
[ ${#commands[@]} -eq 2 ] || {
  printf 'bare machine: the README has %s commands behind "Two commands"\n' "${#commands[@]}" >&2
  exit 1
}

run_machine() {
  local kind=$1 root=$folder/machine
  rm -rf "$root"
  cp -a "$folder/debian" "$root"
  share_network "$root"
  write_inside "$root" /root/anima
  git clone -q --no-local "$source_dir" "$root/root/anima"
  printf 'bare machine %s user namespaces: %s\n' "$kind" "$(git -C "$source_dir" log -1 --format=%h)"
  enter "$root" "$kind" "$machine" /root/anima "${commands[@]}" >"$folder/$kind.log" 2>&1 || {
    tail -n 60 "$folder/$kind.log"
    printf 'bare machine %s user namespaces: failed, %s has all of it\n' "$kind" "$folder/$kind.log"
    return 1
  }
  grep -E '^bare machine|tests passed|skipped:' "$folder/$kind.log"
  rm -rf "$root"
}

make_debian bookworm
failed=0
case "$which" in
  with | without) run_machine "$which" || failed=1 ;;
  both)
    run_machine without || failed=1
    run_machine with || failed=1
    ;;
  *)
    printf 'usage: bare.sh FOLDER [with|without|both]\n' >&2
    exit 2
    ;;
esac
exit $failed
