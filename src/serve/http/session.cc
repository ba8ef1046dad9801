#include "serve/http/session.h"

#include <algorithm>
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <utility>

#include "base/crypto.h"
#include "base/text/read_number.h"
#include "base/text/text.h"

namespace anima::serve::http {
namespace {

constexpr std::int64_t kDrainMs = 2000;
constexpr std::size_t kDrainBytes = std::size_t{16} << 20;
constexpr std::size_t kDrainPiece = 64 * 1024;
constexpr std::size_t kShortestRequestId = 16, kLongestRequestId = 64;

// What stands behind the name of a host: nothing, or a colon and a number of a port.
bool is_port(std::string_view rest) {
  return rest.empty() || (rest[0] == ':' && read_number<std::uint16_t>(rest.substr(1)));
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

// "http://localhost/v1?a=b" as the host and the rest; of a target without a host none (RFC 9112,
// 3.2.2).
struct Target {
  std::optional<std::string_view> host;
  std::string_view rest;
};

Target target_of(const wire::request_header<>& header) {
  const std::string_view whole = text_of(header.target());
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_ascii_case(whole.substr(0, scheme.size()), scheme)) continue;
    const std::string_view behind = whole.substr(scheme.size());
    const std::size_t end = std::min(behind.find_first_of("/?#"), behind.size());
    return {behind.substr(0, end), behind.substr(end)};
  }
  return {std::nullopt, whole};
}

// The value of a field that is there once; nullopt: it is not there, or more than once.
std::optional<std::string_view> only(const wire::request_header<>& header,
                                     beast::string_view name) {
  if (header.count(name) != 1) return std::nullopt;
  return text_of(header[name]);
}

// Whether a page of a site sends it that is not the one which is served here. That one has the
// address as its origin by the very name under which the server listens: what another port or
// another name of this machine serves is somebody else's.
bool is_of_foreign_page(const wire::request_header<>& header, std::string_view authority) {
  constexpr const char *kOrigin = "Origin", *kSite = "Sec-Fetch-Site";
  const auto origin = only(header, kOrigin), site = only(header, kSite);
  if (header.count(kOrigin) > 1 || header.count(kSite) > 1) return true;
  const bool person = !site || *site == "none";
  if (!origin && person) return false;
  return authority.empty() || text_of(header[wire::field::host]) != authority ||
         target_of(header).host.value_or(authority) != authority ||
         (origin && *origin != "http://" + std::string(authority)) ||
         !(person || *site == "same-origin");
}

// What forbids a request before anybody looks at who sends it; nullopt when nothing does.
std::optional<Response> refusal(const wire::request_header<>& header, std::string_view authority) {
  const std::size_t hosts = header.count(wire::field::host);
  if (hosts > 1) return problem(400, "the request names more than one host");
  const bool here = hosts == 1 && is_loopback_host(text_of(header[wire::field::host])) &&
                    is_loopback_host(target_of(header).host.value_or("localhost"));
  if (!here) {
    return problem(403, "the request is for another host",
                   "reach the server as 127.0.0.1 or localhost");
  }
  // Of a body in a coding that is not known nobody knows where it ends, and the next request
  // begins.
  const std::size_t codings = header.count(wire::field::transfer_encoding);
  if (codings > 1 ||
      (codings == 1 &&
       !equals_ignoring_ascii_case(text_of(header[wire::field::transfer_encoding]), "chunked")))
    return problem(501, "a body comes as it is, or chunked");
  // HTTP/1.0 has no codings (RFC 9112, 6.1): who passed it on may have seen another end.
  if (codings == 1 && header.version() < 11)
    return problem(400, "a body of HTTP/1.0 is not chunked");
  if (is_of_foreign_page(header, authority))
    return problem(403, "the request comes from a page of another origin");
  return std::nullopt;
}

// All but the body.
Request request_of(const wire::request_header<>& from) {
  Request request;
  request.method = text_of(from.method_string());
  const auto [host, rest] = target_of(from);
  const std::string_view target = rest.substr(0, rest.find('#'));
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (auto path = decode_percent(target.substr(0, mark), false)) {
    request.path = host && path->empty() ? "/" : std::move(*path);
  }
  auto parameters = decode_form(mark < target.size() ? target.substr(mark + 1) : "");
  request.wrong_query = !parameters || request.path.empty();
  if (parameters) request.parameters = std::move(*parameters);
  for (const auto& field : from) {
    request.headers.emplace_back(to_lower(text_of(field.name_string())),
                                 std::string(text_of(field.value())));
  }
  request.address = "http://" + std::string(host.value_or(text_of(from[wire::field::host]))) +
                    (host && mark == 0 ? "/" : "") + std::string(target);
  return request;
}

// A name that a client may give its request. It stands in the log of the space, where nothing is
// forgotten of it, so it is a UUID, the id of a trace or the like, and nobody's name.
bool is_request_id(std::string_view text) {
  return text.size() >= kShortestRequestId && text.size() <= kLongestRequestId &&
         std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
                  c == '-';
         });
}

