#include "base/json/message_pack.h"

#include <gtest/gtest.h>

#include "base/crc32.h"
#include "base/crypto.h"
#include "base/json/message_pack_fields.h"

namespace anima::message_pack_test {
namespace {

enum class Colour : std::uint8_t { kRed, kDarkGreen };
std::span<const std::string_view> enum_names(Colour) {
  static constexpr std::string_view kNames[] = {"Red", "DarkGreen"};
  return kNames;
}

struct Thing {
  std::string name;
  std::optional<std::int32_t> size;
  Colour colour = Colour::kRed;
  std::vector<float> marks;
  std::map<std::string, std::uint64_t> counts;
  template <typename Self, typename Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("name", self.name);
    visit("size", self.size);
    visit("colour", self.colour);
    visit("marks", self.marks);
    visit("counts", self.counts);
  }
};

std::string hex(const MessagePack& value) { return to_hex(value.encode()); }

// The bytes stand in the specification of MessagePack.
TEST(MessagePackTest, ShortestForms) {
  EXPECT_EQ(hex(MessagePack()), "c0");
  EXPECT_EQ(hex(true), "c3");
  EXPECT_EQ(hex(127), "7f");
  EXPECT_EQ(hex(128), "cc80");
  EXPECT_EQ(hex(256), "cd0100");
  EXPECT_EQ(hex(65536), "ce00010000");
  EXPECT_EQ(hex(std::uint64_t{1} << 32), "cf0000000100000000");
  EXPECT_EQ(hex(-1), "ff");
  EXPECT_EQ(hex(-32), "e0");
  EXPECT_EQ(hex(-33), "d0df");
  EXPECT_EQ(hex(-129), "d1ff7f");
  EXPECT_EQ(hex(INT64_MIN), "d38000000000000000");
  EXPECT_EQ(hex(1.5F), "ca3fc00000");
  EXPECT_EQ(hex(1.5), "cb3ff8000000000000");
  EXPECT_EQ(hex("a"), "a161");
  EXPECT_EQ(hex(std::string(32, 'a')).substr(0, 4), "d920");
  EXPECT_EQ(hex(Binary{"a"}), "c40161");
  EXPECT_EQ(hex(MessagePack::Array(16)).substr(0, 6), "dc0010");
}

TEST(MessagePackTest, ReadsBackWhatItWrote) {
  MessagePack value;
  value.set("list", MessagePack::Array{1, -5, "x", MessagePack(), 2.5});
  value.set("bytes", Binary{std::string(70'000, '\0')});
  const auto again = decode_message_pack(value.encode());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, value);
}

TEST(MessagePackTest, RefusesWhatIsNone) {
  for (const char* bytes :
       {"", "c1", "92", "9201", "a2", "0101", "c4ff", "dd7fffffff", "82a16101a16102", "d90361"}) {
    EXPECT_FALSE(decode_message_pack(*from_hex(bytes)).has_value()) << bytes;
  }
  EXPECT_EQ(decode_message_pack(*from_hex("d40100")).error().code, ErrorCode::kUnsupported);
  EXPECT_FALSE(decode_message_pack(std::string(40, '\x91') + "\x01").has_value()) << "too deep";
}

TEST(MessagePackTest, FieldsComeBack) {
  const Thing thing{"a", -3, Colour::kDarkGreen, {0.5F}, {{"x", 1}}};
  const auto again = unpack_bytes<Thing>(pack(thing).encode());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->size, -3);
  EXPECT_EQ(again->colour, Colour::kDarkGreen);
  EXPECT_EQ(again->marks, thing.marks);
  EXPECT_EQ(again->counts, thing.counts);
}

TEST(MessagePackTest, EnumerationsInEveryForm) {
  for (const MessagePack& form :
       {MessagePack("DarkGreen"), MessagePack("DARK_GREEN"), MessagePack(1),
        MessagePack(MessagePack::Map{{"DarkGreen", MessagePack()}})}) {
    const auto read = unpack<Colour>(form);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, Colour::kDarkGreen);
  }
  EXPECT_FALSE(unpack<Colour>("Blue").has_value());
  EXPECT_FALSE(unpack<Colour>(2).has_value());
}

TEST(MessagePackTest, AWrongFieldIsNamed) {
  MessagePack value = pack(Thing{"a", {}, Colour::kRed, {}, {}});
  MessagePack::Map members = *value.map();
  members[3].second = MessagePack::Array{0.5F, "x"};
  const auto read = unpack<Thing>(MessagePack(members));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().where, "marks.1");
  members.erase(members.begin());
  members[2].second = MessagePack::Array{};
  EXPECT_EQ(unpack<Thing>(MessagePack(members)).error().where, "name");
  EXPECT_TRUE(unpack<std::optional<Thing>>(MessagePack()).has_value());
}

TEST(MessagePackTest, Crc32OfTheStandardsText) { EXPECT_EQ(crc32("123456789"), 0xCBF43926U); }

}  // namespace
}  // namespace anima::message_pack_test
