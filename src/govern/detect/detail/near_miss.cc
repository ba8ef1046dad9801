#include "govern/detect/detail/near_miss.h"

#include <algorithm>

#include "govern/detect/detail/word_runs.h"
#include "govern/detect/pattern_set.h"

namespace anima::govern::detail {
namespace {

constexpr std::size_t kShortestMissable = 5;
constexpr std::size_t kNearWords = 6;
constexpr std::size_t kFewestLetters = 5;

std::size_t pair_of(char first, char second) {
  return (static_cast<unsigned char>(first) & 31u) << 5 |
         (static_cast<unsigned char>(second) & 31u);
}

// Whether one insertion, deletion, substitution or swap of neighbours turns one word into the
// other.
bool one_typo_apart(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  std::size_t same = 0;
  while (same < a.size() && a[same] == b[same]) ++same;
  std::string_view rest_a = a.substr(same);
  std::string_view rest_b = b.substr(same);
  if (rest_a.size() < rest_b.size()) return rest_a == rest_b.substr(1);
  if (rest_a.empty()) return false;
  if (rest_a.substr(1) == rest_b.substr(1)) return true;
  return rest_a.size() >= 2 && rest_a[0] == rest_b[1] && rest_a[1] == rest_b[0] &&
         rest_a.substr(2) == rest_b.substr(2);
}

// Follows the words of a text. A misspelt word counts when a known one stands at most kNearWords
// before it or behind it: those that had none before wait for one behind.
class Speller {
 public:
  Speller(std::string_view normal, const NearMissWords& words) : normal_(normal), words_(words) {}

  void word(std::size_t begin, std::size_t end) {
    follow_letters(begin, end);
    if (words_.is_known(normal_.substr(begin, end - begin))) {
      const std::size_t reach = index_ > kNearWords ? index_ - kNearWords : 0;
      for (std::size_t i = std::max(reach, waiting_from_); i < index_; ++i)
        correct(waiting_[i % kNearWords]);
      waiting_from_ = index_ + kNearWords + 1;
    } else if (index_ < waiting_from_) {
      correct({begin, end});
    } else {
      waiting_[index_ % kNearWords] = {begin, end};
    }
    ++index_;
  }

  SpellingSigns take() {
    if (copied_ != 0) signs_.corrected.append(normal_.substr(copied_));
    return std::move(signs_);
  }

 private:
  struct Place {
    std::size_t begin = 0, end = 0;
  };

  void correct(Place place) {
    const std::size_t size = place.end - place.begin;
    const auto right = words_.correction(normal_.substr(place.begin, size));
    if (!right) return;
    signs_.corrected.append(normal_.substr(copied_, place.begin - copied_)).append(*right);
    copied_ = place.end;
  }

  void follow_letters(std::size_t begin, std::size_t end) {
    const bool single = end - begin == 1;
    letters_ = !single ? 0 : letters_ != 0 && begin == last_end_ + 1 ? letters_ + 1 : 1;
    last_end_ = end;
    signs_.spread_letters |= letters_ >= kFewestLetters;
  }

  std::string_view normal_;
  const NearMissWords& words_;
  SpellingSigns signs_;
  std::size_t copied_ = 0;
  std::size_t index_ = 0;         // of the word
  std::size_t waiting_from_ = 0;  // words before this index have a known one before them
  std::array<Place, kNearWords> waiting_ = {};
  std::size_t letters_ = 0;  // single ones in a row
  std::size_t last_end_ = 0;
};

// Where a run of single letters with one separator between each begins at `at`: its end, else `at`.
std::size_t spread_run_end(std::string_view normal, std::size_t at) {
  if (at > 0 && is_word_byte(normal[at - 1])) return at;
  std::size_t letters = 0;
  std::size_t end = at;
  for (std::size_t i = at; i < normal.size() && is_word_byte(normal[i]); i += 2) {
    ++letters;
    end = i + 1;
    if (i + 1 >= normal.size() || is_word_byte(normal[i + 1])) break;
  }
  if (end < normal.size() &&
      is_word_byte(normal[end])) {  // the last letter begins a word of its own
    --letters;
    end = end >= at + 2 ? end - 2 : at;
  }
  return letters >= kFewestLetters ? end : at;
}

// "ignoreallrules" -> "ignore all rules", by the longest known word at each place.
std::string segmented(std::string_view letters, const NearMissWords& words) {
  std::string out;
  for (std::size_t at = 0; at < letters.size();) {
    std::size_t longest = 0;
    for (std::size_t size = std::min(NearMissWords::kLongest, letters.size() - at); size > longest;
         --size) {
      if (words.is_known(letters.substr(at, size))) longest = size;
    }
    if (longest != 0) {
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
      out.append(letters.substr(at, longest)).push_back(' ');
      at += longest;
    } else {
      out.push_back(letters[at++]);
    }
  }
  return out;
}

}  // namespace

void NearMissWords::add(std::string word) {
  const Sizes bit = Sizes{1} << word.size();
  by_first_byte_[static_cast<unsigned char>(word[0])] |= bit;
  if (word.size() >= kShortestMissable) {
    by_first_pair_[pair_of(word[0], word[1])] |= bit;
    by_last_pair_[pair_of(word[word.size() - 2], word.back())] |= bit;
  }
  std::vector<std::string>& bucket = by_size_[word.size()];
  bucket.insert(std::ranges::upper_bound(bucket, word), std::move(word));
}

bool NearMissWords::is_known(std::string_view word) const {
  if (word.empty() || word.size() > kLongest) return false;
  const Sizes sizes = by_first_byte_[static_cast<unsigned char>(word[0])];
  if ((sizes >> word.size() & 1) == 0) return false;
  return std::ranges::binary_search(by_size_[word.size()], word);
}

std::optional<std::string_view> NearMissWords::correction(std::string_view word) const {
  const std::size_t size = word.size();
  if (size < kShortestMissable || size > kLongest + 1) return std::nullopt;
  const Sizes sizes = by_first_pair_[pair_of(word[0], word[1])] |
                      by_last_pair_[pair_of(word[size - 2], word[size - 1])];
  for (const std::size_t each : {size, size - 1, size + 1}) {
    if (each < kShortestMissable || each > kLongest || (sizes >> each & 1) == 0) continue;
    for (const std::string& known : by_size_[each]) {
      if (one_typo_apart(word, known)) return known;
    }
  }
  return std::nullopt;
}

SpellingSigns spelling_signs(std::string_view normal, const NearMissWords& words) {
  Speller speller(normal, words);
  for_each_word(normal, [&](std::size_t begin, std::size_t end) { speller.word(begin, end); });
  return speller.take();
}

std::string gathered(std::string_view normal, const NearMissWords& words) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < normal.size(); ++at) {
    const std::size_t end = is_word_byte(normal[at]) ? spread_run_end(normal, at) : at;
    if (end == at) continue;
    std::string letters;
    for (std::size_t i = at; i < end; i += 2) letters.push_back(normal[i]);
    out.append(normal.substr(copied, at - copied)).append(segmented(letters, words));
    copied = end;
    at = end - 1;
  }
  if (copied == 0) return {};
  return normal_text(out.append(normal.substr(copied)));
}

}  // namespace anima::govern::detail
