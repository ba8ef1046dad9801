// The text index against a scorer that is written from the formula alone: no index, every word
// compared with every word of every text.
#include "store/text/text_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "base/random.h"
#include "base/text/text.h"
#include "language/text/fold.h"
#include "language/text/forms.h"
#include "store/text/text_segment.h"

namespace anima::store::detail {
namespace {

class Literals final : public TextSource {
 public:
  std::uint32_t add(std::string text, ValueKind kind = ValueKind::kString) {
    kinds_.push_back(kind);
    texts_->push_back(std::move(text));
    return static_cast<std::uint32_t>(texts_->size() - 1);
  }
  ValueView literal(std::uint32_t place) const override {
    ValueView view;
    view.kind = kinds_[place];
    view.text = text(place);
    return view;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(texts_->size()); }
  const std::string& text(std::uint32_t place) const { return (*texts_)[place]; }
  std::shared_ptr<const std::vector<std::string>> shared() const { return texts_; }

 private:
  // Place 0 is none.
  std::vector<ValueKind> kinds_{ValueKind::kNull};
  std::shared_ptr<std::vector<std::string>> texts_ =
      std::make_shared<std::vector<std::string>>(1, "");
};

// Entities with their texts, held in plain maps.
class PlainGraph final : public TextGraph {
 public:
  struct Field {
    Term term;
    double weight;
  };
  void add(EntityId entity, Term term, double weight, std::string_view name = {}) {
    fields[entity].push_back({term, weight});
    by_term_[term.code].push_back({0, entity, weight});
    if (weight == kNameWeight) names[entity] = std::string(name);
  }
  void owners(std::span<const Term> terms, std::vector<TextOwner>& out) const override {
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      const auto found = by_term_.find(terms[i].code);
      if (found == by_term_.end()) continue;
      for (TextOwner owner : found->second) {
        owner.text = i;
        out.push_back(owner);
      }
    }
  }
  void texts(EntityId entity, std::vector<TextField>& out) const override {
    for (const Field& field : fields.at(entity)) out.push_back({field.term, field.weight});
  }
  bool accepts(EntityId entity) const override { return !hidden.contains(entity); }
  std::vector<EntityId> exactly_named(std::string_view text) const override {
    std::vector<EntityId> found;
    for (const auto& [entity, name] : names) {
      if (name == text) found.push_back(entity);
    }
    return found;
  }
  std::vector<EntityId> folded_named(std::string_view text) const override {
    std::vector<EntityId> found;
    for (const auto& [entity, name] : names) {
      if (language::fold_for_finding(name) == language::fold_for_finding(text))
        found.push_back(entity);
    }
    return found;
  }

  language::LanguageSet languages(Term literal) const override {
    return language::languages_of_forms((*written)[literal.place()]);
  }
  bool contains(Term literal, std::string_view folded) const override {
    return language::fold_for_finding((*written)[literal.place()]).find(folded) !=
           std::string::npos;
  }

  std::shared_ptr<const std::vector<std::string>> written;
  std::map<EntityId, std::vector<Field>> fields;
  std::map<EntityId, std::string> names;
  std::set<EntityId> hidden;

 private:
  std::map<std::uint32_t, std::vector<TextOwner>> by_term_;
};

bool one_typo(const std::u32string& a, const std::u32string& b) {
  return edit_distance(to_utf8(a), to_utf8(b), 1) == 1;
}

// The formula of text_search.h, by brute force.
class NaiveScorer {
 public:
  NaiveScorer(const Literals& literals, std::uint32_t bound, const PlainGraph& graph)
      : graph_(graph), bound_(bound) {
    language::TermSplitter splitter(language::TermUse::kDocument);
    double total = 0;
    for (std::uint32_t place = 0; place < bound; ++place) {
      std::map<std::string, int> words;
      std::uint64_t length = 0;
      splitter.split(literals.text(place), [&](const language::IndexTerm& word) {
        ++words[std::string(word.text)];
        ++length;
      });
      for (const auto& [word, times] : words) ++documents_[word];
      if (length > 0) count_ += 1;
      const auto coded = static_cast<double>(length_of_code(length_code(length)));
      total += coded;
      texts_.push_back(std::move(words));
      lengths_.push_back(coded);
    }
    average_ = count_ > 0 ? total / count_ : 1;
  }

