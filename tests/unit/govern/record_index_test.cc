// The index of governance records: what it saves, and that it is never believed against the log.
#include "govern/detail/record_index.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "govern/ledger.h"
#include "govern/stop_switch.h"

namespace anima::govern {
namespace {

// How many entries were handed out.
class CountingLog final : public store::Log {
 public:
  explicit CountingLog(store::Log& log) : log_(log) {}
  Result<store::Head> head() override { return log_.head(); }
  Status read(store::Sequence first,
              const std::function<Status(const store::LogEntry&)>& visit) override {
    return log_.read(first, [&](const store::LogEntry& entry) {
      ++entries;
      return visit(entry);
    });
  }
  Result<store::LogEntry> entry(store::Sequence sequence) override {
    ++entries;
    return log_.entry(sequence);
  }
  Result<std::uint64_t> stored_bytes() override { return log_.stored_bytes(); }
  Result<std::unique_ptr<Turn>> take_turn() override { return log_.take_turn(); }
  Result<bool> follow(store::Sequence after, std::int64_t milliseconds) override {
    return log_.follow(after, milliseconds);
  }
  std::uint64_t entries = 0;

 private:
  store::Log& log_;
};

class RecordIndexTest : public ::testing::Test {
 protected:
  struct House {
    House(const std::string& folder, Clock& clock)
        : space(store::Space::open(folder, {.create = true}).value()),
          ledger(*space, clock, random) {}
    void work(int acts) {
      for (int i = 0; i < acts; ++i)
        ASSERT_TRUE(ledger.write("tool_executed", "planner", Trust::kOperator, Json::object()));
    }
    SeededRandom random{3};
    std::shared_ptr<store::Space> space;
    Ledger ledger;
  };
  std::string index_file() { return folder_.file("space/ledger.index"); }
  std::vector<std::uint64_t> found(store::Log& log, store::Sequence after = {}) {
    detail::RecordIndex index(log, folder_.file("space"));
    std::vector<std::uint64_t> places;
    EXPECT_TRUE(index.visit(kLineRecord, after, [&](const store::LogEntry& entry) -> Status {
      places.push_back(static_cast<std::uint64_t>(entry.sequence));
      return {};
    }));
    return places;
  }

  TemporaryDirectory folder_{"anima-index"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
};

TEST_F(RecordIndexTest, AFirstLookReadsWhatIsNewAndWhatItIsAfter) {
  House house(folder_.file("space"), clock_);
  house.work(400);
  StopSwitch line(house.ledger);
  ASSERT_TRUE(line.halt("operator"));
  ASSERT_TRUE(line.resume("operator"));
  house.work(300);
  const std::vector<std::uint64_t> places = found(house.space->log());
  EXPECT_EQ(places.size(), 2u);
  ASSERT_TRUE(file_exists(system_files(), index_file()));
  house.work(10);
  CountingLog counting(house.space->log());
  EXPECT_EQ(found(counting), places);
  EXPECT_LE(counting.entries, 1 + 2 + 10u);  // the entry that it names, two records, what is new
  EXPECT_EQ(found(house.space->log(), store::Sequence{places[0]}),
            std::vector<std::uint64_t>{places[1]});
  EXPECT_FALSE(StopSwitch(house.ledger).halted());
}

TEST_F(RecordIndexTest, ItIsNotBelievedAgainstTheLog) {
  House house(folder_.file("space"), clock_);
  house.work(300);
  ASSERT_TRUE(StopSwitch(house.ledger).halt("operator"));
  const std::vector<std::uint64_t> places = found(house.space->log());
  const std::string good = read_file(system_files(), index_file()).value();
  // Of another log, of the same length.
  House other(folder_.file("other"), clock_);
  other.work(301);
  (void)found(other.space->log());
  {
    detail::RecordIndex foreign(other.space->log(), folder_.file("other"));
    ASSERT_TRUE(
        foreign.visit(kLineRecord, {}, [](const store::LogEntry&) -> Status { return {}; }));
  }
  const std::string foreign = read_file(system_files(), folder_.file("other/ledger.index")).value();
  std::string damaged = good;
  damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] ^ 1);
  for (const std::string& bytes : {foreign, damaged, std::string("ANIMALX1"), std::string()}) {
    ASSERT_TRUE(replace_file(system_files(), index_file(), bytes));
    EXPECT_EQ(found(house.space->log()), places);
    House later(folder_.file("space"), clock_);
    EXPECT_TRUE(StopSwitch(later.ledger).halted());
  }
}

}  // namespace
}  // namespace anima::govern
