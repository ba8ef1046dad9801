// Names and strings of facts, interned a few hundred at a time: a look-up alone waits for memory,
// many together do not. Thread-safety: one thread; the texts given must live until flush().
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "datalog/value.h"

namespace anima::datalog::detail {

class TextBatch {
 public:
  explicit TextBatch(ValueTable& values) : values_(values) {}

  // The code of `text` is wanted at `place` of list number `list`.
  void add(std::string_view text, ValueKind kind, std::uint32_t list, std::uint64_t place) {
    texts_.push_back({text, kind});
    places_.push_back({place, list});
  }
  bool full() const { return texts_.size() >= kMost; }
  ValueTable& values() { return values_; }

  // Calls store(list, place, code) for each.
  template <typename Store>
  void flush(Store&& store) {
    codes_.resize(texts_.size());
    values_.intern_texts(texts_, codes_);
    for (std::size_t i = 0; i < texts_.size(); ++i)
      store(places_[i].list, places_[i].place, codes_[i]);
    texts_.clear();
    places_.clear();
  }

 private:
  struct Place {
    std::uint64_t place;
    std::uint32_t list;
  };
  static constexpr std::size_t kMost = 512;

  ValueTable& values_;
  std::vector<ValueTable::Text> texts_;
  std::vector<Place> places_;
  std::vector<Code> codes_;
};

}  // namespace anima::datalog::detail