  std::vector<TextHit> rank(const TextQuery& query) const {
    std::map<EntityId, double> scores;
    const std::vector<QueryWord> words = query_words(query);
    std::set<std::string> standing;  // wholes that some text has
    for (const QueryWord& word : words) {
      if (word.whole &&
          (word.run ? some_text_has_all(word.parts, word.text) : documents_.contains(word.text)))
        standing.insert(word.text);
    }
    for (const QueryWord& word : words) {
      Close close = closeness(word, query.fuzzy, words.size() == 1);
      if (std::ranges::any_of(word.within, [&](const auto& one) { return standing.contains(one); }))
        close.weigh(0.01);
      for (const auto& [entity, fields] : graph_.fields) {
        float best = 0;
        for (const auto& field : fields) {
          best = std::max(best, static_cast<float>(text_score(field.term, word, close)) *
                                    static_cast<float>(field.weight));
        }
        if (best > 0) scores[entity] += static_cast<double>(best);
      }
    }
    for (const auto& [entity, name] : graph_.names) {
      if (name == query.text) {
        scores[entity] += kExactName;
      } else if (language::fold_for_finding(name) == language::fold_for_finding(query.text)) {
        scores[entity] += kFoldedName;
      }
    }
    std::vector<TextHit> hits;
    for (const auto& [entity, score] : scores) {
      if (!graph_.hidden.contains(entity)) hits.push_back({entity, score});
    }
    std::stable_sort(hits.begin(), hits.end(),
                     [](const TextHit& a, const TextHit& b) { return a.score > b.score; });
    if (hits.size() > query.limit) hits.resize(query.limit);
    return hits;
  }

