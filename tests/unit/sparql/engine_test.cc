// The engine over spaces that are more than RDF: concepts, attributes, metadata, propositions about
// propositions, compartments. What SPARQL sees is what the export writes.
#include "sparql/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>

#include "base/files/file.h"
#include "base/text/text.h"
#include "sparql/rdf_export.h"
#include "sparql/rdf_mapping.h"
#include "store/space.h"

namespace anima::sparql::engine_test {
namespace {

using store::AssertOptions;
using store::EntityId;
using store::Predicate;
using store::Space;
using store::Term;
using store::Transaction;
using store::Triple;
using store::Value;

std::shared_ptr<Space> fresh() {
  store::SpaceOptions options;
  options.create = true;
  return Space::in_memory(options).value();
}

AssertOptions in(store::GraphId graph) {
  AssertOptions options;
  options.graph = graph;
  return options;
}

// A bit of everything that rdf_mapping.h tells of.
Status fill(Transaction& tx) {
  const store::GraphId science = tx.graph("urn:anima:compartment:science");
  const store::GraphId other = tx.graph("http://x/graph");
  const store::GraphId book = tx.graph("urn:anima:memory");
  ANIMA_ASSIGN(const EntityId person, tx.upsert_type("Person"));
  ANIMA_TRY(tx.upsert_type("Unused Type"));
  ANIMA_TRY(tx.upsert_predicate("http://x/unused"));
  ANIMA_ASSIGN(const EntityId works, tx.upsert_predicate("works at"));
  ANIMA_ASSIGN(const EntityId knows, tx.upsert_predicate("http://x/knows"));
  ANIMA_ASSIGN(const EntityId type_link, tx.upsert_predicate(kRdfType));
  ANIMA_ASSIGN(const EntityId ada, tx.upsert_concept(person, "Ada: the first"));
  ANIMA_ASSIGN(const EntityId bob, tx.upsert_concept(store::kEntityType, "http://x/bob"));
  ANIMA_ASSIGN(const EntityId cy, tx.upsert_concept(store::kEntityType, "http://x/cy", in(other)));
  ANIMA_TRY(tx.upsert_concept(store::kEntityType, "http://x/alone"));
  ANIMA_TRY(tx.upsert_concept(store::kEntityType, "plain name"));
  ANIMA_ASSIGN(const EntityId blank, tx.upsert_concept(store::kEntityType, "_:b1"));
  ANIMA_ASSIGN(const Term one, tx.term(Value::of(std::int64_t{1}).view()));
  ANIMA_ASSIGN(const Term text, tx.term(Value::string("a \"text\"").view()));
  ANIMA_ASSIGN(const Term iri, tx.term(Value::iri("http://x/bob").view()));
  ANIMA_ASSIGN(const Term strange, tx.term(Value::iri("http://x/strange").view()));
  const std::array<Term, 2> two{one, text};
  const std::array<Term, 2> iris{iri, strange};
  ANIMA_TRY(tx.set_attribute(ada, "age", {&one, 1}));
  ANIMA_TRY(tx.set_attribute(bob, "http://x/label", two));
  ANIMA_TRY(tx.set_attribute(bob, "http://x/same as", iris));
  ANIMA_TRY(tx.set_attribute(cy, "http://x/sameAs", iris, in(other)));
  ANIMA_TRY(tx.set_metadata(ada, "author", {&text, 1}));
  ANIMA_ASSIGN(const EntityId link,
               tx.assert_link({ada, Predicate::link(works), Term::entity(bob)}));
  ANIMA_TRY(tx.set_metadata(link, "confidence", {&one, 1}));
  ANIMA_ASSIGN(const EntityId about,
               tx.assert_link({cy, Predicate::link(knows), Term::entity(link)}, in(science)));
  ANIMA_TRY(tx.set_attribute(about, "since", {&one, 1}, in(science)));
  ANIMA_TRY(tx.assert_link({bob, Predicate::link(knows), Term::entity(cy)}, in(science)));
  ANIMA_TRY(tx.assert_link({bob, Predicate::link(knows), Term::entity(cy)}, in(other)));
  ANIMA_TRY(tx.assert_link({bob, Predicate::link(type_link), Term::entity(blank)}));
  ANIMA_TRY(tx.assert_link({bob, Predicate::link(knows), Term::entity(ada)}, in(book)));
  return {};
}

std::shared_ptr<Space> mixed() {
  auto space = fresh();
  const auto written = space->write({}, fill);
  EXPECT_TRUE(written.has_value()) << written.error().describe();
  return space;
}

using Lines = std::set<std::string>;

// The lines of an export by graph; those of the default graph under "".
std::map<std::string, Lines> exported(Space& space) {
  std::map<std::string, Lines> graphs;
  const std::string text = export_rdf(space.snapshot().value(), RdfFormat::kNQuads);
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    NTriplesReader whole(line);
    std::array<RdfTriple, 1> row;
    const std::string plain = std::string(line) + "\n";
    if (const auto read = whole.next(row); read && *read == 1) {
      graphs[""].insert(plain);
      continue;
    }
    const std::size_t open = line.rfind('<'), close = line.rfind('>');
    graphs[std::string(line.substr(open + 1, close - open - 1))].insert(
        std::string(line.substr(0, open)) + ".\n");
  }
  return graphs;
}

Lines lines_of(const QueryAnswer& answer) {
  Lines lines;
  TripleScratch scratch;
  for (std::size_t i = 0; i < answer.triples(); ++i) {
    std::string line;
    append_ntriples(line, answer.triple(i, scratch));
    lines.insert(line);
  }
  return lines;
}

QueryAnswer ask(Space& space, const std::string& text, QueryOptions options = {}) {
  auto engine = Engine::open(std::shared_ptr<Space>(&space, [](Space*) {})).value();
  auto answer = engine->query(text, options);
  EXPECT_TRUE(answer.has_value()) << text << ": " << (answer ? "" : answer.error().describe());
  return answer ? std::move(*answer) : QueryAnswer();
}

std::vector<std::string> rows(const QueryAnswer& answer) {
  std::vector<std::string> out;
  std::string scratch;
  for (std::size_t i = 0; i < answer.rows(); ++i) {
    std::string row;
    for (std::size_t k = 0; k < answer.variables().size(); ++k) {
      RdfTerm term;
      if (k > 0) row += ' ';
      if (answer.cell(i, k, &term, scratch)) {
        append_ntriples(row, term);
      } else {
        row += '-';
      }
    }
    out.push_back(std::move(row));
  }
  std::sort(out.begin(), out.end());
  return out;
}

UpdateReport change(Space& space, const std::string& text, UpdateOptions options = {}) {
  options.origin.author = "tester";
  options.origin.source = "test";
  options.origin.trust = store::Trust::kVerified;
  auto engine = Engine::open(std::shared_ptr<Space>(&space, [](Space*) {})).value();
  const auto report = engine->update(text, options);
  EXPECT_TRUE(report.has_value()) << text << ": " << (report ? "" : report.error().describe());
  return report ? *report : UpdateReport();
}

constexpr const char* kAll = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";

TEST(SparqlEngine, SeesWhatTheExportWrites) {
  const auto space = mixed();
  const auto graphs = exported(*space);
  ASSERT_EQ(graphs.size(), 3u);
  QueryOptions exact;
  exact.union_default = false;
  EXPECT_EQ(lines_of(ask(*space, kAll, exact)), graphs.at(""));
  for (const auto& [name, lines] : graphs) {
    if (name.empty()) continue;
    EXPECT_EQ(
        lines_of(ask(*space, "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <" + name + "> { ?s ?p ?o } }")),
        lines)
        << name;
    EXPECT_EQ(
        lines_of(ask(*space, "CONSTRUCT { ?s ?p ?o } FROM <" + name + "> WHERE { ?s ?p ?o }")),
        lines)
        << name;
  }
}

TEST(SparqlEngine, KnowsTheGraphOfEachTriple) {
  const auto space = mixed();
  std::size_t lines = 0;
  const auto graphs = exported(*space);
  for (const auto& [name, all] : graphs) lines += name.empty() ? 0 : all.size();
  EXPECT_EQ(ask(*space, "SELECT * WHERE { GRAPH ?g { ?s ?p ?o } }").rows(), lines);
}

TEST(SparqlEngine, MergesCompartmentsIntoTheDefaultGraph) {
  const auto space = mixed();
  auto graphs = exported(*space);
  Lines both = graphs.at("");
  both.merge(graphs.at("urn:anima:compartment:science"));
  EXPECT_EQ(lines_of(ask(*space, kAll)), both);
}

TEST(SparqlEngine, FindsEachTripleByItsPredicate) {
  const auto space = mixed();
  QueryOptions exact;
  exact.union_default = false;
  std::set<std::string> predicates;
  const Lines lines = exported(*space).at("");
  for (const std::string& line : lines) {
    const std::size_t begin =
        line.find("> <") == std::string::npos ? line.find('<') : line.find(" <") + 1;
    predicates.insert(line.substr(begin, line.find("> ", begin) - begin + 1));
  }
  Lines found;
  for (const std::string& predicate : predicates) {
    found.merge(lines_of(ask(
        *space, "CONSTRUCT { ?s " + predicate + " ?o } WHERE { ?s " + predicate + " ?o }", exact)));
  }
  EXPECT_EQ(found, lines);
}

TEST(SparqlEngine, FindsEachTripleByItsTerms) {
  const auto space = mixed();
  QueryOptions exact;
  exact.union_default = false;
  const Lines lines = exported(*space).at("");
  for (const std::string& line : lines) {
    if (line.find("_:") != std::string::npos) continue;
    EXPECT_TRUE(ask(*space, "ASK { " + line + "}", exact).boolean()) << line;
  }
}

TEST(SparqlEngine, JoinsAValueWithTheThingThatItNames) {
  const auto space = mixed();
  EXPECT_EQ(rows(ask(*space,
                     "SELECT ?l WHERE { GRAPH <http://x/graph> { ?s "
                     "<urn:anima:attribute:http%3A%2F%2Fx%2FsameAs> ?o } ?o <http://x/label> ?l "
                     "FILTER(isNumeric(?l)) }")),
            std::vector<std::string>{"\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"});
}

TEST(SparqlEngine, NeverShowsTheBooks) {
  const auto space = mixed();
  EXPECT_FALSE(ask(*space, "ASK FROM <urn:anima:memory> { ?s ?p ?o }").boolean());
  EXPECT_FALSE(ask(*space, "ASK { GRAPH <urn:anima:memory> { ?s ?p ?o } }").boolean());
}

TEST(SparqlEngine, ScopesAQueryToACompartment) {
  const auto space = mixed();
  QueryOptions scoped;
  scoped.compartment = "science";
  EXPECT_EQ(lines_of(ask(*space, kAll, scoped)),
            exported(*space).at("urn:anima:compartment:science"));
  EXPECT_FALSE(ask(*space, "ASK { GRAPH ?g { ?s ?p ?o } }", scoped).boolean());
  auto engine = Engine::open(space).value();
  const auto refused = engine->query("ASK FROM <http://x/graph> { ?s ?p ?o }", scoped);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("scope_conflict"), std::string::npos);
}

