#include "sleep/evidence/name_fit.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "language/names/romanised.h"
#include "language/text/script.h"
#include "sleep/evidence/name_words.h"

namespace anima::sleep::detail {
namespace {

std::string joined(std::span<const NameWord> words) {
  std::string all;
  for (const NameWord& word : words) all += word.written;
  return all;
}

bool is_of(const std::vector<NameWord>& words, std::initializer_list<language::Script> scripts) {
  return !words.empty() && std::ranges::all_of(words, [&](const NameWord& word) {
    const language::Script script = language::script_of(std::string_view(word.written));
    return word.letters && std::ranges::find(scripts, script) != scripts.end();
  });
}

// A name of a script that puts no blanks between words, and one in Latin letters; where the script
// puts the family name first, Latin may put it last.
bool whole_names_fit(const std::vector<NameWord>& a, const std::vector<NameWord>& b) {
  using language::Script;
  const auto plain = [](const NameWord& word) { return word.letters && !word.initial; };
  const bool family_first = is_of(a, {Script::kHan, Script::kKana, Script::kHangul});
  const bool unbroken =
      family_first || is_of(a, {Script::kThai, Script::kLao, Script::kKhmer, Script::kMyanmar});
  if (!unbroken || b.size() < 2 || !std::ranges::all_of(b, plain)) return false;
  const std::string name = joined(a);
  if (language::is_romanised(joined(b), name)) return true;
  if (!family_first) return false;
  const std::span<const NameWord> words(b);
  return language::is_romanised(b.back().written + joined(words.first(b.size() - 1)), name);
}

NameFit fit_of(WordFit word) {
  switch (word) {
    case WordFit::kSame:
      return NameFit::kSpelled;
    case WordFit::kPlain:
      return NameFit::kPlain;
    case WordFit::kShort:
      return NameFit::kShortened;
    case WordFit::kNone:
      break;
  }
  return NameFit::kNone;
}

}  // namespace

NameFit names_fit(const NameForm& a, const NameForm& b) {
  const NameWords x = name_words(a), y = name_words(b);
  // Dr. Andrea Rossi is not Dra. Andrea Rossi.
  if (!std::ranges::includes(x.degrees, y.degrees) && !std::ranges::includes(y.degrees, x.degrees))
    return NameFit::kNone;
  const bool rewritten = x.turned || y.turned || x.degrees != y.degrees;
  NameFit fit = rewritten ? NameFit::kPlain : NameFit::kSpelled;
  if (whole_names_fit(x.words, y.words) || whole_names_fit(y.words, x.words)) return fit;
  if (x.words.size() != y.words.size()) return NameFit::kNone;
  bool written_out = false;
  for (std::size_t i = 0; i < x.words.size(); ++i) {
    const WordFit word = fit_words(x.words[i], y.words[i]);
    fit = std::min(fit, fit_of(word));
    written_out =
        written_out || (word >= WordFit::kPlain && !x.words[i].initial && !y.words[i].initial);
  }
  return written_out ? fit : NameFit::kNone;
}

}  // namespace anima::sleep::detail
