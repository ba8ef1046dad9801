// What fails through the engine gives its memory back.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <string>

#include "kip/engine.h"

namespace anima::kip {
namespace {

std::uint64_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Memory, AtomicRequestsThatFailGiveTheirMemoryBack) {
  const auto space = store::Space::in_memory().value();
  const auto engine = Engine::open(space).value();
  ASSERT_FALSE(has_error(engine->execute(
      "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Note\"} } }", Json(JsonObject{}))));
  const store::Sequence before = space->snapshot().value().sequence();
  int fresh = 0;
  const auto fail_some = [&](int requests) {
    for (int i = 0; i < requests; ++i) {
      const std::string name = "a name that nobody had before " + std::to_string(++fresh);
      const Json request = Json::object(
          {{"commands",
            Json(JsonArray{Json("UPSERT { CONCEPT { {type: \"Note\", name: :n} SET ATTRIBUTES { "
                                "text: :n } } }"),
                           Json("UPSERT { CONCEPT { {type: \"Unknown\", name: :n} } }")})},
           {"parameters", Json::object({{"n", name}})},
           {"atomic", true}});
      ASSERT_TRUE(has_error(engine->execute(request)));
    }
  };
  fail_some(1000);
  const std::uint64_t after_some = heap_bytes();
  fail_some(std::getenv("ANIMA_TEST_FULL") != nullptr ? 1'000'000 : 20'000);
  EXPECT_LE(heap_bytes(), after_some + after_some / 20);
  EXPECT_EQ(space->snapshot().value().sequence(), before);
}

}  // namespace
}  // namespace anima::kip
