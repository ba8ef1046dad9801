// `anima serve` as people and programs use it: the lines of its page, its log, a client of MCP from
// npm, and how it ends.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "support/background.h"
#include "support/command.h"
#include "support/http_client.h"
#include "support/needs.h"
#include "support/node.h"
#include "support/program_on_space.h"

namespace anima::serve_verb_test {
namespace {

class ServeVerb : public test::ProgramOnSpace {
 protected:
  // Until it answers. What it writes is in out.txt and err.txt.
  void serve(const std::string& options) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("out.txt"), ""));
    server_ =
        test::Background("exec " ANIMA_BINARY_DIR "/anima --space " + space_ + " serve " + options +
                         " >" + folder_.file("out.txt") + " 2>" + folder_.file("err.txt"));
    const auto begun = std::chrono::steady_clock::now();
    while (text_of("out.txt").find('\n') == std::string::npos && server_.runs() &&
           std::chrono::steady_clock::now() - begun < std::chrono::seconds(60))
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(server_.runs()) << text_of("err.txt");
  }
  std::string text_of(const std::string& name) const {
    return read_file(system_files(), folder_.file(name), 1 << 22).value_or("");
  }
  std::string socket() const { return space_ + "/serve.sock"; }

  test::Background server_;
};

// The lines of the page's blocks of the shell, one command each.
std::vector<std::string> commands_of_the_page() {
  const std::string page =
      read_file(system_files(), ANIMA_SOURCE_DIR "/docs/serve.md", 1 << 20).value();
  std::vector<std::string> lines;
  std::size_t at = 0;
  while ((at = page.find("```sh\n", at)) != std::string::npos) {
    at += 6;
    const std::size_t end = page.find("```", at);
    while (at < end) {
      const std::size_t line = page.find('\n', at);
      lines.push_back(page.substr(at, line - at));
      at = line + 1;
    }
  }
  return lines;
}

TEST_F(ServeVerb, TheLinesOfItsPageWork) {
  ASSERT_EQ(test::run_command("command -v curl").code, 0);
  serve("");
  test::HttpClient client(socket());
  const auto made = client.request("POST", "/v1/memories", "Content-Type: application/json\r\n",
                                   R"({"text":"the sea is salt"})");
  ASSERT_EQ(made.status, 201) << made.body;
  std::string id = parse_json(made.body)->find("id")->as_string();
  const std::vector<std::string> lines = commands_of_the_page();
  ASSERT_GT(lines.size(), 15U);
  for (const std::string& line : lines) {
    const test::Ran ran =
        test::run_command("S=" + socket() + " ID=" + id + "; " + line + " --fail-with-body");
    EXPECT_EQ(ran.code, 0) << line << "\n" << ran.out;
    // The text that takes its place has an id of its own.
    const auto answer = parse_json(ran.out);
    if (line.find("PATCH") != std::string::npos && answer && answer->find("id") != nullptr)
      id = answer->find("id")->as_string();
  }
}

TEST_F(ServeVerb, ALineForEachRequestWithoutWhatItSays) {
  serve("--log json");
  {
    test::HttpClient client(socket());
    const auto answer = client.request("GET", "/v1/facts?about=secret-name",
                                       "X-Request-Id: 3f2a9c00-0000-4000-8000-0000000000aa\r\n");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(client
                  .request("POST", "/v1/memories", "Content-Type: application/json\r\n",
                           R"({"text":"secret words"})")
                  .status,
              201);
  }
  server_.end(SIGTERM);
  const std::string log = text_of("err.txt");
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
  const auto first = parse_json(log.substr(0, log.find('\n')));
  ASSERT_TRUE(first) << log;
  EXPECT_EQ(first->find("request")->as_string(), "3f2a9c00-0000-4000-8000-0000000000aa");
  EXPECT_EQ(first->find("caller")->as_string(), "http");
  EXPECT_EQ(first->find("path")->as_string(), "/v1/facts");
  EXPECT_EQ(first->find("status")->as_integer(), 404);
}

