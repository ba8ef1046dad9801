// One rule, one binding at a time: backtracking over the body's literals in a given order. For
// explanations, why-not and merge functions, where solutions are few and every variable's value is
// wanted. Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "datalog/engine/database.h"

namespace anima::datalog {

class Solver {
 public:
  // Bindings are kUnbound where nothing is known. Answering false ends the search.
  using OnSolution = std::function<bool(std::span<const Code> bindings)>;
  // Called where a literal has no solution: its place in `order`.
  using OnFailure = std::function<void(std::size_t depth, std::span<const Code> bindings)>;

  Solver(Database& database, const Rule& rule) : database_(database), rule_(rule) {}

  // Recursive atoms (of `component`) match only rows below this height.
  void guard(std::uint32_t component, std::uint32_t height) {
    component_ = component;
    guard_ = height;
  }
  void on_failure(OnFailure callback) { on_failure_ = std::move(callback); }
  // Errors of functions count as no solution (why-not) instead of ending the search.
  void forgive() { forgiving_ = true; }
  // Gives up quietly after so many steps.
  void budget(std::uint64_t steps) { budget_ = steps; }

  Status run(std::span<const std::uint32_t> order, std::vector<Code>& bindings,
             const OnSolution& on_solution);

 private:
  Status step(std::size_t depth, std::vector<Code>& bindings);
  Status match_atom(const Literal& literal, std::size_t depth, std::vector<Code>& bindings);
  Status negated(const Literal& literal, std::size_t depth, std::vector<Code>& bindings);
  Status builtin(const Literal& literal, std::size_t depth, std::vector<Code>& bindings);
  Status error(const Literal& literal);
  // Rows of the literal's relation that agree with the bindings.
  Status matching(const Literal& literal, std::span<const Code> bindings,
                  const std::function<Status(const Code* row, std::uint32_t height)>& found);

  Database& database_;
  const Rule& rule_;
  std::span<const std::uint32_t> order_;
  const OnSolution* on_solution_ = nullptr;
  OnFailure on_failure_;
  std::uint32_t component_ = kNone;
  std::uint32_t guard_ = 0xFFFFFFFFU;
  std::uint64_t budget_ = ~std::uint64_t{0};
  bool forgiving_ = false;
  bool done_ = false;
};

}  // namespace anima::datalog
