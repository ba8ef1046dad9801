#include "base/expected.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace anima {
namespace {

Unexpected<Error> refused() {
  return fail(ErrorCode::kDenied, "not today", "here:1", "come tomorrow");
}

TEST(Expected, HoldsAValue) {
  Result<std::string> text = "a text that is too long to lie in the string itself";
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->size(), 51u);
  EXPECT_EQ(text.value(), *text);
  EXPECT_EQ(Result<int>(7).value_or(8), 7);
  EXPECT_EQ(Result<int>(7), 7);
  EXPECT_TRUE(Status());
}

TEST(Expected, HoldsAnError) {
  const Result<std::vector<int>> list = refused();
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().describe(), "here:1: not today (come tomorrow)");
  EXPECT_EQ(Result<int>(refused()).value_or(8), 8);
  EXPECT_EQ(Status(refused()).error().code, ErrorCode::kDenied);
}

TEST(Expected, TakesWhatItsValueIsMadeOf) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  const auto make = []() -> Result<std::unique_ptr<Base>> { return std::make_unique<Derived>(); };
  EXPECT_NE(dynamic_cast<Derived*>(make()->get()), nullptr);
  const auto none = []() -> Result<std::optional<int>> { return std::nullopt; };
  EXPECT_FALSE(none()->has_value());
  const auto pair = []() -> Result<std::pair<int, std::string>> { return {{1, "one"}}; };
  EXPECT_EQ(pair()->second, "one");
  // Whether a value is there is no truth value of its own.
  EXPECT_FALSE((std::is_constructible_v<Result<bool>, Result<int>>));
}

TEST(Expected, StaysWhatItWasWhenMovedFrom) {
  Result<std::string> failed = refused();
  const Result<std::string> taken = std::move(failed);
  EXPECT_EQ(taken.error().message, "not today");
  EXPECT_FALSE(failed.has_value());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(failed.error().message, "");
  Result<std::string> again = std::move(failed);
  EXPECT_FALSE(again.has_value());

  Status status = refused();
  const Status moved = std::move(status);
  EXPECT_FALSE(status.has_value());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.error().hint, "come tomorrow");
}

TEST(Expected, IsAssignedAndCopied) {
  Result<std::string> text = std::string("one");
  text = refused();
  EXPECT_FALSE(text);
  const Result<std::string> copy = text;
  text = std::string("two");
  EXPECT_EQ(*text, "two");
  EXPECT_EQ(copy.error().where, "here:1");
  Result<std::string>& same = text;
  text = same;
  EXPECT_EQ(*text, "two");

  Result<std::unique_ptr<int>> alone = std::make_unique<int>(3);
  alone = std::make_unique<int>(4);
  EXPECT_EQ(**alone, 4);
  EXPECT_FALSE((std::is_copy_constructible_v<Result<std::unique_ptr<int>>>));
}

TEST(Expected, EndsItsValueOnce) {
  const auto count = std::make_shared<int>();
  {
    Result<std::shared_ptr<int>> held = count;
    Result<std::shared_ptr<int>> other = held;
    EXPECT_EQ(count.use_count(), 3);
    other = refused();
    EXPECT_EQ(count.use_count(), 2);
    const std::shared_ptr<int> out = *std::move(held);
    EXPECT_EQ(count.use_count(), 2);
  }
  EXPECT_EQ(count.use_count(), 1);
}

TEST(Expected, HandsItsErrorOn) {
  const auto inner = []() -> Result<int> { return refused(); };
  const auto outer = [&]() -> Result<std::string> {
    ANIMA_ASSIGN(const int number, inner());
    return std::to_string(number);
  };
  const auto status = [&]() -> Status {
    ANIMA_TRY(outer());
    return {};
  };
  EXPECT_EQ(status().error().describe(), "here:1: not today (come tomorrow)");
}

TEST(Expected, BecomesAnErrorOfAnotherRoom) {
  struct Told {
    explicit Told(const Error& error) : text(error.message) {}
    Told() = default;
    std::string text;
  };
  const auto inner = []() -> Result<int> { return refused(); };
  const auto outer = [&]() -> Expected<int, Told> {
    ANIMA_ASSIGN(const int number, inner());
    return number;
  };
  EXPECT_EQ(outer().error().text, "not today");
}

TEST(Expected, MapsItsValue) {
  const auto twice = [](int number) { return 2 * number; };
  EXPECT_EQ(*Result<int>(4).map(twice), 8);
  EXPECT_EQ(Result<int>(refused()).map(twice).error().message, "not today");
  EXPECT_TRUE(Result<int>(4).map([](int) {}));
}

TEST(ExpectedDeathTest, AValueThatIsNotThereEndsTheProgram) {
  EXPECT_DEATH({ Result<int>(refused()).value(); }, "there is no value: here:1: not today");
}

TEST(Fail, TakesLiteralsAndMovesTemporaries) {
  std::string message(100, 'm');
  const char* const kept = message.data();
  const Unexpected<Error> moved = fail(ErrorCode::kIo, std::move(message), std::string_view("w"));
  EXPECT_EQ(moved.error().message.data(), kept);
  EXPECT_EQ(moved.error().where, "w");
  const std::string stays = "stays";
  EXPECT_EQ(fail(ErrorCode::kIo, stays).error().message, "stays");
  EXPECT_EQ(stays, "stays");
}

TEST(Expected, TheValueOfATemporaryOutlivesTheCall) {
  static_assert(std::is_same_v<decltype(std::declval<Result<std::string>>().value()), std::string>);
  const auto find = [] {
    return Result<std::vector<std::string>>(std::vector<std::string>(3, "a long enough row"));
  };
  std::string all;
  for (const std::string& row : find().value()) all += row;
  EXPECT_EQ(all.size(), 51U);
}

}  // namespace
}  // namespace anima
