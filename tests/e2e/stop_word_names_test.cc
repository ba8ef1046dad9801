// People and things that are called by a word which is a stop word of some language are found at
// each door, before texts that have the word in its ordinary sense.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/text/text.h"
#include "cli/frame/program.h"
#include "support/cli_run.h"

namespace anima::cli::stop_word_names_test {
namespace {

struct Row {
  const char *name, *named, *plain;
};
// English, German, French, Spanish, Italian, Dutch, Swedish, Turkish and Indonesian.
constexpr Row kRows[] = {
    {"Will", "I met Will at the harbour on Sunday", "We will go to the harbour on Monday"},
    {"IT", "The IT department is on the third floor", "We said that it is late for the others"},
    {"WHO", "We heard that the WHO was here with them", "We asked who was here with them"},
    {"Weg", "Gestern kam Herr Weg zu uns und war nicht allein",
     "Das ist weit weg von hier und nicht schön"},
    {"An", "Hier haben wir mit An über das Haus gesprochen",
     "Wir denken an das Haus und nicht an den See"},
    {"Mit", "Wir haben der Firma Mit geschrieben und nicht ihm",
     "Wir kommen mit dem Hund und nicht allein"},
    {"Pas", "Nous étions avec eux dans le Pas de Calais", "Je ne sais pas où il est avec eux"},
    {"Si", "Nous avons vu Si dans la maison avec eux", "Je ne sais si elle est dans la maison"},
    {"Ella", "Ayer vimos a Ella en la casa con los otros",
     "No es para la casa y no es para ella o los otros"},
    {"Mia", "Ieri abbiamo visto Mia nella casa con gli altri",
     "Questa è la casa mia e non la casa degli altri"},
    {"Dan", "Wij hebben Dan met de anderen in het huis gezien",
     "En dan gaan wij met de anderen naar het huis"},
    {"Mina", "Och sedan var Mina i huset med de andra", "Det är mina hus och inte de andras"},
    {"Ben", "Bu akşam Ben ile bir yerde ve çok güzel", "Bu akşam ben de bir yerde ve çok yorgun"},
    {"Ada", "Kami dan Ada pergi ke rumah itu untuk makan", "Di rumah itu ada yang dan untuk kami"},
};

class StopWordNames : public testing::Test {
 protected:
  std::string run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--space", folder_.file("space")});
    const test::CliRun done = test::run_cli(arguments, environment_);
    EXPECT_TRUE(done.code == kDone || done.code == kMissing) << done.out << done.err;
    return done.out;
  }
  void SetUp() override {
    run({"init"});
    int number = 0;
    for (const Row& row : kRows) {
      const std::string id = std::to_string(++number);
      // The ordinary sense first: the order of what was told helps nobody.
      for (const auto& [kind, text] :
           {std::pair("plain", row.plain), std::pair("named", row.named)}) {
        run({"memory", "add", text});
        run({"kip", "UPSERT { CONCEPT { {type: \"Person\", name: \"" + std::string(kind) + "-" +
                        id + "\"} SET ATTRIBUTES {note: " + quote_json(text) + "} } }"});
      }
    }
  }
  // `wanted` is there, and `other` not before it.
  static void expect_first(const std::string& answer, const std::string& wanted,
                           const std::string& other) {
    const std::size_t at = answer.find(wanted);
    EXPECT_NE(at, std::string::npos) << wanted << " is not in " << answer;
    EXPECT_GE(answer.find(other), at) << other << " comes first in " << answer;
  }

  TemporaryDirectory folder_;
  Environment environment_{{"HOME", folder_.path()}, {"USER", "grace"}};
};

TEST_F(StopWordNames, AreFoundBeforeTheWord) {
  int number = 0;
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const std::string id = std::to_string(++number), name = row.name;
    expect_first(run({"--json", "memory", "search", name}), row.named, row.plain);
    expect_first(run({"--json", "memory", "search", to_lower(name)}), row.named, row.plain);
    expect_first(run({"recall", name}), row.named, row.plain);
    expect_first(run({"--json", "search", name}), "\"named-" + id + "\"", "\"plain-" + id + "\"");
    expect_first(run({"--json", "kip", "SEARCH CONCEPT \"" + name + "\" LIMIT 5"}),
                 "\"named-" + id + "\"", "\"plain-" + id + "\"");
  }
}

TEST_F(StopWordNames, AreFoundInQuestions) {
  const std::pair<const char*, const Row*> kQuestions[] = {
      {"when did I meet Will", &kRows[0]},
      {"where is the IT department", &kRows[1]},
      {"was the WHO here", &kRows[2]},
      {"wann kam Weg zu uns", &kRows[3]},
      {"Weg Will", &kRows[3]},
      {"où est Pas", &kRows[6]},
      {"dónde está Ella", &kRows[8]},
      {"dove hai visto Mia", &kRows[9]},
      {"waar hebben wij Dan gezien", &kRows[10]},
  };
  for (const auto& [question, row] : kQuestions) {
    SCOPED_TRACE(question);
    expect_first(run({"--json", "memory", "search", question}), row->named, row->plain);
    expect_first(run({"recall", question}), row->named, row->plain);
  }
}

}  // namespace
}  // namespace anima::cli::stop_word_names_test
