#include "base/postgres/postgres_address.h"

#include <gtest/gtest.h>

#include "base/postgres/postgres_connection.h"

namespace anima {
namespace {

TEST(PostgresAddress, IsKnownByItsScheme) {
  EXPECT_TRUE(is_postgres_address("postgresql://h/d"));
  EXPECT_TRUE(is_postgres_address("postgres://h/d"));
  EXPECT_FALSE(is_postgres_address("/home/world"));
}

TEST(PostgresAddress, ShowsNoPassword) {
  EXPECT_EQ(parse_postgres_address("postgresql://me:hush@db.example.org:5433/worlds")->shown(),
            "postgresql://db.example.org:5433/worlds");
  EXPECT_EQ(parse_postgres_address("postgresql:///worlds?host=/run/pg&password=hush")->shown(),
            "postgresql:///run/pg/worlds");
  for (const char* bad :
       {"postgresql://me:hush@db/x?hush=1", "postgresql://me:hush@[db/x", "me:hush@db"}) {
    const auto refused = parse_postgres_address(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().describe().find("hush"), std::string::npos);
  }
}

TEST(PostgresAddress, IsWrittenWithoutItsPassword) {
  const auto written = [](const std::string& text) {
    return parse_postgres_address(text, {"schema", "folder"})->without_password();
  };
  EXPECT_EQ(written("postgres://me:hush@db:5433/x?schema=one"),
            "postgres://me@db:5433/x?schema=one");
  EXPECT_EQ(written("postgres://me@db/x"), "postgres://me@db/x");
  EXPECT_EQ(written("postgres:///x?password=hush&host=/run/pg&folder=/a%20b"),
            "postgres:///x?host=/run/pg&folder=/a%20b");
  EXPECT_EQ(written("postgres://me:hu%40sh@/x"), "postgres://me@/x");
}

TEST(PostgresAddress, OwnOptionsAreTakenOutAndDecoded) {
  const auto address =
      parse_postgres_address("postgres://db/x?schema=a%62c&connect_timeout=3", {"schema"});
  ASSERT_TRUE(address) << address.error().describe();
  EXPECT_EQ(address->connection, "postgres://db/x?connect_timeout=3");
  EXPECT_EQ(address->own.at("schema"), "abc");
  EXPECT_EQ(address->shown(), "postgresql://db/x?schema=abc");
  EXPECT_FALSE(parse_postgres_address("postgres://db/x?schema=abc")) << "libpq knows no schema";
}

TEST(PostgresConnection, SaysWhatCannotBeReached) {
  const auto address = parse_postgres_address("postgresql://me:hush@127.0.0.1:1/x");
  ASSERT_TRUE(address);
  const auto refused = PostgresConnection::open(*address, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_EQ(refused.error().describe().find("hush"), std::string::npos);
}

}  // namespace
}  // namespace anima
