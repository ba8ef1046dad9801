// How much of the log a reopening would replay: what is newer than the newest base on disk.
//
// Counted in bytes of the log and in rows of the indexes, for an entry may hold one row or a
// million. Thread-safety: none of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "store/ids.h"

namespace anima::store::detail {

class ReplayWork {
 public:
  void add(Sequence entry, std::uint64_t bytes, std::uint64_t rows) {
    bytes_ += bytes;
    rows_ += rows;
    if (points_.empty() || bytes_ - points_.back().bytes >= kPointBytes) {
      points_.push_back({entry, bytes_, rows_});
    }
    last_ = entry;
  }
  // A base at this entry is on disk now.
  void covered(Sequence base) {
    if (base >= last_) return clear();
    Point last;
    std::size_t passed = 0;
    while (passed < points_.size() && points_[passed].entry <= base) last = points_[passed++];
    points_.erase(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(passed));
    bytes_ -= last.bytes;
    rows_ -= last.rows;
    for (Point& point : points_) {
      point.bytes -= last.bytes;
      point.rows -= last.rows;
    }
  }
  void clear() { *this = {}; }

  // At most kPointBytes, and the rows in them, too many after covered().
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t rows() const { return rows_; }

 private:
  static constexpr std::uint64_t kPointBytes = std::uint64_t{32} << 10;
  struct Point {
    Sequence entry = Sequence::kNone;
    std::uint64_t bytes = 0, rows = 0;  // up to and with the entry
  };
  Sequence last_ = Sequence::kNone;
  std::uint64_t bytes_ = 0, rows_ = 0;
  std::vector<Point> points_;
};

}  // namespace anima::store::detail
