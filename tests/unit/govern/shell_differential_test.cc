// What the judge calls harmless, real shells do harmlessly: command lines put together at random
// from the pieces that make shells hard to read, each with the removal of a file in it. Where the
// judge sees no harm, bash and dash run the line, and the file must still be there. Likewise lines
// of paths and programs that make files: nothing may come to lie outside the work folder.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "base/process.h"
#include "base/random.h"
#include "govern/shell_judge.h"

namespace anima::govern::shell_differential_test {
namespace {

constexpr std::string_view kHarm = "rm -f canary";

// Each of these was read as harmless once, or stands beside one that was.
constexpr std::string_view kSeeds[] = {
    "(( x=1 #)); rm -f canary; ((\nx=1 ))",
    "x='a[$(rm -f canary)]'; echo $((x))",
    "x='$(rm -f canary)'; echo \"${x@P}\"",
    "function ls { rm -f canary; }; ls",
    "coproc ls { rm -f canary; }; wait",
    "ls() { for x do rm -f canary; done; }; ls a",
    "find . {-delete,-print}",
    "cat <<EOF\nfoo\\\nEOF\n: '\nEOF\nrm -f canary\n: '\n",
    "cat <<ls\n$(echo '\nls\nrm -f canary\n# ')\nls\n",
    "echo $(cat <<EOF\nfoo\nEOF)\nrm -f canary\nEOF\n)",
    "echo $((rm -f canary) ) # ))",
    "echo \"${x:-'}\"; rm -f canary; echo \"'}\"",
    "exec -la ls rm -f canary",
    "env -iu ls rm -f canary",
    "echo a | xargs -rI ls rm -f canary",
    "t='5 rm -f canary'; timeout $t ls",
    "printf -v'a[$(rm -f canary)]' x",
    "o=-v; [ $o 'a[$(rm -f canary)]' ]",
    "echo \"$'\"; rm -f canary; echo \"'\"",
    "echo \"$\\\n(rm -f canary)\"",
    "ls &>f rm -f canary",
    "echo $'a\\'; rm -f canary; #'",
    "case x in x) ls;; *) rm -f b;; esac; rm -f canary",
    "case a in (a|b) rm -f canary; esac",
    "echo \"`echo \"a`\"; rm -f canary; echo \"`echo b\"`\"",
    "for x in $(rm -f canary); do :; done",
    "cat <<'E'\n$(rm -f canary)\nE\n",
    "echo '$(rm -f canary)' # rm -f canary",
    "cat <<E\n${x:-\nE\nrm -f canary\n}\nE\n",
    "if [ \"$(rm -f canary)\" ]; then :; fi",
    "f() (rm -f canary); f",
    "x=5; [ $x -gt 3 ] && rm -f canary",
    "f='rm -f canary'; $f",
    "f=a; f=canary; find $f -delete",
    "for f in a canary; do find \"$f\" -delete; done",
    "o=-delete; (o=a); find canary $o",
    "o=-name; o=-delete | ls; find canary $o",
    "f=a; sh -c 'rm -f canary' _ \"$f\"",
    "sh -c 'f=canary; find $f -delete'",
    "t=x; eval 't=-delete'; find canary $t",
    "d=-delete; find canary ${d%te}te",
    "l='a canary'; for f in $l; do find $f -delete; done",
};

constexpr std::string_view kPieces[] = {"'",
                                        "\"",
                                        "\\",
                                        "$",
                                        "`",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "#",
                                        " ",
                                        "\n",
                                        ";",
                                        "&",
                                        "|",
                                        "<",
                                        ">",
                                        "<<E\n",
                                        "\nE\n",
                                        "<<'E'\n",
                                        "<<-E\n",
                                        "\n	E\n",
                                        "$((",
                                        "))",
                                        "${x",
                                        "${x:-",
                                        "$'",
                                        "case x in ",
                                        "x) ",
                                        ";;",
                                        " esac",
                                        "echo ",
                                        "ls ",
                                        ": ",
                                        "for x in a; do ",
                                        "; done",
                                        "if true; then ",
                                        "; fi",
                                        "$(",
                                        "<(",
                                        "x=",
                                        "{ ",
                                        "; }",
                                        "f() ",
                                        "\\\n",
                                        "\\\"",
                                        "\\'",
                                        "&&",
                                        "||",
                                        "&>",
                                        ">&-",
                                        "2>&1",
                                        "<<<",
                                        "! ",
                                        "time ",
                                        "E",
                                        "a",
                                        "1",
                                        "in ",
                                        "[ ",
                                        "] ",
                                        "[[ ",
                                        "*",
                                        "?",
                                        "-",
                                        "=",
                                        "%",
                                        "@",
                                        "exec ",
                                        "env ",
                                        "xargs ",
                                        "timeout 5 ",
                                        "cat ",
                                        "${#x}",
                                        "\"$x\"",
                                        "$x",
                                        "$1",
                                        "((",
                                        "{a,b}",
                                        "	",
                                        "test ",
                                        "''",
                                        "\"\"",
                                        "$\"",
                                        "$[",
                                        "]"};

// Of lines that try to write outside.
constexpr std::string_view kWays[] = {"cp ",
                                      "mv ",
                                      "touch ",
                                      "tee ",
                                      "mkdir ",
                                      "cd ",
                                      "-t ",
                                      "-t",
                                      "--target-directory=",
                                      "--target=",
                                      "-v",
                                      "../out",
                                      "..",
                                      "/",
                                      ".?",
                                      ".*",
                                      "{..,x}",
                                      "o",
                                      "out",
                                      "$x",
                                      "\"$x\"",
                                      "x=..;",
                                      "a",
                                      "a ",
                                      "; ",
                                      "&& ",
                                      "../",
                                      "./",
                                      " ",
                                      "*",
                                      "[.]",
                                      "?",
                                      "\\",
                                      "'",
                                      "\"",
                                      ">",
                                      "find . -exec ",
                                      "{}",
                                      " \\;",
                                      "| xargs ",
                                      "xargs -I% ",
                                      "%",
                                      "echo ../out/z ",
                                      "echo .. ",
                                      "for f in ",
                                      "; do ",
                                      "; done",
                                      "\"$f\"",
                                      "read x;",
                                      "<<< ..",
                                      "env ",
                                      "-C ",
                                      "tar cf ",
                                      "sort ",
                                      "-o",
                                      "git diff --output=",
                                      "${x:=..}",
                                      "$(dirname ",
                                      ")",
                                      "$PWD",
                                      "$OLDPWD",
                                      "--",
                                      "cd o;",
                                      "&>",
                                      "\"\"",
                                      ".\"\".\"",
                                      ".\\.",
                                      "f=..;",
                                      "f=a;",
                                      "f=a/../..;",
                                      "(f=../out);",
                                      "f=../out&&",
                                      "f=.. &",
                                      "f=../out\n",
                                      "f='a ../out';",
                                      "$f",
                                      "${f%/*}",
                                      "${f#a/}",
                                      "f=$f/..;",
                                      "for f in a ..",
                                      "sh -c '",
                                      "'"};

// Forms that the table knows, and what turns them into something else.
constexpr std::string_view kForms[] = {"tar -tf a.tar",
                                       "tar tvf a.tar",
                                       "tar -df a.tar",
                                       "tar -xOf a.tar",
                                       "tar xOf a.tar",
                                       "tar tf",
                                       "openssl rand -hex 4",
                                       "git config user.name",
                                       "git range-diff HEAD HEAD",
                                       "sh -n a",
                                       "bash -n",
                                       "gzip -c a",
                                       "gzip -dc a.gz",
                                       "gzip -l a.gz",
                                       "gzip",
                                       "gunzip -c a.gz",
                                       "xz -c a",
                                       "xz -l",
                                       "xz -t",
                                       "bzip2 -c a",
                                       "bzip2 -t",
                                       "zstd -c a",
                                       "zstd -t",
                                       "zstd -l",
                                       "zstdcat a",
                                       "unzip -l a.zip",
                                       "unzip -p",
                                       "zipinfo a.zip",
                                       "cpio -t",
                                       "ar t a.a",
                                       "split -l 1 a",
                                       "split",
                                       "xxd a",
                                       "xxd -p",
                                       "patch --dry-run",
                                       "patch --dry-run -i a.patch a",
                                       "sdiff a b",
                                       "diff3 a b a",
                                       "iconv -f latin1 -t utf-8 a",
                                       "openssl dgst -sha256 a",
                                       "sqlite3 -safe -readonly a.db",
                                       "rsync -n",
                                       "rsync -avn a o",
                                       "rsync -rn --delete o",
                                       "nm",
                                       "objdump -h",
                                       "size",
                                       "git branch",
                                       "git tag",
                                       "git grep a",
                                       "git -C o status",
                                       "git -C",
                                       "git add",
                                       "git commit -m a",
                                       "git switch -c b",
                                       "git apply --stat a.patch"};
constexpr std::string_view kMore[] = {" a",
                                      " canary",
                                      " a.gz",
                                      " a.tar",
                                      " a.db",
                                      " o",
                                      " ./*",
                                      " *",
                                      " o/*",
                                      " -",
                                      " --",
                                      " ../out",
                                      " ../out/x",
                                      " -d",
                                      " -c",
                                      " -k",
                                      " -f",
                                      " -l",
                                      " -t",
                                      " -x",
                                      " -r",
                                      " -D",
                                      " -C ../out",
                                      " -o ../out/x",
                                      " -o",
                                      " -O",
                                      " -p",
                                      " -i",
                                      " -n",
                                      " -v",
                                      " -z",
                                      " -e",
                                      " -a 1",
                                      " -b 1",
                                      " -cd",
                                      " -tv",
                                      " -dk",
                                      " -Ztv",
                                      " -xf",
                                      " -I ./a",
                                      " fI a.tar ./a",
                                      " 'touch ../out/x'",
                                      " --rm",
                                      " --stdout",
                                      " --decompress",
                                      " --list",
                                      " --extract",
                                      " --output=../out/x",
                                      " --filter=rm",
                                      " --filter='rm canary'",
                                      " --to-command='rm canary'",
                                      " -I 'rm canary'",
                                      " --delete",
                                      " --remove-files",
                                      " --no-n",
                                      " --exclude",
                                      " --exclude=a",
                                      " 'vacuum into \"../out/x\"'",
                                      " .shell",
                                      " '.shell rm canary'",
                                      " \"$x\"",
                                      " ../out/.",
                                      " .gi",
                                      " -u",
                                      " -q",
                                      " -1",
                                      " --apply",
                                      " --dry-run",
                                      " --dry"};

template <typename List>
std::string_view any_of(const List& list, Random& random) {
  return list[random.next() % std::size(list)];
}

std::string put_together(Random& random) {
  std::string line;
  for (std::uint64_t pieces = 3 + random.next() % 12; pieces > 0; --pieces)
    line += random.next() % 8 == 0 ? kHarm : any_of(kPieces, random);
  return line;
}

std::string changed(Random& random) {
  std::string line(any_of(kSeeds, random));
  for (std::uint64_t changes = 1 + random.next() % 4; changes > 0; --changes) {
    const std::size_t at = random.next() % (line.size() + 1);
    switch (random.next() % 4) {
      case 0:
        line.erase(at, 1 + random.next() % 3);
        break;
      case 1: {
        const std::string_view other = any_of(kSeeds, random);
        line = line.substr(0, at) + std::string(other.substr(random.next() % other.size()));
        break;
      }
      default:
        line.insert(at, any_of(kPieces, random));
    }
  }
  return line;
}

bool harmless(const std::string& line) {
  const auto judged = judge_shell(line);
  return judged && judged->harmless();
}

// The work folder "work", with a folder "out" beside it that stays empty.
class Shells {
 public:
  Shells() {
    for (const char* name : {"work/o", "out"})
      EXPECT_TRUE(system_files().make_directories(folder_.file(name), 0755));
  }
  bool canary_survives(const std::string& shell, const std::string& line) {
    make("work/canary");
    run(shell, line);
    return file_exists(system_files(), folder_.file("work/canary"));
  }
  bool survives_check_of(const std::string& shell, const std::string& text) {
    make("work/canary");
    EXPECT_TRUE(replace_file(system_files(), folder_.file("work/script"), text));
    run("/bin/sh", shell + " -n script");
    return file_exists(system_files(), folder_.file("work/canary"));
  }
  bool stays_inside(const std::string& shell, const std::string& line) {
    make("work/a");
    run(shell, line);
    return system_files().list(folder_.file("out"))->empty() &&
           system_files().list(folder_.path())->size() == 2;
  }
  // What the programs of kForms look at.
  void pack() {
    make("work/a");
    run("/bin/sh",
        "git init -q .; git config user.name a; git config user.email a@example.org; git add a; "
        "git commit -q -m a; cp a b; tar cf a.tar a b; gzip -k a; gzip -ck a >a.zip; tar cf a.a a; "
        "printf -- '--- a\\n+++ a\\n@@ -1 +1 @@\\n-alive\\n+dead\\n' >a.patch");
  }
  bool canary_is_unchanged(const std::string& line) {
    make("work/canary");
    run("/bin/sh", line);
    const auto canary = read_file(system_files(), folder_.file("work/canary"));
    return canary && *canary == "alive" && system_files().list(folder_.file("out"))->empty() &&
           system_files().list(folder_.path())->size() == 2;
  }

