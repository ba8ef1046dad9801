#include "anima/memory.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace anima {
namespace {

constexpr const char* kTellAda = R"(UPSERT { CONCEPT { {type: "Person", name: :name} } })";
constexpr const char* kAskPeople =
    R"(FIND(?p.name) WHERE { ?p {type: "Person"} FILTER(?p.name == :name) })";

std::size_t people(Memory& memory, std::string_view name) {
  const Json answer = memory.kip(kAskPeople, Json::object({{"name", name}}));
  const Json* result = answer.find("result");
  EXPECT_NE(result, nullptr) << answer.dump();
  return result != nullptr && result->is_array() ? result->as_array().size() : 0;
}

TEST(Memory, IsToldAskedAndUndone) {
  Memory memory = Memory::in_memory().value();
  const std::uint64_t before = memory.newest_entry().value();
  const Json told = memory.kip(kTellAda, Json::object({{"name", "Ada"}}), {"ann", "a letter"});
  EXPECT_NE(told.find("result"), nullptr) << told.dump();
  EXPECT_EQ(people(memory, "Ada"), 1U);
  EXPECT_EQ(memory.newest_entry().value(), before + 1);
  EXPECT_TRUE(memory.undo(before + 1, before + 1));
  EXPECT_EQ(people(memory, "Ada"), 0U);
  EXPECT_TRUE(memory.verify());
  EXPECT_EQ(memory.undo(before + 90, before + 91).error().code, ErrorCode::kInvalidArgument);
}

TEST(Memory, RefusesToWriteWhenReadOnly) {
  Memory memory = Memory::in_memory().value();
  const Json refused = memory.execute_kip_readonly(
      Json::object({{"command", kTellAda}, {"parameters", Json::object({{"name", "Ada"}})}}));
  EXPECT_NE(refused.find("error"), nullptr) << refused.dump();
  EXPECT_EQ(people(memory, "Ada"), 0U);
}

TEST(Memory, StaysOnDiskAndIsCopied) {
  const TemporaryDirectory folder;
  {
    Memory memory = Memory::open(folder.file("space")).value();
    memory.kip(kTellAda, Json::object({{"name", "Ada"}}));
  }
  Memory again = Memory::open(folder.file("space")).value();
  Memory copy = again;
  EXPECT_EQ(people(copy, "Ada"), 1U);
  ASSERT_TRUE(again.backup(folder.file("copy.anima")));
  EXPECT_EQ(again.backup(folder.file("copy.anima")).error().code, ErrorCode::kAlreadyExists);
  EXPECT_FALSE(Memory::open("/proc/no/such/place"));
}

}  // namespace
}  // namespace anima
