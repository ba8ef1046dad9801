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
# What is kept: how words are cut and with which dictionaries (root.res names the other rules, too, and is not kept without them), the
# rules into Latin letters, and the normal forms that these ask for. icupkg takes another name for that of an item.
cuts='brkitr/(root\.res|ja\.res|(char|line|line_loose|line_normal|sent|title|word)\.brk|line_.*cj\.brk|.*dict\.dict)'
grep -vxE "$cuts|translit/.*|(root|pool)\.res|nfkc\.nrm|ulayout\.icu|uemoji\.icu" names >unused.txt
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
