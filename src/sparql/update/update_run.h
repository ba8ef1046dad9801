// One update request inside one transaction: its operations in order, each on what those before it
// left.
//
// Thread-safety: belongs to the transaction's thread. Errors: those of Engine::update; an operation
// that is SILENT fails without one. Source: SPARQL 1.1 Update, sections 3 and 4.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/meter.h"
#include "sparql/engine.h"
#include "sparql/plan/query_run.h"
#include "sparql/syntax/ast.h"
#include "sparql/update/changes.h"
#include "store/transaction.h"

namespace anima::sparql::update {

class UpdateRun {
 public:
  UpdateRun(plan::EngineState& engine, store::Transaction& transaction,
            const UpdateOptions& options);
  Status run(const ast::Update& update);
  UpdateReport report() const;

 private:
  using Row = std::vector<std::uint32_t>;

  Status operation(const ast::Operation& operation);
  Status data(const ast::Operation& operation);
  Status modify(const ast::Operation& operation);
  Status load(const ast::Operation& operation);
  Status clear(const ast::Operation& operation);
  Status create(const ast::Operation& operation);
  Status transfer(const ast::Operation& operation);

  Result<plan::DatasetChoice> choose(const ast::Operation& operation);
  // The quads of a template for one row; those that would be no triples are left out.
  void fill(const std::vector<ast::Quad>& quads, const ast::Operation& operation,
            const plan::QueryGround& ground, const std::vector<std::string>& variables,
            const query::Table& table, std::size_t row, std::vector<OwnQuad>* out);
  OwnTerm constant(const ast::Term& term);
  bool term_of_row(const ast::Term& term, const plan::QueryGround& ground,
                   const std::vector<std::string>& variables, const query::Table& table,
                   std::size_t row, OwnTerm* out);
  Status clear_graph(const std::string& iri);
  Status clear_named();
  std::string blank_label(const std::string& label, std::size_t row) const;

  plan::EngineState& engine_;
  store::Transaction& transaction_;
  const UpdateOptions& options_;
  query::Meter meter_;
  Changes changes_;
  std::string blank_scope_;
  std::size_t number_ = 0;  // of the operation
};

}  // namespace anima::sparql::update
