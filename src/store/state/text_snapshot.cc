// Searching the text of a snapshot: the graph indexes say which entities carry a literal.
#include <algorithm>
#include <array>
#include <span>

#include "language/text/fold.h"
#include "store/state/state.h"
#include "store/text/literal_text.h"
#include "store/text/name_hits.h"
#include "store/text/text_search.h"
#include "store/text/text_segment.h"

namespace anima::store::detail {
namespace {

// What a statement with a text says of its subject; 0 for links and types.
double weight_of(PredicateCode predicate) {
  switch (Predicate{predicate}.predicate_class()) {
    case PredicateClass::kStructural:
      return predicate == kNamePredicate.code ? kNameWeight : 0;
    case PredicateClass::kAttribute:
      return kAttributeWeight;
    case PredicateClass::kMetadata:
      return kMetadataWeight;
    case PredicateClass::kLink:
      break;
  }
  return 0;
}

class SnapshotGraph final : public TextGraph {
 public:
  SnapshotGraph(const Snapshot& snapshot, const TextQuery& query)
      : snapshot_(snapshot),
        state_(snapshot.state()),
        query_(query),
        base_checked_(!state_.plain &&
                      (state_.scope != nullptr || state_.any_dead(RowOrder::kOps, all_rows()))) {
    for (const LayerView& layer : state_.layers) newer_ = newer_ || layer.delta->has_rows();
  }

  void owners(std::span<const Term> terms, std::vector<TextOwner>& out) const override {
    const Base& base = *state_.base;
    for (std::uint32_t text = 0; text < terms.size(); ++text) {
      const ObjectCode object = terms[text];
      const Range range = base.of_object(object);
      for (std::uint32_t at = range.begin; at < range.end; ++at) {
        const double weight = weight_of(PredicateCode{base.ops_p[at]});
        if (weight == 0 || (base_checked_ && !state_.base_visible(RowOrder::kOps, at))) continue;
        offer(text, static_cast<EntityId>(base.ops_s[at]), PredicateCode{base.ops_p[at]}, weight,
              out);
      }
      if (!newer_) continue;
      state_.each_delta_row(carriers(object),
                            [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
                              const double weight = weight_of(row.p);
                              if (weight != 0) offer(text, row.s.typed(), row.p, weight, out);
                            });
    }
  }

  void texts(EntityId entity, std::vector<TextField>& out) const override {
    if (query_.propositions && snapshot_.kind(entity) == EntityKind::kProposition) {
      const Predicate predicate = snapshot_.triple_of(entity).predicate;
      out.push_back({snapshot_.name_term(predicate.as_link()), kNameWeight});
    }
    const Base& base = *state_.base;
    const SubjectCode subject = entity;
    const Range range = base.of_subject(subject);
    for (std::uint32_t at = range.begin; at < range.end; ++at) {
      const double weight = weight_of(PredicateCode{base.spo_p[at]});
      if (weight == 0 || (base_checked_ && !state_.base_visible(RowOrder::kSpo, at))) continue;
      out.push_back({Term{base.spo_o[at]}, weight});
    }
    if (!newer_) return;
    CodePattern pattern;
    pattern.s = subject;
    pattern.p_first = 1;
    pattern.p_last = ~std::uint32_t{0};
    state_.each_delta_row(pattern, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
      const double weight = weight_of(row.p);
      if (weight != 0) out.push_back({Term{row.o}, weight});
    });
  }

  bool accepts(EntityId entity) const override {
    if (!snapshot_.exists(entity)) return false;
    const EntityKind kind = snapshot_.kind(entity);
    if (query_.propositions) {
      return kind == EntityKind::kProposition &&
             (!query_.type ||
              snapshot_.triple_of(entity).predicate == Predicate::link(*query_.type));
    }
    return kind == EntityKind::kConcept &&
           (!query_.type || snapshot_.type_of(entity) == *query_.type);
  }

