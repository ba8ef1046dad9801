#include "datalog/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace anima::datalog {
namespace {

TEST(Value, InlineIntegersCarryTheirSign) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, kMaxInlineInt, kMinInlineInt}) {
    ASSERT_TRUE(fits_inline(n));
    EXPECT_EQ(inline_value(inline_int(n)), n);
  }
  ValueTable table;
  for (const std::int64_t n :
       {kMaxInlineInt + 1, kMinInlineInt - 1, std::numeric_limits<std::int64_t>::min()}) {
    const Code code = table.integer(n);
    EXPECT_FALSE(is_inline_int(code));
    EXPECT_EQ(table.view(code).number, n);
    EXPECT_EQ(table.integer(n), code);
  }
}

TEST(Value, KindsNeverMeet) {
  ValueTable table;
  const std::vector<Code> codes = {
      table.integer(1), table.real(1.0),   table.string("1"), table.name("/1"), table.bytes("1"),
      table.time(1),    table.duration(1), table.nil(),       table.real(0.0),  table.real(-0.0)};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(codes[i], codes[j]) << i << ' ' << j;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(table.real(nan), table.real(nan));
}

TEST(Value, StructuresAreShared) {
  ValueTable table;
  const Code a = table.string("a");
  const Code b = table.string("b");
  const std::vector<Code> items = {a, b};
  EXPECT_EQ(table.list(items), table.cons(a, table.cons(b, table.nil())));
  EXPECT_EQ(table.list_length(table.list(items)), 2U);
  EXPECT_EQ(table.pair(a, b), table.pair(a, b));
  EXPECT_NE(table.pair(a, b), table.pair(b, a));
  const std::vector<Code> one = {a, table.integer(1), b, table.integer(2)};
  const std::vector<Code> other = {b, table.integer(2), a, table.integer(1)};
  EXPECT_EQ(table.map(one), table.map(other));
  EXPECT_NE(table.map(one), table.structure(one));
  EXPECT_EQ(table.entry(table.map(one), b), table.integer(2));
  EXPECT_EQ(table.entry(table.map(one), table.nil()), std::nullopt);
}

TEST(Value, PrintsWhatReadsBack) {
  ValueTable table;
  const auto duration = [&](std::int64_t n) { return table.text(table.duration(n)); };
  EXPECT_EQ(table.text(table.real(2.0)), "2.0");
  EXPECT_EQ(table.text(table.real(1e30)), "1.0e+30");
  EXPECT_EQ(table.text(table.real(-0.5)), "-0.5");
  EXPECT_EQ(table.text(table.string("a\"\\\n\tb\x01é")), "\"a\\\"\\\\\\n\\tb\\x01é\"");
  EXPECT_EQ(table.text(table.bytes("a\xff")), "b\"a\\xff\"");
  EXPECT_EQ(table.text(table.time(1704067200000000000)),
            "fn:time:parse_rfc3339(\"2024-01-01T00:00:00Z\")");
  EXPECT_EQ(table.text(table.time(-1)),
            "fn:time:parse_rfc3339(\"1969-12-31T23:59:59.999999999Z\")");
  EXPECT_EQ(duration(5400000000000), "fn:duration:parse(\"1h30m0s\")");
  EXPECT_EQ(duration(-1500000000), "fn:duration:parse(\"-1.5s\")");
  EXPECT_EQ(duration(2000000), "fn:duration:parse(\"2ms\")");
  EXPECT_EQ(duration(0), "fn:duration:parse(\"0s\")");
  EXPECT_EQ(duration(61000000001), "fn:duration:parse(\"1m1.000000001s\")");
  const std::vector<Code> items = {table.integer(1),
                                   table.pair(table.name("/x"), table.integer(-2))};
  EXPECT_EQ(table.text(table.list(items)), "[1, fn:pair(/x, -2)]");
  const std::vector<Code> entries = {table.name("/b"), table.integer(2), table.name("/a"),
                                     table.integer(1)};
  EXPECT_EQ(table.text(table.map(entries)), "[/a : 1, /b : 2]");
  EXPECT_EQ(table.text(table.structure(entries)), "{/a : 1, /b : 2}");
  EXPECT_EQ(table.text(table.map({})), "fn:map()");
  EXPECT_EQ(table.text(table.nil()), "[]");
}

TEST(Value, TextOfSharedStructureIsBounded) {
  ValueTable table;
  Code value = table.name("/a");
  for (int i = 0; i < 60; ++i) value = table.pair(value, value);
  std::string out;
  EXPECT_FALSE(table.append_text(value, out, 1000));
  EXPECT_EQ(out.size(), 1000U);
}

TEST(Value, DeepNestingNeedsNoStack) {
  ValueTable table;
  Code left = table.name("/a");
  Code right = table.name("/b");
  for (int i = 0; i < 300000; ++i) {
    left = table.pair(left, table.nil());
    right = table.pair(right, table.nil());
  }
  EXPECT_LT(table.compare(left, right), 0);
  EXPECT_GT(table.text(left).size(), 300000U);
}

TEST(Value, OrderIsTotalAndIndependentOfCodes) {
  ValueTable table;
  const Code big = table.integer(std::int64_t{1} << 40);
  EXPECT_LT(table.compare(table.integer(5), big), 0);
  EXPECT_LT(table.compare(table.integer(-(std::int64_t{1} << 40)), table.integer(-5)), 0);
  EXPECT_LT(table.compare(table.string("a"), table.string("b")), 0);
  EXPECT_LT(table.compare(table.real(-1.0), table.real(2.0)), 0);
  EXPECT_LT(table.compare(table.nil(), table.cons(table.nil(), table.nil())), 0);
  const std::vector<Code> shorter = {table.integer(1)};
  const std::vector<Code> longer = {table.integer(1), table.integer(0)};
  EXPECT_LT(table.compare(table.list(shorter), table.list(longer)), 0);
  EXPECT_GT(table.compare(table.list(longer), table.list(shorter)), 0);
}

TEST(Value, ManyValuesKeepTheirCodes) {
  ValueTable table;
  std::vector<Code> codes;
  for (int i = 0; i < 50000; ++i) codes.push_back(table.string("s" + std::to_string(i)));
  for (int i = 0; i < 50000; ++i) {
    ASSERT_EQ(table.view(codes[static_cast<std::size_t>(i)]).text, "s" + std::to_string(i));
    ASSERT_EQ(table.string("s" + std::to_string(i)), codes[static_cast<std::size_t>(i)]);
  }
}

// A dictionary of two names, as a store would show it.
class TwoNames : public ParentDictionary {
 public:
  std::optional<Code> find(const ValueView& value) const override {
    if (value.kind == ValueKind::kName && value.text == "/one") return Code{1};
    if (value.kind == ValueKind::kString && value.text == "two") return kTagLiteral | 2U;
    return std::nullopt;
  }
  ValueView view(Code code) const override {
    ValueView out;
    out.kind = code == 1 ? ValueKind::kName : ValueKind::kString;
    out.text = code == 1 ? "/one" : "two";
    return out;
  }
};

TEST(Value, ParentKeepsItsCodes) {
  const TwoNames parent;
  ValueTable table(&parent);
  EXPECT_EQ(table.name("/one"), 1U);
  EXPECT_EQ(table.string("two"), kTagLiteral | 2U);
  EXPECT_EQ(table.string("/one") & kTagMask, kTagOverlay);
  EXPECT_EQ(table.text(table.pair(1, kTagLiteral | 2U)), "fn:pair(/one, \"two\")");
}

}  // namespace
}  // namespace anima::datalog
