#include "store/checkpoint/base_orders.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "store/base/radix.h"
#include "store/base/value_code.h"

namespace anima::store::detail {
namespace {

using Words = std::vector<std::uint32_t>;

class OrderBuilder {
 public:
  OrderBuilder(const SnapshotState& state, const BuildOptions& options,
               const std::vector<BaseRow>& rows, std::uint32_t entity_bound, BaseImage& image)
      : state_(state),
        options_(options),
        rows_(rows),
        entity_bound_(entity_bound),
        many_graphs_(more_than_one_graph()),
        image_(image) {}

  void build() {
    spo();
    pos();
    ops();
    by_born();
  }

 private:
  template <typename Pick>
  void column(Section section, const Pick& pick) {
    Words words(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) words[i] = pick(rows_[i]);
    store_section(image_[section], words);
  }

  void spo() {
    Words offsets(entity_bound_ + 1, 0);
    for (const BaseRow& row : rows_) ++offsets[row.s + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    store_section(image_[Section::kSpoOffsets], offsets);
    column(Section::kSpoS, [](const BaseRow& row) { return row.s; });
    column(Section::kSpoP, [](const BaseRow& row) { return row.p; });
    column(Section::kSpoO, [](const BaseRow& row) { return row.o; });
    column(Section::kSpoSet, [](const BaseRow& row) { return row.set; });
    column(Section::kSpoProposition, [](const BaseRow& row) { return row.proposition; });
    column(Section::kSpoBorn, [](const BaseRow& row) { return row.born; });
  }

  // Whether the statements are of more than one graph; the orders but SPO hold their contexts only
  // then.
  bool more_than_one_graph() const {
    std::uint32_t only = kNoRow;
    bool many = false;
    for (const BaseRow& row : rows_) {
      state_.each_context(row.set, [&](std::uint32_t, const Context& context) {
        if (only == kNoRow) only = context.graph;
        many = many || context.graph != only;
      });
      if (many) break;
    }
    return many;
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
      const BaseRow& row = rows_[at];
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
      const BaseRow& row = rows_[order[at]];
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
    store_section(image_[Section::kPosDirectory], directory);
    store_section(image_[Section::kPosO], o);
    store_section(image_[Section::kPosS], s);
    store_section(image_[Section::kPosSet], set);
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
    store_section(image_[Section::kValueOrder], order);
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
      const BaseRow& row = rows_[order[at]];
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
    store_section(image_[Section::kOpsEntityOffsets], entity_offsets);
    store_section(image_[Section::kOpsIntegers], integers);
    store_section(image_[Section::kOpsLiteralOffsets], literal_offsets);
    store_section(image_[Section::kOpsP], p);
    store_section(image_[Section::kOpsS], s);
    store_section(image_[Section::kOpsSet], set);
  }

  void by_born() {
    Words order(rows_.size());
    std::iota(order.begin(), order.end(), 0u);
    Words room;
    radix_sort(order, room, [&](std::uint32_t at) { return rows_[at].born; });
    store_section(image_[Section::kByBorn], order);
  }

  const SnapshotState& state_;
  const BuildOptions& options_;
  const std::vector<BaseRow>& rows_;
  const std::uint32_t entity_bound_;
  const bool many_graphs_;
  BaseImage& image_;
};

}  // namespace

void store_row_orders(const SnapshotState& state, const BuildOptions& options,
                      const std::vector<BaseRow>& rows, std::uint32_t entity_bound,
                      BaseImage& image) {
  OrderBuilder(state, options, rows, entity_bound, image).build();
}

}  // namespace anima::store::detail
