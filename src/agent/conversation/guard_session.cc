#include "agent/conversation/guard_session.h"

#include <algorithm>
#include <utility>

#include "agent/conversation/session_floor.h"
#include "agent/json_fields.h"
#include "base/json/text_array.h"
#include "guard/planned_values.h"
#include "guard/word_plan.h"

namespace anima::agent {
namespace {

using govern::Outcome;
using govern::Trust;

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;
constexpr std::size_t kMostOpenCalls = 1000;
constexpr std::size_t kMostKeptLines = 8;

Trust trust_in(const Json& event, std::string_view key) {
  return govern::parse_trust(text_of(event, key)).value_or(Trust::kUntrusted);
}

Json json_of(const std::map<std::string, Trust, std::less<>>& told) {
  Json json = Json::object();
  for (const auto& [normal, trust] : told) json.set(normal, govern::trust_name(trust));
  return json;
}

std::map<std::string, Trust, std::less<>> told_in(const Json& event) {
  std::map<std::string, Trust, std::less<>> told;
  if (const Json* json = event.find("told")) {
    for (const auto& [normal, trust] : json->as_object())
      told.emplace(normal, govern::parse_trust(trust.as_string()).value_or(Trust::kUntrusted));
  }
  return told;
}

template <typename Texts>
Json json_of(const Texts& texts) {
  Json list = Json::array();
  for (const std::string& each : texts) list.push_back(each);
  return list;
}

guard::LookUp look_up_in(const Json& event) {
  const Json* words = event.find("looked_up");
  if (words == nullptr) return {};
  guard::LookUp look_up{true, {}};
  for (const Json& each : words->as_array()) look_up.words.insert(each.as_string());
  return look_up;
}

guard::ReaderSet readers_in(const Json& event) {
  const Json* list = event.find("readers");
  if (list == nullptr || !list->is_array()) return nullptr;
  std::set<std::string> readers;
  for (const Json& each : list->as_array()) readers.insert(each.as_string());
  return std::make_shared<const std::set<std::string>>(std::move(readers));
}

std::string_view decision_of(Outcome::Kind kind) {
  if (kind == Outcome::Kind::kDone) return "allow";
  return kind == Outcome::Kind::kWaiting ? "ask" : "deny";
}

// A declaration without what only its arguments need.
Json kept_declaration(const govern::ToolDeclaration& tool) {
  govern::ToolDeclaration kept = tool;
  kept.arguments = {};
  kept.uses.clear();
  kept.description.clear();
  return kept.to_json();
}

}  // namespace

Json GuardVerdict::to_json() const {
  Json json = Json::object({{"decision", decision_of(outcome.kind)}});
  if (call != 0) json.set("call", call);
  if (!outcome.reason.empty()) json.set("reason", outcome.reason);
  if (!because.empty()) json.set("because", text_array(because));
  if (!outcome.approval_id.empty()) json.set("approval", outcome.approval_id);
  if (!outcome.audit_id.empty()) json.set("audit", outcome.audit_id);
  if (!outcome.decision.rule.empty()) json.set("rule", outcome.decision.rule);
  json.set("arguments", arguments);
  return json;
}

GuardSession::GuardSession(GovernedHouse& house, GuardOptions options)
    : house_(house),
      options_(std::move(options)),
      log_(house.ledger(), options_.session, options_.origin) {}

Result<std::unique_ptr<GuardSession>> GuardSession::open(GovernedHouse& house,
                                                         GuardOptions options) {
  std::unique_ptr<GuardSession> session(new GuardSession(house, std::move(options)));
  ANIMA_TRY(session->catch_up());
  return session;
}

// --- the log -------------------------------------------------------------------------------------

Status GuardSession::catch_up() {
  return log_.read([this](std::int64_t place, const Json& event) { return apply(place, event); });
}

Result<std::int64_t> GuardSession::write(const Json& event) {
  ANIMA_ASSIGN(const std::int64_t place, log_.write(event, trust_));
  ANIMA_TRY(catch_up());
  return place;
}

Status GuardSession::apply(std::int64_t place, const Json& event) {
  const std::string name = text_of(event, "event");
  if (name == "message") return apply_message(event);
  if (name == "plan") {
    has_plan_ = true;
    plan_.clear();
    for (const Json& step : items_of(event, "steps")) {
      const Json* arguments = step.find("arguments");
      plan_.push_back({text_of(step, "tool"), static_cast<std::int64_t>(count_of(step, "most")),
                       arguments == nullptr ? Json() : *arguments});
    }
  } else if (name == "contacts") {
    for (const Json& value : items_of(event, "values"))
      values_.add_contact(value, trust_in(event, "trust"));
  } else if (name == "ran") {
    const std::string tool = text_of(event, "tool");
    if (text_of(event, "message") == message_) ++counts_[tool];
    open_[place] = {tool, told_in(event), look_up_in(event)};
    if (open_.size() > kMostOpenCalls) open_.erase(open_.begin());
  } else if (name == "result") {
    return apply_result(static_cast<std::int64_t>(count_of(event, "call")), event);
  } else if (name == "cleared") {
    readers_ = nullptr;
    said_.clear();
  } else if (name == "end") {
    message_.clear();
    has_plan_ = false;
    plan_.clear();
    counts_.clear();
  }
  return {};
}

Status GuardSession::apply_message(const Json& event) {
  const Trust trust = trust_in(event, "trust");
  // Words are known for what the present speaker may choose.
  if (trust != trust_) {
    words_ = {};
    said_.clear();
  }
  trust_ = trust;
  said_.push_back(text_of(event, "text"));
  if (said_.size() > kMostKeptLines) said_.erase(said_.begin());
  words_.add(said_.back());
  message_ = text_of(event, "id");
  has_plan_ = false;
  plan_.clear();
  counts_.clear();
  return {};
}

Status GuardSession::apply_result(std::int64_t call, const Json& event) {
  const auto ran = open_.find(call);
  std::map<std::string, Trust, std::less<>> told;
  guard::LookUp look_up;
  if (ran != open_.end()) {
    told = std::move(ran->second.told);
    look_up = std::move(ran->second.look_up);
    open_.erase(ran);
  }
  if (flag_of(event, "shown")) readers_ = guard::readers_of_both(readers_, readers_in(event));
  const Json* result = event.find("result");
  const Json* declaration = event.find("declaration");
  if (result == nullptr || declaration == nullptr) return {};
  ANIMA_ASSIGN(const govern::ToolDeclaration tool,
               govern::ToolDeclaration::from_json(*declaration));
  values_.add(
      {call, tool.name, *result, std::move(told), trust_in(event, "most"), std::move(look_up)},
      tool);
  return {};
}

// --- messages ------------------------------------------------------------------------------------

Result<govern::Admission> GuardSession::begin(const govern::IncomingMessage& message) {
  ANIMA_ASSIGN(govern::Admission admission, house_.admit(message));
  // What was let in before allows nothing for what was not.
  ANIMA_TRY(admission.accepted() ? begin(message, admission) : end());
  return admission;
}

Status GuardSession::begin(const govern::IncomingMessage& message,
                           const govern::Admission& admission) {
  ANIMA_TRY(told(admission.trust));
  return write(Json::object({{"event", "message"},
                             {"id", admission.message_id},
                             {"text", message.content},
                             {"trust", govern::trust_name(admission.trust)}}))
      .map([](std::int64_t) {});
}

Status GuardSession::plan(const std::vector<govern::PlannedTool>& steps) {
  ANIMA_TRY(catch_up());
  if (message_.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a plan is made for a message", {},
                "begin with the message first");
  }
  std::map<std::string, govern::PlannedTool, std::less<>> tools;  // one may stand in several steps
  for (const govern::PlannedTool& step : steps) {
    if (step.most < 1) {
      return fail(ErrorCode::kInvalidArgument, "the plan has '" + step.tool + "' less than once",
                  {}, "most is 1 or more");
    }
    const auto [at, is_new] = tools.try_emplace(step.tool, step);
    if (is_new) continue;
    at->second.most += step.most;
    at->second.arguments = guard::planned_in_both(at->second.arguments, step.arguments);
  }
  Json list = Json::array();
  for (const auto& [tool, step] : tools) {
    Json kept = Json::object({{"tool", tool}, {"most", step.most}});
    if (step.arguments.is_object()) kept.set("arguments", step.arguments);
    list.push_back(std::move(kept));
  }
  return write(Json::object({{"event", "plan"}, {"steps", std::move(list)}})).map([](std::int64_t) {
  });
}

