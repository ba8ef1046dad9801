#include "store/text/text_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "base/text/read_number.h"
#include "base/text/text.h"
#include "store/text/text_segment.h"

namespace anima::store::detail {
namespace {

// A text that has a word of the query.
struct WordHit {
  std::uint32_t place;
  float score;
};

struct Statistics {
  double documents = 0;
  double average_length = 1;
};

Statistics statistics(const TextSegments& segments, std::uint32_t bound) {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;
  for (const auto& segment : segments) {
    if (segment->bound() <= bound) {
      documents += segment->documents();
      words += segment->words();
      continue;
    }
    for (std::uint32_t place = segment->first(); place < bound; ++place) {
      const std::uint8_t code = segment->length_code_at(place);
      documents += code != 0 ? 1 : 0;
      words += length_of_code(code);
    }
  }
  Statistics result;
  result.documents = static_cast<double>(documents);
  if (documents > 0) result.average_length = static_cast<double>(words) / result.documents;
  return result;
}

// The number that a word of digits writes, where a Term holds it inline.
std::optional<Term> as_integer(std::string_view word) {
  const auto value = read_number<std::int64_t>(word);
  if (!value || !Term::fits_integer(*value) || word != std::to_string(*value)) return std::nullopt;
  return Term::integer(*value);
}

// Saturation of a word's frequency in a text of a given length.
class Saturation {
 public:
  explicit Saturation(double average_length) {
    for (std::size_t code = 0; code < norms_.size(); ++code) {
      const auto length = static_cast<double>(length_of_code(static_cast<std::uint8_t>(code)));
      norms_[code] =
          kSaturation * (1 - kLengthInfluence + kLengthInfluence * length / average_length);
    }
  }
  double of(std::uint32_t times, std::uint8_t length) const {
    const double tf = times;
    return tf * (kSaturation + 1) / (tf + norms_[length]);
  }

 private:
  std::array<double, 256> norms_{};
};

// A word of the query with the words of the texts that are close to it, and where they stand.
class WordScorer {
 public:
  WordScorer(const TextGraph& graph, const TextSegments& segments, std::uint32_t bound,
             double documents, const Saturation& saturation, const QueryWord& word,
             const TextQuery& query, bool only_word, std::size_t most_texts)
      : graph_(graph), bound_(bound), saturation_(saturation), number_(as_integer(word.text)) {
    shares_.fill(word.weight);
    std::optional<double> exact_idf;
    for (const CloseWord& close : close_words(segments, bound, word, query.fuzzy)) {
      Close found;
      found.closeness = close.closeness;
      found.match = close.match;
      found.longer = close.longer;
      found.sense = close.sense;
      std::uint64_t count = 0;
      for (const auto& segment : segments) {
        if (segment->first() >= bound) break;
        TextTerm term;
        if (!segment->find(close.text, term)) continue;
        count += documents_below(*segment, term, bound);
        found.terms.push_back({segment.get(), term});
      }
      const bool exact = close.text == word.text;
      if (!exact && documents_ + count > most_texts) continue;
      // An integer equal to the word is one more text.
      const double n = static_cast<double>(count) + 1;
      found.factor = std::log(1 + (documents + 1 - n + 0.5) / (n + 0.5));
      if (exact) {
        number_score_ = static_cast<float>(found.factor * word.weight * saturation.of(1, 1));
        if (count > 0) exact_idf = found.factor;
        stands_ = count > 0;
      }
      if (count > 0) words_.push_back(std::move(found));
      documents_ += count;
    }
    add_together(segments, documents, word, exact_idf, most_texts);
    if (only_word) rank_kinds(exact_idf.has_value());
    for (Close& close : words_) {
      if (close.longer && exact_idf) close.closeness *= kInsideBehind;
      close.closeness *= shares_[index_of(close.match)];
      if (close.closeness < 1 && exact_idf) close.factor = std::min(close.factor, *exact_idf);
      close.factor *= close.closeness;
      bound_score_ = std::max(bound_score_, close.factor * (kSaturation + 1));
    }
    for (const Together& together : together_words_) add_hits(together);
    keep_best(together_);
    if (number_) bound_score_ = std::max(bound_score_, static_cast<double>(number_score_));
  }

