// Nothing that came from outside becomes more trusted on its way through the house: every path that
// writes, begun by somebody untrusted, and a look at all that the space then states.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/house/governed_house.h"
#include "agent/loop/agent.h"
#include "memory/compartments/compartments.h"
#include "serve/mcp.h"
#include "store/symbols.h"
#include "support/cli_run.h"
#include "support/links.h"

namespace anima::trust_paths_test {
namespace {

using store::Trust;

// Stands in every name and text that came from outside, and in nothing else.
constexpr std::string_view kMark = "zebra";

class TrustPaths : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(run({"init"}), 0); }

  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--space", space_});
    const test::CliRun ran = test::run_cli(arguments, environment_);
    EXPECT_EQ(ran.code, 0) << ran.err;
    out_ = ran.out;
    return ran.code;
  }
  std::shared_ptr<store::Space> open() {
    auto space = store::Space::open(space_, {});
    EXPECT_TRUE(space) << space.error().describe();
    return *space;
  }
  void import(std::string_view lines) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file("page.csv"), lines));
    run({"import", folder_.file("page.csv")});
  }
  // Statements in whatever graph that hold the mark and are trusted further than they may be.
  std::vector<std::string> raised(Trust most = Trust::kUntrusted) {
    std::vector<std::string> found;
    seen_ = 0;
    const auto space = open();
    const store::Snapshot now = space->snapshot().value().with_books();
    for (const auto kind : {store::PredicateClass::kLink, store::PredicateClass::kStructural,
                            store::PredicateClass::kAttribute, store::PredicateClass::kMetadata}) {
      store::Pattern pattern;
      pattern.predicate_class = kind;
      store::Cursor cursor = now.scan(pattern);
      std::vector<store::Triple> batch(256);
      while (const std::size_t count = cursor.next(batch)) {
        for (const store::Triple& triple : std::span(batch).first(count)) {
          const std::string text = text_of(now, triple);
          if (text.find(kMark) == std::string::npos) continue;
          ++seen_;
          for (const store::Assertion& assertion : now.assertions(triple)) {
            if (now.entry(assertion.born).trust <= most) continue;
            found.push_back(text + " [" + std::string(now.graph_name(assertion.graph)) + "]");
          }
        }
      }
    }
    return found;
  }
  static std::string text_of(const store::Snapshot& now, const store::Triple& triple) {
    std::string text = store::symbol_label(now, triple.subject) + " ";
    if (now.kind(triple.subject) == store::EntityKind::kProposition)
      text += "(" + text_of(now, now.triple_of(triple.subject)) + ") ";
    return text + store::term_label(now, triple.object);
  }
  store::Origin outsider() const { return {"eve", "page", Trust::kUntrusted, store::Sequence{}}; }

  TemporaryDirectory folder_;
  std::string space_ = folder_.file("space");
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
  std::string out_;
  std::size_t seen_ = 0;
};

constexpr std::string_view kPage =
    "subject,predicate,object\n"
    "zebra one,is-a,zebra two\n"
    "zebra two,is-a,zebra three\n"
    "zebra one,similar-to,zebra four\n";
constexpr std::string_view kPack = R"([
  {"subject": "zebra one", "predicate": "is-a", "object": "zebra two"},
  {"subject": "zebra two", "predicate": "is-a", "object": "zebra three"}])";

TEST_F(TrustPaths, Imports) {
  import(kPage);
  EXPECT_EQ(raised(), std::vector<std::string>{});
  EXPECT_GT(seen_, 2U);
}

