#include "memory/recall/recall_scenarios.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/json/json.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "memory/recall/detail/dates.h"

namespace anima::memory {
namespace {

Unexpected<Error> wrong(std::string what, const std::string& place) {
  return fail(ErrorCode::kInvalidArgument, std::move(what), place);
}

Result<const JsonArray*> list_of(const Json& object, std::string_view key,
                                 const std::string& place) {
  const Json* value = object.is_object() ? object.find(key) : nullptr;
  if (value == nullptr || !value->is_array())
    return wrong("\"" + std::string(key) + "\" is to be a list", place);
  return &value->as_array();
}

Result<std::string> text_of(const Json& object, std::string_view key, const std::string& place) {
  const Json* value = object.is_object() ? object.find(key) : nullptr;
  if (value == nullptr || !value->is_string() || trim(value->as_string()).empty())
    return wrong("\"" + std::string(key) + "\" is to be a text", place);
  return value->as_string();
}

Result<std::string> text_of(const Json& object, std::string_view key, std::string_view otherwise,
                            const std::string& place) {
  const Json* value = object.find(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) return wrong("\"" + std::string(key) + "\" is to be a text", place);
  return value->as_string();
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

// --- LoCoMo -------------------------------------------------------------------------------------

// Of the categories 1 to 5.
constexpr std::array<std::string_view, 5> kCategories = {"multi-hop", "temporal", "open-domain",
                                                         "single-hop", "adversarial"};

// "D8:6; D9:17", "D:11:26": a session and a turn each.
void add_turns(std::string_view text, std::vector<std::string>& turns) {
  std::vector<std::string> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == text.npos) return;
    at = std::min(text.find_first_not_of("0123456789", begin), text.size());
    std::string_view number = text.substr(begin, at - begin);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size() - 1));
    numbers.emplace_back(number);
    if (numbers.size() < 2) continue;
    add_once(turns, "D" + numbers[0] + ":" + numbers[1]);
    numbers.clear();
  }
}

// Of "session_12"; nothing for "session_12_date_time".
std::optional<int> session_number(std::string_view key) {
  constexpr std::string_view kPrefix = "session_";
  if (!key.starts_with(kPrefix)) return std::nullopt;
  key.remove_prefix(kPrefix.size());
  return read_number<int>(key);
}

// "1:56 pm on 8 May, 2023": the day.
std::optional<Timestamp> day_named(std::string_view text) {
  for (const DayRange& days :
       detail::told_days(text, detail::Language::kEnglish, true, std::nullopt)) {
    if (days.from == days.to) return Timestamp{days.from * kMicrosecondsPerDay};
  }
  return std::nullopt;
}

Result<ScenarioText> read_turn(const Json& turn, const std::string& session,
                               std::optional<Timestamp> time, const std::string& place) {
  ScenarioText text;
  ANIMA_ASSIGN(text.id, text_of(turn, "dia_id", place));
  const std::string here = place + " " + text.id;
  ANIMA_ASSIGN(text.speaker, text_of(turn, "speaker", here));
  ANIMA_ASSIGN(text.content, text_of(turn, "text", "", here));
  ANIMA_ASSIGN(const std::string caption, text_of(turn, "blip_caption", "", here));
  ANIMA_ASSIGN(const std::string search, text_of(turn, "query", "", here));
  text.attachment = caption;
  if (!search.empty()) text.attachment += "\n" + search;
  text.source = "conversation";
  text.session = session;
  text.time = time;
  std::vector<std::string> turns;
  add_turns(text.id, turns);
  if (turns.size() != 1) return wrong("\"dia_id\" is to be as \"D1:3\"", place + " " + text.id);
  text.id = turns.front();
  return text;
}

Status read_sessions(const Json& conversation, RecallScenario& scenario, const std::string& place) {
  std::vector<std::pair<int, const Json*>> sessions;
  for (const auto& [key, value] : conversation.as_object()) {
    const auto number = session_number(key);
    if (number && value.is_array()) sessions.emplace_back(*number, &value);
  }
  std::ranges::sort(sessions, {}, &std::pair<int, const Json*>::first);
  for (const auto& [number, turns] : sessions) {
    const std::string session = "session_" + std::to_string(number);
    ANIMA_ASSIGN(const std::string date, text_of(conversation, session + "_date_time", "", place));
    const auto time = day_named(date);
    for (const Json& turn : turns->as_array()) {
      ANIMA_ASSIGN(ScenarioText text, read_turn(turn, session, time, place + " " + session));
      scenario.texts.push_back(std::move(text));
    }
  }
  if (scenario.texts.empty()) return wrong("the conversation has no turn", place);
  return {};
}

