// The index of governance records: what it saves, and that it is never believed against the log.
#include "govern/ledger/detail/record_index.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/crypto.h"
#include "base/files/file.h"
#include "base/log.h"
#include "govern/decide/stop_switch.h"
#include "govern/ledger/ledger.h"
#include "support/fault_files.h"

namespace anima::govern::record_index_test {
namespace {

// How many entries were handed out.
class CountingLog final : public store::Log {
 public:
  explicit CountingLog(store::Log& log) : log_(log) {}
  Result<store::Head> head() override {
    ++heads;
    return log_.head();
  }
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
  Result<std::string> attachment(store::Sequence sequence) override {
    return log_.attachment(sequence);
  }
  Result<std::uint64_t> stored_bytes() override { return log_.stored_bytes(); }
  Result<std::unique_ptr<Turn>> take_turn() override { return log_.take_turn(); }
  Result<bool> follow(store::Sequence after, std::int64_t milliseconds) override {
    return log_.follow(after, milliseconds);
  }
  std::optional<store::Sequence> known_head() override { return hint; }
  std::uint64_t entries = 0;
  int heads = 0;
  std::optional<store::Sequence> hint;

 private:
  store::Log& log_;
};

class RecordIndexTest : public ::testing::Test {
 protected:
  struct House {
    House(const std::string& folder, Clock& clock)
        : space(store::Space::open(folder, {.create = true}).value()),
          ledger(*space, clock, random) {}
    // As an executor acts: each act looks at the line, and is audited.
    void work(int acts) {
      const StopSwitch line(ledger);
      for (int i = 0; i < acts; ++i) {
        (void)line.halted();
        auto id = ledger.write("tool_executed", "planner", Trust::kOperator, Json::object());
        ASSERT_TRUE(id);
        ids.push_back(*std::move(id));
      }
    }
    SeededRandom random{3};
    std::shared_ptr<store::Space> space;
    Ledger ledger;
    std::vector<std::string> ids;
  };

  RecordIndexTest() {
    set_log_sink([this](LogLevel, std::string_view, std::string_view message) {
      messages_.emplace_back(message);
    });
  }
  ~RecordIndexTest() override { set_log_sink({}); }

  std::string index_file() { return folder_.file("space/ledger.index"); }
  std::string saved() { return read_file(system_files(), index_file()).value(); }
  void put(std::string_view bytes) {
    ASSERT_TRUE(replace_file(system_files(), index_file(), bytes));
  }
  std::vector<std::uint64_t> found(store::Log& log, store::Sequence after = {},
                                   FileSystem& files = system_files()) {
    detail::RecordIndex index(log, folder_.file("space"), files);
    std::vector<std::uint64_t> places;
    EXPECT_TRUE(index.visit(kLineRecord, after, [&](const store::LogEntry& entry) -> Status {
      places.push_back(static_cast<std::uint64_t>(entry.sequence));
      return {};
    }));
    return places;
  }

