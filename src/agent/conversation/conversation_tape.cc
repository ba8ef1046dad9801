#include "agent/conversation/conversation_tape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "agent/conversation/detail/message_json.h"
#include "agent/conversation/session_floor.h"
#include "agent/json_fields.h"
#include "base/json/text_array.h"

namespace anima::agent {
namespace {

constexpr const char* kTapeKey = "model-calls";
constexpr std::array kTapeProviders = {llm::Provider::kOpenAiChat, llm::Provider::kOpenAiResponses,
                                       llm::Provider::kAnthropic};

Json start_to_json(const TurnStart& start) {
  Json json = Json::object({{"accepted", start.accepted},
                            {"trust", govern::trust_name(start.trust)},
                            {"reason", start.reason},
                            {"floor", govern::trust_name(start.floor)}});
  if (start.answer) {
    json.set("answer", *start.answer);
    json.set("answer_trust", govern::trust_name(start.answer_trust));
  }
  if (start.rules) {
    json.set("rules", detail::to_json(*start.rules));
    json.set("rules_sha256", start.rules_sha256);
  }
  json.set("core", detail::to_json(start.core));
  json.set("findings", detail::to_json(start.findings));
  return json;
}

Result<TurnStart> start_from_json(const Json& json) {
  TurnStart start;
  start.accepted = flag_of(json, "accepted");
  start.trust = detail::trust_from(json, "trust");
  start.reason = text_of(json, "reason");
  start.floor = detail::trust_from(json, "floor");
  if (json.find("answer") != nullptr) {
    start.answer = text_of(json, "answer");
    start.answer_trust = detail::trust_from(json, "answer_trust");
  }
  if (const Json* rules = json.find("rules")) {
    ANIMA_ASSIGN(start.rules, detail::prompt_part_from_json(*rules));
    start.rules_sha256 = text_of(json, "rules_sha256");
  }
  ANIMA_ASSIGN(start.core, detail::prompt_parts_from_json(json.find("core")));
  ANIMA_ASSIGN(start.findings, detail::prompt_parts_from_json(json.find("findings")));
  return start;
}

Json end_to_json(const TurnEnd& end) {
  Json json = Json::object({{"turn", end.turn},
                            {"told", detail::messages_to_json(end.told)},
                            {"floor", govern::trust_name(end.floor)}});
  if (end.summary) json.set("summary", end.summary->to_json());
  return json;
}

Json message_to_json(const govern::IncomingMessage& message) {
  return Json::object({{"content", message.content},
                       {"channel", message.channel},
                       {"sender", message.sender},
                       {"session", message.session}});
}

// Visits what tapes wrote after an entry, oldest first.
Status visit_tapes(store::Space& space, store::Sequence after,
                   const std::function<Status(const store::LogEntry&, const Json&)>& visit) {
  return space.changes(after, [&](const store::LogEntry& entry) -> Status {
    if (entry.seal.empty() || entry.payload.empty()) return {};
    if (!entry.seal.starts_with(kTapeKey)) return {};
    return store::visit_records(
        entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
          if (kind != store::RecordKind::kModelAnswer) return {};
          ANIMA_ASSIGN(const Json json, parse_json(payload));
          return json.find("exchange") == nullptr ? visit(entry, json) : Status();
        });
  });
}

Status put_back(const Json& record, ConversationHistory& history) {
  const Json* turn = record.find("turn");
  const Json* end = turn == nullptr ? nullptr : turn->find("end");
  if (end == nullptr) return {};
  if (const Json* made = end->find("summary")) {
    ANIMA_ASSIGN(ConversationSummary summary, summary_from_json(*made));
    // Of turns that are not among the newest entries there is nothing to be shortened; and another
    // process of the session, which did not know as many, may have made a shorter one since.
    const std::size_t before = history.summary() ? history.summary()->turns : 0;
    if (summary.turns > before && summary.turns <= history.count())
      history.take(std::move(summary));
  }
  ANIMA_ASSIGN(std::vector<llm::Message> told, detail::messages_from_json(end->find("told")));
  if (!told.empty())
    history.add(std::move(told), detail::trust_from(*end, "floor"), text_of(record, "session"));
  return {};
}

}  // namespace

// --- the model's settings --------------------------------------------------------------------

