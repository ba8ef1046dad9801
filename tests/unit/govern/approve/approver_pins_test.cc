// What an account knows of the approvers of a space, and each way in which a list can be another.
#include "govern/approve/approver_pins.h"

#include <gtest/gtest.h>

#include "govern/approve/approver_key.h"

namespace anima::govern::approver_pins_test {
namespace {

struct Person {
  Person(std::string person, std::uint64_t seed) : name(std::move(person)) {
    SeededRandom random(seed);
    key = make_signing_key(random);
  }
  ApproverCard card(const std::string& role) const { return make_card(name, role, key); }
  std::string name;
  SigningKey key;
};

class ApproverPinsTest : public ::testing::Test {
 protected:
  // As a log tells of them: the first is an operator and signs for the others.
  static Approvers list(const std::vector<const Person*>& persons,
                        const std::string& role = "operator", const std::string& space = "one") {
    Approvers approvers;
    approvers.of_space(space);
    std::uint64_t entry = 1;
    for (const Person* person : persons) {
      const ApproverCard card = person->card(person == persons[0] ? "operator" : role);
      Json event = card.to_json();
      event.set("event", "approver_registered");
      event.set("at", 1);
      const Statement statement = approvers.registration(card, 1);
      if (approvers.any())
        put_signature(sign_statement(statement, persons[0]->name, persons[0]->key), event);
      approvers.apply(event, Timestamp{1}, store::Sequence{entry++});
    }
    EXPECT_EQ(approvers.all().size(), persons.size());
    return approvers;
  }
  static void remove(Approvers& approvers, const Person& person, const Person& signer) {
    Json event = Json::object({{"event", "approver_removed"}, {"name", person.name}, {"at", 2}});
    put_signature(
        sign_statement(approvers.removal(*approvers.find(person.name), 2), signer.name, signer.key),
        event);
    approvers.apply(event, Timestamp{2}, store::Sequence{9});
    EXPECT_EQ(approvers.find(person.name), nullptr);
  }
  Status check(const Approvers& approvers) { return pins_.check(space_, approvers); }
  void expect_noticed(const Approvers& approvers, const std::string& words) {
    const Status status = check(approvers);
    ASSERT_FALSE(status) << words;
    EXPECT_EQ(status.error().code, ErrorCode::kDenied);
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  }

  TemporaryDirectory folder_{"anima-pins"};
  std::string space_ = folder_.file("space");
  ApproverPins pins_{system_files(), folder_.file("state/approvers")};
  Person ada_{"ada", 1}, grace_{"grace", 2}, eve_{"eve", 3};
};

TEST_F(ApproverPinsTest, NothingIsKeptWhereThereIsNobody) {
  EXPECT_TRUE(check(list({})));
  EXPECT_FALSE(file_exists(system_files(), folder_.file("state")));
  EXPECT_TRUE(ApproverPins(system_files(), "").check(space_, list({&ada_})));
}

TEST_F(ApproverPinsTest, AListThatGoesOnIsRemembered) {
  EXPECT_TRUE(check(list({&ada_})));
  Approvers approvers = list({&ada_, &grace_});
  EXPECT_TRUE(check(approvers));
  remove(approvers, grace_, ada_);
  EXPECT_TRUE(check(approvers));
  EXPECT_EQ(pins_.known(space_).value(), pinned(approvers));
  EXPECT_TRUE(pins_.known(space_)->value().persons[1].removed);
}

TEST_F(ApproverPinsTest, AnotherListIsNoticed) {
  Approvers approvers = list({&ada_, &grace_});
  remove(approvers, grace_, ada_);
  ASSERT_TRUE(check(approvers));
  expect_noticed(list({}), "ada was registered, and is not any more");
  expect_noticed(list({&ada_}), "grace was registered, and is not any more");
  expect_noticed(list({&ada_, &grace_}), "grace was taken out, and is back");
  expect_noticed(list({&eve_}), "eve stands in the place of ada");
  expect_noticed(list({&ada_, &eve_}), "eve stands in the place of grace");
  expect_noticed(list({&ada_, &grace_}, "arbiter"), "with another key or role");
  const Person other("ada", 4);
  expect_noticed(list({&other}), "ada stands in the place of ada, or with another key");
  expect_noticed(list({&ada_, &grace_}, "operator", "two"), "another space lies there");
  // What is noticed is not learnt.
  EXPECT_EQ(pins_.known(space_).value(), pinned(approvers));
  ASSERT_TRUE(pins_.renew(space_, list({&eve_})));
  EXPECT_TRUE(check(list({&eve_})));
}

TEST_F(ApproverPinsTest, EachFolderHasItsOwn) {
  ASSERT_TRUE(check(list({&ada_})));
  EXPECT_TRUE(pins_.check(folder_.file("other"), list({&eve_}, "operator", "two")));
  EXPECT_TRUE(check(list({&ada_})));
}

TEST_F(ApproverPinsTest, ADamagedFileIsNoFirstSight) {
  ASSERT_TRUE(check(list({&ada_})));
  const auto entries = system_files().list(folder_.file("state/approvers")).value();
  ASSERT_EQ(entries.size(), 1u);
  const std::string path = folder_.file("state/approvers/" + entries[0].name);
  for (const char* text : {"", "{}", "[]", R"({"space":"one","approvers":[{"name":"ada"}]})"}) {
    ASSERT_TRUE(replace_file(system_files(), path, text));
    EXPECT_EQ(check(list({&ada_})).error().code, ErrorCode::kCorrupt) << text;
  }
}

}  // namespace
}  // namespace anima::govern::approver_pins_test
