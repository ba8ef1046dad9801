// TextsView: every text that may be recalled, in one index that follows the space: what is
// remembered (memory_item.h), events with a summary, such as the turns of conversations (turns.h),
// and the episodes of agents.
//
// The texts themselves stay in the space; the view holds their terms, neighbours and days. It reads
// what entries wrote since it last looked; where that cannot be known, or a text was changed in its
// place, it is made anew, in the order of the entities, so that two processes rank alike.
// Not thread-safe. Errors: those of reading an item. Complexity: of following, O(what was written);
// of making it anew, O(texts).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "memory/memory_item.h"
#include "memory/recall/detail/vector_index.h"
#include "memory/recall/detail/window_index.h"
#include "store/space.h"

namespace anima::memory::detail {

enum class TextKind : std::uint8_t { kMemory, kEvent, kEpisode };

// Which texts compete.
enum class Among : std::uint8_t {
  kTexts,     // all that the reader may see; exchanges where they are asked for
  kMemories,  // what is remembered of these, and exchanges
  kLabelled,  // what is remembered, whoever may see it, without exchanges: for labels
};

struct TextQuestion {
  std::string_view text;
  std::string_view reader;
  std::string_view asker;     // who "I" is; empty: "user", "me" or "human"
  SpeakerNames speaker = {};  // whose memories compete, beside those of nobody; empty: all
  bool exchanges = false;
  Among among = Among::kTexts;
  Timestamp now;
  std::int64_t offset_seconds = 0;  // of the asker's clock from UTC
  RecallSteps steps;
  std::size_t limit = 0;
  std::span<const NearText> near = {};  // most similar first
  // A stop word that is a thing's name here is looked up; null: none is.
  const store::Snapshot* things = nullptr;
};

struct TextRanking {
  WindowRanking windows;
  std::vector<std::string> stems;  // of the question, in the order of the frequencies
  std::vector<std::string> names;  // stop words that it asks for as names, folded for finding
  Language language = Language::kEnglish;
  QuestionTraits traits;
  std::size_t quarantined = 0, withheld = 0;  // with a word of the question
  // Of a question of one word, folded for finding, where texts have it and others a form of it; or
  // of one that asks for one whole: an address, an identifier, a run of a script without blanks.
  std::string only_word;
  bool whole = false, run = false;  // of which kind it is
};

// Puts texts that have the only word of the question before those that have a form or parts of it,
// and keeps at most `limit`. Reads the ranked texts by `content`, at most some hundreds, where
// there is such a word.
Status put_word_first(TextRanking& ranking, std::size_t limit,
                      const std::function<Result<std::string>(const RankedItem&)>& content);

class TextsView {
 public:
  // Reads an item whole, also a closed one.
  using Load = std::function<Result<MemoryItem>(store::EntityId)>;

  explicit TextsView(RecallSteps steps = {});

  // Whether texts came or went.
  Result<bool> follow(store::Space& space, const store::Snapshot& now, const Load& load);
  TextRanking rank(const TextQuestion& question);

  std::size_t size() const { return index_.size(); }
  TextKind kind(ItemNumber item) const;
  store::EntityId entity(ItemNumber item) const;
  std::string_view speaker(ItemNumber item) const;
  SessionNumber session(ItemNumber item) const { return index_.session(item); }
  // By the clock of who spoke; where that is not known, by that of who asks.
  Day day(ItemNumber item, std::int64_t offset_seconds) const {
    return index_.time(index_.session(item)).by(offset_seconds);
  }
  const MemoryItem& standing(ItemNumber item) const;
  // Changes when the text does.
  std::uint32_t signature(ItemNumber item) const { return signatures_[item]; }
  std::optional<ItemNumber> find(store::EntityId entity) const;  // O(log n)
  // What the reader may see and has no list of readers of its own, without what is quarantined and
  // exchanges; rising.
  std::vector<ItemNumber> open_to(std::string_view reader) const;
  std::size_t heap_bytes() const;
  // For who scores another text against the question, in the language of the question.
  TermReader& terms() { return terms_; }

 private:
  struct Text;
  struct Scopes;

  Status rebuild(const store::Snapshot& now, const Load& load);
  Result<bool> apply(std::vector<store::EntityId> written, const store::Snapshot& now,
                     const Load& load);
  ItemNumber place_of(store::EntityId each, ItemNumber items) const;
  Status add(const Text& text, const Load& load);
  struct TextLanguage {
    Language language = Language::kEnglish;
    bool sure = false;
  };
  TextLanguage language_of(const std::vector<TermWord>& words, SessionNumber session, bool alone);
  std::optional<Language> sure_language(const LanguageVotes& votes) const;
  bool is_rare(Language language) const;  // among the stop words of all texts
  std::uint32_t audience_of(const MemoryItem& standing, const Text& text, bool exchange);
  bool competes(std::uint32_t audience, const TextQuestion& question) const;
  std::uint32_t speaker_number(std::string_view name, TextKind kind);
  SessionNumber session_of(const Text& text, std::uint32_t audience);
  std::vector<std::uint32_t> named_speakers(std::vector<TermWord>& words, Language language,
                                            bool drop, const SpeakerNames& speaker) const;
  std::vector<NearItem> near_items(std::span<const NearText> near) const;
  bool may_be_a_form(const TermWord& word, const QueryTerm& term) const;
  void count_hidden(const TextQuestion& question, TextRanking& ranking) const;
  std::vector<QueryTerm> terms_of(const std::vector<TermWord>& words, Language language, bool sure,
                                  std::vector<std::string>& stems);
  QueryTerm term_of(const TermWord& word);
  QueryTerm term_of_name(const TermWord& word);
  void mark_names(const TextQuestion& question, Language language, std::vector<TermWord>& words);

  RecallSteps steps_;
  TermReader terms_;
  WindowIndex index_;
  store::Sequence at_ = store::Sequence::kNone;
  std::vector<std::uint32_t> signatures_;  // by item: whether it is still the same text
  LanguageVotes votes_;                    // of all texts
  std::uint64_t changes_ = 0;              // texts that came or went
  std::unordered_map<SessionNumber, LanguageVotes> session_votes_;
  std::unordered_map<std::string, SessionNumber> sessions_;
  std::vector<std::string> speakers_;
  std::vector<bool> speak_in_events_;  // by speaker
  std::map<std::string, std::uint32_t, std::less<>> speaker_numbers_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> speakers_by_word_;
  struct Audience {
    MemoryItem standing;  // alone
    TextKind kind = TextKind::kMemory;
    bool exchange = false;
  };
  std::vector<Audience> audiences_;
  std::map<std::string, std::uint32_t, std::less<>> audience_numbers_;
};

}  // namespace anima::memory::detail
