// Whose word an assertion is survives being written again, replayed, checkpointed and undone; and
// the ranks of statements (store/holds.h).
#include "store/holds.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "store/restate.h"
#include "store/space.h"
#include "store/symbols.h"

namespace anima::store {
namespace {

class HoldsTest : public ::testing::Test {
 protected:
  HoldsTest() { open(); }

  void open() {
    space_.reset();
    SpaceOptions options;
    options.clock = clock_;
    options.create = true;
    auto opened = Space::open(folder_.file("s"), options);
    ASSERT_TRUE(opened) << opened.error().describe();
    space_ = *opened;
  }

  Triple link(Transaction& transaction, const char* object) {
    SymbolWriter symbols(transaction, {});
    return *symbols.link("Ada", "works_at", object);
  }
  Sequence tell(Trust trust, const char* object, double confidence = 1.0) {
    const auto written = space_->write(
        {"ann", "notes", trust, Sequence::kNone}, [&](Transaction& transaction) -> Status {
          AssertOptions options;
          options.confidence = confidence;
          return transaction.assert_link(link(transaction, object), options).map([](EntityId) {});
        });
    EXPECT_TRUE(written) << written.error().describe();
    return written->sequence;
  }
  void again(const char* object, double confidence, Sequence said) {
    const auto written = space_->write(
        {"$system", "sleep", Trust::kSystem, Sequence::kNone},
        [&](Transaction& transaction) -> Status {
          AssertOptions options;
          options.confidence = confidence;
          return restate(transaction, link(transaction, object), options, said).map([](EntityId) {
          });
        });
    ASSERT_TRUE(written) << written.error().describe();
  }
  Assertion of(const char* object) {
    const Snapshot now = *space_->snapshot();
    const Triple triple{*find_symbol(now, "Ada"), Predicate::link(*now.find_predicate("works_at")),
                        Term::entity(*find_symbol(now, object))};
    const auto assertions = now.assertions(triple);
    return assertions.empty() ? Assertion() : assertions.front();
  }

  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(Timestamp{1'700'000'000'000'000}, 1'000'000);
  TemporaryDirectory folder_{"anima-holds"};
  std::shared_ptr<Space> space_;
};

TEST_F(HoldsTest, AWordWrittenAgainStaysWhoseItWas) {
  const Sequence said = tell(Trust::kUntrusted, "Acme");
  again("Acme", 0.5, said);
  const auto check = [&](const char* when) {
    EXPECT_EQ(of("Acme").born, said) << when;
    EXPECT_EQ(of("Acme").confidence, 0.5) << when;
    EXPECT_EQ(space_->snapshot()->entry(of("Acme").born).trust, Trust::kUntrusted) << when;
  };
  check("at once");
  open();
  check("replayed");
  ASSERT_TRUE(space_->checkpoint());
  open();
  check("from a base");
}

TEST_F(HoldsTest, UndoingPutsBackTheWordOfWhoSaidIt) {
  const Sequence said = tell(Trust::kStandard, "Acme", 0.9);
  again("Acme", 0.4, said);
  const Sequence last = space_->snapshot()->sequence();
  ASSERT_TRUE(
      space_->undo({"op", "undo", Trust::kOperator, Sequence::kNone}, last, last, false, false));
  EXPECT_EQ(of("Acme").born, said);
  EXPECT_EQ(of("Acme").confidence, 0.9);
  EXPECT_EQ(space_->snapshot()->entry(of("Acme").born).trust, Trust::kStandard);
}

TEST_F(HoldsTest, WhoIsTrustedLessChangesNoWord) {
  const Sequence said = tell(Trust::kOperator, "Acme", 0.9);
  tell(Trust::kUntrusted, "Acme", 0.1);
  EXPECT_EQ(of("Acme").born, said);
  EXPECT_EQ(of("Acme").confidence, 0.9);
  // Somebody trusted more takes it over.
  const Sequence raised = tell(Trust::kSystem, "Acme", 0.9);
  EXPECT_EQ(of("Acme").born, raised);
}

TEST_F(HoldsTest, NobodysWordIsOfTheFuture) {
  (void)tell(Trust::kStandard, "Acme");
  const Sequence head = space_->snapshot()->sequence();
  const auto written = space_->write({}, [&](Transaction& transaction) -> Status {
    return restate(transaction, link(transaction, "Acme"), {},
                   Sequence{static_cast<std::uint64_t>(head) + 9})
        .map([](EntityId) {});
  });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(HoldsTest, ValuesOfSomebodyTrustedMoreStayBesideTheNewOne) {
  const auto set = [&](Trust trust, const char* text) {
    ASSERT_TRUE(
        space_->write({"x", "y", trust, Sequence::kNone}, [&](Transaction& transaction) -> Status {
          SymbolWriter symbols(transaction, {});
          ANIMA_ASSIGN(const EntityId ada, symbols.entity("Ada"));
          const Value value = Value::string(text);
          ANIMA_ASSIGN(const Term term, transaction.term(value.view()));
          return transaction.set_attribute(ada, "port", std::span(&term, 1));
        }));
  };
  set(Trust::kOperator, "3000");
  set(Trust::kUntrusted, "6666");
  const auto port = [&] {
    const Snapshot now = *space_->snapshot();
    return std::string(now.value(*now.attribute(*find_symbol(now, "Ada"), "port")).text);
  };
  EXPECT_EQ(port(), "3000");
  set(Trust::kOperator, "3001");
  EXPECT_EQ(port(), "3001");
  // The other one went: it was replaced by somebody trusted more.
  const Snapshot now = *space_->snapshot();
  Scratch scratch;
  EXPECT_EQ(
      now.objects(*find_symbol(now, "Ada"), Predicate::attribute(*now.find_string("port")), scratch)
          .size(),
      1U);
}

Timestamp at(int year) { return *parse_timestamp(std::to_string(year) + "-01-01"); }

TEST_F(HoldsTest, EachTimeOfALinkStaysWhereItLiesApart) {
  (void)tell(Trust::kOperator, "Acme");
  std::string shown;
  const auto add = [&](const Period& period) {
    const auto written = space_->write(
        {"ann", "notes", Trust::kOperator, Sequence::kNone},
        [&](Transaction& transaction) -> Status {
          const auto known = transaction.live().find_proposition(link(transaction, "Acme"));
          ANIMA_TRY(add_period(transaction, *known, period, {}));
          shown.clear();
          for (const Period& one : periods_of(transaction.view(), *known))
            shown += (one.from ? format_timestamp(*one.from).substr(0, 4) : "..") + "-" +
                     (one.to ? format_timestamp(*one.to).substr(0, 4) : "..") + " ";
          return {};
        });
    EXPECT_TRUE(written) << written.error().describe();
    return shown;
  };
  EXPECT_EQ(add({at(2010), at(2015)}), "2010-2015 ");
  EXPECT_EQ(add({at(2020), std::nullopt}), "2010-2015 2020-.. ");
  EXPECT_EQ(add({at(2016), at(2018)}), "2010-2015 2016-2018 2020-.. ");
  EXPECT_EQ(add({at(2010), at(2015)}), "2010-2015 2016-2018 2020-.. ");
  EXPECT_EQ(add({at(2020), at(2021)}), "2010-2015 2016-2018 2020-2021 ");
  EXPECT_EQ(add({std::nullopt, at(2005)}), "..-2005 2010-2015 2016-2018 2020-2021 ");
  EXPECT_EQ(add({at(2004), at(2019)}), "2004-2019 2020-2021 ");
}

TEST_F(HoldsTest, WhatIsNoTimeIsRefused) {
  (void)tell(Trust::kOperator, "Acme");
  const auto say = [&](const char* key, const Value& value, bool added) {
    return space_->write({}, [&](Transaction& transaction) -> Status {
      const auto known = transaction.live().find_proposition(link(transaction, "Acme"));
      ANIMA_ASSIGN(const Term term, transaction.term(value.view()));
      if (!added) return transaction.set_metadata(*known, key, std::span(&term, 1), {});
      ANIMA_ASSIGN(const Term name, transaction.term(Value::string(key).view()));
      return transaction.add_value({*known, Predicate::metadata(name), term}).map([](bool) {});
    });
  };
  for (const bool added : {false, true}) {
    for (const char* key : {"valid_from", "valid_to", "observed_at"}) {
      for (const char* text : {"soon", "", "2026", "2026-13-01", "2026-02-30", "tomorrow"}) {
        const auto refused = say(key, Value::string(text), added);
        ASSERT_FALSE(refused) << key << " " << text;
        EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
        EXPECT_NE(refused.error().message.find(key), std::string::npos);
      }
      EXPECT_FALSE(say(key, Value::of(std::int64_t{2026}), added)) << key;
      for (const char* text : {"2026-03-01", "2026-03-01T09:00:00+02:00"})
        EXPECT_TRUE(say(key, Value::string(text), added)) << key << " " << text;
    }
    EXPECT_FALSE(say("held_before", Value::string("2015-01-01/2010-01-01"), added));
    EXPECT_TRUE(say("held_before", Value::string("../2010-01-01"), added));
    EXPECT_TRUE(say("note", Value::string("soon"), added)) << "other metadata is free";
  }
}

TEST(Standing, TheOneThatEndedFirstMadePlace) {
  const Standing first{Trust::kOperator, {}, Sequence{1}, {}, at(2020), {}};
  const Standing next{Trust::kOperator, {}, Sequence{2}, {}, at(2021), {}};
  Standing stranger = first, dated = next;
  stranger.trust = Trust::kUntrusted;
  dated.valid_from = at(2010);
  EXPECT_FALSE(overlap(first, next));
  EXPECT_TRUE(overlap(stranger, next)) << "a stranger cuts nothing off";
  EXPECT_TRUE(overlap(first, dated)) << "it says when it began";
}

TEST(Standing, TrustThenObservedThenAsserted) {
  const Standing low{Trust::kStandard, Timestamp{9}, Sequence{9}, {}, {}, {}};
  const Standing high{Trust::kOperator, Timestamp{1}, Sequence{1}, {}, {}, {}};
  const Standing later{Trust::kOperator, Timestamp{2}, Sequence{1}, {}, {}, {}};
  const Standing told{Trust::kOperator, Timestamp{2}, Sequence{3}, {}, {}, {}};
  EXPECT_TRUE(outranks(high, low));
  EXPECT_TRUE(outranks(later, high));
  EXPECT_TRUE(outranks(told, later));
  EXPECT_FALSE(outranks(told, told));
}

}  // namespace
}  // namespace anima::store
