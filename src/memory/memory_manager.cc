#include "memory/memory_manager.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <tuple>

#include "base/text/valid_text.h"
#include "memory/detail/audience.h"
#include "memory/detail/item_store.h"
#include "memory/detail/kept_contents.h"
#include "memory/detail/memory_check.h"
#include "memory/detail/pending_accesses.h"
#include "memory/lost_memories.h"
#include "memory/provenance.h"
#include "memory/recall/detail/event_text.h"
#include "memory/recall/detail/text_access.h"
#include "store/act.h"
#include "store/present.h"

namespace anima::memory {
namespace {

using govern::Trust;
using store::EntityId;

constexpr std::size_t kLooksPerLabel = 4;  // memories looked at for one that was handed out

Json item_details(const MemoryItem& item) {
  Json details = Json::object({{"memoryId", item.id},
                               {"kind", std::string(to_string(item.kind))},
                               {"type", std::string(to_string(item.type))},
                               {"partition", std::string(to_string(item.partition))}});
  if (!item.speaker.empty()) details.set(kSpeakerKey, item.speaker);
  return details;
}

Unexpected<Error> not_found(std::string_view id) {
  return fail(ErrorCode::kNotFound, "there is no memory '" + std::string(id) + "'", {},
              "`anima memory search` finds what is there");
}

}  // namespace

struct MemoryManager::State {
  store::Space& space;
  govern::Ledger& ledger;
  const govern::Guardian& guardian;
  bus::EventBus& events;
  Clock& clock;
  Random& random;
  MemoryOptions options;
  std::mutex mutex;

  detail::PendingAccesses accesses;

  detail::KeptContents contents;
  detail::TextsView texts;
  ProvenanceLedger provenance{space};
  std::shared_ptr<TextVectors> vectors = {};

  Timestamp present() const { return store::present(space, clock); }

  Result<store::Snapshot> items() const {
    ANIMA_ASSIGN(const store::Snapshot now, space.snapshot());
    return detail::items_in(now);
  }

  store::Origin origin(std::string_view author, std::string_view source, Trust trust) const {
    store::Origin origin;
    origin.author = author;
    origin.source = source;
    origin.trust = trust;
    return origin;
  }

  void access(const MemoryItem& item, std::string_view reader, std::string_view action) {
    accesses.note(
        item.id, present(),
        ledger.audit_record(action, reader, Trust::kSystem, Json::object({{"memoryId", item.id}})));
  }

  // Who read what is of no act: an undo of what is done behind it leaves it as it is.
  Status write_accesses() {
    if (accesses.empty()) return {};
    const store::ActScope of_no_act("", store::ActKind::kOwn);
    const auto written =
        space.write(origin("memory", store::kReadingsSource, Trust::kSystem),
                    [&](store::Transaction& transaction) { return accesses.write(transaction); });
    if (!written) return fail(written.error());
    accesses.clear();
    return {};
  }

  // One transaction with the change and the audit entry, behind the accesses.
  Status commit(const store::Origin& who, const govern::LedgerRecord& audit,
                const std::function<Status(store::Transaction&)>& change) {
    ANIMA_TRY(write_accesses());
    return space
        .write(who,
               [&](store::Transaction& transaction) -> Status {
                 ANIMA_TRY(change(transaction));
                 ANIMA_ASSIGN(const std::string payload, govern::record_payload(audit.content));
                 return transaction.record(audit.kind, payload);
               })
        .map([](const store::Receipt&) {});
  }

  Result<MemoryItem> load(const store::Snapshot& snapshot, EntityId entity) {
    MemoryItem item = detail::read_item(snapshot, entity);
    accesses.add_to(item);
    if (item.is_closed()) ANIMA_TRY(detail::read_closed(space, snapshot, entity, item));
    return item;
  }

