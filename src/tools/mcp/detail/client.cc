#include "tools/mcp/detail/client.h"

#include <algorithm>
#include <set>

#include "base/json/json_member.h"
#include "base/version.h"

namespace anima::tools::mcp {
namespace {

constexpr std::string_view kNewestWithSession = "2025-11-25";
constexpr std::string_view kStateless = "2026-07-28";
constexpr std::string_view kOlder[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::size_t kMaxPages = 64;

Json ourselves() {
  return Json::object({{"name", "anima"}, {"title", "Anima"}, {"version", std::string(version())}});
}

void add_era(Json& params) {
  params.set("_meta", Json::object({{"io.modelcontextprotocol/protocolVersion", kStateless},
                                    {"io.modelcontextprotocol/clientCapabilities", Json::object()},
                                    {"io.modelcontextprotocol/clientInfo", ourselves()}}));
}

std::string progress_text(const Json& body) {
  const Json* done = body.find("progress");
  const Json* all = body.find("total");
  std::string text = done != nullptr && done->is_number() ? done->dump() : std::string();
  if (!text.empty() && all != nullptr && all->is_number()) text += " of " + all->dump();
  const std::string message = server_text(text_member(body, "message"));
  if (!message.empty()) text += (text.empty() ? "" : ": ") + message;
  return text;
}

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(std::unique_ptr<Transport> transport, Clock& clock,
                                                std::int64_t timeout_ms,
                                                const std::stop_token& stop) {
  std::unique_ptr<Client> client(new Client(std::move(transport), clock));
  ANIMA_TRY(client->greet(timeout_ms, stop));
  return client;
}

Status Client::greet(std::int64_t timeout_ms, const std::stop_token& stop) {
  auto said = request("initialize",
                      Json::object({{"protocolVersion", kNewestWithSession},
                                    {"capabilities", Json::object()},
                                    {"clientInfo", ourselves()}}),
                      timeout_ms, stop);
  if (!said && said.error().code == ErrorCode::kUnsupported)
    return greet_stateless(timeout_ms, stop);
  if (!said) return fail(said.error());
  server_.protocol = server_text(text_member(*said, "protocolVersion"));
  if (server_.protocol != kNewestWithSession &&
      std::ranges::find(kOlder, server_.protocol) == std::end(kOlder)) {
    return fail(ErrorCode::kUnsupported,
                "the server speaks a version of the protocol that is not known here: " +
                    (server_.protocol.empty() ? std::string("it names none") : server_.protocol));
  }
  if (const Json* info = said->find("serverInfo"); info != nullptr) {
    server_.name = server_text(text_member(*info, "name"));
    server_.version = server_text(text_member(*info, "version"));
  }
  transport_->speak(server_.protocol, false);
  return transport_->send(notification("notifications/initialized", Json::object()));
}

Status Client::greet_stateless(std::int64_t timeout_ms, const std::stop_token& stop) {
  stateless_ = true;
  server_.protocol = kStateless;
  transport_->speak(server_.protocol, true);
  ANIMA_ASSIGN(const Json said, request("server/discover", Json::object(), timeout_ms, stop));
  const Json* meta = said.find("_meta");
  const Json* info = meta == nullptr ? nullptr : meta->find("io.modelcontextprotocol/serverInfo");
  if (info != nullptr) {
    server_.name = server_text(text_member(*info, "name"));
    server_.version = server_text(text_member(*info, "version"));
  }
  return {};
}

Status Client::hear(const Message& message) {
  if (message.kind == Message::Kind::kRequest) {
    return transport_->send(
        message.method == "ping"
            ? answer(message.id, Json::object())
            : refusal(message.id, kMethodNotFound, "this client offers nothing to servers"));
  }
  if (message.kind != Message::Kind::kNotification) return {};
  if (message.method == "notifications/tools/list_changed") changed_ = true;
  if (message.method == "notifications/progress") progress_ = progress_text(message.body);
  return {};
}

Result<Json> Client::request(std::string_view method, Json params, std::int64_t timeout_ms,
                             const std::stop_token& stop) {
  const std::int64_t id = ++last_id_;
  if (stateless_) add_era(params);
  Json result;
  std::optional<Error> refused;
  const Deadline deadline(clock_, timeout_ms);
  const Status ended = transport_->exchange(
      mcp::request(id, method, std::move(params)), deadline, stop,
      [&](Message message) -> Result<bool> {
        const bool answers =
            message.kind == Message::Kind::kResult || message.kind == Message::Kind::kError;
        // An error without an id is about what could not be read: there is only ours.
        const bool ours = message.id == Json(id) ||
                          (message.kind == Message::Kind::kError && message.id.is_null());
        if (!answers || !ours) {
          ANIMA_TRY(hear(message));
          return false;
        }
        if (message.kind == Message::Kind::kError) refused = server_error(message.body);
        result = std::move(message.body);
        return true;
      });
  if (ended && refused) return fail(*refused);
  if (ended) return result;
  Error error = ended.error();
  if (error.code == ErrorCode::kTimeout || error.code == ErrorCode::kCancelled) {
    if (method != "initialize") {
      (void)transport_->send(notification(
          "notifications/cancelled",
          Json::object(
              {{"requestId", id},
               {"reason", error.code == ErrorCode::kTimeout ? "time is over" : "taken back"}})));
    }
    if (!progress_.empty()) error.message += "; it said last: " + progress_;
  }
  return fail(std::move(error));
}

Result<std::vector<ServerTool>> Client::list_tools(std::int64_t timeout_ms,
                                                   const std::stop_token& stop) {
  const Deadline deadline(clock_, timeout_ms);
  std::vector<ServerTool> tools;
  std::set<std::string, std::less<>> names;
  std::string cursor;
  std::size_t bytes = 0;
  for (std::size_t page = 0; page < kMaxPages; ++page) {
    Json params = Json::object();
    if (!cursor.empty()) params.set("cursor", cursor);
    ANIMA_ASSIGN(const Json said,
                 request("tools/list", std::move(params), deadline.left_ms(), stop));
    ANIMA_ASSIGN(ToolPage read, read_tool_page(said));
    for (ServerTool& tool : read.tools) {
      bytes += tool.to_json().dump().size();
      if (bytes > kMaxListBytes || tools.size() >= kMaxTools) {
        return fail(ErrorCode::kLimitExceeded, "the server's tools are more than " +
                                                   std::to_string(kMaxTools) +
                                                   ", or their definitions longer than 1 MiB");
      }
      if (!names.insert(tool.name).second)
        return fail(ErrorCode::kCorrupt, "the server lists a tool twice", server_text(tool.name));
      tools.push_back(std::move(tool));
    }
    if (read.next.empty()) {
      std::ranges::sort(tools, {}, &ServerTool::name);
      return tools;
    }
    cursor = std::move(read.next);
  }
  return fail(ErrorCode::kLimitExceeded, "the server's list of tools does not end");
}

Result<Json> Client::call(std::string_view tool, const Json& arguments, std::int64_t timeout_ms,
                          const std::stop_token& stop) {
  progress_.clear();
  Json params = Json::object({{"name", tool}, {"arguments", arguments}});
  if (!stateless_) params.set("_meta", Json::object({{"progressToken", last_id_ + 1}}));
  ANIMA_ASSIGN(const Json said, request("tools/call", std::move(params), timeout_ms, stop));
  return read_call_result(said);
}

Status Client::catch_up() {
  return transport_->drain([this](const Message& message) -> Result<bool> {
    ANIMA_TRY(hear(message));
    return false;
  });
}

}  // namespace anima::tools::mcp
