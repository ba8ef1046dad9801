#include "language/text/words.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "language/text/compounds.h"
#include "language/text/detail/fold_table.h"
#include "language/text/script.h"

namespace anima::language {
namespace {

// 0 for what is no part of a word.
constexpr std::array<char, 128> kAsciiLetters = [] {
  std::array<char, 128> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = c;
  for (char c = 'a'; c <= 'z'; ++c) {
    table[static_cast<std::size_t>(c)] = c;
    table[static_cast<std::size_t>(c - 'a' + 'A')] = c;
  }
  return table;
}();

bool is_apostrophe(char32_t c) { return c == '\'' || c == 0x2019 || c == 0x02bc || c == 0xff07; }

bool ends_sentence(char32_t c) {
  return c == '.' || c == '!' || c == '?' || c == ':' || c == '\n' || c == 0x2026 || c == 0x3002 ||
         c == 0xff01 || c == 0xff1f || c == 0x0964 || c == 0x06d4 || c == 0x061f || c == 0x0589;
}

// One reading of a text.
class Reading {
 public:
  Reading(std::string_view text, FoldStrength strength, std::string& folded,
          std::vector<Token>& tokens)
      : text_(text), strength_(strength), folded_(folded), tokens_(tokens) {}

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
    const char letter = kAsciiLetters[byte];
    if (letter == 0) {
      separate(byte, 1);
      return;
    }
    const bool capital = byte >= 'A' && byte <= 'Z';
    if (!inside_ || unbroken_) {
      begin_token(false, capital);
    } else {
      capital_inside_ = capital_inside_ || capital;
    }
    digits_ = digits_ && letter <= '9';
    folded_.push_back(letter);
    ++at_;
  }

  void beyond_ascii() {
    const CodePoint point = decode_utf8(text_, at_);
    const detail::FoldedLetter& letter = detail::folded_letter(point.value, strength_);
    LetterKind kind = letter.kind;
    if (kind == LetterKind::kMark && !inside_) kind = LetterKind::kNone;
    // What is invisible inside a word is no end of it.
    const bool invisible = kind == LetterKind::kNone && letter.size == 0;
    if (kind == LetterKind::kNone && !invisible) {
      separate(point.value, point.size);
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
    // Signs join no letter of the token before.
    if (folded_.size() == begin_folded_ && letter.joins) {
      folded_ += letter.size == detail::FoldedLetter::kLong ? std::string_view() : letter.text();
    } else {
      detail::append_folded_letter(folded_, point.value, letter, strength_);
    }
    at_ += point.size;
  }

  void separate(char32_t c, std::size_t size) {
    end_token(at_);
    const bool first = gap_ == 0;
    gap_ += 1;
    joint_ = 0;
    if (first && c < 0x80 && c > ' ') joint_ = static_cast<char>(c);
    if (first && is_apostrophe(c)) joint_ = '\'';
    if (ends_sentence(c)) sentence_begins_ = true;
    at_ += size;
  }

  void begin_token(bool unbroken, bool capital) {
    end_token(at_);
    if (!tokens_.empty()) tokens_.back().joint = gap_ == 0 ? kTouches : joint_;
    inside_ = true;
    unbroken_ = unbroken;
    digits_ = true;
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
    Token token;
    token.begin = begin_;
    token.end = end;
    token.unbroken = unbroken_;
    token.capital = capital_;
    token.capital_inside = capital_inside_;
    token.starts_sentence = starts_sentence_;
    token.digits = digits_;
    tokens_.push_back(token);
    ends_.push_back(folded_.size());
    gap_ = 0;
    joint_ = 0;
  }

  std::string_view text_;
  FoldStrength strength_;
  std::string& folded_;
  std::vector<Token>& tokens_;
  std::vector<std::size_t> ends_;
  std::size_t at_ = 0, begin_ = 0, begin_folded_ = 0, gap_ = 0;
  char joint_ = 0;
  bool inside_ = false, unbroken_ = false, digits_ = true;
  bool capital_ = false, capital_inside_ = false;
  bool starts_sentence_ = true, sentence_begins_ = true;
};

constexpr std::size_t kShortWord = 2;  // bytes: "C", "F", of which a sign makes another thing

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

bool joins_whole(char joint) {
  return joint != 0 && std::string_view(".-_/\\:@+#&").find(joint) != std::string_view::npos;
}

// "e-mail", which is also written as one word.
bool is_hyphened(std::span<const Token> tokens, std::size_t words) {
  return words == 2 && tokens[0].joint == '-' && !tokens[0].digits && !tokens[1].digits;
}

// A word beside a run of a script without blanks.
bool touches_run(std::span<const Token> tokens) {
  return tokens[0].joint == kTouches && tokens.size() > 1;
}

}  // namespace

std::string_view tail_of_word(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '+' && text[at] != '#')) return {};
  std::size_t end = at;
  while (end < text.size() && (text[end] == '+' || text[end] == '#') && end - at < 2) ++end;
  if (end == at || (end - at == 1 && text[at] == '+')) return {};
  if (end < text.size()) {
    const CodePoint next = decode_utf8(text, end);
    const LetterKind kind = letter_kind(next.value);
    if (kind == LetterKind::kLetter || kind == LetterKind::kDigit || text[end] == '#') return {};
  }
  return text.substr(at, end - at);
}