  MemoryItem item_from(const NewMemory& memory, std::string speaker) {
    MemoryItem item;
    item.speaker = std::move(speaker);
    // An id that follows from a closed text would tell who guesses it that it is right.
    item.kind = memory.kind;
    item.type = memory.type;
    item.partition = memory.partition;
    for (const std::string& reader : memory.readers) item.readers.push_back(valid_text(reader));
    item.content = valid_text(memory.content);
    item.id = item.kind == ItemKind::kKnowledge && !item.is_closed()
                  ? knowledge_id(item.content, item.speaker)
                  : "mem_" + govern::make_uuid(random);
    item.session = valid_text(memory.session);
    item.created_by = valid_text(memory.created_by);
    item.created_at = present();
    item.source = valid_text(memory.source);
    item.confidence = memory.confidence;
    item.last_accessed = item.created_at;
    item.trust = memory.trust;
    for (const std::string& link : memory.chain) item.chain.push_back(valid_text(link));
    item.request_id = memory.request_id;
    item.said_at = memory.said_at;
    return item;
  }

  Result<StoredMemory> quarantine(MemoryItem item, const std::string& reason,
                                  const std::string& needed) {
    item.id = "mem_" + govern::make_uuid(random);
    item.type = ItemType::kQuarantine;
    item.partition = Partition::kSensitive;
    item.readers = {"arbiter", "overseer", "guardian"};
    item.card.reset();
    const Json details =
        Json::object({{"eventType", "trust_violation"},
                      {"severity", "high"},
                      {"source", item.created_by},
                      {"details", Json::object({{"memoryId", item.id}, {"reason", reason}})},
                      {"reason", reason},
                      {"missing", Json(JsonArray{needed})},
                      {"mitigated", true}});
    ANIMA_TRY(commit(
        origin(item.created_by, item.source, item.trust),
        ledger.audit_record("security_event", "system", Trust::kSystem, details),
        [&](store::Transaction& transaction) { return detail::write_item(transaction, item); }));
    events.emit({"security:detected", details});
    events.emit(
        {"memory:quarantined",
         Json::object({{"memoryId", item.id}, {"reason", reason}, {"agent", item.created_by}})});
    return StoredMemory{.id = item.id,
                        .quarantined = true,
                        .partition = item.partition,
                        .readers = item.readers,
                        .reason = reason};
  }

  // The lowest tenth of the capacity, by decayed confidence, makes room; what is trusted more than
  // the newcomer last, so that no flood of strangers pushes out what the owner keeps.
  Status make_room(const store::Snapshot& snapshot, store::Transaction& transaction,
                   Trust newcomer) {
    const std::uint64_t held = detail::count_kind(snapshot, ItemKind::kSession) +
                               detail::count_kind(snapshot, ItemKind::kLearning);
    if (held < options.capacity) return {};
    const Timestamp now = store::present(snapshot, clock);
    std::vector<std::tuple<bool, double, std::string>> ranked;
    for (const EntityId entity : detail::all_items(snapshot)) {
      const MemoryItem item = detail::read_item(snapshot, entity);
      if (item.kind != ItemKind::kKnowledge)
        ranked.emplace_back(item.trust > newcomer, item.confidence_at(now), item.id);
    }
    const std::size_t leaving =
        std::min(ranked.size(), std::max<std::size_t>(1, options.capacity / 10));
    std::ranges::sort(ranked);
    for (std::size_t i = 0; i < leaving; ++i)
      ANIMA_TRY(detail::withdraw_item(transaction, std::get<2>(ranked[i])));
    return {};
  }

  // What the operator says himself is his, whoever said it before, and as closed as he says:
  // written anew, in his name.
  Result<StoredMemory> say_again(MemoryItem item, const MemoryItem& before) {
    const detail::Audience audience =
        detail::common(detail::audience_of(before), detail::audience_of(item));
    const bool raised = item.trust > before.trust;
    const bool narrowed = audience != detail::audience_of(before);
    StoredMemory stored{
        .id = item.id, .known_before = true, .raised = raised, .narrowed = narrowed};
    const store::Origin speaker = origin(item.created_by, item.source, item.trust);
    if (!raised) item = before;
    item.access_count = before.access_count;
    stored.partition = item.partition = audience.partition;
    stored.readers = item.readers = audience.readers;
    if (!raised && !narrowed) return stored;
    Json details = item_details(item);
    if (raised) details.set("before", std::string(govern::trust_name(before.trust)));
    if (narrowed) details.set("readers", detail::readers_of(item));
    ANIMA_TRY(commit(
        speaker,
        ledger.audit_record(raised ? "memory_trust_raised" : "memory_narrowed", speaker.author,
                            item.trust, std::move(details)),
        [&](store::Transaction& transaction) { return detail::rewrite_item(transaction, item); }));
    return stored;
  }

