// Values: the terms of a snapshot and those that a query computes.
//
// A computed value gets the snapshot's own term where the dictionary holds it, so identity is
// decided by codes alone; else an overlay term that lives as long as this object. Thread-safety:
// one thread. O(1) amortised.
//
// With a Meter, the room of overlay terms is the request's: once it is used up, nothing is made any
// more, what would have been made is unbound, and the meter's error ends the run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/plan.h"
#include "store/snapshot.h"
#include "store/value.h"

namespace anima::query {

namespace detail {
class Shelf;
class Shelves;
}  // namespace detail

class Meter;

// What a language keeps for its functions during one run: the time it began, what it has read.
class Companion {
 public:
  virtual ~Companion() = default;
};

class Values {
 public:
  explicit Values(const store::Snapshot& snapshot);
  // Begins with the terms of others, to which nobody may add any more: what was resolved for one
  // plan holds for each of its runs, in as many threads. O(1).
  explicit Values(std::shared_ptr<const Values> before);
  ~Values();
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  const store::Snapshot& snapshot() const { return snapshot_; }
  store::ValueView view(std::uint32_t code) const;  // requires a bound code
  store::Term intern(const store::ValueView& value);
  store::Term string(std::string_view text);
  store::Term integer(std::int64_t value);
  store::Term number(double value);
  store::Term boolean(bool value);
  // False when the code is unbound or no number.
  bool number_of(std::uint32_t code, double* out) const;
  // The object of each subject under one predicate: 0 where there is none (or no subject),
  // kSeveral where there are several. Thousands of look-ups in a row are read from arrays where the
  // Statistics of the run have them.
  static constexpr std::uint32_t kSeveral = ~0u;
  void objects(store::Predicate predicate, const ColumnView& subjects, std::size_t rows,
               std::uint32_t* out);
  // Whole values as JSON: an array read from several stored values, for example.
  store::Term json(const Json& value);

  // From now on; null: nobody counts. The meter has to outlive the values or be taken away.
  void count_in(Meter* meter) { meter_ = meter; }
  // Room for what a function keeps besides, until the end of the run. False: there is none left.
  bool take_memory(std::uint64_t bytes);

  // Texts met where a number was wanted, for warnings: the first few, each once. O(1).
  enum class StrayUse : std::uint8_t { kAggregate, kComparison };
  static constexpr std::size_t kMaxStrays = 4;
  void note_stray(StrayUse use, std::uint32_t code);  // ignores what is no text
  const std::vector<std::uint32_t>& strays(StrayUse use) const {
    return strays_[static_cast<std::size_t>(use)];
  }

  store::Scratch scratch;  // for Functions
  std::shared_ptr<Companion> companion;

  // run() gives it what the Statistics have, when the snapshot is a current one.
  void read_from(std::shared_ptr<detail::Shelves> shelves) { shelves_ = std::move(shelves); }

 private:
  store::Snapshot snapshot_;
  std::shared_ptr<const Values> before_;
  std::uint32_t first_place_ = 0;  // of its own terms
  struct Overlay;
  std::uint32_t places() const;  // taken by its own terms and those before
  std::optional<std::uint32_t> find_place(const store::ValueView& value) const;
  const store::Value& overlay_term(std::uint32_t place) const;
  Meter* meter_ = nullptr;
  std::vector<std::uint32_t> strays_[2];
  std::unique_ptr<Overlay> overlay_;
  const detail::Shelf* shelf_of(store::Predicate predicate, std::size_t times);
  std::shared_ptr<detail::Shelves> shelves_;
  std::vector<std::pair<store::Predicate, std::shared_ptr<const detail::Shelf>>> shelf_of_;
};

// ORDER BY of KIP: boolean < number < date-time < string < array and object; text that is an RFC
// 3339 date-time sorts as an instant.
SortKey kip_sort_key(Values& values, std::uint32_t code);
// Three-way comparison as KIP's FILTER sees it; false when the two cannot be compared. Null equals
// null.
struct Comparison {
  bool comparable = false;
  int sign = 0;
};
Comparison compare_values(const store::ValueView& a, const store::ValueView& b);
bool equal_values(const store::ValueView& a, const store::ValueView& b);
// Text that reads as an RFC 3339 date-time (with time), in microseconds since 1970.
bool instant_of(std::string_view text, std::int64_t* microseconds);

}  // namespace anima::query
