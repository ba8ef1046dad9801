#!/usr/bin/env bash
# Installs the build into a fresh folder, builds a stranger's project against it and runs both.
# Usage: run.sh SOURCE_DIR BINARY_DIR [COMPILER]
set -euo pipefail
source_dir=$1
binary_dir=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$binary_dir" --prefix "$folder/prefix" >/dev/null
cmake -S "$source_dir/tests/install" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DCMAKE_BUILD_TYPE=Debug ${3:+-DCMAKE_CXX_COMPILER="$3"} >/dev/null
cmake --build "$folder/build" >/dev/null
"$folder/build/stranger"

# The example of the library, as its first lines say.
cmake -S "$source_dir/examples/library" -B "$folder/notebook" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DCMAKE_BUILD_TYPE=Debug ${3:+-DCMAKE_CXX_COMPILER="$3"} >/dev/null
cmake --build "$folder/notebook" >/dev/null
notebook() { "$folder/notebook/notebook" "$folder/space" "$@"; }
notebook add rivers 'The "Elbe" rises in Bohemia' >/dev/null
notebook add rivers 'It is 1094 km long' >/dev/null
notebook undo
[ "$(notebook about rivers | grep -c Bohemia)" = 1 ]
[ "$(notebook about rivers | grep -c 1094)" = 0 ]
"$folder/prefix/bin/anima" version
