// The KIP conformance cases (data/kip.json) and those of the house (tests/cases/kip/*.json, the
// same form), each on a fresh space that holds genesis only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "kip/engine.h"

namespace anima::kip::kip_test {
namespace {

Json read_suite(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto parsed = parse_json(text.str());
  EXPECT_TRUE(parsed) << path;
  return parsed ? *parsed : Json();
}

// The fixtures and cases of all files together.
const Json& suite() {
  static const Json json = [] {
    const std::string tests = ANIMA_SOURCE_DIR "/tests/";
    Json all = read_suite(tests + "conformance/data/kip.json");
    Json cases = *all.find("cases"), fixtures = *all.find("fixtures");
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(tests + "cases/kip")) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
      const Json more = read_suite(file);
      for (const Json& one : more.find("cases")->as_array()) cases.push_back(one);
      if (const Json* own = more.find("fixtures")) {
        for (const JsonMember& one : own->as_object()) fixtures.set(one.first, one.second);
      }
    }
    all.set("cases", cases);
    all.set("fixtures", fixtures);
    return all;
  }();
  return json;
}

std::shared_ptr<Engine> fresh_engine() {
  auto space = store::Space::in_memory();
  if (!space) return nullptr;
  auto engine = Engine::open(*space);
  EXPECT_TRUE(engine) << engine.error().message;
  return engine ? *engine : nullptr;
}

const Json* member(const Json& json, const char* key) { return json.find(key); }
bool flag(const Json& json, const char* key, bool otherwise) {
  const Json* value = json.find(key);
  return value == nullptr ? otherwise : value->as_bool();
}

class Runner {
 public:
  explicit Runner(std::shared_ptr<Engine> engine) : engine(std::move(engine)) {}

  Json send(const Json& step, const Json& extra = Json(JsonObject{})) {
    Json request{JsonObject{}};
    if (const Json* raw = member(step, "request")) request = *raw;
    for (const char* key : {"command", "commands", "dry_run"}) {
      if (const Json* value = member(step, key)) request.set(key, *value);
    }
    Json parameters =
        member(step, "parameters") != nullptr ? *member(step, "parameters") : Json(JsonObject{});
    if (const Json* let = member(step, "let")) {
      for (const JsonMember& one : let->as_object()) {
        const Json answer = send(one.second);
        parameters.set(one.first, answer.find("result")->as_array().at(0));
      }
    }
    for (const JsonMember& one : extra.as_object()) parameters.set(one.first, one.second);
    if (!parameters.as_object().empty()) request.set("parameters", parameters);
    Caller caller;
    if (const Json* method = member(step, "method"))
      caller.readonly = method->as_string() == "execute_kip_readonly";
    return engine->execute(request, caller);
  }

  void set_up(const Json& entry) {
    if (entry.is_string() && entry.as_string()[0] == '$') {
      for (const Json& one :
           suite().find("fixtures")->find(entry.as_string().substr(1))->as_array())
        set_up(one);
      return;
    }
    const Json answer = send(entry.is_string() ? Json::object({{"command", entry}}) : entry);
    ASSERT_EQ(answer.find("error"), nullptr) << entry.dump() << "\n" << answer.dump(2);
  }

  std::shared_ptr<Engine> engine;
};

// Empty when the response is as expected, else why it is not.
std::string check(Runner& runner, const Json& step, const Json& response, const Json& expect);

std::string describe(const std::string& why, const Json& response) {
  return why + "\n  response: " + response.dump();
}

bool contains(const Json& node, const Json& wanted) {
  if (wanted.kind() != Json::Kind::kObject) return node == wanted;
  if (node.kind() != Json::Kind::kObject) return false;
  for (const JsonMember& one : wanted.as_object()) {
    const Json* value = node.find(one.first);
    if (value == nullptr || !contains(*value, one.second)) return false;
  }
  return true;
}

template <typename Match>
bool same_items(const JsonArray& got, const JsonArray& wanted, bool ordered, Match match) {
  if (got.size() != wanted.size()) return false;
  std::vector<bool> used(got.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    bool found = false;
    for (std::size_t k = ordered ? i : 0; k < (ordered ? i + 1 : got.size()) && !found; ++k) {
      if (used[k] || !match(got[k], wanted[i])) continue;
      used[k] = found = true;
    }
    if (!found) return false;
  }
  return true;
}

