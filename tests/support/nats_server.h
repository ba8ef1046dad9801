// A NATS server of a test's own, with JetStream in a folder of its own; gone with the test.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/files/file.h"
#include "support/background.h"

namespace anima::test {

struct NatsServerOptions {
  bool jetstream = true;
  std::string user = {}, password = {};
  std::string host = "127.0.0.1";
  std::string prefix = {};  // before the command: "ip netns exec hub "
};

class NatsServer {
 public:
  explicit NatsServer(NatsServerOptions options = {}) : options_(std::move(options)) {
    if (::access(kProgram, X_OK) != 0) return;
    port_ = options_.prefix.empty() ? free_port() : 4222;
    start();
  }

  bool there() const { return ready_; }
  static constexpr const char* kMissing =
      "there is no NATS server here (apt-get install nats-server)";

  std::string url() const {
    const std::string user =
        options_.user.empty() ? "" : options_.user + ":" + options_.password + "@";
    return "nats://" + user + options_.host + ":" + std::to_string(port_);
  }
  std::string plain_url() const { return "nats://" + options_.host + ":" + std::to_string(port_); }

  void start() {
    const std::string log = folder_.file("log");
    std::string command = "exec " + options_.prefix + kProgram + " -a " + options_.host + " -p " +
                          std::to_string(port_) + " -l " + log;
    if (options_.jetstream) command += " -js -sd " + folder_.file("streams");
    if (!options_.user.empty())
      command += " --user " + options_.user + " --pass " + options_.password;
    static_cast<void>(system_files().remove(log));
    process_ = Background(command + " >/dev/null 2>&1 </dev/null");
    ready_ = false;
    for (int i = 0; i < 600 && !ready_ && process_.runs(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const auto text = read_file(system_files(), log);
      ready_ = text && text->find("Server is ready") != std::string::npos;
    }
  }
  // SIGKILL as a crash leaves it; SIGTERM.
  void stop(int signal = SIGKILL) {
    process_.end(signal);
    ready_ = false;
  }

 private:
  static constexpr const char* kProgram = "/usr/sbin/nats-server";

  static int free_port() {
    const int at = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(at, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(at, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(at);
    return ntohs(address.sin_port);
  }

  NatsServerOptions options_;
  TemporaryDirectory folder_{"anima-nats"};
  int port_ = 0;
  Background process_;
  bool ready_ = false;
};

}  // namespace anima::test
