// A lexicon that follows what is written means what one that is built anew means: every type,
// attribute, predicate, value, name and rule, over random writes of two processes with checkpoints.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

#include "ask/lexicon/lexicon.h"
#include "store/holds.h"
#include "store/space.h"

namespace anima::ask {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;

const std::vector<memory::RuleSource>& chain_rules() {
  static const std::vector<memory::RuleSource> kRules = {
      {"test", "rules.mg",
       "reaches(X, Y) :- link0(X, Y).\nreaches(X, Z) :- link0(X, Y), reaches(Y, Z).\n"
       "beside(X, Y) :- link0(X, Z), link1(Y, Z).\n"
       "lonely(X) :- link2(X, X).\n",
       store::Trust::kOperator}};
  return kRules;
}

std::string numbers(const std::vector<TypeId>& types) {
  std::string text;
  for (const TypeId type : types) text += std::to_string(type) + " ";
  return text;
}

void dump_schema(const Schema& schema, std::ostream& out) {
  for (const TypeInfo& type : schema.types)
    out << "type " << type.name << " " << static_cast<std::uint32_t>(type.id) << " " << type.link
        << " " << type.link_type << " " << type.system << "\n";
  for (const AttributeInfo& attribute : schema.attributes) {
    out << "attribute " << attribute.key << " " << attribute.link << " " << attribute.unit;
    for (const auto& [type, counts] : attribute.types)
      out << " [" << type << ": " << counts.numbers << " " << counts.years << " " << counts.days
          << " " << counts.flags << " " << counts.texts << "]";
    out << "\n";
  }
  for (const PredicateInfo& info : schema.predicates) {
    out << "predicate " << info.name << " " << info.derived << info.closure_of << info.functional;
    for (const Signature& one : info.signatures)
      out << " [" << one.subject << " " << one.object << ": " << one.count << "]";
    for (const auto& [a, b] : info.pairs)
      out << " " << static_cast<std::uint32_t>(a) << "-" << static_cast<std::uint32_t>(b);
    out << "\n";
  }
  for (const RuleSet& set : schema.rule_sets) {
    out << "rule " << set.name << " " << numbers(set.types.ids());
    for (const EntityId one : set.members) out << " " << static_cast<std::uint32_t>(one);
    out << "\n";
  }
  for (const Synonym& word : schema.synonyms)
    out << "word " << word.word << " " << word.means << " " << word.inverse << word.trusted << "\n";
  std::set<std::string> values;
  for (const auto& [words, list] : schema.values) {
    std::string line = "value " + words;
    for (const ValueEntry& entry : list)
      line += " [" + std::to_string(entry.attribute) + " " + entry.value + " " +
              std::to_string(entry.uses) + "]";
    values.insert(line);
  }
  for (const std::string& line : values) out << line << "\n";
}

// All that a lexicon says of the words that the test uses.
std::string dump(const Lexicon& lexicon) {
  std::ostringstream out;
  const Schema& schema = lexicon.schema();
  dump_schema(schema, out);
  for (std::uint32_t i = 1; i < lexicon.snapshot().entity_bound(); ++i)
    out << i << ": " << numbers(schema.types_of_entity(EntityId{i})) << "\n";
  for (const std::string& line : lexicon.describe("")) out << line << "\n";
  const NameIndex& names = lexicon.names();
  out << "longest " << names.longest() << "\n";
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    for (const std::string& called : {"thing " + number, "alias " + number, number}) {
      out << called << ":";
      for (const EntityId one : names.called(lexicon.snapshot(), called))
        out << " " << static_cast<std::uint32_t>(one);
      out << "\n";
    }
    for (const EntityId one : names.with_words(lexicon.snapshot(), {number}, 100))
      out << " " << static_cast<std::uint32_t>(one);
    out << "\n";
  }
  for (const std::string word : {"thimg", "alian", "thin", "3x"})
    for (const std::string& near : names.near_words(word, 2)) out << word << "~" << near << "\n";
  return out.str();
}

