// Runs a reading: compiles it to queries, runs them read-only over one state of the space, and
// brings their rows into the form of the contract (spec, section 1).
//
// Thread-safety: one thread; the engine is shared. Errors: kUnsupported for a reading that cannot
// be compiled, those of the languages. Complexity: that of the queries.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "ask/compile/kip_text.h"
#include "kip/engine.h"
#include "memory/compartments/reasoner.h"

namespace anima::ask {

struct Table {
  std::string query;  // complete; the last statement's rows are these
  std::string language = "kip";
  std::vector<std::string> columns;
  std::vector<JsonArray> rows;
  std::vector<store::EntityId> things;  // of the rows, where they are things
  std::vector<std::string> held;        // of each row when it holds, in words; may be empty
  bool measured = false;                // sorted by the measure
  bool presupposition = false;          // a named thing is not what the question says of it
  std::size_t numeral = 0;              // "the three": what was said, where it is not so
  std::vector<std::string> several;     // that one was spoken of, where they differ: no answer
  std::size_t unsaid = 0;               // groups that have no value of the attribute
  Json proof;                           // of what is asked why
};

// A query as it is written.
std::string find_text(const std::string& find, const std::string& where, const std::string& tail);

// What a question is asked of.
struct AskedOf {
  std::optional<store::Trust> least;  // what is stated with this trust at least; none: everything
  store::Snapshot everything;         // whose changes are told
  bool other_time = false;            // now is said to be another time than the clock's
};

class Runner {
 public:
  Runner(kip::Engine& engine, const Lexicon& lexicon, const memory::Reasoner* reasoner,
         store::Space& space, Timestamp now, AskedOf asked, std::stop_token stop = {})
      : engine_(engine),
        lexicon_(lexicon),
        schema_(lexicon.schema()),
        joins_(lexicon),
        reasoner_(reasoner),
        space_(space),
        now_(now),
        asked_(std::move(asked)),
        stop_(std::move(stop)) {}

  Result<Table> run(const Reading& reading);

 private:
  void show_state(Table& table) const;
  struct Row {
    store::EntityId thing = store::EntityId::kNone;
    std::string name;
    std::vector<Json> values;
  };
  Result<Json> ask(const std::string& find, const std::string& where, const std::string& tail = {});
  Result<std::vector<Row>> rows(const std::string& variable, const std::string& values,
                                const std::string& where, const std::string& tail = {});
  // Superlatives inside become the names that they choose.
  Result<SetRef> resolved(const SetRef& set, bool root);
  Result<Restriction> resolved(const Restriction& restriction);
  Result<Restriction> by_rules(Restriction restriction);
  Result<Restriction> counted(Restriction it);
  Result<bool> differ(const Restriction& than);
  Result<bool> is_of_shared_day(const Restriction& than);
  // The members, with the measure of a superlative where there is one.
  Result<Table> members(const SetRef& set);
  Result<Table> best_members(const SetExpr& set, const Best& best);
  Result<Table> best_by_rules(const SetExpr& set, const Best& best);
  bool by_rules_alone(const Edge& edge) const;
  std::string clock_path(int attribute, const TypeSet& types, KipText& text) const;
  static bool tell_clocks(std::vector<Row>& list);
  static std::size_t keep_ranked(std::vector<Row>& list, const Best& best);
  static void tell_number(Table& table, const Best& best);
  Result<Table> folded_members(const SetRef& set);
  Result<Table> values(const Reading& reading);
  Result<Table> each(const Reading& reading);
  Result<Table> count(const Reading& reading);
  Result<Table> exists(const Reading& reading);
  Result<Table> fold(const Reading& reading);
  Result<Table> group(const Reading& reading);
  Result<std::size_t> groups_without(const std::string& key, const std::string& where,
                                     const std::string& value);
  void keep_best(Table& table, const Best& best, const std::string& find, const std::string& where,
                 const std::string& path) const;
  void keep_having(Table& table, const std::pair<Compare, double>& having, const std::string& key,
                   const std::string& path, const std::string& where) const;
  Result<Table> top(const Reading& reading);
  Result<Table> why(const Reading& reading);
  Result<Table> what_if(const Reading& reading);
  Result<Table> source(const Reading& reading);
  Result<Table> history(const Reading& reading);
  Result<bool> holds(const SetRef& set);
  void finish(Table& table, std::size_t measure_column = 0, bool down = false) const;
  Result<std::vector<memory::RuleRow>> derived(const std::string& atom) const;
  std::set<std::string> without(int predicate, store::EntityId to,
                                const std::set<store::EntityId>& gone) const;
  std::string rule_name(store::EntityId entity) const;

  kip::Engine& engine_;
  const Lexicon& lexicon_;
  const Schema& schema_;
  Joins joins_;
  const memory::Reasoner* reasoner_;
  store::Space& space_;
  Timestamp now_;
  AskedOf asked_;
  std::stop_token stop_;
  struct ValidTime {
    Json from, until;  // without an end one moment
  };
  std::optional<ValidTime> valid_time(const Reading& reading) const;
  Result<Table> changes(const Reading& reading);

  std::optional<Json> as_of_;
  std::optional<ValidTime> valid_;
  std::vector<std::string> steps_, several_;
};

}  // namespace anima::ask
