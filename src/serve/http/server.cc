#include "serve/http/server.h"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <future>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/json/json.h"
#include "base/log.h"
#include "base/text/text.h"
#include "serve/http/turns.h"

namespace anima::serve::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;
using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Code = beast::error_code;

std::string_view text_of(beast::string_view view) { return {view.data(), view.size()}; }

// What stands behind the name of a host: nothing, or a colon and a number of a port.
bool is_port(std::string_view rest) {
  if (rest.empty()) return true;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), port);
  return rest[0] == ':' && error == std::errc() && end == rest.data() + rest.size();
}

// "localhost", "127.0.0.1", "[::1]", each with or without a port.
bool is_loopback_host(std::string_view host) {
  if (constexpr std::string_view kV6 = "[::1]"; host.starts_with('['))
    return host.starts_with(kV6) && is_port(host.substr(kV6.size()));
  const std::size_t end = std::min(host.find(':'), host.size());
  if (!is_port(host.substr(end))) return false;
  const std::string name = to_lower(host.substr(0, end));
  if (name == "localhost") return true;
  Code code;
  const auto address = asio::ip::make_address_v4(name, code);
  return !code && address.is_loopback();
}

// What forbids a request before anybody looks at who sends it; nullopt when nothing does. No page
// is served here, so no page of any site has a reason to send one, not of this machine either.
std::optional<Response> refusal(const wire::request_header<>& header) {
  const std::size_t hosts = header.count(wire::field::host);
  if (hosts > 1) return problem(400, "the request names more than one host");
  if (hosts == 0 || !is_loopback_host(text_of(header[wire::field::host]))) {
    return problem(403, "the request is for another host",
                   "reach the server as 127.0.0.1 or localhost");
  }
  const auto site = header.find("Sec-Fetch-Site");
  if (header.count(wire::field::origin) > 0 ||
      (site != header.end() && text_of(site->value()) != "none")) {
    return problem(403, "the request comes from a page");
  }
  return std::nullopt;
}

// All but the body.
Request request_of(const wire::request_header<>& from) {
  Request request;
  request.method = text_of(from.method_string());
  std::string_view target = text_of(from.target());
  target = target.substr(0, target.find('#'));
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (auto path = decode_percent(target.substr(0, mark), false)) {
    request.path = std::move(*path);
  }
  auto parameters = decode_form(mark < target.size() ? target.substr(mark + 1) : "");
  request.wrong_query = !parameters || request.path.empty();
  if (parameters) request.parameters = std::move(*parameters);
  for (const auto& field : from) {
    request.headers.emplace_back(to_lower(text_of(field.name_string())),
                                 std::string(text_of(field.value())));
  }
  request.address = "http://" + std::string(text_of(from[wire::field::host])) + std::string(target);
  return request;
}