const std::vector<Token>& WordReader::read(std::string_view text) {
  folded_.clear();
  tokens_.clear();
  Reading(text, strength_, folded_, tokens_).run();
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

void TermSplitter::add(std::string_view term, TermKind kind, const Token& token) {
  term = beginning_of(term, kLongestTerm);
  if (term.empty()) return;
  cuts_.push_back({terms_.size(), term.size(), kind, &token});
  terms_ += term;
}

// Each character starts a term, so that one character alone is found as a beginning; where no
// beginnings are found, it is a term itself.
void TermSplitter::add_run(const Token& token) {
  const std::vector<std::size_t> letters = reader_.letters_of(token);
  const std::size_t count = letters.size() - 1;
  const auto letter = [&](std::size_t i) {
    return token.folded.substr(letters[i], letters[i + 1] - letters[i]);
  };
  for (std::size_t i = 0; i + 1 < count; ++i)
    add(token.folded.substr(letters[i], letters[i + 2] - letters[i]), TermKind::kPair, token);
  if (count == 1 || use_ == TermUse::kDocument) {
    add(letter(count - 1), TermKind::kLone, token);
  } else if (use_ == TermUse::kLetters) {
    for (std::size_t i = 0; i < count; ++i)
      if (script_of(letter(i)) == Script::kHan) add(letter(i), TermKind::kLone, token);
  }
}

void TermSplitter::add_word(std::string_view text, const Token& token, bool bare) {
  if (bare) add(token.folded, TermKind::kWord, token);
  std::string_view word = token.folded;
  if (strength_ != FoldStrength::kMarks) word = marked_.emplace_back(fold_for_finding(word));
  const std::vector<TextSpan> compound = compound_parts(word);
  if (use_ == TermUse::kQuery && bare && !compound.empty()) {
    cuts_.back().first_part = parts_.size();
    cuts_.back().parts = compound.size();
  }
  for (const TextSpan& part : compound) {
    const std::string_view text_of_part = word.substr(part.begin, part.end - part.begin);
    if (use_ != TermUse::kQuery) {
      add(text_of_part, TermKind::kPart, token);
    } else if (bare) {
      parts_.push_back(text_of_part);
    }
  }
  if (!token.capital_inside) return;
  const std::string_view written = text.substr(token.begin, token.end - token.begin);
  std::size_t from = 0;
  const std::vector<std::size_t> cuts = capital_cuts(written);
  for (std::size_t i = 0; i <= cuts.size() && !cuts.empty(); ++i) {
    const std::size_t to = i < cuts.size() ? cuts[i] : written.size();
    add(fold(written.substr(from, to - from), strength_), TermKind::kPart, token);
    from = to;
  }
}

// The words that stand together from the first token on.
TermSplitter::Whole TermSplitter::whole_of(std::string_view text, std::span<const Token> tokens) {
  Whole whole;
  const bool joined = tokens.size() > 1 && joins_whole(tokens[0].joint);
  if (!joined && tail_of_word(text, tokens[0].end).empty()) return whole;
  whole.text = tokens[0].folded;
  while (whole.words < tokens.size() && joins_whole(tokens[whole.words - 1].joint) &&
         !tokens[whole.words].unbroken) {
    whole.text += tokens[whole.words - 1].joint;
    whole.text += tokens[whole.words++].folded;
  }
  whole.text += tail_of_word(text, tokens[whole.words - 1].end);
  whole.has_digit = whole.words > 1 && std::ranges::any_of(whole.text, is_ascii_digit);
  // What is longer is an address or a path: its parts say it.
  if (whole.text.size() == tokens[0].folded.size() || whole.text.size() > kLongestTerm)
    whole = {{}, whole.words, false};
  return whole;
}

// A word and the letter of a run that it touches.
void TermSplitter::add_touching(std::span<const Token> tokens) {
  const std::string_view run = tokens[1].folded;
  add(std::string(tokens[0].folded) + std::string(run.substr(0, decode_utf8(run, 0).size)),
      TermKind::kWhole, tokens[0]);
}

void TermSplitter::add_joined(std::span<const Token> tokens) {
  add(std::string(tokens[0].folded) + std::string(tokens[1].folded), TermKind::kPart, tokens[0]);
}

// What a query asks for by its next words; how many these are.
std::size_t TermSplitter::add_query(std::string_view text, std::span<const Token> tokens) {
  const Whole whole = whole_of(text, tokens);
  if (whole.has_digit) {
    add(whole.text, TermKind::kWhole, tokens[0]);
    cuts_.back().first_part = parts_.size();
    cuts_.back().parts = whole.words;
    for (const Token& token : tokens.first(whole.words)) parts_.push_back(token.folded);
    return whole.words;
  }
  for (std::size_t i = 0; i < whole.words; ++i) {
    const bool together = whole.words > 1 || touches_run(tokens.subspan(i));
    const bool letter = together && count_code_points(tokens[i].folded) == 1;
    add_word(text, tokens[i], !letter && tail_of_word(text, tokens[i].end).empty());
    if (i == 0 && !whole.text.empty()) add(whole.text, TermKind::kWhole, tokens[0]);
  }
  if (is_hyphened(tokens, whole.words)) add_joined(tokens);
  const std::span<const Token> rest = tokens.subspan(whole.words - 1);
  if (!touches_run(rest)) return whole.words;
  add_touching(rest);
  return whole.words + (decode_utf8(rest[1].folded, 0).size == rest[1].folded.size() ? 1 : 0);
}

void TermSplitter::add_document(std::string_view text, std::span<const Token> tokens) {
  std::size_t whole_until = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.unbroken) {
      add_run(token);
      continue;
    }
    const std::string_view tail = tail_of_word(text, token.end);
    add_word(text, token, tail.empty() || token.folded.size() > kShortWord);
    if (i >= whole_until) {
      const Whole whole = whole_of(text, tokens.subspan(i));
      add(whole.text, TermKind::kWhole, token);
      whole_until = i + whole.words;
      if (is_hyphened(tokens.subspan(i), whole.words)) add_joined(tokens.subspan(i));
    } else if (!tail.empty()) {
      add(std::string(token.folded) + std::string(tail), TermKind::kWhole, token);
    }
    if (touches_run(tokens.subspan(i))) add_touching(tokens.subspan(i));
  }
}

void TermSplitter::cut(std::string_view text) {
  terms_.clear();
  cuts_.clear();
  parts_.clear();
  marked_.clear();
  skipped_ = text.starts_with("http://") ? 7 : text.starts_with("https://") ? 8 : 0;
  text.remove_prefix(skipped_);
  const std::span<const Token> tokens = reader_.read(text);
  if (use_ == TermUse::kDocument || use_ == TermUse::kLetters) return add_document(text, tokens);
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].unbroken) {
      add_run(tokens[i++]);
    } else if (use_ == TermUse::kWords) {
      add(tokens[i].folded, TermKind::kWord, tokens[i]);
      ++i;
    } else {
      i += add_query(text, tokens.subspan(i));
    }
  }
}

}  // namespace anima::language
