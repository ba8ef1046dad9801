#include "datalog/space/space_relation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace anima::datalog {

namespace {

using store::GraphId;
using store::PredicateClass;
using store::Triple;
using StorePredicate = store::Predicate;
using StoreTerm = store::Term;

constexpr std::size_t kRowsPerFlush = 1024;

// StatementPlaces of a statement's parts in a row; -1: not in it.
struct StatementPlaces {
  int subject, predicate, object, graph;
};

StatementPlaces places_of(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::kLink:
      return {0, -1, 1, -1};
    case SpaceKind::kConcept:
      return {0, -1, -1, -1};
    case SpaceKind::kAttribute:
    case SpaceKind::kMetadata:
      return {0, 1, 2, -1};
    case SpaceKind::kFact:
      break;
  }
  return {1, 2, 3, 0};
}

// How many different codes there were, by linear counting.
class Distinct {
 public:
  void add(Code code) {
    std::uint64_t hash = (std::uint64_t{code} + 1) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
    hash = hash * 0xBF58476D1CE4E5B9ULL >> (64 - kBits);
    words_[hash / 64] |= std::uint64_t{1} << (hash % 64);
  }
  double estimate(std::uint64_t rows) const {
    std::size_t set = 0;
    for (const std::uint64_t word : words_) set += static_cast<std::size_t>(std::popcount(word));
    const double size = 64.0 * static_cast<double>(words_.size());
    if (set == words_.size() * 64) return static_cast<double>(rows);
    return std::max(1.0, -size * std::log(1.0 - static_cast<double>(set) / size));
  }

 private:
  static constexpr unsigned kBits = 18;
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>((std::size_t{1} << kBits) / 64);
};

}  // namespace

// What a key allows in each part; a part that is not bound has no list.
struct SpaceRelation::Lists {
  bool subject_bound = false, predicate_bound = false, object_bound = false, graph_bound = false;
  std::vector<EntityId> subjects;
  std::vector<StorePredicate> predicates;
  std::vector<StoreTerm> objects;
  std::optional<GraphId> graph;
  std::vector<EntityId> entities;  // room
  store::Scratch scratch;
};

// Checks rows against the key, leaves out repeated ones, hands them on in batches.
class SpaceRelation::Output {
 public:
  Output(const SpaceRelation& relation, std::span<const std::uint32_t> columns, Receiver& receiver)
      : relation_(relation), columns_(columns), receiver_(receiver), width_(relation.columns()) {
    keys_.reserve(kRowsPerFlush);
    rows_.reserve(kRowsPerFlush * width_);
  }

  void start(std::uint32_t number, const Code* key) {
    number_ = number;
    key_ = key;
  }
  Status take(const Triple& triple) {
    if (relation_.is_hidden(triple)) return {};
    Code row[kMaxColumns];
    relation_.statement_row(triple, row);
    if (relation_.kind_ != SpaceKind::kFact) return offer(triple, row);
    for (const store::Assertion& assertion : relation_.state_->snapshot.assertions(triple)) {
      if (assertion.died != store::Sequence::kNone) continue;
      const auto graph = relation_.state_->graphs.find(assertion.graph);
      if (graph == relation_.state_->graphs.end()) continue;
      row[0] = graph->second;
      ANIMA_TRY(offer(triple, row));
    }
    return {};
  }
  Status flush() {
    if (keys_.empty()) return {};
    ANIMA_TRY(receiver_.take(keys_.data(), rows_.data(), keys_.size()));
    keys_.clear();
    rows_.clear();
    return {};
  }

 private:
  Status offer(const Triple& triple, const Code* row) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (row[columns_[c]] != key_[c]) return {};
    }
    if (relation_.may_repeat(triple) && !relation_.is_first(triple, row, lists_)) return {};
    keys_.push_back(number_);
    rows_.insert(rows_.end(), row, row + width_);
    return keys_.size() == kRowsPerFlush ? flush() : Status{};
  }

  const SpaceRelation& relation_;
  std::span<const std::uint32_t> columns_;
  Receiver& receiver_;
  std::uint32_t width_;
  std::uint32_t number_ = 0;
  const Code* key_ = nullptr;
  std::vector<std::uint32_t> keys_;
  std::vector<Code> rows_;
  Lists lists_;
};

SpaceRelation::SpaceRelation(std::shared_ptr<const SpaceState> state, SpaceKind kind,
                             std::vector<StorePredicate> predicates)
    : state_(std::move(state)), kind_(kind), predicates_(std::move(predicates)) {
  if (kind_ == SpaceKind::kConcept) predicates_ = {store::kTypePredicate};
}

