// Spaces and rules over them, for the tests of datalog/space_rules.h.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datalog/space_rules.h"

namespace anima::datalog::rules_test {

using store::AssertOptions;
using store::EntityId;
using store::GraphId;

inline store::ValueView text_value(store::ValueKind kind, std::string_view text,
                                   std::string_view extra = {}) {
  store::ValueView value;
  value.kind = kind;
  value.text = text;
  value.extra = extra;
  return value;
}

inline std::shared_ptr<store::Space> empty_space() { return *store::Space::in_memory(); }

inline Status link(store::Transaction& t, EntityId s, EntityId p, store::Term o, GraphId graph) {
  AssertOptions options;
  options.graph = graph;
  const auto done = t.assert_link({s, store::Predicate::link(p), o}, options);
  return done ? Status{} : anima::fail(done.error());
}

inline std::vector<std::string> ask(const SpaceRules& rules, std::string_view query) {
  const auto facts = rules.state()->ask(query);
  EXPECT_TRUE(facts) << facts.error().describe();
  return facts ? *facts : std::vector<std::string>{};
}

inline std::unique_ptr<SpaceRules> over(const store::Snapshot& snapshot, const std::string& text,
                                        SpaceRulesOptions options = {}, Names names = Names::kNew) {
  auto rules = SpaceRules::create(snapshot, {{"test.mg", text, names}}, std::move(options));
  EXPECT_TRUE(rules) << rules.error().describe();
  return rules ? std::move(*rules) : nullptr;
}

using Texts = std::vector<std::string>;

}  // namespace anima::datalog::rules_test
