// Which links sleep looks at on which day, because their confidence is due to fade: so that a cycle
// reads what is due and what changed, not all that there is.
//
// Days hold ranges of ids. Facts that were told together lie together and fade together, so a
// million of them are a few ranges. A range may hold more than what is due, never less; beyond
// kMostRanges the nearest are joined. It is kept with the record of a cycle. Thread-safety: a plain
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json/json.h"
#include "store/ids.h"

namespace anima::sleep {

class FadingCalendar {
 public:
  using Range = std::pair<store::EntityId, store::EntityId>;  // both are in it
  static constexpr std::size_t kMostRanges = 4'000;

  FadingCalendar() = default;  // nothing is known: everything has to be looked at
  // An empty one, for links that fade down to this confidence.
  explicit FadingCalendar(double floor) : known_(true), floor_(floor) {}

  // False where it was made for another floor, too.
  bool is_known_for(double floor) const { return known_ && floor_ == floor; }
  // Whether a cycle at `now` would look at something: what is due, or all where nothing is known.
  bool is_due(double floor, Timestamp now) const;
  // On the day of `due`, or before. In ascending order of ids it costs nothing.
  void add(store::EntityId link, Timestamp due);
  // Takes what the days up to that of `now` hold: ascending, disjoint.
  std::vector<Range> take_due(Timestamp now);
  // Sorts and joins; after the last add(). O(n log n) in what was added.
  void settle();

  bool operator==(const FadingCalendar&) const = default;
  Json to_json() const;                               // null: nothing is known
  static FadingCalendar from_json(const Json* json);  // null or unreadable: nothing is known

 private:
  bool known_ = false;
  double floor_ = 0;
  std::map<std::int64_t, std::vector<Range>> days_;  // since 1970
};

}  // namespace anima::sleep