Json model_setup(const llm::ModelConfig& config) {
  Json json = Json::object({{"name", config.name},
                            {"provider", llm::to_string(config.provider)},
                            {"url", config.url},
                            {"model", config.model},
                            {"json_output", static_cast<int>(config.json_output)},
                            {"max_tokens", config.max_tokens},
                            {"context_tokens", config.context_tokens},
                            {"timeout_seconds", config.timeout_seconds},
                            {"attempts", config.attempts}});
  if (config.temperature) json.set("temperature", *config.temperature);
  return json;
}

Result<llm::ModelConfig> model_from_setup(const Json& json) {
  llm::ModelConfig config;
  config.name = text_of(json, "name");
  const std::string provider = text_of(json, "provider");
  const auto known = std::ranges::find(kTapeProviders, provider,
                                       [](llm::Provider each) { return llm::to_string(each); });
  const std::uint64_t output = count_of(json, "json_output");
  if (config.name.empty() || known == kTapeProviders.end() || output > 2)
    return fail(ErrorCode::kCorrupt, "the record of a conversation names no model that is known");
  config.provider = *known;
  config.url = text_of(json, "url");
  config.model = text_of(json, "model");
  config.json_output = static_cast<llm::JsonOutput>(output);
  config.max_tokens = static_cast<std::int64_t>(count_of(json, "max_tokens"));
  config.context_tokens = static_cast<std::int64_t>(count_of(json, "context_tokens"));
  config.timeout_seconds = static_cast<std::int64_t>(count_of(json, "timeout_seconds"));
  config.attempts = static_cast<std::int64_t>(count_of(json, "attempts"));
  if (json.find("temperature") != nullptr) config.temperature = number_of(json, "temperature");
  return config;
}

// --- recording -------------------------------------------------------------------------------

Result<TurnStart> ConversationRecorder::start(const govern::IncomingMessage& message,
                                              const std::function<Result<TurnStart>()>& live) {
  ANIMA_ASSIGN(TurnStart start, live());
  turn_ = Json::object({{"message", message_to_json(message)},
                        {"start", start_to_json(start)},
                        {"outcomes", Json::array()},
                        {"consents", Json::array()}});
  if (std::exchange(anew_, false)) turn_.set("anew", true);
  return start;
}

Result<TapedCall> ConversationRecorder::call(const llm::ToolCall&,
                                             const std::function<Result<TapedCall>()>& live) {
  ANIMA_ASSIGN(TapedCall made, live());
  Json outcomes = *turn_.find("outcomes");
  Json outcome = detail::to_json(made.outcome);
  outcome.set("call", made.number);
  if (made.planned) outcome.set("planned", text_array(*made.planned));
  outcome.set("floor", govern::trust_name(made.floor));
  outcomes.push_back(std::move(outcome));
  turn_.set("outcomes", std::move(outcomes));
  return made;
}

Status ConversationRecorder::consent(bool granted) {
  Json consents = *turn_.find("consents");
  consents.push_back(granted);
  turn_.set("consents", std::move(consents));
  return {};
}

Status ConversationRecorder::end(const TurnEnd& end) {
  turn_.set("end", end_to_json(end));
  return write(Json::object({{"turn", std::exchange(turn_, Json())}}));
}

Status ConversationRecorder::learnt(const Json& facts) {
  return write(Json::object({{"learnt", facts}}));
}

Status ConversationRecorder::write(Json record) {
  record.set("session", session_);
  record.set("conversation", conversation_);
  if (!setup_.is_null()) record.set("setup", setup_);
  ANIMA_TRY(space_
                .write_sealed(origin_, kTapeKey,
                              [&](store::Transaction& transaction) {
                                return transaction.record(store::RecordKind::kModelAnswer,
                                                          record.dump());
                              })
                .map([](const store::Receipt&) {}));
  setup_ = Json();
  return {};
}

// --- reading ---------------------------------------------------------------------------------

Result<ConversationHistory> read_history(store::Space& space, std::string_view session,
                                         store::Sequence upto) {
  ConversationHistory history;
  ANIMA_ASSIGN(const store::Head head, space.log().head());
  const auto newest =
      static_cast<std::uint64_t>(upto == store::Sequence::kNone ? head.sequence : upto);
  const store::Sequence after{newest > kHistoryEntries ? newest - kHistoryEntries : 0};
  ANIMA_TRY(
      visit_tapes(space, after, [&](const store::LogEntry& entry, const Json& record) -> Status {
        if (static_cast<std::uint64_t>(entry.sequence) > newest) return {};
        if (text_of(record, "session") != session) return {};
        if (flag_of(record, "cleared")) history.clear();
        return put_back(record, history);
      }));
  return history;
}

