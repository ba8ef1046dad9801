// Between a program and a PostgreSQL server on a socket: passes bytes on, or does what a bad
// network does. Connections that were made in one mode change with it.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"

namespace anima::test {

class PostgresProxy {
 public:
  enum class Mode {
    kPass,
    kLoseAnswer,   // the next answer is swallowed, and the connection ends; then kPass
    kLoseAnswers,  // so, and whoever comes then is refused
    kRefuse,       // connections end, and nobody gets another
    kSilence,      // nothing passes, and nobody is told
  };

  explicit PostgresProxy(std::string server_folder) : server_(std::move(server_folder)) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un address = address_in(folder_.path());
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener_, 16);
    thread_ = std::thread([this] { run(); });
  }
  ~PostgresProxy() {
    stop_ = true;
    thread_.join();
    for (const Pair& each : pairs_) close_pair(each);
    ::close(listener_);
  }
  PostgresProxy(const PostgresProxy&) = delete;
  PostgresProxy& operator=(const PostgresProxy&) = delete;

  std::string address() const {
    return "postgresql:///postgres?host=" + folder_.path() + "&user=anima";
  }
  void set(Mode mode) { mode_ = mode; }
  int lost_answers() const { return lost_; }

 private:
  struct Pair {
    int client = -1, server = -1;
  };

  static sockaddr_un address_in(const std::string& folder) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = folder + "/.s.PGSQL.5432";
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }
  static void close_pair(const Pair& pair) {
    ::close(pair.client);
    ::close(pair.server);
  }

  void accept_one() {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const Mode mode = mode_;
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un address = address_in(server_);
    const bool refused =
        mode == Mode::kRefuse ||
        ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0;
    if (refused) return close_pair({client, server});
    pairs_.push_back({client, server});
  }

  // False: the connection ends.
  bool pass(int from, int to, bool answer) {
    char bytes[65536];
    const ssize_t size = ::read(from, bytes, sizeof bytes);
    if (size <= 0) return false;
    Mode mode = mode_;
    if (answer && (mode == Mode::kLoseAnswer || mode == Mode::kLoseAnswers)) {
      ++lost_;
      mode_ = mode == Mode::kLoseAnswer ? Mode::kPass : Mode::kRefuse;
      return false;
    }
    for (ssize_t sent = 0; sent < size;) {
      const ssize_t some =
          ::send(to, bytes + sent, static_cast<std::size_t>(size - sent), MSG_NOSIGNAL);
      if (some <= 0) return false;
      sent += some;
    }
    return true;
  }

  void run() {
    while (!stop_) {
      const Mode mode = mode_;
      if (mode == Mode::kRefuse) {
        for (const Pair& each : pairs_) close_pair(each);
        pairs_.clear();
      }
      std::vector<pollfd> waiting = {{listener_, POLLIN, 0}};
      if (mode != Mode::kSilence) {
        for (const Pair& each : pairs_) {
          waiting.push_back({each.client, POLLIN, 0});
          waiting.push_back({each.server, POLLIN, 0});
        }
      }
      ::poll(waiting.data(), waiting.size(), 5);
      std::vector<Pair> left;
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const Pair pair = pairs_[i];
        const bool looked = mode != Mode::kSilence;
        const bool asks = looked && waiting[1 + 2 * i].revents != 0;
        const bool answers = looked && waiting[2 + 2 * i].revents != 0;
        bool lives = !asks || pass(pair.client, pair.server, false);
        lives = lives && (!answers || pass(pair.server, pair.client, true));
        if (lives) {
          left.push_back(pair);
        } else {
          close_pair(pair);
        }
      }
      pairs_ = std::move(left);
      if (waiting[0].revents != 0 && mode != Mode::kSilence) accept_one();
    }
  }

  TemporaryDirectory folder_{"anima-pg-proxy"};
  const std::string server_;
  int listener_ = -1;
  std::atomic<bool> stop_{false};
  std::atomic<Mode> mode_{Mode::kPass};
  std::atomic<int> lost_{0};
  std::vector<Pair> pairs_;
  std::thread thread_;
};

}  // namespace anima::test
