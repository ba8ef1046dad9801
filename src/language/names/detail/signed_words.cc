#include "language/names/detail/signed_words.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/text/plain_reading.h"

namespace anima::language::detail {
namespace {

constexpr std::string_view kJoinsOrEncloses = "-_.,;:'\"()[]{}/\\|!?*~`";
// Signs at the edge of a name that are a part of it, though they punctuate or tag in a text.
constexpr std::string_view kOwnBefore = "@#$%&!?~^=+*", kOwnBehind = "!?$%&=^~|@";
constexpr std::string_view kTags = "#@$";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(char c, std::string_view signs) { return signs.find(c) != signs.npos; }

bool parts(char32_t c) { return is_white_space(c) || c == PlainReading::kAside; }

// Up to the first blank, and behind the last one.
std::string_view until_blank(std::string_view gap) {
  for (std::size_t at = 0; at < gap.size();) {
    const CodePoint point = decode_utf8(gap, at);
    if (parts(point.value)) return gap.substr(0, at);
    at += point.size;
  }
  return gap;
}
std::string_view behind_blank(std::string_view gap) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < gap.size();) {
    const CodePoint point = decode_utf8(gap, at);
    at += point.size;
    if (parts(point.value)) from = at;
  }
  return gap.substr(from);
}

// The full stop of ".NET": behind another sign, or at the beginning.
bool has_leading_stop(const SignedWord& word) {
  const std::string_view signs = word.before;
  const bool joins = word.joined_before && signs.size() == 1;
  return signs.ends_with('.') && !signs.ends_with("..") && !joins;
}

// The sign that a word ends with, as a part of it, and whether that is sure.
struct Tail {
  std::string_view signs = {};
  bool sure = true;
};

Tail plus_tail(const SignedWord& word, std::size_t count) {
  if (count > 1) return {word.behind.substr(0, count)};
  // What punctuates or encloses does not join.
  const bool joins = word.behind.size() == 1
                         ? word.joined_behind
                         : word.behind[1] >= '\0' && !is_one_of(word.behind[1], ".,;:!?)]}'\"-*_");
  return joins ? Tail{} : Tail{word.behind.substr(0, 1), false};
}

Tail tail_of(const SignedWord& word) {
  if (word.behind.empty()) return {};
  const char sign = word.behind[0];
  const std::size_t count = std::min(word.behind.find_first_not_of(sign), word.behind.size());
  const bool alone = count == word.behind.size();
  const bool one_letter = count_code_points(word.folded) == 1;
  if (sign == '+') return plus_tail(word, count);
  // A part of a page is joined to it: "page#part".
  if (sign == '#') return alone && word.joined_behind ? Tail{} : Tail{word.behind.substr(0, count)};
  if (sign == '*') {
    const bool emphasis = word.emphasised || count > 1 || (alone && word.joined_behind);
    return emphasis ? Tail{} : Tail{word.behind.substr(0, 1), one_letter};
  }
  if (sign == '^') return one_letter ? Tail{word.behind.substr(0, 1), false} : Tail{};
  return {};
}

// What of a name's own signs a text has to have.
std::string_view own_behind(const SignedWord& name) {
  const Tail tail = tail_of(name);
  if (!tail.signs.empty() || name.joined_behind || name.behind.empty()) return tail.signs;
  return is_one_of(name.behind[0], kOwnBehind) ? name.behind.substr(0, 1) : std::string_view();
}
std::string_view own_before(const SignedWord& name) {
  if (has_leading_stop(name)) return name.before.substr(name.before.size() - 1);
  if (name.joined_before || name.before.empty() || !is_one_of(name.before.back(), kOwnBefore))
    return {};
  return name.before.substr(name.before.size() - 1);
}

}  // namespace

const std::vector<SignedWord>& SignedWordReader::read(std::string_view text) {
  words_.clear();
  numbers_.clear();
  join_numbers(text, reader_.read(text));
  add_signs(text);
  return words_;
}

void SignedWordReader::join_numbers(std::string_view text, const std::vector<Token>& tokens) {
  bool same_word = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (same_word) {
      SignedWord& word = words_.back();
      if (numbers_.empty() || numbers_.back().data() != word.folded.data())
        numbers_.emplace_back(word.folded);
      numbers_.back() += '.';
      numbers_.back() += token.folded;
      word.folded = numbers_.back();
      word.end = token.end;
      word.digits = word.digits && token.digits;
    } else {
      SignedWord word;
      word.folded = token.folded;
      word.begin = token.begin;
      word.end = token.end;
      word.unbroken = token.unbroken;
      word.digits = token.digits;
      word.capital = token.capital;
      word.starts_sentence = token.starts_sentence;
      words_.push_back(word);
    }
    same_word = token.joint == '.' && i + 1 < tokens.size() && is_digit(text[token.end - 1]) &&
                is_digit(text[tokens[i + 1].begin]);
  }
}

