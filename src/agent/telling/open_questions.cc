#include "agent/telling/open_questions.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "agent/detail/attributes.h"
#include "base/crypto.h"
#include "base/json/json_member.h"
#include "store/own_graphs.h"
#include "store/symbols.h"

namespace anima::agent {
namespace {

using store::EntityId;
using store::Snapshot;

using memory::kQuestionType;
using memory::kSpeakerKey;

constexpr std::string_view kQuestionId = "ask_";
constexpr std::string_view kWordsKey = "content", kQuestionKey = "question", kMemoryKey = "memory",
                           kSaidAtKey = "said_at", kSinceKey = "said_first_at",
                           kSaidBeforeKey = "said_before", kConfidenceKey = "confidence",
                           kAskedAgainKey = "asked_again_at";
constexpr std::size_t kQuestionIdDigits = 12, kLeastOfQuestionId = 4;

Json question_json(const Decisions& decisions) {
  Json json = Json::object();
  for (const auto& [about, decision] : decisions) json.set(about, decision);
  return json;
}

Decisions decisions_of(const Json* json) {
  Decisions decisions;
  if (json == nullptr || !json->is_object()) return decisions;
  for (const auto& [about, decision] : json->as_object())
    if (decision.is_string()) decisions[about] = decision.as_string();
  return decisions;
}

Json question_json(const OpenQuestion& asked) {
  Json choices = Json::array();
  for (const ToldQuestion::Choice& one : asked.question.choices)
    choices.push_back(
        Json::object({{"label", one.label}, {"decides", question_json(one.decides)}}));
  return Json::object({{"asks", asked.question.asks},
                       {"proposes", asked.question.proposes},
                       {"yes", question_json(asked.question.yes)},
                       {"choices", std::move(choices)},
                       {"decided", question_json(asked.decided)}});
}

void read_question_json(const Json& json, OpenQuestion& asked) {
  asked.question.asks = text_member(json, "asks");
  asked.question.proposes = text_member(json, "proposes");
  asked.question.yes = decisions_of(json.find("yes"));
  asked.decided = decisions_of(json.find("decided"));
  const Json* choices = json.find("choices");
  if (choices == nullptr || !choices->is_array()) return;
  for (const Json& one : choices->as_array())
    asked.question.choices.push_back(
        {text_member(one, "label"), decisions_of(one.find("decides"))});
}

std::string question_part(const Snapshot& own, EntityId entity, std::string_view key) {
  const auto term = own.attribute(entity, key);
  return term ? std::string(own.value(*term).text) : std::string();
}

OpenQuestion read_question(const Snapshot& own, EntityId entity) {
  OpenQuestion asked;
  asked.id = own.name(entity);
  asked.text = question_part(own, entity, kWordsKey);
  asked.memory = question_part(own, entity, kMemoryKey);
  asked.speaker = question_part(own, entity, kSpeakerKey);
  asked.said_at = parse_timestamp(question_part(own, entity, kSaidAtKey)).value_or(Timestamp{});
  if (const auto since = parse_timestamp(question_part(own, entity, kSinceKey)))
    asked.since = *since;
  asked.before = !question_part(own, entity, kSaidBeforeKey).empty();
  const auto confidence = own.attribute(entity, kConfidenceKey);
  double sure = 0;
  if (confidence && own.number(*confidence, &sure)) asked.confidence = sure;
  if (const auto json = parse_json(question_part(own, entity, kQuestionKey));
      json && json->is_object())
    read_question_json(*json, asked);
  // As the word of the least trusted who stated its text.
  bool first = true;
  for (const std::string_view part : {kWordsKey, kQuestionKey, kAskedAgainKey}) {
    const auto value = own.attribute(entity, part);
    const auto name = own.find_string(part);
    if (!value || !name) continue;
    for (const store::Assertion& one :
         own.assertions({entity, store::Predicate::attribute(*name), *value})) {
      asked.entry = std::max(asked.entry, one.born);
      if (part == kAskedAgainKey) continue;
      asked.first = std::max(asked.first, one.born);
      const store::EntryInfo info = own.entry(one.born);
      if (first || info.trust < asked.trust) asked.trust = info.trust;
      if (part == kWordsKey) {
        asked.author = info.author;
        asked.source = info.source;
      }
      first = false;
    }
  }
  return asked;
}

std::optional<EntityId> find_question_entity(const Snapshot& own, std::string_view id) {
  const auto type = own.find_type(kQuestionType);
  return type ? own.find_concept(*type, id) : std::nullopt;
}

std::string id_of_question(const OpenQuestion& asked) {
  Json about =
      Json::array({asked.author, asked.source, asked.text, format_timestamp(asked.said_at)});
  const std::string speaker = said_by(asked).speaker;
  if (!speaker.empty()) about.as_array().push_back(speaker);
  return std::string(kQuestionId) + to_hex(sha256(about.dump())).substr(0, kQuestionIdDigits);
}

Status withdraw_questions(store::Space& space, const std::vector<std::string>& ids,
                          const store::Origin& by) {
  return space
      .write(by,
             [&](store::Transaction& transaction) -> Status {
               for (const std::string& id : ids) {
                 const auto entity = find_question_entity(
                     store::in_graph(transaction.view(), memory::kMemoryGraph), id);
                 if (!entity) continue;
                 ANIMA_TRY(transaction.retract_concept(
                     *entity, transaction.graph(memory::kMemoryGraph), true));
               }
               return {};
             })
      .map([](const store::Receipt&) {});
}

}  // namespace

Json OpenQuestion::to_json() const {
  Json json = Json::object({{"id", id},
                            {"words", text},
                            {"question", question.asks},
                            {"proposes", question.proposes},
                            {"choices", question.choice_labels()},
                            {"author", author},
                            {"source", source},
                            {"said", format_timestamp(said_at)},
                            {"trust", std::string(govern::trust_name(trust))}});
  if (!memory.empty()) json.set("memory", memory);
  if (!speaker.empty()) json.set("speaker", speaker);
  return json;
}

SaidBy said_by(const OpenQuestion& asked) { return {asked.author, asked.speaker, asked.source}; }

OpenQuestion question_about(const memory::NewMemory& item, std::string memory, std::string speaker,
                            Timestamp said_at) {
  OpenQuestion asked;
  asked.text = item.content;
  asked.memory = std::move(memory);
  asked.speaker = std::move(speaker);
  asked.author = item.created_by;
  asked.source = item.source;
  asked.trust = item.trust;
  asked.confidence = item.confidence;
  asked.said_at = said_at;
  asked.since = item.said_at;
  return asked;
}

Result<std::string> keep_question(store::Space& space, OpenQuestion asked) {
  if (asked.id.empty()) asked.id = id_of_question(asked);
  const store::Origin origin{asked.author, asked.source, asked.trust, store::Sequence::kNone};
  const auto written = space.write(origin, [&](store::Transaction& transaction) -> Status {
    store::AssertOptions options;
    options.graph = transaction.graph(memory::kMemoryGraph);
    ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kQuestionType, options));
    ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, asked.id, options));
    const std::pair<std::string_view, std::string> texts[] = {
        {kWordsKey, asked.text},
        {kQuestionKey, question_json(asked).dump()},
        {kMemoryKey, asked.memory},
        {kSpeakerKey, asked.speaker},
        {kSaidAtKey, format_timestamp(asked.said_at)},
        {kSinceKey, asked.since ? format_timestamp(*asked.since) : std::string()},
        {kSaidBeforeKey, asked.before ? "yes" : ""}};
    for (const auto& [key, text] : texts) {
      if (text.empty()) continue;
      ANIMA_TRY(detail::set_value(transaction, entity, key, store::Value::string(text), options));
    }
    return detail::set_value(transaction, entity, kConfidenceKey,
                             store::Value::of(asked.confidence), options);
  });
  if (!written) return fail(written.error());
  return asked.id;
}

