// Messages of the Model Context Protocol as a client meets them: what a server sends is read here,
// whatever it is, and what goes to it is made here.
//
// A server is a program of somebody else. Every reader bounds bytes, depth and counts, and ends
// with a value or an error that says what was wrong; text of a server that goes into an error is
// shortened and holds no control characters. Thread-safety: pure functions; a MessageLines belongs
// to one thread. Source: MCP 2025-11-25 and 2026-07-28 (base protocol, tools); JSON-RPC 2.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "tools/mcp/server_tool.h"

namespace anima::tools::mcp {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxTools = 512;                       // of one server
inline constexpr std::size_t kMaxListBytes = std::size_t{1} << 20;  // of all its definitions

// Codes of JSON-RPC errors.
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;

struct Message {
  enum class Kind : std::uint8_t { kResult, kError, kRequest, kNotification };
  Kind kind = Kind::kNotification;
  Json id;             // null for a notification
  std::string method;  // of a request or notification
  Json body;           // the result, the parameters (an object), or the error
};
// Errors: kSyntax, kLimitExceeded; kCorrupt (no message of JSON-RPC 2.0).
Result<Message> read_message(std::string_view text);

// What an error answer says, as an Error of ours: kInvalidArgument where the server blames the
// arguments, kUnsupported where it does not know the method, else kIo.
Error server_error(const Json& error);
// Text of a server, short and on one line.
std::string server_text(std::string_view text);

Json request(std::int64_t id, std::string_view method, Json params);
Json notification(std::string_view method, Json params);
Json answer(const Json& id, Json result);
Json refusal(const Json& id, int code, std::string_view message);

// A page of tools/list. Errors: kCorrupt (no list, a tool without a name or schema),
// kLimitExceeded.
struct ToolPage {
  std::vector<ServerTool> tools;
  std::string next;  // empty: the last page
};
Result<ToolPage> read_tool_page(const Json& result);

// What tools/call answered: {"text": .., "structured"?: .., "others"?: [..]}: texts joined by line
// ends, the structured content as it is, and what is neither by kind and size. An answer that says
// of itself that it failed is an error with that text. Errors: kCorrupt (no such answer), kIo.
Result<Json> read_call_result(const Json& result);

// Lines of a stream, one message each. A line of more than kMaxMessageBytes is an error, after
// which the stream is of no use.
class MessageLines {
 public:
  // Adds what has come. Errors: kLimitExceeded.
  Status feed(std::string_view bytes);
  // The next whole line that is not blank; nothing when there is none yet.
  std::optional<std::string> next();

 private:
  std::string held_;
  std::size_t begin_ = 0;     // of the line that comes next
  std::size_t searched_ = 0;  // up to here it has no end
};

}  // namespace anima::tools::mcp
