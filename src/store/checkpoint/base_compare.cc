#include "store/checkpoint/base_compare.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace anima::store::detail {
namespace {

class Comparison {
 public:
  Comparison(const Base& made, const Base& stored, const Snapshot& truth)
      : made_(made), stored_(stored), truth_(truth) {}

  Status run() const {
    ANIMA_TRY(counts());
    ANIMA_TRY(dictionary());
    ANIMA_TRY(entities());
    ANIMA_TRY(statements());
    ANIMA_TRY(retired());
    ANIMA_TRY(graphs());
    ANIMA_TRY(entries());
    return same_bytes(made_.text, stored_.text, "the text index");
  }

 private:
  using Words = std::function<std::string(std::size_t)>;

  static Unexpected<Error> differs(const std::string& what, const std::string& where) {
    return fail(ErrorCode::kCorrupt, "the base does not say what the log says: " + what +
                                         (where.empty() ? "" : ", first at " + where));
  }
  template <typename T>
  Status same(std::span<const T> made, std::span<const T> stored, const std::string& what,
              const Words& words) const {
    const std::size_t both = std::min(made.size(), stored.size());
    std::size_t at = 0;
    while (at < both && std::memcmp(&made[at], &stored[at], sizeof(T)) == 0) ++at;
    if (at == made.size() && at == stored.size()) return {};
    return differs(what, at < made.size() ? words(at) : "what the log does not hold");
  }
  static Status same_bytes(std::string_view made, std::string_view stored,
                           const std::string& what) {
    return made == stored ? Status{} : Status{differs(what, {})};
  }

  std::string term(std::uint32_t code) const {
    if (const Term value{code}; value.is_entity()) return entity(code);
    return truth_.display(Term{code});
  }
  std::string entity(std::size_t id) const {
    const EntityId known{static_cast<std::uint32_t>(id)};
    const std::string number = "C:" + std::to_string(id);
    if (truth_.kind(known) != EntityKind::kConcept) return number;
    return number + " (" + std::string(truth_.name(known)) + ")";
  }
  std::string predicate(std::uint32_t code) const {
    const Predicate known{code};
    switch (known.predicate_class()) {
      case PredicateClass::kLink:
        return entity(code);
      case PredicateClass::kStructural:
        return known == kTypePredicate ? "type" : "name";
      default:
        return truth_.display(known.key());
    }
  }
  std::string statement(std::uint32_t s, std::uint32_t p, std::uint32_t o) const {
    return "the statement " + entity(s) + " " + predicate(p) + " " + term(o);
  }
  std::string row(std::size_t at) const {
    return at < made_.rows() ? statement(made_.spo_s[at], made_.spo_p[at], made_.spo_o[at])
                             : "the end";
  }
  std::string retired_row(std::size_t at) const {
    return at < made_.retired_rows()
               ? statement(made_.retired_s[at], made_.retired_p[at], made_.retired_o[at])
               : "the end";
  }
  static std::string number(std::size_t at) { return std::to_string(at); }

  Status counts() const {
    const BaseCounts& a = made_.counts();
    const BaseCounts& b = stored_.counts();
    const bool good = a.sequence == b.sequence && a.time == b.time && a.hash == b.hash &&
                      a.concepts == b.concepts && a.propositions == b.propositions &&
                      a.assertions == b.assertions;
    return good ? Status{} : Status{differs("the header", {})};
  }

  Status dictionary() const {
    const auto value = [this](std::size_t place) {
      return place < made_.term_bound()
                 ? "the value " + truth_.display(Term::literal(static_cast<std::uint32_t>(place)))
                 : "the end";
    };
    ANIMA_TRY(same(made_.term_offsets, stored_.term_offsets, "the dictionary", value));
    for (std::uint32_t place = 1; place < made_.term_bound(); ++place) {
      if (made_.term(place) != stored_.term(place)) return differs("the dictionary", value(place));
    }
    ANIMA_TRY(same(made_.term_hash, stored_.term_hash, "the index of the dictionary", number));
    return same(made_.label_pairs, stored_.label_pairs, "the index of names",
                [&](std::size_t at) { return entity(made_.label_pairs[at | 1]); });
  }

  Status entities() const {
    const auto words = [this](std::size_t id) { return entity(id); };
    ANIMA_TRY(same(made_.entity_a, stored_.entity_a, "a concept or proposition", words));
    return same(made_.entity_b, stored_.entity_b, "a concept or proposition", words);
  }

