#include "memory/recall/detail/facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "language/text/words.h"
#include "memory/contradiction.h"
#include "memory/names.h"
#include "memory/recall/detail/question.h"
#include "memory/recall/detail/weights.h"
#include "memory/turns.h"
#include "store/holds.h"
#include "store/own_graphs.h"

namespace anima::memory::detail {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr std::size_t kLongestName = 4;  // words
constexpr std::size_t kMostHits = 1024;  // looked at: turns are found, too, and passed over
constexpr double kWordForAName = 0.5;    // of a name that is asked for, what the word counts
constexpr double kUsualLength = 8;       // of a statement, where there is no text to compare with

// What the graph is made of, not what it is about: types, predicates, and the shipped domains.
bool is_schema(const Snapshot& snapshot, EntityId entity) {
  const EntityId type = snapshot.type_of(entity);
  const std::string_view type_name = snapshot.name(type);
  if (type_name.starts_with('$')) return true;
  if (type_name != "Domain") return false;
  const auto entry =
      stated_by(snapshot, {entity, store::kTypePredicate, store::Term::entity(type)});
  return entry && entry->author == "$system";
}

bool is_thing(const Snapshot& snapshot, EntityId entity) {
  if (snapshot.kind(entity) != store::EntityKind::kConcept || !snapshot.exists(entity))
    return false;
  const std::string_view type = snapshot.name(snapshot.type_of(entity));
  return type != "MemoryItem" && type != kEventType && !is_schema(snapshot, entity);
}

class Things {
 public:
  Things(const Snapshot& snapshot, std::string_view question)
      : snapshot_(snapshot), question_(question) {}

  std::vector<EntityId> run(bool search) && {
    named();
    if (search) searched();
    return std::move(things_);
  }

 private:
  void take(EntityId entity) {
    if (things_.size() >= kMostThings) return;
    if (std::ranges::find(things_, entity) == things_.end() && is_thing(snapshot_, entity))
      things_.push_back(entity);
  }

  // The longest names first: who asks for the Old Harbour does not mean every harbour.
  void named() {
    const std::vector<language::PlainWord> words = language::plain_words(question_);
    for (std::size_t length = std::min(kLongestName, words.size()); length > 0; --length) {
      for (std::size_t i = 0; i + length <= words.size(); ++i) {
        const language::PlainWord& last = words[i + length - 1];
        const std::size_t end = last.begin + last.written.size();
        take_labelled(question_.substr(words[i].begin, end - words[i].begin));
        if (length == 1 && last.written.ends_with("'s"))
          take_labelled(last.written.substr(0, last.written.size() - 2));
      }
    }
  }

  void take_labelled(std::string_view label) {
    for (const EntityId entity : snapshot_.concepts_labelled(label)) take(entity);
  }

  void searched() {
    store::TextQuery query;
    query.text = question_;
    query.limit = kMostHits;
    query.prefix = query.fuzzy = false;  // a question is no search box: its words are whole
    for (const store::TextHit& hit : snapshot_.search(query)) take(hit.entity);
  }

  const Snapshot& snapshot_;
  std::string_view question_;
  std::vector<EntityId> things_;
};

// A thing with what is stated of it and what links to it.
class Statements {
 public:
  Statements(const Snapshot& snapshot, const Tellers& tellers)
      : snapshot_(snapshot), contradictions_(snapshot), tellers_(tellers) {}

  void read(EntityId entity) {
    const std::size_t before = facts_.size();
    const std::size_t told_before = told_by_others_;
    for (const auto kind : {store::PredicateClass::kAttribute, store::PredicateClass::kLink}) {
      store::Pattern pattern;
      pattern.subject = entity;
      pattern.predicate_class = kind;
      add_all(pattern, store::Order::kSubjectPredicateObject);
    }
    store::Pattern pattern;
    pattern.object = store::Term::entity(entity);
    pattern.predicate_class = store::PredicateClass::kLink;
    add_all(pattern, store::Order::kObjectPredicateSubject);
    // Of what others alone tell of, not even that it is there.
    if (told_by_others_ > told_before && facts_.size() == before) return;
    const EntityId type = snapshot_.type_of(entity);
    add({entity, store::kTypePredicate, store::Term::entity(type)},
        std::string(snapshot_.name(entity)) + " is a " + std::string(snapshot_.name(type)));
  }

  std::vector<FactItem> take() { return std::move(facts_); }

