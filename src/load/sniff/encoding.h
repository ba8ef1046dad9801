// Bytes of a text file as UTF-8: a byte order mark is taken off, UTF-16 with one is recoded, and
// what is no UTF-8 is read as Windows-1252 (which holds Latin-1), with a note. Errors:
// kInvalidArgument (zero bytes: this is no text). Thread-safety: pure. O(n); what is UTF-8 already
// is not copied.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::load {

struct DecodedText {
  std::string_view text;  // of the bytes given, or of `own`
  std::string own;
  std::string note;  // for people; empty when there is nothing to say
};

// `bytes` must outlive what is filled; `decoded` must not move.
Status decode_text(std::string_view bytes, const std::string& file, DecodedText& decoded);

}  // namespace anima::load
