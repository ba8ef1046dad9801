// A plain HTTP client over one socket of this machine, for tests of servers.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace anima::test {

struct HttpAnswer {
  int status = 0;       // 0: the connection ended without an answer
  std::string headers;  // as sent
  std::string body;

  std::string header(std::string_view name) const {
    std::string lower = headers;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    const std::size_t at = lower.find("\n" + std::string(name) + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 3;
    return headers.substr(begin, headers.find('\r', begin) - begin);
  }
};

inline sockaddr_un socket_address(const std::string &path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::strncpy(to.sun_path, path.c_str(), sizeof to.sun_path - 1);
  return to;
}

class HttpClient {
 public:
  // At a socket in a folder.
  explicit HttpClient(const std::string &path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un to = socket_address(path);
    set_limit();
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr *>(&to), sizeof to) == 0;
  }
  explicit HttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    set_limit();
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr *>(&to), sizeof to) == 0;
  }
  ~HttpClient() { ::close(socket_); }
  HttpClient(const HttpClient &) = delete;
  HttpClient &operator=(const HttpClient &) = delete;

  bool connected() const { return connected_; }
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Reads one answer; of a HEAD request it has no body.
  HttpAnswer receive(bool head = false) {
    HttpAnswer answer;
    std::size_t end = 0;
    while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return answer;
    }
    answer.headers = read_.substr(0, end + 2);
    read_.erase(0, end + 4);
    answer.status = std::atoi(answer.headers.c_str() + 9);
    if (answer.status == 100) return receive(head);
    const std::string length = answer.header("content-length");
    const std::size_t size = head || length.empty() ? 0 : std::strtoul(length.c_str(), nullptr, 10);
    while (read_.size() < size && more()) {
    }
    answer.body = read_.substr(0, size);
    read_.erase(0, size);
    return answer;
  }
  // The header of an answer that goes on, without its body; of another answer all of it.
  HttpAnswer receive_head() {
    HttpAnswer answer;
    std::size_t end = 0;
    while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return answer;
    }
    answer.headers = read_.substr(0, end + 2);
    answer.status = std::atoi(answer.headers.c_str() + 9);
    if (answer.header("transfer-encoding") != "chunked") return receive();
    read_.erase(0, end + 4);
    return answer;
  }
  // Adds the next piece of a chunked body; false: that was all, or the connection ended.
  bool receive_chunk(std::string &text) {
    std::size_t line = 0;
    while ((line = read_.find("\r\n")) == std::string::npos) {
      if (!more()) return false;
    }
    const std::size_t size = std::strtoul(read_.c_str(), nullptr, 16);
    while (read_.size() < line + 2 + size + 2) {
      if (!more()) return false;
    }
    text += read_.substr(line + 2, size);
    read_.erase(0, line + 2 + size + 2);
    return size > 0;
  }
  // Whether the other side has closed the connection.
  bool closed() { return !more(); }

  HttpAnswer request(std::string_view method, std::string_view target,
                     std::string_view headers = "", std::string_view body = "") {
    std::string text = std::string(method) + " " + std::string(target) +
                       " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers);
    if (!body.empty() || method == "POST" || method == "PUT") {
      text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    send(text + "\r\n" + std::string(body));
    return receive(method == "HEAD");
  }

 private:
  void set_limit() {
    const timeval limit{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  bool more() {
    char piece[4096];
    const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
    if (got <= 0) return false;
    read_.append(piece, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string read_;
};

// One request on a connection of its own.
inline HttpAnswer http(std::uint16_t port, std::string_view method, std::string_view target,
                       std::string_view headers = "", std::string_view body = "") {
  HttpClient client(port);
  return client.request(method, target, headers, body);
}

}  // namespace anima::test