 private:
  void add_all(const store::Pattern& pattern, store::Order order) {
    store::Cursor cursor = snapshot_.scan(pattern, order);
    std::array<store::Triple, kMostStatements> statements;
    const std::size_t count = cursor.next(statements);
    for (std::size_t i = 0; i < count; ++i) {
      const store::Triple& statement = statements[i];
      const std::string subject = text_of(store::Term::entity(statement.subject));
      const std::string object = text_of(statement.object);
      if (pattern.predicate_class == store::PredicateClass::kAttribute) {
        add(statement, subject + " ." + text_of(statement.predicate.key()) + " = " + object);
      } else {
        add(statement, subject + " " + std::string(snapshot_.name(statement.predicate.as_link())) +
                           " " + object);
      }
    }
  }

  // The days of a period, and how it is shown.
  static DayRange days_of(const store::Period& period, std::string& words) {
    if (period.from) words += " from " + format_timestamp(*period.from).substr(0, 10);
    if (period.to) words += " until " + format_timestamp(*period.to).substr(0, 10);
    return {period.from ? day_of(*period.from) : kNoDay,
            period.to ? day_of(*period.to) - 1 : std::numeric_limits<Day>::max()};
  }

  // When it holds, the last time at the end; empty where nothing says so.
  std::vector<DayRange> holds(const store::Triple& statement, std::string& words) const {
    std::vector<DayRange> days;
    if (statement.predicate.predicate_class() != store::PredicateClass::kLink) return days;
    const auto link = snapshot_.find_proposition(statement);
    if (!link) return days;
    for (const store::Period& period : store::periods_of(snapshot_, *link)) {
      if (!days.empty()) words += ", and";
      days.push_back(days_of(period, words));
      if (period == store::Period()) days.pop_back();
    }
    return days;
  }

  // What another statement takes the place of is no fact; what has ended is one of its time.
  bool holds_or_held(const store::Triple& statement) const {
    for (const Conflict& conflict : contradictions_.conflicts_of(statement)) {
      const bool stands = conflict.verdict == Verdict::kEnded || conflict.verdict == Verdict::kEven;
      if (conflict.superseded == statement && !stands) return false;
    }
    return true;
  }

  void add(const store::Triple& statement, std::string line) {
    const auto entry = stated_by(snapshot_, statement);
    if (!entry || !seen_.insert(statement).second || !holds_or_held(statement)) return;
    if (!tellers_.may_tell(snapshot_, statement)) {
      ++told_by_others_;
      return;
    }
    FactItem fact;
    fact.subject = statement.subject;
    fact.holds = holds(statement, line);
    fact.text = std::move(line);
    fact.entry = *entry;
    facts_.push_back(std::move(fact));
  }

  std::string text_of(store::Term term) const {
    if (term.is_entity()) {
      const EntityId entity = term.as_entity();
      return snapshot_.kind(entity) == store::EntityKind::kConcept
                 ? std::string(snapshot_.name(entity))
                 : snapshot_.display(term);
    }
    const store::ValueView value = snapshot_.value(term);
    return value.text.empty() ? snapshot_.display(term) : std::string(value.text);
  }

  const Snapshot& snapshot_;
  const Contradictions contradictions_;
  const Tellers& tellers_;
  std::size_t told_by_others_ = 0;
  std::set<store::Triple> seen_;
  std::vector<FactItem> facts_;
};

// "lives_in" is two words.
std::vector<TermWord> words_of(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return split_terms(text, language::TermUse::kLetters);
}

class Scorer {
 public:
  Scorer(const TextRanking& ranking, TermReader& terms, double documents, Day today)
      : ranking_(ranking), terms_(terms), documents_(documents), today_(today) {
    for (const NamedDate& date : ranking.traits.dates) {
      if (date.days) asked_.push_back(*date.days);
    }
    mean_ = ranking.windows.documents > 0 ? ranking.windows.mean_length : kUsualLength;
  }

  void score(std::vector<FactItem>& facts) {
    std::vector<std::vector<double>> counts;
    std::vector<double> lengths, with(ranking_.stems.size());
    for (FactItem& fact : facts) {
      counts.push_back(counts_of(fact, lengths));
      for (std::size_t i = 0; i < with.size(); ++i) with[i] += counts.back()[i] > 0 ? 1 : 0;
    }
    for (std::size_t f = 0; f < facts.size(); ++f) {
      FactItem& fact = facts[f];
      const double norm =
          kSaturation * (1 - kLengthInfluence + kLengthInfluence * lengths[f] / mean_);
      for (std::size_t i = 0; i < with.size(); ++i) {
        const double known = ranking_.windows.frequencies[i] + with[i];
        const double rarity = std::log(1 + (documents_ - known + 0.5) / (known + 0.5));
        const double count = counts[f][i];
        fact.words += rarity * count * (kSaturation + 1) / (count + norm);
      }
      fact.traits += time_bonus(fact);
      fact.score = fact.words + fact.traits;
    }
  }

