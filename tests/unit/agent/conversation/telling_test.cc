// What is said in a conversation without a model, sentence by sentence
// (tests/cases/telling/sentences.txt): what it states, corrects and ends is in the space
// afterwards, and nothing else is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "agent/conversation/conversation.h"
#include "agent/telling/told_facts.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "kip/engine.h"
#include "store/holds.h"
#include "store/symbols.h"
#include "support/lent_clock.h"

namespace anima::agent {
namespace {

using Facts = std::set<std::string>;

constexpr std::string_view kTypes = R"(UPSERT {
  CONCEPT { {type: "$ConceptType", name: "City"} }
  CONCEPT { {type: "$ConceptType", name: "Company"} }
  CONCEPT { {type: "$ConceptType", name: "Service"} }
  CONCEPT { {type: "$PropositionType", name: "lives_in"} }
  CONCEPT { {type: "$PropositionType", name: "works_at"} }
  CONCEPT { {type: "$PropositionType", name: "founded"} }
  CONCEPT { {type: "$PropositionType", name: "owned_by"} }
})";
constexpr std::string_view kThings = R"(UPSERT {
  CONCEPT { {type: "City", name: "Rome"} } CONCEPT { {type: "City", name: "Berlin"} }
  CONCEPT { {type: "City", name: "Paris"} }
  CONCEPT { {type: "Company", name: "Initech"} } CONCEPT { {type: "Company", name: "Acme"} }
  CONCEPT { {type: "Person", name: "Ada"}
    SET ATTRIBUTES {phone: "111", email: "ada@example.org", age: 36, birthday: "1990-02-01",
                    role: "engineer"}
    SET PROPOSITIONS { ("works_at", {type: "Company", name: "Initech"}) } }
  CONCEPT { {type: "Person", name: "Bob"}
    SET ATTRIBUTES {phone: "222", email: "bob@example.org", age: 40, birthday: "1986-05-06",
                    role: "clerk", telefon: "0301"}
    SET PROPOSITIONS { ("lives_in", {type: "City", name: "Paris"})
                       ("works_at", {type: "Company", name: "Acme"})
                       ("founded", {type: "Company", name: "Initech"}) } }
  CONCEPT { {type: "Person", name: "May"}
    SET PROPOSITIONS { ("lives_in", {type: "City", name: "Paris"}) } }
  CONCEPT { {type: "Person", name: "Tom Berger"} SET ATTRIBUTES {phone: "444"} }
  CONCEPT { {type: "Person", name: "Tom Fisher"} SET ATTRIBUTES {phone: "555"} }
  CONCEPT { {type: "Service", name: "wiki"} SET ATTRIBUTES {port: 80}
    SET PROPOSITIONS { ("owned_by", {type: "Person", name: "Bob"}) } }
})";

struct Case {
  std::string text;
  std::vector<std::string> lines;
  Facts gained, lost, flags;
};

std::vector<std::string> parts(const std::string& text, const std::string& separator) {
  std::vector<std::string> list;
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = std::min(text.find(separator, from), text.size());
    const std::string part(trim(std::string_view(text).substr(from, at - from)));
    if (!part.empty()) list.push_back(part);
    if (at == text.size()) return list;
    from = at + separator.size();
  }
}

