// A generated year of an assistant's life, put to sleep: what was planted is found, what is
// protected stays, what was done can be taken back. The numbers are asked for in the words of the
// source (001, phase 1), not taken from the record of the cycle.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>

#include "sleep/sleep.h"
#include "support/assistant_year.h"
#include "support/sleep_world.h"

namespace anima::sleep::year_test {
namespace {

using test_support::AssistantYear;
using test_support::YearOptions;

bool full() { return std::getenv("ANIMA_TEST_FULL") != nullptr; }

struct World {
  std::shared_ptr<ManualClock> clock =
      std::make_shared<ManualClock>(*parse_timestamp("2025-01-06T00:00:00Z"));
  std::shared_ptr<store::Space> space;
  std::shared_ptr<kip::Engine> engine;
  std::unique_ptr<Sleeper> sleeper;
  std::unique_ptr<AssistantYear> year;

  explicit World(const YearOptions& options) {
    store::SpaceOptions space_options;
    space_options.clock = clock;
    space = store::Space::in_memory(space_options).value();
    kip::EngineOptions engine_options;
    engine_options.clock = clock;
    engine_options.max_batch = 100'000;
    engine = kip::Engine::open(space, engine_options).value();
    year = std::make_unique<AssistantYear>(options);
    year->tell(*engine, *clock);
    sleeper = Sleeper::open(space, clock).value();
  }

