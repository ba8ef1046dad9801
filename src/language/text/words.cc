#include "language/text/words.h"

#include <array>

#include "base/text/text.h"
#include "language/text/compounds.h"
#include "language/text/detail/fold_table.h"

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

bool joins_whole(char joint) {
  return joint != 0 && std::string_view(".-_/\\:@+#&").find(joint) != std::string_view::npos;
}

// "++" and "#" behind a word, and nothing of a word behind them: C++, C#, F#.
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

}  // namespace

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

void TermSplitter::add(std::string_view term, TermKind kind) {
  if (term.size() > kLongestTerm) {
    std::size_t size = kLongestTerm;
    while ((static_cast<unsigned char>(term[size]) & 0xc0u) == 0x80u) --size;
    term = term.substr(0, size);
  }
  if (term.empty()) return;
  cuts_.push_back({terms_.size(), term.size(), kind});
  terms_ += term;
}

// Each character starts a term, so that one character alone is found as a beginning.
void TermSplitter::add_run(const Token& token) {
  const std::vector<std::size_t> letters = reader_.letters_of(token);
  const std::size_t count = letters.size() - 1;
  for (std::size_t i = 0; i + 1 < count; ++i)
    add(token.folded.substr(letters[i], letters[i + 2] - letters[i]), TermKind::kPair);
  if (count == 1 || use_ == TermUse::kDocument)
    add(token.folded.substr(letters[count - 1]), TermKind::kLone);
}

void TermSplitter::add_word(std::string_view text, const Token& token, bool bare) {
  if (bare) add(token.folded, TermKind::kWord);
  if (use_ == TermUse::kDocument)
    for (const TextSpan& part : compound_parts(token.folded))
      add(token.folded.substr(part.begin, part.end - part.begin), TermKind::kPart);
  if (!token.capital_inside) return;
  const std::string_view written = text.substr(token.begin, token.end - token.begin);
  std::size_t from = 0;
  const std::vector<std::size_t> cuts = capital_cuts(written);
  for (std::size_t i = 0; i <= cuts.size() && !cuts.empty(); ++i) {
    const std::size_t to = i < cuts.size() ? cuts[i] : written.size();
    add(fold_for_finding(written.substr(from, to - from)), TermKind::kPart);
    from = to;
  }
}

// The words that stand together from `at` on, as one term; how many they are.
std::size_t TermSplitter::add_whole(std::string_view text, const std::vector<Token>& tokens,
                                    std::size_t at) {
  std::size_t last = at;
  std::string whole(tokens[at].folded);
  while (last + 1 < tokens.size() && joins_whole(tokens[last].joint) && !tokens[last].unbroken &&
         !tokens[last + 1].unbroken) {
    whole += tokens[last].joint;
    whole += tokens[++last].folded;
  }
  whole += tail_of_word(text, tokens[last].end);
  // What is longer is an address or a path: its parts say it.
  if (whole.size() > tokens[at].folded.size() && whole.size() <= kLongestTerm)
    add(whole, TermKind::kWhole);
  return last - at + 1;
}

void TermSplitter::cut(std::string_view text) {
  terms_.clear();
  cuts_.clear();
  if (text.starts_with("http://")) text.remove_prefix(7);
  if (text.starts_with("https://")) text.remove_prefix(8);
  const std::vector<Token>& tokens = reader_.read(text);
  std::size_t whole_until = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.unbroken) {
      add_run(token);
      continue;
    }
    const bool tailed = !tail_of_word(text, token.end).empty();
    // Whoever asks for C++ does not ask for c.
    add_word(text, token, use_ == TermUse::kDocument || !tailed);
    if (i >= whole_until && (tailed || joins_whole(token.joint)))
      whole_until = i + add_whole(text, tokens, i);
    if (token.joint == kTouches && i + 1 < tokens.size()) {
      const Token& run = tokens[i + 1];
      add(std::string(token.folded) +
              std::string(run.folded.substr(0, decode_utf8(run.folded, 0).size)),
          TermKind::kWhole);
    }
  }
}

}  // namespace anima::language