std::vector<Case> read_cases() {
  std::ifstream file(ANIMA_SOURCE_DIR "/tests/cases/telling/sentences.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    const std::size_t arrow = line.find("=>");
    if (line.empty() || line.front() == '#' || arrow == std::string::npos) continue;
    Case one;
    one.text = line;
    one.lines = parts(line.substr(0, arrow), " / ");
    for (const std::string& part : parts(line.substr(arrow + 2), ";")) {
      if (part.front() == '+') {
        one.gained.insert(part.substr(1));
      } else if (part.front() == '-') {
        one.lost.insert(part.substr(1));
      } else {
        one.flags.insert(part);
      }
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

// A person at a terminal, over a space of its own.
class Talk {
 public:
  Talk() {
    std::shared_ptr<Clock> clock(std::shared_ptr<void>(), &clock_);
    kip::EngineOptions options;
    options.clock = clock;
    const auto engine = kip::Engine::open(space_, options).value();
    kip::Caller caller;
    caller.origin = {"mara", "setup", store::Trust::kOperator, store::Sequence::kNone};
    for (const std::string_view text : {kTypes, kThings}) {
      const Json answer = engine->execute(std::string(text), Json::object(), caller);
      EXPECT_FALSE(kip::has_error(answer)) << answer.dump();
    }
    EXPECT_TRUE(manager_.start({}));
    AgentConfig config;
    config.clock = clock;
    agent_ = Agent::create(*space_, manager_, system_files(), std::move(config)).value();
    asker_ = SpaceAsker::open(space_, system_files(), clock).value();
    start_over();
  }

  // In a session in which nothing was said yet.
  void start_over() {
    ConversationOptions talk;
    talk.asker = asker_.get();
    conversation_ = std::make_unique<Conversation>(*house_, *agent_, std::move(talk));
    ++session_;
  }

  Turn say(const std::string& text) {
    clock_.advance(60'000'000);
    auto turn = conversation_->say({.content = text,
                                    .channel = "terminal",
                                    .sender = "mara",
                                    .session = "session-" + std::to_string(session_)});
    EXPECT_TRUE(turn) << turn.error().describe();
    return turn ? std::move(*turn) : Turn();
  }

  // What holds now of everything but Anima's own records.
  Facts facts() {
    const store::Snapshot now = space_->snapshot().value();
    Facts facts;
    for (const std::string_view key : {"phone", "email", "age", "birthday", "role", "telefon",
                                       "port", "aliases", "said_to_be"}) {
      const auto name = now.find_string(key);
      if (name) add(now, store::Predicate::attribute(*name), facts);
    }
    for (const std::string_view name :
         {"lives_in", "works_at", "founded", "owned_by", "likes", "allergic_to", "sibling_of"}) {
      const auto predicate = now.find_predicate(name);
      if (predicate) add(now, store::Predicate::link(*predicate), facts);
    }
    return facts;
  }

  void define(const std::string& text) {
    kip::EngineOptions options;
    options.clock = std::shared_ptr<Clock>(std::shared_ptr<void>(), &clock_);
    kip::Caller caller;
    caller.origin = {"mara", "setup", store::Trust::kOperator, store::Sequence::kNone};
    const Json answer =
        kip::Engine::open(space_, options).value()->execute(text, Json::object(), caller);
    ASSERT_FALSE(kip::has_error(answer)) << answer.dump();
  }

  // The link says when it ended, and what took its place.
  bool is_closed(const std::string& subject, const std::string& predicate,
                 const std::string& object) {
    const store::Snapshot now = space_->snapshot().value();
    const auto person = now.find_type("Person").value(), city = now.find_type("City").value();
    const store::Triple link{now.find_concept(person, subject).value(),
                             store::Predicate::link(now.find_predicate(predicate).value()),
                             store::Term::entity(now.find_concept(city, object).value())};
    const auto proposition = now.find_proposition(link);
    return proposition && store::said_of_link(now, *proposition, "valid_to") &&
           store::said_of_link(now, *proposition, "superseded_by");
  }

  // What a file says that nobody trusts.
  void import(const std::string& text, const std::string& graph = {}) {
    kip::EngineOptions options;
    options.clock = std::shared_ptr<Clock>(std::shared_ptr<void>(), &clock_);
    kip::Caller caller;
    caller.origin = {"importer", "evil.csv", store::Trust::kUntrusted, store::Sequence::kNone};
    caller.define_on_use = true;
    const Json request = Json::object({{"command", text}, {"graph", graph}});
    const Json answer = kip::Engine::open(space_, options).value()->execute(request, caller);
    ASSERT_FALSE(kip::has_error(answer)) << answer.dump();
  }

  bool knows_speaker() {
    const store::Snapshot now = space_->snapshot().value();
    return now.find_concept(now.find_type("Person").value(), "mara").has_value();
  }

  GovernedHouse& house() { return *house_; }

 private:
  static void add(const store::Snapshot& now, store::Predicate predicate, Facts& facts) {
    store::Pattern pattern;
    pattern.predicate = predicate;
    pattern.predicate_class = predicate.predicate_class();
    store::Cursor cursor = now.scan(pattern);
    std::vector<store::Triple> rows(100);
    rows.resize(cursor.next(rows));
    const Timestamp time = now.entry(now.sequence()).time;
    for (const store::Triple& row : rows) {
      if (!store::is_valid(store::standing_of(now, row), time, time)) continue;
      facts.insert(store::symbol_label(now, row.subject) + " " +
                   store::predicate_label(now, predicate) + " " +
                   store::term_label(now, row.object));
    }
  }

  TemporaryDirectory folder_{"anima-telling"};
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{6};
  std::shared_ptr<store::Space> space_ =
      store::Space::open(folder_.file("space"), {.create = true, .clock = test::lent(clock_)})
          .value();
  std::unique_ptr<GovernedHouse> house_ =
      GovernedHouse::open(space_, clock_, random_, {.tools = {.work_folder = folder_.file("work")}})
          .value();
  memory::CompartmentManager manager_{*space_, system_files(), folder_.file("compartments")};
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<SpaceAsker> asker_;
  std::unique_ptr<Conversation> conversation_;
  int session_ = 0;
};

Facts without(const Facts& a, const Facts& b) {
  Facts rest;
  for (const std::string& one : a) {
    if (!b.contains(one)) rest.insert(one);
  }
  return rest;
}

TEST(Telling, EachSentenceDoesWhatItSaysAndNothingElse) {
  const std::vector<Case> cases = read_cases();
  ASSERT_GE(cases.size(), 100U);
  const char* const only = std::getenv("ANIMA_TEST_SENTENCE");
  std::unique_ptr<Talk> talk;
  bool as_made = false;  // no line said so far changed what holds in it
  for (const Case& one : cases) {
    if (only != nullptr && one.text.find(only) == std::string::npos) continue;
    if (as_made) {
      talk->start_over();
    } else {
      talk = std::make_unique<Talk>();
    }
    const Facts before = talk->facts();
    as_made = true;
    Turn last;
    for (const std::string& line : one.lines) {
      last = talk->say(line);
      as_made = as_made && talk->facts() == before && !talk->knows_speaker();
    }
    const Facts after = talk->facts();
    EXPECT_EQ(without(after, before), one.gained) << one.text << "\n" << last.text;
    EXPECT_EQ(without(before, after), one.lost) << one.text << "\n" << last.text;
    const bool note = last.text.find("Remembered as a text") != std::string::npos;
    const bool asks = last.text.find("No fact was changed") != std::string::npos;
    EXPECT_EQ(note, one.flags.contains("note")) << one.text << "\n" << last.text;
    EXPECT_EQ(asks, one.flags.contains("asks")) << one.text << "\n" << last.text;
    if (one.flags.contains("answer")) {
      EXPECT_EQ(last.kind, TurnKind::kAnswer) << one.text << "\n" << last.text;
    }
  }
}

TEST(Telling, ACorrectionSaysWhatItChanged) {
  Talk talk;
  (void)talk.say("What is Ada's phone?");
  EXPECT_NE(talk.say("Sorry, it is 333").text.find("Ada's phone: 333, was 111"), std::string::npos);
  const std::string ended = talk.say("Ada no longer works at Initech").text;
  EXPECT_NE(ended.find("Ada works_at: no longer Initech"), std::string::npos) << ended;
  const std::string asked = talk.say("Ada's phone is broken").text;
  EXPECT_NE(asked.find("change Ada's phone to \"broken\""), std::string::npos) << asked;
  EXPECT_NE(asked.find("333"), std::string::npos) << asked;
  const std::string which = talk.say("remember that the phone of Tom is 556").text;
  EXPECT_NE(which.find("Tom Berger, Tom Fisher"), std::string::npos) << which;
  const std::string odd = talk.say("Ada presumably lives in Rome").text;
  EXPECT_NE(odd.find("I do not know what 'presumably' does there"), std::string::npos) << odd;
}

// Of a predicate with room for one object a new one closes the old one, by whoever is trusted as
// far; who takes it back opens that again.
TEST(Telling, ANewObjectOfAFunctionalPredicateClosesTheOldOne) {
  Talk talk;
  talk.define(
      R"(UPSERT { CONCEPT { {type: "$PropositionType", name: "lives_in"}
                            SET ATTRIBUTES { functional: true } } })");
  const std::string told = talk.say("Bob lives in Berlin").text;
  EXPECT_NE(told.find("Bob lives_in: Berlin, was Paris"), std::string::npos) << told;
  EXPECT_TRUE(talk.is_closed("Bob", "lives_in", "Paris"));
  EXPECT_FALSE(talk.is_closed("Bob", "lives_in", "Berlin"));
  (void)talk.say("that's wrong");
  EXPECT_FALSE(talk.is_closed("Bob", "lives_in", "Paris"));
  memory::NewMemory item;
  item.content = "Bob lives in Rome";
  item.created_by = "mcp:somebody";
  item.source = "mcp";
  item.trust = govern::Trust::kStandard;
  ASSERT_TRUE(talk.house().remember(item));
  EXPECT_FALSE(talk.is_closed("Bob", "lives_in", "Paris"));
}

// Whoever is trusted less changes nothing of what the owner said, whatever he says of it.
TEST(Telling, WhoIsTrustedLessEndsNothing) {
  Talk talk;
  const Facts before = talk.facts();
  for (const std::string text :
       {"Ada no longer works at Initech", "Ada's phone is no longer 111", "Ada left Initech",
        "No, Bob lives in Berlin", "Ada's phone is not 111 but 333"}) {
    memory::NewMemory item;
    item.content = text;
    item.created_by = "mcp:somebody";
    item.source = "mcp";
    item.trust = govern::Trust::kStandard;
    const auto kept = talk.house().remember(item);
    ASSERT_TRUE(kept) << kept.error().describe();
    EXPECT_NE(kept->told.asks.find("trusted more"), std::string::npos) << text;
    EXPECT_EQ(talk.facts(), before) << text;
  }
}

// Words and names of a file that nobody trusts decide nothing of what a sentence means.
TEST(Telling, WhatNobodyTrustsDecidesNothing) {
  Talk talk;
  talk.import(R"(UPSERT {
    CONCEPT { {type: "Person", name: "Tom"} SET ATTRIBUTES {phone: "999"} }
    CONCEPT { {type: "City", name: "Atlantis"} }
    CONCEPT { {type: "Person", name: "Bob"} SET ATTRIBUTES {number: "666"}
      SET PROPOSITIONS { ("lives", {type: "City", name: "Rome"})
                         ("works_at", {type: "Company", name: "Initech"}) } } })");
  const Facts before = talk.facts();
  const std::string which = talk.say("the phone of Tom is 556").text;
  EXPECT_NE(which.find("Tom Berger, Tom Fisher"), std::string::npos) << which;
  EXPECT_EQ(talk.facts(), before);
  (void)talk.say("Ada lives in Rome");
  EXPECT_EQ(without(talk.facts(), before), Facts{"Ada lives_in Rome"});
  (void)talk.say("No, in Berlin");
  EXPECT_EQ(without(talk.facts(), before), Facts{"Ada lives_in Berlin"});
  // A word that only the file has is understood where there is no other.
  (void)talk.say("Ada lives in Atlantis");
  EXPECT_TRUE(talk.facts().contains("Ada lives_in Atlantis"));
  talk.import("UPSERT { CONCEPT { {type: \"Person\", name: \"Bob\"} SET ATTRIBUTES {age: 99} } }",
              "urn:anima:compartment:other");
  EXPECT_EQ(talk.say("Bob's age is 41").text.find("stands beside"), std::string::npos);
  EXPECT_NE(talk.say("What is Bob's age?").text.find("41"), std::string::npos);
  EXPECT_NE(talk.say("What is Bob's number?").text.find("666"), std::string::npos);
  EXPECT_NE(talk.say("Sorry, it is 7").text.find("Bob's number: 7, was 666"), std::string::npos);
  (void)talk.say("Bob no longer works at Initech");
  EXPECT_FALSE(talk.facts().contains("Bob works_at Initech"));
}

