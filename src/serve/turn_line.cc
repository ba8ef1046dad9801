#include "serve/turn_line.h"

namespace anima::serve {

TurnLine::Place TurnLine::join(Needs needs) {
  line_.emplace(++last_, Waits{needs});
  return last_;
}

std::optional<TurnLine::Place> TurnLine::next() {
  bool house = false, read = false, written = false;  // by those before
  for (auto& [place, waits] : line_) {
    const Needs& needs = waits.needs;
    const bool reads = needs.order == Needs::Order::kRead;
    const bool writes = needs.order == Needs::Order::kWrite;
    const bool blocked =
        (needs.house && house) || (reads && written) || (writes && (read || written));
    if (!waits.begun && !blocked) {
      waits.begun = true;
      return place;
    }
    house |= needs.house;
    read |= reads;
    written |= writes;
  }
  return std::nullopt;
}

HouseTurn::Held::~Held() {
  if (!place_) return;
  {
    const MutexLock lock(turn_.mutex_);
    turn_.leave(*place_);
  }
  // Whoever wakes finds the mutex free.
  turn_.changed_.notify_all();
}

void HouseTurn::leave(TurnLine::Place place) {
  line_.leave(place);
  while (line_.next()) {
  }
}

HouseTurn::Held HouseTurn::take(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const MutexLock lock(mutex_);
  const TurnLine::Place place = line_.join({.house = true});
  while (line_.next()) {
  }
  while (!line_.begun(place)) {
    if (changed_.wait_until(mutex_, end) == std::cv_status::no_timeout || line_.begun(place))
      continue;
    leave(place);
    changed_.notify_all();
    return {*this, std::nullopt};
  }
  return {*this, place};
}

}  // namespace anima::serve
