#include "sleep/evidence/similarity.h"

#include <algorithm>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "base/text/white_space.h"

namespace anima::sleep::detail {
namespace {

constexpr std::size_t kOneSlip = 5, kTwoSlips = 12;  // letters that a name must have for it

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "j smith" and "john smith": the same number of words, the last one equal, each other one equal or
// the initial of the other's.
bool initials_fit(const NameForm& a, const NameForm& b) {
  if (a.words.size() != b.words.size() || a.words.size() < 2 || a.words.back() != b.words.back())
    return false;
  for (std::size_t i = 0; i + 1 < a.words.size(); ++i) {
    const std::string& x = a.words[i];
    const std::string& y = b.words[i];
    const bool initial = (x.size() == 1 && y.starts_with(x)) || (y.size() == 1 && x.starts_with(y));
    if (x != y && !initial) return false;
  }
  return true;
}

// The lower case is that of each letter: folding would make "Masse" of "Maße". The normal form
// makes no difference; it is the same text.
std::string exact_form(std::string_view name) {
  std::string form;
  const std::string lower = to_lower(to_nfc(name));
  for (std::size_t at = 0; at < lower.size();) {
    const CodePoint point = decode_utf8(lower, at);
    if (!is_white_space(point.value)) {
      form += lower.substr(at, point.size);
    } else if (!form.empty() && form.back() != ' ') {
      form += ' ';
    }
    at += point.size;
  }
  while (form.ends_with(' ')) form.pop_back();
  return form;
}

}  // namespace

NameForm name_form(std::string_view name) {
  NameForm form;
  form.exact = exact_form(name);
  const std::string folded = fold_for_search(name);
  for (const Word& word : split_words(folded)) {
    form.words.emplace_back(word.text);
    form.compact += word.text;
    if (has_digit(word.text)) form.numbers.emplace_back(word.text);
  }
  std::vector<std::string> sorted = form.words;
  std::sort(sorted.begin(), sorted.end());
  form.sorted = join(sorted, " ");
  return form;
}

NameMatch match_names(const NameForm& a, const NameForm& b) {
  if (!a.exact.empty() && a.exact == b.exact) return NameMatch::kSame;
  if (a.compact.empty() || b.compact.empty()) return NameMatch::kNone;
  if (a.compact == b.compact || a.sorted == b.sorted) return NameMatch::kAlike;
  if (a.numbers != b.numbers) return NameMatch::kNone;
  const std::size_t shorter = std::min(a.compact.size(), b.compact.size());
  const std::size_t limit = shorter >= kTwoSlips ? 2 : shorter >= kOneSlip ? 1 : 0;
  if (limit != 0 && edit_distance(a.compact, b.compact, limit) <= limit) return NameMatch::kNear;
  return initials_fit(a, b) ? NameMatch::kNear : NameMatch::kNone;
}

}  // namespace anima::sleep::detail
