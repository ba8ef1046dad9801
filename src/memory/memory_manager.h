// MemoryManager: what an agent is told, keeps, reviews and forgets; on the log of the space.
//
// An item is a concept of the type MemoryItem in the graph urn:anima:memory, so it is found by text
// search and KIP, has a history, can be undone and carries the trust of its source. What the
// partition SENSITIVE holds, what has a list of readers, and what is quarantined, stays out of the
// facts: its texts (a card's front and back as well) lie in a record of the log that only this
// manager hands out. Provenance (source, author, session, times) is a fact of each. Every store,
// verification, forgetting and denial is audited at once; accesses (counters and their audit) are
// gathered and written before the next change, or by flush(), never one by one. They are of no act
// (store/act.h), so that no undo loses them or waits for them.
//
// Poisoning: content below operator trust that matches an injection pattern, and decisions or
// sensitive items from untrusted sources, are quarantined: kept, shown to arbiter, overseer and
// guardian only. Thread-safety: from any thread. Ownership: what is passed in outlives it.
// Errors: those of the space. Source: governance specification 1.8, table rows 66-82.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "govern/detect/guardian.h"
#include "govern/ledger/ledger.h"
#include "memory/memory_item.h"
#include "memory/recall/recall_steps.h"

namespace anima::memory {

inline constexpr std::string_view kMemoryGraph = "urn:anima:memory";
inline constexpr std::string_view kItemType = "MemoryItem";
// Of an item: the person whose words it is.
inline constexpr std::string_view kSpeakerKey = "speaker";
// What is asked back about a text (agent/telling/open_questions.h).
inline constexpr std::string_view kQuestionType = "OpenQuestion";

struct MemoryOptions {
  std::size_t capacity = 10'000;  // session and learning items; knowledge is never dropped
  RecallSteps recall = {};        // how texts are indexed, for measuring
};

// Who stores, and from where.
struct NewMemory {
  std::string content;
  ItemKind kind = ItemKind::kKnowledge;
  ItemType type = ItemType::kFact;
  Partition partition = Partition::kPublic;
  std::string created_by = "operator";
  std::string source = "session";
  double confidence = 1.0;
  govern::Trust trust = govern::Trust::kUntrusted;
  std::string session = {};               // required of session items
  std::vector<std::string> readers = {};  // whom of the partition's; empty: all of them
  // Whose words they are, who says "I" in them (speaker_name()); empty: nobody in particular. Equal
  // texts of two speakers are two memories.
  std::string speaker = {};
  std::vector<std::string> chain = {};
  std::string request_id = {};
  std::optional<Timestamp> said_at = {};  // it takes the place of what was said then
  // Of a document, or what others said to each other: code, paths and pages are what it is about.
  // It is shown between fences alone, and what a call takes from it is judged with the call.
  bool told = false;
};

struct StoredMemory {
  std::string id;
  bool quarantined = false;
  bool known_before = false;                 // the same knowledge was there
  bool raised = false;                       // and has the trust of who says it again now
  bool narrowed = false;                     // and fewer may read it now
  Partition partition = Partition::kPublic;  // as it is kept
  std::vector<std::string> readers = {};
  std::string reason = {};  // why it was quarantined
};

struct MemoryHit {
  MemoryItem item;
  double score = 0;
};

struct MemoryPage {
  std::vector<MemoryItem> items;
  std::optional<store::EntityId> next;  // what the page behind this one lies before
};

// As whose act a memory is withdrawn.
struct Remover {
  std::string author, source;
  govern::Trust trust = govern::Trust::kUntrusted;
};

class TextVectors;

namespace detail {
struct TextAccess;
}

class MemoryManager {
 public:
  MemoryManager(store::Space& space, govern::Ledger& ledger, const govern::Guardian& guardian,
                bus::EventBus& events, Clock& clock, Random& random, MemoryOptions options = {});
  ~MemoryManager();  // flushes
  MemoryManager(const MemoryManager&) = delete;
  MemoryManager& operator=(const MemoryManager&) = delete;

  // Knowledge that is there already stays one item. The operator's own word raises its trust and
  // may narrow who reads it; it is never opened wider than it was: forget it first. Errors:
  // kInvalidArgument (empty content, no session, confidence outside 0..1, a reader whom the
  // partition keeps out, a speaker that is no name).
  Result<StoredMemory> store(const NewMemory& memory);
  // Whether this text is in quarantine already: who reads a file again tells of it once.
  Result<bool> is_quarantined(std::string_view content);
  Result<StoredMemory> add_card(std::string_view front, std::string_view back,
                                const NewMemory& origin);
  // Nothing when there is no such item or the reader may not see it (then audited). find() only
  // looks: it counts no access, and leaves the content of what is unreadable empty.
  Result<std::optional<MemoryItem>> find(std::string_view id, std::string_view reader);
  Result<std::optional<MemoryItem>> read(std::string_view id, std::string_view reader);
  // Memories with a word of the text, in any form that recall knows it in, best first, ties by age.
  // Counts as an access of each hit. `speaker`, here and below: only what this person said and what
  // nobody in particular did; empty: of everybody.
  Result<std::vector<MemoryHit>> search(std::string_view text, std::string_view reader,
                                        std::size_t limit = 10, std::string_view speaker = {});
  // For recall_context.h alone: calls `visit` under the lock with what recall reads, brought up to
  // the snapshot. Prompts are made by recall_context().
  // `tellers`: who told what is read as well, which takes the provenance of the space.
  Status recall(const store::Snapshot& now, const std::function<Status(detail::TextAccess&)>& visit,
                bool tellers = false);
  // From now on recall compares vectors, too; null: words alone.
  void use_vectors(std::shared_ptr<TextVectors> vectors);
  std::shared_ptr<TextVectors> vectors() const;
  // What was handed out before, to whomever and by whatever process, and shares words with the
  // text, without exchanges; what is quarantined too; of events, whose readings nobody counts, all
  // that do. For labels (recalled_texts.h): no access is counted, nobody is told.
  Result<std::vector<MemoryItem>> handed_out(std::string_view text, std::size_t limit);
  // All that the reader may see, by decayed confidence, then id; no access is counted.
  Result<std::vector<MemoryItem>> list(std::string_view reader,
                                       std::optional<ItemKind> kind = std::nullopt,
                                       std::string_view speaker = {});
  // Of knowledge and cards the reader may see, those that were made last, the newest first; no
  // access is counted. O(items' ids + page).
  Result<MemoryPage> newest(std::string_view reader, std::size_t limit,
                            std::optional<store::EntityId> before = std::nullopt,
                            std::string_view speaker = {});
  // Errors: kNotFound; kDenied: only arbiter, overseer and guardian verify.
  Status verify(std::string_view id, std::string_view by);
  // Withdraws it. Errors: kNotFound (or not readable by `by`).
  Status forget(std::string_view id, std::string_view by);
  // The same by somebody who is no reader of its own, and was let do it (memory_changes.h).
  Status forget(std::string_view id, const Remover& by);
  Result<std::size_t> end_session(std::string_view session);

  // Errors: kNotFound, kInvalidArgument (quality outside 0..5).
  Result<Card> review(std::string_view id, int quality);
  Result<std::vector<MemoryItem>> due(Timestamp now);  // ascending by date, then id

  Status flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anima::memory
