// Ranking a text query over segments of the text index, against any graph of entities.
//
// Score of an entity = sum over the query's words of the best of its texts, where a text counts
//   field weight (name 2, attribute 1, metadata 1/2) x closeness x idf x tf (k1 + 1) / (tf + k1 (1
//   - b + b len/avg))
// Closeness of a word of the text to a word of the query: the same 1; the last word of the query is
// its start: 0.8 x |start| / |word|, but a number is no start of a longer one ("v1.1" of "v1.11");
// a form of it in the language that the text is in (language/text/forms.h), or another way of
// writing it ("mueller" of "müller"): 0.8; one typo (insertion, deletion, substitution, swap of
// neighbours) in a word of four letters or more without a digit: 0.5; all words of a whole that has
// a digit ("1 11 v1"), as often as the rarest: 0.8. What has a digit and is only inside a longer
// whole, or the start of one: 0.5. These three count a fifth where some text has it as it is asked
// for. A part of a compound ("haus" of "Haustür"): 0.8. A word that is only close never counts as
// rarer than the exact one where that exists. Where the query is one word, the kind of match goes
// first (Match): what is of another kind than the best one that some text has counts a hundredth,
// of the next kind a hundredth of that. Where some text has a whole of the query
// ("docs.example.org", "ข้าวผัด"), what is but a part of it counts a hundredth by itself. idf = ln(1
// + (N - n + 1/2) / (n + 1/2)) over the literals in reach. A small integer counts as a text of one
// word. An entity whose name is the whole query, byte for byte or folded, gets kExactName or
// kFoldedName on top. Source: BM25F, Robertson and Zaragoza (2009), 3.6, with fields normalised one
// by one. Thread-safety: rank_text() from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "language/text/forms.h"
#include "store/snapshot.h"
#include "store/text/text_index.h"

namespace anima::store::detail {

inline constexpr double kExactName = 2000;
inline constexpr double kFoldedName = 1000;
inline constexpr double kNameWeight = 2;
inline constexpr double kAttributeWeight = 1;
inline constexpr double kMetadataWeight = 0.5;
inline constexpr double kPrefixCloseness = 0.8;
inline constexpr double kFormCloseness = 0.8;
inline constexpr double kTypoCloseness = 0.5;
inline constexpr double kPartCloseness = 0.8;
inline constexpr double kTogetherCloseness = 0.8;
inline constexpr double kInsideCloseness = 0.5;
inline constexpr double kInsideBehind = 0.2;      // of it, where there is the word itself
inline constexpr double kKindBehind = 0.01;       // of each kind of match of the only word
inline constexpr double kSaturation = 1.2;        // k1
inline constexpr double kLengthInfluence = 0.75;  // b
inline constexpr std::size_t kMaxQueryWords = 16;
inline constexpr std::size_t kMostRead =
    4096;  // texts with all parts of a run, whether they have it
inline constexpr std::size_t kMinTypoLetters = 4;
inline constexpr std::size_t kMinPrefixLetters = 2;
inline constexpr std::size_t kPrefixScan = 2000;  // words looked at, in byte order
inline constexpr std::size_t kPrefixWords = 64;   // of those, the shortest

// An entity that carries a text in the graph being searched.
struct TextOwner {
  std::uint32_t text = 0;  // which of the terms asked for
  EntityId entity = EntityId::kNone;
  double weight = 0;
};

// A text of an entity.
struct TextField {
  Term term;
  double weight = 0;
};

class TextGraph {
 public:
  virtual ~TextGraph() = default;
  // Appends the visible owners of each term (as name, attribute or metadata).
  virtual void owners(std::span<const Term> terms, std::vector<TextOwner>& out) const = 0;
  // Appends the visible texts of an entity: what owners() says, from the other end.
  virtual void texts(EntityId entity, std::vector<TextField>& out) const = 0;
  // Whether the entity is of the kind and type that is looked for, and asserted.
  virtual bool accepts(EntityId entity) const = 0;
  virtual std::vector<EntityId> exactly_named(std::string_view text) const = 0;
  virtual std::vector<EntityId> folded_named(std::string_view text) const = 0;
  // language::languages_of_forms() of a literal.
  virtual language::LanguageSet languages(Term literal) const = 0;
  // Whether one of the texts of a literal, folded for finding, contains it.
  virtual bool contains(Term literal, std::string_view folded) const = 0;
};

// The words of the query, folded, each once, at most kMaxQueryWords.
struct QueryWord {
  std::string text;
  std::size_t letters = 0;
  bool neighbours = false;
  bool start = false;  // any word that begins with it counts
  bool whole = false;  // of several words ("v1.11"), or a run
  // No index has it: texts that have all `parts` are looked at (language::TermKind::kRun).
  bool run = false;
  bool number = false;                   // it has a digit: a typo would be another thing
  std::vector<std::string> parts = {};   // a text that has all of these counts, too
  std::vector<std::string> inside = {};  // and one that has all of these, in a longer whole
  std::string spelled = {};              // how else it is written
  std::vector<std::string> within = {};  // wholes of the query that it is but a part of
  double weight = 1;                     // less where some text has one of these
};
std::vector<QueryWord> query_words(const TextQuery& query);

// In what way a text has a word of the query, the best first.
enum class Match : std::uint8_t {
  kWord,
  kForm,  // by a rule of the language, in another way of writing, or in several words
  kStem,  // by its stem alone, which may say too much
  kPart,  // of a compound, or of a longer number or identifier
  kStart,
  kTypo,
  kEnd
};

// Words of the segments that are close to a word of the query. One that is so by itself, and closer
// as a form, is there twice.
struct CloseWord {
  std::string text;
  double closeness = 1;
  Match match = Match::kWord;
  bool longer = false;                            // than the number or identifier that is asked for
  std::optional<language::FormSense> sense = {};  // it is close in texts whose language says so
};
std::vector<CloseWord> close_words(const TextSegments& segments, std::uint32_t bound,
                                   const QueryWord& word, bool fuzzy);

// What keeps a search from looking at much (store/rare_words.h).
inline constexpr std::size_t kAnyTexts = ~std::size_t{0};
struct TextLimits {
  std::size_t most_texts = kAnyTexts;  // of a word; words with more are passed over
};

// The words of the query but those that more texts have.
std::vector<QueryWord> rare_words(const TextSegments& segments, std::uint32_t bound,
                                  const TextQuery& query, std::size_t most_texts);

std::vector<TextHit> rank_text(const TextGraph& graph, const TextSegments& segments,
                               std::uint32_t bound, const TextQuery& query,
                               const TextLimits& limits = {});

// search_text() (text_index.h) with limits.
std::vector<TextHit> search_text(const Snapshot& snapshot, const TextScope& scope,
                                 const TextQuery& query, const TextLimits& limits);

}  // namespace anima::store::detail