Status read_questions(const Json& sample, RecallScenario& scenario, const std::string& place) {
  std::set<std::string_view> known;
  for (const ScenarioText& text : scenario.texts) known.insert(text.id);
  ANIMA_ASSIGN(const JsonArray* questions, list_of(sample, "qa", place));
  for (std::size_t i = 0; i < questions->size(); ++i) {
    const Json& each = (*questions)[i];
    const std::string here = place + " question " + std::to_string(i + 1);
    ScenarioQuestion question;
    ANIMA_ASSIGN(question.text, text_of(each, "question", here));
    const Json* category = each.find("category");
    if (category == nullptr || !category->is_integer() || category->as_integer() < 1 ||
        category->as_integer() > std::ssize(kCategories))
      return wrong("\"category\" is to be 1 to 5", here);
    question.type = kCategories[static_cast<std::size_t>(category->as_integer()) - 1];
    ANIMA_ASSIGN(const JsonArray* evidence, list_of(each, "evidence", here));
    for (const Json& one : *evidence) {
      if (!one.is_string()) return wrong("\"evidence\" is to be a list of turns", here);
      add_turns(one.as_string(), question.evidence);
    }
    scenario.unknown_evidence += std::erase_if(
        question.evidence, [&](const std::string& turn) { return !known.contains(turn); });
    scenario.questions.push_back(std::move(question));
  }
  return {};
}

Result<RecallScenario> read_sample(const Json& sample, const std::string& place) {
  RecallScenario scenario;
  if (!sample.is_object()) return wrong("a conversation is to be an object", place);
  const Json* name = sample.find("sample_id");
  scenario.name = name == nullptr ? place : name->is_string() ? name->as_string() : name->dump();
  const Json* conversation = sample.find("conversation");
  if (conversation == nullptr || !conversation->is_object())
    return wrong("\"conversation\" is to be an object", place);
  ANIMA_TRY(read_sessions(*conversation, scenario, place));
  ANIMA_TRY(read_questions(sample, scenario, place));
  return scenario;
}

// --- ours ---------------------------------------------------------------------------------------

Result<std::optional<Timestamp>> time_of(const Json& object, std::string_view key,
                                         const std::string& place) {
  ANIMA_ASSIGN(const std::string text, text_of(object, key, "", place));
  if (text.empty()) return std::optional<Timestamp>();
  const auto time = parse_timestamp(text);
  if (!time) return wrong("\"" + text + "\" is no time as 2023-05-08T13:56:00Z", place);
  return std::optional(*time);
}

Result<ScenarioText> read_memory(const Json& memory, const std::string& place) {
  ScenarioText text;
  ANIMA_ASSIGN(text.id, text_of(memory, "id", place));
  ANIMA_ASSIGN(text.content, text_of(memory, "text", place));
  ANIMA_ASSIGN(text.source, text_of(memory, "source", "scenario", place));
  ANIMA_ASSIGN(const std::string trust, text_of(memory, "trust", "standard", place));
  const auto level = govern::parse_trust(trust);
  if (!level) return wrong("\"" + trust + "\" is no trust level", place);
  text.trust = *level;
  ANIMA_ASSIGN(text.session, text_of(memory, "session", "", place));
  ANIMA_ASSIGN(text.speaker, text_of(memory, "speaker", "", place));
  ANIMA_ASSIGN(text.attachment, text_of(memory, "attachment", "", place));
  ANIMA_ASSIGN(text.time, time_of(memory, "time", place));
  return text;
}

// {"forget": ID}: of an earlier memory.
Status forget(const Json& json, RecallScenario& scenario, const std::string& place) {
  ANIMA_ASSIGN(const std::string id, text_of(json, "forget", place));
  const auto told = std::ranges::find(scenario.texts, id, &ScenarioText::id);
  if (told == scenario.texts.end() || told->is_turn())
    return wrong("\"" + id + "\" is no earlier memory that can be forgotten", place);
  told->forgotten = true;
  return {};
}