// Random writes: concepts, types, links, attributes, values that are names, aliases, words, graphs.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  Status write(store::Transaction& transaction) {
    for (int i = below(6); i >= 0; --i) ANIMA_TRY(one(transaction));
    return {};
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  store::AssertOptions place(store::Transaction& transaction) {
    store::AssertOptions options;
    const int graph = below(8);
    if (graph == 0) options.graph = transaction.graph("urn:anima:compartment:one");
    if (graph == 1) options.graph = transaction.graph("urn:anima:agent");
    return options;
  }

  Result<EntityId> thing(store::Transaction& transaction, const store::AssertOptions& options) {
    const int kind = below(10);
    if (kind == 0) {
      // The name of a value, or of something without a type.
      const std::string name =
          below(2) == 0 ? std::to_string(below(9)) : "loose " + std::to_string(below(4));
      return transaction.upsert_concept(store::kEntityType, name, options);
    }
    ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kind < 5   ? "Host"
                                                              : kind < 9 ? "Service"
                                                                         : "Person",
                                                              {}));
    const std::string name = below(20) == 0 ? "$self" : "thing " + std::to_string(below(30));
    return transaction.upsert_concept(type, name, options);
  }

  Status one(store::Transaction& transaction) {
    const store::AssertOptions options = place(transaction);
    ANIMA_ASSIGN(const EntityId a, thing(transaction, options));
    switch (below(12)) {
      case 0:
        return transaction.retract_concept(a, options.graph, true);
      case 1:
        return rename(transaction, a, options);
      case 2:
      case 3:
        return link(transaction, a, "link" + std::to_string(below(3)), options);
      case 4:
        return unlink(transaction, a, options);
      case 5:
        return link(transaction, a, below(4) == 0 ? "has_type" : "size", options);
      case 6:
        return word(transaction, options);
      case 7:
        return below(10) == 0
                   ? transaction.drop_graph(transaction.graph("urn:anima:compartment:one"))
                   : Status{};
      default:
        return attribute(transaction, a, options);
    }
  }

  Status rename(store::Transaction& transaction, EntityId entity,
                const store::AssertOptions& options) {
    if (below(3) == 0) return transaction.set_attribute(entity, "label", {}, options);
    ANIMA_ASSIGN(
        const Term name,
        transaction.term(store::Value::string("alias " + std::to_string(below(30))).view()));
    return transaction.set_attribute(entity, "label", std::span(&name, 1), options);
  }

  Status attribute(store::Transaction& transaction, EntityId entity,
                   const store::AssertOptions& options) {
    const std::string key = "key" + std::to_string(below(4));
    if (below(5) == 0) return transaction.set_attribute(entity, key, {}, options);
    const int kind = below(5);
    const store::Value value =
        kind == 0   ? store::Value::of(static_cast<std::int64_t>(below(3000)))
        : kind == 1 ? store::Value::string("2024-01-0" + std::to_string(1 + below(9)))
        : kind == 2 ? store::Value::boolean(below(2) == 0)
                    : store::Value::string("value " + std::to_string(below(5)));
    ANIMA_ASSIGN(const Term term, transaction.term(value.view()));
    return transaction.set_attribute(entity, key, std::span(&term, 1), options);
  }

  Status link(store::Transaction& transaction, EntityId a, const std::string& name,
              const store::AssertOptions& options) {
    ANIMA_ASSIGN(const EntityId predicate, transaction.upsert_predicate(name, {}));
    EntityId object = a;
    if (name == "size" && below(40) != 0) {
      ANIMA_ASSIGN(object, transaction.upsert_concept(store::kEntityType, std::to_string(below(9)),
                                                      options));
    } else if (name == "has_type") {
      ANIMA_ASSIGN(object, transaction.upsert_concept(store::kEntityType,
                                                      "kind " + std::to_string(below(2)), options));
    } else if (below(6) != 0) {
      ANIMA_ASSIGN(object, thing(transaction, options));
    }
    return transaction.assert_link({a, Predicate::link(predicate), Term::entity(object)}, options)
        .map([](EntityId) {});
  }

  Status unlink(store::Transaction& transaction, EntityId a, const store::AssertOptions& options) {
    const store::Snapshot view = transaction.view();
    store::Scratch scratch;
    const store::Edges out = view.outgoing(a, store::PredicateClass::kLink, scratch);
    if (out.size() == 0) return {};
    const std::size_t at = static_cast<std::size_t>(below(static_cast<int>(out.size())));
    const store::Triple gone{a, Predicate{out.predicates[at]}, Term{out.others[at]}};
    for (const store::Assertion& one : view.assertions(gone))
      if (one.graph == options.graph) return transaction.retract_link(gone, options.graph);
    return {};
  }

  Status word(store::Transaction& transaction, const store::AssertOptions& options) {
    ANIMA_ASSIGN(const EntityId type, transaction.upsert_type("Word", {}));
    ANIMA_ASSIGN(const EntityId entity,
                 transaction.upsert_concept(type, "word" + std::to_string(below(4)), options));
    if (below(4) == 0) return transaction.retract_concept(entity, options.graph, true);
    const std::vector<std::string> means = {"Host", "key1", "link0", "thing 3", "alias 4"};
    ANIMA_ASSIGN(
        const Term term,
        transaction.term(store::Value::string(means[static_cast<std::size_t>(below(5))]).view()));
    return transaction.set_attribute(entity, "means", std::span(&term, 1), options);
  }

  std::mt19937 random_;
};

class Follower {
 public:
  Follower(std::shared_ptr<store::Space> space, std::shared_ptr<const Pack> pack, bool rules,
           bool trusted)
      : space_(std::move(space)), pack_(std::move(pack)), trusted_(trusted) {
    if (rules) rules_ = chain_rules();
    const store::Snapshot snapshot = view();
    reasoner_ = reason(snapshot);
    if (reasoner_) reasoner_->watch({"reaches", "beside", "lonely"});
    lexicon_ = Lexicon::build(snapshot, rules_, {}, pack_, reasoner_.get());
  }

