#!/usr/bin/env bash
# ICU's data for the wheel: of Debian's 30 MB, what Anima asks of it. That is the dictionaries and rules of words and the rules
# into Latin letters (src/language/text, src/language/names), not names of currencies, places and units, orders of letters and
# character sets. The tests of the room `language` pass with it (LD_LIBRARY_PATH=FOLDER build/dev/test_language).
# Usage: icu_data.sh FOLDER     writes FOLDER/libicudata.so.N
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
library=$(ldconfig -p | sed -n 's/.* => \(.*libicudata\.so\.[0-9]*\)$/\1/p' | head -n 1)
release=${library##*.}
data=icudt${release}l.dat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir whole cut

# The library is one constant in the form of ICU's data files, whose name is the name of the tree in it.
objcopy -O binary -j .rodata "$(realpath "$library")" "whole/$data"
icupkg -l "whole/$data" >names
{
  grep -E '^(curr|lang|region|unit|zone|coll|rbnf)/' names
  grep -E '\.(cnv|spp)$|^cnvalias\.icu$' names
  grep -E '^[a-z]{2,3}(_[A-Za-z0-9_]+)?\.res$' names # formats of each locale
} >unused.txt # icupkg takes another name for that of an item
icupkg -r unused.txt "whole/$data" "cut/$data"
cat >data.s <<TEXT
.section .rodata
.balign 16
.globl icudt${release}_dat
.type icudt${release}_dat, @object
icudt${release}_dat:
.incbin "cut/$data"
.size icudt${release}_dat, . - icudt${release}_dat
.section .note.GNU-stack, "", @progbits
TEXT
gcc -shared -nostdlib -Wl,-soname,"libicudata.so.$release" -Wl,--build-id=none -o "$folder/libicudata.so.$release" data.s
