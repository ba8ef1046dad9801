#include "language/text/words.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "language/text/detail/fold_table.h"

namespace anima::language {
namespace {

// What a byte is as a part of a word of ASCII; 0 for what is none.
constexpr std::uint8_t kInWord = 1, kNoDigit = 2, kCapital = 4;
constexpr std::array<std::uint8_t, 256> kAsciiKinds = [] {
  std::array<std::uint8_t, 256> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = kInWord;
  for (char c = 'a'; c <= 'z'; ++c) {
    table[static_cast<std::size_t>(c)] = kInWord | kNoDigit;
    table[static_cast<std::size_t>(c - 'a' + 'A')] = kInWord | kNoDigit | kCapital;
  }
  return table;
}();

bool is_apostrophe(char32_t c) { return c == '\'' || c == 0x2019 || c == 0x02bc || c == 0xff07; }

// What stands between two words as ASCII has it; 0 for a blank and what ASCII has not.
char as_joint(char32_t c) {
  if (is_apostrophe(c)) return '\'';
  if ((c >= 0x2010 && c <= 0x2013) || c == 0x2212) return '-';
  if (c == 0x266f) return '#';  // of music
  if (c >= 0xff01 && c <= 0xff5e) c -= 0xff01 - '!';
  return c < 0x80 && c > ' ' ? static_cast<char>(c) : '\0';
}

bool ends_sentence(char32_t c) {
  return c == '.' || c == '!' || c == '?' || c == ':' || c == '\n' || c == 0x2026 || c == 0x3002 ||
         c == 0xff01 || c == 0xff1f || c == 0x0964 || c == 0x06d4 || c == 0x061f || c == 0x0589;
}

// One reading of a text.
class Reading {
 public:
  Reading(std::string_view text, FoldStrength strength, std::string& folded,
          std::vector<Token>& tokens, std::vector<std::size_t>& ends)
      : text_(text), strength_(strength), folded_(folded), tokens_(tokens), ends_(ends) {}

  void run() {
    while (at_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte < 0x80) {
        ascii(byte);
      } else {
        beyond_ascii();
      }
    }
    end_token(at_);
    // What the views look into does not move any more.
    const std::string_view all = folded_;
    std::size_t from = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      tokens_[i].folded = all.substr(from, ends_[i] - from);
      from = ends_[i];
    }
  }

 private:
  void ascii(unsigned char byte) {
    const std::uint8_t first = kAsciiKinds[byte];
    if (first == 0) {
      end_token(at_);
      separate(byte > ' ' ? static_cast<char>(byte) : '\0', ends_sentence(byte));
      ++at_;
      return;
    }
    const bool begins = !inside_ || unbroken_;
    if (begins) begin_token(false, (first & kCapital) != 0);
    // All letters up to what is none at once: most texts are such.
    const char* const from = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const char* to = from + 1;
    std::uint8_t behind = 0;  // what is there behind the first letter
    for (; to != end; ++to) {
      const std::uint8_t kind = kAsciiKinds[static_cast<unsigned char>(*to)];
      if (kind == 0) break;
      behind |= kind;
    }
    const std::uint8_t all = behind | first;
    digits_ = digits_ && (all & kNoDigit) == 0;
    capital_inside_ = capital_inside_ || ((begins ? behind : all) & kCapital) != 0;
    at_ += static_cast<std::size_t>(to - from);
    const std::size_t size = folded_.size();
    folded_.append(from, to);
    if ((all & kCapital) == 0) return;
    for (std::size_t i = size; i < folded_.size(); ++i)
      if (folded_[i] <= 'Z' && folded_[i] >= 'A') folded_[i] |= 0x20;
  }

  void beyond_ascii() {
    const CodePoint point = decode_utf8(text_, at_);
    const detail::FoldedLetter& letter = detail::folded_letter(point.value, strength_);
    LetterKind kind = letter.kind;
    if (kind == LetterKind::kMark && !inside_) kind = LetterKind::kNone;
    // What is invisible inside a word is no end of it.
    const bool invisible = kind == LetterKind::kNone && letter.size == 0;
    if (kind == LetterKind::kNone && !invisible) {
      end_token(at_);
      separate(as_joint(point.value), ends_sentence(point.value));
      at_ += point.size;
      return;
    }
    if (kind != LetterKind::kMark && !invisible) {
      const bool unbroken = kind == LetterKind::kUnbroken;
      if (!inside_ || unbroken != unbroken_) {
        begin_token(unbroken, letter.upper);
      } else {
        capital_inside_ = capital_inside_ || letter.upper;
      }
      digits_ = digits_ && kind == LetterKind::kDigit;
    }
    ascii_ = false;
    // Signs join no letter of the token before.
    if (folded_.size() == begin_folded_ && letter.joins) {
      folded_ += letter.size == detail::FoldedLetter::kLong ? std::string_view() : letter.text();
    } else {
      detail::append_folded_letter(folded_, point.value, letter, strength_);
    }
    at_ += point.size;
  }

  void separate(char joint, bool ends) {
    joint_ = gap_ == 0 ? joint : '\0';
    ++gap_;
    sentence_begins_ = sentence_begins_ || ends;
  }

