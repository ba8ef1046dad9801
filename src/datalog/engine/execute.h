// Runs a plan: depth-first over batches of bindings.
//
// Each operator takes a batch, makes batches of its own and hands every full one on before it
// continues, so memory is bounded by batch size times depth. Look-ups go over a batch twice: first
// to hash and prefetch, then to probe. Limits and cancellation are looked at once a batch.
// execute.cc has the sources and the probe, execute_filter.cc what drops bindings,
// execute_compute.cc what computes, execute_foreign.cc base relations, meet.cc the meeting of
// several atoms. Thread-safety: an Executor belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "datalog/engine/batch.h"
#include "datalog/engine/foreign.h"
#include "datalog/engine/plan.h"
#include "datalog/functions.h"
#include "datalog/tables/relation.h"

namespace anima::datalog {

class Database;

// Takes the solutions. An error ends the run.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status take(Batch& batch) = 0;
  // Whether a binding of this origin is still of interest (checks stop at the first solution).
  virtual bool wants(Code origin) const {
    (void)origin;
    return true;
  }
  virtual bool selective() const { return false; }
};

using ViewPolicy = std::function<View(const Access&)>;

class Executor {
 public:
  Executor(Database& database, const Plan& plan, Sink& sink, const ViewPolicy& views,
           bool ask = true);
  ~Executor();

  Status run_unit();
  // The delta: visible rows [from, to) of a relation, seen through `view`.
  Status run_range(Relation& relation, RowId from, RowId to, const View& view);
  // The delta: `rows` rows one after the other; `heights` may be null.
  Status run_rows(std::span<const Code> codes, std::size_t rows, const std::uint32_t* heights);
  // Candidates: values of the head (kCheck) or of the keys (kGroup). Origins are 0 .. rows - 1.
  Status run_heads(std::span<const Code> codes, std::size_t rows, const std::uint32_t* guards);

 private:
  struct Lookup {
    Relation* relation = nullptr;
    View view;
    Parts parts;
    bool everything = false;  // the view is what lives now
    ForeignView foreign;      // beside the relation's own rows
  };
  struct Stage;
  struct SpareStages;  // of earlier runs of the thread

  // Makes what the operators need, when the first bindings come: most runs of a small transaction
  // end before, because no row fits the rule's constants.
  void prepare();
  Status start(Batch& batch);
  Status drain(Batch& batch);  // start() with what it holds, and empties it
  Status step(std::size_t number, Batch& batch);
  Status probe(std::size_t number, Batch& in);
  Status probe_foreign(std::size_t number, Batch& in);
  Status meet(std::size_t number, Batch& in);
  void choose_walkers(std::size_t number, Batch& in);
  void test_staged(std::size_t number, std::uint32_t atom, std::uint8_t* answer);
  Status pass_staged(std::size_t number, std::uint32_t walker, Batch& in);
  Status filter_rows(std::size_t number, Batch& in);
  Status compute(std::size_t number, Batch& in);
  Status expand_builtin(std::size_t number, Batch& in);
  Status ask(std::size_t number, Batch& in);
  Status flush(std::size_t number, Batch& in);
  bool evaluate_term(const Term& term, Batch& batch, std::uint32_t row, Code& out);
  Error evaluation_error(const Literal& literal) const;

  void refresh(const Access& access, Lookup& lookup);
  Status exists(const Access& access, Lookup& lookup, Batch& in, std::uint8_t* answer);
  Status exists_foreign(const Access& access, const Lookup& lookup, Batch& in,
                        std::uint8_t* answer);
  void exists_full(const Access& access, Lookup& lookup, Batch& in, std::uint8_t* answer);
  void exists_partial(const Access& access, Lookup& lookup, Batch& in, std::uint8_t* answer);
  void keys_of(const Access& access, Batch& in, std::uint32_t row, Code* key) const;
  void find_groups(const Access& access, const Part& part, Batch& in, std::uint32_t* groups) const;
  void compact(const std::vector<Slot>& carry, Batch& in, const std::uint8_t* keep, bool negate);
  bool row_fits(const Access& access, Batch& in, std::uint32_t binding, const Code* row) const;
  bool guarded(const Access& access, Batch& in, std::uint32_t binding, const Part& part,
               RowId local) const;
  bool source_row(const Code* row, std::uint32_t height, Batch& out) const;

  Database& database_;
  const Plan& plan_;
  const std::uint32_t full_batch_;  // bindings that are handed on at once
  Sink& sink_;
  ViewPolicy views_;
  bool may_ask_;
  bool prepared_ = false;
  std::vector<std::vector<Lookup>> lookups_;  // by operator, by access
  std::vector<std::unique_ptr<Stage>> stages_;
  Batch source_;
};

inline bool Executor::guarded(const Access& access, Batch& in, std::uint32_t binding,
                              const Part& part, RowId local) const {
  if (!plan_.guard || !access.recursive) return true;
  return part.table->height(local) < in.column(plan_.guard_slot())[binding];
}

}  // namespace anima::datalog