TEST(SparqlEngine, UnderstandsTheSourcesNameOfACompartment) {
  const auto space = mixed();
  EXPECT_TRUE(ask(*space, "ASK { GRAPH <https://akh-medu.dev/compartment/science> { ?s ?p ?o } }")
                  .boolean());
}

TEST(SparqlEngine, DeletesExactlyWhatATripleIs) {
  const auto space = mixed();
  const auto before = exported(*space).at("");
  for (const std::string& line : before) {
    if (line.find("_:") != std::string::npos || line.find("rdf-syntax-ns#") != std::string::npos)
      continue;
    const auto fresh_space = mixed();
    const UpdateReport report = change(*fresh_space, "DELETE DATA { " + line + "}");
    EXPECT_EQ(report.deleted, 1u) << line;
    EXPECT_EQ(report.entries.size(), 1u) << line;
    const Lines after = exported(*fresh_space)[""];
    EXPECT_EQ(after.count(line), 0u) << line;
    // Nothing else goes but what says what a proposition is that nobody speaks of any more.
    for (const std::string& other : before) {
      if (other == line || other.find("rdf-syntax-ns#") != std::string::npos) continue;
      EXPECT_EQ(after.count(other), 1u) << "without " << line << " no " << other;
    }
  }
}

TEST(SparqlEngine, DeletesAndInsertsTheSameSpace) {
  const auto space = mixed();
  const auto before = exported(*space);
  const UpdateReport gone = change(*space, "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }");
  EXPECT_GT(gone.deleted, 10u);
  ASSERT_EQ(gone.entries.size(), 1u);
  const auto undone = space->undo({}, gone.entries[0], gone.entries[0], false, false);
  ASSERT_TRUE(undone.has_value()) << undone.error().describe();
  EXPECT_EQ(exported(*space), before);
}

