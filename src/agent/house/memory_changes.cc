#include "agent/house/memory_changes.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "memory/lost_memories.h"
#include "store/act.h"

namespace anima::agent {
namespace {

constexpr std::size_t kMostRememberedBytes = std::size_t{256} << 10;

memory::NewMemory word_of(const MemoryCaller& caller) {
  memory::NewMemory item;
  item.created_by = caller.author;
  item.source = caller.source;
  item.trust = caller.trust;
  return item;
}

store::Origin origin_of(const MemoryCaller& caller) {
  return {caller.author, caller.source, caller.trust, store::Sequence::kNone};
}

}  // namespace

Status check_text(std::string_view text) {
  if (text.size() > kMostRememberedBytes) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("a text of {} bytes is too long to be remembered", text.size()), {},
                fmt::format("at most {} bytes; `anima memory ingest` takes a document in",
                            kMostRememberedBytes));
  }
  if (text.find('\0') != std::string_view::npos)
    return fail(ErrorCode::kInvalidArgument, "the text holds a NUL", {}, "no text has one");
  const std::size_t at = invalid_utf8_at(text);
  if (at == kValidUtf8) return {};
  return fail(ErrorCode::kInvalidArgument, "the text is no UTF-8 at byte " + std::to_string(at + 1),
              {}, "`iconv -f LATIN1 -t UTF-8` makes it so, where it is Latin-1");
}

bool MemoryChanges::may_change(const memory::MemoryItem& item, const MemoryCaller& caller) {
  if (item.type == memory::ItemType::kQuarantine || item.trust > caller.trust) return false;
  return govern::at_least(caller.trust, govern::Trust::kOperator) ||
         (item.created_by == caller.author && item.created_at >= caller.since);
}

Result<memory::MemoryItem> MemoryChanges::changeable(std::string_view id,
                                                     const MemoryCaller& caller) {
  ANIMA_ASSIGN(auto item, memory_.find(id, caller.reader));
  if (!item) {
    return fail(ErrorCode::kNotFound, "there is no memory '" + std::string(id) + "'", {},
                "the list of memories has the ids");
  }
  if (may_change(*item, caller)) return *std::move(item);
  const bool higher = item->trust > caller.trust;
  return fail(
      ErrorCode::kDenied,
      "the memory '" + item->id + "' is " +
          (higher ? "trusted more than who asks: " + std::string(govern::trust_name(item->trust))
           : item->created_by == caller.author ? "kept with an earlier token of this name"
                                               : "kept by " + item->created_by),
      {}, "the owner of the space changes it: anima memory forget " + item->id);
}

Result<ChangedMemory> MemoryChanges::forget(std::string_view id, const MemoryCaller& caller) {
  ANIMA_ASSIGN(const memory::MemoryItem item, changeable(id, caller));
  return store::as_whole_act(facts_.space(), [&]() -> Result<ChangedMemory> {
    ChangedMemory changed;
    ANIMA_ASSIGN(changed.facts, facts_.take_back(word_of(caller), item.id));
    ANIMA_TRY(facts_.drop_questions(item.id, origin_of(caller)));
    ANIMA_TRY(memory_.forget(item.id, {caller.author, caller.source, caller.trust}));
    return changed;
  });
}

Result<std::vector<std::string>> MemoryChanges::would_forget(std::string_view id,
                                                             const MemoryCaller& caller) {
  ANIMA_ASSIGN(const memory::MemoryItem item, changeable(id, caller));
  return facts_.would_take_back(word_of(caller), item.id);
}

Result<ChangedMemory> MemoryChanges::update(std::string_view id, std::string text,
                                            const MemoryCaller& caller, const std::string& self,
                                            const std::string& speaker) {
  ANIMA_ASSIGN(const memory::MemoryItem old, changeable(id, caller));
  if (old.kind != memory::ItemKind::kKnowledge) {
    return fail(ErrorCode::kInvalidArgument,
                "the memory '" + old.id + "' is " + std::string(memory::to_string(old.kind)) +
                    ", which has no other text",
                {}, "forget it, and keep the new text");
  }
  ANIMA_TRY(check_text(text));
  memory::NewMemory item = word_of(caller);
  item.content = std::move(text);
  item.type = old.type;
  item.partition = old.partition;
  item.readers = old.readers;
  item.speaker = speaker.empty() ? old.speaker : speaker;
  item.said_at = old.time_of_words();
  return store::as_whole_act(facts_.space(), [&]() -> Result<ChangedMemory> {
    ChangedMemory changed;
    ANIMA_ASSIGN(changed.stored, memory_.store(item));
    if (changed.stored.quarantined) return changed;
    changed.unchanged = changed.stored.id == old.id;
    if (changed.unchanged) return changed;
    ANIMA_ASSIGN(changed.facts, facts_.take_back(item, old.id));
    ANIMA_TRY(facts_.drop_questions(old.id, origin_of(caller)));
    ANIMA_TRY(memory_.forget(old.id, {caller.author, caller.source, caller.trust}));
    ANIMA_ASSIGN(changed.told,
                 facts_.keep(item, &changed.stored, item.speaker.empty() ? self : item.speaker));
    return changed;
  });
}

bool MemoryChanges::may_answer(const OpenQuestion& asked, const MemoryCaller& caller) {
  return asked.trust <= caller.trust && (govern::at_least(caller.trust, govern::Trust::kOperator) ||
                                         asked.author == caller.author);
}

Result<std::vector<OpenQuestion>> MemoryChanges::questions(const MemoryCaller& caller) {
  ANIMA_ASSIGN(std::vector<OpenQuestion> all, facts_.questions());
  std::erase_if(all, [&](const OpenQuestion& one) { return !may_answer(one, caller); });
  return all;
}

Result<Told> MemoryChanges::answer(std::string_view id, std::string_view answer,
                                   const MemoryCaller& caller) {
  ANIMA_ASSIGN(const OpenQuestion asked, facts_.question(id));
  if (!may_answer(asked, caller)) {
    return fail(ErrorCode::kDenied,
                "the question '" + asked.id + "' is not this caller's to answer", {},
                "the owner of the space answers it: anima memory review " + asked.id);
  }
  return store::as_whole_act(facts_.space(), [&]() -> Result<Told> {
    ANIMA_ASSIGN(Told told, facts_.decide(asked, answer, origin_of(caller)));
    if (told.withdrawn.empty()) return told;
    const Status gone =
        memory_.forget(told.withdrawn, {caller.author, caller.source, caller.trust});
    if (!gone && gone.error().code != ErrorCode::kNotFound) return fail(gone.error());
    return told;
  });
}

}  // namespace anima::agent
