// What programs were proved to do beside what the judge of shell commands saw, and the lines next
// to them that go on running: tables of sqlite3, patterns of awk, brackets of sed, names that are
// looked up or made of others. As in shell_breaking_test the second list of a test is harmless.
#include "unit/govern/shell_lines.h"

namespace anima::govern::shell_programs_test {
namespace {

// A table of its own writes a file, also with -safe and a database that is only read.
TEST(ShellPrograms, TablesThatWriteFiles) {
  expect(
      {R"(sqlite3 -safe -readonly a.db "CREATE VIRTUAL TABLE temp.z USING zipfile('b'); SELECT 1")",
       "sqlite3 -readonly -safe a.db 'create virtual table temp.z using zipfile(b)'",
       R"~(q="CREATE VIRTUAL TABLE temp.z USING zipfile('b')"; sqlite3 -safe -readonly a.db "$q")~",
       R"(sqlite3 -safe -readonly a.db "SELECT $x")", "sqlite3 -safe -readonly a:b 'SELECT 1'",
       "sqlite3 -safe -readonly a.db .dump"},
      {R"(sqlite3 -safe -readonly a.db "SELECT strftime('%H:%M', at) FROM t")",
       R"(sqlite3 -safe -readonly a.db "SELECT '@a', x FROM t; SELECT 2")",
       "d=2026; sqlite3 -safe -readonly a.db \"SELECT x FROM t WHERE y = $d\""});
}

// A pattern can begin behind the `case` of gawk, and behind a condition.
TEST(ShellPrograms, PatternsOfAwkThatLookLikeDivisions) {
  expect(
      {R"(gawk 'BEGIN{switch (1) {case /"/: print 1; default: print 1 > "../a"; case /"/: print}}')",
       R"(awk '{if (x) /"/; print 1 > "../a" /"/}')", R"(awk '{while (x) /"/; print > "b" /"/}')",
       R"(awk '{for (;;) /"/; print > "b" /"/}')", R"(awk '/[\]/]/ {print > "b"} /"/' a)",
       R"(awk '/\\[/]/ {print > "b"} /"/' a)"},
      {"awk '{print ($1+$2)/2}' a", "awk '{if ($1 > 2) x = (a)/2; print x}' a",
       "awk '{a[NR]=$1} END {print a[int((NR+1)/2)]}' a",
       R"(awk '/\[error\]/ {n++} END {print n}' a)", R"(awk '$0 ~ /^\[[0-9]+\]/' a)"});
}

// Errors and results go where those of the shell go; nothing may stand behind the name.
TEST(ShellPrograms, StreamsOfAwk) {
  expect({R"(awk '{print > "/dev/stderr" "x"}' a)", R"(awk '{print > "/dev/stdout" ? 1 : 2}' a)",
          R"(awk '{print > "/dev/stder" "r"}' a)", R"(awk '{print (1 > "/dev/stderr") > "b"}' a)",
          R"(awk '{print > "/dev/tty"}' a)", R"(awk '{print > "/dev/stderr" > "b"}' a)"},
         {R"(awk '{print > "/dev/stderr"}' a)", R"(awk '{print $1 >> "/dev/stdout"; x++}' a)",
          R"(awk '$1 < 0 {print "bad: " $0 > "/dev/stderr"} {s += $1} END {print s}' a)"});
}

// Behind its program awk takes no word for an option; gawk opens sockets by name.
TEST(ShellPrograms, FilesOfAwk) {
  expect({"awk '{print}' \"$f\"", "awk '{print}' $f", "awk '{print}' /inet/tcp/0/localhost/80",
          "awk '{print}' */inet/tcp", "awk '{print}' -f b", "awk -f *.awk", "awk *", "awk -v *"},
         {"awk '{print}' *", "awk -F, '{print $2}' *.csv", "awk 'END{print NR}' a -",
          "for f in *.csv; do awk -v f=\"$f\" 'END{print f, NR}' \"$f\"; done"});
}

// A name in a filter is looked up, and so are addresses of connections.
TEST(ShellPrograms, NamesThatAreLookedUp) {
  expect({"ss dst a.example", "ss -n dst a.example", "ss -tn state a.example", "ss 'dst a.example'",
          "lsof -p 1", "lsof -U -p 1", "lsof -u ada"},
         {"ss -tulpn", "ss -tn state established", "lsof -t -p 1", "lsof a.txt", "lsof -nP -p 1",
          "lsof -U"});
}

// The brackets of sed end where every sed sees them end.
TEST(ShellPrograms, BracketsOfSed) {
  expect({R"(sed 's/[\]/]/w a/' f)", R"(sed 's/[\/]/x/w a' f)", "sed 's/[[:space:]/]/x/w a' f",
          "sed 's:[[:space:]:x:w a' f", R"(sed 's/[a\]/b/;w a' f)", "sed 's/[[.-.]/]/x/w a' f",
          R"(sed 's/[ \t]/x/w a' f)"},
         {R"(sed 's/^[ \t]*//' f)", "sed 's/[[:space:]]*$//' f", R"(sed 's/[^\t ]//g' f)",
          "sed 's/[[:digit:][:space:]]//g' f", R"(sed -E 's/[\.]+/./' f)"});
}

// Numbers and names that a program prints: it may print none, or another step of the path.
TEST(ShellPrograms, NamesThatAreMadeOfOthers) {
  expect({R"~(n=$(wc -l <a); cp a "./$(basename "outbox/$n")/b")~",
          R"~(n=$(wc -l <a); cp a "./$(basename "sub/$n.git" .git)/config")~",
          R"~(cp a "out$(basename "sub/x" >&2)box")~",
          R"~(cp a "out$(basename "$x")")~",
          R"~(for f in sub/*; do cp a "$(basename "$f")"; done)~",
          R"~(for f in sub/*.txt; do cp a ".g$(basename "$f" .txt)"; done)~",
          R"~(for f in *.txt; do cp a "sub/$(basename "$f")"; done)~",
          R"~(for f in sub/*.txt; do cp a "$(basename "$f" .txt)t.git"; done)~",
          R"~(cp a "$(basename sub/..)/x")~",
          R"~(cp a "./$(basename sub/outbox)/x")~",
          R"~(for f in sub/*.txt; do cp a $(basename "$f"); done)~",
          R"~(i=0; i=$((i+1)); cp a "$(printf 'out%dbox' $i)")~",
          R"~(i=0; i=$((i+1)); cp a "$(printf '%d/../../x' $i)")~",
          R"~(i=0; i=$((i+1)); cp a "$(printf '%s' $i)$x")~",
          R"~(cp a "$(date -d x +%F)-t.git")~",
          R"~(cp a "$(date -d x +%F)outbox")~",
          R"~(mkdir "$(date -d x +%F)/x")~",
          R"~(cp a ".$(date -d x +%F)git")~",
          R"~(cp a "[.$(date -d x +%F)git")~",
          R"~(for f in sub/*; do cp a "${f#sub/}"; done)~",
          R"~(for f in xoutbox; do cp a "${f#x}/y"; done)~",
          R"~(f=a; n=$(stat -c %n "$f"); cp a "out$n")~",
          R"~(n=$(stat -c %s "$f"); echo $((n)))~"},
         {R"~(for f in sub/*.txt; do cp "$f" "new/$(basename "$f")"; done)~",
          R"~(for f in sub/*.txt; do b=$(basename "$f" .txt); sort "$f" > "$b.sorted"; done)~",
          R"~(i=1; for f in *.png; do mv "$f" "$(printf 'img_%03d.png' $i)"; i=$((i+1)); done)~",
          R"~(for f in old_*.txt; do mv "$f" "new/${f#old_}"; done)~", R"~(mkdir "$(date +%F)")~",
          R"~(d=$(date +%F); mkdir -p "backup/$d" && cp a "backup/$d/")~",
          R"~(n=$(stat -c %s a); echo $((n / 1024)))~", R"~(touch -d "$(date +%F)" a)~"});
}

// What --since and others are given is a value, whatever it holds; other options begin as they do.
TEST(ShellPrograms, ValuesOfOptionsOfGit) {
  expect({R"(git log "$x")", R"(git log "--$x")", R"(git log --out"$x")", R"(git log --since=$x)",
          R"(git log --format="$x")", R"(git diff --since"$x")", "git -P -c a=b log"},
         {R"(git log --since="$x")", R"~(git log --author="$(git config user.name)" --oneline)~",
          "git -P log --oneline", "git -P -C sub diff"});
}

// What a program runs is judged as a command of its own, in which a slash may begin a pattern.
TEST(ShellPrograms, ScriptsThatLookLikeFiles) {
  expect({"xargs -a/etc/shadow ls", "xargs -a /etc/shadow ls", "find /etc -name a",
          "find . -exec cat /etc/shadow \\;", "xargs -n 1 -a /etc/shadow ls",
          "find . -exec ls {} \\; -newer /etc/shadow", "timeout 5 cat /etc/shadow",
          "env cat /etc/shadow", "xargs cat /etc/shadow"},
         {"find . -name '*.html' -exec sed -n '/<title>/p' {} +", "xargs grep -l /api/v1",
          "xargs -0 grep -l /api/v1", "xargs -n 1 grep -l /api/v1", "timeout 5 grep -r /api/v1 src",
          "nice awk '/a/ {n++} END {print n}' f"});
}

// Names that end like *.txt can still be options that run a program.
TEST(ShellPrograms, NamesThatAreOptions) {
  expect({"less *.txt", "zip a.zip *.md", "chmod 644 *", "bash -n *", "tar cf a.tar *.txt"},
         {"chmod 644 *.txt", "bash -n *.sh", "for f in *.sh; do sh -n \"$f\"; done"});
}

}  // namespace
}  // namespace anima::govern::shell_programs_test
