// Paths: breadth-first search with visited sets, forwards or backwards, one start at a time. Each
// pair of ends is reported once for each start, however many ways lead from one to the other;
// cycles end by themselves. What a search remembers is held against the run's memory.
#include <algorithm>
#include <memory>
#include <span>
#include <unordered_set>

#include "query/detail/operators.h"
#include "query/detail/shelf.h"

namespace anima::query::detail {

namespace {

using store::EntityId;
using store::Pattern;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;

// Codes seen so far: a bit for each entity, a hash set for literals. Cleared in the time of what it
// holds.
class Visited {
 public:
  explicit Visited(std::size_t entities) : bits_((entities + 63) / 64) {}
  bool add(std::uint32_t code) {
    if (Term{code}.tag() != store::Tag::kEntity || code / 64 >= bits_.size())
      return others_.insert(code).second;
    std::uint64_t& word = bits_[code / 64];
    const std::uint64_t bit = std::uint64_t{1} << (code % 64);
    if ((word & bit) != 0) return false;
    if (word == 0) touched_.push_back(code / 64);
    word |= bit;
    return true;
  }
  std::uint64_t bytes() const {
    constexpr std::uint64_t kNodeBytes = 24;  // of the hash set: link, code and its place
    return bits_.size() * 8 + touched_.capacity() * 4 + others_.size() * kNodeBytes +
           others_.bucket_count() * 8;
  }
  void clear() {
    for (const std::uint32_t word : touched_) bits_[word] = 0;
    touched_.clear();
    others_.clear();
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> touched_;
  std::unordered_set<std::uint32_t> others_;
};

class Walker {
 public:
  // `shelves` may be null.
  Walker(Run& run, const Snapshot& snapshot, const PathPattern& pattern, Shelves* shelves)
      : run_(run),
        snapshot_(snapshot),
        links_are_nodes_(pattern.links_are_nodes),
        shelves_(shelves) {}

  // Appends every code at the end of a path from `from`; each once, in no order.
  void expand(const PathExpr& path, std::uint32_t from, bool forward, Column* out) {
    const std::size_t begin = out->size();
    step(path, from, forward, out);
    kept_ends_.hold(out->capacity() * 4);
    if (is_plain(path)) return;
    if (path.kind != PathExpr::Kind::kRepeat) deduplicate(out, begin);
  }

  // Whether a path of no steps may stand at the code when both ends of the pattern are variables:
  // it is the subject or the object of a statement, or of an edge of the path.
  bool is_node(const PathExpr& path, std::uint32_t code) {
    if (has_edge(path, code)) return true;
    const Term term{code};
    if (term.tag() == store::Tag::kOverlay) return false;
    Pattern types;
    types.predicate = store::kTypePredicate;
    for (Pattern pattern : {Pattern{}, attributes(), types}) {
      pattern.object = term;
      if (any_of(pattern)) return true;
      if (!term.is_entity()) continue;
      pattern.object.reset();
      pattern.subject = EntityId{code};
      if (any_of(pattern)) return true;
    }
    return false;
  }

  // Everything a path may start at (forward) or end at (backward).
  void starts(const PathExpr& path, bool forward, Column* out) {
    switch (path.kind) {
      case PathExpr::Kind::kStep:
        for (const std::uint32_t predicate : path.predicates) {
          Pattern pattern;
          pattern.predicate = Predicate{predicate};
          ends_of(pattern, forward, out);
        }
        if (path.edges != nullptr) append(path.edges->ends(forward), out);
        break;
      case PathExpr::Kind::kInverse:
        starts(path.parts[0], !forward, out);
        break;
      case PathExpr::Kind::kSequence:
        starts(forward ? path.parts.front() : path.parts.back(), forward, out);
        break;
      case PathExpr::Kind::kAlternative:
        for (const PathExpr& part : path.parts) starts(part, forward, out);
        break;
      case PathExpr::Kind::kRepeat:
        starts(path.parts[0], forward, out);
        if (path.minimum == 0) {
          everything(out);
          ends_of_edges(path.parts[0], out);
        }
        break;
      case PathExpr::Kind::kNegated:
        ends_of(Pattern{}, forward, out);
        ends_of(attributes(), forward, out);
        break;
    }
    deduplicate(out, 0);
    kept_starts_.hold(out->capacity() * 4);
  }

