// Ways past the judge of shell commands that real shells proved: each line was once taken for
// harmless and removed, wrote or ran what it should not, or stands one step beside such a line.
// The second list of a test is what people write and what goes on running.
#include "unit/govern/shell_lines.h"

namespace anima::govern::shell_breaking_test {
namespace {

// find ends a command at a plus behind {} alone; all other words are the command's.
TEST(ShellBreaking, APlusOfFindIsAWord) {
  expect({"find . -maxdepth 0 -exec tee + outbox/m.json \\;",
          "find . -maxdepth 0 -exec sort a + -o b \\;",
          "find . -maxdepth 0 -exec touch + .git/config \\;",
          "yes | find . -maxdepth 0 -ok sort a {} + -o b \\;",
          "x=+; find . -maxdepth 0 -exec tee $x outbox/m.json \\;",
          "find . -maxdepth 0 -exec tee {+,outbox/m.json} \\;"},
         {"find . -name '*.h' -exec grep -l pragma {} +", "find . -exec grep + {} \\;",
          "find . -exec wc -l {} + -print"});
}

// The variables of the sandbox keep git from running what a folder names that only looks like a
// repository; a program that is called by another name does other things.
TEST(ShellBreaking, TheVariablesOfTheSandboxStay) {
  expect({"env -i git -C bare status",
          "env -u GIT_CONFIG_COUNT git -C bare status",
          "env -vi git -C bare status",
          "env --ignore-environment git -C bare status",
          "env -i LANG=C sh -c 'git -C bare status'",
          "exec -c git -C bare status",
          "exec -lc git -C bare status",
          "exec -a bunzip2 bzcat a.bz2",
          "exec -a unxz xzcat a.xz",
          "printf %n GIT_CONFIG_COUNT; git -C bare status",
          "printf 'a%5n' PATH; ls",
          "printf '%%%-*hn' 3 f",
          "printf \"a$x\" PATH",
          "p=%n; printf $p PATH; ls",
          "printf {%n,PATH}; ls",
          "printf $'%n' PATH; ls",
          "o=-i; env $o git -C bare status",
          "env {-i,git} -C bare status",
          "o=-c; exec $o git status",
          "touch P%n PATH; printf P*"},
         {"env LANG=C sort a", "env -v LANG=C sort a", "env -0", "exec ls -l", "exec -l ls",
          "printf '100%%\\n'", "printf '%s\\n' name", "printf '%-10s|%5.2f\\n' a 3",
          "printf \"n: $x\\n\"", "printf '%%n' a"});
}

// bash computes what is assigned to some variables of its own, and keeps text of the line in
// others.
TEST(ShellBreaking, VariablesThatTheShellReadsItself) {
  expect({"RANDOM='a[$(rm b)]'",
          "RANDOM+='a[$(rm b)]'",
          "HISTCMD='a[$(rm b)]'",
          "x='a[$(rm b)]'; SRANDOM=$x",
          "for SECONDS in 'a[$(rm b)]'; do :; done",
          "for RANDOM in 'a[$(rm b)]'; do :; done",
          "read RANDOM <<'E'\na[$(rm b)]\nE\n",
          ": ${SRANDOM:=x}",
          ": 'a[$(rm b)]'; echo $((_))",
          ": '-v a[$(rm${IFS}b)]'; [ $_ ]",
          "# -o -v a[$(rm${IFS}b)]\n[ a = $BASH_EXECUTION_STRING ]",
          "[ $OLDPWD ]",
          ": $((GIT_CONFIG${x}_COUNT=0)); git -C bare status",
          ": $((P$!ATH=0)); ls",
          "f=; : $((P${f}ATH=0)); ls",
          ": $((P${x}$!ATH=0)); ls",
          "RANDOM=$'a[$(rm b)]'",
          "for f in 'a[$(rm b)]'; do RANDOM=$f; done",
          "export TZ='a[$(rm b)]'; echo $((TZ))",
          "export LC_ALL='a[$(rm b)]'; echo $((LC_ALL))",
          "export TZ=PATH=0; echo $(($TZ)); ls",
          "export NO_COLOR='-v a[$(rm${IFS}b)]'; [ $NO_COLOR ]",
          "env TZ='a[$(rm b)]' bash -c 'echo $((TZ))'",
          "env TZ=PATH=0 bash -c ': $((TZ)); ls'"},
         {"RANDOM=42; echo $((RANDOM % 6))", "SECONDS=0; ls; echo $SECONDS",
          "echo $((SECONDS / 60))", "i=1; echo $(($i+1)) $((2*$i))", "[ \"$PWD\" = /tmp ] && ls",
          "n=3; [ $n -gt 2 ]", "export COLUMNS=80; echo $((COLUMNS / 2))",
          "env COLUMNS=80 bash -c 'echo $((COLUMNS / 2))'"});
}

// A backup's suffix, or the letters that split adds, complete a name of git or the outbox.
TEST(ShellBreaking, NamesThatAProgramCompletes) {
  expect({"cp -b -S t a sub/.gi", "cp -bSt a sub/.gi", "mv -T -b -S x n outbo",
          "mv -Tb --suffix=x n outbo", "mv -b --suff x n outbo", "split -a3 -l1 a sub/.",
          "split -l1 -a 3 a .", "s=-S; cp -b $s t a sub/.gi", "cp -b{S,} t a sub/.gi",
          "split -a3 -l1 a {sub/.,}"},
         {"cp --sparse=auto a b", "cp -b a b", "mv --strip-trailing-slashes a b",
          "split -l 5 a ./part", "split -l 5 a sub/part."});
}

// A folder's contents can hold a .git or an outbox of its own.
TEST(ShellBreaking, FoldersThatBringSomethingAlong) {
  expect({"cp -r a/. .",
          "cp -a a/./. b",
          "cp -rT a .",
          "cp -r --no-target-directory a .",
          "cp -r . b",
          "cp -r ./ b",
          "cp -r a/./ .",
          "cp -rt . a/*",
          "mv a/* .",
          "mv a/* ./",
          "cp -r a/o* .",
          "cp -r a/?utbox/ .",
          "mv -t. a/*",
          "cp -rt. a/*",
          "cp -r --target-directory=. a/*",
          "cp -r {a/,}.",
          "cp -r a/{.,x} sub",
          "x=.; cp -r a/$x sub",
          "cp -r a{/.,} sub",
          "for d in a/*; do cp -r \"$d\" .; done"},
         {"cp -r a b", "cp -r a/* b/", "mv a/*.txt .", "mv a/b.txt .", "cp a/b.txt ./", "mv a b/",
          "mv -T a b"});
}

// An assignment that may not have happened does not count as one.
TEST(ShellBreaking, AssignmentsThatAreLeftOut) {
  expect({"false &\\\n& f=x; cp a \".${f}git/config\"", "false &\\\n\\\n& f=x; cp a .${f}git/c",
          "f=x >&9; cp a \".${f}git/config\"", "f=x <&9; cp a \".${f}git/config\"",
          "bash -c 'l=; for f in $l; { f=x; }; cp a \".${f}git/config\"'",
          "cat <<E\n$(l=; for f in $l; { f=x; }; cp a \".${f}git/config\")\nE\n"},
         {"f=x; cp a \"${f}git\"", "ls && \\\nf=x && cp a \"${f}git\"", "ls |\\\n head",
          "bash -c 'for f in a b; do cp \"$f\" \"$f.bak\"; done'", "ls 2>&1 | head; f=x; cp a $f"});
}

// The second byte of a Big5 character can be a backslash, which then quotes nothing.
TEST(ShellBreaking, LinesInAnotherCharacterSet) {
  expect({"LC_ALL=zh_TW.BIG5\necho \"\xa4\\\" ; rm canary ; echo \"\xa4\\\"\n",
          "read LANG <a; echo '\xa4'", "env L\"\"C_ALL=zh_CN.GBK sed 's/\xa4/b/' a",
          "L\\\nC_ALL=zh_TW.BIG5\necho \"\xa4\\\" ; rm canary ; echo \"\xa4\\\"\n",
          "for L\\\nC_ALL in zh_TW.BIG5; do\necho \"\xa4\\\" ; rm canary ; echo \"\xa4\\\"\ndone",
          "for LC_CTYPE in zh_TW; do :; done; echo \xa4"},
         {"LC_ALL=C grep '\xc3\xbc' a", "LANG=de_DE.UTF-8 sort 'b\xc3\xa4ume'",
          "LC_ALL=zh_TW.BIG5 ls", "echo '\xc3\xbc'"});
}

// A file's name can be an option of sort that runs a program.
TEST(ShellBreaking, SortAndNamesThatAreOptions) {
  expect({"sort --{co,x}mpress-program=sh a", "x=*; sort $x", "sort *", "sort -S 1k *", "sort *s",
          "sort -u ?.sh*"},
         {"sort *.txt", "sort ./*", "sort -u -- ./*", "sort src/*"});
}

// To mawk the name behind > goes on: 5 ? "../a" : "b" is a file.
TEST(ShellBreaking, RedirectionsOfAwkThatGoOn) {
  expect({"awk 'BEGIN{print \"x\" > 5 ? \"../a\" : \"b\"}'",
          "awk '{print $1,\n$2 > 5 ? \"../a\" : \"b\"}' f",
          "awk '{printf (\"x\") > 5 ? \"../a\" : \"b\"}' f",
          "mawk 'BEGIN{print 1 +\n2 > \"../a\"}'", "awk 'BEGIN{print (1\n) > \"../a\"}'",
          "awk 'BEGIN{print 1,\n\n2 > \"../a\"}'", "awk 'BEGIN{print 1 in\na > \"../a\"}'",
          "awk '{if (x) print (1)(2) > 5 ? \"../a\" : \"b\"}' f"},
         {"awk '{print ($1 > 5 ? \"big\" : \"small\")}' f", "awk '{x = $1 > 5 ? 1 : 0; print x}' f",
          "awk '{print $1; y = $2 > 5 ? 1 : 0}' f",
          "awk '{printf(\"%s\\n\", $1 > 5 ? \"a\" : \"b\")}' f",
          "awk '{print\ny = $2 > 5 ? 1 : 0}' f", "awk '{print $1\nif ($2 > x) y++}' f",
          "awk '{print length($1)\nz = $2 > x}' f", "awk '$3 > 100 {print $1}' f"});
}

TEST(ShellBreaking, DateThatSetsTheClock) {
  expect({"date -s 12:00", "date -us 12:00", "date --set=12:00", "date --s 12:00", "date 01021200",
          "date -u 01021200"},
         {"date -d yesterday +%F", "date -u", "date -Iseconds", "date -dyesterday", "date -r a.txt",
          "date --date 'last monday' +%F", "date --date=yesterday", "date -ud '1 day ago' +%s",
          "date +%s -d today", "date -Is"});
}

// Not every program reads options behind its first operand, or letters that are joined.
TEST(ShellBreaking, OptionsThatAProgramDoesNotTakeForSome) {
  expect(
      {"unzip a.zip '*' -l", "unzip -q a.zip -t '*'", "unzip a.zip '*' -Z", "unzip -q a.zip '*' -p",
       "xxd -ac a .git/config", "xxd -abc a .git/config", "xxd -pl a outbox/m.json", "xxd a -p"},
      {"unzip -l a.zip '*.txt'", "unzip -qp a.zip a.txt", "unzip -Z1 a.zip", "xxd -c 16 -l 64 a",
       "xxd -c8 -g1 a", "xxd -ps a"});
}

// Statements that sqlite3 reads from its input can be commands that write, also with -safe.
TEST(ShellBreaking, InputThatIsAProgram) {
  expect({"printf '.trace .git/config\n' | sqlite3 -safe -readonly a.db",
          "sqlite3 -readonly -safe a.db < a.sql", "sqlite3 -safe -readonly",
          "sqlite3 -safe -readonly -csv a.db <<'E'\n.trace outbox/m.json\nE\n"},
         {"sqlite3 -safe -readonly a.db 'SELECT 1' < a.sql",
          "sqlite3 -readonly -safe -csv a.db 'SELECT 1'"});
}

// gawk reads from a socket that ARGV names, and SYMTAB reaches ARGV by a name in parts.
TEST(ShellBreaking, SocketsOfAwk) {
  expect({"gawk 'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"/in\" \"et/tcp/0/localhost/80\"}1' a",
          "awk 'BEGIN{n=\"ARG\"; n=n \"C\"; SYMTAB[n]=2}1' a"},
         {"awk 'BEGIN{print ENVIRON[\"HOME\"]}'"});
}

// To dash `time` is a program, which runs what only looks like an assignment.
TEST(ShellBreaking, AssignmentsThatTimeRuns) {
  expect({"time x=a/b", "time -p x=a/b", "mkdir x=a; cp a x=a/b; time x=a/b",
          "f=a/b; time x=\"$f\"", "time x=$(pwd)"},
         {"time LC_ALL=C sort a", "x=a/b; time ls", "time x=1"});
}

// What bash unescapes is no path that is known.
TEST(ShellBreaking, EscapesInPaths) {
  expect({"cp x a/$'\\x2e\\x2e/\\x2e\\x2e/out'", "tee d/$'\\056git'/config",
          "bash -c \"cp x ./o$'\\\\165tbox'\""},
         {"grep $'a\\tb' a", "cat a$'\\x2e'txt"});
}

// tree -R runs itself with -o in each folder, and what cargo and go are a file of the folder says.
TEST(ShellBreaking, ProgramsThatStartThemselvesAnew) {
  expect({"tree -R -L 1", "tree -aR -L 1 -H .", "tree -o a", "tree -L 1 -oa", "cargo --version",
          "rustc --version", "go version"},
         {"tree -a -L 2", "tree -d --dirsfirst src", "tree -I build -P '*.cc'"});
}

// git takes every beginning of an option that is no other option's.
TEST(ShellBreaking, BeginningsOfOptionsOfGit) {
  expect({"git log --o a", "git log --outp=a", "git diff --ext", "git diff --ext-d",
          "git show --textc", "git cat-file --fi HEAD:a", "git cat-file --filt HEAD:a",
          "git log --show-sig"},
         {"git log --find-renames", "git log --full-history -- a", "git diff --exit-code",
          "git log --extended-regexp --grep='a|b'", "git rev-list --objects --all",
          "git diff --full-index", "git log --encoding=UTF-8"});
}

// The owner hears of every file outside that a line spells.
TEST(ShellBreaking, FilesOutsideThatAreNamedInOtherWays) {
  expect({"cat ~root/x",
          "cat ~-/x",
          "cat ~ada",
          "grep -f/etc/shadow a",
          "grep -cf/etc/shadow a",
          "date -f /etc/shadow",
          "date -f/etc/shadow",
          "git diff --no-index /etc/shadow a",
          "git diff /etc/shadow a",
          "git -C sub diff /etc/shadow a",
          "git diff a ../../b",
          "git blame --contents /etc/shadow a",
          "git blame --contents=/etc/shadow a",
          "git ls-files -X/etc/shadow",
          "git apply --stat /etc/shadow",
          "cat {/etc/shadow,a}",
          "cat /etc/{shadow,hosts}",
          "cat {a,~root/b}",
          "cat $'/etc/shadow'",
          "cat \"${x:-/etc/shadow}\"",
          "cat ${x-/etc/shadow}",
          "strings @/etc/shadow",
          "file -f/etc/shadow",
          "file -m/etc/shadow a",
          "grep \"$p\" /etc/shadow",
          "sort --files0-from=/etc/shadow",
          "sort -T/etc a",
          "xargs -a/etc/shadow ls",
          "x=~root/x; cat $x",
          "x=~root; cat \"$x/a\"",
          "for f in ~root/*; do cat \"$f\"; done",
          "for f in /etc/*.conf; do cat $f; done",
          "git log -O/etc/shadow",
          "git show -O /etc/shadow"},
         {"cut -d/ -f1 a", "grep -e/api/v1 a", "sort -t/ -k2 a", "grep \"$p\" a",
          "git diff HEAD~1 -- src/a.cc", "git log -S/api/v1", "git diff main..work",
          "git log --grep=/x", "ls \"${d:-/tmp}\"", "cat \"${x:-a/b}\"", "cat {a,b/c}",
          "awk -F/ '{print $2}' a", "cat a~", "echo {/a,/b}", "find . -name '*~'"});
}

// The shells take a line's escaped end away before they read back quotes, and before they look how
// an operator goes on, so that a here-document ends where it does not seem to.
TEST(ShellBreaking, HereDocumentsThatEndElsewhere) {
  expect({"echo `cat <<'E'\na\\\nE\ncat <<'F'\nE\nrm c\nF\n`",
          "echo \"`cat <<'E'\na\\\nE\ncat <<'F'\nE\nrm c\nF\n`\"", "cat <<\\\n-E\nE\nrm c\n-E\n",
          "cat <<\\\n-\"E\"\n\tE\nrm c\n-E\n", "cat <<\\\n\\\n-E\nE\nrm c\n-E\n"},
         {"cat <<E\\\nF\nE\nEF\n", "cat \\\n<<'E'\na\\\nE\n", "cat <<E \\\n| wc -l\na\nE\n",
          "echo \"$(cat <<'E'\na\\\nE\n)\"", "echo `ls -l`", "ls 2> \\\n a.log"});
}

// What is not known may be a time that the clock is set to, or an option that does.
TEST(ShellBreaking, DateWithWordsThatAreNotKnown) {
  expect({"date \"$x\"", "date $(cat f)", "echo 01021200 | xargs date", "date *", "date -d $x",
          "date -d \"$x\" $y", "xargs -I{} date {}", "xargs -n1 -I{} date -d {}", "date --date $x",
          "date \"0102$x\"", "date \"--$x\"", "find . -exec date {} +"},
         {"date -d \"$x\" +%F", "date \"+$x\"", "date --date=\"$x\" +%s", "date -r \"$f\" +%F",
          "date -d \"@$x\"", "xargs -I{} date -d {} +%F", "xargs -I @ date -d @ +%F"});
}

// Every -I names a text that stands for what xargs reads, and the last of them holds.
TEST(ShellBreaking, TextsThatXargsReplaces) {
  expect({"xargs -I a -I ls ls x", "xargs -dI -I ls ls x", "xargs --replace=a -I ls ls x",
          "xargs -I{} cp a {}", "xargs -I x cp a sub/x.txt", "xargs -I{} -n2 date {}",
          "xargs -I{} sh -c {}", "xargs -0I{} mv {} {}.bak", "xargs -I{} -L1 sort {}",
          "xargs -I --since= git log --since=x", "xargs -I + date +",
          "xargs -I - git log --since=x", "xargs -I{} git log -{}", "xargs -I e git log --since=x"},
         {"xargs grep -I ls", "xargs -I{} grep -c x {}", "xargs -I{} wc -l sub/{}",
          "xargs -I{} echo a {} b", "xargs -I{} git status", "xargs -I{} git log --since={}",
          "xargs -I{} date -d a +{}"});
}

// Git starts gpg to tell of a signature.
TEST(ShellBreaking, FormsOfGitThatStartAnotherProgram) {
  expect({"git log --format=%G?", "git log --pretty='format:%h %GS'", "git show --pretty=%GG",
          "git rev-list --format=%G? HEAD", "git for-each-ref --format '%(signature:grade)'",
          "git -C sub log --format=%GK", "git branch --format='%(signature)'"},
         {"git log --date=format:%G-W%V --format=%ad", "git log --format='%h %an'",
          "git for-each-ref --format='%(refname)'"});
}

}  // namespace
}  // namespace anima::govern::shell_breaking_test
