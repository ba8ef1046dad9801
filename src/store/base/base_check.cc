// What reading a base relies on. The checksums tell of damage; whoever recomputes them can still
// put any number into a column, and every number here is followed somewhere.
#include <algorithm>

#include "store/base/base.h"

namespace anima::store::detail {
namespace {

// Loops without an early end: they run at the speed of memory.
bool below(const Column& column, std::uint64_t bound) {
  if (column.empty()) return true;
  std::uint32_t most = 0;
  for (const std::uint32_t value : column) most = std::max(most, value);
  return most < bound;
}

template <typename T>
bool ascends(std::span<const T> offsets, std::uint64_t first, std::uint64_t last) {
  if (offsets.empty() || offsets.front() != first || offsets.back() != last) return false;
  bool good = true;
  for (std::size_t i = 1; i < offsets.size(); ++i) good &= offsets[i - 1] <= offsets[i];
  return good;
}

// Pairs (key, first place), keys ascending, ended by (0xffffffff, last).
bool directory(const Column& pairs, std::uint32_t first, std::uint32_t last) {
  if (pairs[1] != first || pairs[pairs.size() - 1] != last ||
      pairs[pairs.size() - 2] != 0xffffffffu) {
    return false;
  }
  for (std::size_t i = 2; i < pairs.size(); i += 2) {
    if (pairs[i - 2] >= pairs[i] || pairs[i - 1] > pairs[i + 1]) return false;
  }
  return true;
}

}  // namespace

class BaseCheck {
 public:
  explicit BaseCheck(const Base& base)
      : base_(base),
        rows_(base.rows()),
        entities_(base.entity_bound()),
        terms_(base.term_bound()) {}

  Status run() const {
    ANIMA_TRY(check(dictionary(), "dictionary"));
    ANIMA_TRY(check(contexts(), "contexts"));
    ANIMA_TRY(check(orders(), "orders of statements"));
    ANIMA_TRY(check(retired(), "statements that are no more"));
    ANIMA_TRY(check(entities(), "entities"));
    return check(entries(), "entries");
  }

 private:
  static Status check(bool good, const char* what) {
    if (good) return {};
    return fail(ErrorCode::kCorrupt, std::string("the base names what it has not got: ") + what);
  }

  bool dictionary() const {
    return ascends(base_.term_offsets, 0, base_.term_bytes.size()) &&
           ascends(base_.graph_offsets, 0, base_.graph_bytes.size()) &&
           below(base_.term_hash, terms_) &&
           // A search ends at a free slot.
           std::find(base_.term_hash.begin(), base_.term_hash.end(), 0u) != base_.term_hash.end();
  }

  bool term(std::uint32_t code) const {
    const std::uint32_t payload = code & kPayloadMask;
    switch (static_cast<Tag>(code >> kTagShift)) {
      case Tag::kEntity:
        return payload < entities_;
      case Tag::kInteger:
        return true;
      case Tag::kLiteral:
        return payload < terms_;
      case Tag::kOverlay:
        break;
    }
    return false;
  }
  bool terms(const Column& column) const {
    bool good = true;
    for (const std::uint32_t code : column) good &= term(code);
    return good;
  }
  bool predicate(std::uint32_t code) const {
    const std::uint32_t payload = code & kPayloadMask;
    switch (Predicate{code}.predicate_class()) {
      case PredicateClass::kLink:
        return payload < entities_;
      case PredicateClass::kStructural:
        return code == kTypePredicate.code || code == kNamePredicate.code;
      default:
        return payload < terms_;
    }
  }
  bool predicates(const Column& column) const {
    std::uint32_t last = kTypePredicate.code;
    for (const std::uint32_t code : column) {
      if (code != last && !predicate(code)) return false;
      last = code;
    }
    return true;
  }
  bool set(std::uint32_t code) const {
    const std::uint64_t contexts = base_.contexts.size();
    if ((code & kManySets) == 0) return code < contexts;
    const std::uint64_t place = code & ~kManySets;
    if (place >= base_.sets.size()) return false;
    const std::uint64_t end = place + 1 + base_.sets[place];
    if (end > base_.sets.size()) return false;
    for (std::uint64_t at = place + 1; at < end; ++at) {
      if (base_.sets[at] >= contexts) return false;
    }
    return true;
  }
  bool all_sets(const Column& column) const {
    std::uint32_t good = 0;  // the last that was looked at: neighbours are mostly the same
    bool any = false;
    for (const std::uint32_t code : column) {
      if (any && code == good) continue;
      if (!set(code)) return false;
      good = code;
      any = true;
    }
    return true;
  }
  bool born(const Column& column, std::uint32_t least) const {
    bool good = true;
    for (const std::uint32_t at : column) good &= at >= least && at <= base_.counts().sequence;
    return good;
  }

