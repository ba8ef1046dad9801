# shellcheck shell=bash
# A minimal Debian 12 with git and the certificates, made once by debootstrap, and what is run in a copy of it: sourced by the
# tests that do. Nothing of this machine is found inside but its kernel, its network and the certificates that it trusts.
# The caller has set $machine, how messages name it.
mirror=http://deb.debian.org/debian

skip() {
  printf '%s: skipped: %s\n' "${machine:?}" "$*"
  exit 0
}

# open_folder FOLDER: sets $folder, where the Debian is kept; ends the test where there cannot be one.
open_folder() {
  [ "$(id -u)" = 0 ] || skip "it needs root"
  command -v debootstrap >/dev/null || skip "there is no debootstrap (apt-get install debootstrap)"
  unshare --mount --pid --fork true 2>/dev/null || skip "mounting is not allowed here"
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
}

# debian_folder [SUITE]: where a Debian is kept; make_debian [SUITE] makes it. Without one it is Debian 12.
debian_folder() {
  case "${1:-bookworm}" in
    bookworm) printf '%s\n' "$folder/debian" ;;
    *) printf '%s\n' "$folder/$1" ;;
  esac
}

make_debian() {
  local suite=${1:-bookworm} root
  root=$(debian_folder "$suite")
  [ -f "$root.done" ] && return
  rm -rf "$root"
  debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" "$mirror" >"$folder/debootstrap.log" 2>&1 || {
    tail -n 5 "$folder/debootstrap.log" >&2
    skip "debootstrap failed"
  }
  touch "$root.done"
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
# write_inside ROOT FOLDER: FOLDER is where the commands are run.
write_inside() {
  cat >"$1/root/inside.sh" <<'TEXT'
#!/bin/bash
# inside.sh MACHINE FOLDER COMMAND...
set -u
machine=$1
cd "$2"
shift 2
while IFS= read -r line; do export "${line?}"; done </root/network.env
for command in "$@"; do
  start=$SECONDS
  echo "$machine: $command"
  bash -c "$command" </dev/null
  code=$?
  echo "$machine: $command: exit $code after $((SECONDS - start)) s"
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

# The same with systemd as the first process, where systemd is installed in ROOT: boot ROOT MACHINE FOLDER COMMAND... A unit runs the
# commands, and then ends all. Their network is a loopback of their own. Prints what they print; fails when one does.
boot() {
  local root=$1 unit=$1/etc/systemd/system/inside.service
  shift
  printf '%q ' bash /root/inside.sh "$@" >"$root/root/boot.sh"
  cat >"$unit" <<'TEXT'
[Service]
Type=oneshot
Environment=HOME=/root
StandardOutput=file:/root/boot.log
StandardError=file:/root/boot.log
ExecStart=/bin/bash /root/boot.sh
ExecStartPost=/bin/touch /root/boot.good
ExecStopPost=/bin/systemctl --no-block exit
[Install]
WantedBy=multi-user.target
TEXT
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
  ln -sf ../inside.service "$root/etc/systemd/system/multi-user.target.wants/"
  # shellcheck disable=SC2016  # expanded by the inner shell
  timeout 600 unshare --mount --pid --ipc --uts --net --cgroup --fork --kill-child --propagation private bash -c '
    set -eu
    mount --bind "$1" "$1"
    cd "$1"
    mount -t proc proc proc
    mount -t sysfs sysfs sys
    if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
      mount -t cgroup2 cgroup2 sys/fs/cgroup
    else
      mount -t tmpfs tmpfs sys/fs/cgroup
      mkdir sys/fs/cgroup/systemd
      mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
    fi
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs -o mode=1777 tmpfs tmp
    mount -t tmpfs -o mode=755 tmpfs dev
    for device in null zero full random urandom tty; do
      touch "dev/$device"
      mount --bind "/dev/$device" "dev/$device"
    done
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    mkdir -p old
    pivot_root . old
    umount -l /old
    exec env -i container=anima-test PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb /sbin/init --log-target=console
  ' bash "$root" </dev/null >"$root/root/init.log" 2>&1 || true
  cat "$root/root/boot.log" || cat "$root/root/init.log"
  [ -e "$root/root/boot.good" ]
}
