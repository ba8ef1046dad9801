// What propositions are called, and that a space with such names comes back the same from RDF.
#include "sparql/proposition_names.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "sparql/rdf_export.h"
#include "sparql/rdf_load.h"
#include "store/space.h"

namespace anima::sparql::proposition_names_test {
namespace {

using store::Space;
using store::Term;
using store::Transaction;

std::shared_ptr<Space> fresh() { return Space::in_memory().value(); }

std::string quads_of(Space& space) {
  return export_rdf(space.snapshot().value(), RdfFormat::kNQuads);
}

// What no other test of the way there and back has: names that are too long or too deep to be
// written out, what was retracted, what is only in one graph, texts that need every escape.
Status write_extremes(Transaction& transaction) {
  const std::string long_name(5000, 'x');
  ANIMA_ASSIGN(const auto person, transaction.upsert_type("Person"));
  // Numbers of the copy will be others.
  for (int i = 0; i < 7; ++i)
    ANIMA_TRY(transaction.upsert_concept(person, "of no use " + std::to_string(i)));
  ANIMA_ASSIGN(const auto one, transaction.upsert_concept(person, long_name));
  ANIMA_ASSIGN(const auto two,
               transaction.upsert_concept(person, "\t\"\\\n\r\x01:/?#%\u00e9\u4e2d"));
  ANIMA_ASSIGN(const auto says, transaction.upsert_predicate("says: \"so\""));
  const store::Predicate link = store::Predicate::link(says);
  ANIMA_ASSIGN(const Term text, transaction.term(store::Value::string("\x01\\\"\n\u4e2d").view()));
  ANIMA_ASSIGN(auto about, transaction.assert_link({one, link, Term::entity(two)}));
  ANIMA_TRY(transaction.set_metadata(about, "evidence: \x02", std::span(&text, 1)));
  for (int depth = 0; depth < 40; ++depth) {
    ANIMA_ASSIGN(about, transaction.assert_link({about, link, Term::entity(two)}));
    if (depth % 7 == 0) ANIMA_TRY(transaction.set_attribute(about, "dose", std::span(&text, 1)));
  }
  store::AssertOptions elsewhere;
  elsewhere.graph = transaction.graph("urn:anima:compartment:one");
  ANIMA_TRY(transaction.assert_link({about, link, Term::entity(one)}, elsewhere));
  ANIMA_ASSIGN(const auto gone, transaction.upsert_concept(person, "gone"));
  ANIMA_TRY(transaction.assert_link({gone, link, Term::entity(two)}));
  return {};
}

Status retract_some(Transaction& transaction) {
  const store::Snapshot& now = transaction.live();
  const auto person = now.find_type("Person").value();
  const auto gone = now.find_concept(person, "gone").value();
  const auto says = now.find_predicate("says: \"so\"").value();
  const auto two = now.find_concept(person, "\t\"\\\n\r\x01:/?#%\u00e9\u4e2d").value();
  ANIMA_TRY(transaction.retract_link({gone, store::Predicate::link(says), Term::entity(two)},
                                     store::GraphId::kDefault));
  for (int i = 0; i < 7; ++i) {
    const auto name = "of no use " + std::to_string(i);
    ANIMA_TRY(transaction.retract_concept(now.find_concept(person, name).value(),
                                          store::GraphId::kDefault, false));
  }
  return {};
}

TEST(PropositionNames, AreTheSameInEverySpaceWhenTheyAreTooLongToWrite) {
  const auto space = fresh();
  ASSERT_TRUE(space->write({}, write_extremes).has_value());
  ASSERT_TRUE(space->write({}, retract_some).has_value());
  const std::string said = quads_of(*space);
  EXPECT_NE(said.find("urn:anima:proposition:sha256-"), std::string::npos);
  EXPECT_EQ(said.find("of%20no%20use"), std::string::npos);
  EXPECT_EQ(said.find("concept:Person:gone> <urn:anima:predicate"), std::string::npos);
  const auto copy = fresh();
  const auto loaded = copy->write({}, [&said](Transaction& transaction) -> Status {
    RdfLoadOptions options;
    options.format = RdfFormat::kNQuads;
    ANIMA_TRY(load_rdf(transaction, said, options));
    return {};
  });
  ASSERT_TRUE(loaded.has_value()) << loaded.error().describe();
  EXPECT_TRUE(quads_of(*copy) == said);

  const store::Snapshot now = copy->snapshot().value();
  PropositionFinder finder;
  PropositionNames names(now);
  std::size_t propositions = 0, digests = 0;
  for (std::uint32_t id = 1; id < now.entity_bound(); ++id) {
    const auto entity = static_cast<store::EntityId>(id);
    if (now.kind(entity) != store::EntityKind::kProposition) continue;
    ++propositions;
    digests += names.of(entity).starts_with("sha256-") ? 1 : 0;
    EXPECT_EQ(PropositionNames(now).of(entity), names.of(entity));
    EXPECT_EQ(finder.find(now, names.of(entity)), entity);
  }
  EXPECT_GE(propositions, 42u);
  EXPECT_GE(digests, 42u);
  EXPECT_EQ(finder.find(now, "sha256-00"), std::nullopt);
}

}  // namespace
}  // namespace anima::sparql::proposition_names_test
