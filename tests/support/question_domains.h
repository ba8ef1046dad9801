// The spaces of tests/conformance/data/questions.json: each domain loaded as the file says, with
// what asks it. Thread-safety: one thread.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ask/ask.h"
#include "base/files/file.h"
#include "kip/engine.h"
#include "memory/compartments/compartments.h"

namespace anima::ask::testing {

// Rows as one JSON text.
inline std::string text_of(const std::vector<JsonArray>& rows) {
  JsonArray all;
  for (const JsonArray& row : rows) all.push_back(row);
  return Json(std::move(all)).dump();
}

struct Domain {
  std::shared_ptr<store::Space> space;
  std::shared_ptr<kip::Engine> engine;
  std::unique_ptr<memory::CompartmentManager> compartments;
  std::unique_ptr<Asker> asker;
  std::vector<store::Sequence> steps;  // the log entry of each KIP script
  AskOptions options;

  Answer ask(const std::string& question, Conversation* talk = nullptr) {
    return asker->ask(question, options, talk);
  }
  // One KIP text with the trust of the person at the terminal, or another.
  void write(const std::string& text, store::Trust trust = store::Trust::kOperator) {
    kip::Caller caller;
    caller.origin.trust = trust;
    const Json answer = engine->execute(text, Json(JsonObject{}), caller);
    EXPECT_FALSE(kip::has_error(answer)) << text << "\n" << answer.dump();
    steps.push_back(space->snapshot()->sequence());
  }
  // A compartment of these files: name -> text.
  void load(const Json& files) {
    static int number = 0;
    const std::filesystem::path base =
        std::filesystem::path(::testing::TempDir()) /
        ("ask_domain_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
    const std::filesystem::path folder = base / "pack";
    std::filesystem::create_directories(folder);
    for (const JsonMember& file : files.as_object())
      std::ofstream(folder / file.first) << file.second.as_string();
    compartments =
        std::make_unique<memory::CompartmentManager>(*space, system_files(), base.string());
    const auto id = compartments->add(folder.string());
    ASSERT_TRUE(id) << id.error().describe();
    store::Origin origin;
    origin.trust = store::Trust::kOperator;
    const Status loaded = compartments->load(*id, origin);
    ASSERT_TRUE(loaded) << loaded.error().describe();
    asker->set_rules(compartments->rules(), compartments->synonyms());
    std::filesystem::remove_all(base);
  }
};

// Each question has these rows, as one JSON text.
inline void expect_rows(Domain& domain,
                        const std::vector<std::pair<std::string, std::string>>& cases) {
  for (const auto& [question, rows] : cases) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(text_of(answer.rows), rows) << question << "\n" << answer.text;
  }
}

// Each is asked back, with two readings.
inline void expect_asked(Domain& domain, const std::vector<std::string>& questions) {
  for (const std::string& question : questions) {
    const Answer answer = domain.ask(question);
    EXPECT_EQ(answer.status, AnswerStatus::kAmbiguous) << question << "\n" << answer.text;
    EXPECT_EQ(answer.readings.size(), 2u) << question << "\n" << answer.text;
  }
}

inline Domain empty_domain(const std::string& now = "2026-05-20T12:00:00Z") {
  Domain domain;
  auto space = store::Space::in_memory();
  EXPECT_TRUE(space);
  domain.space = *space;
  auto engine = kip::Engine::open(domain.space);
  EXPECT_TRUE(engine);
  domain.engine = *engine;
  auto asker = Asker::open(domain.space);
  EXPECT_TRUE(asker) << asker.error().describe();
  domain.asker = std::move(*asker);
  domain.options.now = *parse_timestamp(now);
  return domain;
}

inline const Json& question_file() {
  static const Json json = [] {
    std::ifstream file(ANIMA_SOURCE_DIR "/tests/conformance/data/questions.json");
    std::stringstream text;
    text << file.rdbuf();
    auto parsed = parse_json(text.str());
    EXPECT_TRUE(parsed);
    return parsed ? std::move(*parsed) : Json();
  }();
  return json;
}

inline Domain load_domain(const std::string& name) {
  const Json& said = *question_file().find("domains")->find(name);
  Domain domain = empty_domain(said.find("now")->as_string());
  for (const Json& text : said.find("kip")->as_array()) domain.write(text.as_string());
  if (const Json* files = said.find("compartment")) domain.load(*files);
  return domain;
}

inline bool same_value(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return std::abs(a.as_number() - b.as_number()) <= 1e-6;
  return a == b;
}

// The expected columns are among those of the rows, in any order; the rows as a set unless ordered.
inline bool rows_match(const Json& expected, const std::vector<JsonArray>& rows, bool ordered) {
  if (expected.as_array().empty() || rows.empty())
    return expected.as_array().empty() && rows.empty();
  const std::size_t wanted = expected.as_array()[0].as_array().size(), width = rows[0].size();
  std::vector<std::size_t> columns;
  const std::function<bool()> search = [&]() -> bool {
    if (columns.size() < wanted) {
      for (std::size_t i = 0; i < width; ++i) {
        if (std::find(columns.begin(), columns.end(), i) != columns.end()) continue;
        columns.push_back(i);
        const bool found = search();
        columns.pop_back();
        if (found) return true;
      }
      return false;
    }
    const auto same = [&](const JsonArray& row, const Json& one) {
      for (std::size_t i = 0; i < wanted; ++i) {
        if (!same_value(row[columns[i]], one.as_array()[i])) return false;
      }
      return true;
    };
    if (ordered) {
      if (rows.size() != expected.as_array().size()) return false;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!same(rows[i], expected.as_array()[i])) return false;
      }
      return true;
    }
    for (const Json& one : expected.as_array()) {
      if (std::none_of(rows.begin(), rows.end(),
                       [&](const JsonArray& row) { return same(row, one); }))
        return false;
    }
    return std::all_of(rows.begin(), rows.end(), [&](const JsonArray& row) {
      return std::any_of(expected.as_array().begin(), expected.as_array().end(),
                         [&](const Json& one) { return same(row, one); });
    });
  };
  return search();
}

}  // namespace anima::ask::testing