  Status statements() const {
    const auto by_row = [this](std::size_t at) { return row(at); };
    const auto by_pos = [this](std::size_t at) {
      return at < made_.rows() ? statement_at_pos(static_cast<std::uint32_t>(at)) : "the end";
    };
    const auto by_ops = [this](std::size_t at) {
      return at >= made_.rows() ? std::string("the end")
                                : statement(made_.ops_s[at], made_.ops_p[at],
                                            made_.ops_object(static_cast<std::uint32_t>(at)));
    };
    const auto by_entity = [this](std::size_t id) { return entity(id); };
    const std::string spo = "a statement";
    const std::string pos = "the statements by predicate";
    const std::string ops = "the statements by object";
    ANIMA_TRY(same(made_.spo_s, stored_.spo_s, spo, by_row));
    ANIMA_TRY(same(made_.spo_p, stored_.spo_p, spo, by_row));
    ANIMA_TRY(same(made_.spo_o, stored_.spo_o, spo, by_row));
    ANIMA_TRY(same(made_.spo_proposition, stored_.spo_proposition, spo, by_row));
    ANIMA_TRY(same(made_.spo_born, stored_.spo_born, "when a statement was made", by_row));
    ANIMA_TRY(same_sets(made_.spo_set, stored_.spo_set, by_row));
    ANIMA_TRY(same(made_.spo_offsets, stored_.spo_offsets, spo, by_entity));
    ANIMA_TRY(same(made_.pos_directory, stored_.pos_directory, pos, number));
    ANIMA_TRY(same(made_.pos_o, stored_.pos_o, pos, by_pos));
    ANIMA_TRY(same(made_.pos_s, stored_.pos_s, pos, by_pos));
    ANIMA_TRY(same_sets(made_.pos_set, stored_.pos_set, by_pos));
    ANIMA_TRY(same(made_.ops_entity_offsets, stored_.ops_entity_offsets, ops, by_entity));
    ANIMA_TRY(same(made_.ops_integers, stored_.ops_integers, ops, number));
    ANIMA_TRY(same(made_.ops_literal_offsets, stored_.ops_literal_offsets, ops, number));
    ANIMA_TRY(same(made_.ops_p, stored_.ops_p, ops, by_ops));
    ANIMA_TRY(same(made_.ops_s, stored_.ops_s, ops, by_ops));
    ANIMA_TRY(same_sets(made_.ops_set, stored_.ops_set, by_ops));
    ANIMA_TRY(same(made_.by_born, stored_.by_born, "the statements by time", number));
    if (stored_.value_order.empty()) return {};
    return same(made_.value_order, stored_.value_order, "the statements by value", number);
  }
  std::string statement_at_pos(std::uint32_t at) const {
    const Column& directory = made_.pos_directory;
    std::uint32_t p = 0;
    for (std::size_t i = 0; i + 2 < directory.size() && directory[i + 1] <= at; i += 2)
      p = directory[i];
    return statement(made_.pos_s[at], p, made_.pos_o[at]);
  }

  Status retired() const {
    const auto words = [this](std::size_t at) { return retired_row(at); };
    const std::string what = "a statement that is no more";
    const std::pair<Column, Column> columns[] = {
        {made_.retired_s, stored_.retired_s},
        {made_.retired_p, stored_.retired_p},
        {made_.retired_o, stored_.retired_o},
        {made_.retired_proposition, stored_.retired_proposition},
        {made_.retired_born, stored_.retired_born},
        {made_.retired_died, stored_.retired_died},
    };
    for (const auto& [made, stored] : columns) ANIMA_TRY(same(made, stored, what, words));
    // What was only quoted has no word of anybody.
    for (std::size_t at = 0; at < made_.retired_rows(); ++at) {
      if (made_.retired_born[at] != 0 &&
          said(made_, made_.retired_set[at]) != said(stored_, stored_.retired_set[at])) {
        return differs("who asserted a statement", retired_row(at));
      }
    }
    ANIMA_TRY(same(made_.retired_by_died, stored_.retired_by_died, what, number));
    return same(made_.retired_by_object, stored_.retired_by_object, what, number);
  }

  Status graphs() const {
    const auto words = [this](std::size_t graph) {
      return graph < made_.graph_bound()
                 ? "the graph " + std::string(made_.graph_name(static_cast<std::uint32_t>(graph)))
                 : "the end";
    };
    ANIMA_TRY(same(made_.graph_offsets, stored_.graph_offsets, "the graphs", words));
    ANIMA_TRY(same_bytes(made_.graph_bytes, stored_.graph_bytes, "the names of the graphs"));
    ANIMA_TRY(same(made_.graph_sizes, stored_.graph_sizes, "the size of a graph", words));
    return same(made_.by_graph, stored_.by_graph, "the statements by graph", number);
  }

  Status entries() const {
    for (std::uint64_t at = 1; at <= made_.counts().sequence; ++at) {
      const EntryRecord a = made_.entry(at);
      const EntryRecord b = stored_.entry(at);
      const bool known = at >= stored_.marks().causes_from;
      if (a.time != b.time || a.trust != b.trust || a.author != b.author || a.source != b.source ||
          a.act != b.act || (known && (a.cause != b.cause || a.undo != b.undo))) {
        return differs("what is kept of an entry", "entry " + std::to_string(at));
      }
    }
    return {};
  }

  using Said =
      std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, double, std::uint32_t>>;
  static Said said(const Base& base, std::uint32_t set) {
    Said all;
    const auto add = [&](std::uint32_t id) {
      const Context& context = base.contexts[id];
      all.emplace_back(context.graph, context.born, context.provenance, context.confidence,
                       context.said);
    };
    if ((set & kManySets) == 0) {
      add(set);
    } else {
      const std::uint32_t place = set & ~kManySets;
      for (std::uint32_t i = 1; i <= base.sets[place]; ++i) add(base.sets[place + i]);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  Status same_sets(const Column& made, const Column& stored, const Words& words) const {
    const std::string what = "who asserts a statement";
    if (made.size() != stored.size()) return differs(what, {});
    std::uint32_t last_made = kNoRow;
    std::uint32_t last_stored = kNoRow;
    for (std::size_t at = 0; at < made.size(); ++at) {
      if (made[at] == last_made && stored[at] == last_stored) continue;
      if (said(made_, made[at]) != said(stored_, stored[at])) return differs(what, words(at));
      last_made = made[at];
      last_stored = stored[at];
    }
    return {};
  }

  const Base& made_;
  const Base& stored_;
  const Snapshot& truth_;
};

}  // namespace

Status compare_bases(const Base& made, const Base& stored, const Snapshot& truth) {
  return Comparison(made, stored, truth).run();
}

}  // namespace anima::store::detail