  Json ask(std::string_view command, const Json& parameters = Json::object()) {
    const Json answer = engine->execute(command, parameters, {});
    EXPECT_FALSE(kip::has_error(answer)) << answer.dump();
    const Json* result = answer.find("result");
    return result == nullptr ? Json() : *result;
  }
  std::int64_t count(std::string_view command) {
    const Json result = ask(command);
    return result.is_array() ? result.as_array()[0].as_integer() : result.as_integer();
  }
  CycleRecord sleep(Request request = {}) {
    auto record = sleeper->run(request);
    EXPECT_TRUE(record) << record.error().describe();
    return record ? *record : CycleRecord{};
  }
  std::vector<std::string> state() { return test_support::whole_state(*space); }
};

YearOptions small_year() {
  YearOptions options;
  options.concepts = full() ? 3000 : 450;
  options.events = full() ? 20'000 : 2000;
  return options;
}

constexpr std::string_view kExists = "FIND(COUNT(?x)) WHERE { ?x {name: :name} }";

TEST(SleepYear, EveryPlantedFaultIsFoundOrListed) {
  World world(small_year());
  const auto began = std::chrono::steady_clock::now();
  const std::clock_t worked = std::clock();
  const CycleRecord record = world.sleep();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  std::cout << "sleep of the year: " << took.count() << " ms ("
            << (std::clock() - worked) * 1000 / CLOCKS_PER_SEC << " ms of the processor), "
            << record.changes() << " changes\n";
  for (const PhaseRecord& phase : record.phases) {
    std::cout << phase.phase << " " << phase_name(phase.phase) << ": " << phase.changes
              << " changes, " << phase.left << " left, " << phase.milliseconds << " ms\n";
    std::map<std::string, int> refused;
    for (const Item& item : phase.items) {
      if (item.what == "refused") ++refused[item.reason];
    }
    for (const auto& [reason, times] : refused) ADD_FAILURE() << times << " x " << reason;
  }
  EXPECT_EQ(record.status, "complete");
  AssistantYear& year = *world.year;

  std::string said;
  for (const PhaseRecord& phase : record.phases) {
    for (const Item& item : phase.items) said += item.about + "\n";
  }
  // Found, or listed with the reason why it was left alone (a link may join the two by chance).
  std::size_t merged = 0;
  for (const auto& [kept, other] : year.same) {
    const std::int64_t both = world.ask(kExists, Json::object({{"name", kept}})).as_integer() +
                              world.ask(kExists, Json::object({{"name", other}})).as_integer();
    merged += both == 1 ? 1 : 0;
    EXPECT_TRUE(both == 1 || said.find(other) != std::string::npos) << kept << " / " << other;
  }
  EXPECT_GE(merged * 10, year.same.size() * 8);
  for (const auto* list : {&year.perhaps_same, &year.different}) {
    for (const auto& [a, b] : *list) {
      for (const std::string& name : {a, b})
        EXPECT_NE(world.ask(kExists, Json::object({{"name", name}})), Json(0)) << name;
    }
  }
  for (const auto& [a, b] : year.perhaps_same) EXPECT_NE(said.find(b), std::string::npos) << b;
  for (const auto* list : {&year.orphans, &year.unsorted}) {
    for (const auto& [name, domain] : *list) {
      const Json found =
          world.ask("FIND(?d.name) WHERE { ?x {name: :name} (?x, \"belongs_to_domain\", ?d) }",
                    Json::object({{"name", name}}));
      ASSERT_EQ(found.as_array().size(), 1u) << name << found.dump();
      EXPECT_TRUE(found.as_array()[0].as_string().starts_with(domain)) << found.dump();
    }
  }
  for (const std::string& name : year.preferences) {
    EXPECT_NE(world.ask("FIND(COUNT(?x)) WHERE { ?x {type: \"Preference\", name: :name} (?x, "
                        "\"derived_from\", ?e) }",
                        Json::object({{"name", name}})),
              Json(0))
        << name;
  }
  for (const auto& [person, company] : year.moved) {
    const Json now = world.ask(
        "FIND(?c.name) WHERE { ?l ({type: \"Person\", name: :name}, \"works_at\", ?c) "
        "FILTER(IS_NULL(?l.metadata.valid_to)) }",
        Json::object({{"name", person}}));
    if (now.as_array().size() != 1) continue;  // merged away under another spelling
    EXPECT_EQ(now.as_array()[0].as_string(), company) << person;
  }
  for (const std::string& name : year.reviewed) {
    const Json confidence =
        world.ask("FIND(?l.metadata.confidence) WHERE { ?l ({name: :name}, \"uses\", ?o) }",
                  Json::object({{"name", name}}));
    ASSERT_FALSE(confidence.as_array().empty());
    EXPECT_EQ(confidence.as_array()[0].as_number(), 0.9) << name;
  }
}

TEST(SleepYear, MetricsAreWithinTheirTargetsAndAsTheSourceCountsThem) {
  World world(small_year());
  const CycleRecord record = world.sleep();
  EXPECT_EQ(world.count("FIND(COUNT(?n)) WHERE { (?n, \"belongs_to_domain\", {type: \"Domain\", "
                        "name: \"Unsorted\"}) }"),
            record.after.unsorted);
  EXPECT_LT(record.after.unsorted, 20);
  EXPECT_LT(record.after.orphans, 10);
  const std::int64_t orphans = world.count(
      "FIND(COUNT(?n)) WHERE { ?n {} NOT { (?n, \"belongs_to_domain\", ?d) } NOT { ?n {type: "
      "\"Domain\"} } NOT { ?n {name: \"$self\"} } NOT { ?n {name: \"$system\"} } }");
  EXPECT_EQ(orphans, record.after.orphans);
  const std::string cutoff =
      format_timestamp({world.year->end().microseconds - 7 * kMicrosecondsPerDay});
  EXPECT_EQ(record.before.stale_events, world.year->stale_events);
  EXPECT_EQ(world.ask("FIND(COUNT(?e)) WHERE { ?e {type: \"Event\"} "
                      "FILTER(?e.attributes.start_time < :cutoff) NOT { (?e, "
                      "\"consolidated_to\", ?s) } }",
                      Json::object({{"cutoff", cutoff}})),
            Json(0));
  EXPECT_EQ(record.after.stale_events, 0);
  // A link that says nothing of its confidence is believed: 1.
  constexpr std::string_view kSum =
      "FIND(SUM(?l.metadata.confidence), COUNT(?l)) WHERE { ?l (?s, ?p, ?o) "
      "FILTER(!IS_NULL(?l.metadata.confidence)) }";
  const Json sums = world.ask(kSum);
  const double said = sums.as_array()[0].as_number();
  const double of = sums.as_array()[1].as_number();
  const double all = static_cast<double>(world.count("FIND(COUNT(?l)) WHERE { ?l (?s, ?p, ?o) }"));
  EXPECT_EQ(static_cast<std::int64_t>(all), record.after.links);
  EXPECT_NEAR((said + all - of) / all, record.after.average_confidence(), 1e-5);
  EXPECT_GT(record.after.average_confidence(), 0.6);
  for (const MetricRow& row : metric_rows(record.before, record.after))
    std::cout << row.name << ": " << row.before << " -> " << row.after << " (" << row.target
              << ")\n";
}

TEST(SleepYear, UndoRestoresEveryByteAndASecondSleepChangesNothing) {
  World world(small_year());
  const std::vector<std::string> before = world.state();
  const CycleRecord first = world.sleep();
  const std::vector<std::string> after = world.state();
  EXPECT_NE(before, after);
  const auto head = world.space->snapshot().value().sequence();
  const CycleRecord second = world.sleep();
  EXPECT_EQ(second.status, "nothing to do");
  EXPECT_EQ(second.changes(), 0u);
  EXPECT_EQ(world.space->snapshot().value().sequence(), head);
  const auto repeated = world.sleeper->replay(first.cycle, {});
  ASSERT_TRUE(repeated) << repeated.error().describe();
  EXPECT_TRUE(repeated->identical())
      << repeated->differences << ": "
      << (repeated->first_differences.empty() ? "" : repeated->first_differences[0]);
  EXPECT_GT(repeated->statements, 100u);
  const auto undone = world.sleeper->undo({}, {first.cycle}, false, false);
  ASSERT_TRUE(undone) << undone.error().describe();
  const std::vector<std::string> restored = world.state();
  EXPECT_EQ(restored.size(), before.size());
  std::size_t shown = 0;
  for (std::size_t i = 0; i < before.size() && i < restored.size() && shown < 5; ++i) {
    if (before[i] == restored[i]) continue;
    ADD_FAILURE() << before[i] << "\n" << restored[i];
    ++shown;
  }
  // What somebody took back is not done again.
  const CycleRecord again = world.sleep();
  // But its tasks wait again.
  for (const PhaseRecord& phase : again.phases) {
    if (phase.phase != 2 && phase.phase != 9) {
      EXPECT_EQ(phase.changes, 0u) << phase.phase;
    }
  }
}

TEST(SleepYear, ADryRunFindsTheSameAndWritesNothing) {
  World world(small_year());
  const auto head = world.space->snapshot().value().sequence();
  Request rehearsal;
  rehearsal.dry_run = true;
  const CycleRecord planned = world.sleep(rehearsal);
  EXPECT_EQ(world.space->snapshot().value().sequence(), head);
  const CycleRecord done = world.sleep();
  EXPECT_EQ(planned.changes(), done.changes());
  ASSERT_EQ(planned.phases.size(), done.phases.size());
  for (std::size_t i = 0; i < done.phases.size(); ++i) {
    ASSERT_EQ(planned.phases[i].items.size(), done.phases[i].items.size()) << i;
    for (std::size_t j = 0; j < done.phases[i].items.size(); ++j)
      EXPECT_EQ(planned.phases[i].items[j].to_json(), done.phases[i].items[j].to_json());
  }
  EXPECT_EQ(planned.after.orphans, done.after.orphans);
  EXPECT_EQ(planned.after.links, done.after.links);
}

}  // namespace
}  // namespace anima::sleep::year_test