Status GuardSession::plan_of_words() {
  ANIMA_TRY(catch_up());
  std::vector<const govern::ToolDeclaration*> tools;
  for (const OwnTool& tool : house_.own_tools().all()) {
    if (const auto* declared = house_.declaration(tool.info.name)) tools.push_back(declared);
  }
  for (const govern::ToolDeclaration& tool : house_.tools_of_others().declarations()) {
    if (const auto* declared = house_.declaration(tool.name)) tools.push_back(declared);
  }
  return plan(guard::plan_of_words(said_.empty() ? std::string() : said_.back(), tools));
}

Status GuardSession::contacts(const JsonArray& values) {
  // What they are stays sealed.
  ANIMA_TRY(house_.ledger()
                .write("contacts_given", options_.origin.author, Trust::kOperator,
                       Json::object({{"session", options_.session},
                                     {"count", static_cast<std::uint64_t>(values.size())}}))
                .map([](const std::string&) {}));
  return write(Json::object({{"event", "contacts"},
                             {"values", values},
                             {"trust", govern::trust_name(Trust::kOperator)}}))
      .map([](std::int64_t) {});
}

Status GuardSession::told(Trust trust) {
  return lower_session_floor(house_.space(), options_.origin, options_.session, trust)
      .map([](Trust) {});
}

