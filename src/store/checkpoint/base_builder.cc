#include "store/checkpoint/base_builder.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/text/text.h"
#include "store/base/value_code.h"
#include "store/checkpoint/base_orders.h"
#include "store/checkpoint/base_rows.h"

namespace anima::store::detail {
namespace {

using Words = std::vector<std::uint32_t>;

class Builder {
 public:
  Builder(const SnapshotState& state, const Head& head, const BuildOptions& options)
      : state_(state), base_(*state.base), options_(options), entity_bound_(state.entity_bound) {
    if (options.bulk != nullptr) entity_bound_ += options.bulk->links();
    image_.counts.sequence = state.sequence;
    image_.counts.time = head.time.microseconds;
    image_.counts.hash = head.hash;
    image_.marks.causes_from = base_.marks().causes_from;
  }

  Result<BaseImage> build(const NumberLimits& limits) {
    ANIMA_TRY(check_numbers(limits));
    rows_ = live_rows(state_, options_);
    retired_ = retired_rows(state_);
    ANIMA_TRY(check_limit(std::uint64_t{rows_.size()} + retired_.size(), limits.rows, kRowsWords));
    dictionary();
    entities();
    store_row_orders(state_, options_, rows_, entity_bound_, image_);
    retired();
    contexts();
    graphs();
    ANIMA_TRY(entries(limits));
    labels();
    return std::move(image_);
  }

 private:
  // The writer has asked before; what is cut here would be wrong for ever.
  Status check_numbers(const NumberLimits& limits) const {
    ANIMA_TRY(check_limit(state_.sequence, limits.entries, kEntriesWords));
    std::uint64_t entities = state_.entity_bound;
    if (options_.bulk != nullptr) entities += options_.bulk->links();
    ANIMA_TRY(check_limit(entities - 1, limits.entities, kEntitiesWords));
    ANIMA_TRY(check_limit(state_.term_bound - 1, limits.literals, kLiteralsWords));
    ANIMA_TRY(check_limit(state_.graph_bound - 1, limits.graphs, kGraphsWords));
    if (state_.layers.empty()) return {};
    ANIMA_TRY(check_limit(state_.layers.back().contexts, limits.contexts, kContextsWords));
    return check_limit(state_.layers.back().sets, limits.lists, kListsWords);
  }

  void dictionary() {
    const std::uint32_t bound = state_.term_bound;
    std::vector<std::uint64_t> offsets(bound + 1);
    std::string& bytes = image_[Section::kTermBytes];
    bytes.assign(base_.term_bytes);
    std::copy(base_.term_offsets.begin(), base_.term_offsets.end(), offsets.begin());
    for (std::uint32_t place = base_.term_bound(); place < bound; ++place) {
      offsets[place] = bytes.size();
      bytes += state_.stored_term(place);
    }
    offsets[bound] = bytes.size();
    std::size_t slots = 2;
    while (slots < std::size_t{bound} * 2) slots *= 2;
    Words table(slots, 0);
    for (std::uint32_t place = 1; place < bound; ++place) {
      const std::string_view stored(bytes.data() + offsets[place],
                                    offsets[place + 1] - offsets[place]);
      if (stored.empty()) continue;  // erased
      std::size_t at = hash_term(stored) & (slots - 1);
      while (table[at] != 0) at = (at + 1) & (slots - 1);
      table[at] = place;
    }
    store_section(image_[Section::kTermOffsets], offsets);
    store_section(image_[Section::kTermHash], table);
  }

  void entities() {
    const std::uint32_t bound = entity_bound_;
    Words a(bound, 0);
    Words b(bound, 0);
    for (std::uint32_t id = 1; id < state_.entity_bound; ++id) {
      const EntityRecord record = state_.entity(id);
      if (record.kind != static_cast<std::uint32_t>(EntityKind::kConcept)) continue;
      a[id] = record.a;
      b[id] = record.b;
    }
    for (std::uint32_t at = 0; at < rows_.size(); ++at) {
      if (rows_[at].p == kTypePredicate.code) ++image_.counts.concepts;
      const std::uint32_t id = rows_[at].proposition;
      if (id == 0) continue;
      a[id] = kPropositionMark;
      b[id] = at;
      ++image_.counts.propositions;
    }
    for (std::uint32_t at = 0; at < retired_.size(); ++at) {
      const std::uint32_t id = retired_[at].proposition;
      if (id == 0 || a[id] != 0) continue;
      a[id] = kPropositionMark;
      b[id] = at | kRetiredMark;
    }
    store_section(image_[Section::kEntityA], a);
    store_section(image_[Section::kEntityB], b);
  }