void SignedWordReader::add_signs(std::string_view text) {
  bool starred = false;  // a "*" is open in this line
  for (std::size_t i = 0; i < words_.size(); ++i) {
    SignedWord& word = words_[i];
    const std::size_t from = i == 0 ? 0 : words_[i - 1].end;
    const std::string_view gap_before = text.substr(from, word.begin - from);
    const std::size_t next = i + 1 < words_.size() ? words_[i + 1].begin : text.size();
    word.gap = text.substr(word.end, next - word.end);
    word.before = behind_blank(gap_before);
    word.behind = until_blank(word.gap);
    word.joined_before = i > 0 && word.before.size() == gap_before.size();
    word.joined_behind = i + 1 < words_.size() && word.behind.size() == word.gap.size();
    if (gap_before.find('\n') != gap_before.npos) starred = false;
    if (!word.joined_before && is_one_of('*', word.before)) starred = true;
    word.emphasised = starred && word.behind.starts_with('*');
    if (word.emphasised) starred = false;
  }
}

std::string telling_signs(std::string_view gap) {
  std::string signs;
  for (const char c : gap)
    if (c > ' ' && c != '\x7f' && !is_one_of(c, kJoinsOrEncloses)) signs += c;
  return signs;
}

SignFit signs_before(const SignedWord& name, const SignedWord& text) {
  const std::string_view own = own_before(name);
  if (own == ".") return has_leading_stop(text) ? SignFit::kFits : SignFit::kAnother;
  if (!own.empty() && text.before.ends_with(own)) {
    // "@ada" in an address joins.
    const bool joins = text.joined_before && text.before == own;
    return joins ? SignFit::kInDoubt : SignFit::kFits;
  }
  if (has_leading_stop(text)) return SignFit::kAnother;
  return own.empty() ? SignFit::kFits : SignFit::kInDoubt;
}

SignFit signs_behind(const SignedWord& name, const SignedWord& text) {
  const std::string_view own = own_behind(name);
  const Tail tail = tail_of(text);
  if (own == tail.signs) return SignFit::kFits;
  if (own.empty()) return tail.sure ? SignFit::kAnother : SignFit::kInDoubt;
  const bool there = text.behind.starts_with(own);
  if (!is_one_of(own[0], kOwnBehind))
    return there && tail.signs.empty() ? SignFit::kInDoubt : SignFit::kAnother;
  if (there) return SignFit::kFits;
  return tail.signs.empty() || !tail.sure ? SignFit::kInDoubt : SignFit::kAnother;
}

bool is_tied(const SignedWord& text) {
  constexpr std::string_view kEnds = ".,;:!?)]}>'\"*_~`", kDegree = "\xc2\xb0";
  const bool possessive = text.behind == "'" || text.behind == "\xe2\x80\x99" || text.gap.empty();
  const bool tagged = text.before.ends_with(kDegree) ||
                      (!text.before.empty() && is_one_of(text.before.back(), kTags));
  const bool goes_on =
      !text.behind.empty() && text.behind[0] >= '\0' && !is_one_of(text.behind[0], kEnds);
  return tagged || goes_on || (text.joined_before && !text.before.empty()) ||
         (text.joined_behind && !possessive) || trim(text.gap).starts_with("++");
}

bool is_of_token(const SignedWord& text) {
  constexpr std::string_view kAlone = "@#";  // also where nothing is joined: "@ada"
  constexpr std::string_view kJoined = "_./\\=&";
  const auto joins = [&](std::string_view signs, bool joined, char at) {
    if (signs.empty()) return false;
    return is_one_of(at, kAlone) || (joined && is_one_of(at, kJoined));
  };
  return joins(text.before, text.joined_before, text.before.empty() ? ' ' : text.before.back()) ||
         joins(text.behind, text.joined_behind, text.behind.empty() ? ' ' : text.behind.front());
}

std::size_t own_signs_before(const SignedWord& name, const SignedWord& text) {
  const std::string_view own = own_before(name);
  return text.before.ends_with(own) ? own.size() : 0;
}

std::size_t own_signs_behind(const SignedWord& name, const SignedWord& text) {
  const std::string_view own = own_behind(name);
  return text.behind.starts_with(own) ? own.size() : 0;
}

}  // namespace anima::language::detail