bool equal(const Json& a, const Json& b) { return a == b; }

JsonArray rows_of(const Json& result) {
  JsonArray rows;
  const JsonArray& columns = result.as_array();
  const std::size_t count = columns.empty() ? 0 : columns[0].as_array().size();
  for (std::size_t i = 0; i < count; ++i) {
    JsonArray row;
    for (const Json& column : columns) row.push_back(column.as_array().at(i));
    rows.emplace_back(std::move(row));
  }
  return rows;
}

bool close(const Json& a, const Json& b, double tolerance) {
  if (a.is_number() && b.is_number()) return std::abs(a.as_number() - b.as_number()) <= tolerance;
  return a == b;
}

std::set<std::string> names_of(const Json& list) {
  std::set<std::string> names;
  for (const Json& item : list.as_array()) {
    if (item.is_string()) names.insert(item.as_string());
    if (const Json* name = item.find("name")) names.insert(name->as_string());
  }
  return names;
}

std::string check_error(const Json& response, const Json& wanted) {
  const Json* error = response.find("error");
  if (error == nullptr) return describe("an error was expected", response);
  const Json* code = error->find("code");
  const JsonArray codes =
      wanted.kind() == Json::Kind::kArray ? wanted.as_array() : JsonArray{wanted};
  for (const Json& one : codes) {
    if (*code == one) return {};
  }
  return describe("expected " + wanted.dump(), response);
}

std::string check_batch(Runner& runner, const Json& step, const Json& response,
                        const Json& expect) {
  const JsonArray& list = response.find("result")->as_array();
  if (const Json* stops = member(expect, "batch_stops_after")) {
    if (list.size() > static_cast<std::size_t>(stops->as_integer()))
      return describe("the batch ran on", response);
  }
  const JsonArray& wanted = member(expect, "batch")->as_array();
  if (list.size() < wanted.size()) return describe("too few answers", response);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string why = check(runner, step, list[i], wanted[i]);
    if (!why.empty()) return why;
  }
  return {};
}

std::string check_pages(Runner& runner, const Json& step, const Json& first, const Json& pages) {
  JsonArray all;
  Json response = first;
  const bool tuples = member(pages, "all_rows") != nullptr;
  const std::int64_t max_pages =
      member(pages, "max_pages") ? member(pages, "max_pages")->as_integer() : 100;
  for (std::int64_t page = 1;; ++page) {
    if (page > max_pages) return describe("too many pages", response);
    if (response.find("error") != nullptr) return describe("a page failed", response);
    const Json& result = *response.find("result");
    const JsonArray items = tuples ? rows_of(result) : result.as_array();
    if (const Json* size = member(pages, "page_size")) {
      if (items.size() > static_cast<std::size_t>(size->as_integer()))
        return describe("the page is too long", response);
    }
    all.insert(all.end(), items.begin(), items.end());
    const Json* cursor = response.find("next_cursor");
    if (cursor == nullptr) break;
    Json next = step;
    next.set("command", *member(pages, "with_cursor"));
    response = runner.send(next, Json::object({{"cursor", *cursor}}));
  }
  const JsonArray& wanted = member(pages, tuples ? "all_rows" : "all")->as_array();
  if (!same_items(all, wanted, flag(pages, "ordered", false), equal))
    return describe("the pages are not the whole", Json(all));
  return {};
}

std::string check_search(const Json& result, const Json& expect) {
  const JsonArray& list = result.as_array();
  if (const Json* wanted = member(expect, "nodes_include")) {
    for (const Json& node : wanted->as_array()) {
      if (std::none_of(list.begin(), list.end(),
                       [&](const Json& it) { return contains(it, node); }))
        return "missing " + node.dump();
    }
  }
  if (const Json* least = member(expect, "min_items")) {
    if (list.size() < static_cast<std::size_t>(least->as_integer())) return "too few items";
  }
  if (const Json* most = member(expect, "max_items")) {
    if (list.size() > static_cast<std::size_t>(most->as_integer())) return "too many items";
  }
  if (const Json* node = member(expect, "first_node")) {
    if (list.empty() || !contains(list[0], *node)) return "the first is not " + node->dump();
  }
  return {};
}

