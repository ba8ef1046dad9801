#include "ask/lexicon/words.h"

#include <algorithm>
#include <charconv>

#include "base/clock.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "base/text/white_space.h"
#include "language/text/fold.h"
#include "language/text/words.h"

namespace anima::ask {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

bool word_class(CharClass c) {
  return c == CharClass::kLetter || c == CharClass::kMark || c == CharClass::kIdeograph;
}

// A text with digits of any script, full-width signs and the minus sign as ASCII has them.
class AsciiSigns {
 public:
  explicit AsciiSigns(std::string_view written) : written_(written) {
    if (is_ascii(written)) return;
    for (std::size_t at = 0; at < written.size();) {
      const CodePoint point = decode_utf8(written, at);
      const std::string sign = as_ascii(point.value, written.substr(at, point.size));
      text_ += sign;
      // Inside of what is as it was written, each byte is at its place.
      for (std::size_t i = 0; i < sign.size(); ++i) origins_.push_back(at + i);
      at += point.size;
    }
    origins_.push_back(written.size());
  }

  std::string_view text() const { return origins_.empty() ? written_ : std::string_view(text_); }
  std::size_t origin(std::size_t at) const { return origins_.empty() ? at : origins_[at]; }

 private:
  static std::string as_ascii(char32_t c, std::string_view written) {
    constexpr char32_t kFirstFullWidth = 0xff01, kLastFullWidth = 0xff5e, kMinus = 0x2212;
    if (c == kMinus) return "-";
    if (c >= kFirstFullWidth && c <= kLastFullWidth)
      return std::string(1, static_cast<char>(c - kFirstFullWidth + '!'));
    return c >= 0x80 && is_decimal_digit(c) ? language::fold(written, language::FoldStrength::kCase)
                                            : std::string(written);
  }

  std::string_view written_;
  std::string text_;
  std::vector<std::size_t> origins_;  // of each byte of text_, and of its end; none: all as written
};

// Cuts one text into words; the callers differ in what they do with numbers and quotes.
class Cutter {
 public:
  Cutter(std::string_view text, const Pack* pack, bool capitals = false, bool signs = false)
      : written_(text),
        plain_(text),
        text_(plain_.text()),
        pack_(pack),
        capitals_(capitals),
        signs_(signs) {}

