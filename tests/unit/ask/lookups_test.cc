// The look-ups of tests/cases/language/lookups.txt find the same wherever words are looked for: in
// search, KIP's SEARCH, the memory's search, recall, and, where a thing has the name, questions.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "memory/memory_manager.h"
#include "memory/recall/recall_context.h"
#include "store/text_hits.h"
#include "support/question_domains.h"

namespace anima::ask {
namespace {

constexpr std::size_t kLookups = 383, kFewestRight = 377;
constexpr std::string_view kRemark = "kept in the drawer";

struct Lookup {
  std::string text, query, name;
  bool finds = true;
};

std::vector<Lookup> read_lookups() {
  std::ifstream file(std::string(ANIMA_SOURCE_DIR) + "/tests/cases/language/lookups.txt");
  std::vector<Lookup> lookups;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string_view> fields = split(line, '|');
    EXPECT_GE(fields.size(), 3u) << line;
    Lookup lookup{std::string(fields[1]), std::string(fields[2]), {}, !line.starts_with('!')};
    if (fields.size() > 3) lookup.name = fields[3];
    lookups.push_back(std::move(lookup));
  }
  return lookups;
}

// What a door finds and what it should, with the look-ups that differ.
struct Tally {
  std::string door;
  std::size_t asked = 0, right = 0;
  std::vector<std::string> wrong = {};

  void count(const Lookup& lookup, bool found) {
    ++asked;
    if (found == lookup.finds) {
      ++right;
    } else {
      wrong.push_back((found ? "finds " : "misses ") + lookup.query + " | " + lookup.text);
    }
  }
  void print(bool with_wrong = true) const {
    std::printf("%-28s %zu of %zu\n", door.c_str(), right, asked);
    for (const std::string& each : wrong)
      if (with_wrong) std::printf("    %s\n", each.c_str());
  }
};

const govern::Guardian& guardian() {
  static const govern::Guardian kGuardian(govern::PatternSet::shipped().value());
  return kGuardian;
}

// A space with one text, as a memory and as an attribute, a thing with the name, and others.
class SmallSpace {
 public:
  explicit SmallSpace(const Lookup& lookup) : lookup_(lookup) {
    for (const std::string& each :
         {lookup.text, std::string("Rent is due on the first"), std::string("The trail was wet")})
      kept_.push_back(keep(each));
    write(
        "UPSERT { CONCEPT ?t { {type: \"$ConceptType\", name: \"Note\"} }"
        " CONCEPT ?s { {type: \"$ConceptType\", name: \"Thing\"} } }");
    write("UPSERT { CONCEPT ?n { {type: \"Note\", name: \"note\"} SET ATTRIBUTES { said: " +
          Json(lookup.text).dump() + " } } }");
    write(
        "UPSERT { CONCEPT ?x { {type: \"Thing\", name: \"Rosa\"} SET ATTRIBUTES { remark: "
        "\"painted\" } } }");
    if (lookup.name.empty()) return;
    write("UPSERT { CONCEPT ?x { {type: \"Thing\", name: " + Json(lookup.name).dump() +
          "} SET ATTRIBUTES { remark: " + Json(std::string(kRemark)).dump() + " } } }");
  }