  // The same knowledge, kept before. Who is not the operator learns of what is closed only what he
  // closed alike: that it is known would tell who guesses it that he is right.
  Result<std::optional<EntityId>> known_before(const store::Snapshot& now, const MemoryItem& item) {
    if (item.kind != ItemKind::kKnowledge) return std::optional<EntityId>();
    const auto open = detail::find_item(now, knowledge_id(item.content, item.speaker));
    const bool is_owner = govern::at_least(item.trust, Trust::kOperator);
    const auto is_same = [&](EntityId entity) {
      const MemoryItem standing = detail::read_standing(now, entity);
      return standing.kind == item.kind && standing.type != ItemType::kQuarantine &&
             standing.speaker == item.speaker &&
             (is_owner || detail::audience_of(standing) == detail::audience_of(item) ||
              (!standing.is_closed() && !item.is_closed()));
    };
    if (open && is_same(*open)) return open;
    if (!is_owner && !item.is_closed() && !open) return std::optional<EntityId>();
    ANIMA_ASSIGN(const std::vector<EntityId> alike, saying(item.content, now));
    const auto same = std::ranges::find_if(alike, is_same);
    return same == alike.end() ? std::nullopt : std::optional(*same);
  }

  Result<StoredMemory> keep(MemoryItem item, const NewMemory& memory) {
    ANIMA_ASSIGN(const store::Snapshot now, items());
    ANIMA_ASSIGN(const auto known, known_before(now, item));
    if (known) {
      ANIMA_ASSIGN(const MemoryItem before, load(now, *known));
      item.id = before.id;
      if (govern::at_least(item.trust, Trust::kOperator)) return say_again(std::move(item), before);
      return StoredMemory{.id = item.id,
                          .known_before = true,
                          .partition = before.partition,
                          .readers = before.readers};
    }
    // A closed item may still have the id that it had when it was open.
    if (item.kind == ItemKind::kKnowledge && detail::find_item(now, item.id))
      item.id = "mem_" + govern::make_uuid(random);
    const bool begins = item.kind == ItemKind::kSession && !detail::has_session(now, item.session);
    ANIMA_TRY(commit(
        origin(item.created_by, item.source, item.trust),
        ledger.audit_record("memory_store", item.created_by, memory.trust, item_details(item)),
        [&](store::Transaction& transaction) -> Status {
          if (item.kind != ItemKind::kKnowledge)
            ANIMA_TRY(make_room(transaction.view(), transaction, item.trust));
          return detail::write_item(transaction, item);
        }));
    if (begins) {
      events.emit({"session:started",
                   Json::object({{"session", item.session}, {"agent", item.created_by}})});
    }
    events.emit(
        {"memory:stored", Json::object({{"type", std::string(to_string(item.kind))},
                                        {"id", item.id},
                                        {"partition", std::string(to_string(item.partition))},
                                        {"agent", item.created_by}})});
    return StoredMemory{.id = item.id, .partition = item.partition, .readers = item.readers};
  }

  Result<StoredMemory> keep_or_quarantine(MemoryItem item, const NewMemory& memory) {
    const std::string reason = detail::reason_to_quarantine(guardian, memory);
    if (reason.empty()) return keep(std::move(item), memory);
    return quarantine(std::move(item), reason, detail::trust_that_keeps(guardian, memory));
  }

  void denied(const MemoryItem& item, std::string_view reader) {
    (void)ledger.write(
        "memory_denied", reader, Trust::kSystem,
        Json::object(
            {{"memoryId", item.id},
             {"partition", std::string(to_string(item.partition))},
             {"reason",
              "'" + std::string(reader) + "' is not among the readers of " +
                  (item.readers.empty() ? std::string(to_string(item.partition)) : "this memory")},
             {"missing", Json(JsonArray{"one of its readers: " + detail::readers_of(item)})}}));
  }