  // No text scores more; a little room for rounding to float.
  double bound_score() const { return bound_score_ * 1.0001; }
  const std::optional<Term>& number() const { return number_; }
  float number_score() const { return number_score_; }

  std::size_t documents() const { return documents_; }
  // Whether some text has the word as it is asked for.
  bool stands() const { return stands_; }
  // What the texts found, or the number, really reach.
  double best_score(std::span<const WordHit> hits) const {
    float best = number_ ? number_score_ : 0;
    for (const WordHit& hit : hits) best = std::max(best, hit.score);
    return static_cast<double>(best);
  }

  // Every text by place, each once with its best score.
  void score_all(std::vector<WordHit>& hits) const {
    hits.clear();
    hits.reserve(documents_);
    for (const Close& close : words_) {
      each_posting(close, [&](std::uint32_t place, float score) {
        hits.push_back({place, score});
        return true;
      });
    }
    hits.insert(hits.end(), together_.begin(), together_.end());
    if (words_.size() < 2 && (words_.empty() || together_.empty())) return;
    keep_best(hits);
  }

  // Whether a text may have it by a form that its language has not.
  bool depends_on_language() const {
    return std::ranges::any_of(words_, [](const Close& close) { return close.sense.has_value(); });
  }

  // The scores of these texts (places ascending), 0 where the word is not. With `languages` of each
  // text a form counts where they have it.
  void score_some(std::span<const std::uint32_t> places,
                  std::span<const language::LanguageSet> languages,
                  std::vector<float>& scores) const {
    scores.assign(places.size(), 0);
    for (const Close& close : words_) {
      std::size_t at = 0;
      each_posting(close, [&](std::uint32_t place, float score) {
        while (at < places.size() && places[at] < place) ++at;
        const bool counts = at < places.size() && places[at] == place &&
                            (!close.sense || languages.empty() || close.sense->fits(languages[at]));
        if (counts) scores[at] = std::max(scores[at], score);
        return at < places.size();
      });
    }
    std::size_t at = 0;
    for (const WordHit& hit : together_) {
      while (at < places.size() && places[at] < hit.place) ++at;
      if (at == places.size()) break;
      if (places[at] == hit.place) scores[at] = std::max(scores[at], hit.score);
    }
  }

 private:
  struct Found {
    const TextSegment* segment;
    TextTerm term;
  };
  static constexpr std::size_t kMatches = static_cast<std::size_t>(Match::kEnd);
  static std::size_t index_of(Match match) { return static_cast<std::size_t>(match); }

  struct Close {
    double closeness = 1;
    Match match = Match::kWord;
    bool longer = false;
    std::optional<language::FormSense> sense;
    double factor = 0;
    std::vector<Found> terms;
  };

  struct Text {
    std::uint32_t place, times;
    std::uint8_t length;
  };

  // The texts of a segment that have the word, by place.
  std::vector<Text> texts_of(const TextSegment& segment, const std::string& word,
                             std::size_t most_texts) const {
    std::vector<Text> texts;
    TextTerm term;
    if (!segment.find(word, term) || term.documents > most_texts) return texts;
    PostingCursor cursor = segment.postings(term);
    std::uint32_t place = 0, times = 0;
    while (cursor.next(place, times) && place < bound_)
      texts.push_back({place, times, segment.length_code_at(place)});
    return texts;
  }

  // The same, and of a word without a digit those that have it as a part of a compound.
  std::vector<Text> texts_with_part(const TextSegment& segment, const std::string& word,
                                    std::size_t most_texts) const {
    std::vector<Text> texts = texts_of(segment, word, most_texts);
    if (word.starts_with(language::kInside) || language::has_digit(word)) return texts;
    const std::vector<Text> inside = texts_of(segment, language::kInside + word, most_texts);
    texts.insert(texts.end(), inside.begin(), inside.end());
    std::ranges::sort(texts, {}, &Text::place);
    std::vector<Text> once;
    for (const Text& text : texts) {
      if (once.empty() || once.back().place != text.place) {
        once.push_back(text);
      } else {
        once.back().times += text.times;
      }
    }
    return once;
  }

