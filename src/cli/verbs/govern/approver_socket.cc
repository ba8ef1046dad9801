#include "cli/verbs/govern/approver_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/files/file.h"
#include "base/json/json_member.h"

namespace anima::cli {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kSocketWaitMs = 100;
constexpr auto kHandshakeTime = std::chrono::seconds(10);
constexpr auto kAnswerWait = std::chrono::minutes(15);
constexpr std::string_view kApproverGreeting = "approver 1";

Unexpected<Error> socket_error(std::string_view what, const std::string& path = {}) {
  return fail(os_error(errno, what, path));
}

// Until there is something to do at the descriptor. Errors: kCancelled, kTimeout.
Status wait_for(int descriptor, short events, Steady::time_point until,
                const std::atomic<bool>& stop) {
  for (;;) {
    if (stop.load()) return fail(ErrorCode::kCancelled, "interrupted");
    pollfd wanted{descriptor, events, 0};
    if (poll(&wanted, 1, kSocketWaitMs) > 0) return {};
    if (Steady::now() > until) return fail(ErrorCode::kTimeout, "nobody answered in time");
  }
}

Status send_line(int descriptor, const Json& json, const std::atomic<bool>& stop) {
  const std::string line = json.dump() + "\n";
  const auto until = Steady::now() + kHandshakeTime;
  for (std::size_t at = 0; at < line.size();) {
    ANIMA_TRY(wait_for(descriptor, POLLOUT, until, stop));
    const ssize_t sent =
        send(descriptor, line.data() + at, line.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return socket_error("the other side is gone");
    at += static_cast<std::size_t>(sent);
  }
  return {};
}

Result<Json> receive_line(int descriptor, Steady::time_point until, const std::atomic<bool>& stop) {
  std::string line;
  char buffer[16384];
  while (line.empty() || line.back() != '\n') {
    ANIMA_TRY(wait_for(descriptor, POLLIN, until, stop));
    const ssize_t got = recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return socket_error("the other side is gone");
    if (got == 0) return fail(ErrorCode::kIo, "the other side is gone");
    line.append(buffer, static_cast<std::size_t>(got));
    if (line.size() > kLongestStatement)
      return fail(ErrorCode::kLimitExceeded, "what is to be signed is longer than 4 MiB");
  }
  return parse_json(line);
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(ErrorCode::kInvalidArgument, "the path of a socket has at most 107 bytes", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// A descriptor, or -1.
int new_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

bool connect_to(int descriptor, const sockaddr_un& address) {
  return connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

class Connection {
 public:
  explicit Connection(int descriptor) : descriptor_(descriptor) {}
  ~Connection() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

Result<std::unique_ptr<ApproverClient>> ApproverClient::connect(const std::string& path,
                                                                const std::atomic<bool>& stop) {
  ANIMA_ASSIGN(const sockaddr_un address, address_of(path));
  const int descriptor = new_socket();
  if (descriptor < 0) return socket_error("cannot make a socket");
  std::unique_ptr<ApproverClient> client(new ApproverClient(descriptor, stop));
  if (!connect_to(descriptor, address)) {
    return fail(ErrorCode::kNotFound, "no approver listens there", path,
                "`anima approver serve` does");
  }
  ANIMA_ASSIGN(const Json greeting, receive_line(descriptor, Steady::now() + kHandshakeTime, stop));
  if (text_member(greeting, "anima") != kApproverGreeting)
    return fail(ErrorCode::kCorrupt, "what answers there is no approver", path);
  client->name_ = text_member(greeting, "name");
  client->role_ = text_member(greeting, "role");
  return client;
}

ApproverClient::~ApproverClient() { close(descriptor_); }

Result<govern::StatementSignature> ApproverClient::sign(const govern::Statement& statement) {
  ANIMA_TRY(send_line(descriptor_,
                      Json::object({{"what", statement.what}, {"content", statement.content}}),
                      stop_));
  ANIMA_ASSIGN(Json answer, receive_line(descriptor_, Steady::now() + kAnswerWait, stop_));
  if (const Json* error = answer.find("error")) {
    return fail(ErrorCode::kDenied, name_ + " does not sign it: " + text_member(*error, "message"));
  }
  answer.set("approver", name_);
  return govern::signature_in(answer);
}

Result<std::unique_ptr<ApproverServer>> ApproverServer::listen(const std::string& path, bool others,
                                                               const std::atomic<bool>& stop) {
  ANIMA_ASSIGN(const sockaddr_un address, address_of(path));
  {
    const Connection probe(new_socket());
    if (connect_to(probe.descriptor(), address))
      return fail(ErrorCode::kAlreadyExists, "an approver listens there already", path);
    struct stat there {};
    if (lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode)) unlink(path.c_str());
  }
  const int descriptor = new_socket();
  if (descriptor < 0) return socket_error("cannot make a socket");
  const mode_t before = umask(others ? 0111 : 0177);
  const bool bound =
      bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int number = errno;
  umask(before);
  if (!bound) {
    close(descriptor);
    return fail(os_error(number, "cannot listen", path));
  }
  std::unique_ptr<ApproverServer> server(new ApproverServer(descriptor, path, stop));
  if (::listen(descriptor, 8) != 0) return socket_error("cannot listen", path);
  return server;
}

ApproverServer::~ApproverServer() {
  close(descriptor_);
  unlink(path_.c_str());
}

namespace {

Asker asker_of(int descriptor) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return {};
  return {credentials.uid, credentials.pid};
}

Result<govern::Statement> receive_statement(int descriptor, const std::atomic<bool>& stop) {
  ANIMA_ASSIGN(const Json question, receive_line(descriptor, Steady::now() + kHandshakeTime, stop));
  const Json* content = question.find("content");
  if (content == nullptr || !content->is_object())
    return fail(ErrorCode::kInvalidArgument, "a question lacks its content");
  return govern::Statement{text_member(question, "what"), *content};
}

}  // namespace

Status ApproverServer::answer_next(
    const govern::ApproverCard& card,
    const std::function<Result<govern::StatementSignature>(const govern::Statement&, Asker)>& sign,
    const std::function<void(const Error&)>& tell) {
  ANIMA_TRY(wait_for(descriptor_, POLLIN, Steady::time_point::max(), stop_));
  const Connection connection(accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
  const int descriptor = connection.descriptor();
  if (descriptor < 0) return {};  // who asked is gone already
  Json greeting = card.to_json();
  greeting.set("anima", kApproverGreeting);
  const Status greeted = send_line(descriptor, greeting, stop_);
  const auto statement = greeted ? receive_statement(descriptor, stop_)
                                 : Result<govern::Statement>(fail(greeted.error()));
  if (!statement) {
    tell(statement.error());
    return {};
  }
  const auto signature = sign(*statement, asker_of(descriptor));
  Json answer = Json::object();
  if (signature) {
    govern::put_signature(*signature, answer);
  } else {
    answer.set("error", Json::object({{"code", std::string(to_string(signature.error().code))},
                                      {"message", signature.error().message}}));
  }
  if (const Status sent = send_line(descriptor, answer, stop_); !sent) tell(sent.error());
  if (!signature && signature.error().code == ErrorCode::kCancelled) return fail(signature.error());
  return {};
}

}  // namespace anima::cli
