// One value: the same numbers, written as integers, decimals and doubles, are put through every
// door that compares them, and Python's exact fractions say what is right.
//
// What a door does otherwise has a reason: SPARQL's `<` and `=` compare as doubles where one side
// is one (XPath and XQuery Functions 3.1, 4.2), so there only exact numbers are judged; for Datalog
// a decimal is a text, so there integers and doubles are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/random.h"
#include "datalog/space_rules.h"
#include "kip/engine.h"
#include "query/value_keys.h"
#include "sparql/engine.h"
#include "store/number_key.h"
#include "store/space.h"
#include "support/command.h"

namespace anima::one_value_test {
namespace {

constexpr const char* kJudge = R"(
import json, sys
from fractions import Fraction
def worth(kind, text):
    if kind != "double": return Fraction(text)
    number = float.fromhex(text)
    return Fraction(number) if number.is_integer() else Fraction(repr(number))
given = json.load(open(sys.argv[1]))
values = [worth(kind, text) for kind, text in given]
ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
print(json.dumps([ranks[value] for value in values]))
)";

struct Sample {
  store::Value value;
  std::string kind, text;  // for the judge
  bool exact() const { return kind != "double"; }
};

Sample of_integer(std::int64_t number) {
  return {store::Value::of(number), "integer", std::to_string(number)};
}
Sample of_double(double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", number);
  return {store::Value::of(number), "double", text};
}
Sample of_decimal(const std::string& text, bool typed) {
  if (typed) {
    return {store::Value::typed(text, "http://www.w3.org/2001/XMLSchema#decimal"), "decimal", text};
  }
  store::Value value;
  value.kind = store::ValueKind::kDecimal;
  value.text = text;
  return {value, "decimal", text};
}

std::string digits(Random& random, std::size_t most) {
  std::string text(1 + random.next() % most, '0');
  for (char& c : text) c = static_cast<char>('0' + random.next() % 10);
  return text;
}

// Near each other and near the places where doubles, 64 bits and decimals end.
Sample draw(Random& random) {
  constexpr std::int64_t kEdges[] = {0,
                                     1,
                                     9007199254740992,
                                     1152921504606846976,
                                     9223372036854775807 - 3,
                                     1000000000000000,
                                     123456789012345678};
  const std::int64_t edge = kEdges[random.next() % std::size(kEdges)];
  const auto near = static_cast<std::int64_t>(random.next() % 7) - 3;
  const bool negative = random.next() % 3 == 0;
  const std::int64_t number = negative ? -edge - near : edge + near;
  switch (random.next() % 8) {
    case 0:
    case 1:
      return of_integer(number);
    case 2:
      return of_double(static_cast<double>(number));
    case 3:
      return of_double(std::nextafter(static_cast<double>(number), negative ? -1e300 : 1e300));
    case 4:
      return of_double(static_cast<double>(static_cast<std::int64_t>(random.next() % 2000) - 1000) /
                       10);
    case 5:
      return of_decimal(std::to_string(number) + (random.next() % 2 == 0 ? ".0" : ".5"), true);
    case 6:
      return of_decimal((negative ? "-" : "") + digits(random, 18) + "." + digits(random, 18),
                        random.next() % 2 == 0);
    default: {
      const auto tenths = static_cast<std::int64_t>(random.next() % 2000) - 1000;
      return of_decimal((tenths < 0 ? "-" : "") + std::to_string(std::abs(tenths) / 10) + "." +
                            std::to_string(std::abs(tenths) % 10) + "00",
                        random.next() % 2 == 0);
    }
  }
}

using Pairs = std::set<std::pair<int, int>>;

class OneValue : public ::testing::Test {
 protected:
  void write(std::vector<Sample> samples) {
    samples_ = std::move(samples);
    space_ = store::Space::in_memory().value();
    kip_ = kip::Engine::open(space_).value();
    const store::Origin origin{"tester", "values", store::Trust::kStandard, store::Sequence::kNone};
    ASSERT_TRUE(space_->write(origin, [&](store::Transaction& transaction) -> Status {
      ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type("V"));
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        ANIMA_ASSIGN(const store::EntityId thing,
                     transaction.upsert_concept(type, "v" + std::to_string(i)));
        ANIMA_ASSIGN(const store::Term value, transaction.term(samples_[i].value.view()));
        const store::Term number = store::Term::integer(static_cast<std::int64_t>(i));
        ANIMA_TRY(transaction.set_attribute(thing, "v", {{value}}));
        ANIMA_TRY(transaction.set_attribute(thing, "n", {{number}}));
        if (samples_[i].kind == "decimal") continue;
        ANIMA_TRY(transaction.set_attribute(thing, "w", {{value}}));
      }
      return {};
    }));
    judge();
  }

  void judge() {
    const TemporaryDirectory folder;
    JsonArray given;
    for (const Sample& sample : samples_)
      given.push_back(Json(JsonArray{sample.kind, sample.text}));
    ASSERT_TRUE(replace_file(system_files(), folder.file("values"), Json(std::move(given)).dump()));
    ASSERT_TRUE(replace_file(system_files(), folder.file("judge.py"), kJudge));
    const auto ran =
        test::run_command("python3 " + folder.file("judge.py") + " " + folder.file("values"));
    ASSERT_EQ(ran.code, 0);
    ranks_.clear();
    const Json ranks = ran.json();
    for (const Json& rank : ranks.as_array()) ranks_.push_back(static_cast<int>(rank.as_integer()));
    ASSERT_EQ(ranks_.size(), samples_.size());
  }

  // The pairs that a relation holds of, among those that a door judges.
  template <typename Holds, typename Judged>
  Pairs pairs(const Holds& holds, const Judged& judged) const {
    Pairs found;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      for (std::size_t k = 0; k < samples_.size(); ++k) {
        if (judged(samples_[i]) && judged(samples_[k]) && holds(i, k))
          found.emplace(static_cast<int>(i), static_cast<int>(k));
      }
    }
    return found;
  }
  Pairs less(const auto& judged) const {
    return pairs([this](std::size_t i, std::size_t k) { return ranks_[i] < ranks_[k]; }, judged);
  }
  Pairs equal(const auto& judged) const {
    return pairs([this](std::size_t i, std::size_t k) { return ranks_[i] == ranks_[k]; }, judged);
  }
  static bool every(const Sample&) { return true; }

  std::string told(const Pairs& wanted, const Pairs& found) const {
    std::string text;
    for (const auto& [i, k] : wanted) {
      if (!found.contains({i, k})) text += " missing " + shown(i) + " | " + shown(k);
    }
    for (const auto& [i, k] : found) {
      if (!wanted.contains({i, k})) text += " wrong " + shown(i) + " | " + shown(k);
    }
    return text.substr(0, 600);
  }
  std::string shown(int i) const {
    const Sample& sample = samples_[static_cast<std::size_t>(i)];
    return sample.kind + " " + sample.text;
  }
  void expect_same(const Pairs& wanted, const Pairs& found) const {
    EXPECT_TRUE(wanted == found) << told(wanted, found);
  }
  void expect_ordered(const std::vector<int>& order) const {
    ASSERT_EQ(order.size(), samples_.size());
    for (std::size_t i = 1; i < order.size(); ++i) {
      EXPECT_LE(ranks_[static_cast<std::size_t>(order[i - 1])],
                ranks_[static_cast<std::size_t>(order[i])])
          << shown(order[i - 1]) << " | " << shown(order[i]);
    }
  }

  Json find(const std::string& command) {
    kip::Caller caller;
    caller.readonly = true;
    const Json answer = kip_->execute(Json::object({{"command", command}}), caller);
    EXPECT_NE(answer.find("result"), nullptr) << answer.dump();
    return answer.find("result") == nullptr ? Json::array() : *answer.find("result");
  }
  Pairs kip_pairs(const std::string& sign) {
    const Json columns = find(
        "FIND(?x.attributes.n, ?y.attributes.n) WHERE { ?x {type: \"V\"} ?y {type: \"V\"} "
        "FILTER(?x.attributes.v " +
        sign + " ?y.attributes.v) }");
    Pairs found;
    const JsonArray& left = columns.as_array()[0].as_array();
    const JsonArray& right = columns.as_array()[1].as_array();
    for (std::size_t i = 0; i < left.size(); ++i)
      found.emplace(static_cast<int>(left[i].as_integer()),
                    static_cast<int>(right[i].as_integer()));
    return found;
  }

  std::vector<std::vector<int>> sparql(const std::string& text) {
    const auto engine = sparql::Engine::open(space_).value();
    const auto answer = engine->query(text);
    EXPECT_TRUE(answer) << answer.error().describe();
    std::vector<std::vector<int>> rows;
    std::string scratch;
    for (std::size_t row = 0; answer && row < answer->rows(); ++row) {
      auto& cells = rows.emplace_back();
      for (std::size_t column = 0; column < answer->variables().size(); ++column) {
        sparql::RdfTerm term;
        if (answer->cell(row, column, &term, scratch))
          cells.push_back(std::atoi(std::string(term.text).c_str()));
      }
    }
    return rows;
  }

  std::vector<Sample> samples_;
  std::vector<int> ranks_;
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<kip::Engine> kip_;
};

