#include "serve/mcp_protocol.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json/json_member.h"
#include "base/trace/trace.h"
#include "serve/otlp/mcp_span.h"

namespace anima::serve {
namespace {

constexpr const char* kModern = "2026-07-28";
constexpr std::array kLegacy = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr const char* kWithBatches = "2025-03-26";
constexpr std::string_view kCapabilitiesMember = "io.modelcontextprotocol/clientCapabilities";
constexpr std::array kCacheable = {"server/discover",          "tools/list",     "resources/list",
                                   "resources/templates/list", "resources/read", "prompts/list"};

Json response_to(const Json* id) {
  return Json::object({{"jsonrpc", "2.0"}, {"id", id == nullptr ? Json() : *id}});
}

bool is_rpc_id(const Json& id) { return id.is_string() || id.is_number(); }

// An answer to something that was asked of the client: no request of his.
bool is_answer(const Json& message) {
  return message.is_object() && message.find("method") == nullptr &&
         (message.find("result") != nullptr || message.find("error") != nullptr);
}

bool is_message(const Json& message) {
  const Json* method = message.find("method");
  const Json* id = message.find("id");
  return message.is_object() && method != nullptr && method->is_string() &&
         text_member(message, "jsonrpc") == "2.0" && (id == nullptr || is_rpc_id(*id));
}

// Notes the era of a request; false: it failed.
bool read_era(McpCall& call, const Json& message) {
  const Json* version = mcp_meta(message, kMcpVersionMember);
  if (version == nullptr) return true;
  call.modern = true;
  const Json* capabilities = mcp_meta(message, kCapabilitiesMember);
  if (!version->is_string()) {
    call.fail(kInvalidParams, "the protocol version must be a string");
  } else if (version->as_string() != kModern) {
    call.fail(kUnsupportedVersion,
              "the protocol version " + version->as_string() + " is not spoken here",
              Json::object({{"supported", Json::array({kModern})}, {"requested", *version}}));
  } else if (capabilities == nullptr || !capabilities->is_object()) {
    call.fail(kInvalidParams, "_meta needs " + std::string(kCapabilitiesMember));
  }
  return call.error_code == 0;
}

}  // namespace

const Json* mcp_meta(const Json& message, std::string_view member) {
  const Json* params = message.find("params");
  const Json* meta = params == nullptr ? nullptr : params->find("_meta");
  return meta == nullptr ? nullptr : meta->find(member);
}

Json rpc_error(const Json* id, int code, std::string message, Json data) {
  Json error = Json::object({{"code", code}, {"message", std::move(message)}});
  if (!data.is_null()) error.set("data", std::move(data));
  Json answer = response_to(id);
  answer.set("error", std::move(error));
  return answer;
}

Json rpc_parse_error(const std::string& why) {
  return rpc_error(nullptr, kParseError, "no JSON: " + why);
}

Json rpc_too_long(std::size_t most_bytes, const std::optional<Json>& id) {
  return rpc_error(id ? &*id : nullptr, kInvalidRequest,
                   "the message is longer than " + std::to_string(most_bytes) +
                       " bytes, and none of it was read: send less at a time, or "
                       "`anima import` a file",
                   Json::object({{"maxBytes", static_cast<std::uint64_t>(most_bytes)}}));
}

bool is_mcp_cancellation(const Json& message) {
  const Json* params = message.find("params");
  const Json* request = params == nullptr ? nullptr : params->find("requestId");
  return text_member(message, "method") == "notifications/cancelled" &&
         message.find("id") == nullptr && request != nullptr && is_rpc_id(*request);
}

bool overtakes_mcp(const Json& message) {
  return is_mcp_cancellation(message) ||
         (text_member(message, "method") == "ping" && message.find("id") != nullptr);
}

// A batch may hold anything. What comes behind `initialize` may depend on what it agreed upon.
Needs mcp_needs(const Json& message,
                const std::function<Needs(std::string_view, const Json&)>& of_tool) {
  if (message.is_array()) return {Needs::Order::kWrite, true};
  const std::string method = text_member(message, "method");
  if (method == "initialize") return {Needs::Order::kWrite, false};
  if (method != "tools/call") return {};
  const Json* params = message.find("params");
  const Json* arguments = params == nullptr ? nullptr : params->find("arguments");
  return of_tool(params == nullptr ? "" : text_member(*params, "name"),
                 arguments == nullptr ? Json() : *arguments);
}

bool mcp_version_is_modern(std::string_view version) { return version == kModern; }

std::optional<Json> mcp_meta_error(const Json& message) {
  McpCall call;
  if (mcp_meta(message, kMcpVersionMember) == nullptr)
    call.fail(kInvalidParams, "_meta needs " + std::string(kMcpVersionMember));
  else
    read_era(call, message);
  if (call.error_code == 0) return std::nullopt;
  return rpc_error(message.find("id"), call.error_code, call.error_message, call.error_data);
}

bool mcp_version_has_sessions(std::string_view version) {
  return std::ranges::find(kLegacy, version) != kLegacy.end();
}

Json McpCall::fail(int code, std::string message, Json data) {
  error_code = code;
  error_message = std::move(message);
  error_data = std::move(data);
  return {};
}

const Json* McpCall::param(std::string_view key) const {
  return params == nullptr ? nullptr : params->find(key);
}

RunningCalls::Entry::Entry(RunningCalls& calls, const Json& id) : calls_(calls) {
  const std::string name = id.dump();
  const std::lock_guard lock(calls_.mutex_);
  at_ = calls_.running_.emplace(name, source_);
  const auto early = std::find(calls_.early_.begin(), calls_.early_.end(), name);
  if (early == calls_.early_.end()) return;
  calls_.early_.erase(early);
  source_.request_stop();
}

RunningCalls::Entry::~Entry() {
  const std::lock_guard lock(calls_.mutex_);
  calls_.running_.erase(at_);
}

void RunningCalls::cancel(const Json& id) {
  const std::string name = id.dump();
  const std::lock_guard lock(mutex_);
  const auto [first, last] = running_.equal_range(name);
  for (auto it = first; it != last; ++it) it->second.request_stop();
  if (first != last) return;
  early_.push_back(name);
  if (early_.size() > kMostEarly) early_.pop_front();
}

McpProtocol::McpProtocol(Server server, Dispatch dispatch)
    : server_(std::move(server)), dispatch_(std::move(dispatch)) {}

// A batch of notifications has no answer; one of nothing is no request (JSON-RPC 2.0, 6).
std::optional<Json> McpProtocol::handle_batch(const Json& messages) {
  JsonArray answers;
  for (const Json& message : messages.as_array()) {
    if (auto answer = handle(message)) answers.push_back(*std::move(answer));
  }
  if (answers.empty()) return std::nullopt;
  return Json(std::move(answers));
}

std::optional<Json> McpProtocol::handle(const Json& message) {
  if (message.is_array() && !message.as_array().empty() && takes_batches_)
    return handle_batch(message);
  if (is_answer(message)) return std::nullopt;
  if (!is_message(message))
    return rpc_error(nullptr, kInvalidRequest, "this is no JSON-RPC 2.0 request");
  const Json* id = message.find("id");
  if (id == nullptr) {  // a notification
    if (is_mcp_cancellation(message)) running_.cancel(*message.find("params")->find("requestId"));
    return std::nullopt;
  }
  const Json* params = message.find("params");
  if (params != nullptr && params->is_null()) params = nullptr;
  if (params != nullptr && !params->is_object())
    return rpc_error(id, kInvalidParams, "params must be an object");
  const RunningCalls::Entry running(running_, *id);
  McpCall call;
  call.id = id;
  call.method = text_member(message, "method");
  call.params = params;
  call.stop = running.stop();
  if (call.stop.stop_requested()) return std::nullopt;
  if (!read_era(call, message))
    return rpc_error(id, call.error_code, call.error_message, call.error_data);
  return traced(call, message);
}

// A span of the conventions for MCP, within that of the client where it sent one.
std::optional<Json> McpProtocol::traced(McpCall& call, const Json& message) {
  Span span = span_of_mcp(call, message, server_.transport);
  const TraceScope scope(span);
  auto answer = this->answer(call);
  const char* const agreed = call.modern ? kModern : version_.load();
  if (agreed != nullptr) span.set("mcp.protocol.version", agreed);
  tell_mcp_answer(span, call, answer);
  return answer;
}

std::optional<Json> McpProtocol::answer(McpCall& call) {
  Json result = result_of(call);
  if (call.stop.stop_requested()) return std::nullopt;  // nobody waits for it any more
  if (call.error_code != 0)
    return rpc_error(call.id, call.error_code, call.error_message, call.error_data);
  if (call.modern) {
    result.set("resultType", "complete");
    if (std::ranges::find(kCacheable, call.method) != kCacheable.end()) {
      result.set("ttlMs", server_.list_ttl_ms);
      result.set("cacheScope", "private");
    }
    const Json about = Json::object({{"name", server_.name}, {"version", server_.version}});
    result.set("_meta", Json::object({{"io.modelcontextprotocol/serverInfo", about}}));
  }
  Json answer = response_to(call.id);
  answer.set("result", std::move(result));
  return answer;
}

Json McpProtocol::result_of(McpCall& call) {
  if (call.method == "server/discover") {
    if (!call.modern)
      return call.fail(kInvalidParams, "_meta needs " + std::string(kMcpVersionMember));
    Json result = Json::object({{"supportedVersions", Json::array({kModern})}});
    const Json about = about_server();
    for (const auto& [key, value] : about.as_object()) result.set(key, value);
    return result;
  }
  if (!call.modern && call.method == "initialize") return initialize(call);
  if (!call.modern && call.method == "ping") return Json::object();
  return dispatch_(call);
}

Json McpProtocol::about_server() const {
  Json about = Json::object({{"capabilities", server_.capabilities}});
  if (!server_.instructions.empty()) about.set("instructions", server_.instructions);
  return about;
}

Json McpProtocol::initialize(const McpCall& call) {
  const Json* asked = call.param("protocolVersion");
  const auto* const known =
      std::ranges::find(kLegacy, asked == nullptr ? std::string() : asked->as_string());
  const char* const version = known == kLegacy.end() ? kLegacy[0] : *known;
  version_ = version;
  takes_batches_ = std::string_view(version) == kWithBatches;
  Json result = about_server();
  result.set("protocolVersion", version);
  result.set("serverInfo",
             Json::object(
                 {{"name", server_.name}, {"title", server_.title}, {"version", server_.version}}));
  return result;
}

}  // namespace anima::serve
