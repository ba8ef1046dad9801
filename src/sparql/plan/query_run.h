// One query from its tree to its answer.
//
// A QueryGround holds what the plans of one request stand on: the snapshot, the dataset, the values
// that the request makes, its meter. Queries make one; an update makes one for each operation that
// has a WHERE. Thread-safety: EngineState locks inside; the rest belongs to one request.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/row_hash.h"
#include "query/executor.h"
#include "sparql/engine.h"
#include "sparql/plan/dataset.h"
#include "sparql/plan/hidden_triples.h"
#include "sparql/plan/prepared.h"
#include "sparql/plan/translator.h"
#include "sparql/plan/vocabulary.h"
#include "sparql/syntax/ast.h"

namespace anima::sparql {

namespace plan {

// A Random that many threads may use.
class SharedRandom final : public Random {
 public:
  explicit SharedRandom(std::shared_ptr<Random> random) : random_(std::move(random)) {}
  std::uint64_t next() override {
    const std::lock_guard lock(mutex_);
    return random_->next();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Random> random_;
};

// What the requests to one space share.
class EngineState {
 public:
  EngineState(std::shared_ptr<Clock> clock, std::shared_ptr<Random> random,
              std::shared_ptr<query::DerivedRelations> derived);

  query::DerivedRelations* derived() { return derived_.get(); }  // null: none
  Clock& clock() { return *clock_; }
  Random& random() { return random_; }
  LiteralSurvey& literals() { return literals_; }
  // Of whole states; those of narrowed scopes are apart, for they are kept by predicate alone.
  query::Statistics& statistics(bool whole) { return whole ? whole_ : narrowed_; }
  // Kept for the newest published state that asked.
  std::shared_ptr<const HiddenTriples> hidden(const store::Snapshot& knowledge, bool published);

 private:
  std::shared_ptr<Clock> clock_;
  SharedRandom random_;
  std::shared_ptr<query::DerivedRelations> derived_;
  LiteralSurvey literals_;
  query::Statistics whole_, narrowed_;
  std::mutex mutex_;
  store::Sequence hidden_of_ = store::Sequence::kNone;
  std::shared_ptr<const HiddenTriples> hidden_;
};

// Letters and digits that no other request has.
std::string fresh_scope(Random& random);

class QueryGround {
 public:
  // `published`: the snapshot is the newest state of the space.
  QueryGround(EngineState& engine, const store::Snapshot& snapshot, const DatasetChoice& choice,
              bool published, std::string base_iri);
  QueryGround(const QueryGround&) = delete;
  QueryGround& operator=(const QueryGround&) = delete;

  // From now on, patterns of the default graph see what rules derive from the knowledge.
  // `relations` outlives this.
  void see(query::DerivedRelations& relations);
  Translator translator() { return Translator(ground_); }
  query::Values& values() const { return *values_; }
  const std::shared_ptr<query::Values>& shared_values() const { return values_; }
  Dataset& dataset() { return dataset_; }
  const ExpressionContext& expressions() const { return expressions_; }
  Result<query::Answer> run(query::Plan plan, query::Meter& meter, bool analyze = false);
  bool is_whole() const { return published_ && dataset_.is_whole(); }
  Result<std::string> explain(query::Plan plan, query::Meter& meter);

 private:
  query::RunOptions options(query::Meter& meter) const;

  EngineState& engine_;
  bool published_;
  Dataset dataset_;
  std::shared_ptr<query::Values> values_;
  Vocabulary vocabulary_;
  ExpressionContext expressions_;
  std::shared_ptr<const HiddenTriples> hidden_;
  Ground ground_;
};

}  // namespace plan

// Errors: those of Engine::query.
class QueryRun {
 public:
  QueryRun(plan::EngineState& engine, const store::Snapshot& snapshot, bool published,
           const ast::Query& query, const QueryOptions& options);
  // Keeps the plan in `*prepared` where that is not null, the query is SELECT or ASK, and no row of
  // the plan is what rules derive.
  Result<QueryAnswer> answer(std::shared_ptr<const plan::PreparedQuery>* prepared = nullptr);
  // Of the newest state.
  static Result<QueryAnswer> answer(plan::EngineState& engine, const plan::PreparedQuery& prepared,
                                    const QueryOptions& options);

 private:
  Result<QueryAnswer> fill(QueryAnswer answer, query::Answer rows,
                           std::vector<std::string> variables);

  using TripleCodes = QueryAnswer::TripleCodes;
  struct TripleHash {
    std::size_t operator()(const TripleCodes& codes) const {
      return hash_row(codes.data(), codes.size());
    }
  };
  struct Part;  // of a template

  static plan::DatasetChoice choose(const ast::Query& query, const QueryOptions& options);
  std::vector<std::string> wanted() const;
  Status construct(const query::Table& table, const std::vector<std::string>& variables,
                   QueryAnswer* answer);
  Status describe(const query::Table& table, QueryAnswer* answer);
  Status describe_one(std::uint32_t node, std::vector<std::uint32_t>* blanks, QueryAnswer* answer);
  std::vector<std::uint32_t> described(const query::Table& table);
  bool may_stand(const TripleCodes& codes);

  plan::EngineState& engine_;
  const ast::Query& query_;
  const QueryOptions& options_;
  query::Meter meter_;
  plan::QueryGround ground_;
};

}  // namespace anima::sparql
