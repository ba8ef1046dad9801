#include "memory/detail/item_store.h"

#include <algorithm>
#include <span>

#include "base/json/json_member.h"
#include "memory/memory_manager.h"
#include "store/own_graphs.h"
#include "store/restate.h"

namespace anima::memory::detail {
namespace {

using govern::Trust;
using store::EntityId;
using store::Snapshot;
using store::Value;

constexpr std::string_view kSaidAt = "said_at";
constexpr std::string_view kType = "MemoryItem";

store::AssertOptions in_graph(store::Transaction& transaction) {
  store::AssertOptions options;
  options.graph = transaction.graph(kMemoryGraph);
  return options;
}

Status set(store::Transaction& transaction, EntityId entity, std::string_view key,
           const Value& value, const store::AssertOptions& options) {
  ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
  return transaction.set_attribute(entity, key, std::span(&term, 1), options);
}

Value time_value(Timestamp time) { return Value::date_time(format_timestamp(time)); }

Value list_value(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  return Value::from_json(list);
}

std::string text_of(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  return term ? std::string(snapshot.value(*term).text) : std::string();
}

// That states it first.
store::Sequence entry_of(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  const auto name = snapshot.find_string(key);
  store::Sequence first = store::Sequence::kNone;
  if (!term || !name) return first;
  for (const store::Assertion& one :
       snapshot.assertions({entity, store::Predicate::attribute(*name), *term}))
    if (first == store::Sequence::kNone || one.born < first) first = one.born;
  return first;
}

Timestamp time_of(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  return parse_timestamp(text_of(snapshot, entity, key)).value_or(Timestamp{});
}

double number_of(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  double number = 0;
  return term && snapshot.number(*term, &number) ? number : 0;
}

std::vector<std::string> list_of(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  std::vector<std::string> texts;
  const auto json = parse_json(text_of(snapshot, entity, key));
  if (!json || !json->is_array()) return texts;
  for (const Json& text : json->as_array()) {
    if (text.is_string()) texts.push_back(text.as_string());
  }
  return texts;
}

// How far the entry that made a statement is trusted; the most, where several did.
Trust trust_of_statement(const Snapshot& snapshot, const store::Triple& statement) {
  std::optional<Trust> most;
  for (const store::Assertion& assertion : snapshot.assertions(statement)) {
    const Trust trust = snapshot.entry(assertion.born).trust;
    most = most ? std::max(*most, trust) : trust;
  }
  return most.value_or(Trust::kUntrusted);
}

// What the item says of itself, and never more than those are trusted who said that or wrote its
// content: an item is a concept like others, which a query language may change.
Trust trust_of(const Snapshot& snapshot, EntityId entity) {
  const auto said = govern::parse_trust(text_of(snapshot, entity, "trust"));
  Trust trust = said.value_or(Trust::kUntrusted);
  for (const std::string_view key : {"trust", "content"}) {
    const auto term = snapshot.attribute(entity, key);
    const auto name = snapshot.find_string(key);
    if (term && name) {
      const store::Triple statement{entity, store::Predicate::attribute(*name), *term};
      trust = govern::lowest(trust, trust_of_statement(snapshot, statement));
    }
  }
  return trust;
}

Result<EntityId> require_item(store::Transaction& transaction, std::string_view id) {
  const auto found = find_item(items_in(transaction.view()), id);
  if (found) return *found;
  return fail(ErrorCode::kNotFound, "there is no memory '" + std::string(id) + "'");
}

Status write_changes_of(store::Transaction& transaction, EntityId entity, const MemoryItem& item,
                        const store::AssertOptions& options) {
  ANIMA_TRY(set(transaction, entity, "last_accessed", time_value(item.last_accessed), options));
  ANIMA_TRY(set(transaction, entity, "access_count",
                Value::of(static_cast<std::int64_t>(item.access_count)), options));
  if (item.verified_at) {
    ANIMA_TRY(set(transaction, entity, "verified_at", time_value(*item.verified_at), options));
    ANIMA_TRY(set(transaction, entity, "verified_by", Value::string(item.verified_by), options));
  }
  if (!item.card) return {};
  Card card = *item.card;
  if (item.is_closed()) card.front = card.back = std::string();
  return set(transaction, entity, "card", Value::from_json(card.to_json()), options);
}

// What a closed item says, and nobody but its readers may read.
Json closed_texts(const MemoryItem& item) {
  Json texts = Json::object({{"id", item.id}, {"content", item.content}});
  if (item.card) {
    texts.set("front", item.card->front);
    texts.set("back", item.card->back);
  }
  return texts;
}

}  // namespace

Status write_item(store::Transaction& transaction, const MemoryItem& item) {
  const store::AssertOptions options = in_graph(transaction);
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kType, options));
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, item.id, options));
  if (item.is_closed()) {
    // Also of bytes that are no text: what could not be read again would hide all memory.
    ANIMA_ASSIGN(const std::string payload, govern::record_payload(closed_texts(item)));
    ANIMA_TRY(transaction.record(store::RecordKind::kQuarantine, payload));
  } else {
    ANIMA_TRY(set(transaction, entity, "content", Value::string(item.content), options));
  }
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"kind", to_string(item.kind)},
      {"memory_type", to_string(item.type)},
      {"partition", to_string(item.partition)},
      {"session", item.session},
      {"created_by", item.created_by},
      {"source", item.source},
      {kSpeakerKey, item.speaker},
      {"request_id", item.request_id},
      {"trust", govern::trust_name(item.trust)}};
  for (const auto& [key, text] : texts) {
    if (!text.empty()) ANIMA_TRY(set(transaction, entity, key, Value::string(text), options));
  }
  ANIMA_TRY(set(transaction, entity, "created_at", time_value(item.created_at), options));
  if (item.said_at)
    ANIMA_TRY(set(transaction, entity, kSaidAt, time_value(*item.said_at), options));
  ANIMA_TRY(set(transaction, entity, "confidence", Value::of(item.confidence), options));
  if (!item.readers.empty())
    ANIMA_TRY(set(transaction, entity, kReadersKey, list_value(item.readers), options));
  if (!item.chain.empty())
    ANIMA_TRY(set(transaction, entity, "chain", list_value(item.chain), options));
  return write_changes_of(transaction, entity, item, options);
}

