// Every door of a space against everything that can keep an act from happening: an emergency stop,
// a rule that denies every call, approvals that need a key, approvers that the account does not
// know, the constitution. The act does not happen, and the audit says why. The tables are made from
// the lists of verbs, tools, routes and calls: a new door without a row fails.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/frame/exit_code.h"
#include "cli/frame/verb.h"
#include "support/held_space.h"

namespace anima::gate_doors_test {
namespace {

using Line = std::vector<std::string>;

enum class Door {
  kNone,     // looks at no space and does nothing for anybody
  kReads,    // the owner asks the own memory: let through by packs/policy/undeniable.mg
  kGoverns,  // stops, resumes, answers: likewise
  kActs,     // is judged as "terminal:VERB"
  kCalls,    // what it does are calls of tools, each judged by the executor
};

struct Row {
  Line line;
  Door door = Door::kActs;
};

// A word with FILE in it names a file that is there.
const std::map<std::string_view, Row>& rows() {
  constexpr const char* kKey = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
  static const std::map<std::string_view, Row> all = {
      {"init", {{"init"}}},
      {"kip", {{"kip", "UPSERT { CONCEPT { {type: \"Domain\", name: \"written\"} } }"}}},
      {"kip fmt", {{}, Door::kNone}},
      {"sparql", {{"sparql", "--update", "INSERT DATA { <urn:written> <urn:p> <urn:o> }"}}},
      {"mcp", {{}, Door::kCalls}},
      {"mcp add", {{"mcp", "add", "files", "--", "/bin/cat"}}},
      {"mcp list", {{"mcp", "list"}, Door::kReads}},
      {"mcp check", {{"mcp", "check", "files"}}},
      {"mcp accept", {{"mcp", "accept", "files"}}},
      {"mcp remove", {{"mcp", "remove", "files"}}},
      {"serve", {{}, Door::kCalls}},
      {"serve token add", {{"serve", "token", "add", "written"}}},
      {"serve token list", {{"serve", "token", "list"}, Door::kReads}},
      {"serve token remove", {{"serve", "token", "remove", "there"}}},
      {"load", {{"load", "--yes", "FILE.csv"}}},
      {"import", {{"import", "FILE.csv"}}},
      {"export", {{"export"}, Door::kReads}},
      {"ask", {{"ask", "list the things"}, Door::kReads}},
      {"search", {{"search", "moon"}, Door::kReads}},
      {"compartment list", {{"compartment", "list"}, Door::kReads}},
      {"compartment info", {{"compartment", "info", "astronomy"}, Door::kReads}},
      {"compartment discover", {{"compartment", "discover"}, Door::kReads}},
      {"compartment create", {{"compartment", "create", "written"}}},
      {"compartment load", {{"compartment", "load", "PACK"}}},
      {"compartment unload", {{"compartment", "unload", "there"}}},
      {"compartment activate", {{"compartment", "activate", "there"}}},
      {"compartment deactivate", {{"compartment", "deactivate", "there"}}},
      {"compartment switch", {{"compartment", "switch", "there"}}},
      {"compartment query", {{"compartment", "query", "there", "ASK {}"}, Door::kReads}},
      {"compartment sign", {{}, Door::kNone}},
      {"compartment verify", {{}, Door::kNone}},
      {"compartment accept", {{"compartment", "accept", kKey}}},
      {"compartment keys", {{"compartment", "keys"}, Door::kReads}},
      {"skill list", {{"skill", "list"}, Door::kReads}},
      {"skill info", {{"skill", "info", "there"}, Door::kReads}},
      {"skill load", {{"skill", "load", "PACK"}}},
      {"skill unload", {{"skill", "unload", "there"}}},
      {"skill scaffold", {{"skill", "scaffold", "written"}}},
      {"why", {{"why", "is_a(\"moon\", \"satellite\")"}, Door::kReads}},
      {"why-not", {{"why-not", "is_a(\"moon\", \"star\")"}, Door::kReads}},
      {"contradictions", {{"contradictions"}, Door::kReads}},
      {"provenance", {{"provenance", "moon"}, Door::kReads}},
      {"agent goals", {{"agent", "goals"}, Door::kReads}},
      {"agent plan", {{"agent", "plan", "find out about moon"}}},
      {"agent cycle", {{"agent", "cycle", "--goal", "find out about moon"}}},
      {"agent resume", {{"agent", "resume"}}},
      {"agent reflect", {{"agent", "reflect"}}},
      {"agent consolidate", {{"agent", "consolidate"}}},
      {"agent recall", {{"agent", "recall", "moon"}, Door::kReads}},
      {"agent tools", {{}, Door::kNone}},
      {"agent prune", {{"agent", "prune", "--older-than", "90 days"}}},
      {"agent gaps", {{"agent", "gaps", "--goal", "moon"}, Door::kReads}},
      {"agent infer", {{"agent", "infer"}}},
      {"agent document", {{"agent", "document", "moon"}, Door::kReads}},
      {"agent schema", {{"agent", "schema"}, Door::kReads}},
      {"agent repl", {{}, Door::kCalls}},
      {"chat", {{}, Door::kCalls}},
      {"agent chat", {{}, Door::kCalls}},
      {"agent context", {{}, Door::kNone}},
      {"agent memory", {{"agent", "memory", "set", "human", "written"}}},
      {"grammar list", {{}, Door::kNone}},
      {"grammar parse", {{"grammar", "parse", "Moon is a satellite."}, Door::kReads}},
      {"grammar linearize", {{}, Door::kNone}},
      {"grammar compare", {{}, Door::kNone}},
      {"grammar load", {{"grammar", "load", "FILE.grammar.toml"}}},
      {"grammar render", {{"grammar", "render", "moon"}, Door::kReads}},
      {"psyche show", {{"psyche", "show"}, Door::kReads}},
      {"psyche export", {{"psyche", "export", "FILE.out.toml"}, Door::kReads}},
      {"psyche set", {{"psyche", "set", "FILE.psyche.toml"}}},
      {"psyche reload", {{"psyche", "reload"}}},
      {"psyche drop-veto", {{"psyche", "drop-veto", "there"}}},
      {"psyche history", {{"psyche", "history"}, Door::kReads}},
      {"psyche reset", {{"psyche", "reset", "--confirm"}}},
      {"world join",
       {{"world", "join", "--bus", "nats://127.0.0.1:1", "--part", "2", "--seed", "7"}}},
      {"world run", {{"world", "run", "--agents", "1", "--cycles", "1", "--seed", "7"}}},
      {"world show", {{}, Door::kNone}},
      {"run", {{"run", "find out about moon"}}},
      {"replay", {{"replay"}, Door::kReads}},
      {"llm list", {{}, Door::kNone}},
      {"llm check", {{"llm", "check", "local"}}},
      {"llm ask", {{"llm", "ask", "local", "hello"}}},
      {"history", {{"history", "moon"}, Door::kReads}},
      {"changes", {{"changes", "1"}, Door::kReads}},
      {"undo", {{"undo", "last"}}},
      {"sleep", {{"sleep"}}},
      {"sleep list", {{"sleep", "list"}, Door::kReads}},
      {"sleep status", {{"sleep", "status"}, Door::kReads}},
      {"sleep metrics", {{"sleep", "metrics"}, Door::kReads}},
      {"sleep report", {{"sleep", "report", "-o", "FILE.html"}, Door::kReads}},
      {"sleep undo", {{"sleep", "undo", "1"}}},
      {"sleep merge", {{"sleep", "merge", "moon", "satellite"}}},
      {"as-of", {{"as-of", "1", "search", "moon"}, Door::kReads}},
      {"audit log", {{"audit", "log"}, Door::kReads}},
      {"audit verify", {{"audit", "verify"}, Door::kReads}},
      {"audit prove", {{"audit", "prove", "1"}, Door::kReads}},
      {"audit checkpoint", {{"audit", "checkpoint", "-o", "FILE.checkpoint"}}},
      {"audit export", {{"audit", "export"}, Door::kReads}},
      {"backup", {{"backup", "FILE.backup", "--overwrite"}, Door::kReads}},
      {"restore", {{"restore", "FILE.backup"}}},
      {"erase", {{"erase", "audit", "--confirm"}}},
      {"forget", {{"forget", "moon", "--confirm"}}},
      {"archive", {{"archive", "FILE.archive", "--before", "2"}}},
      {"compact", {{"compact", "--keep-undo", "1"}}},
      {"checkpoint", {{"checkpoint"}}},
      {"migrate", {{"migrate"}}},
      {"doctor", {{"doctor"}, Door::kReads}},
      {"stats", {{"stats"}, Door::kReads}},
      {"config show", {{}, Door::kNone}},
      {"config check", {{}, Door::kNone}},
      {"completion", {{}, Door::kNone}},
      {"completion words", {{}, Door::kNone}},
      {"datalog run", {{}, Door::kReads}},
      {"datalog check", {{}, Door::kReads}},
      {"datalog fmt", {{}, Door::kNone}},
      {"datalog repl", {{}, Door::kReads}},
      {"guard assess", {{}, Door::kNone}},
      {"guard patterns", {{}, Door::kNone}},
      {"guard eval", {{}, Door::kNone}},
      {"guard policy", {{}, Door::kNone}},
      {"guard call", {{}, Door::kCalls}},
      {"guard train", {{}, Door::kNone}},
      {"guard halt", {{"guard", "halt", "--emergency", "--reason", "smoke"}, Door::kGoverns}},
      {"guard resume", {{"guard", "resume"}, Door::kGoverns}},
      {"guard line", {{"guard", "line"}, Door::kReads}},
      {"tool list", {{}, Door::kNone}},
      {"tool info", {{}, Door::kNone}},
      {"tool run",
       {{"tool", "run", "file:write", R"({"path":"w.txt","content":"written"})"}, Door::kCalls}},
      {"tool undo", {{"tool", "undo"}, Door::kCalls}},
      {"tool add", {{"tool", "add", "FILE.tools.toml"}}},
      {"tool check", {{}, Door::kNone}},
      {"tool remove", {{"tool", "remove", "mail"}}},
      {"tool generate", {{"tool", "generate", "--need", R"({"name":"csv_sum","purpose":"sums"})"}}},
      {"tool log", {{"tool", "log", "csv_sum"}, Door::kReads}},
      {"why-denied", {{"why-denied", "3f2a"}, Door::kReads}},
      {"what-would-allow", {{"what-would-allow", "3f2a"}, Door::kReads}},
      {"approve list", {{"approve", "list"}, Door::kReads}},
      {"approve show", {{"approve", "show", "3f2a"}, Door::kReads}},
      {"approve grant", {{"approve", "grant", "3f2a"}, Door::kGoverns}},
      {"approve deny", {{"approve", "deny", "3f2a"}, Door::kGoverns}},
      {"approver init", {{}, Door::kGoverns}},
      {"approver add", {{}, Door::kGoverns}},
      {"approver list", {{"approver", "list"}, Door::kReads}},
      {"approver pin", {{}, Door::kGoverns}},
      {"approver remove", {{}, Door::kGoverns}},
      {"approver serve", {{}, Door::kNone}},
      {"learnings list", {{"learnings", "list"}, Door::kReads}},
      {"learnings export", {{"learnings", "export", "--shard", "owner"}, Door::kReads}},
      {"learnings import", {{"learnings", "import", "--shard", "owner", "--file", "FILE.json"}}},
      {"learnings forget", {{"learnings", "forget", "1", "--shard", "owner"}}},
      {"learnings decay", {{"learnings", "decay", "--shard", "owner"}}},
      {"learnings clear", {{"learnings", "clear", "--shard", "owner", "--confirm"}}},
      {"learnings stats", {{"learnings", "stats", "--shard", "owner"}, Door::kReads}},
      {"plan list", {{"plan", "list"}, Door::kReads}},
      {"plan show", {{"plan", "show", "3f2a"}, Door::kReads}},
      {"plan continue", {{"plan", "continue", "3f2a"}, Door::kCalls}},
      {"plan abandon", {{"plan", "abandon", "3f2a"}, Door::kGoverns}},
      {"council propose", {{"council", "propose", "Keep backups"}, Door::kGoverns}},
      {"council vote", {{}, Door::kGoverns}},
      {"council veto", {{}, Door::kGoverns}},
      {"council tally", {{"council", "tally", "3f2a"}, Door::kReads}},
      {"council judge", {{}, Door::kNone}},
      {"council gates", {{}, Door::kNone}},
      {"council show", {{"council", "show"}, Door::kReads}},
      {"remember", {{"remember", "written"}}},
      {"recall", {{"recall", "moon"}, Door::kReads}},
      {"memory add", {{"memory", "add", "written"}}},
      {"memory search", {{"memory", "search", "moon"}, Door::kReads}},
      {"memory context", {{"memory", "context", "moon"}, Door::kReads}},
      {"memory show", {{"memory", "show"}, Door::kReads}},
      {"memory verify", {{"memory", "verify", "ITEM", "--as", "guardian"}}},
      {"memory update", {{"memory", "update", "ITEM", "written"}}},
      {"memory forget", {{"memory", "forget", "ITEM"}}},
      {"memory cards", {{"memory", "cards"}, Door::kReads}},
      {"memory review", {{"memory", "review", "CARD", "--quality", "4"}}},
      {"memory eval", {{}, Door::kNone}},
      {"memory ingest", {{"memory", "ingest", "FILE.txt"}}},
      {"memory embed", {{"memory", "embed"}}},
      {"message", {{"message", "write \"written\" to w.txt"}, Door::kCalls}},
      {"events", {{"events"}, Door::kReads}},
      {"version", {{}, Door::kNone}},
      {"help", {{}, Door::kNone}},
  };
  return all;
}

class Doors : public test::HeldSpace {
 protected:
  void SetUp() override {
    HeldSpace::SetUp();
    put("FILE.csv", "subject,predicate,object\nwritten,is-a,thing\n");
    put("FILE.txt", "written is a thing\n");
    put("FILE.json", "[]");
    put("FILE.psyche.toml", "[archetypes]\nhealer = 0.6\n");
    put("FILE.tools.toml",
        "[[tool]]\nname = \"mail\"\ndescription = \"m\"\ncommand = [\"/bin/cat\"]\n");
    put("FILE.grammar.toml", "name = \"ledger\"\n");
    item_ = id_in(run({"memory", "add", "the tide follows the moon", "--json"}).out);
    card_ = id_in(run({"memory", "add", "tide?", "--card", "moon", "--json"}).out);
    ASSERT_EQ(run({"compartment", "create", "there"}).code, 0);
    ASSERT_EQ(act({"backup", "FILE.backup"}).code, 0);
  }
  void put(const std::string& name, std::string_view text) {
    ASSERT_TRUE(replace_file(system_files(), folder_.file(name), text)) << name;
  }
  static std::string id_in(const std::string& json) {
    const auto parsed = parse_json(json);
    const Json* id = parsed ? parsed->find("id") : nullptr;
    return id == nullptr ? std::string() : id->as_string();
  }
  test::CliRun act(Line line) {
    for (std::string& word : line) {
      if (word.starts_with("FILE") || word == "PACK") word = folder_.file(word);
      if (word == "ITEM") word = item_;
      if (word == "CARD") word = card_;
    }
    return run(line);
  }
  // All that is known, and the files of the work folder.
  std::string known() {
    std::string all = run({"export"}).out;
    const std::string items = run({"memory", "show", "--json"}).out;
    const std::regex content("\"content\":\"[^\"]*\"");
    for (std::sregex_iterator at(items.begin(), items.end(), content), none; at != none; ++at)
      all += (*at)[0];
    const auto files = system_files().list(space_ + "/work");
    for (std::size_t i = 0; files && i < files->size(); ++i) all += "\n" + (*files)[i].name;
    return all;
  }