class OneValueRounds : public OneValue {
 protected:
  void check_all() {
    store_door();
    kip_door();
    sparql_door();
    datalog_door();
    ask_door();
  }

  void store_door() {
    const store::Snapshot now = space_->snapshot().value();
    const auto key = [this](std::size_t i) { return store::number_key(samples_[i].value.view()); };
    expect_same(less(every), pairs([&](auto i, auto k) { return *key(i) < *key(k); }, every));
    expect_same(equal(every), pairs([&](auto i, auto k) { return *key(i) == *key(k); }, every));
    const auto term = [&](std::size_t i) { return *now.find(samples_[i].value.view()); };
    expect_same(less(every),
                pairs([&](auto i, auto k) { return now.compare(term(i), term(k)) == -1; }, every));
  }

  void kip_door() {
    expect_same(less(every), kip_pairs("<"));
    expect_same(equal(every), kip_pairs("=="));
    std::vector<int> order;
    const Json rows =
        find("FIND(?x.attributes.n) WHERE { ?x {type: \"V\"} } ORDER BY ?x.attributes.v ASC");
    for (const Json& number : rows.as_array())
      order.push_back(static_cast<int>(number.as_integer()));
    expect_ordered(order);
    const Json groups = find("FIND(?x.attributes.v, COUNT(?x)) WHERE { ?x {type: \"V\"} }");
    EXPECT_EQ(groups.as_array()[1].as_array().size(),
              std::set<int>(ranks_.begin(), ranks_.end()).size());
  }

