// One remembered thing with its provenance, and who may read it.
//
// Kinds: session (gone at the session's end), learning (cards, scheduled), knowledge (kept until it
// is forgotten on request). Confidence decays when read, 0.01 a day, half as fast once verified;
// what is stored does not change. Thread-safety: plain values. Source: source document 004 (memory
// categories, provenance); governance specification 1.8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/result.h"
#include "govern/trust.h"
#include "memory/cards.h"
#include "memory/speakers.h"

namespace anima::memory {

enum class ItemKind : std::uint8_t { kSession, kLearning, kKnowledge };
enum class ItemType : std::uint8_t {
  kFact,
  kPreference,
  kPattern,
  kContext,
  kDecision,
  kQuarantine
};
enum class Partition : std::uint8_t { kPublic, kInternal, kSensitive };
std::string_view to_string(ItemKind kind);        // "session" ..
std::string_view to_string(ItemType type);        // "FACT" ..
std::string_view to_string(Partition partition);  // "PUBLIC" ..
std::optional<ItemKind> parse_item_kind(std::string_view text);
std::optional<ItemType> parse_item_type(std::string_view text);
std::optional<Partition> parse_partition(std::string_view text);

struct MemoryItem {
  std::string id;
  ItemKind kind = ItemKind::kKnowledge;
  ItemType type = ItemType::kFact;
  Partition partition = Partition::kPublic;
  std::string content;
  std::string session;               // of a session item
  std::vector<std::string> readers;  // agents; empty: all whom the partition lets in
  std::string speaker;               // whose words they are; empty: of nobody in particular
  store::Sequence speaker_entry = store::Sequence::kNone;  // that says so
  // Provenance.
  std::string created_by;
  Timestamp created_at;
  std::optional<Timestamp> said_at;  // when what it took the place of was said, if it was earlier
  std::string source;
  double confidence = 1.0;  // 0 .. 1, as stored
  Timestamp last_accessed;
  std::uint64_t access_count = 0;
  govern::Trust trust = govern::Trust::kUntrusted;
  std::vector<std::string> chain;  // earlier hands, first to last
  std::string request_id;
  std::optional<Timestamp> verified_at;
  std::string verified_by;
  std::optional<Card> card;

  // When its words were said: what "last week" in it is counted from.
  Timestamp time_of_words() const { return said_at.value_or(created_at); }
  double confidence_at(Timestamp now) const;
  bool readable_by(std::string_view agent) const;
  // Whether it is of this speaker, or of nobody in particular; no speaker's is everybody.
  bool is_for(const SpeakerNames& who) const {
    return speaker.empty() || who.empty() || who.contains(speaker, speaker_entry);
  }
  // Whether its text is kept out of the facts, which have no readers of their own: it is SENSITIVE,
  // or has a list of readers.
  bool is_closed() const { return partition == Partition::kSensitive || !readers.empty(); }
  Json to_json(Timestamp now) const;
};

// The id of knowledge that everybody may read: "doc_" and 16 hex digits of the SHA-256 of its text,
// with the speaker before it where it has one.
std::string knowledge_id(std::string_view content, std::string_view speaker = {});

inline constexpr std::size_t kLongestSpeaker = 200;  // bytes
// The name of a person who speaks, trimmed and in NFC; an empty one is nobody in particular.
// Errors: kInvalidArgument (no UTF-8; blank; longer than kLongestSpeaker; a control character; a
// "$", with which Anima's own names begin).
Result<std::string> speaker_name(std::string_view name);
// The same of a name that somebody may have given; without one empty. Errors: also an empty name,
// for who gives one means somebody.
Result<std::string> speaker_given(std::optional<std::string_view> name);

// arbiter, overseer, guardian.
bool is_memory_guardian(std::string_view agent);
// The operator owns the memory; whom else a partition lets in, before the list of the item.
bool lets_in(Partition partition, std::string_view agent);

}  // namespace anima::memory