std::uint32_t SpaceRelation::columns() const {
  if (kind_ == SpaceKind::kLink) return 2;
  return kind_ == SpaceKind::kFact ? 4 : 3;
}

Code SpaceRelation::label_of(StorePredicate predicate) const {
  if (predicate.predicate_class() != PredicateClass::kLink) {
    return state_->terms->literal(predicate.key());
  }
  return state_->name_of(predicate.as_link());
}

void SpaceRelation::statement_row(const Triple& triple, Code* row) const {
  if (kind_ == SpaceKind::kConcept) {
    row[0] = state_->entity(triple.subject);
    row[1] = state_->name_of(triple.object.as_entity());
    row[2] = state_->name_of(triple.subject);
    return;
  }
  const StatementPlaces places = places_of(kind_);
  row[places.subject] = state_->entity(triple.subject);
  if (places.predicate >= 0) row[places.predicate] = label_of(triple.predicate);
  row[places.object] = state_->term(triple.object);
}

void SpaceRelation::rows_of(const Triple& triple, std::span<const GraphId> graphs,
                            std::vector<Code>& out) const {
  if (is_hidden(triple)) return;
  Code row[kMaxColumns];
  statement_row(triple, row);
  if (kind_ != SpaceKind::kFact) {
    out.insert(out.end(), row, row + columns());
    return;
  }
  for (const GraphId graph : graphs) {
    const auto code = state_->graphs.find(graph);
    if (code == state_->graphs.end()) continue;
    row[0] = code->second;
    out.insert(out.end(), row, row + kMaxColumns);
  }
}

bool SpaceRelation::is_hidden(const Triple& triple) const {
  return kind_ == SpaceKind::kFact && !state_->links->hidden.empty() &&
         state_->links->is_hidden(triple.predicate);
}

// Could another statement be the same row? False is sure for the first of them, in the order of
// each_statement: concepts by their plain names come first, and in links concepts before literals,
// in attributes literals before concepts.
bool SpaceRelation::may_repeat(const Triple& triple) const {
  if (kind_ == SpaceKind::kConcept) return false;
  if (predicates_.size() > 1 || state_->labels->is_special(triple.subject)) return true;
  const bool literal = triple.object.tag() == store::Tag::kLiteral;
  if (kind_ == SpaceKind::kLink || kind_ == SpaceKind::kFact) {
    return literal || state_->has_unsure_label(triple.object);
  }
  return !literal ? triple.object.is_entity()
                  : state_->terms->has_others(state_->terms->literal(triple.object));
}

bool SpaceRelation::asserted(const Triple& triple, GraphId graph) const {
  const std::vector<store::Assertion> all = state_->snapshot.assertions(triple);
  return std::any_of(all.begin(), all.end(), [&](const store::Assertion& assertion) {
    return assertion.graph == graph && assertion.died == store::Sequence::kNone;
  });
}

void SpaceRelation::candidates(std::span<const std::uint32_t> columns, const Code* key,
                               Lists& lists) const {
  const StatementPlaces places = places_of(kind_);
  lists.subject_bound = lists.object_bound = lists.graph_bound = false;
  lists.predicate_bound = kind_ == SpaceKind::kLink || kind_ == SpaceKind::kConcept;
  lists.subjects.clear();
  lists.objects.clear();
  lists.predicates.clear();
  lists.graph.reset();
  if (lists.predicate_bound) lists.predicates = predicates_;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const int place = static_cast<int>(columns[c]);
    const Code code = key[c];
    if (place == places.subject) {
      lists.subject_bound = true;
      lists.subjects.clear();
      state_->entities_of(code, lists.subjects, lists.scratch);
    } else if (place == places.predicate) {
      lists.predicate_bound = true;
      predicates_called(code, lists);
    } else if (place == places.graph) {
      lists.graph_bound = true;
      for (const auto& [graph, name] : state_->graphs) {
        if (name == code) lists.graph = graph;
      }
    } else if (kind_ == SpaceKind::kConcept && place == 2) {
      if (lists.subject_bound) continue;
      lists.subject_bound = true;
      state_->named(code, lists.subjects, lists.scratch);
    } else {
      lists.object_bound = true;
      lists.entities.clear();
      if (kind_ == SpaceKind::kConcept) {
        state_->named(code, lists.entities, lists.scratch);
      } else {
        state_->entities_of(code, lists.entities, lists.scratch);
      }
      const bool literals_first = kind_ == SpaceKind::kAttribute || kind_ == SpaceKind::kMetadata;
      if (literals_first) state_->terms->literals_of(code, lists.objects);
      for (const EntityId id : lists.entities) lists.objects.push_back(StoreTerm::entity(id));
      if (!literals_first && kind_ != SpaceKind::kConcept) {
        state_->terms->literals_of(code, lists.objects);
      }
    }
  }
}

