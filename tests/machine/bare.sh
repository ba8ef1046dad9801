#!/usr/bin/env bash
# The promise of the README on a machine that has nothing: a minimal Debian 12 with git, a clone of HEAD in it, and the two
# commands as the README prints them. Once as a container without user namespaces sees it (chroot), once with them.
# Nothing of this machine is found inside but its kernel, its network and the certificates that it trusts.
# Usage: bare.sh FOLDER [with|without|both]     FOLDER keeps the Debian that debootstrap made, and the logs
# exit 0: both commands ended well, or debootstrap cannot be had here (said); 1: a command failed
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1
which=${2:-both}
mirror=http://deb.debian.org/debian

skip() {
  printf 'bare machine: skipped: %s\n' "$*"
  exit 0
}

[ "$(id -u)" = 0 ] || skip "it needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap (apt-get install debootstrap)"
unshare --mount --pid --fork true 2>/dev/null || skip "mounting is not allowed here"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# The commands of the README's first block behind "Two commands", without their comments.
# shellcheck disable=SC2016  # of sed
mapfile -t commands < <(sed -n '/^## Two commands/,/^## /p' "$source_dir/README.md" | sed -n '/^```/,/^```/p' |
  grep -E '^\./dev ' | sed 's/ *#.*//')
[ ${#commands[@]} -eq 2 ] || {
  printf 'bare machine: the README has %s commands behind "Two commands"\n' "${#commands[@]}" >&2
  exit 1
}

make_debian() {
  [ -f "$folder/debian.done" ] && return
  rm -rf "$folder/debian"
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$folder/debian" "$mirror" >"$folder/debootstrap.log" 2>&1 || {
    tail -n 5 "$folder/debootstrap.log" >&2
    skip "debootstrap failed"
  }
  touch "$folder/debian.done"
}

# What a machine on this network must know to reach the registries: names, certificates, and what their clients are told.
share_network() {
  local root=$1
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$root/usr/local/share/ca-certificates"
  cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  env | grep -E '^(PIP_(CERT|INDEX_URL|DEFAULT_TIMEOUT)|npm_config_[a-z_]*|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|https?_proxy|no_proxy)=' \
    >"$root/root/network.env" || true
}

# The inside of one machine, as its first process: mounts, and then the commands.
write_inside() {
  cat >"$1/root/inside.sh" <<'TEXT'
#!/bin/bash
# inside.sh COMMAND...
set -u
cd /root/anima
while IFS= read -r line; do export "${line?}"; done </root/network.env
for command in "$@"; do
  start=$SECONDS
  echo "bare machine: $command"
  bash -c "$command" </dev/null
  code=$?
  echo "bare machine: $command: exit $code after $((SECONDS - start)) s"
  [ $code = 0 ] || exit 1
done
TEXT
}

# Mounts and enters ROOT; `with` makes it the root of its mount namespace, for who stands in a chroot is given no user namespace.
enter() {
  local root=$1 kind=$2
  shift 2
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --ipc --uts --fork --propagation private bash -c '
    set -eu
    root=$1 kind=$2
    shift 2
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    clean=(env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8)
    if [ "$kind" = with ]; then
      cd "$root"
      mkdir -p old
      pivot_root . old
      cd /
      umount -l /old
      exec "${clean[@]}" bash /root/inside.sh "$@"
    fi
    exec "${clean[@]}" chroot "$root" bash /root/inside.sh "$@"
  ' bash "$root" "$kind" "$@"
}

run_machine() {
  local kind=$1 root=$folder/machine
  rm -rf "$root"
  cp -a "$folder/debian" "$root"
  share_network "$root"
  write_inside "$root"
  git clone -q --no-local "$source_dir" "$root/root/anima"
  printf 'bare machine %s user namespaces: %s\n' "$kind" "$(git -C "$source_dir" log -1 --format=%h)"
  enter "$root" "$kind" "${commands[@]}" >"$folder/$kind.log" 2>&1 || {
    tail -n 60 "$folder/$kind.log"
    printf 'bare machine %s user namespaces: failed, %s has all of it\n' "$kind" "$folder/$kind.log"
    return 1
  }
  grep -E '^bare machine|tests passed|skipped:' "$folder/$kind.log"
  rm -rf "$root"
}

make_debian
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
