#include "serve/mcp_http/transport.h"

#include <memory>
#include <utility>

#include "base/json/json_member.h"
#include "serve/http/server.h"
#include "serve/mcp_progress.h"
#include "serve/message_id.h"

namespace anima::serve::mcp_http {
namespace {

using http::Response;

constexpr std::string_view kSessionHeader = "mcp-session-id";
constexpr std::string_view kVersionHeader = "mcp-protocol-version";
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostOvertaking = 4096;

Response rpc_answer(const Json& body, unsigned status = 200) {
  return {status, "application/json", body.dump(), {}};
}

Response refused(unsigned status, int code, std::string message, const Json* id = nullptr) {
  return rpc_answer(rpc_error(id, code, std::move(message)), status);
}

bool accepts(const http::Request& request, std::string_view type) {
  std::string accept;
  for (const auto& [name, value] : request.headers) {
    if (name == "accept") accept += (accept.empty() ? "" : ",") + value;
  }
  return http::choose_media_type(accept, {type}) == 0;
}

bool is_request(const Json& message) {
  return message.find("id") != nullptr && message.find("method") != nullptr;
}

// What a header of the era without sessions says otherwise than the body; empty: nothing.
std::string mismatch(const http::Request& request, const Json& message) {
  const auto differs = [&](std::string_view header, const std::string& body) {
    const std::string* said = request.header(header);
    return said == nullptr || *said != body;
  };
  const Json* version = mcp_meta(message, kMcpVersionMember);
  if (differs(kVersionHeader, version == nullptr ? "" : version->as_string()))
    return "MCP-Protocol-Version";
  const std::string method = text_member(message, "method");
  if (differs("mcp-method", method)) return "Mcp-Method";
  const Json* params = message.find("params");
  const bool named = method == "tools/call" || method == "prompts/get";
  if (params != nullptr && (named || method == "resources/read") &&
      differs("mcp-name", text_member(*params, named ? "name" : "uri")))
    return "Mcp-Name";
  return {};
}

// The status of an answer of the era without sessions.
unsigned status_of_answer(const Json& answer) {
  const Json* error = answer.find("error");
  const Json* code = error == nullptr ? nullptr : error->find("code");
  if (code == nullptr) return 200;
  return *code == Json(kMethodNotFound) ? 404 : 200;
}

}  // namespace

Transport::Transport(MemoryParts& parts, HouseTurn& turn, http::StreamKeeper& keeper,
                     TransportOptions options)
    : turn_(turn), keeper_(keeper), options_(std::move(options)), book_(parts, options_.sessions) {}

bool Transport::overtakes(const http::Request& request) {
  if (request.method != "POST" || request.body.size() > kMostOvertaking) return false;
  if (request.body.find("notifications/cancelled") == std::string::npos &&
      request.body.find("ping") == std::string::npos)
    return false;
  const auto message = parse_json(request.body);
  return message && overtakes_mcp(*message);
}

Response Transport::handle(const http::Request& request) {
  if (request.method == "POST") return post(request);
  if (request.method == "GET") return open_stream(request);
  if (request.method == "DELETE") return end(request);
  Response response = http::problem(405, "MCP takes GET, POST and DELETE");
  response.headers.emplace_back("Allow", "GET, POST, DELETE");
  return response;
}

Response Transport::post(const http::Request& request) {
  const std::string* type = request.header("content-type");
  if (type == nullptr || http::media_type_of(*type) != "application/json")
    return refused(415, kInvalidRequest, "a message is application/json");
  if (!accepts(request, "application/json") && !accepts(request, "text/event-stream"))
    return refused(406, kInvalidRequest, "an answer is application/json or text/event-stream");
  if (request.body.size() > kMostBytes) {
    MessageId found;
    found.feed(request.body);
    return rpc_answer(rpc_too_long(kMostBytes, found.id()), 413);
  }
  JsonLimits limits;
  limits.max_bytes = kMostBytes;
  const auto message = parse_json(request.body, limits);
  if (!message) return rpc_answer(rpc_parse_error(message.error().describe()), 400);
  const Json* id = message->find("id");
  const std::string* version = request.header(kVersionHeader);
  const bool names_version = mcp_meta(*message, kMcpVersionMember) != nullptr;
  if (names_version || (version != nullptr && mcp_version_is_modern(*version))) {
    const std::string header = names_version ? mismatch(request, *message) : "";
    if (!header.empty())
      return refused(400, kHeaderMismatch, header + " and the body do not agree", id);
    if (const auto error = mcp_meta_error(*message)) return rpc_answer(*error, 400);
    return answer(request, *message, book_.of_caller(request.caller));
  }
  if (text_member(*message, "method") == "initialize") return begin(request, *message);
  if (version != nullptr && !mcp_version_has_sessions(*version))
    return refused(
        400, kInvalidRequest,
        "the protocol version " + quote_json(*version) + " is not spoken here in sessions", id);
  const std::string* session = request.header(kSessionHeader);
  if (session == nullptr)
    return refused(400, kInvalidRequest, "the request names no session: begin with initialize", id);
  InUse found = book_.find(*session, request.caller);
  if (!found) return refused(404, kInvalidRequest, "there is no such session: begin anew", id);
  return answer(request, *message, std::move(found));
}

Response Transport::begin(const http::Request& request, const Json& message) {
  if (request.header(kSessionHeader) != nullptr)
    return refused(400, kInvalidRequest, "a session is there already", message.find("id"));
  const std::shared_ptr<Session> session = book_.make(request.caller);
  const auto answer = session->server().handle(message);
  if (!answer) return refused(400, kInvalidRequest, "initialize is a request");
  if (answer->find("error") != nullptr) return rpc_answer(*answer, 400);
  const std::string id = book_.add(session);
  if (id.empty()) return http::too_much("too many sessions at once");
  Response response = rpc_answer(*answer);
  response.headers.emplace_back("Mcp-Session-Id", id);
  return response;
}

std::optional<Json> Transport::run(const Json& message, Session& session) {
  // Clients that do not wait for an answer have no order here: their requests come apart.
  if (!session.server().needs_of(message).house) return session.server().handle(message);
  const auto turn = turn_.take(options_.turn_limit);
  if (!turn)
    return rpc_error(message.find("id"), kServerBusy,
                     "the memory is busy with other requests: make it again");
  return session.server().handle(message);
}

Response Transport::answer(const http::Request& request, Json message, InUse session) {
  if (!is_request(message) && !message.is_array()) {
    const bool is_message = message.is_object() &&
                            (message.find("method") != nullptr ||
                             message.find("result") != nullptr || message.find("error") != nullptr);
    if (!is_message) return refused(400, kInvalidRequest, "this is no JSON-RPC 2.0 message");
    session->server().handle(message);
    return {202, {}, {}, {}};
  }
  const bool stream = accepts(request, "text/event-stream");
  if (stream &&
      (mcp_meta(message, "progressToken") != nullptr || !accepts(request, "application/json")))
    return streamed(std::move(message), std::move(session));
  const auto answer = run(message, *session.operator->());
  if (!answer) return {202, {}, {}, {}};  // it was taken back
  const bool modern = mcp_meta(message, kMcpVersionMember) != nullptr;
  return rpc_answer(*answer, modern ? status_of_answer(*answer) : 200);
}

Response Transport::streamed(Json message, InUse session) {
  const auto outlet = std::make_shared<http::Outlet>(http::sse_farewell, kMostBytes);
  Response response{200, "text/event-stream", {}, {}};
  response.outlet = outlet;
  const auto kept = std::make_shared<InUse>(std::move(session));
  response.rest = [this, outlet, kept, message = std::move(message)] {
    std::optional<Json> answer;
    {
      const auto progress =
          McpProgress::of(message, options_.progress, [&outlet](const Json& told) {
            outlet->put(http::sse_event({}, "message", told.dump()));
          });
      answer = run(message, *kept->operator->());
    }
    if (answer) outlet->put(http::sse_event({}, "message", answer->dump()));
    outlet->end();
  };
  return response;
}

Response Transport::open_stream(const http::Request& request) {
  if (!accepts(request, "text/event-stream"))
    return refused(406, kInvalidRequest, "the stream is text/event-stream");
  const std::string* id = request.header(kSessionHeader);
  if (id == nullptr) return refused(400, kInvalidRequest, "the request names no session");
  const InUse session = book_.find(*id, request.caller);
  if (!session) return refused(404, kInvalidRequest, "there is no such session: begin anew");
  auto outlet = std::make_shared<http::Outlet>(http::sse_farewell);
  if (!session->open_stream(outlet))
    return refused(409, kInvalidRequest, "the session has its stream already");
  keeper_.add(outlet);
  Response response{200, "text/event-stream", {}, {}};
  response.outlet = std::move(outlet);
  return response;
}

Response Transport::end(const http::Request& request) {
  const std::string* id = request.header(kSessionHeader);
  if (id == nullptr) return refused(400, kInvalidRequest, "the request names no session");
  if (!book_.remove(*id, request.caller))
    return refused(404, kInvalidRequest, "there is no such session");
  return {204, {}, {}, {}};
}

}  // namespace anima::serve::mcp_http