  // The texts that have all of the words, as often as the rarest.
  std::vector<Text> texts_with_all(const TextSegments& segments,
                                   const std::vector<std::string>& words,
                                   std::size_t most_texts) const {
    std::vector<Text> all;
    for (const auto& segment : segments) {
      if (segment->first() >= bound_) break;
      std::vector<Text> common = texts_with_part(*segment, words[0], most_texts);
      for (std::size_t i = 1; i < words.size() && !common.empty(); ++i) {
        std::vector<Text> both;
        auto at = common.begin();
        for (const Text& text : texts_with_part(*segment, words[i], most_texts)) {
          while (at != common.end() && at->place < text.place) ++at;
          if (at != common.end() && at->place == text.place)
            both.push_back({at->place, std::min(at->times, text.times), at->length});
        }
        common = std::move(both);
      }
      all.insert(all.end(), common.begin(), common.end());
    }
    return all;
  }

  // Texts that have the word by several of their words.
  struct Together {
    std::vector<Text> texts;
    double factor = 0;
    Match match = Match::kForm;
  };

  // What each kind of match counts: less than those before it that some text has.
  void rank_kinds(bool exact) {
    std::array<bool, kMatches> some{};
    some[index_of(Match::kWord)] = exact;
    for (const Close& close : words_) some[index_of(close.match)] = true;
    for (const Together& together : together_words_) some[index_of(together.match)] = true;
    double share = 1;
    for (std::size_t i = 0; i < kMatches; ++i) {
      shares_[i] = share;
      if (some[i]) share *= kKindBehind;
    }
  }

  void add_hits(const Together& together) {
    const double factor = together.factor * shares_[index_of(together.match)];
    for (const Text& text : together.texts)
      together_.push_back(
          {text.place, static_cast<float>(factor * saturation_.of(text.times, text.length))});
    bound_score_ = std::max(bound_score_, factor * (kSaturation + 1));
  }

  // The texts that have the word as its parts, or in a longer one.
  void add_together(const TextSegments& segments, double documents, const QueryWord& word,
                    const std::optional<double>& exact_idf, std::size_t most_texts) {
    const auto add = [&](const std::vector<std::string>& words, double closeness, Match match) {
      if (words.empty()) return;
      std::vector<Text> texts = texts_with_all(segments, words, most_texts);
      if (word.run && texts.size() <= kMostRead)
        std::erase_if(texts, [&](const Text& text) {
          return !graph_.contains(Term::literal(text.place), word.text);
        });
      if (texts.empty()) return;
      const double n = static_cast<double>(texts.size()) + 1;
      double factor = std::log(1 + (documents + 1 - n + 0.5) / (n + 0.5));
      if (exact_idf) factor = std::min(factor, *exact_idf);
      documents_ += texts.size();
      together_words_.push_back({std::move(texts), factor * closeness, match});
    };
    if (word.run) {
      add(word.parts, 1, Match::kWord);
      stands_ = !together_words_.empty();
      return;
    }
    const double behind = word.number && exact_idf ? kInsideBehind : 1;
    add(word.parts, kTogetherCloseness * behind, Match::kForm);
    add(word.inside, kInsideCloseness * behind, Match::kPart);
  }

  // By place, each once with its best score.
  static void keep_best(std::vector<WordHit>& hits) {
    std::sort(hits.begin(), hits.end(), [](const WordHit& a, const WordHit& b) {
      return a.place != b.place ? a.place < b.place : a.score > b.score;
    });
    hits.erase(std::unique(hits.begin(), hits.end(),
                           [](const WordHit& a, const WordHit& b) { return a.place == b.place; }),
               hits.end());
  }

  template <typename Visit>
  void each_posting(const Close& close, const Visit& visit) const {
    std::array<float, 256> once;  // almost every word stands once in its text
    for (std::size_t code = 0; code < once.size(); ++code) {
      once[code] =
          static_cast<float>(close.factor * saturation_.of(1, static_cast<std::uint8_t>(code)));
    }
    for (const Found& found : close.terms) {
      PostingCursor cursor = found.segment->postings(found.term);
      std::uint32_t place = 0;
      std::uint32_t times = 0;
      while (cursor.next(place, times) && place < bound_) {
        const std::uint8_t length = found.segment->length_code_at(place);
        const float score = times == 1
                                ? once[length]
                                : static_cast<float>(close.factor * saturation_.of(times, length));
        if (!visit(place, score)) return;
      }
    }
  }

