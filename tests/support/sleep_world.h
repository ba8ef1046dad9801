// A space in memory with a clock of its own, an engine to tell it things, and a sleeper.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kip/engine.h"
#include "sleep/sleep.h"

namespace anima::test_support {

// Everything that the default view of the knowledge shows, sorted, ids and confidences included.
inline std::vector<std::string> whole_state(store::Space& space) {
  std::vector<std::string> lines;
  const store::Snapshot now = space.snapshot().value();
  for (const auto of_class :
       {store::PredicateClass::kLink, store::PredicateClass::kStructural,
        store::PredicateClass::kAttribute, store::PredicateClass::kMetadata}) {
    store::Pattern pattern;
    pattern.predicate_class = of_class;
    store::Cursor rows = now.scan(pattern);
    for (store::Triple batch[64];;) {
      const std::size_t got = rows.next(batch);
      if (got == 0) break;
      for (std::size_t i = 0; i < got; ++i) {
        std::string line = std::to_string(static_cast<std::uint32_t>(batch[i].subject)) + " " +
                           std::to_string(batch[i].predicate.code) + " " +
                           now.display(batch[i].object);
        for (const store::Assertion& assertion : now.assertions(batch[i]))
          line += " " + std::to_string(assertion.confidence);
        lines.push_back(std::move(line));
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct SleepWorld {
  std::shared_ptr<ManualClock> clock;
  std::shared_ptr<store::Space> space;
  std::shared_ptr<kip::Engine> engine;
  std::unique_ptr<sleep::Sleeper> sleeper;

  explicit SleepWorld(std::string_view now = "2026-03-02T00:00:00Z")
      : clock(std::make_shared<ManualClock>(*parse_timestamp(now))) {
    store::SpaceOptions space_options;
    space_options.clock = clock;
    space = store::Space::in_memory(space_options).value();
    kip::EngineOptions engine_options;
    engine_options.clock = clock;
    engine_options.max_batch = 100'000;
    engine = kip::Engine::open(space, engine_options).value();
    sleeper = sleep::Sleeper::open(space, clock).value();
  }

  Json tell(std::string_view command, const Json& parameters = Json::object(),
            store::Trust trust = store::Trust::kStandard) {
    kip::Caller caller;
    caller.origin = {"tester", "test", trust, store::Sequence::kNone};
    caller.define_on_use = true;
    const Json answer = engine->execute(command, parameters, caller);
    EXPECT_FALSE(kip::has_error(answer)) << answer.dump();
    const Json* result = answer.find("result");
    return result == nullptr ? Json() : *result;
  }
  // The values of a query's only column, as JSON.
  std::string ask(std::string_view query, const Json& parameters = Json::object()) {
    return tell(query, parameters).dump();
  }
  sleep::CycleRecord sleep(const sleep::Request& request = {}) {
    const auto record = sleeper->run(request);
    EXPECT_TRUE(record) << record.error().describe();
    if (!record) return {};
    for (const sleep::PhaseRecord& phase : record->phases) {
      for (const sleep::Item& item : phase.items)
        EXPECT_NE(item.what, "refused") << item.about << ": " << item.reason;
    }
    return *record;
  }
  void pass_days(std::int64_t days) { clock->advance(days * kMicrosecondsPerDay); }
};

}  // namespace anima::test_support