Response too_much(std::string what) {
  Response response = problem(503, std::move(what), "try again");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

struct Server::State : std::enable_shared_from_this<Server::State> {
  State(const ServerOptions& given, Admit gate, Handler to)
      : options(given),
        admit(std::move(gate)),
        handler(std::move(to)),
        workers(given.workers),
        turns(given.workers) {}

  class Session;

  Status listen();
  Status listen_at_address();
  Status listen_at_socket();
  void accept();
  template <typename Acceptor>
  void accept_at(Acceptor& acceptor);
  void take(Stream::socket_type socket);
  bool make_room();
  void begin_waiting();
  void run() { io.run(); }

  ServerOptions options;
  Admit admit;
  Handler handler;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  Local::acceptor local{io};
  asio::thread_pool workers;
  std::thread thread;
  std::uint16_t port = 0;
  std::atomic<bool> stopping{false};
  // What a caller has of what is bounded.
  struct Share {
    std::size_t requests = 0;  // that come in, wait, run or are answered
    std::uint64_t body_bytes = 0;
  };
  // Of the I/O thread.
  std::list<Session*> sessions;  // the one that waits longest first
  std::map<std::string, Share> callers;
  std::uint64_t body_bytes = 0, answer_bytes = 0;
  Turns<std::shared_ptr<Session>> turns;
};

// One connection. Everything but the handler runs on the I/O thread.
class Server::State::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<State> state, Stream::socket_type socket)
      : state_(std::move(state)), stream_(std::move(socket)) {
    place_ = state_->sessions.insert(state_->sessions.end(), this);
  }
  ~Session() {
    settle();
    state_->sessions.erase(place_);
  }

  void start() { read_header(); }
  void refuse() {
    closing_ = true;
    answer(too_much("too many connections"), 11, false);
  }
  // For stop(): a connection without a whole request ends.
  void close_if_idle() {
    if (!busy_) close();
  }
  // For stop(): the request waited for its turn and does not get one.
  void turn_away() {
    closing_ = true;
    answer(too_much("the server is ending"), parser_->get().version(), request_->method == "HEAD");
  }
  // The turn of the request has come.
  void run() {
    auto guard = asio::make_work_guard(state_->io);
    asio::post(state_->workers, [self = shared_from_this(), guard]() mutable {
      auto response = std::make_shared<Response>(self->state_->handler(*self->request_));
      // The session goes along: it must end on the I/O thread.
      asio::io_context& io = self->state_->io;
      asio::post(io, [own = std::move(self), response] { own->on_answer(std::move(*response)); });
    });
  }
  // Without a request that was let in, for another connection's sake.
  bool gives_way() {
    if (busy_ || admitted_ || !stream_.socket().is_open()) return false;
    close();
    return true;
  }

 private:
  static constexpr std::int64_t kDrainMs = 2000;
  static constexpr std::size_t kDrainBytes = std::size_t{16} << 20;
  static constexpr std::size_t kDrainPiece = 64 * 1024;

  std::chrono::milliseconds timeout() const {
    return std::chrono::milliseconds(state_->options.timeout_ms);
  }

  void read_header() {
    state_->sessions.splice(state_->sessions.end(), state_->sessions, place_);
    parser_.emplace();
    parser_->header_limit(state_->options.max_header_bytes);
    parser_->body_limit(state_->options.max_body_bytes);
    stream_.expires_after(timeout());
    wire::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](Code code, std::size_t) { self->on_header(code); });
  }

  void on_header(Code code) {
    if (code) return on_read_error(code);
    if (auto refused = let_in()) return answer_unread(*std::move(refused));
    parser_->eager(true);
    if (equals_ignoring_ascii_case(text_of(parser_->get()[wire::field::expect]), "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      asio::async_write(stream_, asio::buffer(kContinue),
                        [self = shared_from_this()](Code failed, std::size_t) {
                          if (!failed) self->read_body();
                        });
      return;
    }
    read_body();
  }

  // Nullopt: the request may go on, and its share of what is bounded is taken.
  std::optional<Response> let_in() {
    if (auto refused = refusal(parser_->get())) return refused;
    request_ = std::make_shared<Request>(request_of(parser_->get()));
    Expected<Caller, Response> caller = state_->admit(*request_);
    if (!caller) return caller.error();
    request_->caller = *std::move(caller);
    Share& share = state_->callers[request_->caller.name];
    ++share.requests;
    admitted_ = true;
    if (share.requests > state_->options.max_requests_of_caller)
      return too_much("too many requests of one caller at once");
    if (!fits(parser_->content_length().value_or(0)))
      return too_much("too many long requests at once");
    return std::nullopt;
  }

  // Whether so many more bytes of a body may be held. A caller has at most half of what all have.
  bool fits(std::uint64_t more) const {
    const std::uint64_t all = state_->options.max_bodies_bytes;
    const std::uint64_t own = state_->callers.at(request_->caller.name).body_bytes;
    return more <= all - state_->body_bytes && own + more <= all / 2;
  }

  // Gives back what the request had taken.
  void settle() {
    state_->answer_bytes -= std::exchange(answer_bytes_, 0);
    if (std::exchange(admitted_, false)) {
      const auto share = state_->callers.find(request_->caller.name);
      share->second.body_bytes -= body_bytes_;
      state_->body_bytes -= std::exchange(body_bytes_, 0);
      if (--share->second.requests == 0) state_->callers.erase(share);
    }
    request_.reset();
  }

  // What counts is what has come, not what a header promises: who begins a body and does not go on
  // takes nothing from others.
  void read_body() {
    if (parser_->is_done()) return on_body();
    wire::async_read_some(stream_, buffer_, *parser_,
                          [self = shared_from_this()](Code code, std::size_t) {
                            if (code) return self->on_read_error(code);
                            self->on_piece();
                          });
  }

  void on_piece() {
    const std::uint64_t more = parser_->get().body().size() - body_bytes_;
    if (!fits(more)) return answer_unread(too_much("too many long requests at once"));
    body_bytes_ += more;
    state_->body_bytes += more;
    state_->callers.at(request_->caller.name).body_bytes += more;
    read_body();
  }

  // For a request that is not read to its end.
  void answer_unread(Response response) {
    closing_ = true;
    unread_ = true;
    answer(std::move(response), parser_->get().version(),
           parser_->get().method() == wire::verb::head);
  }

  void on_read_error(Code code) {
    closing_ = true;
    unread_ = true;
    if (code == wire::error::header_limit) {
      return answer(problem(431, "the header of the request is too long",
                            "send the query in the body of a POST"),
                    11, false);
    }
    if (code == wire::error::body_limit) {
      return answer(problem(413, "the body of the request is too long"), 11, false);
    }
    if (code.category() == wire::make_error_code(wire::error::bad_version).category() &&
        code != wire::error::end_of_stream && code != wire::error::partial_message) {
      return answer(problem(400, "this is no HTTP request"), 11, false);
    }
    close();
  }

  void on_body() {
    if (state_->stopping) return close();
    busy_ = true;
    stream_.expires_never();
    request_->body = std::move(parser_->get().body());
    state_->turns.wait(request_->caller.name, shared_from_this());
    state_->begin_waiting();
  }

  void on_answer(Response response) {
    closing_ = !parser_->get().keep_alive() || state_->stopping;
    const bool head = request_->method == "HEAD";
    state_->turns.done(request_->caller.name);
    answer(within_bounds(std::move(response)), parser_->get().version(), head);
    state_->begin_waiting();
  }

  // Answers that their readers take slowly must not fill the memory.
  Response within_bounds(Response response) {
    const std::uint64_t size = response.body.size();
    if (state_->answer_bytes > 0 &&
        size + state_->answer_bytes > state_->options.max_answers_bytes) {
      return too_much("too many long answers are on their way");
    }
    answer_bytes_ = size;
    state_->answer_bytes += size;
    return response;
  }

  void answer(Response response, unsigned version, bool head) {
    busy_ = true;
    auto message = std::make_shared<wire::response<wire::string_body>>(
        static_cast<wire::status>(response.status), version);
    message->set(wire::field::server, "anima");
    if (!response.content_type.empty()) {
      message->set(wire::field::content_type, response.content_type);
    }
    message->set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) message->insert(name, value);
    message->keep_alive(!closing_);
    const std::size_t size = response.body.size();
    if (!head) message->body() = std::move(response.body);
    if (response.status != 204) message->content_length(size);
    stream_.expires_after(timeout());
    // A serializer that is told so sends no body for HEAD.
    auto serializer = std::make_shared<wire::response_serializer<wire::string_body>>(*message);
    const auto done = [self = shared_from_this(), message, serializer](Code code, std::size_t) {
      self->on_written(code);
    };
    if (head) {
      wire::async_write_header(stream_, *serializer, done);
    } else {
      wire::async_write(stream_, *serializer, done);
    }
  }

  void on_written(Code code) {
    busy_ = false;
    settle();
    if (code || state_->stopping) return close();
    if (unread_) return drain(0);
    if (closing_) return close();
    read_header();
  }

  // A connection that is closed over unread bytes takes the answer with it: they are read first,
  // within bounds.
  void drain(std::size_t read) {
    if (read == 0) {
      Code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      stream_.expires_after(std::chrono::milliseconds(kDrainMs));
    }
    if (read > kDrainBytes) return close();
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kDrainPiece),
                            [self = shared_from_this(), read](Code code, std::size_t size) {
                              if (code) return self->close();
                              self->drain(read + size);
                            });
  }

  void close() {
    Code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.close();
  }

  std::shared_ptr<State> state_;
  std::list<Session*>::iterator place_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<wire::request_parser<wire::string_body>> parser_;
  std::shared_ptr<Request> request_;
  std::uint64_t body_bytes_ = 0, answer_bytes_ = 0;  // of the state's sums
  bool admitted_ = false;
  bool busy_ = false;  // a request is being run or answered
  bool closing_ = false;
  bool unread_ = false;  // the request was refused before all of it was read
};

