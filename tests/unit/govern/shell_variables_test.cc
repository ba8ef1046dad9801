// Variables that the line itself sets to a text count as that text, and no other does. Each line of
// the tables of what is not known was tried as a way to have another value there.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/process.h"
#include "govern/shell_command.h"
#include "govern/shell_judge.h"

namespace anima::govern::shell_variables_test {
namespace {

// The arguments of each `find`, "?" for words that are not known.
std::vector<std::string> found(std::string_view text) {
  const auto parsed = parse_shell(text);
  if (!parsed) return {"error: " + parsed.error().describe()};
  std::vector<std::string> all;
  for (const SimpleCommand& command : parsed->commands) {
    if (command.program != "find") continue;
    std::string line;
    for (std::size_t i = 0; i < command.arguments.size(); ++i)
      line += "<" + (command.forms[i] == WordForm::kFixed ? command.arguments[i] : "?") + ">";
    all.push_back(line);
  }
  return all;
}
using List = std::vector<std::string>;

bool harmless(std::string_view text) {
  const auto judged = judge_shell(text);
  return judged && judged->harmless();
}

TEST(ShellVariables, ATextThatIsAssignedBeforeStandsInTheWord) {
  EXPECT_EQ(found("f=a.txt; find \"$f\" $f ${f} x/$f \"$f\".bak \"${f}s\" '$f'"),
            (List{"<a.txt><a.txt><a.txt><x/a.txt><a.txt.bak><a.txts><$f>"}));
  EXPECT_EQ(found("f='a b'; find $f"), (List{"<a><b>"}));
  EXPECT_EQ(found("f='a b'; find \"$f\""), (List{"<a b>"}));
  EXPECT_EQ(found("f=' a  b '; find $f"), (List{"<a><b>"}));
  EXPECT_EQ(found("f=; find $f \"$f\""), (List{"<>"}));
  EXPECT_EQ(found("f=a\nfind $f"), (List{"<a>"}));
  EXPECT_EQ(found("f=a && find $f"), (List{"<a>"}));
  EXPECT_EQ(found("f=a && ls && find $f"), (List{"<a>"}));
  EXPECT_EQ(found("test -e x && f=a && find $f"), (List{"<a>"}));
  EXPECT_EQ(found("f=a; ls | find $f"), (List{"<a>"}));
  EXPECT_EQ(found("f=a; (cd x && find $f)"), (List{"<a>"}));
  EXPECT_EQ(found("f=a; echo $(find $f) `find $f`"), (List{"<a>", "<a>"}));
  EXPECT_EQ(found("f=a; if find $f; then find \"$f\"; fi"), (List{"<a>", "<a>"}));
  EXPECT_EQ(found("{ f=a; find $f; }"), (List{"<a>"}));
  EXPECT_EQ(found("d=src; f=$d/a; g=\"$f.cc\"; find $g"), (List{"<src/a.cc>"}));
  EXPECT_EQ(found("f=-delete; find . $f"), (List{"<.><-delete>"}));
  EXPECT_EQ(found("! f=a; find $f"), (List{"<a>"}));
}

// The head of a loop is read again where it is another text for another value.
TEST(ShellVariables, HeadsOfLoopsAreSeenWithEveryValue) {
  EXPECT_EQ(found("for d in a b; do for f in $d c; do find $f; done; done"),
            (List{"<a>", "<b>", "<c>"}));
  EXPECT_EQ(found("for f in a b; do sh -c \"for g in $f x; do find \\$g; done\"; done"),
            (List{"<a>", "<b>", "<x>"}));
  EXPECT_EQ(found("sh -c 'for f in a b; do find $f; done'; for f in c d; do find $f; done"),
            (List{"<a>", "<b>", "<c>", "<d>", "<a>", "<b>", "<c>", "<d>"}));
  EXPECT_EQ(found("for f in a b; do for f in c; do find $f; done; done; find \"$f\""),
            (List{"<a>", "<b>", "<c>", "<?>"}));
}

TEST(ShellVariables, EveryValueIsSeen) {
  EXPECT_EQ(found("for f in a b; do find $f; done"), (List{"<a>", "<b>"}));
  EXPECT_EQ(found("for f in a 'b c'; do find \"$f\"; done"), (List{"<a>", "<b c>"}));
  EXPECT_EQ(found("l='a b'; for f in $l c; do find $f; done"), (List{"<a>", "<b>", "<c>"}));
  EXPECT_EQ(found("f=a; find $f; f=b; find $f"), (List{"<a>", "<b>", "<a>", "<b>"}));
  EXPECT_EQ(found("f=a; if ls; then f=b; fi; find $f"), (List{"<a>", "<b>"}));
  EXPECT_EQ(found("f=a; ls && f=b; find $f"), (List{"<a>", "<b>"}));
  EXPECT_EQ(found("f=a; while ls; do find $f; f=b; done"), (List{"<a>", "<b>"}));
  EXPECT_EQ(found("f=a; (f=b); find $f"), (List{"<a>", "<b>"}));
  EXPECT_EQ(found("for d in a b; do for f in x y; do find $d/$f; done; done"),
            (List{"<a/x>", "<a/y>", "<b/x>", "<b/y>"}));
  EXPECT_EQ(found("for d in a b; do f=$d/x; find $f; done"), (List{"<a/x>", "<b/x>"}));
  // Too many to follow.
  EXPECT_EQ(found("for f in 1 2 3 4 5 6 7 8 9 a b c d e f g h; do find $f; done"), (List{"<?>"}));
}

// What a value shows to be run can set variables itself.
TEST(ShellVariables, ValuesThatShowMoreToBeRun) {
  for (const std::string_view last : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    const std::string text =
        "v=x; find . $v; a=1; b=$a; c=$b; d=$c; e=$d; f=$e; g=$f; h=$g; i=$h; "
        "sh -c \"v=-delete; find . \\$v $" +
        std::string(last) + "\"";
    EXPECT_FALSE(harmless(text)) << text;
  }
  EXPECT_FALSE(harmless("v=x; find . $v; sh -c $'v=-delete; find . $v'"));
  EXPECT_TRUE(harmless("a=1; b=$a; c=$b; d=$c; find $d"));
}

TEST(ShellVariables, PartsOfAValue) {
  EXPECT_EQ(found("f=a/b.tar.gz; find ${f%.gz} ${f%%.*} ${f##*/} ${f#a} ${f%/*} ${f%x} ${f:-d}"),
            (List{"<a/b.tar><a/b><b.tar.gz></b.tar.gz><a><a/b.tar.gz><a/b.tar.gz>"}));
  EXPECT_EQ(found("f=aXbXc; find \"${f%X*}\" \"${f%%X*}\" \"${f#*X}\" \"${f##*X}\""),
            (List{"<aXb><a><bXc><c>"}));
  EXPECT_EQ(found("f=ab; find \"${f%%*}\" \"${f%*}\" \"${f#*}\""), (List{"<><ab><ab>"}));
  for (const char* unknown :
       {"${f%?}", "${f%[a]}", "${f%\\*}", "${f/a/b}", "${f^}", "${f:1}", "${f:0:1}", "${f%$g}",
        "${f%'a'}", "${f:+d}", "${f=d}", "${f@Q}", "${f%~}"})
    EXPECT_NE(found("f=ab; find \"" + std::string(unknown) + "\""), (List{"<ab>"})) << unknown;
  EXPECT_EQ(found("f=; find \"${f:-d}\""), (List{"<?>"}));
}

TEST(ShellVariables, WhereItMayNotBeSetItIsNotKnown) {
  for (const char* text :
       {"find \"$f\"", "find \"$f\"; f=a", "ls && f=a; find \"$f\"", "ls || f=a; find \"$f\"",
        "ls || f=a && find \"$f\"", "ls && f=a || find \"$f\"", "ls && f=a || ls; find \"$f\"",
        "false &&\nf=a; find \"$f\"", "false && # a remark\n\nf=a; find \"$f\"",
        "ls | f=a; find \"$f\"", "ls |\nf=a; find \"$f\"", "f=a | ls; find \"$f\"",
        "f=a |& ls; find \"$f\"", "f=a & find \"$f\"", "f=a && ls & find \"$f\"",
        "(f=a); find \"$f\"", "echo $(f=a); find \"$f\"", "echo `f=a`; find \"$f\"",
        "cat <(f=a); find \"$f\"", "{ f=a; } | ls; find \"$f\"", "if ls; then f=a; fi; find \"$f\"",
        "if ls; then f=a; else find \"$f\"; fi", "if ls; then f=a; elif find \"$f\"; then ls; fi",
        "while ls; do f=a; done; find \"$f\"", "until ls; do f=a; done; find \"$f\"",
        "for i in $(ls); do f=a; done; find \"$f\"", "for i in 1; do find \"$f\"; f=a; done",
        "case $x in a) f=a;; *) find \"$f\";; esac", "case $x in a) f=a;; esac; find \"$f\"",
        "for f in $(ls) a; do :; done; find \"$f\"", "for f in; do :; done; find \"$f\"",
        "for f in a; do :; done; find \"$f\"", "for f in a; do :; done >\"$f\"; find \"$f\"",
        "time f=a; find \"$f\"", "f=a >x; find \"$f\"", "f=a <x; find \"$f\"",
        "f=a >&9; find \"$f\"", "f=a <&-; find \"$f\"", "f=a <<<x; find \"$f\"",
        "f=a <<E\nE\nfind \"$f\"", "2>&1 f=a; find \"$f\"", "f=a find \"$f\"",
        "f=a g=$(find \"$f\")", "f=a true; find \"$f\"", "cat <<E; f=a\n$(find \"$f\")\nE\n",
        "f=a; sh -c 'find \"$f\"'", "f=a; bash -c 'find \"$f\"'",
        "echo x | xargs sh -c 'find \"$f\"'", "sh -c 'f=a'; find \"$f\"",
        // bash goes on with the next line when an expansion fails.
        "echo $((1/0)); f=a\nfind \"$f\"", "x=$((y)) && f=a\nfind \"$f\"",
        "UID=5; f=a\nfind \"$f\"", "for UID in 1; do :; done; f=a\nfind \"$f\"",
        "echo \"${x!y}\"; f=a\nfind \"$f\"", "echo \"${x:1}\"; f=a\nfind \"$f\"",
        "cat <<E; f=a\n$((1/0))\nE\nfind \"$f\"",
        // Blocks that do not close as they opened.
        "if ls; done; f=a; fi; find \"$f\"", "f=a; find \"$f\"; fi"}) {
    for (const std::string& each : found(text)) EXPECT_EQ(each, "<?>") << text;
    EXPECT_FALSE(found(text).empty()) << text;
  }
}

TEST(ShellVariables, WhereSomethingElseMayStandInItItIsNotKnown) {
  for (const char* text : {"f=a; read f; find \"$f\"",
                           "f=a; read -r g f <x; find \"$f\"",
                           "f=a; while read f; do ls; done; find \"$f\"",
                           "f=a; f=$(ls); find \"$f\"",
                           "f=a; f=$g; find \"$f\"",
                           "f=a; f+=b; find \"$f\"",
                           "f=a; f=b true; find \"$f\"",
                           "f=a; f=b :; find \"$f\"",
                           "f=a; : ${f:=b}; find \"$f\"",
                           "f=a; : ${f=b}; find \"$f\"",
                           "f=a; : $((f = 2)); find \"$f\"",
                           "f=a; : $((f++)); find \"$f\"",
                           "f=a; x=f; : $(($x = 2)); find \"$f\"",
                           "f=a; for f in *; do ls; done; find \"$f\"",
                           "f=a; for f; do ls; done; find \"$f\"",
                           "for f in a $x; do find \"$f\"; done",
                           "for f in a *; do find \"$f\"; done",
                           "for f in {a,$x}; do find \"$f\"; done",
                           "f={a,b}; find \"$f\"",
                           "f=a; printf %n f; find \"$f\"",
                           "f=a; unset f; find \"$f\"",
                           "f=a; export f; find \"$f\"",
                           "TZ=a; export TZ=b; find \"$TZ\"",
                           "f=a; command read f; find \"$f\"",
                           "f=a; f=$f/x; find \"$f\"",
                           "f=~/x; find \"$f\"",
                           "f=a:~; find \"$f\"",
                           "f=*; find $f",
                           "f='*'; find $f",
                           "f='a?'; find x/$f",
                           "f='[a]'; find $f",
                           "f='a b'; find x$f",
                           "f='a b'; find \"\"$f",
                           "f='a b'; find $f<(ls)",
                           "f=; find x$f\"$g\"",
                           "f='a\\b'; find $f",
                           "f='a\tb'; find $f",
                           "f='a\nb'; find \"$f\"",
                           "f=$'a'; find \"$f\"",
                           "f=ä; find \"$f\"",
                           "f=a; find $f\\\noo",
                           "f=a; find \"$f\\\noo\"",
                           "f=a; find ${f\\\noo}",
                           "f=a; find {$f,b}",
                           "f=a; find \"$foo\" \"${foo}\"",
                           "f=a; eval 'f=b'; find \"$f\"",
                           "f=a; eval \"$x\"; find \"$f\"",
                           "IFS=a; find $IFS",
                           "RANDOM=a; find \"$RANDOM\"",
                           "_=a; find \"$_\"",
                           "PWD=a; find \"$PWD\"",
                           "OPTIND=1; find \"$OPTIND\"",
                           "SECONDS=1; find \"$SECONDS\"",
                           "HISTCMD=1; find \"$HISTCMD\""}) {
    const auto parsed = parse_shell(text);
    ASSERT_TRUE(parsed) << text;
    const bool known = std::ranges::any_of(parsed->commands, [](const SimpleCommand& command) {
      return command.program == "find" && std::ranges::all_of(command.forms, [](WordForm form) {
               return form == WordForm::kFixed;
             });
    });
    EXPECT_FALSE(known && harmless(text)) << text;
  }
}

// bash makes words of them, dash does not; both count.
TEST(ShellVariables, BracesAndEscapesAreReadAsEitherShellDoes) {
  EXPECT_EQ(found("find {a,b}c x{1..3} y{,z}"),
            (List{"<ac><bc><x1><x2><x3><y><yz>", "<{a,b}c><x{1..3}><y{,z}>"}));
  EXPECT_EQ(found("find {,} {a,b}{c,d} {3..1}"),
            (List{"<ac><ad><bc><bd><3><2><1>", "<{,}><{a,b}{c,d}><{3..1}>"}));
  EXPECT_EQ(found("find {a,{b,c}}"), (List{"<?>", "<{a,{b,c}}>"}));
  EXPECT_EQ(found("for f in {a,b}; do find $f; done"), (List{"<a>", "<b>", "<{a,b}>"}));
  EXPECT_EQ(found("find $'a\\tb' x$'\\\\'"), (List{"<a\tb><x\\>", "<$a\\tb><x$\\\\>"}));
  EXPECT_EQ(found("find $'\\x2d'"), (List{"<?>", "<$\\x2d>"}));
  EXPECT_EQ(found("find \"$'a'\""), (List{"<$'a'>"}));
  for (const char* text :
       {"mkdir -p {src,tests,docs}/a", "touch src/{a,b}.cc", "cp a.txt{,.bak}", "touch {1..5}.txt",
        "sort -t$'\\t' -k3 a.tsv", "awk -F$'\\t' '{print $2}' a.tsv"})
    EXPECT_TRUE(harmless(text)) << text;
  for (const char* text : {"cp a {/etc/b,c}",
                           "cp a {..,x}/b",
                           "cp a .{.,}/b",
                           "touch {outbox,a}/m",
                           "find . {-delete,a}",
                           "find . -{delete,print}",
                           "rm {a,b}",
                           "touch {a,.git}/b",
                           "{ls,-l}",
                           "{rm,a}",
                           "x{=..,y}; ls",
                           "ls > {a,b}",
                           "touch {a,\"../b\"}",
                           "touch {a,..}/{..,b}",
                           "sort {-o,outbox/b} a",
                           "touch {~,a}",
                           "find . {a,b,}{-delete,}",
                           "sort $'-o' .git/a",
                           "find . $'-delete'",
                           "cp a $'..'/b",
                           "find . $'\\x2ddelete'",
                           "$'rm' a",
                           "touch {1..99}",
                           "bash -c 'find . {-delete,a}'",
                           "f={-delete,a}; find . $f",
                           "for f in {-delete,a}; do find . $f; done"})
    EXPECT_FALSE(harmless(text)) << text;
}

TEST(ShellVariables, NamesThatAPatternFinds) {
  for (const char* text :
       {"for f in src/*.cc; do sed -n 1p \"$f\"; done", "for f in ./*.txt; do sort \"$f\"; done",
        "for f in src/*.cc; do echo \"$f $(wc -l < \"$f\")\"; done | sort -k2 -n",
        "for f in *.txt; do wc -l < \"$f\"; done", "d=src; for f in \"$d\"/*; do find \"$f\"; done",
        "for f in src/* a.txt; do git log -1 -- \"$f\"; done",
        "for f in certs/*.pem; do openssl x509 -noout -enddate -in \"$f\"; done"})
    EXPECT_TRUE(harmless(text)) << text;
  for (const char* text :
       {"for f in *; do find \"$f\"; done", "for f in -*; do find \"$f\"; done",
        "for f in src/*; do find $f; done", "for f in $x*; do wc -l < \"$f\"; done",
        "for f in src/* $x; do find \"$f\"; done", "for f in $(ls); do wc -l < \"$f\"; done",
        "for f in src/*; do rm \"$f\"; done", "for f in src/*; do touch \"$f/../../x\"; done",
        "for f in *; do wc -l < \"$f/../../../x\"; done", "for f in /d*; do cat < \"$f\"; done",
        "for f in */*; do cat < \"/dev/$f\"; done", "for f in a/*; do cat > \"$f\"; done",
        "for f in src/*; do f=$x; find \"$f\"; done", "for f in src/*; do find \"${f#src/}\"; done",
        "for f in ../*; do cat < \"$f\"; done", "for f in ~/*; do cat < \"$f\"; done",
        "for f in src/*; do \"$f\"; done", "for f in outbox/*; do cp a \"$f\"; done"})
    EXPECT_FALSE(harmless(text)) << text;
  // A socket of bash.
  EXPECT_FALSE(harmless("read x <a; cat < \"/dev/$x\""));
}

// Whatever bash sets by itself, with nothing in its environment, is not the line's to set.
TEST(ShellVariables, NoVariableOfBashIsKnown) {
  ProcessOptions options;
  options.arguments = {"bash", "-c", "compgen -v"};
  options.environment = Environment{};
  const auto ran = run_process(options);
  if (!ran || !ran->ok()) GTEST_SKIP() << "there is no bash";
  std::size_t count = 0;
  for (std::size_t at = 0; at < ran->out.size(); ++count) {
    const std::size_t end = ran->out.find('\n', at);
    const std::string name = ran->out.substr(at, end - at);
    EXPECT_EQ(found(name + "=a; find \"$" + name + "\""), (List{"<?>"})) << name;
    at = end + 1;
  }
  EXPECT_GT(count, 30u);
}

TEST(ShellVariables, TheWorstValueCounts) {
  for (const char* text :
       {"f=notes.txt; sed -n 1p \"$f\"", "for f in a b c; do cp \"$f\" \"$f.bak\"; done",
        "dir=build && mkdir -p \"$dir\" && touch $dir/x", "d=src; e=rm; find \"$d\" -name \"*.$e\"",
        "for f in a.md b.md; do mv \"$f\" \"${f%.md}.txt\"; done",
        "out=report.txt; { date; ls; } >\"$out\"", "o=-n; sed $o 1p a",
        "n=20; tail -n $n a.log > b.log"})
    EXPECT_TRUE(harmless(text)) << text;
  for (const char* text : {"f=../notes.txt; cp a \"$f\"",
                           "for f in a /etc/b c; do cp x \"$f\"; done",
                           "dir=outbox && cp a $dir/",
                           "d=src; e='x -delete'; find $d -name *.$e",
                           "for f in a.md .git/x; do mv b \"${f%.md}\"; done",
                           "out=../r; ls >\"$out\"",
                           "o=-i; sed $o s/a/b/ .git/a",
                           "x=; f=a; rm \"$f\"",
                           "f=ls; $f",
                           "f=a; ./\"$f\"",
                           "f=a; ./$f",
                           "f=/bin/ls; $f",
                           "f='ls -l'; $f",
                           "f=if; $f true; then ls; fi",
                           "f=; $f rm a",
                           "f='a=b'; $f ls",
                           "n='1 -- x'; find $n -delete",
                           "x=-v; [ $x 'a[$(rm b)]' ]",
                           "x=-v; printf $x y z",
                           "f=/etc/shadow; cat \"$f\"",
                           "f=.git; cp a $f/config",
                           "t='5 rm'; timeout $t a",
                           "f=rm; find . -exec $f {} \\;",
                           "f=out; cp a ${f}box/",
                           "f=xoutbox; cp a ${f#x}/",
                           "f=a/../..; cp x ${f#a/}",
                           "f=sh; echo rm a | $f"})
    EXPECT_FALSE(harmless(text)) << text;
}

// A name that a pattern finds stands for the pattern, also in other names; a number for digits.
TEST(ShellVariables, ShapesOfNames) {
  for (const char* text :
       {R"s(for f in *.txt; do cp "$f" "${f%.txt}.md"; done)s",
        R"s(for f in *.txt; do mv "$f" "$f-$(date +%F).old"; done)s",
        R"s(for f in src/*.cc; do cp "$f" "backup/${f##*/}"; done)s",
        R"s(for f in a/*.txt; do cp "$f" "${f%/*}/x.md"; done)s",
        R"s(for f in *.txt; do b=${f%.txt}; cp "$f" "$b.md"; done)s",
        R"s(for f in *.csv; do sort "$f" > "${f%.csv}.sorted"; done)s",
        R"s(for d in */; do find "$d" -type f; done)s",
        R"s(for i in $(seq 3); do mkdir -p "run$i" && touch part$i.txt; done)s",
        R"s(i=0; while [ $i -lt 3 ]; do touch f$i.txt; i=$((i + 1)); done)s",
        R"s(n=$(wc -l < a); echo "$n" > "lines-$n.txt")s",
        "tar czf backup-$(date +%Y%m%d_%H%M).tgz src",
        "[ $(wc -l < a) -gt 3 ] && [ $? -eq 0 ] && [ $# -lt 2 ]", "ls & wait \"$!\""})
    EXPECT_TRUE(harmless(text)) << text;
  for (const char* text : {R"s(for f in *.x; do cp a "${f%.x}"; done)s",
                           R"s(for f in *.x; do mv a "sub/${f%.x}"; done)s",
                           R"s(for f in *txt; do cp a "${f%txt}.git"; done)s",
                           R"s(for f in *.x; do cp a ".${f%.x}"; done)s",
                           R"s(for f in *.txt; do cp a "${f%txt}git/config"; done)s",
                           R"s(for f in *; do cp a "$f"; done)s",
                           R"s(for f in ./*; do mv "$f" sub; done)s",
                           R"s(for d in */; do cp a "${d}x.txt"; done)s",
                           R"s(for d in a/*.d; do cp -r "$d/." .; done)s",
                           R"s(for f in o*.x; do echo a > "${f%.x}/m.json"; done)s",
                           R"s(for f in *.x; do cp a --target-directory="${f%.x}.git"; done)s",
                           R"s(for f in *.txt; do cp $f sub; done)s",
                           R"s(for f in *.txt; do cp "$f" "${f%%.*}.md"; done)s",
                           R"s(for f in b*.txt; do tar cf "$f.tar" a; done)s",
                           R"s(for f in *.txt; do sed -i s/a/b/ "$f"; done)s",
                           R"s(for f in *.txt; do . "$f"; done)s",
                           R"s(n=$(wc -l < none); cp x "$n.git")s",
                           R"s(n=$(wc -l < none); cp x "$n/etc/a.txt")s",
                           R"s(n=$(wc -l < none); mv a/* "./$n")s",
                           R"s(n=$(wc -l < none); cp x "out${n}box/m.json")s",
                           R"s(echo x > "$(wc -l < none).git/config")s",
                           R"s(echo x > "/dev/tcp/localhost/$((80))")s",
                           "n=$(seq 3); touch a$n",
                           "for i in $(seq 2 1)..; do cp a \"$i/x\"; done",
                           "touch a$(wc -lw < a)",
                           "touch a$(date +%k)b/../../c",
                           R"s(i=$((i + 1)); cp a ".g${i}it")s"})
    EXPECT_FALSE(harmless(text)) << text;
}

TEST(ShellVariables, AShellWithItsTextIsJudgedByTheText) {
  for (const char* text :
       {"sh -c 'ls -l | wc -l'", "bash -c \"git status && git log -1\"", "bash -ec 'ls; cat a'",
        "find . -name '*.sh' -exec sh -c 'wc -l \"$1\"' _ {} \\;", "timeout 5 sh -c 'grep -r x .'",
        "f=a; sh -c \"cat $f\"", "bash -n a.sh", "sh -n a.sh b.sh",
        "for f in *.sh; do bash -n \"./$f\"; done"})
    EXPECT_TRUE(harmless(text)) << text;
  for (const char* text : {"sh -c 'rm a'",
                           "sh -c \"$x\"",
                           "sh -c '$1' _ ls",
                           "sh -c '\"$@\"' _ rm a",
                           "sh -c",
                           "sh -c -e 'rm a'",
                           "sh -c -- 'rm a'",
                           "sh -c +e 'rm a'",
                           "sh -lc ls",
                           "bash -ic ls",
                           "bash -O extglob -c ls",
                           "bash --rcfile x -c ls",
                           "bash -cc ls x",
                           "sh -sc ls",
                           "sh -c '. ./x'",
                           "sh -c 'eval \"$1\"' _ 'rm a'",
                           "find . -exec sh -c 'cat {}' \\;",
                           "ls | xargs -I% sh -c 'cat %'",
                           "zsh -c ls",
                           "fish -c ls",
                           "/tmp/sh -c ls",
                           "BASH_ENV=x bash -c ls",
                           "sh -c 'echo $(($1))' _ 'a[$(rm b)]'",
                           "ls | sh",
                           "sh a.sh",
                           "bash -n",
                           "bash -n -c 'rm a'",
                           "bash -n +n a.sh",
                           "bash +n a.sh",
                           "bash -n $f",
                           "bash -n \"$f\"",
                           "bash -n *",
                           "bash -in a.sh",
                           "bash -nx a.sh",
                           "zsh -n a.sh",
                           "bash -n -- a.sh",
                           "bash -n /etc/profile",
                           "f='-c rm'; bash -n $f",
                           "find +n -exec bash -n {} \\;"})
    EXPECT_FALSE(harmless(text)) << text;
}

}  // namespace
}  // namespace anima::govern::shell_variables_test