 private:
  // What one part of the search holds of the run's memory, given back at its end.
  class Room {
   public:
    explicit Room(Walker& walker) : walker_(walker) {}
    ~Room() { walker_.held_ -= bytes_; }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    bool hold(std::uint64_t bytes) {
      walker_.held_ += bytes - bytes_;
      bytes_ = bytes;
      return walker_.run_.hold(walker_.charge_, walker_.held_) == Flow::kMore;
    }
    void swap(Room& other) { std::swap(bytes_, other.bytes_); }

   private:
    Walker& walker_;
    std::uint64_t bytes_ = 0;
  };

  // Codes in no order, most of them perhaps many times. Those that came again go before they fill
  // the memory.
  class Bag {
   public:
    explicit Bag(Walker& walker) : walker_(walker), room_(walker) {}
    // False when the budget is used up.
    bool grown() {
      if (codes.size() < next_look_) return true;
      const std::size_t before = codes.size();
      walker_.deduplicate(&codes, 0);
      next_look_ = std::max(kFirstLook, 2 * codes.size());
      return room_.hold(codes.capacity() * 4) && walker_.run_.spend(before) == Flow::kMore;
    }
    void clear() {
      codes.clear();
      next_look_ = kFirstLook;
    }
    void swap(Bag& other) {
      codes.swap(other.codes);
      room_.swap(other.room_);
      std::swap(next_look_, other.next_look_);
    }
    Column codes;

   private:
    static constexpr std::size_t kFirstLook = 8192;
    Walker& walker_;
    Room room_;
    std::size_t next_look_ = kFirstLook;
  };

  // The codes one step from each of `from`, each once, to `to`.
  bool step_all(const PathExpr& path, const Column& from, bool forward, Bag* to) {
    to->clear();
    for (const std::uint32_t code : from) {
      step(path, code, forward, &to->codes);
      if (!to->grown()) return false;
    }
    deduplicate(&to->codes, 0);
    return run_.spend(to->codes.size() + 1) == Flow::kMore;
  }

  void deduplicate(Column* out, std::size_t begin) {
    std::sort(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end());
    out->erase(std::unique(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end()),
               out->end());
  }

  void ends_of(const Pattern& pattern, bool forward, Column* out) {
    store::Cursor cursor = snapshot_.scan(pattern);
    triples_.resize(1024);
    while (const std::size_t count = cursor.next(triples_)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (hidden(triples_[i])) continue;
        const std::uint32_t code =
            forward ? static_cast<std::uint32_t>(triples_[i].subject) : triples_[i].object.code;
        if (out->empty() || out->back() != code) out->push_back(code);
      }
      if (!kept_starts_.hold(out->capacity() * 4) || run_.spend(count) == Flow::kEnough) return;
    }
  }

  void everything(Column* out) {
    Pattern types;
    types.predicate = store::kTypePredicate;
    ends_of(types, true, out);
    if (links_are_nodes_) return links(out);
    ends_of(types, false, out);
    for (const bool forward : {true, false}) {
      ends_of(Pattern{}, forward, out);
      ends_of(attributes(), forward, out);
    }
  }

  bool any_of(const Pattern& pattern) {
    store::Cursor cursor = snapshot_.scan(pattern);
    triples_.resize(1024);
    while (const std::size_t count = cursor.next(std::span(triples_).first(64))) {
      for (std::size_t i = 0; i < count; ++i) {
        if (!hidden(triples_[i])) return true;
      }
    }
    return false;
  }

  static bool has_edge(const PathExpr& path, std::uint32_t code) {
    if (path.edges != nullptr &&
        (!path.edges->next(code, true).empty() || !path.edges->next(code, false).empty()))
      return true;
    return std::any_of(path.parts.begin(), path.parts.end(),
                       [code](const PathExpr& part) { return has_edge(part, code); });
  }

