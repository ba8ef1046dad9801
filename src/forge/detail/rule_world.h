// RuleWorld: the rules of a pack over facts that the host tells, and worlds of what-if over them.
//
//   ANIMA_ASSIGN(auto world, RuleWorld::open("packs/forge/loop.mg", {}));
//   ANIMA_TRY(world->tell("iteration", {"run_0", 0}));
//   ANIMA_ASSIGN(bool stop, world->holds("should_halt(S)"));
//
// A value is an integer, a name ("/panic") or a string; texts that begin with a slash are names.
// Ownership: owns its engine. Thread-safety: one thread. Errors: kNotFound (no such predicate),
// those of the engine: the limits are 60 s and a million rows.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "datalog/engine.h"

namespace anima::forge::detail {

// A text that is never taken for a name, whatever it begins with.
struct PlainText {
  std::string text;
};
using RuleValue = std::variant<std::int64_t, std::string, PlainText>;
using RuleRow = std::vector<RuleValue>;
// Names with their slash, strings as they are, integers in decimal digits; sorted.
using RuleAnswers = std::vector<std::vector<std::string>>;

class RuleWorld {
 public:
  static Result<std::unique_ptr<RuleWorld>> open(std::string_view pack);

  // All or nothing.
  struct Change {
    std::string predicate;
    RuleRow row;
    bool insert = true;
  };
  Status tell(const std::vector<Change>& changes);
  Status tell(std::string predicate, RuleRow row) {
    return tell({{std::move(predicate), std::move(row), true}});
  }
  Status take_back(std::string predicate, RuleRow row) {
    return tell({{std::move(predicate), std::move(row), false}});
  }
  Result<RuleAnswers> ask(std::string_view query) const;
  Result<bool> holds(std::string_view query) const;
  // Of the last change: how many strata were evaluated again.
  std::uint32_t strata_visited() const { return engine_->stats().strata_visited; }

  // A world of its own over this one: what is told to it is known to nobody else.
  class Simulation {
   public:
    Status tell(const std::vector<Change>& changes);
    Result<RuleAnswers> ask(std::string_view query);
    Result<bool> holds(std::string_view query);

   private:
    friend class RuleWorld;
    Simulation(const RuleWorld& world, std::unique_ptr<datalog::Fork> fork)
        : world_(world), fork_(std::move(fork)) {}
    const RuleWorld& world_;
    std::unique_ptr<datalog::Fork> fork_;
  };
  Simulation simulate() { return {*this, engine_->fork()}; }

 private:
  RuleWorld(std::shared_ptr<datalog::ValueTable> values, std::unique_ptr<datalog::Engine> engine)
      : values_(std::move(values)), engine_(std::move(engine)) {}
  Result<datalog::Transaction> transaction_of(const std::vector<Change>& changes) const;
  RuleAnswers readable(const datalog::Rows& rows) const;

  std::shared_ptr<datalog::ValueTable> values_;
  std::unique_ptr<datalog::Engine> engine_;
};

}  // namespace anima::forge::detail
