#include "memory/recall/detail/terms.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "memory/recall/detail/languages.h"

namespace anima::memory::detail {
namespace {

constexpr std::size_t kLongestTerm = 64;  // bytes; what is longer is no word of a language

bool is_sentence_end(char32_t c) {
  return c == '.' || c == '!' || c == '?' || c == ':' || c == '\n' || c == 0x3002 || c == 0x2026;
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<TermWord> run() && {
    while (at_ < text_.size()) step();
    end_word();
    end_run();
    return std::move(words_);
  }

 private:
  void step() {
    const CodePoint point = decode_utf8(text_, at_);
    const char32_t c = point.value;
    if (c < 0x80) {
      const auto low = static_cast<char>(c | 0x20);
      const bool letter = low >= 'a' && low <= 'z';
      if (letter || (c >= '0' && c <= '9')) {
        add(letter ? low : static_cast<char>(c), letter && c < 'a');
      } else {
        cut(c);
      }
    } else {
      step_far(c, point.size);
    }
    at_ += point.size;
  }

  void step_far(char32_t c, std::size_t size) {
    const CharClass kind = classify(c);
    if (kind == CharClass::kIdeograph) {
      end_word();
      if (run_.empty()) run_begin_ = at_;
      run_.push_back(c);
      return;
    }
    const bool in_word = kind == CharClass::kLetter || kind == CharClass::kDigit ||
                         (kind == CharClass::kMark && !word_.text.empty());
    if (!in_word) return cut(c);
    end_run();
    const std::string_view as_is = text_.substr(at_, size);
    begin_word();
    const std::size_t before = word_.text.size();
    append_lower(word_.text, as_is);
    if (before == 0) word_.capital = std::string_view(word_.text) != as_is;
  }

  void add(char c, bool capital) {
    end_run();
    if (word_.text.empty()) {
      begin_word();
      word_.capital = capital;
    }
    word_.text.push_back(c);
  }

  void begin_word() {
    if (!word_.text.empty()) return;
    word_.offset = at_;
    word_.starts_sentence = sentence_begins_;
    sentence_begins_ = false;
  }

  void cut(char32_t c) {
    end_word();
    end_run();
    if (is_sentence_end(c)) sentence_begins_ = true;
  }

  void end_word() {
    if (word_.text.empty()) return;
    if (word_.text.size() > kLongestTerm)
      word_.text.resize(beginning_of(word_.text, kLongestTerm).size());
    words_.push_back(std::exchange(word_, {}));
  }

  // A pair for each two neighbours, in the manner of the word index.
  void end_run() {
    if (run_.empty()) return;
    const std::size_t pairs = std::max<std::size_t>(run_.size(), 2) - 1;
    for (std::size_t i = 0; i < pairs; ++i) {
      TermWord pair;
      pair.offset = run_begin_;
      pair.ideographic = true;
      append_utf8(pair.text, run_[i]);
      if (i + 1 < run_.size()) append_utf8(pair.text, run_[i + 1]);
      words_.push_back(std::move(pair));
    }
    run_.clear();
    sentence_begins_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0, run_begin_ = 0;
  bool sentence_begins_ = true;
  TermWord word_;
  std::u32string run_;
  std::vector<TermWord> words_;
};

}  // namespace

std::vector<TermWord> split_terms(std::string_view text) { return Splitter(text).run(); }

void add_votes(const std::vector<TermWord>& words, LanguageVotes& votes) {
  for (const TermWord& word : words) {
    const unsigned of = stop_word_of(word.text);
    for (std::size_t i = 0; i < kLanguages; ++i) votes[i] += (of >> i) & 1u;
  }
}

std::optional<Language> most_voted(const LanguageVotes& votes) {
  const auto most = std::ranges::max_element(votes);
  if (*most == 0 || std::ranges::count(votes, *most) != 1) return std::nullopt;
  return static_cast<Language>(most - votes.begin());
}

TermReader::TermReader(TermRules rules) : rules_(rules) {
  for (std::size_t i = 0; i < kLanguages; ++i) {
    const auto language = static_cast<Language>(i);
    stemmers_.emplace_back(language);
    for (const std::string_view word : stop_words(language))
      stop_stems_[i].emplace(stemmers_.back().stem(word));
  }
}

std::string TermReader::stem(Language language, const TermWord& word) {
  if (word.ideographic) return word.text;
  const auto number = static_cast<std::size_t>(language);
  if (rules_.drop_stop_words && is_stop_word(language, word.text)) return {};
  if (!rules_.stems) return word.text;
  std::string stem(stemmers_[number].stem(word.text));
  const bool stops = rules_.drop_stop_words && stop_stems_[number].contains(stem);
  return stops ? std::string() : stem;
}

TermReader::Term TermReader::intern(Language language, const TermWord& word) {
  auto& words = words_[static_cast<std::size_t>(language)];
  const auto known = words.find(std::string_view(word.text));
  if (known != words.end()) return known->second;
  std::string text = stem(language, word);
  Term term = kDropped;
  if (!text.empty()) {
    const auto next = static_cast<Term>(terms_.size() + 1);
    term = terms_.try_emplace(std::move(text), next).first->second;
  }
  words.emplace(word.text, term);
  return term;
}

TermReader::Term TermReader::find(Language language, const TermWord& word) {
  const std::string text = stem(language, word);
  if (text.empty()) return kDropped;
  const auto known = terms_.find(std::string_view(text));
  return known == terms_.end() ? kUnknown : known->second;
}

std::size_t TermReader::heap_bytes() const {
  // A node of a hash table: the text in place, the value, a pointer and its bucket.
  constexpr std::size_t kNode = sizeof(std::string) + 40;
  std::size_t nodes = terms_.size();
  for (const auto& words : words_) nodes += words.size();
  return nodes * kNode;
}

}  // namespace anima::memory::detail