  void ends_of_edges(const PathExpr& path, Column* out) {
    for (const PathExpr& part : path.parts) ends_of_edges(part, out);
    if (path.edges == nullptr) return;
    append(path.edges->ends(true), out);
    append(path.edges->ends(false), out);
  }

  static Pattern attributes() {
    Pattern pattern;
    pattern.predicate_class = PredicateClass::kAttribute;
    return pattern;
  }

  bool hidden(const Triple& triple) const {
    const PredicateNodes* nodes = run_.plan.predicate_nodes.get();
    return nodes != nullptr && nodes->node_of(triple) == 0;
  }

  void links(Column* out) {
    store::Cursor cursor = snapshot_.scan(Pattern{});
    triples_.resize(1024);
    while (const std::size_t count = cursor.next(triples_)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (const auto link = snapshot_.find_proposition(triples_[i]))
          out->push_back(static_cast<std::uint32_t>(*link));
      }
      if (!kept_starts_.hold(out->capacity() * 4) || run_.spend(count) == Flow::kEnough) return;
    }
  }

  void step(const PathExpr& path, std::uint32_t from, bool forward, Column* out) {
    switch (path.kind) {
      case PathExpr::Kind::kStep:
        for (const std::uint32_t predicate : path.predicates)
          neighbours(predicate, path.test.get(), from, forward, out);
        if (path.edges != nullptr) append(path.edges->next(from, forward), out);
        return;
      case PathExpr::Kind::kInverse:
        return step(path.parts[0], from, !forward, out);
      case PathExpr::Kind::kAlternative:
        for (const PathExpr& part : path.parts) step(part, from, forward, out);
        return;
      case PathExpr::Kind::kSequence:
        return sequence(path, from, forward, out);
      case PathExpr::Kind::kRepeat:
        return repeat(path, from, forward, out);
      case PathExpr::Kind::kNegated:
        return negated(path, from, forward, out);
    }
  }

  // One predicate, and all that is stated and nothing else: its neighbours come each once.
  static bool is_plain(const PathExpr& path) {
    return path.kind == PathExpr::Kind::kStep && path.predicates.size() == 1 &&
           path.edges == nullptr && path.test == nullptr;
  }

  static void append(std::span<const std::uint32_t> codes, Column* out) {
    out->insert(out->end(), codes.begin(), codes.end());
  }

  void neighbours(std::uint32_t predicate, const EdgeTest* test, std::uint32_t from, bool forward,
                  Column* out) {
    if (forward && !Term{from}.is_entity()) return;
    const auto list = neighbour_list(predicate, from, forward);
    if (test == nullptr) return append(list, out);
    for (const std::uint32_t code : list) {
      const EntityId subject{forward ? from : code};
      if (test->holds(snapshot_, {subject, Predicate{predicate}, Term{forward ? code : from}}))
        out->push_back(code);
    }
  }

  std::span<const std::uint32_t> neighbour_list(std::uint32_t predicate, std::uint32_t from,
                                                bool forward) {
    if (shelf_ != nullptr && shelf_predicate_ == predicate && shelf_forward_ == forward)
      return shelf_->of(from);
    return forward ? snapshot_.objects(EntityId{from}, Predicate{predicate}, scratch_)
                   : snapshot_.subjects(Predicate{predicate}, Term{from}, scratch_);
  }

  void sequence(const PathExpr& path, std::uint32_t from, bool forward, Column* out) {
    Bag current(*this), next(*this);
    current.codes.push_back(from);
    for (std::size_t i = 0; i < path.parts.size() && !current.codes.empty(); ++i) {
      const PathExpr& part = path.parts[forward ? i : path.parts.size() - 1 - i];
      if (!step_all(part, current.codes, forward, &next)) return;
      current.swap(next);
    }
    out->insert(out->end(), current.codes.begin(), current.codes.end());
  }