Result<std::vector<OpenQuestion>> open_questions(store::Space& space) {
  ANIMA_ASSIGN(const Snapshot now, space.snapshot());
  const Snapshot own = store::in_graph(now, memory::kMemoryGraph);
  std::vector<OpenQuestion> list;
  const auto type = own.find_type(kQuestionType);
  if (!type) return list;
  store::Scratch scratch;
  for (const std::uint32_t code :
       own.subjects(store::kTypePredicate, store::Term::entity(*type), scratch))
    list.push_back(read_question(own, EntityId{code}));
  std::ranges::stable_sort(list, [](const OpenQuestion& a, const OpenQuestion& b) {
    return std::tie(b.entry, a.id) < std::tie(a.entry, b.id);
  });
  return list;
}

Result<OpenQuestion> find_question(store::Space& space, std::string_view id) {
  ANIMA_ASSIGN(std::vector<OpenQuestion> list, open_questions(space));
  std::erase_if(list, [&](const OpenQuestion& one) {
    const bool begins =
        id.size() >= kLeastOfQuestionId + kQuestionId.size() && one.id.starts_with(id);
    return one.id != id && !begins;
  });
  if (list.size() == 1) return std::move(list.front());
  if (list.empty()) {
    return fail(ErrorCode::kNotFound, "no question '" + std::string(id) + "' is open", {},
                "anima memory review lists those that are");
  }
  return fail(ErrorCode::kInvalidArgument, "several questions begin so", std::string(id));
}

Status renew_question(store::Space& space, std::string_view id, const store::Origin& by,
                      Timestamp now) {
  return space
      .write(by,
             [&](store::Transaction& transaction) -> Status {
               const auto entity = find_question_entity(
                   store::in_graph(transaction.view(), memory::kMemoryGraph), id);
               if (!entity) return {};
               store::AssertOptions options;
               options.graph = transaction.graph(memory::kMemoryGraph);
               return detail::set_value(transaction, *entity, kAskedAgainKey,
                                        store::Value::string(format_timestamp(now)), options);
             })
      .map([](const store::Receipt&) {});
}

Status close_question(store::Space& space, std::string_view id, const store::Origin& by) {
  return withdraw_questions(space, {std::string(id)}, by);
}

Status close_questions_about(store::Space& space, std::string_view memory,
                             const store::Origin& by) {
  ANIMA_ASSIGN(const std::vector<OpenQuestion> list, open_questions(space));
  std::vector<std::string> ids;
  for (const OpenQuestion& one : list)
    if (one.memory == memory) ids.push_back(one.id);
  return ids.empty() ? Status() : withdraw_questions(space, ids, by);
}

}  // namespace anima::agent
