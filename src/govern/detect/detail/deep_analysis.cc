#include "govern/detect/detail/deep_analysis.h"

#include <algorithm>

#include "base/text/text.h"

namespace anima::govern::detail {
namespace {

constexpr int kMaxDepth = 3;
constexpr std::size_t kMaxReadingBytes = 64 << 10;

bool same_reading(const std::vector<Reading>& readings, std::string_view text) {
  return std::ranges::any_of(readings,
                             [&](const Reading& reading) { return reading.text == text; });
}

class Reader {
 public:
  Reader(std::string_view normal, const NearMissWords& words) : normal_(normal), words_(words) {}

  // `folded`: the text without disguise, when it is known already.
  void read(std::string_view text, const Folded* folded, int depth) {
    if (is_ascii(text)) return read_plain(text, depth);
    const Folded own = folded == nullptr ? fold_look_alikes(text) : Folded();
    const Folded& plain = folded == nullptr ? own : *folded;
    if (plain.changed) add(plain.text, !plain.hidden_in_word);
    read_plain(plain.text, depth);
  }

  std::vector<Reading> take(const SpellingSigns& of_text) {
    const std::size_t plain = readings_.size();
    add_variants(normal_, of_text);
    for (std::size_t i = 0; i < plain; ++i) {
      const std::string text = readings_[i].text;
      add_variants(text, spelling_signs(text, words_));
    }
    return std::move(readings_);
  }

 private:
  void read_plain(std::string_view text, int depth) {
    if (depth == kMaxDepth) return;
    const Decoded decoded = decode_once(text);
    if (!decoded.changed) return;
    add(decoded.text, decoded.explained);
    read(decoded.text, nullptr, depth + 1);
  }
  void add(std::string_view text, bool explained) {
    add_normal(normal_text(text.substr(0, kMaxReadingBytes)), explained);
  }
  void add_normal(std::string normal, bool explained) {
    if (normal.empty() || bytes_ + normal.size() > 4 * kMaxReadingBytes) return;
    if (explained && (normal == normal_ || same_reading(readings_, normal))) return;
    bytes_ += normal.size();
    readings_.push_back({std::move(normal), explained});
  }
  void add_variants(std::string_view normal, const SpellingSigns& signs) {
    add_normal(signs.corrected, true);
    if (signs.spread_letters) add_normal(gathered(normal, words_), true);
  }

  std::string_view normal_;
  const NearMissWords& words_;
  std::vector<Reading> readings_;
  std::size_t bytes_ = 0;
};

}  // namespace

DeepAnalysis::DeepAnalysis(std::string_view text, std::string_view normal,
                           const PatternSet& patterns)
    : text_(text),
      normal_(normal),
      patterns_(patterns),
      spelling_(spelling_signs(normal, patterns.near_miss_words())) {
  if (has_encoded_run(text)) indicators_.emplace_back("encoded_run");
  if (has_escapes(text)) indicators_.emplace_back("escapes");
  if (!is_ascii(text)) {
    folded_ = fold_look_alikes(text);
    if (folded_->hidden_in_word || folded_->disguised)
      indicators_.emplace_back("hidden_characters");
    if (folded_->split) indicators_.emplace_back("unusual_blanks");
  }
  if (!spelling_.corrected.empty()) indicators_.emplace_back("near_miss");
  if (spelling_.spread_letters) indicators_.emplace_back("spread_letters");
}

std::vector<Reading> DeepAnalysis::readings() const {
  Reader reader(normal_, patterns_.near_miss_words());
  const bool whole = text_.size() <= kMaxReadingBytes;
  reader.read(text_.substr(0, kMaxReadingBytes), whole && folded_ ? &*folded_ : nullptr, 0);
  return reader.take(spelling_);
}

bool only_quoted(std::string_view normal, const std::vector<PatternMatch>& matches) {
  constexpr std::string_view kQuotes = "\"'`";
  return std::ranges::all_of(matches, [&](const PatternMatch& match) {
    const std::size_t end = match.offset + match.length;
    for (const char quote : kQuotes) {
      const auto before = static_cast<std::size_t>(std::count(
          normal.begin(), normal.begin() + static_cast<std::ptrdiff_t>(match.offset), quote));
      if (before % 2 == 1 && normal.find(quote, end) != std::string_view::npos) return true;
    }
    return false;
  });
}

}  // namespace anima::govern::detail
