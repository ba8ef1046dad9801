#include "store/detail/text_search.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "store/detail/text_segment.h"

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

// Scores the texts of one word of the query.
class WordScorer {
 public:
  WordScorer(const TextSegments& segments, std::uint32_t bound, const Statistics& statistics)
      : segments_(segments), bound_(bound), statistics_(statistics) {
    for (std::size_t code = 0; code < norms_.size(); ++code) {
      const auto length = static_cast<double>(length_of_code(static_cast<std::uint8_t>(code)));
      norms_[code] = kSaturation *
                     (1 - kLengthInfluence + kLengthInfluence * length / statistics.average_length);
    }
  }

  // Texts by place, each once with its best score; the score of an integer that is the word itself.
  void score(const QueryWord& word, bool fuzzy, std::vector<WordHit>& hits, double& integer) {
    hits.clear();
    integer = 0;
    std::optional<double> exact_idf;
    const std::vector<CloseWord> words = close_words(segments_, bound_, word, fuzzy);
    // The exact word first: its rarity bounds that of the others.
    for (const CloseWord& close : words) {
      if (close.text != word.text) continue;
      const std::uint32_t documents = gather(close.text);
      if (documents > 0) exact_idf = idf(documents);
      integer = idf(documents) * weight(1, 1);
      append_gathered(idf(documents), hits);
    }
    bool merged = false;
    for (const CloseWord& close : words) {
      if (close.text == word.text) continue;
      const double own = idf(gather(close.text));
      append_gathered(close.closeness * (exact_idf ? std::min(own, *exact_idf) : own), hits);
      merged = true;
    }
    if (merged) keep_best(hits);
  }

 private:
  struct Posting {
    std::uint32_t place;
    std::uint32_t times;
    std::uint8_t length;
  };

  double idf(std::uint32_t documents) const {
    // An integer equal to the word is one more text: it keeps the count positive.
    const double n = documents + 1;
    return std::log(1 + (statistics_.documents + 1 - n + 0.5) / (n + 0.5));
  }
  double weight(std::uint32_t times, std::uint8_t length) const {
    const double tf = times;
    return tf * (kSaturation + 1) / (tf + norms_[length]);
  }

  std::uint32_t gather(std::string_view text) {
    postings_.clear();
    for (const auto& segment : segments_) {
      if (segment->first() >= bound_) break;
      TextTerm term;
      if (!segment->find(text, term)) continue;
      PostingCursor cursor = segment->postings(term);
      std::uint32_t place = 0;
      std::uint32_t times = 0;
      while (cursor.next(place, times) && place < bound_) {
        postings_.push_back({place, times, segment->length_code_at(place)});
      }
    }
    return static_cast<std::uint32_t>(postings_.size());
  }
  void append_gathered(double factor, std::vector<WordHit>& hits) const {
    hits.reserve(hits.size() + postings_.size());
    for (const Posting& posting : postings_) {
      hits.push_back(
          {posting.place, static_cast<float>(factor * weight(posting.times, posting.length))});
    }
  }
  static void keep_best(std::vector<WordHit>& hits) {
    std::sort(hits.begin(), hits.end(), [](const WordHit& a, const WordHit& b) {
      return a.place != b.place ? a.place < b.place : a.score > b.score;
    });
    hits.erase(std::unique(hits.begin(), hits.end(),
                           [](const WordHit& a, const WordHit& b) { return a.place == b.place; }),
               hits.end());
  }

  const TextSegments& segments_;
  std::uint32_t bound_;
  Statistics statistics_;
  std::array<double, 256> norms_{};
  std::vector<Posting> postings_;
};

// Best score of each word for each entity. Open addressing over the entities that were touched.
class Board {
 public:
  explicit Board(std::size_t words) : words_(words), slots_(1024, 0) {}

  void offer(EntityId entity, std::size_t word, float score) {
    float& best = scores_[slot(entity) * words_ + word];
    best = std::max(best, score);
  }
  void add_bonus(EntityId entity, double bonus) { bonus_[slot(entity)] += bonus; }

  std::vector<TextHit> hits() const {
    std::vector<TextHit> hits(entities_.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      double score = bonus_[i];
      for (std::size_t word = 0; word < words_; ++word) {
        score += static_cast<double>(scores_[i * words_ + word]);
      }
      hits[i] = {entities_[i], score};
    }
    return hits;
  }