std::string new_request_id(Random& random) {
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  return to_hex(bytes);
}

}  // namespace

Server::State::Session::Session(std::shared_ptr<State> state, Stream::socket_type socket)
    : state_(std::move(state)), stream_(std::move(socket)) {
  place_ = state_->sessions.insert(state_->sessions.end(), this);
  ++state_->connections;
}

Server::State::Session::~Session() {
  if (outlet_ != nullptr) outlet_->lost();
  settle();
  state_->sessions.erase(place_);
  --state_->connections;
}

void Server::State::Session::refuse() {
  closing_ = true;
  answer(too_much("too many connections"), 11, false);
}

void Server::State::Session::close_if_idle() {
  if (outlet_ != nullptr) return outlet_->end("the server is ending");
  if (!busy_) close();
}

void Server::State::Session::turn_away() {
  closing_ = true;
  answer(too_much("the server is ending"), parser_->get().version(), request_->method == "HEAD");
}

void Server::State::Session::run() { run_on(state_->workers, true); }

bool Server::State::Session::gives_way() {
  if (busy_ || admitted_ || !stream_.socket().is_open()) return false;
  close();
  return true;
}

void Server::State::Session::read_header() {
  state_->sessions.splice(state_->sessions.end(), state_->sessions, place_);
  parser_.emplace();
  const ServerOptions& options = state_->options;
  parser_->header_limit(state_->sessions.size() > options.crowd ? options.max_header_bytes_in_crowd
                                                                : options.max_header_bytes);
  // What a long header took is not kept by a connection that waits for the next.
  if (buffer_.capacity() > options.max_header_bytes_in_crowd) buffer_.shrink_to_fit();
  parser_->body_limit(state_->options.max_body_bytes);
  stream_.expires_after(timeout());
  wire::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](Code code, std::size_t) { self->on_header(code); });
}