 private:
  struct Entry {
    std::string word;
    double closeness = 1;
    Match match = Match::kWord;
    std::optional<language::FormSense> sense = {};  // in texts whose language has it
  };
  struct Close {
    std::vector<Entry> words;
    std::array<double, static_cast<std::size_t>(Match::kEnd)> shares{};
    void weigh(double weight) {
      for (double& share : shares) share *= weight;
    }
    double share(Match match) const { return shares[static_cast<std::size_t>(match)]; }
  };
  Close closeness(const QueryWord& query, bool fuzzy, bool only_word) const {
    std::map<std::string, Entry> any;  // in any text, the closest
    const auto offer = [&](const std::string& word, double part, Match match) {
      const auto found = any.find(word);
      if (found == any.end() || found->second.closeness < part) any[word] = {word, part, match};
    };
    std::vector<Entry> formed;
    const std::u32string letters = to_utf32(query.text);
    language::WordForms forms(query.text), spelled(query.spelled);
    const bool changes = fuzzy && !query.neighbours && !query.whole && !query.number;
    std::vector<std::string> starting;
    std::size_t seen = 0;
    for (const auto& [word, documents] : documents_) {
      const std::string_view bare = language::word_of_term(word);
      const bool inside = bare.size() < word.size();
      if (changes && letters.size() >= 4 && !language::has_digit(word) && !inside &&
          one_typo(letters, to_utf32(word)))
        offer(word, 0.5, Match::kTypo);
      if (changes && word != query.text) {
        language::FormSense sense = forms.sense(bare);
        const language::FormSense other =
            query.spelled.empty() ? language::FormSense() : spelled.sense(bare);
        if (other.languages.any()) {
          sense.plain = other.plain || (sense.languages.any() && sense.plain);
          sense.by_rule = other.by_rule || (sense.languages.any() && sense.by_rule);
          sense.languages |= other.languages;
        }
        const Match match = inside ? Match::kPart : sense.by_rule ? Match::kForm : Match::kStem;
        if (sense.languages.any()) formed.push_back({word, 0.8, match, sense});
      }
      if (query.start && word.starts_with(query.text) && seen++ < kPrefixScan &&
          word != query.text && !goes_on_with_a_digit(word, query.text.size())) {
        starting.push_back(word);
      }
    }
    std::stable_sort(starting.begin(), starting.end(), [](const auto& a, const auto& b) {
      return to_utf32(a).size() < to_utf32(b).size();
    });
    if (starting.size() > 64) starting.resize(64);
    for (const std::string& word : starting) {
      const double part =
          static_cast<double>(letters.size()) / static_cast<double>(to_utf32(word).size());
      offer(word, (query.number ? 0.5 : 0.8) * part, Match::kStart);
    }
    if (!query.spelled.empty()) offer(query.spelled, 0.8, Match::kForm);
    if (!query.neighbours && !query.whole && !query.number)
      offer("~" + query.text, 0.8, Match::kPart);
    any[query.text] = {query.text, 1, Match::kWord};
    Close all;
    for (const auto& [word, entry] : any)
      if (documents_.contains(word)) all.words.push_back(entry);
    for (const Entry& entry : formed)
      if (!any.contains(entry.word) || any[entry.word].closeness < entry.closeness)
        all.words.push_back(entry);
    std::set<Match> some;
    for (Entry& entry : all.words) {
      some.insert(entry.match);
      const bool longer = query.number && entry.match == Match::kStart;
      if (longer && documents_.contains(query.text)) entry.closeness *= 0.2;
    }
    if (query.run && some_text_has_all(query.parts, query.text)) some.insert(Match::kWord);
    if (!query.run && some_text_has_all(query.parts)) some.insert(Match::kForm);
    if (some_text_has_all(query.inside)) some.insert(Match::kPart);
    double share = 1;
    for (std::size_t i = 0; i < all.shares.size(); ++i) {
      all.shares[i] = only_word ? share : 1;
      if (some.contains(static_cast<Match>(i))) share *= 0.01;
    }
    return all;
  }
  // `run`: and contains it.
  bool some_text_has_all(const std::vector<std::string>& words, const std::string& run = {}) const {
    for (std::uint32_t place = 0; place < bound_; ++place)
      if (times_of_all(place, words, run) > 0) return true;
    return false;
  }
  // As often as the rarest; a word without a digit also as a part of a compound.
  int times_of_all(std::uint32_t place, const std::vector<std::string>& words,
                   const std::string& run) const {
    if (!run.empty() && !graph_.contains(Term::literal(place), run)) return 0;
    const auto times_of = [&](const std::string& word) {
      const auto found = texts_[place].find(word);
      return found == texts_[place].end() ? 0 : found->second;
    };
    int least = words.empty() ? 0 : 1 << 20;
    for (const std::string& word : words) {
      const bool alone = word.starts_with('~') || language::has_digit(word);
      least = std::min(least, times_of(word) + (alone ? 0 : times_of("~" + word)));
    }
    return least;
  }
  static bool goes_on_with_a_digit(const std::string& word, std::size_t at) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return at > 0 && at < word.size() && is_digit(word[at - 1]) && is_digit(word[at]);
  }
  // Of the texts that have all words, what this one scores by the rarest of them.
  double together_score(Term term, const std::vector<std::string>& words, double closeness,
                        const QueryWord& query) const {
    const std::string run = query.run ? query.text : std::string();
    const auto times_in = [&](std::uint32_t place) { return times_of_all(place, words, run); };
    const int times = times_in(term.place());
    if (times == 0) return 0;
    double n = 1;
    for (std::uint32_t place = 0; place < bound_; ++place) n += times_in(place) > 0 ? 1 : 0;
    double rarity = std::log(1 + (count_ + 1 - n + 0.5) / (n + 0.5));
    if (documents_.contains(query.text)) rarity = std::min(rarity, idf(query.text));
    return closeness * rarity * saturation(times, lengths_[term.place()]);
  }
  double idf(const std::string& word) const {
    const auto found = documents_.find(word);
    const double n = (found == documents_.end() ? 0 : found->second) + 1;
    return std::log(1 + (count_ + 1 - n + 0.5) / (n + 0.5));
  }
  double text_score(Term term, const QueryWord& query, const Close& close) const {
    const bool exact = documents_.contains(query.text);
    if (term.tag() == Tag::kInteger) {
      return std::to_string(term.as_integer()) == query.text
                 ? idf(query.text) * close.share(Match::kWord) * saturation(1, 1)
                 : 0;
    }
    if (term.place() >= bound_) return 0;
    double best = 0;
    const language::LanguageSet languages = graph_.languages(term);
    for (const Entry& entry : close.words) {
      if (entry.sense && !entry.sense->fits(languages)) continue;
      const auto found = texts_[term.place()].find(entry.word);
      if (found == texts_[term.place()].end()) continue;
      const double rarity = entry.word != query.text && exact
                                ? std::min(idf(entry.word), idf(query.text))
                                : idf(entry.word);
      best = std::max(best, entry.closeness * close.share(entry.match) * rarity *
                                saturation(found->second, lengths_[term.place()]));
    }
    if (query.run) return together_score(term, query.parts, close.share(Match::kWord), query);
    const double behind = query.number && exact ? 0.2 : 1;
    best = std::max(
        best, together_score(term, query.parts, 0.8 * behind * close.share(Match::kForm), query));
    return std::max(
        best, together_score(term, query.inside, 0.5 * behind * close.share(Match::kPart), query));
  }
  double saturation(double times, double length) const {
    return times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / average_));
  }

  const PlainGraph& graph_;
  std::uint32_t bound_;
  std::vector<std::map<std::string, int>> texts_;
  std::vector<double> lengths_;
  std::map<std::string, int> documents_;
  double count_ = 0;
  double average_ = 1;
};