  void say_searched(std::string_view text, std::size_t results) {
    events.emit({"knowledge:searched",
                 Json::object({{"query", std::string(text)},
                               {"resultCount", static_cast<std::uint64_t>(results)}})});
  }

  Status follow_texts(const store::Snapshot& now, const detail::TextsView::Load& load_item) {
    const std::int64_t begin = clock.monotonic_nanoseconds();
    ANIMA_ASSIGN(const bool changed, texts.follow(space, now, load_item));
    if (!changed) return {};
    const std::int64_t took = clock.monotonic_nanoseconds() - begin;
    events.emit({"knowledge:indexed",
                 Json::object({{"documentCount", static_cast<std::uint64_t>(texts.size())},
                               {"duration", took / 1'000'000}})});
    return {};
  }

  // The items that say this to the letter.
  Result<std::vector<EntityId>> saying(std::string_view content, const store::Snapshot& items) {
    ANIMA_TRY(contents.follow(items, [&](EntityId entity) { return load(items, entity); }));
    return contents.find(content);
  }

  // Memories by the words of a text alone: a hit has one of them.
  Result<std::vector<std::pair<EntityId, double>>> with_words(
      std::string_view text, detail::Among among, std::string_view reader, std::size_t limit,
      const store::Snapshot& snapshot, const SpeakerNames& speaker = {}) {
    detail::TextQuestion question;
    question.text = text;
    question.reader = reader;
    question.speaker = speaker;
    question.among = among;
    question.limit = limit;
    question.things = &snapshot;
    question.steps = options.recall;
    question.steps.windows = question.steps.sessions = question.steps.dates = false;
    question.steps.participants = question.steps.attachments = question.steps.small = false;
    std::vector<std::pair<EntityId, double>> found;
    detail::TextRanking ranking = texts.rank(question);
    ANIMA_TRY(detail::put_word_first(
        ranking, limit, [&](const detail::RankedItem& ranked) -> Result<std::string> {
          ANIMA_ASSIGN(MemoryItem item, load(snapshot, texts.entity(ranked.item)));
          return std::move(item.content);
        }));
    for (const detail::RankedItem& ranked : ranking.windows.items)
      found.emplace_back(texts.entity(ranked.item), ranked.score);
    return found;
  }

  // Nothing where there is none, or where it is not for the reader, which is audited.
  Result<std::optional<std::pair<EntityId, MemoryItem>>> readable(const store::Snapshot& snapshot,
                                                                  std::string_view id,
                                                                  std::string_view reader) {
    const auto entity = detail::find_item(snapshot, id);
    if (!entity) return std::optional<std::pair<EntityId, MemoryItem>>();
    ANIMA_ASSIGN(MemoryItem item, load(snapshot, *entity));
    if (item.readable_by(reader)) return std::optional(std::pair(*entity, std::move(item)));
    denied(item, reader);
    return std::optional<std::pair<EntityId, MemoryItem>>();
  }

  Status withdraw(const MemoryItem& item, const Remover& by) {
    return commit(origin(by.author, by.source, by.trust),
                  ledger.audit_record("memory_forget", by.author, by.trust, item_details(item)),
                  [&](store::Transaction& transaction) {
                    return detail::withdraw_item(transaction, item.id);
                  });
  }