void Server::State::begin_waiting() {
  if (stopping) return;
  while (auto session = turns.next()) (*session)->run();
}

Status Server::State::listen() {
  return options.socket.empty() ? listen_at_address() : listen_at_socket();
}

Status Server::State::listen_at_address() {
  Code code;
  const auto address = asio::ip::make_address(options.address, code);
  if (code || !address.is_loopback()) {
    return fail(ErrorCode::kInvalidArgument, "only loopback addresses are served", options.address,
                "127.0.0.1 or ::1");
  }
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
  port = acceptor.local_endpoint(code).port();
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
    self->accept_at(at);
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

void Server::stop() {
  if (state_->stopping.exchange(true)) return;
  std::promise<void> told;
  asio::post(state_->io, [state = state_, &told] {
    Code ignored;
    state->acceptor.close(ignored);
    if (state->local.is_open()) {
      state->local.close(ignored);
      unlink(state->options.socket.c_str());
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
  if (state_->thread.joinable()) state_->thread.join();
}

Response problem(unsigned status, const Error& error) {
  Json json = Json::object(
      {{"type", "about:blank"},
       {"title", std::string(text_of(wire::obsolete_reason(static_cast<wire::status>(status))))},
       {"status", status},
       {"detail", error.message},
       {"code", to_string(error.code)}});
  if (!error.where.empty()) json.set("where", error.where);
  if (!error.hint.empty()) json.set("hint", error.hint);
  return {status, "application/problem+json", json.dump() + "\n", {}};
}

Response problem(unsigned status, std::string detail, std::string hint) {
  return problem(status,
                 Error{ErrorCode::kInvalidArgument, std::move(detail), {}, std::move(hint)});
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
