#!/bin/sh
# Lets Anima reason over the package database of this machine.
#
#   examples/debian/run.sh ANIMA_BINARY [QUESTION]
#
# Builds the compartment from dpkg's database in a fresh space, loads it, and asks.
# ANIMA_SPACE is used when it is set; else a space under the user's cache.
set -eu

if [ $# -lt 1 ]; then
  echo "usage: $0 ANIMA_BINARY [QUESTION]" >&2
  exit 2
fi
anima=$1
question=${2:-Which installed packages stop working when libssl3 is removed?}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

if ! command -v python3 >/dev/null 2>&1; then
  echo "$0: python3 is missing (apt-get install python3-minimal)" >&2
  exit 1
fi
if [ ! -r /var/lib/dpkg/status ]; then
  echo "$0: this machine has no dpkg database (/var/lib/dpkg/status)" >&2
  exit 1
fi

cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/anima-debian-example
mkdir -p "$cache"
if [ -z "${ANIMA_SPACE:-}" ]; then
  ANIMA_SPACE=$cache/space
  rm -rf "$cache/space" # the example's own; a space that the user names is kept
fi
export ANIMA_SPACE
"$anima" init >&2

echo "Reading the package database of this machine .." >&2
python3 "$here/import.py" "$cache/debian"
"$anima" compartment unload debian >/dev/null 2>&1 || true
"$anima" compartment load "$cache/debian" --activate >&2
echo >&2

status=0
"$anima" run -v --fresh "$question" || status=$?

cat <<EOT

Other questions about any package, installed or virtual (ANIMA_SPACE=$ANIMA_SPACE):
  $anima run "What breaks if I remove libc6?"
  $anima run "Which packages need zlib1g?"
  $anima run "What does openssl need?"
  $anima why 'stops_working(P, "libssl3")'
  $anima compartment info debian
EOT
exit $status
