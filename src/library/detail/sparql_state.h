// What stands behind a SparqlAnswer, and the settings of a query as the engine takes them.
#pragma once

#include <utility>

#include "anima/sparql.h"
#include "sparql/engine.h"

namespace anima {

struct SparqlAnswer::State {
  explicit State(sparql::QueryAnswer given);
  sparql::QueryAnswer answer;
  Form form = Form::kRows;
  std::vector<std::string> variables;
};

namespace detail {

sparql::QueryOptions query_options(const SparqlSettings& settings);

}  // namespace detail

}  // namespace anima