EntityId entity(std::uint32_t id) { return static_cast<EntityId>(id); }

void expect_same(const std::vector<TextHit>& got, const std::vector<TextHit>& want,
                 const std::string& query) {
  ASSERT_EQ(got.size(), want.size()) << query;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i].score, want[i].score, 1e-4 * (1 + want[i].score)) << query << " at " << i;
    // Equal scores may differ in the last bit of a float; their order is that of the ids.
    if (std::abs(got[i].score - want[i].score) == 0) {
      EXPECT_EQ(got[i].entity, want[i].entity) << query << " at " << i;
    }
  }
}

constexpr const char* kStock[] = {"graph",
                                  "graphs",
                                  "grape",
                                  "logic",
                                  "memory",
                                  "memories",
                                  "query",
                                  "agent",
                                  "straße",
                                  "STRASSE",
                                  "café",
                                  "Cafe",
                                  "東京都",
                                  "東京",
                                  "京都",
                                  "データ",
                                  "人",
                                  "Ω",
                                  "index",
                                  "indexes",
                                  "2024",
                                  "14",
                                  "a",
                                  "of",
                                  "the",
                                  "trust",
                                  "thrust",
                                  "truss",
                                  "travail",
                                  "travers",
                                  "le",
                                  "la",
                                  "ﬁle",
                                  "file",
                                  "v1.14",
                                  "14-2024",
                                  "web01",
                                  "web02",
                                  "1 014",
                                  "1014",
                                  "Haus",
                                  "Haustür",
                                  "Türen",
                                  "Haustürschlüssel",
                                  "Baum",
                                  "Schlagbäume",
                                  "snake_case_name",
                                  "snakecasename",
                                  "docs.example.org/x",
                                  "docs.example.org",
                                  "1.14",
                                  "x.org",
                                  "bob@x.org",
                                  "ann@x.org",
                                  "ข้าวผัด",
                                  "ผัดข้าว",
                                  "กินข้าวผัด",
                                  "東京都庁舎"};

std::string random_text(SeededRandom& random) {
  std::string text;
  const std::uint64_t words = random.below(9);
  for (std::uint64_t i = 0; i < words; ++i) {
    if (i > 0) text += random.below(4) == 0 ? ", " : " ";
    if (random.below(5) == 0) {
      const std::uint64_t letters = 1 + random.below(6);
      for (std::uint64_t k = 0; k < letters; ++k) text += static_cast<char>('a' + random.below(4));
    } else {
      text += kStock[random.below(std::size(kStock))];
    }
  }
  return text;
}

struct Corpus {
  Literals literals;
  PlainGraph graph;
};

