// The texts that literals hold, for the text index. What their words are says the room `language`.
// Thread-safety: pure functions; a scratch string belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/value.h"

namespace anima::store::detail {

// Calls piece(std::string_view) for each text that a literal holds: a string whole, the strings and
// numbers inside a JSON value (not its keys), the written form of numbers, dates and typed
// literals.
template <typename Piece>
void for_each_text(const ValueView& literal, std::string& scratch, Piece&& piece);

// The parts of for_each_text that need no template.
std::string_view integer_text(std::int64_t value, std::string& scratch);
// Finds the next string value or number at or after `at`; false at the end. `out` may point into
// `scratch`.
bool next_json_text(std::string_view json, std::size_t& at, std::string& scratch,
                    std::string_view& out);

template <typename Piece>
void for_each_text(const ValueView& literal, std::string& scratch, Piece&& piece) {
  switch (literal.kind) {
    case ValueKind::kString:
    case ValueKind::kLanguageString:
    case ValueKind::kDateTime:
    case ValueKind::kDecimal:
    case ValueKind::kTyped:
    case ValueKind::kIri:
      piece(literal.text);
      return;
    case ValueKind::kInteger:
      piece(integer_text(literal.integer, scratch));
      return;
    case ValueKind::kJson: {
      std::size_t at = 0;
      std::string_view text;
      while (next_json_text(literal.text, at, scratch, text)) piece(text);
      return;
    }
    case ValueKind::kNull:
    case ValueKind::kBoolean:
    case ValueKind::kDouble:
    case ValueKind::kBlank:
    case ValueKind::kEntity:
      return;
  }
}

}  // namespace anima::store::detail
