#include "serve/v1/api.h"

#include <algorithm>
#include <utility>

#include "agent/house/door_refusal.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "base/text/white_space.h"
#include "serve/completions/guarded_chat.h"
#include "serve/http/server.h"
#include "serve/v1/answers.h"
#include "store/act.h"

namespace anima::serve::v1 {
namespace {

using agent::Act;
using http::Response;

constexpr std::size_t kMostTools = 256;

// The rest of what a request says, in the types of its parameters.
Result<Json> typed(const Parameter& parameter, const std::string& text) {
  if (parameter.type == "integer") {
    if (const auto number = read_number<std::int64_t>(text)) return Json(*number);
    return fail(ErrorCode::kInvalidArgument,
                "\"" + std::string(parameter.name) + "\" is a whole number");
  }
  if (parameter.type == "boolean") {
    if (text == "true" || text == "false") return Json(text == "true");
    return fail(ErrorCode::kInvalidArgument,
                "\"" + std::string(parameter.name) + "\" is true or false");
  }
  return Json(text);
}

// That a number, or the length of a text, is within the bounds of its parameter.
Status check_bounds(const Parameter& parameter, const Json& value) {
  const std::string name = "\"" + std::string(parameter.name) + "\"";
  if (value.is_string() && parameter.least > 0 &&
      (is_only_white_space(value.as_string()) ||
       static_cast<std::int64_t>(value.as_string().size()) < parameter.least))
    return fail(ErrorCode::kInvalidArgument, "the text " + name + " is missing");
  if (!value.is_integer()) return {};
  const std::int64_t number = value.as_integer();
  if (number >= parameter.least && (parameter.most == 0 || number <= parameter.most)) return {};
  const std::string least = std::to_string(parameter.least);
  return fail(
      ErrorCode::kInvalidArgument,
      name + " is a number " +
          (parameter.most == 0 ? "of at least " + least
                               : "from " + least + " to " + std::to_string(parameter.most)));
}

const Parameter* find_parameter(const Route& route, std::string_view name, In in) {
  const auto found = std::ranges::find_if(
      route.parameters, [&](const Parameter& each) { return each.name == name && each.in == in; });
  return found == route.parameters.end() ? nullptr : &*found;
}

std::string names_of(const Route& route, In in) {
  std::string names;
  for (const Parameter& each : route.parameters) {
    if (each.in == in) names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names.empty() ? "none" : names;
}

Unexpected<Error> unknown(std::string_view what, const std::string& name, const Route& route,
                          In in) {
  std::vector<std::string_view> known;
  for (const Parameter& each : route.parameters)
    if (each.in == in) known.push_back(each.name);
  return fail(ErrorCode::kInvalidArgument,
              "unknown " + std::string(what) + " " + quote_json(name) +
                  "; there are: " + names_of(route, in),
              {}, did_you_mean(nearest_names(name, known)));
}

// The parameters of the address: each known, once, of its type.
Status check_query(const Call& call) {
  for (auto at = call.request.parameters.begin(); at != call.request.parameters.end(); ++at) {
    const Parameter* known = find_parameter(call.route, at->first, In::kQuery);
    if (known == nullptr) return unknown("parameter", at->first, call.route, In::kQuery);
    if (std::any_of(call.request.parameters.begin(), at,
                    [&](const auto& earlier) { return earlier.first == at->first; }))
      return fail(ErrorCode::kInvalidArgument, quote_json(at->first) + " is said twice");
    ANIMA_ASSIGN(const Json value, typed(*known, at->second));
    ANIMA_TRY(check_bounds(*known, value));
  }
  for (const Parameter& each : call.route.parameters) {
    if (each.in == In::kQuery && each.required && call.query(each.name) == nullptr)
      return fail(ErrorCode::kInvalidArgument,
                  "the parameter \"" + std::string(each.name) + "\" is missing");
  }
  return {};
}

bool has_type(const Json& value, std::string_view type) {
  return type == "string"    ? value.is_string()
         : type == "integer" ? value.is_integer()
         : type == "boolean" ? value.is_bool()
         : type == "array"   ? value.is_array()
                             : value.is_object();
}

Status check_body(const Call& call) {
  for (const JsonMember& each : call.body.as_object()) {
    const Parameter* known = find_parameter(call.route, each.first, In::kBody);
    if (call.route.open_body) continue;
    if (known == nullptr) return unknown("member", each.first, call.route, In::kBody);
    if (!has_type(each.second, known->type))
      return fail(ErrorCode::kInvalidArgument,
                  quote_json(each.first) + " is of the type " + std::string(known->type));
    ANIMA_TRY(check_bounds(*known, each.second));
  }
  for (const Parameter& each : call.route.parameters) {
    if (each.in == In::kBody && each.required && call.body.find(each.name) == nullptr)
      return fail(ErrorCode::kInvalidArgument,
                  "the member \"" + std::string(each.name) + "\" is missing");
  }
  return {};
}

// As rules and approvers see the call: the parts of the request by their names.
Json arguments_of(const Call& call) {
  Json arguments = judged_arguments(call.body);
  for (const auto& [name, value] : call.request.parameters) arguments.set(name, valid_text(value));
  if (!call.id.empty()) arguments.set("id", valid_text(call.id));
  return arguments;
}

// What tells a request from others that are made with the same key.
// By whatever host and port the server was reached.
std::string whole(const http::Request& request) {
  constexpr std::string_view kScheme = "http://";
  const std::string* match = request.header("if-match");
  const std::size_t path =
      std::min(request.address.find('/', kScheme.size()), request.address.size());
  return request.method + " " + request.address.substr(path) + "\n" +
         (match == nullptr ? "" : *match) + "\n" + request.body;
}

bool is_dry_run(const Call& call) {
  const std::string* of_address = call.query("dry_run");
  const Json* of_body = call.body.find("dry_run");
  return (of_address != nullptr && *of_address == "true") ||
         (of_body != nullptr && *of_body == Json(true));
}

// KIP tells its errors with 200; what it refused wrote nothing.
bool has_failed(const Call& call, const Response& answer) {
  if (answer.status >= 300) return true;
  if (call.route.door != "kip") return false;
  const auto body = parse_json(answer.body);
  return body && body->find("error") != nullptr;
}

}  // namespace

const std::string* Call::query(std::string_view name) const {
  const auto found = std::ranges::find_if(
      request.parameters, [&](const auto& parameter) { return parameter.first == name; });
  return found == request.parameters.end() ? nullptr : &found->second;
}

Api::Api(MemoryParts& parts, HouseTurn& turn, http::StreamKeeper& keeper, ApiOptions options)
    : parts_(parts),
      turn_(turn),
      keeper_(keeper),
      options_(std::move(options)),
      kept_(parts.gate->shared_space(), parts.gate->clock()) {
  if (options_.completions.models != nullptr)
    chat_ = std::make_unique<completions::GuardedChat>(parts, turn, options_.completions,
                                                       options_.turn_limit);
}

Api::~Api() = default;

std::shared_ptr<CallerTools> Api::tools_of(const http::Caller& caller) {
  const std::lock_guard lock(tools_mutex_);
  std::shared_ptr<CallerTools>& tools = tools_[caller.name];
  if (tools != nullptr && tools->of == caller) return tools;
  tools = std::make_shared<CallerTools>(parts_, caller, options_.readonly || !caller.may_write);
  const std::shared_ptr<CallerTools> made = tools;
  // Tokens come and go.
  if (tools_.size() > kMostTools)
    std::erase_if(tools_, [&](const auto& each) { return each.first != caller.name; });
  return made;
}

Response Api::handle(const http::Request& request) {
  if (request.wrong_query) return http::problem(400, "the address of the request does not decode");
  Match found = match(request.method, request.path);
  if (found.route == nullptr && found.others.empty())
    return http::problem(404, "there is no such route", "/openapi.json lists them");
  if (found.route == nullptr) {
    Response refused = http::problem(405, "the route has no such method", "one of " + found.others);
    refused.headers.emplace_back("Allow", found.others);
    return refused;
  }
  Call call{request, *found.route, std::move(found.id), Json(JsonObject{}), options_.stop};
  Response answer = judged(call);
  if (call.route.openai) answer = completions::as_openai_error(std::move(answer));
  answer.route = call.route.path;
  return answer;
}

// That the request is in order, and may be.
Response Api::judged(Call& call) {
  const http::Request& request = call.request;
  if (!request.body.empty()) {
    const std::string* type = request.header("content-type");
    if (type == nullptr || http::media_type_of(*type) != "application/json" ||
        http::has_other_charset(*type))
      return http::problem(415, "this content type is not read", "application/json");
    auto body = parse_json(request.body);
    if (!body) return problem_of(body.error());
    if (!body->is_object()) return http::problem(400, "the body is no JSON object");
    call.body = *std::move(body);
  }
  if (const Status good = check_query(call); !good) return problem_of(good.error());
  if (const Status good = check_body(call); !good) return problem_of(good.error());
  const http::Caller& caller = request.caller;
  const agent::DoorCall door{"http", std::string(call.route.door), caller.name, caller.trust,
                             arguments_of(call)};
  const Act act = call.route.act;
  // What is not there is not to be asked for.
  if (act == Act::kGoverns && !call.id.empty()) {
    if (Response shown = show_approval(call); shown.status != 200) return shown;
  }
  if (act == Act::kWrites && (options_.readonly || !caller.may_write)) {
    return problem_of(agent::refuse_at_door(
        *parts_.gate, door, act,
        options_.readonly ? "this server only answers what reads" : "this token may only read"));
  }
  if (auto refused = parts_.gate->refusal(door, act)) {
    if (act == Act::kGoverns)
      refused->error.hint = "the owner answers it at the terminal: anima approve grant " + call.id +
                            ", or anima approve deny " + call.id;
    return problem_of(*refused);
  }
  return act == Act::kWrites && !call.route.openai ? once(call) : run(call);
}

// What writes is one act, which is whole or not there, and done once for a key.
Response Api::once(Call& call) {
  const http::Request& request = call.request;
  // A dry run does nothing that would be done once.
  const std::string* key = is_dry_run(call) ? nullptr : request.header("idempotency-key");
  const auto act_of_request = [&]() -> Response {
    const store::ActScope act(http::act_name(call.route.door, request.id), store::ActKind::kOwn);
    store::WholeAct act_of_all(*parts_.space);
    Response answer = run(call);
    const bool is_noted = key != nullptr && !has_failed(call, answer);
    const Status noted =
        is_noted ? kept_.keep(request.caller, *key, whole(request), answer) : Status();
    // What answers with a failure of the house leaves nothing half done.
    const Status done = answer.status < 500 ? act_of_all.done() : act_of_all.take_back();
    if (!done) return answer.status < 400 ? problem_of(done.error()) : std::move(answer);
    if (noted) return answer;
    Error error = noted.error();
    error.message = "the request is done, but its key could not be kept: " + error.message;
    error.hint = "look before you make it again";
    return http::problem(500, error);
  };
  if (key == nullptr) return act_of_request();
  if (key->empty() || key->size() > kLongestKey)
    return http::problem(400, "an Idempotency-Key has 1 to 255 bytes");
  auto claim = kept_.claim(request.caller, *key, whole(request));
  if (!claim) return problem_of(claim.error());
  switch (claim->state) {
    case KeptAnswers::State::kSame:
      return std::move(claim->answer);
    case KeptAnswers::State::kOther:
      return http::problem(422, "another request was made with this Idempotency-Key",
                           "a key is for one request alone");
    case KeptAnswers::State::kRuns: {
      Response busy = http::problem(409, "a request with this Idempotency-Key is being answered",
                                    "make it again");
      busy.headers.emplace_back("Retry-After", "1");
      return busy;
    }
    case KeptAnswers::State::kNew:
      break;
  }
  Response answer = act_of_request();
  kept_.release(request.caller, *key);
  return answer;
}

Response Api::run(const Call& call) { return (this->*call.route.handler)(call); }

}  // namespace anima::serve::v1
