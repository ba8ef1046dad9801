// What the engine's tests share: a program from text, rows as text, sorted.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "datalog/analyze.h"
#include "datalog/engine.h"

namespace anima::datalog {

class World {
 public:
  explicit World(const std::string& text, EngineOptions options = {}, AnalysisOptions analysis = {})
      : values_(std::make_shared<ValueTable>()) {
    auto program = compile(text, *values_, "test.mg", analysis);
    if (!program) {
      error_ = program.error().describe();
      return;
    }
    program_ = std::make_shared<const Program>(std::move(*program));
    for (auto& [name, answerer] : pending_virtuals)
      options.virtuals[program_->find(name)] = answerer;
    auto engine = Engine::create(program_, values_, std::move(options));
    if (!engine) {
      error_ = engine.error().describe();
      failure_ = engine.error().code;
      return;
    }
    engine_ = std::move(*engine);
  }

  static inline std::vector<std::pair<std::string, std::shared_ptr<VirtualPredicate>>>
      pending_virtuals;

  const std::string& error() const { return error_; }
  ErrorCode failure() const { return failure_; }
  Engine& engine() { return *engine_; }
  const Program& program() const { return *program_; }
  ValueTable& values() { return *values_; }

  Query query(const std::string& text) {
    auto query = compile_query(*program_, text, *values_);
    EXPECT_TRUE(query) << query.error().describe();
    return *query;
  }
  GroundFact fact(const std::string& text) {
    auto fact = compile_fact(*program_, text, *values_);
    EXPECT_TRUE(fact) << fact.error().describe();
    return *fact;
  }
  // "+p(1)" and "-p(1)".
  Transaction transaction(const std::vector<std::string>& steps) {
    Transaction out;
    for (const std::string& step : steps) {
      const GroundFact f = fact(step.substr(1));
      if (step[0] == '+') {
        out.insert(f.predicate, f.codes);
      } else {
        out.remove(f.predicate, f.codes);
      }
    }
    return out;
  }
  std::vector<std::string> texts(PredicateId predicate, const Rows& rows) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < rows.count; ++i) {
      out.push_back(print_fact(program_->predicates[predicate], rows.row(i), *values_));
    }
    return out;
  }
  std::vector<std::string> ask(const std::string& text) {
    const Query q = query(text);
    return texts(q.predicate, *engine_->query(q));
  }
  std::vector<std::string> ask(Fork& fork, const std::string& text) {
    const Query q = query(text);
    return texts(q.predicate, *fork.query(q));
  }
  Result<TransactionStats> change(const std::vector<std::string>& steps,
                                  const Limits& limits = {}) {
    return engine_->transact(transaction(steps), limits);
  }

 private:
  std::shared_ptr<ValueTable> values_;
  std::shared_ptr<const Program> program_;
  std::unique_ptr<Engine> engine_;
  std::string error_;
  ErrorCode failure_ = ErrorCode::kInternal;
};

using Texts = std::vector<std::string>;

}  // namespace anima::datalog
