// The server under load: many connections that wait, some that ask without a pause, others that
// write at a steady rate, a client that takes nothing and one that sends half a request.
//
//   serve_bench [SECONDS] [IDLE] [BUSY] [WRITES] [MEMORIES]      10, 10,000, 64, 200 and 2,000
//
// The server is a process of its own, so that its time and memory are told apart from the
// clients'. Times are of the clients: from the first byte that is sent to the last that is read.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/random.h"
#include "measure.h"
#include "serve/space_server.h"
#include "support/memory_parts.h"

namespace {

using anima::bench::must;
using anima::bench::wall_seconds;
namespace serve = anima::serve;

struct Wishes {
  int seconds = 10, idle = 10'000, busy = 64, writes = 200, memories = 2'000;
};

void many_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// One connection to the server.
class Wire {
 public:
  explicit Wire(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    good_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  Wire(Wire&& other) noexcept : socket_(other.socket_), good_(other.good_) { other.socket_ = -1; }
  Wire& operator=(Wire&&) = delete;
  ~Wire() {
    if (socket_ >= 0) ::close(socket_);
  }
  bool good() const { return good_; }
  bool send(std::string_view bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // The status of a whole answer; 0 when none came.
  int receive() {
    text_.clear();
    char buffer[16'384];
    std::size_t wanted = std::string::npos;
    while (text_.size() < wanted) {
      const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) return 0;
      text_.append(buffer, static_cast<std::size_t>(got));
      const std::size_t end = text_.find("\r\n\r\n");
      if (wanted != std::string::npos || end == std::string::npos) continue;
      const std::size_t at = text_.find("Content-Length: ");
      std::size_t length = 0;
      if (at < end) std::from_chars(text_.data() + at + 16, text_.data() + text_.size(), length);
      wanted = end + 4 + length;
    }
    int status = 0;
    std::from_chars(text_.data() + 9, text_.data() + 12, status);
    return status;
  }

 private:
  int socket_;
  bool good_ = false;
  std::string text_;
};

std::string request(std::string_view method, std::string_view path, std::string_view token,
                    std::string_view body) {
  return std::string(method) + " " + std::string(path) +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + std::string(token) +
         (body.empty() ? std::string()
                       : "\r\nContent-Type: application/json\r\nContent-Length: " +
                             std::to_string(body.size())) +
         "\r\n\r\n" + std::string(body);
}

// The server, in a process of its own; its port is written to `told`.
[[noreturn]] void be_server(const std::string& folder, int told) {
  anima::SystemClock clock;
  anima::SystemRandom random;
  const auto space = must(anima::store::Space::open(folder + "/space", {}));
  const auto gate = must(anima::agent::Gate::open(space, clock, random));
  serve::SpaceServerOptions options;
  options.port = 0;
  options.tokens = std::make_shared<serve::TokenBook>(anima::system_files(), folder);
  options.memory = anima::test::memory_parts(gate, false, folder + "/work");
  const auto server = must(serve::SpaceServer::start(gate, options));
  const std::uint16_t port = server->port();
  if (::write(told, &port, sizeof port) != sizeof port) std::abort();
  for (;;) ::pause();
}

struct Process {
  double seconds = 0;  // of the processor
  long kilobytes = 0, descriptors = 0, threads = 0;
};

Process look_at(pid_t pid) {
  Process now;
  const std::string place = "/proc/" + std::to_string(pid);
  const std::string status =
      anima::read_file(anima::system_files(), place + "/status").value_or("");
  const auto number = [&](std::string_view name) {
    const std::size_t at = status.find(name);
    return at == std::string::npos ? 0L
                                   : std::strtol(status.c_str() + at + name.size(), nullptr, 10);
  };
  now.kilobytes = number("VmRSS:");
  now.threads = number("Threads:");
  if (const auto listed = anima::system_files().list(place + "/fd"))
    now.descriptors = static_cast<long>(listed->size());
  const std::string stat = anima::read_file(anima::system_files(), place + "/stat").value_or("");
  const std::size_t behind = stat.rfind(')');
  long user = 0, system = 0;
  if (behind != std::string::npos &&
      std::sscanf(stat.c_str() + behind + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld",
                  &user, &system) == 2)
    now.seconds = static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return now;
}

struct Times {
  std::mutex mutex;
  std::vector<double> ms;
  std::atomic<long> failed{0};

  void add(std::vector<double>& more) {
    const std::lock_guard lock(mutex);
    ms.insert(ms.end(), more.begin(), more.end());
  }
  void print(const char* what, double seconds) {
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double share) {
      return ms.empty() ? 0
                        : ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
    };
    std::printf("%-8s %8.0f/s   p50 %.2f ms, p99 %.2f ms, longest %.2f ms; %ld failed\n", what,
                static_cast<double>(ms.size()) / seconds, at(0.5), at(0.99), at(1), failed.load());
  }
};

constexpr const char* kNames[] = {"Ada",   "Bob",  "Carla", "Dmitri", "Elena", "Farid",
                                  "Grete", "Hiro", "Ines",  "Jonas",  "Kofi",  "Lena"};
constexpr const char* kPlaces[] = {"Initech", "Globex", "Umbrella", "Hooli", "Soylent", "Acme"};

std::string note_of(int number) {
  return std::string(R"({"text":")") + kNames[number % 12] + " met " + kNames[(number / 12) % 12] +
         " at " + kPlaces[(number / 144) % 6] + " about matter " + std::to_string(number) + R"("})";
}