 private:
  void make(std::string_view name) {
    const std::string path = folder_.file(name);
    if (file_exists(system_files(), path)) return;
    EXPECT_TRUE(replace_file(system_files(), path, "alive"));
  }
  void run(const std::string& shell, const std::string& line) {
    ProcessOptions options;
    options.arguments = {shell, "-c", line};
    options.working_directory = folder_.file("work");
    options.environment = {
        {"PATH", "/usr/bin:/bin"}, {"HOME", folder_.path()}, {"LANG", "C.UTF-8"}};
    options.timeout_ms = 10'000;
    (void)run_process(options);
  }

  TemporaryDirectory folder_;
};

constexpr const char* kShells[] = {"/bin/sh", "/bin/bash"};
// ANIMA_TEST_SEED chooses other lines.
std::uint64_t first_seed() {
  const char* text = std::getenv("ANIMA_TEST_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10) * 1'000'000;
}
std::uint64_t lines_to_try() { return std::getenv("ANIMA_TEST_FULL") != nullptr ? 100'000 : 8'000; }

TEST(ShellDifferential, WhatIsJudgedHarmlessLeavesTheFile) {
  Shells shells;
  std::size_t ran = 0;
  for (std::uint64_t seed = 0; seed < lines_to_try(); ++seed) {
    SeededRandom random(first_seed() + seed);
    const std::string line = random.next() % 2 == 0 ? put_together(random) : changed(random);
    if (line.find(kHarm) == std::string::npos || !harmless(line)) continue;
    ++ran;
    for (const char* shell : kShells) {
      if (!file_exists(system_files(), shell)) continue;
      ASSERT_TRUE(shells.canary_survives(shell, line)) << shell << " seed " << seed << "\n" << line;
    }
  }
  EXPECT_GT(ran, lines_to_try() / 1000);
}

TEST(ShellDifferential, CheckingTheGrammarRunsNothing) {
  Shells shells;
  for (std::uint64_t seed = 0; seed < lines_to_try() / 16; ++seed) {
    SeededRandom random(first_seed() + seed);
    const std::string text = random.next() % 2 == 0 ? put_together(random) : changed(random);
    for (const char* shell : kShells) {
      if (!file_exists(system_files(), shell)) continue;
      ASSERT_TRUE(shells.survives_check_of(shell, text)) << shell << " seed " << seed << "\n"
                                                         << text;
    }
  }
}

TEST(ShellDifferential, WhatIsJudgedHarmlessStaysInTheFolder) {
  Shells shells;
  std::size_t ran = 0;
  for (std::uint64_t seed = 0; seed < lines_to_try(); ++seed) {
    SeededRandom random(first_seed() + seed);
    std::string line;
    for (std::uint64_t pieces = 2 + random.next() % 8; pieces > 0; --pieces)
      line += any_of(kWays, random);
    const bool tries = line.find("..") != std::string::npos || line.find(".?") != std::string::npos;
    if (!tries || !harmless(line)) continue;
    ++ran;
    for (const char* shell : kShells) {
      if (!file_exists(system_files(), shell)) continue;
      ASSERT_TRUE(shells.stays_inside(shell, line)) << shell << " seed " << seed << "\n" << line;
    }
  }
  EXPECT_GT(ran, lines_to_try() / 1000);
}

TEST(ShellDifferential, FormsOfTheTableChangeNoFile) {
  Shells shells;
  shells.pack();
  std::size_t ran = 0;
  for (std::uint64_t seed = 0; seed < lines_to_try() / 8; ++seed) {
    SeededRandom random(first_seed() + seed);
    std::string line(any_of(kForms, random));
    for (std::uint64_t words = random.next() % 4; words > 0; --words) line += any_of(kMore, random);
    if (!harmless(line)) continue;
    ++ran;
    ASSERT_TRUE(shells.canary_is_unchanged(line)) << "seed " << seed << "\n" << line;
  }
  EXPECT_GT(ran, lines_to_try() / 100);
}

}  // namespace
}  // namespace anima::govern::shell_differential_test