// The predicates of this relation's class that rules call so.
void SpaceRelation::predicates_called(Code code, Lists& lists) const {
  if (kind_ == SpaceKind::kFact) {
    lists.entities.clear();
    state_->named(code, lists.entities, lists.scratch);
    for (const EntityId id : lists.entities) {
      if (state_->snapshot.type_of(id) == store::kPropositionType) {
        lists.predicates.push_back(StorePredicate::link(id));
      }
    }
    return;
  }
  std::vector<StoreTerm> literals;
  state_->terms->literals_of(code, literals);
  for (const StoreTerm term : literals) {
    if (term.tag() != store::Tag::kLiteral) continue;
    lists.predicates.push_back(kind_ == SpaceKind::kAttribute ? StorePredicate::attribute(term)
                                                              : StorePredicate::metadata(term));
  }
}

// Calls visit(triple) for each statement of the row that is there, in order, until it says false.
template <typename Visit>
bool SpaceRelation::each_statement(std::span<const Code> row, Lists& lists,
                                   const Visit& visit) const {
  static constexpr std::uint32_t kAll[] = {0, 1, 2, 3};
  candidates(std::span(kAll, columns()), row.data(), lists);
  for (const StorePredicate predicate : lists.predicates) {
    if (is_hidden({EntityId::kNone, predicate, {}})) continue;
    for (const EntityId subject : lists.subjects) {
      for (const StoreTerm object : lists.objects) {
        const Triple triple{subject, predicate, object};
        if (!state_->snapshot.contains(triple)) continue;
        if (lists.graph_bound && (!lists.graph || !asserted(triple, *lists.graph))) continue;
        if (kind_ == SpaceKind::kConcept && state_->name_of(subject) != row[2]) continue;
        if (!visit(triple)) return false;
      }
    }
  }
  return true;
}

bool SpaceRelation::is_first(const Triple& triple, const Code* row, Lists& lists) const {
  bool first = true;
  each_statement(std::span<const Code>(row, columns()), lists, [&](const Triple& found) {
    first = found == triple;
    return false;
  });
  return first;
}

std::vector<Triple> SpaceRelation::statements(std::span<const Code> row) const {
  std::vector<Triple> out;
  Lists lists;
  each_statement(row, lists, [&](const Triple& triple) {
    out.push_back(triple);
    return true;
  });
  return out;
}

Status SpaceRelation::contains(std::span<const Code> rows, std::size_t count,
                               std::uint8_t* answer) const {
  const std::uint32_t width = columns();
  Lists lists;
  for (std::size_t i = 0; i < count; ++i) {
    answer[i] =
        each_statement(rows.subspan(i * width, width), lists, [](const Triple&) { return false; })
            ? 0
            : 1;
  }
  return {};
}

store::Pattern SpaceRelation::open_pattern() const {
  store::Pattern pattern;
  switch (kind_) {
    case SpaceKind::kAttribute:
      pattern.predicate_class = PredicateClass::kAttribute;
      break;
    case SpaceKind::kMetadata:
      pattern.predicate_class = PredicateClass::kMetadata;
      break;
    case SpaceKind::kConcept:
      pattern.predicate_class = PredicateClass::kStructural;
      break;
    default:
      break;
  }
  return pattern;
}

Status SpaceRelation::scan(const store::Snapshot& from, const store::Pattern& pattern,
                           Output& out) const {
  store::Cursor cursor = from.scan(pattern);
  std::array<Triple, 256> batch;
  for (std::size_t got = cursor.next(batch); got != 0; got = cursor.next(batch)) {
    for (std::size_t i = 0; i < got; ++i) ANIMA_TRY(out.take(batch[i]));
  }
  return {};
}

