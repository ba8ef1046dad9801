// The Graph Store half of the endpoint: /data with ?default or ?graph=IRI.
//
// Every change is one entry of the log: a PUT that fails half-way has changed nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "serve/http/endpoint.h"
#include "serve/http/server.h"
#include "sparql/graph_changes.h"
#include "sparql/iri.h"
#include "sparql/rdf_export.h"
#include "sparql/rdf_import.h"
#include "sparql/rdf_mapping.h"
#include "sparql/rdf_reader.h"
#include "store/act.h"
#include "store/own_graphs.h"

namespace anima::serve::http {
namespace {

constexpr sparql::RdfFormat kWrittenFormats[] = {
    sparql::RdfFormat::kTurtle, sparql::RdfFormat::kNTriples, sparql::RdfFormat::kRdfXml,
    sparql::RdfFormat::kJsonLd, sparql::RdfFormat::kTriG,     sparql::RdfFormat::kNQuads};

// Of all formats, as a sentence lists them.
std::string media_types() {
  std::string all;
  for (const sparql::RdfFormatInfo& each : sparql::rdf_formats())
    all += (all.empty() ? "" : ", ") + std::string(each.media_type);
  return all;
}

// The store's graph of that name; nullopt when there is none. "" is the default graph.
std::optional<store::GraphId> stored_graph(const store::Snapshot& snapshot,
                                           const std::string& iri) {
  if (iri.empty()) return store::GraphId::kDefault;
  const auto graph = snapshot.find_graph(sparql::graph_name(iri));
  if (!graph || snapshot.graph_size(*graph) == 0) return std::nullopt;
  return graph;
}

Response no_such_graph() { return problem(404, "there is no such graph"); }

// What is wrong with the body is the client's to mend.
Response refused_change(const Error& error) {
  const bool limit = error.code == ErrorCode::kLimitExceeded && !error.where.empty();
  return problem(limit ? 400 : status_of(error.code), error);
}

}  // namespace

Response Endpoint::graph_store(const Request& request) {
  const std::string& method = request.method;
  const bool reads = method == "GET" || method == "HEAD";
  const bool writes = method == "PUT" || method == "POST" || method == "DELETE";
  if (!reads && !writes) {
    Response response = problem(405, "this method is not served here");
    response.headers.emplace_back("Allow", "GET, HEAD, PUT, POST, DELETE");
    return response;
  }
  Step<NamedGraph> graph = graph_of(request);
  if (!graph.value) return std::move(graph.refused);
  if (reads) return read_graph(request, *graph.value);
  return method == "DELETE" ? drop_graph(request, *graph.value)
                            : write_graph(request, *graph.value);
}

Endpoint::Step<Endpoint::NamedGraph> Endpoint::graph_of(const Request& request) const {
  const auto refuse = [](unsigned status, std::string why, std::string hint = {}) {
    return Step<NamedGraph>{std::nullopt, problem(status, std::move(why), std::move(hint))};
  };
  NamedGraph graph;
  std::size_t said = 0;
  for (const auto& [name, value] : request.parameters) {
    if (name != "default" && name != "graph") continue;
    ++said;
    if (name == "default") continue;
    const std::string base = request.address.substr(0, request.address.find('?'));
    if (!sparql::IriBase(base).resolve(value, graph.iri) || !sparql::is_absolute_iri(graph.iri)) {
      return refuse(400, "the graph is named by no IRI");
    }
  }
  if (said != 1) return refuse(400, "the request names one graph", "say ?default or ?graph=IRI");
  if (!graph.iri.empty() && store::is_own_graph(sparql::graph_name(graph.iri))) {
    return refuse(403, "the graph is one of Anima's own books");
  }
  return {std::move(graph), {}};
}

Response Endpoint::read_graph(const Request& request, const NamedGraph& graph) {
  std::string accept;
  for (const auto& [name, value] : request.headers) {
    if (name == "accept") accept += (accept.empty() ? "" : ",") + value;
  }
  std::vector<std::string_view> types;
  for (const sparql::RdfFormat format : kWrittenFormats) {
    types.push_back(sparql::rdf_format_info(format).media_type);
  }
  const std::size_t best = choose_media_type(accept, types);
  if (best == std::string_view::npos) {
    return problem(406, "no format that the request accepts is offered", media_types());
  }
  Step<store::Origin> reader = admit(request, "graph read", agent::Act::kReads, {});
  if (!reader.value) return std::move(reader.refused);
  const auto snapshot = space_->snapshot();
  if (!snapshot) return problem(status_of(snapshot.error().code), snapshot.error());
  const auto stored = stored_graph(*snapshot, graph.iri);
  if (!stored) return no_such_graph();
  const std::array<store::GraphId, 1> only{*stored};
  auto text = sparql::export_document(snapshot->in_graphs(only), kWrittenFormats[best], false);
  if (!text) return problem(status_of(text.error().code), text.error());
  return {200, std::string(types[best]), std::move(*text), {}};
}

// PUT takes the place of what was in the graph, POST adds to it.
Response Endpoint::write_graph(const Request& request, const NamedGraph& graph) {
  Step<store::Origin> origin = admit(request, "graph write", agent::Act::kWrites, request.body);
  if (!origin.value) return std::move(origin.refused);
  const store::ActScope act(act_name("graph write", request.id), store::ActKind::kOwn);
  const std::string* type = request.header("content-type");
  const auto format = type == nullptr ? std::nullopt : sparql::rdf_format_of_media_type(*type);
  if (!format || has_other_charset(*type)) {
    return problem(415, "this content type is not read", media_types() + ", in UTF-8");
  }
  bool there = false;
  const auto change = [&](store::Transaction& transaction) -> Status {
    there = stored_graph(transaction.view(), graph.iri).has_value();
    if (request.method == "PUT") ANIMA_TRY(sparql::clear_graph(transaction, graph.iri));
    sparql::RdfImportOptions options;
    if (!graph.iri.empty()) options.graph = transaction.graph(sparql::graph_name(graph.iri));
    options.blank_scope =
        fmt::format("i{}f0", static_cast<std::uint64_t>(transaction.view().sequence()));
    sparql::RdfImporter importer(transaction, std::move(options));
    sparql::RdfReadOptions reading;
    reading.base_iri = graph.iri.empty() ? request.address : graph.iri;
    if (!sparql::is_absolute_iri(reading.base_iri)) reading.base_iri.clear();
    reading.progress = [this](std::uint64_t) { return !options_.stop.stop_requested(); };
    ANIMA_TRY(sparql::read_rdf(
        *format, request.body, reading,
        [&](const sparql::RdfTriple& triple, const sparql::RdfTerm* named) -> Status {
          if (named != nullptr) {
            return fail(ErrorCode::kInvalidArgument, "the body names graphs of its own");
          }
          return importer.add(triple);
        }));
    return importer.finish();
  };
  const auto receipt = space_->write(*origin.value, change);
  if (!receipt) return refused_change(receipt.error());
  return {there ? 204u : 201u, {}, {}, {}};
}

Response Endpoint::drop_graph(const Request& request, const NamedGraph& graph) {
  Step<store::Origin> origin = admit(request, "graph drop", agent::Act::kWrites, {});
  if (!origin.value) return std::move(origin.refused);
  const store::ActScope act(act_name("graph drop", request.id), store::ActKind::kOwn);
  bool there = false;
  const auto receipt = space_->write(*origin.value, [&](store::Transaction& transaction) -> Status {
    there = stored_graph(transaction.view(), graph.iri).has_value();
    return there ? sparql::clear_graph(transaction, graph.iri) : Status();
  });
  if (!receipt) return refused_change(receipt.error());
  return there ? Response{204, {}, {}, {}} : no_such_graph();
}

}  // namespace anima::serve::http
