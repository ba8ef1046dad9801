// One connection of the HTTP server: reads a request, has it answered, writes the answer, and
// begins anew. Private to the server. Thread-safety: everything but the handler runs on the thread
// that does the input and output.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "serve/http/outlet.h"
#include "serve/http/server_state.h"

namespace anima::serve::http {

class Server::State::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<State> state, Stream::socket_type socket);
  ~Session();

  void start() { read_header(); }
  void refuse();
  // For stop(): a connection without a whole request ends, and one whose answer goes on is told.
  void close_if_idle();
  // For stop(): the request waited for its turn and does not get one.
  void turn_away();
  // The turn of the request has come.
  void run();
  // Without a request that was let in, for another connection's sake.
  bool gives_way();

 private:
  using Steady = std::chrono::steady_clock;

  std::chrono::milliseconds timeout() const {
    return std::chrono::milliseconds(state_->options.timeout_ms);
  }
  void read_header();
  void on_header(Code code);
  std::optional<Response> let_in();
  bool fits(std::uint64_t more) const;
  void settle();
  void read_body();
  void on_piece();
  void answer_unread(Response response);
  void on_read_error(Code code);
  void on_body();
  void run_on(asio::thread_pool& pool, bool takes_place);
  void on_answer(Response response, bool place_is_free);
  void give_back_place(const std::string& caller);
  Response within_bounds(Response response);
  void answer(Response response, unsigned version, bool head);
  void on_written(Code code);
  void note(const Response& response, std::uint64_t bytes) const;

  // An answer that goes on.
  void begin_stream(Response response);
  void watch_reader();
  void pump();
  void on_pumped(Code code, std::size_t bytes, bool last);
  void end_stream();

  // The end of the connection.
  void drain(std::size_t read);
  void close();

  std::shared_ptr<State> state_;
  std::list<Session*>::iterator place_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<wire::request_parser<wire::string_body>> parser_;
  std::shared_ptr<Request> request_;
  std::uint64_t body_bytes_ = 0, answer_bytes_ = 0;  // of the state's sums
  Steady::time_point begun_;                         // when the header had come
  std::shared_ptr<Outlet> outlet_;                   // of an answer that goes on
  std::shared_ptr<Session> ahead_;  // itself, while nothing of the answer waits for anything
  Response streamed_;               // what is noted of it
  std::uint64_t streamed_bytes_ = 0;
  bool pumping_ = false;
  bool admitted_ = false;
  bool busy_ = false;  // a request is being run or answered
  bool closing_ = false;
  bool unread_ = false;  // the request was refused before all of it was read
};

}  // namespace anima::serve::http