void Server::State::Session::on_header(Code code) {
  begun_ = Steady::now();
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
std::optional<Response> Server::State::Session::let_in() {
  request_ = std::make_shared<Request>(request_of(parser_->get()));
  request_->authority = state_->authority;
  const std::string* id = request_->header("x-request-id");
  request_->id = id != nullptr && is_request_id(*id) ? *id : new_request_id(state_->random);
  if (auto refused = refusal(parser_->get(), state_->authority)) return refused;
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
bool Server::State::Session::fits(std::uint64_t more) const {
  const std::uint64_t all = state_->options.max_bodies_bytes;
  const std::uint64_t own = state_->callers.at(request_->caller.name).body_bytes;
  return more <= all - state_->body_bytes && own + more <= all / 2;
}

// Gives back what the request had taken.
void Server::State::Session::settle() {
  state_->answer_bytes -= std::exchange(answer_bytes_, 0);
  if (std::exchange(admitted_, false)) {
    const auto share = state_->callers.find(request_->caller.name);
    share->second.body_bytes -= body_bytes_;
    state_->body_bytes -= std::exchange(body_bytes_, 0);
    if (outlet_ != nullptr) --share->second.streams;
    if (--share->second.requests == 0) state_->callers.erase(share);
  }
  if (outlet_ != nullptr) --state_->streams;
  outlet_.reset();
  request_.reset();
}

// What counts is what has come, not what a header promises: who begins a body and does not go on
// takes nothing from others.
void Server::State::Session::read_body() {
  if (parser_->is_done()) return on_body();
  wire::async_read_some(stream_, buffer_, *parser_,
                        [self = shared_from_this()](Code code, std::size_t) {
                          if (code) return self->on_read_error(code);
                          self->on_piece();
                        });
}

void Server::State::Session::on_piece() {
  const std::uint64_t more = parser_->get().body().size() - body_bytes_;
  if (!fits(more)) return answer_unread(too_much("too many long requests at once"));
  body_bytes_ += more;
  state_->body_bytes += more;
  state_->callers.at(request_->caller.name).body_bytes += more;
  read_body();
}

// For a request that is not read to its end.
void Server::State::Session::answer_unread(Response response) {
  closing_ = true;
  unread_ = true;
  answer(std::move(response), parser_->get().version(),
         parser_->get().method() == wire::verb::head);
}

void Server::State::Session::on_read_error(Code code) {
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

void Server::State::Session::on_body() {
  if (state_->stopping) return close();
  busy_ = true;
  stream_.expires_never();
  request_->body = std::move(parser_->get().body());
  if (state_->options.overtakes && state_->options.overtakes(*request_))
    return run_on(state_->overtaking, false);
  state_->turns.wait(request_->caller.name, shared_from_this());
  state_->begin_waiting();
}

// An answer that goes on is begun before the rest of its work is done.
void Server::State::Session::run_on(asio::thread_pool& pool, bool takes_place) {
  auto guard = asio::make_work_guard(state_->io);
  asio::post(pool, [self = shared_from_this(), request = request_, guard, takes_place]() mutable {
    asio::io_context& io = self->state_->io;
    auto response = std::make_shared<Response>(self->state_->handler(*request));
    const auto rest = std::exchange(response->rest, nullptr);
    const bool free = takes_place && !rest;
    asio::post(io, [self, response, free] { self->on_answer(std::move(*response), free); });
    if (rest) rest();
    // The session goes along: it must end on the I/O thread.
    asio::post(
        io, [own = std::move(self), caller = request->caller.name, gives = takes_place && !free] {
          if (gives) own->give_back_place(caller);
        });
  });
}

void Server::State::Session::give_back_place(const std::string& caller) {
  state_->turns.done(caller);
  state_->begin_waiting();
}

void Server::State::Session::on_answer(Response response, bool place_is_free) {
  closing_ = !parser_->get().keep_alive() || state_->stopping;
  const std::string caller = request_->caller.name;
  if (response.outlet != nullptr) {
    begin_stream(std::move(response));
  } else {
    const bool head = request_->method == "HEAD";
    answer(within_bounds(std::move(response)), parser_->get().version(), head);
  }
  if (place_is_free) give_back_place(caller);
}

// Answers that their readers take slowly must not fill the memory.
Response Server::State::Session::within_bounds(Response response) {
  const std::uint64_t size = response.body.size();
  if (state_->answer_bytes > 0 && size + state_->answer_bytes > state_->options.max_answers_bytes) {
    return too_much("too many long answers are on their way");
  }
  answer_bytes_ = size;
  state_->answer_bytes += size;
  return response;
}

void Server::State::Session::note(const Response& response, std::uint64_t bytes) const {
  if (!state_->options.note) return;
  Noted noted;
  if (request_ != nullptr) {
    noted.request = request_->id;
    noted.caller = request_->caller.name;
    noted.method = request_->method;
    noted.path = request_->path;
  }
  noted.route = response.route;
  noted.status = response.status;
  noted.bytes = bytes;
  noted.microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - begun_).count();
  state_->options.note(noted);
}

void Server::State::Session::answer(Response response, unsigned version, bool head) {
  busy_ = true;
  auto message = std::make_shared<wire::response<wire::string_body>>(
      static_cast<wire::status>(response.status), version);
  message->set(wire::field::server, "anima");
  if (!response.content_type.empty()) {
    message->set(wire::field::content_type, response.content_type);
  }
  message->set("X-Content-Type-Options", "nosniff");
  if (request_ != nullptr) message->set("X-Request-Id", request_->id);
  for (const auto& [name, value] : response.headers) message->insert(name, value);
  message->keep_alive(!closing_);
  const std::size_t size = response.body.size();
  note(response, head ? 0 : size);
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

void Server::State::Session::on_written(Code code) {
  busy_ = false;
  settle();
  if (code || state_->stopping) return close();
  if (unread_) return drain(0);
  if (closing_) return close();
  read_header();
}

// --- an answer that goes on ----------------------------------------------------------------------

void Server::State::Session::begin_stream(Response response) {
  closing_ = true;
  Share& share = state_->callers.at(request_->caller.name);
  const unsigned version = parser_->get().version();
  if (share.streams >= state_->options.max_streams_of_caller ||
      state_->streams >= state_->options.max_streams || state_->stopping) {
    response.outlet->lost();
    return answer(too_much("too many streams at once"), version, false);
  }
  ++share.streams;
  ++state_->streams;
  outlet_ = std::move(response.outlet);
  auto message = std::make_shared<wire::response<wire::empty_body>>(
      static_cast<wire::status>(response.status), version);
  message->set(wire::field::server, "anima");
  message->set(wire::field::content_type, response.content_type);
  message->set("X-Content-Type-Options", "nosniff");
  message->set("X-Request-Id", request_->id);
  message->set(wire::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) message->insert(name, value);
  message->keep_alive(false);
  message->chunked(version >= 11);
  streamed_ = std::move(response);
  auto serializer = std::make_shared<wire::response_serializer<wire::empty_body>>(*message);
  stream_.expires_after(timeout());
  wire::async_write_header(
      stream_, *serializer,
      [self = shared_from_this(), message, serializer](Code code, std::size_t) {
        if (code) return self->end_stream();
        self->stream_.expires_never();
        self->watch_reader();
        const std::weak_ptr<Session> weak = self;
        self->outlet_->connect([state = self->state_, weak] {
          asio::post(state->io, [weak] {
            if (const auto session = weak.lock()) session->pump();
          });
        });
      });
}

// A reader that goes is noticed also while nothing is sent to him.
void Server::State::Session::watch_reader() {
  stream_.socket().async_wait(Stream::socket_type::wait_read, [self =
                                                                   shared_from_this()](Code code) {
    if (self->outlet_ == nullptr) return;
    char byte = 0;
    if (!code) {
      self->stream_.socket().non_blocking(true, code);
      self->stream_.socket().receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, code);
    }
    if (code && code != asio::error::would_block) return self->end_stream();
    // More of him is read by nobody; that he goes is noticed when something is sent to him.
    self->ahead_ = self;
  });
}

void Server::State::Session::pump() {
  if (pumping_ || outlet_ == nullptr) return;
  Outlet::Piece piece = outlet_->take();
  if (piece.bytes.empty() && !piece.last) return;
  pumping_ = true;
  const std::size_t size = piece.bytes.size();
  auto bytes = std::make_shared<std::string>();
  const bool chunked = parser_->get().version() >= 11;
  if (size > 0 && chunked) {
    char length[20];
    const auto end = std::to_chars(std::begin(length), std::end(length), size, 16).ptr;
    bytes->append(length, end).append("\r\n").append(piece.bytes).append("\r\n");
  } else {
    *bytes = std::move(piece.bytes);
  }
  if (piece.last && chunked) bytes->append("0\r\n\r\n");
  stream_.expires_after(timeout());
  asio::async_write(stream_, asio::buffer(*bytes),
                    [self = shared_from_this(), bytes, size, last = piece.last](
                        Code code, std::size_t) { self->on_pumped(code, size, last); });
}

void Server::State::Session::on_pumped(Code code, std::size_t bytes, bool last) {
  pumping_ = false;
  if (outlet_ == nullptr) return;
  if (code || last) return end_stream();
  streamed_bytes_ += bytes;
  outlet_->written(bytes);
  stream_.expires_never();
  pump();
}

void Server::State::Session::end_stream() {
  if (outlet_ == nullptr) return;
  outlet_->lost();
  note(streamed_, streamed_bytes_);
  busy_ = false;
  settle();
  close();
  ahead_.reset();
}

// --- the end -------------------------------------------------------------------------------------

// A connection that is closed over unread bytes takes the answer with it: they are read first,
// within bounds.
void Server::State::Session::drain(std::size_t read) {
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

void Server::State::Session::close() {
  Code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.close();
}

}  // namespace anima::serve::http
