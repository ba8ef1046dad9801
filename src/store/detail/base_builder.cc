#include "store/detail/base_builder.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "store/detail/radix.h"
#include "store/detail/value_code.h"

namespace anima::store::detail {
namespace {

using Words = std::vector<std::uint32_t>;

template <typename T>
void store(std::string& section, const std::vector<T>& values) {
  section.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

struct Row {
  std::uint32_t s, p, o, proposition, set, born;
};
struct RetiredRow {
  std::uint32_t s, p, o, proposition, set, born, died;
  auto key() const { return std::tie(s, p, o, born, died, proposition); }
  bool operator<(const RetiredRow& other) const { return key() < other.key(); }
};

class Builder {
 public:
  Builder(const SnapshotState& state, const Head& head, const BuildOptions& options)
      : state_(state), base_(*state.base), options_(options), entity_bound_(state.entity_bound) {
    if (options.bulk != nullptr) entity_bound_ += options.bulk->links();
    image_.counts.sequence = state.sequence;
    image_.counts.time = head.time.microseconds;
    image_.counts.hash = head.hash;
  }

  BaseImage build() {
    gather_rows();
    gather_retired();
    dictionary();
    entities();
    spo();
    pos();
    ops();
    by_born();
    retired();
    contexts();
    graphs();
    entries();
    labels();
    return std::move(image_);
  }

 private:
  // Live statements in SPO order: the base's, without what died, merged with the layers'.
  void gather_rows() {
    std::vector<Row> newer;
    for (std::uint32_t kind = 0; kind < 4; ++kind) {
      CodePattern all;
      all.p_first = kind << kTagShift;
      all.p_last = all.p_first | kPayloadMask;
      state_.each_delta_row(all, [&](std::uint32_t, std::uint32_t, const DeltaRow& row) {
        newer.push_back({row.s, row.p, row.o, row.proposition, row.set,
                         static_cast<std::uint32_t>(row.born.load(std::memory_order_relaxed))});
      });
    }
    const auto before = [](const Row& a, const Row& b) {
      return std::tie(a.s, a.p, a.o) < std::tie(b.s, b.p, b.o);
    };
    std::sort(newer.begin(), newer.end(), before);
    if (options_.bulk != nullptr) {
      std::vector<Row> bulk = bulk_rows();
      if (newer.empty()) {
        newer.swap(bulk);
      } else {
        std::vector<Row> both(newer.size() + bulk.size());
        std::merge(newer.begin(), newer.end(), bulk.begin(), bulk.end(), both.begin(), before);
        newer.swap(both);
      }
    }
    if (base_.rows() == 0) {
      rows_.swap(newer);
      return;
    }
    rows_.reserve(base_.rows() + newer.size());
    std::size_t next = 0;
    for (std::uint32_t at = 0; at < base_.rows(); ++at) {
      if (!state_.plain && !state_.base_alive(RowOrder::kSpo, at)) continue;
      const Row row{base_.spo_s[at],           base_.spo_p[at],   base_.spo_o[at],
                    base_.spo_proposition[at], base_.spo_set[at], base_.spo_born[at]};
      for (; next < newer.size() &&
             std::tie(newer[next].s, newer[next].p, newer[next].o) < std::tie(row.s, row.p, row.o);
           ++next) {
        rows_.push_back(newer[next]);
      }
      rows_.push_back(row);
    }
    rows_.insert(rows_.end(), newer.begin() + static_cast<std::ptrdiff_t>(next), newer.end());
  }

  // With the names that follow existence.
  std::vector<Row> bulk_rows() const {
    const BulkRows& bulk = *options_.bulk;
    std::vector<Row> rows;
    rows.reserve(bulk.rows.size() + bulk.rows.size() / 4);
    std::uint32_t proposition = bulk.first_proposition;
    const auto born = static_cast<std::uint32_t>(state_.sequence);
    for (const BulkRow& row : bulk.rows) {
      rows.push_back(
          {row.s, row.p, row.o, row.is_link() ? proposition++ : 0, options_.bulk_context, born});
      if (row.p == kTypePredicate.code) {
        rows.push_back(
            {row.s, kNamePredicate.code, state_.entity(row.s).b, 0, options_.bulk_context, born});
      }
    }
    return rows;
  }

  void gather_retired() {
    for (std::uint32_t at = 0; at < base_.retired_rows(); ++at) {
      retired_.push_back({base_.retired_s[at], base_.retired_p[at], base_.retired_o[at],
                          base_.retired_proposition[at], base_.retired_set[at],
                          base_.retired_born[at], base_.retired_died[at]});
    }
    for (const LayerView& layer : state_.layers) {
      const Delta& delta = *layer.delta;
      if (delta.has_kills()) {
        for (std::uint32_t at = 0; at < base_.rows(); ++at) {
          if (state_.base_alive(RowOrder::kSpo, at)) continue;
          delta.deaths_below(Range{at, at + 1}, [&](std::uint64_t died) {
            retired_.push_back({base_.spo_s[at], base_.spo_p[at], base_.spo_o[at],
                                base_.spo_proposition[at], base_.spo_set[at], base_.spo_born[at],
                                static_cast<std::uint32_t>(died)});
          });
        }
      }
      for (std::uint32_t at = 0; at < layer.rows; ++at) {
        const DeltaRow& row = delta.row(at);
        const std::uint64_t born = row.born.load(std::memory_order_relaxed);
        const std::uint64_t died = row.died.load(std::memory_order_relaxed);
        if (born == kQuotedBorn || (born <= layer.sequence && died == born)) {
          // Known, but never seen at the end of an entry.
          if (row.proposition != 0 && row.proposition < state_.entity_bound) {
            retired_.push_back({row.s, row.p, row.o, row.proposition, 0, 0, 0});
          }
        } else if (born <= layer.sequence && died <= layer.sequence) {
          retired_.push_back({row.s, row.p, row.o, row.proposition, row.set,
                              static_cast<std::uint32_t>(born), static_cast<std::uint32_t>(died)});
        }
      }
    }
    std::sort(retired_.begin(), retired_.end());
    retired_.erase(
        std::unique(retired_.begin(), retired_.end(),
                    [](const RetiredRow& a, const RetiredRow& b) { return a.key() == b.key(); }),
        retired_.end());
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
    store(image_[Section::kTermOffsets], offsets);
    store(image_[Section::kTermHash], table);
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
    store(image_[Section::kEntityA], a);
    store(image_[Section::kEntityB], b);
  }

  template <typename Pick>
  void column(Section section, const Pick& pick) {
    Words words(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) words[i] = pick(rows_[i]);
    store(image_[section], words);
  }

  void spo() {
    Words offsets(entity_bound_ + 1, 0);
    for (const Row& row : rows_) ++offsets[row.s + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    store(image_[Section::kSpoOffsets], offsets);
    column(Section::kSpoS, [](const Row& row) { return row.s; });
    column(Section::kSpoP, [](const Row& row) { return row.p; });
    column(Section::kSpoO, [](const Row& row) { return row.o; });
    column(Section::kSpoSet, [](const Row& row) { return row.set; });
    column(Section::kSpoProposition, [](const Row& row) { return row.proposition; });
    column(Section::kSpoBorn, [](const Row& row) { return row.born; });
    for (const Row& row : rows_) {
      if (row.p == kTypePredicate.code) ++image_.counts.concepts;
    }
    std::uint32_t only = kNoRow;
    for (const Row& row : rows_) {
      state_.each_context(row.set, [&](std::uint32_t, const Context& context) {
        if (only == kNoRow) only = context.graph;
        many_graphs_ = many_graphs_ || context.graph != only;
      });
      if (many_graphs_) break;
    }
  }

  // Rows (which are in SPO order, so by subject) in the order (object, predicate) or (predicate,
  // object).
  Words sorted_rows(bool by_object) {
    struct Item {
      std::uint32_t o, p, row;
    };
    // Predicates are few: their rank sorts in one pass where their codes need three.
    Words predicates;
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      if (at == 0 || rows_[at].p != rows_[at - 1].p) predicates.push_back(rows_[at].p);
    }
    std::sort(predicates.begin(), predicates.end());
    predicates.erase(std::unique(predicates.begin(), predicates.end()), predicates.end());
    std::vector<Item> items(rows_.size());
    std::uint32_t rank = 0;
    for (std::uint32_t at = 0; at < items.size(); ++at) {
      const Row& row = rows_[at];
      if (at == 0 || row.p != rows_[at - 1].p) {
        rank = static_cast<std::uint32_t>(
            std::lower_bound(predicates.begin(), predicates.end(), row.p) - predicates.begin());
      }
      items[at] = {row.o, rank, at};
    }
    std::vector<Item> room;
    const auto object = [](const Item& item) { return item.o; };
    const auto predicate = [](const Item& item) { return item.p; };
    if (by_object) {
      radix_sort(items, room, predicate);
      radix_sort(items, room, object);
    } else {
      radix_sort(items, room, object);
      radix_sort(items, room, predicate);
    }
    Words order(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) order[i] = items[i].row;
    return order;
  }

  void pos() {
    const Words order = sorted_rows(false);
    Words directory;
    Words o(order.size());
    Words s(order.size());
    Words set(many_graphs_ ? order.size() : 0);
    for (std::uint32_t at = 0; at < order.size(); ++at) {
      const Row& row = rows_[order[at]];
      if (at == 0 || rows_[order[at - 1]].p != row.p) {
        directory.push_back(row.p);
        directory.push_back(at);
      }
      o[at] = row.o;
      s[at] = row.s;
      if (many_graphs_) set[at] = row.set;
    }
    directory.push_back(0xffffffffu);
    directory.push_back(static_cast<std::uint32_t>(order.size()));
    if (options_.value_order) value_order(directory, o, s);
    store(image_[Section::kPosDirectory], directory);
    store(image_[Section::kPosO], o);
    store(image_[Section::kPosS], s);
    store(image_[Section::kPosSet], set);
  }

  // Rows of one attribute by value; equal objects are neighbours already, so each value is read
  // once.
  void value_order(const Words& directory, const Words& o, const Words& s) {
    Words order;
    struct Group {
      OrderKey key;
      std::uint32_t begin, end;
    };
    for (std::size_t i = 0; i + 2 < directory.size(); i += 2) {
      if (directory[i] >> kTagShift < 2) continue;
      std::vector<Group> groups;
      for (std::uint32_t at = directory[i + 1]; at < directory[i + 3];) {
        const std::uint32_t begin = at;
        while (at < directory[i + 3] && o[at] == o[begin]) ++at;
        groups.push_back({order_key(state_.value(Term{o[begin]})), begin, at});
      }
      std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
        const auto by_value = order_of(a.key, b.key);
        return by_value != 0 ? by_value < 0 : a.begin < b.begin;
      });
      for (std::size_t g = 0; g < groups.size();) {
        std::size_t same = g + 1;
        while (same < groups.size() && order_of(groups[g].key, groups[same].key) == 0) ++same;
        const std::size_t first = order.size();
        for (std::size_t k = g; k < same; ++k) {
          for (std::uint32_t at = groups[k].begin; at < groups[k].end; ++at) order.push_back(at);
        }
        if (same - g > 1) {
          std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return std::tie(s[a], o[a]) < std::tie(s[b], o[b]);
                    });
        }
        g = same;
      }
    }
    store(image_[Section::kValueOrder], order);
  }

  void ops() {
    const Words order = sorted_rows(true);
    Words entity_offsets(entity_bound_ + 1, 0);
    Words literal_offsets(state_.term_bound + 1, 0);
    Words integers;
    Words p(order.size());
    Words s(order.size());
    Words set(many_graphs_ ? order.size() : 0);
    std::uint32_t entity_rows = 0;
    std::uint32_t integer_end = 0;
    for (std::uint32_t at = 0; at < order.size(); ++at) {
      const Row& row = rows_[order[at]];
      const Term object{row.o};
      switch (object.tag()) {
        case Tag::kEntity:
          ++entity_offsets[row.o + 1];
          entity_rows = at + 1;
          break;
        case Tag::kInteger:
          if (integers.empty() || integers[integers.size() - 2] != row.o) {
            integers.push_back(row.o);
            integers.push_back(at);
          }
          integer_end = at + 1;
          break;
        default:
          ++literal_offsets[object.place() + 1];
      }
      p[at] = row.p;
      s[at] = row.s;
      if (many_graphs_) set[at] = row.set;
    }
    integer_end = std::max(integer_end, entity_rows);
    integers.push_back(0xffffffffu);
    integers.push_back(integer_end);
    literal_offsets[0] = integer_end;
    std::partial_sum(entity_offsets.begin(), entity_offsets.end(), entity_offsets.begin());
    std::partial_sum(literal_offsets.begin(), literal_offsets.end(), literal_offsets.begin());
    store(image_[Section::kOpsEntityOffsets], entity_offsets);
    store(image_[Section::kOpsIntegers], integers);
    store(image_[Section::kOpsLiteralOffsets], literal_offsets);
    store(image_[Section::kOpsP], p);
    store(image_[Section::kOpsS], s);
    store(image_[Section::kOpsSet], set);
  }

  void by_born() {
    Words order(rows_.size());
    std::iota(order.begin(), order.end(), 0u);
    Words room;
    radix_sort(order, room, [&](std::uint32_t at) { return rows_[at].born; });
    store(image_[Section::kByBorn], order);
  }

  void retired() {
    const auto put = [&](Section section, auto member) {
      Words words;
      words.reserve(retired_.size());
      for (const RetiredRow& row : retired_) words.push_back(row.*member);
      store(image_[section], words);
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
    store(image_[Section::kRetiredByDied], order);
  }

  // Contexts and lists keep their numbers, so the set codes of the rows stay as they are.
  void contexts() {
    const std::uint32_t end = state_.layers.empty()
                                  ? static_cast<std::uint32_t>(base_.contexts.size())
                                  : state_.layers.back().contexts;
    std::vector<Context> all(base_.contexts.begin(), base_.contexts.end());
    while (all.size() < end) all.push_back(state_.context(static_cast<std::uint32_t>(all.size())));
    store(image_[Section::kContexts], all);
    const std::uint32_t set_end = state_.layers.empty()
                                      ? static_cast<std::uint32_t>(base_.sets.size())
                                      : state_.layers.back().sets;
    Words sets(base_.sets.begin(), base_.sets.end());
    if (!state_.layers.empty()) {
      const Delta& delta = *state_.layers.back().delta;
      while (sets.size() < set_end)
        sets.push_back(*delta.set(static_cast<std::uint32_t>(sets.size())));
    }
    store(image_[Section::kSets], sets);
  }

  void graphs() {
    std::vector<std::uint64_t> sizes(state_.graph_bound, 0);
    for (const Row& row : rows_) {
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
    store(image_[Section::kGraphOffsets], offsets);
    store(image_[Section::kGraphSizes], sizes);
  }

  void entries() {
    std::vector<StoredEntry> all(base_.entries.begin(), base_.entries.end());
    std::string& bytes = image_[Section::kEntryBytes];
    bytes.assign(base_.entry_bytes);
    std::unordered_map<std::string, std::uint32_t> places;
    const auto keep = [&](std::string_view name) {
      const auto [at, fresh] = places.try_emplace(std::string(name), bytes.size());
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
      entry.trust = static_cast<std::uint32_t>(record.trust);
      all.push_back(entry);
    }
    store(image_[Section::kEntries], all);
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
    store(image_[Section::kLabels], words);
  }

  const SnapshotState& state_;
  const Base& base_;
  const BuildOptions& options_;
  std::uint32_t entity_bound_;
  BaseImage image_;
  std::vector<Row> rows_;
  std::vector<RetiredRow> retired_;
  bool many_graphs_ = false;
};

}  // namespace

BaseImage build_base(const SnapshotState& state, const Head& head, const BuildOptions& options) {
  return Builder(state, head, options).build();
}

}  // namespace anima::store::detail