  std::string item_, card_;
};

TEST(GateDoors, EveryVerbHasARow) {
  std::set<std::string_view> verbs;
  for (const cli::Verb* verb : cli::all_verbs()) {
    verbs.insert(verb->name);
    EXPECT_TRUE(rows().contains(verb->name)) << "no row for the verb " << verb->name;
  }
  for (const auto& [name, row] : rows()) {
    EXPECT_TRUE(verbs.contains(name)) << "there is no verb " << name;
    if (row.door == Door::kActs) {
      EXPECT_FALSE(row.line.empty()) << name;
    }
  }
}

TEST_P(Doors, NoVerbActs) {
  ASSERT_NO_FATAL_FAILURE(hold());
  const int refused = GetParam().name == "KeyedApprovals" ? cli::kWaitsForApproval : cli::kRefused;
  const std::string before = known();
  std::map<std::string, std::string> said;
  for (const auto& [name, row] : rows()) {
    if (row.door != Door::kActs) continue;
    const test::CliRun done = act(row.line);
    // `anima kip` ends with 1 when any error is in the answer.
    EXPECT_EQ(done.code, name == "kip" ? cli::kFailed : refused)
        << name << ": " << done.out << done.err;
    said[std::string(name)] = done.out + done.err;
  }
  const std::vector<std::string> refusals = this->refusals();
  for (const auto& [name, text] : said)
    EXPECT_TRUE(told("terminal:" + name, refusals)) << name << ": " << text;
  EXPECT_EQ(known(), before);
}

TEST_P(Doors, NoToolRunsFromAVerb) {
  ASSERT_NO_FATAL_FAILURE(hold());
  for (const std::string_view name : {"tool run", "message"}) {
    const test::CliRun done = act(rows().at(name).line);
    EXPECT_NE(done.code, 0) << name << ": " << done.out;
  }
  EXPECT_FALSE(file_exists(system_files(), space_ + "/work/w.txt"));
}

INSTANTIATE_TEST_SUITE_P(Gate, Doors, testing::ValuesIn(test::holds()),
                         [](const auto& each) { return each.param.name; });

// With all that keeps an act from happening at once.
class Undeniable : public Doors {};

TEST_P(Undeniable, TheOwnerReadsAndGovernsAtHisTerminal) {
  for (const test::Hold& each : test::holds()) ASSERT_NO_FATAL_FAILURE(hold(each.name));
  for (const auto& [name, row] : rows()) {
    if (row.line.empty() || (row.door != Door::kReads && row.door != Door::kGoverns)) continue;
    const test::CliRun done = act(row.line);
    EXPECT_FALSE(done.code == cli::kWaitsForApproval) << name << ": " << done.err;
    EXPECT_EQ(done.err.find("the line is stopped "), std::string::npos) << name << ": " << done.err;
    EXPECT_EQ(done.err.find("is closed"), std::string::npos) << name << ": " << done.err;
  }
  // The note that a memory was handed out is a write, which is refused.
  for (const std::string& entry : refusals()) {
    EXPECT_TRUE(entry.find("\"terminal:memory context\"") != std::string::npos ||
                entry.find("\"terminal:recall\"") != std::string::npos ||
                entry.find("\"terminal:memory search\"") != std::string::npos)
        << entry;
  }
}

INSTANTIATE_TEST_SUITE_P(Gate, Undeniable, testing::Values(test::holds().front()),
                         [](const auto&) { return "AllAtOnce"; });

}  // namespace
}  // namespace anima::gate_doors_test
