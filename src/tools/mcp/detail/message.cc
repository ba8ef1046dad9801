#include "tools/mcp/detail/message.h"

#include <algorithm>
#include <set>

#include "base/json/json_member.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "tools/detail/arguments.h"

namespace anima::tools::mcp {
namespace {

constexpr std::size_t kMostErrorBytes = 500;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMaxResultBytes = std::size_t{1} << 20;

Unexpected<Error> no_message(std::string_view why) {
  return fail(ErrorCode::kCorrupt,
              "the server sent no message of JSON-RPC 2.0: " + std::string(why));
}

bool is_id(const Json& id) { return id.is_string() || id.is_integer(); }

Result<Message> read_answer(const Json& json, const Json* id) {
  const Json* result = json.find("result");
  const Json* error = json.find("error");
  if ((result == nullptr) == (error == nullptr))
    return no_message("an answer has either a result or an error");
  Message message;
  message.id = id == nullptr ? Json() : *id;
  message.kind = error != nullptr ? Message::Kind::kError : Message::Kind::kResult;
  message.body = error != nullptr ? *error : *result;
  if (!message.body.is_object()) return no_message("a result or an error is an object");
  if (message.kind == Message::Kind::kResult && !is_id(message.id))
    return no_message("an answer names its request");
  return message;
}

// What a part of an answer is that is no text: its kind, and how large.
Json told_of(const Json& part) {
  Json told = Json::object({{"type", server_text(text_member(part, "type"))}});
  for (const char* name : {"mimeType", "uri", "name"}) {
    const std::string text = text_member(part, name);
    if (!text.empty()) told.set(name, server_text(text));
  }
  for (const char* name : {"data", "blob"}) {
    if (const Json* data = part.find(name); data != nullptr && data->is_string())
      told.set("base64_bytes", static_cast<std::int64_t>(data->as_string().size()));
  }
  return told;
}

void add_text(std::string& all, std::string_view text) {
  if (!all.empty()) all += '\n';
  all += text;
}

}  // namespace

std::string server_text(std::string_view text) {
  std::string out = valid_text(text.substr(0, 4 * kMostErrorBytes));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  const std::string_view cut = detail::cut_at_character(trim(out), kMostErrorBytes);
  return std::string(cut) + (cut.size() < trim(out).size() ? ".." : "");
}

Result<Message> read_message(std::string_view text) {
  auto json = parse_json(text, {.max_depth = kMaxDepth, .max_bytes = kMaxMessageBytes});
  if (!json) {
    Error error = json.error();
    error.message = "the server sent a line that is no JSON: " + server_text(error.message);
    return fail(std::move(error));
  }
  if (!json->is_object()) return no_message("it is no object");
  if (text_member(*json, "jsonrpc") != "2.0") return no_message("\"jsonrpc\" is not \"2.0\"");
  const Json* id = json->find("id");
  if (id != nullptr && !is_id(*id) && !id->is_null()) return no_message("its id is no id");
  const Json* method = json->find("method");
  if (method == nullptr) return read_answer(*json, id);
  Message message;
  if (!method->is_string()) return no_message("a method is a text");
  message.method = method->as_string();
  message.kind = id == nullptr ? Message::Kind::kNotification : Message::Kind::kRequest;
  if (id != nullptr) message.id = *id;
  if (const Json* params = json->find("params"); params != nullptr && params->is_object()) {
    message.body = *params;
  } else {
    message.body = Json::object();
  }
  return message;
}

Error server_error(const Json& error) {
  const Json* code = error.find("code");
  const bool arguments =
      code != nullptr && code->is_integer() && code->as_integer() == kInvalidParams;
  const std::string text = server_text(text_member(error, "message"));
  const bool unknown = code != nullptr && *code == Json(kMethodNotFound);
  return {arguments ? ErrorCode::kInvalidArgument
          : unknown ? ErrorCode::kUnsupported
                    : ErrorCode::kIo,
          "the server refused: " + (text.empty() ? std::string("it did not say why") : text),
          {},
          {}};
}

Json request(std::int64_t id, std::string_view method, Json params) {
  return Json::object(
      {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

Json notification(std::string_view method, Json params) {
  return Json::object({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

Json answer(const Json& id, Json result) {
  return Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

Json refusal(const Json& id, int code, std::string_view message) {
  return Json::object({{"jsonrpc", "2.0"},
                       {"id", id},
                       {"error", Json::object({{"code", code}, {"message", message}})}});
}

Result<ToolPage> read_tool_page(const Json& result) {
  const Json* list = result.find("tools");
  if (list == nullptr || !list->is_array())
    return fail(ErrorCode::kCorrupt, "the server's answer to tools/list has no list of tools");
  if (list->as_array().size() > kMaxTools) {
    return fail(ErrorCode::kLimitExceeded,
                "the server lists more than " + std::to_string(kMaxTools) + " tools");
  }
  ToolPage page;
  std::set<std::string, std::less<>> names;
  for (const Json& each : list->as_array()) {
    ANIMA_ASSIGN(ServerTool tool, ServerTool::from_json(each));
    if (tool.name.size() > kMaxNameBytes)
      return fail(ErrorCode::kLimitExceeded,
                  "a tool of the server has a name of more than 128 bytes");
    if (!names.insert(tool.name).second) {
      return fail(ErrorCode::kCorrupt, "the server lists a tool twice", server_text(tool.name));
    }
    page.tools.push_back(std::move(tool));
  }
  page.next = text_member(result, "nextCursor");
  return page;
}

Result<Json> read_call_result(const Json& result) {
  const Json* content = result.find("content");
  const Json* structured = result.find("structuredContent");
  if (content != nullptr && !content->is_array())
    return fail(ErrorCode::kCorrupt, "the server's answer to tools/call has no list of content");
  if (content == nullptr && structured == nullptr)
    return fail(ErrorCode::kCorrupt, "the server's answer to tools/call has no content");
  const std::string kind = text_member(result, "resultType");
  if (!kind.empty() && kind != "complete") {
    return fail(ErrorCode::kUnsupported, "the server asks for more (" + server_text(kind) +
                                             "), which tools here cannot give");
  }
  std::string text;
  Json others = Json::array();
  for (const Json& part : content == nullptr ? JsonArray() : content->as_array()) {
    const Json* resource = part.find("resource");
    const Json& held = resource != nullptr && resource->is_object() ? *resource : part;
    if (const Json* words = held.find("text"); words != nullptr && words->is_string()) {
      add_text(text, words->as_string());
    } else {
      Json told = told_of(held);
      if (resource != nullptr) told.set("type", "resource");
      others.push_back(std::move(told));
    }
  }
  if (const Json* failed = result.find("isError"); failed != nullptr && failed->as_bool()) {
    const std::string why = server_text(text);
    return fail(ErrorCode::kIo,
                "the tool failed: " + (why.empty() ? std::string("it did not say why") : why));
  }
  if (text.size() > kMaxResultBytes) {
    text = detail::cut_at_character(text, kMaxResultBytes);
    others.push_back(Json::object(
        {{"type", "cut"}, {"text_bytes", static_cast<std::int64_t>(kMaxResultBytes)}}));
  }
  Json read = Json::object({{"text", std::move(text)}});
  if (structured != nullptr) read.set("structured", *structured);
  if (!others.as_array().empty()) read.set("others", std::move(others));
  return read;
}

Status MessageLines::feed(std::string_view bytes) {
  held_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  held_.append(bytes);
  if (held_.size() > kMaxMessageBytes && held_.find('\n', searched_) == std::string::npos) {
    held_.clear();
    searched_ = 0;
    return fail(ErrorCode::kLimitExceeded, "the server sent a message of more than " +
                                               std::to_string(kMaxMessageBytes >> 20) + " MiB");
  }
  return {};
}

std::optional<std::string> MessageLines::next() {
  for (;;) {
    const std::size_t end = held_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = held_.size();
      return std::nullopt;
    }
    std::string line = held_.substr(begin_, end - begin_);
    begin_ = searched_ = end + 1;
    if (!trim(line).empty()) return line;
  }
}

}  // namespace anima::tools::mcp
