#include "sleep/fading_calendar.h"

#include <algorithm>

#include "base/civil_days.h"

namespace anima::sleep {
namespace {

using Range = FadingCalendar::Range;

// Ids between two ranges that are not worth a range of their own.
constexpr std::uint32_t kNear = 16;

std::uint32_t id(store::EntityId entity) { return static_cast<std::uint32_t>(entity); }

store::EntityId entity_in(const Json& json) {
  return store::EntityId{static_cast<std::uint32_t>(json.as_integer())};
}

// Ids between two ranges, the first before the second or overlapping it.
std::uint32_t gap(const Range& before, const Range& after) {
  return id(after.first) > id(before.second) ? id(after.first) - id(before.second) - 1 : 0;
}

// Sorts, and joins ranges with at most so many ids between them.
void join_near(std::vector<Range>* ranges, std::uint32_t most) {
  std::sort(ranges->begin(), ranges->end());
  std::size_t kept = 0;
  for (const Range& range : *ranges) {
    if (kept > 0 && gap((*ranges)[kept - 1], range) <= most) {
      Range& last = (*ranges)[kept - 1];
      last.second = std::max(last.second, range.second);
    } else {
      (*ranges)[kept++] = range;
    }
  }
  ranges->resize(kept);
}

}  // namespace

bool FadingCalendar::is_due(double floor, Timestamp now) const {
  return !is_known_for(floor) || (!days_.empty() && days_.begin()->first <= day_of(now));
}

void FadingCalendar::add(store::EntityId link, Timestamp due) {
  std::vector<Range>& ranges = days_[day_of(due)];
  if (!ranges.empty() && link >= ranges.back().first && gap(ranges.back(), {link, link}) <= kNear) {
    ranges.back().second = std::max(ranges.back().second, link);
  } else {
    ranges.emplace_back(link, link);
  }
}

std::vector<Range> FadingCalendar::take_due(Timestamp now) {
  std::vector<Range> due;
  const auto end = days_.upper_bound(day_of(now));
  for (auto day = days_.begin(); day != end; ++day)
    due.insert(due.end(), day->second.begin(), day->second.end());
  days_.erase(days_.begin(), end);
  join_near(&due, 0);
  return due;
}

void FadingCalendar::settle() {
  std::size_t count = 0;
  for (auto& [day, ranges] : days_) {
    join_near(&ranges, kNear);
    count += ranges.size();
  }
  if (count <= kMostRanges) return;
  std::vector<std::uint32_t> gaps;
  for (const auto& [day, ranges] : days_) {
    for (std::size_t i = 1; i < ranges.size(); ++i) gaps.push_back(gap(ranges[i - 1], ranges[i]));
  }
  // Joining at the smallest gaps; more of the same size only make it smaller.
  const std::size_t joins = std::min(count - kMostRanges, gaps.size());
  if (joins == 0) return;
  const auto last = gaps.begin() + static_cast<std::ptrdiff_t>(joins - 1);
  std::nth_element(gaps.begin(), last, gaps.end());
  for (auto& [day, ranges] : days_) join_near(&ranges, *last);
}

Json FadingCalendar::to_json() const {
  if (!known_) return {};
  Json days = Json::array();
  for (const auto& [day, ranges] : days_) {
    Json list = Json::array({day});
    for (const Range& range : ranges) {
      list.push_back(id(range.first));
      list.push_back(id(range.second));
    }
    days.push_back(std::move(list));
  }
  return Json::object({{"floor", floor_}, {"days", std::move(days)}});
}

FadingCalendar FadingCalendar::from_json(const Json* json) {
  const Json* floor = json == nullptr ? nullptr : json->find("floor");
  const Json* days = json == nullptr ? nullptr : json->find("days");
  if (floor == nullptr || !floor->is_number() || days == nullptr || !days->is_array()) return {};
  FadingCalendar calendar(floor->as_number());
  for (const Json& day : days->as_array()) {
    const JsonArray& list = day.as_array();
    if (list.size() % 2 == 0) return {};
    std::vector<Range>& ranges = calendar.days_[list[0].as_integer()];
    for (std::size_t i = 1; i + 1 < list.size(); i += 2)
      ranges.emplace_back(entity_in(list[i]), entity_in(list[i + 1]));
  }
  return calendar;
}

}  // namespace anima::sleep
