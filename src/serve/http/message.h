// What a request asks and what is answered, without the wire. Plain values.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/ids.h"

namespace anima::serve::http {

class Outlet;

// In the order they came; a name may occur again.
using Fields = std::vector<std::pair<std::string, std::string>>;

// Who sends a request, as the server let him in.
struct Caller {
  std::string name;  // the author of what he writes
  store::Trust trust = store::Trust::kUntrusted;
  bool may_write = false;
  bool sees_approvals = false;  // calls of others that wait for the owner, too
  // Which token was shown, and since when there is that one: who had its name before is another
  // caller. Empty at the socket.
  std::string token = {};
  Timestamp since = {};

  bool operator==(const Caller&) const = default;
};

struct Request {
  std::string method;  // "GET"
  std::string path;    // decoded, without the query
  Fields parameters;   // of the query, decoded
  Fields headers;      // names in lower case
  std::string body;
  std::string id;            // that the client gave it, or the server
  std::string address;       // "http://HOST/PATH?QUERY" as the client wrote it
  std::string authority;     // "127.0.0.1:7411", where the server listens; empty at a socket
  bool wrong_query = false;  // its escapes do not decode
  Caller caller;

  // The first value of that name, or null.
  const std::string* header(std::string_view name) const;
};

struct Response {
  unsigned status = 200;
  std::string content_type = {};  // empty: there is no body
  std::string body = {};
  Fields headers = {};
  std::string route = {};  // its name in numbers: "/v1/memories/{id}"; few there are
  // The body goes on (outlet.h), and `rest`, where there is one, is what the worker does for it.
  std::shared_ptr<Outlet> outlet = {};
  std::function<void()> rest = {};
};

// "http:remember, request 3f2a": what undo and the audit call what a request does.
std::string act_name(std::string_view door, std::string_view request_id);

// "text/turtle" of "Text/Turtle; charset=utf-8".
std::string media_type_of(std::string_view content_type);
// Whether it says a character set that is not UTF-8.
bool has_other_charset(std::string_view content_type);

// Decodes %XX, and "+" as a blank where `form` is set; nullopt when an escape is wrong or the bytes
// are no UTF-8.
std::optional<std::string> decode_percent(std::string_view text, bool form);
// "a=b&c=d" of a query or an application/x-www-form-urlencoded body; nullopt likewise.
std::optional<Fields> decode_form(std::string_view text);

// Which of the media types offered the Accept header wants most (RFC 9110 12.5.1); the earlier one
// of equals. npos when it takes none of them. An empty header takes anything.
std::size_t choose_media_type(std::string_view accept,
                              const std::vector<std::string_view>& offered);

}  // namespace anima::serve::http