 private:
  double time_bonus(const FactItem& fact) const {
    if (fact.holds.empty()) return 0;
    if (asked_.empty()) return fact.holds.back().to < today_ ? kEndedMalus : 0;
    const bool held = std::ranges::any_of(asked_, [&](const DayRange& days) {
      return std::ranges::any_of(fact.holds, [&](const DayRange& own) {
        return days.from <= own.to && own.from <= days.to;
      });
    });
    return held ? kDateBonus : -kDateBonus;
  }

  bool is_asked_name(const std::string& folded) const {
    return std::ranges::find(ranking_.names, folded) != ranking_.names.end();
  }

  std::vector<double> counts_of(FactItem& fact, std::vector<double>& lengths) {
    const std::vector<TermWord> words = words_of(fact.text);
    std::vector<double> counts(ranking_.stems.size());
    double length = 0;
    for (const TermWord& word : words) {
      std::string stem = terms_.stem(ranking_.language, word);
      const bool asked_name =
          !ranking_.names.empty() && is_asked_name(language::fold_for_finding(word.text));
      if (stem.empty() && asked_name && word.capital) stem = language::fold_for_finding(word.text);
      if (stem.empty()) continue;
      ++length;
      const auto asked = std::ranges::find(ranking_.stems, stem);
      if (asked != ranking_.stems.end())
        counts[static_cast<std::size_t>(asked - ranking_.stems.begin())] +=
            asked_name && !word.capital ? kWordForAName : 1;
      fact.stems.push_back(std::move(stem));
    }
    std::ranges::sort(fact.stems);
    fact.stems.erase(std::unique(fact.stems.begin(), fact.stems.end()), fact.stems.end());
    lengths.push_back(length);
    const std::uint8_t traits = item_traits(fact.text, words, ranking_.language);
    if ((traits & kHasName) != 0 && ranking_.traits.asks_name) fact.traits += kNameBonus;
    if ((traits & kHasTime) != 0 && ranking_.traits.asks_when) fact.traits += kTimeBonus;
    return counts;
  }

  const TextRanking& ranking_;
  TermReader& terms_;
  double documents_, mean_ = kUsualLength;
  Day today_;
  std::vector<DayRange> asked_;
};

}  // namespace

std::optional<store::EntryInfo> stated_by(const Snapshot& snapshot,
                                          const store::Triple& statement) {
  std::optional<store::EntryInfo> best;
  for (const store::Assertion& assertion : snapshot.assertions(statement)) {
    if (store::is_own_graph(snapshot.graph_name(assertion.graph))) continue;
    const store::EntryInfo entry = snapshot.entry(assertion.born);
    if (!best || entry.trust > best->trust) best = entry;
  }
  return best;
}

bool Tellers::may_tell(const Snapshot& snapshot, const store::Triple& statement) const {
  if (speaker.empty() || provenance == nullptr) return true;
  return std::ranges::any_of(
      snapshot.assertions(statement), [&](const store::Assertion& assertion) {
        if (store::is_own_graph(snapshot.graph_name(assertion.graph))) return false;
        const ProvenanceRecord* const record = provenance->find(assertion.provenance);
        return record == nullptr || record->speaker.empty() ||
               speaker.contains(record->speaker, record->entry);
      });
}

std::vector<FactItem> find_facts(const Snapshot& snapshot, std::string_view question,
                                 const TextRanking& ranking, TermReader& terms, std::size_t texts,
                                 Day today, const Tellers& tellers) {
  Statements statements(snapshot, tellers);
  for (const EntityId thing : Things(snapshot, question).run(texts <= kMostTextsSearched))
    statements.read(thing);
  std::vector<FactItem> facts = statements.take();
  const double documents = ranking.windows.documents + static_cast<double>(facts.size());
  Scorer(ranking, terms, documents, today).score(facts);
  std::erase_if(facts, [](const FactItem& fact) { return fact.words <= 0; });
  std::ranges::sort(facts, [](const FactItem& a, const FactItem& b) {
    return a.score != b.score ? a.score > b.score : a.text < b.text;
  });
  return facts;
}

}  // namespace anima::memory::detail