  void follow() {
    const store::Snapshot now = view();
    std::vector<store::WrittenKey> written;
    ASSERT_TRUE(space_->visit_written(lexicon_->snapshot().sequence(), now.sequence(),
                                      [&](const store::WrittenKey& key) -> Status {
                                        written.push_back(key);
                                        return {};
                                      }));
    std::vector<memory::RuleChange> derived;
    if (reasoner_) {
      ASSERT_TRUE(reasoner_->refresh(*space_, now));
      derived = reasoner_->take_changes();
    }
    lexicon_->follow(now, written, derived, reasoner_.get());
  }

  std::string kept() const { return dump(*lexicon_); }
  std::string fresh() const {
    const store::Snapshot now = view();
    const auto reasoner = reason(now);
    return dump(*Lexicon::build(now, rules_, {}, pack_, reasoner.get()));
  }
  std::uint64_t builds() const { return lexicon_->builds(); }

 private:
  store::Snapshot view() const {
    const store::Snapshot all = *space_->snapshot();
    return trusted_ ? store::trusted_view(all, store::Trust::kStandard) : all;
  }

  std::unique_ptr<memory::Reasoner> reason(const store::Snapshot& snapshot) const {
    if (rules_.empty()) return nullptr;
    auto made = memory::Reasoner::create(snapshot, rules_);
    EXPECT_TRUE(made) << made.error().describe();
    return made ? std::move(*made) : nullptr;
  }

  std::shared_ptr<store::Space> space_;
  std::shared_ptr<const Pack> pack_;
  bool trusted_;
  std::vector<memory::RuleSource> rules_;
  std::unique_ptr<memory::Reasoner> reasoner_;
  std::unique_ptr<Lexicon> lexicon_;
};

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string x, y;
  while (true) {
    const bool more = static_cast<bool>(std::getline(left, x));
    const bool other = static_cast<bool>(std::getline(right, y));
    if (!more && !other) return {};
    if (!more) x = "(nothing)";
    if (!other) y = "(nothing)";
    if (x != y) return "kept:  " + x + "\nfresh: " + y;
  }
}

void run_follower(unsigned seed, bool rules, int rounds, bool trusted = false) {
  const std::string folder = ::testing::TempDir() + "/ask_follow_" + std::to_string(::getpid()) +
                             "_" + std::to_string(seed) + (rules ? "r" : "");
  std::filesystem::remove_all(folder);
  store::SpaceOptions options;
  options.create = true;
  auto opened = store::Space::open(folder, options);
  ASSERT_TRUE(opened) << opened.error().describe();
  auto other = store::Space::open(folder, {});
  ASSERT_TRUE(other);
  auto pack = Pack::load("en");
  ASSERT_TRUE(pack);
  Writer writer(seed);
  std::mt19937 random(seed + 1);
  const auto write = [&](store::Space& space) {
    store::Origin origin;
    origin.trust = random() % 4 == 0 ? store::Trust::kUntrusted : store::Trust::kOperator;
    const auto done = space.write(
        origin, [&](store::Transaction& transaction) { return writer.write(transaction); });
    ASSERT_TRUE(done) << done.error().describe();
  };
  for (int i = 0; i < 30; ++i) write(**opened);
  Follower follower(*opened, *pack, rules, trusted);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = random() % 3; i < 3; ++i) write(random() % 3 == 0 ? **other : **opened);
    if (random() % 20 == 0) {
      ASSERT_TRUE((*opened)->checkpoint());
    }
    if (random() % 20 == 0) {
      const auto head = (*(*opened)->snapshot()).sequence();
      (void)(*opened)->undo({}, head, head, false, false);
    }
    follower.follow();
    const std::string kept = follower.kept(), fresh = follower.fresh();
    ASSERT_EQ(kept == fresh, true) << "seed " << seed << " round " << round << "\n"
                                   << first_difference(kept, fresh);
  }
  // Most rounds leave the schema as it is, and are followed. Of little that is trusted it changes
  // more often.
  if (!trusted) {
    EXPECT_LT(follower.builds(), static_cast<std::uint64_t>(rounds) / 2) << "seed " << seed;
  }
  std::filesystem::remove_all(folder);
}

TEST(LexiconFollow, KeptIsWhatIsBuiltAnew) {
  for (unsigned seed = 1; seed <= 3; ++seed) run_follower(seed, false, 100);
}

TEST(LexiconFollow, OfWhatIsTrusted) {
  for (unsigned seed = 11; seed <= 13; ++seed) run_follower(seed, false, 100, true);
}

TEST(LexiconFollow, WithRules) {
  for (unsigned seed = 1; seed <= 2; ++seed) run_follower(seed, true, 60);
}

}  // namespace
}  // namespace anima::ask
