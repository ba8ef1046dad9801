#include "load/write/row_places.h"

namespace anima::load {

void RowPlaces::add(store::EntityId entity, std::uint64_t row) {
  const auto id = static_cast<std::uint64_t>(entity);
  if (count_ > 0 && id == first_ + count_ && row == row_ + count_) {
    ++count_;
    return;
  }
  end_run();
  first_ = id;
  row_ = row;
  count_ = 1;
}

void RowPlaces::end_run() {
  if (count_ == 0) return;
  if (!text_.empty()) text_.push_back(' ');
  text_ += std::to_string(first_) + "+" + std::to_string(count_) + "=" + std::to_string(row_);
  const auto first = static_cast<std::uint32_t>(first_), count = static_cast<std::uint32_t>(count_);
  if (!runs_.empty() && runs_.back().first + runs_.back().second == first) {
    runs_.back().second += count;
  } else {
    runs_.emplace_back(first, count);
  }
  count_ = 0;
}

const std::vector<std::pair<std::uint32_t, std::uint32_t>>& RowPlaces::runs() {
  end_run();
  return runs_;
}

std::string RowPlaces::text() {
  end_run();
  return text_;
}

}  // namespace anima::load
