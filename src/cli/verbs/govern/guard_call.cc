// anima guard call: in front of another agent's tools. A line of JSON in, a decision out; one
// process for a session (agent/conversation/guard_session.h).
#include <fmt/format.h>
#include <unistd.h>

#include "agent/conversation/guard_session.h"
#include "base/json/json_member.h"
#include "cli/frame/access.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/options.h"
#include "cli/terminal/bounded_lines.h"
#include "cli/verbs/govern/signing.h"
#include "cli/verbs/tools/foreign_tools.h"

namespace anima::cli {
namespace {

constexpr std::size_t kLongestLine = std::size_t{8} << 20;

Result<const Json*> member(const Json& line, std::string_view name) {
  if (const Json* found = line.find(name)) return found;
  return fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is missing", name), {},
              "anima guard call --help shows each request");
}

class GuardCalls {
 public:
  GuardCalls(Context& context, agent::GovernedHouse& house, agent::GuardSession& guard,
             std::string session)
      : context_(context), house_(house), guard_(guard), session_(std::move(session)) {}

  // The answer to one line; an error is one, too.
  Json answer(const std::string& text) {
    const auto line = parse_json(text);
    Result<Json> made = line ? answer_line(*line) : fail(line.error());
    Json json = made ? *std::move(made) : Json::object({{"error", error_json(made.error())}});
    if (line) {
      if (const Json* id = line->find("id")) json.set("id", *id);
    }
    return json;
  }

 private:
  Result<Json> answer_line(const Json& line) {
    ANIMA_ASSIGN(const Json* action, member(line, "do"));
    const std::string& name = action->as_string();
    if (name == "begin") return begin(line);
    if (name == "plan") return plan(line);
    if (name == "contacts") return contacts(line);
    if (name == "judge") return judge(line);
    if (name == "observe") return observe(line);
    if (name == "answer") return answer_approval(line);
    if (name == "status") return status();
    if (name == "cleared") {
      ANIMA_TRY(guard_.cleared());
      return status();
    }
    if (name == "end") {
      ANIMA_TRY(guard_.end());
      return status();
    }
    return fail(ErrorCode::kInvalidArgument, "there is nothing to do called " + action->dump(), {},
                "begin, plan, contacts, judge, observe, answer, status, cleared, end");
  }

  Result<Json> begin(const Json& line) {
    ANIMA_ASSIGN(const Json* content, member(line, "message"));
    govern::IncomingMessage message;
    message.content = content->as_string();
    message.channel = "terminal";
    if (const std::string channel = text_member(line, "channel"); !channel.empty())
      message.channel = channel;
    if (const std::string trust = text_member(line, "trust"); !trust.empty())
      message.source = trust;
    message.sender = local_origin(context_, "").author;
    if (const std::string sender = text_member(line, "sender"); !sender.empty())
      message.sender = sender;
    message.session = session_;
    ANIMA_ASSIGN(const govern::Admission admission, guard_.begin(message));
    Json json = Json::object({{"accepted", admission.accepted()},
                              {"message", admission.message_id},
                              {"trust", govern::trust_name(admission.trust)}});
    if (!admission.accepted()) json.set("reason", admission.reason);
    return json;
  }

  static Json arguments_of(const Json& step) {
    const Json* arguments = step.find("arguments");
    return arguments == nullptr ? Json() : *arguments;
  }
  static Json step_json(const govern::PlannedTool& step) {
    Json json = Json::object({{"tool", step.tool}, {"most", step.most}});
    if (step.arguments.is_object()) json.set("arguments", step.arguments);
    return json;
  }

  Result<Json> plan(const Json& line) {
    const Json* steps = line.find("steps");
    if (steps == nullptr) {
      ANIMA_TRY(guard_.plan_of_words());
      return status();
    }
    std::vector<govern::PlannedTool> planned;
    for (const Json& step : steps->as_array()) {
      const Json* most = step.find("most");
      planned.push_back({step.is_string() ? step.as_string() : text_member(step, "tool"),
                         most == nullptr ? 1 : most->as_integer(), arguments_of(step)});
      const std::string& tool = planned.back().tool;
      if (house_.declaration(tool) == nullptr)
        return fail(ErrorCode::kNotFound,
                    "the plan has a tool that is not declared: '" + tool + "'");
    }
    ANIMA_TRY(guard_.plan(planned));
    return status();
  }

  Result<Json> contacts(const Json& line) {
    ANIMA_ASSIGN(const Json* values, member(line, "values"));
    ANIMA_TRY(guard_.contacts(values->as_array()));
    return status();
  }

  Result<Json> judge(const Json& line) {
    ANIMA_ASSIGN(const Json* tool, member(line, "tool"));
    const Json* arguments = line.find("arguments");
    ANIMA_ASSIGN(
        const agent::GuardVerdict verdict,
        guard_.judge(tool->as_string(), arguments == nullptr ? Json::object() : *arguments));
    return verdict.to_json();
  }

  Result<Json> observe(const Json& line) {
    ANIMA_ASSIGN(const Json* call, member(line, "call"));
    ANIMA_ASSIGN(const Json* result, member(line, "result"));
    const Json* shown = line.find("shown");
    ANIMA_TRY(guard_.observe(call->as_integer(), *result, shown == nullptr || shown->as_bool()));
    return status();
  }

