// The view of what is trusted shows, whatever way it is read, what somebody states who is trusted
// as far, and the concepts and definitions that this needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/holds.h"
#include "store/space.h"

namespace anima::store::trusted_view_test {
namespace {

constexpr std::size_t kThings = 30;

std::vector<Triple> read_all(Cursor cursor) {
  std::vector<Triple> all;
  std::vector<Triple> batch(7);
  while (const std::size_t count = cursor.next(batch))
    all.insert(all.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
  return all;
}

std::set<Triple> statements(const Snapshot& snapshot, Order order = Order::kAny) {
  std::set<Triple> all;
  for (int kind = 0; kind < 4; ++kind) {
    Pattern pattern;
    pattern.predicate_class = static_cast<PredicateClass>(kind);
    const auto rows = read_all(snapshot.scan(pattern, order));
    EXPECT_EQ(rows.size(), snapshot.count(pattern));
    all.insert(rows.begin(), rows.end());
  }
  return all;
}

// The same by its definition.
std::set<Triple> trusted_of(const Snapshot& snapshot, Trust floor) {
  std::set<Triple> heard;
  std::set<EntityId> spoken_of;
  const std::set<Triple> all = statements(snapshot);
  for (const Triple& one : all) {
    for (const Assertion& said : snapshot.assertions(one)) {
      if (snapshot.entry(said.born).trust >= floor) heard.insert(one);
    }
    const PredicateClass kind = one.predicate.predicate_class();
    if (!heard.contains(one) || kind == PredicateClass::kMetadata ||
        kind == PredicateClass::kStructural)
      continue;
    spoken_of.insert(one.subject);
    if (kind == PredicateClass::kLink && one.object.is_entity())
      spoken_of.insert(one.object.as_entity());
  }
  for (const Triple& one : all) {
    if (one.predicate.predicate_class() != PredicateClass::kStructural) continue;
    const EntityId type = snapshot.type_of(one.subject);
    if (type == kConceptType || type == kPropositionType || spoken_of.contains(one.subject))
      heard.insert(one);
  }
  for (const Triple& one : all) {
    const Triple existence{one.subject, kTypePredicate,
                           Term::entity(snapshot.type_of(one.subject))};
    if (one.predicate == kNamePredicate && heard.contains(existence)) heard.insert(one);
  }
  return heard;
}

class TrustedView : public ::testing::Test {
 protected:
  void open(bool graphs) {
    graphs_ = graphs;
    SpaceOptions options;
    options.create = true;
    space_ = Space::open(folder_.path(), options).value();
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }

  Status change(Transaction& transaction) {
    AssertOptions options;
    if (graphs_ && below(3) == 0) options.graph = transaction.graph("urn:anima:compartment:a");
    ANIMA_ASSIGN(const EntityId type,
                 transaction.upsert_type("Type" + std::to_string(below(2)), options));
    ANIMA_ASSIGN(const EntityId predicate,
                 transaction.upsert_predicate("p" + std::to_string(below(3)), options));
    const auto thing = [&] {
      return transaction.upsert_concept(type, "thing " + std::to_string(below(kThings)), options);
    };
    ANIMA_ASSIGN(const EntityId a, thing());
    ANIMA_ASSIGN(const EntityId b, thing());
    const Triple link{a, Predicate::link(predicate), Term::entity(b)};
    switch (below(5)) {
      case 0:
        return retract(transaction, link, options.graph);
      case 1: {
        const Term value = Term::integer(static_cast<std::int64_t>(below(9)));
        return transaction.set_attribute(a, "k", std::span(&value, 1), options);
      }
      case 2:
        return {};
      default:
        return transaction.assert_link(link, options).map([](EntityId) {});
    }
  }

  static Status retract(Transaction& transaction, const Triple& link, GraphId graph) {
    for (const Assertion& one : transaction.live().assertions(link)) {
      if (one.graph == graph) return transaction.retract_link(link, graph);
    }
    return {};
  }

  void write() {
    const Trust levels[] = {Trust::kHostile, Trust::kUntrusted, Trust::kUntrusted, Trust::kStandard,
                            Trust::kOperator};
    Origin origin;
    origin.trust = levels[below(5)];
    const auto done = space_->write(
        origin, [&](Transaction& transaction) -> Status { return change(transaction); });
    ASSERT_TRUE(done) << done.error().describe();
  }

  void check(Trust floor) {
    const Snapshot all = space_->snapshot().value();
    const Snapshot view = trusted_view(all, floor);
    const std::set<Triple> wanted = trusted_of(all, floor);
    for (const Order order : {Order::kAny, Order::kSubjectPredicateObject,
                              Order::kPredicateObjectSubject, Order::kObjectPredicateSubject})
      ASSERT_EQ(statements(view, order), wanted);
    if (all_trusted(all, floor)) {
      ASSERT_EQ(wanted, statements(all));
    }
    Scratch scratch;
    for (const Triple& one : statements(all)) {
      ASSERT_EQ(view.contains(one), wanted.contains(one));
      const auto objects = view.objects(one.subject, one.predicate, scratch);
      ASSERT_EQ(std::binary_search(objects.begin(), objects.end(), one.object.code),
                wanted.contains(one));
      const auto subjects = view.subjects(one.predicate, one.object, scratch);
      ASSERT_EQ(std::binary_search(subjects.begin(), subjects.end(),
                                   static_cast<std::uint32_t>(one.subject)),
                wanted.contains(one));
      const auto in = [&](const Edges& edges, std::uint32_t other) {
        for (std::size_t i = 0; i < edges.size(); ++i) {
          if (edges.predicates[i] == one.predicate.code && edges.others[i] == other) return true;
        }
        return false;
      };
      ASSERT_EQ(in(view.outgoing(one.subject, scratch), one.object.code), wanted.contains(one));
      ASSERT_EQ(in(view.incoming(one.object, scratch), static_cast<std::uint32_t>(one.subject)),
                wanted.contains(one));
    }
  }

  void run(bool graphs) {
    open(graphs);
    for (int round = 0; round < 200; ++round) {
      write();
      if (round % 60 == 59) {
        ASSERT_TRUE(space_->checkpoint());
      }
      if (round % 10 != 0 && round < 190) continue;
      for (const Trust floor : {Trust::kUntrusted, Trust::kStandard, Trust::kSystem}) check(floor);
      if (HasFatalFailure()) return;
    }
  }

  TemporaryDirectory folder_;
  std::shared_ptr<Space> space_;
  std::mt19937 random_{7};
  bool graphs_ = false;
};

TEST_F(TrustedView, OfOneGraph) { run(false); }
TEST_F(TrustedView, OfSeveralGraphs) { run(true); }

TEST_F(TrustedView, IsKeptByNarrowingAndTimeTravel) {
  open(true);
  for (int i = 0; i < 60; ++i) write();
  const Snapshot all = space_->snapshot().value();
  const Snapshot view = trusted_view(all, Trust::kStandard);
  EXPECT_EQ(statements(view.with_books().knowledge()), statements(view));
  const GraphId graphs[] = {GraphId::kDefault};
  std::set<Triple> both;
  for (const Triple& one : statements(all.in_graphs(graphs))) {
    for (const Assertion& said : all.in_graphs(graphs).assertions(one)) {
      if (all.entry(said.born).trust >= Trust::kStandard) both.insert(one);
    }
  }
  const std::set<Triple> narrow = statements(view.in_graphs(graphs));
  for (const Triple& one : both) EXPECT_TRUE(narrow.contains(one));
  for (const Triple& one : narrow)
    EXPECT_TRUE(both.contains(one) ||
                one.predicate.predicate_class() == PredicateClass::kStructural);
  const Snapshot then = view.as_of(Sequence{20}).value();
  EXPECT_EQ(statements(then), trusted_of(all.as_of(Sequence{20}).value(), Trust::kStandard));
}

TEST_F(TrustedView, OfWhatIsAllTrustedIsAll) {
  open(true);
  Origin origin;
  origin.trust = Trust::kOperator;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(space_->write(
        origin, [&](Transaction& transaction) -> Status { return change(transaction); }));
  }
  const Snapshot all = space_->snapshot().value();
  EXPECT_TRUE(all_trusted(all, Trust::kStandard));
  EXPECT_EQ(statements(trusted_view(all, Trust::kStandard)), statements(all));
}

}  // namespace
}  // namespace anima::store::trusted_view_test