  Result<std::pair<EntityId, MemoryItem>> require(const store::Snapshot& snapshot,
                                                  std::string_view id) {
    const auto entity = detail::find_item(snapshot, id);
    if (!entity) return not_found(id);
    ANIMA_ASSIGN(MemoryItem item, load(snapshot, *entity));
    return std::pair(*entity, std::move(item));
  }
};

MemoryManager::MemoryManager(store::Space& space, govern::Ledger& ledger,
                             const govern::Guardian& guardian, bus::EventBus& events, Clock& clock,
                             Random& random, MemoryOptions options)
    : state_(new State{.space = space,
                       .ledger = ledger,
                       .guardian = guardian,
                       .events = events,
                       .clock = clock,
                       .random = random,
                       .options = options,
                       .mutex = {},
                       .accesses = {},
                       .contents = {},
                       .texts = detail::TextsView(options.recall)}) {}

MemoryManager::~MemoryManager() { (void)flush(); }

Result<StoredMemory> MemoryManager::store(const NewMemory& memory) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_TRY(detail::check_memory(memory));
  ANIMA_ASSIGN(std::string speaker, speaker_name(memory.speaker));
  MemoryItem item = state_->item_from(memory, std::move(speaker));
  return state_->keep_or_quarantine(std::move(item), memory);
}

Result<StoredMemory> MemoryManager::add_card(std::string_view front, std::string_view back,
                                             const NewMemory& origin) {
  const std::lock_guard lock(state_->mutex);
  NewMemory memory = origin;
  memory.kind = ItemKind::kLearning;
  memory.content = std::string(front) + "\n" + std::string(back);
  if (front.empty() || back.empty())
    return fail(ErrorCode::kInvalidArgument, "a card has a front and a back");
  ANIMA_TRY(detail::check_memory(memory));
  ANIMA_ASSIGN(std::string speaker, speaker_name(memory.speaker));
  MemoryItem item = state_->item_from(memory, std::move(speaker));
  item.card = new_card(item.id, valid_text(front), valid_text(back), item.created_at);
  return state_->keep_or_quarantine(std::move(item), memory);
}

Result<std::optional<MemoryItem>> MemoryManager::read(std::string_view id,
                                                      std::string_view reader) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot snapshot, state_->items());
  ANIMA_ASSIGN(const auto found, state_->readable(snapshot, id, reader));
  if (!found) return std::optional<MemoryItem>();
  if (is_unreadable(found->second)) {
    return fail(ErrorCode::kCorrupt, "the text of memory '" + found->second.id + "' is not there",
                {}, "`anima doctor --mend` withdraws what cannot come back");
  }
  state_->access(found->second, reader, "memory_retrieve");
  ANIMA_ASSIGN(MemoryItem item, state_->load(snapshot, found->first));
  return std::optional<MemoryItem>(std::move(item));
}

Result<std::optional<MemoryItem>> MemoryManager::find(std::string_view id,
                                                      std::string_view reader) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot snapshot, state_->items());
  ANIMA_ASSIGN(auto found, state_->readable(snapshot, id, reader));
  if (!found) return std::optional<MemoryItem>();
  return std::optional<MemoryItem>(std::move(found->second));
}

Result<std::vector<MemoryHit>> MemoryManager::search(std::string_view text, std::string_view reader,
                                                     std::size_t limit, std::string_view speaker) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot now, state_->space.snapshot());
  const store::Snapshot snapshot = detail::items_in(now);
  const auto load = [&](EntityId entity) { return state_->load(snapshot, entity); };
  ANIMA_TRY(state_->follow_texts(now, load));
  std::vector<MemoryHit> hits;
  // What the reader may not see is no denial: a search asked for nothing in particular.
  ANIMA_ASSIGN(const auto found, state_->with_words(text, detail::Among::kMemories, reader, limit,
                                                    snapshot, SpeakerNames(now, speaker)));
  for (const auto& [entity, score] : found) {
    ANIMA_ASSIGN(MemoryItem item, load(entity));
    state_->access(item, reader, "memory_query");
    ANIMA_ASSIGN(item, load(entity));
    hits.push_back({std::move(item), score});
  }
  state_->say_searched(text, hits.size());
  return hits;
}

Result<bool> MemoryManager::is_quarantined(std::string_view content) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot now, state_->items());
  ANIMA_ASSIGN(const std::vector<EntityId> alike, state_->saying(valid_text(content), now));
  return std::ranges::any_of(alike, [&](EntityId entity) {
    return detail::read_standing(now, entity).type == ItemType::kQuarantine;
  });
}

