// The same words are found by the index of words, by recall and by the knowledge index, in every
// language of tests/cases/language/lookups.txt.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "memory/recall/recall_context.h"

namespace anima::memory {
namespace {

struct Lookup {
  std::string language, text, query;
};

std::vector<Lookup> read_lookups() {
  std::ifstream file(std::string(ANIMA_SOURCE_DIR) + "/tests/cases/language/lookups.txt");
  std::vector<Lookup> lookups;
  for (std::string line; std::getline(file, line);) {
    const auto fields = split(line, '|');
    if (line.starts_with('#') || fields.size() != 3) continue;
    lookups.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2])});
  }
  return lookups;
}

// A memory of one text and some others.
class SmallMemory {
 public:
  SmallMemory(const govern::Guardian& guardian, const std::string& text) : guardian_(guardian) {
    for (const std::string& each :
         {text, std::string("Rent is due on the first"), std::string("The trail was wet")}) {
      NewMemory memory;
      memory.content = each;
      memory.source = "terminal";
      memory.created_by = "ada";
      EXPECT_TRUE(manager_.store(memory));
    }
  }
  bool found_by_words(const std::string& query) const {
    store::TextQuery words;
    words.text = query;
    return !space_->snapshot().value().with_books().search(words).empty();
  }
  bool recalled(const std::string& query) {
    const auto context = recall_context(manager_, space_->snapshot().value(), query, {});
    return context && !context->items.empty();
  }
  bool found_by_knowledge(const std::string& query) {
    const auto hits = manager_.search(query, "operator", 10);
    return hits && !hits->empty();
  }

 private:
  const govern::Guardian& guardian_;
  ManualClock clock_{Timestamp{1'767'225'600'000'000}};
  SeededRandom random_{9};
  std::shared_ptr<store::Space> space_ = store::Space::in_memory().value();
  bus::EventBus events_;
  govern::Ledger ledger_{*space_, clock_, random_};
  MemoryManager manager_{*space_, ledger_, guardian_, events_, clock_, random_};
};

TEST(Lookups, FindTheSameEverywhere) {
  const std::vector<Lookup> lookups = read_lookups();
  ASSERT_GE(lookups.size(), 100u);
  const govern::Guardian guardian(govern::PatternSet::shipped().value());
  std::vector<std::string> missed[3];
  for (const Lookup& each : lookups) {
    SmallMemory memory(guardian, each.text);
    const bool found[] = {memory.found_by_words(each.query), memory.recalled(each.query),
                          memory.found_by_knowledge(each.query)};
    for (std::size_t i = 0; i < 3; ++i)
      if (!found[i]) missed[i].push_back(each.text + " | " + each.query);
  }
  const char* names[] = {"the index of words", "recall", "the knowledge index"};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::string& each : missed[i])
      std::printf("missed by %s: %s\n", names[i], each.c_str());
    EXPECT_GE((lookups.size() - missed[i].size()) * 100, lookups.size() * 95) << names[i];
  }
}

}  // namespace
}  // namespace anima::memory