// What is kept for a key tells nothing of what was forgotten since.
TEST_F(ServeVerb, AKeptAnswerForgetsToo) {
  const auto say = [&] {
    test::HttpClient client(socket());
    return client.request("POST", "/v1/memories",
                          "Content-Type: application/json\r\nIdempotency-Key: k\r\n",
                          R"({"text":"Zelda works at Initech"})");
  };
  serve("--log off");
  for (int i = 0; i < 2; ++i) EXPECT_NE(say().body.find("Zelda"), std::string::npos);
  server_.end(SIGTERM);
  const auto forgotten = anima({"forget", "Zelda", "--mentions", "--confirm"});
  ASSERT_EQ(forgotten.exit_code, 0) << forgotten.out << forgotten.err;
  serve("--log off --readonly");
  EXPECT_EQ(say().status, 403);
  server_.end(SIGTERM);
  const std::string log = read_file(system_files(), space_ + "/log.db", 1 << 28).value_or("");
  EXPECT_FALSE(log.empty());
  EXPECT_EQ(log.find("Zelda"), std::string::npos);
}

// As systemd starts a service with a socket unit (Type=notify): sd_listen_fds(3), sd_notify(3).
class UnderSystemd : public ServeVerb {
 protected:
  static int bound(const std::string& path, int type) {
    const int socket = ::socket(AF_UNIX, type, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    return socket;
  }
  void SetUp() override {
    ServeVerb::SetUp();
    manager_ = bound(folder_.file("notify"), SOCK_DGRAM);
    listening_ = bound(folder_.file("handed"), SOCK_STREAM);
    ASSERT_EQ(::listen(listening_, 4), 0);
  }
  void TearDown() override {
    ::close(manager_);
    ::close(listening_);
  }
  void start(const std::string& options) {
    server_ = test::Background(
        "exec 3<&" + std::to_string(listening_) +
        "; export LISTEN_FDS=1 LISTEN_PID=$$ NOTIFY_SOCKET=" + folder_.file("notify") +
        "; exec " ANIMA_BINARY_DIR "/anima --space " + space_ + " serve --log off " + options +
        " >" + folder_.file("out.txt") + " 2>" + folder_.file("err.txt"));
  }
  // What the manager is told next, within half a minute.
  std::string told() const {
    pollfd waiting{manager_, POLLIN, 0};
    char text[64];
    if (::poll(&waiting, 1, 30'000) <= 0) return "nothing";
    const ssize_t size = ::recv(manager_, text, sizeof text, 0);
    return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  }
  int manager_ = -1, listening_ = -1;
};

TEST_F(UnderSystemd, ItTakesTheSocketAndTellsWhenItIsReady) {
  ASSERT_EQ(::chmod(folder_.file("handed").c_str(), 0600), 0);
  start("");
  ASSERT_EQ(told(), "READY=1") << text_of("err.txt");
  {
    test::HttpClient client(folder_.file("handed"));
    EXPECT_EQ(client.request("GET", "/readyz").body, "ready\n");
  }
  EXPECT_FALSE(file_exists(system_files(), socket()));
  server_.end(SIGTERM);
  EXPECT_EQ(told(), "STOPPING=1");
  EXPECT_TRUE(file_exists(system_files(), folder_.file("handed"))) << "it is systemd's";
}

// sd_notify(3): RELOADING=1 with the moment, and READY=1 behind it.
TEST_F(UnderSystemd, ItReloadsAndSaysWhatWaitsForAStart) {
  ASSERT_EQ(::chmod(folder_.file("handed").c_str(), 0600), 0);
  start("");
  ASSERT_EQ(told(), "READY=1") << text_of("err.txt");
  const auto configure = [&](const std::string& text) {
    ASSERT_TRUE(replace_file(system_files(), space_ + "/config.toml", text));
    server_.signal(SIGHUP);
    const std::string reloading = told();
    EXPECT_TRUE(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC=")) << reloading;
    EXPECT_EQ(told(), "READY=1");
  };
  configure("[log]\nlevel = \"error\"\n[telemetry]\nremote = true\n");
  EXPECT_NE(text_of("err.txt").find("log.level = error; a restart takes telemetry.remote"),
            std::string::npos)
      << text_of("err.txt");
  EXPECT_NE(text_of("err.txt").find("the rules are good"), std::string::npos);
  // What cannot be read changes nothing, and the server goes on.
  ASSERT_TRUE(system_files().make_directories(space_ + "/policy"));
  ASSERT_TRUE(replace_file(system_files(), space_ + "/policy/own.mg", "deny(\n"));
  configure("[log\n");
  EXPECT_NE(text_of("err.txt").find("the settings stay as they were"), std::string::npos)
      << text_of("err.txt");
  EXPECT_NE(text_of("err.txt").find("the rules cannot be read"), std::string::npos);
  test::HttpClient client(folder_.file("handed"));
  EXPECT_EQ(client.request("GET", "/readyz").body, "ready\n");
}

TEST_F(ServeVerb, AHangupCountsTheTokens) {
  anima({"serve", "token", "add", "one"});
  serve("--listen 127.0.0.1:0 --log off");
  anima({"serve", "token", "add", "two"});
  server_.signal(SIGHUP);
  for (int i = 0; i < 500 && text_of("err.txt").find("reloaded") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_NE(text_of("err.txt").find("no setting is another; 2 tokens; the rules are good"),
            std::string::npos)
      << text_of("err.txt");
}

// A terminal that goes takes the server with it, as it does with other programs.
TEST_F(ServeVerb, ATerminalThatGoesEndsIt) {
  const std::string program =
      "import os, pty, time\n"
      "child, terminal = pty.fork()\n"
      "if child == 0:\n"
      "    os.execv('" ANIMA_BINARY_DIR "/anima', ['anima', '--space', '" +
      space_ + "', 'serve', '--log', 'off'])\n" + "while not os.path.exists('" + socket() +
      "'): time.sleep(.05)\n"
      "time.sleep(.5)\n"
      "os.close(terminal)\n"
      "time.sleep(60)\n";
  ASSERT_TRUE(replace_file(system_files(), folder_.file("terminal.py"), program));
  const test::Background terminal("exec python3 " + folder_.file("terminal.py"));
  const auto until = [&](bool there) {
    for (int i = 0; i < 1500 && file_exists(system_files(), socket()) != there; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  until(true);
  ASSERT_TRUE(file_exists(system_files(), socket()));
  until(false);
  EXPECT_FALSE(file_exists(system_files(), socket()));
}

TEST_F(UnderSystemd, ASocketThatOthersMayOpenIsRefused) {
  ASSERT_EQ(::chmod(folder_.file("handed").c_str(), 0666), 0);
  start("");
  EXPECT_EQ(server_.wait(), 3);
  EXPECT_NE(text_of("err.txt").find("SocketMode=0600"), std::string::npos) << text_of("err.txt");
}

TEST_F(ServeVerb, SparqlAloneIsThatAlone) {
  serve("--sparql --log off");
  test::HttpClient client(socket());
  EXPECT_EQ(client.request("GET", "/v1/memories").status, 404);
  EXPECT_EQ(client.request("GET", "/sparql?query=ASK%7B%7D").status, 200);
  EXPECT_EQ(client.request("GET", "/healthz").body, "ok\n");
  server_.end(SIGTERM);
  EXPECT_EQ(text_of("err.txt"), "");
}

TEST_F(ServeVerb, TheClientOfNpmOverHttp) {
  const char* named = std::getenv("ANIMA_MCP_CLIENTS");
  const std::string modules =
      std::string(named != nullptr ? named : ANIMA_SOURCE_DIR "/build/mcp_clients") +
      "/node_modules";
  ANIMA_NEEDS(test::kNpm, file_exists(system_files(), modules + "/@modelcontextprotocol/sdk"));
  const std::string token = anima({"serve", "token", "add", "client", "--trust", "standard"}).out;
  serve("--listen 127.0.0.1:0 --json --log off");
  const auto told = parse_json(text_of("out.txt"));
  ASSERT_TRUE(told) << text_of("out.txt");
  const std::string command =
      "cd " + folder_.path() + " && ln -sfn " + modules + " node_modules && cp " +
      ANIMA_SOURCE_DIR "/tests/e2e/mcp_clients/*.mjs . && " + test::node_program() +
      " sdk_v1_http.mjs " + told->find("mcp")->as_string() + " " +
      token.substr(0, token.find('\n')) + " 2>&1";
  EXPECT_EQ(test::run_command(command).out, "v1 over http ok anima\n");
}

}  // namespace
}  // namespace anima::serve_verb_test
