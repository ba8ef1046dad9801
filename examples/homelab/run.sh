#!/bin/sh
# A homelab in sixty seconds of reading: load three files, ask, ask why, ask what if, undo.
#
#   examples/homelab/run.sh ANIMA_BINARY
#
# ANIMA_SPACE is used when it is set, and must be empty; else a new space in the user's cache.
set -eu

if [ $# -lt 1 ]; then
  echo "usage: $0 ANIMA_BINARY" >&2
  exit 2
fi
program=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

if [ -z "${ANIMA_SPACE:-}" ]; then
  cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/anima-homelab-example
  ANIMA_SPACE=$cache/space
  mkdir -p "$cache"
  rm -rf "$ANIMA_SPACE" # the example's own; a space that the user names is kept
fi
export ANIMA_SPACE

# Shows a command as it would be typed, and runs it.
anima() {
  printf '\n$ anima'
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_./=-]*) printf ' "%s"' "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$program" "$@"
}

cd "$here/../.."
anima init
anima load --yes --trust verified examples/homelab/hosts.csv examples/homelab/services.csv examples/homelab/incidents.csv
anima ask "Which services run on borea?"
anima ask "Which host has the most services?"
anima ask "How many incidents were there in May 2026?"
anima ask "Which services had critical incidents?"
anima ask "Which hosts were bought before 2020?"
anima ask "Which services depend on keycloak?"
anima why nextcloud runs_on borea
anima compartment load examples/homelab/rules --activate
anima ask "What breaks if cirrus is removed?"
anima why freshrss goes_down_with cirrus
anima kip 'DELETE CONCEPT ?h DETACH WHERE { ?h {type: "Host", name: "borea"} }'
anima ask "Which services run on borea?" || true
anima undo last --limit 3
anima ask "Which services run on borea?"