  void retired() {
    const auto put = [&](Section section, auto member) {
      Words words;
      words.reserve(retired_.size());
      for (const RetiredRow& row : retired_) words.push_back(row.*member);
      store_section(image_[section], words);
    };
    put(Section::kRetiredS, &RetiredRow::s);
    put(Section::kRetiredP, &RetiredRow::p);
    put(Section::kRetiredO, &RetiredRow::o);
    put(Section::kRetiredProposition, &RetiredRow::proposition);
    put(Section::kRetiredSet, &RetiredRow::set);
    put(Section::kRetiredBorn, &RetiredRow::born);
    put(Section::kRetiredDied, &RetiredRow::died);
    Words order(retired_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return retired_[a].died < retired_[b].died;
    });
    store_section(image_[Section::kRetiredByDied], order);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return retired_[a].o < retired_[b].o;
    });
    store_section(image_[Section::kRetiredByObject], order);
  }

  // Contexts and lists keep their numbers, so the set codes of the rows stay as they are.
  void contexts() {
    const std::uint32_t end = state_.layers.empty()
                                  ? static_cast<std::uint32_t>(base_.contexts.size())
                                  : state_.layers.back().contexts;
    std::vector<Context> all(base_.contexts.begin(), base_.contexts.end());
    while (all.size() < end) all.push_back(state_.context(static_cast<std::uint32_t>(all.size())));
    store_section(image_[Section::kContexts], all);
    const std::uint32_t set_end = state_.layers.empty()
                                      ? static_cast<std::uint32_t>(base_.sets.size())
                                      : state_.layers.back().sets;
    Words sets(base_.sets.begin(), base_.sets.end());
    if (!state_.layers.empty()) {
      const Delta& delta = *state_.layers.back().delta;
      while (sets.size() < set_end)
        sets.push_back(*delta.set(static_cast<std::uint32_t>(sets.size())));
    }
    store_section(image_[Section::kSets], sets);
  }

  void graphs() {
    std::vector<std::uint64_t> sizes(state_.graph_bound, 0);
    for (const BaseRow& row : rows_) {
      state_.each_context(row.set, [&](std::uint32_t, const Context& context) {
        ++sizes[context.graph];
        ++image_.counts.assertions;
      });
    }
    std::vector<std::uint64_t> offsets{0};
    std::string& bytes = image_[Section::kGraphBytes];
    for (std::uint32_t graph = 0; graph < state_.graph_bound; ++graph) {
      bytes += state_.graph_name(graph);
      offsets.push_back(bytes.size());
    }
    store_section(image_[Section::kGraphOffsets], offsets);
    store_section(image_[Section::kGraphSizes], sizes);
    if (image_[Section::kPosSet].empty()) return;
    // Where the next row of each graph goes.
    std::vector<std::uint64_t> next(sizes.size(), 0);
    std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), std::uint64_t{0});
    Words by_graph(image_.counts.assertions);
    for (std::uint32_t at = 0; at < rows_.size(); ++at) {
      state_.each_context(rows_[at].set, [&](std::uint32_t, const Context& context) {
        by_graph[next[context.graph]++] = at;
      });
    }
    store_section(image_[Section::kByGraph], by_graph);
  }

  Status entries(const NumberLimits& limits) {
    std::vector<StoredEntry> all(base_.entries.begin(), base_.entries.end());
    std::string& bytes = image_[Section::kEntryBytes];
    bytes.assign(base_.entry_bytes);
    std::unordered_map<std::string, std::uint32_t> places;
    const auto keep = [&](std::string_view name) {
      // Checked below, before anybody reads it.
      const auto place = static_cast<std::uint32_t>(bytes.size());
      const auto [at, fresh] = places.try_emplace(std::string(name), place);
      if (fresh) bytes += name;
      return at->second;
    };
    for (const StoredEntry& entry : all) {
      places.try_emplace(std::string(base_.entry_bytes.substr(entry.author, entry.author_size)),
                         entry.author);
      places.try_emplace(std::string(base_.entry_bytes.substr(entry.source, entry.source_size)),
                         entry.source);
    }
    for (std::uint64_t at = all.size() + 1; at <= state_.sequence; ++at) {
      const EntryRecord record = state_.entry(at);
      StoredEntry entry;
      entry.time = record.time.microseconds;
      entry.author = keep(record.author);
      entry.author_size = static_cast<std::uint32_t>(record.author.size());
      entry.source = keep(record.source);
      entry.source_size = static_cast<std::uint32_t>(record.source.size());
      entry.trust = static_cast<std::uint32_t>(record.trust) | (record.undo ? kUndoMark : 0);
      entry.cause = record.cause;
      all.push_back(entry);
    }
    acts();
    store_section(image_[Section::kEntries], all);
    return check_limit(bytes.size(), limits.names, kNamesWords);
  }

  void acts() {
    Words acts(state_.sequence);
    bool any = false;
    for (std::uint64_t at = 1; at <= state_.sequence; ++at) {
      acts[at - 1] = state_.entry(at).act;
      any = any || acts[at - 1] != 0;
    }
    if (any) store_section(image_[Section::kActs], acts);
  }

  void labels() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t i = 0; i + 1 < base_.label_pairs.size(); i += 2) {
      pairs.emplace_back(base_.label_pairs[i], base_.label_pairs[i + 1]);
    }
    const auto known = static_cast<std::ptrdiff_t>(pairs.size());
    for (std::uint32_t id = base_.entity_bound(); id < state_.entity_bound; ++id) {
      const EntityRecord record = state_.entity(id);
      if (record.kind != static_cast<std::uint32_t>(EntityKind::kConcept)) continue;
      pairs.emplace_back(hash_term(fold_case(state_.value(Term{record.b}).text)), id);
    }
    std::sort(pairs.begin() + known, pairs.end());
    std::inplace_merge(pairs.begin(), pairs.begin() + known, pairs.end());
    Words words;
    words.reserve(pairs.size() * 2);
    for (const auto& [hash, id] : pairs) {
      words.push_back(hash);
      words.push_back(id);
    }
    store_section(image_[Section::kLabels], words);
  }

  const SnapshotState& state_;
  const Base& base_;
  const BuildOptions& options_;
  std::uint32_t entity_bound_;
  BaseImage image_;
  std::vector<BaseRow> rows_;
  std::vector<RetiredRow> retired_;
};

}  // namespace

Result<BaseImage> build_base(const SnapshotState& state, const Head& head,
                             const BuildOptions& options, const NumberLimits& limits) {
  return Builder(state, head, options).build(limits);
}

}  // namespace anima::store::detail
