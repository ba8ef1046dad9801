// The room for language under load: English (the pages of docs/) through words, folding and stems,
// the terms of the word index, words of scripts without blanks, names in a text. Beside it ICU's
// own word breaks and folding over the same lines. Prints one line a measurement: the best of
// several runs, in processor time of one core. Run it where docs/ is.
#include <fmt/format.h>
#include <unicode/ubrk.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
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

// The pages, each once, as often as it takes.
std::string english_text() {
  std::vector<std::filesystem::path> pages;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("docs", none))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::ranges::sort(pages);
  std::string text;
  for (const std::filesystem::path& page : pages) {
    std::ifstream file(page);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  if (text.empty()) text = anima::pack_file("packs/docs/KIP.md").value_or("");
  return repeated(text, kBytes);
}

// ICU's way: a line as UTF-16, its words, each folded by case.
class IcuWords {
 public:
  IcuWords() {
    UErrorCode error = U_ZERO_ERROR;
    breaks_ = ubrk_open(UBRK_WORD, "en", nullptr, 0, &error);
  }
  ~IcuWords() { ubrk_close(breaks_); }
  IcuWords(const IcuWords&) = delete;
  IcuWords& operator=(const IcuWords&) = delete;

  // Calls word(UTF-8) for each.
  template <typename Found>
  void each(std::string_view line, const Found& word) {
    UErrorCode error = U_ZERO_ERROR;
    wide_.resize(line.size() + 1);
    std::int32_t size = 0;
    u_strFromUTF8(wide_.data(), static_cast<std::int32_t>(wide_.size()), &size, line.data(),
                  static_cast<std::int32_t>(line.size()), &error);
    ubrk_setText(breaks_, wide_.data(), size, &error);
    std::int32_t from = ubrk_first(breaks_);
    for (std::int32_t to = ubrk_next(breaks_); to != UBRK_DONE;
         from = to, to = ubrk_next(breaks_)) {
      if (ubrk_getRuleStatus(breaks_) < UBRK_WORD_NONE_LIMIT) continue;
      folded_.resize(static_cast<std::size_t>(to - from) * 3 + 1);
      const std::int32_t letters =
          u_strFoldCase(folded_.data(), static_cast<std::int32_t>(folded_.size()),
                        wide_.data() + from, to - from, U_FOLD_CASE_DEFAULT, &error);
      utf8_.resize(static_cast<std::size_t>(letters) * 3 + 1);
      std::int32_t bytes = 0;
      u_strToUTF8(utf8_.data(), static_cast<std::int32_t>(utf8_.size()), &bytes, folded_.data(),
                  letters, &error);
      word(std::string_view(utf8_).substr(0, static_cast<std::size_t>(bytes)));
    }
  }

 private:
  UBreakIterator* breaks_ = nullptr;
  std::vector<UChar> wide_, folded_;
  std::string utf8_;
};

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
  const std::string english = english_text();
  IcuWords icu;
  const auto icu_words = [&](std::string_view line) {
    std::size_t count = 0;
    icu.each(line, [&](std::string_view) { ++count; });
    return count;
  };
  WordReader words(FoldStrength::kCase);
  Stemmer stemmer(Language::kEnglish);
  measure("English: words, folding, stems", english, [&](std::string_view line) {
    std::size_t letters = 0;
    for (const Token& token : words.read(line)) letters += stemmer.stem(token.folded).size();
    return letters;
  });
  Stemmer icu_stemmer(Language::kEnglish);
  measure("English: ICU's words and folding, stems", english, [&](std::string_view line) {
    std::size_t letters = 0;
    icu.each(line, [&](std::string_view word) { letters += icu_stemmer.stem(word).size(); });
    return letters;
  });
  measure("English: words, folding", english,
          [&](std::string_view line) { return words.read(line).size(); });
  measure("English: ICU's words and folding", english, icu_words);
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
          [&](std::string_view line) { return finder.find(PlainReading(line)).size(); });
  const auto unbroken = [&](std::string_view line) {
    std::size_t count = 0;
    for (const Token& token : words.read(line))
      if (token.unbroken) count += unbroken_words(token.folded).size();
    return count;
  };
  const std::string thai = repeated("ฉันชอบกินข้าวผัดกับไข่ดาว กรุงเทพเป็นเมืองหลวงของประเทศไทย\n", kBytes);
  measure("Thai: words", thai, unbroken);
  measure("Thai: ICU's words and folding", thai, icu_words);
  measure("Thai: terms of the word index", thai, split);
  const std::string chinese =
      repeated("我们昨天把服务器的备份移到了北京的机房,他在上海大学学习中文。\n", kBytes);
  measure("Chinese: words", chinese, unbroken);
  measure("Chinese: ICU's words and folding", chinese, icu_words);
  measure("Chinese: terms of the word index", chinese, split);
  return 0;
}