std::string check_rows(const Json& result, const Json& expect) {
  const bool ordered = flag(expect, "ordered", true);
  if (const Json* wanted = member(expect, "column")) {
    if (result.kind() != Json::Kind::kArray ||
        !same_items(result.as_array(), wanted->as_array(), ordered, equal))
      return "expected column " + wanted->dump();
  }
  if (const Json* wanted = member(expect, "rows")) {
    if (!same_items(rows_of(result), wanted->as_array(), ordered, equal))
      return "expected rows " + wanted->dump();
  }
  if (const Json* wanted = member(expect, "rows_prefix")) {
    const auto prefix = [](const Json& got, const Json& want) {
      for (std::size_t i = 0; i < want.as_array().size(); ++i) {
        if (!(got.as_array().at(i) == want.as_array()[i])) return false;
      }
      return true;
    };
    if (!same_items(rows_of(result), wanted->as_array(), ordered, prefix))
      return "expected rows to start with " + wanted->dump();
  }
  if (const Json* count = member(expect, "row_count")) {
    const bool columns = result.kind() == Json::Kind::kArray && !result.as_array().empty() &&
                         result.as_array()[0].kind() == Json::Kind::kArray;
    const std::size_t rows = columns ? rows_of(result).size() : result.as_array().size();
    if (rows != static_cast<std::size_t>(count->as_integer()))
      return "expected " + count->dump() + " rows";
  }
  return {};
}

std::string check_scalars(const Json& result, const Json& expect) {
  const double tolerance =
      member(expect, "tolerance") ? member(expect, "tolerance")->as_number() : 0;
  if (const Json* wanted = member(expect, "scalar");
      wanted != nullptr && !close(result, *wanted, tolerance))
    return "expected " + wanted->dump();
  if (const Json* wanted = member(expect, "scalars")) {
    if (!same_items(result.as_array(), wanted->as_array(), true,
                    [&](const Json& a, const Json& b) { return close(a, b, tolerance); }))
      return "expected " + wanted->dump();
  }
  if (const Json* least = member(expect, "scalar_at_least");
      least != nullptr && result.as_number() < least->as_number())
    return "too small";
  return {};
}

std::string check_members(const Json& result, const Json& expect) {
  if (const Json* wanted = member(expect, "object");
      wanted != nullptr && !contains(result, *wanted))
    return "expected members " + wanted->dump();
  if (const Json* keys = member(expect, "object_has")) {
    for (const Json& key : keys->as_array()) {
      if (result.find(key.as_string()) == nullptr) return "no member " + key.dump();
    }
  }
  if (const Json* lengths = member(expect, "lengths")) {
    for (const JsonMember& one : lengths->as_object()) {
      if (result.find(one.first)->as_array().size() !=
          static_cast<std::size_t>(one.second.as_integer()))
        return "the length of " + one.first;
    }
  }
  if (const Json* nodes = member(expect, "nodes")) {
    if (!same_items(result.as_array(), nodes->as_array(), false, contains))
      return "expected nodes " + nodes->dump();
  }
  if (const Json* keys = member(expect, "node_keys")) {
    for (const Json& node : result.as_array()) {
      for (const Json& key : keys->as_array()) {
        if (node.find(key.as_string()) == nullptr) return "a node lacks " + key.dump();
      }
    }
  }
  return {};
}

std::string check_names(const Json& result, const Json& expect) {
  if (const Json* wanted = member(expect, "names_include")) {
    const auto names = names_of(result);
    for (const Json& name : wanted->as_array()) {
      if (names.count(name.as_string()) == 0) return "no " + name.dump();
    }
  }
  if (const Json* wanted = member(expect, "primer_domains_include")) {
    const auto names = names_of(*result.find("domain_map"));
    for (const Json& name : wanted->as_array()) {
      if (names.count(name.as_string()) == 0) return "no domain " + name.dump();
    }
  }
  if (const Json* texts = member(expect, "contains_text")) {
    for (const Json& text : texts->as_array()) {
      if (result.dump().find(text.as_string()) == std::string::npos)
        return "no text " + text.dump();
    }
  }
  return {};
}

