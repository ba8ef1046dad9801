#include "serve/http/server.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <future>
#include <type_traits>
#include <utility>

#include "agent/house/gate.h"
#include "base/json/json.h"
#include "serve/http/server_state.h"
#include "serve/http/session.h"
#include "tools/external.h"

namespace anima::serve::http {

namespace {

constexpr std::chrono::milliseconds kPause{100};
constexpr rlim_t kOtherDescriptors = 256;  // of the space, streams of models and the rest

// So many connections that the rest of the program has descriptors left.
std::size_t connections_within(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const rlim_t free = limit.rlim_cur > 2 * kOtherDescriptors ? limit.rlim_cur - kOtherDescriptors
                                                             : limit.rlim_cur / 2;
  return std::min<std::size_t>(wanted, free);
}

}  // namespace

void Server::State::begin_waiting() {
  if (stopping) return;
  while (auto session = turns.next()) (*session)->run();
}

Status Server::State::listen() {
  if (options.handed >= 0) return take_handed();
  return options.socket.empty() ? listen_at_address() : listen_at_socket();
}

Result<asio::ip::address> Server::State::loopback_address() const {
  Code code;
  const auto address = asio::ip::make_address(options.address, code);
  if (!code && address.is_loopback()) return address;
  return fail(ErrorCode::kInvalidArgument, "only loopback addresses are served", options.address,
              "127.0.0.1 or ::1");
}

// Where it listens by now.
void Server::State::note_address(const asio::ip::address& address) {
  Code code;
  port = acceptor.local_endpoint(code).port();
  constexpr std::uint16_t kUsualPort = 80;  // which browsers leave out
  authority = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  if (port != kUsualPort) authority += ":" + std::to_string(port);
}

Status Server::State::take_handed() {
  Code code;
  if (!options.socket.empty()) {
    local.assign(Local(), options.handed, code);
  } else {
    ANIMA_ASSIGN(const asio::ip::address address, loopback_address());
    acceptor.assign(address.is_v6() ? tcp::v6() : tcp::v4(), options.handed, code);
    if (!code) note_address(address);
  }
  if (!code) return {};
  return fail(ErrorCode::kIo,
              "cannot listen at the socket that was handed over: " + code.message());
}

Status Server::State::listen_at_address() {
  Code code;
  ANIMA_ASSIGN(const asio::ip::address address, loopback_address());
  const tcp::endpoint endpoint(address, options.port);
  acceptor.open(endpoint.protocol(), code);
  if (!code) acceptor.set_option(tcp::acceptor::reuse_address(true), code);
  if (!code) acceptor.bind(endpoint, code);
  if (!code) acceptor.listen(asio::socket_base::max_listen_connections, code);
  if (code) {
    const bool taken = code == asio::error::address_in_use;
    return fail(taken ? ErrorCode::kBusy : ErrorCode::kIo, "cannot listen: " + code.message(),
                options.address + ":" + std::to_string(options.port),
                taken ? "another program has the port: choose one with --listen" : "");
  }
  note_address(address);
  return {};
}

// Its rights are set before it listens, so that nobody else connects in between.
Status Server::State::listen_at_socket() {
  const std::string& path = options.socket;
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return fail(ErrorCode::kInvalidArgument, "the path of a socket has at most 107 bytes", path,
                "choose a shorter one with --socket");
  }
  Code code;
  const Local::endpoint endpoint(path);
  {
    Local::socket other(io);
    other.connect(endpoint, code);
    if (!code) {
      return fail(ErrorCode::kBusy, "another server listens there", path,
                  "end it, or choose another path with --socket");
    }
    struct stat found {};
    if (lstat(path.c_str(), &found) == 0) {
      if (!S_ISSOCK(found.st_mode))
        return fail(ErrorCode::kAlreadyExists, "what is there is no socket", path);
      unlink(path.c_str());
    }
  }
  code = {};
  local.open(endpoint.protocol(), code);
  if (!code) local.bind(endpoint, code);
  if (!code && chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0)
    code.assign(errno, boost::system::system_category());
  if (!code) local.listen(asio::socket_base::max_listen_connections, code);
  if (code) return fail(ErrorCode::kIo, "cannot listen: " + code.message(), path);
  return {};
}

// Whether one more connection may be: another that has no request gives way to it.
bool Server::State::make_room() {
  if (sessions.size() < options.max_connections) return true;
  return std::ranges::any_of(sessions, [](Session* session) { return session->gives_way(); });
}

