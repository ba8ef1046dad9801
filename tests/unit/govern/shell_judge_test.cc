// What a command line would do: forms of programs that are harmless, and the same programs when
// they are not. Each line of the second table was tried as a way around the first.
#include "govern/shell_judge.h"

#include <gtest/gtest.h>

namespace anima::govern::shell_judge_test {
namespace {

bool harmless(std::string_view text) {
  const auto judged = judge_shell(text);
  return judged && judged->harmless();
}

TEST(ShellJudge, ReadsAndWritesInTheWorkFolder) {
  for (const char* text :
       {"sed -n '1,5p' a.txt", "sed -e '/^#/d' -e 's/ *$//g' a.txt", "sed '$d;2q' a.txt",
        "awk '{n += $1} END {print n}' a.txt", "awk -F, '$2 > 10 || $1 == \"a\" {print $1}' a.csv",
        "awk -F';' '$4 ~ /late|lost/ {n[$3]++} END {for (k in n) print n[k], k}' a.csv",
        "awk '!/^#|^$/ && $1 / 2 > 3 {print \"a|b > c\"}' a.txt",
        "awk '/[[:alpha:]]/ {split($4, t, \":\"); print t[1] # a | b\n}' a.txt",
        "tar -czf a.tgz notes a.txt", "tar cf a.tar notes", "mv a.txt b.txt", "sort -rn a.txt",
        "cp -r notes backup", "base64 a.txt", "env LANG=C sort a.txt"})
    EXPECT_TRUE(harmless(text)) << text;
}

TEST(ShellJudge, TheSameProgramsDoingMore) {
  for (const char* text : {"sed '1e rm a' f",
                           "sed 's/x/rm a/e' f",
                           "sed 's/x/y/w ../out' f",
                           "sed -n '1w ../out' f",
                           "sed 'r /etc/passwd' f",
                           "sed -f script f",
                           "sed -i s/a/b/ .git/config",
                           "sed -i s/a/b/ ../f",
                           "sed -i s/a/b/ outbox/m.json",
                           "sed -i s/a/b/ f o*",
                           "sed -i s/a/b/ *",
                           "sed -i s/a/b/ \"$f\"",
                           "sed -i '1e rm a' f",
                           "sed -i 's/x/y/w ../out' f",
                           "sed -itbox s/a/b/ ou",
                           "sed --in-place=box s/a/b/ out",
                           "sed -i'.bak/*' s/a/b/ f",
                           "sed -i -f script f",
                           "sed -i .git/config -e s/a/b/",
                           "sed -i -e p s/a/b/ ../f",
                           "sed -iE s/a/b/ f",
                           "find . -exec sed -i s/a/b/ {} +",
                           "find . -name f | xargs sed -i s/a/b/",
                           "sed \"$s\" f",
                           "sed '/[/]/e' f",
                           "awk 'BEGIN{system(\"rm a\")}'",
                           "awk '{print | \"sh\"}' f",
                           "git clean -dx",
                           "git clean -e -n",
                           "git clean -fn",
                           "git clean -- -n",
                           "awk '{print > \"../out\"}' f",
                           "awk '{print $1 / 2 | \"sh\" } # /' f",
                           "awk '/\"/ {print | \"sh\"} # \"' f",
                           "awk '{print \"/\" | \"sh\" \"/\"}' f",
                           "awk '{if (x) /a/ | \"sh\" ; y /1}' f",
                           "awk '/[/]|\"sh\"/ {print}' f",
                           "awk '/[]/] | \"sh\"/ {print}' f",
                           "awk '{print length / 2 | \"sh\" ; y = 3 / 1}' f",
                           "awk '{x++ / 2; print | \"sh\"; y /= 1}' f",
                           "awk '# \"\n{print | \"sh\"} # \"' f",
                           "awk '{print > $1}' f",
                           "awk '{print >> \"out\"}' f",
                           "awk '{print > 5 \"/../../out\"}' f",
                           "awk '{print > 5\"x\"}' f",
                           "awk -f script f",
                           "awk 'BEGIN{while((\"id\" | getline x) > 0) print x}'",
                           "awk '@load \"x\"' f",
                           "awk \"$p\" f",
                           "gawk -i lib '{print}' f",
                           "tar -xf a.tar",
                           "tar xPf a.tar",
                           "tar -cf ../a.tar notes",
                           "tar -cf host:a.tar notes",
                           "tar -cf a.tar --to-command=sh notes",
                           "tar -cIf prog a.tar notes",
                           "mv a.txt /etc/a",
                           "mv -t../out a.txt",
                           "cp --target-directory=/etc a.txt",
                           "sort -uo ../out a.txt",
                           "sort --output=../out a.txt",
                           "sort --compress-program=sh a.txt",
                           "env -S'rm a'",
                           "env -vS'rm a'",
                           "env --split-string='rm a'",
                           "ls | xargs sed -n p",
                           "ls | xargs -n1 sort",
                           "find . $x",
                           "command time -o ../out ls"})
    EXPECT_FALSE(harmless(text)) << text;
}

TEST(ShellJudge, WordsThatBecomeOptions) {
  for (const char* text : {"find . {-delete,-print}",
                           "find a -delet?",
                           "find a $\"-delete\"",
                           "find . \"$x\"",
                           "tar cf a.tar {--checkpoint=1,--checkpoint-action=exec=sh}",
                           "tar cf a.tar *",
                           "sort {-o,.git/b}",
                           "sort \"$f\"",
                           "sed -n *",
                           "sed p \"$f\"",
                           "cp *",
                           "mv * b",
                           "cp a {/etc/b,c}",
                           "cp a .{.,}/b",
                           "cp -vt/etc a",
                           "cp -vt../b a",
                           "cp a .?/b",
                           "uniq - a",
                           "uniq a*",
                           "[ $o 'a[$(rm b)]' ]",
                           "o=$(cat a); [ $o ]",
                           "[ \"$a\" \"$b\" ]",
                           "printf -v'a[$(rm b)]' x",
                           "printf \"$f\" x",
                           "printf '%n' PATH",
                           "printf 'a%%%-5.3ln b' PATH",
                           "printf \"a $f\" PATH",
                           "printf a* PATH",
                           "wait -n -p 'a[$(rm b)]'",
                           "find /a -exec cp b {} ;",
                           "find . -exec touch x{} ;",
                           "ls | xargs cp a",
                           "ls | xargs -I{} touch {}",
                           "git log $x",
                           "set -- a",
                           "set -o posix"})
    EXPECT_FALSE(harmless(text)) << text;
}

TEST(ShellJudge, OptionsThatTakeTheNextWord) {
  for (const char* text :
       {"exec -la ls rm a", "env -iu ls rm a", "env --uns ls rm a", "env -C .. touch a",
        "env --chdir=.. touch a", "ls | xargs -rI ls rm a", "xargs -ta ls rm",
        "xargs --arg-file ls rm", "ls | xargs -I ls ls a", "t='5 rm a'; timeout $t ls",
        "watch ls '; rm a'", "command time -of ls", "timeout --signal ls 5 rm a",
        "env 'BASH_FUNC_ls%%=() { rm a; }' ls", "nice $n ls"})
    EXPECT_FALSE(harmless(text)) << text;
}

// A file of the outbox is a message to whomever it names.
TEST(ShellJudge, WritingTheOutboxSends) {
  for (const char* text :
       {"echo x >outbox/m.json", "cp m.json outbox", "mv m.json ./outbox/", "tee .//outbox/m.json",
        "cp m.json o*", "cp m.json ?utbox/", "cp -t outbox m.json", "cp -toutbox m.json",
        "cp --target-directory=outbox m.json", "cd outbox; touch m.json", "mv notes outbox",
        "mkdir -p a/outbox", "cp -r a/outbox .", "cp m.json [o]utbox", "tar -cf outbox/m.json a b",
        "cat <<E >>outbox/m.json\n{}\nE"})
    EXPECT_FALSE(harmless(text)) << text;
  for (const char* text : {"ls outbox", "cat outbox/*.json", "cp *.txt out/", "cp src/* backup/"})
    EXPECT_TRUE(harmless(text)) << text;
}

TEST(ShellJudge, WhatLeadsOutOrDecidesWhatRuns) {
  for (const char* text : {"/usr/bin/../../tmp/ls",
                           "exec 3</dev/tcp/h/80",
                           "cat </dev/udp/h/80",
                           "mv a /dev/null",
                           "CDPATH=/; cd etc",
                           "IFS=; read x",
                           "IFS= ls",
                           "HOME=.; git status",
                           ": ${CDPATH:=..}; cd a",
                           "read PATH",
                           "echo a >.git/config",
                           "cp a .git/hooks/b",
                           "cd .git",
                           "mkdir -p a/.git",
                           "cp a .g*",
                           "git -c core.pager=sh log",
                           "git log --output=a",
                           "git diff --ext-diff",
                           "git push",
                           "git show --textconv",
                           "x=1 ls",
                           "GIT_PAGER=sh git log",
                           "ls() { :; }; ls",
                           "awk 1 /inet/tcp/0/h/80",
                           "awk 'BEGIN{ARGV[1]=\"/in\" \"et\"}1'",
                           "sed ':a;N;$!ba;s/a/rm b/e' f",
                           "sed 'b x;w out' f",
                           "sed ': a w out' f",
                           "sed '1a\\\nx\nw out' f",
                           "sed 'i x\n1e rm a' f",
                           "sed -e 'a\\' -e 'w out' f",
                           "sed '1a x' -i .git/f",
                           "sed 't;w out' f",
                           "awk '{print $1 > $2}' f",
                           "awk '{if ($1 > 2) print > \"../out\"}' f",
                           "awk '{print a,\n b > \"../out\"}' f",
                           "awk '{n++ ; print n > m}' f",
                           "awk '$1 > m {print $2 > m}' f",
                           "awk '{printf(\"%s\", $1) > m}' f",
                           "awk '{x = a >> b}' f",
                           "awk '$1 > m | \"sh\"' f",
                           "sed 's/[/]e/rm a/e' f"})
    EXPECT_FALSE(harmless(text)) << text;
}

// A program that find runs in the folder of what it found is not where the line stands.
TEST(ShellJudge, FindInOtherFoldersIsNotFollowed) {
  for (const char* text :
       {"find .git -name HEAD -execdir tee config \\;", "find . -execdir touch m.json \\;",
        "find outbox -execdir cp a b \\;", "find . -okdir cp a b \\;"})
    EXPECT_FALSE(harmless(text)) << text;
}

// Programs would find nothing there, and the owner is told so beforehand.
TEST(ShellJudge, FilesThatProgramsDoNotSee) {
  for (const char* text :
       {"cat /etc/ssl/private/town.key", "cat /etc/hosts", "grep -h '^#' a.md <(cat /etc/shadow)",
        "wc -l < /root/a", "head ~/.ssh/id_ed25519", "cat notes/../../other/a",
        "sort --files0-from=/proc/1/environ", "cat /usr/../etc/shadow",
        "diff a.txt /home/ada/a.txt", "grep -f /etc/shadow a.txt", "grep -ex /etc/shadow",
        "cat /data/salaries.csv", "cat -e /etc/shadow"}) {
    const auto judged = judge_shell(text);
    ASSERT_TRUE(judged) << text;
    EXPECT_EQ(judged->effect, ShellEffect::kUnknown) << text;
    EXPECT_NE(judged->to_json().dump().find("outside the work folder"), std::string::npos) << text;
  }
  for (const char* text :
       {"grep -c /etc/passwd a.log", "grep -n /api/v1 a.log", "cut -d/ -f1 a.txt", "basename /a/b",
        "cat /usr/share/dict/words", "echo /root/x", "sed '/etc/d' a.txt", "cat /proc/cpuinfo",
        "cat notes/../a.txt", "find . -name '*.c' | xargs wc -l"})
    EXPECT_TRUE(harmless(text)) << text;
}

}  // namespace
}  // namespace anima::govern::shell_judge_test
