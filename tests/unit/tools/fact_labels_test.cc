// Arguments carry the label of the fact that they are.
#include "tools/fact_labels.h"

#include <gtest/gtest.h>

#include "store/space.h"
#include "support/bench.h"
#include "tools/external.h"
#include "tools/workbench.h"

namespace anima::tools {
namespace {

using govern::Trust;

class FactLabels : public ::testing::Test {
 protected:
  void state(Trust trust, std::string_view name, std::string_view graph) {
    store::Origin origin;
    origin.trust = trust;
    ASSERT_TRUE(space_->write(origin, [&](store::Transaction& transaction) -> Status {
      store::AssertOptions options;
      options.graph = transaction.graph(graph);
      ANIMA_ASSIGN(const auto entity,
                   transaction.upsert_concept(store::kEntityType, name, options));
      ANIMA_ASSIGN(const auto text,
                   transaction.term(store::Value::string("about " + std::string(name)).view()));
      return transaction.set_attribute(entity, "note", std::span(&text, 1), options);
    }));
  }
  std::optional<Trust> label(std::string_view text) {
    return fact_label(space_->snapshot().value(), text);
  }
  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
};

TEST_F(FactLabels, TheMostTrustedStatementCounts) {
  state(Trust::kUntrusted, "eve@example.org", "urn:page");
  EXPECT_EQ(label("eve@example.org"), Trust::kUntrusted);
  EXPECT_EQ(label("about eve@example.org"), Trust::kUntrusted);
  EXPECT_EQ(label("ada@example.org"), std::nullopt);
  state(Trust::kOperator, "eve@example.org", "urn:mine");
  EXPECT_EQ(label("eve@example.org"), Trust::kOperator);
}

// That an agent noted what a page says makes nobody trust it more.
TEST_F(FactLabels, AnimasOwnBooksRaiseNothing) {
  state(Trust::kUntrusted, "eve@example.org", "urn:page");
  state(Trust::kOperator, "eve@example.org", "urn:anima:agent");
  EXPECT_EQ(label("eve@example.org"), Trust::kUntrusted);
  EXPECT_EQ(label("about eve@example.org"), Trust::kUntrusted);
  // What stands there alone has the trust that it was noted with.
  state(Trust::kStandard, "mallory@example.org", "urn:anima:memory");
  EXPECT_EQ(label("mallory@example.org"), Trust::kStandard);
  state(Trust::kOperator, "eve@example.org", "urn:anima:compartment:mine");
  EXPECT_EQ(label("eve@example.org"), Trust::kOperator);
}

TEST_F(FactLabels, AStatedPartGivesItsLabelToTheWhole) {
  state(Trust::kUntrusted, "eve@example.org", "urn:page");
  state(Trust::kUntrusted, "the pier behind the mill", "urn:page");
  state(Trust::kUntrusted, "harbour", "urn:page");
  state(Trust::kOperator, "ada@example.org", "urn:mine");
  const auto origin_of = [&](Json value) {
    const auto origins =
        argument_origins(space_->snapshot().value(), Json::object({{"x", std::move(value)}}));
    return origins.empty() ? govern::ArgumentOrigin{} : origins[0];
  };
  EXPECT_EQ(origin_of("mail -s hi 'eve@example.org' < a").source, "fact:eve@example.org");
  EXPECT_EQ(origin_of("mail -s hi 'eve@example.org' < a").trust, Trust::kUntrusted);
  EXPECT_EQ(origin_of("to=eve@example.org.").trust, Trust::kUntrusted);
  EXPECT_EQ(origin_of("ada@example.org, eve@example.org").trust, Trust::kUntrusted);
  EXPECT_EQ(origin_of("ada@example.org and others").trust, Trust::kOperator);
  EXPECT_EQ(origin_of("meet at the pier behind the mill, please").trust, Trust::kUntrusted);
  EXPECT_EQ(origin_of(Json::array({"ada@example.org", "eve@example.org"})).trust,
            Trust::kUntrusted);
  EXPECT_EQ(origin_of(Json::object({{"address", "eve@example.org"}})).trust, Trust::kUntrusted);
  // A word alone, another address, and a part of an address are nobody's.
  for (const char* other : {"notes on the harbour", "eve@example.organ", "leve@example.org",
                            "the pier behind the house", "example.org"}) {
    EXPECT_EQ(origin_of(other).argument, "") << other;
  }
  // Whoever is trusted more and states the whole is asked first.
  state(Trust::kOperator, "write to eve@example.org tomorrow", "urn:mine");
  EXPECT_EQ(origin_of("write to eve@example.org tomorrow").trust, Trust::kOperator);
}

// A recipient may be a number, and the name of a member.
TEST_F(FactLabels, NumbersAndNamesCarryLabelsAsTextsDo) {
  state(Trust::kUntrusted, "eve@example.org", "urn:page");
  state(Trust::kUntrusted, "15550109999", "urn:page");
  state(Trust::kUntrusted, "path", "urn:page");
  store::Origin origin;
  origin.trust = Trust::kUntrusted;
  ASSERT_TRUE(space_->write(origin, [&](store::Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const auto bank, transaction.upsert_concept(store::kEntityType, "bank"));
    for (const std::int64_t number : {std::int64_t{41'112'222}, std::int64_t{7}}) {
      ANIMA_ASSIGN(const auto term, transaction.term(store::Value::of(number).view()));
      ANIMA_TRY(transaction.add_attribute(bank, "account", term));
    }
    return {};
  }));
  const auto trust_of = [&](Json arguments) {
    const auto origins = argument_origins(space_->snapshot().value(), arguments);
    return origins.empty() ? Trust::kSystem : origins[0].trust;
  };
  EXPECT_EQ(trust_of(Json::object({{"to", std::int64_t{15'550'109'999}}})), Trust::kUntrusted);
  EXPECT_EQ(trust_of(Json::object({{"account", 41'112'222}})), Trust::kUntrusted);
  EXPECT_EQ(trust_of(Json::object({{"to", Json::array({1, 41'112'222})}})), Trust::kUntrusted);
  EXPECT_EQ(trust_of(Json::object({{"to", Json::object({{"eve@example.org", true}})}})),
            Trust::kUntrusted);
  EXPECT_EQ(trust_of(Json::object({{"eve@example.org", true}})), Trust::kUntrusted);
  for (const Json& nobodys : {Json(7), Json(true), Json(0.5), Json(41'112'223)})
    EXPECT_EQ(trust_of(Json::object({{"path", nobodys}})), Trust::kSystem) << nobodys.dump();
}

TEST_F(FactLabels, AnAgentsCallIsLabelledByTheGraph) {
  state(Trust::kUntrusted, "planted.txt", "urn:page");
  std::vector<govern::CallRequest> calls;
  ToolTable table;
  add_external_tools(table,
                     [&](const govern::CallRequest& call) {
                       calls.push_back(call);
                       return govern::Outcome();
                     },
                     {.agent = "main", .trust = Trust::kStandard});
  test::Bench bench(space_->snapshot().value());
  for (const char* path : {"planted.txt", "mine.txt"}) {
    ASSERT_TRUE(
        table.run("file_io", {{"action", "write"}, {"path", path}, {"content", "x"}}, bench));
  }
  ASSERT_EQ(calls.size(), 2u);
  govern::PermissionTable permissions = govern::PermissionTable::of_the_source();
  EXPECT_EQ(permissions.decide(calls[0]).permission, govern::Permission::kDenied);
  EXPECT_EQ(permissions.decide(calls[0]).layer, govern::Layer::kTrust);
  EXPECT_EQ(permissions.decide(calls[1]).permission, govern::Permission::kAllowed);
}

}  // namespace
}  // namespace anima::tools
