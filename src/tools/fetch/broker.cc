#include "tools/fetch/broker.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/json/json.h"
#include "base/json/json_member.h"
#include "tools/detail/address.h"

namespace anima::tools::fetch {
namespace {

constexpr int kConnectMs = 5'000;  // to one of the addresses of a name
constexpr std::size_t kMostBytes = 4096;

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// The kernel's form of a message with room for one descriptor.
struct Message {
  explicit Message(std::string& bytes) : part{bytes.data(), bytes.size()} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
  }
  void carry(int descriptor) {
    make_room();
    cmsghdr* control_header = CMSG_FIRSTHDR(&header);
    control_header->cmsg_level = SOL_SOCKET;
    control_header->cmsg_type = SCM_RIGHTS;
    control_header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(control_header), &descriptor, sizeof descriptor);
  }
  void make_room() {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  int carried() {
    const cmsghdr* control_header = CMSG_FIRSTHDR(&header);
    int descriptor = -1;
    if (control_header != nullptr && control_header->cmsg_type == SCM_RIGHTS)
      std::memcpy(&descriptor, CMSG_DATA(control_header), sizeof descriptor);
    return descriptor;
  }

  iovec part;
  msghdr header{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
};

bool send_message(int channel, const Json& json, int descriptor = -1) {
  std::string text = json.dump();
  Message message(text);
  if (descriptor >= 0) message.carry(descriptor);
  ssize_t sent = 0;
  while ((sent = sendmsg(channel, &message.header, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
  }
  return sent == static_cast<ssize_t>(text.size());
}

// Null at the end, and for what does not parse. `descriptor`: what came along, or -1.
Json receive_message(int channel, int& descriptor) {
  std::string text(kMostBytes, '\0');
  Message message(text);
  message.make_room();
  ssize_t got = 0;
  while ((got = recvmsg(channel, &message.header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  descriptor = got > 0 ? message.carried() : -1;
  if (got <= 0 || (message.header.msg_flags & MSG_TRUNC) != 0) return {};
  return parse_json(std::string_view(text).substr(0, static_cast<std::size_t>(got)))
      .value_or(Json());
}

Json refusal(std::string_view code, std::string message) {
  return Json::object({{"code", code}, {"message", std::move(message)}});
}

// Connected, or -1 with errno.
int connect_within(const addrinfo& address) {
  const int descriptor =
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (descriptor < 0) return -1;
  int problem = 0;
  if (connect(descriptor, address.ai_addr, address.ai_addrlen) != 0) problem = errno;
  if (problem == EINPROGRESS) {
    pollfd wanted{descriptor, POLLOUT, 0};
    socklen_t size = sizeof problem;
    if (poll(&wanted, 1, kConnectMs) != 1)
      problem = ETIMEDOUT;
    else if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size) != 0)
      problem = errno;
  }
  // Once more: only then the kernel takes it for connected for good, and nobody can make it lead
  // elsewhere by what is sent.
  if (problem == 0 && connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 &&
      errno != EISCONN)
    problem = errno;
  if (problem == 0) return descriptor;
  close(descriptor);
  errno = problem;
  return -1;
}

Addresses resolve(const std::string& host, std::int64_t port, int& problem) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  problem = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  return Addresses(problem == 0 ? found : nullptr);
}

// The answer to one question; `descriptor` is the socket when there is one.
Json answer(const Json& question, bool private_addresses, int& descriptor) {
  descriptor = -1;
  const std::string host = text_member(question, "host");
  const Json* port = question.find("port");
  const bool whole = !host.empty() && port != nullptr && port->is_integer() &&
                     port->as_integer() > 0 && port->as_integer() <= 65'535;
  if (!whole) return refusal("invalid_argument", "no host and port were given");
  int problem = 0;
  const Addresses addresses = resolve(host, port->as_integer(), problem);
  if (!addresses)
    return refusal("io", "the name leads nowhere: " + std::string(gai_strerror(problem)));
  bool refused = false;
  int last = EHOSTUNREACH;
  for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
    if (!private_addresses && !detail::is_public_address(each->ai_addr)) {
      refused = true;
      continue;
    }
    descriptor = connect_within(*each);
    if (descriptor >= 0) return Json::object({{"code", ""}});
    last = errno;
  }
  if (refused) return refusal("denied", "the address leads to this machine or its network");
  return refusal("io", "nobody answers there: " + std::string(strerror(last)));
}

}  // namespace

void serve_connections(int channel, bool private_addresses) {
  for (;;) {
    int carried = -1;
    const Json question = receive_message(channel, carried);
    if (carried >= 0) close(carried);
    if (!question.is_object()) return;
    int descriptor = -1;
    const Json said = answer(question, private_addresses, descriptor);
    const bool sent = send_message(channel, said, descriptor);
    if (descriptor >= 0) close(descriptor);
    if (!sent) return;
  }
}

Result<int> ask_for_connection(int channel, const std::string& host, std::uint16_t port) {
  if (!send_message(channel, Json::object({{"host", host}, {"port", std::int64_t{port}}})))
    return fail(ErrorCode::kIo, "the broker of connections is gone");
  int descriptor = -1;
  const Json said = receive_message(channel, descriptor);
  if (!said.is_object()) return fail(ErrorCode::kIo, "the broker of connections is gone");
  if (descriptor >= 0) return descriptor;
  return fail(text_member(said, "code") == "denied" ? ErrorCode::kDenied : ErrorCode::kIo,
              text_member(said, "message"));
}

}  // namespace anima::tools::fetch
