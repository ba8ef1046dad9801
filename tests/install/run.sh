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
"$folder/prefix/bin/anima" version