TEST(SparqlEngine, IsOneEntryWithItsOrigin) {
  const auto space = fresh();
  const UpdateReport report = change(
      *space, "INSERT DATA { <urn:x:a> <urn:x:p> 1 } ; INSERT DATA { <urn:x:b> <urn:x:p> 2 }");
  EXPECT_EQ(report.operations, 2u);
  EXPECT_EQ(report.inserted, 2u);
  ASSERT_EQ(report.entries.size(), 1u);
  const auto snapshot = space->snapshot().value();
  const store::EntryInfo entry = snapshot.entry(report.entries[0]);
  EXPECT_EQ(entry.author, "tester");
  EXPECT_EQ(entry.source, "test");
  EXPECT_EQ(entry.trust, store::Trust::kVerified);
}

TEST(SparqlEngine, WritesNothingWhereNothingChanges) {
  const auto space = fresh();
  change(*space, "INSERT DATA { <urn:x:a> <urn:x:p> 1 }");
  const auto before = space->snapshot()->sequence();
  const UpdateReport again = change(*space, "INSERT DATA { <urn:x:a> <urn:x:p> 1 }");
  EXPECT_EQ(again.inserted, 0u);
  EXPECT_TRUE(again.entries.empty());
  EXPECT_EQ(space->snapshot()->sequence(), before);
}

