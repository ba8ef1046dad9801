#include "serve/http/endpoint.h"

#include <array>
#include <utility>
#include <vector>

#include "agent/house/door_refusal.h"
#include "base/crypto.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "base/text/valid_text.h"
#include "serve/http/server.h"
#include "sparql/answer_text.h"
#include "sparql/iri.h"
#include "sparql/rdf_writer.h"
#include "sparql/results.h"
#include "store/act.h"

namespace anima::serve::http {
namespace {

using sparql::RdfFormat;
using sparql::ResultFormat;

constexpr std::size_t kShownBytes = 1024;
constexpr std::size_t kMaxAnswerBytes = std::size_t{512} << 20;

template <typename Format>
struct Offer {
  std::string_view media_type;  // that a client may ask for
  Format format;
};

// The first is what a client gets that does not care.
constexpr Offer<ResultFormat> kResultOffers[] = {
    {"application/sparql-results+json", ResultFormat::kJson},
    {"application/sparql-results+xml", ResultFormat::kXml},
    {"text/csv", ResultFormat::kCsv},
    {"text/tab-separated-values", ResultFormat::kTsv},
    {"application/json", ResultFormat::kJson},
    {"application/xml", ResultFormat::kXml},
    {"text/xml", ResultFormat::kXml},
};
constexpr Offer<RdfFormat> kGraphOffers[] = {
    {"text/turtle", RdfFormat::kTurtle},         {"application/n-triples", RdfFormat::kNTriples},
    {"application/rdf+xml", RdfFormat::kRdfXml}, {"application/ld+json", RdfFormat::kJsonLd},
    {"application/trig", RdfFormat::kTriG},      {"application/n-quads", RdfFormat::kNQuads},
    {"text/plain", RdfFormat::kNTriples},        {"application/json", RdfFormat::kJsonLd},
    {"application/xml", RdfFormat::kRdfXml},     {"text/xml", RdfFormat::kRdfXml},
};

// The offer that the request's Accept wants; null when none will do.
template <typename Format, std::size_t count>
const Offer<Format>* choose(const Request& request, const Offer<Format> (&offers)[count]) {
  std::vector<std::string_view> types;
  for (const Offer<Format>& offer : offers) types.push_back(offer.media_type);
  std::string accept;
  for (const auto& [name, value] : request.headers) {
    if (name == "accept") accept += (accept.empty() ? "" : ",") + value;
  }
  const std::size_t best = choose_media_type(accept, types);
  return best == std::string_view::npos ? nullptr : &offers[best];
}

Response not_acceptable(std::string offered) {
  return problem(406, "no format that the request accepts is offered", std::move(offered));
}

Response wrong_method(std::string allowed) {
  Response response = problem(405, "this method is not served here", "one of " + allowed);
  response.headers.emplace_back("Allow", std::move(allowed));
  return response;
}

// Of a query, an update or a graph; what the text itself is to blame for is a bad request.
Response failed(const Error& error) {
  const bool conflict = error.code == ErrorCode::kConflict;
  return problem(conflict ? 400 : status_of(error.code), error);
}

// The body of an answer, up to a size.
class BodySink {
 public:
  Status operator()(std::string_view piece) {
    if (body_.size() + piece.size() > kMaxAnswerBytes) {
      return fail(ErrorCode::kLimitExceeded, "the answer is longer than 512 MiB", {},
                  "ask for less, with LIMIT and OFFSET");
    }
    body_ += piece;
    return {};
  }
  std::string take() { return std::move(body_); }

 private:
  std::string body_;
};

std::string with_charset(std::string_view media_type) {
  const bool text = media_type.starts_with("text/");
  return std::string(media_type) + (text ? "; charset=utf-8" : "");
}

// The values of a parameter of the query or of a form.
std::vector<std::string> all_of(const Fields& fields, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : fields) {
    if (key == name) values.push_back(value);
  }
  return values;
}

// A request as rules and approvers see it: how it begins, and what tells it from all others.
Json shown(const Request& request, std::string_view text) {
  return Json::object({{"address", valid_text(request.address)},
                       {"text", valid_text(text.substr(0, kShownBytes))},
                       {"sha256", to_hex(sha256(text))}});
}

}  // namespace

std::vector<std::string> sparql_doors() {
  return {"sparql query", "sparql update", "graph read", "graph write", "graph drop"};
}

Endpoint::Endpoint(std::shared_ptr<agent::Gate> gate, std::shared_ptr<store::Space> space,
                   std::shared_ptr<sparql::Engine> engine, EndpointOptions options)
    : gate_(std::move(gate)),
      space_(std::move(space)),
      engine_(std::move(engine)),
      options_(std::move(options)) {}