Status MemoryManager::recall(const store::Snapshot& now,
                             const std::function<Status(detail::TextAccess&)>& visit,
                             bool tellers) {
  const std::lock_guard lock(state_->mutex);
  if (tellers) ANIMA_TRY(state_->provenance.refresh());
  const store::Snapshot items = detail::items_in(now);
  const auto load = [&](EntityId entity) { return state_->load(items, entity); };
  ANIMA_TRY(state_->follow_texts(now, load));
  const auto handed_out = [&](const MemoryItem& item, std::string_view reader) {
    state_->access(item, reader, "memory_query");
  };
  detail::TextAccess access{state_->texts, load,
                            handed_out,    state_->present(),
                            state_->space, tellers ? &state_->provenance : nullptr};
  return visit(access);
}

void MemoryManager::use_vectors(std::shared_ptr<TextVectors> vectors) {
  const std::lock_guard lock(state_->mutex);
  state_->vectors = std::move(vectors);
}

std::shared_ptr<TextVectors> MemoryManager::vectors() const {
  const std::lock_guard lock(state_->mutex);
  return state_->vectors;
}

Result<std::vector<MemoryItem>> MemoryManager::handed_out(std::string_view text,
                                                          std::size_t limit) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot now, state_->space.snapshot());
  const store::Snapshot snapshot = detail::items_in(now);
  const auto load = [&](EntityId entity) { return state_->load(snapshot, entity); };
  ANIMA_TRY(state_->follow_texts(now, load));
  std::vector<MemoryItem> items;
  ANIMA_ASSIGN(const auto labelled, state_->with_words(text, detail::Among::kLabelled, "operator",
                                                       kLooksPerLabel * limit, snapshot));
  for (const auto& [entity, score] : labelled) {
    if (items.size() >= limit) break;
    ANIMA_ASSIGN(MemoryItem item, load(entity));
    if (item.access_count > 0) items.push_back(std::move(item));
  }
  for (MemoryItem& said : detail::events_like(state_->texts, now, text, limit))
    items.push_back(std::move(said));
  return items;
}

Result<std::vector<MemoryItem>> MemoryManager::list(std::string_view reader,
                                                    std::optional<ItemKind> kind,
                                                    std::string_view speaker) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot now_known, state_->space.snapshot());
  const store::Snapshot snapshot = detail::items_in(now_known);
  const SpeakerNames who(now_known, speaker);
  std::vector<MemoryItem> items;
  for (const EntityId entity : detail::all_items(snapshot)) {
    if (!who.empty() && !detail::read_standing(snapshot, entity).is_for(who)) continue;
    ANIMA_ASSIGN(MemoryItem item, state_->load(snapshot, entity));
    if (item.readable_by(reader) && (!kind || item.kind == *kind)) items.push_back(std::move(item));
  }
  const Timestamp now = state_->present();
  std::ranges::sort(items, [&](const MemoryItem& a, const MemoryItem& b) {
    const double first = a.confidence_at(now);
    const double second = b.confidence_at(now);
    return first != second ? first > second : a.id < b.id;
  });
  return items;
}

Result<MemoryPage> MemoryManager::newest(std::string_view reader, std::size_t limit,
                                         std::optional<EntityId> before, std::string_view speaker) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot now, state_->space.snapshot());
  const store::Snapshot snapshot = detail::items_in(now);
  const SpeakerNames who(now, speaker);
  MemoryPage page;
  const std::vector<EntityId> items = detail::all_items(snapshot);
  auto at = before ? std::ranges::lower_bound(items, *before) : items.end();
  while (at != items.begin()) {
    const EntityId entity = *--at;
    const MemoryItem standing = detail::read_standing(snapshot, entity);
    if (standing.kind == ItemKind::kSession || !standing.readable_by(reader) ||
        !standing.is_for(who))
      continue;
    if (page.items.size() == limit) {
      page.next = EntityId{static_cast<std::uint32_t>(entity) + 1};
      break;
    }
    ANIMA_ASSIGN(MemoryItem item, state_->load(snapshot, entity));
    page.items.push_back(std::move(item));
  }
  return page;
}

