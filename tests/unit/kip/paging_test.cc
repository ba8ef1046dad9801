// Paging by ORDER BY gives each row once, in the order of the whole, whatever the values are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "kip/engine.h"
#include "store/space.h"

namespace anima::kip::paging_test {
namespace {

store::Value draw(Random& random) {
  const auto text = [&random](std::initializer_list<const char*> of) {
    return std::string(*(of.begin() + random.next() % of.size()));
  };
  store::Value value;
  switch (random.next() % 10) {
    case 0:
      return store::Value::of(static_cast<std::int64_t>(9007199254740990 + random.next() % 6));
    case 1:
      return store::Value::of(static_cast<double>(random.next() % 40) / 10);
    case 2:
      value.kind = store::ValueKind::kDecimal;
      value.text = text({"1.5", "1.50", "0.1", "9007199254740993.5", "12345678901234567890.125"});
      return value;
    case 3:
      return store::Value::typed(text({"2026-01-02", "2025-12-31", "x"}),
                                 "http://www.w3.org/2001/XMLSchema#date");
    case 4:
      return store::Value::typed(text({"5", "-7", "05"}),
                                 "http://www.w3.org/2001/XMLSchema#integer");
    case 5:
      return store::Value::language_string(text({"a", "b"}), text({"de", "en"}));
    case 6:
      return store::Value::date_time(text({"2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00",
                                           "2300-01-01T00:00:00.000001Z", "2026-01-01T00:00:00"}));
    case 7:
      return store::Value::string(text({"a", "b", "2026-01-01T00:00:00Z", ""}));
    case 8:
      return store::Value::boolean(random.next() % 2 == 0);
    default:
      return store::Value::iri(text({"urn:a", "urn:b"}));
  }
}

class Paging : public ::testing::Test {
 protected:
  void write(Random& random, std::size_t things) {
    space_ = store::Space::in_memory().value();
    engine_ = Engine::open(space_).value();
    const store::Origin origin{"tester", "pages", store::Trust::kStandard, store::Sequence::kNone};
    ASSERT_TRUE(space_->write(origin, [&](store::Transaction& transaction) -> Status {
      ANIMA_ASSIGN(const store::EntityId type, transaction.upsert_type("V"));
      for (std::size_t i = 0; i < things; ++i) {
        ANIMA_ASSIGN(const store::EntityId thing,
                     transaction.upsert_concept(type, "v" + std::to_string(i)));
        for (const char* key : {"a", "b"}) {
          if (random.next() % 8 == 0) continue;
          ANIMA_ASSIGN(const store::Term value, transaction.term(draw(random).view()));
          ANIMA_TRY(transaction.set_attribute(thing, key, {{value}}));
        }
      }
      return {};
    }));
  }

  struct Page {
    std::vector<std::string> rows;
    std::string next;
  };
  Page page(const std::string& command, std::uint64_t bytes = 0) {
    Caller caller;
    caller.readonly = true;
    caller.most_answer_bytes = bytes;
    const Json answer = engine_->execute(Json::object({{"command", command}}), caller);
    Page page;
    const Json* result = answer.find("result");
    EXPECT_NE(result, nullptr) << command << "\n" << answer.dump();
    if (result == nullptr) return page;
    if (bytes > 0) {
      EXPECT_LE(result->dump().size(), bytes) << command;
    }
    // One column, or several: a row is its cells.
    const JsonArray& outer = result->as_array();
    const bool many = !outer.empty() && outer[0].kind() == Json::Kind::kArray;
    const std::size_t rows = many ? outer[0].as_array().size() : outer.size();
    for (std::size_t row = 0; row < rows; ++row) {
      std::string& text = page.rows.emplace_back();
      if (!many) text = outer[row].dump();
      for (const Json& column : many ? outer : JsonArray())
        text += column.as_array()[row].dump() + " ";
    }
    if (const Json* next = answer.find("next_cursor")) page.next = next->as_string();
    return page;
  }

  void expect_pages(const std::string& query, std::size_t limit) {
    expect_pages(query, " LIMIT " + std::to_string(limit), 0);
    expect_pages(query, "", 300);
    expect_pages(query, " LIMIT " + std::to_string(limit), 300);
  }