Status read_ids(const JsonArray& list, const std::set<std::string>& known, const std::string& place,
                std::vector<std::string>& ids) {
  for (const Json& one : list) {
    if (!one.is_string() || !known.contains(one.as_string()))
      return wrong("the evidence " + one.dump() + " is no id of a memory", place);
    add_once(ids, one.as_string());
  }
  return {};
}

Result<ScenarioQuestion> read_question(const Json& json, const std::set<std::string>& known,
                                       const std::string& place) {
  ScenarioQuestion question;
  ANIMA_ASSIGN(question.text, text_of(json, "question", place));
  ANIMA_ASSIGN(question.type, text_of(json, "type", "other", place));
  ANIMA_ASSIGN(const JsonArray* evidence, list_of(json, "evidence", place));
  ANIMA_TRY(read_ids(*evidence, known, place, question.evidence));
  if (json.find("absent") != nullptr) {
    ANIMA_ASSIGN(const JsonArray* absent, list_of(json, "absent", place));
    ANIMA_TRY(read_ids(*absent, known, place, question.absent));
  }
  const Json* ordered = json.find("ordered");
  question.ordered = ordered != nullptr && ordered->as_bool();
  ANIMA_ASSIGN(question.asker, text_of(json, "asker", "", place));
  ANIMA_ASSIGN(question.now, time_of(json, "now", place));
  return question;
}

Result<RecallScenario> read_scenario(const Json& json, const std::string& place) {
  RecallScenario scenario;
  ANIMA_ASSIGN(const JsonArray* memories, list_of(json, "memories", place));
  ANIMA_ASSIGN(scenario.name, text_of(json, "name", place, place));
  std::set<std::string> known;
  for (std::size_t i = 0; i < memories->size(); ++i) {
    const std::string here = place + " memory " + std::to_string(i + 1);
    if ((*memories)[i].find("forget") != nullptr) {
      ANIMA_TRY(forget((*memories)[i], scenario, here));
      continue;
    }
    ANIMA_ASSIGN(ScenarioText text, read_memory((*memories)[i], here));
    if (!known.insert(text.id).second) return wrong("the id \"" + text.id + "\" is twice", here);
    scenario.texts.push_back(std::move(text));
  }
  ANIMA_ASSIGN(const JsonArray* questions, list_of(json, "questions", place));
  for (std::size_t i = 0; i < questions->size(); ++i) {
    ANIMA_ASSIGN(
        ScenarioQuestion question,
        read_question((*questions)[i], known, place + " question " + std::to_string(i + 1)));
    scenario.questions.push_back(std::move(question));
  }
  return scenario;
}

template <typename Read>
Result<std::vector<RecallScenario>> read_array(const Json& json, std::string_view where,
                                               std::string_view what, const Read& read) {
  std::vector<RecallScenario> scenarios;
  if (!json.is_array()) return wrong("the file is to be a list", std::string(where));
  for (std::size_t i = 0; i < json.as_array().size(); ++i) {
    const std::string place =
        std::string(where) + " " + std::string(what) + " " + std::to_string(i + 1);
    ANIMA_ASSIGN(RecallScenario scenario, read(json.as_array()[i], place));
    scenarios.push_back(std::move(scenario));
  }
  return scenarios;
}

Result<Json> parse(std::string_view text, const std::string& where) {
  auto json = parse_json(text);
  if (!json) return fail(json.error().code, json.error().message, where + ":" + json.error().where);
  return json;
}

}  // namespace

Result<std::vector<RecallScenario>> read_locomo(std::string_view file, std::string_view where) {
  ANIMA_ASSIGN(const Json json, parse(file, std::string(where)));
  return read_array(json, where, "conversation", read_sample);
}

Result<std::vector<RecallScenario>> read_scenarios(std::string_view file, std::string_view where) {
  if (trim(file).starts_with('[')) {
    ANIMA_ASSIGN(const Json json, parse(file, std::string(where)));
    return read_array(json, where, "scenario", read_scenario);
  }
  std::vector<RecallScenario> scenarios;
  std::size_t number = 0;
  for (const std::string_view line : split(file, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const std::string place = std::string(where) + ":" + std::to_string(number);
    ANIMA_ASSIGN(const Json json, parse(line, place));
    ANIMA_ASSIGN(RecallScenario scenario, read_scenario(json, place));
    scenarios.push_back(std::move(scenario));
  }
  return scenarios;
}

}  // namespace anima::memory
