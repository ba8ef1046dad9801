// The routes of what is remembered, asked and explained.
#include <algorithm>
#include <string>
#include <utility>

#include "base/text/text.h"
#include "serve/http/server.h"
#include "serve/v1/answers.h"
#include "serve/v1/api.h"

namespace anima::serve::v1 {
namespace {

using http::Response;

Response busy() { return http::too_much("the memory is busy with other requests"); }

// The parameters of the address as the arguments of a tool.
Json tool_arguments(const Call& call) {
  Json arguments = Json(JsonObject{});
  for (const Parameter& each : call.route.parameters) {
    const std::string* value = each.in == In::kQuery ? call.query(each.name) : nullptr;
    if (value == nullptr) continue;
    if (each.type == "integer") {
      arguments.set(each.name, std::int64_t{std::stoll(*value)});  // a number: check_query
    } else {
      arguments.set(each.name, *value);
    }
  }
  return arguments;
}

// A list of entity tags (RFC 9110, 13.1.1): by strong comparison.
bool lists(std::string_view tags, std::string_view tag) {
  return std::ranges::any_of(split(tags, ','), [&](std::string_view each) {
    return trim(each) == "*" || trim(each) == tag;
  });
}

}  // namespace

Response Api::by_tool(const Call& call, std::string_view tool, const Json& arguments,
                      unsigned good) {
  const auto lock = turn();
  if (!lock) return busy();
  const auto answer = tools_of(call.request.caller)->memory.call(tool, arguments);
  if (!answer) return http::problem(404, "the tool is not offered here");
  return tool_answer(*answer, good);
}

Response Api::remember(const Call& call) {
  Response answer = by_tool(call, "remember", call.body, 201);
  if (answer.status != 201) return answer;
  const auto body = parse_json(answer.body);
  const Json* id = body ? body->find("id") : nullptr;
  const Json* known = body ? body->find("known_before") : nullptr;
  if (id != nullptr && id->is_string())
    answer.headers.emplace_back("Location", "/v1/memories/" + id->as_string());
  // Nothing new is there: it was known, or the text only took something back.
  if (id == nullptr || !id->is_string() || (known != nullptr && *known == Json(true)))
    answer.status = 200;
  return answer;
}

Response Api::list_memories(const Call& call) {
  return by_tool(call, "list_memories", tool_arguments(call));
}

Response Api::show_memory(const Call& call) {
  const auto lock = turn();
  if (!lock) return busy();
  const ToolAnswer shown = tools_of(call.request.caller)->memory.show(call.id);
  Response answer = tool_answer(shown);
  if (answer.status != 200) return answer;
  const std::string tag = etag_of(*shown.body.find("result"));
  const std::string* seen = call.request.header("if-none-match");
  if (seen != nullptr && lists(*seen, tag)) answer = Response{304, {}, {}, {}};
  answer.headers.emplace_back("ETag", tag);
  return answer;
}

std::optional<Response> Api::unless_matched(const Call& call, CallerTools& tools) {
  const std::string* wanted = call.request.header("if-match");
  if (wanted == nullptr) return std::nullopt;
  const ToolAnswer shown = tools.memory.show(call.id);
  if (shown.is_error) {
    Response gone = tool_answer(shown);
    // What is not there matches nothing (RFC 9110, 13.1.1): another request came first.
    if (gone.status != 404) return gone;
    return http::problem(412, "the memory is no longer there", "list the memories, and look again");
  }
  const std::string tag = etag_of(*shown.body.find("result"));
  if (lists(*wanted, tag)) return std::nullopt;
  Response refused =
      http::problem(412, "the memory is another now", "get it, and look at it again");
  refused.headers.emplace_back("ETag", tag);
  return refused;
}

Response Api::update_memory(const Call& call) {
  const auto lock = turn();
  if (!lock) return busy();
  const auto tools = tools_of(call.request.caller);
  if (auto refused = unless_matched(call, *tools)) return *std::move(refused);
  Json arguments = call.body;
  arguments.set("id", call.id);
  const auto answer = tools->memory.call("update_memory", arguments);
  if (!answer) return http::problem(404, "the tool is not offered here");
  Response response = tool_answer(*answer);
  const Json* result = answer->body.find("result");
  const Json* id = result == nullptr ? nullptr : result->find("id");
  if (id == nullptr || !id->is_string()) return response;
  response.headers.emplace_back("Location", "/v1/memories/" + id->as_string());
  const ToolAnswer shown = tools->memory.show(id->as_string());
  if (!shown.is_error) response.headers.emplace_back("ETag", etag_of(*shown.body.find("result")));
  return response;
}

Response Api::forget_memory(const Call& call) {
  const auto lock = turn();
  if (!lock) return busy();
  const auto tools = tools_of(call.request.caller);
  if (auto refused = unless_matched(call, *tools)) return *std::move(refused);
  const std::string* dry_run = call.query("dry_run");
  if (dry_run != nullptr && *dry_run == "true")
    return tool_answer(tools->memory.would_forget(call.id));
  const auto answer = tools->memory.call("forget_memory", Json::object({{"id", call.id}}));
  if (!answer) return http::problem(404, "the tool is not offered here");
  return tool_answer(*answer);
}

Response Api::list_questions(const Call& call) { return by_tool(call, "review", call.body); }

Response Api::answer_question(const Call& call) {
  Json arguments = call.body;
  arguments.set("id", call.id);
  return by_tool(call, "review", arguments);
}

Response Api::recall(const Call& call) { return by_tool(call, "recall", call.body); }

Response Api::why(const Call& call) {
  Json arguments = call.body;
  const Json* steps = arguments.find("steps");
  const bool whole = steps != nullptr && steps->as_bool();
  std::erase_if(arguments.as_object(),
                [](const JsonMember& each) { return each.first == "steps"; });
  if (!whole) return by_tool(call, "why", arguments);
  const auto lock = turn();
  if (!lock) return busy();
  const auto proof = parts_.why->why(arguments.find("about")->as_string());
  return proof ? json_answer(proof->to_json()) : problem_of(proof.error());
}

Response Api::ask(const Call& call) {
  std::optional<Json> as_of;
  if (call.query("as_of") != nullptr) {
    const auto then = snapshot_of(call);
    if (!then) return problem_of(then.error());
    as_of = Json(static_cast<std::uint64_t>(then->sequence()));
  }
  const auto lock = turn();
  if (!lock) return busy();
  return tool_answer(
      tools_of(call.request.caller)->asker.ask(call.body, std::move(as_of), call.stop));
}

Response Api::kip(const Call& call) {
  return json_answer(tools_of(call.request.caller)->kip.execute(call.body, false, call.stop));
}

Response Api::kip_readonly(const Call& call) {
  Json request = call.body;
  if (call.query("as_of") != nullptr) {
    const auto then = snapshot_of(call);
    if (!then) return problem_of(then.error());
    request.set("as_of", static_cast<std::uint64_t>(then->sequence()));
  }
  return json_answer(tools_of(call.request.caller)->kip.execute(request, true, call.stop));
}

}  // namespace anima::serve::v1