Corpus random_corpus(std::uint64_t seed, std::uint32_t entities) {
  Corpus corpus;
  corpus.graph.written = corpus.literals.shared();
  SeededRandom random(seed);
  for (std::uint32_t id = 1; id <= entities; ++id) {
    const std::string name = random_text(random) + " " + std::to_string(id % 7);
    corpus.graph.add(entity(id), Term::literal(corpus.literals.add(name)), kNameWeight, name);
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      const Term term =
          random.below(3) == 0 && corpus.literals.size() > 0
              ? Term::literal(static_cast<std::uint32_t>(random.below(corpus.literals.size())))
              : Term::literal(corpus.literals.add(random_text(random)));
      corpus.graph.add(entity(id), term, random.below(2) == 0 ? kAttributeWeight : kMetadataWeight);
    }
    if (random.below(3) == 0) {
      corpus.graph.add(entity(id), Term::integer(static_cast<std::int64_t>(random.below(20))),
                       kAttributeWeight);
    }
    if (random.below(10) == 0) corpus.graph.hidden.insert(entity(id));
  }
  return corpus;
}

std::string random_query(SeededRandom& random) {
  std::string text = random_text(random);
  if (!text.empty() && random.below(3) == 0) text.resize(text.size() - 1);
  if (random.below(6) == 0) text = std::to_string(random.below(20));
  return text;
}

TEST(TextSearch, AgreesWithTheNaiveScorer) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Corpus corpus = random_corpus(seed, 120);
    TextIndex index;
    SeededRandom random(seed * 77);
    for (std::uint32_t bound = 0; bound < corpus.literals.size();) {
      bound = std::min(corpus.literals.size(),
                       bound + 1 + static_cast<std::uint32_t>(random.below(40)));
      index.catch_up(corpus.literals, bound);
    }
    const NaiveScorer naive(corpus.literals, corpus.literals.size(), corpus.graph);
    for (int i = 0; i < 60; ++i) {
      TextQuery query;
      query.text = random_query(random);
      query.fuzzy = random.below(4) != 0;
      query.prefix = random.below(4) != 0;
      query.parts = random.below(4) != 0;
      query.limit = 1 + random.below(30);
      expect_same(rank_text(corpus.graph, *index.segments(), corpus.literals.size(), query),
                  naive.rank(query), query.text);
    }
  }
}

TEST(TextSearch, OlderReadersSeeTheirOwnWords) {
  const Corpus corpus = random_corpus(42, 150);
  TextIndex index;
  index.catch_up(corpus.literals, corpus.literals.size());
  SeededRandom random(5);
  for (int i = 0; i < 30; ++i) {
    const auto bound = static_cast<std::uint32_t>(random.below(corpus.literals.size() + 1));
    const NaiveScorer naive(corpus.literals, bound, corpus.graph);
    TextQuery query;
    query.text = random_query(random);
    expect_same(rank_text(corpus.graph, *index.segments(), bound, query), naive.rank(query),
                query.text);
  }
}

TEST(TextSearch, AnswersDoNotDependOnHowTheSegmentsLie) {
  const Corpus corpus = random_corpus(9, 200);
  const std::uint32_t all = corpus.literals.size();
  TextIndex whole;
  whole.catch_up(corpus.literals, all);
  TextIndex one_by_one;
  for (std::uint32_t bound = 1; bound <= all; ++bound) one_by_one.catch_up(corpus.literals, bound);
  TextIndex half;
  half.catch_up(corpus.literals, all);
  const auto section = std::make_shared<const std::string>(half.section(all / 2));
  auto reopened = TextIndex::open(*section, section);
  ASSERT_TRUE(reopened.has_value());
  EXPECT_EQ((*reopened)->bound(), all / 2);
  EXPECT_EQ((*reopened)->heap_bytes(), 0u);
  (*reopened)->catch_up(corpus.literals, all);
  EXPECT_EQ(whole.section(all), one_by_one.section(all));
  EXPECT_EQ(whole.section(all), (*reopened)->section(all));
  SeededRandom random(1);
  for (int i = 0; i < 100; ++i) {
    TextQuery query;
    query.text = random_query(random);
    const auto want = rank_text(corpus.graph, *whole.segments(), all, query);
    for (const auto& segments : {one_by_one.segments(), (*reopened)->segments()}) {
      const auto got = rank_text(corpus.graph, *segments, all, query);
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t k = 0; k < got.size(); ++k) {
        EXPECT_EQ(got[k].entity, want[k].entity);
        EXPECT_EQ(got[k].score, want[k].score);
      }
    }
  }
}