  bool contexts() const {
    for (const Context& context : base_.contexts) {
      if (context.graph >= base_.graph_bound() || context.born == 0 ||
          context.born > base_.counts().sequence) {
        return false;
      }
    }
    return true;
  }

  bool orders() const {
    const Base& b = base_;
    if (!ascends(b.spo_offsets, 0, rows_) || !directory(b.pos_directory, 0, rows_) ||
        b.ops_entity_offsets.front() != 0 ||
        !ascends(b.ops_entity_offsets, 0, b.ops_entity_offsets.back()) ||
        !directory(b.ops_integers, b.ops_entity_offsets.back(), b.ops_literal_offsets.front()) ||
        !ascends(b.ops_literal_offsets, b.ops_integers.back(), rows_)) {
      return false;
    }
    const std::uint32_t valued = b.of_predicates(2u << kTagShift, 0xffffffffu).begin;
    if (!b.value_order.empty() && b.value_order.size() != rows_ - valued) return false;
    return below(b.spo_s, entities_) && below(b.pos_s, entities_) && below(b.ops_s, entities_) &&
           predicates(b.spo_p) && predicates(b.ops_p) && terms(b.spo_o) && terms(b.pos_o) &&
           below(b.spo_proposition, entities_) && below(b.by_born, rows_) &&
           below(b.value_order, rows_) && below(b.by_graph, rows_) && born(b.spo_born, 1) &&
           all_sets(b.spo_set) && all_sets(b.pos_set) && all_sets(b.ops_set);
  }

  bool retired() const {
    const Base& b = base_;
    for (std::size_t at = 0; at < b.retired_set.size(); ++at) {
      // What was only quoted has no word of anybody.
      if (b.retired_born[at] != 0 && !set(b.retired_set[at])) return false;
    }
    return below(b.retired_s, entities_) && predicates(b.retired_p) && terms(b.retired_o) &&
           below(b.retired_proposition, entities_) && born(b.retired_born, 0) &&
           born(b.retired_died, 0) && below(b.retired_by_died, b.retired_rows()) &&
           below(b.retired_by_object, b.retired_rows());
  }

  // A proposition is about what was there before it, so that following it comes to an end.
  static bool earlier(std::uint32_t s, std::uint32_t o, std::uint32_t id) {
    return s < id && (static_cast<Tag>(o >> kTagShift) != Tag::kEntity || o < id);
  }

  bool entities() const {
    const Base& b = base_;
    for (std::uint32_t id = 0; id < entities_; ++id) {
      const std::uint32_t type = b.entity_a[id];
      const std::uint32_t more = b.entity_b[id];
      if (type == 0) continue;
      if (type != kPropositionMark) {
        if (type >= entities_ || !term(more)) return false;
        continue;
      }
      const std::uint32_t at = more & ~kRetiredMark;
      const bool gone = (more & kRetiredMark) != 0;
      if (at >= (gone ? b.retired_rows() : rows_)) return false;
      if (gone ? !earlier(b.retired_s[at], b.retired_o[at], id)
               : !earlier(b.spo_s[at], b.spo_o[at], id)) {
        return false;
      }
    }
    for (std::size_t i = 1; i < b.label_pairs.size(); i += 2) {
      if (b.label_pairs[i] >= entities_) return false;
    }
    return true;
  }

  bool entries() const {
    const std::uint64_t bytes = base_.entry_bytes.size();
    for (const StoredEntry& entry : base_.entries) {
      if (std::uint64_t{entry.author} + entry.author_size > bytes ||
          std::uint64_t{entry.source} + entry.source_size > bytes ||
          (entry.trust & ~kUndoMark) > static_cast<std::uint32_t>(Trust::kSystem) ||
          entry.cause > base_.counts().sequence) {
        return false;
      }
    }
    for (std::size_t i = 0; i < base_.acts.size(); ++i) {
      if (base_.acts[i] > i) return false;
    }
    return true;
  }

  const Base& base_;
  const std::uint32_t rows_, entities_, terms_;
};

Status Base::check_contents() const { return BaseCheck(*this).run(); }

}  // namespace anima::store::detail
