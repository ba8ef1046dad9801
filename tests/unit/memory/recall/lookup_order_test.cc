// What recall and the memory's search find first, and which forms of a word they know.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/text/text.h"
#include "memory/memory_manager.h"
#include "memory/recall/recall_context.h"
#include "support/lent_clock.h"

namespace anima::memory::lookup_order_test {
namespace {

class LookupOrder : public ::testing::Test {
 protected:
  struct Home {
    ManualClock clock{Timestamp{1'767'225'600'000'000}};
    SeededRandom random{9};
    std::shared_ptr<store::Space> space =
        store::Space::in_memory({.clock = test::lent(clock)}).value();
    bus::EventBus events;
    govern::Guardian guardian{govern::PatternSet::shipped().value()};
    govern::Ledger ledger{*space, clock, random};
    MemoryManager manager{*space, ledger, guardian, events, clock, random};
  };

  LookupOrder() : home_(std::make_unique<Home>()) {}

  void remember(std::string_view content) {
    NewMemory memory;
    memory.content = content;
    memory.trust = govern::Trust::kOperator;
    memory.source = "terminal";
    memory.created_by = "ada";
    ASSERT_TRUE(home_->manager.store(memory));
  }
  std::vector<std::string> searched(std::string_view text) {
    const auto found = home_->manager.search(text, "operator", 20);
    std::vector<std::string> contents;
    for (const auto& each : *found) contents.push_back(each.item.content);
    return contents;
  }
  // Best first.
  std::vector<std::string> recalled(std::string_view text) {
    auto context = recall_context(home_->manager, home_->space->snapshot().value(), text, {});
    std::ranges::sort(context->items, {}, &ContextItem::rank);
    std::vector<std::string> contents;
    for (const ContextItem& item : context->items) contents.push_back(item.content);
    return contents;
  }

  std::unique_ptr<Home> home_;
};

TEST_F(LookupOrder, AWholeComesBeforeItsParts) {
  std::ifstream file(std::string(ANIMA_SOURCE_DIR) + "/tests/cases/language/wholes.txt");
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    ++rows;
    const auto fields = split(line, '|');
    ASSERT_EQ(fields.size(), 3u) << line;
    home_ = std::make_unique<Home>();
    const std::string parts(fields[2]);
    remember(parts);
    remember(parts + " " + parts + " " + parts);
    remember(fields[1]);
    remember(parts + " " + parts);
    for (const auto& found : {searched(fields[0]), recalled(fields[0])}) {
      ASSERT_FALSE(found.empty()) << fields[0];
      EXPECT_EQ(found.front(), fields[1]) << fields[0];
    }
  }
  EXPECT_EQ(rows, 15u);
}

// The first text has the word that is asked for, the others forms of it.
TEST_F(LookupOrder, FormsAreFoundBesideTheWordItself) {
  const std::vector<std::vector<std::string>> cases = {
      {"Aino", "Ainon kirja", "Ainolle"},
      {"mouse", "mice"},
      {"Haus", "H\u00e4user"},
      {"J\u00e4rvi", "J\u00e4rvell\u00e4"},
      {"\u041c\u043e\u0441\u043a\u0432\u0430", "\u041c\u043e\u0441\u043a\u0432\u0435",
       "\u041c\u043e\u0441\u043a\u0432\u044b"},
      {"kitap", "kitaplar"},
      {"Marie", "Maries Buch"},
      {"libro", "libros"},
      {"Versicherung", "Versicherungen", "Krankenversicherung"}};
  for (const std::vector<std::string>& texts : cases) {
    home_ = std::make_unique<Home>();
    remember("Rent is due on the first");
    for (const std::string& text : texts) remember(text);
    for (const auto& found : {searched(texts[0]), recalled(texts[0])}) {
      EXPECT_EQ(found.size(), texts.size()) << texts[0];
      ASSERT_FALSE(found.empty());
      EXPECT_EQ(found.front(), texts[0]);
    }
  }
}

TEST_F(LookupOrder, PluralsThatNoStemKnowsAreFoundInTextsOfTheirLanguage) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"v\u00e9lo", "Les v\u00e9los sont dans la rue et ne sont pas \u00e0 nous."},
      {"Auto", "Die Autos sind nicht gut, und das ist ein Problem."},
      {"huis", "De huizen zijn niet goed en het is een probleem."},
      {"kind", "De kinderen zijn niet hier en het is een probleem."},
      {"skola", "Skolan \u00e4r st\u00e4ngd och jag kan inte g\u00e5 dit."},
      {"lago", "I laghi non sono nella casa e non sono per te."},
      {"rua", "As ruas n\u00e3o s\u00e3o para os carros e eu n\u00e3o gosto."}};
  for (const auto& [word, text] : cases) {
    home_ = std::make_unique<Home>();
    remember("Rent is due on the first");
    remember(text);
    for (const auto& found : {searched(word), recalled(word)}) {
      ASSERT_FALSE(found.empty()) << word;
      EXPECT_EQ(found.front(), text) << word;
    }
  }
}

}  // namespace
}  // namespace anima::memory::lookup_order_test