Response Endpoint::handle(const Request& request) {
  if (request.wrong_query) return problem(400, "the address of the request does not decode");
  if (request.path == "/sparql") return protocol(request);
  if (request.path == "/data") return graph_store(request);
  return problem(404, "there is nothing here", "/sparql, /data or /healthz");
}

query::Budget Endpoint::budget() const {
  query::Budget budget = options_.budget;
  budget.stop = options_.stop;
  return budget;
}

Endpoint::Step<store::Origin> Endpoint::admit(const Request& request, std::string_view door,
                                              agent::Act act, std::string_view text) const {
  const Caller& caller = request.caller;
  const agent::DoorCall call{"http", std::string(door), caller.name, caller.trust,
                             shown(request, text)};
  if (act == agent::Act::kWrites && (options_.readonly || !caller.may_write)) {
    return {std::nullopt, problem(403, agent::refuse_at_door(
                                           *gate_, call, act,
                                           options_.readonly ? "this server only answers queries"
                                                             : "this token may only read"))};
  }
  if (const auto refused = gate_->refusal(call, act))
    return {std::nullopt, problem(status_of(refused->error.code), *refused)};
  store::Origin origin;
  origin.author = caller.name;
  origin.source = door.starts_with("sparql") ? "sparql" : "graph store";
  origin.trust = caller.trust;
  return {std::move(origin), {}};
}

// --- SPARQL 1.1 Protocol -------------------------------------------------------------------------

Response Endpoint::protocol(const Request& request) {
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    return wrong_method("GET, HEAD, POST");
  }
  const bool bare = request.method != "POST" && request.parameters.empty();
  if (bare) return describe_service(request);
  Step<Operation> operation = operation_of(request);
  if (!operation.value) return std::move(operation.refused);
  return operation.value->update ? update(request, *operation.value)
                                 : query(request, *operation.value);
}

Endpoint::Step<Endpoint::Operation> Endpoint::operation_of(const Request& request) const {
  const auto refuse = [](unsigned status, std::string why, std::string hint = {}) {
    return Step<Operation>{std::nullopt, problem(status, std::move(why), std::move(hint))};
  };
  Operation operation;
  Fields parameters = request.parameters;
  std::optional<std::string> direct;
  if (request.method == "POST") {
    const std::string* type = request.header("content-type");
    const std::string media_type = type == nullptr ? "" : media_type_of(*type);
    if (type != nullptr && has_other_charset(*type)) return refuse(415, "only UTF-8 is read");
    if (media_type == "application/x-www-form-urlencoded") {
      auto form = decode_form(request.body);
      if (!form) return refuse(400, "the body is no form that decodes");
      for (auto& field : *form) parameters.push_back(std::move(field));
    } else if (media_type == "application/sparql-query" ||
               media_type == "application/sparql-update") {
      if (!is_valid_utf8(request.body)) return refuse(400, "the body is no UTF-8");
      operation.update = media_type.ends_with("update");
      direct = request.body;
    } else {
      return refuse(415, "this content type is not read",
                    "application/sparql-query, application/sparql-update or "
                    "application/x-www-form-urlencoded");
    }
  }
  const auto queries = all_of(parameters, "query");
  const auto updates = all_of(parameters, "update");
  const std::size_t texts = queries.size() + updates.size() + (direct ? 1 : 0);
  if (texts == 0) return refuse(400, "the request has no query", "say query=... or update=...");
  if (texts > 1) return refuse(400, "the request has more than one query or update");
  if (!direct) operation.update = queries.empty();
  if (operation.update && request.method != "POST") {
    return refuse(400, "an update comes by POST", "send it in the body");
  }
  operation.text = direct ? *direct : operation.update ? updates[0] : queries[0];
  const char* const defaults = operation.update ? "using-graph-uri" : "default-graph-uri";
  const char* const named = operation.update ? "using-named-graph-uri" : "named-graph-uri";
  operation.dataset.default_graphs = all_of(parameters, defaults);
  operation.dataset.named_graphs = all_of(parameters, named);
  operation.dataset.given =
      !operation.dataset.default_graphs.empty() || !operation.dataset.named_graphs.empty();
  for (const auto* graphs : {&operation.dataset.default_graphs, &operation.dataset.named_graphs}) {
    for (const std::string& iri : *graphs) {
      if (!sparql::is_absolute_iri(iri)) return refuse(400, "a graph is named by an absolute IRI");
    }
  }
  return {std::move(operation), {}};
}