  void negated(const PathExpr& path, std::uint32_t from, bool forward, Column* out) {
    Pattern pattern;
    if (forward) {
      if (!Term{from}.is_entity()) return;
      pattern.subject = EntityId{from};
    } else {
      pattern.object = Term{from};
    }
    std::vector<Triple> triples(256);
    for (const PredicateClass kind : {PredicateClass::kLink, PredicateClass::kAttribute}) {
      pattern.predicate_class = kind;
      store::Cursor cursor = snapshot_.scan(pattern);
      while (const std::size_t count = cursor.next(triples)) {
        for (std::size_t i = 0; i < count; ++i) {
          const auto& never = path.predicates;
          if (std::find(never.begin(), never.end(), triples[i].predicate.code) != never.end())
            continue;
          out->push_back(forward ? triples[i].object.code
                                 : static_cast<std::uint32_t>(triples[i].subject));
        }
      }
    }
  }

  // Exactly `minimum` levels first, then everything within the rest of the range.
  void repeat(const PathExpr& path, std::uint32_t from, bool forward, Column* out) {
    Bag level(*this), next(*this);
    level.codes.push_back(from);
    for (std::uint32_t i = 0; i < path.minimum && !level.codes.empty(); ++i) {
      if (!step_all(path.parts[0], level.codes, forward, &next)) return;
      level.swap(next);
    }
    const PathExpr& inner = path.parts[0];
    std::unique_ptr<Visited> visited = take_visited();
    Room room(*this);
    const std::size_t had_room = out->capacity();
    const auto held = [&] {
      return room.hold(visited->bytes() + (out->capacity() - had_room) * 4);
    };
    if (!held()) return;
    for (const std::uint32_t code : level.codes) visited->add(code);
    const std::uint32_t rest = path.maximum ? *path.maximum - path.minimum : ~0u;
    const std::size_t begin = out->size();
    out->insert(out->end(), level.codes.begin(), level.codes.end());
    std::size_t head = begin;
    for (std::uint32_t depth = 0; depth < rest && head < out->size(); ++depth) {
      const std::size_t end = out->size();
      if (end - head >= kManyNodes) ask_for_shelf(inner, forward, end - head);
      std::size_t looked = out->size();
      for (; head < end; ++head) {
        if (out->size() - looked >= kNodesBetweenLooks) {
          if (!held() || run_.spend(out->size() - looked) == Flow::kEnough) break;
          looked = out->size();
        }
        if (is_plain(inner)) {
          const std::uint32_t at = (*out)[head];
          if (forward && !Term{at}.is_entity()) continue;
          if (shelf_ != nullptr) {
            if (head + 2 * kAhead < end) shelf_->prefetch_place((*out)[head + 2 * kAhead]);
            if (head + kAhead < end) shelf_->prefetch_list((*out)[head + kAhead]);
          }
          for (const std::uint32_t code : neighbour_list(inner.predicates[0], at, forward)) {
            if (visited->add(code)) out->push_back(code);
          }
          continue;
        }
        next.clear();
        step(inner, (*out)[head], forward, &next.codes);
        if (!next.grown()) break;
        for (const std::uint32_t code : next.codes) {
          if (visited->add(code)) out->push_back(code);
        }
      }
      if (!held() || run_.spend(out->size() - looked + 1) == Flow::kEnough) break;
    }
    room.hold(0);
    put_back(std::move(visited));
  }

  // A level of many nodes is worth an array.
  void ask_for_shelf(const PathExpr& step, bool forward, std::size_t nodes) {
    if (shelves_ == nullptr || shelf_ != nullptr || !is_plain(step) || step.predicates[0] == 0)
      return;
    shelf_predicate_ = step.predicates[0];
    shelf_forward_ = forward;
    shelf_ = shelves_->ask(snapshot_, Predicate{shelf_predicate_}, forward, nodes);
  }

  std::unique_ptr<Visited> take_visited() {
    if (spare_.empty()) return std::make_unique<Visited>(snapshot_.entity_bound());
    std::unique_ptr<Visited> visited = std::move(spare_.back());
    spare_.pop_back();
    spare_bytes_ -= visited->bytes();
    kept_spare_.hold(spare_bytes_);
    return visited;
  }
  void put_back(std::unique_ptr<Visited> visited) {
    visited->clear();
    spare_bytes_ += visited->bytes();
    kept_spare_.hold(spare_bytes_);
    spare_.push_back(std::move(visited));
  }

