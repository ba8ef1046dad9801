// The kinds of logs that there are, for tests that run over all of them: in SQLite, in PostgreSQL,
// in memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/files/file.h"
#include "store/log/memory_log.h"
#include "store/log/sqlite.h"
#include "store/log/sqlite_log.h"
#include "store/place/log_place.h"
#include "store/postgres/postgres_tables.h"
#include "support/needs.h"
#include "support/postgres_server.h"

namespace anima::test {

// One server for all tests of a program; each test has a schema of its own.
inline PostgresServer& shared_postgres() {
  static PostgresServer server;
  return server;
}

class LogKind : public ::testing::TestWithParam<const char*> {
 protected:
  bool in_postgres() const { return std::string_view(GetParam()) == "Postgres"; }
  bool in_memory() const { return std::string_view(GetParam()) == "Memory"; }
  bool in_sqlite() const { return std::string_view(GetParam()) == "Sqlite"; }

  void SetUp() override {
    place_.folder = folder_.file("space");
    if (in_memory()) return;
    if (in_sqlite()) {
      ASSERT_TRUE(system_files().make_directories(place_.folder, 0700));
      return;
    }
    ANIMA_NEEDS(test::kPostgres, shared_postgres().there());
    static int number = 0;
    schema_ = "test" + std::to_string(++number);
    address_ = shared_postgres().address() + "&schema=" + schema_;
    auto address = store::detail::parse_log_address(address_);
    ASSERT_TRUE(address) << address.error().describe();
    place_.database = *address;
  }

  // The log, made when there is none. One in memory is the same each time, as long as one is held.
  Result<std::shared_ptr<store::Log>> open(store::detail::LogOpening opening = {.create = true}) {
    if (in_memory()) {
      std::shared_ptr<store::Log> log = memory_.lock();
      if (log == nullptr) log = store::detail::make_memory_log();
      memory_ = log;
      return log;
    }
    auto opened = store::detail::open_log_at(place_, opening);
    if (!opened) return fail(opened.error());
    return std::shared_ptr<store::Log>(std::move(*opened));
  }
  std::shared_ptr<store::Log> opened(store::detail::LogOpening opening = {.create = true}) {
    auto log = open(std::move(opening));
    EXPECT_TRUE(log) << log.error().describe();
    return log ? *log : nullptr;
  }

  // On the tables, as a stranger would.
  void sql(const std::string& text) {
    if (in_sqlite()) {
      auto database =
          store::detail::Database::open(store::detail::log_path(place_.folder),
                                        store::detail::DatabaseMode::kReadWrite, {}, 5000);
      ASSERT_TRUE(database);
      const Status done = database->execute(text);
      ASSERT_TRUE(done) << done.error().describe();
      return;
    }
    auto connection = store::detail::PostgresTables(*place_.database, {}).connect();
    ASSERT_TRUE(connection) << connection.error().describe();
    const Status done = (*connection)->execute(text);
    ASSERT_TRUE(done) << done.error().describe();
  }

  TemporaryDirectory folder_{"anima-log-kind"};
  store::detail::LogPlace place_;
  std::string schema_, address_;  // on PostgreSQL

 private:
  std::weak_ptr<store::Log> memory_;
};

// Names of the instances.
inline std::string kind_name(const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace anima::test
