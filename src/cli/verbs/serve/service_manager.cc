#include "cli/verbs/serve/service_manager.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "base/text/read_number.h"

namespace anima::cli {
namespace {

constexpr int kFirstDescriptor = 3;

std::string text_of(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

Error no_such(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), "LISTEN_FDS",
          "one ListenStream= in the socket's unit, a path or a loopback address"};
}

// Whoever may write to it may connect.
Status check_path(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return fail(no_such("the socket is not there any more"));
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if ((found.st_mode & kOthers) == 0) return {};
  return fail(ErrorCode::kDenied, "other accounts may open the socket", path,
              "SocketMode=0600 in its unit");
}

Result<HandedSocket> described(int descriptor) {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  int listens = 0;
  socklen_t one = sizeof listens;
  auto* const any = reinterpret_cast<sockaddr*>(&at);
  if (getsockname(descriptor, any, &size) != 0 ||
      getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &one) != 0 || listens == 0)
    return fail(no_such("what systemd hands over is no socket that listens"));
  HandedSocket handed{descriptor, {}, {}};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (at.ss_family == AF_UNIX) {
    handed.path = reinterpret_cast<const sockaddr_un*>(any)->sun_path;
    if (handed.path.empty()) return fail(no_such("a socket without a path is everybody's"));
    ANIMA_TRY(check_path(handed.path));
  } else if (at.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(any);
    handed.address = inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
  } else if (at.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(any);
    handed.address = inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
  } else {
    return fail(no_such("the socket that systemd hands over has neither path nor address"));
  }
  return handed;
}

}  // namespace

Result<std::optional<HandedSocket>> handed_socket(const Environment& environment) {
  if (read_number<pid_t>(text_of(environment, "LISTEN_PID")) != getpid())
    return std::optional<HandedSocket>();
  if (text_of(environment, "LISTEN_FDS") != "1")
    return fail(no_such("systemd hands over another number of sockets than one"));
  // Programs that the service starts have no part in it.
  fcntl(kFirstDescriptor, F_SETFD, FD_CLOEXEC);
  ANIMA_ASSIGN(HandedSocket handed, described(kFirstDescriptor));
  return std::optional(std::move(handed));
}

void tell_service_manager(const Environment& environment, std::string_view state) {
  const std::string path = text_of(environment, "NOTIFY_SOCKET");
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.size() < 2 || path.size() >= sizeof at.sun_path) return;
  std::memcpy(at.sun_path, path.data(), path.size());
  if (path[0] == '@') at.sun_path[0] = '\0';  // an abstract one
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  (void)::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&at), size);
  ::close(socket);
}

void tell_reloading(const Environment& environment, Clock& clock) {
  tell_service_manager(environment, "RELOADING=1\nMONOTONIC_USEC=" +
                                        std::to_string(clock.monotonic_nanoseconds() / 1000));
}

}  // namespace anima::cli