  void sparql_door() {
    const std::string pattern =
        "?x <urn:anima:attribute:v> ?v ; <urn:anima:attribute:n> ?n . "
        "?y <urn:anima:attribute:v> ?w ; <urn:anima:attribute:n> ?m . ";
    const auto judged = [](const Sample& sample) { return sample.exact(); };
    for (const bool equality : {false, true}) {
      Pairs found;
      for (const auto& row :
           sparql("SELECT ?n ?m { " + pattern + "FILTER(?v " + (equality ? "=" : "<") + " ?w) }")) {
        const auto n = static_cast<std::size_t>(row[0]), m = static_cast<std::size_t>(row[1]);
        if (judged(samples_[n]) && judged(samples_[m])) found.emplace(row[0], row[1]);
      }
      expect_same(equality ? equal(judged) : less(judged), found);
    }
    std::vector<int> order;
    for (const auto& row :
         sparql("SELECT ?n { ?x <urn:anima:attribute:v> ?v ; <urn:anima:attribute:n> ?n } "
                "ORDER BY ?v"))
      order.push_back(row[0]);
    expect_ordered(order);
  }

  void datalog_door() {
    const auto judged = [](const Sample& sample) { return sample.kind != "decimal"; };
    const auto rules = datalog::SpaceRules::create(
        space_->snapshot().value(),
        {{"less.mg", "less(A, B) :- attribute(A, \"w\", X), attribute(B, \"w\", Y), X < Y.",
          datalog::Names::kNew}});
    ASSERT_TRUE(rules) << rules.error().describe();
    Pairs found;
    const std::vector<std::string> facts = (*rules)->state()->ask("less(A, B)").value();
    for (const std::string& fact : facts) {
      int i = 0, k = 0;
      ASSERT_EQ(std::sscanf(fact.c_str(), "less(\"v%d\",\"v%d\")", &i, &k), 2) << fact;
      found.emplace(i, k);
    }
    expect_same(less(judged), found);
  }