Status clear_session(store::Space& space, const store::Origin& origin, std::string_view session) {
  const std::string record = Json::object({{"session", session}, {"cleared", true}}).dump();
  ANIMA_TRY(space
                .write_sealed(origin, kTapeKey,
                              [&](store::Transaction& transaction) {
                                return transaction.record(store::RecordKind::kModelAnswer, record);
                              })
                .map([](const store::Receipt&) {}));
  return reset_session_floor(space, origin, session);
}

Result<std::vector<RecordedConversation>> recorded_conversations(store::Space& space) {
  std::vector<RecordedConversation> all;
  ANIMA_TRY(visit_tapes(space, store::Sequence::kNone,
                        [&](const store::LogEntry& entry, const Json& record) -> Status {
                          const std::string id = text_of(record, "conversation");
                          if (id.empty()) return {};
                          auto found = std::ranges::find(all, id, &RecordedConversation::id);
                          if (found == all.end()) {
                            RecordedConversation fresh;
                            fresh.id = id;
                            fresh.session = text_of(record, "session");
                            fresh.first = entry.sequence;
                            fresh.time = entry.time;
                            if (const Json* setup = record.find("setup")) fresh.setup = *setup;
                            all.push_back(std::move(fresh));
                            found = all.end() - 1;
                          }
                          found->last = entry.sequence;
                          if (const Json* turn = record.find("turn"))
                            found->turns.push_back({entry.sequence, *turn});
                          if (const Json* learnt = record.find("learnt"))
                            found->learnt = RecordedTurn{entry.sequence, *learnt};
                          return {};
                        }));
  return all;
}

// --- playing ---------------------------------------------------------------------------------

Status ConversationPlayer::load(const Json& turn) {
  const Json* end = turn.find("end");
  if (end == nullptr || turn.find("message") == nullptr || turn.find("start") == nullptr)
    return fail(ErrorCode::kCorrupt, "a recorded turn lacks its message, start or end");
  turn_ = turn;
  end_ = *end;
  repeated_ = Json();
  outcomes_ = consents_ = 0;
  return {};
}

govern::IncomingMessage ConversationPlayer::message() const {
  const Json& said = *turn_.find("message");
  govern::IncomingMessage message;
  message.content = text_of(said, "content");
  message.channel = text_of(said, "channel");
  message.sender = text_of(said, "sender");
  message.session = text_of(said, "session");
  return message;
}

Result<TurnStart> ConversationPlayer::start(const govern::IncomingMessage&,
                                            const std::function<Result<TurnStart>()>&) {
  return start_from_json(*turn_.find("start"));
}

Result<TapedCall> ConversationPlayer::call(const llm::ToolCall& call,
                                           const std::function<Result<TapedCall>()>&) {
  const JsonArray& outcomes = items_of(turn_, "outcomes");
  if (outcomes_ >= outcomes.size()) {
    return fail(ErrorCode::kConflict,
                fmt::format("call {} of {} was not recorded", outcomes_ + 1, call.name));
  }
  const Json& recorded = outcomes[outcomes_++];
  TapedCall made;
  ANIMA_ASSIGN(made.outcome, detail::outcome_from_json(recorded));
  made.number = static_cast<std::int64_t>(count_of(recorded, "call"));
  if (const Json* planned = recorded.find("planned")) {
    made.planned.emplace();
    for (const Json& each : planned->as_array()) made.planned->push_back(each.as_string());
  }
  made.floor = detail::trust_from(recorded, "floor");
  return made;
}

Result<bool> ConversationPlayer::next_consent() {
  const JsonArray& consents = items_of(turn_, "consents");
  if (consents_ >= consents.size() || !consents[consents_].is_bool())
    return fail(ErrorCode::kConflict, "it waits for a consent that was not asked for then");
  return consents[consents_++].as_bool();
}

Status ConversationPlayer::consent(bool) { return {}; }

Status ConversationPlayer::end(const TurnEnd& end) {
  repeated_ = end_to_json(end);
  return {};
}

}  // namespace anima::agent