Status GuardSession::cleared() {
  ANIMA_TRY(reset_session_floor(house_.space(), options_.origin, options_.session));
  return write(Json::object({{"event", "cleared"}})).map([](std::int64_t) {});
}

Status GuardSession::end() {
  return write(Json::object({{"event", "end"}})).map([](std::int64_t) {});
}

Result<Trust> GuardSession::floor() const {
  return session_floor(house_.space(), options_.session);
}

// --- calls ---------------------------------------------------------------------------------------

// A verdict at once when the arguments cannot be those of the tool.
Result<std::optional<GuardVerdict>> GuardSession::prepare(std::string_view tool,
                                                          const Json& arguments,
                                                          Prepared& prepared) {
  ANIMA_TRY(catch_up());
  prepared.tool = house_.declaration(tool);
  govern::CallRequest& request = prepared.request;
  request.tool = tool;
  request.trust = message_.empty() ? options_.caller : trust_;
  request.arguments = arguments;
  if (prepared.tool == nullptr) return std::optional<GuardVerdict>();  // the executor says so
  ANIMA_ASSIGN(const Trust told, this->floor());
  // A context that was emptied makes nobody more than he is.
  const Trust floor = govern::lowest(told, request.trust);
  const auto step = std::ranges::find(plan_, tool, &govern::PlannedTool::tool);
  auto labelled = guard::label_arguments(arguments, *prepared.tool,
                                         {values_, words_, request.trust, floor, readers_,
                                          step == plan_.end() ? Json() : step->arguments});
  Status good = labelled ? prepared.tool->check_arguments(labelled->arguments)
                         : Status(fail(labelled.error()));
  if (!good) {
    GuardVerdict wrong;
    wrong.outcome.kind = Outcome::Kind::kFailed;
    wrong.outcome.reason = good.error().describe();
    wrong.outcome.output_trust = Trust::kSystem;
    wrong.arguments = arguments;
    return std::optional(std::move(wrong));
  }
  auto values = std::make_shared<govern::CallValues>();
  values->message = message_;
  values->floor = floor;
  values->has_plan = has_plan_;
  values->planned = plan_;
  const auto count = counts_.find(tool);
  values->ran = count == counts_.end() ? 0 : count->second;
  for (const govern::ToolEffect effect : prepared.tool->effects)
    values->effects.emplace_back(govern::to_string(effect));
  values->arguments = std::move(labelled->values);
  request.arguments = std::move(labelled->arguments);
  request.origins = std::move(labelled->origins);
  request.values = std::move(values);
  prepared.told = std::move(labelled->told);
  prepared.look_up = std::move(labelled->look_up);
  return std::optional<GuardVerdict>();
}

