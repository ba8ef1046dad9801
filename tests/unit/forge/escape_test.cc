// The escape suite: hostile programs of tests/forge_escapes, each compiled and run with the checker
// off, in the sandbox that made tools get. After each one the host is looked at: its processes,
// files, descriptors, network and objects of the kernel are as they were.
//
// A file of the folder is a kind. "== NAME ENDS" begins a program; ENDS are the ends that it may
// come to, with | between them. What stands above "--" is outside of run(), what stands below is
// its body. In force are @FOLDER@ (of the host, open to all, with the file "secret" and a socket),
// @PORT@ (of TCP and UDP on 127.0.0.1), @PID@ (of this test) and @MARK@ (a name that nothing else
// has). A program that reaches something says so: it returns answer(true).
//
// ANIMA_TEST_FULL=1: every program, and how many of them the checker names; otherwise each fifth.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/random.h"
#include "base/text/text.h"
#include "support/forge_check.h"
#include "support/needs_sandbox.h"
#include "tools/sandbox/sealed_program.h"

namespace anima::forge::escape_test {
namespace {

constexpr const char* kPrelude =
    "#include \"tool_api.hpp\"\n"
    "inline tool::Result answer(bool escaped) { return {escaped ? \"ESCAPED\" : \"held\", {}}; }\n";
constexpr std::size_t kOrdinary = 5;  // each fifth program in an ordinary run

bool full() { return std::getenv("ANIMA_TEST_FULL") != nullptr; }

// What a program could reach, and what is there.
class Host {
 public:
  Host() : mark_("anima-escape-" + std::to_string(::getpid())) {
    SystemRandom random;
    for (int i = 0; i < 4; ++i) secret_ += std::to_string(random.below(1'000'000'000));
    // Whose parent goes is ours then.
    EXPECT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    EXPECT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
    EXPECT_TRUE(replace_file(system_files(), folder_.file("secret"), secret_, 0666).has_value());
    EXPECT_EQ(::chmod(folder_.file("secret").c_str(), 0666), 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // A port that is free for both.
    for (int i = 0; i < 20 && port_ == 0; ++i) {
      const int calls = made(AF_INET, SOCK_STREAM), packets = made(AF_INET, SOCK_DGRAM);
      at.sin_port = 0;
      socklen_t size = sizeof at;
      if (bound(calls, at) && ::getsockname(calls, address(at), &size) == 0 && bound(packets, at))
        port_ = ntohs(at.sin_port);
      doors_.push_back(calls);
      doors_.push_back(packets);
    }
    sockaddr_un named{};
    named.sun_family = AF_UNIX;
    std::strncpy(named.sun_path, folder_.file("socket").c_str(), sizeof named.sun_path - 1);
    doors_.push_back(made(AF_UNIX, SOCK_STREAM));
    EXPECT_TRUE(bound(doors_.back(), named));
    EXPECT_EQ(::chmod(named.sun_path, 0777), 0);
    sockaddr_un abstract{};
    abstract.sun_family = AF_UNIX;
    std::memcpy(abstract.sun_path + 1, mark_.data(), mark_.size());
    doors_.push_back(made(AF_UNIX, SOCK_STREAM));
    EXPECT_EQ(::bind(doors_.back(), address(abstract),
                     static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + mark_.size())),
              0);
    for (const int door : doors_) (void)::listen(door, 8);
  }
  ~Host() {
    for (const int door : doors_) ::close(door);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  std::string fill(std::string text) const {
    for (const auto& [name, value] :
         {std::pair<std::string, std::string>{"@FOLDER@", folder_.path()},
          {"@PORT@", std::to_string(port_)},
          {"@PID@", std::to_string(::getpid())},
          {"@MARK@", mark_}})
      text = replace_all(text, name, value);
    return text;
  }
  // What no text of a program or of the compiler holds.
  bool leaks(const std::string& text) const {
    return text.find(secret_) != std::string::npos || text.find("root:x:0") != std::string::npos ||
           text.find("ESCAPED") != std::string::npos;
  }

  // The host in words: what differs is an effect.
  std::string now() const {
    std::string all = "children " + std::to_string(children()) + "\n";
    all += "descriptors " + std::to_string(entries("/proc/self/fd").size()) + "\n";
    for (const std::string& each : entries(folder_.path())) all += each + "\n";
    struct stat info {};
    EXPECT_EQ(::stat(folder_.file("secret").c_str(), &info), 0);
    all += std::to_string(info.st_mode) + " " + std::to_string(info.st_mtim.tv_nsec) + " " +
           read_file(system_files(), folder_.file("secret")).value_or("(gone)") + "\n";
    const char* const home = std::getenv("HOME");
    for (const std::string& folder :
         {std::string("/"), std::string("/tmp"), std::string("/var/tmp"), std::string("/dev/shm"),
          std::string("/run"), std::string("/dev/mqueue"), std::string("."),
          std::string(home == nullptr ? "/" : home)}) {
      for (const std::string& each : entries(folder)) {
        if (each.find(mark_) != std::string::npos) all += folder + "/" + each + "\n";
      }
    }
    for (const char* table : {"/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"}) {
      if (words(table).find("1095650625") != std::string::npos) all += table + std::string("\n");
    }
    if (words("/proc/keys").find(mark_) != std::string::npos) all += "a key\n";
    char name[256] = {};
    (void)::gethostname(name, sizeof name - 1);
    return all + "host " + name + "\n" + visitors();
  }

 private:
  template <typename Address>
  static sockaddr* address(Address& at) {
    return reinterpret_cast<sockaddr*>(&at);
  }
  template <typename Address>
  static bool bound(int door, Address& at) {
    return ::bind(door, address(at), sizeof at) == 0;
  }
  static int made(int family, int type) {
    return ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  }
  static std::string words(const std::string& path) {
    std::string text;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    char buffer[4096];
    for (ssize_t got = 0; file >= 0 && (got = ::read(file, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    if (file >= 0) ::close(file);
    return text;
  }
  static std::vector<std::string> entries(const std::string& folder) {
    std::vector<std::string> names;
    DIR* const open = ::opendir(folder.c_str());
    if (open == nullptr) return names;
    while (const dirent* each = ::readdir(open)) names.emplace_back(each->d_name);
    ::closedir(open);
    std::ranges::sort(names);
    return names;
  }
  // Processes whose parent this one is: also those that lost theirs.
  static int children() {
    int count = 0;
    const std::string self = " " + std::to_string(::getpid()) + " ";
    for (const std::string& each : entries("/proc")) {
      if (each[0] < '0' || each[0] > '9') continue;
      const std::string line = words("/proc/" + each + "/stat");
      const std::size_t end = line.rfind(')');  // then " STATE PARENT .."
      if (end != std::string::npos && line.compare(end + 3, self.size(), self) == 0) ++count;
    }
    return count;
  }
  // Connections and packets that came in.
  std::string visitors() const {
    std::string all;
    for (const int door : doors_) {
      char text[16];
      const int other = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
      if (other >= 0 || ::recv(door, text, sizeof text, MSG_DONTWAIT) > 0) all += "a visitor\n";
      if (other >= 0) ::close(other);
    }
    return all;
  }

  TemporaryDirectory folder_{"anima-host"};
  std::string mark_, secret_;
  int port_ = 0;
  std::vector<int> doors_;
};

struct Program {
  std::string name;
  std::vector<std::string> ends;
  std::string source;
  Result<CompileResult> compiled = CompileResult();
};

std::vector<Program> programs_of(const std::string& kind, const Host& host) {
  const std::string path = std::string(ANIMA_SOURCE_DIR) + "/tests/forge_escapes/" + kind + ".txt";
  const auto text = read_file(system_files(), path);
  std::vector<Program> programs;
  EXPECT_TRUE(text.has_value()) << path;
  if (!text) return programs;
  std::string outside, body;
  bool inside = false;
  const auto finish = [&] {
    if (programs.empty()) return;
    programs.back().source =
        host.fill(kPrelude + outside +
                  "tool::Result run(const tool::Input& input, tool::Cancel) {\n(void)input;\n" +
                  body + "}\n");
    outside.clear();
    body.clear();
    inside = false;
  };
  for (const std::string_view line : split(*text, '\n')) {
    if (line.starts_with("== ")) {
      finish();
      const auto words = split(line.substr(3), ' ');
      EXPECT_EQ(words.size(), 2U) << line;
      Program program;
      program.name = std::string(words[0]);
      for (const std::string_view end : split(words[1], '|')) program.ends.emplace_back(end);
      programs.push_back(std::move(program));
    } else if (line == "--") {
      inside = true;
    } else if (!programs.empty()) {
      (inside ? body : outside).append(line).append("\n");
    }
  }
  finish();
  return programs;
}

// Those of an ordinary run: the same ones each time.
std::vector<Program> chosen(std::vector<Program> programs) {
  if (full()) return programs;
  std::vector<Program> some;
  for (std::size_t i = 0; i < programs.size(); i += kOrdinary)
    some.push_back(std::move(programs[i]));
  return some;
}

void compile_all(std::string_view kind, std::vector<Program>& programs) {
  CompileOptions options = test::forge_compiler();
  // What is to use up the compiler need not have its whole time.
  if (kind == "compile_time" || kind == "macros" || kind == "templates") options.cpu_seconds = 5;
  options.memory_bytes = std::uint64_t{1} << 30;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < programs.size(); i = next++)
      programs[i].compiled = test::compiled(programs[i].source, options);
  };
  std::thread other(work);
  work();
  other.join();
}

std::string end_of(const Result<Json>& ran) {
  if (ran) return ran->find("text")->as_string() == "held" ? "held" : "text";
  switch (ran.error().code) {
    case ErrorCode::kInvalidArgument:
      return "tool_error";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kIo:
      return "signal";
    case ErrorCode::kCorrupt:
      return "protocol";
    case ErrorCode::kLimitExceeded:
      return "limit";
    default:
      return "another error";
  }
}

bool allows(const Program& program, const std::string& end) {
  const bool error = end != "held" && end != "text" && end != "uncompiled";
  return std::ranges::any_of(program.ends, [&](const std::string& each) {
    return each == end || (error && each == "error");
  });
}

// Runs what was compiled, and answers how it ended and what it said.
std::pair<std::string, std::string> end_of_run(const Program& program) {
  const TemporaryDirectory folder("anima-hostile");
  tools::ProgramAccess access;
  access.command = {folder.file("tool")};
  access.sealed = hash_hex(HashAlgorithm::kSha256, program.compiled->binary);
  EXPECT_TRUE(
      replace_file(system_files(), access.command[0], program.compiled->binary, 0755).has_value());
  tools::SealedOptions options;
  options.wall_ms = allows(program, "timeout") ? 500 : 30'000;
  const auto ran = tools::run_sealed("probe", access, Json::object(), options);
  const auto after = read_file(system_files(), access.command[0]);
  EXPECT_TRUE(after && hash_hex(HashAlgorithm::kSha256, *after) == access.sealed)
      << program.name << " changed itself";
  return {end_of(ran), ran ? ran->find("text")->as_string() : ran.error().describe()};
}

class Escape : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
#if !defined(__x86_64__)
    ANIMA_NEEDS(test::kX86, std::string_view(GetParam()) != "assembler");
#endif
  }
};

TEST_P(Escape, IsHeldWithTheCheckerOff) {
  Host host;
  std::vector<Program> programs = chosen(programs_of(GetParam(), host));
  ASSERT_FALSE(programs.empty());
  compile_all(GetParam(), programs);
  const std::string before = host.now();
  for (const Program& each : programs) {
    ASSERT_TRUE(each.compiled.has_value()) << each.name << each.compiled.error().describe();
    EXPECT_FALSE(host.leaks(each.compiled->errors)) << each.name << each.compiled->errors;
    std::string end = "uncompiled", said = each.compiled->errors;
    if (each.compiled->success) std::tie(end, said) = end_of_run(each);
    EXPECT_TRUE(allows(each, end))
        << GetParam() << "/" << each.name << " ended as " << end << ": " << said.substr(0, 400);
    EXPECT_FALSE(host.leaks(said)) << GetParam() << "/" << each.name << ": " << said.substr(0, 400);
    ASSERT_EQ(host.now(), before) << GetParam() << "/" << each.name << " had an effect";
  }
}

constexpr const char* kKinds[] = {
    "compile_time", "macros", "templates",   "assembler", "linker",  "processes", "memory",
    "time",         "files",  "descriptors", "kernel",    "network", "output"};
INSTANTIATE_TEST_SUITE_P(Kinds, Escape, ::testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param); });

// How many it names is told, and nothing hangs on it: the sandbox is the wall.
TEST(EscapeSuite, TheCheckerNamesMost) {
  ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces());
  const Host host;
  const SafetyReport calm = test::checked(
      std::string(kPrelude) +
      "tool::Result run(const tool::Input&, tool::Cancel) { return answer(false); }\n");
  EXPECT_TRUE(calm.safe) << calm.feedback();
  std::size_t programs = 0, named = 0;
  for (const char* kind : kKinds) {
    for (const Program& each : chosen(programs_of(kind, host))) {
      ++programs;
      if (!test::checked(each.source).safe) {
        ++named;
      } else if (full()) {
        std::printf("the checker does not name %s/%s\n", kind, each.name.c_str());
      }
    }
  }
  std::printf("the checker names %zu of %zu hostile programs\n", named, programs);
  EXPECT_GE(full() ? programs : 5 * programs, 120U);
}

}  // namespace
}  // namespace anima::forge::escape_test
