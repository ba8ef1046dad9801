// What the HTTP server is made of: its sockets, threads, and what the callers have of its bounds.
// Private to it. Thread-safety: everything that is not said to be otherwise belongs to the thread
// that does the input and output.
#pragma once

#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/random.h"
#include "serve/http/server.h"
#include "serve/http/turns.h"

namespace anima::serve::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;
using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Code = beast::error_code;

inline std::string_view text_of(beast::string_view view) { return {view.data(), view.size()}; }

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
  Status take_handed();
  Result<asio::ip::address> loopback_address() const;
  void note_address(const asio::ip::address& address);
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
  asio::steady_timer pause{io};  // before the next connection is taken, after none could be
  asio::thread_pool workers;
  asio::thread_pool overtaking{1};  // for requests that wait for no place
  std::thread thread;
  std::uint16_t port = 0;
  std::string authority;  // "127.0.0.1:7411", as its own page has it; empty at a socket
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> connections{0}, streams{0};  // read by any thread
  SystemRandom random;
  // What a caller has of what is bounded.
  struct Share {
    std::size_t requests = 0;  // that come in, wait, run or are answered
    std::size_t streams = 0;   // of these
    std::uint64_t body_bytes = 0;
  };
  std::list<Session*> sessions;  // the one that waits longest first
  std::map<std::string, Share> callers;
  std::uint64_t body_bytes = 0, answer_bytes = 0;
  Turns<std::shared_ptr<Session>> turns;
};

}  // namespace anima::serve::http
