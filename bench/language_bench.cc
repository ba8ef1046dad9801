// The room for language under load: English through words, folding and stems, the terms of the word
// index, words of scripts without blanks, names in a text. Prints one line a measurement: the best
// of several runs, in processor time of one core.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/packs.h"
#include "language/names/occurrences.h"
#include "language/text/guess.h"
#include "language/text/stemmer.h"
#include "language/text/words.h"

namespace {

using namespace anima::language;

constexpr int kRuns = 5;
constexpr std::size_t kBytes = 2'000'000;

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += text;
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void measure(const char* what, std::string_view text,
             const std::function<std::size_t(std::string_view)>& work) {
  const std::vector<std::string_view> lines = lines_of(text);
  double best = 1e9;
  std::size_t count = 0;
  for (int run = 0; run < kRuns; ++run) {
    count = 0;
    const std::clock_t start = std::clock();
    for (const std::string_view line : lines) count += work(line);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  fmt::print("{:<44} {:>8.1f} MB/s  {} found\n", what,
             static_cast<double>(text.size()) / best / 1e6, count);
}

}  // namespace

int main() {
  const std::string english = repeated(anima::pack_file("packs/docs/KIP.md").value_or(""), kBytes);
  WordReader words(FoldStrength::kCase);
  Stemmer stemmer(Language::kEnglish);
  measure("English: words, folding, stems", english, [&](std::string_view line) {
    std::size_t letters = 0;
    for (const Token& token : words.read(line)) letters += stemmer.stem(token.folded).size();
    return letters;
  });
  TermSplitter terms(TermUse::kDocument);
  const auto split = [&](std::string_view line) {
    std::size_t count = 0;
    terms.split(line, [&](const IndexTerm&) { ++count; });
    return count;
  };
  measure("English: terms of the word index", english, split);
  measure("English: which language", english,
          [](std::string_view line) { return likely_languages(line).size(); });
  const std::vector<std::string> names = {"Ada Lovelace", "Veli-Matti Järvi", "Anna"};
  const NameFinder finder(names);
  measure("English: three names", english,
          [&](std::string_view line) { return finder.find(line).size(); });
  const auto unbroken = [&](std::string_view line) {
    std::size_t count = 0;
    for (const Token& token : words.read(line))
      if (token.unbroken) count += unbroken_words(token.folded).size();
    return count;
  };
  const std::string thai = repeated("ฉันชอบกินข้าวผัดกับไข่ดาว กรุงเทพเป็นเมืองหลวงของประเทศไทย\n", kBytes);
  measure("Thai: words", thai, unbroken);
  measure("Thai: terms of the word index", thai, split);
  const std::string chinese =
      repeated("我们昨天把服务器的备份移到了北京的机房,他在上海大学学习中文。\n", kBytes);
  measure("Chinese: words", chinese, unbroken);
  measure("Chinese: terms of the word index", chinese, split);
  return 0;
}