Response Endpoint::query(const Request& request, const Operation& operation) {
  Step<store::Origin> reader = admit(request, "sparql query", agent::Act::kReads, operation.text);
  if (!reader.value) return std::move(reader.refused);
  sparql::QueryOptions options;
  options.dataset = operation.dataset;
  options.budget = budget();
  const auto answer = engine_->query(operation.text, options);
  if (!answer) return failed(answer.error());
  const bool graph = answer->form() == sparql::QueryForm::kConstruct ||
                     answer->form() == sparql::QueryForm::kDescribe;
  return graph ? construct(request, *answer) : select(request, *answer);
}

Response Endpoint::select(const Request& request, const sparql::QueryAnswer& answer) const {
  const auto* offer = choose(request, kResultOffers);
  if (offer == nullptr) {
    return not_acceptable("SPARQL results come as JSON, XML, CSV and TSV");
  }
  const std::string type = with_charset(sparql::media_type_of(offer->format));
  if (answer.form() == sparql::QueryForm::kAsk) {
    return {200, type, sparql::boolean_result(offer->format, answer.boolean()), {}};
  }
  BodySink body;
  const Status status = sparql::write_rows(answer, offer->format,
                                           [&body](std::string_view piece) { return body(piece); });
  if (!status) return failed(status.error());
  return {200, type, body.take(), {}};
}

Response Endpoint::construct(const Request& request, const sparql::QueryAnswer& answer) const {
  const auto* offer = choose(request, kGraphOffers);
  if (offer == nullptr) {
    return not_acceptable("graphs come as Turtle, N-Triples, RDF/XML, JSON-LD, TriG and N-Quads");
  }
  BodySink body;
  const Status status = sparql::write_triples(
      answer, offer->format, [&body](std::string_view piece) { return body(piece); });
  if (!status) return failed(status.error());
  return {200, with_charset(sparql::rdf_format_info(offer->format).media_type), body.take(), {}};
}

Response Endpoint::update(const Request& request, const Operation& operation) {
  Step<store::Origin> origin = admit(request, "sparql update", agent::Act::kWrites, operation.text);
  if (!origin.value) return std::move(origin.refused);
  const store::ActScope act(act_name("sparql update", request.id), store::ActKind::kOwn);
  sparql::UpdateOptions options;
  options.origin = std::move(*origin.value);
  options.dataset = operation.dataset;
  options.budget = budget();
  const auto report = engine_->update(operation.text, options);
  if (!report) return failed(report.error());
  Json entries = Json::array();
  for (const store::Sequence entry : report->entries) {
    entries.push_back(static_cast<std::uint64_t>(entry));
  }
  const Json json = Json::object({{"operations", report->operations},
                                  {"inserted", report->inserted},
                                  {"deleted", report->deleted},
                                  {"entries", std::move(entries)}});
  return {200, "application/json", json.dump() + "\n", {}};
}

// SPARQL 1.1 Service Description, for who asks /sparql nothing.
Response Endpoint::describe_service(const Request& request) const {
  const auto* offer = choose(request, kGraphOffers);
  if (offer == nullptr) return not_acceptable("the description of the service is RDF");
  const std::string sd = "http://www.w3.org/ns/sparql-service-description#";
  const std::string formats = "http://www.w3.org/ns/formats/";
  std::vector<std::pair<std::string, std::string>> said = {
      {std::string("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), sd + "Service"},
      {sd + "endpoint", request.address},
      {sd + "feature", sd + "UnionDefaultGraph"},
      {sd + "supportedLanguage", sd + "SPARQL11Query"},
  };
  if (!options_.readonly) said.emplace_back(sd + "supportedLanguage", sd + "SPARQL11Update");
  for (const char* name :
       {"SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV"}) {
    said.emplace_back(sd + "resultFormat", formats + name);
  }
  for (const sparql::RdfFormatInfo& each : sparql::rdf_formats())
    said.emplace_back(sd + "resultFormat", formats + std::string(each.w3c));
  BodySink body;
  const auto writer = sparql::make_rdf_writer(
      offer->format, {{"sd", sd}}, [&body](std::string_view piece) { return body(piece); });
  Status status;
  for (const auto& [predicate, object] : said) {
    if (!status || !sparql::is_absolute_iri(object)) continue;
    status = writer->add({{sparql::RdfKind::kBlank, "service", {}},
                          {sparql::RdfKind::kIri, predicate, {}},
                          {sparql::RdfKind::kIri, object, {}}},
                         nullptr);
  }
  if (status) status = writer->finish();
  if (!status) return failed(status.error());
  return {200, with_charset(sparql::rdf_format_info(offer->format).media_type), body.take(), {}};
}

}  // namespace anima::serve::http