std::string check_result(const Json& result, const Json& expect) {
  if (const Json* wanted = member(expect, "exact"); wanted != nullptr && !(result == *wanted))
    return "not exactly " + wanted->dump();
  for (const auto check : {check_rows, check_scalars, check_members, check_names}) {
    if (std::string fault = check(result, expect); !fault.empty()) return fault;
  }
  return result.kind() == Json::Kind::kArray ? check_search(result, expect) : "";
}

std::string check_script(const Json& response) {
  if (response.find("error") != nullptr) return describe("the script failed", response);
  for (const Json& one : response.find("result")->as_array()) {
    if (one.find("error") != nullptr) return describe("a statement failed", response);
  }
  return {};
}

std::string check_then(Runner& runner, const Json& expect) {
  const Json* then = member(expect, "then");
  if (then == nullptr) return {};
  for (const Json& step : then->as_array()) {
    const std::string why = check(runner, step, runner.send(step), *step.find("expect"));
    if (!why.empty()) return "then " + step.dump() + ": " + why;
  }
  return {};
}

std::string check(Runner& runner, const Json& step, const Json& response, const Json& expect) {
  if (const Json* alternatives = member(expect, "any_of")) {
    std::string reasons;
    for (const Json& one : alternatives->as_array()) {
      const std::string why = check(runner, step, response, one);
      if (why.empty()) return {};
      reasons += "\n  or " + why;
    }
    return "none of the alternatives:" + reasons;
  }
  if (const Json* lacks = member(expect, "response_lacks")) {
    for (const Json& key : lacks->as_array()) {
      if (response.find(key.as_string()) != nullptr) return describe("has " + key.dump(), response);
    }
  }
  if (const Json* wanted = member(expect, "error")) {
    const std::string why = check_error(response, *wanted);
    if (!why.empty()) return why;
    for (const char* list : {"error_has", "error_should_have"}) {
      if (const Json* keys = member(expect, list)) {
        for (const Json& key : keys->as_array()) {
          if (response.find("error")->find(key.as_string()) == nullptr)
            return describe("the error lacks " + key.dump(), response);
        }
      }
    }
    return check_then(runner, expect);
  }
  if (response.find("error") != nullptr) return describe("no error was expected", response);
  std::string why;
  if (flag(expect, "script", false)) why = check_script(response);
  if (why.empty() && member(expect, "batch") != nullptr)
    why = check_batch(runner, step, response, expect);
  if (why.empty() && member(expect, "pages") != nullptr)
    why = check_pages(runner, step, response, *member(expect, "pages"));
  if (why.empty()) why = check_result(*response.find("result"), expect);
  if (const Json* cursor = member(expect, "next_cursor"); why.empty() && cursor != nullptr) {
    if ((response.find("next_cursor") != nullptr) != (cursor->as_string() == "present"))
      why = "next_cursor is not " + cursor->dump();
  }
  if (!why.empty()) return describe(why, response);
  return check_then(runner, expect);
}

class KipConformance : public testing::TestWithParam<std::size_t> {};

TEST_P(KipConformance, Case) {
  const Json& it = suite().find("cases")->as_array().at(GetParam());
  Runner runner(fresh_engine());
  ASSERT_NE(runner.engine, nullptr);
  if (const Json* setup = member(it, "setup")) {
    for (const Json& entry : setup->as_array()) runner.set_up(entry);
  }
  const std::string why = check(runner, it, runner.send(it), *it.find("expect"));
  EXPECT_TRUE(why.empty()) << it.find("name")->as_string() << ": " << it.dump() << "\n" << why;
}

std::string case_name(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = suite().find("cases")->as_array().at(info.param).find("name")->as_string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kip, KipConformance,
                         testing::Range<std::size_t>(0, suite().find("cases")->as_array().size()),
                         case_name);

}  // namespace
}  // namespace anima::kip::kip_test