  Run& run_;
  const Snapshot& snapshot_;
  static constexpr std::size_t kManyNodes = 256;
  static constexpr std::size_t kAhead = 8;  // nodes of a level that are fetched ahead
  static constexpr std::size_t kNodesBetweenLooks = 8192;

  bool links_are_nodes_;
  Shelves* shelves_;
  std::shared_ptr<const Shelf> shelf_;
  std::uint32_t shelf_predicate_ = 0;
  bool shelf_forward_ = true;
  store::Scratch scratch_;
  std::vector<Triple> triples_;
  std::vector<std::unique_ptr<Visited>> spare_;
  Charge charge_;
  std::uint64_t held_ = 0;  // by all rooms
  Room kept_starts_{*this}, kept_ends_{*this}, kept_spare_{*this};
  std::uint64_t spare_bytes_ = 0;
};

// The paths within one graph, or within all of the scope.
struct Search {
  Search(Run& run, const Snapshot& s, const PathPattern& pattern, Shelves* shelves)
      : snapshot(s), walker(run, snapshot, pattern, shelves) {}
  // Neighbouring rows often share their start.
  const Column& reach(const PathExpr& path, std::uint32_t from, bool forward) {
    if (from == last && forward == last_forward) return ends;
    ends.clear();
    walker.expand(path, from, forward, &ends);
    last = from;
    last_forward = forward;
    return ends;
  }

  std::uint32_t graph = 0;  // the node of the graph
  Snapshot snapshot;
  Walker walker;
  Column starts, ends;
  bool starts_filled = false;
  std::uint32_t last = 0;
  bool last_forward = true;
};

// Whether the path may have no steps.
bool may_be_empty(const PathExpr& path) {
  const auto inner = [](const PathExpr& part) { return may_be_empty(part); };
  switch (path.kind) {
    case PathExpr::Kind::kRepeat:
      return path.minimum == 0 || inner(path.parts[0]);
    case PathExpr::Kind::kInverse:
      return inner(path.parts[0]);
    case PathExpr::Kind::kSequence:
      return std::all_of(path.parts.begin(), path.parts.end(), inner);
    case PathExpr::Kind::kAlternative:
      return std::any_of(path.parts.begin(), path.parts.end(), inner);
    case PathExpr::Kind::kStep:
    case PathExpr::Kind::kNegated:
      break;
  }
  return false;
}

class Path final : public Operator {
 public:
  Path(Run& run, Operator* next, const PathPattern& pattern, std::vector<Slot> carried,
       std::vector<Slot> made, const Marks* marks, Shelves* shelves)
      : Operator(run, next),
        pattern_(pattern),
        made_(made),
        marks_(marks),
        shelves_(shelves),
        only_nodes_(pattern.subject.is_slot && pattern.object.is_slot && !pattern.links_are_nodes &&
                    may_be_empty(pattern.path)),
        expansion_(run.slot_count, std::move(carried), std::move(made)) {}

  std::string describe() const override { return "path"; }

 protected:
  Flow work(Batch& batch) override {
    if (searches_.empty()) prepare();
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (marks_ != nullptr && marks_->done(batch, row)) continue;
      const std::uint32_t graph = pattern_.graph ? batch.at(*pattern_.graph, row) : 0;
      for (const auto& search : searches_) {
        if (graph != 0 && graph != search->graph) continue;
        search_ = search.get();
        const Flow flow = walk(batch, row);
        if (flow == Flow::kEnough || run_.failed()) return Flow::kEnough;
      }
    }
    return expansion_.empty() ? Flow::kMore : pass(expansion_.flush(batch));
  }

 private:
  void prepare() {
    const Snapshot& scope = run_.scope(pattern_.scope);
    if (!pattern_.graph) {
      searches_.push_back(std::make_unique<Search>(run_, scope, pattern_, shelves_));
      return;
    }
    for (const NamedGraph& it : run_.plan.named_graphs) {
      const store::GraphId graphs[] = {it.graph};
      searches_.push_back(
          std::make_unique<Search>(run_, scope.in_graphs(graphs), pattern_, nullptr));
      searches_.back()->graph = it.node;
    }
  }

  static std::uint32_t cell(const Ref& ref, const Batch& batch, std::size_t row) {
    return ref.is_slot ? batch.at(ref.value, row) : ref.value;
  }