// What rules derive is trusted as the least of its premises, and says which they were.
TEST_F(TrustPaths, WhatAnAgentInfers) {
  import(kPage);
  run({"agent", "infer"});
  EXPECT_EQ(raised(), std::vector<std::string>{});
  const store::Snapshot now = open()->snapshot().value().with_books();
  const auto one = store::find_symbol(now, "zebra one"),
             three = store::find_symbol(now, "zebra three");
  const auto is_a = store::find_relation(now, "is-a"),
             rests_on = store::find_relation(now, "derived_from");
  ASSERT_TRUE(one && three && is_a && rests_on);
  const auto derived =
      now.find_proposition({*one, store::Predicate::link(*is_a), store::Term::entity(*three)});
  ASSERT_TRUE(derived);
  store::Pattern pattern;
  pattern.subject = *derived;
  pattern.predicate = store::Predicate::link(*rests_on);
  std::vector<store::Triple> premises(8);
  premises.resize(now.scan(pattern).next(premises));
  EXPECT_EQ(premises.size(), 2U);
}

// The whole is as the least of its premises, also over several steps and among what the owner said.
TEST_F(TrustPaths, WhatIsInferredFromTheOwnersAndAnOutsidersWord) {
  test::link(*open(), {{"Ada", "is-a", "zebra one"}}, 1.0,
             {"ada", "terminal", Trust::kOperator, store::Sequence{}});
  import(kPage);
  run({"agent", "infer"});
  const store::Snapshot now = open()->snapshot().value();
  const auto ada = store::find_symbol(now, "Ada"), three = store::find_symbol(now, "zebra three");
  const auto is_a = store::find_relation(now, "is-a");
  ASSERT_TRUE(ada && three && is_a);
  const auto assertions =
      now.assertions({*ada, store::Predicate::link(*is_a), store::Term::entity(*three)});
  ASSERT_EQ(assertions.size(), 1U);
  EXPECT_EQ(now.entry(assertions[0].born).trust, Trust::kUntrusted);
}

// Of what the owner alone said the owner's trust is left.
TEST_F(TrustPaths, WhatIsInferredFromTheOwnersWordIsNotLowered) {
  test::link(*open(), {{"Ada", "is-a", "poet"}, {"poet", "is-a", "person"}}, 1.0,
             {"ada", "terminal", Trust::kOperator, store::Sequence{}});
  run({"agent", "infer"});
  const store::Snapshot now = open()->snapshot().value();
  const auto assertions = now.assertions(
      {*store::find_symbol(now, "Ada"), store::Predicate::link(*store::find_relation(now, "is-a")),
       store::Term::entity(*store::find_symbol(now, "person"))});
  ASSERT_EQ(assertions.size(), 1U);
  EXPECT_EQ(now.entry(assertions[0].born).trust, Trust::kOperator);
}

// What an agent notes of what it read is trusted as that: episodes, answers, statements of its own.
TEST_F(TrustPaths, WhatAnAgentNotesOfWhatItRead) {
  import(kPage);
  {
    const auto space = open();
    memory::CompartmentManager compartments(*space, system_files(), folder_.file("compartments"));
    const store::Origin owner{"ada", "terminal", Trust::kOperator, store::Sequence{}};
    ASSERT_TRUE(compartments.start(owner));
    agent::AgentConfig config;
    config.origin = owner;
    config.memory_capacity = 4;  // so that it has to keep what it saw
    const auto made = agent::Agent::create(*space, compartments, system_files(), config);
    ASSERT_TRUE(made) << made.error().describe();
    const std::string name = "zebra one";
    ASSERT_TRUE((*made)->perform(
        "kg_mutate", {{"subject", name}, {"predicate", "seen-by"}, {"object", "grace"}}));
    ASSERT_TRUE((*made)->perform("infer_rules", {}));
  }
  EXPECT_EQ(raised(), std::vector<std::string>{});
}

TEST_F(TrustPaths, WhatAnAgentsRunKeeps) {
  import(kPage);
  // The goal is the owner's own word and names nothing of the page; "one" is found in it.
  test::link(*open(), {{"stable", "holds", "horses"}}, 1.0,
             {"ada", "terminal", Trust::kOperator, store::Sequence{}});
  test::link(*open(), {{"stable", "is-a", "zebra one"}}, 1.0, outsider());
  const test::CliRun ran = test::run_cli(
      {"--space", space_, "run", "--goal", "find out about stable", "--max-cycles", "12"},
      environment_);
  ASSERT_TRUE(ran.code == 0 || ran.code == 1 || ran.code == 7) << ran.code << ran.err;
  EXPECT_EQ(raised(), std::vector<std::string>{}) << ran.out;
}