  void ask_door() {
    const auto judged = [](const Sample& sample) { return sample.kind != "decimal"; };
    const auto json = [this](std::size_t i) {
      const store::Value& value = samples_[i].value;
      return value.kind == store::ValueKind::kInteger ? Json(value.integer) : Json(value.number);
    };
    expect_same(
        less(judged),
        pairs([&](auto i, auto k) { return query::order_json(json(i), json(k)) < 0; }, judged));
  }
};

TEST_F(OneValueRounds, EveryDoorAgreesWithExactFractions) {
  const bool full = std::getenv("ANIMA_TEST_FULL") != nullptr;
  const std::size_t rounds = full ? 60 : 3, size = full ? 60 : 40;
  SeededRandom random(20261128);
  for (std::size_t round = 0; round < rounds && !HasFailure(); ++round) {
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < size; ++i) samples.push_back(draw(random));
    write(std::move(samples));
    check_all();
  }
}

TEST_F(OneValue, BeyondFiftyThreeBits) {
  write({of_integer(9007199254740992), of_integer(9007199254740993), of_integer(9007199254740994)});
  EXPECT_EQ(find("FIND(MIN(?x.attributes.v)) WHERE { ?x {type: \"V\"} }").dump(),
            "9007199254740992");
  EXPECT_EQ(find("FIND(MAX(?x.attributes.v)) WHERE { ?x {type: \"V\"} }").dump(),
            "9007199254740994");
  EXPECT_EQ(find("FIND(?x.name) WHERE { ?x {type: \"V\"} "
                 "FILTER(?x.attributes.v == 9007199254740993) }")
                .dump(),
            R"(["v1"])");
  EXPECT_EQ(find("FIND(SUM(?x.attributes.v)) WHERE { ?x {type: \"V\"} }").dump(),
            "27021597764222979");
}

TEST_F(OneValue, SumsAreExactInAnyOrder) {
  std::vector<Sample> samples;
  for (int i = 0; i < 10; ++i) samples.push_back(of_double(0.1));
  samples.push_back(of_double(1e15));
  samples.push_back(of_double(-1e15));
  write(samples);
  EXPECT_EQ(find("FIND(SUM(?x.attributes.v)) WHERE { ?x {type: \"V\"} }").as_number(), 1.0);
}

TEST_F(OneValue, ZeroIsOneValue) {
  write({of_double(-0.0), of_double(0.0), of_integer(0), of_decimal("-0.00", true)});
  EXPECT_EQ(find("FIND(COUNT(DISTINCT ?x.attributes.v)) WHERE { ?x {type: \"V\"} }").dump(), "1");
}

TEST_F(OneValue, TwoSignsAreNoNumber) {
  store::Value value;
  value.kind = store::ValueKind::kDecimal;
  for (const char* text : {"+-5", "--5", "5-", "+", ".", "", "1e5", "0x10", "inf"}) {
    value.text = text;
    EXPECT_FALSE(store::number_key(value.view())) << text;
  }
  for (const char* text : {"+5", "-5.", ".5", "005.50"}) {
    value.text = text;
    EXPECT_TRUE(store::number_key(value.view())) << text;
  }
  EXPECT_FALSE(store::read_double("+-5"));
  EXPECT_FALSE(store::read_double("1e"));
  EXPECT_EQ(store::read_double("+1.5E+2"), 150.0);
}

}  // namespace
}  // namespace anima::one_value_test
