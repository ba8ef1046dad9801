// Anima's own books (store/own_graphs.h) are no part of the default view: whatever way a snapshot
// is read, it shows what naming every other graph shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "store/own_graphs.h"
#include "store/space.h"

namespace anima::store::knowledge_scope_test {
namespace {

constexpr std::size_t kThings = 40;
constexpr std::string_view kBooks = "urn:anima:agent";
constexpr std::string_view kCompartment = "urn:anima:compartment:harbour";

class Books : public ::testing::Test {
 protected:
  void SetUp() override {
    SpaceOptions options;
    options.create = true;
    space_ = Space::open(folder_.path(), options).value();
    ASSERT_TRUE(space_->write({}, [&](Transaction& transaction) -> Status {
      ANIMA_ASSIGN(knows_, transaction.upsert_predicate("knows"));
      ANIMA_ASSIGN(needs_, transaction.upsert_predicate("needs"));
      ANIMA_ASSIGN(type_, transaction.upsert_type("Thing"));
      for (std::size_t i = 0; i < kThings; ++i) {
        ANIMA_ASSIGN(const EntityId thing,
                     transaction.upsert_concept(type_, "thing " + std::to_string(i)));
        things_.push_back(thing);
      }
      const Value key = Value::string("note");
      ANIMA_ASSIGN(const Term term, transaction.term(key.view()));
      note_ = Predicate::attribute(term);
      return {};
    }));
  }

  AssertOptions in(Transaction& transaction, std::size_t which) const {
    AssertOptions options;
    if (which == 1) options.graph = transaction.graph(kCompartment);
    if (which == 2) options.graph = transaction.graph(kBooks);
    return options;
  }
  Status assert_in(std::size_t which, const Triple& triple) {
    return space_
        ->write(
            {},
            [&](Transaction& transaction) -> Status {
              return transaction.assert_link(triple, in(transaction, which)).map([](EntityId) {});
            })
        .map([](const Receipt&) {});
  }
  Triple link(std::size_t from, EntityId relation, std::size_t to) const {
    return {things_[from], Predicate::link(relation), Term::entity(things_[to])};
  }

  static std::vector<Triple> rows(const Snapshot& snapshot, const Pattern& pattern, Order order) {
    std::vector<Triple> all;
    Cursor cursor = snapshot.scan(pattern, order);
    Triple batch[7];
    while (const std::size_t count = cursor.next(batch))
      all.insert(all.end(), batch, batch + count);
    if (order == Order::kAny) std::sort(all.begin(), all.end());
    return all;
  }

  // The same, read every way there is.
  void expect_same(const Snapshot& got, const Snapshot& wanted) const {
    for (const Order order : {Order::kAny, Order::kSubjectPredicateObject,
                              Order::kPredicateObjectSubject, Order::kObjectPredicateSubject}) {
      for (const PredicateClass kind :
           {PredicateClass::kLink, PredicateClass::kAttribute, PredicateClass::kStructural}) {
        Pattern all;
        all.predicate_class = kind;
        EXPECT_EQ(rows(got, all, order), rows(wanted, all, order));
        EXPECT_EQ(got.count(all), wanted.count(all));
      }
      for (const EntityId relation : {knows_, needs_}) {
        Pattern of_relation;
        of_relation.predicate = Predicate::link(relation);
        EXPECT_EQ(rows(got, of_relation, order), rows(wanted, of_relation, order));
        EXPECT_EQ(got.count(of_relation), wanted.count(of_relation));
      }
    }
    for (const EntityId thing : things_) expect_same_around(got, wanted, thing);
    EXPECT_EQ(got.predicates(PredicateClass::kLink), wanted.predicates(PredicateClass::kLink));
    TextQuery query;
    query.text = "thing";
    query.limit = 100;
    std::set<EntityId> found, expected;
    for (const TextHit& hit : got.search(query)) found.insert(hit.entity);
    for (const TextHit& hit : wanted.search(query)) expected.insert(hit.entity);
    EXPECT_EQ(found, expected);
  }

  void expect_same_around(const Snapshot& got, const Snapshot& wanted, EntityId thing) const {
    EXPECT_EQ(got.exists(thing), wanted.exists(thing));
    EXPECT_EQ(got.name(thing), wanted.name(thing));
    Scratch a, b;
    const auto same = [](const Edges& x, const Edges& y) {
      return std::ranges::equal(x.predicates, y.predicates) &&
             std::ranges::equal(x.others, y.others);
    };
    EXPECT_TRUE(same(got.outgoing(thing, a), wanted.outgoing(thing, b)));
    EXPECT_TRUE(
        same(got.incoming(Term::entity(thing), a), wanted.incoming(Term::entity(thing), b)));
    for (const EntityId relation : {knows_, needs_}) {
      EXPECT_TRUE(std::ranges::equal(got.objects(thing, Predicate::link(relation), a),
                                     wanted.objects(thing, Predicate::link(relation), b)));
      EXPECT_TRUE(
          std::ranges::equal(got.subjects(Predicate::link(relation), Term::entity(thing), a),
                             wanted.subjects(Predicate::link(relation), Term::entity(thing), b)));
      for (const EntityId other : things_) {
        const Triple triple{thing, Predicate::link(relation), Term::entity(other)};
        EXPECT_EQ(got.contains(triple), wanted.contains(triple));
        EXPECT_EQ(got.find_proposition(triple), wanted.find_proposition(triple));
        EXPECT_EQ(got.assertions(triple).size(), wanted.assertions(triple).size());
      }
    }
    EXPECT_EQ(got.attribute(thing, "note"), wanted.attribute(thing, "note"));
  }

