// How each source behaves: more than 60 messages a minute, sudden length or haste, bursts of
// injection hits.
//
// look() says what a message shows before it is judged, itself counted; add() remembers it with
// what the judgement found, so that the same messages added in the same order give the same reports
// in every process. Of the sources, the 4,096 last heard of are remembered. Time comes with the
// message. Thread-safety: one thread at a time. Source: governance specification 1.2 "Rate, burst
// and behaviour anomalies", table rows 20-22.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "govern/detect/guardian.h"

namespace anima::govern {

struct BehaviourReport {
  bool rate_exceeded = false;
  int anomaly_tenths = 0;  // 0 .. 10
  bool labelled = false;   // "anomalous_behavior": above 0.5
  // Above or at 0.5 the anomaly counts as a pattern.
  BehaviourSigns signs() const { return {rate_exceeded, anomaly_tenths >= 5}; }
};

class Behaviour {
 public:
  BehaviourReport look(std::string_view source, std::size_t length, Timestamp time) const;
  // `hit`: the message matched an injection pattern.
  void add(std::string_view source, std::size_t length, Timestamp time, bool hit);

 private:
  struct History {
    std::deque<Timestamp> messages;  // the last 1,000
    std::deque<Timestamp> hits;      // the last 1,000
    std::uint64_t count = 0;
    double mean_length = 0;
    double mean_interval = 0;  // microseconds
  };
  void forget_the_longest_silent();
  std::map<std::string, History, std::less<>> sources_;
};

}  // namespace anima::govern