Status write_changes(store::Transaction& transaction, const MemoryItem& item) {
  ANIMA_ASSIGN(const EntityId entity, require_item(transaction, item.id));
  return write_changes_of(transaction, entity, item, in_graph(transaction));
}

Status withdraw_item(store::Transaction& transaction, std::string_view id) {
  ANIMA_ASSIGN(const EntityId entity, require_item(transaction, id));
  return transaction.retract_concept(entity, transaction.graph(kMemoryGraph), true);
}

Status rewrite_item(store::Transaction& transaction, const MemoryItem& item) {
  ANIMA_ASSIGN(const EntityId entity, require_item(transaction, item.id));
  const Snapshot before = items_in(transaction.view());
  std::vector<std::pair<store::Triple, store::Sequence>> told;
  if (const auto key = before.find_string(kToldRecords)) {
    const auto predicate = store::Predicate::attribute(*key);
    store::Scratch scratch;
    for (const std::uint32_t code : before.objects(entity, predicate, scratch)) {
      const store::Triple noted{entity, predicate, store::Term{code}};
      for (const store::Assertion& one : before.assertions(noted))
        told.emplace_back(noted, one.born);
    }
  }
  ANIMA_TRY(withdraw_item(transaction, item.id));
  ANIMA_TRY(write_item(transaction, item));
  const store::AssertOptions options = in_graph(transaction);
  for (const auto& [noted, entry] : told)
    ANIMA_TRY(store::restate(transaction, noted, options, entry).map([](EntityId) {}));
  return {};
}

Status note_told(store::Transaction& transaction, std::string_view id, std::uint64_t record) {
  const auto entity = find_item(items_in(transaction.view()), id);
  if (!entity) return {};
  ANIMA_ASSIGN(const store::Term number,
               transaction.term(Value::of(static_cast<std::int64_t>(record)).view()));
  return transaction.add_attribute(*entity, kToldRecords, number, in_graph(transaction));
}

Snapshot items_in(const Snapshot& snapshot) { return store::in_graph(snapshot, kMemoryGraph); }

std::optional<EntityId> find_item(const Snapshot& snapshot, std::string_view id) {
  const auto type = snapshot.find_type(kType);
  return type ? snapshot.find_concept(*type, id) : std::nullopt;
}

std::vector<EntityId> all_items(const Snapshot& snapshot) {
  const auto type = snapshot.find_type(kType);
  if (!type) return {};
  store::Scratch scratch;
  std::vector<EntityId> items;
  for (const std::uint32_t id :
       snapshot.subjects(store::kTypePredicate, store::Term::entity(*type), scratch))
    items.push_back(EntityId{id});
  return items;
}

bool is_item(const Snapshot& snapshot, EntityId entity) {
  return snapshot.kind(entity) == store::EntityKind::kConcept &&
         snapshot.name(snapshot.type_of(entity)) == kType;
}

MemoryItem read_standing(const Snapshot& snapshot, EntityId entity) {
  MemoryItem item;
  item.kind = parse_item_kind(text_of(snapshot, entity, "kind")).value_or(ItemKind::kKnowledge);
  item.type = parse_item_type(text_of(snapshot, entity, "memory_type")).value_or(ItemType::kFact);
  // What cannot be read is treated as the most closed.
  item.partition =
      parse_partition(text_of(snapshot, entity, "partition")).value_or(Partition::kSensitive);
  item.readers = list_of(snapshot, entity, kReadersKey);
  item.speaker = text_of(snapshot, entity, kSpeakerKey);
  item.speaker_entry = entry_of(snapshot, entity, kSpeakerKey);
  return item;
}