TEST_F(TrustPaths, KipAndWhatAnMcpClientRemembers) {
  {
    const auto space = open();
    const auto engine = kip::Engine::open(space).value();
    SystemClock clock;
    SystemRandom random;
    agent::HouseOptions settings;
    settings.agent = serve::kMcpAgent;
    settings.tools.work_folder = folder_.file("work");
    const auto house =
        agent::GovernedHouse::open(space, clock, random, std::move(settings)).value();
    agent::SpaceWhy why(space, system_files());
    serve::McpMemory memory(*house, why, {.author = "mcp:eve", .source = "mcp"});
    serve::McpOptions options;  // what they say of trust is the least
    options.memory = &memory;
    serve::McpServer server(engine, options);
    const auto call = [&](const char* tool, Json arguments) {
      const Json answer = *server.handle(Json::object(
          {{"jsonrpc", "2.0"},
           {"id", 1},
           {"method", "tools/call"},
           {"params", Json::object({{"name", tool}, {"arguments", std::move(arguments)}})}}));
      EXPECT_EQ(answer.find("result")->find("isError"), nullptr) << answer.dump();
    };
    call("execute_kip",
         Json::object({{"command",
                        "UPSERT { CONCEPT ?e { {type: \"Event\", name: \"zebra event\"} SET "
                        "ATTRIBUTES { content_summary: \"zebra text\" } } }"}}));
    call("remember", Json::object({{"text", "the zebra is in the garden of the mill"}}));
    const Json written = engine->execute(
        "UPSERT { CONCEPT { {type: \"Person\", name: \"zebra person\"} } }", Json::object());
    EXPECT_EQ(written.find("error"), nullptr) << written.dump();
  }
  EXPECT_EQ(raised(), std::vector<std::string>{});
  EXPECT_GT(seen_, 4U);
}

TEST_F(TrustPaths, APackThatSomebodyUntrustedBrings) {
  const std::string pack = folder_.file("compartments/stripes");
  ASSERT_TRUE(system_files().make_directories(pack));
  ASSERT_TRUE(replace_file(system_files(), pack + "/compartment.toml",
                           "id = \"stripes\"\nname = \"zebra pack\"\nkind = \"Skill\"\n"
                           "triples_file = \"t.json\"\n"));
  ASSERT_TRUE(replace_file(system_files(), pack + "/t.json", kPack));
  {
    const auto space = open();
    memory::CompartmentManager compartments(*space, system_files(), folder_.file("compartments"));
    ASSERT_TRUE(compartments.start({}));
    ASSERT_TRUE(compartments.load("stripes", outsider()));
  }
  EXPECT_EQ(raised(), std::vector<std::string>{});
  EXPECT_GT(seen_, 4U);
  // Whoever loads it, who wrote it is known to nobody.
  run({"compartment", "unload", "stripes"});
  run({"compartment", "load", pack});
  EXPECT_EQ(raised(Trust::kStandard), std::vector<std::string>{});
}

// Undoing makes nobody's word the undoer's own.
TEST_F(TrustPaths, WhatAnUndoPutsBack) {
  import(kPage);
  const auto sequence = [&] {
    return static_cast<std::uint64_t>(open()->snapshot().value().sequence());
  };
  run({"kip", "DELETE CONCEPT ?c DETACH WHERE { ?c {type: \"Entity\"} }"});
  const std::string deleted = std::to_string(sequence());
  EXPECT_EQ(raised(), std::vector<std::string>{});
  run({"undo", deleted});
  EXPECT_EQ(raised(), std::vector<std::string>{});
  EXPECT_GT(seen_, 2U);
}

}  // namespace
}  // namespace anima::trust_paths_test