  std::vector<EntityId> exactly_named(std::string_view text) const override {
    return query_.propositions ? std::vector<EntityId>{} : snapshot_.concepts_named(text);
  }
  std::vector<EntityId> folded_named(std::string_view text) const override {
    return query_.propositions ? std::vector<EntityId>{} : snapshot_.concepts_labelled(text);
  }
  language::LanguageSet languages(Term literal) const override {
    std::string all, scratch;
    for_each_text(snapshot_.value(literal), scratch, [&](std::string_view text) {
      all += text;
      all += '\n';
    });
    return language::languages_of_forms(all);
  }
  bool contains(Term literal, std::string_view folded) const override {
    bool found = false;
    std::string scratch;
    for_each_text(snapshot_.value(literal), scratch, [&](std::string_view text) {
      found = found || language::fold_for_finding(text).find(folded) != std::string::npos;
    });
    return found;
  }

 private:
  static constexpr std::size_t kBatch = 256;

  Range all_rows() const { return {0, state_.base->rows()}; }

  // Statements of any class with the object.
  static CodePattern carriers(ObjectCode object) {
    CodePattern pattern;
    pattern.o = object;
    pattern.p_first = 1;
    pattern.p_last = ~std::uint32_t{0};
    return pattern;
  }

  void offer(std::uint32_t text, EntityId entity, PredicateCode predicate, double weight,
             std::vector<TextOwner>& out) const {
    if (!query_.propositions || predicate != kNamePredicate.code) {
      out.push_back({text, entity, weight});
    } else if (snapshot_.type_of(entity) == kPropositionType) {
      links_of(entity, text, out);
    }
  }

  // A link is found by the name of its predicate too.
  void links_of(EntityId predicate, std::uint32_t text, std::vector<TextOwner>& out) const {
    Pattern pattern;
    pattern.predicate = Predicate::link(predicate);
    Cursor cursor = snapshot_.scan(pattern);
    std::array<Triple, kBatch> rows;
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) {
        if (const auto link = snapshot_.find_proposition(rows[i])) {
          out.push_back({text, *link, kNameWeight});
        }
      }
    }
  }

  const Snapshot& snapshot_;
  const SnapshotState& state_;
  const TextQuery& query_;
  bool base_checked_;   // some row of the base may not be visible
  bool newer_ = false;  // some layer has rows
};

}  // namespace

std::vector<TextHit> search_text(const Snapshot& snapshot, const TextScope& scope,
                                 const TextQuery& query) {
  return search_text(snapshot, scope, query, TextLimits{});
}

std::vector<TextHit> search_text(const Snapshot& snapshot, const TextScope& scope,
                                 const TextQuery& query, const TextLimits& limits) {
  scope.index->catch_up(*scope.literals, scope.shared_bound);
  TextSegments segments = *scope.index->segments();
  if (scope.bound > scope.shared_bound) {
    // What others committed since takes the places that this reader's own literals have.
    while (!segments.empty() && segments.back()->first() >= scope.shared_bound) segments.pop_back();
    if (!segments.empty() && segments.back()->bound() > scope.shared_bound) {
      segments.back() =
          own_segment(merge_segments(std::span(&segments.back(), 1), scope.shared_bound));
    }
    TextSegmentBuilder builder(scope.shared_bound);
    for (std::uint32_t place = scope.shared_bound; place < scope.bound; ++place) {
      builder.add(scope.literals->literal(place));
    }
    segments.push_back(own_segment(builder.finish()));
  }
  const SnapshotGraph graph(snapshot, query);
  const bool few = limits.most_texts != kAnyTexts;
  const std::vector<std::string> names = few ? std::vector<std::string>() : names_asked(query);
  if (names.empty()) return rank_text(graph, segments, scope.bound, query, limits);
  TextQuery more = query;
  more.limit = std::max(query.limit, kNamesCompared);
  std::vector<TextHit> hits = rank_text(graph, segments, scope.bound, more, limits);
  put_names_first(snapshot, graph, names, query, hits);
  return hits;
}

}  // namespace anima::store::detail