  Flow walk(const Batch& batch, std::size_t row) {
    const std::uint32_t subject = cell(pattern_.subject, batch, row),
                        object = cell(pattern_.object, batch, row);
    if (subject == 0 && object == 0) return walk_all(batch, row);
    const bool forward = subject != 0;
    if (only_nodes_ && !search_->walker.is_node(pattern_.path, forward ? subject : object))
      return Flow::kMore;
    const Column& ends = search_->reach(pattern_.path, forward ? subject : object, forward);
    if (subject != 0 && object != 0) {
      return std::find(ends.begin(), ends.end(), object) != ends.end()
                 ? emit(batch, row, subject, object)
                 : Flow::kMore;
    }
    const Ref& open = forward ? pattern_.object : pattern_.subject;
    if (open.is_slot && made_.size() == 1) return emit_ends(batch, row, ends);
    for (const std::uint32_t end : ends) {
      if (emit(batch, row, forward ? subject : end, forward ? end : object) == Flow::kEnough)
        return Flow::kEnough;
    }
    return Flow::kMore;
  }

  // Rows that make nothing but the open end.
  Flow emit_ends(const Batch& batch, std::size_t row, std::span<const std::uint32_t> ends) {
    while (!ends.empty()) {
      const std::size_t count = std::min(expansion_.room(), ends.size());
      expansion_.add_many(row, ends.first(count));
      ends = ends.subspan(count);
      if (expansion_.full() && pass(expansion_.flush(batch)) == Flow::kEnough) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  Flow walk_all(const Batch& batch, std::size_t row) {
    Search& search = *search_;
    if (!search.starts_filled) search.walker.starts(pattern_.path, true, &search.starts);
    search.starts_filled = true;
    for (const std::uint32_t start : search.starts) {
      for (const std::uint32_t end : search.reach(pattern_.path, start, true)) {
        if (emit(batch, row, start, end) == Flow::kEnough) return Flow::kEnough;
      }
      if (run_.failed()) return Flow::kEnough;
    }
    return Flow::kMore;
  }

  Flow emit(const Batch& batch, std::size_t row, std::uint32_t subject, std::uint32_t object) {
    const bool same = pattern_.subject.is_slot && pattern_.object.is_slot &&
                      pattern_.subject.value == pattern_.object.value;
    if (same && subject != object) return Flow::kMore;
    expansion_.add(row);
    for (std::size_t k = 0; k < made_.size(); ++k) {
      const bool is_subject = pattern_.subject.is_slot && pattern_.subject.value == made_[k];
      const bool is_object = pattern_.object.is_slot && pattern_.object.value == made_[k];
      expansion_.cells(k).push_back(is_subject ? subject : is_object ? object : search_->graph);
    }
    return expansion_.full() ? pass(expansion_.flush(batch)) : Flow::kMore;
  }

  const PathPattern& pattern_;
  std::vector<Slot> made_;
  const Marks* marks_;
  Shelves* shelves_;
  const bool only_nodes_;  // a path of no steps stands at nodes of the graph alone
  std::vector<std::unique_ptr<Search>> searches_;  // one, or one a graph
  Search* search_ = nullptr;                       // of the row at hand
  Expansion expansion_;
};

}  // namespace

OperatorPtr make_path(Run& run, Operator* next, const PathPattern& pattern,
                      std::vector<Slot> carried, const Marks* marks, Shelves* shelves) {
  std::vector<Slot> made;
  for (const Ref& ref : {pattern.subject, pattern.object}) {
    if (ref.is_slot && std::find(made.begin(), made.end(), ref.value) == made.end())
      made.push_back(ref.value);
  }
  if (pattern.graph && std::find(made.begin(), made.end(), *pattern.graph) == made.end())
    made.push_back(*pattern.graph);
  std::erase_if(carried, [&made](Slot slot) {
    return std::find(made.begin(), made.end(), slot) != made.end();
  });
  return std::make_unique<Path>(run, next, pattern, std::move(carried), std::move(made), marks,
                                shelves);
}

}  // namespace anima::query::detail