  void begin_token(bool unbroken, bool capital) {
    end_token(at_);
    if (!tokens_.empty()) tokens_.back().joint = gap_ == 0 ? kTouches : joint_;
    inside_ = true;
    unbroken_ = unbroken;
    digits_ = ascii_ = true;
    begin_ = at_;
    begin_folded_ = folded_.size();
    capital_ = capital;
    capital_inside_ = false;
    // "v1.11" and "e.g. this": a full stop ends a sentence where a blank follows.
    starts_sentence_ = tokens_.empty() || (sentence_begins_ && !(gap_ == 1 && joint_ != 0));
    sentence_begins_ = false;
    gap_ = 0;
    joint_ = 0;
  }

  void end_token(std::size_t end) {
    if (!inside_) return;
    inside_ = false;
    if (folded_.size() == begin_folded_) return;
    Token& token = tokens_.emplace_back();
    token.begin = begin_;
    token.end = end;
    token.unbroken = unbroken_;
    token.capital = capital_;
    token.capital_inside = capital_inside_;
    token.starts_sentence = starts_sentence_;
    token.digits = digits_;
    token.ascii = ascii_;
    ends_.push_back(folded_.size());
    gap_ = 0;
    joint_ = 0;
  }

  std::string_view text_;
  FoldStrength strength_;
  std::string& folded_;
  std::vector<Token>& tokens_;
  std::vector<std::size_t>& ends_;
  std::size_t at_ = 0, begin_ = 0, begin_folded_ = 0, gap_ = 0;
  char joint_ = 0;
  bool inside_ = false, unbroken_ = false, digits_ = true, ascii_ = true;
  bool capital_ = false, capital_inside_ = false;
  bool starts_sentence_ = true, sentence_begins_ = true;
};

// The sign of a tail that stands there, '+' or '#', and its bytes.
std::pair<char, std::size_t> tail_sign(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {'\0', 0};
  const CodePoint point = decode_utf8(text, at);
  const char sign = as_joint(point.value);
  return {sign == '+' || sign == '#' ? sign : '\0', point.size};
}

}  // namespace

std::string_view tail_of_word(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  if (const char c = text[at]; c >= 0 && c != '+' && c != '#') return {};  // as nearly always
  const auto [first, size] = tail_sign(text, at);
  if (first == 0) return {};
  const auto [second, more] = tail_sign(text, at + size);
  // One "+" is of a letter ("A+"), and says of a number that it is no less.
  if (second == 0 && first == '+' && (at == 0 || is_ascii_digit(text[at - 1]))) return {};
  const std::size_t end = at + size + (second == 0 ? 0 : more);
  if (end < text.size()) {
    const LetterKind kind = letter_kind(decode_utf8(text, end).value);
    const bool goes_on = kind == LetterKind::kLetter || kind == LetterKind::kDigit;
    if (goes_on || tail_sign(text, end).first == '#') return {};
  }
  return text.substr(at, end - at);
}

std::string ascii_tail(std::string_view tail) {
  std::string signs;
  for (std::size_t at = 0; at < tail.size();) {
    const auto [sign, size] = tail_sign(tail, at);
    signs += sign;
    at += size;
  }
  return signs;
}

bool has_digit(std::string_view word) { return std::ranges::any_of(word, is_ascii_digit); }

const std::vector<Token>& WordReader::read(std::string_view text) {
  folded_.clear();
  tokens_.clear();
  ends_.clear();
  Reading(text, strength_, folded_, tokens_, ends_).run();
  return tokens_;
}

std::vector<std::size_t> WordReader::letters_of(const Token& token) const {
  std::vector<std::size_t> letters;
  for (std::size_t at = 0; at < token.folded.size(); at += decode_utf8(token.folded, at).size)
    letters.push_back(at);
  letters.push_back(token.folded.size());
  return letters;
}

std::vector<std::size_t> capital_cuts(std::string_view word) {
  std::vector<std::size_t> cuts;
  bool lower_before = false, upper_before = false;
  std::size_t last = 0;  // where the letter before begins
  for (std::size_t at = 0; at < word.size();) {
    const CodePoint point = decode_utf8(word, at);
    const LetterKind kind = letter_kind(point.value);
    const bool upper = is_upper(point.value);
    const bool lower = kind == LetterKind::kLetter && !upper;
    if (upper && lower_before) cuts.push_back(at);
    // The last of a row of capitals begins the next part, where two or more stand before it.
    if (lower && upper_before && last > 0 && (cuts.empty() || cuts.back() != last))
      cuts.push_back(last);
    lower_before = lower || kind == LetterKind::kDigit;
    upper_before = upper;
    last = at;
    at += point.size;
  }
  return cuts;
}

std::vector<PlainWord> plain_words(std::string_view text, FoldStrength strength) {
  std::vector<PlainWord> words;
  WordReader reader(strength);
  const Token* before = nullptr;
  for (const Token& token : reader.read(text)) {
    const bool goes_on = before != nullptr && before->joint == '\'' && !before->unbroken &&
                         !before->digits && !token.unbroken && !token.digits;
    if (goes_on) {
      PlainWord& word = words.back();
      word.folded += '\'';
      word.folded += token.folded;
      word.written = text.substr(word.begin, token.end - word.begin);
    } else {
      words.push_back({text.substr(token.begin, token.end - token.begin), token.begin,
                       std::string(token.folded), token.unbroken});
    }
    before = &token;
  }
  return words;
}

std::vector<std::string> folded_words(std::string_view text, FoldStrength strength) {
  std::vector<std::string> folded;
  for (PlainWord& word : plain_words(text, strength)) folded.push_back(std::move(word.folded));
  return folded;
}

}  // namespace anima::language
