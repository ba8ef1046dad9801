// Whole graphs of a transaction, as the Graph Store takes them. Thread-safety: the transaction's
// thread. After an error the transaction must be given up.
#pragma once

#include <string_view>

#include "base/result.h"
#include "store/transaction.h"

namespace anima::sparql {

// Takes everything out that the graph says, as CLEAR of SPARQL does; "" is the default graph. A
// graph that is not there is empty already. Errors: kDenied (one of Anima's own books).
Status clear_graph(store::Transaction& transaction, std::string_view graph_iri);

}  // namespace anima::sparql
