#include "language/names/detail/romanisation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "language/names/detail/transliteration.h"
#include "language/numbers/word_files.h"
#include "language/text/fold.h"

namespace anima::language::detail {
namespace {

constexpr std::string_view kFolder = "packs/language/romanised/";
constexpr char32_t kFirstSyllable = 0xac00, kLastSyllable = 0xd7a3;
constexpr std::size_t kVowels = 21, kFinals = 28;

std::u32string letters_in(std::string_view text) { return to_utf32(to_nfd(text)); }
bool holds(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }
bool is_vowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

Result<Ways> ways_in(const Json& value, const TomlDocument& document, std::string_view dotted) {
  Ways ways;
  if (!value.is_string())
    return fail(ErrorCode::kInvalidArgument, std::string(dotted) + " is a text of ways",
                document.where(dotted));
  for (const std::string_view way : split(value.as_string(), ' '))
    ways.emplace_back(way == "_" ? std::string_view() : way);
  return ways;
}

}  // namespace

class RomanisationReader {
 public:
  RomanisationReader(Romanisation& made, const TomlDocument& document)
      : made_(made), document_(document) {}

  Status run() {
    static constexpr std::array<std::string_view, 16> kKeys = {
        "script",  "from_icu", "letters",  "consonants", "words",         "between",
        "joins",   "leading",  "silences", "dropped",    "after_cluster", "closed_vowels",
        "initial", "vowels",   "final",    "family"};
    ANIMA_TRY(only_known_keys(document_, "", kKeys));
    ANIMA_ASSIGN(const std::string script, text_in(document_, "script"));
    if (!script_of_name(script))
      return fail(ErrorCode::kInvalidArgument, "there is no script " + script,
                  document_.where("script"));
    const Json* icu = document_.root.find("from_icu");
    made_.from_icu_ = icu != nullptr && *icu == Json(true);
    ANIMA_TRY(read_letters("letters", false));
    ANIMA_TRY(read_letters("consonants", true));
    ANIMA_TRY(read_words());
    ANIMA_TRY(read_ways("between", made_.between_));
    ANIMA_TRY(read_ways("after_cluster", made_.after_cluster_));
    for (const auto& [key, signs] :
         std::initializer_list<std::pair<std::string_view, std::u32string*>>{
             {"joins", &made_.joins_},
             {"leading", &made_.leading_},
             {"silences", &made_.silences_},
             {"dropped", &made_.dropped_}}) {
      if (document_.root.find(key) == nullptr) continue;
      ANIMA_ASSIGN(const std::string text, text_in(document_, key));
      *signs = letters_in(text);
    }
    return read_hangul();
  }

 private:
  Status read_letters(std::string_view table, bool consonants) {
    const Json* found = document_.root.find(table);
    if (found == nullptr) return {};
    for (const JsonMember& member : found->as_object()) {
      ANIMA_ASSIGN(Ways ways,
                   ways_in(member.second, document_, std::string(table) + "." + member.first));
      const std::u32string key = letters_in(member.first);
      made_.longest_ = std::max(made_.longest_, key.size());
      made_.letters_.insert_or_assign(key, Romanisation::Letter{std::move(ways), consonants});
    }
    return {};
  }
  Status read_words() {
    const Json* found = document_.root.find("words");
    if (found == nullptr) return {};
    for (const JsonMember& member : found->as_object()) {
      ANIMA_ASSIGN(Ways ways, ways_in(member.second, document_, "words." + member.first));
      made_.words_.insert_or_assign(to_nfd(member.first), std::move(ways));
    }
    return {};
  }
  Status read_ways(std::string_view key, Ways& ways) {
    const Json* found = document_.root.find(key);
    if (found == nullptr) return {};
    ANIMA_ASSIGN(ways, ways_in(*found, document_, key));
    return {};
  }
  Status read_list(std::string_view key, std::vector<Ways>& list, std::size_t size) {
    const Json* found = document_.root.find(key);
    if (found == nullptr) return {};
    for (const Json& item : found->as_array()) {
      ANIMA_ASSIGN(Ways ways, ways_in(item, document_, key));
      list.push_back(std::move(ways));
    }
    if (list.size() == size) return {};
    return fail(ErrorCode::kInvalidArgument,
                std::string(key) + " has " + std::to_string(size) + " members",
                document_.where(key));
  }
  Status read_hangul() {
    constexpr std::size_t kInitials = 19;
    ANIMA_TRY(read_list("initial", made_.initial_, kInitials));
    ANIMA_TRY(read_list("vowels", made_.vowels_, kVowels));
    ANIMA_TRY(read_list("closed_vowels", made_.closed_vowels_, kVowels));
    ANIMA_TRY(read_list("final", made_.final_, kFinals));
    const Json* family = document_.root.find("family");
    if (family == nullptr) return {};
    for (const JsonMember& member : family->as_object()) {
      const std::u32string syllable = to_utf32(to_nfc(member.first));
      ANIMA_ASSIGN(Ways ways, ways_in(member.second, document_, "family." + member.first));
      if (!syllable.empty()) made_.family_.insert_or_assign(syllable.front(), std::move(ways));
    }
    return {};
  }