// Of one conversation, not of another one.
TEST(Telling, ACorrectionIsAboutItsOwnConversation) {
  Talk talk;
  (void)talk.say("Ada's phone is 333");
  memory::NewMemory item;
  item.content = "Sorry, it is 334";
  item.created_by = "mcp:mara";
  item.source = "mcp";
  item.trust = govern::Trust::kOperator;
  const auto kept = talk.house().remember(item);
  ASSERT_TRUE(kept);
  EXPECT_FALSE(kept->told.asks.empty());
  EXPECT_TRUE(talk.facts().contains("Ada phone 333"));
  item.content = "Ada's phone is 335";
  ASSERT_TRUE(talk.house().remember(item));
  item.content = "Sorry, it is 336";
  EXPECT_EQ(talk.house().remember(item)->told.corrected, "Ada's phone: 336, was 335");
}

// Also by a door that takes texts, where each is a line of its own.
TEST(Telling, AYesKeepsWhatTheLineBeforeAsked) {
  Talk talk;
  memory::NewMemory item;
  item.created_by = "mcp:mara";
  item.source = "mcp";
  item.trust = govern::Trust::kOperator;
  const auto tell = [&](const std::string& text) {
    item.content = text;
    talk.house().begin_line(agent::said_by(item));
    const auto kept = talk.house().remember(item);
    EXPECT_TRUE(kept) << text;
    return kept ? kept->told : Told();
  };
  EXPECT_EQ(tell("yes").stated, "");
  EXPECT_NE(tell("Ada's role is head of sales").asks.find("\"head of sales\""), std::string::npos);
  EXPECT_EQ(tell("yes").corrected, "Ada's role: head of sales, was engineer");
  EXPECT_EQ(tell("yes").stated, "");
  EXPECT_FALSE(tell("Ada's role is head of fun").asks.empty());
  EXPECT_EQ(tell("Ada hums").stated, "");
  EXPECT_EQ(tell("yes").stated, "");
  EXPECT_TRUE(talk.facts().contains("Ada role head of sales"));
}

TEST(Telling, WhereNothingIsToBeLearntNothingIs) {
  Talk talk;
  talk.house().learn_nothing_said();
  const Facts before = talk.facts();
  (void)talk.say("Ada lives in Rome.");
  EXPECT_EQ(talk.facts(), before);
}

}  // namespace
}  // namespace anima::agent