class TextSearchByHand : public ::testing::Test {
 protected:
  TextSearchByHand() { graph_.written = literals_.shared(); }
  void name(std::uint32_t id, const std::string& text) {
    graph_.add(entity(id), Term::literal(literals_.add(text)), kNameWeight, text);
  }
  void attribute(std::uint32_t id, std::string text, ValueKind kind = ValueKind::kString) {
    graph_.add(entity(id), Term::literal(literals_.add(std::move(text), kind)), kAttributeWeight);
  }
  std::vector<std::uint32_t> search(const std::string& text, bool prefix = true, bool fuzzy = true,
                                    bool parts = true) {
    index_.catch_up(literals_, literals_.size());
    TextQuery query;
    query.text = text;
    query.prefix = prefix;
    query.fuzzy = fuzzy;
    query.parts = parts;
    std::vector<std::uint32_t> ids;
    for (const TextHit& hit : rank_text(graph_, *index_.segments(), literals_.size(), query)) {
      ids.push_back(static_cast<std::uint32_t>(hit.entity));
    }
    return ids;
  }
  Literals literals_;
  PlainGraph graph_;
  TextIndex index_;
};

using Ids = std::vector<std::uint32_t>;

// A neighbour that the word has in its own language comes behind it, however short its text is.
TEST_F(TextSearchByHand, TheWordItselfComesBeforeItsForms) {
  name(1, "The organization");
  attribute(2, "the organization grew and the organization of the town grew");
  attribute(
      3, "Of all that was heard in the church that day, and that was much, the organ was the best");
  EXPECT_EQ(search("organ", false), (Ids{3, 1, 2}));
  EXPECT_EQ(search("organ"), (Ids{3, 1, 2}));
}

// A compound's part, a stem that says too much, a start and a typo, whatever their texts are.
TEST_F(TextSearchByHand, TheKindOfMatchGoesFirst) {
  for (std::uint32_t id = 1; id <= 12; ++id) name(id, "Schlagb\u00e4ume");
  attribute(13,
            "In dem gro\u00dfen Garten hinter dem alten Haus am Fluss steht noch der eine Baum, "
            "und er ist alt");
  attribute(14,
            "Dort stehen viele hohe B\u00e4ume in einer langen Reihe am Ufer des kleinen Flusses");
  EXPECT_EQ(search("Baum", false).front(), 13u);
  EXPECT_EQ(search("Baum", false)[1], 14u);
  name(20, "Organization");
  attribute(
      21, "Of all that was heard in the old church on that cold day the organ was the best by far");
  EXPECT_EQ(search("organs", false), (Ids{21, 20}));
  name(22, "Marketing");
  attribute(
      23,
      "Of all the places in the old town that we saw on that day the market was the best by far");
  EXPECT_EQ(search("markets", false), (Ids{23, 22}));
  name(24, "pardon");
  name(25, "parson");
  attribute(26,
            "Of all that we saw in the old town on that long and cold day the parks were the best "
            "by far");
  EXPECT_EQ(search("park").front(), 26u);
  name(27, "ben@docs.example.org");
  attribute(
      28,
      "All that is to be said of it is on the page https://docs.example.org/start of the house");
  EXPECT_EQ(search("docs.example.org").front(), 28u);
  name(29, "nine");
  attribute(
      30,
      "De todos los que vimos en la ciudad ese d\u00eda los ni\u00f1os eran los m\u00e1s alegres");
  EXPECT_EQ(search("ni\u00f1o", false).front(), 30u);
}

