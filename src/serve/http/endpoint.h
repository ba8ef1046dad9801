// What SPARQL over HTTP answers: the protocol for queries and updates, and the Graph Store.
//
// Thread-safety: every function from several threads at once. Sources: W3C "SPARQL 1.1 Protocol"
// (2013) and "SPARQL 1.1 Graph Store HTTP Protocol" (2013), both sections 2 to 5.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/house/gate.h"
#include "query/meter.h"
#include "serve/http/message.h"
#include "sparql/engine.h"
#include "sparql/rdf_format.h"
#include "store/space.h"

namespace anima::serve::http {

// What is done at the routes, by which rules know it: "http:sparql query" ..
std::vector<std::string> sparql_doors();

struct EndpointOptions {
  bool readonly = false;
  query::Budget budget;
  std::stop_token stop;  // cancels what runs
};

class Endpoint {
 public:
  // `space` and `engine`: those that the server gives out (space_server.h); each request is judged
  // by the gate before it comes to them.
  Endpoint(std::shared_ptr<agent::Gate> gate, std::shared_ptr<store::Space> space,
           std::shared_ptr<sparql::Engine> engine, EndpointOptions options);

  // /sparql and /data; 404 for anything else.
  Response handle(const Request& request);

 private:
  struct Operation {
    bool update = false;
    std::string text;
    sparql::DatasetClause dataset;
  };
  struct NamedGraph {
    std::string iri;  // empty: the default graph
  };

  // A request that goes on, or the answer that ends it.
  template <typename T>
  struct Step {
    std::optional<T> value;
    Response refused;
  };

  Response protocol(const Request& request);
  Step<Operation> operation_of(const Request& request) const;
  Response query(const Request& request, const Operation& operation);
  Response update(const Request& request, const Operation& operation);
  Response select(const Request& request, const sparql::QueryAnswer& answer) const;
  Response construct(const Request& request, const sparql::QueryAnswer& answer) const;
  Response describe_service(const Request& request) const;

  Response graph_store(const Request& request);
  Step<NamedGraph> graph_of(const Request& request) const;
  Response read_graph(const Request& request, const NamedGraph& graph);
  Response write_graph(const Request& request, const NamedGraph& graph);
  Response drop_graph(const Request& request, const NamedGraph& graph);

  // Who asks, and that he may: the door is "http:DOOR". `text`: what is asked or written.
  Step<store::Origin> admit(const Request& request, std::string_view door, agent::Act act,
                            std::string_view text) const;
  query::Budget budget() const;

  std::shared_ptr<agent::Gate> gate_;
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<sparql::Engine> engine_;
  EndpointOptions options_;
};

}  // namespace anima::serve::http
