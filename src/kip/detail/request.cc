#include "kip/detail/request.h"

#include <algorithm>
#include <span>

#include "base/text/text.h"
#include "store/verify/audit.h"

namespace anima::kip::detail {

namespace {

constexpr std::string_view kAnyTime = "any";

Unexpected<Fault> malformed(std::string message, std::string hint = {}) {
  return refuse(Code::kInvalidSyntax, std::move(message), std::move(hint));
}

Outcome<bool> flag(const Json& json, const char* name) {
  const Json* member = json.find(name);
  if (member == nullptr || member->is_null()) return false;
  if (!member->is_bool()) return malformed(std::string("`") + name + "` must be true or false");
  return member->as_bool();
}

constexpr std::string_view kMembers[] = {"command",  "commands",    "parameters", "dry_run",
                                         "atomic",   "readonly",    "books",      "full",
                                         "strict",   "shape",       "graph",      "as_of",
                                         "valid_at", "valid_until", "min_trust",  "decay_factor"};
constexpr std::string_view kMembersOfCommand[] = {"command", "parameters"};

// What is not known is refused: a `dryrun` that is passed over would write.
Check known_members(const Json& json, std::span<const std::string_view> known,
                    std::string_view what) {
  for (const JsonMember& each : json.as_object()) {
    if (std::ranges::find(known, each.first) != known.end()) continue;
    std::string near = did_you_mean(nearest_names(each.first, known));
    if (near.empty()) {
      near = "there are:";
      for (const std::string_view name : known) near += " " + std::string(name);
    }
    return malformed(std::string(what) + " has no member " + quote_json(each.first),
                     std::move(near));
  }
  return {};
}

Check read_commands(const Json& json, const Json* parameters, std::size_t max_batch,
                    Request* request) {
  const Json* commands = json.find("commands");
  if (commands->kind() != Json::Kind::kArray)
    return malformed("`commands` must be an array of commands");
  if (commands->as_array().size() > max_batch) {
    return refuse(Code::kInvalidSyntax,
                  "the batch has more than " + std::to_string(max_batch) + " commands", "split it");
  }
  request->batch = true;
  for (const Json& item : commands->as_array()) {
    Command command;
    command.shared = parameters;
    if (item.is_string()) {
      command.text = item.as_string();
    } else {
      const Json* text = item.kind() == Json::Kind::kObject ? item.find("command") : nullptr;
      if (text == nullptr || !text->is_string())
        return malformed("an element of `commands` is a string, or an object with `command`");
      ANIMA_TRY(known_members(item, kMembersOfCommand, "an element of `commands`"));
      command.text = text->as_string();
      const Json* own = item.find("parameters");
      if (own != nullptr && !own->is_null()) {
        if (own->kind() != Json::Kind::kObject) return malformed("`parameters` must be an object");
        command.own = true;
        command.parameters = parameters != nullptr ? *parameters : Json(JsonObject{});
        for (const JsonMember& member : own->as_object())
          command.parameters.set(member.first, member.second);
      }
    }
    request->commands.push_back(std::move(command));
  }
  return {};
}

}  // namespace

Outcome<Request> read_request(const Json& outer, std::size_t max_batch) {
  if (outer.kind() != Json::Kind::kObject)
    return malformed("a request is an object", "send {\"command\": \"...\"}");
  const Json* json = &outer;
  if (const Json* function = outer.find("function");
      function != nullptr && function->kind() == Json::Kind::kObject) {
    const Json* arguments = function->find("arguments");
    if (arguments == nullptr || arguments->kind() != Json::Kind::kObject)
      return malformed("`function.arguments` must be an object");
    json = arguments;
  }
  ANIMA_TRY(known_members(*json, kMembers, "a request"));
  Request request;
  const Json* command = json->find("command");
  const Json* commands = json->find("commands");
  if (command != nullptr && command->is_null()) command = nullptr;
  if (commands != nullptr && commands->is_null()) commands = nullptr;
  if ((command == nullptr) == (commands == nullptr)) {
    return malformed(command != nullptr ? "a request has `command` or `commands`, not both"
                                        : "a request needs `command` or `commands`");
  }
  const Json* parameters = json->find("parameters");
  if (parameters != nullptr && parameters->is_null()) parameters = nullptr;
  if (parameters != nullptr && parameters->kind() != Json::Kind::kObject)
    return malformed("`parameters` must be an object");
  ANIMA_ASSIGN(request.dry_run, flag(*json, "dry_run"));
  ANIMA_ASSIGN(request.atomic, flag(*json, "atomic"));
  ANIMA_ASSIGN(request.readonly, flag(*json, "readonly"));
  ANIMA_ASSIGN(request.books, flag(*json, "books"));
  ANIMA_ASSIGN(request.full, flag(*json, "full"));
  if (const Json* strict = json->find("strict"); strict != nullptr && !strict->is_null()) {
    ANIMA_ASSIGN(request.strict, flag(*json, "strict"));
  }
  if (const Json* shape = json->find("shape"); shape != nullptr && !shape->is_null()) {
    if (!shape->is_string() || (shape->as_string() != "rows" && shape->as_string() != "columns"))
      return malformed("`shape` is \"columns\" or \"rows\"");
    request.rows_shape = shape->as_string() == "rows";
  }
  if (const Json* graph = json->find("graph"); graph != nullptr && !graph->is_null()) {
    if (!graph->is_string()) return malformed("`graph` must be a string");
    request.graph = graph->as_string();
  }
  if (const Json* as_of = json->find("as_of"); as_of != nullptr && !as_of->is_null()) {
    if (!as_of->is_integer() && !as_of->is_string())
      return malformed("`as_of` is a sequence number or a time");
    request.as_of = *as_of;
  }
  if (const Json* valid_at = json->find("valid_at"); valid_at != nullptr && !valid_at->is_null()) {
    request.any_time = valid_at->is_string() && valid_at->as_string() == kAnyTime;
    const auto time = parse_timestamp(valid_at->is_string() ? valid_at->as_string() : "");
    if (!time && !request.any_time)
      return malformed("`valid_at` is a time: RFC 3339, a date, or \"any\"");
    if (time) request.valid_at = ValidTime{*time, Timestamp{time->microseconds + 1}};
  }
  if (const Json* until = json->find("valid_until"); until != nullptr && !until->is_null()) {
    const auto time = parse_timestamp(until->as_string());
    if (!time) return malformed("`valid_until` is a time: RFC 3339, or a date");
    if (!request.valid_at || *time <= request.valid_at->from)
      return malformed("`valid_until` comes after a `valid_at`");
    request.valid_at->until = *time;
  }
  if (const Json* trust = json->find("min_trust"); trust != nullptr && !trust->is_null()) {
    request.min_trust = store::trust_called(trust->as_string());
    if (!request.min_trust)
      return malformed("`min_trust` is system, operator, verified, standard, untrusted or hostile");
  }
  if (const Json* factor = json->find("decay_factor"); factor != nullptr && !factor->is_null()) {
    request.decay_factor = factor->as_number();
    if (!(request.decay_factor > 0 && request.decay_factor <= 1))
      return malformed("`decay_factor` is a number above 0, at most 1: what is left after a week");
  }
  if (commands != nullptr) {
    ANIMA_TRY(read_commands(*json, parameters, max_batch, &request));
    return request;
  }
  if (!command->is_string()) return malformed("`command` must be a string");
  Command single;
  single.text = command->as_string();
  single.shared = parameters;
  request.commands.push_back(std::move(single));
  return request;
}

}  // namespace anima::kip::detail