void Server::State::take(Stream::socket_type socket) {
  const bool room = make_room();
  const auto session = std::make_shared<Session>(shared_from_this(), std::move(socket));
  room ? session->start() : session->refuse();
}

template <typename Acceptor>
void Server::State::accept_at(Acceptor& at) {
  at.async_accept([self = shared_from_this(), &at](Code code, auto socket) {
    if (self->stopping || code == asio::error::operation_aborted) return;
    if constexpr (std::is_same_v<decltype(socket), tcp::socket>) {
      Code ignored;
      if (!code) socket.set_option(tcp::no_delay(true), ignored);
    }
    if (!code) self->take(Stream::socket_type(std::move(socket)));
    if (!code || code == asio::error::connection_aborted) return self->accept_at(at);
    // No descriptor is left, and asking again at once would only turn in a circle.
    self->pause.expires_after(kPause);
    self->pause.async_wait([self, &at](Code over) {
      if (!over && !self->stopping) self->accept_at(at);
    });
  });
}

void Server::State::accept() {
  if (acceptor.is_open()) accept_at(acceptor);
  if (local.is_open()) accept_at(local);
}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Admit admit,
                                              Handler handler) {
  try {
    auto state = std::make_shared<State>(options, std::move(admit), std::move(handler));
    state->options.max_connections = connections_within(options.max_connections);
    ANIMA_TRY(state->listen());
    state->accept();
    state->thread = std::thread([state] { state->run(); });
    return std::unique_ptr<Server>(new Server(std::move(state)));
  } catch (const std::exception& problem) {
    return fail(ErrorCode::kIo, std::string("cannot start the HTTP server: ") + problem.what());
  }
}

Server::Server(std::shared_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() { stop(); }

std::uint16_t Server::port() const { return state_->port; }

Server::Load Server::load() const { return {state_->connections, state_->streams}; }

void Server::stop() {
  if (state_->stopping.exchange(true)) return;
  std::promise<void> told;
  asio::post(state_->io, [state = state_, &told] {
    Code ignored;
    state->acceptor.close(ignored);
    state->pause.cancel();
    if (state->local.is_open()) {
      state->local.close(ignored);
      if (state->options.handed < 0) unlink(state->options.socket.c_str());
    }
    for (const auto& session : state->turns.take_waiting()) session->turn_away();
    // Closing may end a session, which takes itself off the list.
    const std::list<State::Session*> open = state->sessions;
    for (State::Session* session : open) session->close_if_idle();
    told.set_value();
  });
  // From here on no request is handed to the workers any more.
  told.get_future().wait();
  state_->workers.join();
  state_->overtaking.join();
  if (state_->thread.joinable()) state_->thread.join();
}

namespace {

Response told(unsigned status, const Error& error, std::string_view refusal) {
  const std::string_view approval = tools::approval_in(error.message);
  Json json = Json::object(
      {{"type", "about:blank"},
       {"title", std::string(text_of(wire::obsolete_reason(static_cast<wire::status>(status))))},
       {"status", status},
       {"detail", error.message},
       {"code", approval.empty() ? to_string(error.code) : tools::kWaitingCode}});
  if (!error.where.empty()) json.set("where", error.where);
  if (!error.hint.empty()) json.set("hint", error.hint);
  if (!approval.empty()) json.set("approval", approval);
  if (!refusal.empty()) json.set("refusal", refusal);
  return {status, "application/problem+json", json.dump() + "\n", {}};
}

}  // namespace

Response problem(unsigned status, const Error& error) { return told(status, error, {}); }

Response problem(unsigned status, const agent::Refusal& refused) {
  return told(status, refused.error, refused.approval.empty() ? refused.entry : "");
}

Response too_much(std::string what) {
  Response response = problem(503, std::move(what), "try again");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response problem(unsigned status, std::string detail, std::string hint) {
  const ErrorCode code = status == 401 || status == 403 ? ErrorCode::kDenied
                         : status == 404                ? ErrorCode::kNotFound
                         : status == 503                ? ErrorCode::kBusy
                                                        : ErrorCode::kInvalidArgument;
  return problem(status, Error{code, std::move(detail), {}, std::move(hint)});
}

unsigned status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kSyntax:
    case ErrorCode::kUnsupported:
      return 400;
    case ErrorCode::kDenied:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kConflict:
    case ErrorCode::kAlreadyExists:
      return 409;
    case ErrorCode::kBusy:
    case ErrorCode::kCancelled:
      return 503;
    case ErrorCode::kDiskFull:
      return 507;
    default:
      return 500;
  }
}

}  // namespace anima::serve::http