TEST_F(TextSearchByHand, AVersionIsFoundWithItsMarkAndWithout) {
  attribute(1, "release 1.11.2");
  attribute(2, "release v1.11.2");
  attribute(3, "the key is user_session_id");
  attribute(4, "the key is usersessionid");
  EXPECT_EQ(search("1.11.2"), (Ids{1, 2}));
  EXPECT_EQ(search("v1.11.2"), (Ids{2, 1}));
  EXPECT_EQ(search("usersessionid").size(), 2u);
  EXPECT_EQ(search("user_session_id").size(), 2u);
}

// "travers" and "travail" have one stem in Catalan.
TEST_F(TextSearchByHand, AFormCountsInItsLanguageAlone) {
  attribute(1, "Il a un travers que les gens de la ville ne lui pardonnent pas");
  attribute(2, "les travaux");
  attribute(3, "il a des travails et il en est las");
  attribute(4, "de travers");
  EXPECT_EQ(search("travail", false), (Ids{3}));
  attribute(5, "Die Häuser am See sind alt");
  EXPECT_EQ(search("Haus", false), (Ids{5}));
}

TEST_F(TextSearchByHand, ExactNameComesFirst) {
  name(1, "Aspirin Aspirin Aspirin Aspirin");
  name(2, "aspirin");
  name(3, "Aspirin");
  attribute(4, "aspirin aspirin aspirin");
  EXPECT_EQ(search("Aspirin"), (Ids{3, 2, 1, 4}));
  EXPECT_EQ(search("aspirin").front(), 2u);
}

TEST_F(TextSearchByHand, NamesWithoutWordsAreFoundByTheWholeName) {
  name(1, "++");
  name(2, "?!");
  EXPECT_EQ(search("?!"), Ids{2});
  EXPECT_EQ(search("  ++ "), Ids{1});
}

TEST_F(TextSearchByHand, AliasesInAnArrayAndNumbersAreFound) {
  name(1, "Acetylsalicylic acid");
  attribute(1, R"(["ASA","Aspirin\u00e9 \"x\"",{"Ignored key":"Bayer"},1899])", ValueKind::kJson);
  EXPECT_EQ(search("asa"), Ids{1});
  EXPECT_EQ(search("aspirine"), Ids{1});
  EXPECT_EQ(search("bayer"), Ids{1});
  EXPECT_EQ(search("1899"), Ids{1});
  EXPECT_EQ(search("ignored", false, false), Ids{});
  graph_.add(entity(7), Term::integer(1969), kAttributeWeight);
  EXPECT_EQ(search("1969"), Ids{7});
  EXPECT_EQ(search("01969", false, false), Ids{});
}

TEST_F(TextSearchByHand, OneTypoInWordsOfFourLetters) {
  name(1, "Ibuprofen");
  name(2, "cat");
  name(3, "Müller");
  for (const char* typo :
       {"ibuprofin", "ibuproen", "ibuprofeen", "ibuporfen", "buprofen", "xibuprofen"}) {
    EXPECT_EQ(search(typo), Ids{1}) << typo;
  }
  EXPECT_EQ(search("ibuprofin", true, false), Ids{});
  EXPECT_EQ(search("ibuprxfin"), Ids{});
  EXPECT_EQ(search("cbt"), Ids{});
  EXPECT_EQ(search("möller"), Ids{3});
  EXPECT_EQ(search("mellar"), Ids{});
}

TEST_F(TextSearchByHand, WholesComeBeforeWhatContainsThem) {
  name(1, "release v1.17");
  attribute(2, "a very long note of many words about page 17 of the old book that nobody has read");
  attribute(3, "INV-2024-0042-A, the second copy");
  attribute(4, "paid with the bank last week: the invoice INV-2024-0042 of the garden shop");
  name(5, "1.7.0.10");
  name(6, "web02");
  name(7, "web01-backup");
  attribute(8, "the machine in the cellar that everybody calls web01 and nobody loves");
  attribute(9, "INV 2024 0042 is the same written apart");
  EXPECT_EQ(search("17"), (Ids{2, 1}));
  EXPECT_EQ(search("INV-2024-0042"), (Ids{4, 9, 3}));
  EXPECT_EQ(search("10.0.7.1"), Ids{});
  EXPECT_EQ(search("0.10"), Ids{5});
  EXPECT_EQ(search("web01"), (Ids{8, 7}));
  EXPECT_EQ(search("web03"), Ids{});
}