MemoryItem read_item(const Snapshot& snapshot, EntityId entity) {
  MemoryItem item = read_standing(snapshot, entity);
  item.id = snapshot.name(entity);
  item.content = text_of(snapshot, entity, "content");
  item.session = text_of(snapshot, entity, "session");
  item.created_by = text_of(snapshot, entity, "created_by");
  item.created_at = time_of(snapshot, entity, "created_at");
  if (!text_of(snapshot, entity, kSaidAt).empty())
    item.said_at = time_of(snapshot, entity, kSaidAt);
  item.source = text_of(snapshot, entity, "source");
  item.confidence = number_of(snapshot, entity, "confidence");
  item.last_accessed = time_of(snapshot, entity, "last_accessed");
  item.access_count = static_cast<std::uint64_t>(number_of(snapshot, entity, "access_count"));
  item.trust = trust_of(snapshot, entity);
  item.chain = list_of(snapshot, entity, "chain");
  item.request_id = text_of(snapshot, entity, "request_id");
  item.verified_by = text_of(snapshot, entity, "verified_by");
  if (!item.verified_by.empty()) item.verified_at = time_of(snapshot, entity, "verified_at");
  if (const auto json = parse_json(text_of(snapshot, entity, "card")); json) {
    if (auto card = Card::from_json(*json)) item.card = std::move(*card);
  }
  return item;
}

namespace {

// The texts of the item, where the entry has a record of them.
std::optional<Json> texts_in(const store::LogEntry& entry, std::string_view id) {
  std::optional<Json> texts;
  const Status read =
      store::visit_records(entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind != store::RecordKind::kQuarantine || item_of_record(payload) != id) return {};
        auto json = parse_json(payload);
        const Json* text = json ? json->find("content") : nullptr;
        if (text != nullptr && text->is_string()) texts = *std::move(json);
        return {};
      });
  return read ? std::move(texts) : std::nullopt;
}

struct ClosedTexts {
  std::optional<Json> texts;
  bool sealed = false;  // not found, but something is sealed that may have them
};

Result<ClosedTexts> find_closed(store::Space& space, const Snapshot& snapshot, EntityId entity) {
  ClosedTexts found;
  const std::string_view id = snapshot.name(entity);
  for (const store::Sequence sequence : snapshot.history(entity)) {
    ANIMA_ASSIGN(const store::LogEntry entry, space.log().entry(sequence));
    if (!entry.seal.empty()) {
      found.sealed = true;
      continue;
    }
    found.texts = texts_in(entry, id);
    if (found.texts) break;
  }
  return found;
}

}  // namespace

std::string item_of_record(std::string_view payload) {
  const auto json = parse_json(payload);
  const Json* id = json ? json->find("id") : nullptr;
  return id != nullptr && id->is_string() ? id->as_string() : std::string();
}

Status read_closed(store::Space& space, const Snapshot& snapshot, EntityId entity,
                   MemoryItem& item) {
  ANIMA_ASSIGN(const ClosedTexts found, find_closed(space, snapshot, entity));
  if (!found.texts) return {};
  item.content = text_member(*found.texts, "content");
  if (item.card) {
    item.card->front = text_member(*found.texts, "front");
    item.card->back = text_member(*found.texts, "back");
  }
  return {};
}

Result<std::vector<EntityId>> lost_items(store::Space& space, const Snapshot& snapshot) {
  std::vector<EntityId> lost;
  for (const EntityId entity : all_items(snapshot)) {
    if (!read_standing(snapshot, entity).is_closed()) continue;
    if (!text_of(snapshot, entity, "content").empty()) continue;
    ANIMA_ASSIGN(const ClosedTexts found, find_closed(space, snapshot, entity));
    if (!found.texts && !found.sealed) lost.push_back(entity);
  }
  return lost;
}

namespace {

std::uint64_t count_with(const Snapshot& snapshot, std::string_view attribute,
                         std::string_view text) {
  const auto key = snapshot.find_string(attribute);
  const auto value = snapshot.find_string(text);
  if (!key || !value) return 0;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::attribute(*key);
  pattern.object = *value;
  return snapshot.count(pattern);
}

}  // namespace

bool has_session(const Snapshot& snapshot, std::string_view session) {
  return count_with(snapshot, "session", session) != 0;
}

std::uint64_t count_kind(const Snapshot& snapshot, ItemKind kind) {
  return count_with(snapshot, "kind", to_string(kind));
}

}  // namespace anima::memory::detail
