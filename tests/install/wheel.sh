#!/usr/bin/env bash
# The package for Python as a stranger has it: a wheel, of a release or built here from a clone, is installed into an empty
# environment, and ten lines remember, ask and explain; the program comes along. Of ./dev test --full, for the clone is compiled
# once more.
#
# Usage: wheel.sh CLONE|WHEEL FOLDER [PYTHON]     what is made stays in FOLDER
set -euo pipefail
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
wheel=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
python=${3:-python3}
rm -rf "$folder/wheels" "$folder/venv" "$folder/space"
"$python" -m venv "$folder/venv"
if [ -d "$wheel" ]; then
  "$folder/venv/bin/pip" wheel -q --disable-pip-version-check --no-deps -w "$folder/wheels" "$wheel"
  wheel=$(echo "$folder"/wheels/anima_memory-*.whl)
fi
bytes=$(stat -c %s "$wheel")
echo "wheel: $(basename "$wheel"), $bytes bytes"
[ "$bytes" -lt 25000000 ] || {
  echo "wheel: larger than 25 MB" >&2
  exit 1
}
"$folder/venv/bin/pip" install -q --disable-pip-version-check "$wheel"
"$folder/venv/bin/pip" check
cd "$folder"
"$folder/venv/bin/python" "$clone/tests/install/memory_lines.py" "$clone/examples/library/data" "$folder/space"
said=$("$folder/venv/bin/anima" ask --space "$folder/space" "Which services run on borea?")
[ "${said%%$'\n'*}" = db ]
for helper in anima-fetch anima-inspect anima-machine; do
  [ -x "$(echo "$folder"/venv/lib/python3*/site-packages/anima/bin/$helper)" ]
done
echo "wheel: good"