TEST_F(TextSearchByHand, TheLastWordMayBeTheStartOfAWord) {
  name(1, "knowledge graph");
  EXPECT_EQ(search("knowledge gra"), Ids{1});
  EXPECT_EQ(search("gra", false), Ids{});
  EXPECT_EQ(search("gra zzz"), Ids{});
}

TEST_F(TextSearchByHand, UnicodeAndScriptsWithoutBlanks) {
  name(1, "東京都庁");
  name(2, "京都");
  name(3, "Ελλάδα");
  name(4, "ﬁancé");
  EXPECT_EQ(search("東京"), Ids{1});
  EXPECT_EQ(search("庁"), Ids{1});
  EXPECT_EQ(search("都"), (Ids{2, 1}));
  EXPECT_EQ(search("京都"), (Ids{2, 1}));
  EXPECT_EQ(search("ΕΛΛΑΔΑ"), Ids{3});
  EXPECT_EQ(search("FIANCE"), Ids{4});
  EXPECT_EQ(search("\xff\xfe ελλαδα \x80"), Ids{3});
}

TEST_F(TextSearchByHand, AWholeIsFoundBeforeItsParts) {
  std::ifstream file(std::string(ANIMA_SOURCE_DIR) + "/tests/cases/language/wholes.txt");
  std::uint32_t id = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const auto fields = split(line, '|');
    ASSERT_EQ(fields.size(), 3u) << line;
    const std::string asked(fields[0]), parts(fields[2]);
    const std::uint32_t whole = ++id;
    attribute(whole, std::string(fields[1]));
    attribute(++id, parts + " " + parts + " " + parts);
    attribute(++id, parts);
    name(++id, parts);
    EXPECT_EQ(search(asked).front(), whole) << asked;
    EXPECT_EQ(search(asked, false, false, false), (Ids{whole})) << asked;
    EXPECT_EQ(search(asked + " zzz").front(), whole) << asked;
  }
  EXPECT_EQ(id, 15u * 4);
}

TEST_F(TextSearchByHand, EmptyAndHugeQueries) {
  name(1, "one");
  EXPECT_EQ(search(""), Ids{});
  EXPECT_EQ(search(" \n\t"), Ids{});
  EXPECT_EQ(search(std::string(100000, 'x')), Ids{});
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "w" + std::to_string(i) + " ";
  EXPECT_EQ(search("one " + many), Ids{1});
}

TEST(TextSegment, LengthCodesGrowAndStayClose) {
  EXPECT_EQ(length_of_code(length_code(0)), 0u);
  std::uint8_t before = 0;
  for (std::uint64_t words = 1; words < (std::uint64_t{1} << 26); words += 1 + words / 9) {
    const std::uint8_t code = length_code(words);
    EXPECT_GE(code, before);
    EXPECT_LE(length_of_code(code), words);
    EXPECT_LE(static_cast<double>(words), 1.13 * static_cast<double>(length_of_code(code)));
    before = code;
  }
  for (std::uint64_t words = 0; words <= 64; ++words)
    EXPECT_EQ(length_of_code(length_code(words)), words);
}

TEST(TextSegment, DamagedBytesAreAnErrorOrHarmless) {
  const Corpus corpus = random_corpus(3, 100);
  TextIndex index;
  index.catch_up(corpus.literals, corpus.literals.size());
  const std::string good = index.section(corpus.literals.size());
  SeededRandom random(8);
  for (int round = 0; round < 400; ++round) {
    auto bad = std::make_shared<std::string>(good);
    for (std::uint64_t i = 0; i <= random.below(3); ++i) {
      (*bad)[random.below(bad->size())] ^= static_cast<char>(1u << random.below(8));
    }
    if (random.below(4) == 0) bad->resize(random.below(bad->size()));
    auto opened = TextIndex::open(*bad, bad);
    if (!opened) continue;
    TextQuery query;
    query.text = random_query(random);
    rank_text(corpus.graph, *(*opened)->segments(), (*opened)->bound(), query);
  }
}

}  // namespace
}  // namespace anima::store::detail
