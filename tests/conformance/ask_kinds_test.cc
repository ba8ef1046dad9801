// The kinds of fault of data/ask_kinds.json, on files that nobody prepared: one test a case. An
// answer is right or refused, and never wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "anima/memory.h"
#include "base/json/json.h"
#include "base/text/text.h"

namespace anima::ask_kinds_test {
namespace {

constexpr std::size_t kFewestAnswered = 1385;
const std::string kData = ANIMA_SOURCE_DIR "/tests/conformance/data/";

// The cases of all files: kinds of fault, questions over files as strangers have them, over rows
// that lead to others, over roles of rows, over files of other fields, and what a second, a third
// and a fourth reader saw.
const std::vector<Json>& kinds() {
  static const std::vector<Json> cases = [] {
    std::vector<Json> all;
    for (const char* name :
         {"ask_kinds.json", "ask_strangers.json", "ask_rows.json", "ask_roles.json",
          "ask_fields.json", "ask_second.json", "ask_third.json", "ask_fourth.json"}) {
      std::ifstream in(kData + name);
      std::stringstream text;
      text << in.rdbuf();
      const Json file = parse_json(text.str()).value();
      for (const Json& one : file.find("cases")->as_array()) all.push_back(one);
    }
    return all;
  }();
  return cases;
}

// The files of a case, loaded together once.
Memory& memory_of(const Json& files) {
  static std::map<std::string, Memory> memories;
  const auto found = memories.find(files.dump());
  if (found != memories.end()) return found->second;
  Memory memory = Memory::in_memory().value();
  LoadRequest request;
  for (const Json& file : files.as_array())
    request.files.push_back(kData + "ask_kinds/" + file.as_string());
  Author author;
  author.name = "tester";
  author.trust = TrustLevel::kVerified;
  const auto loaded = memory.load(request, author);
  EXPECT_TRUE(loaded) << loaded.error().describe();
  return memories.emplace(files.dump(), std::move(memory)).first->second;
}

Result<QuestionAnswer> asked(const Json& it) {
  AskSettings settings;
  if (const Json* now = it.find("now")) settings.now = now->as_string();
  return memory_of(*it.find("files")).ask(it.find("question")->as_string(), settings);
}

// A cell as it is compared: numbers by value to four places, whatever they are written as.
std::string cell_of(const Json& cell) {
  const auto number = cell.is_string() ? parse_json(cell.as_string()) : Result<Json>(cell);
  if (!number || !number->is_number()) return cell.dump();
  return std::to_string(std::llround(number->as_number() * 10'000));
}

std::string row_of(const Json& row) {
  std::string text;
  for (const Json& cell : row.as_array()) text += cell_of(cell) + "|";
  return text;
}

std::multiset<std::string> rows_of(const Json& rows) {
  std::multiset<std::string> all;
  for (const Json& row : rows.as_array()) all.insert(row_of(row));
  return all;
}

// What the loader puts behind a name that several things of a file have: "Hamlet Kenneth Branagh".
Json with_names_as_titled(const Json& wanted, const Json& rows) {
  Json titled = Json::array();
  for (const Json& row : rows.as_array()) {
    JsonArray cells = row.as_array();
    for (Json& cell : cells) {
      for (const Json& one : wanted.as_array()) {
        const Json& name = one.as_array()[0];
        if (name.is_string() && cell.is_string() &&
            cell.as_string().starts_with(name.as_string() + " "))
          cell = name;
      }
    }
    titled.push_back(Json(std::move(cells)));
  }
  return titled;
}

// One of the columns of a list is what was asked for.
bool same_set(const Json& wanted, const Json& as_given) {
  const Json rows = with_names_as_titled(wanted, as_given);
  const std::multiset<std::string> all = rows_of(wanted);
  for (std::size_t column = 0; !rows.as_array().empty() && column < 3; ++column) {
    std::multiset<std::string> found;
    for (const Json& row : rows.as_array()) {
      if (column < row.as_array().size()) found.insert(cell_of(row.as_array()[column]) + "|");
    }
    if (found == all) return true;
  }
  return false;
}

bool is_right(const Json& it, const Json& answer) {
  const std::string expect = it.find("expect")->as_string();
  if (expect == "any_of")
    return std::ranges::any_of(it.find("any")->as_array(),
                               [&](const Json& one) { return is_right(one, answer); });
  const Json &wanted = *it.find("rows"), &rows = *answer.find("rows");
  const JsonArray& given = rows.as_array();
  const bool none = given.empty();
  if (expect == "empty") return none || rows_of(rows) == rows_of(Json::array({Json::array({0})}));
  if (expect == "refuse_or") {
    const Json* also = it.find("also");
    return std::ranges::any_of(also->as_array(), [&](const Json& one) {
      return given.size() == 1 && row_of(given[0]) == row_of(one);
    });
  }
  if (expect == "number") {
    const std::string number = cell_of(wanted.as_array()[0].as_array().back());
    if (none) return number == "0";
    return given.size() == 1 && cell_of(given[0].as_array().back()) == number;
  }
  if (expect == "set") return same_set(wanted, rows);
  if (expect == "groups" && !none) {
    // Beside the group and its best thing stands what that was chosen by.
    Json first_two = Json::array();
    for (const Json& row : given) {
      JsonArray cut = row.as_array();
      cut.resize(std::min<std::size_t>(cut.size(), 2));
      first_two.push_back(Json(std::move(cut)));
    }
    return rows_of(first_two) == rows_of(wanted);
  }
  return rows_of(rows) == rows_of(wanted);
}

bool says_nothing(const Json& answer) {
  const std::string& status = answer.find("status")->as_string();
  return status == "not_understood" || status == "ambiguous";
}

class AskKind : public ::testing::TestWithParam<std::size_t> {};

TEST_P(AskKind, IsRightOrRefused) {
  const Json& it = kinds()[GetParam()];
  const auto reply = asked(it);
  ASSERT_TRUE(reply) << reply.error().describe();
  const Json& answer = reply->details;
  if (says_nothing(answer)) {
    EXPECT_FALSE(reply->text.empty());
    return;
  }
  EXPECT_TRUE(is_right(it, answer)) << it.dump() << "\n" << answer.dump();
}

std::vector<std::size_t> numbers() {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < kinds().size(); ++i) list.push_back(i);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Kinds, AskKind, ::testing::ValuesIn(numbers()),
                         [](const ::testing::TestParamInfo<std::size_t>& info) {
                           return replace_all(kinds()[info.param].find("id")->as_string(), "-",
                                              "_");
                         });

// Being silent is no way to be right.
TEST(AskKinds, MostAreAnswered) {
  std::size_t right = 0;
  for (const Json& it : kinds()) {
    const auto reply = asked(it);
    ASSERT_TRUE(reply);
    if (!says_nothing(reply->details) && is_right(it, reply->details)) ++right;
  }
  std::printf("%zu of %zu are answered\n", right, kinds().size());
  EXPECT_GE(right, kFewestAnswered);
}

}  // namespace
}  // namespace anima::ask_kinds_test