  TemporaryDirectory folder_{"anima-index"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  std::vector<std::string> messages_;
};

TEST_F(RecordIndexTest, AFirstLookReadsWhatIsNewAndWhatItIsAfter) {
  House house(folder_.file("space"), clock_);
  house.work(400);
  StopSwitch line(house.ledger);
  ASSERT_TRUE(line.halt("operator"));
  ASSERT_TRUE(line.resume("operator"));
  house.work(300);
  CountingLog counting(house.space->log());
  const std::vector<std::uint64_t> places = found(counting);
  EXPECT_EQ(places.size(), 2u);
  // The anchor, the last entry that it tells of, two records, and what is new.
  EXPECT_LE(counting.entries, 1 + 1 + 2 + 256u);
  EXPECT_EQ(found(house.space->log(), store::Sequence{places[0]}),
            std::vector<std::uint64_t>{places[1]});
  EXPECT_FALSE(StopSwitch(house.ledger).halted());
  EXPECT_TRUE(messages_.empty());
}

TEST_F(RecordIndexTest, ItIsNotBelievedAgainstTheLog) {
  House house(folder_.file("space"), clock_);
  house.work(100);
  ASSERT_TRUE(StopSwitch(house.ledger).halt("operator"));
  house.work(200);
  const std::vector<std::uint64_t> places = found(house.space->log());
  ASSERT_EQ(places.size(), 1u);
  const std::string good = saved();

  std::vector<std::string> bad = {"", "ANIMALX1", "ANIMALX3", "ANIMALX4", good + good, good + '\0'};
  for (std::size_t size = 1; size < good.size(); size += 37) bad.push_back(good.substr(0, size));
  for (std::size_t at = 0; at < good.size(); at += 13) {
    bad.push_back(good);
    bad.back()[at] = static_cast<char>(bad.back()[at] ^ 4);
  }
  // One that hides the halt and is whole in itself.
  constexpr std::size_t kHead = 16;
  detail::RecordStream hiding;
  ASSERT_TRUE(detail::RecordStream::read(good.substr(kHead), [](const auto&) {}));
  for (std::uint64_t sequence = 2; sequence < 250; ++sequence)
    hiding.add({detail::StreamKind::kAudit, 7, store::Sequence{sequence}});
  bad.push_back(good.substr(0, kHead) + hiding.bytes());
  // Of another log, of the same length.
  House other(folder_.file("other"), clock_);
  other.work(301);
  bad.push_back(read_file(system_files(), folder_.file("other/ledger.index")).value());

  for (const std::string& bytes : bad) {
    put(bytes);
    messages_.clear();
    EXPECT_EQ(found(house.space->log()), places);
    ASSERT_EQ(messages_.size(), 1u);
    EXPECT_NE(messages_[0].find("made anew"), std::string::npos) << messages_[0];
    EXPECT_EQ(saved(), good) << bytes.size();
    put(bytes);
    House later(folder_.file("space"), clock_);
    EXPECT_TRUE(StopSwitch(later.ledger).halted());
  }
}

TEST_F(RecordIndexTest, APipeInItsPlaceIsNotWaitedFor) {
  House house(folder_.file("space"), clock_);
  ASSERT_TRUE(StopSwitch(house.ledger).halt("operator"));
  house.work(300);
  const std::vector<std::uint64_t> places = found(house.space->log());
  const std::string good = saved();
  ASSERT_TRUE(system_files().remove(index_file()));
  ASSERT_EQ(mkfifo(index_file().c_str(), 0600), 0);
  EXPECT_EQ(found(house.space->log()), places);
  EXPECT_EQ(saved(), good);
}

TEST_F(RecordIndexTest, AnOlderCopyIsOnlyShorter) {
  House house(folder_.file("space"), clock_);
  house.work(300);
  const std::string old = saved();
  ASSERT_TRUE(StopSwitch(house.ledger).halt("operator"));
  house.work(300);
  ASSERT_NE(saved(), old);
  put(old);
  EXPECT_EQ(found(house.space->log()).size(), 1u);
  EXPECT_TRUE(messages_.empty());
  EXPECT_NE(saved(), old) << "what others anchored meanwhile is saved by who looks first";
}

TEST_F(RecordIndexTest, AKillWhileItIsWrittenLeavesOneThatIsWhole) {
  House house(folder_.file("space"), clock_);
  house.work(300);
  const std::string old = saved();
  ASSERT_TRUE(StopSwitch(house.ledger).halt("operator"));
  house.work(300);
  const std::string fresh = saved();
  bool written = false;
  for (std::int64_t step = 0; !written; ++step) {
    put(old);
    FaultFiles files;
    files.fail_after(step, ErrorCode::kIo);
    EXPECT_EQ(found(house.space->log(), {}, files).size(), 1u);
    EXPECT_TRUE(saved() == old || saved() == fresh) << step;
    files.heal();
    EXPECT_EQ(found(house.space->log(), {}, files).size(), 1u);
    written = files.operations() <= step;
    ASSERT_LT(step, 100);
  }
  EXPECT_TRUE(messages_.empty());
}

TEST_F(RecordIndexTest, TwoProcessesSaveTheSame) {
  House one(folder_.file("space"), clock_);
  House two(folder_.file("space"), clock_);
  two.random = SeededRandom(8);
  for (int i = 0; i < 40; ++i) {
    one.work(11);
    two.work(7);
  }
  ASSERT_TRUE(StopSwitch(two.ledger).halt("operator"));
  EXPECT_TRUE(StopSwitch(one.ledger).halted());
  EXPECT_EQ(found(one.space->log()).size(), 1u);
  EXPECT_TRUE(messages_.empty());
}

TEST_F(RecordIndexTest, DecisionsAreFoundByTheBeginningOfTheirIds) {
  House house(folder_.file("space"), clock_);
  house.work(700);
  const std::string folder = folder_.file("space");
  for (std::size_t i = 0; i < house.ids.size(); i += 50) {
    const std::string& id = house.ids[i];
    CountingLog counting(house.space->log());
    EXPECT_EQ(find_audit(counting, folder, id)->entry.id, id);
    EXPECT_LE(counting.entries, 1 + 1 + 256 + 5u);
    EXPECT_EQ(find_audit(counting, folder, id.substr(0, 8))->entry.id, id);
  }
  EXPECT_EQ(find_audit(house.space->log(), folder, "zz").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(find_audit(house.space->log(), folder, house.ids[3].substr(0, 1)).error().code,
            ErrorCode::kInvalidArgument);
  // One that hides a decision, or points elsewhere.
  std::string changed = saved();
  changed.replace(100, 300, std::string(300, '\x08'));
  put(changed);
  EXPECT_EQ(find_audit(house.space->log(), folder, house.ids[40])->entry.id, house.ids[40]);
  EXPECT_EQ(messages_.size(), 1u);
}

// Another process's halts: what is read for the index is told of without reading it again, and of
// more than are kept each one is told of.
TEST_F(RecordIndexTest, WhatIsNewIsReadOnce) {
  House house(folder_.file("space"), clock_);
  house.work(300);
  CountingLog log(house.space->log());
  detail::RecordIndex index(log, folder_.file("space"));
  ASSERT_TRUE(index.look());
  for (const int events : {2, 40}) {
    StopSwitch line(house.ledger);
    const auto before = house.space->log().head()->sequence;
    for (int i = 0; i < events / 2; ++i) {
      ASSERT_TRUE(line.halt("operator", std::to_string(i)));
      ASSERT_TRUE(line.resume("operator"));
    }
    log.entries = 0;
    std::vector<store::LogEntry> told;
    ASSERT_TRUE(index.visit(kLineRecord, before, [&](const store::LogEntry& entry) -> Status {
      told.push_back(entry);
      return {};
    }));
    ASSERT_EQ(told.size(), static_cast<std::size_t>(events));
    for (const store::LogEntry& entry : told)
      EXPECT_EQ(entry.payload, house.space->log().entry(entry.sequence)->payload);
    if (events == 2) {
      EXPECT_EQ(log.entries, 2u);
    }
  }
}

TEST_F(RecordIndexTest, AHeadThatIsKnownSavesAskingTheLog) {
  House house(folder_.file("space"), clock_);
  CountingLog log(house.space->log());
  detail::RecordIndex index(log, folder_.file("space"));
  const auto nothing = [](const store::LogEntry&) -> Status { return {}; };
  const store::Sequence head = index.visit(kLineRecord, {}, nothing).value();
  const int asked = log.heads;
  EXPECT_EQ(index.visit(kLineRecord, {}, nothing, nullptr, head), head);
  EXPECT_EQ(log.heads, asked);
  house.work(1);
  const store::Sequence next = house.space->log().head()->sequence;
  EXPECT_EQ(index.visit(kLineRecord, {}, nothing, nullptr, next), next);
}

// It is shared memory that others may write.
TEST_F(RecordIndexTest, AnOldHeadThatIsSaidHidesNothing) {
  House house(folder_.file("space"), clock_);
  house.work(300);
  CountingLog log(house.space->log());
  detail::RecordIndex index(log, folder_.file("space"));
  std::size_t halts = 0;
  const auto count = [&](const store::LogEntry&) -> Status {
    ++halts;
    return {};
  };
  log.hint = index.visit(kLineRecord, {}, count).value();
  ASSERT_TRUE(StopSwitch(house.ledger).halt("operator"));
  ASSERT_TRUE(index.visit(kLineRecord, {}, count));
  EXPECT_EQ(halts, 1u);
}

// Those are records of the store's own.
TEST_F(RecordIndexTest, AnErasureIsNoDecision) {
  House house(folder_.file("space"), clock_);
  house.work(2);
  ASSERT_TRUE(house.space->write_sealed({}, "secret", [](store::Transaction& transaction) {
    return transaction.record(store::RecordKind::kEvent, "{}");
  }));
  ASSERT_TRUE(house.space->erase("secret"));
  house.work(1);
  EXPECT_EQ(audit_chain_of(house.space->log())->size(), 3u);
  EXPECT_TRUE(find_audit(house.space->log(), folder_.file("space"), house.ids[2]));
}

// A program of before knew no calls, and its anchors vouch for streams without them.
TEST_F(RecordIndexTest, AnAnchorOfAnEarlierStreamVouchesForNothing) {
  House house(folder_.file("space"), clock_);
  house.work(10);
  ASSERT_TRUE(house.ledger.write_with({{kTraceRecord, Json::object()}}, "tool_executed", "planner",
                                      Trust::kOperator, Json::object()));
  const auto call = house.space->log().head()->sequence;
  detail::RecordStream hiding;
  hiding.add({detail::StreamKind::kAudit, detail::id_head(house.ids[0]), store::Sequence{2}});
  for (const int version : {2, 3}) {
    const auto digest = to_hex(sha256(hiding.bytes()));
    const Json anchor = Json::object({{"index", version},
                                      {"through", static_cast<std::uint64_t>(call)},
                                      {"bytes", static_cast<std::uint64_t>(hiding.bytes().size())},
                                      {"digest", digest}});
    ASSERT_TRUE(house.ledger.write_with({{kIndexRecord, anchor}}, "tool_executed", "planner",
                                        Trust::kOperator, Json::object()));
    ByteWriter file;
    file.raw("ANIMALX4");
    file.u64(static_cast<std::uint64_t>(house.space->log().head()->sequence));
    file.raw(hiding.bytes());
    put(file.bytes());
    detail::RecordIndex index(house.space->log(), folder_.file("space"));
    int calls = 0;
    ASSERT_TRUE(index.visit(kTraceRecord, {}, [&](const store::LogEntry&) -> Status {
      ++calls;
      return {};
    }));
    EXPECT_EQ(calls, version == 2 ? 1 : 0);  // what the log vouches for is believed
  }
}

}  // namespace
}  // namespace anima::govern::record_index_test