  const TextGraph& graph_;
  std::uint32_t bound_;
  const Saturation& saturation_;
  std::optional<Term> number_;
  float number_score_ = 0;
  double bound_score_ = 0;
  std::size_t documents_ = 0;
  bool stands_ = false;
  std::vector<Close> words_;
  std::vector<Together> together_words_;
  std::vector<WordHit> together_;          // by place
  std::array<double, kMatches> shares_{};  // what each kind of match counts
};

// Best score of each word for each entity that was touched. Entities are found by pages of
// neighbouring ids: texts are met in the order of their places, and so, nearly, their entities.
class Board {
 public:
  explicit Board(std::size_t words) : words_(words) {}

  // Room for so many more entities.
  void expect(std::size_t more) {
    entities_.reserve(entities_.size() + more);
    bonus_.reserve(bonus_.size() + more);
    scores_.reserve(scores_.size() + more * words_);
  }
  void offer(EntityId entity, std::size_t word, float score) {
    float& best = scores_[row(entity) * words_ + word];
    best = std::max(best, score);
  }
  void add_bonus(EntityId entity, double bonus) { bonus_[row(entity)] += bonus; }

  std::size_t size() const { return entities_.size(); }
  EntityId entity(std::size_t i) const { return entities_[i]; }
  // Of an entity that is on it.
  std::size_t find(EntityId entity) const {
    const auto id = static_cast<std::uint32_t>(entity);
    return rows_[(std::size_t{pages_[id >> kPageBits] - 1} << kPageBits) + (id & kPageMask)] - 1;
  }
  // Whether it is not yet settled by the languages of its texts what the word gives.
  bool doubt(std::size_t i, std::size_t word) const {
    return scores_[i * words_ + word] > 0 && !settled_.contains(i * words_ + word);
  }
  void settle(std::size_t i, std::size_t word) { settled_.insert(i * words_ + word); }

  float& score(std::size_t i, std::size_t word) { return scores_[i * words_ + word]; }
  // In the order of the query's words, so that the sum does not depend on how it was found.
  double total(std::size_t i) const {
    double total = bonus_[i];
    for (std::size_t word = 0; word < words_; ++word) {
      total += static_cast<double>(scores_[i * words_ + word]);
    }
    return total;
  }

 private:
  static constexpr std::uint32_t kPageBits = 10;

  std::size_t row(EntityId entity) {
    const auto id = static_cast<std::uint32_t>(entity);
    const std::uint32_t page = id >> kPageBits;
    if (page >= pages_.size()) pages_.resize(page + 1, 0);
    if (pages_[page] == 0) {
      rows_.resize(rows_.size() + (std::size_t{1} << kPageBits), 0);
      pages_[page] = static_cast<std::uint32_t>(rows_.size() >> kPageBits);
    }
    std::uint32_t& row = rows_[(std::size_t{pages_[page] - 1} << kPageBits) + (id & kPageMask)];
    if (row == 0) {
      entities_.push_back(entity);
      bonus_.push_back(0);
      scores_.resize(scores_.size() + words_, 0);
      row = static_cast<std::uint32_t>(entities_.size());
    }
    return row - 1;
  }
  static constexpr std::uint32_t kPageMask = (1u << kPageBits) - 1;

  std::size_t words_;
  std::vector<std::uint32_t> pages_;  // id / page size -> page + 1
  std::vector<std::uint32_t> rows_;   // the pages: entity -> row + 1
  std::vector<EntityId> entities_;
  std::vector<double> bonus_;
  std::vector<float> scores_;
  std::unordered_set<std::size_t> settled_;
};

bool better(const TextHit& a, const TextHit& b) {
  return a.score != b.score ? a.score > b.score : a.entity < b.entity;
}

// One query being answered.
class Ranking {
 public:
  Ranking(const TextGraph& graph, const TextSegments& segments, std::uint32_t bound,
          const TextQuery& query, const TextLimits& limits)
      : graph_(graph),
        limit_(query.limit),
        words_(rare_words(segments, bound, query, limits.most_texts)),
        statistics_(statistics(segments, bound)),
        saturation_(statistics_.average_length),
        board_(words_.size()) {
    scorers_.reserve(words_.size());
    // Of a whole it is known whether some text has it before its parts are weighed.
    std::stable_partition(words_.begin(), words_.end(),
                          [](const QueryWord& word) { return word.whole; });
    std::vector<std::string_view> standing;
    for (QueryWord& word : words_) {
      const auto stands = [&](const std::string& whole) {
        return std::ranges::find(standing, whole) != standing.end();
      };
      if (std::ranges::any_of(word.within, stands)) word.weight = kKindBehind;
      scorers_.emplace_back(graph, segments, bound, statistics_.documents, saturation_, word, query,
                            words_.size() == 1, limits.most_texts);
      if (word.whole && scorers_.back().stands()) standing.push_back(word.text);
    }
    add_names(trim(query.text));
  }