  Romanisation& made_;
  const TomlDocument& document_;
};

Result<Romanisation> Romanisation::from_toml(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  Romanisation made;
  ANIMA_TRY(RomanisationReader(made, document).run());
  return made;
}

const Romanisation& Romanisation::of(Script script) {
  static const Romanisation kOfIcu = [] {
    Romanisation made;
    made.from_icu_ = true;
    return made;
  }();
  const auto* listed = loaded_words<Romanisation>(kFolder, to_string(script));
  return listed != nullptr ? *listed : kOfIcu;
}

const Ways* Romanisation::word(std::string_view word) const {
  const auto found = words_.find(to_nfd(fold(word, FoldStrength::kCase)));
  return found == words_.end() ? nullptr : &found->second;
}

// Writes the ways of a word, letter by letter.
class WayWriter {
 public:
  explicit WayWriter(const Romanisation& table) : table_(table) {}

  std::optional<std::vector<Ways>> run(std::u32string_view word) {
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t size = letter_at(word.substr(at));
      if (size != 0) {
        at += size;
        continue;
      }
      if (!sign(word[at])) return std::nullopt;
      ++at;
    }
    if (consonant_ && cluster_ && !table_.after_cluster_.empty())
      ways_.push_back(table_.after_cluster_);
    return std::move(ways_);
  }

 private:
  // How many code points it takes; 0: it is in no list.
  std::size_t letter_at(std::u32string_view rest) {
    for (std::size_t size = std::min(table_.longest_, rest.size()); size > 0; --size) {
      const auto found = table_.letters_.find(rest.substr(0, size));
      if (found == table_.letters_.end()) continue;
      add(found->first, found->second);
      return size;
    }
    return 0;
  }
  void add(std::u32string_view key, const Romanisation::Letter& letter) {
    const bool joined = std::exchange(joined_, false);
    const std::string& first = letter.ways.front();
    const bool doubled = key == last_ && !first.empty() && !is_vowel(first.front());
    if (letter.consonant && consonant_ && !joined && !table_.between_.empty())
      ways_.push_back(table_.between_);
    if (!doubled || (letter.consonant && !joined)) ways_.push_back(letter.ways);
    cluster_ = letter.consonant && joined;
    consonant_ = letter.consonant;
    last_ = key;
  }
  bool sign(char32_t c) {
    if (holds(table_.joins_, c)) {
      joined_ = true;
    } else if (holds(table_.silences_, c)) {
      if (!ways_.empty()) ways_.pop_back();
      consonant_ = false;
    } else if (c >= U'a' && c <= U'z' && table_.from_icu_) {
      ways_.push_back({std::string(1, static_cast<char>(c))});
    } else {
      // What ICU puts between syllables, and accents.
      return classify(c) == CharClass::kMark || (table_.from_icu_ && c < 0x80);
    }
    return true;
  }

  const Romanisation& table_;
  std::vector<Ways> ways_;
  std::u32string_view last_;
  bool consonant_ = false, joined_ = false, cluster_ = false;
};

std::optional<std::vector<Ways>> Romanisation::letters_of(std::string_view word) const {
  const std::string folded = fold(word, FoldStrength::kCase);
  if (!initial_.empty()) return syllables_of(to_utf32(to_nfc(folded)));
  if (letters_.empty() && !from_icu_) return std::nullopt;
  std::u32string letters = letters_in(from_icu_ ? transliterated(folded) : folded);
  std::erase_if(letters, [this](char32_t c) { return holds(dropped_, c); });
  for (std::size_t i = 0; i + 1 < letters.size(); ++i) {
    if (!holds(leading_, letters[i])) continue;
    std::swap(letters[i], letters[i + 1]);
    ++i;
  }
  if (letters.empty()) return std::nullopt;
  return WayWriter(*this).run(letters);
}

std::optional<std::vector<Ways>> Romanisation::syllables_of(std::u32string_view word) const {
  std::vector<Ways> ways;
  for (const char32_t c : word) {
    if (c < kFirstSyllable || c > kLastSyllable) return std::nullopt;
    if (const auto family = family_.find(c); ways.empty() && family != family_.end()) {
      ways.push_back(family->second);
      continue;
    }
    const std::size_t index = c - kFirstSyllable, end = index % kFinals;
    const std::size_t vowel = index / kFinals % kVowels;
    ways.push_back(initial_[index / kFinals / kVowels]);
    ways.push_back((end == 0 ? vowels_ : closed_vowels_)[vowel]);
    ways.push_back(final_[end]);
  }
  return ways;
}

}  // namespace anima::language::detail
