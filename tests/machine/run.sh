#!/usr/bin/env bash
# Runs the sandbox's tests under a Debian kernel of their own, in an emulated machine: with cgroups of version 2 and the
# memory controller given to them, which containers and many build machines lack.
# Usage: run.sh BINARY_DIR FOLDER     FOLDER keeps the unpacked kernel and the machine's log
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
binary_dir=$(cd "$1" && pwd)
folder=$2
limit_seconds=600

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
image=$(mktemp -d)
trap 'rm -rf "$image"' EXIT

kernel() {
  compgen -G "$folder/kernel/boot/vmlinuz-*" | head -n 1
}

# Unpacked, not installed: nothing of it touches this machine's boot loader.
unpack_kernel() {
  local package
  [ -z "$(kernel)" ] || return 0
  package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
  (cd "$folder" && apt-get download -q "$package" && dpkg -x "$package"_*.deb kernel && rm "$package"_*.deb) >&2
}

copy_program() {
  local library
  cp -L "$1" "$image/usr/bin/"
  while read -r library; do
    cp -L --parents "$library" "$image"
  done < <(ldd "$1" 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*')
}

# The programs that the tests start, their libraries, and the tests themselves where they were built.
fill_image() {
  local name
  mkdir -p "$image"/{dev,etc,new,proc,sys,tmp,usr/bin,usr/lib,usr/lib64}
  ln -s usr/bin "$image/bin"
  ln -s usr/lib "$image/lib"
  ln -s usr/lib64 "$image/lib64"
  for name in sh bash cat chmod cp cut dd echo env false find git grep head id kill ln ls mkdir mount mv pwd rm sed seq \
    setsid sleep sort stat tee timeout touch tr true uname wc yes; do
    copy_program "$(type -P "$name")"
  done
  copy_program /usr/bin/python3.11
  ln -s python3.11 "$image/usr/bin/python3"
  cp -r /usr/lib/python3.11 "$image/usr/lib/"
  cp /usr/bin/busybox "$image/usr/bin/"
  for name in test_tools anima anima-fetch; do copy_program "$binary_dir/$name"; done
  mkdir -p "$image$binary_dir"
  for name in anima anima-fetch; do ln -s "/usr/bin/$name" "$image$binary_dir/$name"; done
  cp -r --parents "$source_dir/packs" "$image"
  printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$image/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' >"$image/etc/group"
}

# A root in memory cannot be pivoted away from, so the machine moves to a second one first.
write_init() {
  cat >"$image/init" <<'TEXT'
#!/bin/busybox sh
busybox mount -t tmpfs -o size=3g new /new
for each in /*; do case $each in /new | /proc | /sys | /dev | /init) ;; *) busybox cp -a $each /new/ ;; esac; done
busybox mkdir /new/proc /new/sys /new/dev
exec busybox switch_root /new /tests.sh
TEXT
  cat >"$image/tests.sh" <<'TEXT'
#!/bin/busybox sh
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev
busybox mount -t cgroup2 groups /sys/fs/cgroup
busybox ip link set lo up
busybox mkdir /sys/fs/cgroup/host
echo $$ >/sys/fs/cgroup/host/cgroup.procs
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
export PATH=/usr/bin TMPDIR=/tmp HOME=/tmp
test_tools --gtest_filter='Sandbox*:ExternalTools*' && echo TESTS PASSED
[ "$(echo /sys/fs/cgroup/anima-*)" = '/sys/fs/cgroup/anima-*' ] && echo GROUPS REMOVED
busybox poweroff -f
TEXT
  chmod +x "$image/init" "$image/tests.sh"
}

unpack_kernel
fill_image
write_init
(cd "$image" && find . | cpio --quiet -o -H newc | gzip -1) >"$folder/image.gz"
timeout "$limit_seconds" qemu-system-x86_64 -m 6144 -smp 2 -nographic -no-reboot -kernel "$(kernel)" \
  -initrd "$folder/image.gz" -append "console=ttyS0 panic=-1 quiet lsm=landlock,lockdown,yama" </dev/null |
  tr -d '\r' >"$folder/log"
rm "$folder/image.gz"
if grep -q '^TESTS PASSED' "$folder/log" && grep -q '^GROUPS REMOVED' "$folder/log" &&
  grep -q 'Memory cgroup out of memory' "$folder/log" && ! grep -q 'SKIPPED' "$folder/log"; then
  grep -ao '[0-9]* tests from .* ran.*' "$folder/log"
else
  cat "$folder/log"
  echo "the tests in the emulated machine failed (log: $folder/log)" >&2
  exit 1
fi