// Every statement that one of the candidates of each bound part allows.
Status SpaceRelation::probe_one(const Lists& lists, Output& out) const {
  const std::size_t subjects = lists.subject_bound ? lists.subjects.size() : 1;
  const std::size_t predicates = lists.predicate_bound ? lists.predicates.size() : 1;
  const std::size_t objects = lists.object_bound ? lists.objects.size() : 1;
  if (lists.graph_bound && !lists.graph) return {};
  const store::Snapshot from =
      lists.graph ? state_->snapshot.in_graphs(std::span(&*lists.graph, 1)) : state_->snapshot;
  for (std::size_t p = 0; p < predicates; ++p) {
    for (std::size_t s = 0; s < subjects; ++s) {
      for (std::size_t o = 0; o < objects; ++o) {
        store::Pattern pattern = open_pattern();
        if (lists.predicate_bound) pattern.predicate = lists.predicates[p];
        if (lists.subject_bound) pattern.subject = lists.subjects[s];
        if (lists.object_bound) pattern.object = lists.objects[o];
        if (!pattern.predicate || !pattern.subject || !pattern.object) {
          ANIMA_TRY(scan(from, pattern, out));
          continue;
        }
        const Triple triple{*pattern.subject, *pattern.predicate, *pattern.object};
        if (from.contains(triple)) ANIMA_TRY(out.take(triple));
      }
    }
  }
  return {};
}

// p(S, O) with one part bound: two look-ups a key, no cursor.
Status SpaceRelation::probe_links(std::span<const std::uint32_t> columns,
                                  std::span<const Code> keys, std::size_t count,
                                  Output& out) const {
  Lists lists;
  store::Scratch rows;
  for (std::uint32_t k = 0; k < count; ++k) {
    candidates(columns, &keys[k], lists);
    out.start(k, &keys[k]);
    for (const StorePredicate predicate : lists.predicates) {
      for (const EntityId subject : lists.subjects) {
        for (const std::uint32_t object : state_->snapshot.objects(subject, predicate, rows)) {
          ANIMA_TRY(out.take({subject, predicate, StoreTerm{object}}));
        }
      }
      for (const StoreTerm object : lists.objects) {
        for (const std::uint32_t subject : state_->snapshot.subjects(predicate, object, rows)) {
          ANIMA_TRY(out.take({EntityId{subject}, predicate, object}));
        }
      }
    }
  }
  return out.flush();
}

Status SpaceRelation::probe(std::span<const std::uint32_t> columns, std::span<const Code> keys,
                            std::size_t count, Receiver& receiver) const {
  Output out(*this, columns, receiver);
  if (kind_ == SpaceKind::kLink && columns.size() == 1) {
    return probe_links(columns, keys, count, out);
  }
  Lists lists;
  for (std::uint32_t k = 0; k < (columns.empty() ? 1 : count); ++k) {
    const Code* key = keys.data() + k * columns.size();
    candidates(columns, key, lists);
    out.start(k, key);
    ANIMA_TRY(probe_one(lists, out));
  }
  return out.flush();
}

const SpaceRelation::Counts& SpaceRelation::counts() const {
  const MutexLock lock(counts_mutex_);
  if (counts_.known) return counts_;
  class Count : public Receiver {
   public:
    explicit Count(std::uint32_t width) : distinct_(width) {}
    Status take(const std::uint32_t*, const Code* rows, std::size_t count) override {
      rows_ += count;
      for (std::size_t i = 0; i < count * distinct_.size(); ++i) {
        distinct_[i % distinct_.size()].add(rows[i]);
      }
      return {};
    }
    std::uint64_t rows_ = 0;
    std::vector<Distinct> distinct_;
  };
  Count count(columns());
  (void)probe({}, {}, 1, count);  // reading a snapshot does not fail
  counts_.rows = count.rows_;
  for (std::size_t c = 0; c < count.distinct_.size(); ++c) {
    counts_.distinct[c] = count.distinct_[c].estimate(count.rows_);
  }
  counts_.known = true;
  return counts_;
}

std::uint64_t SpaceRelation::rows() const { return counts().rows; }

double SpaceRelation::fan_out(std::span<const std::uint32_t> columns) const {
  const Counts& known = counts();
  const auto rows = static_cast<double>(known.rows);
  double keys = 1;
  for (const std::uint32_t c : columns) keys *= std::max(1.0, known.distinct[c]);
  return rows / std::max(1.0, std::min(keys, rows));
}

std::shared_ptr<const SpaceRelation> SpaceRelation::next(std::shared_ptr<const SpaceState> state,
                                                         std::vector<StorePredicate> predicates,
                                                         std::uint64_t inserted,
                                                         std::uint64_t deleted) const {
  auto out = std::make_shared<SpaceRelation>(std::move(state), kind_, std::move(predicates));
  const MutexLock lock(counts_mutex_), its(out->counts_mutex_);
  out->counts_ = counts_;
  out->counts_.rows += inserted - deleted;
  return out;
}

}  // namespace anima::datalog