  void expect_pages(const std::string& query, const std::string& limit, std::uint64_t bytes) {
    const std::vector<std::string> whole = page(query).rows;
    std::vector<std::string> paged;
    std::string cursor;
    for (std::size_t pages = 0; pages <= whole.size(); ++pages) {
      const Page one =
          page(query + limit + (cursor.empty() ? "" : " CURSOR \"" + cursor + "\""), bytes);
      paged.insert(paged.end(), one.rows.begin(), one.rows.end());
      cursor = one.next;
      if (cursor.empty()) break;
    }
    EXPECT_TRUE(cursor.empty()) << "it never ends: " << query;
    EXPECT_EQ(paged, whole) << query << limit << ", bytes: " << bytes;
  }

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<Engine> engine_;
};

TEST_F(Paging, EveryRowOnceInTheOrderOfTheWhole) {
  const std::size_t rounds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 200 : 12;
  SeededRandom random(41);
  for (std::size_t round = 0; round < rounds && !HasFailure(); ++round) {
    const std::size_t things = 5 + random.next() % 60;
    write(random, things);
    const std::string where = " WHERE { ?x {type: \"V\"} } ORDER BY ";
    const auto direction = [&] { return random.next() % 2 == 0 ? " ASC" : " DESC"; };
    const std::size_t limit = 1 + random.next() % 7;
    expect_pages("FIND(?x.name)" + where + "?x.attributes.a" + direction(), limit);
    expect_pages("FIND(?x.name)" + where + "?x.attributes.a" + direction() + ", ?x.attributes.b" +
                     direction(),
                 limit);
    expect_pages("FIND(?x.attributes.a, COUNT(?x))" + where + "?x.attributes.a" + direction(),
                 limit);
    expect_pages("FIND(?x.attributes.a, COUNT(?x))" + where + "COUNT(?x)" + direction(), limit);
  }
}

TEST_F(Paging, AnAnswerThatIsTooLongEndsWithACursorAlsoWithoutLimitAndOrder) {
  SeededRandom random(42);
  write(random, 2000);
  const std::string query = "FIND(?x.name, ?x.attributes.a) WHERE { ?x {type: \"V\"} }";
  std::vector<std::string> whole = page(query).rows, paged;
  std::string cursor;
  do {
    const Page one = page(query + (cursor.empty() ? "" : " CURSOR \"" + cursor + "\""), 5000);
    EXPECT_FALSE(one.rows.empty());
    paged.insert(paged.end(), one.rows.begin(), one.rows.end());
    cursor = one.next;
  } while (!cursor.empty());
  std::ranges::sort(whole);
  std::ranges::sort(paged);
  EXPECT_EQ(paged, whole);
}

TEST_F(Paging, WhatHasNoPagesIsRefusedWhenItIsTooLong) {
  SeededRandom random(43);
  write(random, 300);
  Caller caller;
  caller.most_answer_bytes = 1000;
  const auto code = [&](const std::string& command) {
    const Json answer = engine_->execute(Json::object({{"command", command}}), caller);
    const Json* error = answer.find("error");
    return error == nullptr ? std::string() : error->find("code")->as_string();
  };
  EXPECT_EQ(code("FIND(COUNT(?x)) WHERE { ?x {type: \"V\"} }"), "");
  EXPECT_EQ(code("EXPORT ?x WHERE { ?x {type: \"V\"} }"), "KIP_4002");
  EXPECT_EQ(code("DESCRIBE PRIMER"), "KIP_4002");
  // A row that is longer alone.
  EXPECT_EQ(code("UPSERT { CONCEPT ?x { {type: \"V\", name: \"long\"} SET ATTRIBUTES { text: \"" +
                 std::string(1000, 'x') + "\" } } }"),
            "")
      << "what writes answers whole";
  EXPECT_EQ(code("FIND(?x) WHERE { ?x {type: \"V\", name: \"long\"} }"), "KIP_4002");
  EXPECT_EQ(code("FIND(?x.name) WHERE { ?x {type: \"V\", name: \"long\"} }"), "");
  // The commands of one request share what it may answer.
  const std::string find = "FIND(?x.name) WHERE { ?x {type: \"V\"} } LIMIT 100";
  const Json answer =
      engine_->execute(Json::object({{"commands", Json::array({find, find, find})}}), caller);
  EXPECT_LE(answer.dump().size(), 2500u);
  EXPECT_NE(answer.dump().find("KIP_4002"), std::string::npos) << answer.dump();
}

}  // namespace
}  // namespace anima::kip::paging_test