  // As `anima search` asks: the last word may be the start of one, and have a typo.
  bool searched() {
    store::TextQuery query;
    query.text = lookup_.query;
    query.prefix = query.fuzzy = true;
    const store::Snapshot now = domain_.space->snapshot().value().with_books();
    return std::ranges::any_of(now.search(query), [&](const store::TextHit& hit) {
      return store::found_text(now, hit).name == kept_[0];
    });
  }
  bool searched_by_kip() {
    const Json answer = domain_.engine->execute("SEARCH CONCEPT " + Json(lookup_.query).dump(),
                                                Json(JsonObject{}), {});
    EXPECT_FALSE(kip::has_error(answer)) << lookup_.query << "\n" << answer.dump();
    const Json* result = answer.find("result");
    if (result == nullptr) return false;
    return std::ranges::any_of(result->as_array(), [&](const Json& node) {
      return node.find("name")->as_string() == "note";
    });
  }
  bool searched_in_memory() {
    const auto hits = memory_.search(lookup_.query, "operator", 10);
    return hits && std::ranges::any_of(*hits, [&](const memory::MemoryHit& hit) {
             return hit.item.content == lookup_.text;
           });
  }
  bool recalled() {
    const auto context =
        memory::recall_context(memory_, domain_.space->snapshot().value(), lookup_.query, {});
    return context && std::ranges::any_of(context->items, [&](const memory::ContextItem& item) {
             return item.content.find(lookup_.text) != std::string::npos;
           });
  }
  bool asked() {
    const Answer answer = domain_.ask("What is the remark of " + lookup_.query + "?");
    return std::ranges::any_of(answer.rows, [](const JsonArray& row) {
      return std::ranges::any_of(
          row, [](const Json& each) { return each.is_string() && each.as_string() == kRemark; });
    });
  }

 private:
  std::string keep(const std::string& text) {
    memory::NewMemory item;
    item.content = text;
    item.source = "terminal";
    item.created_by = "ada";
    const auto stored = memory_.store(item);
    EXPECT_TRUE(stored && !stored->quarantined) << text;
    return stored ? stored->id : std::string();
  }
  void write(const std::string& text) { domain_.write(text); }

  const Lookup& lookup_;
  testing::Domain domain_ = testing::empty_domain();
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{9};
  bus::EventBus events_;
  govern::Ledger ledger_{*domain_.space, clock_, random_};
  memory::MemoryManager memory_{*domain_.space, ledger_, guardian(), events_, clock_, random_};
  std::vector<std::string> kept_;
};

// The same texts in a table of SQLite's FTS5, each query as a phrase.
Tally count_fts5(const std::vector<Lookup>& lookups, const std::string& tokenizer) {
  Tally tally;
  tally.door = "FTS5 " + tokenizer;
  for (const Lookup& lookup : lookups) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &database), SQLITE_OK);
    const auto run = [&](const std::string& sql, const std::string& text) {
      sqlite3_stmt* statement = nullptr;
      EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
          << sqlite3_errmsg(database);
      sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      const bool row = sqlite3_step(statement) == SQLITE_ROW;
      sqlite3_finalize(statement);
      return row;
    };
    run("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = \"" + tokenizer + "\")", "");
    run("INSERT INTO texts VALUES (?1)", lookup.text);
    const std::string quoted = '"' + replace_all(lookup.query, "\"", "\"\"") + '"';
    tally.count(lookup, run("SELECT 1 FROM texts WHERE texts MATCH ?1", quoted));
    sqlite3_close(database);
  }
  return tally;
}

TEST(Lookups, FindTheSameEverywhere) {
  const std::vector<Lookup> lookups = read_lookups();
  ASSERT_EQ(lookups.size(), kLookups);
  Tally search{"search"}, kip{"KIP SEARCH"}, memory{"memory search"}, recall{"recall"}, ask{"ask"};
  for (const Lookup& lookup : lookups) {
    SmallSpace space(lookup);
    search.count(lookup, space.searched());
    kip.count(lookup, space.searched_by_kip());
    memory.count(lookup, space.searched_in_memory());
    recall.count(lookup, space.recalled());
    if (!lookup.name.empty()) ask.count(lookup, space.asked());
  }
  for (const Tally* each : {&search, &kip, &memory, &recall, &ask}) {
    each->print();
    EXPECT_GE(each->right * kLookups, kFewestRight * each->asked) << each->door;
  }
  EXPECT_GE(ask.asked, 80u);
  std::size_t best = 0;
  for (const char* tokenizer :
       {"unicode61 remove_diacritics 2", "porter unicode61 remove_diacritics 2", "trigram"}) {
    const Tally fts5 = count_fts5(lookups, tokenizer);
    fts5.print(false);
    best = std::max(best, fts5.right);
  }
  EXPECT_LT(best, memory.right);
}

}  // namespace
}  // namespace anima::ask