Status MemoryManager::verify(std::string_view id, std::string_view by) {
  const std::lock_guard lock(state_->mutex);
  if (!is_memory_guardian(by)) {
    return fail(ErrorCode::kDenied, "'" + std::string(by) + "' verifies no memory", {},
                "arbiter, overseer or guardian do");
  }
  ANIMA_ASSIGN(const store::Snapshot items, state_->items());
  ANIMA_ASSIGN(auto found, state_->require(items, id));
  MemoryItem item = std::move(found.second);
  item.verified_at = state_->present();
  item.verified_by = by;
  return state_->commit(
      state_->origin(by, "memory", Trust::kSystem),
      state_->ledger.audit_record("memory_verify", by, Trust::kSystem, item_details(item)),
      [&](store::Transaction& transaction) { return detail::write_changes(transaction, item); });
}

Status MemoryManager::forget(std::string_view id, std::string_view by) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot items, state_->items());
  ANIMA_ASSIGN(const auto found, state_->require(items, id));
  const MemoryItem& item = found.second;
  if (!item.readable_by(by)) {
    state_->denied(item, by);
    return not_found(id);
  }
  return state_->withdraw(item, {std::string(by), "memory", Trust::kOperator});
}

Status MemoryManager::forget(std::string_view id, const Remover& by) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot items, state_->items());
  ANIMA_ASSIGN(const auto found, state_->require(items, id));
  return state_->withdraw(found.second, by);
}

Result<std::size_t> MemoryManager::end_session(std::string_view session) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot snapshot, state_->items());
  const std::string ended = valid_text(session);
  std::vector<std::string> ending;
  for (const EntityId entity : detail::all_items(snapshot)) {
    const MemoryItem item = detail::read_item(snapshot, entity);
    if (item.kind == ItemKind::kSession && item.session == ended) ending.push_back(item.id);
  }
  const Json details =
      Json::object({{"session", ended}, {"items", static_cast<std::uint64_t>(ending.size())}});
  ANIMA_TRY(state_->commit(
      state_->origin("memory", "session", Trust::kSystem),
      state_->ledger.audit_record("session_ended", "memory", Trust::kSystem, details),
      [&](store::Transaction& transaction) -> Status {
        for (const std::string& id : ending) ANIMA_TRY(detail::withdraw_item(transaction, id));
        return {};
      }));
  state_->events.emit({"session:ended", details});
  return ending.size();
}

Result<Card> MemoryManager::review(std::string_view id, int quality) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot items, state_->items());
  ANIMA_ASSIGN(auto found, state_->require(items, id));
  MemoryItem item = std::move(found.second);
  if (!item.card)
    return fail(ErrorCode::kNotFound, "the memory '" + std::string(id) + "' is no card");
  ANIMA_TRY(memory::review(*item.card, quality, state_->present()));
  Json details = item_details(item);
  details.set("quality", quality);
  ANIMA_TRY(state_->commit(
      state_->origin("memory", "review", Trust::kOperator),
      state_->ledger.audit_record("memory_review", "memory", Trust::kOperator, std::move(details)),
      [&](store::Transaction& transaction) { return detail::write_changes(transaction, item); }));
  return *item.card;
}

Result<std::vector<MemoryItem>> MemoryManager::due(Timestamp now) {
  const std::lock_guard lock(state_->mutex);
  ANIMA_ASSIGN(const store::Snapshot snapshot, state_->items());
  std::vector<MemoryItem> items;
  for (const EntityId entity : detail::all_items(snapshot)) {
    ANIMA_ASSIGN(MemoryItem item, state_->load(snapshot, entity));
    if (!is_unreadable(item) && item.card && item.card->next <= now)
      items.push_back(std::move(item));
  }
  std::ranges::sort(items, [](const MemoryItem& a, const MemoryItem& b) {
    return a.card->next != b.card->next ? a.card->next < b.card->next : a.id < b.id;
  });
  return items;
}

Status MemoryManager::flush() {
  const std::lock_guard lock(state_->mutex);
  return state_->write_accesses();
}

}  // namespace anima::memory