  void expect_knowledge() const {
    const Snapshot got = space_->snapshot().value();
    std::vector<GraphId> graphs;
    for (const GraphId graph : got.with_books().graphs()) {
      if (!is_own_graph(got.graph_name(graph))) graphs.push_back(graph);
    }
    EXPECT_EQ(got.graphs(), graphs);
    expect_same(got, got.with_books().in_graphs(graphs));
    expect_same(got, got.with_books().knowledge());
  }

  TemporaryDirectory folder_;
  std::shared_ptr<Space> space_;
  std::vector<EntityId> things_;
  EntityId knows_ = EntityId::kNone, needs_ = EntityId::kNone, type_ = EntityId::kNone;
  Predicate note_;
};

TEST_F(Books, AreSeenByWhoeverAsksForThemAlone) {
  ASSERT_TRUE(assert_in(2, link(0, knows_, 1)));
  ASSERT_TRUE(assert_in(0, link(0, knows_, 2)));
  for (int round = 0; round < 2; ++round) {
    const Snapshot now = space_->snapshot().value();
    EXPECT_FALSE(now.contains(link(0, knows_, 1)));
    EXPECT_TRUE(now.contains(link(0, knows_, 2)));
    EXPECT_TRUE(now.with_books().contains(link(0, knows_, 1)));
    EXPECT_TRUE(in_graph(now, kBooks).contains(link(0, knows_, 1)));
    EXPECT_FALSE(in_graph(now, kBooks).contains(link(0, knows_, 2)));
    ASSERT_TRUE(space_->checkpoint());
  }
  ASSERT_TRUE(assert_in(1, link(0, knows_, 1)));  // somebody else says it too
  EXPECT_TRUE(space_->snapshot().value().contains(link(0, knows_, 1)));
  EXPECT_EQ(space_->snapshot().value().assertions(link(0, knows_, 1)).size(), 1U);
}

TEST_F(Books, ABranchAndAnEarlierStateShowWhatTheSnapshotDoes) {
  ASSERT_TRUE(assert_in(2, link(3, needs_, 4)));
  const Snapshot now = space_->snapshot().value();
  EXPECT_FALSE(space_->what_if(now)->view().contains(link(3, needs_, 4)));
  EXPECT_TRUE(space_->what_if(now.with_books())->view().contains(link(3, needs_, 4)));
  ASSERT_TRUE(assert_in(0, link(5, needs_, 4)));
  ASSERT_TRUE(space_->checkpoint());
  const Snapshot then = space_->snapshot().value().as_of(now.sequence()).value();
  EXPECT_FALSE(then.contains(link(3, needs_, 4)));
  EXPECT_FALSE(then.contains(link(5, needs_, 4)));
  EXPECT_TRUE(then.with_books().contains(link(3, needs_, 4)));
}

// A space that holds nothing else.
TEST_F(Books, MayBeAllThatABaseHolds) {
  ASSERT_TRUE(assert_in(2, link(0, knows_, 1)));
  ASSERT_TRUE(space_->checkpoint());
  expect_knowledge();
}

TEST_F(Books, RandomWritesAreReadAsIfEveryOtherGraphWereNamed) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (int round = 0; round < 12; ++round) {
    for (int write = 0; write < 25; ++write) {
      ASSERT_TRUE(space_->write({}, [&](Transaction& transaction) -> Status {
        const AssertOptions options = in(transaction, below(3));
        const Triple triple = link(below(kThings), below(2) == 0 ? knows_ : needs_, below(kThings));
        switch (below(4)) {
          case 0:
            for (const Assertion& each : transaction.live().assertions(triple)) {
              if (each.graph == options.graph) return transaction.retract_link(triple, each.graph);
            }
            return {};
          case 1: {
            const Value text = Value::string("word " + std::to_string(below(30)));
            ANIMA_ASSIGN(const Term value, transaction.term(text.view()));
            return transaction.set_attribute(triple.subject, "note", std::span(&value, 1), options);
          }
          case 2:
            return transaction
                .upsert_concept(type_, "thing " + std::to_string(kThings + below(9)), options)
                .map([](EntityId) {});
          default:
            return transaction.assert_link(triple, options).map([](EntityId) {});
        }
      }));
    }
    expect_knowledge();
    if (round % 3 == 2) {
      ASSERT_TRUE(space_->checkpoint());
      expect_knowledge();
    }
  }
}

}  // namespace
}  // namespace anima::store::knowledge_scope_test