TEST(SparqlEngine, GivesUpAWholeUpdate) {
  const auto space = fresh();
  change(*space, "INSERT DATA { GRAPH <urn:x:g> { <urn:x:a> <urn:x:p> 1 } }");
  const std::string before = export_rdf(space->snapshot().value(), RdfFormat::kNQuads);
  auto engine = Engine::open(space).value();
  const auto failed = engine->update(
      "INSERT DATA { <urn:x:b> <urn:x:p> 2 } ; CREATE GRAPH <urn:x:g>", UpdateOptions());
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(export_rdf(space->snapshot().value(), RdfFormat::kNQuads), before);
}

TEST(SparqlEngine, RefusesItsOwnBooksAndForeignFiles) {
  const auto space = fresh();
  auto engine = Engine::open(space).value();
  UpdateOptions options;
  for (const char* text : {"INSERT DATA { GRAPH <urn:anima:memory> { <urn:x:a> <urn:x:p> 1 } }",
                           "CLEAR GRAPH <urn:anima:agent>", "LOAD <file:///etc/passwd>",
                           "LOAD <http://example.org/x.ttl>"}) {
    const auto refused = engine->update(text, options);
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kDenied) << text;
  }
  options.load_root = "/tmp";
  const auto refused = engine->update("LOAD <file:///tmp/../etc/passwd>", options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
}

