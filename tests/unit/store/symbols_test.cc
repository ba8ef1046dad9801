// Which thing a name means where several have it.
#include "store/symbols.h"

#include <gtest/gtest.h>

#include "store/space.h"

namespace anima::store::symbols_test {
namespace {

class Names : public ::testing::Test {
 protected:
  EntityId add(Trust trust, const std::string& type, const std::string& name) {
    EntityId added = EntityId::kNone;
    const auto written =
        space_->write({"who", "test", trust, Sequence::kNone}, [&](Transaction& it) -> Status {
          EntityId of = kEntityType;
          if (type != "Entity") {
            ANIMA_ASSIGN(of, it.upsert_type(type));
          }
          ANIMA_ASSIGN(added, it.upsert_concept(of, name));
          return {};
        });
    EXPECT_TRUE(written);
    return added;
  }
  Snapshot now() { return space_->snapshot().value(); }

  std::shared_ptr<Space> space_ = Space::in_memory().value();
};

TEST_F(Names, MeanTheMostTrustedThing) {
  const EntityId ours = add(Trust::kOperator, "Person", "Ada Berg");
  for (const char* type : {"Entity", "Place", "Word"}) {
    add(Trust::kUntrusted, type, "Ada Berg");
    add(Trust::kStandard, type, "ada berg");
    EXPECT_EQ(find_symbol(now(), "Ada Berg"), ours) << type;
    EXPECT_EQ(find_symbol(now(), "ADA BERG"), ours) << type;
    const auto found = find_entity(now(), "Ada Berg");
    ASSERT_TRUE(found) << type;
    EXPECT_EQ(*found, ours);
  }
}

TEST_F(Names, OfEquallyTrustedThingsAreAsked) {
  add(Trust::kOperator, "Person", "Ada Berg");
  add(Trust::kOperator, "Place", "Ada Berg");
  EXPECT_EQ(find_entity(now(), "Ada Berg").error().code, ErrorCode::kInvalidArgument);
}

// Sixty zip codes are called as the ids of other things are.
TEST_F(Names, OfDigitsAreNoIds) {
  add(Trust::kStandard, "Zipcode", "1000");
  const std::string id =
      std::to_string(static_cast<std::uint32_t>(add(Trust::kStandard, "Person", "Ada Berg")));
  EXPECT_FALSE(find_symbol(now(), id));
  for (const auto& found : {find_entity(now(), id), resolve_symbol(now(), id)}) {
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
    EXPECT_NE(found.error().hint.find("C:" + id), std::string::npos) << found.error().hint;
  }
  const EntityId zipcode = add(Trust::kStandard, "Zipcode", id);
  EXPECT_EQ(find_symbol(now(), id), zipcode);
  for (const std::string& text :
       {id, "Zipcode:" + id, "C:" + std::to_string(static_cast<std::uint32_t>(zipcode))}) {
    EXPECT_EQ(find_entity(now(), text).value(), zipcode) << text;
    EXPECT_EQ(find_only_entity(now(), text).value(), zipcode) << text;
    EXPECT_EQ(resolve_symbol(now(), text).value(), zipcode) << text;
  }
  EXPECT_NE(find_entity(now(), "C:" + id).value(), zipcode);
}

// What is erased cannot be brought back.
TEST_F(Names, AreOfOneThingAloneWhereItIsErased) {
  const EntityId ours = add(Trust::kOperator, "Person", "Ada Berg");
  EXPECT_EQ(find_only_entity(now(), "Ada Berg").value(), ours);
  const EntityId other = add(Trust::kUntrusted, "Place", "Ada Berg");
  const auto found = find_only_entity(now(), "Ada Berg");
  ASSERT_FALSE(found);
  for (const EntityId one : {ours, other})
    EXPECT_NE(found.error().hint.find("C:" + std::to_string(static_cast<std::uint32_t>(one))),
              std::string::npos);
}

}  // namespace
}  // namespace anima::store::symbols_test