  std::vector<TextHit> run() {
    std::vector<std::size_t> order(words_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return scorers_[a].bound_score() > scorers_[b].bound_score();
    });
    double rest = 0;  // what the words left can give to anybody
    std::size_t texts = 0;
    for (const std::size_t word : order) {
      rest += scorers_[word].bound_score() * kNameWeight;
      texts += scorers_[word].documents();
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const WordScorer& scorer = scorers_[order[i]];
      const auto left = std::span(order).subspan(i);
      const bool worth_it = i > 0 && texts > board_.size();
      if (worth_it && complete_leaders(left, rest, texts)) break;
      scorer.score_all(hits_);
      rest -= scorer.bound_score() * kNameWeight;
      // The texts themselves bound the word closer than its rarity does.
      const double next = scorer.best_score(hits_) * kNameWeight;
      if (worth_it && complete_leaders(left, rest + next, texts)) break;
      offer_all(order[i]);
      texts -= scorer.documents();
    }
    return best();
  }

 private:
  static constexpr std::size_t kBatch = 1024;
  static constexpr std::size_t kMinLeaders = 1000;
  static constexpr std::size_t kTextsALeader =
      8;  // texts offered in the time that one leader takes

  void add_names(std::string_view name) {
    const std::vector<EntityId> exact = graph_.exactly_named(name);
    for (const EntityId entity : exact) board_.add_bonus(entity, kExactName);
    for (const EntityId entity : graph_.folded_named(name)) {
      if (std::find(exact.begin(), exact.end(), entity) == exact.end()) {
        board_.add_bonus(entity, kFoldedName);
      }
    }
  }

  void offer_all(std::size_t word) {
    const WordScorer& scorer = scorers_[word];
    board_.expect(hits_.size());
    for (std::size_t begin = 0; begin < hits_.size(); begin += kBatch) {
      const std::size_t end = std::min(begin + kBatch, hits_.size());
      terms_.clear();
      for (std::size_t i = begin; i < end; ++i) terms_.push_back(Term::literal(hits_[i].place));
      owners_.clear();
      graph_.owners(terms_, owners_);
      for (const TextOwner& owner : owners_) {
        board_.offer(owner.entity, word,
                     hits_[begin + owner.text].score * static_cast<float>(owner.weight));
      }
    }
    if (!scorer.number()) return;
    owners_.clear();
    graph_.owners(std::span(&*scorer.number(), 1), owners_);
    for (const TextOwner& owner : owners_) {
      board_.offer(owner.entity, word, scorer.number_score() * static_cast<float>(owner.weight));
    }
  }

  // Where the words left can change only the order of those who lead, adds what they give to these;
  // true when the board is then as good as complete.
  bool complete_leaders(std::span<const std::size_t> left, double rest, std::size_t texts_left) {
    const std::vector<TextHit> now = best();
    if (now.size() < limit_ || now.empty() || now.back().score <= rest) return false;
    const double enough = now.back().score - rest;
    const std::size_t most = std::max(kMinLeaders, texts_left / kTextsALeader);
    std::vector<std::size_t> leaders;
    for (std::size_t i = 0; i < board_.size(); ++i) {
      if (board_.total(i) < enough) continue;
      if (leaders.size() == most) return false;
      leaders.push_back(i);
    }
    add_texts(leaders, left, false);
    return true;
  }