Result<std::int64_t> GuardSession::write_ran(std::string_view tool, const Prepared& prepared) {
  Json event = Json::object(
      {{"event", "ran"}, {"tool", tool}, {"message", message_}, {"told", json_of(prepared.told)}});
  if (prepared.look_up.trusted) event.set("looked_up", json_of(prepared.look_up.words));
  return write(event);
}

GuardVerdict GuardSession::verdict(const Prepared& prepared, Outcome outcome) const {
  GuardVerdict made;
  made.outcome = std::move(outcome);
  made.arguments = prepared.request.arguments;
  made.values = prepared.request.values;
  const bool allowed = made.outcome.kind == Outcome::Kind::kDone;
  if (!allowed && made.values != nullptr) made.because = made.values->explain();
  return made;
}

Result<GuardVerdict> GuardSession::judge(std::string_view tool, const Json& arguments) {
  Prepared prepared;
  ANIMA_ASSIGN(auto at_once, prepare(tool, arguments, prepared));
  if (at_once) return *std::move(at_once);
  GuardVerdict made = verdict(prepared, house_.judge(prepared.request));
  if (made.outcome.kind != Outcome::Kind::kDone) return made;
  ANIMA_ASSIGN(made.call, write_ran(tool, prepared));
  return made;
}

Result<Json> GuardSession::result_event(std::int64_t call, const Ran& ran, const Json& result,
                                        Trust most, bool shown) {
  const govern::ToolDeclaration* tool = house_.declaration(ran.tool);
  ANIMA_CHECK(tool != nullptr);
  const guard::GivenResult given{call, ran.tool, result, ran.told, most};
  const guard::SeenLabel seen = guard::seen_label(given, *tool);
  if (shown) ANIMA_TRY(told(seen.trust));
  Json event = Json::object(
      {{"event", "result"}, {"call", call}, {"shown", shown}, {"most", govern::trust_name(most)}});
  if (seen.readers != nullptr) event.set("readers", json_of(*seen.readers));
  if (result.dump().size() <= kMostKeptBytes) {
    event.set("declaration", kept_declaration(*tool));
    event.set("result", result);
  }
  return event;
}

Status GuardSession::observe(std::int64_t call, const Json& result, bool shown) {
  ANIMA_TRY(catch_up());
  const auto ran = open_.find(call);
  if (ran == open_.end() || house_.declaration(ran->second.tool) == nullptr) {
    return fail(ErrorCode::kNotFound,
                "no call " + std::to_string(call) + " of this session waits for its result", {},
                "the number is the one that judging the call gave, once");
  }
  ANIMA_ASSIGN(const Json event, result_event(call, ran->second, result, Trust::kSystem, shown));
  return write(event).map([](std::int64_t) {});
}

Result<GuardVerdict> GuardSession::call(std::string_view tool, const Json& arguments, bool shown) {
  Prepared prepared;
  ANIMA_ASSIGN(auto at_once, prepare(tool, arguments, prepared));
  if (at_once) return *std::move(at_once);
  GuardVerdict made = verdict(prepared, house_.call(prepared.request));
  const Outcome& outcome = made.outcome;
  const bool failed = outcome.kind == Outcome::Kind::kFailed;
  if ((outcome.kind != Outcome::Kind::kDone && !failed) || prepared.tool == nullptr) return made;
  ANIMA_ASSIGN(made.call, write_ran(tool, prepared));
  // An error quotes what the tool read, and is always shown.
  const Json result = failed ? Json(outcome.reason) : outcome.result;
  const Trust most = failed ? outcome.output_trust : Trust::kSystem;
  ANIMA_ASSIGN(const Json event, result_event(made.call, {std::string(tool), prepared.told, {}},
                                              result, most, shown || failed));
  ANIMA_TRY(write(event).map([](std::int64_t) {}));
  return made;
}

}  // namespace anima::agent
