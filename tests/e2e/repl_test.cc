// The prompt of `anima kip` on a terminal: a pseudo-terminal, keys in, screen out.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "base/files/file.h"
#include "support/command.h"
#include "support/terminal.h"

namespace anima::repl_test {
namespace {

class Terminal : public test::Terminal {
 public:
  explicit Terminal(const std::string& folder)
      : test::Terminal(ANIMA_BINARY_DIR "/anima", "kip", folder, "kip> ", " ... ") {}
};

using test::kControlC;
using test::kControlD;
using test::kEscape;

TEST(Repl, AnswersOneLineAndSeveral) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  const std::string table =
      terminal.run("FIND(?d.name) WHERE { ?d {type: \"Domain\"} } ORDER BY ?d.name ASC");
  EXPECT_NE(table.find("?d.name\r\nArchived\r\nCoreSchema\r\nUnsorted\r\n3 rows\r\n"),
            std::string::npos)
      << table;
  terminal.run("FIND(COUNT(?d))  // how many", " ... ");
  terminal.run("WHERE { ?d {type: \"Domain\"} }", " ... ");
  EXPECT_NE(terminal.run("").find("3"), std::string::npos);
  terminal.run("FIND(?d.name)", " ... ");
  EXPECT_NE(terminal.run("WHERE { ?d {type: \"Domain\"} } LIMIT 1;").find("1 row\r"),
            std::string::npos);
  EXPECT_NE(terminal.run("FIND(?d) WHERE { ?d {typ: \"Domain\"} }").find("KIP_1001 at 1:"),
            std::string::npos);
  terminal.type(kControlD);
  EXPECT_EQ(terminal.wait(), 0);
}

TEST(Repl, CompletesKeywordsTypesPredicatesAndFields) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  terminal.type("DESCRI\t DOM\t\r");
  terminal.until("CoreSchema");
  terminal.until("\nkip> ");
  terminal.type("DESCRIBE CONCEPT TYPE \"SleepT\t\r");
  terminal.until("requested_action");
  terminal.until("\nkip> ");
  terminal.type("DESCRIBE PROPOSITION TYPE \"belongs\t\r");
  terminal.until("The subject belongs to the domain");
  terminal.until("\nkip> ");
  terminal.type("FIND(?d.na\t) WHERE { ?d {type: \"Domain\"} } LIMIT 1\r");
  terminal.until("?d.name\r\n");
  terminal.until("\nkip> ");
  // Two ways to go on are shown, and the line stays.
  terminal.type("DESC\t");
  terminal.until("DESC  DESCRIBE");
  terminal.type("RIBE DOMAINS\r");
  terminal.until("CoreSchema");
  terminal.until("\nkip> ");
  terminal.type(std::string("exit\r"));
  EXPECT_EQ(terminal.wait(), 0);
}

TEST(Repl, RemembersCommandsWhole) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  {
    Terminal terminal(folder.path());
    terminal.until("kip> ");
    terminal.run("FIND(COUNT(?d)) // all of them", " ... ");
    terminal.run("WHERE { ?d {type: \"Domain\"} };");
    terminal.type(std::string(kEscape) + "[A\r");
    EXPECT_NE(terminal.until("\nkip> ").find("3"), std::string::npos);
    terminal.type(kControlD);
    EXPECT_EQ(terminal.wait(), 0);
  }
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  terminal.type(std::string(kEscape) + "[A");
  const std::string recalled = terminal.until("\"Domain\"");
  EXPECT_NE(recalled.find("FIND(COUNT(?d))"), std::string::npos) << recalled;
  EXPECT_EQ(recalled.find("all of them"), std::string::npos) << recalled;
  terminal.type("\r");
  terminal.until("\nkip> ");
}

TEST(Repl, ControlCDropsWhatWasTypedAndStopsWhatRuns) {
  const TemporaryDirectory folder;
  test::init_space(folder);
  Terminal terminal(folder.path());
  terminal.until("kip> ");
  terminal.type("FIND(?x");
  terminal.until("FIND(?x");
  terminal.type(kControlC);
  terminal.until("\nkip> ");
  terminal.run("FIND(?d.name)", " ... ");
  terminal.type(kControlC);
  terminal.until("\nkip> ");
  EXPECT_NE(terminal.run("DESCRIBE DOMAINS").find("CoreSchema"), std::string::npos);
  // A product of ten million million rows, of which the interrupt leaves most untouched.
  terminal.type(
      "FIND(COUNT(?a)) WHERE { ?a {} ?b {} ?c {} ?d {} ?e {} ?f {} ?g {} ?h {} ?i {} ?j {} "
      "FILTER(?a.name == ?j.name && ?b.name != ?i.name && ?c.name != ?h.name) }\r");
  terminal.until("}\r\n");
  usleep(300'000);
  terminal.type(kControlC);
  EXPECT_NE(terminal.until("\nkip> ").find("KIP_400"), std::string::npos);
  EXPECT_NE(terminal.run("DESCRIBE DOMAINS").find("CoreSchema"), std::string::npos);
  kill(terminal.pid(), SIGTERM);
  EXPECT_EQ(terminal.wait(), 130);
}

}  // namespace
}  // namespace anima::repl_test