  // What the texts of these entities give them for these words; `by_language`: without forms that
  // the language of a text has not.
  void add_texts(std::span<const std::size_t> entities, std::span<const std::size_t> words,
                 bool by_language) {
    struct Text {
      Term term;
      std::size_t entity;
      float weight;
    };
    std::vector<Text> texts;
    std::vector<TextField> fields;
    for (const std::size_t entity : entities) {
      fields.clear();
      graph_.texts(board_.entity(entity), fields);
      for (const TextField& field : fields)
        texts.push_back({field.term, entity, static_cast<float>(field.weight)});
    }
    std::sort(texts.begin(), texts.end(),
              [](const Text& a, const Text& b) { return a.term.code < b.term.code; });
    std::vector<std::uint32_t> places;
    std::vector<language::LanguageSet> languages;
    for (const Text& text : texts) {
      if (text.term.tag() != Tag::kLiteral) continue;
      if (!places.empty() && places.back() == text.term.place()) continue;
      places.push_back(text.term.place());
      if (by_language) languages.push_back(graph_.languages(text.term));
    }
    std::vector<float> scores;
    for (const std::size_t word : words) {
      scorers_[word].score_some(places, languages, scores);
      std::size_t at = 0;
      for (const Text& text : texts) {
        float score = 0;
        if (text.term.tag() == Tag::kLiteral) {
          while (places[at] != text.term.place()) ++at;
          score = scores[at];
        } else if (scorers_[word].number() == text.term) {
          score = scorers_[word].number_score();
        }
        float& best = board_.score(text.entity, word);
        best = std::max(best, score * text.weight);
      }
    }
  }

  // Whether some of the hits had a word by a form that the language of its text has not: it has
  // that no more.
  bool lower_unfit(std::span<const TextHit> hits) {
    std::vector<std::size_t> entities, words;
    std::vector<double> totals;
    for (const TextHit& hit : hits) {
      const std::size_t entity = board_.find(hit.entity);
      bool some = false;
      for (std::size_t word = 0; word < words_.size(); ++word) {
        if (!board_.doubt(entity, word) || !scorers_[word].depends_on_language()) continue;
        if (!some) totals.push_back(board_.total(entity));
        board_.score(entity, word) = 0;
        board_.settle(entity, word);
        if (std::ranges::find(words, word) == words.end()) words.push_back(word);
        some = true;
      }
      if (some) entities.push_back(entity);
    }
    if (entities.empty()) return false;
    add_texts(entities, words, true);
    for (std::size_t i = 0; i < entities.size(); ++i)
      if (board_.total(entities[i]) < totals[i]) return true;
    return false;
  }

  // Texts are looked at for their language where that may matter for what is returned.
  std::vector<TextHit> best() {
    for (std::size_t count = limit_;; count *= 2) {
      std::vector<TextHit> found = highest_accepted(count);
      if (lower_unfit(found)) continue;
      if (found.size() > limit_) found.resize(limit_);
      return found;
    }
  }

  // The best that the graph accepts; only those that come up are looked at.
  std::vector<TextHit> highest_accepted(std::size_t count) const {
    for (std::size_t room = 4 * count + 64;; room *= 16) {
      std::vector<TextHit> heap = highest(room);
      std::vector<TextHit> best;
      for (const TextHit& hit : heap) {
        if (best.size() == count) break;
        if (hit.score > 0 && graph_.accepts(hit.entity)) best.push_back(hit);
      }
      if (best.size() == count || heap.size() == board_.size()) return best;
    }
  }
  // At most `room` entities, the best first, whether accepted or not.
  std::vector<TextHit> highest(std::size_t room) const {
    std::vector<TextHit> heap;
    heap.reserve(std::min(room, board_.size()) + 1);
    // The worst of those kept is on top.
    for (std::size_t i = 0; i < board_.size(); ++i) {
      const TextHit hit{board_.entity(i), board_.total(i)};
      if (heap.size() == room && !better(hit, heap.front())) continue;
      heap.push_back(hit);
      std::push_heap(heap.begin(), heap.end(), better);
      if (heap.size() <= room) continue;
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
    std::sort_heap(heap.begin(), heap.end(), better);
    return heap;
  }

  const TextGraph& graph_;
  std::size_t limit_;
  std::vector<QueryWord> words_;
  Statistics statistics_;
  Saturation saturation_;
  std::vector<WordScorer> scorers_;
  Board board_;
  std::vector<WordHit> hits_;
  std::vector<Term> terms_;
  std::vector<TextOwner> owners_;
};

}  // namespace

std::vector<TextHit> rank_text(const TextGraph& graph, const TextSegments& segments,
                               std::uint32_t bound, const TextQuery& query,
                               const TextLimits& limits) {
  return Ranking(graph, segments, bound, query, limits).run();
}

}  // namespace anima::store::detail
