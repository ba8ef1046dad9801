// The HTTP server over real sockets: whom it serves, its limits, and how it
// ends.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "serve/http/message.h"
#include "serve/http/server.h"
#include "serve/http/turns.h"
#include "support/http_client.h"

namespace anima::serve::http_server_test {
namespace {

using http::Caller;
using http::Request;
using http::Response;
using test::HttpAnswer;
using test::HttpClient;

Response echo(const Request &request) {
  std::string body = request.method + " " + request.path + "\n";
  for (const auto &[name, value] : request.parameters) body += name + "=" + value + "\n";
  return {200, "text/plain", body + request.body, {}};
}

Expected<Caller, Response> anybody(const Request &) {
  return Caller{"anybody", store::Trust::kStandard, true};
}

std::unique_ptr<http::Server> started(http::ServerOptions options = {},
                                      http::Server::Handler handler = echo,
                                      http::Server::Admit admit = anybody) {
  auto server = http::Server::start(options, std::move(admit), std::move(handler));
  EXPECT_TRUE(server.has_value()) << server.error().describe();
  return std::move(*server);
}

TEST(HttpServer, AnswersSeveralRequestsOnOneConnection) {
  const auto server = started();
  HttpClient client(server->port());
  ASSERT_TRUE(client.connected());
  const auto first = client.request("GET", "/a%20b?x=1&y=%26+z");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, "GET /a b\nx=1\ny=& z\n");
  EXPECT_EQ(first.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(client.request("POST", "/p", "", "body").body, "POST /p\nbody");
  const auto head = client.request("HEAD", "/h");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-length"), "8");
  EXPECT_EQ(client.request("GET", "/last").body, "GET /last\n");
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.closed());
}

TEST(HttpServer, ServesThisMachineAlone) {
  EXPECT_EQ(http::Server::start({.address = "0.0.0.0"}, anybody, echo).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(http::Server::start({.address = "example.org"}, anybody, echo).error().code,
            ErrorCode::kInvalidArgument);
  const auto server = started();
  EXPECT_EQ(http::Server::start({.port = server->port()}, anybody, echo).error().code,
            ErrorCode::kBusy);
  const auto status = [&](std::string_view host, std::string_view more = "") {
    HttpClient client(server->port());
    client.send("GET / HTTP/1.1\r\n" + std::string(host) + std::string(more) + "\r\n");
    return client.receive().status;
  };
  EXPECT_EQ(status("Host: localhost:7411\r\n"), 200);
  EXPECT_EQ(status("Host: 127.0.0.1\r\n"), 200);
  EXPECT_EQ(status("Host: [::1]:80\r\n"), 200);
  EXPECT_EQ(status("Host: localhost:65535\r\n"), 200);
  for (const std::string_view port : {":", ":abc", ":65536", ":-1", ":80x", ":80:80", "x", "]:80"})
    for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"})
      EXPECT_EQ(status("Host: " + std::string(name) + std::string(port) + "\r\n"), 403)
          << name << port;
  EXPECT_EQ(status("Host: evil.example\r\n"), 403);
  EXPECT_EQ(status("Host: localhost.evil.example\r\n"), 403);
  EXPECT_EQ(status("Host: 127.0.0.1.evil.example\r\n"), 403);
  EXPECT_EQ(status(""), 403);
  const std::string here = "Host: localhost\r\n";
  EXPECT_EQ(status(here + here), 400);
  EXPECT_EQ(status(here, "Host: evil.example\r\n"), 400);
  EXPECT_EQ(status(here, "Origin: http://localhost:3000\r\n"), 403);
  EXPECT_EQ(status(here, "Origin: http://127.0.0.1:" + std::to_string(server->port()) + "\r\n"),
            403);
  EXPECT_EQ(status(here, "Origin: https://evil.example\r\n"), 403);
  EXPECT_EQ(status(here, "Origin: null\r\n"), 403);
  EXPECT_EQ(status(here, "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(status(here, "Sec-Fetch-Site: same-origin\r\n"), 403);
  EXPECT_EQ(status(here, "Sec-Fetch-Site: none\r\n"), 200);
}

// The origin of a page that is served here is the very address at which the server listens.
TEST(HttpServer, APageOfItsOwnAddressIsLetIn) {
  const auto server = started();
  const std::string port = ":" + std::to_string(server->port());
  const std::string own = "http://127.0.0.1" + port;
  const auto status = [&](const std::string &host, const std::string &more) {
    HttpClient client(server->port());
    client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n");
    return client.receive().status;
  };
  const std::string here = "127.0.0.1" + port;
  for (const std::string &good :
       {"Origin: " + own + "\r\n", std::string("Sec-Fetch-Site: same-origin\r\n"),
        "Origin: " + own + "\r\nSec-Fetch-Site: same-origin\r\n"}) {
    EXPECT_EQ(status(here, good), 200) << good;
    // By another name it is a page of another origin, and so is what stands behind a tunnel.
    for (const std::string &other : {"localhost" + port, std::string("127.0.0.1"),
                                     std::string("127.0.0.1:1"), "127.0.0.2" + port})
      EXPECT_EQ(status(other, good), 403) << other << good;
  }
  for (const std::string &foreign :
       {std::string("null"), std::string("http://127.0.0.1"), "https://127.0.0.1" + port, own + "/",
        own + "0", "http://localhost" + port, "HTTP://127.0.0.1" + port, own + ", " + own,
        std::string()}) {
    EXPECT_EQ(status(here, "Origin: " + foreign + "\r\n"), 403) << foreign;
    EXPECT_EQ(status(here, "Origin: " + foreign + "\r\nSec-Fetch-Site: same-origin\r\n"), 403);
  }
  EXPECT_EQ(status(here, "Origin: " + own + "\r\nOrigin: " + own + "\r\n"), 403);
  for (const std::string site : {"cross-site", "same-site", "", "Same-Origin", "other"})
    EXPECT_EQ(status(here, "Origin: " + own + "\r\nSec-Fetch-Site: " + site + "\r\n"), 403) << site;
}

TEST(HttpServer, AtASocketNoPageIsLetIn) {
  const TemporaryDirectory folder;
  http::ServerOptions options;
  options.socket = folder.path() + "/s.sock";
  const auto server = started(options);
  const auto status = [&](const std::string &more) {
    HttpClient client(options.socket);
    client.send("GET / HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
    return client.receive().status;
  };
  EXPECT_EQ(status(""), 200);
  EXPECT_EQ(status("Sec-Fetch-Site: same-origin\r\n"), 403);
  EXPECT_EQ(status("Origin: http://localhost\r\n"), 403);
  EXPECT_EQ(status("Origin: http://\r\n"), 403);
}

TEST(HttpServer, ReadsATargetThatNamesItsHost) {
  const auto server = started();
  const auto answer = [&](std::string_view target) {
    HttpClient client(server->port());
    client.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.receive();
  };
  EXPECT_EQ(answer("http://localhost:7411/a%20b?x=1#part").body, "GET /a b\nx=1\n");
  EXPECT_EQ(answer("HTTP://127.0.0.1/a").body, "GET /a\n");
  EXPECT_EQ(answer("http://localhost").body, "GET /\n");
  EXPECT_EQ(answer("http://localhost?x=1").body, "GET /\nx=1\n");
  for (const char *other : {"http://evil.example/a", "http:///a", "http://ada@localhost/a"})
    EXPECT_EQ(answer(other).status, 403) << other;
}

// Headers that are begun are in memory: of many connections each has less.
TEST(HttpServer, HeadersAreShorterInACrowd) {
  const auto server = started({.max_header_bytes_in_crowd = 1024, .crowd = 2});
  const std::string path = "/" + std::string(2000, 'x');
  EXPECT_EQ(test::http(server->port(), "GET", path).status, 200);
  HttpClient one(server->port()), two(server->port()), three(server->port());
  for (HttpClient *each : {&one, &two, &three})
    EXPECT_EQ(each->request("GET", "/healthz").status, 200);
  EXPECT_EQ(three.request("GET", path).status, 431);
}

TEST(HttpServer, BoundsHeaderAndBody) {
  const auto server = started({.max_header_bytes = 1024, .max_body_bytes = 1000});
  EXPECT_EQ(test::http(server->port(), "GET", "/" + std::string(2000, 'x')).status, 431);
  EXPECT_EQ(test::http(server->port(), "POST", "/", "", std::string(1001, 'x')).status, 413);
  EXPECT_EQ(test::http(server->port(), "POST", "/", "", std::string(1000, 'x')).status, 200);
  HttpClient chunked(server->port());
  chunked.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.receive().body, "POST /\nabc");
  HttpClient older(server->port());
  older.send(
      "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(older.receive().status, 400);
  HttpClient waits(server->port());
  waits.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: "
      "100-continue\r\nContent-Length: 2\r\n\r\n");
  waits.send("ok");
  EXPECT_EQ(waits.receive().body, "POST /\nok");
  HttpClient garbage(server->port());
  garbage.send("this is no request\r\n\r\n");
  EXPECT_EQ(garbage.receive().status, 400);
}

TEST(HttpServer, ClosesSilentConnections) {
  const auto server = started({.timeout_ms = 300});
  HttpClient slow(server->port());
  slow.send("GET / HT");
  EXPECT_TRUE(slow.closed());
  HttpClient dripping(server->port());
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    dripping.send("G");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(dripping.closed());
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(15));
}

TEST(HttpServer, HalfRequestsGiveWay) {
  const auto server = started({.max_connections = 8});
  HttpClient keeps(server->port());
  EXPECT_EQ(keeps.request("GET", "/").status, 200);
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<HttpClient>(server->port()));
    slow.back()->send("GET / HTTP/1.1\r\nHost: loc");
    EXPECT_EQ(test::http(server->port(), "GET", "/healthz").status, 200) << i;
  }
  EXPECT_TRUE(slow.front()->closed());
}

TEST(HttpServer, RefusesMoreThanItCanHold) {
  std::atomic<bool> free{false};
  std::atomic<int> seen{0};
  const auto wait = [&free](const Request &request) {
    while (!free) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return echo(request);
  };
  const auto count = [&seen](const Request &request) {
    ++seen;
    return anybody(request);
  };
  const auto server = started(
      {.workers = 1, .max_requests_of_caller = 2, .max_body_bytes = 1000, .max_bodies_bytes = 4000},
      wait, count);
  const auto wait_for = [&seen](int number) {
    while (seen < number) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const std::string half = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n";
  HttpClient one(server->port()), two(server->port());
  one.send(half + std::string(900, 'x'));
  wait_for(1);
  two.send(half + "x");
  wait_for(2);
  const HttpAnswer third = test::http(server->port(), "GET", "/");
  EXPECT_EQ(third.status, 503) << "the third of one caller: " << third.body;
  EXPECT_EQ(third.header("retry-after"), "1");
  free = true;
  EXPECT_EQ(one.receive().status, 200);
  two.send(std::string(899, 'x'));
  EXPECT_EQ(two.receive().status, 200);
  EXPECT_EQ(one.request("GET", "/").status, 200);
}

// Each token names the caller, as far as the test goes.
Expected<Caller, Response> by_name(const Request &request) {
  const std::string *name = request.header("authorization");
  return Caller{name == nullptr ? "anybody" : *name, store::Trust::kStandard, true};
}

TEST(HttpServer, BodiesTogetherAreBounded) {
  std::atomic<bool> free{false};
  std::atomic<int> inside{0};
  const auto wait = [&](const Request &request) {
    ++inside;
    while (!free) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return echo(request);
  };
  const auto server =
      started({.workers = 8, .max_body_bytes = 1000, .max_bodies_bytes = 2000}, wait, by_name);
  const auto sent = [&](std::string_view who, std::size_t size) {
    auto client = std::make_unique<HttpClient>(server->port());
    client->send("POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + std::string(who) +
                 "\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
                 std::string(size, 'x'));
    return client;
  };
  const auto held = [&](std::string_view who, std::size_t size) {
    const int before = inside;
    auto client = sent(who, size);
    while (inside == before) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return client;
  };
  const auto one = held("one", 900);
  EXPECT_EQ(sent("one", 101)->receive().status, 503) << "one caller has half";
  const auto again = held("one", 100);
  const auto two = held("two", 600);
  const auto three = held("three", 300);
  EXPECT_EQ(sent("four", 101)->receive().status, 503) << "all together";
  // A body that does not say its length is refused where it does not fit any more.
  HttpClient chunked(server->port());
  chunked.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
               std::string(101, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 503);
  const auto last = held("four", 100);
  free = true;
  for (const auto *client : {&one, &again, &two, &three, &last})
    EXPECT_EQ((*client)->receive().status, 200);
  int status = 503;  // until what was held is given back
  while (status == 503) status = sent("four", 1000)->receive().status;
  EXPECT_EQ(status, 200);
}

TEST(HttpServer, BodiesThatAreOnlyBegunTakeNothing) {
  std::atomic<int> seen{0};
  const auto count = [&seen](const Request &request) {
    ++seen;
    return by_name(request);
  };
  const auto server = started({.max_body_bytes = 1000, .max_bodies_bytes = 2400}, echo, count);
  std::vector<std::unique_ptr<HttpClient>> begun;
  for (int i = 0; i < 20; ++i) {
    begun.push_back(std::make_unique<HttpClient>(server->port()));
    begun.back()->send(i % 2 == 0 ? "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                                    "1000\r\n\r\nx"
                                  : "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
                                    "chunked\r\n\r\n3e8\r\nx");
  }
  while (seen < 20) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(test::http(server->port(), "POST", "/", "", std::string(900, 'x')).status, 200);
  begun.front()->send(std::string(999, 'x'));
  EXPECT_EQ(begun.front()->receive().status, 200);
}

TEST(HttpServer, CallersTakeTurns) {
  std::atomic<bool> free{false};
  std::atomic<int> inside{0};
  const auto wait = [&](const Request &request) {
    if (request.path != "/wait") return echo(request);
    ++inside;
    while (!free) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return echo(request);
  };
  auto server = started({.workers = 3}, wait, by_name);
  const auto sent = [&](std::string_view who, std::string_view path) {
    auto client = std::make_unique<HttpClient>(server->port());
    client->send("GET " + std::string(path) +
                 " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + std::string(who) + "\r\n\r\n");
    return client;
  };
  std::vector<std::unique_ptr<HttpClient>> greedy;
  for (int i = 0; i < 30; ++i) greedy.push_back(sent("greedy", "/wait"));
  while (inside < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sent("other", "/")->receive().body, "GET /\n");
  EXPECT_EQ(inside, 2) << "the last place is for who has none";
  const auto other = sent("other", "/wait");
  while (inside < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto third = sent("third", "/");
  free = true;
  EXPECT_EQ(third->receive().status, 200);
  EXPECT_EQ(other->receive().status, 200);
  for (const auto &client : greedy) EXPECT_EQ(client->receive().status, 200);
}

TEST(HttpServer, WhatWaitsForItsTurnIsToldOfTheEnd) {
  std::atomic<bool> free{false};
  std::atomic<int> inside{0};
  std::atomic<int> seen{0};
  auto server = started(
      {.workers = 1},
      [&](const Request &request) {
        ++inside;
        while (!free) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return echo(request);
      },
      [&seen](const Request &request) {
        ++seen;
        return anybody(request);
      });
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  HttpClient runs(server->port()), waits(server->port());
  runs.send(request);
  while (inside < 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  waits.send(request);
  while (seen < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::thread ends([&] { server->stop(); });
  EXPECT_EQ(waits.receive().status, 503);
  free = true;
  EXPECT_EQ(runs.receive().status, 200);
  ends.join();
}

TEST(HttpTurns, TheOldestOfEachInTurn) {
  http::Turns<std::string> turns(2);
  EXPECT_FALSE(turns.next());
  for (const std::string job : {"a1", "a2", "a3", "b1", "c1", "b2"})
    turns.wait(job.substr(0, 1), job);
  EXPECT_EQ(turns.next(), "a1");
  EXPECT_EQ(turns.next(), "b1") << "the last place is not for a";
  EXPECT_FALSE(turns.next());
  turns.done("a");
  EXPECT_EQ(turns.next(), "c1");
  turns.done("b");
  EXPECT_EQ(turns.next(), "a2");
  turns.done("c");
  EXPECT_EQ(turns.next(), "b2");
  turns.done("b");
  EXPECT_FALSE(turns.next()) << "a has one, and the last is for another";
  EXPECT_EQ(turns.take_waiting(), std::vector<std::string>{"a3"});
  turns.done("a");
  EXPECT_FALSE(turns.next());
}

TEST(HttpTurns, OnePlaceIsEverybodys) {
  http::Turns<int> turns(1);
  turns.wait("a", 1);
  turns.wait("a", 2);
  EXPECT_EQ(turns.next(), 1);
  EXPECT_FALSE(turns.next());
  turns.done("a");
  EXPECT_EQ(turns.next(), 2);
}

TEST(HttpServer, NoBodyIsReadOfWhoMayNotComeIn) {
  const auto refuse = [](const Request &request) -> Expected<Caller, Response> {
    EXPECT_EQ(request.path, "/p");
    return Unexpected(http::problem(401, "no"));
  };
  const auto server = started({}, echo, refuse);
  HttpClient client(server->port());
  client.send("POST /p HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx");
  EXPECT_EQ(client.receive().status, 401);
  EXPECT_TRUE(client.closed());
}

TEST(HttpServer, ListensAtASocketOfOneAccount) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/s";
  {
    const auto server = started({.socket = path});
    EXPECT_EQ(server->port(), 0);
    const auto info = system_files().info(path);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->permissions, 0600u);
    HttpClient client(path);
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(client.request("GET", "/a").body, "GET /a\n");
    EXPECT_EQ(http::Server::start({.socket = path}, anybody, echo).error().code, ErrorCode::kBusy);
  }
  EXPECT_FALSE(file_exists(system_files(), path));
  // What a killed server left is replaced; what is no socket is not.
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un at = test::socket_address(path);
  ASSERT_EQ(::bind(left, reinterpret_cast<sockaddr *>(&at), sizeof at), 0);
  ::close(left);
  { const auto server = started({.socket = path}); }
  ASSERT_TRUE(replace_file(system_files(), path, "text"));
  EXPECT_EQ(http::Server::start({.socket = path}, anybody, echo).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(
      http::Server::start({.socket = "/" + std::string(200, 'x')}, anybody, echo).error().code,
      ErrorCode::kInvalidArgument);
}

TEST(HttpServer, RunsRequestsSideBySide) {
  std::atomic<int> inside{0};
  std::atomic<bool> together{false};
  const auto server = started({.workers = 3}, [&](const Request &request) {
    ++inside;
    for (int i = 0; i < 500 && !together; ++i) {
      if (inside == 2) together = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return echo(request);
  });
  std::thread other([&] { test::http(server->port(), "GET", "/1"); });
  EXPECT_EQ(test::http(server->port(), "GET", "/2").status, 200);
  other.join();
  EXPECT_TRUE(together);
}

TEST(HttpServer, EndsAfterWhatRuns) {
  std::atomic<bool> running{false};
  auto server = started({}, [&](const Request &request) {
    running = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return echo(request);
  });
  const std::uint16_t port = server->port();
  HttpClient idle(port);
  ASSERT_TRUE(idle.connected());
  int status = 0;
  std::thread client([&] { status = test::http(port, "GET", "/").status; });
  HttpClient halfway(port);
  halfway.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nab");
  while (!running) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto before = std::chrono::steady_clock::now();
  server->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
  EXPECT_TRUE(halfway.closed());
  client.join();
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(idle.closed());
  EXPECT_FALSE(HttpClient(port).connected());
  server->stop();
}

TEST(HttpMessage, DecodesForms) {
  const auto form = http::decode_form("a=1&b=x+y%2B&c&=d&%C3%A9=%E2%82%AC&&a=2");
  ASSERT_TRUE(form.has_value());
  const http::Fields wanted = {{"a", "1"}, {"b", "x y+"}, {"c", ""},
                               {"", "d"},  {"é", "€"},    {"a", "2"}};
  EXPECT_EQ(*form, wanted);
  EXPECT_FALSE(http::decode_form("a=%4").has_value());
  EXPECT_FALSE(http::decode_form("a=%zz").has_value());
  EXPECT_FALSE(http::decode_form("a=%ff").has_value());
  EXPECT_EQ(http::decode_percent("a+b%20c", false), "a+b c");
}

TEST(HttpMessage, ChoosesTheMediaTypeThatIsWantedMost) {
  const std::vector<std::string_view> offered = {"text/turtle", "application/n-triples",
                                                 "text/csv"};
  const auto chosen = [&](std::string_view accept) {
    return http::choose_media_type(accept, offered);
  };
  EXPECT_EQ(chosen(""), 0u);
  EXPECT_EQ(chosen("*/*"), 0u);
  EXPECT_EQ(chosen("application/n-triples"), 1u);
  EXPECT_EQ(chosen("text/*;q=0.5, application/n-triples;q=0.4"), 0u);
  EXPECT_EQ(chosen("text/turtle;q=0.1, text/csv"), 2u);
  EXPECT_EQ(chosen("text/turtle;q=0, */*;q=0.1"), 1u);
  EXPECT_EQ(chosen("TEXT/CSV ; charset=utf-8 ; q=1"), 2u);
  EXPECT_EQ(chosen("image/png"), std::string_view::npos);
  EXPECT_EQ(chosen("text/csv;q=x"), std::string_view::npos);
  EXPECT_EQ(http::media_type_of(" Text/Turtle ; charset=utf-8"), "text/turtle");
  EXPECT_TRUE(http::has_other_charset("text/turtle; charset=iso-8859-1"));
  EXPECT_FALSE(http::has_other_charset("text/turtle; charset=\"UTF-8\""));
}

}  // namespace
}  // namespace anima::serve::http_server_test