 private:
  std::size_t slot(EntityId entity) {
    const auto key = static_cast<std::uint32_t>(entity);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (key * 0x9E3779B1u) & mask;
    while (slots_[at] != 0) {
      if (entities_[slots_[at] - 1] == entity) return slots_[at] - 1;
      at = (at + 1) & mask;
    }
    entities_.push_back(entity);
    bonus_.push_back(0);
    scores_.resize(scores_.size() + words_, 0);
    slots_[at] = static_cast<std::uint32_t>(entities_.size());
    if (entities_.size() * 2 > slots_.size()) grow();
    return entities_.size() - 1;
  }
  void grow() {
    slots_.assign(slots_.size() * 4, 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < entities_.size(); ++i) {
      std::size_t at = (static_cast<std::uint32_t>(entities_[i]) * 0x9E3779B1u) & mask;
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::size_t words_;
  std::vector<std::uint32_t> slots_;
  std::vector<EntityId> entities_;
  std::vector<double> bonus_;
  std::vector<float> scores_;
};

// The number that a word of digits writes, where a Term holds it inline.
std::optional<Term> as_integer(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (!Term::fits_integer(value) || word != std::to_string(value)) return std::nullopt;
  return Term::integer(value);
}

bool better(const TextHit& a, const TextHit& b) {
  return a.score != b.score ? a.score > b.score : a.entity < b.entity;
}

// The best `limit` that the graph accepts; only those that come up are looked at.
std::vector<TextHit> take_best(const TextGraph& graph, std::vector<TextHit> hits,
                               std::size_t limit) {
  const auto worse = [](const TextHit& a, const TextHit& b) { return better(b, a); };
  std::make_heap(hits.begin(), hits.end(), worse);
  std::vector<TextHit> best;
  while (best.size() < limit && !hits.empty()) {
    std::pop_heap(hits.begin(), hits.end(), worse);
    if (graph.accepts(hits.back().entity)) best.push_back(hits.back());
    hits.pop_back();
  }
  return best;
}

}  // namespace

std::vector<QueryWord> query_words(const TextQuery& query) {
  std::vector<QueryWord> words;
  WordSplitter splitter(WordSplitter::Purpose::kQuery);
  std::size_t last = 0;
  splitter.split(query.text, [&](const IndexWord& word) {
    const auto same = [&](const QueryWord& other) { return other.text == word.text; };
    const auto found = std::find_if(words.begin(), words.end(), same);
    last = static_cast<std::size_t>(found - words.begin());
    if (found != words.end() || words.size() == kMaxQueryWords) return;
    words.push_back(
        {std::string(word.text), count_code_points(word.text), word.neighbours, word.lone});
  });
  if (query.prefix && last < words.size() && words[last].letters >= kMinPrefixLetters &&
      !words[last].neighbours) {
    words[last].start = true;
  }
  return words;
}

std::vector<TextHit> rank_text(const TextGraph& graph, const TextSegments& segments,
                               std::uint32_t bound, const TextQuery& query) {
  const std::vector<QueryWord> words = query_words(query);
  Board board(words.size());
  WordScorer scorer(segments, bound, statistics(segments, bound));
  std::vector<WordHit> hits;
  std::vector<Term> terms;
  std::vector<TextOwner> owners;
  for (std::size_t word = 0; word < words.size(); ++word) {
    double integer = 0;
    scorer.score(words[word], query.fuzzy, hits, integer);
    terms.clear();
    for (const WordHit& hit : hits) terms.push_back(Term::literal(hit.place));
    if (const auto number = as_integer(words[word].text)) {
      terms.push_back(*number);
      hits.push_back({0, static_cast<float>(integer)});
    }
    owners.clear();
    graph.owners(terms, owners);
    for (const TextOwner& owner : owners) {
      board.offer(owner.entity, word, hits[owner.text].score * static_cast<float>(owner.weight));
    }
  }
  const std::string_view name = trim(query.text);
  std::vector<EntityId> exact = graph.exactly_named(name);
  for (const EntityId entity : exact) board.add_bonus(entity, kExactName);
  for (const EntityId entity : graph.folded_named(name)) {
    if (std::find(exact.begin(), exact.end(), entity) == exact.end()) {
      board.add_bonus(entity, kFoldedName);
    }
  }
  return take_best(graph, board.hits(), query.limit);
}

}  // namespace anima::store::detail