  // Where the space has approvers, what a caller says that somebody said is not enough: the process
  // that holds a key asks its person.
  Status grant(const std::string& id) {
    ANIMA_ASSIGN(const bool needs_signature, house_.approvals().needs_signature());
    if (!needs_signature) return house_.approvals().grant(id, "operator");
    const std::string path = context_.config.text("approvals.socket");
    if (path.empty()) return house_.approvals().grant(id, "operator");  // refused, with the reason
    ANIMA_ASSIGN(const ChosenSigner signer, signer_at_socket(path));
    return house_.approvals().grant(id, signer.role, signer.sign);
  }

  // What the person said whom the caller asked.
  Result<Json> answer_approval(const Json& line) {
    ANIMA_ASSIGN(const Json* approval, member(line, "approval"));
    ANIMA_ASSIGN(const Json* allow, member(line, "allow"));
    const std::string& id = approval->as_string();
    if (allow->as_bool()) {
      ANIMA_TRY(grant(id));
    } else {
      ANIMA_TRY(house_.approvals().reject(id, "operator", "denied by who was asked"));
    }
    return Json::object({{"approval", id}, {"allowed", allow->as_bool()}});
  }

  Result<Json> status() {
    ANIMA_ASSIGN(const govern::Trust floor, guard_.floor());
    Json json = Json::object({{"session", session_},
                              {"floor", govern::trust_name(floor)},
                              {"message", guard_.has_message()}});
    if (!guard_.has_plan()) return json;
    Json steps = Json::array();
    for (const govern::PlannedTool& step : guard_.planned()) steps.push_back(step_json(step));
    json.set("plan", std::move(steps));
    return json;
  }

  Context& context_;
  agent::GovernedHouse& house_;
  agent::GuardSession& guard_;
  std::string session_;
};

int answer_lines(Context& context, GuardCalls& calls) {
  BoundedLines lines(STDIN_FILENO, kLongestLine, [&context] {
    context.out.flush();
    return !interrupted();
  });
  std::string line;
  for (;;) {
    const auto got = lines.next(line);
    if (got == BoundedLines::Got::kEnd) return interrupted() ? kInterrupted : kDone;
    if (got == BoundedLines::Got::kTooLong) {
      context.print(
          Json::object(
              {{"error",
                error_json({ErrorCode::kLimitExceeded, "a line has at most 8 MiB", {}, {}})}})
              .dump() +
          "\n");
      continue;
    }
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    context.print(calls.answer(line).dump() + "\n");
    context.out.flush();
  }
}

int run_guard_call(Context& context, Arguments arguments) {
  std::string session = "guard";
  std::vector<std::string> files;
  Options options;
  options.value("--session ID", session, "the session, which any process goes on with (guard)");
  options.values("--tools FILE", files,
                 "declarations of the agent's tools: JSON, or TOML with [[tool]]");
  options.epilogue(
      "Requests, one a line; each is answered by one line:\n"
      "  {\"do\": \"begin\", \"message\": \"Mail the plan to ada@example.org\"}\n"
      "  {\"do\": \"plan\", \"steps\": [{\"tool\": \"mail:send\", \"most\": 1}]}\n"
      "    a step may have the words: \"arguments\": {\"body\": \"I am back.\"}; others ask then\n"
      "  {\"do\": \"plan\"}   by the words of the message, for who has no model that plans\n"
      "  {\"do\": \"judge\", \"tool\": \"mail:send\", \"arguments\": {\"to\": "
      "\"ada@example.org\"}}\n"
      "  {\"do\": \"observe\", \"call\": 12, \"result\": {\"id\": 3}}\n"
      "  {\"do\": \"answer\", \"approval\": \"ID\", \"allow\": true}\n"
      "  {\"do\": \"contacts\", \"values\": [\"bob@example.org\"]}, {\"do\": \"status\"}, "
      "{\"do\": \"cleared\"}, {\"do\": \"end\"}\n"
      "The decision is allow, ask or deny. docs/governance_values.md says what holds.");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto tools = foreign_tools(context, files);
  if (!tools) return context.fail(tools.error());
  auto space = open_space(context, Access::kAsItGoes);
  if (!space) return context.fail(space.error());
  auto settings = house_options(context, **space);
  if (!settings) return context.fail(settings.error());
  settings->own_tools = *std::move(tools);
  const auto house = open_house(context, *std::move(settings));
  if (!house) return context.fail(house.error());
  const auto guard =
      agent::GuardSession::open(**house, {session, local_origin(context, "anima guard call")});
  if (!guard) return context.fail(guard.error());
  GuardCalls calls(context, **house, **guard, session);
  return answer_lines(context, calls);
}

}  // namespace

extern const Verb kGuardCall;
const Verb kGuardCall{
    "guard call",
    Group::kActing,
    "judges another agent's calls by where their values came from, a line of JSON each",
    "[--session ID] [--tools FILE]...",
    "anima guard call --tools tools.json --session inbox < requests.jsonl",
    run_guard_call};

}  // namespace anima::cli
