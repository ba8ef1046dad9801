// RDF into a space and out again: what goes in comes out, on a real space.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "base/random.h"
#include "base/text/text.h"
#include "sparql/proposition_names.h"
#include "sparql/rdf_export.h"
#include "sparql/rdf_import.h"
#include "sparql/rdf_mapping.h"
#include "sparql/rdf_reader.h"
#include "store/space.h"

namespace anima::sparql {
namespace {

using store::Space;
using store::Term;
using store::Transaction;

std::shared_ptr<Space> fresh() {
  auto space = Space::in_memory();
  EXPECT_TRUE(space.has_value());
  return *space;
}

Status load(Space& space, std::string_view text, const std::string& scope = "",
            std::string_view graph = "") {
  const auto receipt = space.write({}, [&](Transaction& transaction) -> Status {
    RdfImportOptions options;
    options.blank_scope = scope;
    if (!graph.empty()) {
      options.graph = transaction.graph(graph);
    }
    RdfImporter importer(transaction, options);
    NTriplesReader reader(text);
    std::array<RdfTriple, 16> rows;
    for (;;) {
      ANIMA_ASSIGN(const std::size_t count, reader.next(rows));
      if (count == 0) break;
      for (std::size_t i = 0; i < count; ++i) ANIMA_TRY(importer.add(rows[i]));
    }
    return importer.finish();
  });
  if (!receipt) return fail(receipt.error());
  return {};
}

std::string dump(Space& space) {
  return export_rdf(space.snapshot().value(), RdfFormat::kNTriples);
}

std::string quads_of(Space& space) {
  return export_rdf(space.snapshot().value(), RdfFormat::kNQuads);
}

constexpr std::string_view kSample =
    "<http://x/a> <http://x/age> \"042\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<http://x/a> <http://x/age> \"42\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<http://x/a> <http://x/big> "
    "\"123456789012345678901234567890\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<http://x/a> <http://x/day> \"2024-02-30\"^^<http://www.w3.org/2001/XMLSchema#date> .\n"
    "<http://x/a> <http://x/decimal> \"1.50\"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n"
    "<http://x/a> <http://x/double> \"1.5E0\"^^<http://www.w3.org/2001/XMLSchema#double> .\n"
    "<http://x/a> <http://x/double> \"1.50\"^^<http://www.w3.org/2001/XMLSchema#double> .\n"
    "<http://x/a> <http://x/double> \"NaN\"^^<http://www.w3.org/2001/XMLSchema#double> .\n"
    "<http://x/a> <http://x/json> "
    "\"[1,\\\"a\\\"]\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .\n"
    "<http://x/a> <http://x/json> \"[1, 2]\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .\n"
    "<http://x/a> <http://x/knows> <http://x/b> .\n"
    "<http://x/a> <http://x/name> \"\\\"Ada\\\"\\n\" .\n"
    "<http://x/a> <http://x/name> \"Ada\"@en-GB .\n"
    "<http://x/a> <http://x/ok> \"1\"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n"
    "<http://x/a> <http://x/ok> \"true\"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n"
    "<http://x/a> <http://x/when> "
    "\"2024-05-01T10:00:00.50+02:00\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
    "<http://x/b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://x/Person> .\n"
    "<http://x/knows> <http://x/note> \"a predicate as a subject\" .\n";

std::string sorted_lines(std::string_view text) {
  std::set<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.insert(std::string(line) + "\n");
  lines.erase("\n");
  std::string out;
  for (const std::string& line : lines) out += line;
  return out;
}

TEST(RdfSpace, WhatGoesInComesOut) {
  const auto space = fresh();
  ASSERT_TRUE(load(*space, kSample).has_value());
  EXPECT_EQ(dump(*space), sorted_lines(kSample));
  const store::Snapshot now = space->snapshot().value();
  const auto a = now.find_concept(store::kEntityType, "http://x/a");
  ASSERT_TRUE(a.has_value());
  const auto knows = now.find_predicate("http://x/knows");
  ASSERT_TRUE(knows.has_value());
  const auto b = now.find_concept(store::kEntityType, "http://x/b");
  EXPECT_TRUE(now.contains({*a, store::Predicate::link(*knows), Term::entity(*b)}));
  EXPECT_TRUE(now.find_predicate(kRdfType).has_value());
}

TEST(RdfSpace, LoadingTwiceChangesNothing) {
  const auto space = fresh();
  ASSERT_TRUE(load(*space, kSample).has_value());
  const auto before = space->snapshot().value().sequence();
  ASSERT_TRUE(load(*space, kSample).has_value());
  EXPECT_EQ(space->snapshot().value().sequence(), before);
  EXPECT_EQ(dump(*space), sorted_lines(kSample));
}

TEST(RdfSpace, BlankNodesAreKeptApart) {
  const auto space = fresh();
  const std::string_view text = "_:x <p:q> _:y .\n_:y <p:v> \"1\" .\n";
  ASSERT_TRUE(load(*space, text, "i1").has_value());
  ASSERT_TRUE(load(*space, text, "i2").has_value());
  EXPECT_EQ(dump(*space),
            "_:i2.x <p:q> _:i2.y .\n_:i2.y <p:v> \"1\" .\n"
            "_:x <p:q> _:y .\n_:y <p:v> \"1\" .\n");
  // A label that looks like one with a scope is no other node's either.
  ASSERT_TRUE(load(*space, "_:i2.x <p:w> _:x .\n_:i3.x <p:w> _:new .\n", "i3").has_value());
  EXPECT_EQ(dump(*space),
            "_:i2.x <p:q> _:i2.y .\n_:i2.y <p:v> \"1\" .\n_:i3.i2.x <p:w> _:i3.x .\n"
            "_:i3.i3.x <p:w> _:new .\n_:x <p:q> _:y .\n_:y <p:v> \"1\" .\n");
}

TEST(RdfSpace, AFaultLoadsNothing) {
  const auto space = fresh();
  const auto before = space->snapshot().value().sequence();
  const auto status = load(*space, std::string(kSample) + "<http://x/a> <http://x/b> x .\n");
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().where, "19:27");
  EXPECT_EQ(space->snapshot().value().sequence(), before);
  EXPECT_FALSE(
      space->snapshot().value().find_concept(store::kEntityType, "http://x/a").has_value());
}

// Types, attributes, metadata, quoted and asserted links about links: everything that KIP can say.
Status write_knowledge(Transaction& transaction) {
  ANIMA_ASSIGN(const auto drug, transaction.upsert_type("Drug: \"x\""));
  ANIMA_ASSIGN(const auto aspirin, transaction.upsert_concept(drug, "Aspirin 100%/é"));
  ANIMA_ASSIGN(const auto pain, transaction.upsert_concept(drug, ""));
  ANIMA_ASSIGN(const auto treats, transaction.upsert_predicate("treats"));
  ANIMA_ASSIGN(const auto believes, transaction.upsert_predicate("urn:anima:tricky"));
  ANIMA_ASSIGN(const auto lonely, transaction.upsert_concept(store::kEntityType, "not an iri"));
  (void)lonely;
  ANIMA_ASSIGN(const auto alone, transaction.upsert_concept(store::kEntityType, "http://x/alone"));
  (void)alone;
  const store::Triple link{aspirin, store::Predicate::link(treats), Term::entity(pain)};
  ANIMA_ASSIGN(const auto proposition, transaction.assert_link(link));
  ANIMA_ASSIGN(const Term text, transaction.term(store::Value::string("yes").view()));
  ANIMA_ASSIGN(const Term null, transaction.term(store::Value::null().view()));
  ANIMA_ASSIGN(const Term iri, transaction.term(store::Value::iri("http://far/away").view()));
  const std::array<Term, 2> values{text, null};
  ANIMA_TRY(transaction.set_attribute(proposition, "dose in mg", values));
  ANIMA_TRY(transaction.set_metadata(proposition, "author", std::span(&text, 1)));
  ANIMA_TRY(transaction.set_attribute(aspirin, "http://x/key", std::span(&iri, 1)));
  ANIMA_TRY(transaction.set_metadata(aspirin, "http://x/key", values));
  ANIMA_ASSIGN(const auto second, transaction.assert_link({pain, store::Predicate::link(believes),
                                                           Term::entity(proposition)}));
  ANIMA_ASSIGN(const auto quoted, transaction.quote_link({pain, store::Predicate::link(treats),
                                                          Term::entity(aspirin)}));
  ANIMA_TRY(
      transaction.assert_link({second, store::Predicate::link(believes), Term::entity(quoted)}));
  return {};
}

TEST(RdfSpace, EverythingThatASpaceSaysSurvivesTheWayThere) {
  const auto space = fresh();
  ASSERT_TRUE(space->write({}, write_knowledge).has_value());
  const std::string text = dump(*space);
  const auto copy = fresh();
  const Status loaded = load(*copy, text);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().describe() << "\n" << text;
  EXPECT_EQ(dump(*copy), text);
  EXPECT_EQ(quads_of(*copy), quads_of(*space));
  const store::Snapshot now = copy->snapshot().value();
  const auto drug = now.find_type("Drug: \"x\"");
  ASSERT_TRUE(drug.has_value());
  const auto aspirin = now.find_concept(*drug, "Aspirin 100%/é");
  const auto pain = now.find_concept(*drug, "");
  ASSERT_TRUE(aspirin && pain);
  const auto treats = now.find_predicate("treats");
  ASSERT_TRUE(treats.has_value());
  const auto link =
      now.find_proposition({*aspirin, store::Predicate::link(*treats), Term::entity(*pain)});
  ASSERT_TRUE(link.has_value());
  EXPECT_TRUE(now.metadata(*link, "author").has_value());
  EXPECT_FALSE(
      now.find_proposition({*pain, store::Predicate::link(*treats), Term::entity(*aspirin)}));
}

TEST(RdfSpace, PropositionsThatCannotBeAreRefused) {
  const std::string about = "<urn:anima:proposition:1> <p:q> \"x\" .\n";
  const auto part = [](const char* name, const char* object) {
    return "<urn:anima:proposition:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#" +
           std::string(name) + "> " + object + " .\n";
  };
  const auto space = fresh();
  EXPECT_FALSE(load(*space, about).has_value());
  EXPECT_FALSE(load(*space, about + part("subject", "<s:s>")).has_value());
  EXPECT_FALSE(load(*space, part("subject", "<s:s>") + part("predicate", "<p:p>") +
                                part("object", "<urn:anima:proposition:1>"))
                   .has_value());
  EXPECT_TRUE(load(*space, about + part("subject", "<s:s>") + part("predicate", "<p:p>") +
                               part("object", "<o:o>"))
                  .has_value());
}

TEST(RdfSpace, QuadsNameTheGraph) {
  const auto space = fresh();
  ASSERT_TRUE(load(*space, "<s:s> <p:p> <o:o> .\n").has_value());
  ASSERT_TRUE(load(*space, "<s:s> <p:p> <o:o> .\n", "", "urn:anima:compartment:one").has_value());
  ASSERT_TRUE(load(*space, "<s:s> <p:p> \"v\" .\n", "", "two words").has_value());
  EXPECT_EQ(export_rdf(space->snapshot().value(), RdfFormat::kNQuads),
            "<s:s> <p:p> \"v\" <urn:anima:graph:two%20words> .\n"
            "<s:s> <p:p> <o:o> .\n"
            "<s:s> <p:p> <o:o> <urn:anima:compartment:one> .\n");
  EXPECT_EQ(graph_name("urn:anima:graph:two%20words"), "two words");
}

Status load_document(Space& space, RdfFormat format, std::string_view text,
                     const std::string& scope = "i") {
  const auto receipt = space.write({}, [&](Transaction& transaction) -> Status {
    RdfImportOptions options;
    options.blank_scope = scope;
    RdfImporter importer(transaction, options);
    ANIMA_TRY(read_rdf(format, text, {}, [&](const RdfTriple& triple, const RdfTerm* graph) {
      return importer.add(triple, graph);
    }));
    return importer.finish();
  });
  if (!receipt) return fail(receipt.error());
  return {};
}

TEST(RdfSpace, QuadsGoIntoTheirGraphs) {
  const auto space = fresh();
  const std::string text =
      "<s:s> <p:p> <o:o> .\n<s:s> <p:p> <o:o> <g:1> .\n<s:s> <p:p> \"v\" <g:2> .\n"
      "<s:s> <p:q> <o:o> <g:1> .\n_:a <p:p> _:b _:g .\n<s:t> <p:p> <urn:anima:concept:T:n> "
      "<urn:anima:compartment:one> .\n";
  ASSERT_TRUE(load_document(*space, RdfFormat::kNQuads, text).has_value());
  EXPECT_EQ(
      quads_of(*space),
      sorted_lines(
          text +
          "<urn:anima:concept:T:n> "
          "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:anima:concept:%24ConceptType:T> "
          "<urn:anima:compartment:one> .\n"));
  const store::Snapshot now = space->snapshot().value();
  const auto one = now.find_graph("g:1");
  ASSERT_TRUE(one.has_value());
  const std::array<store::GraphId, 1> only{*one};
  EXPECT_EQ(export_rdf(now.in_graphs(only), RdfFormat::kNTriples),
            "<s:s> <p:p> <o:o> .\n<s:s> <p:q> <o:o> .\n");
}

TEST(RdfSpace, ManyGraphsMayTakeTurns) {
  const auto space = fresh();
  std::string text;
  for (int i = 0; i < 600; ++i) {
    text += "<s:" + std::to_string(i % 7) + "> <p:" + std::to_string(i % 3) +
            "> <o:" + std::to_string(i) + "> <g:" + std::to_string(i % 50) + "> .\n";
  }
  ASSERT_TRUE(load_document(*space, RdfFormat::kNQuads, text).has_value());
  EXPECT_EQ(quads_of(*space), sorted_lines(text));
}

TEST(RdfSpace, AnimasOwnBooksAreNoGraphsToWrite) {
  const auto space = fresh();
  for (const char* graph : {"urn:anima:memory", "urn:anima:graph:urn%3Aanima%3Aload"}) {
    const Status refused = load_document(*space, RdfFormat::kNQuads,
                                         "<s:s> <p:p> <o:o> <" + std::string(graph) + "> .\n");
    ASSERT_FALSE(refused.has_value()) << graph;
    EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
  }
}

// Export, import into an empty space, export: the same bytes.
TEST(RdfSpace, EveryFormatCarriesTheWholeKnowledge) {
  const auto space = fresh();
  ASSERT_TRUE(space->write({}, write_knowledge).has_value());
  ASSERT_TRUE(load(*space, kSample).has_value());
  ASSERT_TRUE(load(*space, kSample, "", "urn:anima:compartment:one").has_value());
  ASSERT_TRUE(
      load(*space, "_:x <p:q> _:y .\n_:y <p:v> \"1.\"^^<d:d> .\n", "i1", "two words").has_value());
  ASSERT_TRUE(load(*space, "_:x <p:q> _:y .\n", "i2").has_value());
  const std::string said = quads_of(*space);
  const std::string triples = dump(*space);
  for (const RdfFormatInfo& format : rdf_formats()) {
    SCOPED_TRACE(format.name);
    const auto text = export_document(space->snapshot().value(), format.format);
    ASSERT_TRUE(text.has_value()) << text.error().describe();
    const auto copy = fresh();
    const Status loaded = load_document(*copy, format.format, *text);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().describe() << "\n" << *text;
    EXPECT_EQ(format.graphs ? quads_of(*copy) : dump(*copy), format.graphs ? said : triples);
    EXPECT_EQ(*export_document(copy->snapshot().value(), format.format),
              *export_document(copy->snapshot().value(), format.format));
  }
}

TEST(RdfSpace, ArbitraryTriplesComeBackTheSame) {
  SeededRandom random(4);
  const char* iris[] = {
      "<s:a>",           "<s:b>", "<urn:anima:concept:Drug:A%20B>",
      "<urn:anima:odd>", "<s:é>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"};
  const char* keys[] = {"<p:a>", "<p:b>", "<urn:anima:attribute:k>", "<urn:anima:metadata:m>",
                        "<urn:anima:predicate:treats>"};
  const char* objects[] = {
      "\"x\"",        "\"\"",
      "\"x\"@en",     "\"7\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "\"x\"^^<d:d>", "\"null\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>"};
  for (int round = 0; round < 50; ++round) {
    std::string text;
    for (std::uint64_t i = 1 + random.below(12); i > 0; --i) {
      const bool link = random.below(2) == 0;
      const char* key = keys[random.below(std::size(keys))];
      // A link predicate of Anima's own takes no literal, an attribute or metadata key may.
      if (!link && key == keys[4]) continue;
      text +=
          std::string(iris[random.below(std::size(iris))]) + " " + key + " " +
          (link ? iris[random.below(std::size(iris))] : objects[random.below(std::size(objects))]) +
          " .\n";
    }
    const auto space = fresh();
    ASSERT_TRUE(load(*space, text).has_value()) << text;
    const std::string once = dump(*space);
    const auto again = fresh();
    ASSERT_TRUE(load(*again, once).has_value()) << once;
    EXPECT_EQ(dump(*again), once) << text;
  }
}

TEST(RdfSpace, PropositionsAreNamedByWhatTheySay) {
  const auto space = fresh();
  ASSERT_TRUE(space->write({}, write_knowledge).has_value());
  const store::Snapshot now = space->snapshot().value();
  PropositionFinder finder;
  std::size_t propositions = 0;
  std::string scratch;
  for (std::uint32_t id = 1; id < now.entity_bound(); ++id) {
    const auto entity = static_cast<store::EntityId>(id);
    if (now.kind(entity) != store::EntityKind::kProposition) continue;
    ++propositions;
    const RdfTerm term = entity_term(now, entity, scratch);
    const Named named = read_iri(term.text);
    ASSERT_EQ(named.kind, Named::Kind::kProposition) << term.text;
    EXPECT_EQ(finder.find(now, named.name), entity) << term.text;
  }
  EXPECT_EQ(propositions, 4u);
  for (const char* name :
       {"", "0", "1", "99999", "a:b", "a:b:c:d", "(a:b:c", "(a:b:c):d:e", "%:b:c"}) {
    EXPECT_EQ(finder.find(now, name), std::nullopt) << name;
  }
  const auto plain = fresh();
  ASSERT_TRUE(load(*plain, "<s:s> <p:p> <o:o> .\n").has_value());
  const store::Snapshot one = plain->snapshot().value();
  const auto link = PropositionFinder().find(one, "s%3As:p%3Ap:o%3Ao");
  ASSERT_TRUE(link.has_value());
  EXPECT_EQ(entity_term(one, *link, scratch).text, "urn:anima:proposition:s%3As:p%3Ap:o%3Ao");
}

// --- propositions about propositions, deeper than any stack

std::string reification(std::size_t number, const std::string& subject, const std::string& object) {
  const std::string name = "<urn:anima:proposition:" + std::to_string(number) + "> ";
  const std::string rdf = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#";
  return name + rdf + "subject> " + subject + " .\n" + name + rdf + "predicate> <p:about> .\n" +
         name + rdf + "object> " + object + " .\n";
}

std::string proposition_name(std::size_t number) {
  return "<urn:anima:proposition:" + std::to_string(number) + ">";
}

std::uint64_t links_of(Space& space) {
  store::Pattern links;
  links.predicate_class = store::PredicateClass::kLink;
  return space.snapshot().value().count(links);
}

TEST(RdfSpace, PropositionsAboutPropositionsMayGoAsDeepAsAFile) {
  const std::size_t depth = std::getenv("ANIMA_TEST_FULL") != nullptr ? 1'000'000 : 50'000;
  std::string text;
  for (std::size_t i = 0; i + 1 < depth; ++i)
    text += reification(i, proposition_name(i + 1), "<o:o>");
  text += reification(depth - 1, "<s:s>", "<o:o>");
  text += proposition_name(0) + " <p:about> <o:o> .\n";
  const auto space = fresh();
  const Status loaded = load(*space, text);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(links_of(*space), 1u);  // said; the others are only spoken of
  const std::string out = dump(*space);
  EXPECT_EQ(static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n')), 3 * depth + 1);
  const auto again = fresh();
  ASSERT_TRUE(load(*again, out).has_value());
  EXPECT_EQ(links_of(*again), 1u);
  EXPECT_TRUE(dump(*again) == out);
}

TEST(RdfSpace, ALongCircleOfPropositionsIsAnError) {
  constexpr std::size_t kLength = 50'000;
  std::string text;
  for (std::size_t i = 0; i < kLength; ++i)
    text += reification(i, proposition_name((i + 1) % kLength), "<o:o>");
  const auto space = fresh();
  const Status loaded = load(*space, text);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().message, "the proposition is about itself");
}

TEST(RdfSpace, PropositionsThatShareTheirEndsAreReadOnce) {
  std::string text;  // as a tree it would have 2^200 leaves
  for (std::size_t i = 0; i < 200; ++i)
    text += reification(i, proposition_name(i + 1), proposition_name(i + 1));
  text += reification(200, "<s:s>", "<o:o>");
  const auto space = fresh();
  ASSERT_TRUE(load(*space, text + proposition_name(0) + " <p:about> <o:o> .\n").has_value());
  EXPECT_EQ(links_of(*space), 1u);
}

}  // namespace
}  // namespace anima::sparql
