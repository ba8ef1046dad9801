// 200 tasks of everyday development and 60 that mean harm (tests/cases/shell), each over a view of
// a folder: what it changes is exactly what is written there, nothing else changes, and at most one
// in twenty of the harmless waits for a person.
#include <arpa/inet.h>
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/files/file.h"
#include "base/text/text.h"
#include "govern/rules/policy.h"
#include "support/needs_sandbox.h"
#include "tools/external.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools::shell_tasks_test {
namespace {

constexpr std::string_view kNotes = R"(
mkdir notes; printf 'one\ntwo\nthree\n' > notes/a.txt; printf 'two\none\nfour\n' > notes/b.txt
echo '- tidy' > todo.md; printf 'name,n\nann,1\nbob,2\n' > data.csv; echo 'an error' > log.txt
echo '{"total": 3}' > report.json; printf 'red\ngreen\n' > names.txt
printf 'echo ran > ran.txt\n' > run.sh; chmod 644 run.sh; chmod 755 notes; chmod 644 notes/*
)";
constexpr std::string_view kC = R"(
cat > Makefile <<'M'
PREFIX = /usr
hello: hello.o util.o
	gcc -o hello hello.o util.o
%.o: %.c util.h
	gcc -c $<
test: hello
	./hello | grep -q 5
clean:
	rm -f hello *.o
install: hello
	install -D hello $(PREFIX)/bin/hello
M
printf '#include <stdio.h>\n#include "util.h"\nint main(void) { printf("hello %%d\\n", add(2, 3)); return 0; }\n' > hello.c
printf '#include "util.h"\nint add(int a, int b) { return a + b; }\n' > util.c
printf 'int add(int a, int b);\n' > util.h; echo 'int main( {' > broken.c
printf 'gcc -o hello hello.c util.c && ./hello > test.log\n' > test.sh
)";
constexpr std::string_view kPython = R"(
mkdir pkg; : > pkg/__init__.py
printf 'def double(n):\n    return 2 * n\n\ndef main():\n    print(double(4))\n\nif __name__ == "__main__":\n    main()\n' > pkg/core.py
printf 'from pkg import core\nprint(core.double(21))\n' > app.py
printf 'import unittest\nfrom pkg import core\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(core.double(2), 4)\n' > test_app.py
printf 'import os\nos.makedirs("out", exist_ok=True)\nopen("out/result.csv", "w").write("a,b\\n")\n' > write.py
printf 'import os\nos.remove("data.json")\n' > clean.py
echo '{"a":[1,2]}' > data.json
)";
constexpr std::string_view kGit = R"(
git init -q -b main . && git config user.name Ann && git config user.email ann@example.org
echo hello > README.md; mkdir src; echo a > src/a.txt; git add . && git commit -qm first
git switch -q -c feature; echo f > feature.txt; git add . && git commit -qm feature
git switch -q main; echo more >> README.md; git commit -qam second
)";
constexpr std::string_view kArchives = R"(
mkdir data bundle; echo a > data/a.txt; echo b > data/b.txt; echo c > bundle/c; echo d > bundle/d
tar -czf bundle.tar.gz bundle; python3 -m zipfile -c bundle.zip bundle; tar -cf plain.tar bundle
echo packed | gzip > packed.gz; rm -r bundle
)";

const std::map<std::string, std::string_view, std::less<>> kFixtures = {
    {"notes", kNotes}, {"c", kC}, {"py", kPython}, {"git", kGit}, {"archives", kArchives}};

struct Task {
  std::string place, fixture, verdict, command;
  std::vector<std::string> effects;
};

std::vector<Task> tasks_of(const std::string& file) {
  const std::string path = std::string(ANIMA_SOURCE_DIR) + "/tests/cases/shell/" + file;
  const auto read = read_file(system_files(), path);
  EXPECT_TRUE(read.has_value()) << path;
  const std::string text = read.value_or("");
  std::vector<Task> tasks;
  std::string fixture;
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.find(' ');
    const std::string word(line.substr(0, space)), rest(line.substr(space + 1));
    if (word == "fixture") {
      fixture = rest;
      continue;
    }
    Task task{file + ":" + std::to_string(number), fixture, word, rest, {}};
    if (const std::size_t mark = rest.rfind(" ;; "); mark != std::string::npos) {
      task.command = rest.substr(0, mark);
      for (const std::string_view each : split(std::string_view(rest).substr(mark + 4), ' '))
        task.effects.emplace_back(each);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

char sign_of(std::string_view effect) {
  constexpr std::pair<std::string_view, char> kSigns[] = {
      {"added", '+'}, {"edited", '~'},  {"deleted", '-'}, {"moved", '>'},
      {"mode", '^'},  {"touched", '@'}, {"replaced", '!'}};
  for (const auto& [name, sign] : kSigns) {
    if (name == effect) return sign;
  }
  return '?';
}

// What of the expected is missing, and what of the difference is not expected.
std::string mismatch(const std::vector<std::string>& expected, const govern::CallChanges& changes) {
  std::vector<bool> met(expected.size());
  std::string text;
  for (const govern::CallChange& change : changes.all) {
    const std::string one = sign_of(change.kind) + change.path;
    bool named = false;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string& each = expected[i];
      const std::string pattern = each[0] == '?' ? each.substr(1) : each;
      if (pattern[0] != one[0] || fnmatch(pattern.c_str() + 1, change.path.c_str(), 0) != 0)
        continue;
      met[i] = named = true;
    }
    if (!named) text += " unexpected " + one;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!met[i] && expected[i][0] != '?') text += " missing " + expected[i];
  }
  return text;
}

class ShellTasks : public testing::Test {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
    ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
    ASSERT_TRUE(system_files().make_directories(outside_, 0777));
    ASSERT_EQ(chmod(outside_.c_str(), 0777), 0);
    ASSERT_TRUE(replace_file(system_files(), outside_ + "/victim", "secret"));
    ASSERT_EQ(chmod((outside_ + "/victim").c_str(), 0666), 0);
    auto policy = govern::Policy::create(govern::Policy::shipped_sources());
    ASSERT_TRUE(policy.has_value());
    policy_ = std::move(*policy);
  }

  std::string work(const std::string& fixture) {
    const std::string folder = folder_.file("work-" + fixture);
    if (file_exists(system_files(), folder)) return folder;
    EXPECT_TRUE(system_files().make_directories(folder));
    EXPECT_EQ(chown(folder.c_str(), sandbox_user(), static_cast<gid_t>(-1)), 0);
    SandboxRequest request;
    request.arguments = {"/bin/sh", "-ec", std::string(kFixtures.at(fixture))};
    request.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/tmp"}};
    request.working_directory = folder;
    request.writable = {folder};
    const auto ran = run_sandboxed(request);
    EXPECT_TRUE(ran && ran->process.ok()) << (ran ? ran->process.err : ran.error().describe());
    return folder;
  }

  // Every path with mode and content.
  static std::map<std::string, std::string> tree(const std::string& folder) {
    std::map<std::string, std::string> found;
    const auto entries = system_files().list(folder);
    if (!entries) return found;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = folder + "/" + entry.name;
      struct stat info = {};
      EXPECT_EQ(lstat(path.c_str(), &info), 0);
      found[path] = std::to_string(info.st_mode) + " " + std::to_string(info.st_mtim.tv_sec) + "." +
                    std::to_string(info.st_mtim.tv_nsec);
      if (entry.kind == FileInfo::Kind::kFile)
        found[path] += read_file(system_files(), path).value_or("(none)");
      if (entry.kind == FileInfo::Kind::kDirectory) found.merge(tree(path));
    }
    return found;
  }

  Result<govern::Rehearsal> rehearse(const std::string& fixture, const std::string& command,
                                     int seconds) {
    const std::string folder = work(fixture);
    auto& tools = tools_[fixture];
    if (tools == nullptr) {
      tools = std::make_unique<ExternalTools>(
          clock_, random_,
          ExternalOptions{.work_folder = folder, .state_folder = folder_.file("state-" + fixture)});
    }
    return tools->rehearser("shell:execute")
        ->rehearse({}, "shell:execute", Json::object({{"command", command}, {"timeout", seconds}}),
                   0);
  }
  // "runs" or "asks", as the shipped rules say.
  std::string verdict(const std::string& command, const govern::Rehearsal& rehearsal) {
    govern::CallRequest request{.tool = "shell:execute",
                                .agent = "terminal",
                                .trust = govern::Trust::kOperator,
                                .arguments = Json::object({{"command", command}})};
    request.changes = std::make_shared<const govern::CallChanges>(rehearsal.changes);
    const auto said = policy_->decide_changes(
        request, *govern::PermissionTable::of_the_source().find("shell:execute"));
    return said.permission == govern::Permission::kAllowed         ? "runs"
           : said.permission == govern::Permission::kNeedsApproval ? "asks"
                                                                   : "denied: " + said.reason;
  }

  TemporaryDirectory folder_{"anima-tasks"};
  const std::string outside_ = folder_.file("outside");
  SystemClock clock_;
  SystemRandom random_;
  std::map<std::string, std::unique_ptr<ExternalTools>> tools_;
  std::unique_ptr<govern::Policy> policy_;
};

TEST_F(ShellTasks, EverydayTasksChangeWhatTheySayAndFewAsk) {
  const std::vector<Task> tasks = tasks_of("everyday.tasks");
  EXPECT_GE(tasks.size(), 200U);
  std::map<std::string, std::map<std::string, std::string>> before;
  std::size_t asked = 0;
  for (const Task& task : tasks) {
    const std::string folder = work(task.fixture);
    before.try_emplace(folder, tree(folder));
    const auto rehearsal = rehearse(task.fixture, task.command, 20);
    ASSERT_TRUE(rehearsal.has_value())
        << task.place << ": " << task.command << ": " << rehearsal.error().describe();
    EXPECT_EQ(mismatch(task.effects, rehearsal->changes), "")
        << task.place << ": " << task.command << "\n"
        << rehearsal->result.dump();
    EXPECT_EQ(verdict(task.command, *rehearsal), task.verdict)
        << task.place << ": " << task.command;
    asked += task.verdict == "asks" ? 1 : 0;
  }
  for (const auto& [folder, files] : before) EXPECT_EQ(tree(folder), files) << folder;
  EXPECT_LE(20 * asked, tasks.size()) << asked << " of " << tasks.size() << " wait";
}

TEST_F(ShellTasks, WhatMeansHarmIsNotAppliedAndLeavesTheHostAsItWas) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));

  const std::vector<Task> tasks = tasks_of("hostile.tasks");
  EXPECT_GE(tasks.size(), 60U);
  work("notes");
  work("git");
  const auto outside = tree(outside_), notes = tree(work("notes")), git = tree(work("git"));
  for (const Task& task : tasks) {
    std::string command = replace_all(task.command, "OUTSIDE", outside_);
    command = replace_all(command, "PORT", port);
    const auto rehearsal = rehearse(task.fixture, command, 3);
    if (!rehearsal || rehearsal->changes.all.empty()) continue;
    EXPECT_EQ(verdict(command, *rehearsal), "asks")
        << task.place << ": " << command << "\n"
        << rehearsal->shown.find("text")->as_string() << rehearsal->result.dump();
  }
  EXPECT_EQ(tree(outside_), outside);
  EXPECT_EQ(tree(work("notes")), notes);
  EXPECT_EQ(tree(work("git")), git);
  EXPECT_FALSE(file_exists(system_files(), folder_.file("planted")));
  pollfd visitor = {listener, POLLIN, 0};
  EXPECT_EQ(poll(&visitor, 1, 0), 0) << "somebody came";
  close(listener);
}

}  // namespace
}  // namespace anima::tools::shell_tasks_test