  std::vector<Piece> run() {
    while (at_ < text_.size()) step();
    for (Piece& piece : pieces_) {
      piece.begin = plain_.origin(piece.begin);
      piece.end = plain_.origin(piece.end);
      piece.text = written_.substr(piece.begin, piece.end - piece.begin);
    }
    return std::move(pieces_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (pack_ != nullptr && c == '"' && quoted()) return;
    if (digit(c) || (c == '-' && pack_ != nullptr && negative())) {
      number();
      return;
    }
    if (pack_ != nullptr && apostrophe_s()) return;
    const CodePoint point = decode_utf8(text_, at_);
    if (word_class(classify(point.value))) {
      word();
    } else if (const std::size_t size = signs_ ? sign_size() : 0; size > 0) {
      add(Piece::Kind::kSign, at_, at_ + size, std::string(text_.substr(at_, size)));
      at_ += size;
    } else {
      at_ += point.size;
    }
  }

  bool space_at(std::size_t at) const { return at >= text_.size() || text_[at] == ' '; }

  // A unit beside a number ("5%", "$ 11"), a comparison, or signs that belong to no word ("C ++").
  // What joins two words is none.
  std::size_t sign_size() const {
    const CodePoint point = decode_utf8(text_, at_);
    const std::size_t end = at_ + point.size, next = end + (space_at(end) ? 1 : 0);
    const std::string one(text_.substr(at_, point.size));
    if (pack_->unit(one) != nullptr) {
      const bool behind = !pieces_.empty() && pieces_.back().kind == Piece::Kind::kNumber &&
                          pieces_.back().end + 1 >= at_;
      return behind || (next < text_.size() && digit(text_[next])) ? point.size : 0;
    }
    if (end < text_.size() && compares(text_.substr(at_, point.size + 1))) return point.size + 1;
    if (compares(one)) return point.size;
    std::size_t last = at_;
    while (last < text_.size() && (text_[last] == '+' || text_[last] == '#')) ++last;
    const bool alone = last > at_ && (at_ == 0 || space_at(at_ - 1) || letter_at(at_ - 1)) &&
                       !letter_at(last) && !(last < text_.size() && digit(text_[last]));
    return alone ? last - at_ : 0;
  }

  bool compares(std::string_view sign) const {
    const auto* uses = pack_->uses(std::string(sign));
    return uses != nullptr && std::any_of(uses->begin(), uses->end(), [](const PackUse& use) {
             return use.kind == PackUse::Kind::kCompare;
           });
  }

  bool negative() const {
    const bool free = at_ == 0 || text_[at_ - 1] == ' ';
    return free && at_ + 1 < text_.size() && digit(text_[at_ + 1]);
  }

  bool quoted() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) return false;
    add(Piece::Kind::kQuoted, at_, end + 1, std::string(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
    return true;
  }

  // Both forms of the apostrophe, after a word.
  std::size_t apostrophe_size(std::size_t at) const {
    if (at >= text_.size()) return 0;
    if (text_[at] == '\'') return 1;
    return text_.substr(at).starts_with("\xe2\x80\x99") ? 3 : 0;
  }

  bool letter_at(std::size_t at) const {
    return at < text_.size() && word_class(classify(decode_utf8(text_, at).value));
  }

  // What is invisible between two letters is no end of their word.
  bool joins_letters(std::size_t at) const {
    const CodePoint point = decode_utf8(text_, at);
    return point.value >= 0x80 && hides_something(point.value) && letter_at(at + point.size);
  }

  bool apostrophe_s() {
    const std::size_t size = apostrophe_size(at_);
    if (size == 0 || pieces_.empty() || pieces_.back().end != at_) return false;
    const std::size_t after = at_ + size;
    const bool s = after < text_.size() && (text_[after] == 's' || text_[after] == 'S') &&
                   !letter_at(after + 1);
    if (!s && letter_at(after)) return false;
    add(Piece::Kind::kPossessive, at_, s ? after + 1 : after, "'s");
    at_ = s ? after + 1 : after;
    return true;
  }

  void add(Piece::Kind kind, std::size_t from, std::size_t to, std::string folded) {
    Piece piece;
    piece.kind = kind;
    piece.text = std::string(text_.substr(from, to - from));
    piece.folded = std::move(folded);
    piece.begin = from;
    piece.end = to;
    pieces_.push_back(std::move(piece));
  }

  void word() {
    const std::size_t from = at_;
    std::size_t to = at_;
    const auto run = [&] {
      char32_t before = 0;
      while (to < text_.size()) {
        const CodePoint point = decode_utf8(text_, to);
        if (!word_class(classify(point.value)) && !joins_letters(to)) break;
        const bool upper = point.value >= 'A' && point.value <= 'Z';
        if (capitals_ && upper && before >= 'a' && before <= 'z') break;
        before = point.value;
        to += point.size;
      }
    };
    run();
    // A contraction that the pack knows is what it stands for.
    if (pack_ != nullptr && apostrophe_size(to) > 0) {
      const std::size_t keep = to;
      to += apostrophe_size(to);
      run();
      std::string whole = fold_case(text_.substr(from, to - from));
      whole = replace_all(whole, "\xe2\x80\x99", "'");
      if (const auto* parts = pack_->contraction(whole)) {
        for (const std::string& part : *parts) add(Piece::Kind::kWord, from, to, part);
        at_ = to;
        return;
      }
      to = keep;
    }
    if (abbreviation(from, to)) return;
    const std::string_view tail = language::tail_of_word(text_, to);
    std::string folded = fold_case(to_nfkc(text_.substr(from, to - from)));
    to += tail.size();  // "C++" is another thing than "C"
    add(Piece::Kind::kWord, from, to, folded + language::ascii_tail(tail));
    at_ = to;
  }

  // u.s., U.S.A: one word of its letters.
  bool abbreviation(std::size_t from, std::size_t to) {
    if (to - from != 1 || to + 1 >= text_.size() || text_[to] != '.' || !letter_at(to + 1))
      return false;
    std::string letters(text_.substr(from, 1));
    std::size_t at = to;
    while (at + 1 < text_.size() && text_[at] == '.' && letter_at(at + 1) && !letter_at(at + 2)) {
      letters += text_[at + 1];
      at += 2;
    }
    if (letters.size() < 2) return false;
    if (at < text_.size() && text_[at] == '.') ++at;
    add(Piece::Kind::kWord, from, at, fold_case(letters));
    at_ = at;
    return true;
  }

  void number() {
    const std::size_t from = at_;
    std::size_t to = at_ + (text_[at_] == '-' ? 1 : 0);
    while (to < text_.size() && digit(text_[to])) ++to;
    if (pack_ == nullptr) {
      add(Piece::Kind::kWord, from, to, std::string(text_.substr(from, to - from)));
      at_ = to;
      return;
    }
    if (iso_date(from)) return;
    std::string plain(text_.substr(from, to - from));
    // 1,000 and 2.5
    while (to + 3 < text_.size() && text_[to] == ',' && digit(text_[to + 1]) &&
           digit(text_[to + 2]) && digit(text_[to + 3]) &&
           (to + 4 >= text_.size() || !digit(text_[to + 4]))) {
      plain += text_.substr(to + 1, 3);
      to += 4;
    }
    if (to + 1 < text_.size() && text_[to] == '.' && digit(text_[to + 1])) {
      const std::size_t point = to++;
      while (to < text_.size() && digit(text_[to])) ++to;
      plain += text_.substr(point, to - point);
    }
    double factor = 1;
    if (to < text_.size() && (text_[to] == 'k' || text_[to] == 'K') && !letter_at(to + 1)) {
      factor = 1000;
      ++to;
    }
    add(Piece::Kind::kNumber, from, to, plain);
    pieces_.back().thousands = factor == 1 && may_part_thousands(plain);
    pieces_.back().colon_behind = to + 1 < text_.size() && text_[to] == ':' && digit(text_[to + 1]);
    double value = 0;
    std::from_chars(plain.data(), plain.data() + plain.size(), value);
    pieces_.back().number = value * factor;
    at_ = to;
  }

  // "72.000", but not "0.125" nor "1234.567", and not "1,234.567".
  bool may_part_thousands(const std::string& plain) const {
    const std::size_t point = plain.find('.'), first = plain[0] == '-' ? 1 : 0;
    return point != std::string::npos && plain.size() - point == 4 && point - first <= 3 &&
           plain[first] != '0' && pieces_.back().text.find(',') == std::string::npos;
  }

  bool iso_date(std::size_t from) {
    std::size_t to = from;
    while (to < text_.size() && (digit(text_[to]) || text_[to] == '-')) ++to;
    const std::string_view day = text_.substr(from, to - from);
    if (day.size() != 10 || !reads_as_date(day)) return false;
    add(Piece::Kind::kDate, from, to, std::string(day));
    at_ = to;
    return true;
  }

  std::string_view written_;
  AsciiSigns plain_;
  std::string_view text_;  // of plain_
  const Pack* pack_;
  bool capitals_;  // begin words
  bool signs_;     // are pieces
  std::size_t at_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace

namespace {

// Says which pieces are but a part of a number or identifier.
std::vector<Piece> with_joints(std::string_view text, std::vector<Piece> pieces) {
  auto piece = pieces.begin();
  for (const language::WholeTerm& whole : language::whole_terms(text)) {
    const auto [begin, end] = whole.written;
    while (piece != pieces.end() && piece->begin < begin) ++piece;
    for (; piece != pieces.end() && piece->begin < end; ++piece) {
      piece->joined_before = piece->begin > begin;
      piece->joined_behind = piece->end < end;
    }
  }
  return pieces;
}

// What a question may have between its words: white space and what nobody sees, punctuation, marks
// that quote as some write them, and the plus of a number. "5%" and "22*" say something.
bool says_nothing(std::string_view text, std::size_t at) {
  constexpr std::u32string_view kSaying = U"*%\u2030\uff0a\uff05", kQuoting = U"`\u00b4";
  const CodePoint point = decode_utf8(text, at);
  const std::size_t next = at + point.size;
  if (point.value == '+') return next < text.size() && digit(text[next]);
  if (is_white_space(point.value) || hides_something(point.value) ||
      kQuoting.find(point.value) != kQuoting.npos)
    return true;
  return is_punctuation(point.value) && kSaying.find(point.value) == kSaying.npos;
}

}  // namespace

std::vector<Piece> cut_question(std::string_view text, const Pack& pack) {
  return with_joints(text, Cutter(text, &pack, false, true).run());
}

std::vector<UnreadSign> unread_signs(std::string_view text, const std::vector<Piece>& pieces) {
  std::vector<UnreadSign> signs;
  auto piece = pieces.begin();
  for (std::size_t at = 0; at < text.size();) {
    while (piece != pieces.end() && piece->end <= at) ++piece;
    if (piece != pieces.end() && piece->begin <= at) {
      at = piece->end;
      continue;
    }
    const std::size_t size = decode_utf8(text, at).size;
    if (!says_nothing(text, at)) {
      if (signs.empty() || signs.back().end != at) signs.push_back({{}, at, at});
      signs.back().text += text.substr(at, size);
      signs.back().end = at + size;
    }
    at += size;
  }
  return signs;
}

namespace {

// What stands between two pieces of one address or identifier; empty: they are not of one.
std::string_view sign_between(std::string_view text, const Piece& one, const Piece& next) {
  const std::string_view gap =
      next.begin > one.end ? text.substr(one.end, next.begin - one.end) : std::string_view();
  return gap.find_first_not_of("@_.-+") == gap.npos ? gap : std::string_view();
}

// The words of "a@posteo.de" and "not_started" are parts of it, and say nothing by themselves.
std::vector<Piece> with_addresses(std::string_view text, std::vector<Piece> pieces) {
  for (std::size_t first = 0, last = 0; first < pieces.size(); first = ++last) {
    bool named = false;
    while (last + 1 < pieces.size()) {
      const std::string_view sign = sign_between(text, pieces[last], pieces[last + 1]);
      if (sign.empty()) break;
      named = named || sign.find_first_of("@_") != sign.npos;
      ++last;
    }
    for (std::size_t at = first; named && at <= last; ++at) {
      pieces[at].joined_before = pieces[at].joined_before || at > first;
      pieces[at].joined_behind = pieces[at].joined_behind || at < last;
    }
  }
  return pieces;
}

}  // namespace

std::vector<Piece> cut_told(std::string_view text, const Pack& pack) {
  return with_addresses(text, with_joints(text, Cutter(text, &pack).run()));
}

std::vector<Piece> name_pieces(std::string_view text) {
  return with_joints(text, Cutter(text, nullptr).run());
}

std::vector<std::string> cut_name(std::string_view text) {
  std::vector<std::string> words;
  for (Piece& piece : Cutter(text, nullptr).run()) words.push_back(std::move(piece.folded));
  return words;
}

std::vector<std::string> cut_key(std::string_view text) {
  std::vector<std::string> words;
  for (Piece& piece : Cutter(text, nullptr, true).run()) words.push_back(std::move(piece.folded));
  return words;
}

std::string joined(const std::vector<std::string>& words, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += (i > from ? " " : "") + words[i];
  return text;
}

std::string normal_name(std::string_view text) {
  const auto words = cut_name(text);
  return joined(words, 0, words.size());
}

bool reads_as_date(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t i : {0u, 1u, 2u, 3u, 5u, 6u, 8u, 9u}) {
    if (!digit(text[i])) return false;
  }
  return parse_timestamp(text).has_value();
}

bool reads_as_number(std::string_view text, double* out) {
  const auto number = read_number<double>(text);
  if (number) *out = *number;
  return number.has_value();
}

}  // namespace anima::ask