TEST(SparqlEngine, SaysWhatItDoesNotDo) {
  auto engine = Engine::open(fresh()).value();
  const auto service = engine->query("SELECT * {\n SERVICE <http://x/> { ?s ?p ?o } }");
  ASSERT_FALSE(service.has_value());
  EXPECT_EQ(service.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(service.error().where, "2:2");
  const auto syntax = engine->query("SELECT * {\n  ?s ?p }");
  ASSERT_FALSE(syntax.has_value());
  EXPECT_EQ(syntax.error().code, ErrorCode::kSyntax);
  EXPECT_EQ(syntax.error().where, "2:9");
}

TEST(SparqlEngine, KeepsToItsBudget) {
  const auto space = fresh();
  std::string data = "INSERT DATA {";
  for (int i = 0; i < 300; ++i) data += " <urn:x:" + std::to_string(i) + "> <urn:x:p> 1 .";
  change(*space, data + " }");
  auto engine = Engine::open(space).value();
  QueryOptions options;
  options.budget.rows = 100'000;
  const auto rows = engine->query("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", options);
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().code, ErrorCode::kLimitExceeded);
  std::atomic<bool> cancelled = true;
  options = {};
  options.budget.cancelled = &cancelled;
  const auto stopped = engine->query("SELECT * { ?a ?b ?c . ?d ?e ?f }", options);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

// Values that a filter leaves are looked up by their order, which only a base has.
// SPARQL 1.1 Query Language, 18.4 (ZeroLengthPath): between two variables it stands at the nodes of
// the graph, at a constant in any case.
TEST(SparqlEngine, LetsPathsOfNoStepsStandAtNodes) {
  const auto space = fresh();
  const auto engine = Engine::open(space).value();
  ASSERT_TRUE(engine->update(
      "INSERT DATA { <urn:a> <urn:p> 1 . GRAPH <urn:g> { <urn:b> <urn:p> 2 } }", UpdateOptions()));
  const auto rows = [&](std::string_view where) {
    return engine->query("SELECT * { " + std::string(where) + " }").value().rows();
  };
  EXPECT_EQ(rows("VALUES ?x { <urn:a> 1 2 <urn:b> \"new\" } ?x <urn:p>? ?y"), 3u);
  EXPECT_EQ(rows("VALUES ?x { <urn:a> 1 2 <urn:b> \"new\" } ?y <urn:p>* ?x"), 3u);
  EXPECT_EQ(rows("BIND(<urn:none> AS ?x) ?x <urn:p>* ?y"), 0u);
  EXPECT_EQ(rows("BIND(<urn:none> AS ?x) OPTIONAL { ?x (<urn:p>*/<urn:q>?) ?y }"), 1u);
  EXPECT_EQ(rows("<urn:none> <urn:p>* ?y"), 1u);
  EXPECT_EQ(rows("?y (<urn:p>|<urn:q>)* \"new\""), 1u);
  EXPECT_EQ(rows("VALUES ?x { 1 2 } GRAPH <urn:g> { ?x <urn:p>? ?y }"), 1u);
  EXPECT_EQ(rows("VALUES ?x { 1 2 } GRAPH ?g { ?x <urn:p>? ?y }"), 1u);
}

TEST(SparqlEngine, FiltersByValueAlikeWithAndWithoutABase) {
  const TemporaryDirectory folder("anima-sparql-range");
  store::SpaceOptions options;
  options.create = true;
  const auto space = Space::open(folder.file("space"), options).value();
  std::string data = "INSERT DATA {";
  for (int i = 0; i < 400; ++i) {
    const std::string thing = " <urn:x:" + std::to_string(i) + "> <urn:x:v> ";
    data += thing + std::to_string(i) + " ." + thing + std::to_string(i) + ".5 ." + thing + "\"" +
            std::to_string(i) + "\" .";
  }
  data += " <urn:x:d> <urn:x:v> 3.5E2 , true , <urn:x:iri> }";
  const std::vector<std::pair<std::string, std::size_t>> filters = {
      {"?v >= 398.5", 3},        {"?v > 398.5", 2},
      {"?v < 1.5", 3},           {"?v <= 1.5 && ?v > 0", 3},
      {"?v = 350", 2},           {"350 = ?v", 2},
      {"2 >= ?v && ?v >= 2", 1}, {"?v = \"7\"", 1},
      {"?v = <urn:x:iri>", 1},   {"?v > 349.5 && ?v < 350.5", 2},
      {"?v > 1000", 0},          {"?v = \"none\"", 0},
      {"?v = true", 1}};
  const auto ask_all = [&] {
    for (const auto& [filter, rows_wanted] : filters) {
      const std::size_t got =
          ask(*space, "SELECT * { ?s <urn:x:v> ?v FILTER(" + filter + ") }").rows();
      EXPECT_EQ(got, rows_wanted) << filter;
    }
  };
  change(*space, data);
  ask_all();
  ASSERT_TRUE(space->checkpoint().has_value());
  ask_all();
  EXPECT_NE(ask(*space, "SELECT * { ?s <urn:x:v> ?v FILTER(?v > 397 && ?v < 399) }",
                [] {
                  QueryOptions explained;
                  explained.explain = true;
                  return explained;
                }())
                .explanation()
                .find("candidates"),
            std::string::npos);
  // A number that the order does not hold is found all the same.
  change(
      *space,
      "INSERT DATA { <urn:x:f> <urn:x:v> \"399.75\"^^<http://www.w3.org/2001/XMLSchema#float> }");
  EXPECT_EQ(ask(*space, "SELECT * { ?s <urn:x:v> ?v FILTER(?v > 399) }").rows(), 2u);
}

// The triples that `SELECT ?p { ?s ?p ?o }` gives, counted here.
std::vector<std::string> counted_by_predicate(Space& space, const QueryOptions& options) {
  std::map<std::string, int> counts;
  for (const std::string& row : rows(ask(space, "SELECT ?p { ?s ?p ?o }", options))) ++counts[row];
  std::vector<std::string> lines;
  for (const auto& [predicate, count] : counts) {
    lines.push_back(predicate + " \"" + std::to_string(count) +
                    "\"^^<http://www.w3.org/2001/XMLSchema#integer>");
  }
  return lines;
}

TEST(SparqlEngine, CountsByPredicateAsItShowsTheTriples) {
  const auto plain = fresh();
  change(*plain,
         "INSERT DATA { <urn:x:a> a <urn:x:T> ; <urn:x:both> 1, 2, <urn:x:b>, \"3\" ; "
         "<urn:x:link> <urn:x:b>, <urn:x:c> . <urn:x:b> <urn:x:link> <urn:x:c> ; a <urn:x:T> }");
  const auto mixture = mixed();
  for (Space* space : {plain.get(), mixture.get()}) {
    for (const bool together : {true, false}) {
      QueryOptions options;
      options.union_default = together;
      const auto wanted = counted_by_predicate(*space, options);
      for (const char* count : {"COUNT(*)", "COUNT(?s)", "COUNT(?o)"}) {
        const std::string text =
            std::string("SELECT ?p (") + count + " AS ?n) { ?s ?p ?o } GROUP BY ?p";
        EXPECT_EQ(rows(ask(*space, text, options)), wanted) << text;
      }
    }
  }
  QueryOptions explained;
  explained.explain = true;
  EXPECT_NE(ask(*plain, "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p", explained)
                .explanation()
                .find("count statements by predicate"),
            std::string::npos);
}

TEST(SparqlEngine, SeesAnAggregatesVariableWhereItIsInScope) {
  const auto space = fresh();
  change(*space, "INSERT DATA { <urn:x:a> <urn:x:p> 1, 2 . <urn:x:b> <urn:x:p> 5 }");
  const auto ask_rows = [&](const std::string& text) {
    std::vector<std::string> out;
    for (std::string row : rows(ask(*space, text))) {
      for (std::string_view part :
           {"^^<http://www.w3.org/2001/XMLSchema#integer>", "\"", "<urn:x:"}) {
        for (auto at = row.find(part); at != std::string::npos; at = row.find(part))
          row.erase(at, part.size());
      }
      out.push_back(row);
    }
    return out;
  };
  using Rows = std::vector<std::string>;
  const std::string where = " { ?s <urn:x:p> ?v } GROUP BY ?s ";
  EXPECT_EQ(ask_rows("SELECT (COUNT(*) AS ?n) (?n + 1 AS ?m) (SUM(?v) AS ?t)" + where),
            (Rows{"1 2 5", "2 3 3"}));
  EXPECT_EQ(ask_rows("SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?t)" + where + "ORDER BY ?n LIMIT 1"),
            (Rows{"1 5"}));
  EXPECT_EQ(ask_rows("SELECT (MAX(?v) AS ?m)" + where + "HAVING(COUNT(*) > 1)"), (Rows{"2"}));
  EXPECT_EQ(ask_rows("SELECT ?n { { SELECT (COUNT(*) AS ?n) { ?s <urn:x:p> ?v } } }"), (Rows{"3"}));
}

TEST(SparqlEngine, LooksBack) {
  const auto space = fresh();
  const UpdateReport first = change(*space, "INSERT DATA { <urn:x:a> <urn:x:p> 1 }");
  change(*space, "DELETE DATA { <urn:x:a> <urn:x:p> 1 } ; INSERT DATA { <urn:x:a> <urn:x:p> 2 }");
  auto engine = Engine::open(space).value();
  const auto then = space->snapshot()->as_of(first.entries[0]);
  ASSERT_TRUE(then.has_value());
  const auto answer = engine->query(*then, "SELECT ?v { <urn:x:a> <urn:x:p> ?v }", {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(rows(*answer),
            std::vector<std::string>{"\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"});
}

}  // namespace
}  // namespace anima::sparql::engine_test
