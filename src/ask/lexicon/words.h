// How texts are cut into the pieces that are matched: names, keys and questions alike.
//
// Thread-safety: pure functions. Complexity: O(text).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/lexicon/pack.h"
#include "store/ids.h"

namespace anima::ask {

struct Piece {
  // kSign: one that says something of what stands beside it: "%", "<", "++" behind a blank.
  enum class Kind : std::uint8_t { kWord, kNumber, kDate, kQuoted, kPossessive, kSign };
  Kind kind = Kind::kWord;
  std::string text;                // as written
  std::string folded;              // NFKC, case folded; of a number or a date in its plain form
  double number = 0;               // kNumber
  bool thousands = false;          // kNumber: "72.000", where the point may also part thousands
  bool colon_behind = false;       // kNumber: "08" of "08:30"
  std::size_t begin = 0, end = 0;  // bytes of the text
  // It is but a part of a number or identifier ("web01-03"), told also of an address
  // ("a@posteo.de"), that begins before it, that ends behind.
  bool joined_before = false, joined_behind = false;
  // Of a name that stands for who speaks: the person, or kNone where nobody of the name is known.
  std::optional<store::EntityId> speaker = {};
  bool is_part() const { return joined_before || joined_behind; }
};

// Digits of any script, full-width signs and the minus sign are those of ASCII.
//
// The pieces of a question: words of letters and of digits apart, numbers and dates as one, `'s` by
// itself, quoted text as one, and the signs that change what is asked. All other signs part words.
std::vector<Piece> cut_question(std::string_view text, const Pack& pack);
// What of a question no piece holds, and what is no punctuation either: "~", a fraction, an emoji.
// What stands together is one.
struct UnreadSign {
  std::string text;
  std::size_t begin = 0, end = 0;  // bytes of the question
};
std::vector<UnreadSign> unread_signs(std::string_view text, const std::vector<Piece>& pieces);
// The same of what somebody tells: all signs part words, and who reads it looks at what stands
// between the pieces.
std::vector<Piece> cut_told(std::string_view text, const Pack& pack);
// The folded words of a name or a value: "orders-db" is orders, db.
std::vector<std::string> cut_name(std::string_view text);
// The same of a key, a type or a predicate, where capitals begin words: "memoryMb" is memory, mb.
std::vector<std::string> cut_key(std::string_view text);
std::vector<Piece> name_pieces(std::string_view text);
// The words of cut_name with blanks between.
std::string normal_name(std::string_view text);
std::string joined(const std::vector<std::string>& words, std::size_t from, std::size_t to);

bool reads_as_date(std::string_view text);
bool reads_as_number(std::string_view text, double* out);

}  // namespace anima::ask