void ask(std::uint16_t port, const std::string& token, const std::atomic<bool>& stop, int first,
         Times& times) {
  Wire wire(port);
  std::vector<double> ms;
  for (int i = first; !stop; i += 7) {
    const std::string body = std::string(R"({"question":"Where did )") + kNames[i % 12] + " meet " +
                             kNames[(i / 12) % 12] + R"(?","budget":500})";
    const double begun = wall_seconds();
    if (!wire.send(request("POST", "/v1/recall", token, body)) || wire.receive() != 200) {
      ++times.failed;
      break;
    }
    ms.push_back((wall_seconds() - begun) * 1000);
  }
  times.add(ms);
}

// A share of the writes, one at its time.
void write(std::uint16_t port, const std::string& token, const std::atomic<bool>& stop, int first,
           int step, double every, Times& times) {
  Wire wire(port);
  std::vector<double> ms;
  double next = wall_seconds();
  for (int i = first; !stop; i += step) {
    const double wait = next - wall_seconds();
    if (wait > 0) ::usleep(static_cast<useconds_t>(wait * 1e6));
    next += every;
    const double begun = wall_seconds();
    if (!wire.send(request("POST", "/v1/memories", token, note_of(i))) ||
        wire.receive() / 100 != 2) {
      ++times.failed;
      break;
    }
    ms.push_back((wall_seconds() - begun) * 1000);
  }
  times.add(ms);
}

void run(const Wishes& wishes, std::uint16_t port, pid_t server, const std::string& token,
         const std::string& writer) {
  {
    Wire wire(port);
    for (int i = 0; i < wishes.memories; ++i) {
      if (!wire.send(request("POST", "/v1/memories", token, note_of(i)))) std::abort();
      if (wire.receive() / 100 != 2) std::abort();
    }
  }
  const Process before = look_at(server);
  std::vector<Wire> idle;
  for (int i = 0; i < wishes.idle; ++i) {
    idle.emplace_back(port);
    if (!idle.back().good() || !idle.back().send(request("GET", "/v1/me", token, "")) ||
        idle.back().receive() != 200) {
      std::printf("connection %d was not taken\n", i);
      break;
    }
  }
  const Process held = look_at(server);
  std::printf("%zu connections wait: %.1f KiB each, %ld descriptors\n", idle.size(),
              static_cast<double>(held.kilobytes - before.kilobytes) /
                  static_cast<double>(std::max<std::size_t>(1, idle.size())),
              held.descriptors);
  Wire half(port), slow(port);
  half.send("POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthor");
  for (int i = 0; i < 100; ++i) slow.send(request("GET", "/openapi.json", token, ""));
  std::atomic<bool> stop{false};
  Times recalls, writes;
  std::vector<std::thread> threads;
  const Process begun = look_at(server);
  const double start = wall_seconds();
  for (int i = 0; i < wishes.busy; ++i)
    threads.emplace_back([&, i] { ask(port, token, stop, i, recalls); });
  constexpr int kWriters = 4;
  for (int i = 0; i < kWriters && wishes.writes > 0; ++i) {
    threads.emplace_back([&, i] {
      write(port, writer, stop, wishes.memories + i, kWriters,
            static_cast<double>(kWriters) / wishes.writes, writes);
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(wishes.seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const double seconds = wall_seconds() - start;
  const Process ended = look_at(server);
  recalls.print("recall", seconds);
  writes.print("remember", seconds);
  std::printf("server   %.2f of a processor, %ld MiB, %ld threads, %ld descriptors\n",
              (ended.seconds - begun.seconds) / seconds, ended.kilobytes / 1024, ended.threads,
              ended.descriptors);
  int alive = 0;
  for (Wire& each : idle)
    if (each.send(request("GET", "/v1/me", token, "")) && each.receive() == 200) ++alive;
  std::printf("%d of the connections that waited are answered\n", alive);
}

}  // namespace

int main(int count, char** values) {
  Wishes wishes;
  int* const numbers[] = {&wishes.seconds, &wishes.idle, &wishes.busy, &wishes.writes,
                          &wishes.memories};
  for (int i = 1; i < count && i <= 5; ++i) *numbers[i - 1] = std::atoi(values[i]);
  many_descriptors();
  const anima::TemporaryDirectory folder("anima_serve_bench");
  anima::SystemClock clock;
  anima::SystemRandom random;
  serve::TokenBook tokens(anima::system_files(), folder.path());
  const auto token_of = [&](const char* name) {
    return must(tokens.add({name, anima::store::Trust::kStandard, true, clock.now(), {}}, random));
  };
  const std::string token = token_of("asks"), writer = token_of("writes");
  int pipe[2];
  if (::pipe(pipe) != 0) return 1;
  const pid_t server = ::fork();
  if (server == 0) be_server(folder.path(), pipe[1]);
  std::uint16_t port = 0;
  if (::read(pipe[0], &port, sizeof port) != sizeof port) return 1;
  run(wishes, port, server, token, writer);
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  return 0;
}
